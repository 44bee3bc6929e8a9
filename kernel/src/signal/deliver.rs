//! Telling threads of what is due to them.
//!
//! A thread that is blocked leaves its call with [`Error::Interrupted`], as if a deadline had passed: a client that is
//! served leaves only if its channel does not ask for unblock notices. A thread that is ready is interrupted where it is.
//! Then the handler begins ([`super::upcall`]). Who sends a signal tells the one thread that it is for. To other threads
//! something comes to be due because they go on, however many: each is told when it is the next to run. So is who has no
//! room for its handler: its process ends by that, which may be the caller's, or that of whoever goes on after the call.

use riposte_abi::{Error, trace::kind};

use crate::{
    Kernel, Port, State, Thread, Wake,
    signal::{Waits, upcall::Place},
};

/// A stack has no room for a handler.
struct NoRoom;

impl Kernel {
    /// Something may be due to `thread`: it goes on in its handler, if it can leave what it does. Else its server is asked to
    /// let it go. If it is the running one, the outcome of its call is in its registers.
    pub(crate) fn deliver_signal(&self, port: &impl Port, thread: &'static Thread) {
        debug_assert!(
            !thread.is_summoned(),
            "it is told when it is the next to run"
        );
        if self.try_to_deliver(port, thread).is_err() {
            self.leave_without_room(port, thread);
        }
    }

    /// `thread`, whose stack has no room for its handler, leaves what it does, but its process ends in nobody's call. What
    /// it waits for is due until then.
    #[cold]
    #[inline(never)]
    fn leave_without_room(&self, port: &impl Port, thread: &'static Thread) {
        let own = thread.signals.first();
        let waited = own.map(|own| (own, own.waits.get(), own.mask.get()));
        self.interrupt_wait(port, thread);
        if let Some((own, Waits::Handled(mask), waited_with)) = waited {
            own.waits.set(Waits::NoRoom(mask));
            thread.mask(waited_with);
        }
        self.summon(thread);
    }

    /// As [`Kernel::deliver_signal`].
    ///
    /// # Errors
    /// The stack of `thread` has no room for its handler. Nothing has changed.
    fn try_to_deliver(&self, port: &impl Port, thread: &'static Thread) -> Result<(), NoRoom> {
        let Some(signal) = thread.due() else {
            return Ok(());
        };
        if thread.can_leave() {
            let place = thread.place_frame(port).ok_or(NoRoom)?;
            // Before its wait ends: nothing else may be due to it then.
            let word = thread.take(signal);
            self.lead_to_handler(port, thread, place, signal, word);
        } else if thread.state() == State::ReplyBlocked
            && !thread.waits_for_the_dead()
            && !thread.process.is_halted()
        {
            // Its answer comes by the general cases, which summon it.
            thread.server.get().inspect(|server| server.list_client());
            self.ask_to_unblock(port, thread);
        }
        Ok(())
    }

    /// As [`Kernel::try_to_deliver`], where `thread` had no room for the handler for which it had suspended itself: it may have
    /// it by now, and the handler ends with the mask from before.
    #[cold]
    fn deliver_once_more(&self, port: &impl Port, thread: &'static Thread) -> Result<(), NoRoom> {
        let Some(signal) = thread.due() else {
            thread.end_signal_wait();
            return self.try_to_deliver(port, thread);
        };
        let place = thread.place_frame(port).ok_or(NoRoom)?;
        let word = thread.take(signal);
        thread.end_signal_wait();
        self.lead_to_handler(port, thread, place, signal, word);
        Ok(())
    }

    /// `thread`, which can leave what it does, goes on in the handler of `signal`, which has come with `word`: its frame has
    /// this place.
    pub(super) fn lead_to_handler(
        &self,
        port: &impl Port,
        thread: &'static Thread,
        place: Place,
        signal: u32,
        word: u32,
    ) {
        self.interrupt_wait(port, thread);
        thread.begin_handler(port, place, signal, word);
        self.trace_event(kind::HANDLER, thread, || (0, [signal, 0]));
        self.summon(thread);
    }

    /// `thread` waits no more, if it does.
    fn interrupt_wait(&self, port: &impl Port, thread: &'static Thread) {
        if thread.state() != State::Ready {
            self.wake(port, thread, Wake::Failed(Error::Interrupted));
        }
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
        let told = if chosen.had_no_room() {
            self.deliver_once_more(port, chosen)
        } else {
            self.try_to_deliver(port, chosen)
        };
        if told.is_err() {
            self.overflow(port, chosen);
        }
        self.refresh_stale(port);
        if chosen.state() == State::Ready {
            return self.ready.most_urgent(chosen);
        }
        // What stands for its end, or for what follows when it is held, is ready.
        self.ready.pop().unwrap_or(chosen)
    }
}

impl Thread {
    /// Whether it can leave for a handler what it does, or is blocked in.
    pub(super) fn can_leave(&'static self) -> bool {
        if self.process.is_halted() {
            return false;
        }
        match self.state() {
            State::Stopped => false,
            // A call that it is to execute again comes first.
            State::Ready => !self.repeats(),
            // Nobody finds a death half done.
            State::SendBlocked => !self.waits_for_the_dead(),
            State::ReplyBlocked => !self.waits_for_the_dead() && !self.stays_until_answered(),
            _ => true,
        }
    }

    /// Whether a signal is due to it that takes it out of a queue.
    pub(crate) fn leaves_for_signal(&self) -> bool {
        !self.process.is_halted() && self.due().is_some()
    }

    /// The first signal that is due to it, if one is.
    fn due(&self) -> Option<u32> {
        let (own, of) = self.signals()?;
        let due = own.due(of);
        (due != 0).then(|| due.trailing_zeros())
    }
}
