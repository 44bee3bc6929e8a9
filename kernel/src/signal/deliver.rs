//! Telling threads of what is due to them, one a step, before any thread runs.
//!
//! A thread that is ready is interrupted where it is; one that is blocked leaves its call with
//! [`Error::Interrupted`], as if a deadline had passed: a client that is served leaves only if its channel does not
//! ask for unblock notices. Then the handler begins ([`super::upcall`]).

use riposte_abi::Error;

use crate::{Kernel, Port, State, Thread, Wake, port::Interrupted};

impl Kernel {
    /// Whether somebody has been summoned, and not been told.
    #[must_use]
    #[inline(always)]
    pub fn has_summoned(&self) -> bool {
        self.summoned
            .first()
            .is_some_and(|summoned| !summoned.is_empty())
    }

    /// Tells all who have been summoned; `chosen` is to run. Returns who is to run now. `Err` if an interrupt waits before
    /// all are told.
    #[inline(never)]
    pub(crate) fn tell_summoned(
        &self,
        port: &impl Port,
        mut chosen: &'static Thread,
    ) -> (&'static Thread, Result<(), Interrupted>) {
        // What has led here may have taken long, but for an interrupt for which the idle thread ran.
        let mut looks = !self.is_idle(self.current.get());
        // What stands for a death goes first: that of somebody who was told may be among them.
        while self.has_summoned() && !chosen.is_burying() {
            if looks && port.interrupted() {
                return (chosen, Err(Interrupted));
            }
            looks = true;
            let Some(thread) = self.take_summoned() else {
                break;
            };
            self.tell_thread(port, thread);
            chosen = self.after_telling(chosen);
        }
        (chosen, Ok(()))
    }

    fn take_summoned(&self) -> Option<&'static Thread> {
        let summoned = self.summoned.first()?;
        let index = summoned.threads.take()?;
        summoned.count.set(summoned.count.get() - 1);
        self.tables.threads.get(index)
    }

    /// Who is to run, after another thread has been told: `chosen`, unless that has died of it, or somebody is more
    /// urgent.
    fn after_telling(&self, chosen: &'static Thread) -> &'static Thread {
        if chosen.state() == State::Ready {
            return self.ready.most_urgent(chosen);
        }
        // What stands for its end, or for what follows when it is held, is ready, and takes it away where it is not.
        self.ready.pop().unwrap_or(chosen)
    }

    /// A step: one signal that is due to `thread`, if there is one.
    fn tell_thread(&self, port: &impl Port, thread: &'static Thread) {
        let Some((own, of)) = thread.signals() else {
            return;
        };
        let due = own.due(of);
        if due == 0 || !thread.lives() || thread.process.is_halted() || own.repeats.get() {
            return;
        }
        let signal = due.trailing_zeros();
        if thread.state() != State::Ready && !self.interrupt_wait(port, thread) {
            return;
        }
        self.begin_handler(port, thread, signal);
        self.summon(thread);
    }

    /// Ends what `thread` is blocked in, if that can be.
    fn interrupt_wait(&self, port: &impl Port, thread: &'static Thread) -> bool {
        match thread.state() {
            // Nobody finds a death half done.
            State::SendBlocked | State::ReplyBlocked if thread.waits_for_the_dead() => {
                return false;
            }
            State::ReplyBlocked if thread.stays_until_answered() => {
                // Its answer comes by the general cases, which summon it again.
                thread.server.get().inspect(|server| server.list_client());
                self.ask_to_unblock(port, thread);
                return false;
            }
            _ => {}
        }
        self.wake(port, thread, Wake::Failed(Error::Interrupted));
        true
    }
}
