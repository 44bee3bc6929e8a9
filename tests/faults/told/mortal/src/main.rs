//! Dies after a while.
#![no_std]

#[riposte::main]
fn main() {
    let _ = riposte::sleep(riposte::Duration::from_millis(5));
    panic!("as ordered");
}
