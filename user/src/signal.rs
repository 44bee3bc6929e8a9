//! Signals: numbers that interrupt a thread, wherever it is, and call a handler.
//!
//! A process takes signals if its manifest says so (`signal_queue = 4`), and may send some to those that its manifest
//! names (`signals = ["worker"]`). A signal is handled by a thread that does not mask it, on its own stack: whatever that
//! computes is interrupted, and a call that blocks ends with [`Error::Interrupted`], as it would at a deadline. While a
//! handler runs, all signals are masked in its thread, so that handlers do not interrupt each other.
//!
//! ```no_run
//! use core::sync::atomic::{AtomicBool, Ordering};
//! use riposte::signal::{self, Mask, Set, Signal};
//!
//! static ENDS: AtomicBool = AtomicBool::new(false);
//!
//! fn end(_: Signal, _: u32) {
//!     ENDS.store(true, Ordering::Relaxed);
//! }
//!
//! // SAFETY: it uses an atomic, and nothing else.
//! unsafe { signal::handle(Signal::TERMINATE, end) }.unwrap();
//! // From here on it comes only while the thread waits for it: it cannot be missed.
//! let mask = Mask::block(Set::of(&[Signal::TERMINATE])).unwrap();
//! while !ENDS.load(Ordering::Relaxed) {
//!     signal::suspend(mask.before()).unwrap();
//! }
//! ```
//!
//! A thread begins with all signals masked, until its process has a handler; one that another thread has started begins
//! with that one's mask. A lock that its own thread holds, a handler waits for in vain ([`Error::Deadlock`]; at a
//! [`crate::sync::RwLock`] that its thread reads, nobody sees it).

use core::fmt;

use riposte_abi::call::{operation, word};
use riposte_abi::process_info::kind;
use riposte_abi::signal::{FIRST_QUEUED, MAX, OWN, how, number, set, words};
use riposte_abi::{Error, register};

use crate::names::{ManifestError, find};
use crate::{Deadline, ThreadId, failure, trap};

/// A signal.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Signal(u8);

impl Signal {
    /// `SIGHUP`.
    pub const HANG_UP: Signal = Signal(1);
    /// `SIGINT`.
    pub const INTERRUPT: Signal = Signal(2);
    /// `SIGQUIT`.
    pub const QUIT: Signal = Signal(3);
    /// `SIGABRT`.
    pub const ABORT: Signal = Signal(6);
    /// `SIGUSR1`.
    pub const USER_1: Signal = Signal(10);
    /// `SIGUSR2`.
    pub const USER_2: Signal = Signal(12);
    /// `SIGPIPE`.
    pub const PIPE: Signal = Signal(13);
    /// `SIGALRM`.
    pub const ALARM: Signal = Signal(14);
    /// `SIGTERM`.
    pub const TERMINATE: Signal = Signal(15);
    /// `SIGCHLD`.
    pub const CHILD: Signal = Signal(17);

    /// The signal with this number, 1 to 63.
    #[must_use]
    pub const fn from_number(number: u32) -> Option<Signal> {
        match number {
            1..=MAX => Some(Signal(number as u8)),
            _ => None,
        }
    }

    /// The signal of this position among those that are queued, each with a word: 0 to 31. (`SIGRTMIN` + `position`.)
    #[must_use]
    pub const fn queued(position: u32) -> Option<Signal> {
        match position {
            0..=31 => Some(Signal((FIRST_QUEUED + position) as u8)),
            _ => None,
        }
    }

    /// Its number.
    #[must_use]
    pub const fn number(self) -> u32 {
        self.0 as u32
    }
}

impl fmt::Debug for Signal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Signal({})", self.0)
    }
}

/// Several signals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Set(u64);

impl Set {
    /// No signal.
    pub const NONE: Set = Set(0);
    /// All of them.
    pub const ALL: Set = Set(!1);

    /// These.
    #[must_use]
    pub const fn of(signals: &[Signal]) -> Set {
        let (mut set, mut index) = (0, 0);
        while index < signals.len() {
            set |= 1 << signals[index].0;
            index += 1;
        }
        Set(set)
    }

    /// Whether `signal` is one of them.
    #[must_use]
    pub const fn contains(self, signal: Signal) -> bool {
        self.0 >> signal.0 & 1 != 0
    }

    /// These, and `signal`.
    #[must_use]
    pub const fn with(self, signal: Signal) -> Set {
        Set(self.0 | 1 << signal.0)
    }

    /// These without `signal`.
    #[must_use]
    pub const fn without(self, signal: Signal) -> Set {
        Set(self.0 & !(1 << signal.0))
    }
}

/// The call word that ends a handler.
#[doc(hidden)]
pub const END: u32 = word(operation::SIGNAL, number::RETURN);

/// What handles a signal: with the word that it brings, or 0.
pub type Handler = fn(Signal, u32);

/// From now on `handler` handles `signal`, and the calling thread takes it.
///
/// # Safety
/// The handler interrupts its thread between any two instructions: it uses no [`crate::ThreadLocal`], and takes no
/// [`crate::sync::RecursiveMutex`], since the thread may be in the midst of changing the value. It allocates nothing from a
/// [`crate::sync::Heap`], and frees nothing, which the thread may hold: what it wants is refused, and what it frees is lost.
/// Nor does it wait for anybody who allocates or frees: it takes no mutex within which others do, or those are refused. (What
/// else threads share, such as atomics and other mutexes, it may use. Who needs no handler does without `unsafe`: [`wait`].)
///
/// # Errors
/// [`Error::BadCall`] if no process of the application takes signals.
pub unsafe fn handle(signal: Signal, handler: Handler) -> Result<(), Error> {
    trap::set_handler(signal.0, handler);
    let [low, high] = words(Set::ALL.0);
    call(
        number::ACTION,
        [trap::signal_entry(), low, high],
        Deadline::None,
    )?;
    change(how::UNBLOCK, Set(1 << signal.0)).map(drop)
}

/// Sends a signal to this process: to a thread that does not mask it, or else to the first that no longer does. Never
/// blocks.
///
/// # Errors
/// [`Error::Exhausted`] if it brings a word, and as many wait as the manifest says.
pub fn raise(signal: Signal, word: u32) -> Result<(), Error> {
    send_to(OWN, signal, word, 0)
}

/// As [`raise`], to a thread of this process. Never blocks.
///
/// # Errors
/// [`Error::BadHandle`] if that has ended; and as [`raise`].
pub fn raise_in(thread: ThreadId, signal: Signal, word: u32) -> Result<(), Error> {
    send_to(OWN, signal, word, thread.number())
}

/// A process that this one may send signals to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    position: u32,
}

/// The process of this name, which this one may send signals to. Never blocks.
///
/// # Errors
/// [`ManifestError`] if the manifest does not let it.
pub fn target(name: &'static str) -> Result<Target, ManifestError> {
    let position = find(kind::SIGNALLED, name)?;
    Ok(Target { position })
}

impl Target {
    /// Sends it a signal, as [`raise`] does. Never blocks.
    ///
    /// # Errors
    /// [`Error::PeerDied`] if it does not run now; and as [`raise`].
    pub fn send(self, signal: Signal, word: u32) -> Result<(), Error> {
        send_to(self.position, signal, word, 0)
    }
}

/// Signals that are masked in the calling thread until this is dropped. Of two that mask the same ones the first is to be dropped
/// last.
#[derive(Debug)]
#[must_use = "they are masked as long as it lives"]
pub struct Mask {
    before: Set,
    /// Those that were not masked before.
    added: Set,
    /// The mask is that of a thread.
    _own: core::marker::PhantomData<*const ()>,
}

impl Mask {
    /// Masks these, too.
    ///
    /// # Errors
    /// [`Error::BadCall`] if no process of the application takes signals.
    pub fn block(signals: Set) -> Result<Mask, Error> {
        let [before, _] = change(how::BLOCK, signals)?;
        Ok(Mask {
            before,
            added: Set(signals.0 & !before.0),
            _own: core::marker::PhantomData,
        })
    }

    /// What was masked before.
    #[must_use]
    pub const fn before(&self) -> Set {
        self.before
    }
}

impl Drop for Mask {
    fn drop(&mut self) {
        // What could be masked can be unmasked. What another one masks, too, stays so.
        let _ = change(how::UNBLOCK, self.added);
    }
}

/// The signals that wait for the calling thread, or for any of its process, to take them. Never blocks.
///
/// # Errors
/// [`Error::BadCall`] if no process of the application takes signals.
pub fn pending() -> Result<Set, Error> {
    let [_, pending] = change(how::BLOCK, Set::NONE)?;
    Ok(pending)
}

/// Waits until a signal has been handled that is not in `masked`, which alone is masked meanwhile.
///
/// # Errors
/// [`Error::BadArgument`] if the process has no handler.
pub fn suspend(masked: Set) -> Result<(), Error> {
    suspend_until(masked, Deadline::None)
}

/// As [`suspend`], until `deadline`.
///
/// # Errors
/// [`Error::TimedOut`]; [`Error::WouldBlock`] if it is [`Deadline::Immediate`]; and as [`suspend`].
pub fn suspend_until(masked: Set, deadline: impl Into<Deadline>) -> Result<(), Error> {
    match call(number::SUSPEND, words(masked.0), deadline.into()) {
        Err(Error::Interrupted) | Ok(_) => Ok(()),
        Err(error) => Err(error),
    }
}

/// A signal that was waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Received {
    /// Which one.
    pub signal: Signal,
    /// The word that it brings, or 0.
    pub word: u32,
}

/// Waits for one of these signals, masked or not, and takes it: no handler is called.
///
/// # Errors
/// [`Error::Interrupted`] if another one was handled.
pub fn wait(signals: Set) -> Result<Received, Error> {
    wait_until(signals, Deadline::None)
}

/// As [`wait`], until `deadline`.
///
/// # Errors
/// [`Error::TimedOut`]; [`Error::WouldBlock`] if it is [`Deadline::Immediate`]; and as [`wait`].
pub fn wait_until(signals: Set, deadline: impl Into<Deadline>) -> Result<Received, Error> {
    let out = call(number::WAIT, words(signals.0), deadline.into())?;
    Ok(Received {
        signal: Signal(out[register::WORD0] as u8),
        word: out[register::WORD1],
    })
}

/// From now on the calling thread handles signals on `stack`, and not on its own, where there may be no room.
///
/// # Safety
/// It has room for the frame of what is interrupted, and for all that any handler of this thread calls. Nothing guards it: a
/// handler that needs more writes over whatever lies below.
///
/// # Errors
/// [`Error::BadAddress`] on Armv7-M in a process of several threads, where a thread is known by the stack it runs on;
/// [`Error::BadCall`] if no process of the application takes signals.
pub unsafe fn use_stack(stack: &'static mut [u8]) -> Result<(), Error> {
    if !any_stack_will_do() {
        return Err(Error::BadAddress);
    }
    let range = trap::Range::of_mut(stack);
    let words = [range.address, range.length];
    call(number::STACK, words, Deadline::None).map(drop)
}

/// Whether the library finds the running thread on whatever stack it runs.
#[doc(hidden)]
pub fn any_stack_will_do() -> bool {
    trap::stack_is_free()
}

fn send_to(position: u32, signal: Signal, word: u32, thread: u32) -> Result<(), Error> {
    let words = [position, signal.number(), word, thread];
    call(number::SEND, words, Deadline::None).map(drop)
}

/// Changes the mask. What it was, and what waits.
fn change(change: u32, by: Set) -> Result<[Set; 2], Error> {
    let [low, high] = words(by.0);
    let out = call(number::MASK, [change, low, high], Deadline::None)?;
    let pair = |low: usize, high: usize| Set(set(out[low], out[high]) & Set::ALL.0);
    Ok([
        pair(register::WORD0, register::WORD1),
        pair(register::WORD2, register::WORD3),
    ])
}

#[inline(always)]
fn call<const N: usize>(
    number: u32,
    words: [u32; N],
    deadline: Deadline,
) -> Result<trap::Registers, Error> {
    failure::perform_until(word(operation::SIGNAL, number), words, deadline)
}
