//! The attacks, and what is to become of them.

use riposte::abi::fault::reason::{ARITHMETIC, EXECUTE, EXIT, ILLEGAL, MEMORY, STACK_OVERFLOW};

/// An attack.
pub struct Attack {
    /// The promise.
    pub name: &'static str,
    /// What the attacker does.
    pub number: u32,
    /// What it may be stopped for.
    pub reasons: &'static [u32],
}

/// It is stopped, or it does no harm and ends. (ARM code that does not begin at a whole word is an unaligned access.)
const ANY: &[u32] = &[MEMORY, STACK_OVERFLOW, EXECUTE, ILLEGAL, ARITHMETIC, EXIT];
/// The plain part of its frame lies in another thread's stack: that of its own process, which nobody may go on with.
const BEYOND: &[u32] = &[STACK_OVERFLOW];

/// All of them.
pub const ATTACKS: [Attack; 8] = [
    Attack {
        name: "calls with the end of its frame in another's memory",
        number: 0,
        reasons: ANY,
    },
    Attack {
        name: "is preempted with the end of its frame in another's memory",
        number: 1,
        reasons: ANY,
    },
    Attack {
        name: "is preempted with the end of its frame in the guard",
        number: 2,
        reasons: BEYOND,
    },
    Attack {
        name: "calls with the end of its frame in the guard",
        number: 3,
        reasons: BEYOND,
    },
    Attack {
        name: "yields with the end of its frame in another's memory",
        number: 4,
        reasons: ANY,
    },
    Attack {
        name: "returns into an interrupt with floating-point registers",
        number: 5,
        reasons: ANY,
    },
    Attack {
        name: "returns into a system call with floating-point registers",
        number: 6,
        reasons: ANY,
    },
    Attack {
        name: "returns to ARM code with floating-point registers",
        number: 7,
        reasons: ANY,
    },
];
