//! Whether and when processes are restarted. Restarts that follow restarts must end.

use super::Process;
use super::check::{Check, Names};
use super::written::{OnExit, OnFault, OnLimit, ProcessTable};
use crate::plan::Restart;
use crate::source::At;

const SHORTEST: u64 = 1_000;
const HOUR: u64 = 3_600_000_000_000;

/// What a process's table says of its restarts, and of those that it may bring about.
pub fn restart(check: &mut Check, processes: &Names, table: &ProcessTable) -> Restart {
    let is_restarted = table.on_fault == OnFault::Restart
        || table.on_exit == OnExit::Restart
        || !table.restart_with.is_empty();
    if !is_restarted {
        without_effect(check, table);
    }
    let limit = table.restart_limit.as_ref();
    let limit = limit.map(|limit| check.in_range(limit, "restart limit", 1..=u32::MAX));
    let resets = table.on_limit.as_ref();
    let resets = resets.filter(|on_limit| on_limit.value == OnLimit::Reset);
    if let (Some(on_limit), None) = (resets, limit) {
        let message = format!("`{}` has no limit to reach", table.name.value);
        let help = "add restart_limit = 5, say, or leave `on_limit` out";
        check.refuse(on_limit.span, message, help);
    }
    let delay = table.restart_delay.as_ref();
    let delay =
        delay.and_then(|delay| check.time(delay, "a delay", SHORTEST..=HOUR, "from 1us to 3600s"));
    let window = table.restart_window.as_ref();
    let window = window.and_then(|window| {
        check.time(
            window,
            "a window",
            SHORTEST..=1000 * HOUR,
            "from 1us to 3600000s",
        )
    });
    Restart {
        limit,
        resets: resets.is_some(),
        delay_ns: delay.unwrap_or(0),
        window_ns: window,
        with: restart_with(check, processes, table),
        controls: controls(check, processes, table),
    }
}

/// Warns of what is said of restarts of a process that is never restarted by the kernel.
fn without_effect(check: &mut Check, table: &ProcessTable) {
    let keys = [
        (
            "restart_limit",
            table.restart_limit.as_ref().map(|key| key.span),
        ),
        (
            "restart_delay",
            table.restart_delay.as_ref().map(|key| key.span),
        ),
        (
            "restart_window",
            table.restart_window.as_ref().map(|key| key.span),
        ),
        ("on_limit", table.on_limit.as_ref().map(|key| key.span)),
    ];
    for (key, span) in keys {
        let Some(span) = span else { continue };
        let name = &table.name.value;
        let message = format!("`{name}` is never restarted: `{key}` has no effect");
        let help = format!("add on_fault = \"restart\", or leave `{key}` out");
        check.warn(span, message, help);
    }
}

fn restart_with(check: &mut Check, processes: &Names, table: &ProcessTable) -> Vec<usize> {
    let message = format!("`{}` cannot restart with it", table.name.value);
    let written = table.restart_with.iter();
    written
        .filter_map(|name| processes.find(check, name, &message))
        .collect()
}

fn controls(check: &mut Check, processes: &Names, table: &ProcessTable) -> Vec<usize> {
    let own = &table.name.value;
    let message = format!("`{own}` cannot control it");
    let mut found = vec![];
    for name in &table.controls {
        if name.value == *own {
            let message = format!("`{own}` controls itself");
            let help = "leave it out: a process ends itself by a call of its own, and on_exit says what follows";
            check.refuse(name.span, message, help);
        } else if let Some(index) = processes.find(check, name, &message) {
            if found.contains(&index) {
                let message = format!("`{}` stands here twice", name.value);
                check.refuse(name.span, message, "leave one of the two out");
            }
            found.push(index);
        }
    }
    found
}

/// Refuses a cycle of `restart_with`, once, at the name that closes it.
pub fn cycles(check: &mut Check, tables: &[At<ProcessTable>], processes: &[Process]) {
    let mut search = Search {
        processes,
        done: vec![false; processes.len()],
        path: Vec::new(),
    };
    let Some(cycle) = (0..processes.len()).find_map(|start| search.cycle_from(start)) else {
        return;
    };
    let name = |index: &usize| processes[*index].name.value.as_str();
    let path: Vec<&str> = cycle.iter().chain(cycle.first()).map(name).collect();
    let first = name(&cycle[0]);
    let last = &tables[cycle[cycle.len() - 1]].value;
    let closing = last
        .restart_with
        .iter()
        .find(|written| written.value == first);
    let message = format!("restarts go round in a circle: {}", path.join(" → "));
    let help = format!(
        "take `{first}` out of the restart_with of `{}`, or break the circle elsewhere",
        last.name.value
    );
    check.refuse(
        closing.map_or(last.name.span, |written| written.span),
        message,
        help,
    );
}

/// Depth first; what is done leads to no cycle.
struct Search<'a> {
    processes: &'a [Process],
    done: Vec<bool>,
    path: Vec<usize>,
}

impl Search<'_> {
    fn cycle_from(&mut self, process: usize) -> Option<Vec<usize>> {
        if let Some(start) = self.path.iter().position(|on_path| *on_path == process) {
            return Some(self.path[start..].to_vec());
        }
        if self.done[process] {
            return None;
        }
        self.path.push(process);
        let processes = self.processes;
        let cycle = processes[process]
            .restart
            .with
            .iter()
            .find_map(|next| self.cycle_from(*next));
        self.path.pop();
        self.done[process] = true;
        cycle
    }
}
