//! Futexes: waiting at words, in one process and between several.

use riposte_abi::{
    Error,
    semaphore::{MAX_UNITS, WAITERS},
    thread::policy,
};
use riposte_kernel::{Access, OnEnd, State};
use riposte_model::{
    Call, Machine, ProcessId, System, ThreadId, both_paths, check, code, device, pages, ram, shared,
};

/// A word of the first process.
const WORD: u32 = 0x800;

fn word() -> u32 {
    ram(0).base + WORD
}

/// A process of threads with these priorities.
fn threads<const N: usize>(priorities: [u8; N]) -> (System, [ThreadId; N]) {
    let mut system = System::new();
    let process = system.process();
    let threads = priorities.map(|priority| system.thread(process, priority));
    (system, threads)
}

fn waits(m: &mut Machine, thread: ThreadId, address: u32) {
    let value = m.host.peek_word(address);
    m.call(thread, Call::futex_wait(address, value));
    assert_eq!(m.state(thread), State::FutexBlocked);
}

fn wakes(m: &mut Machine, thread: ThreadId, address: u32, most: u32) -> u32 {
    m.call(thread, Call::futex_wake(address, most));
    m.answer(thread).map_or(u32::MAX, |answer| answer.word())
}

#[test]
fn who_waits_is_woken_and_not_before() {
    let (system, [waiter, waker]) = threads([10, 5]);
    both_paths(&system, |m| {
        waits(m, waiter, word());
        m.advance(1_000_000);
        assert_eq!(m.state(waiter), State::FutexBlocked);
        m.call(waker, Call::futex_wake(word(), 1));
        assert_eq!(m.current(), waiter, "the more urgent one runs at once");
        let answer = m.answer(waiter).unwrap();
        assert_eq!((answer.error(), answer.word()), (None, 0));
        waits(m, waiter, word());
        assert_eq!(m.answer(waker).unwrap().word(), 1, "how many were woken");
    });
}

#[test]
fn a_less_urgent_waiter_is_woken_without_a_switch() {
    let (system, [waker, waiter]) = threads([10, 5]);
    both_paths(&system, |m| {
        m.call(waker, Call::sleep(5000));
        waits(m, waiter, word());
        m.advance_to(5000);
        assert_eq!(wakes(m, waker, word(), 1), 1);
        assert_eq!(m.current(), waker);
        assert_eq!(m.state(waiter), State::Ready);
        assert_eq!(wakes(m, waker, word(), 1), 0, "nobody waits any more");
    });
}

#[test]
fn waiters_are_woken_in_order_of_priority_and_of_arrival_within_one() {
    let (system, [low, first, second, high, waker]) = threads([6, 8, 8, 9, 7]);
    both_paths(&system, |m| {
        // The waker is kept away until all wait.
        m.call(high, Call::sleep(5000));
        waits(m, first, word());
        waits(m, second, word());
        m.call(waker, Call::sleep(6000));
        waits(m, low, word());
        m.advance_to(5000);
        waits(m, high, word());
        m.advance_to(6000);
        for next in [high, first, second] {
            m.call(waker, Call::futex_wake(word(), 1));
            assert_eq!(m.current(), next);
            m.call(next, Call::sleep(9000));
        }
        assert_eq!(wakes(m, waker, word(), 9), 1);
        assert_eq!(m.state(low), State::Ready);
    });
}

#[test]
fn a_wake_wakes_no_more_than_it_says() {
    let (system, [waker, first, second, third]) = threads([9, 8, 8, 8]);
    both_paths(&system, |m| {
        m.call(waker, Call::sleep(5000));
        for thread in [first, second, third] {
            waits(m, thread, word());
        }
        m.advance_to(5000);
        assert_eq!(wakes(m, waker, word(), 0), 0);
        assert_eq!(wakes(m, waker, word(), 2), 2);
        assert_eq!(m.state(third), State::FutexBlocked);
        assert_eq!(wakes(m, waker, word(), u32::MAX), 1);
    });
}

#[test]
fn a_wake_of_nobody_wakes_nobody() {
    let (system, [waiter, waker]) = threads([9, 8]);
    both_paths(&system, |m| {
        m.call(waiter, Call::futex_wait(word(), 0));
        assert_eq!(wakes(m, waker, word(), 0), 0);
        assert_eq!(m.state(waiter), State::FutexBlocked);
    });
}

#[test]
fn a_word_that_holds_something_else_is_not_waited_at() {
    let (system, [thread, _]) = threads([9, 8]);
    both_paths(&system, |m| {
        m.host.poke_word(word(), 3);
        let refused = m.refused(thread, Call::futex_wait(word(), 4));
        assert_eq!(refused, Error::WouldBlock);
    });
}

#[test]
fn rule_23_a_wait_ends_with_its_deadline_and_does_not_block_with_deadline_0() {
    let (system, [thread, _]) = threads([9, 8]);
    both_paths(&system, |m| {
        let wait = Call::futex_wait(word(), 0);
        assert_eq!(m.refused(thread, wait.deadline(0)), Error::WouldBlock);
        let now = m.now();
        assert_eq!(m.refused(thread, wait.deadline(now)), Error::TimedOut);
        m.call(thread, wait.deadline(now + 100));
        m.advance(99);
        assert_eq!(m.state(thread), State::FutexBlocked);
        m.advance(1);
        let error = m.answer(thread).unwrap().error();
        assert_eq!(error, Some(Error::TimedOut));
        // It is on no list any more.
        assert_eq!(wakes(m, thread, word(), 1), 0);
    });
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no lent memory")]
fn a_word_must_be_aligned_and_the_process_s_own_to_write() {
    let mut system = System::new();
    let process = system.process();
    let other = system.process();
    let thread = system.thread(process, 9);
    system.thread(other, 8);
    system.pages(process, 1);
    both_paths(&system, |m| {
        let ram = ram(0);
        let foreign = riposte_model::ram(1).base + WORD;
        for (address, error) in [
            (word() + 1, Error::BadArgument),
            (word() + 2, Error::BadArgument),
            (foreign, Error::BadAddress),
            (0, Error::BadAddress),
            (u32::MAX - 3, Error::BadAddress),
            (device(0).base, Error::BadAddress),
            (ram.base - 4, Error::BadAddress),
            // What may be lent goes away.
            (pages(0).base, Error::BadAddress),
            (shared(0, Access::Read).base, Error::BadAddress),
        ] {
            for call in [
                Call::futex_wait(address, 0),
                Call::futex_wake(address, 1),
                Call::futex_requeue(address, 0, 1, word(), 1),
                Call::futex_requeue(word(), 0, 1, address, 1),
                Call::lock(address),
                Call::unlock(address),
            ] {
                assert_eq!(m.refused(thread, call), error, "{call:x?}");
            }
        }
        // Constants are no words to wait at, and no locks.
        for call in [
            Call::futex_wait(code(0).base, 0xC0C0_C0C0),
            Call::lock(code(0).base),
            Call::futex_wake(code(0).base, 1),
            Call::futex_requeue(code(0).base, 0xC0C0_C0C0, 1, word(), 1),
            Call::futex_requeue(word(), 0, 1, code(0).base, 1),
        ] {
            assert_eq!(m.refused(thread, call), Error::BadAddress);
        }
    });
}

#[test]
fn unknown_flags_are_refused() {
    let (system, [thread, _]) = threads([9, 8]);
    both_paths(&system, |m| {
        for call in [
            Call::futex_wake(word(), 1).deadline(9),
            Call::futex_requeue(word(), 0, 1, word() + 4, 1).deadline(9),
            Call::unlock(word()).deadline(9),
            Call::futex_wait(word(), 0).room_in_parts(0, 0),
            Call::lock(word()).room_in_parts(0, 0),
        ] {
            assert_eq!(m.refused(thread, call), Error::BadArgument);
        }
    });
}

#[test]
fn words_do_not_disturb_each_other() {
    let (system, [waker, first, second]) = threads([9, 8, 8]);
    both_paths(&system, |m| {
        for offset in (4..0x400).step_by(4) {
            m.call(waker, Call::sleep(m.now() + 10));
            waits(m, first, word());
            waits(m, second, word() + offset);
            m.advance(10);
            assert_eq!(wakes(m, waker, word() + offset, 5), 1);
            assert_eq!(m.state(second), State::Ready);
            assert_eq!(wakes(m, waker, word(), 5), 1);
        }
    });
}

#[test]
fn a_requeue_wakes_some_and_lets_others_wait_elsewhere() {
    let (system, [waker, first, second, third, fourth]) = threads([9, 8, 7, 8, 6]);
    let other = word() + 0x40;
    both_paths(&system, |m| {
        m.call(waker, Call::sleep(5000));
        for thread in [first, third, second, fourth] {
            waits(m, thread, word());
        }
        m.advance_to(5000);
        let answer = m.answer_to(waker, Call::futex_requeue(word(), 0, 1, other, 2));
        assert_eq!(answer.words()[..2], [1, 2]);
        assert_eq!(m.state(first), State::Ready);
        assert_eq!(wakes(m, waker, word(), 9), 1, "one is left");
        assert_eq!(m.state(fourth), State::Ready);
        assert_eq!(wakes(m, waker, other, 1), 1);
        assert_eq!(m.state(third), State::Ready, "the more urgent one first");
        assert_eq!(wakes(m, waker, other, 1), 1);
    });
}

#[test]
fn a_requeue_of_a_changed_word_or_to_itself_is_refused() {
    let (system, [waker, waiter]) = threads([9, 8]);
    both_paths(&system, |m| {
        m.call(waker, Call::sleep(5000));
        waits(m, waiter, word());
        m.advance_to(5000);
        for (call, error) in [
            (
                Call::futex_requeue(word(), 1, 1, word() + 4, 1),
                Error::WouldBlock,
            ),
            (
                Call::futex_requeue(word(), 0, 0, word(), u32::MAX),
                Error::BadArgument,
            ),
        ] {
            assert_eq!(m.refused(waker, call), error);
        }
        assert_eq!(wakes(m, waker, word(), 1), 1);
    });
}

#[test]
fn a_waiter_s_deadline_stays_when_it_is_requeued() {
    let (system, [waker, waiter]) = threads([9, 8]);
    both_paths(&system, |m| {
        m.call(waker, Call::sleep(5000));
        m.call(waiter, Call::futex_wait(word(), 0).deadline(6000));
        m.advance_to(5000);
        m.call(waker, Call::futex_requeue(word(), 0, 0, word() + 4, 1));
        m.call(waker, Call::sleep(9000));
        m.advance_to(6000);
        assert_eq!(m.answer(waiter).unwrap().error(), Some(Error::TimedOut));
        m.advance_to(9000);
        assert_eq!(wakes(m, waker, word() + 4, 1), 0);
        // And is over if it is woken there.
        m.call(waker, Call::sleep(10_000));
        m.call(waiter, Call::futex_wait(word(), 0).deadline(20_000));
        m.advance_to(10_000);
        m.call(waker, Call::futex_requeue(word(), 0, 0, word() + 4, 1));
        assert_eq!(wakes(m, waker, word() + 4, 1), 1);
        m.call(waker, Call::sleep(30_000));
        assert_eq!(m.answer(waiter).unwrap().error(), None);
        m.call(waiter, Call::futex_wait(word(), 0));
        m.advance_to(29_000);
        assert_eq!(m.state(waiter), State::FutexBlocked);
    });
}

#[test]
fn the_deadline_of_a_waiter_that_is_woken_is_over() {
    let (system, [waiter, waker]) = threads([9, 8]);
    both_paths(&system, |m| {
        let until = m.now() + 100;
        m.call(waiter, Call::futex_wait(word(), 0).deadline(until));
        m.call(waker, Call::futex_wake(word(), 1));
        assert_eq!(m.answer(waiter).unwrap().error(), None);
        m.call(waiter, Call::futex_wait(word(), 0));
        m.advance(200);
        assert_eq!(m.state(waiter), State::FutexBlocked);
    });
}

#[test]
fn words_that_are_named_in_turn_are_told_apart() {
    let (system, [waiter, waker]) = threads([9, 8]);
    both_paths(&system, |m| {
        let (here, there) = (word(), word() + 4);
        for (waits_at, woken_first) in [(here, there), (here, here), (there, here), (here, there)] {
            waits(m, waiter, waits_at);
            let woken = wakes(m, waker, woken_first, 1);
            assert_eq!(woken, u32::from(woken_first == waits_at));
            if woken == 0 {
                assert_eq!(wakes(m, waker, waits_at, 1), 1);
            }
            assert_eq!(m.current(), waiter);
        }
        m.host.poke_word(here, 3);
        assert_eq!(
            m.refused(waiter, Call::futex_wait(here, 0)),
            Error::WouldBlock
        );
    });
}

#[test]
fn threads_wait_and_wake_as_before_when_turns_begin() {
    let (system, [waiter, waker]) = threads([9, 8]);
    both_paths(&system, |m| {
        for round in 0..4 {
            waits(m, waiter, word());
            assert_eq!(wakes(m, waker, word(), 1), 1);
            if round == 1 {
                m.call(waiter, Call::schedule(0, 9, policy::ROUND_ROBIN));
            }
            check::consistent(m);
        }
    });
}

#[test]
fn a_word_at_which_a_thread_has_never_waited_is_none_that_it_knows() {
    let (system, [waker, waiter]) = threads([10, 5]);
    both_paths(&system, |m| {
        let start = m.now();
        m.call(waker, Call::sleep(start + 5000));
        waits(m, waiter, word());
        m.advance_to(start + 5000);
        // The waiter is ready, and next to run. The caller has never waited.
        assert_eq!(wakes(m, waker, word(), 1), 1);
        for expected in [0, 1, m.host.peek_word(word())] {
            let call = Call::futex_wait(0, expected);
            assert_eq!(m.refused(waker, call), Error::BadAddress);
        }
    });
}

/// Two processes of one thread each that share memory.
fn sharing() -> (System, [ProcessId; 2], [ThreadId; 2]) {
    let mut system = System::new();
    let processes = [0; 2].map(|_| system.process());
    let threads = [9, 8].map(|priority| {
        let process = processes[usize::from(9 - priority)];
        system.on_end(process, OnEnd::Restart);
        system.thread(process, priority)
    });
    for process in processes {
        system.share(process, Access::Shared);
    }
    (system, processes, threads)
}

#[test]
fn processes_meet_at_a_word_that_they_share_wherever_they_see_it() {
    let (system, _, [waker, waiter]) = sharing();
    both_paths(&system, |m| {
        let [here, there] = [0, 1].map(|process| shared(process, Access::Read).base + 8);
        m.call(waker, Call::sleep(5000));
        m.host.poke_word(here, 77);
        m.call(waiter, Call::futex_wait(there, 77));
        assert_eq!(m.state(waiter), State::FutexBlocked);
        m.advance_to(5000);
        assert_eq!(wakes(m, waker, here, 1), 1);
    });
}

/// As [`sharing`], with two threads each: the writer, who waits with it, the reader, and its companion.
fn shared_waiter() -> (System, [ThreadId; 4]) {
    let mut system = System::new();
    let [writing, reading] = [0; 2].map(|_| system.process());
    let writer = system.thread(writing, 7);
    let waiter = system.thread(writing, 9);
    let reader = system.thread(reading, 8);
    let private = system.thread(reading, 10);
    system.share(writing, Access::Shared);
    system.share(reading, Access::Read);
    (system, [writer, waiter, reader, private])
}

#[test]
fn who_may_only_read_a_word_wakes_nobody_there_and_moves_nobody_away() {
    let (system, [writer, waiter, reader, private]) = shared_waiter();
    both_paths(&system, |m| {
        let [here, there] = [0, 1].map(|process| shared(process, Access::Read).base + 8);
        let own = ram(1).base + WORD;
        m.call(private, Call::sleep(1_000_000));
        for value in [0, WAITERS] {
            m.host.poke_word(here, value);
            waits(m, waiter, here);
            for call in [
                Call::futex_wait(there, value),
                Call::lock(there),
                Call::futex_wake(there, 1),
                Call::futex_give(there),
                Call::futex_requeue(there, value, 0, own, 9),
                Call::futex_requeue(there, value, 1, there + 4, 9),
                Call::futex_requeue(own, 0, 0, there, 9),
            ] {
                assert_eq!(m.refused(reader, call), Error::BadAddress, "{call:x?}");
            }
            assert_eq!(m.host.peek_word(here), value, "no unit comes from it");
            m.call(reader, Call::sleep(m.now() + 100));
            m.call(writer, Call::futex_wake(here, 1));
            assert_eq!(m.current(), waiter, "who may write wakes it");
            m.advance(100);
        }
    });
}

#[test]
fn a_requeue_leaves_waiters_where_everybody_who_could_wake_them_still_can() {
    let (system, [writer, waiter, reader, private]) = shared_waiter();
    both_paths(&system, |m| {
        let region = shared(0, Access::Read).base;
        let own = ram(0).base + WORD;
        m.call(private, Call::sleep(1_000_000));
        waits(m, waiter, region);
        m.call(reader, Call::sleep(1_000_000));
        for (from, to) in [(region, own), (own, region)] {
            let call = Call::futex_requeue(from, 0, 0, to, 1);
            assert_eq!(m.refused(writer, call), Error::BadAddress);
        }
        let moves = Call::futex_requeue(region, 0, 0, region + 4, 1);
        assert_eq!(m.answer_to(writer, moves).words()[..2], [0, 1]);
        m.call(writer, Call::futex_wake(region + 4, 1));
        assert_eq!(m.current(), waiter);
        waits(m, waiter, own);
        let moves = Call::futex_requeue(own, 0, 0, own + 4, 1);
        assert_eq!(m.answer_to(writer, moves).words()[..2], [0, 1]);
    });
}

#[test]
fn another_process_wakes_who_waits_at_a_shared_word() {
    let (system, _, [waker, waiter]) = sharing();
    let mut m = system.start(true);
    let [here, there] = [0, 1].map(|process| shared(process, Access::Read).base + 8);
    m.call(waker, Call::sleep(5000));
    m.call(waiter, Call::futex_wait(there, 0));
    m.advance_to(5000);
    assert_eq!(wakes(&mut m, waker, here, 1), 1);
    assert_eq!(m.state(waiter), State::Ready);
}

#[test]
fn the_end_of_a_process_ends_the_waits_of_its_threads() {
    let mut system = System::new();
    let process = system.process();
    system.on_end(process, OnEnd::Restart);
    let main = system.thread(process, 9);
    let other = system.thread(process, 8);
    both_paths(&system, |m| {
        m.call(main, Call::sleep(5000));
        m.call(other, Call::futex_wait(word(), 0).deadline(7000));
        m.advance_to(5000);
        let before = m.thread(main).id();
        m.fault(main);
        assert_eq!(m.current(), main);
        assert_ne!(m.thread(main).id(), before, "another life, another id");
        assert_eq!(wakes(m, main, word(), 1), 0);
    });
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no holding")]
fn a_held_process_waits_on_and_takes_its_wake() {
    let mut system = System::new();
    let process = system.process();
    let other = system.process();
    system.on_end(process, OnEnd::Hold);
    let main = system.thread(process, 9);
    let waiter = system.thread(process, 8);
    let waker = system.thread(other, 7);
    for process in [process, other] {
        system.share(process, Access::Shared);
    }
    both_paths(&system, |m| {
        let [here, there] = [0, 1].map(|process| shared(process, Access::Read).base);
        m.call(main, Call::sleep(5000));
        waits(m, waiter, here);
        m.advance_to(5000);
        m.fault(main);
        assert_eq!(m.state(waiter), State::FutexBlocked);
        assert_eq!(wakes(m, waker, there, 1), 1);
        assert_eq!(m.state(waiter), State::Stopped, "it does not run");
        assert_eq!(m.current(), waker);
    });
}

/// `thread` waits for a unit of the semaphore at `address`, as the library has it wait.
fn takes(m: &mut Machine, thread: ThreadId, address: u32) {
    m.run(thread);
    m.host.poke_word(address, WAITERS);
    waits(m, thread, address);
}

#[test]
fn a_unit_that_is_given_goes_to_who_waits_and_not_to_the_word() {
    let (system, [waiter, giver]) = threads([10, 5]);
    both_paths(&system, |m| {
        takes(m, waiter, word());
        m.call(giver, Call::futex_give(word()));
        assert_eq!(m.current(), waiter, "the more urgent one runs at once");
        assert_eq!(m.answer(waiter).unwrap().error(), None);
        assert_eq!(m.host.peek_word(word()), WAITERS);
        waits(m, waiter, word());
        assert_eq!(m.answer(giver).unwrap().word(), 1, "how many were woken");
    });
}

#[test]
fn a_unit_that_nobody_waits_for_is_added_to_the_word_as_long_as_there_is_room() {
    let (system, [giver]) = threads([10]);
    both_paths(&system, |m| {
        for (before, after) in [
            (0, 1),
            (WAITERS, 1),
            (41, 42),
            (WAITERS | 41, 42),
            (MAX_UNITS - 1, MAX_UNITS),
        ] {
            m.host.poke_word(word(), before);
            assert_eq!(m.answer_to(giver, Call::futex_give(word())).word(), 0);
            assert_eq!(m.host.peek_word(word()), after);
        }
        for full in [MAX_UNITS, WAITERS | MAX_UNITS] {
            m.host.poke_word(word(), full);
            let error = m.refused(giver, Call::futex_give(word()));
            assert_eq!(error, Error::WouldBlock);
            assert_eq!(m.host.peek_word(word()), full);
        }
    });
}

#[test]
fn units_go_to_the_most_urgent_waiter_one_at_a_time_whether_it_has_a_deadline_or_not() {
    let (system, [first, second, third, giver]) = threads([8, 9, 10, 20]);
    both_paths(&system, |m| {
        m.call(giver, Call::sleep(5000));
        for (thread, deadline) in [(third, None), (second, Some(6000)), (first, None)] {
            m.host.poke_word(word(), WAITERS);
            let call = Call::futex_wait(word(), WAITERS);
            m.call(thread, deadline.map_or(call, |at| call.deadline(at)));
        }
        m.advance_to(5000);
        for (given, waiter) in [third, second, first].into_iter().enumerate() {
            assert_eq!(m.state(waiter), State::FutexBlocked, "after {given}");
            assert_eq!(m.answer_to(giver, Call::futex_give(word())).word(), 1);
            assert_eq!(m.state(waiter), State::Ready);
        }
        assert_eq!(m.host.peek_word(word()), WAITERS);
        assert_eq!(m.answer_to(giver, Call::futex_give(word())).word(), 0);
        assert_eq!(m.host.peek_word(word()), 1);
    });
}

#[test]
fn a_semaphore_is_aligned_and_the_process_s_own_to_write() {
    let (system, [giver]) = threads([10]);
    both_paths(&system, |m| {
        for (address, error) in [
            (word() + 2, Error::BadArgument),
            (code(0).base, Error::BadAddress),
            (device(0).base, Error::BadAddress),
            (ram(1).base, Error::BadAddress),
            (u32::MAX - 3, Error::BadAddress),
        ] {
            assert_eq!(m.refused(giver, Call::futex_give(address)), error);
        }
        let mut call = Call::futex_give(word());
        call.registers[riposte_abi::register::INFO] = 1;
        assert_eq!(m.refused(giver, call), Error::BadArgument);
    });
}

#[test]
fn a_unit_is_given_to_another_process() {
    let (system, _, [giver, waiter]) = sharing();
    let mut m = system.start(true);
    let [here, there] = [0, 1].map(|process| shared(process, Access::Read).base + 8);
    m.host.poke_word(here, WAITERS);
    m.call(giver, Call::sleep(5000));
    m.call(waiter, Call::futex_wait(there, WAITERS));
    m.advance_to(5000);
    assert_eq!(m.answer_to(giver, Call::futex_give(here)).word(), 1);
    assert_eq!(m.state(waiter), State::Ready);
    assert_eq!(m.answer_to(giver, Call::futex_give(here)).word(), 0);
    assert_eq!(m.host.peek_word(here), 1);
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no turns")]
fn rule_15_an_adaptive_thread_that_is_woken_at_a_word_drops_when_its_slice_is_over() {
    let mut system = System::new();
    system.slice(1000);
    let process = system.process();
    let woken = system.adaptive_thread(process, 12);
    let waker = system.thread(process, 5);
    both_paths(&system, |m| {
        let word = ram(process.0).base + 0x800;
        m.call(woken, Call::futex_wait(word, 0));
        m.call(waker, Call::futex_wake(word, 1));
        m.advance(999);
        assert_eq!((m.current(), m.priority(woken)), (woken, 12));
        m.advance(1);
        assert_eq!((m.current(), m.priority(woken)), (woken, 11));
    });
}
