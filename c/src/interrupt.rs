//! Interrupts: a thread of a process is their handler.

use core::ffi::c_char;

use riposte::abi::call::number;
use riposte::abi::process_info::kind;
use riposte::abi::register;

use crate::call::{Call, OK, put};
use crate::names::{NOT_IN_MANIFEST, find};
use crate::types::{riposte_channel_t, riposte_error_t};

/// An interrupt that this process handles.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct riposte_interrupt_t {
    /// The handle; 0 is none.
    pub handle: u32,
    /// Where it arrives.
    pub channel: riposte_channel_t,
}

/// Has an interrupt set notification bits of a channel. The line is masked until it is waited for, or
/// acknowledged, for the first time; and from each interrupt to the next of these.
///
/// @param name The line's name on the board, as in `interrupts` of app.toml.
/// @param channel A channel of this process.
/// @param bits The bits, at least one.
/// @param interrupt Where the interrupt is stored.
/// @error RIPOSTE_ERROR_NOT_PERMITTED The manifest does not give it to this process, or the channel is another
/// one's.
/// @error RIPOSTE_ERROR_IN_USE It is attached already.
/// @error RIPOSTE_ERROR_BAD_HANDLE The channel is stale.
/// @error RIPOSTE_ERROR_BAD_ARGUMENT No bit is set.
/// @blocks Never.
/// @from Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn riposte_interrupt_attach(
    name: *const c_char,
    channel: riposte_channel_t,
    bits: u32,
    interrupt: *mut riposte_interrupt_t,
) -> riposte_error_t {
    let Some(index) = find(kind::INTERRUPT, name) else {
        return NOT_IN_MANIFEST;
    };
    let words = [index, channel.handle, bits];
    match Call::number(number::INTERRUPT_ATTACH).words(words).make() {
        Ok(out) => {
            let handle = out[register::WORD0];
            // SAFETY: the caller's promise.
            unsafe { put(interrupt, riposte_interrupt_t { handle, channel }) };
            OK
        }
        Err(error) => error,
    }
}

/// Gives an interrupt up; the line is masked.
///
/// @param interrupt The interrupt.
/// @error RIPOSTE_ERROR_BAD_HANDLE It is none, or was given up already.
/// @blocks Never.
/// @from Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn riposte_interrupt_detach(interrupt: riposte_interrupt_t) -> riposte_error_t {
    call(number::INTERRUPT_DETACH, interrupt)
}

/// Says that an interrupt was handled: the line may interrupt again. riposte_interrupt_wait does this,
/// too.
///
/// @param interrupt The interrupt.
/// @error RIPOSTE_ERROR_BAD_HANDLE It is none, or was given up.
/// @blocks Never.
/// @from Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn riposte_interrupt_acknowledge(interrupt: riposte_interrupt_t) -> riposte_error_t {
    call(number::INTERRUPT_ACK, interrupt)
}

/// Masks an interrupt until it is acknowledged.
///
/// @param interrupt The interrupt.
/// @error RIPOSTE_ERROR_BAD_HANDLE It is none, or was given up.
/// @blocks Never.
/// @from Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn riposte_interrupt_mask(interrupt: riposte_interrupt_t) -> riposte_error_t {
    call(number::INTERRUPT_MASK, interrupt)
}

fn call(number: u32, interrupt: riposte_interrupt_t) -> riposte_error_t {
    Call::number(number).words([interrupt.handle]).done()
}
