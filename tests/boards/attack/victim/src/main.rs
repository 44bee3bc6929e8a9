//! Has memory that nobody else may touch: answers with its address, with what is in it,
//! and with an address of its code.
#![no_std]

use core::sync::atomic::{AtomicU32, Ordering};

use riposte::Event;

static SECRET: AtomicU32 = AtomicU32::new(0x5EC2E7);

#[riposte::main]
fn main() {
    let channel = riposte::channel("victim").unwrap();
    loop {
        if let Ok(Event::Message(message)) = channel.receive_words() {
            let answer = [
                SECRET.as_ptr().addr() as u32,
                SECRET.load(Ordering::Relaxed),
                main as fn() as usize as u32,
            ];
            message.reply_words(answer).unwrap();
        }
    }
}
