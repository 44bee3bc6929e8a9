//! Events of the kernel, as it writes them into the ring of a traced system.
//!
//! An event has four words: the low word of its time in ticks of the clock; what it is and of whom ([`head`]); and two words
//! that depend on what it is. Threads and channels are named by their indices in the system.

/// Words of an event.
pub const WORDS: usize = 4;

/// Bytes before the ring of events, four words: how many were written since the start, one of the kernel's, the high
/// word of the last one's time, and the nanoseconds of a tick.
pub const HEADER: usize = 16;

/// What has happened. Its thread and its *other* are named first, then its two words.
pub mod kind {
    /// A thread runs from now on; the other one ran until now. Words: what that one is doing ([`crate::thread::state`]), 0.
    pub const SWITCH: u32 = 1;
    /// A client sends to a channel (the other). Words: the badge, the operation.
    pub const SEND: u32 = 2;
    /// A server has the message of a client (the other), which waits for the reply. Words: the badge, the token's
    /// generation.
    pub const RECEIVE: u32 = 3;
    /// A server has answered a client (the other). Words: the status, 0.
    pub const REPLY: u32 = 4;
    /// What a thread waited for is over, otherwise than by what these events say; the other is what it was doing
    /// ([`crate::thread::state`]). Words: 0, 0.
    pub const END: u32 = 5;
    /// A proxy of a channel (the other) is triggered while the thread runs. Words: the proxy's handle, how many times.
    pub const TRIGGER: u32 = 6;
    /// Bits of a channel (the other) are set while the thread runs. Words: the bits, 0.
    pub const NOTIFY: u32 = 7;
    /// A server has a notice, of the kind that the other says ([`crate::notice`]). Words: the handle of a proxy, or the
    /// bits; 0.
    pub const NOTICE: u32 = 8;
    /// A thread waits at a word of memory. Words: which, 0.
    pub const FUTEX_WAIT: u32 = 9;
    /// A thread that waited at a word goes on; the other one runs. Words: 0, 0.
    pub const FUTEX_WAKE: u32 = 10;
    /// A thread waits for a lock that the other one has. Words: which word, 0.
    pub const LOCK_WAIT: u32 = 11;
    /// A thread that waited for a lock has it; the other one runs. Words: 0, 0.
    pub const LOCK_GIVEN: u32 = 12;
    /// A thread sends a signal to a process (the other). Words: the signal, 0.
    pub const SIGNAL: u32 = 13;
    /// A thread goes on in a signal's handler. Words: the signal, 0.
    pub const HANDLER: u32 = 14;
    /// An interrupt has come while the thread ran. Words: its line, 0.
    pub const INTERRUPT: u32 = 15;
    /// A time has come: the other says of what ([`super::due`]), the thread is running. Words: the number of a thread,
    /// of a line, or of a timer behind its process (in bits 8 and up); 0.
    pub const DEADLINE: u32 = 16;
    /// A thread has faulted. Words: the reason ([`crate::fault`]), the address.
    pub const FAULT: u32 = 17;
    /// The effective priority of a thread has changed; the other is what it was. Words: 0, 0.
    pub const PRIORITY: u32 = 18;
    /// From here on the high word of the time is another one. Words: the one before, the one now.
    pub const EPOCH: u32 = 19;
    /// A thread has ended, alone or with its process, or its process is held: it is stopped until it runs again. The other
    /// one runs. Words: 0, 0.
    pub const STOP: u32 = 20;
}

/// What [`kind::DEADLINE`] was of.
pub mod due {
    /// A thread's call.
    pub const THREAD: u32 = 0;
    /// A timer.
    pub const TIMER: u32 = 1;
    /// An interrupt that was limited to a rate.
    pub const INTERRUPT: u32 = 2;
}

/// The second word of an event: its kind, thread and other (8 bits each), and the thread's effective priority.
#[must_use]
#[inline(always)]
pub const fn head(kind: u32, thread: u8, other: u32, priority: u8) -> u32 {
    kind | (thread as u32) << 8 | (other & 0xFF) << 16 | (priority as u32) << 24
}
