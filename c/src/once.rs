//! What is done once, and barriers.

use core::ffi::c_void;

use riposte::sync::{Barrier, Once};

use crate::call::{OK, put};
use crate::mutex::{riposte_mutex_t, riposte_private_event};
use crate::object::{Object, object, result, until};
use crate::types::{riposte_deadline_t, riposte_error_t};

/// Something that is done once. If whoever does it dies doing it, the next one begins anew. Afterwards
/// it costs a load. Several processes can use one in a region. See RIPOSTE_ONCE.
#[repr(C)]
pub struct riposte_once_t {
    /// 0: it is not yet done.
    pub done: u32,
    /// Who does it.
    pub lock: riposte_mutex_t,
}

impl Object for riposte_once_t {
    type Rust = Once;
}

/// A barrier: so many threads wait at it until all have come. A thread that dies waiting has come.
/// Several processes can use one in a region. See RIPOSTE_BARRIER.
#[repr(C)]
pub struct riposte_barrier_t {
    /// How many.
    pub threads: u32,
    /// How many have come, and how often all have.
    pub come: u32,
    /// All have come.
    pub complete: riposte_private_event,
}

impl Object for riposte_barrier_t {
    type Rust = Barrier;
}

/// The half of riposte_once_call for the case that it is not yet done.
///
/// @param once What says whether it is done.
/// @param work Does it.
/// @param argument Is handed to `work`.
/// @error RIPOSTE_ERROR_DEADLOCK It is called within `work`.
/// @blocks While another thread does it; else not, but for what `work` does.
/// @from riposte_once_call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn riposte_private_once_call_first(
    once: *mut riposte_once_t,
    work: unsafe extern "C" fn(argument: *mut c_void),
    argument: *mut c_void,
) -> riposte_error_t {
    // SAFETY: the caller's promise, also for what `work` does.
    unsafe { result(object(once).call(|| work(argument))) }
}

/// As riposte_once_call, until a deadline, which does not end `work` itself.
///
/// @param once What says whether it is done.
/// @param work Does it.
/// @param argument Is handed to `work`.
/// @param deadline Until when to wait for another thread, in nanoseconds of monotonic time, or
/// RIPOSTE_FOREVER or RIPOSTE_IMMEDIATE.
/// @error RIPOSTE_ERROR_TIMED_OUT The deadline passed while another thread does it.
/// @error RIPOSTE_ERROR_WOULD_BLOCK Another thread does it, and the deadline was RIPOSTE_IMMEDIATE.
/// @error RIPOSTE_ERROR_DEADLOCK It is called within `work`.
/// @blocks While another thread does it, or until the deadline; else not, but for what `work` does.
/// @from Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn riposte_once_call_until(
    once: *mut riposte_once_t,
    work: unsafe extern "C" fn(argument: *mut c_void),
    argument: *mut c_void,
    deadline: riposte_deadline_t,
) -> riposte_error_t {
    // SAFETY: the caller's promise, also for what `work` does.
    unsafe { result(object(once).call_until(|| work(argument), until(deadline))) }
}

/// Says for how many threads a barrier is: for one in a region, before anybody waits.
///
/// @param barrier The barrier.
/// @param threads How many, at most 65,535.
/// @blocks Never.
/// @from Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn riposte_barrier_set(barrier: *mut riposte_barrier_t, threads: u16) {
    // SAFETY: the caller's promise.
    unsafe { object(barrier) }.set(threads);
}

/// Waits at a barrier until all threads have come, or until a deadline; then it begins anew.
///
/// @param barrier The barrier.
/// @param deadline Until when, in nanoseconds of monotonic time, or RIPOSTE_FOREVER or
/// RIPOSTE_IMMEDIATE.
/// @param last Where it is stored whether the caller was the last of them, or NULL.
/// @error RIPOSTE_ERROR_TIMED_OUT The deadline passed; the caller has not come then.
/// @error RIPOSTE_ERROR_WOULD_BLOCK Others have not come, and the deadline was RIPOSTE_IMMEDIATE.
/// @error RIPOSTE_ERROR_INTERRUPTED Something ended the wait early; the caller has not come then.
/// @blocks Until all have come, or the deadline.
/// @from Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn riposte_barrier_wait_until(
    barrier: *mut riposte_barrier_t,
    deadline: riposte_deadline_t,
    last: *mut bool,
) -> riposte_error_t {
    // SAFETY: the caller's promise.
    match unsafe { object(barrier) }.wait_until(until(deadline)) {
        Ok(was_last) => {
            // SAFETY: the caller's promise.
            unsafe { put(last, was_last) };
            OK
        }
        Err(error) => error as riposte_error_t,
    }
}
