//! What must hold between any two steps.

mod memory;
mod objects;
mod threads;

use riposte_kernel::{Channel, Kernel, List, Purpose, State, Thread, limits::LEVELS};

use crate::Machine;

/// Where a thread is to be found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Nowhere,
    Ready,
    Senders(u8),
    Receivers(u8),
    Clients(u8),
    Words,
    Lockers(u8),
}

/// Checks everything.
///
/// # Panics
/// Something does not hold.
pub fn consistent(machine: &Machine) {
    let kernel = machine.kernel;
    let places = places(kernel);
    let tables = kernel.tables();
    for thread in tables.threads {
        let place = places[usize::from(thread.index)];
        thread_is_where_its_state_says(kernel, thread, place);
    }
    for channel in tables.channels {
        channel_is_consistent(channel);
    }
    no_connection_outlives_its_ends(kernel);
    interrupts_come_as_they_should(machine);
    nothing_is_nowhere(tables.nowhere);
    objects::consistent(kernel);
    deadlines_are_in_order(machine);
    the_most_urgent_runs(kernel);
    receivers_are_known(kernel);
    nobody_waits_for_itself(kernel);
    nobody_lends_to_itself(kernel);
    if !kernel.has_stale_priorities() {
        priorities_are_due(kernel);
    }
    memory::consistent(machine);
    threads::consistent(machine.kernel);
}

/// Every priority is the one that follows from who waits for whom. Nobody waits for itself, so that there
/// is only one such priority, and no thread sustains its own.
fn priorities_are_due(kernel: &Kernel) {
    let due = naive_priorities(kernel);
    for thread in kernel.tables().threads {
        if !matches!(thread.state(), State::ReceiveBlocked | State::Stopped) {
            let (index, priority) = (thread.index, thread.priority());
            let due = due[usize::from(index)];
            assert_eq!(priority, due, "priority of thread {index}");
        }
    }
}

/// No thread lends its priority to itself, through whatever others.
fn nobody_lends_to_itself(kernel: &Kernel) {
    let threads = kernel.tables().threads;
    let waits = pairs(threads);
    for thread in threads {
        let index = thread.index;
        assert!(
            !reaches(&waits, index, index),
            "thread {index} waits for itself"
        );
    }
}

/// Every receiver of a channel is known to it.
fn receivers_are_known(kernel: &Kernel) {
    let tables = kernel.tables();
    for channel in tables.channels {
        let known: Vec<_> = channel.all_receivers().take(1000).collect();
        let bound = tables.threads.iter();
        let bound = bound.filter(|thread| thread.bound().is(channel)).count();
        assert!(known.iter().all(|thread| thread.bound().is(channel)));
        assert_eq!(known.len(), bound, "receivers of channel {}", channel.index);
        assert!(bound <= usize::from(tables.depth), "too many receivers");
        assert!(!channel.has_one_receiver() || bound == 1);
        if let [only] = known[..] {
            let state = only.state();
            let waits = !matches!(state, State::Ready | State::ReceiveBlocked);
            assert!(channel.has_one_receiver() || waits || only.process.is_held());
        }
        if channel.owner.threads == 1 {
            assert_eq!(channel.has_one_receiver(), bound == 1);
        }
    }
    for thread in tables.threads {
        let serves = thread.clients().next().is_some();
        assert!(serves || !thread.serves_its_channel());
    }
}

/// Who is on which queue; nobody on two.
fn places(kernel: &Kernel) -> Vec<Place> {
    let mut places = vec![Place::Nowhere; kernel.tables().threads.len()];
    let mut put = |thread: &Thread, place| {
        let before = std::mem::replace(&mut places[usize::from(thread.index)], place);
        assert_eq!(
            before,
            Place::Nowhere,
            "thread {} is on two queues",
            thread.index
        );
    };
    let tables = kernel.tables();
    for priority in 0..LEVELS {
        for thread in members(kernel.ready().queue().level(priority as u8)) {
            assert_eq!(
                usize::from(thread.priority()),
                priority,
                "ready at its priority"
            );
            put(thread, Place::Ready);
        }
    }
    let queued = kernel.ready().queue().top();
    if let Some(next) = kernel.ready().next() {
        assert!(
            queued <= Some(next.priority()),
            "the thread in front of the queue precedes all that are in it"
        );
        put(next, Place::Ready);
    }
    let first = kernel.ready().queue().iter().map(Thread::priority).max();
    assert_eq!(queued, first);
    for channel in tables.channels {
        for thread in channel.senders() {
            put(thread, Place::Senders(channel.index));
        }
        for thread in channel.receivers() {
            put(thread, Place::Receivers(channel.index));
        }
    }
    for server in tables.threads {
        for client in server.clients() {
            put(client, Place::Clients(server.index));
        }
        let lockers: Vec<_> = server.lockers().take(1000).collect();
        assert!(lockers.is_sorted_by(|first, second| first.priority() >= second.priority()));
        for locker in lockers {
            put(locker, Place::Lockers(server.index));
        }
    }
    for list in kernel.words() {
        let waiters = members(list);
        assert!(waiters.is_sorted_by(|first, second| first.priority() >= second.priority()));
        for waiter in waiters {
            put(waiter, Place::Words);
        }
    }
    places
}

/// The threads of a list, whose links are right both ways.
fn members(list: &List) -> Vec<&'static Thread> {
    let members: Vec<_> = list.iter().take(1000).collect();
    for (index, thread) in members.iter().enumerate() {
        let (previous, next) = thread.links().expect("links of a thread on a list");
        let count = members.len();
        assert!(members[(index + count - 1) % count].is(previous));
        assert!(members[(index + 1) % count].is(next));
    }
    members
}

fn thread_is_where_its_state_says(kernel: &Kernel, thread: &'static Thread, place: Place) {
    let index = thread.index;
    let state = thread.state();
    let is_current = kernel.current.get().is(thread);
    let waiting_receiver = thread
        .bound()
        .waiting_receiver()
        .is_some_and(|waiting_receiver| waiting_receiver.is(thread));
    let expected = match state {
        State::Ready if is_current => Place::Nowhere,
        State::Ready => Place::Ready,
        State::SendBlocked => Place::Senders(thread.sending().expect("a channel to send to").index),
        State::ReplyBlocked => Place::Clients(thread.server().expect("a server").index),
        State::ReceiveBlocked => Place::Receivers(thread.bound().index),
        State::FutexBlocked => match thread.lock_owner() {
            Some(owner) => Place::Lockers(owner.index),
            None => Place::Words,
        },
        State::Joining | State::Sleeping | State::Stopped => Place::Nowhere,
    };
    assert_eq!(place, expected, "thread {index} is {state:?}");
    let is_linked = match place {
        Place::Nowhere => false,
        Place::Receivers(_) => !waiting_receiver,
        Place::Clients(server) => {
            let server = &kernel.tables().threads[usize::from(server)];
            !server.fast_client().is_some_and(|client| client.is(thread))
        }
        Place::Ready => !kernel.ready().next().is_some_and(|next| next.is(thread)),
        Place::Senders(_) | Place::Words | Place::Lockers(_) => true,
    };
    assert_eq!(
        thread.links().is_some(),
        is_linked,
        "links of thread {index}"
    );
    assert_eq!(
        thread.is_listed_receiver(),
        state == State::ReceiveBlocked && !waiting_receiver,
        "thread {index} is {state:?}"
    );
    if is_current {
        assert_eq!(state, State::Ready, "the running thread is ready");
    }
    if let Some(serving) = thread.fast_client() {
        assert_eq!(
            thread.clients().count(),
            1,
            "whom the fast path answers is alone"
        );
        assert!(
            thread.lockers().next().is_none(),
            "the fast path knows no locks"
        );
        assert!(serving.lends_priority() && serving.deadline().is_none());
        assert!(!serving.process.is_held(), "who is held is not resumed");
    }
    if state == State::Ready {
        assert!(
            thread.requests_nothing(),
            "thread {index} is ready, its request is over"
        );
        assert_eq!(
            thread.deadline(),
            None,
            "thread {index} is ready, its deadline is over"
        );
    }
    let (partner, progress) = thread.copying();
    if let Some(partner) = partner {
        let back = partner.copying().0;
        assert!(
            back.is_some_and(|back| back.is(thread)),
            "a copy has two sides"
        );
    }
    let may_copy = state == State::Ready || thread.process.is_held();
    assert!(progress == 0 || (may_copy && partner.is_some()));
    let asks = thread.asks_to_be_unblocked();
    assert!(
        !asks || state == State::ReplyBlocked,
        "a notice of the past"
    );
    somebody_can_wake(thread, state);
    if state == State::Sleeping {
        assert!(
            thread.deadline().is_some(),
            "thread {index} sleeps for ever"
        );
    }
}

/// No thread is lost.
fn somebody_can_wake(thread: &'static Thread, state: State) {
    let index = thread.index;
    let is_idle = thread.base.get() == 0;
    if state != State::Stopped && !is_idle {
        assert!(
            thread.process.is_alive(),
            "thread {index} of a dead process"
        );
    }
    if let Some(channel) = thread.sending() {
        assert!(
            channel.owner.is_alive(),
            "thread {index} sends to a dead process"
        );
    }
    if let Some(owner) = thread.lock_owner() {
        let lives = owner.state() != State::Stopped || owner.process.is_held();
        assert!(lives, "thread {index} waits for a lock of a dead thread");
    }
    if let Some(server) = thread.server() {
        let lives = server.state() != State::Stopped || server.process.is_held();
        assert!(lives, "thread {index} waits for a dead server");
    }
}

fn channel_is_consistent(channel: &'static Channel) {
    let listed: Vec<_> = channel
        .receivers()
        .filter(|receiver| receiver.is_listed_receiver())
        .collect();
    let senders = channel.senders().count();
    for receiver in channel.receivers() {
        assert!(receiver.bound().is(channel));
        assert!(receiver.process.index == channel.owner.index);
    }
    if let Some(waiting_receiver) = channel.waiting_receiver() {
        assert!(listed.is_empty() && senders == 0 && !channel.has_notices());
        assert!(
            waiting_receiver.clients().next().is_none()
                && waiting_receiver.lockers().next().is_none()
        );
        assert!(waiting_receiver.deadline().is_none());
        assert!(waiting_receiver.requests_nothing() && channel.is_idle());
        assert!(!waiting_receiver.process.is_held());
    }
    let waits = !listed.is_empty() || senders != 0 || channel.has_notices();
    let may_wait = channel.has_one_receiver() || channel.all_receivers().count() != 1;
    let idle = !waits && channel.fixed_priority().is_none() && may_wait;
    assert_eq!(channel.is_idle(), idle, "which way an answer here takes");
    assert_eq!(
        channel.bits() != 0,
        channel.is_notified(),
        "bits that nobody is told of, or a notice of none"
    );
    let priorities: Vec<_> = channel.senders().map(Thread::priority).collect();
    if channel.is_by_priority() {
        assert!(priorities.is_sorted_by(|first, second| first >= second));
    }
    let takes_any =
        |receiver: &&&Thread| receiver.requests_nothing() && !receiver.process.is_held();
    if senders != 0 || channel.has_notices() {
        assert!(
            listed.iter().find(takes_any).is_none(),
            "a receiver waits, and a message or notice waits for one"
        );
    }
}

/// An open connection leads from a process that lives to one that lives.
fn no_connection_outlives_its_ends(kernel: &Kernel) {
    let tables = kernel.tables();
    for (process, handles) in tables.processes.iter().zip(tables.handles) {
        let open = handles.iter().filter(|handle| handle.is_open());
        for handle in open.filter(|handle| handle.purpose != Purpose::Interrupt) {
            assert!(process.is_alive() && handle.target().owner.is_alive());
        }
    }
}

/// A line that is attached has one open handle, others have none; and it can come exactly if it is
/// attached and not masked.
fn interrupts_come_as_they_should(machine: &Machine) {
    let tables = machine.kernel.tables();
    for (line, interrupt) in tables.interrupts.iter().enumerate() {
        let Some(interrupt) = interrupt else { continue };
        assert_eq!(usize::from(interrupt.line), line);
        let handles = tables.handles.iter().flatten();
        let own = handles.filter(|handle| {
            handle.purpose == Purpose::Interrupt && handle.badge() as usize == line
        });
        let open = own.filter(|handle| handle.is_open()).count();
        assert_eq!(open, usize::from(interrupt.is_attached()));
        let comes = machine.lines().enabled >> line & 1 != 0;
        assert_eq!(comes, !interrupt.is_masked(), "line {line}");
        assert!(interrupt.is_attached() || interrupt.is_masked());
        let waits = interrupt.is_attached() && interrupt.is_masked();
        assert!(waits || !interrupt.is_put_off(), "it comes later, or never");
    }
}

fn nothing_is_nowhere(nowhere: &'static Channel) {
    assert_eq!(nowhere.senders().count(), 0);
    assert_eq!(nowhere.receivers().count(), 0);
    assert!(!nowhere.has_notices() && !nowhere.is_idle() && nowhere.bits() == 0);
}

fn deadlines_are_in_order(machine: &Machine) {
    let kernel = machine.kernel;
    let deadlines = kernel.deadlines();
    for (index, deadline) in deadlines.iter().enumerate() {
        let parent = deadlines[index.saturating_sub(1) / 2];
        assert!(parent.at() <= deadline.at(), "deadlines in order");
        assert!(deadline.at().is_some());
    }
    let threads = kernel.tables().threads.iter();
    let with = threads.filter(|thread| thread.deadline().is_some()).count();
    let processes = kernel.tables().processes.iter();
    let timers = processes.flat_map(|process| process.objects.timers);
    let running = timers.filter(|timer| timer.deadline.at().is_some());
    let interrupts = kernel.tables().interrupts.iter().flatten();
    let put_off = interrupts.filter(|interrupt| interrupt.is_put_off());
    assert_eq!(
        with + running.count() + put_off.count(),
        deadlines.len(),
        "who has a deadline is in the heap"
    );
    let earliest = deadlines.first().and_then(|deadline| deadline.at());
    assert!(
        machine.alarm() <= earliest.unwrap_or(u64::MAX) || machine.must_repeat(machine.current()),
        "the clock interrupts in time"
    );
}

fn the_most_urgent_runs(kernel: &Kernel) {
    let current = kernel.current.get();
    if let Some(top) = kernel.ready().iter().map(Thread::priority).next() {
        assert!(
            top <= current.priority(),
            "thread {} at {} runs while one at {top} is ready",
            current.index,
            current.priority()
        );
    }
}

/// No chain of those who wait for a thread leads back to its beginning: for an answer, a lock, an end, or
/// to be received by the only thread of a process.
fn nobody_waits_for_itself(kernel: &Kernel) {
    let threads = kernel.tables().threads;
    for first in threads {
        let waits_for = |thread: &&'static Thread| {
            let sent_to = thread.sending().map(|channel| channel.owner);
            let sole = sent_to.filter(|owner| owner.threads == 1);
            let sole = sole.map(|owner| &threads[usize::from(owner.first_thread)]);
            let known = thread.server().or(thread.lock_owner());
            known.or(thread.joining()).or(sole)
        };
        let chain = std::iter::successors(Some(first), waits_for);
        let count = chain.take(threads.len() + 1).count();
        assert!(
            count <= threads.len(),
            "thread {} waits for itself",
            first.index
        );
    }
}

/// The priorities that follow from who waits for whom, computed from nothing: from the threads'
/// own priorities upwards until nothing changes.
#[must_use]
pub fn naive_priorities(kernel: &Kernel) -> Vec<u8> {
    let threads = kernel.tables().threads;
    let loans = loans(threads);
    let mut priorities: Vec<Option<u8>> = threads
        .iter()
        .map(|thread| {
            let serves = |client: &Thread| {
                client.lends_priority() && client.server().is_some_and(|server| server.is(thread))
            };
            let borrows = threads.iter().any(serves);
            let own = thread.bound().fixed_priority().unwrap_or(thread.base.get());
            (!borrows).then_some(own)
        })
        .collect();
    for _ in threads {
        for (lender, borrower) in &loans {
            let lent = priorities[usize::from(*lender)];
            let priority = &mut priorities[usize::from(*borrower)];
            *priority = (*priority).max(lent);
        }
    }
    priorities
        .into_iter()
        .map(|priority| priority.unwrap_or(0))
        .collect()
}

/// Who lends to whom: (lender, borrower).
fn loans(threads: &'static [Thread]) -> Vec<(u8, u8)> {
    let lends = |(client, _): &(u8, u8)| {
        let client = &threads[usize::from(*client)];
        let fixed = client.sending().and_then(Channel::fixed_priority);
        fixed.is_none() && client.lends_priority()
    };
    pairs(threads).into_iter().filter(lends).collect()
}

/// Who waits for whom: (waiter, the one that it waits for). Whose message waits at a channel waits for its
/// only receiver, or for those that serve a client of the channel.
fn pairs(threads: &'static [Thread]) -> Vec<(u8, u8)> {
    let mut pairs = Vec::new();
    for client in threads {
        let known = client.server().or(client.lock_owner());
        let known = known.or(client.joining());
        pairs.extend(known.map(|other| (client.index, other.index)));
        if let Some(channel) = client.sending() {
            let receivers = threads.iter().filter(|server| server.bound().is(channel));
            let servers = receivers
                .filter(|server| channel.has_one_receiver() || server.serves_its_channel());
            pairs.extend(servers.map(|server| (client.index, server.index)));
        }
    }
    pairs
}

/// Whether a chain of pairs leads from one thread to another.
fn reaches(pairs: &[(u8, u8)], from: u8, to: u8) -> bool {
    let mut reached = vec![from];
    let mut index = 0;
    while let Some(&here) = reached.get(index) {
        for (_, next) in pairs.iter().filter(|(first, _)| *first == here) {
            if *next == to {
                return true;
            }
            if !reached.contains(next) {
                reached.push(*next);
            }
        }
        index += 1;
    }
    false
}
