//! ARMv7-M.

use core::arch::asm;

use riposte::abi::fault::reason::{BREAKPOINT, BUS, EXIT, MEMORY, STACK_OVERFLOW};

/// Registers that are no part of the message: r0 to r3, r12 and lr.
pub const OTHERS: usize = 6;

/// Of the other registers, the one that must be 0 in a call without a buffer.
const CAPACITY: usize = 3;

/// A register of the processor's system control, and what becomes of who writes it.
pub const SYSTEM_CONTROL: u32 = 0xE000_ED08;
/// See [`SYSTEM_CONTROL`].
pub const SYSTEM_CONTROL_REASONS: &[u32] = &[MEMORY, BUS];
/// What becomes of a call with the stack pointer in memory of others: the processor saves registers
/// there, and can't tell a stack pointer gone astray from one that has gone too far.
pub const FOREIGN_STACK: &[u32] = &[MEMORY, STACK_OVERFLOW];
/// What becomes of who makes itself privileged: that is ignored, and what needs it fails.
pub const MADE_PRIVILEGED: &[u32] = &[MEMORY];
/// What becomes of who masks interrupts: nothing.
pub const MASKED_INTERRUPTS: &[u32] = &[EXIT];
/// What becomes of a breakpoint.
pub const HIT_BREAKPOINT: &[u32] = &[BREAKPOINT];

/// What to put into the other registers: values that begin with those of `pattern`.
#[must_use]
pub fn filling(pattern: u32) -> [u32; OTHERS] {
    let mut words = core::array::from_fn(|position| pattern | (position as u32 + 1));
    words[CAPACITY] = 0;
    words
}

/// Whether the other registers hold what a call may leave there: what they held.
#[must_use]
pub fn is_clean(given: &[u32; OTHERS], found: &[u32; OTHERS], _secret: u32) -> bool {
    given == found
}

/// A call with these message registers and other registers; what all of them hold afterwards.
#[must_use]
pub fn exchange(message: [u32; 8], others: [u32; OTHERS]) -> ([u32; 8], [u32; OTHERS]) {
    let (mut message, mut others) = (message, others);
    // SAFETY: no memory is named; all registers are listed, or saved by hand.
    unsafe {
        asm!(
            "push {{r6, r7, lr}}",
            "push {{r0, r1}}",
            "mov r12, r1",
            "ldm r0, {{r4, r5, r6, r7, r8, r9, r10, r11}}",
            "ldr lr, [r12, #20]",
            "ldr r0, [r12, #0]",
            "ldr r1, [r12, #4]",
            "ldr r2, [r12, #8]",
            "ldr r3, [r12, #12]",
            "ldr r12, [r12, #16]",
            "svc 0",
            "push {{r0, r1, r2, r3, r12, lr}}",
            "ldr r0, [sp, #24]",
            "stm r0, {{r4, r5, r6, r7, r8, r9, r10, r11}}",
            "ldr r0, [sp, #28]",
            "pop {{r4, r5}}",
            "str r4, [r0]",
            "str r5, [r0, #4]",
            "pop {{r4, r5, r8, r9}}",
            "str r4, [r0, #8]",
            "str r5, [r0, #12]",
            "str r8, [r0, #16]",
            "str r9, [r0, #20]",
            "pop {{r0, r1}}",
            "pop {{r6, r7, lr}}",
            inout("r0") message.as_mut_ptr() => _,
            inout("r1") others.as_mut_ptr() => _,
            out("r2") _, out("r3") _, out("r4") _, out("r5") _, out("r8") _, out("r9") _,
            out("r10") _, out("r11") _, out("r12") _,
        );
    }
    (message, others)
}

/// Jumps to `address`.
///
/// # Safety
/// None: what stops it is what is tested.
pub unsafe fn jump(address: u32) {
    // SAFETY: see above. Bit 0 says that it is Thumb code.
    let place = unsafe { core::mem::transmute::<u32, extern "C" fn()>(address | 1) };
    place();
}

/// Makes the empty call with the stack pointer at `address`.
///
/// # Safety
/// As [`jump`].
pub unsafe fn call_with_stack_at(address: u32) {
    // SAFETY: see above.
    unsafe {
        asm!(
            "mov {old}, sp",
            "mov sp, {new}",
            "movs r4, #0",
            "svc 0",
            "mov sp, {old}",
            old = out(reg) _,
            new = in(reg) address,
            out("r4") _, out("r5") _, out("r8") _, out("r9") _, out("r10") _, out("r11") _,
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
            "mov {old}, sp",
            "mov sp, {new}",
            "push {{r0, r1}}",
            "mov sp, {old}",
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
    unsafe { asm!("udf #7") };
}

/// A breakpoint.
///
/// # Safety
/// As [`jump`].
pub unsafe fn breakpoint() {
    // SAFETY: see above.
    unsafe { asm!("bkpt #3") };
}

/// Sets the privilege. An unprivileged write to CONTROL is ignored.
///
/// # Safety
/// As [`jump`].
pub unsafe fn become_privileged() {
    // SAFETY: see above.
    unsafe { asm!("msr control, {zero}", "isb", zero = in(reg) 0) };
}

/// Masks all interrupts. An unprivileged CPSID is ignored.
///
/// # Safety
/// As [`jump`].
pub unsafe fn mask_interrupts() {
    // SAFETY: see above.
    unsafe { asm!("cpsid i", "cpsid f") };
}
