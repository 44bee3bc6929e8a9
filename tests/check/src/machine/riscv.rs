//! RISC-V (RV32).

pub mod attack;
mod attacks;
mod code;
mod privileged;

pub use attacks::ATTACKS;

use core::arch::asm;

use riposte::abi::fault::reason::{BREAKPOINT, EXIT, ILLEGAL, MEMORY};

use crate::attack::positions;

/// Registers that are no part of the message: ra, t0 to t6, s0, s1, a0 to a7, s10 and s11. Stack
/// pointer, gp and tp belong to the process.
pub const OTHERS: usize = 20;

/// Of the other registers, `a3`: it must be 0 in a call without a buffer.
const CAPACITY: usize = 13;
/// `s0` and `s1`, which a call keeps.
const KEPT: core::ops::Range<usize> = 8..10;
/// Registers in which a call may leave what the process knows of itself: its program counter and
/// the ranges of its own memory.
const OWN: usize = 5;

/// The kernel's timer, and what becomes of who writes it.
pub const SYSTEM_CONTROL: u32 = 0x0200_4000;
/// See [`SYSTEM_CONTROL`].
pub const SYSTEM_CONTROL_REASONS: &[u32] = &[MEMORY];
/// What becomes of a call with the stack pointer in memory of others: nothing uses it.
pub const FOREIGN_STACK: &[u32] = &[EXIT];
/// What becomes of who makes itself privileged: there is no such instruction for it.
pub const MADE_PRIVILEGED: &[u32] = &[ILLEGAL];
/// What becomes of a breakpoint: some processors do not know the instruction.
pub const HIT_BREAKPOINT: &[u32] = &[BREAKPOINT, ILLEGAL];
/// What becomes of who masks interrupts: there is no such instruction for it.
pub const MASKED_INTERRUPTS: &[u32] = &[ILLEGAL];

/// What to put into the other registers: values that begin with those of `pattern`.
#[must_use]
pub fn filling(pattern: u32) -> [u32; OTHERS] {
    let mut words = core::array::from_fn(|position| pattern | (position as u32 + 1));
    words[CAPACITY] = 0;
    words
}

/// Whether the other registers hold what a call may leave there: what they held, 0, or a few things
/// that the process knows of itself; nothing that looks like `secret`.
#[must_use]
pub fn is_clean(given: &[u32; OTHERS], found: &[u32; OTHERS], secret: u32) -> bool {
    let pairs = || given.iter().zip(found);
    let strange = pairs().filter(|(given, found)| **found != 0 && given != found);
    given[KEPT] == found[KEPT]
        && strange.count() <= OWN
        && found.iter().all(|word| word >> 8 != secret >> 8)
}

/// A call with these message registers and other registers; what all of them hold afterwards.
#[must_use]
pub fn exchange(message: [u32; 8], others: [u32; OTHERS]) -> ([u32; 8], [u32; OTHERS]) {
    let (mut message, mut others) = (message, others);
    // SAFETY: no memory is named; all registers are listed, or saved by hand.
    unsafe {
        asm!(
            "addi sp, sp, -32",
            "sw a0, 0(sp)",
            "sw a1, 4(sp)",
            "sw s0, 8(sp)",
            "sw s1, 12(sp)",
            "lw s2, 0(a0)", "lw s3, 4(a0)", "lw s4, 8(a0)", "lw s5, 12(a0)",
            "lw s6, 16(a0)", "lw s7, 20(a0)", "lw s8, 24(a0)", "lw s9, 28(a0)",
            "lw ra, 0(a1)", "lw t0, 4(a1)", "lw t1, 8(a1)", "lw t2, 12(a1)", "lw t3, 16(a1)",
            "lw t4, 20(a1)", "lw t5, 24(a1)", "lw t6, 28(a1)", "lw s0, 32(a1)", "lw s1, 36(a1)",
            "lw a0, 40(a1)", "lw a2, 48(a1)", "lw a3, 52(a1)", "lw a4, 56(a1)", "lw a5, 60(a1)",
            "lw a6, 64(a1)", "lw a7, 68(a1)", "lw s10, 72(a1)", "lw s11, 76(a1)",
            "lw a1, 44(a1)",
            "ecall",
            "sw a0, 16(sp)",
            "sw a1, 20(sp)",
            "lw a0, 0(sp)",
            "lw a1, 4(sp)",
            "sw s2, 0(a0)", "sw s3, 4(a0)", "sw s4, 8(a0)", "sw s5, 12(a0)",
            "sw s6, 16(a0)", "sw s7, 20(a0)", "sw s8, 24(a0)", "sw s9, 28(a0)",
            "sw ra, 0(a1)", "sw t0, 4(a1)", "sw t1, 8(a1)", "sw t2, 12(a1)", "sw t3, 16(a1)",
            "sw t4, 20(a1)", "sw t5, 24(a1)", "sw t6, 28(a1)", "sw s0, 32(a1)", "sw s1, 36(a1)",
            "sw a2, 48(a1)", "sw a3, 52(a1)", "sw a4, 56(a1)", "sw a5, 60(a1)",
            "sw a6, 64(a1)", "sw a7, 68(a1)", "sw s10, 72(a1)", "sw s11, 76(a1)",
            "lw t0, 16(sp)", "sw t0, 40(a1)",
            "lw t0, 20(sp)", "sw t0, 44(a1)",
            "lw s0, 8(sp)",
            "lw s1, 12(sp)",
            "addi sp, sp, 32",
            inlateout("a0") message.as_mut_ptr() => _,
            inlateout("a1") others.as_mut_ptr() => _,
            out("ra") _, out("t0") _, out("t1") _, out("t2") _, out("t3") _, out("t4") _,
            out("t5") _, out("t6") _, out("a2") _, out("a3") _, out("a4") _, out("a5") _,
            out("a6") _, out("a7") _, out("s2") _, out("s3") _, out("s4") _, out("s5") _,
            out("s6") _, out("s7") _, out("s8") _, out("s9") _, out("s10") _, out("s11") _,
        );
    }
    (message, others)
}

/// Registers that [`hold`] looks at: all but the stack pointer, gp and tp, and one that counts.
pub const HELD_REGISTERS: usize = 27;

/// Keeps `words` in the registers for `turns` turns of an empty loop, and the first one in gp and tp
/// too. What they hold then.
#[must_use]
pub fn hold(words: [u32; HELD_REGISTERS], turns: u32) -> [u32; HELD_REGISTERS] {
    let mut found = [0; HELD_REGISTERS];
    // SAFETY: fills `found`; all registers are listed, or saved by hand.
    unsafe {
        asm!(
            "addi sp, sp, -16",
            "sw s0, 0(sp)",
            "sw s1, 4(sp)",
            "sw a1, 8(sp)",
            "mv t0, a2",
            "lw ra, 0(a0)", "lw t1, 4(a0)", "lw t2, 8(a0)", "lw s0, 12(a0)",
            "lw s1, 16(a0)", "lw a1, 20(a0)", "lw a2, 24(a0)", "lw a3, 28(a0)",
            "lw a4, 32(a0)", "lw a5, 36(a0)", "lw a6, 40(a0)", "lw a7, 44(a0)",
            "lw s2, 48(a0)", "lw s3, 52(a0)", "lw s4, 56(a0)", "lw s5, 60(a0)",
            "lw s6, 64(a0)", "lw s7, 68(a0)", "lw s8, 72(a0)", "lw s9, 76(a0)",
            "lw s10, 80(a0)", "lw s11, 84(a0)", "lw t3, 88(a0)", "lw t4, 92(a0)",
            "lw t5, 96(a0)", "lw t6, 100(a0)", "lw a0, 104(a0)",
            "mv gp, ra",
            "mv tp, ra",
            "2:",
            "addi t0, t0, -1",
            "bnez t0, 2b",
            "li gp, 0",
            "li tp, 0",
            "lw t0, 8(sp)",
            "sw ra, 0(t0)", "sw t1, 4(t0)", "sw t2, 8(t0)", "sw s0, 12(t0)",
            "sw s1, 16(t0)", "sw a1, 20(t0)", "sw a2, 24(t0)", "sw a3, 28(t0)",
            "sw a4, 32(t0)", "sw a5, 36(t0)", "sw a6, 40(t0)", "sw a7, 44(t0)",
            "sw s2, 48(t0)", "sw s3, 52(t0)", "sw s4, 56(t0)", "sw s5, 60(t0)",
            "sw s6, 64(t0)", "sw s7, 68(t0)", "sw s8, 72(t0)", "sw s9, 76(t0)",
            "sw s10, 80(t0)", "sw s11, 84(t0)", "sw t3, 88(t0)", "sw t4, 92(t0)",
            "sw t5, 96(t0)", "sw t6, 100(t0)", "sw a0, 104(t0)",
            "lw s0, 0(sp)",
            "lw s1, 4(sp)",
            "addi sp, sp, 16",
            inlateout("a0") words.as_ptr() => _,
            inlateout("a1") found.as_mut_ptr() => _,
            inlateout("a2") turns => _,
            out("ra") _, out("t0") _, out("t1") _, out("t2") _, out("t3") _, out("t4") _,
            out("t5") _, out("t6") _, out("a3") _, out("a4") _, out("a5") _, out("a6") _,
            out("a7") _, out("s2") _, out("s3") _, out("s4") _, out("s5") _, out("s6") _,
            out("s7") _, out("s8") _, out("s9") _, out("s10") _, out("s11") _,
        );
    }
    found
}

/// Makes `time` the deadline of a call with these other registers.
pub fn set_deadline(others: &mut [u32; OTHERS], time: u64) {
    others[OTHERS - 2] = time as u32;
    others[OTHERS - 1] = (time >> 32) as u32;
}

/// Jumps to `address`.
///
/// # Safety
/// None: what stops it is what is tested.
pub unsafe fn jump(address: u32) {
    // SAFETY: see above.
    let place = unsafe { core::mem::transmute::<u32, extern "C" fn()>(address) };
    place();
}

/// Makes the empty call with the stack pointer at `address`.
///
/// # Safety
/// As [`jump`].
pub unsafe fn call_with_stack_at(address: u32) {
    // SAFETY: see above. The empty call changes no register.
    unsafe {
        asm!(
            "mv {old}, sp",
            "mv sp, {new}",
            "li s2, 0",
            "ecall",
            "mv sp, {old}",
            old = out(reg) _,
            new = in(reg) address,
            out("s2") _, out("t0") _,
        );
    }
}

/// Pushes with the stack pointer at `address`.
///
/// # Safety
/// As [`jump`].
pub unsafe fn push_at(address: u32) {
    // SAFETY: see above.
    unsafe {
        asm!(
            "mv {old}, sp",
            "mv sp, {new}",
            "addi sp, sp, -16",
            "sw ra, 12(sp)",
            "mv sp, {old}",
            old = out(reg) _,
            new = in(reg) address,
        );
    }
}

/// An illegal instruction.
///
/// # Safety
/// As [`jump`].
pub unsafe fn illegal() {
    // SAFETY: see above.
    unsafe { asm!("unimp") };
}

/// A breakpoint.
///
/// # Safety
/// As [`jump`].
pub unsafe fn breakpoint() {
    // SAFETY: see above.
    unsafe { asm!("ebreak") };
}

/// Sets the privilege that a return from a trap would go to.
///
/// # Safety
/// As [`jump`].
pub unsafe fn become_privileged() {
    // SAFETY: see above.
    unsafe { asm!("csrs mstatus, {0}", in(reg) 0b11 << 11) };
}

/// Masks all interrupts.
///
/// # Safety
/// As [`jump`].
pub unsafe fn mask_interrupts() {
    // SAFETY: see above.
    unsafe { asm!("csrci mstatus, 8") };
}
