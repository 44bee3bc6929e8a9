//! What RISC-V with Sv32 needs: page tables, what each process sees, and the contexts of the threads.

use std::fmt::Write;

use super::riscv::restartable;
use super::{Port, threads};
use crate::board::Board;
use crate::plan::{Mapped, Plan, PlanProcess, PlanThread, Region, space};

pub fn port(plan: &Plan, board: &Board) -> Port {
    // The idle process, which comes last, runs untranslated.
    let (_, processes) = plan
        .processes
        .split_last()
        .unwrap_or_else(|| unreachable!());
    let count = processes.len();
    let spaces: Vec<_> = (0..)
        .zip(processes)
        .map(|(index, process)| address_space(index, process, board.protection.guard))
        .collect();
    let contexts: Vec<_> = threads(plan)
        .map(|(process, index, thread)| context(plan, process, index, thread))
        .collect();
    let places: Vec<_> = processes
        .iter()
        .enumerate()
        .map(|(index, process)| places(index, process))
        .collect();
    let mut items = places.concat();
    let _ = write!(
        items,
        "static TABLES: [Global<sv32::Tables>; {count}] = [const {{ Global(sv32::Tables::new()) }}; {count}];\n\
         static SPACES: [sv32::Space; {count}] = [\n{}];\n",
        spaces.concat()
    );
    let _ = writeln!(
        items,
        "static CONTEXTS: Global<[Context; {}]> = Global([\n{}]);",
        contexts.len(),
        contexts.concat()
    );
    Port {
        imports: "use riposte_riscv::{Context, Global, sv32, trap::Block};",
        items,
        protection: "CONTEXTS.0",
    }
}

fn address_space(index: usize, process: &PlanProcess, guard: u32) -> String {
    let mut text = format!("sv32::Space::new(&TABLES[{index}], {}, &[\n", index + 1);
    for (memory, rights) in pages(process, guard) {
        let _ = writeln!(
            text,
            "    sv32::Mapping {{ seen: {:#x}, machine: {:#x}, size: {:#x}, rights: sv32::Rights::{rights} }},",
            memory.seen.base, memory.machine, memory.seen.size
        );
    }
    let _ = writeln!(
        text,
        "], sv32::Windows {{ base: {:#x}, size: {:#x}, count: {} }}, &HIDDEN_{index}),",
        space::windows(process.flash.seen.base),
        process.lending.place_size,
        process.lending.places(),
    );
    text
}

/// Where the kernel keeps what gaps hide.
fn places(index: usize, process: &PlanProcess) -> String {
    let count = process.lending.gaps as usize;
    let place = "Global(sv32::Place::new(sv32::Mapping::NONE))";
    format!(
        "static HIDDEN_{index}: [Global<sv32::Place>; {count}] = [{}];\n",
        vec![place; count].join(", ")
    )
}

/// What a process sees, and what it may do with it. Nobody sees the guards.
fn pages(process: &PlanProcess, guard: u32) -> Vec<(Mapped, &'static str)> {
    let mut pages = vec![(whole(process.flash), "ReadExecute")];
    let ram = process.ram.seen;
    let mut from = ram.base;
    let mut part = |from: u32, to: u32| {
        let seen = Region {
            base: from,
            size: to - from,
        };
        pages.push((whole(process.in_ram(seen)), "ReadWrite"));
    };
    for thread in process.threads.iter().skip(1) {
        part(from, thread.stack.base);
        from = thread.stack.base + guard;
    }
    part(from, ram.base + ram.size);
    pages.extend(
        process
            .peripherals
            .iter()
            .map(|device| (whole(*device), "ReadWrite")),
    );
    pages.extend(process.regions.iter().map(|mapping| {
        let rights = if mapping.writable {
            "ReadWrite"
        } else {
            "Read"
        };
        (mapping.memory, rights)
    }));
    pages
}

/// Rounded up to whole pages.
fn whole(memory: Mapped) -> Mapped {
    let Region { base, size } = memory.seen;
    Mapped {
        seen: Region {
            base,
            size: size.next_multiple_of(space::PAGE),
        },
        ..memory
    }
}

fn context(plan: &Plan, process: &PlanProcess, index: usize, thread: &PlanThread) -> String {
    let position = plan
        .processes
        .iter()
        .position(|other| std::ptr::eq(other, process))
        .unwrap_or_default();
    if position + 1 == plan.processes.len() {
        return "Context::new(sv32::Image::untranslated(), [0; 2], 0),\n".into();
    }
    let guard = if index > 0 { thread.stack.base } else { 0 };
    let restartable = restartable(process);
    let storage = thread.storage;
    format!(
        "Context::new(sv32::Image::new(&SPACES[{position}], {guard:#x}), {restartable}, {storage:#x}),\n"
    )
}
