//! The servers of the core benchmark in a process of their own.
#![no_std]

use core_echo::{serve_bytes, serve_words, serve_yield};

#[riposte::main]
fn main() {
    serve_bytes(riposte::channel("bytes").unwrap())
}

#[riposte::thread]
fn words_0() -> ! {
    serve_words::<0>(riposte::channel("words-0").unwrap())
}

#[riposte::thread]
fn words_1() -> ! {
    serve_words::<1>(riposte::channel("words-1").unwrap())
}

#[riposte::thread]
fn words_5() -> ! {
    serve_words::<5>(riposte::channel("words-5").unwrap())
}

#[riposte::thread]
fn yielder() -> ! {
    serve_yield(riposte::channel("yielder").unwrap())
}
