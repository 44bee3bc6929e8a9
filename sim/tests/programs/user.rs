// Tasks in user mode that try one thing each; what becomes of it is seen by the machine-mode side.
// Included as a module by the programs about protection.

use core::arch::{asm, global_asm};
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};

pub const CAUSE_CALL: usize = 8;

static CAUSE: AtomicUsize = AtomicUsize::new(0);
static VALUE: AtomicUsize = AtomicUsize::new(0);

// Position-independent, a page of its own: it runs at whatever address it is mapped to.
global_asm!(
    ".section .text.user, \"ax\"",
    ".option push",
    ".option norvc",
    ".balign 4096",
    "user_page:",
    // a0: what to do (0 load, 1 store, 2 execute, 3 read a machine register), a1: the address
    "beqz a0, 1f",
    "addi a0, a0, -1",
    "beqz a0, 2f",
    "addi a0, a0, -1",
    "beqz a0, 3f",
    "csrr a0, mstatus",
    "1:",
    "lw a0, 0(a1)",
    "ecall",
    "2:",
    "sw a1, 0(a1)",
    "ecall",
    "3:",
    "jalr a1",
    "ecall",
    ".balign 4096",
    "user_page_end:",
    ".option pop",
    ".section .text",
    // a0: action, a1: address, a2: where to enter; returns when `trap` says so.
    "enter_user:",
    "addi sp, sp, -64",
    "sw ra, 0(sp)",
    "sw s0, 4(sp)",
    "sw s1, 8(sp)",
    "csrw mscratch, sp",
    "csrw mepc, a2",
    "li t0, 0x1800", // mstatus.MPP: user
    "csrc mstatus, t0",
    "mv sp, zero", // the task needs no stack, and must not look like machine mode
    "mret",
    ".global leave_user",
    // The trap's exit comes here, in machine mode, with the stack as `enter_user` left it.
    "leave_user:",
    "csrrw sp, mscratch, zero",
    "lw ra, 0(sp)",
    "lw s0, 4(sp)",
    "lw s1, 8(sp)",
    "addi sp, sp, 64",
    "ret",
);

unsafe extern "C" {
    static user_page: u8;
    fn enter_user(action: usize, address: usize, entry: usize);
    fn leave_user();
}

pub fn user_page_address() -> usize {
    &raw const user_page as usize
}

#[derive(Clone, Copy)]
pub enum Action {
    Load = 0,
    Store = 1,
    Execute = 2,
    Privileged = 3,
}

/// Lets user mode do it, entered at `entry`; the cause of the trap that follows, and its value.
pub fn attempt(entry: usize, action: Action, address: usize) -> (usize, usize) {
    // SAFETY: saves what the call ABI asks for, and comes back through `trap`.
    unsafe { enter_user(action as usize, address, entry) };
    (CAUSE.load(Relaxed), VALUE.load(Relaxed))
}

#[unsafe(no_mangle)]
extern "C" fn trap(cause: usize, _pc: usize, value: usize) -> usize {
    CAUSE.store(cause, Relaxed);
    VALUE.store(value, Relaxed);
    // SAFETY: back to machine mode, as `leave_user` expects.
    unsafe { asm!("csrs mstatus, {}", in(reg) 0x1800) };
    leave_user as *const () as usize
}
