//! A process that may have devices: reads the timer when it is asked to, or lets its second thread
//! use up its stack.
#![no_std]

use core::hint::black_box;
use core::sync::atomic::{AtomicBool, Ordering};

/// The timer that one of the two processes has: it is read by address, whoever asks.
const TIMER: usize = 0x4000_1000;

static DEEPER: AtomicBool = AtomicBool::new(false);

#[riposte::main]
fn main() {
    let channel = riposte::own_channel().unwrap();
    loop {
        if let Ok(riposte::Event::Message(message)) = channel.receive_words() {
            let [order, ..] = message.words();
            if order == 0 {
                // SAFETY: reads a device register; whoever has no right to it is stopped.
                black_box(unsafe { (TIMER as *const u32).read_volatile() });
            } else {
                DEEPER.store(true, Ordering::Relaxed);
            }
            message.reply_words([order]).unwrap();
        }
    }
}

#[riposte::thread]
fn deep() -> ! {
    loop {
        if DEEPER.load(Ordering::Relaxed) {
            use_up(1);
        }
        riposte::yield_now();
    }
}

#[inline(never)]
fn use_up(depth: u32) -> u32 {
    let frame = black_box([depth; 8]);
    if depth == 0 {
        0
    } else {
        use_up(depth.wrapping_add(1)) + frame[0]
    }
}
