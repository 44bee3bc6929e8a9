//! Timers: rule 22.

use riposte_abi::{Error, LEAST_PERIOD, call::number, notice};
use riposte_kernel::{OnEnd, State, limits::HANDLES};
use riposte_model::{Call, ChannelId, Machine, ProcessId, ProxyId, System, ThreadId, both_paths};

const TIMERS: usize = 3;
const MILLISECOND: u64 = 1_000_000;

/// A process with timers, and another one whose proxy it may trigger.
struct Timed {
    system: System,
    process: ProcessId,
    owner: ThreadId,
    other: ThreadId,
    here: ChannelId,
    there: ChannelId,
    proxy: ProxyId,
    link: riposte_model::Connection,
}

impl Timed {
    fn new() -> Self {
        Self::with([10, 10], 2)
    }

    /// The owner at priority 1 with three timers, whose periodic ones may be due 1000 times a second together; the
    /// other one at 25.
    fn limited() -> Self {
        let mut it = Self::with([1, 25], TIMERS);
        it.system.timer_rate(it.process, 1000);
        it
    }

    /// The owner and the other one at these `priorities`, and as many `timers` of the owner's process.
    fn with(priorities: [u8; 2], timers: usize) -> Self {
        let mut system = System::new();
        let process = system.process();
        let peer = system.process();
        let owner = system.thread(process, priorities[0]);
        let other = system.thread(peer, priorities[1]);
        let here = system.channel(process);
        let there = system.channel(peer);
        let proxy = system.proxy(there, b"");
        let link = system.trigger(process, proxy, false);
        system.objects(process, 0, timers);
        system.on_end(process, OnEnd::Restart);
        system.on_end(peer, OnEnd::Restart);
        Self {
            system,
            process,
            owner,
            other,
            here,
            there,
            proxy,
            link,
        }
    }

    fn make(&self, m: &mut Machine, target: u32, bits: u32) -> u32 {
        m.answer_to(self.owner, Call::create_timer(target, bits))
            .word()
    }

    /// A timer for the other process's proxy.
    fn for_proxy(&self, m: &mut Machine) -> u32 {
        let target = m.handle(self.link);
        self.make(m, target, 0)
    }

    fn set(&self, m: &mut Machine, timer: u32, first: u64, period: u64) {
        let call = Call::set_timer(timer, first, period);
        assert_eq!(m.answer_to(self.owner, call).error(), None);
    }

    fn count(&self, m: &Machine) -> u16 {
        m.proxy(self.proxy).count()
    }
}

#[test]
fn rule_22_a_timer_triggers_its_proxy_once_at_its_time_and_not_before() {
    let it = Timed::new();
    both_paths(&it.system, |m| {
        let timer = it.for_proxy(m);
        let at = m.now() + (3 << 32);
        it.set(m, timer, at, 0);
        m.advance_to(at - 1);
        m.interrupt();
        assert_eq!(it.count(m), 0);
        m.advance_to(at);
        assert_eq!(it.count(m), 1);
        m.advance_to(at * 2);
        assert_eq!(it.count(m), 1);
        let cancelled = m.answer_to(it.owner, Call::cancel_timer(timer)).word();
        assert_eq!(cancelled, 0, "it does not run any more");
    });
}

#[test]
fn rule_22_a_timer_whose_time_has_passed_is_due_at_once() {
    let it = Timed::new();
    both_paths(&it.system, |m| {
        let timer = it.for_proxy(m);
        m.call(it.other, Call::receive(m.receive_handle(it.there)));
        let now = m.now();
        it.set(m, timer, now, 0);
        let got = m.answer(it.other).expect("it waits no more");
        assert_eq!(got.notice(), Some(notice::PROXY));
    });
}

#[test]
fn rule_22_a_periodic_timer_is_due_again_and_again_without_drift() {
    let it = Timed::new();
    both_paths(&it.system, |m| {
        let timer = it.for_proxy(m);
        let start = m.now();
        it.set(m, timer, start + 7, LEAST_PERIOD);
        for times in 1..5 {
            let due = start + 7 + (times - 1) * LEAST_PERIOD;
            m.advance_to(due - 1);
            assert_eq!(u64::from(it.count(m)), times - 1);
            m.advance_to(due);
            assert_eq!(u64::from(it.count(m)), times);
        }
        let cancelled = m.answer_to(it.owner, Call::cancel_timer(timer)).word();
        assert_eq!(cancelled, 1);
        m.advance(10 * LEAST_PERIOD);
        assert_eq!(it.count(m), 4);
    });
}

#[test]
fn rule_22_times_that_were_missed_count_and_the_next_is_in_the_future() {
    let it = Timed::new();
    both_paths(&it.system, |m| {
        let timer = it.for_proxy(m);
        m.advance(100 * LEAST_PERIOD);
        // What has passed before the call counts once, and leaves the others where they are.
        let first = m.now() - 5 * LEAST_PERIOD - 1;
        it.set(m, timer, first, LEAST_PERIOD);
        assert_eq!(it.count(m), 1);
        m.advance(LEAST_PERIOD - 2);
        assert_eq!(it.count(m), 1);
        m.advance(1);
        assert_eq!(it.count(m), 2);
        // So does the time that is just here.
        let first = m.now() - 3 * LEAST_PERIOD;
        it.set(m, timer, first, LEAST_PERIOD);
        assert_eq!(it.count(m), 3);
        // What the kernel itself is late for counts, each time.
        m.set_now(m.now() + 4 * LEAST_PERIOD);
        m.interrupt();
        assert_eq!(it.count(m), 7);
        m.set_now(m.now() + 0x1_0000 * LEAST_PERIOD);
        m.interrupt();
        assert_eq!(it.count(m), u16::MAX, "no more than can be counted");
    });
}

#[test]
fn rule_22_a_period_that_leads_past_the_end_of_time_is_the_last() {
    let it = Timed::new();
    both_paths(&it.system, |m| {
        let timer = it.for_proxy(m);
        it.set(m, timer, 5, u64::MAX);
        assert_eq!(it.count(m), 1);
        let cancelled = m.answer_to(it.owner, Call::cancel_timer(timer)).word();
        assert_eq!(cancelled, 0);
    });
}

#[test]
fn rule_22_a_timer_sets_the_bits_of_its_channel_and_wakes_who_waits() {
    let it = Timed::new();
    both_paths(&it.system, |m| {
        let here = m.receive_handle(it.here);
        let timer = it.make(m, here, 0b110);
        let at = m.now() + 10;
        it.set(m, timer, at, LEAST_PERIOD);
        m.call(it.owner, Call::receive(here));
        m.advance_to(at);
        let got = m.answer(it.owner).expect("it waits no more");
        assert_eq!((got.notice(), got.words()[1]), (Some(notice::BITS), 0b110));
        m.advance(3 * LEAST_PERIOD);
        m.call(it.owner, Call::receive(here));
        let got = m.answer(it.owner).unwrap();
        assert_eq!(got.words()[1], 0b110, "bits are not counted");
    });
}

#[test]
fn rule_22_timers_and_sleepers_are_due_in_the_order_of_their_times() {
    let it = Timed::new();
    both_paths(&it.system, |m| {
        let here = m.receive_handle(it.here);
        let (first, second) = (it.make(m, here, 1), it.make(m, here, 2));
        let start = m.now();
        it.set(m, first, start + 30, 0);
        it.set(m, second, start + 10, 0);
        m.call(it.other, Call::sleep(start + 20));
        m.call(it.owner, Call::receive(here));
        m.advance_to(start + 15);
        assert_eq!(m.answer(it.owner).unwrap().words()[1], 2);
        assert_eq!(m.state(it.other), State::Sleeping);
        m.call(it.owner, Call::receive(here));
        m.advance_to(start + 20);
        assert_eq!(m.state(it.other), State::Ready);
        assert_eq!(m.state(it.owner), State::ReceiveBlocked);
        m.advance_to(start + 30);
        assert_eq!(m.answer(it.owner).unwrap().words()[1], 1);
    });
}

#[test]
fn rule_22_timers_of_a_process_are_due_no_more_often_together_than_its_manifest_says() {
    let it = Timed::limited();
    both_paths(&it.system, |m| {
        m.call(it.other, Call::sleep(u64::MAX / 2));
        let timers: Vec<u32> = (0..TIMERS).map(|_| it.for_proxy(m)).collect();
        let start = m.now();
        let mut modest_ones = 0;
        for timer in timers {
            let greedy = Call::set_timer(timer, start + LEAST_PERIOD, LEAST_PERIOD);
            assert_eq!(m.refused(it.owner, greedy), Error::Exhausted);
            let modest = Call::set_timer(timer, start + LEAST_PERIOD, 2 * MILLISECOND);
            modest_ones += u64::from(m.answer_to(it.owner, modest).error().is_none());
        }
        m.advance_to(start + 100 * MILLISECOND);
        assert_eq!((modest_ones, it.count(m)), (2, 100));
    });
}

#[test]
fn rule_22_a_rate_is_used_up_to_the_last_and_is_free_again_when_a_timer_stops() {
    let it = Timed::limited();
    both_paths(&it.system, |m| {
        m.call(it.other, Call::sleep(u64::MAX / 2));
        let first = it.for_proxy(m);
        let far = m.now() + (1 << 40);
        type Stop<'a> = &'a dyn Fn(&mut Machine, u32);
        let ways: [Stop; 3] = [
            &|m, timer| {
                m.call(it.owner, Call::cancel_timer(timer));
            },
            &|m, timer| {
                m.call(it.owner, Call::destroy_timer(timer));
            },
            &|m, timer| it.set(m, timer, far, 0),
        ];
        for stop in ways {
            for parts in [1, 2] {
                let timers: Vec<u32> = (0..parts).map(|_| it.for_proxy(m)).collect();
                let period = parts * MILLISECOND;
                timers
                    .iter()
                    .for_each(|timer| it.set(m, *timer, far, period));
                // Setting one again counts once.
                it.set(m, timers[0], far, period);
                let more = Call::set_timer(first, far, 1000 * MILLISECOND);
                assert_eq!(m.refused(it.owner, more), Error::Exhausted);
                it.set(m, first, far, 0);
                for timer in timers {
                    stop(m, timer);
                    m.call(it.owner, Call::destroy_timer(timer));
                }
            }
        }
    });
}

#[test]
fn rule_22_a_timer_that_is_refused_goes_on_as_it_was() {
    let it = Timed::limited();
    both_paths(&it.system, |m| {
        m.call(it.other, Call::sleep(u64::MAX / 2));
        let timer = it.for_proxy(m);
        let start = m.now();
        it.set(m, timer, start + 5 * MILLISECOND, 2 * MILLISECOND);
        let greedy = Call::set_timer(timer, start, MILLISECOND - 16);
        assert_eq!(m.refused(it.owner, greedy), Error::Exhausted);
        m.advance_to(start + 5 * MILLISECOND - 1);
        assert_eq!(it.count(m), 0);
        m.advance_to(start + 9 * MILLISECOND);
        assert_eq!(it.count(m), 3);
    });
}

#[test]
fn rule_24_a_process_that_starts_anew_has_its_whole_rate_and_no_more() {
    let it = Timed::limited();
    both_paths(&it.system, |m| {
        m.call(it.other, Call::sleep(u64::MAX / 2));
        let own = Call::create_timer(m.receive_handle(it.here), 1);
        let make = |m: &mut Machine| m.answer_to(it.owner, own).word();
        for _ in 0..3 {
            let timer = make(m);
            let at = m.now() + (1 << 40);
            it.set(m, timer, at, MILLISECOND);
            let next = make(m);
            let more = Call::set_timer(next, at, 1000 * MILLISECOND);
            assert_eq!(m.refused(it.owner, more), Error::Exhausted);
            m.fault(it.owner);
        }
    });
}

#[test]
fn rule_24_a_timer_whose_proxy_has_died_leaves_its_rate_to_others() {
    let it = Timed::limited();
    both_paths(&it.system, |m| {
        let at = m.now() + MILLISECOND;
        m.call(it.other, Call::sleep(at));
        let (first, second) = (it.for_proxy(m), it.for_proxy(m));
        it.set(m, first, at + 1, MILLISECOND);
        m.advance_to(at);
        m.fault(it.other);
        m.call(it.other, Call::sleep(u64::MAX / 2));
        m.advance_to(at + 1);
        it.set(m, second, at + MILLISECOND, MILLISECOND);
    });
}

#[test]
fn rule_22_a_timer_that_is_due_once_costs_a_call_each_time_and_no_rate() {
    let it = Timed::limited();
    both_paths(&it.system, |m| {
        m.call(it.other, Call::sleep(u64::MAX / 2));
        let timers: Vec<u32> = (0..TIMERS).map(|_| it.for_proxy(m)).collect();
        let at = m.now() + LEAST_PERIOD;
        timers.iter().for_each(|timer| it.set(m, *timer, at, 0));
        // As long as its owner does not run, no more comes.
        m.advance(100 * MILLISECOND);
        assert_eq!(it.count(m), TIMERS as u16);
    });
}

/// Three threads with a channel and a timer each, more and more urgent, and one that computes.
struct Waiting {
    system: System,
    computes: ThreadId,
    threads: [ThreadId; 3],
    channels: [ChannelId; 3],
}

impl Waiting {
    fn new() -> Self {
        let mut system = System::new();
        let other = system.process();
        let computes = system.thread(other, 5);
        let processes = [(); 3].map(|()| system.process());
        let [less, more, most] = processes;
        let threads = [(less, 8), (more, 9), (most, 10)]
            .map(|(process, priority)| system.thread(process, priority));
        let channels = processes.map(|process| system.channel(process));
        for process in processes {
            system.objects(process, 0, 1);
        }
        Self {
            system,
            computes,
            threads,
            channels,
        }
    }

    /// Each thread sets its timer to this time, and waits.
    fn wait(&self, m: &mut Machine, at: u64, period: u64) {
        for number in [2, 1, 0] {
            let channel = m.receive_handle(self.channels[number]);
            let thread = self.threads[number];
            let timer = m.answer_to(thread, Call::create_timer(channel, 1)).word();
            m.call(thread, Call::set_timer(timer, at, period));
            m.call(thread, Call::receive(channel));
        }
        m.run(self.computes);
    }

    fn has_run(&self, m: &Machine, number: usize) -> bool {
        m.answer(self.threads[number])
            .is_some_and(|got| got.notice() == Some(notice::BITS))
    }
}

#[test]
fn rule_22_timers_that_are_due_at_once_all_come_and_the_most_urgent_thread_runs() {
    let it = Waiting::new();
    both_paths(&it.system, |m| {
        let at = m.now() + 100;
        it.wait(m, at, LEAST_PERIOD);
        m.advance_to(at - 1);
        assert_eq!(m.current(), it.computes);
        m.advance_to(at);
        assert_eq!(m.current(), it.threads[2]);
        for number in [2, 1, 0] {
            assert!(it.has_run(m, number));
            m.run(it.threads[number]);
            m.call(
                it.threads[number],
                Call::receive(m.receive_handle(it.channels[number])),
            );
        }
        assert_eq!(m.current(), it.computes);
        m.advance_to(at + LEAST_PERIOD);
        assert!((0..3).all(|number| it.has_run(m, number)));
    });
}

#[test]
fn rule_22_a_thread_that_waits_for_its_timer_runs_at_once() {
    let it = Waiting::new();
    let mut m = it.system.start(true);
    let at = m.now() + 100;
    it.wait(&mut m, at, LEAST_PERIOD);
    for round in 0..5 {
        m.advance_to(at + round * LEAST_PERIOD);
        assert_eq!(m.current(), it.threads[2]);
        for number in [2, 1, 0] {
            let wait = Call::receive(m.receive_handle(it.channels[number]));
            m.call(it.threads[number], wait);
        }
        assert_eq!(m.current(), it.computes);
    }
}

#[test]
fn rule_22_a_timer_that_is_late_by_a_period_or_more_is_due_in_the_future_next() {
    let it = Waiting::new();
    both_paths(&it.system, |m| {
        let at = m.now() + 100;
        it.wait(m, at, LEAST_PERIOD);
        m.leap_to(at + 3 * LEAST_PERIOD + 5);
        for number in [2, 1, 0] {
            assert!(it.has_run(m, number));
            let wait = Call::receive(m.receive_handle(it.channels[number]));
            m.call(it.threads[number], wait);
        }
        m.advance_to(at + 4 * LEAST_PERIOD - 1);
        assert_eq!(m.current(), it.computes);
        m.advance_to(at + 4 * LEAST_PERIOD);
        assert_eq!(m.current(), it.threads[2]);
    });
}

#[test]
fn rule_22_a_timer_that_is_set_again_is_due_at_its_new_time_alone() {
    let it = Timed::new();
    both_paths(&it.system, |m| {
        let timer = it.for_proxy(m);
        let start = m.now();
        it.set(m, timer, start + 10, LEAST_PERIOD);
        it.set(m, timer, start + 500, 0);
        m.advance_to(start + 499);
        assert_eq!(it.count(m), 0);
        m.advance_to(start + 10 * LEAST_PERIOD);
        assert_eq!(it.count(m), 1);
    });
}

#[test]
fn rule_22_what_is_wrong_with_a_timer_is_the_callers_error() {
    let it = Timed::new();
    both_paths(&it.system, |m| {
        let (here, link) = (m.receive_handle(it.here), m.handle(it.link));
        let timer = it.for_proxy(m);
        it.make(m, here, 1);
        for (call, error) in [
            (Call::create_timer(link, 0), Error::Exhausted),
            (Call::create_timer(here, 0), Error::BadArgument),
            (Call::create_timer(here + 0x100, 1), Error::BadHandle),
            (Call::create_timer(timer, 1), Error::BadHandle),
            (Call::set_timer(timer, 0, 1), Error::BadArgument),
            (
                Call::set_timer(timer, 0, LEAST_PERIOD - 1),
                Error::BadArgument,
            ),
            (Call::set_timer(timer + 0x100, 0, 0), Error::BadHandle),
            (Call::set_timer(link, 0, 0), Error::BadHandle),
            (Call::set_timer(here, 0, 0), Error::NotPermitted),
            (Call::cancel_timer(0xFF), Error::BadHandle),
            (Call::other(number::CLOSE, &[timer]), Error::NotPermitted),
            (Call::trigger(timer), Error::BadHandle),
            (Call::send(timer, &[]), Error::NotPermitted),
        ] {
            assert_eq!(m.refused(it.owner, call), error, "{call:x?}");
        }
        m.call(it.owner, Call::destroy_timer(timer));
        let destroyed = m.refused(it.owner, Call::cancel_timer(timer));
        assert_eq!(destroyed, Error::BadHandle);
        let next = it.for_proxy(m);
        assert_ne!(next, timer);
        let old = m.refused(it.owner, Call::set_timer(timer, 0, 0));
        assert_eq!(old, Error::BadHandle);
    });
}

#[test]
fn rule_24_a_timer_dies_with_its_process_and_a_destroyed_one_is_not_due() {
    let it = Timed::new();
    both_paths(&it.system, |m| {
        let (first, second) = (it.for_proxy(m), it.for_proxy(m));
        let at = m.now() + 100;
        it.set(m, first, at, LEAST_PERIOD);
        it.set(m, second, at, 0);
        m.call(it.owner, Call::destroy_timer(second));
        m.fault(it.owner);
        m.advance_to(at + LEAST_PERIOD);
        assert_eq!(it.count(m), 0);
        let old = m.refused(it.owner, Call::cancel_timer(first));
        assert_eq!(old, Error::BadHandle);
    });
}

#[test]
fn rule_24_a_timer_whose_proxy_has_died_stops_and_the_next_life_is_not_triggered() {
    let it = Timed::new();
    both_paths(&it.system, |m| {
        let timer = it.for_proxy(m);
        let at = m.now() + 100;
        it.set(m, timer, at, LEAST_PERIOD);
        m.fault(it.other);
        m.advance_to(at + LEAST_PERIOD);
        assert!(m.proxy(it.proxy).exists());
        assert_eq!(it.count(m), 0);
        let cancelled = m.answer_to(it.owner, Call::cancel_timer(timer)).word();
        assert_eq!(cancelled, 0, "it has stopped");
    });
}

#[test]
fn rule_22_a_process_that_is_held_gets_what_was_triggered_when_nobody_holds_it() {
    let mut it = Timed::new();
    it.system.on_end(ProcessId(1), OnEnd::Hold);
    let own = it.system.proxy(it.here, b"");
    both_paths(&it.system, |m| {
        let timer = it.for_proxy(m);
        let at = m.now() + 100;
        it.set(m, timer, at, LEAST_PERIOD);
        m.fault(it.other);
        m.advance_to(at + LEAST_PERIOD);
        assert_eq!(it.count(m), 2);
        assert_eq!(m.proxy(own).count(), 0);
    });
}

#[test]
fn a_place_without_a_timer_is_named_by_no_number() {
    let mut system = System::new();
    let process = system.process();
    let owner = system.thread(process, 10);
    // Its slots, the first one too, are those of timers, none of which is made yet.
    system.objects(process, 0, HANDLES);
    both_paths(&system, |m| {
        let at = m.now() + MILLISECOND;
        for call in [
            Call::set_timer(0, at, 0),
            Call::set_timer(0, at, MILLISECOND),
            Call::cancel_timer(0),
        ] {
            let refused = m.answer_to(owner, call).error();
            assert_eq!(refused, Some(Error::BadHandle));
        }
    });
}
