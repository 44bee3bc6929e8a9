//! The servers of the unprotected cases: threads of this process.

use core_echo::{serve_bytes, serve_words, serve_yield};

#[riposte::thread]
fn bytes() -> ! {
    serve_bytes(riposte::channel("local-bytes").unwrap())
}

#[riposte::thread]
fn words_0() -> ! {
    serve_words::<0>(riposte::channel("local-words-0").unwrap())
}

#[riposte::thread]
fn words_1() -> ! {
    serve_words::<1>(riposte::channel("local-words-1").unwrap())
}

#[riposte::thread]
fn words_5() -> ! {
    serve_words::<5>(riposte::channel("local-words-5").unwrap())
}

#[riposte::thread]
fn yielder() -> ! {
    serve_yield(riposte::channel("local-yielder").unwrap())
}
