//! The fast path of words: a thread that waits where nobody else does, and one that wakes it.
//!
//! Who waits with a deadline, or is of a process that is held, waits under a key that is not the word's
//! address ([`Thread::tagged_key`](crate::Thread)): it is not found.

use crate::{Kernel, List, Port, Readable, Thread, limits::SHARED_MEMORY};

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

/// The word at `address`, which is not in the data of `thread`: it may be in memory that processes share.
#[inline(always)]
fn word_elsewhere(thread: &'static Thread, address: u32) -> Option<Readable> {
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
    match thread.data.readable(address, 4) {
        Some(word) => wait_at(kernel, port, thread, (word, expected), may_run),
        None => wait_elsewhere(kernel, port, thread, (address, expected), may_run),
    }
}

#[inline(never)]
fn wait_elsewhere(
    kernel: &Kernel,
    port: &impl Port,
    thread: &'static Thread,
    (address, expected): (u32, u32),
    may_run: impl Fn(&'static Thread) -> bool,
) -> Option<&'static Thread> {
    if !SHARED_MEMORY {
        return None;
    }
    let word = word_elsewhere(thread, address)?;
    wait_at(kernel, port, thread, (word, expected), may_run)
}

#[inline(always)]
fn wait_at(
    kernel: &Kernel,
    port: &impl Port,
    thread: &'static Thread,
    (word, expected): (Readable, u32),
    may_run: impl Fn(&'static Thread) -> bool,
) -> Option<&'static Thread> {
    if port.word(word) != expected {
        return None;
    }
    let list = kernel.futexes.of(word.address())?;
    if list.first().is_some() {
        return None;
    }
    let next = match kernel.take_foremost(&may_run) {
        None => kernel.take_next_here(may_run)?,
        Some(next) => next,
    };
    leave(thread, list, word);
    Some(next)
}

/// The point of no return of a wait.
#[inline(always)]
fn leave(thread: &'static Thread, list: &List, word: Readable) {
    thread.progress.set(0);
    thread.set_key(word.address());
    list.begin(thread);
}

/// `thread` wakes at most `most` threads at the word at `address`, at which one waits at most.
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
    match thread.data.readable(address, 4) {
        Some(word) => wake_at(kernel, thread, (word, most), may_run, refuse, done),
        None => wake_elsewhere(kernel, thread, (address, most), may_run, refuse, done),
    }
}

#[inline(never)]
fn wake_elsewhere<R>(
    kernel: &Kernel,
    thread: &'static Thread,
    (address, most): (u32, u32),
    may_run: impl Fn(&'static Thread) -> bool,
    refuse: impl Fn() -> R,
    done: impl Fn(Woken) -> R,
) -> R {
    if !SHARED_MEMORY {
        return refuse();
    }
    match word_elsewhere(thread, address) {
        Some(word) => wake_at(kernel, thread, (word, most), may_run, refuse, done),
        None => refuse(),
    }
}

#[inline(always)]
fn wake_at<R>(
    kernel: &Kernel,
    thread: &'static Thread,
    (word, most): (Readable, u32),
    may_run: impl Fn(&'static Thread) -> bool,
    refuse: impl Fn() -> R,
    done: impl Fn(Woken) -> R,
) -> R {
    let key = word.address();
    let Some(list) = kernel.futexes.of(key) else {
        return refuse();
    };
    let Some(waiter) = list.first() else {
        return done(Woken::Few(0));
    };
    if waiter.tagged_key() != key || !waiter.is_alone_on_list() || most == 0 || kernel.slicing() {
        return refuse();
    }
    let (rank, own) = (waiter.rank.get(), thread.rank.get());
    if rank > own {
        if !may_run(waiter) {
            return refuse();
        }
        list.end(waiter);
        waiter.set_key(0);
        kernel.put_in_front(own, thread);
        return done(Woken::Switch(waiter));
    }
    list.end(waiter);
    waiter.set_key(0);
    kernel.put_behind(rank, waiter);
    done(Woken::Few(1))
}
