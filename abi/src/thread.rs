//! How threads share their level, and the ids that name them in the word of a lock and in calls about
//! threads.

/// How a thread shares its priority level.
pub mod policy {
    /// It runs until it blocks or yields.
    pub const FIFO: u32 = 0;
    /// After a slice the next one of its level runs.
    pub const ROUND_ROBIN: u32 = 1;
    /// As [`ROUND_ROBIN`]; and a thread that uses up its slice drops one level, until it blocks.
    pub const ADAPTIVE: u32 = 2;
    /// [`crate::call::number::THREAD_SCHEDULE`]: what it was. [`crate::call::number::THREAD_CREATE`]: the caller's, with
    /// the caller's priority.
    pub const SAME: u32 = u32::MAX;
}

/// What a thread is doing, as [`crate::call::number::THREAD_STATE`] says it, and what it waits for then: the
/// index of a process in the manifest, in bits 15..8, and in bits 7..0 that of one of its threads among its own, or that
/// of a channel among all channels of the manifest.
pub mod state {
    /// It has not been started, has ended, or its process is stopped or held.
    pub const STOPPED: u32 = 0;
    /// It runs, or is ready to.
    pub const READY: u32 = 1;
    /// Its message waits to be received, at this channel of this process.
    pub const SEND_BLOCKED: u32 = 2;
    /// This thread of this process has received its message, and has not answered.
    pub const REPLY_BLOCKED: u32 = 3;
    /// It waits for a message, at this channel of its own process.
    pub const RECEIVE_BLOCKED: u32 = 4;
    /// It waits at a word, or for a lock.
    pub const FUTEX_BLOCKED: u32 = 5;
    /// It waits for the end of a thread of its process.
    pub const JOINING: u32 = 6;
    /// It sleeps.
    pub const SLEEPING: u32 = 7;
    /// It waits for a signal.
    pub const SIGNAL_WAITING: u32 = 8;
}

/// Mask of the system-wide index in a thread's id.
pub const INDEX_MASK: u32 = 0xFF;
/// Shift of the life in a thread's id: it counts the thread's starts, from 1.
pub const LIFE_SHIFT: u32 = 8;
/// The last life before the first one comes again.
pub const MAX_LIFE: u32 = 0x3F_FFFF;

/// The id of the thread with this index in this life. It is never 0, and its two highest bits are.
#[must_use]
pub const fn id(index: u32, life: u32) -> u32 {
    (life & MAX_LIFE) << LIFE_SHIFT | index & INDEX_MASK
}
