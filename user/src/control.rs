//! Calls about the thread, the process and the machine themselves.

use riposte_abi::Error;
use riposte_abi::call::number;

use crate::{failure, trap};

/// Lets the next ready thread of the same priority run; returns when this one's turn comes again.
#[inline(always)]
pub fn yield_now() {
    trap::yield_now();
}

/// A system call that does nothing: what a call costs.
#[inline(always)]
pub fn null_call() {
    trap::null();
}

/// Instructions that the processor has executed, modulo 2^32; none where it does not count them.
/// For measuring.
#[inline(always)]
#[must_use]
pub fn instructions() -> Option<u32> {
    trap::instructions()
}

/// Whether the calling thread is the process's main thread.
#[inline(always)]
#[must_use]
pub fn is_main_thread() -> bool {
    trap::is_main_thread()
}

/// Ends this process. What then happens to it is the manifest's `on_exit`; a status other than 0
/// is reported to the supervisor.
pub fn exit(status: u32) -> ! {
    loop {
        trap::about(number::EXIT, status, 0);
    }
}

/// Stops the machine with an exit code, and doesn't return; or returns why it can't:
/// [`Error::NotPermitted`] unless the manifest grants the process `shutdown`.
pub fn shutdown(code: u32) -> Error {
    loop {
        if let Err(error) = failure::ask(number::SHUTDOWN, code, 0) {
            return error;
        }
    }
}
