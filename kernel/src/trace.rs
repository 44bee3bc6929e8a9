//! Events for a trace: what has happened is written into a ring that the host reads.
//!
//! A system that is not traced has none of this: its objects have no room for it, and its code does not look.
//!
//! All that an entry of the kernel does has the time of that entry, and a switch the time at which it is decided. The
//! register ways know nothing of traces: a port leaves them out of a traced system, whose messages go by the general
//! path.

use core::cell::Cell;

use riposte_abi::{
    register,
    trace::{HEADER, WORDS, head, kind},
};

use crate::{
    Channel, Handle, Kernel, Port, Process, Proxy, State, Thread, Word,
    limits::{TRACE, TRACE_EVENTS},
};

/// What a system has only if it is traced: then one, else none.
pub type IfTraced<T> = [T; TRACE as usize];

/// An event in the ring.
type Entry = [Cell<u32>; WORDS];

/// The ring, and how far it is filled.
///
/// The host reads it in the memory of a board: the words before the ring, which begins at [`HEADER`].
///
/// [`HEADER`]: riposte_abi::trace::HEADER
#[repr(C)]
pub struct Trace {
    /// Events that have been written; the last ones, as many as there is room for, are in the ring.
    count: Cell<u32>,
    /// The low word of the time of what happens now, in ticks; read together with the count.
    low: Cell<u32>,
    /// The high word of the last event's time: how often the low one has come around.
    high: Cell<u32>,
    /// Nanoseconds of a tick.
    tick: Cell<u32>,
    ring: [Entry; TRACE_EVENTS],
}

const _: () = assert!(core::mem::offset_of!(Trace, ring) == HEADER);

impl Trace {
    /// An empty ring.
    #[expect(clippy::new_without_default, reason = "it is a static")]
    #[must_use]
    pub const fn new() -> Self {
        Self {
            count: Cell::new(0),
            low: Cell::new(0),
            high: Cell::new(0),
            tick: Cell::new(0),
            ring: [const { [const { Cell::new(0) }; WORDS] }; TRACE_EVENTS],
        }
    }

    /// What is written from here on happens at this time, as the clock's ticks are counted. It is told at least once
    /// between two times that the count comes around.
    #[inline(always)]
    fn set_time(&self, low: u32) {
        let before = self.low.get();
        self.low.set(low);
        if low < before {
            self.begin_epoch();
        }
    }

    /// What is written from here on has another high word of its time. Nothing may happen in many epochs: they are one.
    #[cold]
    #[inline(never)]
    fn begin_epoch(&self) {
        let high = self.high.get().wrapping_add(1);
        match self.entry(self.count.get().wrapping_sub(1)) {
            Some([_, what, _, new]) if what.get() == kind::EPOCH => new.set(high),
            _ => self.write(kind::EPOCH, self.high.get(), high),
        }
        // Who reads meanwhile takes the new one for that of an event behind the epoch.
        self.high.set(high);
    }

    /// Where the event of this number lies.
    #[inline(always)]
    fn entry(&self, number: u32) -> Option<&Entry> {
        // The ring is a power of two, so that the compiler knows that the entry is there.
        self.ring
            .get(number as usize & TRACE_EVENTS.wrapping_sub(1))
    }

    /// Writes an event that happens now.
    #[inline(always)]
    fn write(&self, head: u32, first: u32, second: u32) {
        let count = self.count.get();
        if let Some([time, what, word, other]) = self.entry(count) {
            time.set(self.low.get());
            what.set(head);
            word.set(first);
            other.set(second);
        }
        self.count.set(count.wrapping_add(1));
    }
}

impl Kernel {
    /// Traces from here on, by a clock whose ticks have so many nanoseconds.
    pub(crate) fn trace_start(&self, tick: u32) {
        if TRACE && let Some(trace) = self.tables.trace.first() {
            trace.tick.set(tick);
        }
    }

    /// What is traced from here on happens now.
    #[inline(always)]
    pub(crate) fn trace_time(&self, port: &impl Port) {
        if TRACE && let Some(trace) = self.tables.trace.first() {
            trace.set_time(port.ticks());
        }
    }

    /// Traces an event of `thread`: its other, and its words. A kernel that is not traced does not even find out what
    /// they are.
    #[inline(always)]
    pub(crate) fn trace_event(
        &self,
        kind: u32,
        thread: &Thread,
        says: impl FnOnce() -> (u32, [u32; 2]),
    ) {
        if TRACE && let Some(trace) = self.tables.trace.first() {
            let (other, [first, second]) = says();
            let head = head(kind, thread.index, other, thread.priority.get());
            trace.write(head, first, second);
        }
    }

    /// What is to be known for an event that comes later.
    #[inline(always)]
    pub(crate) fn traced(&self, value: impl FnOnce() -> u32) -> u32 {
        if TRACE { value() } else { 0 }
    }

    /// Traces that `next` runs from now on, if another thread ran before.
    #[inline(always)]
    pub(crate) fn trace_switch(
        &self,
        port: &impl Port,
        before: &'static Thread,
        next: &'static Thread,
    ) {
        if TRACE && !next.is(before) {
            self.trace_time(port);
            self.trace_event(kind::SWITCH, next, || {
                (before.index.into(), [before.state().number(), 0])
            });
        }
    }

    /// Traces that `client` has sent a message to `server`, which waited for it.
    #[inline(always)]
    pub(crate) fn trace_message(
        &self,
        client: &'static Thread,
        server: &'static Thread,
        handle: &Handle,
    ) {
        self.trace_event(kind::SEND, client, || {
            let channel = handle.target.get().index.into();
            (channel, [handle.badge(), client.form() as u32])
        });
        self.trace_receive(client, server, || handle.badge());
    }

    /// As [`Kernel::trace_message`], of what `client` has just called.
    #[inline(always)]
    pub(crate) fn trace_lend(&self, client: &'static Thread, server: &'static Thread) {
        if TRACE {
            self.trace_message(client, server, client.slot(client.register(register::CALL)));
        }
    }

    /// Traces that `client` sends what it requests.
    #[inline(always)]
    pub(crate) fn trace_send(&self, client: &'static Thread) {
        self.trace_event(kind::SEND, client, || {
            let request = client.request.get();
            let channel = request.channel.map_or(0, |channel| channel.index.into());
            (channel, [request.badge, client.form() as u32])
        });
    }

    /// Traces that `server` has the message that `client` has sent with this badge.
    #[inline(always)]
    pub(crate) fn trace_receive(
        &self,
        client: &'static Thread,
        server: &'static Thread,
        badge: impl FnOnce() -> u32,
    ) {
        self.trace_event(kind::RECEIVE, server, || {
            (client.index.into(), [badge(), client.generation.get()])
        });
    }

    /// Traces that `server` answers `client`.
    #[inline(always)]
    pub(crate) fn trace_reply(&self, server: &Thread, client: &Thread, status: u32) {
        self.trace_event(kind::REPLY, server, || (client.index.into(), [status, 0]));
    }

    /// Traces that `thread` waits no more, if it does.
    #[inline(always)]
    pub(crate) fn trace_end(&self, thread: &'static Thread) {
        if TRACE {
            let state = thread.state();
            if !matches!(state, State::Ready | State::Stopped) {
                self.trace_event(kind::END, thread, || (state.number(), [0; 2]));
            }
        }
    }

    /// Traces an event of `thread` that the running thread has caused.
    #[inline(always)]
    pub(crate) fn trace_by_current(&self, kind: u32, thread: &Thread) {
        self.trace_event(kind, thread, || (self.current.get().index.into(), [0; 2]));
    }

    /// Traces that `thread` runs and waits no more.
    #[inline(always)]
    pub(crate) fn trace_stop(&self, thread: &Thread) {
        self.trace_by_current(kind::STOP, thread);
    }

    /// Traces that `thread`, which waits no more, does not run either, if its process is held.
    #[inline(always)]
    pub(crate) fn trace_held(&self, thread: &Thread) {
        if TRACE && thread.process.held.get() {
            self.trace_stop(thread);
        }
    }

    /// Traces an event of the running thread.
    #[inline(always)]
    fn trace_of_current(&self, kind: u32, says: impl FnOnce() -> (u32, [u32; 2])) {
        if TRACE {
            self.trace_event(kind, self.current.get(), says);
        }
    }

    /// Traces that a time has come.
    #[inline(always)]
    pub(crate) fn trace_deadline(&self, due: u32, number: impl FnOnce() -> u32) {
        self.trace_of_current(kind::DEADLINE, || (due, [number(), 0]));
    }

    /// Traces that a proxy of `channel` is triggered.
    #[inline(always)]
    pub(crate) fn trace_trigger(&self, proxy: &Proxy, channel: &Channel, times: u16) {
        self.trace_of_current(kind::TRIGGER, || {
            let words = [proxy.handle.get(), times.into()];
            (channel.index.into(), words)
        });
    }

    /// Traces that bits of `channel` are set.
    #[inline(always)]
    pub(crate) fn trace_notify(&self, channel: &Channel, bits: u32) {
        self.trace_of_current(kind::NOTIFY, || (channel.index.into(), [bits, 0]));
    }

    /// Traces that `thread` waits for a lock that `owner` has.
    #[inline(always)]
    pub(crate) fn trace_lock_wait(&self, thread: &Thread, owner: &Thread, word: Word) {
        self.trace_event(kind::LOCK_WAIT, thread, || {
            (owner.index.into(), [word.bytes().address(), 0])
        });
    }

    /// Traces that `thread` sends a signal.
    #[inline(always)]
    pub(crate) fn trace_signal(&self, thread: &Thread, to: &Process, signal: u32) {
        self.trace_event(kind::SIGNAL, thread, || (to.index.into(), [signal, 0]));
    }
}
