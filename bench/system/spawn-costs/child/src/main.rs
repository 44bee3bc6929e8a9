//! Has 4 KiB of data, and ends at once; or sends a message first.
#![no_std]

use core::hint::black_box;
use core::sync::atomic::AtomicU32;

/// To be copied at each start.
static DATA: [AtomicU32; 1024] = [const { AtomicU32::new(0x1234_5678) }; 1024];

#[riposte::main]
fn main() {
    black_box(&DATA);
    if riposte::process_name().starts_with("sender") {
        let parent = riposte::connect("parent").unwrap();
        parent.send_words([]).unwrap();
    }
}
