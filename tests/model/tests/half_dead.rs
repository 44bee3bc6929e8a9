//! Rule 24 while a death is half done: an interrupt waits after each step of what follows from a death,
//! its handler, which is more urgent than the dead and all who waited for them, makes a call that meets
//! the death, and finds what it would find when all is over.

use riposte_abi::{
    Error,
    call::number,
    register::{WORD0, WORD1},
};
use riposte_kernel::{Access, OnEnd, State};
use riposte_model::{
    Call, ChannelId, Connection, InterruptId, LineKind, Machine, ProxyId, System, ThreadId, Token,
    interrupt_at_each_step, ram, shared,
};

struct World {
    system: System,
    /// The victim's threads: one that serves and owns a lock, two that send, one that waits at a word.
    main: ThreadId,
    served: ThreadId,
    queued: ThreadId,
    sleeper: ThreadId,
    channel: ChannelId,
    /// Handles of the victim.
    to_handler: Connection,
    /// Its clients: one served, one waiting, one that waits for its lock.
    clients: [ThreadId; 3],
    to_victim: [Connection; 2],
    /// The urgent one, and what it has.
    handler: ThreadId,
    own: ChannelId,
    interrupts: ChannelId,
    line: InterruptId,
    link: Connection,
    trigger: Connection,
}

/// What the handler knows when the victim dies.
struct Known {
    served: Token,
    queued: Token,
    interrupt: u32,
}

fn word(process: usize, number: u32) -> u32 {
    shared(process, Access::Shared).base + number * 4
}

const VICTIM: usize = 0;
const CLIENT: usize = 1;
const HANDLER: usize = 2;

impl World {
    fn new(on_end: OnEnd, with: bool) -> World {
        let mut system = System::new();
        let [victim, client, handler_process] = [(); 3].map(|()| system.process());
        for process in [victim, client, handler_process] {
            system.share(process, Access::Shared);
        }
        system.on_end(victim, on_end);
        if with {
            system.restart_with(client, victim);
        }
        let main = system.thread(victim, 5);
        let [served, queued, sleeper] = [(); 3].map(|()| system.thread(victim, 4));
        let clients = [(); 3].map(|()| system.thread(client, 6));
        let handler = system.thread(handler_process, 20);
        let channel = system.channel(victim);
        let own = system.channel(handler_process);
        system.notify_client_died(own);
        // Whoever it serves, it stays the most urgent.
        system.fixed_priority(own, 20);
        let interrupts = system.channel(handler_process);
        let line = system.interrupt(handler_process, LineKind::Edge);
        let to_handler = system.connection(victim, own, 40);
        let to_victim = [1, 2].map(|badge| system.connection(client, channel, badge));
        let link = system.notifier(handler_process, channel, 30);
        let proxy: ProxyId = system.proxy(channel, &[1]);
        let trigger = system.trigger(handler_process, proxy, true);
        system.objects(victim, 1, 1);
        World {
            system,
            main,
            served,
            queued,
            sleeper,
            channel,
            to_handler,
            clients,
            to_victim,
            handler,
            own,
            interrupts,
            line,
            link,
            trigger,
        }
    }

    fn wait(&self, m: &mut Machine, interrupt: u32) {
        let channel = m.receive_handle(self.interrupts);
        m.call(
            self.handler,
            Call::acknowledge_and_receive(channel, interrupt),
        );
    }

    fn sleep(&self, m: &mut Machine, thread: ThreadId, time: u64) {
        let until = m.now() + time;
        m.call(thread, Call::sleep(until));
    }

    /// Everybody waits as [`World`] says, and the victim's main thread runs.
    fn prepare(&self, m: &mut Machine) -> Known {
        m.call(
            self.handler,
            Call::other(number::CONNECT, &[self.trigger.slot as u32]),
        );
        let interrupt = m.attach(self.handler, self.line, self.interrupts, 1);
        self.wait(m, interrupt);
        let [first, second, locker] = self.clients;
        m.call(first, Call::send(m.handle(self.to_victim[0]), &[1]));
        m.call(second, Call::send(m.handle(self.to_victim[1]), &[2]));
        self.sleep(m, locker, 100);
        let own = m.receive_handle(self.channel);
        m.call(self.main, Call::lock(word(VICTIM, 1)));
        m.call(self.main, Call::receive(own));
        let timer = m.answer_to(self.main, Call::create_timer(own, 1)).word();
        m.call(self.main, Call::set_timer(timer, m.now() + (1 << 30), 0));
        m.advance(100);
        m.call(locker, Call::lock(word(CLIENT, 1)));
        self.sleep(m, self.main, 100);
        let link = m.handle(self.to_handler);
        m.call(self.served, Call::send(link, &[3]));
        m.call(self.queued, Call::send(link, &[4]));
        m.call(self.sleeper, Call::futex_wait(word(VICTIM, 0), 0));
        m.raise(self.line.line);
        let receive = Call::receive(m.receive_handle(self.own));
        let served = m.answer_to(self.handler, receive).token();
        let queued = m.token_of(self.queued);
        self.wait(m, interrupt);
        m.advance(100);
        assert_eq!(m.current(), self.main);
        let states = [self.served, self.queued, self.sleeper].map(|thread| m.state(thread));
        let expected = [State::ReplyBlocked, State::SendBlocked, State::FutexBlocked];
        assert_eq!(states, expected);
        let states = self.clients.map(|thread| m.state(thread));
        let expected = [State::ReplyBlocked, State::SendBlocked, State::FutexBlocked];
        assert_eq!(states, expected);
        Known {
            served,
            queued,
            interrupt,
        }
    }
}

type Probe = (&'static str, fn(&World, &Known, &Machine) -> Call);

/// Calls that meet the death, none of which blocks.
const PROBES: [Probe; 16] = [
    ("close nothing", |_, _, _| {
        Call::other(number::CLOSE, &[u32::MAX])
    }),
    ("send", |world, _, m| {
        Call::send(m.handle(world.link), &[1]).deadline(0)
    }),
    ("send bytes", |world, _, m| {
        Call::send_bytes(m.handle(world.link), ram(HANDLER).base, 4).deadline(0)
    }),
    ("notify", |world, _, m| {
        Call::notify(m.handle(world.link), 1)
    }),
    ("trigger", |world, _, m| {
        Call::trigger(m.handle(world.trigger))
    }),
    ("connect", |world, _, _| {
        Call::other(number::CONNECT, &[world.link.slot as u32])
    }),
    ("connect to its proxy", |world, _, _| {
        Call::other(number::CONNECT, &[world.trigger.slot as u32])
    }),
    ("reply", |_, known, _| Call::reply(known.served, &[])),
    ("read", |_, known, _| {
        Call::read(known.served, ram(HANDLER).base, 4, 0)
    }),
    ("write", |_, known, _| {
        Call::write(known.served, ram(HANDLER).base, 4, 0)
    }),
    ("wake", |_, _, _| Call::futex_wake(word(HANDLER, 0), 9)),
    ("requeue", |_, _, _| {
        Call::futex_requeue(word(HANDLER, 0), 0, 0, word(HANDLER, 2), 9)
    }),
    ("lock", |_, _, _| Call::lock(word(HANDLER, 1)).deadline(0)),
    ("receive from its token", |world, known, m| {
        Call::receive(m.receive_handle(world.own))
            .from_token(known.queued)
            .deadline(0)
    }),
    ("receive from its badge", |world, _, m| {
        Call::receive(m.receive_handle(world.own))
            .from_badge(40)
            .deadline(0)
    }),
    ("close", |world, _, m| {
        Call::other(number::CLOSE, &[m.handle(world.link)])
    }),
];

/// What everybody but the handler sees in the end.
fn outcome(world: &World, m: &Machine) -> String {
    let threads = [world.main, world.served, world.queued, world.sleeper];
    let threads = threads.into_iter().chain(world.clients);
    let threads: Vec<_> = threads
        .map(|thread| {
            let error = m.answer(thread).and_then(|answer| answer.error());
            let word = m.answer(thread).map(|answer| answer.registers[WORD0]);
            (m.state(thread), m.priority(thread), error, word)
        })
        .collect();
    let words = [0, 1, 2].map(|number| m.host.peek_word(word(CLIENT, number)));
    format!("{threads:?} {words:x?}")
}

/// The victim ends, an interrupt waits after `steps` steps, and the handler makes the call. Returns what
/// it finds, the outcome, and whether the death was half done then.
fn run(world: &World, probe: &Probe, steps: u32, fast: bool) -> (String, String, bool) {
    let mut machine = world.system.start(fast);
    let m = &mut machine;
    let known = world.prepare(m);
    let half = m.exit_interrupted(world.main, steps);
    m.raise_amid(world.line.line);
    assert_eq!(m.current(), world.handler, "the handler is more urgent");
    let call = (probe.1)(world, &known, m);
    let answer = m.answer_to(world.handler, call);
    let words = [WORD0, WORD1].map(|index| answer.registers[index]);
    let found = format!("{:?} {words:?}", answer.error());
    assert_eq!(m.current(), world.handler, "nobody is more urgent");
    world.wait(m, known.interrupt);
    assert!(!m.kernel.awaits_interrupt());
    let alive = m.thread(world.main).process.is_dying();
    assert!(!alive, "the work is done before anybody less urgent runs");
    (found, outcome(world, m), half)
}

fn after_each_step(world: &World, probes: &[Probe], fast: bool, compare_answers: bool) {
    for probe in probes {
        let (found, expected, half) = run(world, probe, u32::MAX, fast);
        assert!(!half);
        interrupt_at_each_step(20, |steps| {
            let (found_then, outcome, half) = run(world, probe, steps, fast);
            if compare_answers {
                assert_eq!(found_then, found, "{} after {steps} steps", probe.0);
            }
            assert_eq!(outcome, expected, "{} after {steps} steps", probe.0);
            half
        });
    }
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no proxies or timers")]
fn rule_24_whoever_meets_a_half_done_death_finds_it_done() {
    let world = World::new(OnEnd::Stop, false);
    for fast in [true, false] {
        after_each_step(&world, &PROBES, fast, true);
    }
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no proxies or timers")]
fn rule_24_a_restart_that_is_interrupted_ends_as_one_that_is_not() {
    for with in [false, true] {
        let world = World::new(OnEnd::Restart, with);
        for fast in [true, false] {
            after_each_step(&world, &PROBES[..3], fast, false);
        }
    }
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no proxies or timers")]
fn rule_25_a_message_of_the_dead_is_not_received_whatever_step_their_end_has_come_to() {
    let world = World::new(OnEnd::Stop, false);
    interrupt_at_each_step(0, |steps| {
        let mut machine = world.system.start(true);
        let m = &mut machine;
        world.prepare(m);
        let half = m.exit_interrupted(world.main, steps);
        m.raise_amid(world.line.line);
        let receive = Call::receive(m.receive_handle(world.own)).deadline(0);
        let found = m.answer_to(world.handler, receive);
        let told = found.notice() == Some(riposte_abi::notice::CLIENT_DIED);
        assert!(
            told || found.error() == Some(Error::WouldBlock),
            "{found:?}"
        );
        assert!(half || told);
        half
    });
}

/// A driver may never send: it is as quick after a death as before.
#[test]
#[cfg_attr(feature = "lean", ignore = "no proxies")]
fn rule_24_who_notifies_or_triggers_is_short_again_when_a_death_is_over() {
    let mut system = System::new();
    let [victim, other, server] = [(); 3].map(|()| system.process());
    let doomed = system.thread(victim, 4);
    let handler = system.thread(other, 20);
    system.thread(server, 3);
    let own = system.channel(other);
    let bits = system.channel(server);
    let line = system.interrupt(other, LineKind::Edge);
    let link = system.notifier(other, bits, 30);
    let proxy = system.proxy(bits, &[7]);
    let trigger = system.trigger(other, proxy, false);
    for triggers in [false, true] {
        let call = |m: &Machine| match triggers {
            false => Call::notify(m.handle(link), 1),
            true => Call::trigger(m.handle(trigger)),
        };
        interrupt_at_each_step(10, |steps| {
            let mut machine = system.start(true);
            let m = &mut machine;
            let wait = m.wait_for_interrupt(handler, line, own);
            assert!(!m.keeps_to_general_cases(handler));
            let half = m.exit_interrupted(doomed, steps);
            m.raise_amid(line.line);
            m.call(handler, call(m));
            m.call(handler, wait);
            m.finish();
            m.raise(line.line);
            m.call(handler, call(m));
            assert!(!m.keeps_to_general_cases(handler));
            half
        });
    }
}

#[test]
fn rule_24_no_short_path_reaches_the_dead() {
    let mut system = System::new();
    let [victim, other] = [(); 2].map(|()| system.process());
    let doomed = system.thread(victim, 4);
    let waiting = system.thread(victim, 5);
    let handler = system.thread(other, 20);
    let channel = system.channel(victim);
    let own = system.channel(other);
    let line = system.interrupt(other, LineKind::Edge);
    let link = system.connection(other, channel, 30);
    interrupt_at_each_step(10, |steps| {
        let mut machine = system.start(true);
        let m = &mut machine;
        let wait = m.wait_for_interrupt(handler, line, own);
        let receive = Call::receive(m.receive_handle(channel));
        m.call(waiting, receive);
        m.raise(line.line);
        // A message to who waits is what the short path is for.
        m.call(handler, Call::send(m.handle(link), &[1]));
        assert_ne!(m.calls_in_registers(), 0);
        let token = m.answer(waiting).unwrap().token();
        m.call(waiting, Call::reply(token, &[]));
        m.call(handler, wait);
        m.call(waiting, receive);
        let half = m.exit_interrupted(doomed, steps);
        m.raise_amid(line.line);
        assert_eq!(m.current(), handler);
        let sent = m.answer_to(handler, Call::send(m.handle(link), &[1]));
        assert_eq!(sent.error(), Some(Error::ServerDied), "after {steps} steps");
        half
    });
}
