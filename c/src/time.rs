//! Monotonic time.

use riposte::abi::call::number;

use crate::call::Call;
use crate::types::riposte_error_t;

/// Tells the time.
///
/// @return Nanoseconds of monotonic time since the kernel's start.
/// @blocks Never.
/// @from Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn riposte_clock() -> u64 {
    riposte::Instant::now().as_nanos()
}

/// Sleeps until a moment; returns at once if that has passed.
///
/// @param moment Nanoseconds of monotonic time since the kernel's start.
/// @error RIPOSTE_ERROR_INTERRUPTED Something ended the sleep early.
/// @blocks Until the moment.
/// @from Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn riposte_sleep_until(moment: u64) -> riposte_error_t {
    Call::number(number::SLEEP).at(moment).done()
}

/// Sleeps for a time.
///
/// @param nanoseconds How long, in nanoseconds.
/// @error RIPOSTE_ERROR_INTERRUPTED Something ended the sleep early.
/// @blocks For the time.
/// @from Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn riposte_sleep(nanoseconds: u64) -> riposte_error_t {
    riposte_sleep_until(riposte_clock().saturating_add(nanoseconds))
}
