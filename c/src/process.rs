//! Calls about the thread, the process and the machine themselves.

use riposte::abi::call::number;
use riposte::{Extra, Registers};

use crate::call::Call;
use crate::types::{riposte_channel_t, riposte_connection_t, riposte_error_t};

/// Ends this process at once: the C library's exit() runs the functions of atexit() first. What then
/// happens to the process is the manifest's `on_exit`; a status other than 0 is reported to the
/// supervisor.
///
/// @param status The exit status.
/// @blocks It does not return.
/// @from Any thread; all of them end.
#[unsafe(no_mangle)]
pub extern "C" fn riposte_exit(status: u32) -> ! {
    riposte::exit(status)
}

/// Stops the machine, and does not return unless that is refused.
///
/// @param code The machine's exit code.
/// @error RIPOSTE_ERROR_NOT_PERMITTED The manifest does not grant this process `shutdown`.
/// @blocks Never.
/// @from Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn riposte_shutdown(code: u32) -> riposte_error_t {
    riposte::shutdown(code) as u32
}

/// Tells whether the calling thread is the process's main thread.
///
/// @return Whether it is.
/// @blocks Never.
/// @from Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn riposte_is_main_thread() -> bool {
    riposte::is_main_thread()
}

/// Sets notification bits of a channel of this process: whoever receives there gets all that were set
/// since the last time, with one notice RIPOSTE_NOTICE_BITS and before any message. The cheapest
/// wake-up.
///
/// @param channel Which channel.
/// @param bits The bits to set, at least one.
/// @error RIPOSTE_ERROR_BAD_ARGUMENT No bit is set.
/// @error RIPOSTE_ERROR_BAD_HANDLE It is no channel of this process.
/// @blocks Never.
/// @from Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn riposte_notify(channel: riposte_channel_t, bits: u32) -> riposte_error_t {
    Call::number(number::NOTIFY)
        .words([channel.handle, bits])
        .done()
}

/// Sets notification bits of another process's channel, as riposte_notify does of an own one.
///
/// @param connection A connection to the channel, with the right `notify`.
/// @param bits The bits to set, at least one.
/// @error RIPOSTE_ERROR_NOT_PERMITTED The manifest does not give the connection the right `notify`.
/// @error RIPOSTE_ERROR_BAD_ARGUMENT No bit is set.
/// @error RIPOSTE_ERROR_BAD_HANDLE The connection is none, or stale.
/// @error RIPOSTE_ERROR_SERVER_DIED The server is dead.
/// @blocks Never; a more urgent thread that receives them runs at once.
/// @from Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn riposte_notify_server(
    connection: riposte_connection_t,
    bits: u32,
) -> riposte_error_t {
    Call::number(number::NOTIFY)
        .words([connection.handle, bits])
        .done()
}

/// Makes any system call with any registers, for layers that this library does not wrap. Which
/// register means what is the chapter on the binary interface.
///
/// @param registers The eight message registers: CALL, WORD0, INFO, GENERATION, WORD1 to WORD4. What
/// comes back replaces them.
/// @param extra The five extra registers x0 to x4.
/// @blocks As the call does.
/// @from Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn riposte_raw_call(registers: *mut u32, extra: *const u32) {
    // SAFETY: the caller's promise, for the arrays and for what the call names.
    unsafe {
        let registers = registers.cast::<Registers>();
        *registers = riposte::raw_call(*registers, *extra.cast::<Extra>());
    }
}
