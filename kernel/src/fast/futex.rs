//! The fast path of words: a thread that waits, and one that wakes it.
//!
//! Each has two ways. The first one is for a word at which one waits at most, and for the most urgent of
//! those who are ready. Whatever it finds otherwise it refuses before it has changed anything, and the port
//! tries the second one.
//!
//! Who waits with a deadline, or is of a process that is held, is left to the general path. So is a call with
//! flags, which the port does not bring here.

use crate::{Kernel, Port, Thread, Word, sync::futex::add_unit};

/// What a wake has come to.
#[derive(Clone, Copy)]
pub enum Woken {
    /// The caller goes on; so many were woken.
    Few(u32),
    /// This thread runs; the caller's registers are to be saved as if one was woken.
    Switch(&'static Thread),
}

/// Whether nothing but a wake ends the wait of `waiter`, and it runs then.
#[inline(always)]
fn only_waits(waiter: &'static Thread) -> bool {
    !waiter.deadline.is_set() && !waiter.process.held.get()
}

/// `thread` waits at the word at `address`, if nobody else waits there, and the word holds `expected`. Returns the thread to run: `next`, the kernel's foremost one ([`Kernel::FOREMOST`]), which
/// `may_run` has agreed to. The port saves the caller's registers as those of a call that succeeded. If this
/// refuses, or there is no foremost thread, [`wait_anywhere`] may not.
#[inline(always)]
pub fn wait<R>(
    kernel: &'static Kernel,
    port: &impl Port,
    (thread, next): (&'static Thread, &'static Thread),
    (address, expected): (u32, u32),
    may_run: impl Fn(&'static Thread) -> bool,
    refuse: impl Fn() -> R,
    switch: impl FnOnce(&'static Thread) -> R,
) -> R {
    let Ok(word) = thread.process.word(address) else {
        return refuse();
    };
    if port.word(word.bytes()) != expected {
        return refuse();
    }
    if kernel.words.first_at(word).is_some() || !may_run(next) {
        return refuse();
    }
    kernel.wait_at(word, thread);
    thread.progress.set(0);
    kernel.foremost.set(None);
    switch(next)
}

/// As [`wait`], at any word of the process of `thread`, whoever waits there, and whichever thread is next.
#[inline(always)]
pub fn wait_anywhere(
    kernel: &'static Kernel,
    port: &impl Port,
    thread: &'static Thread,
    (address, expected): (u32, u32),
    may_run: impl Fn(&'static Thread) -> bool,
) -> Option<&'static Thread> {
    let word = thread.process.word(address).ok()?;
    if port.word(word.bytes()) != expected {
        return None;
    }
    let next = match kernel.take_foremost(&may_run) {
        None => kernel.take_next_here(may_run)?,
        Some(next) => next,
    };
    thread.progress.set(0);
    kernel.wait_at(word, thread);
    Some(next)
}

/// Whether nobody else waits where `waiter` is the first one.
#[inline(always)]
fn is_alone(waiter: &'static Thread) -> bool {
    waiter.place.iter().all(|place| place.rest.is_empty())
}

/// The word at `address`, if `thread` may wake others there. Turns that are planned are the general path's.
#[inline(always)]
fn word_of(kernel: &'static Kernel, thread: &'static Thread, address: u32) -> Option<Word> {
    let word = thread.process.writable_word(address).ok()?.word();
    (!kernel.slicing()).then_some(word)
}

/// `thread` wakes the one that waits at the word at `address`, if there is no foremost thread ([`Kernel::FOREMOST`]). If this refuses, [`wake_anywhere`] may not.
#[inline(always)]
pub fn wake<R>(
    kernel: &'static Kernel,
    thread: &'static Thread,
    address: u32,
    may_run: impl Fn(&'static Thread) -> bool,
    refuse: impl Fn() -> R,
    done: impl Fn(Woken) -> R,
) -> R {
    let waiter = word_of(kernel, thread, address).and_then(|word| kernel.words.first_at(word));
    let Some(waiter) = waiter else {
        return refuse();
    };
    if !only_waits(waiter) || !is_alone(waiter) {
        return refuse();
    }
    let (priority, own) = (waiter.priority.get(), thread.priority.get());
    if priority > own {
        // Nobody more urgent than the running thread is ready.
        if kernel.ready.level(own).first().is_some() || !may_run(waiter) {
            return refuse();
        }
        kernel.foremost.set(Some(thread));
        kernel.leave_word(waiter);
        return done(Woken::Switch(waiter));
    }
    if kernel.ready.holds_from(priority) {
        return refuse();
    }
    kernel.foremost.set(Some(waiter));
    kernel.leave_word(waiter);
    done(Woken::Few(1))
}

/// `thread` wakes at most `most` threads at the word at `address`. A unit of a semaphore is given by
/// waking one there, or, if that wakes nobody, by [`add`].
#[inline(always)]
pub fn wake_anywhere<R>(
    kernel: &'static Kernel,
    thread: &'static Thread,
    (address, most): (u32, u32),
    may_run: impl Fn(&'static Thread) -> bool,
    refuse: impl Fn() -> R,
    done: impl Fn(Woken) -> R,
) -> R {
    let Some(word) = word_of(kernel, thread, address) else {
        return refuse();
    };
    let Some(waiter) = kernel.words.first_at(word) else {
        return done(Woken::Few(0));
    };
    let (priority, own) = (waiter.priority.get(), thread.priority.get());
    let switches = priority > own;
    let only = most == 1 || is_alone(waiter);
    if !only || !only_waits(waiter) || switches && !may_run(waiter) {
        return refuse();
    }
    kernel.leave_word(waiter);
    if switches {
        kernel.put_in_front(own, thread);
        return done(Woken::Switch(waiter));
    }
    kernel.put_behind(priority, waiter);
    done(Woken::Few(1))
}

/// `thread` adds a unit to the semaphore at `address`, at which it has found nobody to wake; whether it
/// did.
#[inline(never)]
pub fn add(port: &impl Port, thread: &'static Thread, address: u32) -> bool {
    let word = thread.process.writable_word(address);
    word.is_ok_and(|word| add_unit(port, word))
}
