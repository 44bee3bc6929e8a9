//! The interrupt controller.

use crate::registers::{NVIC_ICER, NVIC_IPR, NVIC_STIR, Register};

/// Priority of the kernel's exceptions; faults have 0, the highest.
pub(crate) const KERNEL_PRIORITY: u32 = 0x40;

/// Sets the bit of interrupt `line` in the row of registers that begins at `first`: what a 0 does to
/// the others is nothing.
#[inline(always)]
pub(crate) fn set(first: usize, line: u32) {
    // SAFETY: interrupt registers of ARMv7-M, used by the port alone.
    let register = unsafe { Register::at(first + (line as usize >> 5) * 4) };
    register.write(1 << (line & 31));
}

/// Masks the 32 lines of a row.
pub(crate) fn mask_row(row: u32) {
    // SAFETY: as in `set`.
    let register = unsafe { Register::at(NVIC_ICER + row as usize * 4) };
    register.write(u32::MAX);
}

/// Makes interrupt `line` pending.
#[inline(always)]
pub(crate) fn trigger(line: u32) {
    // SAFETY: as in `set`.
    let register = unsafe { Register::at(NVIC_STIR) };
    register.write(line);
}

/// Gives an interrupt the kernel's priority: the kernel is never preempted.
pub(crate) fn prioritise(line: u32) {
    // SAFETY: as in `set`.
    let register = unsafe { Register::at(NVIC_IPR + (line as usize & !3)) };
    let shift = line % 4 * 8;
    register.change(KERNEL_PRIORITY << shift, 0xFF << shift);
}
