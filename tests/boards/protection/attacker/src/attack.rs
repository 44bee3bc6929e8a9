//! The attacks. None of this is sound: the memory protection stops it, which is what is tested.

use core::arch::asm;
use core::hint::black_box;
use core::sync::atomic::{AtomicBool, Ordering};

use crate::stack::overflow;

static ACCOMPLICE: AtomicBool = AtomicBool::new(false);

/// Whether the other thread is to overflow its stack.
pub fn accomplice_is_to_overflow() -> bool {
    ACCOMPLICE.load(Ordering::Relaxed)
}

/// Performs the attack with this number, at `address` if it needs one. The numbers are those of
/// the judge's list.
pub fn perform(attack: u32, address: u32) {
    match attack {
        0 => write(address),
        1 => read(address),
        2 => jump(address),
        3 => {
            overflow(1);
        }
        4 => {
            ACCOMPLICE.store(true, Ordering::Relaxed);
            loop {
                // Sleeping, it lets the other thread run.
                let _ = riposte::sleep(riposte::Duration::from_millis(1));
            }
        }
        5 => call_with_stack_at(address),
        6 => illegal(),
        7 => become_privileged(address),
        8 => jump_to_data(),
        9 => mask_interrupts(),
        10 => breakpoint(),
        11 => {
            panic!("on purpose");
        }
        12 => push_at(address),
        _ => {}
    }
}

fn write(address: u32) {
    // SAFETY: see the module.
    unsafe { (address as *mut u32).write_volatile(0xBAD) };
}

fn read(address: u32) {
    // SAFETY: see the module.
    black_box(unsafe { (address as *const u32).read_volatile() });
}

fn jump(address: u32) {
    // SAFETY: see the module.
    let place = unsafe { core::mem::transmute::<u32, extern "C" fn()>(address | 1) };
    place();
}

fn jump_to_data() {
    let data = black_box([0xBF00_u16; 8]);
    jump(data.as_ptr().addr() as u32);
}

/// FASTPATH's first trap: the hardware can't save the frame, and the system call must not run.
fn call_with_stack_at(address: u32) {
    // SAFETY: see the module.
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

fn illegal() {
    // SAFETY: see the module.
    unsafe { asm!("udf #7") };
}

fn breakpoint() {
    // SAFETY: see the module.
    unsafe { asm!("bkpt #3") };
}

/// An unprivileged write to CONTROL is ignored; what needs the privilege must then fail.
fn become_privileged(address: u32) {
    // SAFETY: see the module.
    unsafe { asm!("msr control, {zero}", "isb", zero = in(reg) 0) };
    write(address);
}

/// An unprivileged CPSID is ignored. Were it not, nobody would wake this thread.
fn mask_interrupts() {
    // SAFETY: see the module.
    unsafe { asm!("cpsid i", "cpsid f") };
    let _ = riposte::sleep(riposte::Duration::from_millis(1));
}

/// Pushes with the stack pointer in somebody else's memory.
fn push_at(address: u32) {
    // SAFETY: see the module.
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
