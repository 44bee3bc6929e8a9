//! The kernel's tables, and who runs next.

use core::cell::Cell;

use riposte_abi::Error;

use crate::{
    Channel, Handle, Port, Process, Queue, State, Thread, Wake, deadline::Deadlines,
    limits::HANDLES,
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
    /// [`Channel::nowhere`].
    pub nowhere: &'static Channel,
    /// One place a thread.
    pub deadlines: &'static [Cell<Option<&'static Thread>>],
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
    /// The running thread. The port's fast exit sets it, everything else goes through
    /// [`Kernel::dispatch`].
    pub current: Cell<&'static Thread>,
    pub(crate) ready: Queue,
    pub(crate) deadlines: Deadlines,
    pub(crate) tables: Tables,
    /// End of the running turn; `u64::MAX` while nobody takes turns.
    pub(crate) slice_end: Cell<u64>,
    pub(crate) alarm: Cell<u64>,
}

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
}

impl Kernel {
    /// A kernel that has not started.
    #[must_use]
    pub const fn new(tables: Tables, idle: &'static Thread) -> Self {
        Self {
            current: Cell::new(idle),
            ready: Queue::new(),
            deadlines: Deadlines::new(tables.deadlines),
            tables,
            slice_end: Cell::new(u64::MAX),
            alarm: Cell::new(0),
        }
    }

    /// The system's objects.
    #[must_use]
    pub fn tables(&self) -> &Tables {
        &self.tables
    }

    /// What is ready, without the running thread.
    #[must_use]
    pub fn ready(&self) -> &Queue {
        &self.ready
    }

    /// The thread whose deadline is next.
    #[must_use]
    pub fn next_deadline(&self) -> Option<&'static Thread> {
        self.deadlines.first()
    }

    /// Starts every process; returns the thread to run.
    pub fn start(&self, port: &impl Port) -> &'static Thread {
        let idle = self.current.get();
        idle.stopped.set(false);
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
    pub(crate) fn unlink(&self, thread: &'static Thread) {
        self.deadlines.remove(thread);
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
                }
            }
            State::ReplyBlocked => self.release(thread),
            State::ReceiveBlocked => thread.bound.get().remove_receiver(thread),
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
        thread.partner.set(None);
    }

    /// Wakes a blocked thread: its call returns with this outcome.
    pub(crate) fn wake(&self, thread: &'static Thread, how: Wake) {
        self.unlink(thread);
        match how {
            Wake::Done => thread.returns(0),
            Wake::Failed(error) => thread.fails(error),
        }
        self.refresh(thread);
        self.make_ready(thread);
    }

    /// Chooses the thread to run and makes it the running one.
    pub(crate) fn dispatch(&self, port: &impl Port, next: Next) -> &'static Thread {
        let current = self.current.get();
        let chosen = match next {
            Next::Restart => return current,
            Next::Continue if !current.stopped.get() => self.prefer(current),
            Next::HandOff(thread) => self.prefer(thread),
            Next::Continue | Next::Blocked => self.ready.pop().unwrap_or(current),
        };
        self.current.set(chosen);
        self.plan_slice(port, !chosen.is(current));
        self.plan_alarm(port);
        chosen
    }

    /// `thread`, or a more urgent one that is ready; then `thread` keeps the head of its level.
    #[inline]
    fn prefer(&self, thread: &'static Thread) -> &'static Thread {
        if self.ready.top().is_some_and(|top| top > thread.rank.get())
            && let Some(urgent) = self.ready.pop()
        {
            self.ready.push_front(thread.rank.get(), thread);
            return urgent;
        }
        thread
    }

    /// Whether a turn is running.
    #[inline(always)]
    pub(crate) fn slicing(&self) -> bool {
        self.slice_end.get() >> 32 != u64::MAX >> 32
    }

    /// A turn runs while somebody of the running thread's priority waits and one of the two takes
    /// turns.
    #[inline]
    fn plan_slice(&self, port: &impl Port, switched: bool) {
        let current = self.current.get();
        let waiting = self.ready.level(current.rank.get()).first();
        let turns = waiting.is_some_and(|other| other.round_robin || current.round_robin);
        if !turns {
            self.slice_end.set(u64::MAX);
        } else if switched || self.slice_end.get() == u64::MAX {
            self.slice_end
                .set(port.now().saturating_add(self.tables.slice));
        }
    }

    #[inline]
    fn plan_alarm(&self, port: &impl Port) {
        let at = self.deadlines.earliest().min(self.slice_end.get());
        if at != self.alarm.get() {
            self.alarm.set(at);
            port.set_alarm(at);
        }
    }

    /// The time that was asked for has come, or another interrupt of the clock: ends what is due.
    /// Returns the thread to run.
    pub fn alarm(&self, port: &impl Port) -> &'static Thread {
        let now = port.now();
        while let Some(thread) = self
            .deadlines
            .first()
            .filter(|thread| thread.deadline.get() <= now)
        {
            self.expire(thread);
        }
        self.alarm.set(0);
        if self.slice_end.get() <= now {
            self.slice_end.set(u64::MAX);
            return self.dispatch(port, self.end_turn());
        }
        self.dispatch(port, Next::Continue)
    }

    fn end_turn(&self) -> Next {
        let current = self.current.get();
        if !current.round_robin || self.ready.top() != Some(current.rank.get()) {
            return Next::Continue;
        }
        self.make_ready(current);
        Next::Blocked
    }

    fn expire(&self, thread: &'static Thread) {
        match thread.state() {
            State::Sleeping => self.wake(thread, Wake::Done),
            State::ReplyBlocked if self.ask_to_unblock(thread) => {}
            _ => self.wake(thread, Wake::Failed(Error::TimedOut)),
        }
    }

    /// Tells the server of a channel that asked for it that the client's deadline has passed.
    fn ask_to_unblock(&self, client: &'static Thread) -> bool {
        let Some(channel) = client
            .request
            .get()
            .channel
            .filter(|channel| channel.notify_unblock)
        else {
            return false;
        };
        self.deadlines.remove(client);
        self.notify(channel, &client.unblock);
        true
    }
}
