//! What the state before a step promises of semaphores and locks: no unit is lost or comes from nothing,
//! nobody waits while there are units, and whoever is next gets what is given back.

use riposte_abi::{
    call::number,
    lock, register,
    semaphore::{MAX_UNITS, WAITERS},
};
use riposte_kernel::{Access, State, Thread};
use riposte_model::{Machine, ThreadId, shared};

use crate::{step::Step, world::Words};

/// Those who wait for something, the next one first, each in the life in which it does.
type Line = Vec<(&'static Thread, u32)>;

/// What is known before a step.
pub struct Before {
    units: u32,
    takers: Line,
    locks: Vec<(u32, Line)>,
}

/// Where the kernel sees a word.
fn key(word: u32) -> u32 {
    shared(0, Access::ReadWrite).machine(word)
}

fn by_urgency(mut threads: Vec<&'static Thread>) -> Line {
    threads.sort_by_key(|thread| std::cmp::Reverse(thread.priority()));
    threads
        .iter()
        .map(|thread| (*thread, thread.id()))
        .collect()
}

/// Who waits for a unit. Among equals the list says who came first.
fn takers(machine: &Machine, words: &Words) -> Line {
    let lists = machine.kernel.words().iter();
    let at = |thread: &&'static Thread| thread.key() == key(words.semaphore);
    by_urgency(lists.flat_map(|list| list.iter()).filter(at).collect())
}

fn lockers(machine: &Machine, lock: u32) -> Line {
    let threads = machine.kernel.tables().threads.iter();
    let lockers = threads.flat_map(Thread::lockers);
    by_urgency(lockers.filter(|locker| locker.key() == key(lock)).collect())
}

/// Looks at the state before a step.
#[must_use]
pub fn before(machine: &Machine) -> Before {
    let words = Words::of(0);
    let lock = |lock: &u32| (machine.host.peek_word(*lock), lockers(machine, *lock));
    Before {
        units: machine.host.peek_word(words.semaphore),
        takers: takers(machine, &words),
        locks: words.locks.iter().map(lock).collect(),
    }
}

/// Whether a thread is still in the life that it was in.
fn lives((thread, id): &(&'static Thread, u32)) -> bool {
    thread.id() == *id && thread.state() != State::Stopped
}

impl Before {
    /// Compares with the state after it.
    ///
    /// # Panics
    /// They do not agree.
    pub fn after(&self, machine: &Machine, step: &Step) {
        let words = Words::of(0);
        self.units_are_kept(machine, &words, step);
        for (lock, (word, line)) in words.locks.into_iter().zip(&self.locks) {
            lock_is_handed_on(machine, lock, *word, line);
        }
    }

    fn units_are_kept(&self, machine: &Machine, words: &Words, step: &Step) {
        let word = machine.host.peek_word(words.semaphore);
        let gives = matches!(step, Step::Call { call, .. }
            if call.registers[register::CALL] == number::FUTEX_GIVE);
        let stores = matches!(step, Step::Store { .. });
        let next = self.takers.first().filter(|_| gives);
        for taker in self.takers.iter().filter(|taker| lives(taker)) {
            let answer = machine.answer(ThreadId(taker.0.index.into()));
            let has = answer.is_some_and(|answer| answer.error().is_none());
            let is_next = next.is_some_and(|next| next.0.is(taker.0));
            assert_eq!(
                has, is_next,
                "a unit is for the most urgent, the first of equals"
            );
        }
        let expected = match (gives, next) {
            (true, None) => (self.units & MAX_UNITS) + 1,
            _ => self.units,
        };
        assert!(stores || word == expected, "{word:x}, not {expected:x}");
        let waits = !takers(machine, words).is_empty();
        assert!(!waits || word == WAITERS, "it waits, and there is a unit");
    }
}

/// The word of a lock names the thread for which the kernel lets others wait, and says that they do. If
/// that one has given it back, or is no more, the lock is the next one's, who knows which of both it was.
fn lock_is_handed_on(machine: &Machine, lock: u32, before: u32, line: &Line) {
    let word = machine.host.peek_word(lock);
    let owner = word & lock::OWNER_MASK;
    for (locker, _) in lockers(machine, lock) {
        let named = locker.lock_owner().map(Thread::id);
        assert_eq!(
            named,
            Some(owner),
            "thread {} waits for another",
            locker.index
        );
        assert_ne!(
            word & lock::WAITERS,
            0,
            "thread {} is forgotten",
            locker.index
        );
    }
    let Some((first, id)) = line.iter().find(|locker| lives(locker)) else {
        return;
    };
    if owner == before & lock::OWNER_MASK {
        return;
    }
    let was = before & lock::OWNER_MASK;
    let mut threads = machine.kernel.tables().threads.iter();
    let left = threads.any(|thread| lives(&(thread, was)));
    let died = before & lock::OWNER_DIED | if left { 0 } else { lock::OWNER_DIED };
    assert_eq!(owner, *id, "it is the next one's");
    assert_eq!(word & lock::OWNER_DIED, died, "whether its owner died");
    let answer = machine.answer(ThreadId(first.index.into()));
    let told = answer.expect("it has the lock").word();
    assert_eq!(told, u32::from(died != 0), "it is told so");
}
