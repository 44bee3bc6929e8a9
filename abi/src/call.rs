//! The call word: which operation, on which handle.
//!
//! Bits 31..28 hold the operation, 27..8 the handle's generation, 7..0 its index. Operation 0 is
//! the calls without a handle: their number stands in bits 7..0.

/// Operations on a handle (bits 31..28 of the call word).
pub mod operation {
    /// A call without a handle; see [`super::number`].
    pub const OTHER: u32 = 0;
    /// Send words in registers and wait for the reply.
    pub const SEND: u32 = 1;
    /// Send `WORD1` bytes at `WORD0`.
    pub const SEND_BYTES: u32 = 2;
    /// Send what the `WORD1` [`crate::Part`]s at `WORD0` name, in order.
    pub const SEND_VECTOR: u32 = 3;
    /// Wait for a message.
    pub const RECEIVE: u32 = 4;
    /// Lend the `WORD1` bytes at `WORD0`, which the server may read until it answers, with the words
    /// `WORD2` to `WORD4`.
    pub const LEND: u32 = 5;
    /// Lend the `WORD1` bytes at `WORD0`, which the server may read and write until it answers, with
    /// the words `WORD2` to `WORD4`.
    pub const LEND_MUT: u32 = 6;
    /// Give the server the `WORD1` bytes at `WORD0` for its own, with the words `WORD2` to `WORD4`.
    pub const MOVE: u32 = 7;
    /// Answer with words, then wait for the next message. (Bit 31 is set in all that answer and wait.)
    pub const REPLY_RECEIVE: u32 = 8;
    /// Answer with `WORD1` bytes at `WORD0`, then wait for the next message.
    pub const REPLY_BYTES_RECEIVE: u32 = 9;
    /// Answer with the `WORD1` parts at `WORD0`, then wait for the next message.
    pub const REPLY_VECTOR_RECEIVE: u32 = 10;
    /// Answer with the error status in `x4` and no bytes, then wait for the next message.
    pub const REPLY_ERROR_RECEIVE: u32 = 11;
    /// A call about regions that are made at run time; its number stands where others have a handle ([`crate::region`]).
    pub const REGION: u32 = 12;
    /// A call about signals; its number stands where others have a handle ([`crate::signal`]).
    pub const SIGNAL: u32 = 13;
    /// Hands the client of the token in `INFO` and `GENERATION` on to the server of this connection: it waits there as if it
    /// had sent its message through it. If it has sent words, these are `WORD0` to `WORD4` from now on, as many bytes as
    /// `INFO` says. Needs the `relay` grant; `BadCall` where nobody
    /// has it. Never blocks.
    pub const RELAY: u32 = 14;
}

/// Numbers of the calls without a handle.
pub mod number {
    /// Does nothing: what a system call costs.
    pub const NULL: u32 = 0;
    /// Lets the next ready thread of the same priority run.
    pub const YIELD: u32 = 1;
    /// Returns the monotonic time in nanoseconds: low word in `WORD0`, high word in `WORD1`.
    pub const CLOCK: u32 = 2;
    /// Sleeps until the monotonic time in `x0`, `x1`.
    pub const SLEEP: u32 = 3;
    /// Makes the other threads of this process ready, the first time it is called.
    pub const START_THREADS: u32 = 4;
    /// Ends this process: `WORD0` is its exit status. It is handled as the manifest's `on_exit` says.
    pub const EXIT: u32 = 5;
    /// Stops the machine: `WORD0` is the exit code. Needs the `shutdown` grant.
    pub const SHUTDOWN: u32 = 6;
    /// Opens connection slot `WORD0` of the manifest, or finds the process's own proxy of the manifest
    /// there: a handle in `WORD0`, or the error.
    pub const CONNECT: u32 = 7;
    /// Closes the connection handle in `WORD0`, or that of another process's proxy, or of a region.
    pub const CLOSE: u32 = 8;
    /// Answers with words: token in `INFO` and `GENERATION`. Never blocks.
    pub const REPLY: u32 = 9;
    /// Answers with `WORD1` bytes at `WORD0`. Never blocks.
    pub const REPLY_BYTES: u32 = 10;
    /// Answers with the `WORD1` parts at `WORD0`. Never blocks.
    pub const REPLY_VECTOR: u32 = 11;
    /// Answers with the error status in `x4` and no bytes. Never blocks.
    pub const REPLY_ERROR: u32 = 12;
    /// Copies from the waiting client's message: `WORD0` buffer, `WORD1` length, `WORD2` offset.
    /// Returns the bytes copied in `WORD0`.
    pub const READ: u32 = 13;
    /// Copies into the waiting client's reply buffer: `WORD0` bytes, `WORD1` length, `WORD2`
    /// offset. Returns the bytes copied in `WORD0`.
    pub const WRITE: u32 = 14;
    /// Answers with four words and hands the client the connection handle in `WORD4`, or the right to
    /// trigger the proxy there, or a handle of the region there. The status is 0, whatever
    /// the server says.
    pub const REPLY_HANDLE: u32 = 15;
    /// Copies the [`crate::fault::Record`] of process `WORD0` to `x2`, `x3`. Needs the `supervisor` grant.
    pub const FAULT_RECORD: u32 = 16;
    /// Faults the calling process with a message: `WORD1` bytes at `WORD0`, at most
    /// [`crate::fault::TEXT_BYTES`] of which are kept.
    pub const PANIC: u32 = 17;
    /// Gives up the moved memory in the caller's window at `WORD0`: it goes home. Or unmaps the region that is mapped
    /// there: threads of the process that wait at words in it are told [`crate::Error::BadAddress`], and locks in it
    /// that they own go to who waits for them.
    pub const RELEASE: u32 = 18;
    /// Takes back into use what has come home of the `WORD1` bytes at `WORD0` in the caller's pages:
    /// it is cleared first.
    pub const RECLAIM: u32 = 19;
    /// ORs the bits of `WORD1`, at least one, into those of a channel: its server gets them with a
    /// notice, all at once. `WORD0` is the handle of the channel, one of the caller's process, or of
    /// a connection to it with the right `notify`. Never blocks.
    pub const NOTIFY: u32 = 20;
    /// Waits at the word at address `WORD0` until [`FUTEX_WAKE`], as long as it holds `WORD1` now;
    /// otherwise it is refused with [`crate::Error::WouldBlock`].
    pub const FUTEX_WAIT: u32 = 21;
    /// Wakes at most `WORD1` of the threads that wait at the word at address `WORD0`, the most urgent
    /// ones first. Returns in `WORD0` how many. The word is the process's to write. Never blocks.
    pub const FUTEX_WAKE: u32 = 22;
    /// Wakes at most `WORD2` of the threads that wait at the word at address `WORD0`, as long as it
    /// holds `WORD1`, and lets at most `WORD4` further ones wait at the word at address `WORD3`
    /// instead. Returns in `WORD0` how many it has woken, in `WORD1` how many wait there now. Both are
    /// the process's to write, and lie in one region, or both where no other process can write. Never
    /// blocks.
    pub const FUTEX_REQUEUE: u32 = 23;
    /// Waits until the caller owns the lock at address `WORD0` ([`crate::lock`]). Returns 1 in `WORD0`
    /// if what the lock protects was left by an owner that has died, else 0.
    pub const FUTEX_LOCK: u32 = 24;
    /// Gives the caller's lock at address `WORD0` to the most urgent thread that waits for it. Never
    /// blocks.
    pub const FUTEX_UNLOCK: u32 = 25;
    /// Starts a spare thread of the caller's process: at code address `WORD0`, with argument `WORD1` in
    /// its first register and `x0` in its fourth, at priority `WORD2` (at most the process's
    /// `priority_limit`), by policy `WORD3` ([`crate::thread::policy`]; by that and the priority of the caller if it is
    /// [`crate::thread::policy::SAME`]), on a stack of at least `WORD4` bytes. Returns its id in `WORD0`. Never blocks.
    pub const THREAD_CREATE: u32 = 26;
    /// Ends the calling thread: `WORD0` is its exit value. That of the main thread is its process's
    /// [`EXIT`], with that status.
    pub const THREAD_EXIT: u32 = 27;
    /// Waits until the thread `WORD0` of the caller's process has ended. Returns its exit value in
    /// `WORD0`; the id is stale then.
    pub const THREAD_JOIN: u32 = 28;
    /// Gives the thread `WORD0` of the caller's process (0: the caller) priority `WORD1` (0: the same
    /// as before) and policy `WORD2` ([`crate::thread::policy`]). Returns what they were in `WORD0` and
    /// `WORD1`, and the caller's effective priority in `WORD2`. Never blocks.
    pub const THREAD_SCHEDULE: u32 = 29;
    /// Nobody will join the thread `WORD0` of the caller's process: once it has ended, its slot is
    /// free. Never blocks.
    pub const THREAD_DETACH: u32 = 30;
    /// Makes a proxy, a message that is triggered without blocking: it brings the `WORD2` bytes at
    /// `WORD1`, at most [`crate::MAX_PROXY_BYTES`], to the caller's channel `WORD0`. Returns its
    /// handle in `WORD0`.
    pub const PROXY_CREATE: u32 = 31;
    /// Ends the proxy `WORD0` that the caller's process has made, and what it has counted.
    pub const PROXY_DESTROY: u32 = 32;
    /// Triggers the proxy `WORD0`: it is received once more. Never blocks, and says
    /// [`crate::Error::WouldBlock`] while [`crate::MAX_TRIGGERS`] have not been received.
    pub const TRIGGER: u32 = 33;
    /// Makes a timer that triggers the proxy `WORD0`, or sets the bits `WORD1` of the caller's
    /// channel `WORD0`. Returns its handle in `WORD0`.
    pub const TIMER_CREATE: u32 = 34;
    /// Starts the timer `WORD0`, running or not: it is due at the monotonic time in `x0`, `x1`, and
    /// then every `WORD1` (low), `WORD2` (high) nanoseconds: 0 for once, or at least
    /// [`crate::LEAST_PERIOD`]. Says [`crate::Error::Exhausted`] if the periodic timers of the process
    /// that run would be due more often together than its manifest allows: it goes on as before.
    pub const TIMER_SET: u32 = 35;
    /// Stops the timer `WORD0`. Returns in `WORD0` whether it ran.
    pub const TIMER_CANCEL: u32 = 36;
    /// Attaches the interrupt of position `WORD0` in the manifest's `interrupts` of the process to its
    /// channel with the handle `WORD1`: from its first acknowledgement on it sets the bits `WORD2`
    /// there. Returns the interrupt's handle in `WORD0`.
    pub const INTERRUPT_ATTACH: u32 = 37;
    /// Detaches the interrupt with the handle `WORD0`: its line is masked, and the handle is gone.
    pub const INTERRUPT_DETACH: u32 = 38;
    /// Acknowledges the interrupt with the handle `WORD0`: its line is unmasked. See also
    /// [`crate::info::ACKNOWLEDGE`].
    pub const INTERRUPT_ACK: u32 = 39;
    /// Masks the line of the interrupt with the handle `WORD0` until it is acknowledged.
    pub const INTERRUPT_MASK: u32 = 40;
    /// Raises the interrupt with the handle `WORD0` as its device would. Never blocks.
    pub const INTERRUPT_PEND: u32 = 41;
    /// Ends the timer `WORD0`.
    pub const TIMER_DESTROY: u32 = 42;
    /// Gives a unit of the semaphore ([`crate::semaphore`]) at address `WORD0` to the most urgent thread
    /// that waits there, which is woken, or else adds it to the word; unless that has as many as it can
    /// hold: [`crate::Error::WouldBlock`]. Returns in `WORD0` how many threads it has woken. Never
    /// blocks.
    pub const FUTEX_GIVE: u32 = 43;
    /// Restarts the process at position `WORD0` among those that the caller's process controls, whatever
    /// state it is in. It counts as none of its restarts, which are counted from zero again. Never blocks.
    pub const PROCESS_RESTART: u32 = 44;
    /// Stops the process at position `WORD0` among those that the caller's process controls, whatever state
    /// it is in. Never blocks.
    pub const PROCESS_STOP: u32 = 45;
    /// Counts the bytes of the stack of thread `WORD1` of process `WORD0` that it has not used since the
    /// start of the system, however often the process was restarted: `WORD0`. The guard below it is not among
    /// them. Never blocks. Needs the `supervisor` grant, or `inspect`.
    pub const STACK_UNUSED: u32 = 46;
    /// Says what thread `WORD1` of process `WORD0` is doing: its state ([`crate::thread::state`]) in `WORD0`; its
    /// effective priority, its own priority and its policy in bits 7..0, 15..8 and 17..16 of `WORD1`; what it waits
    /// for in `WORD2`; the bytes of its stack in `WORD3`, without the guard below it. Never blocks. Needs the
    /// `inspect` grant.
    pub const THREAD_STATE: u32 = 47;
    /// One more than the largest; not all below are calls.
    pub const COUNT: u32 = 48;
}

/// Operation shift in the call word.
pub const OPERATION_SHIFT: u32 = 28;
/// Generation shift in the call word.
pub const GENERATION_SHIFT: u32 = 8;
/// Mask of the handle part of the call word.
pub const HANDLE_MASK: u32 = 0x0FFF_FFFF;
/// Mask of the index part of a handle.
pub const INDEX_MASK: u32 = 0xFF;
/// Largest handle generation. Behind it comes 1 again.
pub const MAX_GENERATION: u32 = 0xF_FFFF;

/// The call word for `operation` on `handle`.
#[must_use]
pub const fn word(operation: u32, handle: u32) -> u32 {
    (operation << OPERATION_SHIFT) | (handle & HANDLE_MASK)
}

/// The handle with this index and generation.
#[must_use]
pub const fn handle(index: u32, generation: u32) -> u32 {
    (generation << GENERATION_SHIFT) | (index & INDEX_MASK)
}
