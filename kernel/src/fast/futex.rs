//! The fast path of words: a thread that waits, and one that wakes it.
//!
//! Each has two ways. The first one is for a word in the thread's data, or in what its process shares, at
//! which one waits at most, and for the most urgent of those who are ready; it calls nothing, and so keeps
//! nothing. Whatever it finds otherwise it leaves to the second one, before it has changed anything.
//!
//! Who waits with a deadline, or is of a process that is held, waits under a key that is not the word's
//! address ([`Thread::tagged_key`](crate::Thread)): it is left to the slow path.

use crate::{Kernel, List, Port, Readable, Thread, futex::add_unit, limits::SHARED_MEMORY};

/// What a wake has come to.
#[derive(Clone, Copy)]
pub enum Woken {
    /// The caller goes on; so many were woken.
    Few(u32),
    /// This thread runs; the caller's registers are to be saved as if one was woken.
    Switch(&'static Thread),
}

/// Whether the address is a word's, and the call has no flags.
#[inline(always)]
fn is_plain(address: u32, info: u32) -> bool {
    info == 0 && address & 3 == 0
}

/// The word at `address`, if it is where most words are: in the data of `thread`, or in what its process
/// shares.
#[inline(always)]
fn usual_word(thread: &'static Thread, address: u32) -> Option<Readable> {
    match thread.data.readable(address, 4) {
        None if SHARED_MEMORY => thread.process.shared.readable(address, 4),
        word => word,
    }
}

/// The word at `address`, if it is the own one of the process of `thread`.
#[inline(always)]
fn own_word(thread: &'static Thread, address: u32) -> Option<Readable> {
    let word = thread.process.own_readable(address)?;
    (word.address() != 0).then_some(word)
}

/// `thread` waits at the word at `address`, if that holds `expected`. Returns the thread to run, which
/// `may_run` has agreed to; the port saves the caller's registers as those of a call that succeeded.
#[inline(always)]
pub fn wait(
    kernel: &Kernel,
    port: &impl Port,
    thread: &'static Thread,
    (address, expected, info): (u32, u32, u32),
    may_run: impl Fn(&'static Thread) -> bool,
) -> Option<&'static Thread> {
    if !is_plain(address, info) {
        return None;
    }
    if let Some(word) = usual_word(thread, address)
        && let Some(list) = kernel.futexes.of(word.address())
        && list.first().is_none()
        && port.word(word) == expected
    {
        let Some(next) = kernel.take_foremost(&may_run) else {
            return wait_for_next(kernel, thread, word, may_run);
        };
        leave(thread, list, word);
        return Some(next);
    }
    wait_anywhere(kernel, port, thread, (address, expected), may_run)
}

/// The end of [`wait`] where nobody else waits, whichever thread is next.
#[inline(never)]
fn wait_for_next(
    kernel: &Kernel,
    thread: &'static Thread,
    word: Readable,
    may_run: impl Fn(&'static Thread) -> bool,
) -> Option<&'static Thread> {
    let list = kernel.futexes.of(word.address())?;
    let next = kernel.take_next_here(may_run)?;
    leave(thread, list, word);
    Some(next)
}

/// The point of no return of a wait where nobody else waits.
#[inline(always)]
fn leave(thread: &'static Thread, list: &List, word: Readable) {
    thread.progress.set(0);
    thread.set_key(word.address());
    list.begin(thread);
}

#[inline(never)]
fn wait_anywhere(
    kernel: &Kernel,
    port: &impl Port,
    thread: &'static Thread,
    (address, expected): (u32, u32),
    may_run: impl Fn(&'static Thread) -> bool,
) -> Option<&'static Thread> {
    let word = own_word(thread, address)?;
    if port.word(word) != expected {
        return None;
    }
    let next = match kernel.take_foremost(&may_run) {
        None => kernel.take_next_here(may_run)?,
        Some(next) => next,
    };
    thread.progress.set(0);
    kernel.wait_at(word.address(), thread);
    Some(next)
}

/// `thread` wakes at most `most` threads at the word at `address`. A unit of a semaphore is given by
/// waking one there, or, if that wakes nobody, by [`add`].
#[inline(always)]
pub fn wake<R>(
    kernel: &Kernel,
    thread: &'static Thread,
    (address, most, info): (u32, u32, u32),
    may_run: impl Fn(&'static Thread) -> bool,
    refuse: impl Fn() -> R,
    done: impl Fn(Woken) -> R,
) -> R {
    if !is_plain(address, info) {
        return refuse();
    }
    if let Some(word) = usual_word(thread, address)
        && let Some(list) = kernel.futexes.of(word.address())
        && let Some(waiter) = list.first()
        && waiter.tagged_key() == word.address()
        && waiter.is_alone_on_list()
        && most != 0
        && !kernel.slicing()
    {
        let (rank, own) = (waiter.rank.get(), thread.rank.get());
        let switches = rank > own;
        let (later, least) = if switches {
            (thread, own)
        } else {
            (waiter, rank)
        };
        if (!switches || may_run(waiter)) && kernel.makes_room(least) {
            list.end(waiter);
            waiter.set_key(0);
            kernel.foremost.set(Some(later));
            return done(if switches {
                Woken::Switch(waiter)
            } else {
                Woken::Few(1)
            });
        }
    }
    wake_anywhere(kernel, thread, (address, most), may_run, refuse, done)
}

#[inline(never)]
fn wake_anywhere<R>(
    kernel: &Kernel,
    thread: &'static Thread,
    (address, most): (u32, u32),
    may_run: impl Fn(&'static Thread) -> bool,
    refuse: impl Fn() -> R,
    done: impl Fn(Woken) -> R,
) -> R {
    let Some(word) = own_word(thread, address) else {
        return refuse();
    };
    let key = word.address();
    let Some(list) = kernel.futexes.of(key) else {
        return refuse();
    };
    let Some(waiter) = kernel.futexes.first_at(key) else {
        return done(Woken::Few(0));
    };
    let (rank, own) = (waiter.rank.get(), thread.rank.get());
    let switches = rank > own;
    if most != 1 || waiter.tagged_key() != key || kernel.slicing() || switches && !may_run(waiter) {
        return refuse();
    }
    list.remove(waiter);
    waiter.set_key(0);
    if switches {
        kernel.put_in_front(own, thread);
        return done(Woken::Switch(waiter));
    }
    kernel.put_behind(rank, waiter);
    done(Woken::Few(1))
}

/// `thread` adds a unit to the semaphore at `address`, at which it has found nobody to wake; whether it
/// did.
#[inline(never)]
pub fn add(port: &impl Port, thread: &'static Thread, address: u32) -> bool {
    let word = thread.process.own_writable(address);
    word.is_some_and(|word| word.address() != 0 && add_unit(port, word))
}
