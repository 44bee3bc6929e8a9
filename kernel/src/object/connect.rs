//! Opening, closing and handing on connections.

use riposte_abi::{Error, call::HANDLE_MASK, is_process_badge, process_badge};

use crate::{
    Channel, Handle, Kernel, Port, Process, Rights, Thread,
    dispatch::Next,
    ipc::send::check_connection,
    limits::{HANDLES, OWN_BADGES, POOLS, PROXIES, TRANSFERS},
    object::handle::{Object, Purpose, ShutBy},
    port::Interrupted,
};

/// Handle slots that are looked at between two looks for interrupts.
const SLOTS: usize = 8;
/// As many where the search ends with the first that is found, and the call then comes again.
const LOOKED_AT: usize = 32;

impl Kernel {
    /// Opens the connection that the manifest put in this slot. Opening an open one gives the same
    /// handle.
    pub(crate) fn connect(&self, thread: &'static Thread, slot: u32) -> Result<u32, Error> {
        let handle = self
            .handles_of(thread.process)
            .get(slot as usize)
            .ok_or(Error::BadHandle)?;
        if let Object::Proxy(proxy) = handle.object() {
            return self.connect_proxy(handle, slot, proxy);
        }
        if handle.purpose != Purpose::Connection {
            return Err(Error::NotPermitted);
        }
        if !handle.target.get().owner.is_alive() {
            return Err(Error::ServerDied);
        }
        if handle.is_open() {
            return Ok(handle.send_call.get() & HANDLE_MASK);
        }
        Ok(handle.connect(slot))
    }

    /// Closes a connection, open or broken, or the handle of a proxy or a region.
    pub(crate) fn close(
        &self,
        port: &impl Port,
        thread: &'static Thread,
        word: u32,
    ) -> Result<Next, Error> {
        let handle = self.slot(thread.process, word)?;
        let found = match (handle.object(), handle.purpose) {
            (Object::None, _) => check_connection(handle, word),
            (Object::Proxy(_), Purpose::Connection | Purpose::Spare) => {
                self.proxy(thread, word).map(drop)
            }
            (Object::Region(_), _) if POOLS => self.region(thread.process, word).map(drop),
            _ => Err(Error::NotPermitted),
        };
        match found {
            Ok(()) | Err(Error::ServerDied) => {
                // Nobody may be left who could send what somebody waits for.
                if !self.end_hopes(port, thread, handle) {
                    return Ok(Next::Restart);
                }
                // Its server, if it asked for that, learns of the end of a client that may open it again until then.
                let remembered = handle.purpose == Purpose::Connection
                    && handle.is_open()
                    && handle.target.get().notify_client_died;
                handle.close(self.tables.nowhere);
                if remembered {
                    handle.shut_by.set(ShutBy::Client);
                }
                thread.process.free_slots.note(word as u8);
                thread.returns(0);
                Ok(Next::Continue)
            }
            Err(error) => Err(error),
        }
    }

    /// Gives `client` a copy of the connection that `word` names among `server`'s handles, or the
    /// right to trigger the proxy, or a handle of the region: its handle. What has the badge of `server`'s process gets that of `client`'s, and only
    /// sends. `None` if an interrupt waits before there is a place for it.
    pub(crate) fn transfer_handle(
        &self,
        port: &impl Port,
        server: &'static Thread,
        client: &'static Thread,
        word: u32,
    ) -> Result<Option<u32>, Error> {
        if PROXIES && let Object::Proxy(_) = self.slot(server.process, word)?.object() {
            let (proxy, rights) = self.proxy_to_give(server, word)?;
            let life = proxy.life.get();
            return self.give(port, client, |handle, slot| {
                handle.hold_proxy(slot, proxy, life, rights)
            });
        }
        if POOLS && let Object::Region(_) = self.slot(server.process, word)?.object() {
            let (region, rights) = self.region_to_give(server.process, word)?;
            return self.give(port, client, |handle, slot| {
                handle.hold_region(slot, region, rights)
            });
        }
        let given = self.connection(server, word)?;
        let may_be_given = given.rights.get().transfer && client.request.get().accepts_handle;
        if !TRANSFERS || !may_be_given {
            return Err(Error::NotPermitted);
        }
        let target = given.target.get();
        let (mut badge, mut rights) = (given.badge.get(), given.rights.get());
        if OWN_BADGES && is_process_badge(badge) {
            (badge, rights) = (process_badge(client.process.index), Rights::NONE);
        }
        let opened = match self.slot_told_of(port, server, client.process, (target, badge)) {
            Ok(Some((slot, handle))) => Some(open_anew(handle, slot, (target, badge, rights))),
            Ok(None) => self.fill_slot(port, client.process, |handle, slot| {
                open_anew(handle, slot, (target, badge, rights))
            })?,
            Err(Interrupted) => None,
        };
        if opened.is_some() {
            target.openings.set(target.openings.get().wrapping_add(1));
        }
        Ok(opened)
    }

    /// The slot of `process` of which a notice waits that says what it would say of a connection to `target` with this badge.
    /// So a server that takes no notices keeps one slot of a client that begins anew again and again, and not one each time.
    /// `Err` if an interrupt waits before that is known: the call of `caller` is to come again.
    fn slot_told_of(
        &self,
        port: &impl Port,
        caller: &'static Thread,
        process: &'static Process,
        (target, badge): (&'static Channel, u32),
    ) -> Result<Option<(u32, &'static Handle)>, Interrupted> {
        if !target.notify_client_died || target.notices.is_empty() {
            return Ok(None);
        }
        let begun = caller.begun() as usize;
        let slots = self.handles_of(process);
        for (slot, handle) in slots.iter().enumerate().skip(begun) {
            if handle.is_free_for(target, badge) {
                return Ok(Some((slot as u32, handle)));
            }
            let next = slot + 1;
            // Behind the last one begins the search for a free one.
            let is_piece = next.is_multiple_of(SLOTS) || next == slots.len();
            if is_piece && port.interrupted() {
                caller.keep_progress(next as u32);
                return Err(Interrupted);
            }
        }
        Ok(None)
    }

    /// Puts something into a free handle slot of `client`, which must accept it: its handle. `None` if an interrupt
    /// waits before one is found.
    fn give(
        &self,
        port: &impl Port,
        client: &'static Thread,
        open: impl Fn(&Handle, u32) -> u32,
    ) -> Result<Option<u32>, Error> {
        if !client.request.get().accepts_handle {
            return Err(Error::NotPermitted);
        }
        self.fill_slot(port, client.process, open)
    }

    /// Puts something into a free handle slot of `process`: its handle. `None` if an interrupt waits before one is
    /// found.
    #[inline(always)]
    pub(crate) fn fill_slot(
        &self,
        port: &impl Port,
        process: &'static Process,
        open: impl Fn(&Handle, u32) -> u32,
    ) -> Result<Option<u32>, Error> {
        let open = |handle: &Handle, slot| {
            let is_free = handle.is_free();
            is_free.then(|| open(handle, slot as u32))
        };
        let taken = process
            .free_slots
            .take(port, self.handles_of(process), open);
        match taken {
            Ok(Some(taken)) => Ok(Some(taken)),
            Ok(None) => self.refuse_slot(port, process).map(|()| None),
            Err(Interrupted) => Ok(None),
        }
    }

    /// No slot of `process` is free for what the running thread puts there: but for one of which somebody was to be told who has
    /// died, whatever step that one's end has come to. Then it is free, and the call comes again; so it does if an interrupt waits
    /// before that is known.
    #[cold]
    #[inline(never)]
    fn refuse_slot(&self, port: &impl Port, process: &'static Process) -> Result<(), Error> {
        if !self.is_unfinished() {
            return Err(Error::NoHandles);
        }
        let caller = self.current.get();
        // What is less is how far the search for a slot that is told of has come.
        let begun = (caller.begun() as usize).saturating_sub(HANDLES);
        let slots = self.handles_of(process).iter().enumerate();
        for (slot, handle) in slots.skip(begun) {
            let channel = handle.target.get();
            if handle.waits_for_notice() && !channel.owner.is_alive() {
                channel.notices.remove(&handle.died);
                channel.update_idle();
                process.free_slots.note(slot as u8);
                return Ok(());
            }
            let next = slot + 1;
            if next.is_multiple_of(LOOKED_AT) && port.interrupted() {
                caller.keep_progress((HANDLES + next) as u32);
                return Ok(());
            }
        }
        Err(Error::NoHandles)
    }
}

/// Opens a connection in a slot that was free: nobody has to ask any more whether it can be opened.
#[inline(always)]
fn open_anew(
    handle: &Handle,
    slot: u32,
    (target, badge, rights): (&'static Channel, u32, Rights),
) -> u32 {
    let opened = handle.open(slot, target, badge, rights);
    handle.end_doubt();
    opened
}
