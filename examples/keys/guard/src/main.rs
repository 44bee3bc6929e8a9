//! Borrows keys, and tells what comes of it. As `rogue` it borrows one, and dies with it.
#![no_std]

use keys_api::{KEYS, KeyError, Keys};
use riposte::{Deadline, Duration, Instant, println};

fn shortly() -> Deadline {
    Deadline::At(Instant::now() + Duration::from_millis(2))
}

fn rogue(keys: &Keys) {
    keys.borrow(3, Deadline::None).unwrap();
    let _ = riposte::sleep(Duration::from_millis(10));
    panic!("it dies with a key");
}

#[riposte::main]
fn main() {
    let mut keys = Keys::find().unwrap();
    if riposte::process_name() == "rogue" {
        rogue(&keys);
    }
    println!("key 1: {:?}", keys.borrow(1, Deadline::None));
    println!("key 1 again: {:?}", keys.borrow(1, Deadline::None));
    println!(
        "key 3, which the rogue has: {:?}",
        keys.borrow(3, shortly())
    );
    println!("key 3, until it dies: {:?}", keys.borrow(3, Deadline::None));
    println!("key {KEYS}: {:?}", keys.borrow(KEYS, Deadline::None));
    println!("key 2 back: {:?}", keys.give_back(2));
    println!("key 1 back: {:?}", keys.give_back(1));
    riposte::process("keeper").unwrap().restart();
    let lost = keys.give_back(3);
    println!("key 3 back, to a keeper that was restarted: {lost:?}");
    assert_eq!(lost, Err(KeyError::KeeperEnded));
    keys = Keys::find().unwrap();
    println!(
        "key 3 of the next keeper: {:?}",
        keys.borrow(3, Deadline::None)
    );
    riposte::shutdown(0);
}
