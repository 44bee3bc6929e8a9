//! What ARMv7-M needs: MPU images, and places for floating-point registers.

use std::fmt::Write;

use super::{Port, changes, threads};
use crate::board::Board;
use crate::plan::{Mapped, Plan, PlanProcess, PlanThread, Region};

/// MPU regions that every switch of this plan writes: 4, or 8 if a thread needs more.
pub fn regions(plan: &Plan) -> usize {
    let needed = |process: &PlanProcess| {
        let lending = &process.lending;
        let guard = usize::from(process.threads.len() > 1);
        2 + process.peripherals.len()
            + process.regions.len()
            + guard
            + (lending.places() + lending.gaps) as usize
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
    // Only images that change are in RAM.
    let changes = changes(plan);
    let form = if changes { "Changing::new" } else { "Image" };
    let form = (form, regions(plan));
    let images: Vec<_> = threads(plan)
        .map(|(process, index, thread)| image(form, board, process, index, thread))
        .collect();
    let count = images.len();
    let saved = if fpu {
        format!("pub static SAVED: [Saved; {count}] = [const {{ Saved::new() }}; {count}];")
    } else {
        "pub static SAVED: [Saved; 0] = [];".into()
    };
    let (declared, begin, end) = if changes {
        (
            format!("Global<[mpu::Changing; {count}]>"),
            "Global([\n",
            "])",
        )
    } else {
        (format!("[mpu::Image; {count}]"), "[\n", "]")
    };
    Port {
        imports: "use riposte_armv7m::{Global, Saved, mpu, trap::Block};",
        items: format!(
            "pub const FPU: bool = {fpu};\n{saved}\nstatic IMAGES: {declared} = {begin}{}{end};\n",
            images.concat()
        ),
        protection: if changes { "IMAGES.0" } else { "IMAGES" },
    }
}

/// Windows are the last regions, and hold nothing at the start, as gaps, which follow data: of the
/// regions that hold an address, the one with the highest number counts.
fn image(
    (kind, regions): (&str, usize),
    board: &Board,
    process: &PlanProcess,
    index: usize,
    thread: &PlanThread,
) -> String {
    let mut used = vec![Some((process.flash, "Code")), Some((process.ram, "Data"))];
    used.extend((0..process.lending.gaps).map(|_| None));
    let devices = process.peripherals.iter();
    used.extend(devices.map(|device| Some((*device, "Device"))));
    used.extend(process.regions.iter().map(|mapping| {
        let rights = if mapping.writable { "Data" } else { "ReadOnly" };
        Some((mapping.memory, rights))
    }));
    if index > 0 {
        let guard = Region {
            base: thread.stack.base,
            size: board.protection.guard,
        };
        used.push(Some((Mapped::plain(guard), "Guard")));
    }
    used.resize(regions, None);
    let mut text = format!("mpu::{kind}([");
    for (number, region) in used.iter().enumerate() {
        let _ = match region {
            Some((region, rights)) => write!(
                text,
                "mpu::region({number}, {:#x}, {:#x}, mpu::Rights::{rights}), ",
                region.machine, region.seen.size
            ),
            None => write!(text, "mpu::unused({number}), "),
        };
    }
    text + "]),\n"
}
