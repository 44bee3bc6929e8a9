//! The attacks, and what is to become of them.

use riposte::abi::fault::reason::{
    BREAKPOINT, BUS, EXECUTE, EXIT, ILLEGAL, MEMORY, PANIC, STACK_OVERFLOW,
};

/// An attack.
pub struct Attack {
    /// The promise.
    pub name: &'static str,
    /// What the attacker does.
    pub number: u32,
    /// Where.
    pub target: Target,
    /// The reasons that the record may give.
    pub reasons: &'static [u32],
    /// The thread that is blamed.
    pub thread: u32,
}

/// Where an attack goes.
pub enum Target {
    /// The victim's data.
    Victim,
    /// A place of the board.
    Place(u32),
    /// The attack knows.
    Own,
}

impl Target {
    /// The address, the victim's data being at `victim`.
    pub fn address(&self, victim: u32) -> u32 {
        match self {
            Target::Victim => victim,
            Target::Place(address) => *address,
            Target::Own => 0,
        }
    }
}

use Target::{Own, Place, Victim};

const KERNEL_DATA: Target = Place(0x2000_0000);
const KERNEL_CODE: Target = Place(0x0000_0100);
const SERIAL_PORT: Target = Place(0x4000_4000);
const SYSTEM_CONTROL: Target = Place(0xE000_ED08);

/// The hardware can't tell a stack pointer gone astray from one that has gone too far.
const FRAME: &[u32] = &[MEMORY, STACK_OVERFLOW];

const WRITE: u32 = 0;
const READ: u32 = 1;
const JUMP: u32 = 2;

/// All of them.
pub const ATTACKS: [Attack; 22] = [
    attack("writes another's memory", WRITE, Victim, &[MEMORY]),
    attack("reads another's memory", READ, Victim, &[MEMORY]),
    attack("jumps into another's data", JUMP, Victim, &[EXECUTE]),
    attack("writes the kernel's memory", WRITE, KERNEL_DATA, &[MEMORY]),
    attack("reads the kernel's memory", READ, KERNEL_DATA, &[MEMORY]),
    attack("reads the kernel's code", READ, KERNEL_CODE, &[MEMORY]),
    attack("writes the kernel's code", WRITE, KERNEL_CODE, &[MEMORY]),
    attack(
        "jumps into the kernel's code",
        JUMP,
        KERNEL_CODE,
        &[EXECUTE],
    ),
    attack("reads a device", READ, SERIAL_PORT, &[MEMORY]),
    attack("writes a device", WRITE, SERIAL_PORT, &[MEMORY]),
    attack(
        "writes the processor's system control",
        WRITE,
        SYSTEM_CONTROL,
        &[MEMORY, BUS],
    ),
    attack("executes its own data", 8, Own, &[EXECUTE]),
    attack("overflows its stack", 3, Own, &[STACK_OVERFLOW]),
    Attack {
        thread: 1,
        ..attack(
            "overflows another thread's stack",
            4,
            Own,
            &[STACK_OVERFLOW],
        )
    },
    attack("calls with the stack in the kernel", 5, KERNEL_DATA, FRAME),
    attack("calls with the stack in another's memory", 5, Victim, FRAME),
    attack("pushes into another's memory", 12, Victim, FRAME),
    attack("executes an illegal instruction", 6, Own, &[ILLEGAL]),
    attack("makes itself privileged", 7, KERNEL_DATA, &[MEMORY]),
    attack("masks interrupts, in vain, and ends", 9, Own, &[EXIT]),
    attack("hits a breakpoint", 10, Own, &[BREAKPOINT]),
    attack("panics", 11, Own, &[PANIC]),
];

/// Attacks by the main thread.
const fn attack(
    name: &'static str,
    number: u32,
    target: Target,
    reasons: &'static [u32],
) -> Attack {
    Attack {
        name,
        number,
        target,
        reasons,
        thread: 0,
    }
}
