//! The binary interface between a Riposte process and the kernel: what a system call's
//! registers mean, which numbers its operations, notices and errors have.
//!
//! Kernel, user libraries and host tools all use this crate; nothing here has behaviour beyond
//! packing and unpacking words.
//!
//! # Registers
//!
//! A call has eight *message registers* and five *extra registers*:
//!
//! | register | Cortex-M | RISC-V | in: what the caller gives | out: what the call returns |
//! |---|---|---|---|---|
//! | `CALL` | r4 | s2 | operation, handle generation, handle index | client: status or error · server: badge |
//! | `WORD0` | r5 | s3 | message word 0 | message word 0 |
//! | `INFO` | r6 | s4 | length, flags; in a reply also the token's tag | length, flags; for a server also the token's tag |
//! | `GENERATION` | r7 | s5 | in a reply: the token's generation | server: the token's generation · client: how many bytes the server accepted of a message in memory |
//! | `WORD1`..`WORD4` | r8..r11 | s6..s9 | message words 1 to 4 | message words 1 to 4 |
//! | `x0`, `x1` | r0, r1 | s10, s11 | deadline in nanoseconds, low and high word, if `info::DEADLINE` | |
//! | `x2`, `x3` | r2, r3 | a2, a3 | receive or reply buffer: address and capacity in bytes (capacity 0: none) | |
//! | `x4` | r12 | a4 | status, if `info::STATUS` | |
//!
//! **A call clobbers every message register.** Beyond that, on Cortex-M it clobbers the
//! floating-point registers, and nothing else. On RISC-V it clobbers everything but `sp`, `s0`, `s1`,
//! `gp` and `tp`; `gp` and `tp` are the kernel's to set: a process finds in them what it was started
//! with, whatever it writes there. What else a register holds after a call is 0 or what the process
//! itself held there, or knows of itself (its program counter, the ranges of its memory). A message of up to [`MESSAGE_BYTES`] bytes travels in the five words; what the length does not
//! cover is still what the sender's registers held, so a sender clears it. Of a message in memory
//! only `WORD0` and `WORD1` count; the other words reach nobody.
#![no_std]
#![forbid(unsafe_code)]

pub mod call;
pub mod data;
pub mod error;
pub mod fault;
pub mod info;
pub mod lock;
pub mod notice;
pub mod process_info;
pub mod region;
pub mod semaphore;
pub mod signal;
pub mod thread;
pub mod trace;

pub use error::Error;

/// Machine words that a message can carry in registers.
pub const MESSAGE_WORDS: usize = 5;
/// Bytes that a message can carry in registers.
pub const MESSAGE_BYTES: usize = MESSAGE_WORDS * 4;
/// Most priority levels a manifest may ask for.
pub const MAX_PRIORITIES: usize = 256;
/// Fewest priority levels of a system.
pub const MIN_PRIORITIES: usize = 32;
/// Most threads of a system, its idle one included: a reply token names its thread with eight bits.
pub const MAX_THREADS: usize = 256;
/// Bytes of a restartable sequence, which stands at a multiple of them. Where a processor has no atomic
/// instructions, a program has such sequences between its symbols `__restartable_start` and
/// `__restartable_end`: a thread that is interrupted in one begins it anew, so that its last
/// instruction, the only one that changes memory, takes effect as if all were one.
pub const RESTARTABLE_BYTES: u32 = 16;
/// Most parts of a scattered or gathered message.
pub const MAX_PARTS: usize = 16;
/// The badge of the process with index 0 in a connection to a channel that tells processes apart, whoever has handed
/// it over (the right `own-badge`); that of each other process is this plus its index. No `badge` of the manifest is
/// one of these 256.
pub const PROCESS_BADGES: u32 = 0x7FFF_FF00;
/// Most bytes of a proxy's message.
pub const MAX_PROXY_BYTES: usize = 100;
/// Most triggers of a proxy that have not been received.
pub const MAX_TRIGGERS: u16 = u16::MAX;
/// Shortest period of a timer, in nanoseconds; how often all timers of a process are due together is
/// limited by its manifest.
pub const LEAST_PERIOD: u64 = 100_000;
/// Nanoseconds until the machine is reset after a process has reached a limit whose manifest says so.
pub const RESET_DELAY: u64 = 1_000_000_000;
/// How often the delay of restarts is doubled at most.
pub const MOST_DOUBLINGS: u32 = 6;

/// Positions of the message registers, in the order in which a port saves them.
pub mod register {
    /// Call word; status, error or badge on return.
    pub const CALL: usize = 0;
    /// First message word.
    pub const WORD0: usize = 1;
    /// Length, flags, token tag.
    pub const INFO: usize = 2;
    /// Token generation.
    pub const GENERATION: usize = 3;
    /// Second message word.
    pub const WORD1: usize = 4;
    /// Third message word.
    pub const WORD2: usize = 5;
    /// Fourth message word.
    pub const WORD3: usize = 6;
    /// Fifth message word.
    pub const WORD4: usize = 7;
    /// How many there are.
    pub const COUNT: usize = 8;
    /// The five message words in order.
    pub const WORDS: [usize; 5] = [WORD0, WORD1, WORD2, WORD3, WORD4];
}

/// One part of a scattered or gathered buffer, as it lies in a process's memory.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// First byte's address.
    pub address: u32,
    /// Length in bytes.
    pub length: u32,
}

/// The badge of the process with this index: see [`PROCESS_BADGES`].
#[must_use]
pub const fn process_badge(index: u8) -> u32 {
    PROCESS_BADGES | index as u32
}

/// Whether a badge is that of a process.
#[must_use]
pub const fn is_process_badge(badge: u32) -> bool {
    badge & !0xFF == PROCESS_BADGES
}
