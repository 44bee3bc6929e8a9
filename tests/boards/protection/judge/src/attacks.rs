//! The attacks, and what is to become of them.

use check::machine::{
    FOREIGN_STACK, HIT_BREAKPOINT, MADE_PRIVILEGED, MASKED_INTERRUPTS, SYSTEM_CONTROL,
    SYSTEM_CONTROL_REASONS, data_of_another, kernel_code, kernel_data,
};
use riposte::abi::fault::reason::{EXECUTE, EXIT, ILLEGAL, MEMORY, PANIC, STACK_OVERFLOW};

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
    /// Another's data, where they lie.
    Victim,
    /// Where the victim sees its data.
    VictimsView,
    /// The beginning of the memory that the victim's data are in.
    KernelData,
    /// A place in the kernel's code.
    KernelCode,
    /// A device that the judge has.
    Device,
    /// A register of the processor's system control.
    SystemControl,
    /// The attack knows.
    Own,
}

impl Target {
    /// The address, the victim's data being at `victim`.
    pub fn address(&self, victim: u32) -> u32 {
        match self {
            Target::Victim => data_of_another(victim),
            Target::VictimsView => victim,
            Target::KernelData => kernel_data(victim),
            Target::KernelCode => kernel_code(code()) + 0x100,
            Target::Device => riposte::Peripheral::take("timer1").unwrap().address(),
            Target::SystemControl => SYSTEM_CONTROL,
            Target::Own => 0,
        }
    }
}

use Target::{Device, KernelCode, KernelData, Own, SystemControl, Victim, VictimsView};

/// An address in this program's code.
fn code() -> u32 {
    code as fn() -> u32 as usize as u32
}

/// A stack pointer gone astray may be taken for one that has gone too far.
const FRAME: &[u32] = &[MEMORY, STACK_OVERFLOW];

const WRITE: u32 = 0;
const READ: u32 = 1;
const JUMP: u32 = 2;

/// All of them.
pub const ATTACKS: [Attack; 24] = [
    attack("writes another's memory", WRITE, Victim, &[MEMORY]),
    attack("reads another's memory", READ, Victim, &[MEMORY]),
    attack("jumps into another's data", JUMP, Victim, &[EXECUTE]),
    // Where addresses are translated, its own memory may be there.
    attack(
        "writes where another sees its memory",
        WRITE,
        VictimsView,
        &[MEMORY, EXIT],
    ),
    attack("writes the kernel's memory", WRITE, KernelData, &[MEMORY]),
    attack("reads the kernel's memory", READ, KernelData, &[MEMORY]),
    attack("reads the kernel's code", READ, KernelCode, &[MEMORY]),
    attack("writes the kernel's code", WRITE, KernelCode, &[MEMORY]),
    attack("jumps into the kernel's code", JUMP, KernelCode, &[EXECUTE]),
    attack("reads a device", READ, Device, &[MEMORY]),
    attack("writes a device", WRITE, Device, &[MEMORY]),
    attack(
        "writes the processor's system control",
        WRITE,
        SystemControl,
        SYSTEM_CONTROL_REASONS,
    ),
    attack("writes its own code", 13, Own, &[MEMORY]),
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
    attack(
        "calls with the stack in the kernel",
        5,
        KernelData,
        FOREIGN_STACK,
    ),
    attack(
        "calls with the stack in another's memory",
        5,
        Victim,
        FOREIGN_STACK,
    ),
    attack("pushes into another's memory", 12, Victim, FRAME),
    attack("executes an illegal instruction", 6, Own, &[ILLEGAL]),
    attack("makes itself privileged", 7, KernelData, MADE_PRIVILEGED),
    attack(
        "masks interrupts, in vain, and ends",
        9,
        Own,
        MASKED_INTERRUPTS,
    ),
    attack("hits a breakpoint", 10, Own, HIT_BREAKPOINT),
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
