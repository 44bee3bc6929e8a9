//! The kernel's tables, and who runs next.

use core::cell::Cell;

use riposte_abi::{Error, trace::due};

use crate::{
    Channel, Deadline, Due, Handle, IfPrograms, IfTraced, Interrupt, Next, Pool, Port, Process,
    Programs, Range, State, Thread, Trace, Wake, Writable,
    ipc::transfer::forget_copy,
    limits::{HANDLES, INTERRUPT_RATES, SHARED_MEMORY, SLICES, TIMERS},
    memory::pool::IfPools,
    port::Interrupted,
    sched::{policy::Policy, priority::Stale, ready::Ready},
    signal::IfSignals,
    sync::words::Words,
    time::deadline::Deadlines,
};

state! {
/// The objects of a system, as its manifest sizes them.
pub struct Tables {
    /// All threads, those of a process together, its main thread first. The last one is the idle
    /// thread: at priority 0, in a process of its own, and never blocked.
    pub threads: &'static [Thread],
    /// All processes.
    pub processes: &'static [Process],
    /// All channels.
    pub channels: &'static [Channel],
    /// The handle table of each process.
    pub handles: &'static [[Handle; HANDLES]],
    /// The interrupts that the manifest gives to processes, by the machine's numbers.
    pub interrupts: &'static [Option<&'static Interrupt>],
    /// [`Channel::nowhere`].
    pub nowhere: &'static Channel,
    /// Memory that several processes may use, where the kernel sees it: each a power of two, aligned
    /// to its size. It is zeroed when the system starts, and by nobody later.
    pub regions: &'static [Range] as link,
    /// Memory of which processes make regions at run time.
    pub pools: IfPools<&'static [Pool]>,
    /// One place a thread, a timer, and an interrupt that is limited to a rate.
    pub deadlines: &'static [Cell<Option<&'static Deadline>>] as link,
    /// Where faults are reported.
    pub supervisor: Option<&'static Channel> as link,
    /// Where it is told that the supervisor itself has faulted.
    pub witness: Option<&'static Channel> as link,
    /// Which processes are programs, if the manifest has some.
    pub programs: IfPrograms<Option<Programs>> as link,
    /// Where events are written, if the system is traced.
    pub trace: IfTraced<&'static Trace> as link,
    /// Length of a turn of round-robin threads, in nanoseconds.
    pub slice: u64,
    /// How many threads a thread may wait for, directly or because they wait for others; and how many may
    /// receive from one channel.
    pub depth: u8,
}
}

state! {
/// A system's kernel.
///
/// A port keeps it where its trap code finds it; `current` comes first.
#[repr(C)]
pub struct Kernel {
    /// The running thread. A port's trap code sets it, to the thread that it was told to run.
    pub current: Cell<&'static Thread>,
    pub(crate) ready: Ready,
    /// Some thread takes turns with its equals: time slices are planned.
    pub(crate) slicing: Cell<bool> as detail,
    /// Processes that have died, and whose end is not finished.
    pub(crate) unfinished: Cell<u16>,
    /// Counts the starts of processes.
    pub(crate) starts: Cell<u16> as detail,
    /// The threads whose priority is still to follow others.
    pub(crate) stale: Stale,
    /// So many threads are ready, and are to be told of what is due to them before they run.
    pub(crate) summoned: IfSignals<Cell<u16>>,
    pub(crate) deadlines: Deadlines,
    pub(crate) tables: Tables,
    /// Whose time slice it is, even while a more urgent thread runs.
    pub(crate) slice_owner: Cell<Option<&'static Thread>>,
    /// When that slice ends.
    pub(crate) slice_end: Cell<u64> as time where has_slice_owner,
    /// When the clock is to end the slice of the running thread; `u64::MAX` while nobody of its priority waits.
    pub(crate) slice_alarm: Cell<u64> as time,
    /// What the clock was last asked for.
    pub(crate) alarm: Cell<u64> as detail,
    /// Where threads wait to be woken, or for locks. As long as the system has threads: it comes last, so that what
    /// is before it stays in reach.
    pub(crate) words: Words,
}
}

/// Nobody waits yet: what an interrupt cuts short goes on at once.
fn zero(port: &impl Port, mut rest: Writable) {
    while rest.length() > 0 {
        rest = rest.part(port.clear(rest), rest.length());
    }
}

impl Kernel {
    /// A kernel that has not started.
    #[must_use]
    pub const fn new(tables: Tables, idle: &'static Thread) -> Self {
        Self {
            current: Cell::new(idle),
            ready: Ready::new(),
            slicing: Cell::new(false),
            unfinished: Cell::new(0),
            starts: Cell::new(0),
            stale: Stale::new(),
            summoned: [const { Cell::new(0) }; _],
            deadlines: Deadlines::new(tables.deadlines),
            tables,
            slice_owner: Cell::new(None),
            slice_end: Cell::new(0),
            slice_alarm: Cell::new(u64::MAX),
            alarm: Cell::new(0),
            words: Words::new(),
        }
    }

    /// The system's objects.
    #[must_use]
    pub fn tables(&self) -> &Tables {
        &self.tables
    }

    /// What is ready, without the running thread.
    #[must_use]
    pub fn ready(&self) -> &Ready {
        &self.ready
    }

    /// Starts every process that is no program; returns the thread to run.
    pub(crate) fn start(&self, port: &impl Port) -> &'static Thread {
        let idle = self.current.get();
        for thread in self.tables.threads {
            self.expect_slices(thread.policy());
        }
        if SHARED_MEMORY {
            self.tables
                .shared_memory()
                .for_each(|region| zero(port, region));
        }
        idle.process.alive.set(true);
        idle.stopped.set(false);
        idle.begin();
        port.reset(idle);
        for process in self.tables.processes {
            if !process.is(idle.process) {
                self.start_process(port, process);
            }
        }
        self.run(port, Next::Continue)
    }

    pub(crate) fn threads_of(&self, process: &Process) -> &'static [Thread] {
        let first = usize::from(process.first_thread);
        self.tables
            .threads
            .get(first..first + usize::from(process.threads))
            .unwrap_or(&[])
    }

    pub(crate) fn handles_of(&self, process: &Process) -> &'static [Handle] {
        self.tables
            .handles
            .get(usize::from(process.index))
            .map_or(&[], |handles| handles)
    }

    /// Makes a thread ready that is on no queue; unless its process is held. What is traced of its wake comes before.
    #[inline(never)]
    pub(crate) fn make_ready(&self, thread: &'static Thread) {
        if thread.process.is_halted() {
            self.trace_held(thread);
            return;
        }
        self.ready.push_back(thread);
    }

    /// Ends whatever `thread` is blocked in. It is on no queue afterwards, and nobody's client.
    pub(crate) fn unlink(&self, port: &impl Port, thread: &'static Thread) {
        self.deadlines.remove(&thread.deadline);
        self.trace_end(thread);
        match thread.state() {
            // Of a dead process it is ready no more, but may still be in the queue.
            State::Ready | State::Stopped => {
                if !thread.stopped.get() && self.ready.contains(thread) {
                    self.ready.remove(thread);
                }
            }
            State::SendBlocked => {
                if let Some(channel) = thread.sending.get() {
                    channel.dequeue(thread);
                    thread.sending.set(None);
                    self.refresh_servers(channel);
                    self.keep(port, thread);
                }
                self.summon_after_wait(thread);
            }
            State::ReplyBlocked => {
                self.release(port, thread);
                self.summon_after_wait(thread);
            }
            State::ReceiveBlocked => thread.bound.get().remove_receiver(thread),
            State::FutexBlocked => self.leave_word(thread),
            State::Joining => self.end_join(thread),
            State::Sleeping => thread.sleeping.set(false),
            State::Signalled => {
                thread.end_signal_wait();
                // It may mask less from now on.
                self.summon_after_wait(thread);
            }
        }
        self.forget_request(thread);
        self.look_for_senders(thread);
    }

    /// The server of the thread's request needs not let it go any more.
    #[inline]
    pub(crate) fn forget_unblock(&self, thread: &'static Thread) {
        if let Some(channel) = thread.request.get().channel
            && thread.unblock.is_queued()
        {
            channel.notices.remove(&thread.unblock);
            channel.update_idle();
        }
    }

    /// The thread's request is over.
    #[inline]
    pub(crate) fn forget_request(&self, thread: &'static Thread) {
        self.forget_unblock(thread);
        thread.request.set(crate::sched::thread::Request::NONE);
        thread.form.set(crate::Form::Words);
        thread.doubt.set(None);
        thread
            .selection
            .set(crate::sched::thread::Selection::Anyone);
        forget_copy(thread);
        thread.progress.set(0);
    }

    /// Wakes a blocked thread: its call returns with this outcome.
    pub(crate) fn wake(&self, port: &impl Port, thread: &'static Thread, how: Wake) {
        self.unlink(port, thread);
        match how {
            Wake::Done => thread.returns(0),
            Wake::Failed(error) => thread.fails(error),
        }
        self.proceed(thread);
    }

    /// As [`Kernel::wake`], for a thread whose registers hold the outcome already.
    pub(crate) fn resume(&self, port: &impl Port, thread: &'static Thread) {
        self.unlink(port, thread);
        self.proceed(thread);
    }

    fn proceed(&self, thread: &'static Thread) {
        self.refresh(thread);
        self.make_ready(thread);
    }

    /// A thread of this policy may run: if it takes turns, time slices are planned from now on.
    pub(crate) fn expect_slices(&self, policy: Policy) {
        if SLICES && policy.takes_turns() {
            self.slicing.set(true);
            self.deadlines.replan.set(true);
        }
    }

    /// Whether time slices are planned.
    #[inline(always)]
    pub(crate) fn has_slices(&self) -> bool {
        SLICES && self.slicing.get()
    }

    /// Plans what the clock is to do for `thread`, which runs from now on. `gave_up` says that the thread that ran
    /// until now has given up the processor: its time slice is over.
    #[inline(never)]
    pub(crate) fn plan(&self, port: &impl Port, thread: &'static Thread, gave_up: bool) {
        let is_stale = !self.stale.is_empty();
        self.deadlines
            .replan
            .set(self.has_slices() || self.is_unfinished() || is_stale || self.has_summoned());
        if gave_up && self.has_slices() {
            self.end_slice_of(port, self.current.get());
        }
        if is_stale {
            // So that somebody goes on with that, should the interrupt that waited have changed its mind; what is due
            // then plans again, slices too.
            self.slice_alarm.set(u64::MAX);
            return self.interrupt_at_once(port);
        }
        if self.has_slices() && self.plan_slice(port, thread).is_err() {
            // The interrupt that waits comes before `thread` goes on, and plans again. Should it change its mind, the
            // clock does, after a slice: at once, it might always be taken before the other one.
            self.slice_alarm.set(u64::MAX);
            let soon = port.now().saturating_add(self.tables.slice);
            return self.ask_at(port, soon.min(self.deadlines.earliest()));
        }
        self.ask_at(port, self.deadlines.earliest().min(self.slice_alarm.get()));
    }

    /// The clock is to interrupt at this time.
    #[inline(always)]
    fn ask_at(&self, port: &impl Port, at: u64) {
        if at != self.alarm.get() {
            self.alarm.set(at);
            port.set_alarm(at);
        }
    }

    /// A time slice runs while somebody of the running thread's priority waits, or its end has a meaning for the
    /// thread alone. It belongs to the client whom the thread serves in the end, so that messages neither prolong
    /// nor lose it.
    fn plan_slice(&self, port: &impl Port, thread: &'static Thread) -> Result<(), Interrupted> {
        let owner = slice_owner(port, thread)?;
        let shares = owner.policy().takes_turns() && self.ready.has_equal(thread.priority.get());
        if !shares && !owner.may_drop() {
            self.slice_alarm.set(u64::MAX);
            return Ok(());
        }
        if !self.has_slice(owner) {
            self.slice_owner.set(Some(owner));
            self.slice_end
                .set(port.now().saturating_add(self.tables.slice));
        }
        self.slice_alarm.set(self.slice_end.get());
        Ok(())
    }

    /// The clock interrupts as soon as a thread is resumed: another interrupt waits, which may change its mind.
    pub(crate) fn interrupt_at_once(&self, port: &impl Port) {
        let now = port.now();
        self.alarm.set(now);
        port.set_alarm(now);
    }

    /// `thread` is blocked: if a time slice is that of whom it serves in the end, it is over. (If an interrupt waits
    /// before that is known, the slice runs on, and its owner has no more of it later than is left then.)
    pub(crate) fn end_slice_of(&self, port: &impl Port, thread: &'static Thread) {
        let is_running = self.slice_owner.get().is_some();
        if is_running && slice_owner(port, thread).is_ok_and(|owner| self.has_slice(owner)) {
            self.slice_owner.set(None);
        }
    }

    pub(crate) fn has_slice(&self, thread: &Thread) -> bool {
        SLICES && self.slice_owner.get().is_some_and(|owner| owner.is(thread))
    }

    /// The time that was asked for has come, or another interrupt of the clock: ends what is due.
    /// Returns the thread to run.
    pub(crate) fn alarm(&self, port: &impl Port) -> &'static Thread {
        let now = port.now();
        // The interrupt that is served here waits no more, wherever it does until the clock is asked for another time:
        // what waits from now on comes after this.
        port.set_alarm(u64::MAX);
        if !self.stale.is_empty() {
            // Where the processor takes the clock's interrupt before the others that wait, it comes for this again and
            // again: each time a step is done.
            self.refresh_one_stale(port);
        }
        while self.deadlines.earliest() <= now {
            self.expire_first(port, now);
            if port.interrupted() {
                break;
            }
        }
        if self.is_unfinished() {
            // It was asked for the present, and steps follow in which it is not planned anew.
            port.set_alarm(self.deadlines.earliest());
        }
        self.alarm.set(0);
        self.deadlines.replan.set(true);
        let next = if SLICES && self.slice_alarm.get() <= now {
            self.end_slice()
        } else {
            Next::Continue
        };
        self.refresh_stale(port);
        self.run(port, next)
    }

    /// The earliest deadline has come.
    fn expire_first(&self, port: &impl Port, now: u64) {
        let Some(deadline) = self.deadlines.first() else {
            return;
        };
        self.deadlines.remove(deadline);
        match deadline.due {
            Due::Thread(index) => {
                self.trace_deadline(due::THREAD, || index.into());
                if let Some(thread) = self.tables.threads.get(usize::from(index)) {
                    self.expire(port, thread);
                }
            }
            Due::Timer { process, number } if TIMERS => {
                self.trace_deadline(due::TIMER, || u32::from(process) << 8 | u32::from(number));
                self.expire_timer(port, process, number, now);
            }
            Due::Interrupt(line) if INTERRUPT_RATES => {
                self.trace_deadline(due::INTERRUPT, || line.into());
                self.unmask_later(port, line);
            }
            Due::Timer { .. } | Due::Interrupt(_) => {}
        }
    }

    fn expire(&self, port: &impl Port, thread: &'static Thread) {
        match thread.state() {
            // Its registers hold what it returns with, or begins with.
            State::Sleeping => self.resume(port, thread),
            // That of a process that has reached its limit.
            State::Stopped if thread.resets() => port.reset_machine(),
            // Nobody finds a death half done.
            State::SendBlocked | State::ReplyBlocked if thread.waits_for_the_dead() => {
                self.lose_server(port, thread);
            }
            State::ReplyBlocked if self.end_wait_of_dead(port, thread) => {}
            State::ReplyBlocked if self.ask_to_unblock(port, thread) => {}
            _ => self.wake(port, thread, Wake::Failed(Error::TimedOut)),
        }
    }

    /// Tells the server of a channel that asked for it that the client's deadline has passed; of a message that has only
    /// begun to be copied, when that is over: nobody knows its token yet.
    pub(crate) fn ask_to_unblock(&self, port: &impl Port, client: &'static Thread) -> bool {
        let Some(channel) = client
            .request
            .get()
            .channel
            .filter(|channel| channel.notify_unblock)
        else {
            return false;
        };
        if !client.has_only_begun() {
            self.notify(port, channel, &client.unblock);
        }
        true
    }
}

impl Thread {
    /// Whether it waits for an answer of a process that is dying.
    pub(crate) fn waits_for_the_dead(&self) -> bool {
        let owner = match (self.server.get(), self.sending.get()) {
            (Some(server), _) => Some(server.process),
            (None, Some(channel)) => Some(channel.owner),
            (None, None) => None,
        };
        owner.is_some_and(|owner| owner.is_dying())
    }
}

/// Clients that a walk along their chain passes between two looks for interrupts.
const LINKS: u8 = 8;

/// On whose behalf `thread` runs: its client, or that client's own, and so on. `Err` if an interrupt waits before that
/// is known: messages to servers that wait make such a chain as long as there are threads.
fn slice_owner(
    port: &impl Port,
    mut thread: &'static Thread,
) -> Result<&'static Thread, Interrupted> {
    let mut passed = 0;
    while let Some(client) = thread.clients().next() {
        if passed == LINKS {
            if port.interrupted() {
                return Err(Interrupted);
            }
            passed = 0;
        }
        passed += 1;
        thread = client;
    }
    Ok(thread)
}
