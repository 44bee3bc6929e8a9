//! Signals: numbers that interrupt a thread, wherever it is.
//!
//! A signal waits in the set of a process or of a thread, and those that are queued in a queue of the process, too. It is
//! *due* to a thread that does not mask it. No thread runs on that one is due to, but for a moment in which it executes
//! an interrupted call again: whoever makes one due [tells](deliver) the thread, or *summons* it. A summoned thread is
//! ready, and is told when it is the next to run, so that nobody more urgent waits for that, however many are. The ways
//! that look at nothing run nobody who is ready, and need not know of signals.
//!
//! A process in which something is not masked has said where its signals go ([`action`]); until then all is masked.

pub(crate) mod action;
#[cfg(debug_assertions)]
mod check;
pub(crate) mod deliver;
pub(crate) mod mask;
pub(crate) mod queue;
pub(crate) mod send;
pub(crate) mod upcall;
pub(crate) mod wait;

use core::cell::Cell;

use riposte_abi::{
    Error,
    call::HANDLE_MASK,
    register,
    signal::{FIRST_QUEUED, MAX, number},
};

use crate::{
    Kernel, Port, Process, State, Thread,
    dispatch::Next,
    limits::SIGNALS,
    signal::queue::{Queue, Queued},
};

/// What objects have only in a system with signals: then one, else none.
pub(crate) type IfSignals<T> = [T; SIGNALS as usize];

/// All signals are masked.
pub(crate) const ALL: u64 = u64::MAX;

/// What a manifest gives a process of signals.
pub struct Signalling {
    /// The processes that it may send signals to, by index.
    pub targets: &'static [u8],
    /// As many places as signals with a word may wait: [`riposte_abi::signal::MAX_QUEUED`] at most.
    pub queue: &'static [Cell<Queued>],
}

impl Signalling {
    /// Nobody to send to, and no signal with a word.
    pub const NONE: Self = Self {
        targets: &[],
        queue: &[],
    };
}

state! {
/// What a process has to do with signals.
pub(crate) struct OfProcess {
    targets: &'static [u8] as link,
    /// Where its threads handle signals; 0 while it has not said where.
    entry: Cell<u32>,
    /// What is masked while one is handled, beside that one.
    handling: Cell<u64>,
    /// Those that wait for one of its threads to take them.
    pending: Cell<u64>,
    /// Those with a word, its threads' among them.
    queue: Queue,
    /// Counts whenever one of its threads sets its mask, and may take more than before: who looks for one begins anew.
    changes: Cell<u16> as detail,
}
}

value! {
/// For what a thread waits that waits for signals.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Waits {
    Nothing,
    /// For none any more: one was to be handled, and its stack had no room for that. This is its mask if another thread has
    /// taken that one before it runs; else its process ends then.
    NoRoom(u64),
    /// Until one is handled. This is its mask after that.
    Handled(u64),
    /// For one of these.
    One(u64),
}
}

state! {
/// What a thread has to do with signals.
pub(crate) struct OfThread {
    mask: Cell<u64>,
    /// Those that wait for it alone.
    pending: Cell<u64>,
    /// Those of them without a word that were sent to its process: they outlive it.
    of_process: Cell<u32>,
    waits: Cell<Waits>,
    /// Its stack for handlers: first byte and length; no length if it has none of its own.
    stack: Cell<[u32; 2]>,
    /// The frame of its innermost handler, or 0.
    innermost: Cell<u32>,
    /// It is to execute a call again, and does nothing else before that. That call goes through the general cases, which
    /// end this.
    repeats: Cell<bool>,
    /// The badge of its last message to a server that has no other client: should that be asked to let it go.
    badge: Cell<u32> as detail,
    /// It is ready, something is due to it, and it is to be told of that before it runs.
    summoned: Cell<bool>,
}
}

impl OfProcess {
    pub const fn new(given: &Signalling) -> Self {
        Self {
            targets: given.targets,
            entry: Cell::new(0),
            handling: Cell::new(0),
            pending: Cell::new(0),
            queue: Queue::new(given.queue),
            changes: Cell::new(0),
        }
    }

    /// The process has died: no signal waits for it, and it has not said where they go.
    pub fn forget(&self) {
        self.entry.set(0);
        self.handling.set(0);
        self.pending.set(0);
        self.queue.clear();
    }

    /// Whom it may send signals to.
    #[cfg(feature = "snapshot")]
    pub fn targets(&self) -> &'static [u8] {
        self.targets
    }

    fn note_change(&self) {
        self.changes.set(self.changes.get().wrapping_add(1));
    }
}

impl OfThread {
    pub const fn new() -> Self {
        Self {
            mask: Cell::new(ALL),
            pending: Cell::new(0),
            of_process: Cell::new(0),
            waits: Cell::new(Waits::Nothing),
            stack: Cell::new([0; 2]),
            innermost: Cell::new(0),
            repeats: Cell::new(false),
            badge: Cell::new(0),
            summoned: Cell::new(false),
        }
    }

    fn due(&self, of: &OfProcess) -> u64 {
        (self.pending.get() | of.pending.get()) & !self.mask.get()
    }
}

impl Thread {
    /// What it and its process have to do with signals.
    #[inline(always)]
    fn signals(&self) -> Option<(&OfThread, &OfProcess)> {
        Some((self.signals.first()?, self.process.signals.first()?))
    }

    /// Whether it waits for signals, and nothing else.
    #[inline(always)]
    pub(crate) fn waits_for_signals(&self) -> bool {
        self.signals
            .first()
            .is_some_and(|own| !matches!(own.waits.get(), Waits::Nothing | Waits::NoRoom(_)))
    }

    /// Whether it is to execute a call again, as far as signals care. Whoever makes another call of that one, which only
    /// its own process can, ends this with it; with `YIELD` and `CLOCK`, which end nothing, not yet.
    #[must_use]
    #[inline(always)]
    pub fn repeats(&self) -> bool {
        self.signals.first().is_some_and(|own| own.repeats.get())
    }

    /// It sends with this badge to a server that has no other client: nothing else is known of its request.
    #[inline(always)]
    pub(crate) fn note_badge(&self, badge: u32) {
        self.signals.iter().for_each(|own| own.badge.set(badge));
    }

    /// The badge of its last message to a server that had no other client.
    pub(crate) fn noted_badge(&self) -> u32 {
        self.signals.first().map_or(0, |own| own.badge.get())
    }

    /// Whether it is to be told of what is due to it before it runs.
    #[inline(always)]
    pub(crate) fn is_summoned(&self) -> bool {
        self.signals.first().is_some_and(|own| own.summoned.get())
    }

    /// Something is due to it.
    fn has_due(&self) -> bool {
        self.signals().is_some_and(|(own, of)| own.due(of) != 0)
    }

    /// It begins anew, and masks `mask`.
    pub(crate) fn begin_signals(&self, mask: u64) {
        if let Some((own, of)) = self.signals() {
            own.mask.set(mask);
            own.waits.set(Waits::Nothing);
            own.stack.set([0; 2]);
            own.innermost.set(0);
            own.repeats.set(false);
            of.note_change();
        }
    }

    /// It ends: what waits for it alone waits no more.
    pub(crate) fn forget_signals(&self) {
        if let Some((own, of)) = self.signals() {
            own.repeats.set(false);
            own.of_process.set(0);
            if own.pending.take() != 0 {
                of.queue.forget(self.index);
            }
        }
    }

    /// It waits for signals no more.
    pub(crate) fn end_signal_wait(&self) {
        if let Some(own) = self.signals.first()
            && let Waits::Handled(mask) | Waits::NoRoom(mask) = own.waits.replace(Waits::Nothing)
        {
            self.mask(mask);
        }
    }

    /// Whether its stack had no room for the handler of a signal that it waited for in this way, and it has not run since.
    fn had_no_room(&self) -> bool {
        let own = self.signals.first();
        own.is_some_and(|own| matches!(own.waits.get(), Waits::NoRoom(_)))
    }
}

impl Process {
    /// Its signals are gone with it.
    pub(crate) fn forget_signals(&self) {
        self.signals.iter().for_each(OfProcess::forget);
    }
}

/// The set with this signal alone.
const fn bit(signal: u32) -> u64 {
    1 << signal
}

/// Whether there is such a signal.
const fn is_signal(number: u32) -> bool {
    number >= 1 && number <= MAX
}

/// Whether a signal is queued, with a word.
const fn is_queued(signal: u32) -> bool {
    signal >= FIRST_QUEUED
}

impl Kernel {
    /// The calls about signals: to send one, and to end its handler, come first. (A call that is executed again is the
    /// general cases'.)
    #[inline(never)]
    pub(crate) fn call_about_signals(
        &self,
        port: &impl Port,
        thread: &'static Thread,
    ) -> &'static Thread {
        let number = thread.register(register::CALL) & HANDLE_MASK;
        if number == number::SEND
            && !thread.repeats()
            && let Some(next) = self.send_at_once(port, thread)
        {
            return next;
        }
        if number == number::RETURN {
            return self.end_handler(port, thread);
        }
        self.complete(port, thread, self.perform_on_signals(port, thread))
    }

    fn perform_on_signals(&self, port: &impl Port, thread: &'static Thread) -> Result<Next, Error> {
        match thread.register(register::CALL) & HANDLE_MASK {
            number::ACTION => self.set_action(port, thread),
            number::STACK => self.set_signal_stack(thread),
            number::SEND => self.send_signal(port, thread),
            number::MASK => self.change_mask(thread),
            number::SUSPEND => self.suspend(port, thread),
            number::WAIT => self.wait_for_signal(port, thread),
            _ => Err(Error::BadCall),
        }
    }

    /// Whether some threads are to be told of what is due to them when they are the next to run.
    #[inline(always)]
    pub(crate) fn has_summoned(&self) -> bool {
        self.summoned.first().is_some_and(|count| count.get() != 0)
    }

    /// Something may be due to `thread`, which is ready, or is about to be.
    fn summon(&self, thread: &Thread) {
        if let (Some(count), Some(own)) = (self.summoned.first(), thread.signals.first())
            && thread.has_due()
            && !thread.process.is_halted()
            && !own.summoned.replace(true)
        {
            count.set(count.get() + 1);
            self.deadlines.replan.set(true);
        }
    }

    /// `thread` has been told, or will not run.
    pub(crate) fn dismiss(&self, thread: &Thread) {
        if let (Some(count), Some(own)) = (self.summoned.first(), thread.signals.first())
            && own.summoned.replace(false)
        {
            count.set(count.get() - 1);
        }
    }

    /// A thread that has waited for somebody goes on: it is told of what has come meanwhile.
    #[inline(always)]
    pub(crate) fn summon_after_wait(&self, thread: &Thread) {
        if SIGNALS {
            self.summon(thread);
        }
    }

    /// `thread` is to execute its call again. Signals wait until that is over: what it has done so far would be
    /// forgotten, or done twice. The ways that look at nothing leave its call alone.
    #[inline(always)]
    pub(crate) fn repeat(&self, port: &impl Port, thread: &'static Thread) {
        port.repeat(thread);
        if SIGNALS {
            self.keep_to_general_cases(thread);
        }
    }

    #[inline(never)]
    fn keep_to_general_cases(&self, thread: &'static Thread) {
        for own in &thread.signals {
            own.repeats.set(true);
        }
        if let Some(none) = self.tables.handles.last() {
            thread.handles.set(none);
        }
        thread.list_client();
    }

    /// A call of `thread` is over by the general cases; or comes again, if it `repeats`.
    #[inline(always)]
    pub(crate) fn end_repeat(&self, port: &impl Port, thread: &'static Thread, repeats: bool) {
        if thread.repeats() && !repeats {
            thread.signals.iter().for_each(|own| own.repeats.set(false));
            match thread.state() {
                // The outcome of its call is not in its registers yet.
                State::Ready => self.summon(thread),
                _ => self.deliver_signal(port, thread),
            }
        }
    }
}
