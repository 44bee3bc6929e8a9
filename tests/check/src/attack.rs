//! What an attack on the kernel is: an order of the judge to the attacker. The attacks themselves
//! are the processor's ([`crate::machine`]) or the test's own.

use crate::machine::{data_of_another, is_translated, kernel_code, kernel_data};

/// An attack, on each of several targets with each of several values.
pub struct Attack {
    /// The promise.
    pub name: &'static str,
    /// What the attacker does.
    pub number: u32,
    /// Where.
    pub targets: &'static [Target],
    /// With what.
    pub values: &'static [u32],
    /// The reasons that the record may give. With [`EXIT`](riposte::abi::fault::reason::EXIT) the
    /// attacker itself has looked at what came of it, and ends with [`HELD`].
    pub reasons: &'static [u32],
}

/// Exit status of an attacker that has gained nothing.
/// Exit status of an attacker that has gained nothing. (One that ends with 0 is not reported.)
pub const HELD: u32 = 2;

/// For attacks that need no target.
pub const NOWHERE: &[Target] = &[Target::Place(0)];
/// For attacks that need no value.
pub const NOTHING: &[u32] = &[0];

/// Numbers of attacks that are the same on every processor; those below are the processor's own.
pub mod number {
    use riposte::abi::call::number as call;

    /// Names memory at the target in a call: the value is the call, and the range's shape times
    /// [`SHAPE`].
    pub const BUFFER: u32 = 1000;
    /// Looks for what others left in the registers after the call that the value says.
    pub const REGISTERS: u32 = 1001;
    /// Is interrupted, with all registers in use.
    pub const INTERRUPTED: u32 = 1002;
    /// Makes a call with all registers holding the value.
    pub const EVERYWHERE: u32 = 1003;
    /// Reads its memory from where its data are, up to and over the end.
    pub const RUN_OFF: u32 = 1004;
    /// Makes the call about words that the value says ([`WORD_CALLS`]), at the target.
    pub const WORD: u32 = 1005;
    /// The calls about words.
    pub const WORD_CALLS: [u32; 6] = [
        call::FUTEX_WAIT,
        call::FUTEX_WAKE,
        call::FUTEX_GIVE,
        call::FUTEX_REQUEUE,
        call::FUTEX_LOCK,
        call::FUTEX_UNLOCK,
    ];
    /// See [`BUFFER`].
    pub const SHAPE: u32 = 32;
    /// The value of [`BUFFER`] that reads and writes beyond a client's own buffers.
    pub const BEYOND: u32 = 31;
}

/// What the keeper's registers hold.
pub const SECRET: u32 = 0x5EC2_E700;

/// How the keeper is to go on after a message: its first word.
pub mod order {
    /// Answers with nothing, and waits.
    pub const ANSWER: u32 = 0;
    /// Answers with a status, and waits.
    pub const REFUSE: u32 = 1;
    /// Answers, and waits in a call of its own.
    pub const ANSWER_FIRST: u32 = 2;
    /// Answers with bytes, and waits.
    pub const BYTES: u32 = 3;
    /// Dies by a fault.
    pub const FAULT: u32 = 4;
}

/// Where an attack goes.
#[derive(Clone, Copy, Debug)]
pub enum Target {
    /// Another process's data.
    Victim,
    /// Another process's code.
    VictimsCode,
    /// So far into the kernel's data.
    KernelData(u32),
    /// So far into the kernel's code.
    KernelCode(u32),
    /// So far behind the attacker's memory.
    Behind(u32),
    /// A place of the board.
    Place(u32),
}

/// What the addresses of targets depend on.
#[derive(Clone, Copy, Debug)]
pub struct Places {
    /// Where the victim sees its data.
    pub data: u32,
    /// Where the victim sees its code.
    pub code: u32,
    /// Where the attacker's memory ends.
    pub end: u32,
}

impl Target {
    /// The address.
    #[must_use]
    pub fn address(self, Places { data, code, end }: Places) -> u32 {
        match self {
            Target::Victim => data_of_another(data),
            // Where addresses are translated, programs lie behind the kernel's.
            Target::VictimsCode if is_translated(code) => kernel_code(code) + KERNEL_CODE,
            Target::VictimsCode => code,
            Target::KernelData(offset) => kernel_data(data) + offset,
            Target::KernelCode(offset) => kernel_code(code) + offset,
            Target::Behind(offset) => end + offset,
            Target::Place(address) => address,
        }
    }
}

/// Bytes that the kernel's code has on every board.
pub const KERNEL_CODE: u32 = 64 << 10;

/// Bytes that the kernel's data have at least, by an address of a process's data.
#[must_use]
pub const fn kernel_data_size(address: u32) -> u32 {
    if is_translated(address) {
        2 << 20
    } else {
        64 << 10
    }
}

/// `[0, 1, …]`: an attack that goes through a table.
#[must_use]
pub const fn positions<const N: usize>() -> [u32; N] {
    let mut positions = [0; N];
    let mut position = 0;
    while position < N {
        positions[position] = position as u32;
        position += 1;
    }
    positions
}
