//! Whose an address is.

use crate::board::{Architecture, Board};
use crate::plan::{Layout, Plan, PlanProcess, Region};

/// What lies at an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Owner {
    /// The kernel's memory.
    Kernel(Part),
    /// Memory of the process with this index.
    Process(usize, Part),
    /// A device of the board, and the processes that have it.
    Peripheral(String, Vec<usize>),
    /// Flash or RAM that nobody was given.
    Free(Part),
    /// The processor's own registers.
    System,
    /// Nothing at all.
    Nothing,
}

/// Which part of somebody's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Code and constants.
    Flash,
    /// Data, or what is left of a RAM region.
    Data,
    /// What it can lend and move.
    Pages,
    /// The stack of the thread with this index.
    Stack(usize),
    /// The guard below the stack of the thread with this index.
    Guard(usize),
}

/// First address of the processor's own registers on every Cortex-M.
const SYSTEM: u32 = 0xE000_0000;

/// Finds the owner of `address`.
#[must_use]
pub fn owner(plan: &Plan, layout: &Layout, board: &Board, address: u32) -> Owner {
    let holds = |region: Region| {
        region.contains(Region {
            base: address,
            size: 1,
        })
    };
    for (index, process) in plan.processes.iter().enumerate() {
        if holds(process.flash) {
            return Owner::Process(index, Part::Flash);
        } else if holds(process.ram) {
            let guard = board.protection.guard;
            return Owner::Process(index, part_of_ram(process, guard, holds));
        }
    }
    if holds(layout.kernel_flash) {
        return Owner::Kernel(Part::Flash);
    } else if holds(layout.kernel_ram) {
        return Owner::Kernel(Part::Data);
    }
    for (name, peripheral) in &board.peripherals {
        if holds(peripheral.region) {
            return Owner::Peripheral(name.clone(), users(plan, peripheral.region));
        }
    }
    match () {
        () if holds(board.flash) => Owner::Free(Part::Flash),
        () if holds(board.ram) => Owner::Free(Part::Data),
        () if board.arch == Architecture::Armv7m && address >= SYSTEM => Owner::System,
        () => Owner::Nothing,
    }
}

fn part_of_ram(process: &PlanProcess, guard: u32, holds: impl Fn(Region) -> bool) -> Part {
    for (thread, stack) in process
        .threads
        .iter()
        .map(|thread| thread.stack)
        .enumerate()
    {
        if thread > 0
            && holds(Region {
                base: stack.base,
                size: guard,
            })
        {
            return Part::Guard(thread);
        } else if holds(stack) {
            return Part::Stack(thread);
        }
    }
    if holds(process.lending.pages) {
        Part::Pages
    } else {
        Part::Data
    }
}

fn users(plan: &Plan, region: Region) -> Vec<usize> {
    let has = |process: &PlanProcess| process.peripherals.contains(&region);
    (0..plan.processes.len())
        .filter(|index| has(&plan.processes[*index]))
        .collect()
}

/// The owner in words.
#[must_use]
pub fn describe(owner: &Owner, plan: &Plan) -> String {
    let process = |index: usize| &plan.processes[index];
    match owner {
        Owner::Kernel(part) => format!("the kernel's {}", describe_part(*part, &[])),
        Owner::Process(index, part) => {
            let threads: Vec<&str> = process(*index)
                .threads
                .iter()
                .map(|thread| thread.name.as_str())
                .collect();
            format!(
                "{} of process `{}`",
                describe_part(*part, &threads),
                process(*index).name
            )
        }
        Owner::Peripheral(name, users) if users.is_empty() => {
            format!("device `{name}`, which no process has")
        }
        Owner::Peripheral(name, users) => {
            let users: Vec<String> = users
                .iter()
                .map(|index| format!("`{}`", process(*index).name))
                .collect();
            format!("device `{name}`, which {} has", users.join(" and "))
        }
        Owner::Free(Part::Flash) => "flash that nobody was given".into(),
        Owner::Free(_) => "RAM that nobody was given".into(),
        Owner::System => "the processor's own registers".into(),
        Owner::Nothing => "nothing: no memory and no device".into(),
    }
}

fn describe_part(part: Part, threads: &[&str]) -> String {
    let thread = |index: usize| threads.get(index).copied().unwrap_or("?");
    match part {
        Part::Flash => "code or constants".into(),
        Part::Data => "data".into(),
        Part::Pages => "the pages (lent or moved at times)".into(),
        Part::Stack(index) => format!("the stack of thread `{}`", thread(index)),
        Part::Guard(index) => format!("the guard below the stack of thread `{}`", thread(index)),
    }
}
