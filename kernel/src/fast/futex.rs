//! The fast path of words: a thread that waits, and one that wakes it.
//!
//! Each has two ways. The first one is for a word at which the thread has waited, or woken somebody,
//! before ([`Known`](crate::sync::futex::Known)), at which one waits at most, and for the most urgent of those who
//! are ready; it calls nothing, and so keeps nothing. Whatever it finds otherwise it refuses before it has
//! changed anything, and the port tries the second one, which knows the word afterwards.
//!
//! Who waits with a deadline, or is of a process that is held, waits under a key that is not the word's
//! address ([`Thread::tagged_key`](crate::Thread)): it is left to the slow path. So is a call with flags, which
//! the port does not bring here.

use crate::{
    Kernel, Port, Thread,
    sync::futex::{Known, add_unit},
};

/// What a wake has come to.
#[derive(Clone, Copy)]
pub enum Woken {
    /// The caller goes on; so many were woken.
    Few(u32),
    /// This thread runs; the caller's registers are to be saved as if one was woken.
    Switch(&'static Thread),
}

/// What `thread` knows of the word at which it last waited, if there are words to wait at.
#[inline(always)]
fn waited(thread: &'static Thread) -> Option<&'static Known> {
    thread.place.first().map(|place| &place.waited)
}

/// What `thread` knows of the word at which it last woke somebody, if there are words to wait at.
#[inline(always)]
fn woke(thread: &'static Thread) -> Option<&'static Known> {
    thread.place.first().map(|place| &place.woke)
}

/// `thread` waits at the word at `address`, if it has waited there before, nobody else waits, and the word
/// holds `expected`. Returns the thread to run: `next`, the kernel's foremost one ([`Kernel::FOREMOST`]), which
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
    let Some(known) = waited(thread) else {
        return refuse();
    };
    let Some(word) = known.word(address) else {
        return refuse();
    };
    if port.word(word) != expected {
        return refuse();
    }
    let Some(list) = known.list() else {
        return refuse();
    };
    if list.first().is_some() || !may_run(next) {
        return refuse();
    }
    thread.set_key(word.address());
    list.begin(thread);
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
    let (word, list) = waited(thread)?.learn(kernel, thread, address)?;
    if port.word(word) != expected {
        return None;
    }
    let next = match kernel.take_foremost(&may_run) {
        None => kernel.take_next_here(may_run)?,
        Some(next) => next,
    };
    thread.set_key(word.address());
    thread.progress.set(0);
    if list.first().is_none() {
        list.begin(thread);
    } else {
        list.insert(thread);
    }
    Some(next)
}

/// `thread` wakes the one that waits at the word at `address`, if it has woken somebody there before, and
/// there is no foremost thread ([`Kernel::FOREMOST`]). If this refuses, [`wake_anywhere`] may not.
#[inline(always)]
pub fn wake<R>(
    kernel: &'static Kernel,
    thread: &'static Thread,
    address: u32,
    may_run: impl Fn(&'static Thread) -> bool,
    refuse: impl Fn() -> R,
    done: impl Fn(Woken) -> R,
) -> R {
    let Some(known) = woke(thread) else {
        return refuse();
    };
    let (Some(word), Some(list)) = (known.word(address), known.list()) else {
        return refuse();
    };
    let Some(waiter) = list.first() else {
        return refuse();
    };
    if kernel.is_unfinished() {
        return refuse();
    }
    if waiter.tagged_key() != word.address() || !waiter.is_alone_on_list() {
        return refuse();
    }
    let (priority, own) = (waiter.priority.get(), thread.priority.get());
    if priority > own {
        // Nobody more urgent than the running thread is ready.
        if kernel.ready.level(own).first().is_some() || !may_run(waiter) {
            return refuse();
        }
        kernel.foremost.set(Some(thread));
        waiter.set_key(0);
        list.end(waiter);
        return done(Woken::Switch(waiter));
    }
    if kernel.ready.holds_from(priority) {
        return refuse();
    }
    kernel.foremost.set(Some(waiter));
    waiter.set_key(0);
    list.end(waiter);
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
    if kernel.is_unfinished() {
        return refuse();
    }
    let known = woke(thread);
    let Some((word, list)) = known.and_then(|known| known.learn(kernel, thread, address)) else {
        return refuse();
    };
    let key = word.address();
    let Some(waiter) = list.iter().find(|waiter| waiter.key() == key) else {
        return done(Woken::Few(0));
    };
    let (priority, own) = (waiter.priority.get(), thread.priority.get());
    let switches = priority > own;
    let only = most == 1 || waiter.is_alone_on_list();
    if !only || waiter.tagged_key() != key || switches && !may_run(waiter) {
        return refuse();
    }
    if waiter.is_alone_on_list() {
        list.end(waiter);
    } else {
        list.remove(waiter);
    }
    waiter.set_key(0);
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
    let word = thread.process.own_writable(address);
    word.is_some_and(|word| word.address() != 0 && add_unit(port, word))
}
