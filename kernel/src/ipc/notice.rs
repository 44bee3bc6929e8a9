//! Notices: what the kernel has to tell a server, queued without allocating.
//!
//! Whatever a notice can be about embeds one, so that there is always room for it and one fact is
//! queued at most once.

use core::cell::Cell;

use crate::{Channel, Kernel};

/// What a notice is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The process of this index used a connection in this handle slot, and died.
    ClientDied {
        /// Process index.
        process: u8,
        /// Handle slot.
        slot: u8,
    },
    /// The thread of this index wants to be unblocked.
    Unblock {
        /// Thread index.
        thread: u8,
    },
    /// The process of this index faulted.
    Fault {
        /// Process index.
        process: u8,
    },
    /// Proxy number `number` of the process of this index was triggered.
    Proxy {
        /// Process index.
        process: u8,
        /// Number among the proxies of its process.
        number: u8,
    },
    /// Bits of the channel of this index were set.
    Bits {
        /// Channel index.
        channel: u8,
    },
}

state! {
/// A notice, queued or not.
pub struct Notice {
    /// What it is about.
    pub source: Source,
    pub(crate) next: Cell<Option<&'static Notice>>,
    pub(crate) previous: Cell<Option<&'static Notice>>,
}
}

impl Notice {
    /// A notice that is not queued.
    #[must_use]
    pub const fn new(source: Source) -> Self {
        Self {
            source,
            next: Cell::new(None),
            previous: Cell::new(None),
        }
    }

    /// Whether it waits to be received.
    #[must_use]
    pub fn is_queued(&self) -> bool {
        self.next.get().is_some()
    }

    fn is(&self, other: &Notice) -> bool {
        core::ptr::eq(self, other)
    }
}

state! {
/// The notices that wait at a channel, first in first out.
pub struct Notices {
    pub(crate) head: Cell<Option<&'static Notice>>,
}
}

impl Notices {
    /// None.
    pub const fn new() -> Self {
        Self {
            head: Cell::new(None),
        }
    }

    /// Whether none waits.
    pub fn is_empty(&self) -> bool {
        self.head.get().is_none()
    }

    /// Appends a notice, unless it is queued already.
    pub fn push(&self, notice: &'static Notice) {
        if notice.is_queued() {
            return;
        }
        let head = self.head.get().unwrap_or(notice);
        let tail = if head.is(notice) {
            notice
        } else {
            head.previous.get().unwrap_or(head)
        };
        notice.next.set(Some(head));
        notice.previous.set(Some(tail));
        tail.next.set(Some(notice));
        head.previous.set(Some(notice));
        self.head.set(Some(head));
    }

    /// Removes a notice that is queued here.
    pub fn remove(&self, notice: &'static Notice) {
        let (Some(next), Some(previous)) = (notice.next.take(), notice.previous.take()) else {
            return;
        };
        if next.is(notice) {
            self.head.set(None);
            return;
        }
        previous.next.set(Some(next));
        next.previous.set(Some(previous));
        if self.head.get().is_some_and(|head| head.is(notice)) {
            self.head.set(Some(next));
        }
    }

    /// The first one.
    pub fn first(&self) -> Option<&'static Notice> {
        self.head.get()
    }

    /// Takes the first one.
    pub fn pop(&self) -> Option<&'static Notice> {
        let notice = self.first()?;
        self.remove(notice);
        Some(notice)
    }
}

impl Kernel {
    /// Takes away the first notice of a channel, which is told to nobody. Whether there was one.
    pub(crate) fn drop_notice(&self, channel: &Channel) -> bool {
        let notice = channel.notices.pop();
        if let Some(Source::ClientDied { process, slot }) = notice.map(|notice| notice.source) {
            self.note_free_slot(process, slot);
        }
        notice.is_some()
    }

    /// No notice about what a handle slot held waits any more: it may hold something else.
    pub(crate) fn note_free_slot(&self, process: u8, slot: u8) {
        if let Some(process) = self.tables.processes.get(usize::from(process)) {
            process.free_slots.note(slot);
        }
    }
}
