//! Where the kernel keeps what each thread goes on with, and its processes, by its debug information.

use crate::board::Architecture;
use crate::build::elf::Linked;
use crate::layout::Layouts;
use crate::machine::{Counter, Tables};
use crate::plan::Region;

/// The structure of the kernel, and those of its members that say where a thread goes on.
const STRUCTURE: &str = "Thread";
const FRAME: &str = "frame";
const RESUME: &str = "resume";
/// The function with which each board ends a run.
const EXIT: &str = "riposte_exit";
/// Where a Cortex-M keeps the program counter in the frame that it pushes.
const COUNTER_IN_FRAME: u32 = 24;

/// Where the threads that have these stacks, and so many processes, lie in the memory of a kernel, if it says.
pub(super) fn tables(
    kernel: &Linked,
    architecture: Architecture,
    stacks: Vec<Region>,
    processes: usize,
) -> Option<Tables> {
    let threads = elements(kernel, "THREADS", stacks.len())?;
    let layouts = Layouts::read(&kernel.file);
    let offset = |member| layouts.offset(STRUCTURE, &[member]);
    let (frame, resume) = (offset(FRAME)?, offset(RESUME)?);
    let counter = match architecture {
        Architecture::Armv7m => Counter::Behind(frame, COUNTER_IN_FRAME),
        Architecture::Riscv => Counter::At(resume),
    };
    Some(Tables {
        bases: threads.iter().map(|it| it.base).collect(),
        counter,
        stacks,
        processes: elements(kernel, "PROCESSES", processes)?,
        // The lowest bit tells the instruction set.
        exit: kernel.symbol(EXIT).map(|address| address & !1),
    })
}

/// Where the first `count` elements of an array of the kernel's lie, behind which it has one of its own.
fn elements(kernel: &Linked, name: &str, count: usize) -> Option<Vec<Region>> {
    let (base, all) = kernel.static_at(name)?;
    let size = all / u32::try_from(count + 1).ok()?;
    let element = |index| Region {
        base: base + index * size,
        size,
    };
    Some((0..count as u32).map(element).collect())
}
