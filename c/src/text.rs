//! Texts: of errors, and of a fault.

use core::ffi::{CStr, c_char, c_void};

use riposte::Error;
use riposte::abi::call::number;

use crate::call::{Call, OK, address};
use crate::types::riposte_error_t;

/// Tells what an error means, in a few words.
///
/// @param error The error.
/// @return The text, which lasts; of RIPOSTE_ERROR_EXHAUSTED and RIPOSTE_ERROR_NO_HANDLES it names the keys of app.toml
/// to raise.
/// @blocks Never, and makes no system call.
/// @from Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn riposte_error_text(error: riposte_error_t) -> *const c_char {
    let text = match Error::from_number(error) {
        Some(error) => error.c_text(),
        None if error == OK => c"no error",
        None => c"no such error",
    };
    text.as_ptr()
}

/// Faults the calling process with a message, which the supervisor is told. What then happens to the
/// process is the manifest's `on_fault`.
///
/// @param text Why, in UTF-8; at most 256 bytes of it are kept.
/// @blocks It does not return.
/// @from Any thread; the whole process is stopped.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn riposte_panic(text: *const c_char) -> ! {
    let mut length = 0;
    if !text.is_null() {
        // SAFETY: the header asks for a string.
        length = unsafe { CStr::from_ptr(text) }.count_bytes() as u32;
    }
    loop {
        let _ = Call::number(number::PANIC)
            .words([address(text), length])
            .make();
    }
}

/// Tells whether bytes are UTF-8.
///
/// @param bytes The bytes.
/// @param length How many.
/// @return Whether they are.
/// @blocks Never, and makes no system call.
/// @from riposte/interface.h.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn riposte_private_is_utf8(bytes: *const c_void, length: usize) -> bool {
    // SAFETY: the header asks for so many bytes, which are only read, and only now.
    let bytes = unsafe { core::slice::from_raw_parts(bytes.cast(), length) };
    core::str::from_utf8(bytes).is_ok()
}
