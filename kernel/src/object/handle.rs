//! Handles: how a process names kernel objects.

use core::cell::Cell;

use riposte_abi::call::{self, operation};

use riposte_abi::Error;

use crate::{
    Channel, Held, Notice, Proxy, Source, Timer,
    limits::{POOLS, PROXIES, TIMERS},
};

value! {
/// What the holder of a connection may do beyond sending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rights {
    /// Hand it on in a reply.
    pub transfer: bool,
    /// Set notification bits of the channel.
    pub notify: bool,
}
}

impl Rights {
    /// None.
    pub const NONE: Rights = Rights {
        transfer: false,
        notify: false,
    };
}

value! {
/// Who has shut a connection that was open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShutBy {
    /// Nobody: it is open, or was not opened in this life of its process.
    Nobody,
    /// Its server, which died; sends say so until it is opened again.
    Server,
    /// Its own process; the server has not been told.
    Client,
}
}

value! {
/// What a handle slot leads to in place of a channel.
#[derive(Clone, Copy)]
pub enum Object {
    /// Nothing.
    None,
    /// A proxy. The slot's badge is which life of it is meant.
    Proxy(&'static Proxy),
    /// A timer of the process itself.
    Timer(&'static Timer),
    /// A region. The slot's badge is the rights to it ([`riposte_abi::region::right`]).
    Region(Held),
}
}

/// What handle slots have only in a system with objects other than channels: then one, else none.
type IfObjects<T> = [T; (PROXIES || TIMERS || POOLS) as usize];

/// What a handle slot is reserved for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// A connection of the manifest: opened, closed and opened again in this slot.
    Connection,
    /// A channel of the process itself.
    Channel,
    /// Free for a connection that a reply brings, for a proxy or a region.
    Spare,
    /// A proxy or timer of the process itself.
    Own,
    /// An interrupt of the manifest, while it is attached.
    Interrupt,
}

state! {
/// A slot of a process's handle table.
#[repr(C)]
pub struct Handle {
    /// The call word of a `SEND` through it while it is open, or that of an attached interrupt without
    /// an operation; 0 otherwise, which no call equals.
    pub(crate) send_call: Cell<u32> as shape(is_open),
    /// Where it leads while it is open; the channel of the manifest before that.
    pub(crate) target: Cell<&'static Channel>,
    /// What the messages carry; the line, if it is for an interrupt.
    pub(crate) badge: Cell<u32> as shape(meant),
    pub(crate) generation: Cell<u32> as detail,
    pub(crate) rights: Cell<Rights>,
    pub(crate) shut_by: Cell<ShutBy>,
    /// What the slot is for.
    pub purpose: Purpose,
    pub(crate) died: Notice,
    pub(crate) object: IfObjects<Cell<Object>>,
}
}

impl Handle {
    const fn new(
        purpose: Purpose,
        process: u8,
        slot: u8,
        target: &'static Channel,
        badge: u32,
        rights: Rights,
    ) -> Self {
        Self {
            send_call: Cell::new(0),
            target: Cell::new(target),
            badge: Cell::new(badge),
            generation: Cell::new(0),
            rights: Cell::new(rights),
            shut_by: Cell::new(ShutBy::Nobody),
            purpose,
            died: Notice::new(Source::ClientDied { process, slot }),
            object: [const { Cell::new(Object::None) }; _],
        }
    }

    const fn leading_to(mut self, object: Object) -> Self {
        self.object = [const { Cell::new(Object::None) }; _];
        if let [cell] = self.object.as_mut_slice() {
            *cell.get_mut() = object;
        }
        self
    }

    /// A connection of the manifest that leads to a proxy.
    #[must_use]
    pub const fn to_proxy(
        process: u8,
        slot: u8,
        proxy: &'static Proxy,
        rights: Rights,
        nowhere: &'static Channel,
    ) -> Self {
        Self::new(Purpose::Connection, process, slot, nowhere, 0, rights)
            .leading_to(Object::Proxy(proxy))
    }

    /// A proxy or timer of the process itself.
    #[must_use]
    pub const fn own(process: u8, slot: u8, object: Object, nowhere: &'static Channel) -> Self {
        Self::new(Purpose::Own, process, slot, nowhere, 0, Rights::NONE).leading_to(object)
    }

    /// A connection of the manifest.
    #[must_use]
    pub const fn connection(
        process: u8,
        slot: u8,
        target: &'static Channel,
        badge: u32,
        rights: Rights,
    ) -> Self {
        Self::new(Purpose::Connection, process, slot, target, badge, rights)
    }

    /// A channel of the process itself.
    #[must_use]
    pub const fn channel(process: u8, slot: u8, channel: &'static Channel) -> Self {
        Self::new(Purpose::Channel, process, slot, channel, 0, Rights::NONE)
    }

    /// A free slot.
    #[must_use]
    pub const fn spare(process: u8, slot: u8, nowhere: &'static Channel) -> Self {
        Self::new(Purpose::Spare, process, slot, nowhere, 0, Rights::NONE)
    }

    /// An interrupt of the process: the machine's `line`.
    #[must_use]
    pub const fn interrupt(process: u8, slot: u8, nowhere: &'static Channel, line: u16) -> Self {
        Self::new(
            Purpose::Interrupt,
            process,
            slot,
            nowhere,
            line as u32,
            Rights::NONE,
        )
    }

    /// Whether it is for messages, or free to be.
    pub(crate) fn is_for_messages(&self) -> bool {
        matches!(self.purpose, Purpose::Connection | Purpose::Spare)
    }

    /// Whether it is open: a message can be sent through it, or its interrupt is attached.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.send_call.get() != 0
    }

    /// Whether the low part of `word` names it, and it is an open connection.
    #[inline(always)]
    pub(crate) fn sends_by(&self, word: u32) -> bool {
        self.send_call.get() == call::word(operation::SEND, word & call::HANDLE_MASK)
    }

    /// Where it leads.
    #[must_use]
    pub fn target(&self) -> &'static Channel {
        self.target.get()
    }

    /// The badge that its messages carry.
    #[must_use]
    pub fn badge(&self) -> u32 {
        self.badge.get()
    }

    /// What it allows.
    #[must_use]
    pub fn rights(&self) -> Rights {
        self.rights.get()
    }

    /// Whether `handle` names this slot as it is now.
    pub(crate) fn is_named_by(&self, handle: u32) -> bool {
        (handle & call::HANDLE_MASK) >> call::GENERATION_SHIFT == self.generation.get()
    }

    /// What it leads to in place of a channel.
    #[inline]
    pub(crate) fn object(&self) -> Object {
        self.object.first().map_or(Object::None, Cell::get)
    }

    /// The error of a call that names it for what it is not.
    pub(crate) fn misused(&self) -> Error {
        match self.purpose {
            Purpose::Channel => Error::NotPermitted,
            _ => Error::BadHandle,
        }
    }

    /// The handle that names the slot as it is now; it may be closed.
    #[must_use]
    pub fn value(&self, slot: u32) -> u32 {
        call::handle(slot, self.generation.get())
    }

    /// The next generation: none of the last [`call::MAX_GENERATION`] handles names it any more. Behind the last
    /// generation comes the first one again: a process that has kept one of its own handles since then means another
    /// object, and nobody else does.
    fn renew(&self, slot: u32) -> u32 {
        let generation = match self.generation.get() {
            call::MAX_GENERATION => 1,
            generation => generation + 1,
        };
        self.generation.set(generation);
        call::handle(slot, generation)
    }

    /// A new object of the process itself is here, which others know by `life`: its handle.
    pub(crate) fn claim(&self, slot: u32, life: u32) -> u32 {
        self.badge.set(life);
        self.renew(slot)
    }

    /// Opens it for this life of a proxy.
    pub(crate) fn hold_proxy(
        &self,
        slot: u32,
        proxy: &'static Proxy,
        life: u32,
        rights: Rights,
    ) -> u32 {
        self.object
            .iter()
            .for_each(|object| object.set(Object::Proxy(proxy)));
        self.badge.set(life);
        self.rights.set(rights);
        self.renew(slot)
    }

    /// Opens it for a region.
    pub(crate) fn hold_region(&self, slot: u32, region: Held, rights: u32) -> u32 {
        self.object
            .iter()
            .for_each(|object| object.set(Object::Region(region)));
        self.badge.set(rights);
        region.block().hold();
        self.renew(slot)
    }

    /// Whether a reply may put something here.
    pub(crate) fn is_free(&self) -> bool {
        // A notice that still waits is about what the slot held before.
        self.holds_nothing() && !self.died.is_queued()
    }

    /// Whether a notice waits here that says of what the slot held before what it would say of a connection to `target` with
    /// this badge: then that may be put here.
    pub(crate) fn is_free_for(&self, target: &Channel, badge: u32) -> bool {
        let is_same = self.target.get().is(target) && self.badge.get() == badge;
        is_same && self.waits_for_notice()
    }

    /// Whether a reply may put something here as soon as no notice waits any more that says of what the slot held before.
    pub(crate) fn waits_for_notice(&self) -> bool {
        self.died.is_queued() && self.holds_nothing()
    }

    /// Whether it is a spare slot with nothing in it.
    fn holds_nothing(&self) -> bool {
        self.purpose == Purpose::Spare
            && !self.is_open()
            && self.shut_by.get() == ShutBy::Nobody
            && matches!(self.object(), Object::None)
    }

    /// Opens it with a new generation.
    pub(crate) fn open(
        &self,
        slot: u32,
        target: &'static Channel,
        badge: u32,
        rights: Rights,
    ) -> u32 {
        let handle = self.renew(slot);
        self.target.set(target);
        self.badge.set(badge);
        self.rights.set(rights);
        self.shut_by.set(ShutBy::Nobody);
        self.send_call.set(call::word(operation::SEND, handle));
        handle
    }

    /// Opens it for its interrupt, as [`Handle::open`] does for messages.
    pub(crate) fn attach(&self, slot: u32) -> u32 {
        let handle = self.renew(slot);
        self.send_call.set(handle);
        handle
    }

    /// Opens a connection of the manifest.
    pub(crate) fn connect(&self, slot: u32) -> u32 {
        self.open(slot, self.target.get(), self.badge.get(), self.rights.get())
    }

    /// Closes it; a spare slot is free again.
    pub(crate) fn close(&self, nowhere: &'static Channel) {
        self.send_call.set(0);
        self.shut_by.set(ShutBy::Nobody);
        if let Object::Region(region) = self.object() {
            region.block().release();
        }
        if !matches!(self.object(), Object::None) {
            self.badge.set(0);
        }
        if self.purpose == Purpose::Spare {
            if !self.died.is_queued() {
                self.target.set(nowhere);
            }
            self.object
                .iter()
                .for_each(|object| object.set(Object::None));
        }
    }

    /// Its server, which it was in use with, died; its next life does not know whom the dead one served.
    pub(crate) fn break_off(&self) {
        let by = if self.is_open() {
            ShutBy::Server
        } else {
            ShutBy::Nobody
        };
        self.send_call.set(0);
        self.shut_by.set(by);
    }

    /// Whether its server knows its process by the manifest.
    #[inline(always)]
    pub(crate) fn is_of_known_client(&self) -> bool {
        self.purpose == Purpose::Connection && self.target.get().knows_clients()
    }

    /// Whether it is open, or was closed and its server has to learn of its process's end.
    pub(crate) fn is_in_use(&self) -> bool {
        self.is_open() || self.shut_by.get() == ShutBy::Client
    }
}
