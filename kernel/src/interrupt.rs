//! Interrupts as a process gets them: bits on a channel of its own, which an unprivileged thread
//! receives as any other notification.
//!
//! From the moment in which a line interrupts until its driver acknowledges, it stays masked: a device
//! that goes on asking delays nobody but its own driver. An interrupt that nobody has attached is
//! masked too.

use core::cell::Cell;

use riposte_abi::{Error, call::number, register};

use crate::{
    Channel, Deadline, Due, Handle, Kernel, Port, Thread, dispatch::Next, limits::INTERRUPT_RATES,
    object::handle::Purpose, port::Interrupted,
};

/// Handle slots that a search for an interrupt's looks at between two looks for interrupts.
const SLOTS: usize = 64;

/// In [`Thread::progress`] of a thread that searches: the slot where it goes on, and above that how many of its
/// interrupts are before that.
const PLACE_BITS: u32 = 16;
const PLACE: u32 = (1 << PLACE_BITS) - 1;

/// What is only in a system where an interrupt is limited to a rate: then one, else none.
type IfLimited<T> = [T; INTERRUPT_RATES as usize];

state! {
/// How often a line may be unmasked.
pub(crate) struct Limit {
    /// Nanoseconds from one time to the next; 0 if there is no limit.
    pub(crate) gap: u64,
    /// When it may be unmasked next.
    pub(crate) earliest: Cell<u64> as time where exists,
    /// When it is to be, while it was acknowledged too soon.
    pub(crate) deadline: Deadline,
}
}

impl Limit {
    /// Whether there is one.
    fn exists(&self) -> bool {
        self.gap != 0
    }

    /// None, of no line.
    const fn none() -> Limit {
        Limit {
            gap: 0,
            earliest: Cell::new(0),
            deadline: Deadline::new(Due::Interrupt(0)),
        }
    }
}

state! {
/// An interrupt line that the manifest gives to a process.
pub struct Interrupt {
    /// How the machine numbers it: its position in [`crate::Tables::interrupts`].
    pub line: u16,
    /// Its device asks as long as it has a reason; else it asks once for each.
    pub level: bool,
    /// What its owner calls it while it is attached; 0 otherwise.
    pub(crate) handle: Cell<u32> as shape(is_attached),
    /// Where it is told, while it is attached.
    pub(crate) channel: Cell<Option<&'static Channel>>,
    /// What is set there.
    pub(crate) bits: Cell<u32>,
    /// It cannot interrupt: it has been told and not acknowledged, or its driver said so, or nobody
    /// has attached it.
    pub(crate) masked: Cell<bool>,
    /// Software has raised it while it was masked.
    pub(crate) pended: Cell<bool>,
    pub(crate) limit: IfLimited<Limit>,
}
}

impl Interrupt {
    /// The machine's interrupt `line`, not attached. `level` says that its device asks as long as it has
    /// a reason.
    #[must_use]
    pub const fn new(line: u16, level: bool) -> Self {
        Self {
            line,
            level,
            handle: Cell::new(0),
            channel: Cell::new(None),
            bits: Cell::new(0),
            masked: Cell::new(true),
            pended: Cell::new(false),
            limit: [const { Limit::none() }; _],
        }
    }

    /// The same, unmasked once in `gap` nanoseconds at most.
    #[must_use]
    pub const fn limited(mut self, gap: u64) -> Self {
        if let Some(limit) = self.limit.first_mut() {
            limit.gap = gap;
            limit.deadline = Deadline::new(Due::Interrupt(self.line));
        }
        self
    }

    /// Whether it may have to wait until it is unmasked ([`Kernel::unmask`]).
    #[inline(always)]
    pub(crate) fn is_limited(&self) -> bool {
        self.limit.first().is_some_and(Limit::exists)
    }

    /// Whether it was acknowledged too soon, and is unmasked later.
    #[must_use]
    pub fn is_put_off(&self) -> bool {
        self.limit
            .first()
            .is_some_and(|limit| limit.deadline.is_set())
    }

    /// Whether a process gets it.
    #[must_use]
    pub fn is_attached(&self) -> bool {
        self.channel.get().is_some()
    }

    /// Whether it cannot interrupt now.
    #[must_use]
    pub fn is_masked(&self) -> bool {
        self.masked.get()
    }

    /// Lets its line interrupt again, if it does not: for what its device asks by now, not before. Its
    /// rate must allow it.
    #[inline(always)]
    pub(crate) fn unmask(&self, port: &impl Port) {
        if self.masked.replace(false) {
            if self.level {
                port.forget(self.line);
            }
            port.unmask(self.line);
        }
    }
}

impl Kernel {
    /// `line` has interrupted the running thread, and does not do so again until it is unmasked
    /// ([`Port::unmask`]). Returns the thread to run.
    #[inline(always)]
    pub(crate) fn interrupt(&self, port: &impl Port, line: usize) -> &'static Thread {
        if let Some(interrupt) = self.line(line) {
            self.tell(port, interrupt);
        }
        self.refresh_stale(port);
        self.run(port, Next::Continue)
    }

    #[inline(always)]
    fn line(&self, line: usize) -> Option<&'static Interrupt> {
        *self.tables.interrupts.get(line)?
    }

    /// Sets the interrupt's bits, and keeps it masked from now on. It may still be attached by a process that is
    /// dying, whose threads nothing wakes.
    #[inline(always)]
    fn tell(&self, port: &impl Port, interrupt: &'static Interrupt) {
        interrupt.masked.set(true);
        let Some(channel) = interrupt.channel.get() else {
            return;
        };
        if self.is_unfinished() {
            if !channel.owner.is_alive() {
                return;
            }
            self.look_for_holder(channel);
        }
        self.add_bits(port, channel, interrupt.bits.get());
    }

    /// The interrupt that `thread` has attached and `word` names.
    #[inline(always)]
    pub(crate) fn attached(
        &self,
        thread: &'static Thread,
        word: u32,
    ) -> Result<&'static Interrupt, Error> {
        let handle = thread.slot(word);
        if handle.send_call.get() == word
            && handle.purpose == Purpose::Interrupt
            && handle.is_open()
            && let Some(interrupt) = self.line_of(handle)
        {
            return Ok(interrupt);
        }
        self.attached_of_any(thread, word)
    }

    /// Every other case.
    #[inline(never)]
    fn attached_of_any(
        &self,
        thread: &'static Thread,
        word: u32,
    ) -> Result<&'static Interrupt, Error> {
        let handle = self.slot(thread.process, word)?;
        let is_attached = handle.purpose == Purpose::Interrupt && handle.is_open();
        if !is_attached || handle.send_call.get() != word {
            return Err(Error::BadHandle);
        }
        self.line_of(handle).ok_or(Error::BadHandle)
    }

    #[inline(always)]
    fn line_of(&self, handle: &Handle) -> Option<&'static Interrupt> {
        self.line(handle.badge.get() as usize)
    }

    /// `INTERRUPT_PEND`: raises an interrupt of the caller's as its device would.
    #[inline(always)]
    pub(crate) fn call_pend(&self, port: &impl Port, thread: &'static Thread) -> &'static Thread {
        if !thread.repeats()
            && let Ok(interrupt) = self.attached(thread, thread.register(register::WORD0))
            && !interrupt.masked.get()
            && port.pend(interrupt.line)
        {
            // It interrupts as soon as the kernel is left, and has made nobody ready before.
            thread.returns_empty(port);
            return thread;
        }
        self.call_pend_any(port, thread)
    }

    /// Every other case.
    #[inline(never)]
    fn call_pend_any(&self, port: &impl Port, thread: &'static Thread) -> &'static Thread {
        let interrupt = self.attached_of_any(thread, thread.register(register::WORD0));
        let pended = interrupt.map(|interrupt| {
            self.pend(port, interrupt);
            thread.returns(0);
            Next::Continue
        });
        self.complete(port, thread, pended)
    }

    /// Performs another call that concerns an interrupt. Returns its result; `None` if it is to come again.
    pub(crate) fn control_interrupt(
        &self,
        port: &impl Port,
        thread: &'static Thread,
        number: u32,
    ) -> Result<Option<u32>, Error> {
        if number == number::INTERRUPT_ATTACH {
            return self.attach(port, thread);
        }
        let word = thread.register(register::WORD0);
        let interrupt = self.attached(thread, word)?;
        match number {
            number::INTERRUPT_DETACH => {
                self.detach(port, interrupt);
                self.slot(thread.process, word)?.close(self.tables.nowhere);
            }
            number::INTERRUPT_ACK => self.unmask(port, interrupt),
            _ => self.mask(port, interrupt),
        }
        Ok(Some(0))
    }

    /// The handle slot of the interrupt at `position` among those of the caller's process. `Err` if an interrupt waits
    /// before that is known.
    fn slot_of_interrupt(
        &self,
        port: &impl Port,
        thread: &'static Thread,
        position: u32,
    ) -> Result<Option<(usize, &'static Handle)>, Interrupted> {
        let handles = self.handles_of(thread.process).iter().enumerate();
        let kept = thread.begun();
        let (from, mut passed) = ((kept & PLACE) as usize, kept >> PLACE_BITS);
        for (slot, handle) in handles.skip(from) {
            if slot > from && slot.is_multiple_of(SLOTS) && port.interrupted() {
                thread.keep_progress(passed << PLACE_BITS | slot as u32);
                return Err(Interrupted);
            }
            if handle.purpose == Purpose::Interrupt {
                if passed == position {
                    return Ok(Some((slot, handle)));
                }
                passed += 1;
            }
        }
        Ok(None)
    }

    fn attach(&self, port: &impl Port, thread: &'static Thread) -> Result<Option<u32>, Error> {
        let [position, channel, bits, ..] = thread.words();
        let Ok(found) = self.slot_of_interrupt(port, thread, position) else {
            return Ok(None);
        };
        let (slot, handle) = found.ok_or(Error::NotPermitted)?;
        let interrupt = self.line_of(handle).ok_or(Error::NotPermitted)?;
        let channel = self.channel(thread, channel)?;
        if bits == 0 {
            return Err(Error::BadArgument);
        }
        if interrupt.is_attached() {
            return Err(Error::InUse);
        }
        let word = handle.attach(slot as u32);
        port.forget(interrupt.line);
        interrupt.handle.set(word);
        interrupt.channel.set(Some(channel));
        interrupt.bits.set(bits);
        Ok(Some(word))
    }

    fn detach(&self, port: &impl Port, interrupt: &'static Interrupt) {
        self.mask(port, interrupt);
        interrupt.pended.set(false);
        interrupt.handle.set(0);
        interrupt.channel.set(None);
    }

    /// Takes the interrupt of this handle, which is open, from a process that is no more. The handle is
    /// closed elsewhere.
    pub(crate) fn detach_handle(&self, port: &impl Port, handle: &Handle) {
        if let Some(interrupt) = self.line_of(handle) {
            self.detach(port, interrupt);
        }
    }

    /// Lets the line interrupt again, as soon as its rate allows. What software has raised meanwhile does
    /// so at once then.
    pub(crate) fn unmask(&self, port: &impl Port, interrupt: &'static Interrupt) {
        if !self.may_unmask(port, interrupt) {
            return;
        }
        interrupt.unmask(port);
        if interrupt.pended.take() {
            self.raise(port, interrupt);
        }
    }

    /// The deadline has come until which a line that was acknowledged too soon stays masked.
    pub(crate) fn unmask_later(&self, port: &impl Port, line: u16) {
        if let Some(interrupt) = self.line(line.into()) {
            self.unmask(port, interrupt);
        }
    }

    /// Whether the line's rate lets it be unmasked now; if not, its deadline is set to when that does.
    fn may_unmask(&self, port: &impl Port, interrupt: &'static Interrupt) -> bool {
        let limit = interrupt.limit.first();
        let Some(limit) = limit.filter(|limit| limit.exists() && interrupt.masked.get()) else {
            return true;
        };
        let (now, earliest) = (port.now(), limit.earliest.get());
        self.deadlines.remove(&limit.deadline);
        if now < earliest {
            self.deadlines.insert(&limit.deadline, earliest);
            return false;
        }
        limit.earliest.set(now.saturating_add(limit.gap));
        true
    }

    /// Keeps the line masked, also if it was to be unmasked later.
    fn mask(&self, port: &impl Port, interrupt: &'static Interrupt) {
        port.mask(interrupt.line);
        interrupt.masked.set(true);
        if let Some(limit) = interrupt.limit.first() {
            self.deadlines.remove(&limit.deadline);
        }
    }

    fn pend(&self, port: &impl Port, interrupt: &'static Interrupt) {
        if interrupt.masked.get() {
            interrupt.pended.set(true);
        } else {
            self.raise(port, interrupt);
        }
    }

    /// Makes a line interrupt as its device would: by the machine, where that can.
    fn raise(&self, port: &impl Port, interrupt: &'static Interrupt) {
        if !port.pend(interrupt.line) {
            port.mask(interrupt.line);
            self.tell(port, interrupt);
        }
    }
}
