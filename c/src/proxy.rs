//! Proxies and timers.

use core::ffi::{c_char, c_void};

use riposte::Error;
use riposte::abi::call::number;
use riposte::abi::process_info::kind;
use riposte::abi::register;

use crate::call::{Call, OK, Word, address, put};
use crate::names::{NOT_IN_MANIFEST, find};
use crate::types::{riposte_channel_t, riposte_error_t};

/// A canned message that is triggered without blocking: the channel receives it, with a notice
/// RIPOSTE_NOTICE_PROXY, as often as it was triggered.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct riposte_proxy_t {
    /// The handle; 0 is none. Of a notice of a proxy, the badge is the owner's handle.
    pub handle: u32,
}

impl From<Word> for riposte_proxy_t {
    fn from(word: Word) -> riposte_proxy_t {
        riposte_proxy_t { handle: word.0 }
    }
}

/// At a time, or again and again, it triggers a proxy or sets notification bits.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct riposte_timer_t {
    /// The handle; 0 is none.
    pub handle: u32,
}

impl From<Word> for riposte_timer_t {
    fn from(word: Word) -> riposte_timer_t {
        riposte_timer_t { handle: word.0 }
    }
}

/// Makes a proxy of a channel of this process.
///
/// @param channel Where its message arrives.
/// @param bytes The message.
/// @param length Its bytes, at most RIPOSTE_MAX_PROXY_BYTES.
/// @param proxy Where the proxy is stored.
/// @error RIPOSTE_ERROR_EXHAUSTED No proxy is free: raise `proxies` of the process.
/// @error RIPOSTE_ERROR_NOT_PERMITTED It is no channel of this process.
/// @error RIPOSTE_ERROR_BAD_HANDLE The channel is stale.
/// @error RIPOSTE_ERROR_BAD_ARGUMENT The message is too long.
/// @error RIPOSTE_ERROR_BAD_ADDRESS The message is not in this process's memory.
/// @blocks Never.
/// @from Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn riposte_proxy_create(
    channel: riposte_channel_t,
    bytes: *const c_void,
    length: usize,
    proxy: *mut riposte_proxy_t,
) -> riposte_error_t {
    let words = [channel.handle, address(bytes), length as u32];
    // SAFETY: the caller's promise.
    unsafe { Call::number(number::PROXY_CREATE).words(words).store(proxy) }
}

/// Opens a proxy of the manifest that this process owns, or may trigger.
///
/// @param name The proxy's name in app.toml.
/// @param proxy Where the proxy is stored.
/// @error RIPOSTE_ERROR_NOT_PERMITTED The manifest gives this process no such proxy.
/// @error RIPOSTE_ERROR_SERVER_DIED The owner is not there (again).
/// @error RIPOSTE_ERROR_NO_HANDLES No free handle slot; raise `handles` in the manifest.
/// @blocks Never.
/// @from Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn riposte_proxy(
    name: *const c_char,
    proxy: *mut riposte_proxy_t,
) -> riposte_error_t {
    let Some(slot) = find(kind::PROXY, name) else {
        return NOT_IN_MANIFEST;
    };
    // SAFETY: the caller's promise.
    unsafe { Call::number(number::CONNECT).words([slot]).store(proxy) }
}

/// Sends a proxy's message.
///
/// @param proxy The proxy.
/// @error RIPOSTE_ERROR_WOULD_BLOCK It was triggered 65,535 times and not received.
/// @error RIPOSTE_ERROR_BAD_HANDLE It is none, or was destroyed.
/// @error RIPOSTE_ERROR_SERVER_DIED Its owner is dead.
/// @blocks Never; a more urgent thread that receives it runs at once.
/// @from Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn riposte_proxy_trigger(proxy: riposte_proxy_t) -> riposte_error_t {
    Call::number(number::TRIGGER).words([proxy.handle]).done()
}

/// Gives a proxy up that another process owns. The manifest's name for it can be opened again.
///
/// @param proxy The proxy.
/// @error RIPOSTE_ERROR_NOT_PERMITTED It is one of this process.
/// @error RIPOSTE_ERROR_BAD_HANDLE It is none, or was closed already.
/// @blocks Never.
/// @from Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn riposte_proxy_close(proxy: riposte_proxy_t) -> riposte_error_t {
    Call::number(number::CLOSE).words([proxy.handle]).done()
}

/// Ends a proxy that this process has made: what it has sent and nobody has received is gone.
///
/// @param proxy The proxy.
/// @error RIPOSTE_ERROR_NOT_PERMITTED The manifest or another process has made it.
/// @error RIPOSTE_ERROR_BAD_HANDLE It is none, or was destroyed already.
/// @blocks Never.
/// @from Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn riposte_proxy_destroy(proxy: riposte_proxy_t) -> riposte_error_t {
    Call::number(number::PROXY_DESTROY)
        .words([proxy.handle])
        .done()
}

/// Makes a timer that triggers a proxy.
///
/// @param proxy The proxy: one of this process, or one of another that this process may trigger.
/// @param timer Where the timer is stored.
/// @error RIPOSTE_ERROR_EXHAUSTED No timer is free: raise `timers` of the process.
/// @error RIPOSTE_ERROR_BAD_HANDLE The proxy is none, or was destroyed.
/// @error RIPOSTE_ERROR_SERVER_DIED The proxy's owner is dead.
/// @blocks Never.
/// @from Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn riposte_timer_triggering(
    proxy: riposte_proxy_t,
    timer: *mut riposte_timer_t,
) -> riposte_error_t {
    // SAFETY: the caller's promise.
    unsafe { create([proxy.handle, 0], timer) }
}

/// Makes a timer that sets notification bits of a channel of this process, as riposte_notify does.
///
/// @param channel The channel.
/// @param bits The bits, at least one.
/// @param timer Where the timer is stored.
/// @error RIPOSTE_ERROR_EXHAUSTED No timer is free: raise `timers` of the process.
/// @error RIPOSTE_ERROR_NOT_PERMITTED It is no channel of this process.
/// @error RIPOSTE_ERROR_BAD_HANDLE The channel is stale.
/// @error RIPOSTE_ERROR_BAD_ARGUMENT No bit is set.
/// @blocks Never.
/// @from Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn riposte_timer_notifying(
    channel: riposte_channel_t,
    bits: u32,
    timer: *mut riposte_timer_t,
) -> riposte_error_t {
    // SAFETY: the caller's promise.
    unsafe { create([channel.handle, bits], timer) }
}

unsafe fn create(words: [u32; 2], timer: *mut riposte_timer_t) -> riposte_error_t {
    // SAFETY: the caller's promise.
    unsafe { Call::number(number::TIMER_CREATE).words(words).store(timer) }
}

/// Lets a timer run: it ends once, at a moment. What it was set to before is over.
///
/// @param timer The timer.
/// @param moment When, in nanoseconds of monotonic time; if that has passed, at once.
/// @error RIPOSTE_ERROR_BAD_HANDLE It is none, or was destroyed.
/// @blocks Never.
/// @from Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn riposte_timer_at(timer: riposte_timer_t, moment: u64) -> riposte_error_t {
    set(timer, moment, 0)
}

/// Lets a timer run: it ends once, after a time. What it was set to before is over.
///
/// @param timer The timer.
/// @param nanoseconds After how long, in nanoseconds.
/// @error RIPOSTE_ERROR_BAD_HANDLE It is none, or was destroyed.
/// @blocks Never.
/// @from Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn riposte_timer_after(timer: riposte_timer_t, nanoseconds: u64) -> riposte_error_t {
    set(timer, from_now(nanoseconds), 0)
}

/// Lets a timer run: it ends again and again. What it was set to before is over.
///
/// @param timer The timer.
/// @param period After how long, and then how often, in nanoseconds: at least
/// RIPOSTE_LEAST_PERIOD. Ends do not drift.
/// @error RIPOSTE_ERROR_BAD_ARGUMENT The period is shorter than RIPOSTE_LEAST_PERIOD.
/// @error RIPOSTE_ERROR_EXHAUSTED It would end more often, together with the process's other timers that end
/// again and again, than the manifest allows (`timer_rate`): it goes on as before.
/// @error RIPOSTE_ERROR_BAD_HANDLE It is none, or was destroyed.
/// @blocks Never.
/// @from Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn riposte_timer_every(timer: riposte_timer_t, period: u64) -> riposte_error_t {
    riposte_timer_every_from(timer, from_now(period), period)
}

/// Lets a timer run: it ends at a moment, and again and again from then on. What it was set to before is
/// over.
///
/// @param timer The timer.
/// @param first The moment, in nanoseconds of monotonic time.
/// @param period How often then, in nanoseconds: at least
/// RIPOSTE_LEAST_PERIOD. Ends do not drift.
/// @error RIPOSTE_ERROR_BAD_ARGUMENT The period is shorter than RIPOSTE_LEAST_PERIOD.
/// @error RIPOSTE_ERROR_EXHAUSTED It would end more often, together with the process's other timers that end
/// again and again, than the manifest allows (`timer_rate`): it goes on as before.
/// @error RIPOSTE_ERROR_BAD_HANDLE It is none, or was destroyed.
/// @blocks Never.
/// @from Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn riposte_timer_every_from(
    timer: riposte_timer_t,
    first: u64,
    period: u64,
) -> riposte_error_t {
    if period == 0 {
        return Error::BadArgument as riposte_error_t;
    }
    set(timer, first, period)
}

fn from_now(nanoseconds: u64) -> u64 {
    riposte::Instant::now()
        .as_nanos()
        .saturating_add(nanoseconds)
}

fn set(timer: riposte_timer_t, first: u64, period: u64) -> riposte_error_t {
    Call::number(number::TIMER_SET)
        .words([timer.handle, period as u32, (period >> 32) as u32])
        .at(first)
        .done()
}

/// Stops a timer.
///
/// @param timer The timer.
/// @param ran Where it is stored whether it was running, or NULL.
/// @error RIPOSTE_ERROR_BAD_HANDLE It is none, or was destroyed.
/// @blocks Never.
/// @from Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn riposte_timer_cancel(
    timer: riposte_timer_t,
    ran: *mut bool,
) -> riposte_error_t {
    match Call::number(number::TIMER_CANCEL)
        .words([timer.handle])
        .make()
    {
        Ok(out) => {
            // SAFETY: the caller's promise.
            unsafe { put(ran, out[register::WORD0] != 0) };
            OK
        }
        Err(error) => error,
    }
}

/// Ends a timer for good.
///
/// @param timer The timer.
/// @error RIPOSTE_ERROR_BAD_HANDLE It is none, or was destroyed already.
/// @blocks Never.
/// @from Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn riposte_timer_destroy(timer: riposte_timer_t) -> riposte_error_t {
    Call::number(number::TIMER_DESTROY)
        .words([timer.handle])
        .done()
}
