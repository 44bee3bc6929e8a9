//! How threads share their level, and their own priority.
//!
//! A thread that has dropped a level is ready: it is back at its priority as soon as it waits for anything.
//! A message in registers, which would not notice, never makes it wait: that path finds none of its handles, and
//! no client, since whoever serves a client does not drop.

use core::cell::Cell;

use riposte_abi::{Error, thread::policy};

use crate::{Kernel, Next, Process, State, Thread, limits::ADAPTIVE};

value! {
/// How a thread shares its priority level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// It runs until it blocks or yields.
    Fifo,
    /// It takes turns with others of its priority.
    RoundRobin,
    /// As [`Policy::RoundRobin`]; and if it uses up its slice, it drops one level, until it blocks.
    Adaptive,
}
}

impl Policy {
    /// As [`riposte_abi::thread::policy`] numbers them.
    pub(crate) fn from_number(number: u32) -> Option<Policy> {
        match number {
            policy::FIFO => Some(Policy::Fifo),
            policy::ROUND_ROBIN => Some(Policy::RoundRobin),
            policy::ADAPTIVE if ADAPTIVE => Some(Policy::Adaptive),
            _ => None,
        }
    }

    pub(crate) fn number(self) -> u32 {
        match self {
            Policy::Fifo => policy::FIFO,
            Policy::RoundRobin => policy::ROUND_ROBIN,
            Policy::Adaptive => policy::ADAPTIVE,
        }
    }

    /// Whether others of its priority run after a slice.
    pub(crate) fn takes_turns(self) -> bool {
        self != Policy::Fifo
    }
}

state! {
/// What a thread was given, of which its own priority follows.
pub(crate) struct Level {
    /// Priority and policy that the manifest gives it.
    pub(crate) first: (u8, Policy),
    pub(crate) priority: Cell<u8>,
    pub(crate) policy: Cell<Policy>,
    pub(crate) dropped: [Cell<bool>; ADAPTIVE as usize],
}
}

impl Level {
    pub const fn new(priority: u8, policy: Policy) -> Self {
        Self {
            first: (priority, policy),
            priority: Cell::new(priority),
            policy: Cell::new(policy),
            dropped: [const { Cell::new(false) }; _],
        }
    }
}

impl Thread {
    /// How it shares its level.
    #[must_use]
    pub fn policy(&self) -> Policy {
        self.level.policy.get()
    }

    /// Whether it runs one level below its priority, because it has used up its slice.
    #[must_use]
    #[inline]
    pub fn has_dropped(&self) -> bool {
        self.level.dropped.first().is_some_and(Cell::get)
    }

    /// Whether it drops a level at the end of its slice.
    #[inline]
    pub(crate) fn may_drop(&self) -> bool {
        ADAPTIVE && self.policy() == Policy::Adaptive && !self.has_dropped() && self.base.get() > 1
    }

    /// What the manifest gives it.
    pub(crate) fn reset_level(&self) {
        let (priority, policy) = self.level.first;
        self.set_level(priority, policy);
    }

    pub(crate) fn set_level(&self, priority: u8, policy: Policy) {
        self.level.priority.set(priority);
        self.level.policy.set(policy);
        self.base.set(priority);
    }
}

impl Process {
    /// The priority, if the process may give it to a thread.
    pub(crate) fn allowed_priority(&self, priority: u32) -> Result<u8, Error> {
        match u8::try_from(priority) {
            Ok(0) => Err(Error::BadArgument),
            Ok(priority) if priority <= self.priority_limit => Ok(priority),
            _ => Err(Error::NotPermitted),
        }
    }
}

impl Kernel {
    /// The end of the running time slice.
    pub(crate) fn end_slice(&self) -> Next {
        let current = self.current.get();
        self.make_ready(current);
        if current.may_drop() && current.clients().next().is_none() {
            self.drop_level(current);
        }
        Next::Blocked
    }

    fn drop_level(&self, thread: &'static Thread) {
        let (Some(dropped), Some(none)) =
            (thread.level.dropped.first(), self.tables.handles.last())
        else {
            return;
        };
        dropped.set(true);
        thread.handles.set(none);
        thread.base.set(thread.base.get() - 1);
        self.refresh(thread);
    }

    /// `thread` is at its priority again.
    pub(crate) fn restore_level(&self, thread: &'static Thread) {
        self.forget_drop(thread);
        self.refresh(thread);
    }

    /// As [`Kernel::restore_level`]; its effective priority is somebody else's business.
    pub(crate) fn forget_drop(&self, thread: &'static Thread) {
        let own = usize::from(thread.process.index);
        if let (Some(dropped), Some(own)) =
            (thread.level.dropped.first(), self.tables.handles.get(own))
            && dropped.replace(false)
        {
            // Who is to execute a call again finds none before it has sent by the general path.
            if !thread.repeats() {
                thread.handles.set(own);
            }
            thread.base.set(thread.level.priority.get());
        }
    }

    /// The running thread may have been blocked: then it is at its priority again.
    #[inline]
    pub(crate) fn restore_if_blocked(&self, thread: &'static Thread) {
        if thread.has_dropped() && thread.state() != State::Ready {
            self.restore_level(thread);
        }
    }

    /// Sets priority and policy of a thread that lives.
    pub(crate) fn change_level(&self, thread: &'static Thread, priority: u8, policy: Policy) {
        self.forget_drop(thread);
        thread.set_level(priority, policy);
        self.refresh(thread);
        self.expect_slices(policy);
    }
}
