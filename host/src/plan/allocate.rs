//! Places processes in flash and RAM.

use super::Region;
use crate::board::Board;
use crate::manifest::Application;

/// What a linked program needs, as measured before it has its addresses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProgramSizes {
    /// Bytes of code, constants, the load image of `.data`, and the process-info table.
    pub flash: u32,
    /// Bytes of `.data` and `.bss`, without stacks.
    pub data: u32,
}

/// Where everything lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The kernel's code and constants; the vector table is at its base.
    pub kernel_flash: Region,
    /// The kernel's data and stack.
    pub kernel_ram: Region,
    /// Processes, in manifest order.
    pub processes: Vec<Placement>,
}

/// Where a process lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    /// Code and constants.
    pub flash: Region,
    /// Stacks, from the base up, then data.
    pub ram: Region,
    /// Stacks in the order of the threads; all but the first begin with a guard.
    pub stacks: Vec<Region>,
    /// What the stacks leave of `ram`: `.data` begins at its base, 32-aligned.
    pub data: Region,
}

/// Places `application` on `board`: `sizes` are those of its processes, in manifest order.
///
/// # Errors
/// A region that does not fit, with the place in the manifest that asks for it.
pub fn allocate(
    _application: &Application,
    _board: &Board,
    _sizes: &[ProgramSizes],
) -> miette::Result<Layout> {
    todo!()
}
