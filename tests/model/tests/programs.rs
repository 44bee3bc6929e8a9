//! Programs: they begin when they are told to, and their manager is told of each end, once, however it came.

use riposte_abi::{
    Error,
    call::number,
    fault::{action, reason},
    notice,
    thread::policy,
};
use riposte_kernel::State;
use riposte_model::{
    Call, ChannelId, Connection, Machine, ProcessId, System, ThreadId, both_paths,
    interrupt_at_each_step, ram,
};

/// A manager at 9 with two programs at 5, and a supervisor at 20 that is told of nothing here. A client at 5 talks to the
/// first program.
struct Managed {
    system: System,
    manager: ThreadId,
    ends: ChannelId,
    supervisor: ThreadId,
    faults: ChannelId,
    process: ProcessId,
    main: ThreadId,
    channel: ChannelId,
    client: ThreadId,
    link: Connection,
}

/// Where the first program is among those that the manager controls.
const FIRST: u32 = 0;

fn managed() -> Managed {
    let mut system = System::new();
    let [managers, supervisors, clients, process, second] = [(); 5].map(|()| system.process());
    let manager = system.thread(managers, 9);
    let supervisor = system.thread(supervisors, 20);
    let client = system.thread(clients, 5);
    let main = system.thread(process, 5);
    system.thread(process, 4);
    system.thread(second, 5);
    let ends = system.channel(managers);
    let faults = system.channel(supervisors);
    let channel = system.channel(process);
    let link = system.connection(clients, channel, 1);
    system.objects(process, 1, 1);
    system.supervisor(faults);
    system.control(managers, process);
    system.control(managers, second);
    system.programs(ends, process);
    Managed {
        system,
        manager,
        ends,
        supervisor,
        faults,
        process,
        main,
        channel,
        client,
        link,
    }
}

impl Managed {
    /// The supervisor waits for faults; the manager runs.
    fn begin(&self, m: &mut Machine) {
        m.call(
            self.supervisor,
            Call::receive(m.receive_handle(self.faults)),
        );
        assert_eq!(m.current(), self.manager);
    }

    /// The manager starts the first program and waits for ends; the client sleeps.
    fn start(&self, m: &mut Machine) {
        m.call(self.manager, Call::restart(FIRST));
        self.wait(m);
        if m.current() == self.client {
            m.call(self.client, Call::sleep(m.now() + 1000));
        }
        assert_eq!(m.current(), self.main);
    }

    fn wait(&self, m: &mut Machine) {
        m.call(self.manager, Call::receive(m.receive_handle(self.ends)));
    }

    /// The manager has been told of an end of the first program, and nobody else of anything.
    fn expect_end(&self, m: &mut Machine, why: u32, status: u32, count: u32) {
        assert_eq!(m.current(), self.manager, "it is told");
        let told = m.answer(self.manager).unwrap();
        assert_eq!(told.notice(), Some(notice::FAULT));
        assert_eq!(told.words()[1] as usize, self.process.0);
        let record = m.process(self.process).record();
        assert_eq!((record.reason, record.count), (why, count));
        assert_eq!(record.action, action::STOPPED);
        if why == reason::EXIT {
            assert_eq!(record.address, status);
        }
        assert_eq!(m.state(self.supervisor), State::ReceiveBlocked);
        assert!(!m.process(self.process).leaves_traces());
    }
}

#[test]
fn a_program_does_not_start_with_the_system() {
    let it = managed();
    both_paths(&it.system, |m| {
        it.begin(m);
        assert!(!m.process(it.process).is_alive());
        assert_eq!(m.state(it.main), State::Stopped);
        m.call(it.manager, Call::sleep(m.now() + 10));
        assert_eq!(m.current(), it.client, "no program runs");
    });
}

#[test]
fn a_program_has_its_spare_threads_from_its_first_life_on() {
    let mut it = managed();
    it.system.spare_threads(it.process, 1);
    both_paths(&it.system, |m| {
        it.begin(m);
        for count in 1..=2 {
            it.start(m);
            let create = Call::create(it.process, 0, 3, policy::FIFO);
            assert_eq!(m.answer_to(it.main, create).error(), None);
            m.call(it.main, Call::other(number::EXIT, &[0]));
            it.expect_end(m, reason::EXIT, 0, count);
        }
    });
}

#[test]
fn nobody_is_told_that_a_program_begins() {
    let it = managed();
    both_paths(&it.system, |m| {
        it.begin(m);
        it.start(m);
        assert!(m.process(it.process).is_alive());
        assert_eq!(m.state(it.manager), State::ReceiveBlocked);
        assert_eq!(m.process(it.process).record().count, 0);
    });
}

#[test]
fn each_end_of_a_program_is_told_its_manager_and_no_supervisor() {
    let it = managed();
    both_paths(&it.system, |m| {
        it.begin(m);
        for (count, status) in [(1, 0), (2, 3)] {
            it.start(m);
            m.call(it.main, Call::other(number::EXIT, &[status]));
            it.expect_end(m, reason::EXIT, status, count);
        }
        it.start(m);
        m.fault(it.main);
        it.expect_end(m, reason::MEMORY, 0, 3);
        it.start(m);
        m.call(it.main, Call::sleep(m.now() + 5000));
        m.advance(1000);
        assert_eq!(m.state(it.main), State::Sleeping);
    });
}

#[test]
fn a_program_that_is_stopped_is_told_of_once_and_its_clients_go_on() {
    let it = managed();
    both_paths(&it.system, |m| {
        it.begin(m);
        m.call(it.manager, Call::restart(FIRST));
        m.call(it.manager, Call::sleep(m.now() + 100));
        m.call(it.client, Call::other(number::CONNECT, &[0]));
        m.call(it.client, Call::send(m.handle(it.link), &[1]));
        m.call(it.main, Call::receive(m.receive_handle(it.channel)));
        m.advance(100);
        assert_eq!(m.current(), it.manager);
        m.call(it.manager, Call::stop(FIRST));
        it.wait(m);
        it.expect_end(m, reason::CONTROLLED, 0, 1);
        it.wait(m);
        assert_eq!(m.current(), it.client);
        assert_eq!(
            m.answer(it.client).unwrap().error(),
            Some(Error::ServerDied)
        );
        assert_eq!(m.state(it.manager), State::ReceiveBlocked, "once");
    });
}

#[test]
fn what_its_manager_stops_before_it_has_begun_is_told_as_ended() {
    let it = managed();
    both_paths(&it.system, |m| {
        it.begin(m);
        m.call(it.manager, Call::restart(FIRST));
        m.call(it.manager, Call::stop(FIRST));
        it.wait(m);
        it.expect_end(m, reason::CONTROLLED, 0, 1);
        it.wait(m);
        assert_eq!(m.state(it.manager), State::ReceiveBlocked, "once");
    });
}

/// Amid the steps with which a program begins, somebody urgent comes to its manager, which stops it.
#[test]
fn rule_25_a_server_that_knows_a_program_learns_that_it_was_stopped_before_it_had_begun() {
    let mut system = System::new();
    let [managers, servers, clients, program] = [(); 4].map(|()| system.process());
    let urgencies = [(managers, 9), (servers, 12), (clients, 15)];
    let [manager, server, urgent] = urgencies.map(|(it, at)| system.thread(it, at));
    system.thread(program, 5);
    let [ends_of, known] = [managers, servers].map(|it| system.channel(it));
    system.objects(program, 2, 0);
    system.control(managers, program);
    system.programs(ends_of, program);
    system.knows_clients(known);
    system.connection(program, known, 7);
    let link = system.connection(clients, ends_of, 8);
    interrupt_at_each_step(3, |steps| {
        let mut machine = system.start(true);
        let m = &mut machine;
        m.call(urgent, Call::sleep(m.now() + 100));
        m.call(server, Call::receive(m.receive_handle(known)));
        m.host.interrupt_after(steps);
        m.call_once(manager, Call::restart(FIRST));
        let half = m.process(program).is_dying();
        m.set_now(m.now() + 100);
        m.interrupt();
        m.call(urgent, Call::send(m.handle(link), &[]));
        m.call(manager, Call::stop(FIRST));
        m.finish();
        assert_eq!(m.process(program).record().count, 1);
        let told = m.answer(server).expect("it is told");
        let what = (told.notice(), told.badge(), told.words()[1]);
        assert_eq!(what, (Some(notice::CLIENT_DIED), 7, 1), "{steps} steps");
        half
    });
}

/// A server keeps what a program has lent in its last life, so that the next one waits, and is stopped then.
#[test]
fn rule_25_a_server_that_knows_a_program_learns_that_it_was_stopped_while_it_waited_for_what_it_had_lent()
 {
    let mut system = System::new();
    let [managers, servers, program] = [(); 3].map(|()| system.process());
    let [manager, server] = [(managers, 9), (servers, 20)].map(|(it, at)| system.thread(it, at));
    let main = system.thread(program, 5);
    let [ends_of, known] = [managers, servers].map(|it| system.channel(it));
    system.windows(servers, 2, 0x1000);
    system.control(managers, program);
    system.programs(ends_of, program);
    system.notify_unblock(known);
    system.knows_clients(known);
    let link = system.connection(program, known, 7);
    both_paths(&system, |m| {
        let start = m.now();
        let receive = Call::receive(m.receive_handle(known));
        let expect_end = |m: &mut Machine, ends| {
            let told = m.answer(server);
            let what = told.map(|it| (it.notice(), it.badge(), it.words()[1]));
            assert_eq!(what, Some((Some(notice::CLIENT_DIED), 7, ends)));
            m.call(server, receive);
        };
        m.call(server, receive);
        m.call(manager, Call::restart(FIRST));
        m.call(manager, Call::sleep(start + 50));
        m.call(main, Call::other(number::CONNECT, &[0]));
        let lend = Call::lend(m.handle(link), ram(program.0).base, 0x100, &[0; 3]);
        m.call(main, lend);
        m.call(server, receive);
        m.advance_to(start + 50);
        m.call(manager, Call::stop(FIRST));
        expect_end(m, 1);
        m.call(manager, Call::restart(FIRST));
        m.call(manager, Call::stop(FIRST));
        expect_end(m, 2);
        m.call(manager, Call::receive(m.receive_handle(ends_of)));
        let told = m.answer(manager).expect("it is told");
        assert_eq!(told.notice(), Some(notice::FAULT));
        assert_eq!(m.process(program).record().action, action::STOPPED);
    });
}

#[test]
fn an_end_is_told_once_whatever_interrupts_it() {
    let it = managed();
    interrupt_at_each_step(5, |steps| {
        let mut machine = it.system.start(true);
        let m = &mut machine;
        it.begin(m);
        it.start(m);
        let half = m.exit_interrupted(it.main, steps);
        m.finish();
        it.expect_end(m, reason::EXIT, 0, 1);
        it.wait(m);
        assert_eq!(m.state(it.manager), State::ReceiveBlocked, "once");
        half
    });
}

#[test]
fn a_program_that_is_started_amid_its_end_begins_after_it() {
    let it = managed();
    interrupt_at_each_step(5, |steps| {
        let mut machine = it.system.start(true);
        let m = &mut machine;
        it.begin(m);
        m.call(it.manager, Call::restart(FIRST));
        m.call(it.manager, Call::sleep(m.now() + 100));
        m.call(it.client, Call::sleep(m.now() + 1000));
        let half = m.exit_interrupted(it.main, steps);
        m.set_now(m.now() + 100);
        m.interrupt();
        assert_eq!(m.current(), it.manager, "after {steps} steps");
        m.call(it.manager, Call::restart(FIRST));
        it.wait(m);
        m.finish();
        assert!(m.process(it.process).is_alive());
        // The end, which was there, is told; the beginning adds none to it.
        let told = m.answer(it.manager).expect("it is told of the end");
        assert_eq!(told.notice(), Some(notice::FAULT));
        assert_eq!(m.process(it.process).record().count, 1);
        half
    });
}
