//! Opening, closing and handing on connections.

use riposte_abi::{Error, call::HANDLE_MASK};

use crate::{Kernel, Port, Thread, handle::Purpose};

impl Kernel {
    /// Opens the connection that the manifest put in this slot. Opening an open one gives the same
    /// handle.
    pub(crate) fn connect(&self, thread: &'static Thread, slot: u32) -> Result<u32, Error> {
        let handle = self
            .handles_of(thread.process)
            .get(slot as usize)
            .ok_or(Error::BadHandle)?;
        if handle.purpose != Purpose::Connection {
            return Err(Error::NotPermitted);
        }
        if handle.is_open() {
            return Ok(handle.send_call.get() & HANDLE_MASK);
        }
        if !handle.target.get().owner.is_alive() {
            return Err(Error::ServerDied);
        }
        handle.connect(slot).ok_or(Error::NoHandles)
    }

    /// Closes a connection, open or broken.
    pub(crate) fn close(
        &self,
        port: &impl Port,
        thread: &'static Thread,
        word: u32,
    ) -> Result<(), Error> {
        match self.connection(thread, word) {
            Ok(_) | Err(Error::ServerDied) => {
                self.slot(thread.process, word)?.close(self.tables.nowhere);
                // Nobody may be left who could send what somebody waits for.
                self.end_selections(port);
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    /// Gives `client` a copy of the connection that `word` names among `server`'s handles.
    pub(crate) fn transfer_handle(
        &self,
        server: &'static Thread,
        client: &'static Thread,
        word: u32,
    ) -> Result<u32, Error> {
        let given = self.connection(server, word)?;
        if !given.rights.get().transfer || !client.request.get().accepts_handle {
            return Err(Error::NotPermitted);
        }
        let target = given.target.get();
        let handles = self.handles_of(client.process).iter().enumerate();
        let mut free = handles.filter(|(_, handle)| {
            // A notice that still waits is about what the slot held before.
            let is_free = !handle.is_open() && !handle.broken.get() && !handle.died.is_queued();
            handle.purpose == Purpose::Spare && is_free
        });
        free.find_map(|(slot, handle)| {
            handle.open(slot as u32, target, given.badge.get(), given.rights.get())
        })
        .ok_or(Error::NoHandles)
    }
}
