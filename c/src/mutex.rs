//! Mutexes, condition variables, and everything that threads wait for.

use riposte::sync::{Condvar, Lock, RecursiveMutex};
use riposte::{Deadline, Error};

use crate::object::{Object, object, result, until};
use crate::types::{riposte_deadline_t, riposte_error_t};

/// A mutex: one thread at a time holds it. While nobody waits, it is taken and given up without a
/// system call. Its holder has at least the priority of all who wait. If a thread or process dies with
/// it, the next one gets it, and is told by riposte_mutex_owner_died. Several processes can use one in
/// a region. See RIPOSTE_MUTEX.
#[repr(C)]
pub struct riposte_mutex_t {
    /// RIPOSTE_LOCK_*: who holds it.
    pub word: u32,
}

impl Object for riposte_mutex_t {
    type Rust = Lock;
}

/// A mutex that its holder may take again. Else it is as riposte_mutex_t, which is cheaper and finds
/// mistakes. See RIPOSTE_RECURSIVE_MUTEX.
#[repr(C)]
pub struct riposte_recursive_mutex_t {
    /// The mutex: riposte_mutex_owner_died and riposte_mutex_repaired are for it, too.
    pub lock: riposte_mutex_t,
    /// How often its holder has taken it again.
    pub again: u32,
}

impl Object for riposte_recursive_mutex_t {
    type Rust = RecursiveMutex<()>;
}

const _: () = riposte_recursive_mutex_t::ALIKE;

/// What threads wait for: part of what follows.
#[repr(C)]
pub struct riposte_private_event {
    /// How often it was signalled while anybody waited.
    pub signals: u32,
    /// How many threads wait, in the low half; and how often that began anew.
    pub waiting: u32,
}

impl Object for riposte_private_event {
    type Rust = Condvar;
}

/// A condition variable: threads give up a mutex and wait until another one notifies them that what it
/// protects has changed. Several processes can use one in a region. See RIPOSTE_CONDVAR.
#[repr(C)]
pub struct riposte_condvar_t {
    /// The notification.
    pub event: riposte_private_event,
}

impl Object for riposte_condvar_t {
    type Rust = Condvar;
}

/// The half of riposte_mutex_lock_until for the case that somebody holds the mutex.
///
/// @param mutex The mutex.
/// @param deadline Until when, in nanoseconds of monotonic time, or RIPOSTE_FOREVER or
/// RIPOSTE_IMMEDIATE.
/// @error RIPOSTE_ERROR_DEADLOCK The holder waits for the caller in the end, or is the caller.
/// @error RIPOSTE_ERROR_TIMED_OUT The deadline passed.
/// @error RIPOSTE_ERROR_WOULD_BLOCK Somebody else holds it, and the deadline was RIPOSTE_IMMEDIATE.
/// @blocks Until the mutex is the caller's, or the deadline.
/// @from riposte_mutex_lock_until.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn riposte_private_mutex_wait(
    mutex: *mut riposte_mutex_t,
    deadline: riposte_deadline_t,
) -> riposte_error_t {
    // SAFETY: the caller's promise.
    result(unsafe { object(mutex) }.wait(until(deadline)))
}

/// The half of riposte_mutex_unlock for the case that threads wait, or an owner died.
///
/// @param mutex The mutex.
/// @error RIPOSTE_ERROR_NOT_PERMITTED The caller does not hold it.
/// @blocks Never; a more urgent thread that gets it runs at once.
/// @from riposte_mutex_unlock.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn riposte_private_mutex_hand_over(
    mutex: *mut riposte_mutex_t,
) -> riposte_error_t {
    // SAFETY: the caller's promise.
    result(unsafe { object(mutex).hand_over() })
}

/// Wakes threads that wait for an event, the most urgent first.
///
/// @param event The event.
/// @param most How many at most.
/// @blocks Never; a more urgent thread that is woken runs at once.
/// @from riposte_condvar_notify_one and the like.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn riposte_private_event_wake(event: *mut riposte_private_event, most: u32) {
    // SAFETY: the caller's promise.
    unsafe { object(event) }.notify(most);
}

/// Gives a mutex up, waits for a notification until a deadline, and takes the mutex again. It may
/// return without a notification, and what the caller waits for may be over again by then: look, and
/// wait again.
///
/// @param condvar The condition variable.
/// @param mutex The mutex, which the caller holds.
/// @param deadline Until when, in nanoseconds of monotonic time, or RIPOSTE_FOREVER or
/// RIPOSTE_IMMEDIATE.
/// @error RIPOSTE_ERROR_TIMED_OUT The deadline passed; the mutex is the caller's.
/// @error RIPOSTE_ERROR_NOT_PERMITTED The caller does not hold the mutex.
/// @error RIPOSTE_ERROR_DEADLOCK The mutex's holder waits for the caller in the end; the mutex is not the
/// caller's.
/// @blocks Until a notification, or the deadline, and then until the mutex is the caller's again, however long a stranger
/// holds it that shares it.
/// @from The thread that holds the mutex.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn riposte_condvar_wait_until(
    condvar: *mut riposte_condvar_t,
    mutex: *mut riposte_mutex_t,
    deadline: riposte_deadline_t,
) -> riposte_error_t {
    // SAFETY: the caller's promise.
    let (condvar, mutex) = unsafe { (object(condvar), object(mutex)) };
    // SAFETY: a C program has no guards.
    let Some(guard) = (unsafe { mutex.held() }) else {
        return Error::NotPermitted as riposte_error_t;
    };
    let late = condvar
        .wait_and_take(guard, until(deadline), Deadline::None)
        .map(|(guard, late)| {
            // It is the C program's to give up.
            core::mem::forget(guard);
            if late { Err(Error::TimedOut) } else { Ok(()) }
        });
    result(late.flatten())
}
