//! What a process could do to the kernel or to others, and does in vain.

use riposte_abi::{Error, call::number};
use riposte_kernel::{OnEnd, State};
use riposte_model::{Call, ChannelId, Machine, Pair, System, ThreadId, both_paths};

/// A pair whose server has handed its client a connection to a third process, with badge 50, and
/// has died since: nobody else has the badge.
struct Inherited {
    pair: Pair,
    keeper: ThreadId,
    goal: ChannelId,
}

impl Inherited {
    fn check(test: impl Fn(&Self, &mut Machine, u32)) {
        let mut pair = Pair::new();
        let far = pair.system.process();
        let keeper = pair.system.thread(far, 10);
        let goal = pair.system.channel(far);
        let gift = pair.system.transferable(pair.server_process, goal, 50);
        pair.system.on_end(far, OnEnd::Restart);
        let this = Self { pair, keeper, goal };
        both_paths(&this.pair.system, |m| {
            this.pair.receive(m);
            let call = Call::send(m.handle(this.pair.link), &[]).accepting_handle();
            m.call(this.pair.client, call);
            let token = m.answer(this.pair.server).unwrap().token();
            let call = Call::reply_handle(token, &[0; 4], m.handle(gift));
            m.call(this.pair.server, call);
            let given = m.answer(this.pair.client).unwrap().handle();
            m.fault(this.pair.server);
            test(&this, m, given.expect("a handle"));
        });
    }

    fn select(&self, m: &Machine) -> Call {
        Call::receive(m.receive_handle(self.goal)).from_badge(50)
    }
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no handing on")]
fn rule_9_who_closes_the_only_connection_does_not_leave_a_selective_receive_waiting() {
    Inherited::check(|this, m, given| {
        let select = this.select(m);
        m.call(this.keeper, select);
        assert_eq!(m.state(this.keeper), State::ReceiveBlocked);
        m.call(this.pair.client, Call::other(number::CLOSE, &[given]));
        let told = m.answer(this.keeper).expect("it waits no more");
        assert_eq!(told.error(), Some(Error::PeerDied));
    });
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no handing on")]
fn rule_9_a_broken_connection_that_nobody_can_open_again_is_no_peer() {
    Inherited::check(|this, m, _| {
        m.fault(this.keeper);
        let select = this.select(m);
        assert_eq!(m.refused(this.keeper, select), Error::PeerDied);
    });
}

/// Threads that each wait for the next.
const CHAIN: usize = 240;

/// The first thread serves somebody urgent; each one waits for the next to take its message, but for
/// the last. Then the urgent client leaves, and they all lose its priority.
#[test]
fn rule_16_a_priority_goes_along_a_long_chain_of_waiting_clients_and_back() {
    let mut system = System::new();
    let processes: Vec<_> = (0..=CHAIN).map(|_| system.process()).collect();
    let threads: Vec<_> = processes
        .iter()
        .map(|process| system.thread(*process, 10))
        .collect();
    let channels: Vec<_> = processes
        .iter()
        .map(|process| system.channel(*process))
        .collect();
    let links: Vec<_> = processes
        .iter()
        .zip(&channels[1..])
        .map(|(process, next)| system.connection(*process, *next, 1))
        .collect();
    let first = system.process();
    let urgent = system.thread(first, 20);
    let start = system.connection(first, channels[0], 2);
    both_paths(&system, |m| {
        let begin = m.now();
        m.call(urgent, Call::sleep(begin + 50));
        // Each has waited at its channel once, so that it serves it.
        for (thread, channel) in threads.iter().zip(&channels).skip(1) {
            let receive = Call::receive(m.receive_handle(*channel)).deadline(begin + 1);
            m.call(*thread, receive);
        }
        let receive = Call::receive(m.receive_handle(channels[0]));
        m.call(threads[0], receive);
        m.advance(50);
        let call = Call::send(m.handle(start), &[]).deadline(begin + 100);
        m.call(urgent, call);
        for (thread, link) in threads.iter().zip(&links) {
            let call = Call::send(m.handle(*link), &[]);
            m.call(*thread, call);
            assert_eq!(m.state(*thread), State::SendBlocked);
        }
        assert_eq!(m.priority(threads[CHAIN]), 20);
        m.advance(50);
        assert_eq!(m.priority(threads[CHAIN]), 10);
    });
}
