//! Counting semaphores.

use riposte::Deadline;
use riposte::sync::Semaphore;

use crate::object::{Object, object, result, until};
use crate::types::{riposte_deadline_t, riposte_error_t};

/// A counting semaphore: units that threads give and take. While there are units and nobody waits,
/// neither makes a system call. Several processes can use one in a region. See RIPOSTE_SEMAPHORE.
#[repr(C)]
pub struct riposte_semaphore_t {
    /// How many units there are, and whether perhaps somebody waits (RIPOSTE_SEMAPHORE_WAITERS).
    pub word: u32,
}

impl Object for riposte_semaphore_t {
    type Rust = Semaphore;
}

/// The half of riposte_semaphore_take for the case that there is no unit.
///
/// @param semaphore The semaphore.
/// @error RIPOSTE_ERROR_INTERRUPTED Something ended the wait early; nothing was taken.
/// @blocks Until there is a unit.
/// @from riposte_semaphore_take.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn riposte_private_semaphore_wait_for_ever(
    semaphore: *mut riposte_semaphore_t,
) -> riposte_error_t {
    // SAFETY: the caller's promise.
    result(unsafe { object(semaphore) }.wait_until(Deadline::None))
}

/// The half of riposte_semaphore_take_until for the case that there is no unit.
///
/// @param semaphore The semaphore.
/// @param deadline Until when, in nanoseconds of monotonic time, or RIPOSTE_FOREVER or
/// RIPOSTE_IMMEDIATE.
/// @error RIPOSTE_ERROR_TIMED_OUT The deadline passed; nothing was taken.
/// @error RIPOSTE_ERROR_WOULD_BLOCK There is none, and the deadline was RIPOSTE_IMMEDIATE.
/// @error RIPOSTE_ERROR_INTERRUPTED Something ended the wait early; nothing was taken.
/// @blocks Until there is a unit, or the deadline.
/// @from riposte_semaphore_take_until.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn riposte_private_semaphore_wait(
    semaphore: *mut riposte_semaphore_t,
    deadline: riposte_deadline_t,
) -> riposte_error_t {
    // SAFETY: the caller's promise.
    result(unsafe { object(semaphore) }.wait_until(until(deadline)))
}
