//! A process that may have devices: reads one when it is asked to, or lets its second thread use up
//! its stack. It answers with the address of its device.
#![no_std]

use core::hint::black_box;
use core::sync::atomic::{AtomicBool, Ordering};

/// Order: read the device at the address that follows.
const READ: u32 = 0;
/// Order: let the other thread use up its stack.
const OVERFLOW: u32 = 1;

static DEEPER: AtomicBool = AtomicBool::new(false);

#[riposte::main]
fn main() {
    let channel = riposte::own_channel().unwrap();
    loop {
        if let Ok(riposte::Event::Message(message)) = channel.receive_words() {
            let [order, address, ..] = message.words();
            match order {
                READ => {
                    // SAFETY: reads a device register; whoever has no right to it is stopped.
                    black_box(unsafe { (address as *const u32).read_volatile() });
                }
                OVERFLOW => DEEPER.store(true, Ordering::Relaxed),
                _ => {}
            }
            let device = riposte::Peripheral::take("timer1");
            let device = device.map_or(0, |device| device.address());
            message.reply_words([device]).unwrap();
        }
    }
}

#[riposte::thread]
fn deep() -> ! {
    loop {
        if DEEPER.load(Ordering::Relaxed) {
            // Its stack has a page then, too. Elsewhere such a frame would reach over the guard.
            if riposte::setting("guard-is-a-page").is_ok_and(|it| it == 1) {
                use_up_at_once();
            }
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

#[inline(never)]
fn use_up_at_once() {
    black_box([1u8; 6144]);
}
