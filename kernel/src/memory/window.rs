//! What a process has for messages that carry memory.
//!
//! Memory of one process appears in a [`Window`] of another one: lent, until the message is
//! answered, or moved, until its holder gives it up. What the process that it belongs to, its
//! *home*, may not touch meanwhile is a [`Gap`] in its pages.

use core::cell::Cell;

use crate::{
    Access, Quota, Range, Thread, Word, Writable,
    limits::{MEMORY_MESSAGES, POOLS},
    memory::pool::{Held, IfPools},
};

/// What objects have only in a system with messages that carry memory: then one, else none.
pub(crate) type IfCarried<T> = [T; MEMORY_MESSAGES as usize];

state! {
/// What the manifest gives a process for messages that carry memory.
pub struct Exchange {
    /// Where memory appears that others lend it or move to it, all of the same size; behind them the places for
    /// regions that it maps.
    pub windows: &'static [Window],
    /// Its memory that can be away while it runs. It is not initialised at the start, and not in
    /// [`crate::Process::memory`].
    pub pages: Range,
    /// What can be away of its pages at once.
    pub gaps: &'static [Gap],
    /// How much of which pools it may make regions of.
    pub quotas: IfPools<&'static [Quota]>,
}
}

impl Exchange {
    /// That of a process that has neither windows nor pages. With one thread it can lend all the
    /// same.
    pub const NONE: Exchange = Exchange {
        windows: &[],
        pages: Range::NONE,
        gaps: &[],
        quotas: [&[]; _],
    };

    /// What its process may make of the pool at this position among its own.
    pub(crate) fn quota(&self, position: u32) -> Option<&'static Quota> {
        let quotas: &'static [Quota] = self.quotas.first()?;
        quotas.get(position as usize)
    }

    /// The places for regions that its process maps.
    pub(super) fn region_windows(&self) -> impl Iterator<Item = &'static Window> {
        let windows = if POOLS { self.windows } else { &[] };
        windows.iter().filter(|window| window.is_for_regions())
    }

    /// Where the kernel sees bytes that the process may read, or write if `write`: in its pages, none
    /// of them away, or in one of its windows.
    pub(crate) fn find(&self, address: u32, length: u32, write: bool) -> Option<u32> {
        if !MEMORY_MESSAGES {
            return None;
        }
        if self.pages.holds(address, length) {
            let blocks =
                |gap: &Gap| gap.overlaps(address, length) && (write || !gap.readable.get());
            return (!self.gaps.iter().any(blocks)).then(|| self.pages.machine(address));
        }
        let window = self.window(address, length)?;
        let offset = address.wrapping_sub(window.address.get());
        let allowed = !write || window.writable.get();
        allowed.then(|| window.range.get().address().wrapping_add(offset))
    }

    /// These bytes of the pages, if nothing of the pages is away.
    #[inline(always)]
    pub(crate) fn whole_pages(&self, address: u32, length: u32) -> Option<Writable> {
        let whole = self.gaps.iter().all(Gap::is_free);
        self.pages.writable(address, length).filter(|_| whole)
    }

    /// The window in which all these bytes are open.
    pub(crate) fn window(&self, address: u32, length: u32) -> Option<&'static Window> {
        self.windows.iter().find(|window| {
            let open = Range::new(
                window.address.get(),
                window.range.get().length(),
                Access::ReadWrite,
            );
            !window.is_empty() && open.holds(address, length)
        })
    }
}

value! {
/// What is open in a window.
#[derive(Clone, Copy)]
pub(crate) enum Contents {
    Nothing,
    /// What this thread has lent with the message that it waits with, or waited with when it died.
    Lent(&'static Thread),
    /// What this gap is for at home.
    Moved(&'static Gap),
    /// A region that its process has mapped.
    Region(Held),
}
}

state! {
/// A place where memory of another process can appear.
pub struct Window {
    /// Most bytes of one message; 0 if it is a place for regions.
    pub(crate) size: u32,
    pub(crate) number: u8,
    pub(crate) writable: Cell<bool> where is_open,
    /// Whether a word of the region in it was named since it was mapped: else no thread of its process waits there, or
    /// owns a lock there that others wait for. So it is of this many threads, the first of all, since one was named last.
    pub(crate) named: Cell<Option<u8>> as detail,
    pub(crate) contents: Cell<Contents>,
    /// Where the process sees it.
    pub(crate) address: Cell<u32> where is_open,
    /// The memory in it.
    pub(crate) range: Cell<Writable> where is_open,
}
}

impl Window {
    /// Window `number` of its process, with nothing in it, for at most `size` bytes.
    #[must_use]
    pub const fn new(number: u8, size: u32) -> Self {
        Self {
            size,
            number,
            writable: Cell::new(false),
            named: Cell::new(None),
            contents: Cell::new(Contents::Nothing),
            address: Cell::new(0),
            range: Cell::new(Writable::new(0, 0)),
        }
    }

    /// Window `number` of its process, a place for regions that it maps.
    #[must_use]
    pub const fn for_regions(number: u8) -> Self {
        Self::new(number, 0)
    }

    /// Whether it is a place for regions.
    #[must_use]
    #[inline(always)]
    pub fn is_for_regions(&self) -> bool {
        POOLS && self.size == 0
    }

    /// Whether it shows this region.
    pub(crate) fn shows(&self, region: Held) -> bool {
        matches!(self.contents.get(), Contents::Region(own) if own.is(region))
    }

    /// Where the kernel sees the bytes at `address`, if they are in a region that its process has mapped here to write.
    pub(super) fn word(&self, address: u32) -> Option<Word> {
        let offset = address.wrapping_sub(self.address.get());
        let range = self.range.get();
        if !self.is_writable_region() || offset >= range.length() {
            return None;
        }
        self.name();
        Word::new(range.address().wrapping_add(offset))
    }

    /// A word of the region in it is named: whoever unmaps it looks at all threads.
    pub(super) fn name(&self) {
        self.named.set(Some(0));
    }

    /// Whether its process may write this word here.
    pub(super) fn reaches(&self, word: Word) -> bool {
        self.is_writable_region() && self.holds(word)
    }

    /// Whether this word is among the bytes in it.
    pub(crate) fn holds(&self, word: Word) -> bool {
        let range = self.range.get();
        word.address().wrapping_sub(range.address()) < range.length()
    }

    fn is_writable_region(&self) -> bool {
        matches!(self.contents.get(), Contents::Region(_)) && self.writable.get()
    }

    pub(crate) fn is_empty(&self) -> bool {
        matches!(self.contents.get(), Contents::Nothing)
    }

    /// Whether `lender`'s message has filled it, and memory is still to come back.
    pub(crate) fn is_lent_by(&self, lender: &Thread) -> bool {
        matches!(self.contents.get(), Contents::Lent(other) if other.is(lender))
    }
}

value! {
/// Why a gap is there.
#[derive(Clone, Copy)]
pub(crate) enum Absence {
    /// It is not: nothing is hidden.
    None,
    /// This thread's message carries what is hidden.
    Sent(&'static Thread),
    /// It was moved, and is in somebody's window.
    Away,
    /// It was moved and has come home, with the last holder's bytes in it.
    Back,
}
}

state! {
/// A part of a process's pages that its threads may not touch.
pub struct Gap {
    /// Index of its process.
    pub(crate) home: u8,
    pub(crate) number: u8,
    /// Its process may read it.
    pub(crate) readable: Cell<bool> where is_there,
    pub(crate) absence: Cell<Absence>,
    /// Where its process sees it.
    pub(crate) address: Cell<u32> where is_there,
    /// What is hidden.
    pub(crate) range: Cell<Writable> where is_there,
    /// Bytes of it that have been cleared since it is back.
    pub(crate) cleared: Cell<u32> where is_back,
}
}

impl Gap {
    /// Gap `number` of the process of index `home`, with nothing hidden.
    #[must_use]
    pub const fn new(home: u8, number: u8) -> Self {
        Self {
            home,
            number,
            readable: Cell::new(false),
            absence: Cell::new(Absence::None),
            address: Cell::new(0),
            range: Cell::new(Writable::new(0, 0)),
            cleared: Cell::new(0),
        }
    }

    pub(crate) fn is_free(&self) -> bool {
        matches!(self.absence.get(), Absence::None)
    }

    /// Whether it is there for the message of `sender`.
    pub(crate) fn is_of(&self, sender: &Thread) -> bool {
        matches!(self.absence.get(), Absence::Sent(other) if other.is(sender))
    }

    /// Whether one of these bytes, which are some, is hidden.
    pub(crate) fn overlaps(&self, address: u32, length: u32) -> bool {
        let own = (self.address.get(), self.range.get().length());
        !self.is_free() && overlap(own, (address, length))
    }
}

/// Whether two stretches of memory have a byte in common: (address, length).
pub(crate) fn overlap(first: (u32, u32), second: (u32, u32)) -> bool {
    let begins_within = |(inner, length): (u32, u32), (outer, room): (u32, u32)| {
        length != 0 && inner.wrapping_sub(outer) < room
    };
    begins_within(second, first) || begins_within(first, second)
}
