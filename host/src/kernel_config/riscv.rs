//! What RISC-V with PMP needs: the contexts of the threads, with their PMP addresses.

use std::fmt::Write;

use super::{Port, threads};
use crate::board::Board;
use crate::plan::{Plan, PlanProcess, PlanThread, Region};

/// PMP entries that every switch of this plan writes: guard, code, data, and the most devices that
/// a process has.
pub fn regions(plan: &Plan) -> usize {
    let devices = plan
        .processes
        .iter()
        .map(|process| process.peripherals.len());
    3 + devices.max().unwrap_or_default()
}

pub fn port(plan: &Plan, board: &Board) -> Port {
    let regions = regions(plan);
    let contexts: Vec<_> = threads(plan)
        .map(|(process, index, thread)| context(regions, board, process, index, thread))
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

/// What is not used points to where it changes nothing: a guard to the kernel's memory, a device to
/// the process's own data.
fn context(
    regions: usize,
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
    let mut used = vec![guard, process.flash.lies(), process.ram.lies()];
    used.extend(process.peripherals.iter().map(|device| device.lies()));
    used.resize(regions, process.ram.lies());
    let mut text = String::from("Context::new(pmp::Image([");
    for region in used {
        let _ = write!(
            text,
            "pmp::region({:#x}, {:#x}), ",
            region.base, region.size
        );
    }
    text + "])),\n"
}
