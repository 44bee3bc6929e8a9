//! Signals.

use core::ffi::c_char;
use core::sync::atomic::{AtomicPtr, Ordering};

use riposte::abi::call::operation;
use riposte::abi::process_info::kind;
use riposte::abi::register;
use riposte::abi::signal::{MAX, OWN, how, number, set, words};
use riposte::{Connection, Error};

use crate::call::{Call, OK, put};
use crate::names::{NOT_IN_MANIFEST, find};
use crate::object::until;
use crate::thread::riposte_thread_t;
use crate::types::{riposte_connection_t, riposte_deadline_t, riposte_error_t};

// Where the kernel begins handlers, which goes on in `dispatch` with the frame as its third argument.
#[cfg(target_arch = "riscv32")]
riposte::signal_entry!(begin_handler, dispatch, "mv a2, sp");
#[cfg(target_arch = "arm")]
riposte::signal_entry!(begin_handler, dispatch, "mov r2, sp");

/// cbindgen:ignore
///
/// What a layer above does with each signal, instead of the handlers here.
type Dispatcher = extern "C" fn(u32, u32, *mut u32);

/// cbindgen:ignore
static DISPATCHER: AtomicPtr<()> = AtomicPtr::new(core::ptr::null_mut());

/// cbindgen:ignore
type Handler = extern "C" fn(u32, u32);

/// cbindgen:ignore
static HANDLERS: [AtomicPtr<()>; MAX as usize + 1] =
    [const { AtomicPtr::new(core::ptr::null_mut()) }; MAX as usize + 1];

/// cbindgen:ignore
extern "C" fn dispatch(signal: u32, word: u32, frame: *mut u32) {
    let whole = DISPATCHER.load(Ordering::Acquire);
    if !whole.is_null() {
        // SAFETY: it is what `riposte_private_signal_dispatch` has stored.
        let whole = unsafe { core::mem::transmute::<*mut (), Dispatcher>(whole) };
        return whole(signal, word, frame);
    }
    let handler = HANDLERS.get(signal as usize);
    let Some(handler) = handler.map(|place| place.load(Ordering::Acquire)) else {
        return;
    };
    if !handler.is_null() {
        // SAFETY: it is what `riposte_signal_handle` has stored.
        let handler = unsafe { core::mem::transmute::<*mut (), Handler>(handler) };
        handler(signal, word);
    }
}

/// Another process that signals can be sent to.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct riposte_signal_target_t {
    /// Its position among those of the manifest, or RIPOSTE_SIGNAL_OWN.
    pub position: u32,
}

fn call(about: u32) -> Call {
    Call::on(operation::SIGNAL, about)
}

/// From now on a function handles a signal, and the calling thread takes it. It is called between any two instructions
/// of the thread, on its stack, with the signal and the word that this brings (or 0); all signals are masked meanwhile.
/// A signal without a handler is taken and forgotten.
///
/// @param signal The signal: 1 to RIPOSTE_SIGNAL_MAX.
/// @param handler The function; NULL for none.
/// @error RIPOSTE_ERROR_BAD_ARGUMENT There is no such signal.
/// @error RIPOSTE_ERROR_BAD_CALL No process of the application takes signals: `signal_queue` in the manifest.
/// @blocks Never.
/// @from Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn riposte_signal_handle(
    signal: u32,
    handler: Option<extern "C" fn(signal: u32, word: u32)>,
) -> riposte_error_t {
    let place = HANDLERS.get(signal as usize).filter(|_| signal != 0);
    let Some(place) = place else {
        return Error::BadArgument as riposte_error_t;
    };
    let handler = handler.map_or(core::ptr::null_mut(), |it| it as *mut ());
    place.store(handler, Ordering::Release);
    match begin() {
        OK => change(how::UNBLOCK, 1 << signal).done(),
        error => error,
    }
}

/// The signals of the process go to handlers of this library.
fn begin() -> riposte_error_t {
    #[cfg(target_os = "none")]
    let entry = (begin_handler as *const ()).addr() as u32;
    #[cfg(not(target_os = "none"))]
    let entry = {
        let _: Dispatcher = dispatch;
        0
    };
    let [low, high] = words(!1);
    call(number::ACTION).words([entry, low, high]).done()
}

/// Has all signals handled by one function, for a library with an own order among them: with the signal, its word, and
/// the frame of what is interrupted. Nothing is unmasked by it.
///
/// @param dispatcher The function; NULL for the handlers of riposte_signal_handle.
/// @error RIPOSTE_ERROR_BAD_CALL No process of the application takes signals.
/// @blocks Never.
/// @from Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn riposte_private_signal_dispatch(
    dispatcher: Option<extern "C" fn(signal: u32, word: u32, frame: *mut u32)>,
) -> riposte_error_t {
    let dispatcher = dispatcher.map_or(core::ptr::null_mut(), |it| it as *mut ());
    DISPATCHER.store(dispatcher, Ordering::Release);
    begin()
}

/// Finds a process that this one may send signals to.
///
/// @param name Its name in the manifest.
/// @param target Where it is stored.
/// @error RIPOSTE_ERROR_NOT_PERMITTED The manifest does not let it: `signals`.
/// @blocks Never.
/// @from Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn riposte_signal_target(
    name: *const c_char,
    target: *mut riposte_signal_target_t,
) -> riposte_error_t {
    let Some(position) = find(kind::SIGNALLED, name) else {
        return NOT_IN_MANIFEST;
    };
    // SAFETY: the caller's promise.
    unsafe { put(target, riposte_signal_target_t { position }) };
    OK
}

/// Sends a signal to a process: to a thread that does not mask it, or else to the first that no longer does.
///
/// @param target The process: from riposte_signal_target, or {RIPOSTE_SIGNAL_OWN}.
/// @param signal The signal.
/// @param word What it brings, from RIPOSTE_SIGNAL_FIRST_QUEUED on.
/// @error RIPOSTE_ERROR_BAD_ARGUMENT There is no such signal.
/// @error RIPOSTE_ERROR_NOT_PERMITTED It is no such process.
/// @error RIPOSTE_ERROR_PEER_DIED The process does not run now.
/// @error RIPOSTE_ERROR_EXHAUSTED As many with a word wait there as its `signal_queue` says.
/// @error RIPOSTE_ERROR_BAD_CALL No process of the application takes signals.
/// @blocks Never.
/// @from Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn riposte_signal_send(
    target: riposte_signal_target_t,
    signal: u32,
    word: u32,
) -> riposte_error_t {
    let words = [target.position, signal, word, 0];
    call(number::SEND).words(words).done()
}

/// Sends a signal to a thread of this process, and to no other.
///
/// @param thread The thread.
/// @param signal The signal.
/// @param word What it brings, from RIPOSTE_SIGNAL_FIRST_QUEUED on.
/// @error RIPOSTE_ERROR_BAD_HANDLE The thread has ended, or is none of this process.
/// @error RIPOSTE_ERROR_BAD_ARGUMENT There is no such signal.
/// @error RIPOSTE_ERROR_EXHAUSTED As many with a word wait in the process as its `signal_queue` says.
/// @error RIPOSTE_ERROR_BAD_CALL No process of the application takes signals.
/// @blocks Never.
/// @from Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn riposte_signal_send_thread(
    thread: riposte_thread_t,
    signal: u32,
    word: u32,
) -> riposte_error_t {
    // To 0 would be to the whole process.
    if thread.id == 0 {
        return Error::BadHandle as riposte_error_t;
    }
    let words = [OWN, signal, word, thread.id];
    call(number::SEND).words(words).done()
}

/// Sends a signal to the process of another node to which a circuit leads (`//node/signal/process`, in the manifest the channel
/// `node-signal-process`). After an error it was sent once or not at all.
///
/// @param circuit The connection to the circuit.
/// @param signal The signal.
/// @param word What it brings, from RIPOSTE_SIGNAL_FIRST_QUEUED on.
/// @param deadline Until when, in nanoseconds of monotonic time, or RIPOSTE_FOREVER: as long as the manifest gives a message.
/// @error RIPOSTE_ERROR_BAD_ARGUMENT There is no such signal, or the circuit leads to no process.
/// @error RIPOSTE_ERROR_NOT_PERMITTED The other node exports no such process to this one, or its manager may send it none.
/// @error RIPOSTE_ERROR_PEER_DIED The process does not run now, or its node is gone or has begun anew.
/// @error RIPOSTE_ERROR_EXHAUSTED As many with a word wait there as its `signal_queue` says, or as many messages of this
/// circuit are on the way as may be.
/// @error RIPOSTE_ERROR_TIMED_OUT There was no answer before the deadline.
/// @error RIPOSTE_ERROR_SERVER_DIED This node's manager has ended: the circuit is to be opened again.
/// @error RIPOSTE_ERROR_BAD_HANDLE It is no connection.
/// @error RIPOSTE_ERROR_INTERRUPTED A signal was handled.
/// @blocks Until it is sent, or the deadline.
/// @from Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn riposte_signal_send_node(
    circuit: riposte_connection_t,
    signal: u32,
    word: u32,
    deadline: riposte_deadline_t,
) -> riposte_error_t {
    let circuit = Connection::from_handle(circuit.handle);
    match circuit.send_words_until([signal, word], until(deadline)) {
        Ok(reply) => said(reply.status.0).map_or(OK, |error| error as riposte_error_t),
        Err(error) => error as riposte_error_t,
    }
}

/// What a node's manager has said, as `servers/node/client/src/protocol.rs` has it: why a signal was not sent, if it was not.
fn said(status: u32) -> Option<Error> {
    const NODE: u32 = 0xFFFF_FF00;
    Some(match status {
        0 => return None,
        // The node is gone, the process does not run, the node speaks another version.
        it if [NODE + 1, NODE + 2, NODE + 6].contains(&it) => Error::PeerDied,
        it if it == NODE + 3 => Error::TimedOut,
        it if it == NODE + 4 => Error::NotPermitted,
        it if [NODE + 8, NODE + 11].contains(&it) => Error::Exhausted,
        it if it == NODE + 13 => Error::Interrupted,
        // It is no signal, or what has answered is no process.
        _ => Error::BadArgument,
    })
}

/// Changes which signals are masked in the calling thread. In a set bit n is signal n.
///
/// @param how RIPOSTE_SIGNAL_HOW_SET, RIPOSTE_SIGNAL_HOW_BLOCK or RIPOSTE_SIGNAL_HOW_UNBLOCK.
/// @param set By which set.
/// @param before Where it is stored which ones were, or NULL.
/// @param pending Where it is stored which ones wait for the thread or its process to take them, or NULL.
/// @error RIPOSTE_ERROR_BAD_ARGUMENT There is no such change; or the process has no handler, and something would not be
/// masked.
/// @error RIPOSTE_ERROR_BAD_CALL No process of the application takes signals.
/// @blocks Never.
/// @from Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn riposte_signal_mask(
    how: u32,
    set: u64,
    before: *mut u64,
    pending: *mut u64,
) -> riposte_error_t {
    match change(how, set).make() {
        Ok(out) => {
            // SAFETY: the caller's promise.
            unsafe {
                put(before, pair(out[register::WORD0], out[register::WORD1]));
                put(pending, pair(out[register::WORD2], out[register::WORD3]));
            }
            OK
        }
        Err(error) => error,
    }
}

fn change(how: u32, by: u64) -> Call {
    let [low, high] = words(by);
    call(number::MASK).words([how, low, high])
}

/// There is no signal 0.
fn pair(low: u32, high: u32) -> u64 {
    set(low, high) & !1
}

/// Waits until a signal has been handled that is not in a set, which alone is masked meanwhile.
///
/// @param masked The set.
/// @param deadline Until when, in nanoseconds of monotonic time, or RIPOSTE_FOREVER or RIPOSTE_IMMEDIATE.
/// @error RIPOSTE_ERROR_TIMED_OUT The deadline passed.
/// @error RIPOSTE_ERROR_WOULD_BLOCK None waits, and the deadline was RIPOSTE_IMMEDIATE.
/// @error RIPOSTE_ERROR_BAD_ARGUMENT The process has no handler.
/// @error RIPOSTE_ERROR_BAD_CALL No process of the application takes signals.
/// @blocks Until one has been handled, or the deadline.
/// @from Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn riposte_signal_suspend_until(
    masked: u64,
    deadline: riposte_deadline_t,
) -> riposte_error_t {
    let call = call(number::SUSPEND).words(words(masked));
    match call.until(deadline).done() {
        error if error == Error::Interrupted as riposte_error_t => OK,
        error => error,
    }
}

/// Waits for one of the signals of a set, masked or not, and takes it: no handler is called.
///
/// @param set The set.
/// @param deadline Until when, in nanoseconds of monotonic time, or RIPOSTE_FOREVER or RIPOSTE_IMMEDIATE.
/// @param signal Where the signal is stored.
/// @param word Where it is stored what it brings, or NULL.
/// @error RIPOSTE_ERROR_INTERRUPTED Another signal was handled.
/// @error RIPOSTE_ERROR_TIMED_OUT The deadline passed.
/// @error RIPOSTE_ERROR_WOULD_BLOCK None waits, and the deadline was RIPOSTE_IMMEDIATE.
/// @error RIPOSTE_ERROR_BAD_ARGUMENT The set is empty, or holds a signal 0.
/// @error RIPOSTE_ERROR_BAD_CALL No process of the application takes signals.
/// @blocks Until one comes, or the deadline.
/// @from Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn riposte_signal_wait_until(
    set: u64,
    deadline: riposte_deadline_t,
    signal: *mut u32,
    word: *mut u32,
) -> riposte_error_t {
    let call = call(number::WAIT).words(words(set)).until(deadline);
    match call.make() {
        Ok(out) => {
            // SAFETY: the caller's promise.
            unsafe {
                put(signal, out[register::WORD0]);
                put(word, out[register::WORD1]);
            }
            OK
        }
        Err(error) => error,
    }
}

/// From now on the calling thread handles signals on other memory of its process, and not on its own stack. Nothing guards it:
/// it has room for the frame of what is interrupted, and for all that any handler of this thread calls.
///
/// @param stack Where it begins.
/// @param size How many bytes it has; 0 for the thread's own stack again.
/// @error RIPOSTE_ERROR_BAD_ADDRESS It is not the process's to write; or the process has several threads on Armv7-M, where
/// a thread is known by the stack it runs on.
/// @error RIPOSTE_ERROR_BAD_CALL No process of the application takes signals.
/// @blocks Never.
/// @from Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn riposte_signal_use_stack(
    stack: *mut core::ffi::c_void,
    size: usize,
) -> riposte_error_t {
    if size != 0 && !riposte::signal::any_stack_will_do() {
        return Error::BadAddress as riposte_error_t;
    }
    let stack = stack.expose_provenance() as u32;
    call(number::STACK).words([stack, size as u32]).done()
}
