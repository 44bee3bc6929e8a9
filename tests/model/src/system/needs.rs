//! What a kernel must have for a system, as the image builder finds it in a manifest.

use riposte_kernel::{OnEnd, Policy, Rights, limits};

use super::{Goal, ProcessPlan, System};

impl System {
    /// What this system asks for that the kernel, as it was compiled, does without. No image pairs the two: a test of
    /// them would say nothing of what ships.
    pub(super) fn lacks(&self) -> Vec<&'static str> {
        let some = |asks: fn(&ProcessPlan) -> bool| self.processes.iter().any(asks);
        let given = |gives: fn(&Goal, Rights) -> bool| {
            let mut rights = self.processes.iter().flat_map(|it| &it.connections);
            rights.any(|(goal, rights)| gives(goal, *rights))
        };
        let mut channels = self.channels.iter();
        let needs = [
            (limits::SIGNALS, "signals", some(takes_or_sends_signals)),
            (limits::MEMORY_MESSAGES, "lent memory", some(lends)),
            (limits::POOLS, "pools", !self.pools.is_empty()),
            (
                limits::SHARED_MEMORY,
                "shared memory",
                some(|it| it.shared.is_some()),
            ),
            (
                limits::PROXIES,
                "proxies",
                some(|it| it.spare.0 > 0 || !it.proxies.is_empty()),
            ),
            (limits::TIMERS, "timers", some(|it| it.spare.1 > 0)),
            (
                limits::RUN_TIME_THREADS,
                "spare threads",
                some(starts_threads),
            ),
            (
                limits::SLICES,
                "turns",
                some(|it| has(it, Policy::RoundRobin) || has(it, Policy::Adaptive)),
            ),
            (
                limits::ADAPTIVE,
                "dropping levels",
                some(|it| has(it, Policy::Adaptive)),
            ),
            (
                limits::INTERRUPTS,
                "interrupts",
                some(|it| !it.interrupts.is_empty()),
            ),
            (
                limits::INTERRUPT_RATES,
                "limits of interrupts",
                !self.gaps.is_empty(),
            ),
            (
                limits::CONTROLS,
                "controls",
                some(|it| !it.controls.is_empty()),
            ),
            (limits::PROGRAMS, "programs", self.programs.is_some()),
            (
                limits::DELAYS,
                "delays",
                some(|it| it.restart.delay != 0 || it.restart.window != u64::MAX),
            ),
            (limits::RESETS, "resets", some(|it| it.restart.resets)),
            (limits::GROUPS, "groups", some(|it| !it.restarts.is_empty())),
            (
                limits::HOLDS,
                "holding",
                some(|it| it.on_fault == OnEnd::Hold),
            ),
            (
                limits::INSPECTION,
                "inspection",
                some(|it| it.grants.inspect),
            ),
            (
                limits::FIXED_PRIORITIES,
                "fixed priorities",
                channels.any(|it| it.is_fixed()),
            ),
            (
                limits::TRANSFERS,
                "handing on",
                given(|_, rights| rights.transfer),
            ),
            (limits::OWN_BADGES, "own badges", given(is_own_badge)),
        ];
        let lacking = needs.into_iter().filter(|(has, _, asks)| *asks && !has);
        lacking.map(|(_, name, _)| name).collect()
    }
}

fn takes_or_sends_signals(process: &ProcessPlan) -> bool {
    process.queue > 0 || !process.signals.is_empty()
}

fn lends(process: &ProcessPlan) -> bool {
    let has_places = process.windows.0 > 0 || process.mappings > 0;
    has_places || process.gaps.is_some() || !process.quotas.is_empty()
}

fn starts_threads(process: &ProcessPlan) -> bool {
    process.spares > 0 || process.priority_limit.is_some()
}

fn has(process: &ProcessPlan, policy: Policy) -> bool {
    let mut threads = process.threads.iter();
    threads.any(|(_, of_thread)| *of_thread == policy)
}

fn is_own_badge(goal: &Goal, rights: Rights) -> bool {
    let has_badge = |badge: u32| riposte_abi::is_process_badge(badge);
    rights.transfer && matches!(goal, Goal::Channel(_, badge) if has_badge(*badge))
}
