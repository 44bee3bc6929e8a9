//! The attacks, and what is to become of them.

use riposte::abi::fault::reason::{ARITHMETIC, EXECUTE, EXIT, ILLEGAL, MEMORY, STACK_OVERFLOW};

use super::{attack as of, code::every};
use crate::attack::{Attack, NOTHING, NOWHERE, Target};
use Target::{Behind, KernelCode, KernelData, Place, Victim, VictimsCode};

/// What the registers are written with: a place in the kernel's data.
const KERNEL_DATA: &[Target] = &[KernelData(0x100)];

/// Nothing there is the attacker's: memory of the kernel (its stack, itself, page tables, the idle
/// thread), of another process, devices of either kind of board, and nothing at all.
const FOREIGN: &[Target] = &[
    Victim,
    VictimsCode,
    KernelData(0),
    KernelData(0xFFC),
    KernelData(0x1000),
    KernelData(0x4000),
    KernelData(0xFFFC),
    KernelCode(0),
    KernelCode(0x300),
    Place(0),
    Place(0xFFFF_FFFC),
    Place(0x7FFF_FFFC),
    // The kernel's clock.
    Place(0x0200_0000),
    Place(0x0200_4000),
    Place(0xF200_4000),
    // Interrupt controllers.
    Place(0x0C00_0000),
    Place(0xFC00_0000),
    // What ends the run.
    Place(0x0010_0000),
    Place(0xF000_1000),
    // Consoles.
    Place(0x1000_0000),
    Place(0xF000_0000),
    // Before and behind what processes see where addresses are translated.
    Place(0xBFFF_FFFC),
    Place(0xC040_0000),
];

/// Of [`FOREIGN`], the words that an atomic operation may be tried on.
const FEW: &[Target] = &[
    Victim,
    KernelData(0x1000),
    KernelCode(0x300),
    Place(0x0200_4000),
    Place(0xF200_4000),
    Place(0xF000_1000),
    Place(0x0010_0000),
];

/// What a stack pointer may be set to.
const STACKS: &[Target] = &[
    Victim,
    KernelData(0x100),
    KernelData(0x1000),
    KernelCode(0x300),
    Place(0),
    Place(1),
    Place(0xFFFF_FFFF),
    Place(0xFFFF_FFF0),
];

const JUMPS: &[Target] = &[
    Victim,
    VictimsCode,
    KernelData(0),
    KernelData(0x1000),
    KernelCode(0),
    // The idle thread, and the entry of all traps.
    KernelCode(0x200),
    KernelCode(0x300),
    KernelCode(0x400),
    Place(0),
    Place(0x0200_4000),
    Place(0xF200_4000),
    Place(0x0010_0000),
    Place(0xFFFF_FFFC),
    Place(0xC040_0000),
];

/// Where the attacker's memory ends.
const BEHIND: &[Target] = &[Behind(0)];

/// Loads (0 `lb`, 1 `lh`, 2 `lw`) so many bytes before the end, times 8.
const OVER_THE_END: &[u32] = &[8 + 1, 8 + 2, 2 * 8 + 2, 3 * 8 + 2, 0, 1, 2];

/// The calls of [`of::CALL_WITH_STACK`].
const CALLS: &[u32] = &[0, 1, 2, 3, 4, 5, 6, 7];

/// Some processors do not know the instruction.
const MEMORY_OR_UNKNOWN: &[u32] = &[MEMORY, ILLEGAL];

/// All of them.
pub const ATTACKS: &[Attack] = &[
    Attack {
        name: "reads a register of a higher mode",
        number: of::READ_REGISTER,
        targets: NOWHERE,
        values: &every::PRIVILEGED,
        reasons: &[ILLEGAL],
    },
    Attack {
        name: "writes a register of a higher mode",
        number: of::WRITE_REGISTER,
        targets: KERNEL_DATA,
        values: &every::PRIVILEGED,
        reasons: &[ILLEGAL],
    },
    Attack {
        name: "executes an instruction of a higher mode",
        number: of::HIGHER,
        targets: KERNEL_DATA,
        values: &every::HIGHER,
        reasons: &[ILLEGAL],
    },
    Attack {
        name: "orders memory, or waits for an interrupt, and goes on",
        number: of::HARMLESS,
        targets: NOWHERE,
        values: &every::HARMLESS,
        reasons: &[EXIT, ILLEGAL],
    },
    Attack {
        name: "reads the time, where that is allowed",
        number: of::COUNTER,
        targets: NOWHERE,
        values: &every::COUNTERS,
        reasons: &[EXIT, ILLEGAL],
    },
    Attack {
        name: "uses a counter or a unit that is nobody's",
        number: of::UNIT,
        targets: NOWHERE,
        values: &every::UNITS,
        reasons: &[ILLEGAL],
    },
    Attack {
        name: "loads what is not its own, at any width",
        number: of::LOAD,
        targets: FOREIGN,
        values: &every::LOADS,
        reasons: MEMORY_OR_UNKNOWN,
    },
    Attack {
        name: "stores to what is not its own, at any width",
        number: of::STORE,
        targets: FOREIGN,
        values: &every::STORES,
        reasons: MEMORY_OR_UNKNOWN,
    },
    Attack {
        name: "operates atomically on what is not its own",
        number: of::ATOMIC,
        targets: FEW,
        values: &every::ATOMICS,
        reasons: &[MEMORY, ILLEGAL, EXIT],
    },
    Attack {
        name: "loads over the end of its memory",
        number: of::STRADDLE_LOAD,
        targets: BEHIND,
        values: OVER_THE_END,
        reasons: &[MEMORY, ARITHMETIC],
    },
    Attack {
        name: "stores over the end of its memory",
        number: of::STRADDLE_STORE,
        targets: BEHIND,
        values: OVER_THE_END,
        reasons: &[MEMORY, ARITHMETIC],
    },
    Attack {
        name: "jumps to what is not its own",
        number: of::JUMP,
        targets: JUMPS,
        values: &[0, 2],
        reasons: &[EXECUTE],
    },
    Attack {
        name: "jumps into the middle of an instruction",
        number: of::JUMP_OWN,
        targets: NOWHERE,
        values: &[0],
        reasons: &[EXIT, EXECUTE],
    },
    Attack {
        name: "executes its data, its stack and what is behind",
        number: of::JUMP_OWN,
        targets: BEHIND,
        values: &[1, 2, 3],
        reasons: &[EXECUTE],
    },
    Attack {
        name: "calls with the stack anywhere: nothing uses it",
        number: of::CALL_WITH_STACK,
        targets: STACKS,
        values: CALLS,
        reasons: &[EXIT],
    },
    Attack {
        name: "is interrupted with the stack anywhere: nothing uses it",
        number: of::WAIT_WITH_STACK,
        targets: STACKS,
        values: NOTHING,
        reasons: &[EXIT],
    },
    Attack {
        name: "pushes with the stack anywhere",
        number: of::USE_STACK,
        targets: &[
            Victim,
            KernelData(0x100),
            KernelData(0x1000),
            Place(0),
            Place(0xFFFF_FFF0),
        ],
        values: NOTHING,
        reasons: &[MEMORY, STACK_OVERFLOW],
    },
    Attack {
        name: "calls with gp and tp in the kernel",
        number: of::CALL_WITH_POINTERS,
        targets: &[KernelData(0x1000), KernelCode(0x300), Victim],
        values: CALLS,
        reasons: &[EXIT],
    },
    Attack {
        name: "looks for what others left in gp and tp",
        number: of::POINTERS,
        targets: NOWHERE,
        values: NOTHING,
        reasons: &[EXIT],
    },
];
