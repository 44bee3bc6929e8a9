//! VexRiscv translates user mode by Sv32, machine mode not, and stops what the pages forbid.
#![no_std]
#![no_main]
mod board;
mod user;

use board::{check, read, write};
use user::{Action::*, CAUSE_CALL, attempt, user_page_address};

const ROOT: usize = 0x8040_0000;
const LEAVES: usize = 0x8040_1000;
const FRAME: usize = 0x8050_0000;

// Where the task sees things.
const CODE: usize = 0x0040_0000;
const DATA: usize = 0x0040_1000;
const CONSTANTS: usize = 0x0040_2000;
const KERNEL: usize = 0x0040_3000;
const NOTHING: usize = 0x0040_4000;

const VALID: usize = 1 << 0;
const READ: usize = 1 << 1;
const WRITE: usize = 1 << 2;
const EXECUTE: usize = 1 << 3;
const USER: usize = 1 << 4;
const ACCESSED_DIRTY: usize = 3 << 6;

fn map(page: usize, frame: usize, rights: usize) {
    let entry = LEAVES + page / 4096 % 1024 * 4;
    write(
        entry,
        ((frame >> 12) << 10 | rights | VALID | ACCESSED_DIRTY) as u32,
    );
}

/// VexRiscv flushes its TLB at each write of satp.
fn switch_to(root: usize) {
    board::csr_write!("satp", 1 << 31 | root >> 12);
}

#[unsafe(no_mangle)]
fn main() {
    for table in [ROOT, LEAVES] {
        for i in 0..1024 {
            write(table + 4 * i, 0);
        }
    }
    write(
        ROOT + (CODE >> 22) * 4,
        ((LEAVES >> 12) << 10 | VALID) as u32,
    );
    map(CODE, user_page_address(), READ | EXECUTE | USER);
    map(DATA, FRAME, READ | WRITE | USER);
    map(CONSTANTS, FRAME, READ | USER);
    map(KERNEL, FRAME, READ | WRITE);
    switch_to(ROOT);

    // Machine mode still sees physical addresses.
    write(FRAME + 8, 0xCAFE);
    check!(read(FRAME + 8) == 0xCAFE);

    check!(attempt(CODE, Load, DATA + 8).0 == CAUSE_CALL);
    check!(attempt(CODE, Store, DATA + 12).0 == CAUSE_CALL);
    // The task wrote its virtual address into the frame.
    check!(read(FRAME + 12) == (DATA + 12) as u32);
    check!(attempt(CODE, Load, CONSTANTS).0 == CAUSE_CALL);
    check!(attempt(CODE, Store, CONSTANTS) == (15, CONSTANTS));
    check!(attempt(CODE, Load, KERNEL) == (13, KERNEL));
    check!(attempt(CODE, Store, KERNEL) == (15, KERNEL));
    check!(attempt(CODE, Load, NOTHING) == (13, NOTHING));
    check!(attempt(CODE, Execute, DATA).0 == 12);
    check!(attempt(CODE, Execute, NOTHING).0 == 12);
    check!(attempt(CODE, Load, FRAME) == (13, FRAME));
    check!(attempt(CODE, Store, board::GPIO) == (15, board::GPIO));
    check!(attempt(CODE, Privileged, 0).0 == 2);
    // A page taken away is gone with the next satp.
    map(DATA, 0, 0);
    write(LEAVES + DATA / 4096 % 1024 * 4, 0);
    switch_to(ROOT);
    check!(attempt(CODE, Load, DATA) == (13, DATA));
    board::exit(0);
}
