//! Waiting at words of memory: what mutexes, semaphores and the like are made of.
//!
//! A [`Word`] can be waited at in memory that is the process's for good: its data, its stacks, or a
//! region that it shares, or has mapped to write; not in what it lends, or was lent. Processes that share a region meet
//! there.
//!
//! In a system where no two threads have memory in common, and no process takes signals, nobody can wake anybody: the
//! kernel has no calls for words there ([`Error::BadCall`]). A wait at one is a sleep until its deadline.
//!
//! ```no_run
//! use riposte::sync::Word;
//! use riposte::{Error, futex};
//!
//! static DOOR: Word = Word::new(0);
//!
//! /// Waits until the door is open.
//! fn pass() {
//!     while DOOR.load() == 0 {
//!         // It may have been opened by now: then this does not wait.
//!         let _ = futex::wait(&DOOR, 0);
//!     }
//! }
//!
//! fn open() -> Result<u32, Error> {
//!     DOOR.store(1);
//!     futex::wake(&DOOR, u32::MAX)
//! }
//! ```

use riposte_abi::call::number;
use riposte_abi::{Error, register};

use crate::sync::Word;
use crate::trap;
use crate::{Deadline, Instant, failure, sleep_until};

/// What an owner of a lock knows of how it got it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "what a dead owner has left may be in disorder"]
pub enum Locked {
    /// The former owner gave it up.
    Consistent,
    /// The former owner died with it. Until [`riposte_abi::lock::OWNER_DIED`] is cleared, each further
    /// owner is told so.
    OwnerDied,
}

/// What became of threads that waited at a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Requeued {
    /// How many were woken.
    pub woken: u32,
    /// How many wait at the other word now.
    pub moved: u32,
}

/// As [`failure::ask`], until `deadline`.
#[inline(always)]
fn block(call: u32, word: &Word, value: u32, deadline: Deadline) -> Result<u32, Error> {
    let address = trap::address(core::ptr::from_ref(word));
    if deadline == Deadline::None {
        return failure::ask(call, address, value);
    }
    failure::perform_until(call, [address, value], deadline).map(|out| out[register::WORD0])
}

/// Blocks the calling thread until it is woken at `word`, if that holds `expected` now. The more urgent
/// of those who wait are woken first; equals in the order in which they came.
///
/// # Errors
/// [`Error::WouldBlock`] if the word holds something else; [`Error::BadAddress`] if the memory is not the
/// process's for good, nor a region that it has mapped to write, or was unmapped meanwhile;
/// [`Error::Interrupted`] if a signal was handled meanwhile.
#[inline(always)]
pub fn wait(word: &Word, expected: u32) -> Result<(), Error> {
    wait_until(word, expected, Deadline::None)
}

/// As [`wait`], until `deadline`.
///
/// # Errors
/// [`Error::TimedOut`]; [`Error::WouldBlock`] if it is [`Deadline::Immediate`]; and as [`wait`].
#[inline(always)]
pub fn wait_until(word: &Word, expected: u32, deadline: impl Into<Deadline>) -> Result<(), Error> {
    let deadline = deadline.into();
    match ask(word, expected, deadline) {
        Err(Error::BadCall) => Err(wait_alone(word, expected, deadline)),
        result => result,
    }
}

/// As [`wait_until`], where the kernel has such a call.
#[inline(always)]
pub(crate) fn ask(word: &Word, expected: u32, deadline: Deadline) -> Result<(), Error> {
    block(number::FUTEX_WAIT, word, expected, deadline).map(drop)
}

/// As [`wait_until`], where the kernel has no such call since nobody could wake the caller: the wait ends by its deadline
/// alone. For the C library, too.
#[doc(hidden)]
#[cold]
#[inline(never)]
pub fn wait_alone(word: &Word, expected: u32, deadline: Deadline) -> Error {
    if word.load() != expected {
        return Error::WouldBlock;
    }
    let moment = match deadline {
        Deadline::Immediate => return Error::WouldBlock,
        Deadline::At(moment) => moment,
        Deadline::None => Instant::MAX,
    };
    match sleep_until(moment) {
        Ok(()) => Error::TimedOut,
        Err(error) => error,
    }
}

/// Wakes at most `most` of the threads that wait at `word`; returns how many. Never blocks.
///
/// # Errors
/// [`Error::BadAddress`] if the memory is not the process's to write, for good or as a region that it has mapped.
#[inline(always)]
pub fn wake(word: &Word, most: u32) -> Result<u32, Error> {
    block(number::FUTEX_WAKE, word, most, Deadline::None)
}

/// Gives a unit of the semaphore `word` ([`riposte_abi::semaphore`]) to the most urgent thread that waits
/// there, or else adds it; whether a thread was woken. Never blocks.
///
/// # Errors
/// [`Error::WouldBlock`] if it has as many units as there can be; [`Error::BadAddress`] as [`lock`].
#[inline(always)]
pub fn give(word: &Word) -> Result<bool, Error> {
    block(number::FUTEX_GIVE, word, 0, Deadline::None).map(|woken| woken != 0)
}

/// Wakes at most `wake` of the threads that wait at `word`, if that holds `expected`, and lets at most
/// `most` of the others wait at `other` instead. Never blocks.
///
/// # Errors
/// [`Error::WouldBlock`] if the word holds something else; [`Error::BadArgument`] if both are the same
/// word; [`Error::BadAddress`] as [`wake`], or if they are not in one region, nor both in memory that no
/// other process can write: who could wake the threads must still be able to.
pub fn requeue(
    word: &Word,
    expected: u32,
    wake: u32,
    other: &Word,
    most: u32,
) -> Result<Requeued, Error> {
    let [from, to] = [word, other].map(|word| trap::address(core::ptr::from_ref(word)));
    let words = [from, expected, wake, to, most];
    let out = failure::perform(number::FUTEX_REQUEUE, words)?;
    Ok(Requeued {
        woken: out[register::WORD0],
        moved: out[register::WORD1],
    })
}

/// Blocks the calling thread until it owns the lock `word` ([`riposte_abi::lock`]). Meanwhile the owner
/// has at least its priority. To be called when the word did not hold 0.
///
/// # Errors
/// [`Error::Deadlock`] if the owner waits for the caller in the end, or is the caller;
/// [`Error::BadAddress`] if the memory is not the process's to write, for good or as a region that it has mapped;
/// [`Error::Interrupted`] if a signal was handled meanwhile.
pub fn lock(word: &Word) -> Result<Locked, Error> {
    lock_until(word, Deadline::None)
}

/// As [`lock`], if nobody else owns it. Never blocks.
///
/// # Errors
/// [`Error::WouldBlock`] if somebody does; and as [`lock`].
pub fn try_lock(word: &Word) -> Result<Locked, Error> {
    lock_until(word, Deadline::Immediate)
}

/// As [`lock`], until `deadline`.
///
/// # Errors
/// [`Error::TimedOut`]; [`Error::WouldBlock`] if it is [`Deadline::Immediate`]; and as [`lock`].
pub fn lock_until(word: &Word, deadline: impl Into<Deadline>) -> Result<Locked, Error> {
    block(number::FUTEX_LOCK, word, 0, deadline.into()).map(|died| match died {
        0 => Locked::Consistent,
        _ => Locked::OwnerDied,
    })
}

/// Gives the caller's lock `word` to the most urgent thread that waits for it. To be called when the
/// word held more than the caller's id. Never blocks.
///
/// # Errors
/// [`Error::NotPermitted`] if the caller does not own it; [`Error::BadAddress`] as [`lock`].
pub fn unlock(word: &Word) -> Result<(), Error> {
    block(number::FUTEX_UNLOCK, word, 0, Deadline::None).map(drop)
}
