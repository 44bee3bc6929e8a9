//! Interrupts: a handler that waits runs at once, and waits again.

use riposte_abi::{info, notice, register};

use super::{RECEIVE, idle, slot};
use crate::{Channel, Interrupt, Kernel, Policy, Port, Thread, limits::ADAPTIVE};

/// Interrupt `line` has come, as [`Kernel::interrupt`] says, which knows every case. Returns its handler,
/// its registers saved, if that waits and is more urgent than the running thread.
#[inline(always)]
pub fn interrupt(kernel: &Kernel, line: usize) -> Option<&'static Thread> {
    let interrupt = (*kernel.tables.interrupts.get(line)?)?;
    let channel = interrupt.channel.get()?;
    let handler = waiting(kernel, channel)?;
    interrupt.masked.set(true);
    tell(kernel, channel, handler, interrupt.bits.get());
    Some(handler)
}

/// The thread that waits at `channel`, if it is more urgent than the running one, and no turn is to be
/// planned for either.
#[inline(always)]
pub(super) fn waiting(kernel: &Kernel, channel: &'static Channel) -> Option<&'static Thread> {
    let handler = channel.armed.get()?;
    let rank = kernel.current.get().rank.get();
    let planned = kernel.slicing() || ADAPTIVE && handler.policy() == Policy::Adaptive;
    (handler.base.get() > rank && !planned).then_some(handler)
}

/// `handler`, which is [`waiting`] at `channel`, is told of `bits`, and runs in place of the running
/// thread.
#[inline(always)]
pub(super) fn tell(
    kernel: &Kernel,
    channel: &'static Channel,
    handler: &'static Thread,
    bits: u32,
) {
    let current = kernel.current.get();
    channel.armed.set(None);
    handler.rank.set(handler.base.get());
    handler.registers[register::GENERATION].set(0);
    handler.set_registers(0, info::NOTICE, [notice::BITS, bits, 0, 0, 0]);
    kernel.put_in_front(current.rank.get(), current);
    kernel.current.set(handler);
}

/// `handler` acknowledges the interrupt whose handle is `word` by a `RECEIVE` with the call word `call`
/// and no other flag, and waits. Returns the thread to run, its registers saved, to which `may_run` has
/// agreed.
#[inline(always)]
pub fn acknowledge(
    kernel: &Kernel,
    port: &impl Port,
    handler: &'static Thread,
    (call, word): (u32, u32),
    may_run: impl Fn(&'static Thread) -> bool + Copy,
) -> Option<&'static Thread> {
    // Mostly it is the one that was attached to the channel last, and has put who runs next in the
    // foremost place.
    let interrupt = |channel: &Channel| channel.interrupt().filter(|it| it.handle.get() == word);
    let next = || kernel.foremost().filter(|next| may_run(next));
    let next = wait(port, handler, call, interrupt, next);
    if next.is_none() {
        return acknowledge_any(kernel, port, handler, (call, word), may_run);
    }
    kernel.foremost.set(None);
    next
}

/// As [`acknowledge`], in a function that does little else.
#[inline(never)]
fn acknowledge_any(
    kernel: &Kernel,
    port: &impl Port,
    handler: &'static Thread,
    (call, word): (u32, u32),
    may_run: impl Fn(&'static Thread) -> bool + Copy,
) -> Option<&'static Thread> {
    let interrupt = |_: &Channel| named(kernel, handler, word);
    let next = || {
        kernel
            .take_foremost(may_run)
            .or_else(|| kernel.take_next_here(may_run))
    };
    wait(port, handler, call, interrupt, next)
}

/// `handler` acknowledges `interrupt` of the channel of the call word `call`, and waits there. Returns
/// what `next` says.
#[inline(always)]
fn wait(
    port: &impl Port,
    handler: &'static Thread,
    call: u32,
    interrupt: impl FnOnce(&Channel) -> Option<&'static Interrupt>,
    next: impl FnOnce() -> Option<&'static Thread>,
) -> Option<&'static Thread> {
    let channel = idle(handler, || call, RECEIVE)?;
    let interrupt = interrupt(channel)?;
    // What software has raised meanwhile comes at once, and a limited line perhaps later.
    if interrupt.pended.get() || interrupt.is_limited() || !handler.owes_nobody() {
        return None;
    }
    let next = next()?;
    handler.progress.set(0);
    channel.armed.set(Some(handler));
    interrupt.unmask(port);
    Some(next)
}

/// `thread` raises the interrupt whose handle is `word`, as [`Kernel::call`] does, which knows every
/// case. Whether that was done: the machine interrupts as soon as the thread goes on.
#[inline(always)]
pub fn pend(kernel: &Kernel, port: &impl Port, thread: &'static Thread, word: u32) -> bool {
    let Some(interrupt) = named(kernel, thread, word) else {
        return false;
    };
    !interrupt.masked.get() && port.pend(interrupt.line)
}

/// The interrupt that `thread` has attached and `word` names.
#[inline(always)]
fn named(kernel: &Kernel, thread: &'static Thread, word: u32) -> Option<&'static Interrupt> {
    let handle = slot(thread, word);
    // No other open handle has a call word without an operation, and a closed one has 0.
    if word == 0 || handle.send_call.get() != word {
        return None;
    }
    *kernel.tables.interrupts.get(handle.badge.get() as usize)?
}
