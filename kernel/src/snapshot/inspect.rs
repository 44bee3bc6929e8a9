//! Questions that only tests ask of objects, and counters that only tests set.

use alloc::vec::Vec;
use core::cell::Cell;

use crate::{
    Channel, Gap, Handle, Kernel, Object, Process, Proxy, Thread, Timer, Window, Writable,
    memory::window::{Absence, Contents},
    object::handle::ShutBy,
    sched::thread::Selection,
    signal::OfProcess,
    time::timer::Aim,
};

impl Thread {
    /// Its neighbours on the circular list that it is on, if it is on one.
    #[must_use]
    pub fn links(&self) -> Option<(&'static Thread, &'static Thread)> {
        self.previous.get().zip(self.next.get())
    }

    /// The client that it waits for, if it waits for that one only.
    #[must_use]
    pub fn selected(&self) -> Option<&'static Thread> {
        match self.selection.get() {
            Selection::Thread(client) => Some(client),
            Selection::Anyone | Selection::Badge(_) => None,
        }
    }

    /// Sets the counter of its messages: the next token is one further.
    pub fn set_generation(&self, generation: u32) {
        self.generation.set(generation);
    }
}

impl Kernel {
    /// Whether an event has left something to be done before any thread runs.
    #[must_use]
    pub fn has_work_left(&self) -> bool {
        !self.stale.is_empty()
    }

    /// The threads that wait to be woken, word by word, the first one first.
    #[must_use]
    pub fn words(&self) -> Vec<Vec<&'static Thread>> {
        self.words.lines(false)
    }

    /// How many steps it is at most to find who waits at a word.
    #[must_use]
    pub fn depth_of_words(&self) -> usize {
        self.words.depth()
    }

    /// The threads that wait for locks, lock by lock, the first one first.
    #[must_use]
    pub fn locks(&self) -> Vec<Vec<&'static Thread>> {
        self.words.lines(true)
    }

    /// When the earliest deadline is; `u64::MAX` if there is none.
    #[must_use]
    pub fn earliest_deadline(&self) -> u64 {
        self.deadlines.earliest()
    }

    /// Whether the end of a time slice counts.
    pub(crate) fn has_slice_owner(&self) -> bool {
        self.slice_owner.get().is_some()
    }
}

impl Proxy {
    /// Index of its channel.
    #[must_use]
    pub fn channel(&self) -> u8 {
        self.channel.get()
    }

    /// Sets which one of all that were here the next one is; there is none now.
    pub fn set_life(&self, life: u32) {
        assert!(!self.exists());
        self.life.set(life);
    }

    /// Sets how often it has been triggered and not received, if it was already.
    pub fn set_count(&self, count: u16) {
        assert!(self.is_queued() && count > 0);
        assert!(self.is_queued() && count > 0);
        self.count.set(count);
    }
}

impl Timer {
    /// Its aim; of the proxy's life whether it is the present one.
    pub(crate) fn present_aim(&self) -> Aim {
        match self.aim.get() {
            _ if !self.exists() => Aim::Nothing,
            Aim::Proxy(proxy, life) => Aim::Proxy(proxy, proxy.is(life).into()),
            aim => aim,
        }
    }

    /// The proxy that it triggers, as long as that is there.
    #[must_use]
    pub fn proxy(&self) -> Option<&'static Proxy> {
        match self.aim.get() {
            Aim::Proxy(proxy, life) if proxy.is(life) => Some(proxy),
            _ => None,
        }
    }

    /// Index of the channel of which it sets bits, and the bits.
    #[must_use]
    pub fn bits(&self) -> Option<(u8, u32)> {
        match self.aim.get() {
            Aim::Bits(channel, bits) => Some((channel, bits)),
            _ => None,
        }
    }

    /// Nanoseconds from one time to the next; 0 if it is due once.
    #[must_use]
    pub fn period(&self) -> u64 {
        self.period.get()
    }
}

impl Process {
    /// The processes that it may send signals to.
    #[must_use]
    pub fn signal_targets(&self) -> &'static [u8] {
        self.signals.first().map_or(&[], OfProcess::targets)
    }
}

impl Channel {
    /// Whether who received last was the only receiver.
    #[must_use]
    pub fn has_one_receiver(&self) -> bool {
        self.has_one_receiver.get()
    }

    /// The priority at which its servers run, if it is always the same.
    #[must_use]
    pub fn fixed_priority(&self) -> Option<u8> {
        self.fixed
    }
}

impl Process {
    /// Whether it counts how often it has been restarted.
    pub(crate) fn counts_restarts(&self) -> bool {
        self.restart.counts()
    }

    /// Whether it is held for a debugger.
    #[must_use]
    pub fn is_held(&self) -> bool {
        self.held.get()
    }

    /// Its spare threads that are free, the one that is started next first.
    #[must_use]
    pub fn free_threads(&self) -> Vec<&'static Thread> {
        let next = |thread: &&'static Thread| thread.start.first()?.joining.get();
        let first = self.spares.first().and_then(Cell::get);
        core::iter::successors(first, next).collect()
    }

    /// Whether its other threads have been started.
    #[must_use]
    pub fn has_started_threads(&self) -> bool {
        self.started.get()
    }
}

impl Window {
    /// Whether something is in it.
    pub(crate) fn is_open(&self) -> bool {
        !self.is_empty()
    }

    /// What is open in it, where its process sees it, and whether that may write it.
    #[must_use]
    pub fn open(&self) -> Option<(Writable, u32, bool)> {
        let open = (self.range.get(), self.address.get(), self.writable.get());
        (!self.is_empty()).then_some(open)
    }

    /// Who has lent what is in it.
    #[must_use]
    pub fn lender(&self) -> Option<&'static Thread> {
        match self.contents.get() {
            Contents::Lent(lender) => Some(lender),
            Contents::Nothing | Contents::Moved(_) | Contents::Region(_) => None,
        }
    }

    /// Whether a region is mapped there.
    #[must_use]
    pub fn shows_region(&self) -> bool {
        matches!(self.contents.get(), Contents::Region(_))
    }

    /// The gap that is at home for what was moved into it.
    #[must_use]
    pub fn moved(&self) -> Option<&'static Gap> {
        match self.contents.get() {
            Contents::Moved(gap) => Some(gap),
            Contents::Nothing | Contents::Lent(_) | Contents::Region(_) => None,
        }
    }
}

impl Gap {
    /// Whether what it hides has come home.
    pub(crate) fn is_back(&self) -> bool {
        matches!(self.absence.get(), Absence::Back)
    }

    /// Whether it hides something.
    pub(crate) fn is_there(&self) -> bool {
        !self.is_free()
    }

    /// What it hides, where its process sees that, and whether that may read it.
    #[must_use]
    pub fn hidden(&self) -> Option<(Writable, u32, bool)> {
        let hidden = (self.range.get(), self.address.get(), self.readable.get());
        (!self.is_free()).then_some(hidden)
    }
}

impl Handle {
    /// Its badge; of an object's life whether there is one, and whether it is the present one.
    pub(crate) fn meant(&self) -> u32 {
        let badge = self.badge.get();
        match self.object() {
            Object::None | Object::Region(_) => badge,
            Object::Proxy(proxy) => u32::from(badge != 0) | u32::from(proxy.is(badge)) << 1,
            Object::Timer(_) => (badge != 0).into(),
        }
    }

    /// The proxy that it triggers: it is open, and the proxy it was opened for is there.
    #[must_use]
    pub fn triggers(&self) -> Option<&'static Proxy> {
        match self.object() {
            Object::Proxy(proxy) if proxy.is(self.badge.get()) => Some(proxy),
            _ => None,
        }
    }

    /// Whether it leads to a region.
    #[must_use]
    pub fn leads_to_region(&self) -> bool {
        matches!(self.object(), Object::Region(_))
    }

    /// Whether notification bits of the channel may be set through it.
    #[must_use]
    pub fn may_notify(&self) -> bool {
        self.rights.get().notify
    }

    /// Whether its server died while it was open.
    #[must_use]
    pub fn is_broken(&self) -> bool {
        self.shut_by.get() == ShutBy::Server
    }

    /// Sets the number of times that it has been opened.
    pub fn set_generation(&self, generation: u32) {
        self.generation.set(generation);
    }
}
