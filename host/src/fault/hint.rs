//! What to do about a fault.

use riposte_abi::fault::reason;

use super::memory::{Owner, Part};
use super::{Record, Scene, registers};
use crate::plan::PlanProcess;
use crate::stacks;

/// Addresses this low are a null pointer with an offset.
const NULL_PAGE: u32 = 0x400;

/// One sentence: the likely cause, and the next step. None of a panic, whose message has said it.
pub(super) fn hint(
    record: &Record,
    process: &PlanProcess,
    owner: Option<&Owner>,
    scene: &Scene<'_>,
) -> Option<String> {
    Some(match record.reason {
        reason::MEMORY | reason::BUS => match (record.address, owner) {
            (Some(address), Some(owner)) => of_access(record, process, address, owner, scene),
            _ => "the processor did not tell the address: look at the registers".into(),
        },
        reason::STACK_OVERFLOW => raise_stack(process, record.thread, scene),
        reason::EXECUTE => "a bad function pointer, or a return address that was overwritten: \
            see who wrote above the stack pointer"
            .into(),
        reason::ILLEGAL if process.fpu => {
            "the code was entered at a wrong place, or built for another processor".into()
        }
        reason::ILLEGAL => format!(
            "the code was entered at a wrong place, or built for another processor; if it uses \
             floating point in hardware, write fpu = true at [[process]] `{}` in app.toml",
            process.name
        ),
        reason::ARITHMETIC => "check the divisor and the alignment of the pointer".into(),
        reason::PANIC => return None,
        reason::BREAKPOINT => "remove the breakpoint".into(),
        reason::SIGNAL_FRAME => {
            "a handler ends by returning: see who wrote to its frame, or has left it otherwise"
                .into()
        }
        _ => "the host tool does not know this reason: is it older than the kernel?".into(),
    })
}

fn of_access(
    record: &Record,
    process: &PlanProcess,
    address: u32,
    owner: &Owner,
    scene: &Scene<'_>,
) -> String {
    let [stack_pointer, ..] = registers::family(scene.board.arch).pointers();
    let stack_pointer = record.register(stack_pointer);
    if below_stack(process, address) || below_stack(process, stack_pointer) {
        return raise_stack(process, record.thread, scene);
    }
    let is_self = |index: usize| scene.image.plan.processes[index].name == process.name;
    match owner {
        _ if address < NULL_PAGE => "a null pointer".into(),
        Owner::Process(index, Part::Guard(thread)) if is_self(*index) => {
            raise_stack(process, *thread, scene)
        }
        Owner::Process(index, Part::Flash) if is_self(*index) => {
            "code and constants cannot be written: make it a `static` with interior mutability"
                .into()
        }
        Owner::Process(index, Part::Pages) if is_self(*index) => {
            "it is lent, or was moved: wait for the answer, or reclaim it first".into()
        }
        Owner::Process(index, _) if is_self(*index) => {
            "its own memory, but not for this: data cannot be executed".into()
        }
        Owner::Process(index, part) if process.lending.windows > 0 && *part != Part::Flash => {
            format!(
                "lent memory is there until the answer, to be written only if it is lent mutably; other \
             memory is never shared: send `{}` a message, or look for a wild pointer",
                scene.image.plan.processes[*index].name
            )
        }
        Owner::Process(index, _) => format!(
            "memory is never shared: send `{}` a message instead, or look for a wild pointer",
            scene.image.plan.processes[*index].name
        ),
        Owner::Kernel(_) => {
            "nothing of the kernel's can be touched: look for a wild pointer".into()
        }
        Owner::Peripheral(name, users) if users.is_empty() => format!(
            "write peripherals = [\"{name}\"] at [[process]] `{}` in app.toml",
            process.name
        ),
        Owner::Peripheral(_, users) => format!(
            "ask `{}` for it, by a message",
            scene.image.plan.processes[users[0]].name
        ),
        Owner::Region(index) => of_region(process, *index, scene),
        Owner::Free(_) | Owner::Nothing => {
            "look for a wild pointer or an index out of range".into()
        }
        Owner::System => "only the kernel touches the processor's registers: use its calls".into(),
    }
}

fn of_region(process: &PlanProcess, index: usize, scene: &Scene<'_>) -> String {
    let name = &scene.image.plan.regions[index].name;
    let mut mappings = process.regions.iter();
    match mappings.find(|mapping| mapping.region == index) {
        Some(mapping) if mapping.writable => "it cannot be executed".into(),
        Some(_) => format!(
            "it may only be read: give `{}` access = \"read-write\" at [[region]] `{name}` in \
             app.toml, or ask one of its writers",
            process.name
        ),
        None => format!(
            "add `{}` to the `processes` of [[region]] `{name}` in app.toml, or look for a wild \
             pointer",
            process.name
        ),
    }
}

/// The lowest stack ends where the region does, so that an overflow lands just below it.
fn below_stack(process: &PlanProcess, address: u32) -> bool {
    let bottom = process.ram.seen.base;
    (bottom.saturating_sub(256)..bottom).contains(&address)
}

fn raise_stack(process: &PlanProcess, index: usize, scene: &Scene<'_>) -> String {
    let usable = stacks::usable(process, index, scene.guard());
    let (Some(thread), Some(usable)) = (process.threads.get(index), usable) else {
        return "raise the thread's `stack` in app.toml".into();
    };
    format!(
        "raise `stack` of thread `{}` of `{}` in app.toml (now {} bytes), or look for recursion",
        thread.name, process.name, usable.size
    )
}
