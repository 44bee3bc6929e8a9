//! Has memory that nobody else may touch: answers with where it begins, and with a sum over its
//! first bytes, the unused end of its stack.
#![no_std]

use core::sync::atomic::{AtomicU32, Ordering};

use riposte::Event;

/// Lies in the victim's memory, which is a page of 4 KiB.
static PLACE: AtomicU32 = AtomicU32::new(0);

/// Words at the beginning that the attacker could reach.
const REACH: u32 = 32;

#[riposte::main]
fn main() {
    let channel = riposte::channel("victim").unwrap();
    let begin = PLACE.as_ptr().addr() as u32 & !0xFFF;
    PLACE.store(begin, Ordering::Relaxed);
    let mut word = PLACE.load(Ordering::Relaxed) as *mut u32;
    for number in 0..REACH {
        // SAFETY: the far end of the main thread's own stack, which is not used.
        unsafe { word.write_volatile(0x5EC2_E700 | number) };
        word = word.wrapping_add(1);
    }
    loop {
        if let Ok(Event::Message(message)) = channel.receive_words() {
            message.reply_words([begin, sum(begin)]).unwrap();
        }
    }
}

fn sum(begin: u32) -> u32 {
    (0..REACH).fold(0, |sum: u32, number| {
        let word = (begin + number * 4) as *const u32;
        // SAFETY: as above.
        sum.rotate_left(1) ^ unsafe { word.read_volatile() }
    })
}
