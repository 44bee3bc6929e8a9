//! What RISC-V with PMP needs: the contexts of the threads, with their PMP addresses.

use super::{Port, configures, threads};
use crate::board::Board;
use crate::plan::{Plan, PlanProcess, PlanThread, Region};

/// PMP entries that every switch of this plan writes: those of the process that needs most. They
/// are a guard, unless those are fixed, gaps, code, data, devices, regions and windows.
pub fn regions(plan: &Plan, board: &Board) -> usize {
    usize::from(fixed_guards(plan, board).is_none()) + without_guard(plan)
}

fn without_guard(plan: &Plan) -> usize {
    let needed = |process: &PlanProcess| {
        let lending = &process.lending;
        2 + process.peripherals.len()
            + process.regions.len()
            + (lending.places() + lending.gaps) as usize
    };
    plan.processes.iter().map(needed).max().unwrap_or(2)
}

/// The bases of the guards below all stacks, if there are as many entries beside those that a switch
/// writes; then no switch has to write one. Where it writes what may be done, it writes one.
pub fn fixed_guards(plan: &Plan, board: &Board) -> Option<Vec<u32>> {
    let guarded = threads(plan).filter(|(_, index, _)| *index > 0);
    let bases: Vec<_> = guarded.map(|(_, _, thread)| thread.stack.base).collect();
    let fits = bases.len() + without_guard(plan) <= board.protection.regions;
    (fits && !configures(plan, board)).then_some(bases)
}

pub fn port(plan: &Plan, board: &Board) -> Port {
    let contexts: Vec<_> = threads(plan)
        .map(|(process, index, thread)| context(plan, board, process, index, thread))
        .collect();
    Port {
        imports: "use riposte_riscv::{Context, Global, pmp, trap::Block};",
        items: format!(
            "static CONTEXTS: Global<[Context; {}]> = Global([\n{}]);\n",
            contexts.len(),
            contexts.concat()
        ),
        protection: "CONTEXTS.0",
    }
}

/// If no switch writes what may be done, an entry means the same in every image, and what is not used
/// points to where it changes nothing: a guard (unless all are fixed) to the kernel's memory, a device or a region
/// to the process's own data. Else what is not used is off: gaps, which follow the guard, as of the entries that hold
/// an address the first one counts; and the last ones, which windows are.
fn context(
    plan: &Plan,
    board: &Board,
    process: &PlanProcess,
    index: usize,
    thread: &PlanThread,
) -> String {
    let stack = if index > 0 {
        thread.stack
    } else {
        board.kernel.ram
    };
    let guard = Region {
        base: stack.base,
        size: board.protection.guard,
    };
    let mut used = vec![];
    if fixed_guards(plan, board).is_none() {
        used.push(entry("guard", guard));
    }
    used.extend((0..process.lending.gaps).map(|_| OFF.into()));
    used.extend([
        entry("code", process.flash.lies()),
        entry("data", process.ram.lies()),
    ]);
    let devices = process.peripherals.iter();
    used.extend(devices.map(|device| entry("data", device.lies())));
    used.extend(process.regions.iter().map(|mapping| {
        let purpose = if mapping.writable {
            "data"
        } else {
            "read_only"
        };
        entry(purpose, mapping.memory.lies())
    }));
    let unused = if configures(plan, board) {
        OFF.into()
    } else {
        entry("data", process.ram.lies())
    };
    used.resize(regions(plan, board), unused);
    format!(
        "Context::new(pmp::Image::new([{}]), {}, {:#x}),\n",
        used.join(", "),
        restartable(process),
        thread.storage
    )
}

/// The restartable sequences of a process.
pub fn restartable(process: &PlanProcess) -> String {
    let (start, bytes) = process.restartable;
    format!("[{start:#x}, {bytes:#x}]")
}

/// An entry that holds nothing.
const OFF: &str = "pmp::OFF";

fn entry(purpose: &str, region: Region) -> String {
    format!("pmp::{purpose}({:#x}, {:#x})", region.base, region.size)
}
