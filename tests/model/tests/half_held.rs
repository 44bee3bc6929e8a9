//! A process is held at one instant, and what follows goes in steps: whoever meets it half done finds it done.

use riposte_abi::{Error, notice};
use riposte_kernel::{OnEnd, State};
use riposte_model::{
    Call, ChannelId, Connection, InterruptId, LineKind, Machine, System, ThreadId, Token,
};

/// More steps than any hold here takes.
const MANY: u32 = 100;

/// A process that is held when its main thread, at 5, faults. It has one thread that waits for any message, one whose
/// message is served, and many that are ready. The others are more urgent, and asleep by then; but for the supervisor.
struct World {
    system: System,
    main: ThreadId,
    waiting: ThreadId,
    served: ThreadId,
    ready: Vec<ThreadId>,
    channel: ChannelId,
    line: InterruptId,
    server: ThreadId,
    own: ChannelId,
    to_server: Connection,
    stranger: ThreadId,
    link: Connection,
    supervisor: ThreadId,
    faults: ChannelId,
}

/// What the others know when it is held.
struct Known {
    served: Token,
}

type Probe = (&'static str, fn(&World, &Known, &mut Machine));

impl World {
    fn new() -> Self {
        let mut system = System::new();
        let [victim, servers, strangers, supervisors] = [(); 4].map(|()| system.process());
        system.on_end(victim, OnEnd::Hold);
        let main = system.thread(victim, 5);
        let [waiting, served] = [(); 2].map(|()| system.thread(victim, 6));
        let ready = (0..20).map(|_| system.thread(victim, 5)).collect();
        let server = system.thread(servers, 9);
        let stranger = system.thread(strangers, 8);
        let supervisor = system.thread(supervisors, 4);
        let channel = system.channel(victim);
        let own = system.channel(servers);
        let faults = system.channel(supervisors);
        system.supervisor(faults);
        let to_server = system.connection(victim, own, 1);
        let link = system.notifier(strangers, channel, 2);
        let line = system.interrupt(victim, LineKind::Edge);
        Self {
            system,
            main,
            waiting,
            served,
            ready,
            channel,
            line,
            server,
            own,
            to_server,
            stranger,
            link,
            supervisor,
            faults,
        }
    }

    fn prepare(&self, m: &mut Machine) -> Known {
        let receive = Call::receive(m.receive_handle(self.own));
        m.call(self.server, receive);
        m.call(self.stranger, Call::sleep(m.now() + 100));
        let channel = m.receive_handle(self.channel);
        let attach = Call::attach(self.line.position, channel, 4);
        let interrupt = m.answer_to(self.waiting, attach).word();
        let wait = Call::acknowledge_and_receive(channel, interrupt);
        m.call(self.waiting, wait);
        let send = Call::send(m.handle(self.to_server), &[]);
        m.call(self.served, send);
        let served = m.answer(self.server).unwrap().token();
        m.call(self.server, Call::sleep(m.now() + 100));
        assert_eq!(m.current(), self.main);
        Known { served }
    }

    /// It is held; after so many steps an interrupt waits. Whether it is half done then.
    fn hold(&self, m: &mut Machine, steps: u32) -> bool {
        m.host.interrupt_after(steps);
        m.fault(self.main);
        m.host.interrupt_after(u32::MAX);
        m.kernel.awaits_interrupt()
    }

    /// Nothing of it runs, and its threads are where they were.
    fn is_held(&self, m: &Machine) {
        let all = [self.main].into_iter().chain(self.ready.iter().copied());
        for thread in all {
            assert_eq!(m.state(thread), State::Stopped);
        }
        assert_eq!(m.state(self.waiting), State::ReceiveBlocked);
    }
}

const PROBES: [Probe; 6] = [
    ("nothing", |_, _, _| {}),
    ("send", |world, _, m| {
        m.call(world.stranger, Call::send(m.handle(world.link), &[1]));
        assert_eq!(m.state(world.stranger), State::SendBlocked);
    }),
    ("send at once or not at all", |world, _, m| {
        let send = Call::send(m.handle(world.link), &[1]).deadline(0);
        assert_eq!(m.refused(world.stranger, send), Error::WouldBlock);
    }),
    ("notify", |world, _, m| {
        m.call(world.stranger, Call::notify(m.handle(world.link), 1));
        assert_eq!(m.channel(world.channel).bits(), 1);
    }),
    ("interrupt", |world, _, m| {
        m.raise(world.line.line);
        assert_eq!(m.channel(world.channel).bits(), 4);
    }),
    ("reply", |world, known, m| {
        m.call(world.stranger, Call::sleep(m.now() + 10_000));
        m.call(world.server, Call::reply(known.served, &[7]));
        assert_eq!(m.state(world.served), State::Stopped);
        assert_eq!(m.answer(world.server).unwrap().error(), None);
    }),
];

#[test]
fn rule_27_whoever_meets_a_hold_that_is_half_done_finds_it_done() {
    let world = World::new();
    for fast in [true, false] {
        for (name, probe) in PROBES {
            for steps in 1..MANY {
                let mut machine = world.system.start(fast);
                let m = &mut machine;
                let known = world.prepare(m);
                let half = world.hold(m, steps);
                if half {
                    world.is_held(m);
                }
                m.leap_to(m.now() + 100);
                // (The server has the priority of whom it serves.)
                assert_eq!(m.current(), world.stranger, "{name} after {steps} steps");
                probe(&world, &known, m);
                for thread in [world.stranger, world.server] {
                    if m.state(thread) == State::Ready {
                        m.call(thread, Call::sleep(m.now() + 10_000));
                    }
                }
                assert!(!m.kernel.awaits_interrupt());
                world.is_held(m);
                // Now the supervisor is told.
                assert_eq!(m.current(), world.supervisor);
                let receive = Call::receive(m.receive_handle(world.faults));
                let told = m.answer_to(world.supervisor, receive);
                assert_eq!(told.notice(), Some(notice::FAULT));
                if !half {
                    assert!(steps > 10, "it has steps: {steps}");
                    break;
                }
                assert!(steps + 1 < MANY, "it ends");
            }
        }
    }
}

#[test]
fn rule_24_a_process_that_is_restarted_with_another_while_it_comes_to_be_held_is() {
    let mut system = System::new();
    let [first, second, victim] = [(); 3].map(|()| system.process());
    system.on_end(first, OnEnd::Restart);
    system.restart_with(victim, first);
    system.on_end(victim, OnEnd::Hold);
    let leader = system.thread(first, 9);
    let other = system.thread(second, 7);
    let main = system.thread(victim, 5);
    let helpers: Vec<_> = (0..20).map(|_| system.thread(victim, 5)).collect();
    for steps in 1..MANY {
        let mut machine = system.start(true);
        let m = &mut machine;
        m.call(leader, Call::sleep(m.now() + 100));
        m.call(other, Call::sleep(m.now() + 10_000));
        m.call(main, Call::sleep(m.now() + 10_000));
        m.host.interrupt_after(steps);
        m.fault(helpers[0]);
        m.host.interrupt_after(u32::MAX);
        let half = m.kernel.awaits_interrupt();
        m.leap_to(m.now() + 100);
        m.fault(leader);
        m.call(leader, Call::sleep(m.now() + 100));
        assert_eq!(m.current(), main, "it has begun anew after {steps} steps");
        assert_eq!(m.state(helpers[0]), State::Stopped);
        if !half {
            return;
        }
    }
    panic!("it does not end");
}
