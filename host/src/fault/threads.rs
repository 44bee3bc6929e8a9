//! Where the kernel keeps what each thread goes on with, by its debug information.

use crate::board::Architecture;
use crate::build::elf::Linked;
use crate::layout::Layouts;
use crate::machine::{Counter, Threads};
use crate::plan::Region;

/// The structure of the kernel, and those of its members that say where a thread goes on.
const STRUCTURE: &str = "Thread";
const FRAME: &str = "frame";
const RESUME: &str = "resume";
/// The function with which each board ends a run.
const EXIT: &str = "riposte_exit";
/// Where a Cortex-M keeps the program counter in the frame that it pushes.
const COUNTER_IN_FRAME: u32 = 24;

/// Where the threads that have these stacks lie in the memory of a kernel, if it says.
pub(super) fn threads(
    kernel: &Linked,
    architecture: Architecture,
    stacks: Vec<Region>,
) -> Option<Threads> {
    let count = stacks.len();
    let (base, all) = kernel.static_at("THREADS")?;
    // The last one is the kernel's own.
    let size = all / u32::try_from(count + 1).ok()?;
    let layouts = Layouts::read(&kernel.file);
    let offset = |member| layouts.offset(STRUCTURE, &[member]);
    let (frame, resume) = (offset(FRAME)?, offset(RESUME)?);
    let counter = match architecture {
        Architecture::Armv7m => Counter::Behind(frame, COUNTER_IN_FRAME),
        Architecture::Riscv => Counter::At(resume),
    };
    let bases = (0..count as u32).map(|index| base + index * size);
    Some(Threads {
        bases: bases.collect(),
        counter,
        stacks,
        // The lowest bit tells the instruction set.
        exit: kernel.symbol(EXIT).map(|address| address & !1),
    })
}
