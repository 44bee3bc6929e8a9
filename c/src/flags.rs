//! Event flags and mailboxes.

use core::num::NonZeroU32;

use riposte::Error;
use riposte::sync::{EventFlags, Flags, Mailbox};

use crate::call::{OK, put};
use crate::mutex::riposte_private_event;
use crate::object::{Object, object, result, until};
use crate::types::{riposte_deadline_t, riposte_error_t};

/// 32 event flags: threads set them, and wait until any or all of some are set. While nobody waits,
/// nothing makes a system call. Several processes can use them in a region. See RIPOSTE_EVENT_FLAGS.
#[repr(C)]
pub struct riposte_event_flags_t {
    /// Those that are set.
    pub flags: u32,
    /// Some were set.
    pub changed: riposte_private_event,
}

impl Object for riposte_event_flags_t {
    type Rust = EventFlags;
}

/// A mailbox: a place for one word that is not 0. Who posts waits while it is full, who fetches waits
/// while it is empty, each in order of priority. Several processes can use one in a region. See
/// RIPOSTE_MAILBOX.
#[repr(C)]
pub struct riposte_mailbox_t {
    /// The word; 0 if it is empty.
    pub word: u32,
    /// A word was posted.
    pub posted: riposte_private_event,
    /// A word was fetched.
    pub fetched: riposte_private_event,
}

impl Object for riposte_mailbox_t {
    type Rust = Mailbox;
}

/// Bits of `how`, as the header has them.
const ALL: u32 = 1;
const CLEAR: u32 = 2;

/// The half of riposte_event_flags_wait_until for the case that the flags are not set.
///
/// @param flags The flags.
/// @param wanted Which are wanted.
/// @param how RIPOSTE_ANY or RIPOSTE_ALL, and RIPOSTE_CLEAR.
/// @param deadline Until when, in nanoseconds of monotonic time, or RIPOSTE_FOREVER or
/// RIPOSTE_IMMEDIATE.
/// @param found Where those that were found are stored, or NULL.
/// @error RIPOSTE_ERROR_TIMED_OUT The deadline passed; nothing was cleared.
/// @error RIPOSTE_ERROR_WOULD_BLOCK They are not set, and the deadline was RIPOSTE_IMMEDIATE.
/// @error RIPOSTE_ERROR_INTERRUPTED Something ended the wait early; nothing was cleared.
/// @blocks Until the flags are set, or the deadline.
/// @from riposte_event_flags_wait_until.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn riposte_private_event_flags_wait_for(
    flags: *mut riposte_event_flags_t,
    wanted: u32,
    how: u32,
    deadline: riposte_deadline_t,
    found: *mut u32,
) -> riposte_error_t {
    let mut what = if how & ALL == 0 {
        Flags::any(wanted)
    } else {
        Flags::all(wanted)
    };
    if how & CLEAR != 0 {
        what = what.clear();
    }
    // SAFETY: the caller's promise.
    match unsafe { object(flags) }.wait_until(what, until(deadline)) {
        Ok(set) => {
            // SAFETY: the caller's promise.
            unsafe { put(found, set) };
            OK
        }
        Err(error) => error as riposte_error_t,
    }
}

/// The half of riposte_mailbox_post_until for the case that there is a word in the mailbox.
///
/// @param mailbox The mailbox.
/// @param word The word, not 0.
/// @param deadline Until when, in nanoseconds of monotonic time, or RIPOSTE_FOREVER or
/// RIPOSTE_IMMEDIATE.
/// @error RIPOSTE_ERROR_TIMED_OUT The deadline passed; nothing was posted.
/// @error RIPOSTE_ERROR_WOULD_BLOCK There is a word in it, and the deadline was RIPOSTE_IMMEDIATE.
/// @error RIPOSTE_ERROR_BAD_ARGUMENT The word is 0.
/// @error RIPOSTE_ERROR_INTERRUPTED Something ended the wait early; nothing was posted.
/// @blocks Until the mailbox is empty, or the deadline.
/// @from riposte_mailbox_post_until.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn riposte_private_mailbox_wait_to_post(
    mailbox: *mut riposte_mailbox_t,
    word: u32,
    deadline: riposte_deadline_t,
) -> riposte_error_t {
    let Some(word) = NonZeroU32::new(word) else {
        return Error::BadArgument as riposte_error_t;
    };
    // SAFETY: the caller's promise.
    result(unsafe { object(mailbox) }.post_until(word, until(deadline)))
}

/// The half of riposte_mailbox_fetch_until for the case that there is no word.
///
/// @param mailbox The mailbox.
/// @param deadline Until when, in nanoseconds of monotonic time, or RIPOSTE_FOREVER or
/// RIPOSTE_IMMEDIATE.
/// @param word Where it is stored.
/// @error RIPOSTE_ERROR_TIMED_OUT The deadline passed.
/// @error RIPOSTE_ERROR_WOULD_BLOCK There is none, and the deadline was RIPOSTE_IMMEDIATE.
/// @error RIPOSTE_ERROR_INTERRUPTED Something ended the wait early.
/// @blocks Until there is a word, or the deadline.
/// @from riposte_mailbox_fetch_until.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn riposte_private_mailbox_wait_to_fetch(
    mailbox: *mut riposte_mailbox_t,
    deadline: riposte_deadline_t,
    word: *mut u32,
) -> riposte_error_t {
    // SAFETY: the caller's promise.
    match unsafe { object(mailbox) }.fetch_until(until(deadline)) {
        Ok(fetched) => {
            // SAFETY: the caller's promise.
            unsafe { put(word, fetched.get()) };
            OK
        }
        Err(error) => error as riposte_error_t,
    }
}
