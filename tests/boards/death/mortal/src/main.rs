//! A client that dies while it waits: one of its threads sends, the other one faults.
#![no_std]

use riposte::Duration;

#[riposte::main]
fn main() {
    let trap = riposte::connect("trap").unwrap();
    let _ = trap.send(&[7; 100], &mut [0; 100]);
}

#[riposte::thread]
fn killer() -> ! {
    riposte::sleep(Duration::from_millis(3)).unwrap();
    panic!("on purpose");
}
