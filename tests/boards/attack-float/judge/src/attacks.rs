//! The attacks, and what is to become of them.

use riposte::abi::fault::reason::{EXECUTE, EXIT, ILLEGAL, MEMORY, STACK_OVERFLOW};

/// An attack.
pub struct Attack {
    /// The promise.
    pub name: &'static str,
    /// What the attacker does.
    pub number: u32,
}

/// It is stopped, or it does no harm and ends.
pub const REASONS: &[u32] = &[MEMORY, STACK_OVERFLOW, EXECUTE, ILLEGAL, EXIT];

/// All of them.
pub const ATTACKS: [Attack; 8] = [
    Attack {
        name: "calls with the end of its frame in another's memory",
        number: 0,
    },
    Attack {
        name: "is preempted with the end of its frame in another's memory",
        number: 1,
    },
    Attack {
        name: "is preempted with the end of its frame in the guard",
        number: 2,
    },
    Attack {
        name: "calls with the end of its frame in the guard",
        number: 3,
    },
    Attack {
        name: "yields with the end of its frame in another's memory",
        number: 4,
    },
    Attack {
        name: "returns into an interrupt with floating-point registers",
        number: 5,
    },
    Attack {
        name: "returns into a system call with floating-point registers",
        number: 6,
    },
    Attack {
        name: "returns to ARM code with floating-point registers",
        number: 7,
    },
];
