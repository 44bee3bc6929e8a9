//! What the processes of the test have in common.
#![no_std]

use riposte::Shared;
use riposte::sync::{
    Barrier, ByteQueue, Condvar, EventFlags, Lock, Mailbox, Once, Queue, Semaphore, Word,
};

/// The region.
#[derive(Shared)]
#[repr(C)]
pub struct Common {
    /// What the peer is to do next.
    pub orders: Queue<u32, 4>,
    /// Items to the peer, and back.
    pub there: Queue<[u32; 3], 4>,
    /// See [`Common::there`].
    pub back: Queue<[u32; 3], 2>,
    /// Says that the peer has come so far.
    pub reached: Semaphore,
    /// For both to take.
    pub lock: Lock,
    /// Changed under the lock.
    pub counters: [Word; 2],
    /// Changed in one step by both.
    pub total: Word,
    /// For one to wait at, and end.
    pub changed: Condvar,
    /// See [`Common::changed`].
    pub flags: EventFlags,
    /// See [`Common::changed`].
    pub mailbox: Mailbox,
    /// What a stranger writes to.
    pub victim: Victim,
}

/// One of each.
#[derive(Shared)]
#[repr(C)]
pub struct Victim {
    /// A queue.
    pub queue: Queue<u32, 5>,
    /// A byte queue.
    pub bytes: ByteQueue<6>,
    /// A semaphore.
    pub semaphore: Semaphore,
    /// A lock.
    pub lock: Lock,
    /// Flags.
    pub flags: EventFlags,
    /// A mailbox.
    pub mailbox: Mailbox,
    /// A barrier.
    pub barrier: Barrier,
    /// A condition variable.
    pub condvar: Condvar,
    /// Something to be done once.
    pub once: Once,
}

/// Orders of the judge to the peer.
pub mod order {
    /// Sends so many items back, each a little changed.
    pub const ECHO: u32 = 1;
    /// Adds to the total, and under the lock to both counters.
    pub const COUNT: u32 = 2;
    /// Takes the lock, says so, and works a while.
    pub const HOLD: u32 = 3;
    /// Takes the lock, says so, and ends.
    pub const DIE: u32 = 4;
    /// Writes to the victim, again and again.
    pub const SPOIL: u32 = 5;
    /// Waits for a notification, for flags, or for a word in a mailbox, says so, and ends.
    pub const DIE_WAITING: [u32; 3] = [6, 7, 8];
    /// Says that it lives.
    pub const LIVE: u32 = 9;
}

/// How often the peer does what it is told.
pub const TIMES: u32 = 300;
/// Words of the victim that are overwritten at a time.
pub const SPOILT: usize = 3;
