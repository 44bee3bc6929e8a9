//! Sending a signal, and which thread of a process takes it.

use riposte_abi::{Error, signal::OWN, thread::INDEX_MASK, trace::kind};

use crate::{
    Kernel, Port, Process, Thread,
    dispatch::Next,
    signal::{ALL, OfProcess, Waits, bit, is_queued, is_signal, queue::ANYBODY},
};

/// Threads that are looked at between two looks for interrupts.
const THREADS: usize = 8;

/// What a thread would do with a signal.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Takes {
    No,
    /// When its call is over, or its server has answered.
    Later,
    Now,
}

impl Thread {
    /// What it would do with `signal` now.
    #[inline]
    fn takes(&'static self, signal: u32) -> Takes {
        let Some((own, _)) = self.signals() else {
            return Takes::No;
        };
        if !self.lives() {
            return Takes::No;
        }
        if self.awaits(signal) && !self.process.is_halted() {
            return Takes::Now;
        }
        if own.mask.get() & bit(signal) != 0 {
            return Takes::No;
        }
        // What it has been summoned for comes first.
        if own.summoned.get() || !self.can_leave() {
            return Takes::Later;
        }
        Takes::Now
    }

    /// The first signal that it is to take later and that was sent to its process.
    fn first_of_process(&self) -> Option<u32> {
        let (own, of) = self.signals()?;
        match own.of_process.get() {
            0 => of.queue.first_of_process(self.index),
            plain => Some(plain.trailing_zeros()),
        }
    }

    /// Whether it waits for `signal`, and for no handler.
    fn awaits(&self, signal: u32) -> bool {
        let own = self.signals.first();
        own.is_some_and(|own| matches!(own.waits.get(), Waits::One(set) if set & bit(signal) != 0))
    }

    /// Whether its server is asked before it leaves.
    pub(super) fn stays_until_answered(&self) -> bool {
        // The short ways note no channel: it is that of the server, which has no other client then.
        let server = || Some(self.server.get()?.bound.get());
        let channel = self.request.get().channel.or_else(server);
        channel.is_some_and(|channel| channel.notify_unblock)
    }
}

impl OfProcess {
    /// `signal` waits for `thread`, or for anybody: whose it is. It was sent to the process, or to that thread alone.
    fn note_pending(&self, thread: Option<&Thread>, signal: u32, of_process: bool) -> u8 {
        let own = thread.and_then(|thread| Some((thread.index, thread.signals.first()?)));
        let (whose, pending) = match own {
            Some((index, own)) => {
                if of_process && !is_queued(signal) {
                    own.of_process.set(own.of_process.get() | 1 << signal);
                }
                (index, &own.pending)
            }
            None => (ANYBODY, &self.pending),
        };
        pending.set(pending.get() | bit(signal));
        whose
    }
}

impl Kernel {
    /// `SEND` of a signal without a word, to a main thread that takes it: that of the caller, or one that waits just for
    /// signals to handle, without a deadline. Returns the thread to run; `None` if it is another case.
    #[inline(always)]
    pub(super) fn send_at_once(
        &self,
        port: &impl Port,
        caller: &'static Thread,
    ) -> Option<&'static Thread> {
        let [position, signal, _, id, _] = caller.words();
        let process = self.signalled(caller, position).ok()?;
        let main = self.threads_of(process).first()?;
        let own = main.signals.first()?;
        let is_plain = id == 0 && is_signal(signal) && !is_queued(signal);
        // In the low half of a set: no shift of two words.
        if !is_plain || own.mask.get() as u32 & 1 << signal != 0 {
            return None;
        }
        if main.is(caller) {
            let place = main.place_frame(port)?;
            // Nothing can fail from here on, and nothing else is due to a thread that runs.
            caller.returns_here(port, 0);
            caller.forget_progress();
            self.trace_signal(caller, process, signal);
            main.begin_handler(port, place, signal, 0);
            self.trace_event(kind::HANDLER, main, || (0, [signal, 0]));
            return Some(main);
        }
        let Waits::Handled(mask) = own.waits.get() else {
            return None;
        };
        if process.is_halted() || main.deadline.is_set() {
            return None;
        }
        let place = main.place_frame(port)?;
        // Nothing can fail from here on.
        caller.returns_here(port, 0);
        caller.forget_progress();
        own.waits.set(Waits::Nothing);
        main.mask(mask);
        main.fails(Error::Interrupted);
        self.trace_signal(caller, process, signal);
        main.begin_handler(port, place, signal, 0);
        self.trace_event(kind::HANDLER, main, || (0, [signal, 0]));
        self.summon(main);
        self.ready.push_back(main);
        Some(self.run(port, Next::Continue))
    }

    /// Sends a signal to another process, to the caller's own, or to one of its threads.
    pub(crate) fn send_signal(
        &self,
        port: &impl Port,
        caller: &'static Thread,
    ) -> Result<Next, Error> {
        let [position, signal, word, id, _] = caller.words();
        let process = self.signalled(caller, position)?;
        let is_strange = id != 0 && position != OWN;
        if !is_signal(signal) || is_strange {
            return Err(Error::BadArgument);
        }
        if !process.is_alive() {
            return Err(Error::PeerDied);
        }
        let of = process.signals.first().ok_or(Error::BadCall)?;
        let word = if is_queued(signal) { word } else { 0 };
        if is_queued(signal) && of.queue.is_full() {
            return Err(Error::Exhausted);
        }
        let thread = match id {
            0 => match self.find_taker(port, caller, process, signal) {
                Some(taker) => taker,
                None => return Ok(Next::Restart),
            },
            id => Some(self.own_thread(caller, id)?),
        };
        // Nothing can fail from here on.
        caller.returns(0);
        self.trace_signal(caller, process, signal);
        if thread.is_some_and(|thread| self.give_signal(port, thread, signal, word)) {
            return Ok(Next::Continue);
        }
        let whose = of.note_pending(thread, signal, id == 0);
        if is_queued(signal) {
            of.queue.push(signal, whose, id == 0, word);
        }
        self.tell_of_signal(port, thread);
        Ok(Next::Continue)
    }

    /// A signal waits for `thread`, if it is somebody.
    fn tell_of_signal(&self, port: &impl Port, thread: Option<&'static Thread>) {
        // Who has been summoned is told when it is the next to run.
        if let Some(thread) = thread.filter(|thread| !thread.is_summoned()) {
            self.deliver_signal(port, thread);
        }
    }

    /// What was sent to the process of `thread`, which ends, and was to be taken by it later, goes to whoever takes it
    /// now. Whether all has; if not, its call comes again.
    pub(crate) fn hand_signals_on(&self, port: &impl Port, thread: &'static Thread) -> bool {
        let Some((own, of)) = thread.signals() else {
            return true;
        };
        // From now on it takes none.
        own.mask.set(ALL);
        while let Some(signal) = thread.first_of_process() {
            let Some(taker) = self.find_taker(port, thread, thread.process, signal) else {
                return false;
            };
            thread.forget_progress();
            let whose = of.note_pending(taker, signal, true);
            let others = is_queued(signal) && of.queue.hand_on(signal, thread.index, whose);
            if !others {
                own.pending.set(own.pending.get() & !bit(signal));
            }
            own.of_process
                .set(own.of_process.get() & own.pending.get() as u32);
            match taker.filter(|taker| taker.awaits(signal)) {
                Some(taker) => self.end_wait_with(port, taker, signal, taker.take(signal)),
                None => self.tell_of_signal(port, taker),
            }
            if self.gives_way(port, thread) {
                return false;
            }
        }
        true
    }

    /// The process at a position among those that the caller's may send to.
    fn signalled(&self, caller: &'static Thread, position: u32) -> Result<&'static Process, Error> {
        if position == OWN {
            return Ok(caller.process);
        }
        let (_, of) = caller.signals().ok_or(Error::BadCall)?;
        let index = of.targets.get(position as usize);
        let index = index.ok_or(Error::NotPermitted)?;
        let process = self.tables.processes.get(usize::from(*index));
        process.ok_or(Error::NotPermitted)
    }

    /// The thread of the caller's process with this id.
    fn own_thread(&self, caller: &Thread, id: u32) -> Result<&'static Thread, Error> {
        let thread = self.tables.threads.get((id & INDEX_MASK) as usize);
        let is_it = |thread: &&'static Thread| {
            thread.id() == id && thread.process.is(caller.process) && thread.lives()
        };
        thread.filter(is_it).ok_or(Error::BadHandle)
    }

    /// The first thread of `process` that takes `signal` now, or else the first one that takes it later; perhaps nobody,
    /// and it waits for one that does. `None` if an interrupt waits before that is known: the call is to come again.
    fn find_taker(
        &self,
        port: &impl Port,
        caller: &'static Thread,
        process: &'static Process,
        signal: u32,
    ) -> Option<Option<&'static Thread>> {
        let threads = self.threads_of(process);
        // Mostly it is the first.
        if let Some(main) = threads
            .first()
            .filter(|main| main.takes(signal) == Takes::Now)
        {
            return Some(Some(main));
        }
        let changes = process.signals.first().map_or(0, |of| of.changes.get());
        let named = signal | u32::from(process.index) << 8;
        let kept = caller.begun_with(named);
        // How many were looked at, and the place behind the first that takes it later.
        let (mut looked, mut later) = match kept >> 16 == u32::from(changes) {
            true => ((kept & 0xFF) as usize, (kept >> 8 & 0xFF) as usize),
            false => (0, 0),
        };
        loop {
            while let Some(rest) = threads.get(looked..).filter(|rest| !rest.is_empty()) {
                let many = rest.len().min(THREADS);
                for thread in rest.iter().take(many) {
                    looked += 1;
                    match thread.takes(signal) {
                        Takes::Now => return Some(Some(thread)),
                        // Nothing but this call keeps it from that.
                        Takes::Later if thread.is(caller) => return Some(Some(thread)),
                        Takes::Later if later == 0 => later = looked,
                        _ => {}
                    }
                }
                if looked < threads.len() && port.interrupted() {
                    let place = (later << 8 | looked) as u32;
                    caller.keep_progress_with(named, u32::from(changes) << 16 | place);
                    return None;
                }
            }
            let found = later.checked_sub(1).and_then(|place| threads.get(place));
            match found {
                // It has ended meanwhile.
                Some(thread) if thread.takes(signal) == Takes::No => (looked, later) = (0, 0),
                found => return Some(found),
            }
        }
    }

    /// Whether `thread` takes `signal` at once: by its handler, or because it waits for just that.
    fn give_signal(
        &self,
        port: &impl Port,
        thread: &'static Thread,
        signal: u32,
        word: u32,
    ) -> bool {
        if thread.takes(signal) != Takes::Now {
            return false;
        }
        if thread.awaits(signal) {
            self.end_wait_with(port, thread, signal, word);
            return true;
        }
        let place = thread.place_frame(port);
        let is_told = place.is_some();
        if let Some(place) = place {
            self.lead_to_handler(port, thread, place, signal, word);
        }
        is_told
    }
}
