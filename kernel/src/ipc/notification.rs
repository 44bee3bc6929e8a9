//! Notification bits: the cheapest wake-up. They are set without blocking, whatever the server
//! does, and it gets all that were set since the last time with one notice.
//!
//! A channel has bits exactly as long as its notice of them is queued.

use riposte_abi::{
    Error,
    call::{self, HANDLE_MASK, operation},
    info, notice, register,
    trace::kind,
};

use crate::{Channel, Kernel, Next, Port, Thread, object::handle::Purpose};

impl Kernel {
    /// `NOTIFY`: of a channel where somebody waits for any message.
    #[inline(always)]
    pub(crate) fn call_notify(&self, port: &impl Port, thread: &'static Thread) -> &'static Thread {
        let [handle, bits, ..] = thread.words();
        if bits != 0
            && let Some(channel) = notified_channel(thread, handle)
            && let Some(server) = channel.waiting_receiver.get()
        {
            self.trace_notify(channel, bits);
            self.give_bits(port, channel, server, bits);
            return self.complete_empty(port, thread);
        }
        self.call_notify_any(port, thread)
    }

    /// Every other case.
    #[inline(never)]
    fn call_notify_any(&self, port: &impl Port, thread: &'static Thread) -> &'static Thread {
        self.relax(thread);
        let [handle, bits, ..] = thread.words();
        let set = self.set_bits(port, thread, handle, bits);
        let done = set.map(|()| {
            thread.returns(0);
            Next::Continue
        });
        self.complete(port, thread, done)
    }

    /// Sets bits of the channel that `handle` names: one of the caller's process, or one that a
    /// connection with the right to do so leads to.
    fn set_bits(
        &self,
        port: &impl Port,
        thread: &'static Thread,
        handle: u32,
        bits: u32,
    ) -> Result<(), Error> {
        let channel = self.notified_channel(thread, handle)?;
        if bits == 0 {
            return Err(Error::BadArgument);
        }
        self.add_bits(port, channel, bits);
        Ok(())
    }

    /// The channel of which `thread` may set bits by this handle.
    fn notified_channel(
        &self,
        thread: &'static Thread,
        handle: u32,
    ) -> Result<&'static Channel, Error> {
        if self.slot(thread.process, handle)?.purpose == Purpose::Channel {
            return self.channel(thread, handle);
        }
        let connection = self.connection(thread, handle)?;
        if !connection.rights.get().notify {
            return Err(Error::NotPermitted);
        }
        let channel = connection.target.get();
        self.look_for_holder(channel);
        Ok(channel)
    }

    /// Sets bits of a channel whose process lives. A server that waits for any message has them at once.
    #[inline(always)]
    pub(crate) fn add_bits(&self, port: &impl Port, channel: &'static Channel, bits: u32) {
        debug_assert!(channel.owner.is_alive());
        self.trace_notify(channel, bits);
        if let Some(server) = channel.waiting_receiver.get() {
            return self.give_bits(port, channel, server, bits);
        }
        self.keep_bits(port, channel, bits);
    }

    /// `server`, which waits for any message, gets these bits.
    #[inline(always)]
    fn give_bits(
        &self,
        port: &impl Port,
        channel: &'static Channel,
        server: &'static Thread,
        bits: u32,
    ) {
        let zero = port.zero();
        server.set_registers(zero, info::NOTICE, [notice::BITS, bits, zero, zero, zero]);
        server.registers[register::GENERATION].set(zero);
        self.end_wait(channel, server);
        self.trace_event(kind::NOTICE, server, || (notice::BITS, [bits, 0]));
    }

    /// Nobody waits for any message.
    #[inline(never)]
    fn keep_bits(&self, port: &impl Port, channel: &'static Channel, bits: u32) {
        channel.bits.set(channel.bits.get() | bits);
        self.notify(port, channel, &channel.notified);
    }

    /// `server`, the waiting receiver of `channel`, has got a notice. It waits for nothing else, and nobody has made it
    /// more urgent.
    #[inline(always)]
    pub(crate) fn end_wait(&self, channel: &'static Channel, server: &'static Thread) {
        channel.waiting_receiver.set(None);
        server.priority.set(server.base.get());
        self.ready.push_back(server);
    }

    /// What a server is told of the bits of the channel of this index, which are gone then.
    pub(crate) fn take_bits(&self, channel: u8) -> [u32; 5] {
        let channel = self.tables.channels.get(usize::from(channel));
        let bits = channel.map_or(0, |channel| channel.bits.take());
        [notice::BITS, bits, 0, 0, 0]
    }
}

/// The channel of which `thread` may set bits by this handle, if its handles are all that there is to look at.
#[inline(always)]
fn notified_channel(thread: &'static Thread, handle: u32) -> Option<&'static Channel> {
    let slot = thread.slot(handle);
    // One comparison says that it is a connection, open, and the one that is meant.
    if slot.send_call.get() == call::word(operation::SEND, handle) && slot.rights.get().notify {
        return Some(slot.target.get());
    }
    // So does this of a channel of the caller's own.
    let channel = slot.target.get();
    let is_own = slot.purpose == Purpose::Channel && channel.handle == handle & HANDLE_MASK;
    is_own.then_some(channel)
}
