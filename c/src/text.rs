//! A message of a fault.

use core::ffi::{CStr, c_char};

use riposte::abi::call::number;

use crate::call::{Call, address};

/// Faults the calling process with a message, which the supervisor is told. What then happens to the
/// process is the manifest's `on_fault`.
///
/// @param text Why, in UTF-8; at most 96 bytes of it are kept.
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
