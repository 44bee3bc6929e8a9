//! The attacks. None of this is sound: the memory protection stops it, which is what is tested.

use core::hint::black_box;
use core::sync::atomic::{AtomicBool, Ordering};

use check::machine;

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
        2 => {
            // SAFETY: see the module.
            unsafe { machine::jump(address) };
        }
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
        5 => {
            // SAFETY: see the module.
            unsafe { machine::call_with_stack_at(address) };
        }
        6 => {
            // SAFETY: see the module.
            unsafe { machine::illegal() };
        }
        7 => become_privileged(address),
        8 => jump_to_data(),
        9 => mask_interrupts(),
        10 => {
            // SAFETY: see the module.
            unsafe { machine::breakpoint() };
        }
        11 => {
            panic!("on purpose");
        }
        12 => {
            // SAFETY: see the module.
            unsafe { machine::push_at(address) };
        }
        13 => write((perform as fn(u32, u32) as usize as u32) & !3),
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

fn jump_to_data() {
    let data = black_box([0_u32; 4]);
    // SAFETY: see the module.
    unsafe { machine::jump(data.as_ptr().addr() as u32) };
}

/// An illegal write to the processor's state is refused or ignored; what needs it must then fail.
fn become_privileged(address: u32) {
    // SAFETY: see the module.
    unsafe { machine::become_privileged() };
    write(address);
}

/// Were interrupts masked, nobody would wake this thread.
fn mask_interrupts() {
    // SAFETY: see the module.
    unsafe { machine::mask_interrupts() };
    let _ = riposte::sleep(riposte::Duration::from_millis(1));
}
