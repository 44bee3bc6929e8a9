//! Threads that become ready together, each of which says its number once.
#![no_std]

use riposte::Instant;

fn say(number: u32) -> ! {
    let judge = riposte::connect("row").unwrap();
    judge.send_words([number]).unwrap();
    loop {
        let _ = riposte::sleep_until(Instant::from_nanos(u64::MAX));
    }
}

/// The runtime has made the others ready: they have run by now.
#[riposte::main]
fn main() {
    say(2);
}

#[riposte::thread]
fn first() -> ! {
    say(31);
}

#[riposte::thread]
fn second() -> ! {
    say(128);
}

#[riposte::thread]
fn third() -> ! {
    say(64);
}

#[riposte::thread]
fn fourth() -> ! {
    say(239);
}

#[riposte::thread]
fn fifth() -> ! {
    say(32);
}
