//! RISC-V (RV32).

use core::arch::asm;

use riposte::abi::fault::reason::{BREAKPOINT, EXIT, ILLEGAL, MEMORY};

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
