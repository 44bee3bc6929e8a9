//! Asks which attempt is next, and makes it.
#![no_std]

use core::sync::atomic::{AtomicU32, Ordering};

use riposte::abi::call::{operation, word};
use riposte::abi::register;
use riposte::abi::signal::number;
use riposte::signal::{self, Signal};

static ATTEMPT: AtomicU32 = AtomicU32::new(0);

/// Where a forged frame says that another one lies.
static ANOTHER: AtomicU32 = AtomicU32::new(0);

/// Ends the handler with the frame at `address`.
fn end_handler(address: u32) {
    let mut registers = [0; register::COUNT];
    registers[register::CALL] = word(operation::SIGNAL, number::RETURN);
    registers[register::WORD0] = address;
    // SAFETY: it names no memory to be written.
    unsafe { riposte::raw_call(registers, [0; 5]) };
}

fn set_stack(address: u32, length: u32) {
    let mut registers = [0; register::COUNT];
    registers[register::CALL] = word(operation::SIGNAL, number::STACK);
    registers[register::WORD0] = address;
    registers[register::WORD1] = length;
    // SAFETY: it is this process's, and nothing else uses it.
    unsafe { riposte::raw_call(registers, [0; 5]) };
}

/// Overflows any stack.
#[inline(never)]
fn descend(depth: u32) -> u32 {
    let room = core::hint::black_box([depth; 64]);
    if depth == u32::MAX {
        return 0;
    }
    descend(depth + 1) + room[depth as usize % 64]
}

fn attack(_: Signal, _: u32) {
    match ATTEMPT.load(Ordering::Relaxed) {
        0 => {
            let here = core::hint::black_box([0_u32; 64]);
            end_handler((&raw const here).addr() as u32 & !15);
        }
        2 => forge(|at| {
            for index in (4..14).chain(32..35) {
                // SAFETY: the frame lies there, and the stack goes on above.
                unsafe { at.add(index).write_volatile(0x0000_0004) };
            }
        }),
        5 => forge(|at| {
            let another = at.addr() as u32 + 2;
            ANOTHER.store(another, Ordering::Relaxed);
            // SAFETY: the frame lies there.
            unsafe { at.add(2).write_volatile(another) };
        }),
        _ => {
            descend(0);
        }
    }
}

/// Where the frame lies is known to whoever looks: the first words from here up that say so. The handler ends with what
/// `change` makes of it.
#[inline(never)]
fn forge(change: impl FnOnce(*mut u32)) {
    let here = core::hint::black_box([0_u32; 4]);
    let mut at = (&raw const here).cast::<u32>().cast_mut();
    // The kernel's words end with the signal; the mask before it was that of a thread with a handler.
    for _ in 0..200 {
        // SAFETY: the stack goes on above, at least so far.
        unsafe {
            if at.add(3).read_volatile() == Signal::USER_1.number()
                && at.add(2).read_volatile() == 0
                && at.addr() % 16 == 0
            {
                change(at);
                end_handler(at.addr() as u32);
                return;
            }
            at = at.add(1);
        }
    }
}

#[riposte::main]
fn main() {
    let attempts = riposte::connect("attempts").unwrap();
    let reply = attempts.send_words([]).unwrap();
    let [attempt, ..] = reply.words;
    ATTEMPT.store(attempt, Ordering::Relaxed);
    // SAFETY: it uses no value of a thread.
    unsafe { signal::handle(Signal::USER_1, attack).unwrap() };
    if attempt == 1 {
        end_handler(0);
        end_handler(0x2000_0000);
    }
    if attempt == 3 {
        static SMALL: [AtomicU32; 8] = [const { AtomicU32::new(0) }; 8];
        set_stack((&raw const SMALL).addr() as u32, 32);
    }
    signal::raise(Signal::USER_1, 0).unwrap();
    if attempt == 5 {
        end_handler(ANOTHER.load(Ordering::Relaxed));
    }
    loop {
        core::hint::spin_loop();
    }
}
