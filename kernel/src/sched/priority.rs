//! Priority inheritance.
//!
//! A thread that serves somebody (that has received a message and not answered it) runs at the
//! highest priority of those it serves, otherwise at its own priority or at its channel's fixed one.
//! A more urgent client that waits at the channel from which it last received raises it, and so does a
//! more urgent thread that waits for a lock that it owns.

use crate::{Channel, Kernel, List, Order, State, Thread};

impl Kernel {
    /// The priority that the thread's clients and its own give it.
    #[must_use]
    pub fn due_priority(&self, thread: &Thread) -> u8 {
        let bound = thread.bound.get();
        let mut priority = match thread.only_client() {
            // An only client always lends its priority.
            Some(client) => client.priority(),
            None => {
                let own = bound.fixed.unwrap_or(thread.base.get());
                match thread.clients.first() {
                    Some(_) => highest_lent(&thread.clients).unwrap_or(own),
                    None => own,
                }
            }
        };
        if let Some(waiting) = bound.waiting_priority() {
            priority = priority.max(waiting);
        }
        if let Some(locker) = thread.first_locker() {
            priority = priority.max(locker.priority());
        }
        priority
    }

    /// Brings a thread's priority up to date, and that of whoever it waits for, and so on.
    pub(crate) fn refresh(&self, thread: &'static Thread) {
        let priority = self.due_priority(thread);
        if priority != thread.priority.get() {
            self.pass_on(thread, priority);
        }
    }

    /// `thread` has another priority now, and so may whoever it waits for have, and so on.
    #[inline(never)]
    fn pass_on(&self, mut thread: &'static Thread, mut priority: u8) {
        while priority != thread.priority.get() {
            self.set_priority(thread, priority);
            let waits_for = match (thread.waits_for_thread(), thread.sending.get()) {
                (Some(other), _) => Some(other),
                (None, Some(channel)) => self.refresh_all_but_one(channel),
                (None, None) => None,
            };
            let Some(next) = waits_for else { return };
            thread = next;
            priority = self.due_priority(thread);
        }
    }

    /// Brings up to date the threads that serve a channel.
    pub(crate) fn refresh_servers(&self, channel: &'static Channel) {
        if let Some(thread) = self.refresh_all_but_one(channel) {
            self.refresh(thread);
        }
    }

    /// Leaves one of the threads that serve a channel to the caller, so that a long chain of threads
    /// with one server each takes no stack.
    fn refresh_all_but_one(&self, channel: &'static Channel) -> Option<&'static Thread> {
        let mut left = None;
        for thread in self.threads_of(channel.owner) {
            if thread.bound.get().is(channel)
                && thread.state() != State::ReceiveBlocked
                && let Some(before) = left.replace(thread)
            {
                self.refresh(before);
            }
        }
        left
    }

    /// Gives a thread another priority, and the place that it then has where it waits.
    fn set_priority(&self, thread: &'static Thread, priority: u8) {
        let is_ready = thread.state() == State::Ready && self.ready.contains(thread);
        match thread.sending.get() {
            // In order of arrival it keeps its place.
            Some(channel) if channel.order == Order::Priority => {
                channel.dequeue(thread);
                thread.priority.set(priority);
                channel.enqueue(thread);
            }
            None if thread.is_at_word() => self.set_priority_at_word(thread, priority),
            None if is_ready => self.ready.set_priority(thread, priority),
            _ => thread.priority.set(priority),
        }
    }
}

/// The highest priority that a server's clients lend it.
#[inline(never)]
fn highest_lent(clients: &List) -> Option<u8> {
    let lend = clients.iter().filter(|client| client.lends_priority());
    lend.map(Thread::priority).max()
}
