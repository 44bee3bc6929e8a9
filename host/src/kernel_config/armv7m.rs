//! What ARMv7-M needs: MPU images, and places for floating-point registers.

use std::fmt::Write;

use super::{Port, threads};
use crate::board::Board;
use crate::plan::{Mapped, Plan, PlanProcess, PlanThread, Region};

/// MPU regions that every switch of this plan writes: 4, or 8 if a thread needs more.
pub fn regions(plan: &Plan) -> usize {
    let needed = |process: &PlanProcess| {
        2 + process.peripherals.len() + usize::from(process.threads.len() > 1)
    };
    if plan.processes.iter().any(|process| needed(process) > 4) {
        8
    } else {
        4
    }
}

pub fn port(plan: &Plan, board: &Board) -> Port {
    // If no process uses the FPU, the kernel never gives it to a thread.
    let fpu = plan.processes.iter().any(|process| process.fpu);
    let regions = regions(plan);
    let images: Vec<_> = threads(plan)
        .map(|(process, index, thread)| image(regions, board, process, index, thread))
        .collect();
    let count = images.len();
    let saved = if fpu {
        format!("pub static SAVED: [Saved; {count}] = [const {{ Saved::new() }}; {count}];")
    } else {
        "pub static SAVED: [Saved; 0] = [];".into()
    };
    Port {
        imports: "use riposte_armv7m::{Global, Saved, mpu, trap::Block};",
        items: format!(
            "pub const FPU: bool = {fpu};\n{saved}\nstatic IMAGES: [mpu::Image; {count}] = [\n{}];\n",
            images.concat()
        ),
        protection: "IMAGES",
    }
}

fn image(
    regions: usize,
    board: &Board,
    process: &PlanProcess,
    index: usize,
    thread: &PlanThread,
) -> String {
    let mut used = vec![(process.flash, "Code"), (process.ram, "Data")];
    used.extend(process.peripherals.iter().map(|device| (*device, "Device")));
    if index > 0 {
        let guard = Region {
            base: thread.stack.base,
            size: board.protection.guard,
        };
        used.push((Mapped::plain(guard), "Guard"));
    }
    let mut text = String::from("mpu::Image([");
    for (number, (region, rights)) in used.iter().enumerate() {
        let _ = write!(
            text,
            "mpu::region({number}, {:#x}, {:#x}, mpu::Rights::{rights}), ",
            region.machine, region.seen.size
        );
    }
    for number in used.len()..regions {
        let _ = write!(text, "mpu::unused({number}), ");
    }
    text + "]),\n"
}
