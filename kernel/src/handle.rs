//! Handles: how a process names kernel objects.

use core::cell::Cell;

use riposte_abi::call::{self, operation};

use crate::{Channel, Notice, Source};

/// What the holder of a connection may do beyond sending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rights {
    /// Hand it on in a reply.
    pub transfer: bool,
}

/// What a handle slot is reserved for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// A connection of the manifest: opened, closed and opened again in this slot.
    Connection,
    /// A channel of the process itself.
    Channel,
    /// Free for a connection that a reply brings.
    Spare,
    /// An interrupt of the manifest, while it is attached.
    Interrupt,
}

/// A slot of a process's handle table.
#[repr(C)]
pub struct Handle {
    /// The call word of a `SEND` through it while it is open, or that of an attached interrupt without
    /// an operation; 0 otherwise, which no call equals.
    pub(crate) send_call: Cell<u32>,
    /// Where it leads while it is open; the channel of the manifest before that.
    pub(crate) target: Cell<&'static Channel>,
    /// What the messages carry; the line, if it is for an interrupt.
    pub(crate) badge: Cell<u32>,
    pub(crate) generation: Cell<u32>,
    pub(crate) rights: Cell<Rights>,
    /// It was open when its server died; sends say so until it is opened again.
    pub(crate) broken: Cell<bool>,
    /// What the slot is for.
    pub purpose: Purpose,
    pub(crate) died: Notice,
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
            broken: Cell::new(false),
            purpose,
            died: Notice::new(Source::ClientDied { process, slot }),
        }
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
        Self::new(
            Purpose::Channel,
            process,
            slot,
            channel,
            0,
            Rights { transfer: false },
        )
    }

    /// A free slot.
    #[must_use]
    pub const fn spare(process: u8, slot: u8, nowhere: &'static Channel) -> Self {
        Self::new(
            Purpose::Spare,
            process,
            slot,
            nowhere,
            0,
            Rights { transfer: false },
        )
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
            Rights { transfer: false },
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

    /// Whether `handle` names this slot as it is now.
    pub(crate) fn is_named_by(&self, handle: u32) -> bool {
        (handle & call::HANDLE_MASK) >> call::GENERATION_SHIFT == self.generation.get()
    }

    /// Opens it with a new generation: no older handle names it any more. `None` if the slot has
    /// had all its generations.
    pub(crate) fn open(
        &self,
        slot: u32,
        target: &'static Channel,
        badge: u32,
        rights: Rights,
    ) -> Option<u32> {
        let handle = self.renew(slot)?;
        self.target.set(target);
        self.badge.set(badge);
        self.rights.set(rights);
        self.broken.set(false);
        self.send_call.set(call::word(operation::SEND, handle));
        Some(handle)
    }

    /// Opens it for its interrupt, as [`Handle::open`] does for messages.
    pub(crate) fn attach(&self, slot: u32) -> Option<u32> {
        let handle = self.renew(slot)?;
        self.send_call.set(handle);
        Some(handle)
    }

    /// The handle of the next generation, if there is one.
    fn renew(&self, slot: u32) -> Option<u32> {
        let generation = self.generation.get() + 1;
        if generation > call::MAX_GENERATION {
            return None;
        }
        self.generation.set(generation);
        Some(call::handle(slot, generation))
    }

    /// Opens a connection of the manifest.
    pub(crate) fn connect(&self, slot: u32) -> Option<u32> {
        self.open(slot, self.target.get(), self.badge.get(), self.rights.get())
    }

    /// Closes it; a spare slot is free again.
    pub(crate) fn close(&self, nowhere: &'static Channel) {
        self.send_call.set(0);
        self.broken.set(false);
        if self.purpose == Purpose::Spare {
            self.target.set(nowhere);
        }
    }

    /// Its server died.
    pub(crate) fn break_off(&self) {
        self.send_call.set(0);
        self.broken.set(true);
    }
}
