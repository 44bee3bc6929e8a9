//! The attacks, and what is to become of them.

use riposte::abi::fault::reason::{
    BREAKPOINT, BUS, EXECUTE, EXIT, ILLEGAL, MEMORY, STACK_OVERFLOW,
};

use crate::attack::{Attack, NOWHERE, Target};

const VICTIM: &[Target] = &[Target::Victim];
const KERNEL_DATA: &[Target] = &[Target::KernelData(0x100)];
const SERIAL_PORT: &[Target] = &[Target::Place(0x4000_4000)];
/// A word behind the end: the processor aligns it, and the frame still fits.
const BEHIND: &[Target] = &[Target::Behind(4)];
const SYSTEM_CONTROL: &[Target] = &[Target::Place(0xE000_EE00)];
/// Where the number of an interrupt raises it, whosever it is.
const TRIGGER: &[Target] = &[Target::Place(0xE000_EF00)];

/// The hardware can't tell a stack pointer gone astray from one that has gone too far.
const FRAME: &[u32] = &[MEMORY, STACK_OVERFLOW];
/// Two faults at once: either may be told.
const TWO: &[u32] = &[MEMORY, STACK_OVERFLOW, ILLEGAL, BREAKPOINT];

const CHANGE_STATUS: u32 = 0;
const CHANGE_PC: u32 = 1;
const THUMB: u32 = 1 << 24;

/// All of them.
pub const ATTACKS: &[Attack] = &[
    attack(
        "returns into a hard fault",
        CHANGE_STATUS,
        VICTIM,
        &[THUMB | 3],
        &[EXECUTE],
    ),
    attack(
        "returns into a system call",
        CHANGE_STATUS,
        VICTIM,
        &[THUMB | 11],
        &[EXECUTE],
    ),
    attack(
        "returns into the clock's interrupt",
        CHANGE_STATUS,
        VICTIM,
        &[THUMB | 26],
        &[EXECUTE],
    ),
    attack(
        "returns into an exception, with the kernel's memory",
        CHANGE_STATUS,
        KERNEL_DATA,
        &[THUMB | 6],
        &[EXECUTE],
    ),
    attack(
        "returns to ARM code",
        CHANGE_STATUS,
        NOWHERE,
        &[0],
        &[ILLEGAL],
    ),
    attack(
        "returns into the middle of a block",
        CHANGE_STATUS,
        NOWHERE,
        &[THUMB | 0x0600_FC00],
        &[EXIT, ILLEGAL],
    ),
    attack(
        "returns into the kernel's code",
        CHANGE_PC,
        NOWHERE,
        &[0x101],
        &[EXECUTE],
    ),
    attack(
        "returns to a return from an exception",
        CHANGE_PC,
        NOWHERE,
        &[0xFFFF_FFF1],
        &[EXECUTE],
    ),
    attack(
        "jumps to a return from an exception",
        7,
        NOWHERE,
        &[0xFFFF_FFF9],
        &[EXECUTE],
    ),
    attack(
        "hits a breakpoint with the stack in the kernel",
        2,
        KERNEL_DATA,
        &[0],
        TWO,
    ),
    attack(
        "hits a breakpoint with the stack in another's memory",
        2,
        VICTIM,
        &[0],
        TWO,
    ),
    attack(
        "executes an illegal instruction with the stack in the kernel",
        3,
        KERNEL_DATA,
        &[0],
        TWO,
    ),
    attack(
        "executes an illegal instruction with the stack in another's memory",
        3,
        VICTIM,
        &[0],
        TWO,
    ),
    attack(
        "writes the kernel's memory with the stack there",
        4,
        KERNEL_DATA,
        &[0],
        FRAME,
    ),
    attack(
        "is interrupted with the stack in the kernel",
        5,
        KERNEL_DATA,
        &[0],
        FRAME,
    ),
    attack(
        "is interrupted with the stack in another's memory",
        5,
        VICTIM,
        &[0],
        FRAME,
    ),
    attack(
        "is interrupted with the stack at address 0",
        5,
        NOWHERE,
        &[0],
        FRAME,
    ),
    attack("stops the emulator", 6, NOWHERE, &[0], &[BREAKPOINT]),
    attack(
        "calls with the stack in a device",
        8,
        SERIAL_PORT,
        &[0],
        FRAME,
    ),
    attack(
        "calls with the stack at address 0",
        8,
        NOWHERE,
        &[0],
        &[MEMORY, STACK_OVERFLOW, BUS],
    ),
    attack(
        "calls with the stack in the processor's own space",
        8,
        SYSTEM_CONTROL,
        &[0],
        &[MEMORY, STACK_OVERFLOW, BUS],
    ),
    attack(
        "calls with the stack at the end of its memory, and ends",
        8,
        BEHIND,
        &[0],
        &[EXIT],
    ),
    attack("raises an interrupt itself", 9, TRIGGER, &[31], &[BUS]),
];

const fn attack(
    name: &'static str,
    number: u32,
    targets: &'static [Target],
    values: &'static [u32],
    reasons: &'static [u32],
) -> Attack {
    Attack {
        name,
        number,
        targets,
        values,
        reasons,
    }
}
