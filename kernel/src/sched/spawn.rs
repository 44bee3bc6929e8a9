//! Threads that start and end while the system runs.
//!
//! The manifest gives a process spare threads, each with its stack and its guard. The free ones are a
//! list; starting one is O(1). An id names a thread in one life only.

use core::cell::Cell;

use riposte_abi::{
    Error,
    call::number,
    info, register,
    thread::{INDEX_MASK, policy},
};

use crate::{
    Kernel, Policy, Port, Process, Thread, dispatch::Next, ipc::send::may_block,
    limits::RUN_TIME_THREADS,
};

/// What objects have only in a system whose threads start and end at run time: then one, else none.
pub(crate) type IfStarted<T> = [T; RUN_TIME_THREADS as usize];

value! {
/// Where a thread stands between its start and the moment at which its slot is free again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// It has not been started, or its end is known to whoever wanted to know it.
    Free,
    /// It has been started, and can be joined.
    Joinable,
    /// It has been started, and nobody will join it.
    Detached,
    /// It has ended, and can still be joined.
    Over,
}
}

state! {
/// What a thread has to do with its start and its end.
pub(crate) struct Start {
    pub(crate) spare: bool,
    pub(crate) phase: Cell<Phase>,
    /// What a spare thread begins with in its first register and in its fourth. Once it has ended: with
    /// what, and 0.
    pub(crate) arguments: Cell<[u32; 2]> as detail,
    /// Who waits for its end.
    pub(crate) joiner: Cell<Option<&'static Thread>>,
    /// Whose end it waits for. Of a free spare thread: the next free one.
    pub(crate) joining: Cell<Option<&'static Thread>>,
}
}

impl Start {
    pub const fn new(spare: bool) -> Self {
        Self {
            spare,
            phase: Cell::new(Phase::Free),
            arguments: Cell::new([0; 2]),
            joiner: Cell::new(None),
            joining: Cell::new(None),
        }
    }
}

impl Thread {
    /// The first four registers that it begins with: its process's information table, or its argument;
    /// its index within the process; its id; and 0, or its other argument.
    #[must_use]
    pub fn arguments(&self) -> [u32; 4] {
        let spare = self.start.first().filter(|start| start.spare);
        let [first, last] = spare.map_or([self.process.info, 0], |start| start.arguments.get());
        let index = u32::from(self.index - self.process.first_thread);
        [first, index, self.id(), last]
    }

    /// Whether it waits for a [`number::THREAD_CREATE`], or was started by one.
    #[must_use]
    pub fn is_spare(&self) -> bool {
        self.start.first().is_some_and(|start| start.spare)
    }

    /// Where it stands between its start and the end that others know of.
    #[must_use]
    pub fn phase(&self) -> Phase {
        self.start
            .first()
            .map_or(Phase::Joinable, |start| start.phase.get())
    }

    /// Whose end it waits for.
    #[must_use]
    pub fn joining(&self) -> Option<&'static Thread> {
        let start = self.start.first()?;
        start.joining.get().filter(|_| !self.stopped.get())
    }

    /// Who waits for its end.
    #[must_use]
    pub fn joiner(&self) -> Option<&'static Thread> {
        self.start.first()?.joiner.get()
    }

    #[inline(always)]
    pub(crate) fn is_joining(&self) -> bool {
        self.start
            .first()
            .is_some_and(|start| start.joining.get().is_some())
    }

    /// It has been started: its end is something to wait for.
    pub(crate) fn begin(&self) {
        self.begin_life();
        if let Some(start) = self.start.first() {
            start.phase.set(Phase::Joinable);
            start.joiner.set(None);
            start.joining.set(None);
        }
    }

    /// It no longer waits for anybody's end. Returns whose it was.
    fn leave_join(&self) -> Option<&'static Thread> {
        let other = self.start.first()?.joining.take()?;
        other.start.first()?.joiner.set(None);
        Some(other)
    }
}

impl Process {
    /// The slot of `thread`, which has ended, is free.
    pub(crate) fn take_back(&self, thread: &'static Thread) {
        let (Some(start), Some(spares)) = (thread.start.first(), self.spares.first()) else {
            return;
        };
        start.phase.set(Phase::Free);
        if start.spare {
            start.joining.set(spares.replace(Some(thread)));
        }
    }

    /// None of its spare threads is known to be free.
    pub(crate) fn forget_spares(&self) {
        self.spares.iter().for_each(|spares| spares.set(None));
    }

    /// All that it has started are gone: every spare thread is free, the first one first.
    pub(crate) fn take_back_all(&self, threads: &'static [Thread]) {
        self.forget_spares();
        if !self.spares.is_empty() {
            threads
                .iter()
                .rev()
                .for_each(|thread| self.take_back(thread));
        }
    }
}

impl Kernel {
    /// `thread` no longer waits for anybody's end: whose it was may have lost urgency.
    pub(crate) fn end_join(&self, thread: &'static Thread) {
        if let Some(other) = thread.leave_join() {
            self.refresh(other);
        }
    }

    /// The calls about threads.
    pub(crate) fn thread_call(
        &self,
        port: &impl Port,
        caller: &'static Thread,
        call: u32,
    ) -> Result<Next, Error> {
        let word = caller.register(register::WORD0);
        match call {
            number::THREAD_CREATE if !RUN_TIME_THREADS => Err(Error::Exhausted),
            _ if !RUN_TIME_THREADS => Err(Error::NotPermitted),
            number::THREAD_CREATE => self.create_thread(port, caller),
            number::THREAD_EXIT => Ok(self.exit_thread(port, caller, word)),
            number::THREAD_JOIN => self.join_thread(port, caller, word),
            number::THREAD_SCHEDULE => self.schedule(caller, word),
            _ => self.detach_thread(caller, word),
        }
    }

    fn create_thread(&self, port: &impl Port, caller: &'static Thread) -> Result<Next, Error> {
        let [entry, argument, priority, policy, stack] = caller.words();
        let process = caller.process;
        let (priority, policy) = match policy {
            policy::SAME => (caller.level.priority.get(), caller.policy()),
            number => {
                let policy = Policy::from_number(number).ok_or(Error::BadArgument)?;
                (process.allowed_priority(priority)?, policy)
            }
        };
        port.return_target(entry)
            .filter(|target| process.code.holds(*target, 1))
            .ok_or(Error::BadAddress)?;
        let spares = process.spares.first().ok_or(Error::Exhausted)?;
        let thread = spares.get().ok_or(Error::Exhausted)?;
        let start = thread.start.first().ok_or(Error::Exhausted)?;
        if stack > process.spare_stack {
            return Err(Error::BadArgument);
        }
        spares.set(start.joining.take());
        start.arguments.set([argument, port.extra(caller, 0)]);
        thread.entry.set(entry);
        thread.set_level(priority, policy);
        self.expect_slices(policy);
        self.start_thread(port, thread);
        thread.inherit_mask(caller);
        caller.returns(thread.id());
        Ok(Next::Continue)
    }

    fn exit_thread(&self, port: &impl Port, thread: &'static Thread, value: u32) -> Next {
        let process = thread.process;
        let Some(start) = thread
            .start
            .first()
            .filter(|_| thread.index != process.first_thread)
        else {
            return self.exit(port, thread, value);
        };
        if !self.end_thread(port, thread) {
            return Next::Restart;
        }
        if let Some(joiner) = start.joiner.get() {
            joiner.returns(value);
            self.resume(port, joiner);
            process.take_back(thread);
        } else if start.phase.get() == Phase::Detached {
            process.take_back(thread);
        } else {
            start.arguments.set([value, 0]);
            start.phase.set(Phase::Over);
        }
        Next::Blocked
    }

    fn join_thread(
        &self,
        port: &impl Port,
        caller: &'static Thread,
        id: u32,
    ) -> Result<Next, Error> {
        let flags = caller.register(register::INFO);
        if flags & !info::DEADLINE != 0 {
            return Err(Error::BadArgument);
        }
        let (thread, end) = self.named(caller, id)?;
        if end.phase.get() == Phase::Over {
            let [value, _] = end.arguments.get();
            caller.returns(value);
            caller.process.take_back(thread);
            return Ok(Next::Continue);
        }
        if end.phase.get() == Phase::Detached {
            return Err(Error::BadArgument);
        }
        if !self.check_chain(port, Some(caller), caller, thread)? {
            return Ok(Next::Restart);
        }
        if end.joiner.get().is_some() {
            return Err(Error::InUse);
        }
        let deadline = self.deadline_of(port, caller, flags);
        may_block(port, deadline)?;
        for start in &caller.start {
            start.joining.set(Some(thread));
        }
        end.joiner.set(Some(caller));
        thread.leave_register_ways();
        self.refresh(thread);
        self.limit(caller, deadline);
        Ok(Next::Blocked)
    }

    fn schedule(&self, caller: &'static Thread, id: u32) -> Result<Next, Error> {
        let [_, wanted, number, ..] = caller.words();
        let thread = match id {
            0 => caller,
            id => self.named(caller, id)?.0,
        };
        if thread.phase() == Phase::Over {
            return Err(Error::BadHandle);
        }
        let (before, was) = (thread.level.priority.get(), thread.policy());
        let policy = match number {
            policy::SAME => was,
            number => Policy::from_number(number).ok_or(Error::BadArgument)?,
        };
        let priority = match wanted {
            0 => before,
            wanted => caller.process.allowed_priority(wanted)?,
        };
        self.change_level(thread, priority, policy);
        let effective = caller.priority();
        caller.returns_words(0, 0, [before.into(), was.number(), effective.into(), 0, 0]);
        caller.registers[register::GENERATION].set(0);
        Ok(Next::Continue)
    }

    fn detach_thread(&self, caller: &'static Thread, id: u32) -> Result<Next, Error> {
        let (thread, end) = self.named(caller, id)?;
        match end.phase.get() {
            Phase::Over => caller.process.take_back(thread),
            _ if end.joiner.get().is_some() => return Err(Error::InUse),
            Phase::Joinable => end.phase.set(Phase::Detached),
            Phase::Detached | Phase::Free => return Err(Error::BadArgument),
        }
        caller.returns(0);
        Ok(Next::Continue)
    }

    /// The thread of the caller's process that `id` names, in the life that it has now.
    fn named(&self, caller: &Thread, id: u32) -> Result<(&'static Thread, &'static Start), Error> {
        let thread = self.tables.threads.get((id & INDEX_MASK) as usize);
        thread
            .filter(|thread| thread.id() == id && thread.process.is(caller.process))
            .and_then(|thread| Some((thread, thread.start.first()?)))
            .filter(|(_, start)| start.phase.get() != Phase::Free)
            .ok_or(Error::BadHandle)
    }
}
