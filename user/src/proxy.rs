//! Proxies: canned messages that are triggered without blocking.

use riposte_abi::call::number;
use riposte_abi::{Error, register};

use crate::connection::connect;
use crate::trap::Range;
use crate::{Channel, failure};

/// A canned message of a channel, or the right to trigger one. Whoever may trigger it never waits for
/// its owner; each time is counted, and received once, as [`crate::Notice::Proxy`]. (QNX 4's proxies.)
#[derive(Debug, PartialEq, Eq)]
pub struct Proxy {
    handle: u32,
    /// The manifest's slot; none for a proxy that was made, or that a reply brought.
    slot: Option<u32>,
}

/// Which of its proxies a process has received.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ProxyId(pub(crate) u32);

impl Proxy {
    /// A new proxy of this process, which is received at `channel` with `message`, at most
    /// [`crate::abi::MAX_PROXY_BYTES`] (100). Never blocks.
    ///
    /// # Errors
    /// [`Error::Exhausted`] if the process has as many as the manifest's `proxies` says;
    /// [`Error::BadArgument`] if the message is too long; [`Error::BadHandle`] if the channel is not
    /// one.
    pub fn new(channel: &Channel, message: &[u8]) -> Result<Proxy, Error> {
        let range = Range::of(message);
        let words = [channel.handle(), range.address, range.length];
        let handle = failure::perform(number::PROXY_CREATE, words)?[register::WORD0];
        Ok(Proxy { handle, slot: None })
    }

    /// Opens the manifest's slot.
    pub(crate) fn open(slot: u32) -> Result<Proxy, Error> {
        Ok(Proxy {
            handle: connect(slot)?,
            slot: Some(slot),
        })
    }

    /// A proxy from its raw handle, as a transfer or another language keeps it.
    #[must_use]
    pub const fn from_handle(handle: u32) -> Proxy {
        Proxy { handle, slot: None }
    }

    /// The handle, for calls that this library doesn't wrap.
    #[must_use]
    pub const fn handle(&self) -> u32 {
        self.handle
    }

    /// What the notice of a proxy of this process names it by.
    #[must_use]
    pub const fn id(&self) -> ProxyId {
        ProxyId(self.handle)
    }

    /// Triggers it: it is received once more. Never blocks.
    ///
    /// # Errors
    /// [`Error::WouldBlock`] if 65,535 times have not been received; [`Error::ServerDied`] if its owner
    /// has died, or has destroyed it; [`Error::BadHandle`] if it is none.
    pub fn trigger(&self) -> Result<(), Error> {
        failure::ask(number::TRIGGER, self.handle, 0).map(drop)
    }

    /// Opens the manifest's proxy again after [`Error::ServerDied`]: the name then finds that of the
    /// restarted owner. Never blocks.
    ///
    /// # Errors
    /// [`Error::ServerDied`] if the owner is not there again; [`Error::BadHandle`] for a proxy that does
    /// not come from the manifest.
    pub fn reconnect(&mut self) -> Result<(), Error> {
        self.handle = connect(self.slot.ok_or(Error::BadHandle)?)?;
        Ok(())
    }

    /// Gives up the right to trigger another process's proxy.
    ///
    /// # Errors
    /// [`Error::NotPermitted`] if it is one of this process; [`Error::BadHandle`] if it was closed
    /// already.
    pub fn close(self) -> Result<(), Error> {
        crate::connection::close(self.handle)
    }

    /// Ends a proxy that this process has made. What was triggered and not received is gone.
    ///
    /// # Errors
    /// [`Error::NotPermitted`] if the process has not made it; [`Error::BadHandle`] if it is none.
    pub fn destroy(self) -> Result<(), Error> {
        failure::ask(number::PROXY_DESTROY, self.handle, 0).map(drop)
    }
}
