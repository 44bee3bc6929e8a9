//! Whose an address is.

use crate::board::{Architecture, Board};
use crate::plan::{Layout, Mapped, Plan, PlanProcess, Region};

/// What lies at an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Owner {
    /// The kernel's memory.
    Kernel(Part),
    /// Memory of the process with this index.
    Process(usize, Part),
    /// A device of the board, and the processes that have it.
    Peripheral(String, Vec<usize>),
    /// The region with this index, which some processes have in common.
    Region(usize),
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

/// Finds the owner of `address`, as the process `viewer` or, without one, the kernel knows it. An
/// address that a process cannot see is taken for the kernel's.
#[must_use]
pub fn owner(
    plan: &Plan,
    layout: &Layout,
    board: &Board,
    viewer: Option<usize>,
    address: u32,
) -> Owner {
    if board.protection.translates()
        && let Some(owner) = viewer.and_then(|viewer| seen(plan, board, viewer, address))
    {
        return owner;
    }
    for (index, process) in plan.processes.iter().enumerate() {
        if holds(process.flash.lies(), address) {
            return Owner::Process(index, Part::Flash);
        } else if holds(process.ram.lies(), address) {
            let Mapped { seen, machine } = process.ram;
            let address = address - machine + seen.base;
            let guard = board.protection.guard;
            return Owner::Process(index, part_of_ram(process, guard, address));
        }
    }
    if holds(layout.kernel_flash, address) || holds(layout.kernel_text, address) {
        return Owner::Kernel(Part::Flash);
    } else if holds(layout.kernel_ram, address) {
        return Owner::Kernel(Part::Data);
    }
    let mut regions = plan.regions.iter();
    if let Some(index) = regions.position(|region| holds(region.memory.lies(), address)) {
        return Owner::Region(index);
    }
    for (name, peripheral) in &board.peripherals {
        if holds(peripheral.region, address) {
            return Owner::Peripheral(name.clone(), users(plan, peripheral.region));
        }
    }
    match () {
        () if holds(board.flash, address) => Owner::Free(Part::Flash),
        () if holds(board.ram, address) => Owner::Free(Part::Data),
        () if board.arch == Architecture::Armv7m && address >= SYSTEM => Owner::System,
        () => Owner::Nothing,
    }
}

/// The owner of what process `viewer` sees at `address`, if it sees something there.
fn seen(plan: &Plan, board: &Board, viewer: usize, address: u32) -> Option<Owner> {
    let process = plan.processes.get(viewer)?;
    if holds(process.flash.seen, address) {
        return Some(Owner::Process(viewer, Part::Flash));
    } else if holds(process.ram.seen, address) {
        let guard = board.protection.guard;
        return Some(Owner::Process(viewer, part_of_ram(process, guard, address)));
    }
    // All processes that may use it see it at the same place.
    let mut regions = plan.regions.iter();
    if let Some(index) = regions.position(|region| holds(region.memory.seen, address)) {
        return Some(Owner::Region(index));
    }
    let mut devices = process.peripherals.iter();
    let device = devices.find(|device| holds(device.seen, address))?.lies();
    let mut named = board.peripherals.iter();
    let (name, _) = named.find(|(_, peripheral)| peripheral.region == device)?;
    Some(Owner::Peripheral(name.clone(), users(plan, device)))
}

fn holds(region: Region, address: u32) -> bool {
    region.contains(Region {
        base: address,
        size: 1,
    })
}

/// `address` is the process's own.
fn part_of_ram(process: &PlanProcess, guard: u32, address: u32) -> Part {
    let holds = |region| holds(region, address);
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
    let has = |process: &PlanProcess| {
        process
            .peripherals
            .iter()
            .any(|device| device.lies() == region)
    };
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
        Owner::Region(index) => format!("region `{}`", plan.regions[*index].name),
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
