//! One way in: an event goes in, the thread to run comes out.
//!
//! A port saves the registers of the running thread, enters here, and makes the thread that it is told the
//! running one ([`Kernel::current`]): calls by the table of [`Kernel::serve`], all other events by [`Kernel::dispatch`]. Only three calls never come here:
//! the null call, which changes nothing, and the two calls of [`words`], whose message stays in its registers. What
//! those refuse has changed nothing, and comes here, where every case is known.

pub mod call;
mod pending;
pub mod words;

use riposte_abi::trace::kind;

use crate::{Fault, Kernel, Port, Thread};

/// What has happened while the running thread ran.
#[allow(
    clippy::large_enum_variant,
    reason = "an event is made where it is served, and nowhere kept"
)]
#[derive(Clone, Copy, Debug)]
pub enum Event {
    /// Nothing has run yet: the system starts.
    Start,
    /// The clock has interrupted it: a time has come that [`Port::set_alarm`] was asked for.
    Clock,
    /// This line has interrupted it, and stays masked until [`Port::unmask`].
    Interrupt(usize),
    /// The thread has faulted.
    Fault(Fault),
}

/// Who runs next, as the code that serves an event decides it.
#[must_use = "the thread to run next depends on it"]
#[derive(Clone, Copy)]
pub(crate) enum Next {
    /// The running thread goes on, unless a more urgent one is ready.
    Continue,
    /// The running thread is blocked.
    Blocked,
    /// The running thread is blocked, and this one takes its place, unless a more urgent one is ready.
    HandOff(&'static Thread),
    /// The running thread executes the same call again, because an interrupt waits in the middle of it; unless a
    /// more urgent one is ready.
    Restart,
}

impl Kernel {
    /// Serves an event that is no call. The registers of the running thread are saved. Returns the thread to run.
    #[inline(always)]
    pub fn dispatch<P: Port>(&self, port: &P, event: Event) -> &'static Thread {
        let before = self.current.get();
        self.trace_time(port);
        let next = match event {
            Event::Clock => self.alarm(port),
            Event::Interrupt(line) => {
                self.trace_event(kind::INTERRUPT, before, || (0, [line as u32, 0]));
                self.interrupt(port, line)
            }
            Event::Fault(fault) => {
                let next = self.fault(port, fault);
                self.refresh_stale(port);
                self.run(port, next)
            }
            Event::Start => {
                self.trace_start(P::TICK);
                self.start(port)
            }
        };
        self.trace_switch(port, before, next);
        next
    }

    /// The thread to run, as `next` decides. What the clock is to do for it is planned.
    #[inline(always)]
    pub(crate) fn run(&self, port: &impl Port, next: Next) -> &'static Thread {
        let current = self.current.get();
        let thread = match next {
            Next::Continue => self.ready.most_urgent(current),
            Next::Blocked => {
                self.leave(port, current);
                // The idle thread is ready whenever it does not run.
                self.ready.pop().unwrap_or(current)
            }
            Next::HandOff(thread) => {
                self.leave(port, current);
                self.ready.most_urgent(thread)
            }
            Next::Restart => {
                self.repeat(port, current);
                // What it has done so far may have woken somebody.
                self.ready.most_urgent(current)
            }
        };
        if self.deadlines.replan.get() {
            return self.work(port, thread, matches!(next, Next::Blocked));
        }
        thread
    }

    /// Whether `thread`, the running one, is to go on with its call later: an interrupt waits, or somebody more urgent whom the call
    /// has made ready. Until it is known whose priority has fallen, that may be its own.
    pub(crate) fn gives_way(&self, port: &impl Port, thread: &Thread) -> bool {
        let own = thread.priority.get();
        port.interrupted() || self.ready.has_above(own) || !self.stale.is_empty()
    }

    /// The running thread no longer runs: if it has dropped a level, it is at its priority again.
    #[inline(always)]
    fn leave(&self, port: &impl Port, thread: &'static Thread) {
        if thread.has_dropped() {
            self.restore_if_blocked(thread);
            self.refresh_stale(port);
        }
    }
}
