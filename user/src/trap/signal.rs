//! Where the kernel calls a handler of a signal.

use core::sync::atomic::{AtomicPtr, Ordering};

use riposte_abi::signal::MAX;

use crate::signal::{Handler, Signal};

/// The handler of each signal.
static HANDLERS: [AtomicPtr<()>; MAX as usize + 1] =
    [const { AtomicPtr::new(core::ptr::null_mut()) }; MAX as usize + 1];

/// `handler` handles the signal with this number from now on.
pub fn set_handler(signal: u8, handler: Handler) {
    if let Some(place) = HANDLERS.get(usize::from(signal)) {
        place.store(handler as *mut (), Ordering::Release);
    }
}

/// Calls the handler of a signal. One that has none is handled by that.
#[cfg_attr(
    not(target_os = "none"),
    allow(dead_code, reason = "the kernel calls it")
)]
pub(super) extern "C" fn dispatch(signal: u32, word: u32) {
    let handler = HANDLERS.get(signal as usize);
    let handler = handler.map(|place| place.load(Ordering::Acquire));
    let (Some(handler), Some(signal)) = (handler, Signal::from_number(signal)) else {
        return;
    };
    if !handler.is_null() {
        // SAFETY: it is what `set_handler` has stored.
        let handler = unsafe { core::mem::transmute::<*mut (), Handler>(handler) };
        handler(signal, word);
    }
}
