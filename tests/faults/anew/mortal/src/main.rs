//! Dies when it is asked.
#![no_std]

#[riposte::main]
fn main() {
    let _ = riposte::own_channel().unwrap().receive_words();
    panic!("as ordered");
}
