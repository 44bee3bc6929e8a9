//! Many threads at many words: who waits where, in which order, and how far it is to find them.

use std::collections::BTreeMap;

use riposte_abi::Error;
use riposte_kernel::{State, Thread, Word};
use riposte_model::{Call, Machine, System, ThreadId, ram};

const THREADS: usize = 48;
const WORDS: u32 = 24;
const FIRST: u32 = 0x800;

/// Those who wait, by word, first to last.
type Lines = BTreeMap<u32, Vec<ThreadId>>;

/// The same numbers in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u32) -> u32 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) as u32 % limit
    }
}

/// A driver that is less urgent than all others.
fn crowd() -> (System, ThreadId, Vec<ThreadId>) {
    let mut system = System::new();
    let process = system.process();
    let driver = system.thread(process, 1);
    let priority = |index: usize| 2 + (index * 7 % 29) as u8;
    let threads = (0..THREADS).map(|index| system.thread(process, priority(index)));
    let threads = threads.collect();
    (system, driver, threads)
}

fn word(number: u32) -> u32 {
    ram(0).base + FIRST + number * 4
}

fn insert(m: &Machine, lines: &mut Lines, at: u32, thread: ThreadId) {
    let line = lines.entry(at).or_default();
    let urgent = m.priority(thread);
    let place = line.iter().position(|other| m.priority(*other) < urgent);
    line.insert(place.unwrap_or(line.len()), thread);
}

/// All but the driver wait at words.
fn all_wait(m: &mut Machine, driver: ThreadId, numbers: &mut Numbers, lines: &mut Lines) {
    while m.current() != driver {
        let thread = m.current();
        let at = word(numbers.below(WORDS));
        let call = Call::futex_wait(at, 0);
        let until = m.now() + 1 + u64::from(numbers.below(50));
        let call = if numbers.below(3) == 0 {
            call.deadline(until)
        } else {
            call
        };
        m.call(thread, call);
        assert_eq!(m.state(thread), State::FutexBlocked);
        insert(m, lines, at, thread);
    }
}

fn compare(m: &Machine, lines: &Lines) {
    let found: Vec<Vec<u8>> = m
        .kernel
        .words()
        .iter()
        .map(|line| line.iter().map(|thread| thread.index).collect())
        .collect();
    let expected: Vec<Vec<u8>> = lines
        .values()
        .filter(|line| !line.is_empty())
        .map(|line| line.iter().map(|thread| thread.0 as u8).collect())
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn waits_wakes_moves_and_deadlines_agree_with_lists_that_are_searched() {
    let (system, driver, _) = crowd();
    for fast in [true, false] {
        let mut m = system.start(fast);
        let (mut numbers, mut lines) = (Numbers(7), Lines::new());
        all_wait(&mut m, driver, &mut numbers, &mut lines);
        for _ in 0..600 {
            let (from, to) = (word(numbers.below(WORDS)), word(numbers.below(WORDS)));
            let most = numbers.below(4);
            match numbers.below(4) {
                0 => {
                    let time = m.now() + u64::from(numbers.below(30));
                    m.advance_to(time);
                    let waits = |thread: &ThreadId| m.state(*thread) == State::FutexBlocked;
                    lines.values_mut().for_each(|line| line.retain(waits));
                }
                1 if from != to => {
                    m.call(driver, Call::futex_requeue(from, 0, 0, to, most));
                    let line = lines.entry(from).or_default();
                    let moved: Vec<_> = line.drain(..line.len().min(most as usize)).collect();
                    for thread in moved {
                        insert(&m, &mut lines, to, thread);
                    }
                }
                _ => {
                    m.call(driver, Call::futex_wake(from, most));
                    let line = lines.entry(from).or_default();
                    line.drain(..line.len().min(most as usize));
                }
            }
            compare(&m, &lines);
            all_wait(&mut m, driver, &mut numbers, &mut lines);
            compare(&m, &lines);
        }
    }
}

#[test]
fn a_lock_goes_from_hand_to_hand_in_order_with_all_who_wait_for_it() {
    let (system, driver, threads) = crowd();
    for fast in [true, false] {
        let mut m = system.start(fast);
        let lock = word(0);
        let start = m.now();
        for _ in &threads {
            let thread = m.current();
            m.call(thread, Call::sleep(start + 100));
        }
        assert_eq!(m.answer_to(driver, Call::lock(lock)).error(), None);
        m.call(driver, Call::sleep(start + 200));
        m.advance_to(start + 100);
        let mut waiting = Vec::new();
        while m.current() != m.idle() {
            let thread = m.current();
            m.call(thread, Call::lock(lock));
            waiting.push(thread);
            let top = waiting.iter().map(|thread| m.thread(*thread).priority());
            assert_eq!(m.priority(driver), top.max().expect("somebody"));
        }
        assert_eq!(waiting.len(), threads.len());
        m.advance_to(start + 200);
        let locks = m.kernel.locks();
        let found: Vec<u8> = locks.iter().flatten().map(|thread| thread.index).collect();
        let expected: Vec<u8> = waiting.iter().map(|thread| thread.0 as u8).collect();
        assert_eq!((locks.len(), found), (1, expected), "in order of priority");
        m.call(driver, Call::unlock(lock));
        for (index, owner) in waiting.iter().enumerate() {
            assert_eq!(m.current(), *owner);
            let rest = line(&m, &waiting[index + 1..]);
            let owners = rest.iter().map(|thread| m.kernel.lock_owner(thread));
            for found in owners {
                assert!(found.is_some_and(|found| found.is(m.thread(*owner))));
            }
            m.call(*owner, Call::unlock(lock));
            m.call(*owner, Call::sleep(u64::MAX));
        }
        assert_eq!(m.current(), driver);
        assert_eq!(m.host.peek_word(lock), 0);
    }
}

fn line(m: &Machine, threads: &[ThreadId]) -> Vec<&'static Thread> {
    threads.iter().map(|thread| m.thread(*thread)).collect()
}

/// What an attacker would wait at to make the way long: words anywhere in its memory whose bits agree with
/// those of a first one as far as possible.
fn agreeing(count: usize) -> Vec<u32> {
    let bits = |address: u32| address.wrapping_mul(0x9E37_79B1);
    let memory = ram(0);
    let words = (memory.base + FIRST..memory.base + memory.size).step_by(4);
    let first = word(0);
    let mut words: Vec<u32> = words.collect();
    words.sort_by_key(|address| std::cmp::Reverse((bits(*address) ^ bits(first)).leading_zeros()));
    words.truncate(count);
    // Those that agree least come first, and stand above the others.
    words.reverse();
    words
}

#[test]
fn the_way_to_a_word_is_short_wherever_an_attacker_waits() {
    let (system, driver, threads) = crowd();
    let mut m = system.start(false);
    let mut words = agreeing(threads.len()).into_iter();
    while m.current() != driver {
        let thread = m.current();
        let at = words.next().expect("a word each");
        m.call(thread, Call::futex_wait(at, m.host.peek_word(at)));
    }
    let waiting: Vec<_> = m.kernel.words();
    assert_eq!(waiting.len(), threads.len(), "a word each");
    let depth = m.kernel.depth_of_words();
    assert!(depth <= 16, "{depth} steps for {} words", threads.len());
    for line in waiting {
        let address = line[0].word().map(Word::address).expect("it waits");
        let process_sees = address.wrapping_sub(ram(0).machine(0));
        assert_eq!(
            m.answer_to(driver, Call::futex_wake(process_sees, 1))
                .error(),
            None::<Error>
        );
        while m.current() != driver {
            let thread = m.current();
            m.call(thread, Call::sleep(u64::MAX));
        }
    }
    assert!(m.kernel.words().is_empty());
}
