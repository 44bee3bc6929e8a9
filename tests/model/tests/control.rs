//! What one process may do to another, and restarts that come later each time, are counted for a while, or reset the
//! machine in the end.

use riposte_abi::{
    Error, MOST_DOUBLINGS, RESET_DELAY,
    call::number,
    fault::{action, reason},
};
use riposte_kernel::{OnEnd, Restart, State};
use riposte_model::{
    Call, ChannelId, Connection, Machine, Pair, ProcessId, System, ThreadId, both_paths, code,
    interrupt_at_each_step, ram,
};

/// A process that controls another one, which serves a client.
struct Controlled {
    system: System,
    watchdog: ThreadId,
    /// Where the other one is among those that it controls.
    position: u32,
    process: ProcessId,
    main: ThreadId,
    channel: ChannelId,
    client: ThreadId,
    link: Connection,
}

/// The thread that controls runs at 9; the others do at 5, and the second of the controlled process at 4.
fn controlled() -> Controlled {
    let mut system = System::new();
    let [watchdogs, process, clients] = [(); 3].map(|()| system.process());
    let watchdog = system.thread(watchdogs, 9);
    let main = system.thread(process, 5);
    system.thread(process, 4);
    let client = system.thread(clients, 5);
    let channel = system.channel(process);
    let link = system.connection(clients, channel, 1);
    system.objects(process, 1, 1);
    let position = system.control(watchdogs, process);
    Controlled {
        system,
        watchdog,
        position,
        process,
        main,
        channel,
        client,
        link,
    }
}

impl Controlled {
    fn is_alive(&self, m: &Machine) -> bool {
        m.process(self.process).is_alive()
    }

    /// The watchdog sleeps, and the main thread of the other process runs.
    fn begin(&self, m: &mut Machine) {
        m.call(self.watchdog, Call::sleep(m.now() + 100));
        m.call(self.main, Call::null());
    }

    /// It does not run when the watchdog does.
    fn wake_watchdog(&self, m: &mut Machine) {
        m.advance(100);
        assert_eq!(m.current(), self.watchdog);
    }
}

type Situation = (&'static str, fn(&Controlled, &mut Machine));

const SITUATIONS: [Situation; 6] = [
    ("ready", |_, _| {}),
    ("receiving", |it, m| {
        let receive = Call::receive(m.receive_handle(it.channel));
        m.call(it.main, receive);
    }),
    ("serving", |it, m| {
        let receive = Call::receive(m.receive_handle(it.channel));
        m.call(it.main, receive);
        m.call(it.client, Call::send(m.handle(it.link), &[1]));
        m.call(it.main, Call::null());
    }),
    ("sent to", |it, m| {
        m.call(it.main, Call::sleep(m.now() + 50));
        m.call(it.client, Call::send(m.handle(it.link), &[1]));
    }),
    ("sleeping", |it, m| {
        m.call(it.main, Call::sleep(m.now() + 1000));
    }),
    ("stopped", |it, m| {
        m.call(it.main, Call::other(number::EXIT, &[0]));
    }),
];

#[test]
fn who_controls_a_process_restarts_it_in_every_situation() {
    let it = controlled();
    for (name, situation) in SITUATIONS {
        both_paths(&it.system, |m| {
            it.begin(m);
            situation(&it, m);
            it.wake_watchdog(m);
            m.call(it.watchdog, Call::restart(it.position));
            assert_eq!(m.current(), it.watchdog, "{name}");
            assert!(it.is_alive(m), "{name}");
            assert_eq!(m.state(it.main), State::Ready, "{name}");
            m.call(it.watchdog, Call::sleep(m.now() + 100));
            let waits = m.state(it.client);
            assert_eq!(waits, State::Ready, "{name}: whom it served is told");
        });
    }
}

#[test]
fn who_controls_a_process_stops_it_in_every_situation() {
    let it = controlled();
    for (name, situation) in SITUATIONS {
        both_paths(&it.system, |m| {
            it.begin(m);
            situation(&it, m);
            it.wake_watchdog(m);
            m.call(it.watchdog, Call::stop(it.position));
            assert!(!it.is_alive(m), "{name}");
            m.call(it.watchdog, Call::sleep(m.now() + 100));
            assert_eq!(m.current(), it.client, "{name}");
            let error = Call::send(m.handle(it.link), &[]);
            assert_eq!(m.refused(it.client, error), Error::ServerDied, "{name}");
        });
    }
}

#[test]
fn without_the_right_nobody_is_restarted_or_stopped() {
    let it = controlled();
    both_paths(&it.system, |m| {
        for call in [Call::restart(1), Call::stop(1), Call::stop(u32::MAX)] {
            assert_eq!(m.refused(it.watchdog, call), Error::NotPermitted);
        }
        it.begin(m);
        for call in [Call::restart(0), Call::stop(0)] {
            assert_eq!(m.refused(it.main, call), Error::NotPermitted);
        }
        assert!(it.is_alive(m));
        assert_eq!(m.process(it.process).record().count, 0);
    });
}

#[test]
fn a_held_process_is_restarted_by_right() {
    let mut it = controlled();
    it.system.on_end(it.process, OnEnd::Hold);
    both_paths(&it.system, |m| {
        it.begin(m);
        m.fault(it.main);
        it.wake_watchdog(m);
        m.call(it.watchdog, Call::restart(it.position));
        assert!(it.is_alive(m) && !m.process(it.process).is_held());
        m.call(it.watchdog, Call::sleep(m.now() + 100));
        m.call(it.main, Call::null());
    });
}

#[test]
fn a_record_says_who_restarted_a_process_and_where_that_was() {
    let it = controlled();
    for (call, did) in [
        (Call::restart(it.position), action::RESTARTED),
        (Call::stop(it.position), action::STOPPED),
    ] {
        both_paths(&it.system, |m| {
            it.begin(m);
            it.wake_watchdog(m);
            m.call(it.watchdog, call);
            let record = m.process(it.process).record();
            assert_eq!((record.count, record.reason), (1, reason::CONTROLLED));
            assert_eq!((record.address, record.address_valid), (0, 1));
            assert_eq!((record.action, record.thread), (did, 0));
        });
    }
}

#[test]
fn restarted_along_also_by_right() {
    let mut it = controlled();
    let along = it.system.process();
    let other = it.system.thread(along, 4);
    it.system.restart_with(along, it.process);
    for stopped in [false, true] {
        both_paths(&it.system, |m| {
            m.call(it.watchdog, Call::sleep(m.now() + 100));
            let receive = Call::receive(m.receive_handle(it.channel));
            m.call(it.main, receive);
            m.call(it.client, Call::sleep(m.now() + 1000));
            m.call(other, Call::sleep(m.now() + 1000));
            it.wake_watchdog(m);
            if stopped {
                m.call(it.watchdog, Call::stop(it.position));
                assert_eq!(m.state(other), State::Sleeping, "it is only stopped");
            }
            m.call(it.watchdog, Call::restart(it.position));
            assert_eq!(m.state(other), State::Ready);
        });
    }
}

/// The controlled process dies, and the watchdog calls after each step of that: what becomes of it is what it said last.
fn redirected(on_end: OnEnd, call: fn(u32) -> Call, alive: bool) {
    let mut it = controlled();
    it.system.on_end(it.process, on_end);
    let along = it.system.process();
    let other = it.system.thread(along, 4);
    it.system.restart_with(along, it.process);
    interrupt_at_each_step(10, |steps| {
        let mut machine = it.system.start(true);
        let m = &mut machine;
        it.begin(m);
        let before = m.thread(other).id();
        let own = m.receive_handle(it.channel);
        m.host.poke(ram(it.process.0).base, &[1, 2, 3, 4]);
        m.call(it.main, Call::create_proxy(own, ram(it.process.0).base, 4));
        // What was left there is no return address.
        let left = code(it.process.0).base + 0x11;
        m.host
            .poke(m.thread(it.main).stack_base, &left.to_le_bytes());
        let half = m.exit_interrupted(it.main, steps);
        m.set_now(m.now() + 100);
        m.interrupt();
        assert_eq!(m.current(), it.watchdog, "after {steps} steps");
        let began_anew = it.is_alive(m);
        m.call(it.watchdog, call(it.position));
        m.call(it.watchdog, Call::sleep(m.now() + 1000));
        m.finish();
        let trace = m.process(it.process).record().trace;
        assert!(began_anew || trace[0] == 0, "after {steps} steps");
        assert_eq!(it.is_alive(m), alive, "after {steps} steps");
        assert!(!m.process(it.process).is_dying());
        assert!(m.process(along).is_alive());
        let restarted = m.thread(other).id() != before;
        assert!(restarted || !alive, "after {steps} steps");
        if !alive {
            m.advance(1000);
            m.call(it.watchdog, Call::restart(it.position));
            assert!(it.is_alive(m));
        }
        half
    });
}

#[test]
fn a_process_that_is_ending_is_restarted_whatever_step_its_end_has_come_to() {
    redirected(OnEnd::Stop, Call::restart, true);
    redirected(OnEnd::Restart, Call::restart, true);
}

#[test]
fn a_process_that_is_being_restarted_is_stopped_whatever_step_its_end_has_come_to() {
    redirected(OnEnd::Restart, Call::stop, false);
    redirected(OnEnd::Stop, Call::stop, false);
}

/// A client of a pair that is restarted as `how` says when it faults.
fn faulty(how: Restart) -> Pair {
    let mut pair = Pair::new();
    pair.system.on_end(pair.client_process, OnEnd::Restart);
    pair.system.restart(pair.client_process, how);
    pair
}

const DELAY: u64 = 1000;

#[test]
fn each_restart_comes_later_than_the_one_before() {
    let pair = faulty(Restart {
        delay: DELAY,
        ..Restart::ALWAYS
    });
    both_paths(&pair.system, |m| {
        m.call(pair.server, Call::sleep(u64::MAX));
        for restart in 0..MOST_DOUBLINGS + 3 {
            m.fault(pair.client);
            let delay = DELAY << restart.min(MOST_DOUBLINGS);
            assert!(m.process(pair.client_process).is_alive());
            assert_eq!(m.state(pair.client), State::Sleeping);
            m.advance(delay - 1);
            assert_eq!(m.state(pair.client), State::Sleeping, "restart {restart}");
            m.advance(1);
            assert_eq!(m.current(), pair.client, "restart {restart}");
        }
    });
}

#[test]
fn clients_of_a_process_that_begins_late_wait_for_it() {
    let mut pair = Pair::new();
    pair.system.on_end(pair.server_process, OnEnd::Restart);
    pair.system.restart(
        pair.server_process,
        Restart {
            delay: DELAY,
            ..Restart::ALWAYS
        },
    );
    both_paths(&pair.system, |m| {
        m.call(pair.server, Call::null());
        m.fault(pair.server);
        let link = m.answer_to(pair.client, Call::other(number::CONNECT, &[0]));
        m.call(pair.client, Call::send(link.word(), &[1]));
        assert_eq!(m.state(pair.client), State::SendBlocked);
        m.advance(DELAY);
        pair.receive(m);
        assert_eq!(m.state(pair.client), State::ReplyBlocked);
    });
}

#[test]
fn restarts_are_counted_anew_after_a_time_without_one() {
    const WINDOW: u64 = 10_000;
    let pair = faulty(Restart {
        limit: 2,
        window: WINDOW,
        ..Restart::ALWAYS
    });
    for (wait, last) in [(WINDOW, action::RESTARTED), (WINDOW - 1, action::LIMIT)] {
        both_paths(&pair.system, |m| {
            m.call(pair.server, Call::sleep(u64::MAX));
            m.fault(pair.client);
            m.fault(pair.client);
            m.advance(wait);
            m.fault(pair.client);
            assert_eq!(m.process(pair.client_process).record().action, last);
        });
    }
}

/// It is restarted with another one, which faults after that time or just before.
#[test]
fn after_a_time_without_a_restart_one_with_another_process_is_not_delayed() {
    const WINDOW: u64 = 10_000;
    let mut pair = faulty(Restart {
        delay: DELAY,
        window: WINDOW,
        ..Restart::ALWAYS
    });
    let cause = pair.system.process();
    pair.system.on_end(cause, OnEnd::Restart);
    let causes = pair.system.thread(cause, 10);
    pair.system.restart_with(pair.client_process, cause);
    for (wait, state) in [(WINDOW, State::Ready), (WINDOW - 1, State::Sleeping)] {
        both_paths(&pair.system, |m| {
            m.call(pair.server, Call::sleep(u64::MAX));
            m.call(causes, Call::sleep(m.now() + DELAY + wait));
            m.fault(pair.client);
            m.advance(DELAY);
            m.call(pair.client, Call::sleep(u64::MAX));
            m.advance(wait);
            m.fault(causes);
            assert_eq!(m.state(pair.client), state, "after {wait}");
        });
    }
}

#[test]
fn restarts_are_counted_anew_after_one_by_right() {
    let mut it = controlled();
    it.system.on_end(it.process, OnEnd::Restart);
    it.system.restart_limit(it.process, 1);
    both_paths(&it.system, |m| {
        it.begin(m);
        m.fault(it.main);
        assert_eq!(m.process(it.process).record().action, action::RESTARTED);
        it.wake_watchdog(m);
        m.call(it.watchdog, Call::restart(it.position));
        it.begin(m);
        m.fault(it.main);
        assert_eq!(m.process(it.process).record().action, action::RESTARTED);
        m.call(it.main, Call::null());
        m.fault(it.main);
        assert_eq!(m.process(it.process).record().action, action::LIMIT);
        it.wake_watchdog(m);
        m.call(it.watchdog, Call::restart(it.position));
        assert!(it.is_alive(m));
    });
}

/// It resets the machine when it faults once more after its first restart.
fn resetting(it: &mut Controlled) {
    it.system.on_end(it.process, OnEnd::Restart);
    it.system.restart(
        it.process,
        Restart {
            limit: 1,
            resets: true,
            ..Restart::ALWAYS
        },
    );
}

#[test]
fn a_process_at_its_limit_that_is_restarted_with_another_one_does_not_reset_the_machine() {
    let mut it = controlled();
    resetting(&mut it);
    let cause = it.system.process();
    it.system.on_end(cause, OnEnd::Restart);
    let causes = it.system.thread(cause, 6);
    it.system.restart_with(it.process, cause);
    for half_dead in [false, true] {
        both_paths(&it.system, |m| {
            m.call(it.watchdog, Call::sleep(m.now() + 100));
            m.call(causes, Call::sleep(m.now() + 100));
            m.fault(it.main);
            m.call(it.main, Call::null());
            if half_dead {
                m.host.interrupt_after(3);
            }
            m.fault(it.main);
            m.set_now(m.now() + 100);
            m.interrupt();
            m.finish();
            m.call(it.watchdog, Call::sleep(u64::MAX));
            m.advance(1);
            m.fault(causes);
            m.call(causes, Call::sleep(u64::MAX));
            assert!(it.is_alive(m));
            let sleep = Call::sleep(m.now() + 2 * RESET_DELAY);
            m.call(it.main, sleep);
            m.advance(2 * RESET_DELAY - 1);
            assert_eq!(m.host.resets(), 0);
            assert_eq!(m.state(it.main), State::Sleeping, "half dead: {half_dead}");
        });
    }
}

#[test]
fn a_process_at_its_limit_resets_the_machine_unless_somebody_restarts_or_stops_it_before() {
    let mut it = controlled();
    resetting(&mut it);
    for (call, resets) in [
        (Call::null(), 1),
        (Call::restart(it.position), 0),
        (Call::stop(it.position), 0),
    ] {
        both_paths(&it.system, |m| {
            it.begin(m);
            m.fault(it.main);
            assert!(it.is_alive(m));
            m.call(it.main, Call::null());
            m.fault(it.main);
            assert_eq!(m.process(it.process).record().action, action::LIMIT);
            it.wake_watchdog(m);
            m.call(it.watchdog, call);
            m.call(it.watchdog, Call::sleep(u64::MAX));
            m.advance(RESET_DELAY - 101);
            assert_eq!(m.host.resets(), 0);
            m.advance(200);
            assert_eq!(m.host.resets(), resets);
        });
    }
}
