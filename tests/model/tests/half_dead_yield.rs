//! A yield while a process is half dead or half held: found by the reading of the second edition's bounds.

use riposte_abi::Error;
use riposte_kernel::{OnEnd, State};
use riposte_model::{Call, ChannelId, Connection, Machine, System, ThreadId};

/// A victim at 5, half dead or half held, and two threads at 8 that have become ready meanwhile.
struct Half {
    system: System,
    main: ThreadId,
    waiting: ThreadId,
    channel: ChannelId,
    first: ThreadId,
    second: ThreadId,
    link: Connection,
}

impl Half {
    fn new(end: OnEnd) -> Self {
        let mut system = System::new();
        let [victim, others] = [(); 2].map(|()| system.process());
        system.on_end(victim, end);
        let main = system.thread(victim, 5);
        let waiting = system.thread(victim, 5);
        let first = system.thread(others, 8);
        let second = system.thread(others, 8);
        let channel = system.channel(victim);
        let link = system.notifier(others, channel, 2);
        Self {
            system,
            main,
            waiting,
            channel,
            first,
            second,
            link,
        }
    }

    fn prepare(&self, m: &mut Machine) {
        let at = m.now() + 100;
        m.call(self.second, Call::sleep(at));
        m.call(self.first, Call::sleep(at));
        m.receive(self.waiting, self.channel);
        m.run(self.main);
    }

    /// Both of the others are ready while the victim is half done; the first one runs.
    fn half(&self, m: &mut Machine) {
        m.host.interrupt_after(1);
        m.fault(self.main);
        m.host.interrupt_after(u32::MAX);
        assert!(m.kernel.awaits_interrupt(), "half done");
        let now = m.now();
        m.leap_to(now + 200);
    }

    /// The two others: the one that runs, and then the one that is ready.
    fn others(&self, m: &Machine) -> (ThreadId, ThreadId) {
        if m.current() == self.first {
            (self.first, self.second)
        } else {
            assert_eq!(m.current(), self.second);
            (self.second, self.first)
        }
    }
}

fn yields_and_sends(end: OnEnd) {
    let world = Half::new(end);
    let mut m = world.system.start(true);
    world.prepare(&mut m);
    world.half(&mut m);
    let (a, b) = world.others(&m);
    m.call(a, Call::give_way());
    assert_eq!(m.current(), b);
    m.call(b, Call::send(m.handle(world.link), &[1]));
    assert_ne!(m.current(), world.waiting, "a thread of the dead runs");
    assert!(matches!(
        m.state(world.waiting),
        State::ReceiveBlocked | State::Stopped
    ));
}

#[test]
fn rule_24_who_runs_after_a_yield_hands_no_message_to_a_thread_of_the_dead() {
    yields_and_sends(OnEnd::Stop);
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no holding")]
fn who_runs_after_a_yield_hands_no_message_to_a_thread_of_a_process_that_is_held() {
    yields_and_sends(OnEnd::Hold);
}

#[test]
fn rule_24_who_runs_after_a_yield_sets_no_bits_of_the_dead() {
    let world = Half::new(OnEnd::Stop);
    let mut m = world.system.start(true);
    world.prepare(&mut m);
    world.half(&mut m);
    let (a, b) = world.others(&m);
    m.call(a, Call::give_way());
    let told = m.answer_to(b, Call::notify(m.handle(world.link), 1));
    assert_eq!(told.error(), Some(Error::ServerDied));
    assert!(matches!(
        m.state(world.waiting),
        State::ReceiveBlocked | State::Stopped
    ));
}
