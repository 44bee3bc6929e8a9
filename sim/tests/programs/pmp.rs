//! Ibex stops user mode at the PMP regions, for loads, stores and instructions.
#![no_std]
#![no_main]
mod board;
mod user;

use board::check;
use user::{Action::*, CAUSE_CALL, attempt, user_page_address};

const DATA: usize = 0x8010_0000;
const READ: usize = 1;
const WRITE: usize = 2;
const EXECUTE: usize = 4;
const NAPOT: usize = 3 << 3;

/// A naturally aligned region of `size` bytes, as pmpaddr wants it.
fn napot(start: usize, size: usize) -> usize {
    start >> 2 | (size / 2 - 1) >> 2
}

#[unsafe(no_mangle)]
fn main() {
    let code = user_page_address();
    board::csr_write!("pmpaddr0", napot(code, 4096));
    board::csr_write!("pmpaddr1", napot(DATA, 256));
    board::csr_write!("pmpaddr15", napot(DATA + 512, 32));
    board::csr_write!(
        "pmpcfg0",
        (NAPOT | EXECUTE | READ) | (NAPOT | READ | WRITE) << 8
    );
    board::csr_write!("pmpcfg3", (NAPOT | READ) << 24);

    check!(attempt(code, Load, DATA) == (CAUSE_CALL, 0));
    check!(attempt(code, Store, DATA + 252).0 == CAUSE_CALL);
    check!(attempt(code, Load, DATA + 256) == (5, DATA + 256));
    check!(attempt(code, Store, DATA + 256) == (7, DATA + 256));
    check!(attempt(code, Load, DATA - 4).0 == 5);
    check!(attempt(code, Load, DATA + 512).0 == CAUSE_CALL);
    check!(attempt(code, Store, DATA + 512).0 == 7);
    check!(attempt(code, Store, code).0 == 7);
    check!(attempt(code, Execute, DATA).0 == 1);
    check!(attempt(code, Store, board::GPIO).0 == 7);
    check!(attempt(code, Privileged, 0).0 == 2);
    // A change of the regions holds at once.
    board::csr_write!("pmpcfg0", NAPOT | EXECUTE);
    check!(attempt(code, Load, DATA).0 == 5);
    board::exit(0);
}
