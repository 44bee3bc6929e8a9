//! Parts of a message that stay with the client.

use core::ffi::c_void;
use core::ptr::copy_nonoverlapping;

use riposte::abi::call::{number, operation};
use riposte::abi::{Error, MESSAGE_BYTES};

use crate::call::{Call, address};
use crate::types::{riposte_connection_t, riposte_error_t, riposte_token_t};

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

/// Hands a client on to the server of a connection, which answers it in this one's place, as if it had sent its message
/// there: with the connection's badge, in the form in which it has sent it. Its priority and its deadline go with it.
///
/// @param token Which client, by the token of its message.
/// @param connection Where it goes.
/// @param words What that server gets of a message that came in registers; NULL if there is nothing. Of any other message
/// it is not looked at.
/// @param length Its bytes, at most 20.
/// @error RIPOSTE_ERROR_NO_SUCH_CLIENT The client no longer waits, or was answered already.
/// @error RIPOSTE_ERROR_NOT_PERMITTED The manifest gives this process no grant "relay".
/// @error RIPOSTE_ERROR_BAD_CALL No process of the application has it.
/// @error RIPOSTE_ERROR_CANNOT_LEND The client has lent or given memory.
/// @error RIPOSTE_ERROR_BAD_ARGUMENT More than 20 bytes.
/// @error RIPOSTE_ERROR_BAD_HANDLE The connection is none, or closed.
/// @error RIPOSTE_ERROR_SERVER_DIED Nobody is left at its other end.
/// @error RIPOSTE_ERROR_DEADLOCK That server waits for the client.
/// @blocks Never. After an error the client waits for this process as before.
/// @from Any thread of the process that received the message.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn riposte_relay(
    token: riposte_token_t,
    connection: riposte_connection_t,
    words: *const c_void,
    length: usize,
) -> riposte_error_t {
    let mut given = [0_u32; MESSAGE_BYTES / 4];
    if length > MESSAGE_BYTES {
        return Error::BadArgument as riposte_error_t;
    }
    if !words.is_null() {
        // SAFETY: the caller's promise; there is room for so many.
        unsafe { copy_nonoverlapping(words.cast::<u8>(), given.as_mut_ptr().cast(), length) };
    }
    Call::on(operation::RELAY, connection.handle)
        .token(token)
        .info(length as u32)
        .words(given)
        .done()
}
