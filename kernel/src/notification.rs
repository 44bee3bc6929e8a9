//! Notification bits: the cheapest wake-up. They are set without blocking, whatever the server
//! does, and it gets all that were set since the last time with one notice.
//!
//! A channel has bits exactly as long as its notice of them is queued.

use riposte_abi::{Error, notice};

use crate::{Kernel, Port, Thread};

impl Kernel {
    /// Sets bits of the channel of the caller's process that `handle` names.
    pub(crate) fn set_bits(
        &self,
        port: &impl Port,
        thread: &'static Thread,
        handle: u32,
        bits: u32,
    ) -> Result<(), Error> {
        let channel = self.channel(thread, handle)?;
        if bits == 0 {
            return Err(Error::BadArgument);
        }
        channel.bits.set(channel.bits.get() | bits);
        self.notify(port, channel, &channel.notified);
        thread.returns(0);
        Ok(())
    }

    /// What a server is told of the bits of the channel of this index, which are gone then.
    pub(crate) fn take_bits(&self, channel: u8) -> [u32; 5] {
        let channel = self.tables.channels.get(usize::from(channel));
        let bits = channel.map_or(0, |channel| channel.bits.take());
        [notice::BITS, bits, 0, 0, 0]
    }
}
