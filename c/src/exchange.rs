//! Parts of a message that stay with the client.

use core::ffi::c_void;

use riposte::abi::call::number;

use crate::call::{Call, address};
use crate::types::{riposte_error_t, riposte_token_t};

/// Copies bytes of a waiting client's message.
///
/// @param token Which client, by the token of its message; it stays good.
/// @param offset From which byte of the message on.
/// @param buffer Where to.
/// @param length How many at most, in bytes.
/// @param copied Where it is stored how many: fewer at the message's end. NULL if nobody asks.
/// @error RIPOSTE_ERROR_NO_SUCH_CLIENT The client no longer waits, or was answered already.
/// @error RIPOSTE_ERROR_BAD_ADDRESS The buffer is not in this process's memory.
/// @blocks Never, and never unblocks the client.
/// @from Any thread of the process that received the message.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn riposte_read(
    token: riposte_token_t,
    offset: u32,
    buffer: *mut c_void,
    length: usize,
    copied: *mut usize,
) -> riposte_error_t {
    let words = [address(buffer), length as u32, offset];
    // SAFETY: the caller's promise.
    unsafe {
        Call::number(number::READ)
            .token(token)
            .words(words)
            .store(copied)
    }
}

/// Copies bytes into a waiting client's reply buffer.
///
/// @param token Which client, by the token of its message; it stays good.
/// @param offset To which byte of the reply buffer.
/// @param bytes The bytes.
/// @param length How many.
/// @param copied Where it is stored how many found room. NULL if nobody asks.
/// @error RIPOSTE_ERROR_NO_SUCH_CLIENT The client no longer waits, or was answered already.
/// @error RIPOSTE_ERROR_BAD_ADDRESS The bytes are not in this process's memory.
/// @blocks Never, and never unblocks the client.
/// @from Any thread of the process that received the message.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn riposte_write(
    token: riposte_token_t,
    offset: u32,
    bytes: *const c_void,
    length: usize,
    copied: *mut usize,
) -> riposte_error_t {
    let words = [address(bytes), length as u32, offset];
    // SAFETY: the caller's promise.
    unsafe {
        Call::number(number::WRITE)
            .token(token)
            .words(words)
            .store(copied)
    }
}
