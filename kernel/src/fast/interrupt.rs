//! Interrupts: a handler that waits runs at once, and waits again.

use riposte_abi::{info, notice, register};

use super::{RECEIVE, idle, slot};
use crate::{Channel, Interrupt, Kernel, Port, Thread, limits::INTERRUPTS};

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

/// The thread that waits at `channel`, if it is more urgent than the running one, and no turn is
/// running or would begin with it.
#[inline(always)]
pub(super) fn waiting(kernel: &Kernel, channel: &'static Channel) -> Option<&'static Thread> {
    let handler = channel.armed.get()?;
    let rank = kernel.current.get().rank.get();
    let preempts = handler.base.get() > rank && !kernel.slicing() && !handler.may_drop();
    preempts.then_some(handler)
}

/// `handler`, which is [`waiting`] at `channel`, is told of `bits`, and is about to run in place of the
/// running thread.
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
}

/// `handler` acknowledges by the flags `info` of its `RECEIVE` with the call word `call` the interrupt
/// whose handle is `word`, and waits. Returns the thread to run, its registers saved, to which
/// `may_run` has agreed.
#[inline(always)]
pub fn receive(
    kernel: &Kernel,
    port: &impl Port,
    handler: &'static Thread,
    (call, info, word): (u32, u32, u32),
    may_run: impl Fn(&'static Thread) -> bool,
) -> Option<&'static Thread> {
    if !INTERRUPTS || info != info::ACKNOWLEDGE || !handler.owes_nobody() {
        return None;
    }
    let interrupt = named(kernel, handler, word)?;
    // What software has raised meanwhile comes at once.
    if interrupt.pended.get() {
        return None;
    }
    let channel = idle(handler, || call, RECEIVE)?;
    let next = match kernel.take_foremost(&may_run) {
        None => kernel.take_next(may_run)?,
        Some(next) => next,
    };
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
    if handle.send_call.get() != word {
        return None;
    }
    // No other open handle has a call word without an operation.
    *kernel.tables.interrupts.get(handle.badge.get() as usize)?
}
