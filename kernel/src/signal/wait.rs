//! Waiting for signals.

use riposte_abi::{Error, info, register, signal};

use crate::{
    Kernel, Port, Thread,
    dispatch::Next,
    ipc::send::may_block,
    signal::{Waits, mask::pending},
};

impl Kernel {
    /// The caller waits, with another mask, until a signal has been handled.
    pub(crate) fn suspend(&self, port: &impl Port, caller: &'static Thread) -> Result<Next, Error> {
        let [low, high, ..] = caller.words();
        let flags = caller.register(register::INFO);
        if flags & !info::DEADLINE != 0 {
            return Err(Error::BadArgument);
        }
        let (own, of) = caller.signals().ok_or(Error::BadCall)?;
        let set = signal::set(low, high) | 1;
        of.allows(set)?;
        let deadline = self.deadline_of(port, caller, flags);
        let is_due = pending(own, of) & !set != 0;
        if !is_due {
            may_block(port, deadline)?;
        }
        own.waits.set(Waits::Handled(own.mask.get()));
        caller.mask(set);
        self.limit(caller, deadline);
        // One that is due already ends the wait before any thread runs.
        if is_due {
            self.deliver_signal(port, caller);
        }
        Ok(Next::Blocked)
    }

    /// The caller takes a signal of a set, or waits for one.
    pub(crate) fn wait_for_signal(
        &self,
        port: &impl Port,
        caller: &'static Thread,
    ) -> Result<Next, Error> {
        let [low, high, ..] = caller.words();
        let flags = caller.register(register::INFO);
        let set = signal::set(low, high);
        if flags & !info::DEADLINE != 0 || set & 1 != 0 || set == 0 {
            return Err(Error::BadArgument);
        }
        let (own, of) = caller.signals().ok_or(Error::BadCall)?;
        let waiting = pending(own, of) & set;
        if waiting != 0 {
            let signal = waiting.trailing_zeros();
            caller.return_signal(signal, caller.take(signal));
            return Ok(Next::Continue);
        }
        let deadline = self.deadline_of(port, caller, flags);
        may_block(port, deadline)?;
        own.waits.set(Waits::One(set));
        of.note_change();
        self.limit(caller, deadline);
        Ok(Next::Blocked)
    }

    /// `thread` waits for `signal`, which has come for it with `word`: that is what its call returns.
    pub(super) fn end_wait_with(
        &self,
        port: &impl Port,
        thread: &'static Thread,
        signal: u32,
        word: u32,
    ) {
        thread.return_signal(signal, word);
        self.resume(port, thread);
    }
}

impl Thread {
    /// Takes a signal that waits for it or its process: the word that it brings.
    pub(super) fn take(&self, signal: u32) -> u32 {
        let Some((own, of)) = self.signals() else {
            return 0;
        };
        let bit = super::bit(signal);
        let (pending, whose) = if own.pending.get() & bit != 0 {
            (&own.pending, self.index)
        } else {
            (&of.pending, super::queue::ANYBODY)
        };
        let (word, others) = if super::is_queued(signal) {
            of.queue.take(signal, whose)
        } else {
            own.of_process.set(own.of_process.get() & !(bit as u32));
            (0, false)
        };
        if !others {
            pending.set(pending.get() & !bit);
        }
        word
    }

    fn return_signal(&self, signal: u32, word: u32) {
        self.returns_words(0, 0, [signal, word, 0, 0, 0]);
        self.registers[register::GENERATION].set(0);
    }
}
