//! The kernel's tables, and who runs next.

use core::{cell::Cell, mem::offset_of};

use riposte_abi::Error;

use crate::{
    Channel, Deadline, Due, Handle, Interrupt, Port, Process, Queue, Range, State, Thread, Wake,
    deadline::Deadlines,
    futex::Buckets,
    limits::{HANDLES, INTERRUPT_RATES, SHARED_MEMORY, TIMERS},
    schedule::Policy,
    transfer::forget_copy,
};

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
    pub regions: &'static [Range],
    /// One place a thread, a timer, and an interrupt that is limited to a rate.
    pub deadlines: &'static [Cell<Option<&'static Deadline>>],
    /// Where faults are reported.
    pub supervisor: Option<&'static Channel>,
    /// Length of a turn of round-robin threads, in nanoseconds.
    pub slice: u64,
    /// Longest chain of waiting clients.
    pub depth: u8,
}

/// A system's kernel.
///
/// A port keeps it where its trap code finds it; `current` comes first.
#[repr(C)]
pub struct Kernel {
    /// The running thread. The port's fast exit sets it, and the short way of an interrupt; everything else
    /// goes through [`Kernel::dispatch`].
    pub current: Cell<&'static Thread>,
    pub(crate) ready: Queue,
    /// A ready thread that is not in the queue, but more urgent than all there ([`Kernel::settle`]).
    pub(crate) foremost: Cell<Option<&'static Thread>>,
    /// Whether turns are planned: from when on a thread may run that takes turns.
    pub(crate) turning: Cell<bool>,
    pub(crate) deadlines: Deadlines,
    pub(crate) tables: Tables,
    /// When the clock is to end the running turn; [`NO_END`] while none runs, or `u64::MAX` if
    /// there is nobody who takes turns.
    pub(crate) slice_end: Cell<u64>,
    /// Whose turn it is, and when it ends, even while a more urgent thread runs.
    pub(crate) turn: Cell<Option<&'static Thread>>,
    pub(crate) turn_end: Cell<u64>,
    pub(crate) alarm: Cell<u64>,
    /// As long as the system has threads: it comes last, so that what is before it stays in reach.
    pub(crate) futexes: Buckets,
}

/// Later than any time, and yet not never: in a system with threads that take turns, no yield
/// takes the fast path, since the next thread's turn has to be planned.
const NO_END: u64 = u64::MAX - (1 << 32);

/// What became of the running thread.
#[must_use = "the thread to run next depends on it"]
pub(crate) enum Next {
    /// It goes on, unless a more urgent one is ready.
    Continue,
    /// It is blocked.
    Blocked,
    /// It is blocked, and this one takes its place, unless a more urgent one is ready.
    HandOff(&'static Thread),
    /// It executes the same call again: an interrupt waits in the middle of a long copy.
    Restart,
    /// It goes on: the call has changed nothing that counts for who runs.
    Unchanged,
}

/// Nobody waits yet: what an interrupt cuts short goes on at once.
fn zero(port: &impl Port, region: &Range) {
    let Some(mut rest) = region.writable(region.base, region.size) else {
        return;
    };
    while rest.length() > 0 {
        rest = rest.part(port.clear(rest), rest.length());
    }
}

impl Kernel {
    /// Where a port finds the foremost thread, or null.
    pub const FOREMOST: usize = offset_of!(Kernel, foremost);

    /// A kernel that has not started.
    #[must_use]
    pub const fn new(tables: Tables, idle: &'static Thread) -> Self {
        Self {
            current: Cell::new(idle),
            ready: Queue::new(),
            foremost: Cell::new(None),
            turning: Cell::new(false),
            deadlines: Deadlines::new(tables.deadlines),
            tables,
            slice_end: Cell::new(u64::MAX),
            turn: Cell::new(None),
            turn_end: Cell::new(0),
            alarm: Cell::new(0),
            futexes: Buckets::new(),
        }
    }

    /// The system's objects.
    #[must_use]
    pub fn tables(&self) -> &Tables {
        &self.tables
    }

    /// What is ready, without the running thread and the foremost one.
    #[must_use]
    pub fn ready(&self) -> &Queue {
        &self.ready
    }

    /// Starts every process; returns the thread to run.
    pub fn start(&self, port: &impl Port) -> &'static Thread {
        let idle = self.current.get();
        for thread in self.tables.threads {
            self.expect_turns(thread.policy());
        }
        if SHARED_MEMORY {
            self.tables
                .regions
                .iter()
                .for_each(|region| zero(port, region));
        }
        idle.stopped.set(false);
        idle.begin();
        port.reset(idle);
        for process in self.tables.processes {
            if !process.is(idle.process) {
                self.start_process(port, process);
            }
        }
        self.dispatch(port, Next::Continue)
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

    /// Makes a thread ready that is on no queue; unless its process is held.
    #[inline]
    pub(crate) fn make_ready(&self, thread: &'static Thread) {
        if thread.process.held.get() {
            return;
        }
        self.ready.push_back(thread.rank.get(), thread);
    }

    /// Ends whatever `thread` is blocked in. It is on no queue afterwards, and nobody's client.
    pub(crate) fn unlink(&self, port: &impl Port, thread: &'static Thread) {
        self.deadlines.remove(&thread.deadline);
        match thread.state() {
            State::Ready => {
                if thread.next.get().is_some() {
                    self.ready.remove(thread.rank.get(), thread);
                }
            }
            State::SendBlocked => {
                if let Some(channel) = thread.sending.get() {
                    channel.dequeue(thread);
                    thread.sending.set(None);
                    self.refresh_servers(channel);
                    self.keep(port, thread);
                }
            }
            State::ReplyBlocked => self.release(port, thread),
            State::ReceiveBlocked => thread.bound.get().remove_receiver(thread),
            State::FutexBlocked => self.leave_word(thread),
            State::Joining => thread.leave_join(),
            State::Sleeping => thread.sleeping.set(false),
            State::Stopped => {}
        }
        self.forget_request(thread);
    }

    /// The thread's request is over.
    #[inline]
    pub(crate) fn forget_request(&self, thread: &'static Thread) {
        if let Some(channel) = thread.request.get().channel {
            channel.notices.remove(&thread.unblock);
            channel.update_idle();
        }
        thread.request.set(crate::thread::Request::NONE);
        thread.form.set(crate::Form::Words);
        thread.selection.set(crate::thread::Selection::Anyone);
        forget_copy(thread);
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

    /// Chooses the thread to run and makes it the running one.
    pub(crate) fn dispatch(&self, port: &impl Port, next: Next) -> &'static Thread {
        let current = self.current.get();
        self.restore_if_blocked(current);
        if matches!(next, Next::Blocked) && self.turn.get().is_some() {
            self.end_turn_of(turn_owner(current));
        }
        let chosen = match next {
            Next::Restart | Next::Unchanged => return current,
            Next::Continue if !current.stopped.get() => self.prefer(current),
            Next::HandOff(thread) => self.prefer(thread),
            Next::Continue | Next::Blocked => self.ready.pop().unwrap_or(current),
        };
        self.current.set(chosen);
        self.plan_slice(port);
        self.plan_alarm(port);
        chosen
    }

    /// `thread`, or a more urgent one that is ready; then `thread` keeps the head of its level.
    #[inline]
    fn prefer(&self, thread: &'static Thread) -> &'static Thread {
        if self.ready.has_above(thread.rank.get())
            && let Some(urgent) = self.ready.pop()
        {
            self.ready.push_front(thread.rank.get(), thread);
            return urgent;
        }
        thread
    }

    /// A thread of this policy may run: if it takes turns, they are planned.
    pub(crate) fn expect_turns(&self, policy: Policy) {
        if policy.takes_turns() && !self.turning.replace(true) {
            self.slice_end.set(NO_END);
            self.forget_words();
        }
    }

    /// Whether turns are planned, even while none is running: then all that wakes or switches is the slow
    /// path's, which plans them.
    #[inline(always)]
    pub(crate) fn slicing(&self) -> bool {
        self.turning.get()
    }

    /// A turn runs while somebody of the running thread's priority waits, or its end has a meaning for
    /// the thread alone. It belongs to the client
    /// whom the thread serves in the end, so that messages neither prolong nor lose it.
    #[inline]
    fn plan_slice(&self, port: &impl Port) {
        if self.slice_end.get() == u64::MAX {
            return;
        }
        let current = self.current.get();
        let owner = turn_owner(current);
        let shares =
            owner.policy().takes_turns() && self.ready.level(current.rank.get()).first().is_some();
        if !shares && !owner.may_drop() {
            self.slice_end.set(NO_END);
            return;
        }
        if !self.has_turn(owner) {
            self.turn.set(Some(owner));
            self.turn_end
                .set(port.now().saturating_add(self.tables.slice));
        }
        self.slice_end.set(self.turn_end.get());
    }

    /// If it is the turn of `thread`, it is nobody's any more.
    pub(crate) fn end_turn_of(&self, thread: &'static Thread) {
        if self.has_turn(thread) {
            self.turn.set(None);
        }
    }

    fn has_turn(&self, thread: &Thread) -> bool {
        self.turn.get().is_some_and(|turn| turn.is(thread))
    }

    #[inline]
    fn plan_alarm(&self, port: &impl Port) {
        let mut at = self.deadlines.earliest().min(self.slice_end.get());
        if at == NO_END {
            at = u64::MAX;
        }
        if at != self.alarm.get() {
            self.alarm.set(at);
            port.set_alarm(at);
        }
    }

    /// The time that was asked for has come, or another interrupt of the clock: ends what is due.
    /// Returns the thread to run.
    pub fn alarm(&self, port: &impl Port) -> &'static Thread {
        self.settle();
        let now = port.now();
        while let Some(deadline) = self.deadlines.first()
            && deadline.at.get() <= now
        {
            self.deadlines.remove(deadline);
            match deadline.due {
                Due::Thread(index) => {
                    if let Some(thread) = self.tables.threads.get(usize::from(index)) {
                        self.expire(port, thread);
                    }
                }
                Due::Timer { process, number } if TIMERS => {
                    self.expire_timer(port, process, number, now);
                }
                Due::Interrupt(line) if INTERRUPT_RATES => self.unmask_later(port, line),
                Due::Timer { .. } | Due::Interrupt(_) => {}
            }
        }
        self.alarm.set(0);
        let next = if self.slice_end.get() <= now {
            self.end_turn()
        } else {
            Next::Continue
        };
        self.dispatch(port, next)
    }

    fn expire(&self, port: &impl Port, thread: &'static Thread) {
        match thread.state() {
            State::Sleeping => self.wake(port, thread, Wake::Done),
            State::ReplyBlocked if self.ask_to_unblock(port, thread) => {}
            _ => self.wake(port, thread, Wake::Failed(Error::TimedOut)),
        }
    }

    /// Tells the server of a channel that asked for it that the client's deadline has passed.
    fn ask_to_unblock(&self, port: &impl Port, client: &'static Thread) -> bool {
        let Some(channel) = client
            .request
            .get()
            .channel
            .filter(|channel| channel.notify_unblock)
        else {
            return false;
        };
        self.notify(port, channel, &client.unblock);
        true
    }
}

/// On whose behalf `thread` runs: its client, or that client's own, and so on.
fn turn_owner(mut thread: &'static Thread) -> &'static Thread {
    while let Some(client) = thread.clients().next() {
        thread = client;
    }
    thread
}
