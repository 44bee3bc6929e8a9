//! The attacks that are the same on every processor, and what is to become of them.

use check::attack::{Attack, NOTHING, NOWHERE, Target, number, positions};
use number::SHAPE;
use riposte::abi::fault::reason::{EXIT, MEMORY};

use Target::{KernelCode, KernelData, Place, Victim, VictimsCode};

/// Calls that name memory.
const CALLS: u32 = 16;
/// The one of them that panics.
const PANIC: u32 = 8;

/// Every call that names memory, with a range of each of two shapes.
const fn calls(shapes: [u32; 2]) -> [u32; 2 * CALLS as usize] {
    let mut values = [0; 2 * CALLS as usize];
    let mut which = 0;
    while which < CALLS {
        values[which as usize] = which + shapes[0] * SHAPE;
        values[(which + CALLS) as usize] = which + shapes[1] * SHAPE;
        which += 1;
    }
    values
}

/// A range that is not the attacker's, and one from there over the end of everything.
const FOREIGN: [u32; 2 * CALLS as usize] = calls([0, 1]);
/// Over the end of the attacker's memory, and from its middle round to there; but for a panic, whose
/// text is cut to what is its own.
const OVER: [u32; 2 * CALLS as usize] = {
    let mut values = calls([2, 3]);
    values[(CALLS + PANIC) as usize] = PANIC + 2 * SHAPE;
    values
};
/// The attacker's code, where the kernel is to write: a reply buffer, one of several parts, the
/// buffer of a receive and of a read.
const CODE: &[u32] = &[1 + 4 * SHAPE, 4 + 4 * SHAPE, 10 + 4 * SHAPE, 11 + 4 * SHAPE];

/// The first one, which tells where the attacker's memory ends.
pub const FIRST: Attack = Attack {
    name: "reads up to the end of its memory, and over it",
    number: number::RUN_OFF,
    targets: NOWHERE,
    values: NOTHING,
    reasons: &[MEMORY],
};

/// All others.
pub const ATTACKS: &[Attack] = &[
    attack(
        "names memory that is not its own in a call",
        number::BUFFER,
        &[
            Victim,
            VictimsCode,
            KernelData(0x1000),
            KernelCode(0x300),
            Place(0),
            Place(0xFFFF_FFF8),
            Place(0xF000_0000),
        ],
        &FOREIGN,
    ),
    attack(
        "names memory over the end of its own in a call",
        number::BUFFER,
        &[Target::Behind(0)],
        &OVER,
    ),
    attack(
        "has the kernel write its code",
        number::BUFFER,
        NOWHERE,
        CODE,
    ),
    attack(
        "reads and writes beyond a client's buffers",
        number::BUFFER,
        NOWHERE,
        &[number::BEYOND],
    ),
    attack(
        "looks for what others left in the registers",
        number::REGISTERS,
        NOWHERE,
        &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
    ),
    attack(
        "waits at a word that is not its own, wakes there, or owns it as a lock",
        number::WORD,
        &[
            Victim,
            VictimsCode,
            KernelData(0x1000),
            KernelCode(0x300),
            Place(0),
            Place(0xFFFF_FFFC),
            Place(0xF000_0000),
            Target::Behind(0),
        ],
        &positions::<{ number::WORD_CALLS.len() }>(),
    ),
    attack(
        "gets all its registers back after an interrupt",
        number::INTERRUPTED,
        NOWHERE,
        NOTHING,
    ),
    attack(
        "makes a call with all registers in the kernel",
        number::EVERYWHERE,
        &[
            KernelData(0x100),
            KernelCode(0x300),
            Place(0xFFFF_FFFF),
            Place(0x7FFF_FFFF),
            Place(0x3FFF_FFFF),
            Place(0x2000_0000),
            Place(0x1000_0005),
            Place(0x4040_0000),
            Place(0xC000_0000),
        ],
        NOTHING,
    ),
];

/// One that the attacker survives, with nothing gained.
const fn attack(
    name: &'static str,
    number: u32,
    targets: &'static [Target],
    values: &'static [u32],
) -> Attack {
    Attack {
        name,
        number,
        targets,
        values,
        reasons: &[EXIT],
    }
}
