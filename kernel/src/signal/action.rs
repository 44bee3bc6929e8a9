//! Where the signals of a process are handled.

use riposte_abi::{Error, signal};

use crate::{Kernel, Port, Thread, dispatch::Next};

impl Kernel {
    /// The signals of the caller's process go to an address of its code, from the next one on.
    pub(crate) fn set_action(
        &self,
        port: &impl Port,
        caller: &'static Thread,
    ) -> Result<Next, Error> {
        let [entry, low, high, ..] = caller.words();
        let process = caller.process;
        port.return_target(entry)
            .filter(|target| process.code.holds(*target, 1))
            .ok_or(Error::BadAddress)?;
        let (_, of) = caller.signals().ok_or(Error::BadCall)?;
        of.entry.set(entry);
        of.handling.set(signal::set(low, high));
        caller.returns(0);
        Ok(Next::Continue)
    }

    /// The signals of the calling thread are handled on this memory of its process. It is looked at when one is.
    pub(crate) fn set_signal_stack(&self, caller: &'static Thread) -> Result<Next, Error> {
        let [address, length, ..] = caller.words();
        let writable = caller.process.writable(address, length);
        writable.map_err(|_| Error::BadAddress)?;
        let (own, _) = caller.signals().ok_or(Error::BadCall)?;
        own.stack.set([address, length]);
        caller.returns(0);
        Ok(Next::Continue)
    }
}
