//! Read-write locks.

use riposte::Deadline;
use riposte::sync::RwLockState;

use crate::mutex::riposte_mutex_t;
use crate::object::{Object, object, result, until};
use crate::types::{riposte_deadline_t, riposte_error_t};

/// A read-write lock: several threads hold it to read, or one to write. Who writes has at least the
/// priority of all who wait; readers are only counted, and one that dies reading keeps writers out for
/// ever. If a thread dies writing, the next who writes is told by riposte_mutex_owner_died of the gate.
/// All zeros is a free lock. See RIPOSTE_RWLOCK.
#[repr(C)]
pub struct riposte_rwlock_t {
    /// Who writes.
    pub gate: riposte_mutex_t,
    /// Two for each thread that reads, and one more while a writer waits for them.
    pub readers: u32,
}

impl Object for riposte_rwlock_t {
    type Rust = RwLockState;
}

/// Takes a lock to read, and waits until nobody writes or waits to.
///
/// @param lock The lock.
/// @error RIPOSTE_ERROR_DEADLOCK The writer waits for the caller in the end, or is the caller.
/// @blocks Until nobody writes or waits to.
/// @from Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn riposte_rwlock_read(lock: *mut riposte_rwlock_t) -> riposte_error_t {
    // SAFETY: the caller's promise.
    result(unsafe { object(lock) }.begin_read(Deadline::None))
}

/// Takes a lock to read if nobody writes or waits to.
///
/// @param lock The lock.
/// @error RIPOSTE_ERROR_WOULD_BLOCK Somebody else writes or waits to, or is just about to begin reading.
/// @error RIPOSTE_ERROR_DEADLOCK The caller writes.
/// @blocks Never.
/// @from Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn riposte_rwlock_try_read(lock: *mut riposte_rwlock_t) -> riposte_error_t {
    // SAFETY: the caller's promise.
    result(unsafe { object(lock) }.begin_read(Deadline::Immediate))
}

/// Takes a lock to read, and waits until nobody writes or waits to, or until a deadline.
///
/// @param lock The lock.
/// @param deadline Until when, in nanoseconds of monotonic time, or RIPOSTE_FOREVER or
/// RIPOSTE_IMMEDIATE.
/// @error RIPOSTE_ERROR_DEADLOCK The writer waits for the caller in the end, or is the caller.
/// @error RIPOSTE_ERROR_TIMED_OUT The deadline passed.
/// @error RIPOSTE_ERROR_WOULD_BLOCK Somebody writes or waits to, and the deadline was
/// RIPOSTE_IMMEDIATE.
/// @blocks Until nobody writes or waits to, or the deadline.
/// @from Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn riposte_rwlock_read_until(
    lock: *mut riposte_rwlock_t,
    deadline: riposte_deadline_t,
) -> riposte_error_t {
    // SAFETY: the caller's promise.
    result(unsafe { object(lock) }.begin_read(until(deadline)))
}

/// Takes a lock to write, and waits until nobody reads or writes.
///
/// @param lock The lock.
/// @error RIPOSTE_ERROR_DEADLOCK The writer waits for the caller in the end, or is the caller.
/// @blocks Until nobody reads or writes.
/// @from Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn riposte_rwlock_write(lock: *mut riposte_rwlock_t) -> riposte_error_t {
    // SAFETY: the caller's promise.
    result(unsafe { object(lock) }.begin_write(Deadline::None))
}

/// Takes a lock to write if nobody reads or writes.
///
/// @param lock The lock.
/// @error RIPOSTE_ERROR_WOULD_BLOCK Somebody reads, or somebody else writes.
/// @error RIPOSTE_ERROR_DEADLOCK The caller writes.
/// @blocks Never.
/// @from Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn riposte_rwlock_try_write(lock: *mut riposte_rwlock_t) -> riposte_error_t {
    // SAFETY: the caller's promise.
    result(unsafe { object(lock) }.begin_write(Deadline::Immediate))
}

/// Takes a lock to write, and waits until nobody reads or writes, or until a deadline.
///
/// @param lock The lock.
/// @param deadline Until when, in nanoseconds of monotonic time, or RIPOSTE_FOREVER or
/// RIPOSTE_IMMEDIATE.
/// @error RIPOSTE_ERROR_DEADLOCK The writer waits for the caller in the end, or is the caller.
/// @error RIPOSTE_ERROR_TIMED_OUT The deadline passed.
/// @error RIPOSTE_ERROR_WOULD_BLOCK Somebody reads or writes, and the deadline was
/// RIPOSTE_IMMEDIATE.
/// @blocks Until nobody reads or writes, or the deadline.
/// @from Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn riposte_rwlock_write_until(
    lock: *mut riposte_rwlock_t,
    deadline: riposte_deadline_t,
) -> riposte_error_t {
    // SAFETY: the caller's promise.
    result(unsafe { object(lock) }.begin_write(until(deadline)))
}

/// Gives a lock up that the caller has taken to read.
///
/// @param lock The lock.
/// @error RIPOSTE_ERROR_NOT_PERMITTED Nobody reads.
/// @blocks Never; a more urgent thread that gets it runs at once.
/// @from The thread that reads.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn riposte_rwlock_unlock_read(
    lock: *mut riposte_rwlock_t,
) -> riposte_error_t {
    // SAFETY: the caller's promise.
    result(unsafe { object(lock).end_read() })
}

/// Gives a lock up that the caller has taken to write.
///
/// @param lock The lock.
/// @error RIPOSTE_ERROR_NOT_PERMITTED The caller does not write.
/// @blocks Never; a more urgent thread that gets it runs at once.
/// @from The thread that writes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn riposte_rwlock_unlock_write(
    lock: *mut riposte_rwlock_t,
) -> riposte_error_t {
    // SAFETY: the caller's promise.
    result(unsafe { object(lock).end_write() })
}
