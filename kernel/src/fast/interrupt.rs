//! Interrupts: a handler that waits runs at once, and waits again.

use riposte_abi::{info, notice, register};

use super::{RECEIVE, idle, slot};
use crate::{Interrupt, Kernel, Port, Thread, limits::INTERRUPTS};

/// Interrupt `line` has come, as [`Kernel::interrupt`] says, which knows every case. Returns its handler,
/// its registers saved, if that waits and is more urgent than the running thread.
#[inline(always)]
pub fn interrupt(kernel: &Kernel, line: usize) -> Option<&'static Thread> {
    let interrupt = (*kernel.tables.interrupts.get(line)?)?;
    let channel = interrupt.channel.get()?;
    let handler = channel.armed.get()?;
    let current = kernel.current.get();
    let (rank, base) = (current.rank.get(), handler.base.get());
    if base <= rank || kernel.slicing() {
        return None;
    }
    interrupt.masked.set(true);
    channel.armed.set(None);
    handler.rank.set(base);
    handler.registers[register::GENERATION].set(0);
    let words = [notice::BITS, interrupt.bits.get(), 0, 0, 0];
    handler.set_registers(0, info::NOTICE, words);
    kernel.put_in_front(rank, current);
    Some(handler)
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
