//! What is typed at the console.

use core::ffi::c_char;

use riposte::console::{self, ReadError};
use riposte::{ConnectError, Error};

use crate::call::{OK, put};
use crate::names::NOT_IN_MANIFEST;
use crate::object::until;
use crate::types::{riposte_deadline_t, riposte_error_t};

/// C has one kind of errors.
fn number(error: ReadError) -> riposte_error_t {
    let error = match error {
        ReadError::NoInput | ReadError::Connect(ConnectError::NotInManifest(_)) => {
            return NOT_IN_MANIFEST;
        }
        ReadError::NoRoom => Error::BadArgument,
        ReadError::TooManyReaders => Error::Exhausted,
        ReadError::WouldBlock => Error::WouldBlock,
        ReadError::TimedOut => Error::TimedOut,
        ReadError::Connect(ConnectError::Kernel(error)) => error,
        // What only another server says.
        ReadError::NotText | ReadError::Other(_) => Error::BadCall,
    };
    error as riposte_error_t
}

/// Waits for a line that is typed at the console. It is stored with its end, a line feed, and a zero behind that. What
/// does not fit comes with the next read; 257 bytes take every line. A length of 0 is the end of the input, which a
/// person types as Ctrl-D. What stdin has taken and not given is not among it.
///
/// @param buffer Where the line is stored.
/// @param capacity Bytes of the buffer, the zero included.
/// @param length Where the length is stored, in bytes, without the zero.
/// @error RIPOSTE_ERROR_NOT_PERMITTED The manifest gives this process no connection `console`, or the console's process
/// not the interrupt `uart0-receive`.
/// @error RIPOSTE_ERROR_EXHAUSTED As many readers wait as `readers` in the `settings` of the console's process says.
/// @error RIPOSTE_ERROR_BAD_ARGUMENT The buffer has no room for a byte and a zero.
/// @error RIPOSTE_ERROR_SERVER_DIED The console's server is not there.
/// @error RIPOSTE_ERROR_INTERRUPTED A signal was handled meanwhile; nothing was taken.
/// @error RIPOSTE_ERROR_INTERRUPTED A signal was handled meanwhile; nothing was taken.
/// @blocks Until a line was typed.
/// @from Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn riposte_console_read_line(
    buffer: *mut c_char,
    capacity: usize,
    length: *mut usize,
) -> riposte_error_t {
    // SAFETY: the caller's promise.
    unsafe { riposte_console_read_line_until(buffer, capacity, length, u64::MAX) }
}

/// As riposte_console_read_line, if the line has been typed already.
///
/// @param buffer Where the line is stored.
/// @param capacity Bytes of the buffer, the zero included.
/// @param length Where the length is stored, in bytes, without the zero.
/// @error RIPOSTE_ERROR_WOULD_BLOCK It has not, or others wait for it.
/// @error RIPOSTE_ERROR_NOT_PERMITTED As riposte_console_read_line.
/// @error RIPOSTE_ERROR_EXHAUSTED As riposte_console_read_line.
/// @error RIPOSTE_ERROR_BAD_ARGUMENT As riposte_console_read_line.
/// @error RIPOSTE_ERROR_SERVER_DIED As riposte_console_read_line.
/// @blocks Only until the console's server has looked.
/// @from Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn riposte_console_try_read_line(
    buffer: *mut c_char,
    capacity: usize,
    length: *mut usize,
) -> riposte_error_t {
    // SAFETY: the caller's promise.
    unsafe { riposte_console_read_line_until(buffer, capacity, length, 0) }
}

/// As riposte_console_read_line, until a deadline. What was typed of the line by then is still there for the next read.
///
/// @param buffer Where the line is stored.
/// @param capacity Bytes of the buffer, the zero included.
/// @param length Where the length is stored, in bytes, without the zero.
/// @param deadline Until when, in nanoseconds of monotonic time, or RIPOSTE_FOREVER or
/// RIPOSTE_IMMEDIATE.
/// @error RIPOSTE_ERROR_TIMED_OUT The deadline passed.
/// @error RIPOSTE_ERROR_WOULD_BLOCK There is no line, and the deadline was RIPOSTE_IMMEDIATE.
/// @error RIPOSTE_ERROR_NOT_PERMITTED As riposte_console_read_line.
/// @error RIPOSTE_ERROR_EXHAUSTED As riposte_console_read_line.
/// @error RIPOSTE_ERROR_BAD_ARGUMENT As riposte_console_read_line.
/// @error RIPOSTE_ERROR_SERVER_DIED As riposte_console_read_line.
/// @blocks Until a line was typed, or the deadline.
/// @from Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn riposte_console_read_line_until(
    buffer: *mut c_char,
    capacity: usize,
    length: *mut usize,
    deadline: riposte_deadline_t,
) -> riposte_error_t {
    let Some(room) = capacity.checked_sub(1) else {
        return Error::BadArgument as riposte_error_t;
    };
    // SAFETY: the caller gives so many bytes to be written, and nothing else uses them meanwhile.
    let line = unsafe { core::slice::from_raw_parts_mut(buffer.cast::<u8>(), room) };
    match console::read_bytes_until(line, until(deadline)) {
        Ok(read) => {
            // SAFETY: as above; there is a byte behind the line.
            unsafe {
                put(buffer.add(read), 0);
                put(length, read);
            }
            OK
        }
        Err(error) => number(error),
    }
}

/// Waits for a byte that is typed at the console, as it comes: nothing is edited or echoed, and a key that is no letter
/// of ASCII is several bytes.
///
/// @param key Where the byte is stored.
/// @error RIPOSTE_ERROR_NOT_PERMITTED As riposte_console_read_line.
/// @error RIPOSTE_ERROR_EXHAUSTED As riposte_console_read_line.
/// @error RIPOSTE_ERROR_SERVER_DIED As riposte_console_read_line.
/// @error RIPOSTE_ERROR_INTERRUPTED A signal was handled meanwhile; nothing was taken.
/// @error RIPOSTE_ERROR_INTERRUPTED A signal was handled meanwhile; nothing was taken.
/// @blocks Until a key was typed.
/// @from Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn riposte_console_read_key(key: *mut u8) -> riposte_error_t {
    // SAFETY: the caller's promise.
    unsafe { riposte_console_read_key_until(key, u64::MAX) }
}

/// As riposte_console_read_key, if a key has been typed already.
///
/// @param key Where the byte is stored.
/// @error RIPOSTE_ERROR_WOULD_BLOCK None has, or others wait for it.
/// @error RIPOSTE_ERROR_NOT_PERMITTED As riposte_console_read_line.
/// @error RIPOSTE_ERROR_EXHAUSTED As riposte_console_read_line.
/// @error RIPOSTE_ERROR_SERVER_DIED As riposte_console_read_line.
/// @blocks Only until the console's server has looked.
/// @from Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn riposte_console_try_read_key(key: *mut u8) -> riposte_error_t {
    // SAFETY: the caller's promise.
    unsafe { riposte_console_read_key_until(key, 0) }
}

/// As riposte_console_read_key, until a deadline.
///
/// @param key Where the byte is stored.
/// @param deadline Until when, in nanoseconds of monotonic time, or RIPOSTE_FOREVER or
/// RIPOSTE_IMMEDIATE.
/// @error RIPOSTE_ERROR_TIMED_OUT The deadline passed.
/// @error RIPOSTE_ERROR_WOULD_BLOCK There is no key, and the deadline was RIPOSTE_IMMEDIATE.
/// @error RIPOSTE_ERROR_NOT_PERMITTED As riposte_console_read_line.
/// @error RIPOSTE_ERROR_EXHAUSTED As riposte_console_read_line.
/// @error RIPOSTE_ERROR_SERVER_DIED As riposte_console_read_line.
/// @blocks Until a key was typed, or the deadline.
/// @from Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn riposte_console_read_key_until(
    key: *mut u8,
    deadline: riposte_deadline_t,
) -> riposte_error_t {
    match console::read_key_until(until(deadline)) {
        Ok(read) => {
            // SAFETY: the caller's promise.
            unsafe { put(key, read) };
            OK
        }
        Err(error) => number(error),
    }
}

/// Tells how many bytes were typed and lost since the console's server has begun: nobody read them in time, their line was
/// too long, or the receiver was not emptied in time (each time counts as one).
///
/// @param count Where the number is stored.
/// @error RIPOSTE_ERROR_NOT_PERMITTED As riposte_console_read_line.
/// @error RIPOSTE_ERROR_SERVER_DIED As riposte_console_read_line.
/// @blocks Only for the server's answer.
/// @from Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn riposte_console_lost_input(count: *mut u32) -> riposte_error_t {
    match console::lost_input() {
        Ok(lost) => {
            // SAFETY: the caller's promise.
            unsafe { put(count, lost) };
            OK
        }
        Err(error) => number(error),
    }
}
