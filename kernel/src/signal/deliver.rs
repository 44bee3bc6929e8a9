//! Telling threads of what is due to them.
//!
//! A thread that is blocked leaves its call with [`Error::Interrupted`], as if a deadline had passed: a client that is
//! served leaves only if its channel does not ask for unblock notices. A thread that is ready is interrupted where it is.
//! Then the handler begins ([`super::upcall`]). Who sends a signal tells the one thread that it is for. To other threads
//! something comes to be due because they go on, however many: each is told when it is the next to run.

use riposte_abi::Error;

use crate::{Kernel, Port, State, Thread, Wake};

impl Kernel {
    /// Something may be due to `thread`, which goes on in its handler, if it is ready, or blocked and can leave its wait. If
    /// it is the running one, the outcome of its call is in its registers.
    pub(crate) fn deliver_signal(&self, port: &impl Port, thread: &'static Thread) {
        let Some(signal) = thread.due() else {
            return;
        };
        let state = thread.state();
        let goes_on = match state {
            // A call that it is to execute again comes first.
            State::Ready => !thread.repeats(),
            _ => self.may_leave(port, thread, state),
        };
        if !goes_on {
            return;
        }
        // Before its wait ends: nothing else may be due to it then.
        let word = thread.take(signal);
        if state != State::Ready {
            self.wake(port, thread, Wake::Failed(Error::Interrupted));
        }
        self.begin_handler(port, thread, signal, word);
        self.summon(thread);
    }

    /// Tells `chosen`, which has been summoned, and is the next to run. Returns who is that now: the same, unless that has
    /// died of it.
    #[inline(never)]
    pub(crate) fn deliver_to_next(
        &self,
        port: &impl Port,
        chosen: &'static Thread,
    ) -> &'static Thread {
        self.dismiss(chosen);
        self.deliver_signal(port, chosen);
        self.refresh_stale(port);
        if chosen.state() == State::Ready {
            return self.ready.most_urgent(chosen);
        }
        // What stands for its end, or for what follows when it is held, is ready.
        self.ready.pop().unwrap_or(chosen)
    }

    /// Whether `thread` may leave what it is blocked in now. If not, its server is asked to let it go.
    fn may_leave(&self, port: &impl Port, thread: &'static Thread, state: State) -> bool {
        match state {
            State::Stopped => false,
            // Nobody finds a death half done.
            State::SendBlocked | State::ReplyBlocked if thread.waits_for_the_dead() => false,
            State::ReplyBlocked if thread.stays_until_answered() => {
                // Its answer comes by the general cases, which summon it.
                thread.server.get().inspect(|server| server.list_client());
                self.ask_to_unblock(port, thread);
                false
            }
            _ => true,
        }
    }
}

impl Thread {
    /// The first signal that is due to it, if one is.
    fn due(&self) -> Option<u32> {
        let (own, of) = self.signals()?;
        let due = own.due(of);
        (due != 0).then(|| due.trailing_zeros())
    }
}
