//! For the supervisor: what the kernel knows of a process that it stopped, and restart and stop of others.

use core::ffi::c_char;

use riposte::abi::call::number;
use riposte::abi::fault;
use riposte::abi::process_info::kind;
use riposte::abi::register;

use crate::call::{Call, OK, address, put};
use crate::names::{NOT_IN_MANIFEST, find};
use crate::types::{riposte_error_t, riposte_process_t, riposte_thread_state_t};

/// Copies the fault record of a process.
///
/// @param process The process's index in the manifest, as a notice RIPOSTE_NOTICE_FAULT tells it.
/// @param record Where the record is stored. Its count is 0 if the process has not faulted.
/// @error RIPOSTE_ERROR_NOT_PERMITTED The manifest does not grant this process `supervisor`.
/// @error RIPOSTE_ERROR_BAD_ARGUMENT There is no such process.
/// @error RIPOSTE_ERROR_BAD_ADDRESS The record is not in this process's memory.
/// @blocks Never.
/// @from Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn riposte_fault_record(
    process: u32,
    record: *mut fault::Record,
) -> riposte_error_t {
    Call::number(number::FAULT_RECORD)
        .words([process])
        .buffer(address(record), size_of::<fault::Record>() as u32)
        .done()
}

/// Tells how many bytes a thread has left of its stack, at the most that it has used of it since the start
/// of the system, in all lives of its process. The guard below the stack is not among them. It takes
/// time with the bytes that are left.
///
/// @param process The process's index in the manifest.
/// @param thread The thread's index within the process: 0 is its main thread.
/// @param bytes Where they are stored.
/// @error RIPOSTE_ERROR_NOT_PERMITTED The manifest grants this process neither `supervisor` nor `inspect`.
/// @error RIPOSTE_ERROR_BAD_ARGUMENT There is no such process, or it has no such thread.
/// @blocks Never.
/// @from Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn riposte_stack_unused(
    process: u32,
    thread: u32,
    bytes: *mut u32,
) -> riposte_error_t {
    let call = Call::number(number::STACK_UNUSED).words([process, thread]);
    // SAFETY: the caller's promise.
    unsafe { call.store(bytes) }
}

/// Tells what a thread is doing.
///
/// @param process The process's index in the manifest.
/// @param thread The thread's index within the process: 0 is its main thread.
/// @param state Where it is stored.
/// @error RIPOSTE_ERROR_NOT_PERMITTED The manifest does not grant this process `inspect`.
/// @error RIPOSTE_ERROR_BAD_ARGUMENT There is no such process, or it has no such thread.
/// @error RIPOSTE_ERROR_BAD_CALL No process of the system has the grant.
/// @blocks Never.
/// @from Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn riposte_thread_state(
    process: u32,
    thread: u32,
    state: *mut riposte_thread_state_t,
) -> riposte_error_t {
    let call = Call::number(number::THREAD_STATE).words([process, thread]);
    let said = match call.make() {
        Ok(said) => said,
        Err(error) => return error,
    };
    let [doing, priorities, waits_for, stack] =
        core::array::from_fn(|word| said[register::WORDS[word]]);
    let [priority, own_priority, policy, _] = priorities.to_le_bytes();
    let [peer, process, ..] = waits_for.to_le_bytes();
    let told = riposte_thread_state_t {
        state: doing,
        priority: priority.into(),
        own_priority: own_priority.into(),
        policy: policy.into(),
        process: process.into(),
        peer: peer.into(),
        stack,
    };
    // SAFETY: the caller's promise.
    unsafe { put(state, told) };
    OK
}

/// Finds a process that this one controls.
///
/// @param name The process's name in app.toml.
/// @param process Where it is stored.
/// @error RIPOSTE_ERROR_NOT_PERMITTED It is not among the `controls` of this process in the manifest.
/// @blocks Never.
/// @from Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn riposte_process(
    name: *const c_char,
    process: *mut riposte_process_t,
) -> riposte_error_t {
    let Some(position) = find(kind::CONTROLLED, name) else {
        return NOT_IN_MANIFEST;
    };
    // SAFETY: the caller's promise.
    unsafe { put(process, riposte_process_t { position }) };
    OK
}

/// Restarts a process, and those that the manifest restarts with it, whatever state it is in: alive,
/// stopped, at its limit, or held for a debugger. Those that wait for it find it dead. It counts as none
/// of its restarts, which are counted from zero again; and it begins without delay.
///
/// @param process Which process.
/// @error RIPOSTE_ERROR_NOT_PERMITTED It is none that riposte_process has found.
/// @blocks Never.
/// @from Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn riposte_process_restart(process: riposte_process_t) -> riposte_error_t {
    Call::number(number::PROCESS_RESTART)
        .words([process.position])
        .done()
}

/// Stops a process, whatever state it is in: those that wait for it find it dead, and nothing restarts
/// it but riposte_process_restart, or the restart of a process with which the manifest restarts it.
///
/// @param process Which process.
/// @error RIPOSTE_ERROR_NOT_PERMITTED It is none that riposte_process has found.
/// @blocks Never.
/// @from Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn riposte_process_stop(process: riposte_process_t) -> riposte_error_t {
    Call::number(number::PROCESS_STOP)
        .words([process.position])
        .done()
}
