//! Queues of messages of different lengths.

use core::ffi::c_void;

use riposte::Error;
use riposte::sync::{ByteQueueState, Word};

use crate::call::{OK, put};
use crate::mutex::{riposte_mutex_t, riposte_private_event};
use crate::object::{Object, object, result, until};
use crate::types::{riposte_deadline_t, riposte_error_t};

/// What threads change of a queue of bytes.
#[repr(C)]
pub struct riposte_private_byte_queue_state {
    /// Who copies.
    pub lock: riposte_mutex_t,
    /// Which words are full.
    pub ring: u32,
    /// A message was sent.
    pub sent: riposte_private_event,
    /// A message was received.
    pub received: riposte_private_event,
}

impl Object for riposte_private_byte_queue_state {
    type Rust = ByteQueueState;
}

/// A queue of messages of bytes, first in, first out, by copy. A message takes a word more than its
/// bytes, which are rounded up to words, of the queue's. Who sends waits for room, who receives waits
/// for a message, each in order of priority; a message is there whole or not at all. But room is for whoever it
/// is enough for: senders of short messages, however little urgent, can keep one of a long message waiting for as
/// long as they go on. Several processes can use one in a region, each through such a structure of its own. See RIPOSTE_BYTE_QUEUE and
/// RIPOSTE_BYTE_QUEUE_IN.
#[repr(C)]
pub struct riposte_byte_queue_t {
    /// What threads change; all zeros at first.
    pub state: *mut riposte_private_byte_queue_state,
    /// Where the messages lie.
    pub words: *mut u32,
    /// How many words there are, 1 to 65,535.
    pub count: u32,
}

impl riposte_byte_queue_t {
    /// Its halves, unless it has no words, or more than there can be.
    ///
    /// # Safety
    /// The queue's fields are right.
    unsafe fn parts(&self) -> Option<(&ByteQueueState, &[Word])> {
        if self.count == 0 || self.count > u16::MAX.into() {
            return None;
        }
        // SAFETY: the caller's promise.
        unsafe {
            let words = core::slice::from_raw_parts(self.words.cast(), self.count as usize);
            Some((object(self.state), words))
        }
    }
}

/// Sends a message, and waits for room until a deadline; for another thread's copy some 20 ms if that is
/// RIPOSTE_IMMEDIATE.
///
/// @param queue The queue.
/// @param message The message; it is copied. May be NULL if it has no bytes.
/// @param length Its bytes, which may be 0.
/// @param deadline Until when, in nanoseconds of monotonic time, or RIPOSTE_FOREVER or
/// RIPOSTE_IMMEDIATE.
/// @error RIPOSTE_ERROR_BAD_ARGUMENT It is longer than the queue's words but one hold; or a stranger has
/// written to the queue.
/// @error RIPOSTE_ERROR_TIMED_OUT The deadline passed; nothing was sent.
/// @error RIPOSTE_ERROR_WOULD_BLOCK There is no room, and the deadline was RIPOSTE_IMMEDIATE.
/// @error RIPOSTE_ERROR_INTERRUPTED Something ended the wait early; nothing was sent.
/// @blocks Until there is room, or the deadline.
/// @from Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn riposte_byte_queue_send_until(
    queue: *const riposte_byte_queue_t,
    message: *const c_void,
    length: usize,
    deadline: riposte_deadline_t,
) -> riposte_error_t {
    // SAFETY: the caller's promise, for the queue and its memory, and for the message.
    let (parts, message) = unsafe {
        let message = match length {
            0 => &[],
            _ => core::slice::from_raw_parts(message.cast::<u8>(), length),
        };
        ((*queue).parts(), message)
    };
    let Some((state, words)) = parts else {
        return Error::BadArgument as riposte_error_t;
    };
    result(state.send_until(words, message, until(deadline)))
}

/// Receives the first message, or as much of it as there is room for, and waits for one until a
/// deadline; for another thread's copy some 20 ms if that is RIPOSTE_IMMEDIATE. What there was no room for is lost.
///
/// @param queue The queue.
/// @param buffer Where it is stored; may be NULL if there is no room.
/// @param capacity Bytes of room.
/// @param deadline Until when, in nanoseconds of monotonic time, or RIPOSTE_FOREVER or
/// RIPOSTE_IMMEDIATE.
/// @param length Where it is stored how many bytes the message had, or NULL.
/// @error RIPOSTE_ERROR_BAD_ARGUMENT A stranger has written to the queue.
/// @error RIPOSTE_ERROR_TIMED_OUT The deadline passed.
/// @error RIPOSTE_ERROR_WOULD_BLOCK There is none, and the deadline was RIPOSTE_IMMEDIATE.
/// @error RIPOSTE_ERROR_INTERRUPTED Something ended the wait early.
/// @blocks Until there is a message, or the deadline.
/// @from Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn riposte_byte_queue_receive_until(
    queue: *const riposte_byte_queue_t,
    buffer: *mut c_void,
    capacity: usize,
    deadline: riposte_deadline_t,
    length: *mut usize,
) -> riposte_error_t {
    // SAFETY: the caller's promise, for the queue and its memory, and for the buffer.
    let (parts, buffer) = unsafe {
        let buffer = match capacity {
            0 => &mut [],
            _ => core::slice::from_raw_parts_mut(buffer.cast::<u8>(), capacity),
        };
        ((*queue).parts(), buffer)
    };
    let Some((state, words)) = parts else {
        return Error::BadArgument as riposte_error_t;
    };
    match state.receive_until(words, buffer, until(deadline)) {
        Ok(received) => {
            // SAFETY: the caller's promise.
            unsafe { put(length, received.length) };
            OK
        }
        Err(error) => error as riposte_error_t,
    }
}
