//! Start, end and restart of processes, and what their end means to others.
//!
//! A process dies at one instant: from then on it is not [alive](Process::is_alive), none of its threads
//! runs, and everybody who meets it, a thread, a channel, a handle or anything else of it, finds it dead.
//! What has to be told and taken away follows in steps, each of them short ([`Stage`], in this order;
//! [`crate::dispatch::pending`] says when). Whoever is told runs after the last step, unless it is more
//! urgent than the steps are. They go at the priority of the most urgent thread of it or that waits for it, of its main
//! thread if that begins anew, and of everybody whom they have woken. Who lends a process nothing while it lives hastens
//! its end no more: who is only told (the supervisor, a server of its client's end) or waits for a message of it.

use riposte_abi::{Error, call::number, fault::reason};

use crate::{
    Channel, Fault, Kernel, OnEnd, Port, Process, State, Thread, Wake,
    dispatch::Next,
    limits::{GROUPS, HOLDS, INTERRUPTS, LEVELS, MEMORY_MESSAGES, PROXIES, TIMERS},
    object::handle::Purpose,
    sched::thread::Selection,
    signal::ALL,
};

/// Defines the stages, and derives from their order which of them follows which.
macro_rules! stages {
    ($($(#[$says:meta])* $stage:ident,)*) => {
        value! {
        /// What is to be done next of the end of a process.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub(crate) enum Stage {$($(#[$says])* $stage),*}
        }

        impl Stage {
            /// The stage after this one; `None` after the last.
            fn next(self) -> Option<Self> {
                const ORDER: &[Stage] = &[$(Stage::$stage),*];
                ORDER.get(self as usize + 1).copied()
            }
        }
    };
}

stages! {
    /// Find the priority at which to go on, that of the most urgent thread of it, or that waits for it. Until it is
    /// known the steps go before everybody.
    Priority,
    /// Look for return addresses on the stack of the thread that faulted.
    Trace,
    /// End its timers.
    Timers,
    /// Detach its interrupts.
    Interrupts,
    /// Empty its windows.
    Windows,
    /// Take its threads from wherever they wait.
    Threads,
    /// Wake who waits for one of its threads.
    Dependants,
    /// End its proxies.
    Proxies,
    /// Wake who waits to be received at its channels.
    Channels,
    /// Break the connections to it.
    Connections,
    /// Close its own handles.
    Handles,
    /// Wake who waits for a message that nobody can send any more.
    Selections,
    /// End those that are restarted with it.
    Others,
    /// Wait until what it has lent is back.
    Loans,
    /// Make the proxies that the manifest gives it. After that it starts.
    Begin,
}

/// What a step leaves to be done.
#[must_use]
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// More of its stage.
    More,
    /// The stages after its own.
    Over,
    /// Nothing, whatever its stage: the process is not to be started, or not yet.
    Last,
}

value! {
/// How far the end of a process has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Death {
    pub stage: Stage,
    /// Within the stage.
    pub cursor: u16,
    /// Within what the cursor names.
    pub detail: u16,
    /// It is to be started again.
    pub again: bool,
    /// It has started what is restarted with it: so many of them.
    pub others: u8,
    /// It has counted this as one of its own restarts, and takes others with it.
    pub leads: bool,
    /// The priority at which to go on, as far as it is known, in the stage that finds it.
    pub priority: u8,
    /// The supervisor is to be told.
    pub reported: bool,
    /// Where the thread that faulted keeps return addresses, or [`NOWHERE`].
    pub stack_pointer: u32,
}
}

/// Behind all stacks: nobody asks for return addresses.
const NOWHERE: u32 = u32::MAX;

impl Death {
    fn new(stage: Stage, again: bool) -> Self {
        Self {
            stage,
            cursor: 0,
            detail: 0,
            again,
            others: 0,
            leads: false,
            priority: 0,
            reported: false,
            stack_pointer: NOWHERE,
        }
    }

    /// That of a process whose thread has faulted, and has this stack pointer.
    pub fn of_fault(stack_pointer: u32) -> Self {
        Self {
            reported: true,
            stack_pointer,
            ..Self::new(Stage::Trace, false)
        }
    }

    /// That of a process that another one ends; its main thread has this stack pointer.
    pub fn by_right(how: OnEnd, stack_pointer: u32) -> Self {
        let again = how == OnEnd::Restart;
        Self {
            leads: again,
            reported: true,
            stack_pointer,
            ..Self::new(Stage::Priority, again)
        }
    }

    /// That of a process that waited for what it had lent, and is not to begin: it has nothing, but others know it.
    pub fn of_waiting() -> Self {
        Self {
            reported: true,
            ..Self::new(Stage::Handles, false)
        }
    }

    /// What is left to be done for a process that is stopped, and to be started; it may be `reported` then.
    pub fn of_stopped(reported: bool) -> Self {
        Self {
            leads: true,
            reported,
            ..Self::new(Stage::Others, true)
        }
    }

    /// The same, with another outcome by right.
    pub fn redirected(mut self, how: OnEnd) -> Self {
        let again = how == OnEnd::Restart;
        // What it has been given to begin with goes again.
        if !again && matches!(self.stage, Stage::Loans | Stage::Begin) {
            (self.stage, self.cursor, self.detail) = (Stage::Proxies, 0, 0);
        }
        self.leads |= again;
        self.again = again;
        self.reported = true;
        self
    }

    /// The priority at which the main thread begins anew, if it does: nobody less urgent runs before.
    pub(crate) fn beginning(&self, main: &Thread) -> u8 {
        if self.again { main.base.get() } else { 0 }
    }

    /// Whether it goes on when another one is over ([`Kernel::end_another`]).
    fn waits_for_another(&self) -> bool {
        self.stage == Stage::Others && self.detail != 0
    }

    /// Goes on after `step`: with the same stage, or the next one from its beginning. Whether there is one.
    fn advance(&mut self, step: Step) -> bool {
        let next = match step {
            Step::More => return true,
            Step::Over => self.stage.next(),
            Step::Last => None,
        };
        if let Some(next) = next {
            self.stage = next;
            self.cursor = 0;
            self.detail = 0;
        }
        next.is_some()
    }

    /// The object at the cursor.
    fn at_cursor<T>(&self, objects: &'static [T]) -> Option<&'static T> {
        objects.get(usize::from(self.cursor))
    }

    /// The object at the cursor, which moves on.
    fn take_next<T>(&mut self, objects: &'static [T]) -> Option<&'static T> {
        let object = self.at_cursor(objects)?;
        self.cursor += 1;
        Some(object)
    }

    /// A step that does `what` to the next of `objects`. A kernel in which none `exist` has no code for them.
    fn for_next<T>(
        &mut self,
        exist: bool,
        objects: &'static [T],
        what: impl FnOnce(&'static T),
    ) -> Step {
        let Some(object) = self.take_next(objects).filter(|_| exist) else {
            return Step::Over;
        };
        what(object);
        Step::More
    }
}

/// Things that a step looks at, and finds that nothing is to be done for most of them.
const LOOK: u16 = 12;
/// Handles that a step closes.
const CLOSED: u16 = 10;
/// Threads of the process at which a step looks for who waits.
const WAITED_FOR: u16 = 8;
/// Channels at which a step looks for who waits.
const WAITED_AT: u16 = 16;
/// Ends that wait for each other, one after the other: whoever would come after more waits for none of them.
const CHAIN: u8 = 8;
/// Before everybody.
const HIGHEST: u8 = (LEVELS - 1) as u8;
/// Handle slots of others that a step looks at.
const SLOTS: u16 = 24;
/// Notices of a channel that a step takes away.
const NOTICES: usize = 8;

impl Process {
    /// Whether it has just died, and it is not known yet at which priority its end goes on.
    pub(crate) fn finds_priority(&self) -> bool {
        let death = self.death.get();
        death.is_some_and(|death| death.stage == Stage::Priority)
    }
}

impl Thread {
    /// Somebody waits for a message of this thread alone, from now on. If it is ending, it looks from the beginning.
    pub(crate) fn choose(&self) {
        self.chosen.set(true);
        if self.progress_is_of(number::THREAD_EXIT) {
            self.progress.set(0);
        }
    }

    /// Whether it stands in the ready queue for the end of its process, or for what follows when that is held.
    #[inline]
    pub fn is_burying(&self) -> bool {
        self.process.is_dying() && self.index == self.process.first_thread || self.is_holding()
    }

    /// Whether it stands in the ready queue for what follows when its process is held.
    pub(crate) fn is_holding(&self) -> bool {
        let holding = self.process.holding.get().filter(|_| HOLDS);
        holding.is_some_and(|holding| holding.worker.is(self))
    }
}

impl Kernel {
    /// Starts `process` for the first time; a program waits until it is told to.
    pub(crate) fn start_process(&self, port: &impl Port, process: &'static Process) {
        let threads = self.threads_of(process);
        threads.iter().for_each(Thread::reset_level);
        process.take_back_all(threads);
        if !self.is_program(process) {
            self.begin_proxies(process);
            self.start_main(port, process);
        }
    }

    /// Starts a process whose threads are free; the later, the more often it has been restarted.
    fn start_main(&self, port: &impl Port, process: &'static Process) {
        process.alive.set(true);
        process.waits.set(false);
        process.started.set(false);
        process.forget_objects();
        self.note_start();
        if let Some(main) = self.threads_of(process).first() {
            self.start_thread_at(port, main, process.begin_at(port));
        }
    }

    /// Makes the process's other threads ready, the first time. Whether all are: if an interrupt waits,
    /// the call comes again.
    pub(crate) fn start_threads(&self, port: &impl Port, caller: &'static Thread) -> bool {
        let process = caller.process;
        let begun = caller.begun();
        if process.started.replace(true) && begun == 0 {
            return true;
        }
        let first = begun.max(1) as usize;
        let others = self.threads_of(process).iter().enumerate().skip(first);
        for (index, thread) in others.take_while(|(_, thread)| !thread.is_spare()) {
            if index > first && port.interrupted() {
                caller.keep_progress(index as u32);
                return false;
            }
            if thread.stopped.get() {
                self.start_thread(port, thread);
            }
        }
        true
    }

    pub(crate) fn start_thread(&self, port: &impl Port, thread: &'static Thread) {
        self.start_thread_at(port, thread, None);
    }

    /// As [`Kernel::start_thread`], but it sleeps until that time.
    fn start_thread_at(&self, port: &impl Port, thread: &'static Thread, time: Option<u64>) {
        thread.stopped.set(false);
        thread.priority.set(thread.base.get());
        thread.begin();
        thread.begin_signals(ALL);
        port.reset(thread);
        match time {
            None => self.make_ready(thread),
            Some(_) => {
                thread.sleeping.set(true);
                self.limit(thread, time);
            }
        }
    }

    /// The running thread's process ends itself.
    pub(crate) fn exit(&self, port: &impl Port, thread: &'static Thread, status: u32) -> Next {
        let process = thread.process;
        if status != 0 || self.is_program(process) {
            return self.stop(
                port,
                Fault::new(reason::EXIT, Some(status)),
                process.on_exit,
            );
        }
        let how = process.on_exit;
        if !self.end(port, process, how, None) && how == OnEnd::Restart {
            self.note_fault(thread, Fault::new(reason::EXIT, Some(0)), how, false);
        }
        Next::Blocked
    }

    /// The process of the running thread dies; or is held. Whether it is to be started again. If it has
    /// faulted, its stack is looked at from there on; then, or if its limit keeps it from being started, the
    /// supervisor is told when all is over.
    pub(crate) fn end(
        &self,
        port: &impl Port,
        process: &'static Process,
        how: OnEnd,
        fault: Option<u32>,
    ) -> bool {
        if HOLDS && how == OnEnd::Hold {
            self.hold(process, fault);
            return false;
        }
        let again = how == OnEnd::Restart && process.count_restart(port);
        let is_refused = how == OnEnd::Restart && !again;
        let death = Death {
            leads: again,
            reported: fault.is_some() || is_refused,
            stack_pointer: fault.unwrap_or(NOWHERE),
            ..Death::new(Stage::Priority, again)
        };
        self.begin_end(port, process, death);
        if is_refused {
            self.escalate(port, process);
        }
        again
    }

    /// `process` dies. The steps that follow go at the priority of the running thread at least.
    pub(crate) fn begin_end(&self, port: &impl Port, process: &'static Process, death: Death) {
        let Some(main) = self.threads_of(process).first() else {
            return;
        };
        let priority = self.current.get().priority.get().max(main.urgency());
        self.die(process, Death { priority, ..death });
        if !main.stopped.get() {
            self.stop_thread(port, main);
        }
        main.priority.set(HIGHEST);
        self.ready.push_front(main);
    }

    /// The steps of the end of `process` go at this priority at least.
    pub(crate) fn hasten(&self, process: &'static Process, priority: u8) {
        let (Some(mut death), Some(worker)) =
            (process.death.get(), self.threads_of(process).first())
        else {
            return;
        };
        if death.stage == Stage::Priority {
            death.priority = death.priority.max(priority);
            process.death.set(Some(death));
        } else if worker.priority.get() < priority {
            // Else it is the one that takes a step.
            let waits = self.ready.contains(worker);
            if waits {
                self.ready.remove(worker);
            }
            worker.priority.set(priority);
            if waits {
                self.ready.push_front(worker);
            }
        }
    }

    /// The end of `process` has come to be that of a process that begins anew.
    pub(crate) fn hasten_beginning(&self, process: &'static Process) {
        if let (Some(death), Some(main)) = (process.death.get(), self.threads_of(process).first()) {
            self.hasten(process, death.beginning(main));
        }
    }

    /// There is work to be done for `process`, which is dead, and has no death, at this priority at least.
    pub(crate) fn begin_work(&self, process: &'static Process, death: Death, priority: u8) {
        if let Some(main) = self.threads_of(process).first() {
            self.begin_burial(process, death);
            main.priority.set(main.base.get().max(priority));
            self.ready.push_front(main);
        }
    }

    /// The instant of its death.
    fn die(&self, process: &'static Process, death: Death) {
        process.alive.set(false);
        process.held.set(false);
        process.forget_signals();
        self.let_go(process);
        process.waits.set(false);
        self.begin_burial(process, death);
    }

    /// There are steps to be done, until [`Kernel::end_burial`].
    fn begin_burial(&self, process: &'static Process, death: Death) {
        self.calm(process);
        process.death.set(Some(death));
        self.count_unfinished(self.unfinished.get() + 1);
    }

    /// The process that is restarted with `process`, and is next to be.
    fn other(&self, process: &Process, death: Death) -> Option<&'static Process> {
        let others = if GROUPS { process.restart.with } else { &[] };
        let index = others.get(usize::from(death.others))?;
        self.tables.processes.get(usize::from(*index))
    }

    /// A step of the end of the process of `worker`, its main thread. Whether that was the last one: then the thread is
    /// ready to begin anew, or stopped.
    pub(crate) fn bury(&self, port: &impl Port, worker: &'static Thread) -> bool {
        let process = worker.process;
        let Some(mut death) = process.death.get() else {
            return true;
        };
        let step = self.step_of(port, worker, process, &mut death);
        if death.advance(step) {
            process.death.set(Some(death));
            return false;
        }
        self.end_burial(port, worker, process, death);
        true
    }

    /// A step of the stage to which the end of `process` has come.
    fn step_of(
        &self,
        port: &impl Port,
        worker: &'static Thread,
        process: &'static Process,
        death: &mut Death,
    ) -> Step {
        let objects = &process.objects;
        match death.stage {
            Stage::Priority => self.find_priority(worker, process, death),
            Stage::Trace => self.trace(port, process, death),
            Stage::Timers => death.for_next(TIMERS, objects.timers, |timer| {
                self.end_timer(timer, process);
            }),
            Stage::Interrupts => self.detach_one(port, process, death),
            Stage::Windows => death.for_next(MEMORY_MESSAGES, process.exchange.windows, |window| {
                self.clear_window(port, process, window);
            }),
            Stage::Threads => self.end_one_thread(port, worker, process, death),
            Stage::Dependants => self.end_dependant(port, worker, process, death),
            Stage::Proxies => death.for_next(PROXIES, objects.proxies, |proxy| {
                self.end_proxy(proxy);
            }),
            Stage::Channels => self.empty_channel(port, worker, process, death),
            Stage::Connections => self.break_connections_to(process, death),
            Stage::Handles => self.close_handle_of(port, process, death),
            Stage::Selections => self.end_doubted(port, worker, death),
            Stage::Others => self.end_another(port, worker, process, death),
            Stage::Loans => self.await_loans(process, death),
            Stage::Begin => death.for_next(PROXIES, objects.proxies, |proxy| {
                self.begin_proxy(process, proxy);
            }),
        }
    }

    /// All that a process had is gone. It is started, if it is to be.
    fn end_burial(
        &self,
        port: &impl Port,
        worker: &'static Thread,
        process: &'static Process,
        death: Death,
    ) {
        process.death.set(None);
        let waiting = process.taken_over.take();
        self.count_unfinished(self.unfinished.get() - 1);
        if death.again && !process.waits.get() {
            if let Some(waiting) = waiting {
                // Nothing of a chain runs before all of it is started.
                let priority = worker.priority.get().max(worker.base.get());
                self.hasten(waiting.process, priority);
            }
            self.start_main(port, process);
        } else {
            worker.priority.set(worker.base.get());
        }
        if death.reported {
            self.report(port, process);
        }
    }

    /// Looks at its threads, and then at its channels, for who waits.
    fn find_priority(
        &self,
        worker: &'static Thread,
        process: &'static Process,
        death: &mut Death,
    ) -> Step {
        const THREADS: u16 = 0;
        let from = usize::from(death.cursor);
        let (found, rest, many) = if death.detail == THREADS {
            let rest = self.threads_of(process).get(from..).unwrap_or(&[]);
            let looked = rest.iter().take(WAITED_FOR.into());
            (looked.map(Thread::urgency).max(), rest.len(), WAITED_FOR)
        } else {
            let rest = self.tables.channels.get(from..).unwrap_or(&[]);
            let looked = rest.iter().take(WAITED_AT.into());
            let own = looked.filter(|channel| channel.owner.is(process));
            let found = own.filter_map(Channel::urgency).max();
            (found, rest.len(), WAITED_AT)
        };
        death.priority = death.priority.max(found.unwrap_or(0));
        death.cursor += many;
        if rest > many.into() {
            return Step::More;
        }
        if death.detail == THREADS {
            (death.cursor, death.detail) = (0, THREADS + 1);
            return Step::More;
        }
        let own = death.beginning(worker);
        worker.priority.set(death.priority.max(own));
        Step::Over
    }

    fn detach_one(&self, port: &impl Port, process: &'static Process, death: &mut Death) -> Step {
        if !INTERRUPTS {
            return Step::Over;
        }
        for _ in 0..LOOK {
            let Some(handle) = death.take_next(self.handles_of(process)) else {
                return Step::Over;
            };
            if handle.purpose == Purpose::Interrupt && handle.is_open() {
                self.detach_handle(port, handle);
                break;
            }
        }
        Step::More
    }

    /// From the last thread to the first, so that the first one is the first free one.
    fn end_one_thread(
        &self,
        port: &impl Port,
        worker: &'static Thread,
        process: &'static Process,
        death: &mut Death,
    ) -> Step {
        let threads = self.threads_of(process);
        if death.cursor == 0 {
            process.forget_spares();
        }
        let left = threads.len().saturating_sub(death.cursor.into());
        let Some(thread) = left.checked_sub(1).and_then(|last| threads.get(last)) else {
            return Step::Over;
        };
        if !thread.stopped.get() {
            self.stop_thread(port, thread);
        }
        thread.reset_level();
        self.unbind(thread);
        thread.checked.set(0);
        // The main thread stands for the work, and for itself as it will begin.
        let priority = worker.priority.get();
        thread.forget_service();
        worker.priority.set(priority);
        worker.raise_to(death.beginning(worker));
        process.take_back(thread);
        death.cursor += 1;
        Step::More
    }

    fn end_dependant(
        &self,
        port: &impl Port,
        worker: &'static Thread,
        process: &'static Process,
        death: &mut Death,
    ) -> Step {
        for _ in 0..LOOK {
            let Some(thread) = death.at_cursor(self.threads_of(process)) else {
                return Step::Over;
            };
            if let Some(woken) = self.release_dependant(port, thread) {
                worker.raise_to(woken.priority.get());
                return Step::More;
            }
            death.cursor += 1;
        }
        Step::More
    }

    /// Takes one of those who wait for `thread`, which ends, out of their wait: the one that was woken,
    /// or is dead itself; `None` if nobody waits.
    fn release_dependant(
        &self,
        port: &impl Port,
        thread: &'static Thread,
    ) -> Option<&'static Thread> {
        if let Some(client) = thread.clients().next() {
            self.lose_server(port, client);
            return Some(client);
        }
        self.abandon_lock(port, thread)
    }

    fn empty_channel(
        &self,
        port: &impl Port,
        worker: &'static Thread,
        process: &'static Process,
        death: &mut Death,
    ) -> Step {
        for _ in 0..LOOK {
            let Some(channel) = death.at_cursor(self.tables.channels) else {
                return Step::Over;
            };
            if channel.owner.is(process) && !self.empty_queues(port, worker, channel) {
                return Step::More;
            }
            death.cursor += 1;
        }
        Step::More
    }

    /// Wakes a client that waits to be received at `channel`, or else takes away some of its notices. Whether it has
    /// none of either any more.
    fn empty_queues(
        &self,
        port: &impl Port,
        worker: &'static Thread,
        channel: &'static Channel,
    ) -> bool {
        if let Some(client) = channel.senders.first() {
            worker.raise_to(client.priority.get());
            self.wake(port, client, Wake::Failed(Error::ServerDied));
            return false;
        }
        for _ in 0..NOTICES {
            if !self.drop_notice(channel) {
                break;
            }
        }
        let emptied = channel.notices.is_empty();
        if emptied {
            channel.bits.set(0);
            channel.update_idle();
        }
        emptied
    }

    fn break_connections_to(&self, process: &'static Process, death: &mut Death) -> Step {
        let Some(handles) = death.at_cursor(self.tables.handles) else {
            return Step::Over;
        };
        let rest = handles.get(usize::from(death.detail)..).unwrap_or(&[]);
        for handle in rest.iter().take(SLOTS.into()) {
            if handle.is_in_use() && handle.target.get().owner.is(process) {
                handle.break_off();
            }
        }
        death.detail += SLOTS;
        if rest.len() <= SLOTS.into() {
            death.cursor += 1;
            death.detail = 0;
        }
        Step::More
    }

    fn close_handle_of(
        &self,
        port: &impl Port,
        process: &'static Process,
        death: &mut Death,
    ) -> Step {
        for _ in 0..CLOSED {
            let Some(handle) = death.take_next(self.handles_of(process)) else {
                return Step::Over;
            };
            if handle.purpose == Purpose::Channel {
                continue;
            }
            let channel = handle.target.get();
            let is_client = handle.is_in_use() || handle.is_of_known_client();
            let told = is_client && channel.notify_client_died;
            if told {
                self.notify(port, channel, &handle.died);
            }
            let many = handle.is_open() && channel.receivers().nth(1).is_some();
            let doubted = handle.doubt();
            handle.close(self.tables.nowhere);
            if told || doubted || many {
                break;
            }
        }
        Step::More
    }

    /// Wakes those who wait for a message of a thread of the dead, or by a badge that nobody has any
    /// more.
    fn end_doubted(&self, port: &impl Port, worker: &'static Thread, death: &mut Death) -> Step {
        for _ in 0..LOOK {
            let Some(thread) = death.at_cursor(self.tables.threads) else {
                return Step::Over;
            };
            let searched = thread.doubt.get().is_some();
            let Some(may_come) = self.find_selected(thread) else {
                return Step::More;
            };
            death.cursor += 1;
            if !may_come {
                worker.raise_to(thread.base.get());
                self.wake(port, thread, Wake::Failed(Error::PeerDied));
                return Step::More;
            }
            if searched {
                return Step::More;
            }
        }
        Step::More
    }

    /// The process whose end that of `process` waits for.
    fn awaited(&self, process: &'static Process) -> Option<&'static Process> {
        let death = process
            .death
            .get()
            .filter(|death| death.waits_for_another())?;
        let main = self.threads_of(process).first()?;
        let other = self.other(process, death)?;
        let by = other.taken_over.get();
        by.is_some_and(|by| by.is(main)).then_some(other)
    }

    /// Whether `first` is `process`, or its end waits for that of `process`, at once or through others; or for so many
    /// that nobody looks further.
    fn comes_after(&self, first: &'static Process, process: &'static Process) -> bool {
        let mut chain = core::iter::successors(Some(first), |first| self.awaited(first));
        (0..CHAIN).any(|_| chain.next().is_some_and(|it| it.is(process))) || chain.next().is_some()
    }

    /// Ends the next of those that are restarted with `process`; or lets that end go first, if it is not over yet.
    fn end_another(
        &self,
        port: &impl Port,
        worker: &'static Thread,
        process: &'static Process,
        death: &mut Death,
    ) -> Step {
        let Some(other) = self.other(process, *death).filter(|_| death.leads) else {
            return if death.again { Step::Over } else { Step::Last };
        };
        let by = other.taken_over.get();
        let is_own = death.detail != 0 && by.is_some_and(|by| by.is(worker));
        if !death.again {
            if is_own {
                other.taken_over.set(None);
            }
            return Step::Last;
        }
        if is_own {
            self.let_go_first(worker, other);
            return Step::More;
        }
        if death.detail != 0 || by.is_some() || self.comes_after(other, process) {
            death.detail = 0;
            death.others += 1;
        } else {
            death.detail = 1;
            self.take_over(port, worker, other);
        }
        Step::More
    }

    /// `other` is restarted with the process of `worker`, whatever has become of it so far.
    fn take_over(&self, port: &impl Port, worker: &'static Thread, other: &'static Process) {
        match other.death.get() {
            Some(mut death) => {
                self.calm(other);
                death.again = true;
                other.death.set(Some(death));
                self.hasten_beginning(other);
            }
            None => {
                if other.is_alive() {
                    other.forget_old_restarts(port);
                }
                self.begin_end(port, other, Death::new(Stage::Priority, true));
            }
        }
        other.taken_over.set(Some(worker));
    }

    /// The end of `other` goes at the priority of `worker` at least, and before that.
    fn let_go_first(&self, worker: &'static Thread, other: &'static Process) {
        let Some(first) = self.threads_of(other).first() else {
            return;
        };
        self.ready.push_front(worker);
        self.ready.remove(first);
        first.raise_to(worker.priority.get());
        self.ready.push_front(first);
    }

    fn await_loans(&self, process: &'static Process, death: &mut Death) -> Step {
        let holder = death.take_next(self.tables.processes);
        let Some(holder) = holder.filter(|_| MEMORY_MESSAGES) else {
            return Step::Over;
        };
        if holder.borrows_from(process) {
            process.waits.set(true);
            // What comes back goes on from here: `look_for_loans`.
            return Step::Last;
        }
        Step::More
    }

    /// `home`, which is to start as soon as all that it has lent is back, has got some of it.
    pub(crate) fn look_for_loans(&self, home: &'static Process) {
        if home.waits.take() {
            // Nobody waits for that: who has given it back least of all.
            self.begin_work(home, Death::new(Stage::Loans, true), 0);
        }
    }

    /// A thread of the caller's ends alone. Whether it has: if an interrupt waits, or somebody more urgent whom it has
    /// told, the call comes again.
    pub(crate) fn end_thread(&self, port: &impl Port, thread: &'static Thread) -> bool {
        if !self.hand_signals_on(port, thread) {
            return false;
        }
        while self.release_dependant(port, thread).is_some() {
            if self.gives_way(port, thread) {
                return false;
            }
        }
        if thread.chosen.get() {
            let begun = thread.begun() as usize;
            let waiting = self.tables.threads.iter().enumerate().skip(begun);
            for (index, other) in waiting {
                let chosen = match other.selection.get() {
                    Selection::Thread(client) => client.is(thread),
                    Selection::Anyone | Selection::Badge(_) => false,
                };
                if chosen && other.state() == State::ReceiveBlocked {
                    self.wake(port, other, Wake::Failed(Error::PeerDied));
                }
                if (chosen || index % 32 == 31) && self.gives_way(port, thread) {
                    thread.keep_progress(index as u32 + 1);
                    return false;
                }
            }
        }
        self.stop_thread(port, thread);
        self.unbind(thread);
        thread.forget_service();
        true
    }

    /// `thread` waits for nothing any more, and does not run.
    fn stop_thread(&self, port: &impl Port, thread: &'static Thread) {
        Self::leave_loan(thread);
        self.unlink(port, thread);
        self.trace_stop(thread);
        thread.stopped.set(true);
        thread.chosen.set(false);
        thread.forget_signals();
        self.dismiss(thread);
        if self.has_slice(thread) {
            self.slice_owner.set(None);
        }
        self.forget_drop(thread);
    }
}

impl Thread {
    /// It serves nobody any more.
    fn forget_service(&self) {
        self.priority.set(self.base.get());
        self.progress.set(0);
    }

    /// The priority at which the end of its process goes for its sake: what is lent to it, and its own, unless it
    /// waits for a message, and has the priority of its last client.
    fn urgency(&'static self) -> u8 {
        let own = (!self.stopped.get() && !self.is_receiving()).then(|| self.priority.get());
        own.max(self.lent()).unwrap_or(0)
    }

    /// It is at least as urgent as this.
    pub(crate) fn raise_to(&self, priority: u8) {
        self.priority.set(self.priority.get().max(priority));
    }
}
