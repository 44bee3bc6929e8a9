//! Says hello, and dies when it is answered.
#![no_std]

#[riposte::main]
fn main() {
    let judge = riposte::connect("hello").unwrap();
    judge.send_words([]).unwrap();
    panic!("as ordered");
}
