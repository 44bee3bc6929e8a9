//! Messages that carry memory.

use core::ffi::c_void;

use riposte::abi::call::{number, operation};
use riposte::abi::{info, register};

use crate::call::{Call, OK, address, put};
use crate::types::{riposte_connection_t, riposte_deadline_t, riposte_error_t, riposte_reply_t};

/// Sends a message that opens memory to the server.
///
/// # Safety
/// The functions' comments in the header.
unsafe fn carry(
    operation: u32,
    connection: riposte_connection_t,
    (memory, length): (*const c_void, usize),
    words: *const u32,
    deadline: riposte_deadline_t,
    reply: *mut riposte_reply_t,
) -> riposte_error_t {
    let [a, b, c] = if words.is_null() {
        [0; 3]
    } else {
        // SAFETY: the caller's promise.
        unsafe { *words.cast::<[u32; 3]>() }
    };
    let call = Call::on(operation, connection.handle)
        .words([address(memory), length as u32, a, b, c])
        .until(deadline);
    let out = match call.make() {
        Ok(out) => out,
        Err(error) => return error,
    };
    let info = out[register::INFO];
    let in_words = info & info::BYTES == 0;
    let length = if in_words {
        info & info::LENGTH_MASK
    } else {
        0
    } as usize;
    let answer = riposte_reply_t {
        status: out[register::CALL],
        words: register::WORDS.map(|position| if in_words { out[position] } else { 0 }),
        length,
        offered: if in_words {
            length
        } else {
            out[register::WORD1] as usize
        },
        accepted: 0,
    };
    // SAFETY: the caller's promise.
    unsafe { put(reply, answer) };
    OK
}

/// Lends memory to a server, which may read it until it answers. No byte is copied.
///
/// @param connection To whom.
/// @param memory The memory. Of a process with several threads it must lie in its `pages`.
/// @param length Its bytes.
/// @param words Three words that go with it, or NULL for zeros.
/// @param deadline Until when to wait for a server that has not received it, in nanoseconds of
/// monotonic time, or RIPOSTE_FOREVER or RIPOSTE_IMMEDIATE. A server that has received it is told.
/// @param reply Where the answer is stored, or NULL.
/// @error RIPOSTE_ERROR_CANNOT_LEND The hardware cannot express it, or the server has no free window for it:
/// send its bytes instead.
/// @error RIPOSTE_ERROR_BAD_ARGUMENT The length is 0.
/// @error RIPOSTE_ERROR_BAD_ADDRESS It is not in this process's memory.
/// @error RIPOSTE_ERROR_TIMED_OUT The deadline passed.
/// @error RIPOSTE_ERROR_WOULD_BLOCK No server waits, and the deadline was RIPOSTE_IMMEDIATE.
/// @error RIPOSTE_ERROR_BAD_HANDLE The connection is none, or stale.
/// @error RIPOSTE_ERROR_SERVER_DIED The server dies, or is dead. The memory is back.
/// @error RIPOSTE_ERROR_DEADLOCK The server waits for this thread.
/// @error RIPOSTE_ERROR_INTERRUPTED A signal was handled before the server had received it.
/// @blocks Until the server answers, or the deadline.
/// @from Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn riposte_lend(
    connection: riposte_connection_t,
    memory: *const c_void,
    length: usize,
    words: *const u32,
    deadline: riposte_deadline_t,
    reply: *mut riposte_reply_t,
) -> riposte_error_t {
    // SAFETY: the caller's promise.
    unsafe {
        carry(
            operation::LEND,
            connection,
            (memory, length),
            words,
            deadline,
            reply,
        )
    }
}

/// Lends memory to a server, which may read and write it until it answers. No byte is copied.
///
/// @param connection To whom.
/// @param memory The memory. Of a process with several threads it must lie in its `pages`.
/// @param length Its bytes.
/// @param words Three words that go with it, or NULL for zeros.
/// @param deadline Until when to wait for a server that has not received it, in nanoseconds of
/// monotonic time, or RIPOSTE_FOREVER or RIPOSTE_IMMEDIATE. A server that has received it is told.
/// @param reply Where the answer is stored, or NULL.
/// @error RIPOSTE_ERROR_CANNOT_LEND The hardware cannot express it, or the server has no free window for it:
/// send its bytes instead.
/// @error RIPOSTE_ERROR_BAD_ARGUMENT The length is 0.
/// @error RIPOSTE_ERROR_BAD_ADDRESS It is not in this process's memory.
/// @error RIPOSTE_ERROR_TIMED_OUT The deadline passed.
/// @error RIPOSTE_ERROR_WOULD_BLOCK No server waits, and the deadline was RIPOSTE_IMMEDIATE.
/// @error RIPOSTE_ERROR_BAD_HANDLE The connection is none, or stale.
/// @error RIPOSTE_ERROR_SERVER_DIED The server dies, or is dead. The memory is back.
/// @error RIPOSTE_ERROR_DEADLOCK The server waits for this thread.
/// @error RIPOSTE_ERROR_INTERRUPTED A signal was handled before the server had received it.
/// @blocks Until the server answers, or the deadline.
/// @from Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn riposte_lend_mut(
    connection: riposte_connection_t,
    memory: *mut c_void,
    length: usize,
    words: *const u32,
    deadline: riposte_deadline_t,
    reply: *mut riposte_reply_t,
) -> riposte_error_t {
    let memory = (memory.cast_const(), length);
    // SAFETY: the caller's promise.
    unsafe {
        carry(
            operation::LEND_MUT,
            connection,
            memory,
            words,
            deadline,
            reply,
        )
    }
}

/// Gives memory of this process's `pages` to a server for its own; or gives memory on that was moved
/// here. No byte is copied.
///
/// @param connection To whom.
/// @param memory The memory.
/// @param length Its bytes.
/// @param words Three words that go with it, or NULL for zeros.
/// @param deadline Until when to wait for a server that has not received it, in nanoseconds of
/// monotonic time, or RIPOSTE_FOREVER or RIPOSTE_IMMEDIATE.
/// @param reply Where the answer is stored, or NULL.
/// @error RIPOSTE_ERROR_CANNOT_LEND The hardware cannot express it, it is not in the pages, too much of them
/// is away, or the server has no free window for it: send its bytes instead.
/// @error RIPOSTE_ERROR_BAD_ARGUMENT The length is 0.
/// @error RIPOSTE_ERROR_BAD_ADDRESS It is not in this process's memory.
/// @error RIPOSTE_ERROR_TIMED_OUT The deadline passed.
/// @error RIPOSTE_ERROR_WOULD_BLOCK No server waits, and the deadline was RIPOSTE_IMMEDIATE.
/// @error RIPOSTE_ERROR_BAD_HANDLE The connection is none, or stale.
/// @error RIPOSTE_ERROR_SERVER_DIED The server dies, or is dead.
/// @error RIPOSTE_ERROR_DEADLOCK The server waits for this thread.
/// @error RIPOSTE_ERROR_INTERRUPTED A signal was handled before the server had received it.
/// @blocks Until the server answers, or the deadline.
/// @from Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn riposte_move(
    connection: riposte_connection_t,
    memory: *mut c_void,
    length: usize,
    words: *const u32,
    deadline: riposte_deadline_t,
    reply: *mut riposte_reply_t,
) -> riposte_error_t {
    let memory = (memory.cast_const(), length);
    // SAFETY: the caller's promise.
    unsafe { carry(operation::MOVE, connection, memory, words, deadline, reply) }
}

/// Gives up memory that was moved to this process: it goes home, and is cleared there. Or unmaps a region that was made
/// at run time.
///
/// @param memory Where it appeared: words[0] of its message; or where riposte_region_map has put it.
/// @error RIPOSTE_ERROR_BAD_ADDRESS No moved memory and no such region is there.
/// @blocks Never.
/// @from Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn riposte_release(memory: *mut c_void) -> riposte_error_t {
    Call::number(number::RELEASE)
        .words([address(memory)])
        .done()
}

/// Takes back into use what has come home of memory that was given away. It is cleared first.
///
/// @param memory The memory, in this process's `pages`.
/// @param length Its bytes.
/// @error RIPOSTE_ERROR_BAD_ADDRESS It is not in the pages.
/// @error RIPOSTE_ERROR_IN_USE Somebody still holds a part of it.
/// @blocks Never.
/// @from Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn riposte_reclaim(memory: *mut c_void, length: usize) -> riposte_error_t {
    let words = [address(memory), length as u32];
    Call::number(number::RECLAIM).words(words).done()
}

/// Tells where the `pages` of this process are, which can be given away.
///
/// @param memory Where the first byte's address is stored, or NULL.
/// @param length Where their length in bytes is stored, or NULL.
/// @error RIPOSTE_ERROR_NOT_PERMITTED The manifest gives this process none.
/// @blocks Never.
/// @from Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn riposte_pages(
    memory: *mut *mut c_void,
    length: *mut usize,
) -> riposte_error_t {
    let Some((base, bytes)) = riposte::Pages::place() else {
        return riposte::Error::NotPermitted as riposte_error_t;
    };
    // SAFETY: the caller's promise.
    unsafe {
        put(
            memory,
            core::ptr::with_exposed_provenance_mut(base as usize),
        );
        put(length, bytes as usize);
    }
    OK
}
