//! `[kernel]`: limits, and the handle slots that follow from the rest.

use super::application::{Channel, Kernel, Process, is_handed};
use super::check::Check;
use super::written::KernelTable;

/// Handle slots of a process: what the index of a handle can name.
const MOST_HANDLES: u32 = riposte_abi::call::INDEX_MASK + 1;
const FEWEST_HANDLES: u32 = 4;

/// Events that a traced kernel may keep.
pub const TRACED: std::ops::RangeInclusive<u32> = 64..=1 << 16;

/// The limits that stand on their own; `handles` is filled in by [`handles`].
pub fn kernel(check: &mut Check, table: &KernelTable) -> Kernel {
    let levels = table.priorities.as_ref().map_or(32, |priorities| {
        let range = riposte_abi::MIN_PRIORITIES as u32..=riposte_abi::MAX_PRIORITIES as u32;
        check.power_of_two(priorities, "number of priorities", range)
    });
    let depth = table
        .depth
        .as_ref()
        .map_or(8, |depth| check.in_range(depth, "depth", 1..=255));
    let trace = table.trace.as_ref().map_or(0, |trace| {
        check.power_of_two(trace, "number of traced events", TRACED)
    });
    Kernel {
        levels,
        handles: FEWEST_HANDLES,
        depth,
        slice_ns: slice(check, table),
        trace,
        floor: table.floor,
    }
}

fn slice(check: &mut Check, table: &KernelTable) -> u64 {
    const DEFAULT: u64 = 1_000_000;
    let slice = table.slice.as_ref();
    let slice = slice
        .and_then(|slice| check.time(slice, "a slice", 10_000..=1_000_000_000, "from 10us to 1s"));
    slice.unwrap_or(DEFAULT)
}

/// Handle slots of each process: what the manifest says, or the fewest that do.
pub fn handles(
    check: &mut Check,
    table: &KernelTable,
    processes: &[Process],
    channels: &[Channel],
) -> u32 {
    let most = table.handles.as_ref().map_or(MOST_HANDLES, |handles| {
        check.power_of_two(handles, "number of handles", FEWEST_HANDLES..=MOST_HANDLES)
    });
    for process in processes {
        let own = own_handles(process);
        if own > most as usize {
            let message = format!(
                "process `{}` has {own} handles ({}), more than the {most} there are",
                process.name.value,
                kinds(process),
            );
            let help = if own > MOST_HANDLES as usize {
                format!("a process can have {MOST_HANDLES} handles: split it")
            } else {
                format!(
                    "write handles = {} in [kernel], or leave it out",
                    own.next_power_of_two()
                )
            };
            let mut refusal = check.source.refuse(process.name.span, message, help);
            if let Some(handles) = &table.handles {
                refusal = refusal.also(handles.span, "the limit");
            }
            check.refusals.push(refusal);
        }
    }
    if table.handles.is_some() {
        return most;
    }
    let needed = processes.iter().map(|process| {
        let transferable = transferable_to(process, processes, channels);
        own_handles(process) + transferable + regions_of(process)
    });
    let needed = needed.max().unwrap_or(0).next_power_of_two() as u32;
    needed.clamp(FEWEST_HANDLES, MOST_HANDLES)
}

/// Regions that a process makes, or maps, at once: a handle each.
fn regions_of(process: &Process) -> usize {
    let made: u32 = process.quotas.iter().map(|quota| quota.most).sum();
    made.max(process.lending.mappings.value) as usize
}

fn own_handles(process: &Process) -> usize {
    let others = process.interrupts.len() + process.objects.handles();
    process.connections.len() + process.channels.len() + others
}

/// What the handles of a process are for.
fn kinds(process: &Process) -> String {
    let objects = &process.objects;
    let mut kinds = format!(
        "{} connections, {} channels",
        process.connections.len(),
        process.channels.len()
    );
    let proxies = objects.fixed.len() + objects.proxies as usize;
    let timers = objects.timers as usize;
    let interrupts = process.interrupts.len();
    for (count, what) in [
        (interrupts, "interrupts"),
        (proxies, "proxies"),
        (timers, "timers"),
    ] {
        if count > 0 {
            kinds += &format!(", {count} {what}");
        }
    }
    kinds
}

/// Connections and proxies that the servers of `process` may hand to it.
fn transferable_to(process: &Process, processes: &[Process], channels: &[Channel]) -> usize {
    let mut servers: Vec<usize> = process
        .connections
        .iter()
        .filter_map(|connection| Some(channels[connection.channel()?].owner))
        .collect();
    servers.sort_unstable();
    servers.dedup();
    let transferable = |server: usize| {
        let server = &processes[server];
        let connections = server.connections.iter();
        let proxies = server.objects.fixed.len() + server.objects.proxies as usize;
        let handed = connections.filter(|connection| {
            connection.transfer && is_handed(process, server, connection, processes, channels)
        });
        handed.count() + proxies
    };
    servers.into_iter().map(transferable).sum()
}
