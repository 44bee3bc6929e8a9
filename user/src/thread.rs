//! Threads that a program starts while it runs, and what a thread may do with itself and with others of
//! its process.
//!
//! The manifest says how many there can be at once (`threads_spare`), and how large their stacks are
//! (`spare_stack`). A thread belongs to its process: it ends with it, and its fault is the process's.

use core::cell::Cell;
use core::fmt;
use core::marker::PhantomData;

use riposte_abi::call::number;
use riposte_abi::thread::policy;
use riposte_abi::{Error, register};

use crate::{Deadline, Duration, failure, trap};

/// Names a thread of the system in one of its lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ThreadId(u32);

impl ThreadId {
    /// The id as system calls have it ([`riposte_abi::thread`]); never 0.
    #[must_use]
    #[inline(always)]
    pub const fn number(self) -> u32 {
        self.0
    }
}

/// The calling thread. Makes no system call.
#[must_use]
#[inline(always)]
pub fn current_thread() -> ThreadId {
    ThreadId(trap::thread_id())
}

/// How a thread shares its priority level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Policy {
    /// It runs until it blocks or yields.
    #[default]
    Fifo,
    /// After a slice the next one of its level runs.
    RoundRobin,
    /// As that; and a thread that uses up its slice drops one level, until it blocks.
    Adaptive,
}

impl Policy {
    fn number(self) -> u32 {
        match self {
            Policy::Fifo => policy::FIFO,
            Policy::RoundRobin => policy::ROUND_ROBIN,
            Policy::Adaptive => policy::ADAPTIVE,
        }
    }

    pub(crate) fn from_number(number: u32) -> Policy {
        match number {
            policy::ROUND_ROBIN => Policy::RoundRobin,
            policy::ADAPTIVE => Policy::Adaptive,
            _ => Policy::Fifo,
        }
    }
}

/// How a thread is to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    priority: u8,
    policy: Policy,
    stack: u32,
}

impl Settings {
    /// At this priority, until it blocks.
    #[must_use]
    pub const fn new(priority: u8) -> Settings {
        Settings {
            priority,
            policy: Policy::Fifo,
            stack: 0,
        }
    }

    /// By this policy.
    #[must_use]
    pub const fn policy(self, policy: Policy) -> Settings {
        Settings { policy, ..self }
    }

    /// Only on a stack of at least so many bytes.
    #[must_use]
    pub const fn stack(self, bytes: u32) -> Settings {
        Settings {
            stack: bytes,
            ..self
        }
    }
}

/// Why a thread could not be started.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct SpawnError(Error);

impl SpawnError {
    /// The kernel's reason: [`Error::Exhausted`] if no spare thread is free, [`Error::NotPermitted`]
    /// for a priority above the process's limit, [`Error::BadArgument`] for priority 0 or a stack
    /// larger than there are.
    #[must_use]
    pub const fn error(self) -> Error {
        self.0
    }
}

impl fmt::Display for SpawnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (key, what) = match self.0 {
            Error::Exhausted => ("threads_spare", "no spare thread is free"),
            Error::NotPermitted => ("priority_limit", "the priority is not permitted"),
            Error::BadArgument => (
                "spare_stack",
                "priority 0, or a stack larger than there are",
            ),
            error => return fmt::Display::fmt(&error, f),
        };
        let process = crate::process_name();
        write!(f, "{what}: see `{key}` of `{process}` in app.toml")
    }
}

impl fmt::Debug for SpawnError {
    /// As `Display`: it is what a failed `expect` puts into the fault report.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl core::error::Error for SpawnError {}

/// Starts a spare thread that calls `body` with `argument`, and whose exit value is what that returns.
/// It may run before this returns, if it is more urgent. Never blocks.
///
/// ```no_run
/// use riposte::thread::{self, Settings};
///
/// fn work(amount: usize) -> u32 {
///     amount as u32 + 1
/// }
///
/// let worker = thread::spawn(work, 41, Settings::new(3)).unwrap();
/// assert_eq!(worker.join(), Ok(42));
/// ```
///
/// # Errors
/// As [`SpawnError::error`] says; nothing was started.
pub fn spawn(
    body: fn(usize) -> u32,
    argument: usize,
    settings: Settings,
) -> Result<JoinHandle, SpawnError> {
    let id = start(body, argument, settings)?;
    Ok(JoinHandle {
        id,
        is_over: Cell::new(false),
    })
}

fn start(
    body: fn(usize) -> u32,
    argument: usize,
    settings: Settings,
) -> Result<ThreadId, SpawnError> {
    let words = [
        (trap::start_thread as *const ()).addr() as u32,
        argument as u32,
        settings.priority.into(),
        settings.policy.number(),
        settings.stack,
    ];
    let body = (body as *const ()).addr() as u32;
    let registers = failure::with_words(number::THREAD_CREATE, words);
    failure::call(registers, [body, 0, 0, 0, 0])
        .map(|out| ThreadId(out[register::WORD0]))
        .map_err(SpawnError)
}

/// A thread that was started with [`spawn`]. Dropped, it leaves the thread to itself, as
/// [`JoinHandle::detach`] does.
#[derive(Debug)]
pub struct JoinHandle {
    id: ThreadId,
    is_over: Cell<bool>,
}

impl JoinHandle {
    /// The thread.
    #[must_use]
    pub fn thread(&self) -> ThreadId {
        self.id
    }

    /// Waits until the thread has ended; its exit value. Blocks.
    ///
    /// # Errors
    /// [`Error::Deadlock`] if the thread waits for the caller in the end, or is the caller;
    /// [`Error::BadHandle`] if it has been joined before; [`Error::Interrupted`] if a signal was handled meanwhile.
    pub fn join(&self) -> Result<u32, Error> {
        self.join_until(Deadline::None)
    }

    /// The exit value, if the thread has ended. Never blocks.
    ///
    /// # Errors
    /// [`Error::WouldBlock`] if it has not; and as [`JoinHandle::join`].
    pub fn try_join(&self) -> Result<u32, Error> {
        self.join_until(Deadline::Immediate)
    }

    /// As [`JoinHandle::join`], until `deadline`.
    ///
    /// # Errors
    /// [`Error::TimedOut`] at the deadline, or [`Error::WouldBlock`] if that is
    /// [`Deadline::Immediate`]; and as [`JoinHandle::join`].
    pub fn join_until(&self, deadline: impl Into<Deadline>) -> Result<u32, Error> {
        let value = join(self.id, deadline.into())?;
        self.is_over.set(true);
        Ok(value)
    }

    /// Leaves the thread to itself: its place is free once it has ended. Never blocks.
    pub fn detach(self) {
        drop(self);
    }
}

impl Drop for JoinHandle {
    fn drop(&mut self) {
        if !self.is_over.get() {
            // It is the only handle, so that nothing can be wrong with it.
            let _ = failure::ask(number::THREAD_DETACH, self.id.0, 0);
        }
    }
}

fn join(id: ThreadId, deadline: Deadline) -> Result<u32, Error> {
    failure::perform_until(number::THREAD_JOIN, [id.0], deadline).map(|out| out[register::WORD0])
}

/// Ends the calling thread with this exit value. (That of the main thread is [`crate::exit`]'s status.)
/// Whoever it serves is told [`Error::ServerDied`].
///
/// # Panics
/// No process of the application can start threads: the kernel then ends none.
///
/// # Safety
/// No other thread uses anything that lives on the caller's stack, which becomes another thread's: above
/// all, the caller is not within the body of a [`scope`]. A thread whose function returns needs no such
/// promise.
pub unsafe fn exit(value: u32) -> ! {
    let refused = failure::ask(number::THREAD_EXIT, value, 0);
    panic!("a thread ends in an application without `threads_spare`: {refused:?}")
}

/// Gives a thread of this process another priority; what it was. Never blocks, but a more urgent thread
/// runs at once.
///
/// # Errors
/// [`Error::NotPermitted`] above the process's `priority_limit`; [`Error::BadArgument`] for 0;
/// [`Error::BadHandle`] if the thread has ended.
pub fn set_priority(thread: ThreadId, priority: u8) -> Result<u8, Error> {
    if priority == 0 {
        return Err(Error::BadArgument);
    }
    let [before, ..] = schedule(thread, priority.into(), policy::SAME)?;
    Ok(before as u8)
}

/// The priority of a thread of this process: its own, not what others lend it. Never blocks.
///
/// # Errors
/// [`Error::BadHandle`] if the thread has ended; [`Error::NotPermitted`] if no process of the application can start
/// threads or has a `priority_limit`.
pub fn priority(thread: ThreadId) -> Result<u8, Error> {
    let [priority, ..] = schedule(thread, 0, policy::SAME)?;
    Ok(priority as u8)
}

/// How urgent the calling thread is now: its own priority, or the highest that others lend it, if that is more. Never
/// blocks.
///
/// # Errors
/// [`Error::NotPermitted`] if no process of the application can start threads or has a `priority_limit`.
pub fn effective_priority() -> Result<u8, Error> {
    let [.., effective] = schedule(current_thread(), 0, policy::SAME)?;
    Ok(effective as u8)
}

/// Gives a thread of this process another policy; what it was. Never blocks.
///
/// # Errors
/// [`Error::BadHandle`] if the thread has ended; [`Error::NotPermitted`] if no process of the
/// application can start threads or has a `priority_limit`.
pub fn set_policy(thread: ThreadId, policy: Policy) -> Result<Policy, Error> {
    let [_, before, _] = schedule(thread, 0, policy.number())?;
    Ok(Policy::from_number(before))
}

fn schedule(thread: ThreadId, priority: u32, policy: u32) -> Result<[u32; 3], Error> {
    let out = failure::perform(number::THREAD_SCHEDULE, [thread.0, priority, policy])?;
    Ok([register::WORD0, register::WORD1, register::WORD2].map(|place| out[place]))
}

/// Most threads that a [`scope`] can have started.
pub const SCOPE_THREADS: usize = 16;

/// Calls `body`, which may start threads that borrow what lives outside of it; returns when all those
/// have ended, too.
///
/// ```no_run
/// use core::sync::atomic::{AtomicU32, Ordering};
/// use riposte::thread::{self, Settings};
///
/// let sum = AtomicU32::new(0);
/// let add = || sum.fetch_or(1, Ordering::Relaxed);
/// thread::scope(|scope| {
///     scope.spawn(&add, Settings::new(3)).unwrap();
///     scope.spawn(&add, Settings::new(3)).unwrap();
/// });
/// assert_eq!(sum.into_inner(), 1);
/// ```
///
/// # Panics
/// One of the threads waits for the calling one, also after a second: for its end, or for a mutex that it holds.
pub fn scope<'env, R>(body: impl FnOnce(&Scope<'env>) -> R) -> R {
    let scope = Scope {
        started: [const { Cell::new(None) }; SCOPE_THREADS],
        borrowed: PhantomData,
    };
    let result = body(&scope);
    for thread in scope.started.iter().filter_map(Cell::get) {
        let ended = join_in_the_end(thread);
        assert!(ended.is_ok(), "a thread of a scope: {ended:?}");
    }
    result
}

/// As [`join`], also if a signal is handled meanwhile, or the thread waits for the calling one: that may have a deadline,
/// and be over within a second.
fn join_in_the_end(thread: ThreadId) -> Result<u32, Error> {
    let mut patience = 1000;
    loop {
        match join(thread, Deadline::None) {
            Err(Error::Interrupted) => {}
            Err(Error::Deadlock) if patience > 0 => {
                patience -= 1;
                // What ends it early ends one millisecond of many.
                let _ = crate::sleep(Duration::from_millis(1));
            }
            ended => return ended,
        }
    }
}

/// Where threads are started that end before [`scope`] does.
pub struct Scope<'env> {
    started: [Cell<Option<ThreadId>>; SCOPE_THREADS],
    borrowed: PhantomData<Cell<&'env ()>>,
}

impl<'env> Scope<'env> {
    /// Starts a spare thread that calls `body`.
    ///
    /// # Errors
    /// As [`spawn`]; [`Error::Exhausted`] also after [`SCOPE_THREADS`] of one scope.
    pub fn spawn<F: Fn() -> u32 + Sync>(
        &self,
        body: &'env F,
        settings: Settings,
    ) -> Result<ThreadId, SpawnError> {
        let place = self.started.iter().find(|place| place.get().is_none());
        let place = place.ok_or(SpawnError(Error::Exhausted))?;
        let (call, address) = trap::body_of(body);
        let thread = start(call, address, settings)?;
        place.set(Some(thread));
        Ok(thread)
    }
}
