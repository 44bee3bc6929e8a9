//! Words at which threads wait, and locks.

use riposte::abi::call::number;
use riposte::abi::{Error, register};
use riposte::futex;
use riposte::sync::Word;

use crate::call::{Call, OK, address, put};
use crate::object::until;
use crate::types::{riposte_deadline_t, riposte_error_t};

/// That the kernel has no such call.
const BAD_CALL: riposte_error_t = Error::BadCall as u32;

/// Waits at a word until somebody wakes the thread. Threads wait in the order of their priorities, and
/// of their coming within one. In a system where no two threads have memory in common, and no process
/// takes signals, nobody can wake it: it waits until the deadline.
///
/// @param word The word, aligned, in memory that this process may write, for good or as a region that it
/// has mapped; it may be shared.
/// @param expected What it must be.
/// @param deadline Until when, in nanoseconds of monotonic time, or RIPOSTE_FOREVER or
/// RIPOSTE_IMMEDIATE.
/// @error RIPOSTE_ERROR_WOULD_BLOCK The word is something else, or the deadline was RIPOSTE_IMMEDIATE.
/// @error RIPOSTE_ERROR_TIMED_OUT The deadline passed.
/// @error RIPOSTE_ERROR_BAD_ADDRESS The word is not in such memory, or that was unmapped meanwhile.
/// @error RIPOSTE_ERROR_BAD_ARGUMENT The word is misaligned.
/// @error RIPOSTE_ERROR_INTERRUPTED A signal was handled meanwhile.
/// @blocks Until somebody wakes the thread, or the deadline.
/// @from Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn riposte_futex_wait_until(
    word: *const u32,
    expected: u32,
    deadline: riposte_deadline_t,
) -> riposte_error_t {
    let call = Call::number(number::FUTEX_WAIT)
        .words([address(word), expected])
        .until(deadline);
    match call.done() {
        // SAFETY: the caller's promise.
        BAD_CALL => unsafe { wait_alone(word, expected, deadline) },
        error => error,
    }
}

/// What a wait is where nobody could end it.
#[cold]
unsafe fn wait_alone(
    word: *const u32,
    expected: u32,
    deadline: riposte_deadline_t,
) -> riposte_error_t {
    if !word.is_aligned() {
        return Error::BadArgument as u32;
    }
    // SAFETY: the caller's promise. A word is one of Rust's.
    let word = unsafe { &*word.cast::<Word>() };
    futex::wait_alone(word, expected, until(deadline)) as u32
}

/// Wakes threads that wait at a word, the most urgent first.
///
/// @param word The word.
/// @param most How many at most.
/// @param woken Where it is stored how many were woken, or NULL.
/// @error RIPOSTE_ERROR_BAD_ADDRESS The word is not in memory that this process may write, for good or as
/// a region that it has mapped.
/// @error RIPOSTE_ERROR_BAD_ARGUMENT The word is misaligned.
/// @blocks Never; a more urgent thread that is woken runs at once.
/// @from Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn riposte_futex_wake(
    word: *const u32,
    most: u32,
    woken: *mut u32,
) -> riposte_error_t {
    let call = Call::number(number::FUTEX_WAKE).words([address(word), most]);
    // SAFETY: the caller's promise.
    unsafe { call.store(woken) }
}

/// Wakes threads that wait at a word, and has others of them wait at another word instead: what a
/// condition variable needs.
///
/// @param word The word.
/// @param expected What it must be.
/// @param most How many are woken at most.
/// @param other The other word.
/// @param most_moved How many wait there at most.
/// @param woken Where it is stored how many were woken, or NULL.
/// @param moved Where it is stored how many wait there now instead, or NULL.
/// @error RIPOSTE_ERROR_WOULD_BLOCK The word is something else.
/// @error RIPOSTE_ERROR_BAD_ADDRESS A word is not in memory that this process may write, for good or as a
/// region that it has mapped; or they are not in one region, nor both in memory that no other process can
/// write.
/// @error RIPOSTE_ERROR_BAD_ARGUMENT A word is misaligned, or both are the same.
/// @blocks Never; a more urgent thread that is woken runs at once.
/// @from Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn riposte_futex_requeue(
    word: *const u32,
    expected: u32,
    most: u32,
    other: *const u32,
    most_moved: u32,
    woken: *mut u32,
    moved: *mut u32,
) -> riposte_error_t {
    let words = [address(word), expected, most, address(other), most_moved];
    match Call::number(number::FUTEX_REQUEUE).words(words).make() {
        Ok(out) => {
            // SAFETY: the caller's promise.
            unsafe {
                put(woken, out[register::WORD0]);
                put(moved, out[register::WORD1]);
            }
            OK
        }
        Err(error) => error,
    }
}

/// Takes a lock whose word was not 0, which one has tried to replace by one's thread id. The owner runs
/// with the priority of the most urgent thread that waits.
///
/// @param word The lock's word, aligned, in memory that this process may write; it may be shared.
/// @param deadline Until when, in nanoseconds of monotonic time, or RIPOSTE_FOREVER or
/// RIPOSTE_IMMEDIATE.
/// @param owner_died Where it is stored whether the former owner died owning it, so that what it
/// protects may be in disorder; or NULL.
/// @error RIPOSTE_ERROR_DEADLOCK The thread would wait for itself, at last.
/// @error RIPOSTE_ERROR_TIMED_OUT The deadline passed.
/// @error RIPOSTE_ERROR_WOULD_BLOCK Somebody owns it, and the deadline was RIPOSTE_IMMEDIATE.
/// @error RIPOSTE_ERROR_BAD_ADDRESS The word is not in memory that this process may write.
/// @error RIPOSTE_ERROR_BAD_ARGUMENT The word is misaligned, or names no thread.
/// @error RIPOSTE_ERROR_INTERRUPTED A signal was handled meanwhile; the lock is not this thread's.
/// @blocks Until the lock is this thread's, or the deadline.
/// @from Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn riposte_futex_lock_until(
    word: *mut u32,
    deadline: riposte_deadline_t,
    owner_died: *mut bool,
) -> riposte_error_t {
    let call = Call::number(number::FUTEX_LOCK)
        .words([address(word)])
        .until(deadline);
    match call.make() {
        Ok(out) => {
            // SAFETY: the caller's promise.
            unsafe { put(owner_died, out[register::WORD0] != 0) };
            OK
        }
        Err(error) => error,
    }
}

/// Gives a lock up whose word says that somebody waits: the most urgent thread gets it.
///
/// @param word The lock's word.
/// @error RIPOSTE_ERROR_NOT_PERMITTED The calling thread does not own it.
/// @error RIPOSTE_ERROR_BAD_ADDRESS The word is not in memory that this process may write.
/// @error RIPOSTE_ERROR_BAD_ARGUMENT The word is misaligned.
/// @blocks Never; a more urgent thread that gets it runs at once.
/// @from The thread that owns it.
#[unsafe(no_mangle)]
pub extern "C" fn riposte_futex_unlock(word: *mut u32) -> riposte_error_t {
    Call::number(number::FUTEX_UNLOCK)
        .words([address(word)])
        .done()
}
