//! A program needs no unsafe code: what the macros write in its name does not count as its own.
#![forbid(unsafe_code)]

#[riposte::thread]
fn work() -> ! {
    loop {
        riposte::yield_now();
    }
}

#[riposte::main]
fn main() {}

#[test]
fn a_program_without_unsafe_code_has_a_main_and_threads() {
    let _: fn() -> ! = work;
    main();
}
