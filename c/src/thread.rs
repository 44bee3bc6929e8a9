//! Threads that a program starts while it runs, and what a thread may do with itself and with others of
//! its process.

use core::ffi::c_void;

use riposte::Error;
use riposte::abi::call::number;
use riposte::abi::register;
use riposte::abi::thread::policy;

use crate::call::{Call, OK, put};
use crate::storage;
use crate::types::{riposte_deadline_t, riposte_error_t};

/// Names a thread of the system in one of its lives.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct riposte_thread_t {
    /// The id, as in the word of a mutex; never 0 of a thread that there is.
    pub id: u32,
}

/// How a thread is to run: {10} is at priority 10, until it blocks.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct riposte_thread_settings_t {
    /// Its priority, at most the process's `priority_limit`.
    pub priority: u32,
    /// RIPOSTE_POLICY_FIFO, RIPOSTE_POLICY_ROUND_ROBIN or RIPOSTE_POLICY_ADAPTIVE; or RIPOSTE_POLICY_SAME: the caller's,
    /// with the caller's priority.
    pub policy: u32,
    /// Least bytes of its stack; 0 for any.
    pub stack: u32,
}

/// A value of which each thread of the process has its own. See RIPOSTE_THREAD_LOCAL.
#[repr(C)]
pub struct riposte_thread_local_t {
    /// Of each value, whose it is.
    pub owners: *mut u32,
    /// The values.
    pub values: *mut c_void,
    /// Bytes of one.
    pub size: usize,
    /// How many there are.
    pub threads: u32,
}

/// cbindgen:ignore
///
/// Where a thread begins that the program starts; the kernel gives it these. (The linker puts the next function in its
/// place where there is thread-local storage.)
#[unsafe(no_mangle)]
unsafe extern "C" fn riposte_private_spare_begin(
    argument: *mut c_void,
    index: u32,
    id: u32,
    body: Body,
) -> ! {
    // SAFETY: the kernel has started the thread here, with these.
    unsafe { live(argument, index, id, body) }
}

/// cbindgen:ignore
///
/// As [`riposte_private_spare_begin`], of a program that has thread-local storage.
#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap_riposte_private_spare_begin(
    argument: *mut c_void,
    index: u32,
    id: u32,
    body: Body,
) -> ! {
    // SAFETY: it is the thread's own, which has not used it yet in this life.
    unsafe { storage::renew(index) };
    // SAFETY: the kernel has started the thread here, with these.
    unsafe { live(argument, index, id, body) }
}

/// cbindgen:ignore
///
/// What a spare thread does.
type Body = unsafe extern "C" fn(*mut c_void) -> u32;

unsafe extern "C" {
    /// c/start.c: as [`riposte_private_thread_create`], of a thread that masks all signals until it has its storage.
    fn riposte_private_spare_create(
        entry: usize,
        body: usize,
        argument: *mut c_void,
        settings: *const riposte_thread_settings_t,
        thread: *mut riposte_thread_t,
    ) -> riposte_error_t;
    /// c/start.c: the argument of such a thread, by the one that it was handed; it masks what it is to mask from now on.
    fn riposte_private_spare_inherit(argument: *mut c_void) -> *mut c_void;
}

/// The whole life of a spare thread.
///
/// # Safety
/// It is what the kernel has started the thread with, and its first instructions but for its storage.
#[inline(always)]
unsafe fn live(argument: *mut c_void, index: u32, id: u32, body: Body) -> ! {
    // SAFETY: the caller's promise.
    unsafe { riposte::begin_thread(index, id) };
    // SAFETY: `riposte_thread_spawn` has handed it on as `riposte_private_spare_create` did, and the body as its caller
    // gave it; it has returned when the thread ends.
    unsafe { riposte::thread::exit(body(riposte_private_spare_inherit(argument))) }
}

/// Tells the library which thread runs now: the first thing that a thread of the manifest does, which
/// RIPOSTE_THREAD sees to.
///
/// @param index Its index in the process.
/// @param id Its id.
/// @blocks Never.
/// @from RIPOSTE_THREAD.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn riposte_private_thread_begin(index: u32, id: u32) {
    // SAFETY: the caller's promise.
    unsafe { riposte::begin_thread(index, id) };
}

/// cbindgen:ignore
///
/// As [`riposte_private_thread_begin`], of a program that has thread-local storage: the linker puts it in its place.
#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap_riposte_private_thread_begin(index: u32, id: u32) {
    // SAFETY: it is the thread's own, which has not used it yet.
    unsafe { storage::renew(index) };
    // SAFETY: the caller's promise.
    unsafe { riposte::begin_thread(index, id) };
}

/// Starts a spare thread (`threads_spare` of the manifest). It may run before this returns, if it is
/// more urgent.
///
/// @param body What it does, with the argument; what it returns is its exit value.
/// @param argument Is handed to it.
/// @param settings How it is to run.
/// @param thread Where its id is stored, or NULL.
/// @error RIPOSTE_ERROR_EXHAUSTED No spare thread is free: raise `threads_spare`.
/// @error RIPOSTE_ERROR_NOT_PERMITTED The priority is above the process's `priority_limit`.
/// @error RIPOSTE_ERROR_BAD_ARGUMENT Priority 0, no such policy, or a stack larger than `spare_stack`.
/// @error RIPOSTE_ERROR_BAD_ADDRESS The body is not in this process's code.
/// @blocks Never.
/// @from Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn riposte_thread_spawn(
    body: Option<unsafe extern "C" fn(argument: *mut c_void) -> u32>,
    argument: *mut c_void,
    settings: *const riposte_thread_settings_t,
    thread: *mut riposte_thread_t,
) -> riposte_error_t {
    let Some(body) = body else {
        return Error::BadAddress as riposte_error_t;
    };
    let entry = (riposte_private_spare_begin as *const ()).addr();
    let body = (body as *const ()).addr();
    // SAFETY: the caller's promise.
    unsafe { riposte_private_spare_create(entry, body, argument, settings, thread) }
}

/// Starts a spare thread where the caller says, for a library with an end of its own for its threads. The first that it
/// does is riposte_private_thread_begin.
///
/// @param entry Where it begins: with the argument, its index in the process, its id, and the body.
/// @param body The fourth of these.
/// @param argument The first.
/// @param settings How it is to run.
/// @param thread Where its id is stored, or NULL.
/// @error RIPOSTE_ERROR_EXHAUSTED No spare thread is free: raise `threads_spare`.
/// @error RIPOSTE_ERROR_NOT_PERMITTED The priority is above the process's `priority_limit`.
/// @error RIPOSTE_ERROR_BAD_ARGUMENT Priority 0, no such policy, or a stack larger than `spare_stack`.
/// @error RIPOSTE_ERROR_BAD_ADDRESS The entry is not in this process's code.
/// @blocks Never.
/// @from Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn riposte_private_thread_create(
    entry: usize,
    body: usize,
    argument: *mut c_void,
    settings: *const riposte_thread_settings_t,
    thread: *mut riposte_thread_t,
) -> riposte_error_t {
    // SAFETY: the caller's promise.
    unsafe { create(entry as u32, body as u32, argument, settings, thread) }
}

/// Starts a spare thread at `entry`, which is handed `argument` and `body`.
///
/// # Safety
/// That is a function for it; the settings can be read, and the id be written unless it is null.
#[inline(always)]
unsafe fn create(
    entry: u32,
    body: u32,
    argument: *mut c_void,
    settings: *const riposte_thread_settings_t,
    thread: *mut riposte_thread_t,
) -> riposte_error_t {
    // SAFETY: the caller's promise.
    let how = unsafe { *settings };
    let argument = argument.expose_provenance() as u32;
    let call = Call::number(number::THREAD_CREATE)
        .words([entry, argument, how.priority, how.policy, how.stack])
        .first(body);
    match call.make() {
        Ok(out) => {
            let id = out[register::WORD0];
            // SAFETY: the caller's promise.
            unsafe { put(thread, riposte_thread_t { id }) };
            OK
        }
        Err(error) => error,
    }
}

/// Waits until a thread has ended; its place is free then.
///
/// @param thread The thread, from riposte_thread_spawn.
/// @param deadline Until when, in nanoseconds of monotonic time, or RIPOSTE_FOREVER or
/// RIPOSTE_IMMEDIATE.
/// @param value Where its exit value is stored, or NULL.
/// @error RIPOSTE_ERROR_TIMED_OUT The deadline passed.
/// @error RIPOSTE_ERROR_WOULD_BLOCK It has not ended, and the deadline was RIPOSTE_IMMEDIATE.
/// @error RIPOSTE_ERROR_DEADLOCK The thread waits for the caller in the end, or is the caller.
/// @error RIPOSTE_ERROR_BAD_HANDLE It is no such thread, or was joined or left to itself before.
/// @error RIPOSTE_ERROR_INTERRUPTED A signal was handled meanwhile; the thread can be joined again.
/// @blocks Until the thread has ended, or the deadline.
/// @from Any thread of the process.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn riposte_thread_join_until(
    thread: riposte_thread_t,
    deadline: riposte_deadline_t,
    value: *mut u32,
) -> riposte_error_t {
    let call = Call::number(number::THREAD_JOIN)
        .words([thread.id])
        .until(deadline);
    // SAFETY: the caller's promise.
    unsafe { call.store(value) }
}

/// Leaves a thread to itself: its place is free once it has ended.
///
/// @param thread The thread, from riposte_thread_spawn.
/// @error RIPOSTE_ERROR_BAD_HANDLE It is no such thread, or was joined or left to itself before.
/// @blocks Never.
/// @from Any thread of the process.
#[unsafe(no_mangle)]
pub extern "C" fn riposte_thread_detach(thread: riposte_thread_t) -> riposte_error_t {
    Call::number(number::THREAD_DETACH)
        .words([thread.id])
        .done()
}

/// Ends the calling thread. Whoever it serves is told RIPOSTE_ERROR_SERVER_DIED. What lives on its stack, no
/// other thread may use any longer.
///
/// @param value Its exit value; of the main thread, the process's exit status.
/// @blocks It does not return.
/// @from Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn riposte_thread_exit(value: u32) -> ! {
    // SAFETY: the C program's promise.
    unsafe { riposte::thread::exit(value) }
}

/// Gives a thread another priority.
///
/// @param thread The thread.
/// @param priority The priority, from 1 to the process's `priority_limit`.
/// @param before Where it is stored what it was, or NULL.
/// @error RIPOSTE_ERROR_NOT_PERMITTED The priority is above the limit.
/// @error RIPOSTE_ERROR_BAD_ARGUMENT Priority 0.
/// @error RIPOSTE_ERROR_BAD_HANDLE The thread has ended, or is none of this process.
/// @blocks Never; a more urgent thread runs at once.
/// @from Any thread of the process.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn riposte_thread_set_priority(
    thread: riposte_thread_t,
    priority: u32,
    before: *mut u32,
) -> riposte_error_t {
    if priority == 0 {
        return Error::BadArgument as riposte_error_t;
    }
    // SAFETY: the caller's promise.
    unsafe {
        schedule(
            [thread.id, priority, policy::SAME],
            before,
            core::ptr::null_mut(),
        )
    }
}

/// Gives a thread another policy.
///
/// @param thread The thread.
/// @param policy RIPOSTE_POLICY_FIFO, RIPOSTE_POLICY_ROUND_ROBIN or RIPOSTE_POLICY_ADAPTIVE.
/// @param before Where it is stored what it was, or NULL.
/// @error RIPOSTE_ERROR_BAD_ARGUMENT There is no such policy.
/// @error RIPOSTE_ERROR_BAD_HANDLE The thread has ended, or is none of this process.
/// @error RIPOSTE_ERROR_NOT_PERMITTED No process of the application can start threads or has a
/// `priority_limit`.
/// @blocks Never.
/// @from Any thread of the process.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn riposte_thread_set_policy(
    thread: riposte_thread_t,
    policy: u32,
    before: *mut u32,
) -> riposte_error_t {
    // SAFETY: the caller's promise.
    unsafe { schedule([thread.id, 0, policy], core::ptr::null_mut(), before) }
}

/// Tells how a thread runs.
///
/// @param thread The thread.
/// @param priority Where its priority is stored, or NULL.
/// @param policy Where its policy is stored, or NULL.
/// @error RIPOSTE_ERROR_BAD_HANDLE The thread has ended, or is none of this process.
/// @error RIPOSTE_ERROR_NOT_PERMITTED No process of the application can start threads or has a
/// `priority_limit`.
/// @blocks Never.
/// @from Any thread of the process.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn riposte_thread_schedule(
    thread: riposte_thread_t,
    priority: *mut u32,
    policy: *mut u32,
) -> riposte_error_t {
    // SAFETY: the caller's promise.
    unsafe { schedule([thread.id, 0, policy::SAME], priority, policy) }
}

/// Tells how urgent the calling thread is now: its own priority, or the highest that others lend it, if that is more.
///
/// @param priority Where that is stored.
/// @error RIPOSTE_ERROR_NOT_PERMITTED No process of the application can start threads or has a
/// `priority_limit`.
/// @blocks Never.
/// @from Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn riposte_thread_effective_priority(priority: *mut u32) -> riposte_error_t {
    match Call::number(number::THREAD_SCHEDULE)
        .words([0, 0, policy::SAME])
        .make()
    {
        Ok(out) => {
            // SAFETY: the caller's promise.
            unsafe { put(priority, out[register::WORD2]) };
            OK
        }
        Err(error) => error,
    }
}

/// Changes how a thread runs, and stores how it ran.
unsafe fn schedule(words: [u32; 3], priority: *mut u32, policy: *mut u32) -> riposte_error_t {
    // To the kernel 0 is the caller; here it is nobody.
    if words[0] == 0 {
        return Error::BadHandle as riposte_error_t;
    }
    match Call::number(number::THREAD_SCHEDULE).words(words).make() {
        Ok(out) => {
            // SAFETY: the caller's promise.
            unsafe {
                put(priority, out[register::WORD0]);
                put(policy, out[register::WORD1]);
            }
            OK
        }
        Err(error) => error,
    }
}
