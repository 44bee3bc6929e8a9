//! Which signals a thread masks.

use riposte_abi::{
    Error, register,
    signal::{self, how},
};

use crate::{
    Kernel, Thread,
    dispatch::Next,
    signal::{ALL, OfProcess, OfThread},
};

impl Thread {
    /// It masks this set from now on. (What waits and is masked no more is due: [`Kernel::summon`].)
    pub(super) fn mask(&self, set: u64) {
        if let Some((own, of)) = self.signals() {
            own.mask.set(set);
            of.note_change();
        }
    }
}

impl Thread {
    /// It begins with the mask of the thread that has started it.
    pub(crate) fn inherit_mask(&self, starter: &Thread) {
        if let Some(own) = starter.signals.first() {
            self.mask(own.mask.get());
        }
    }
}

impl OfProcess {
    /// A thread of this process may mask just `set`: nobody knows what to do with what it does not mask, until the
    /// process has said where its signals go.
    pub(super) fn allows(&self, set: u64) -> Result<(), Error> {
        if set != ALL && self.entry.get() == 0 {
            return Err(Error::BadArgument);
        }
        Ok(())
    }
}

impl Kernel {
    /// The caller masks other signals than before.
    pub(crate) fn change_mask(&self, caller: &'static Thread) -> Result<Next, Error> {
        let [change, low, high, ..] = caller.words();
        let (own, of) = caller.signals().ok_or(Error::BadCall)?;
        let (before, set) = (own.mask.get(), signal::set(low, high));
        let after = match change {
            how::SET => set,
            how::BLOCK => before | set,
            how::UNBLOCK => before & !set,
            _ => return Err(Error::BadArgument),
        };
        // There is no signal 0.
        let after = after | 1;
        of.allows(after)?;
        let [waiting, more] = signal::words(pending(own, of));
        let [low, high] = signal::words(before);
        caller.returns_words(0, 0, [low, high, waiting, more, 0]);
        caller.registers[register::GENERATION].set(0);
        caller.mask(after);
        self.summon(caller);
        Ok(Next::Continue)
    }
}

/// What waits for a thread to take it.
pub(super) fn pending(own: &OfThread, of: &OfProcess) -> u64 {
    own.pending.get() | of.pending.get()
}
