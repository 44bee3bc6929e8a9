//! Deadlines and the clock: rules 22 and 23.

use riposte_abi::{Error, call::number, notice};
use riposte_kernel::State;
use riposte_model::{Call, Pair, System, both_paths};

const SERVER_RAM: u32 = 0x2000_0000;

#[test]
fn rule_22_the_clock_tells_all_64_bits() {
    let pair = Pair::new();
    both_paths(&pair.system, |m| {
        m.advance_to(0x12_3456_789A);
        let call = Call::other(number::CLOCK, &[]);
        let words = m.answer_to(pair.client, call).words();
        assert_eq!(words[..2], [0x3456_789A, 0x12]);
    });
}

#[test]
fn rule_22_a_thread_sleeps_until_its_time_and_not_less() {
    let pair = Pair::new();
    both_paths(&pair.system, |m| {
        let until = m.now() + (5 << 32);
        m.call(pair.client, Call::sleep(until));
        assert_eq!(m.state(pair.client), State::Sleeping);
        m.advance_to(until - 1);
        m.interrupt();
        assert_eq!(
            m.state(pair.client),
            State::Sleeping,
            "an early alarm ends nothing"
        );
        m.advance_to(until);
        assert_eq!(m.state(pair.client), State::Ready);
    });
}

#[test]
fn rule_22_a_time_that_has_passed_is_no_sleep() {
    let pair = Pair::new();
    both_paths(&pair.system, |m| {
        let now = m.now();
        for until in [0, now] {
            assert_eq!(m.answer_to(pair.client, Call::sleep(until)).error(), None);
        }
    });
}

#[test]
fn rule_22_many_sleepers_wake_in_the_order_of_their_times() {
    let mut system = System::new();
    let process = system.process();
    let threads: Vec<_> = (0..12).map(|_| system.thread(process, 10)).collect();
    let times = [50, 20, 90, 10, 60, 30, 80, 40, 100, 70, 120, 110];
    both_paths(&system, |m| {
        let start = m.now();
        for (thread, time) in threads.iter().zip(times) {
            m.call(*thread, Call::sleep(start + time));
        }
        for time in (10..=120).step_by(10) {
            assert_eq!(m.alarm(), start + time);
            m.advance_to(start + time);
            let awake = threads.iter().zip(times).find(|(_, at)| *at == time);
            let (thread, _) = awake.unwrap();
            assert_eq!(m.current(), *thread);
            m.call(*thread, Call::sleep(start + 1000));
        }
    });
}

#[test]
fn rule_23_a_receive_gives_up_at_its_deadline() {
    let pair = Pair::new();
    both_paths(&pair.system, |m| {
        let channel = m.receive_handle(pair.channel);
        m.call(pair.server, Call::receive(channel).deadline(m.now() + 10));
        m.advance(9);
        assert_eq!(m.state(pair.server), State::ReceiveBlocked);
        m.advance(1);
        assert_eq!(
            m.answer(pair.server).unwrap().error(),
            Some(Error::TimedOut)
        );
        pair.send(m, &[1]);
        assert_eq!(m.state(pair.client), State::SendBlocked);
    });
}

#[test]
fn rule_23_a_message_in_time_ends_the_deadline_of_the_receive() {
    let pair = Pair::new();
    both_paths(&pair.system, |m| {
        let channel = m.receive_handle(pair.channel);
        m.call(pair.server, Call::receive(channel).deadline(m.now() + 10));
        pair.send(m, &[1]);
        assert_eq!(m.answer(pair.server).unwrap().word(), 1);
        m.advance(20);
        assert_eq!(m.answer(pair.server).unwrap().word(), 1);
        assert_eq!(m.alarm(), u64::MAX);
    });
}

#[test]
fn rule_23_a_client_that_is_send_blocked_leaves_at_its_deadline() {
    let pair = Pair::new();
    both_paths(&pair.system, |m| {
        let call = Call::send(m.handle(pair.link), &[1]).deadline(m.now() + 10);
        m.call(pair.client, call);
        m.advance(10);
        assert_eq!(
            m.answer(pair.client).unwrap().error(),
            Some(Error::TimedOut)
        );
        let channel = m.receive_handle(pair.channel);
        let call = Call::receive(channel).deadline(0);
        assert_eq!(m.refused(pair.server, call), Error::WouldBlock);
    });
}

#[test]
fn rule_23_a_send_that_may_not_block_waits_for_the_answer_of_a_server_that_waits() {
    let mut pair = Pair::new();
    for tells in [false, true] {
        if tells {
            pair.system.notify_unblock(pair.channel);
        }
        both_paths(&pair.system, |m| {
            pair.receive(m);
            let send = Call::send(m.handle(pair.link), &[1]).deadline(0);
            m.call(pair.client, send);
            let token = m.answer(pair.server).unwrap().token();
            m.advance(1000);
            assert_eq!(m.state(pair.client), State::ReplyBlocked);
            // No notice is there.
            let look = Call::receive(m.receive_handle(pair.channel)).deadline(0);
            assert_eq!(m.refused(pair.server, look), Error::WouldBlock);
            m.call(pair.server, Call::reply(token, &[2]));
            assert_eq!(m.answer(pair.client).unwrap().word(), 2);
        });
    }
}

#[test]
fn rule_23_a_send_that_may_not_block_is_refused_if_nobody_waits() {
    let pair = Pair::new();
    both_paths(&pair.system, |m| {
        let call = Call::send(m.handle(pair.link), &[1]).deadline(0);
        assert_eq!(m.refused(pair.client, call), Error::WouldBlock);
    });
}

#[test]
fn rule_23_a_client_that_is_reply_blocked_leaves_and_its_token_goes_stale() {
    let pair = Pair::new();
    both_paths(&pair.system, |m| {
        pair.receive(m);
        let call = Call::send(m.handle(pair.link), &[1]).deadline(m.now() + 10);
        m.call(pair.client, call);
        let token = m.answer(pair.server).unwrap().token();
        m.advance(10);
        assert_eq!(
            m.answer(pair.client).unwrap().error(),
            Some(Error::TimedOut)
        );
        for call in [
            Call::reply(token, &[]),
            Call::reply_receive(m.receive_handle(pair.channel), token, &[]),
            Call::read(token, SERVER_RAM, 1, 0),
        ] {
            assert_eq!(m.refused(pair.server, call), Error::NoSuchClient);
        }
    });
}

#[test]
fn rule_23_with_unblock_notices_the_server_is_told_and_the_client_stays_until_it_is_answered() {
    let mut pair = Pair::new();
    pair.system.notify_unblock(pair.channel);
    for waiting in [false, true] {
        both_paths(&pair.system, |m| {
            let channel = m.receive_handle(pair.channel);
            pair.receive(m);
            let call = Call::send(m.handle(pair.link), &[1]).deadline(m.now() + 10);
            m.call(pair.client, call);
            let token = m.answer(pair.server).unwrap().token();
            if waiting {
                m.call(pair.server, Call::receive(channel));
                m.advance(10);
            } else {
                m.advance(10);
                m.call(pair.server, Call::receive(channel));
            }
            assert_eq!(m.state(pair.client), State::ReplyBlocked);
            let told = m.answer(pair.server).unwrap();
            assert_eq!(told.notice(), Some(notice::UNBLOCK));
            assert_eq!((told.badge(), told.token()), (7, token));
            m.advance(1000);
            assert_eq!(m.state(pair.client), State::ReplyBlocked);
            m.call(pair.server, Call::reply_error(token, 9));
            assert_eq!(m.answer(pair.client).unwrap().status(), 9);
        });
    }
}

#[test]
fn rule_23_a_client_that_is_answered_before_the_notice_is_read_leaves_no_notice() {
    let mut pair = Pair::new();
    pair.system.notify_unblock(pair.channel);
    both_paths(&pair.system, |m| {
        let channel = m.receive_handle(pair.channel);
        pair.receive(m);
        let call = Call::send(m.handle(pair.link), &[1]).deadline(m.now() + 10);
        m.call(pair.client, call);
        let token = m.answer(pair.server).unwrap().token();
        m.advance(10);
        assert!(m.channel(pair.channel).has_notices());
        m.call(pair.server, Call::reply(token, &[]));
        assert!(!m.channel(pair.channel).has_notices());
        let call = Call::receive(channel).deadline(0);
        assert_eq!(m.refused(pair.server, call), Error::WouldBlock);
    });
}

#[test]
fn rule_23_a_selective_receive_leaves_the_unblock_notice_for_later() {
    let mut pair = Pair::new();
    pair.system.notify_unblock(pair.channel);
    let (other, link) = pair.another_client(10, 8);
    both_paths(&pair.system, |m| {
        let channel = m.receive_handle(pair.channel);
        pair.receive(m);
        let call = Call::send(m.handle(pair.link), &[1]).deadline(m.now() + 10);
        m.call(pair.client, call);
        m.call(pair.server, Call::receive(channel).from_badge(8));
        m.advance(10);
        assert_eq!(m.state(pair.server), State::ReceiveBlocked);
        let call = Call::send(m.handle(link), &[5]);
        m.call(other, call);
        let got = m.answer(pair.server).unwrap();
        assert_eq!(got.word(), 5);
        m.call(pair.server, Call::reply_receive(channel, got.token(), &[]));
        let told = m.answer(pair.server).unwrap();
        assert_eq!(told.notice(), Some(notice::UNBLOCK));
    });
}

#[test]
fn rule_23_a_reply_receive_takes_a_deadline_for_its_second_half() {
    let pair = Pair::new();
    both_paths(&pair.system, |m| {
        let channel = m.receive_handle(pair.channel);
        let token = pair.exchange(m, &[]);
        let call = Call::reply_receive(channel, token, &[3]).deadline(m.now() + 10);
        m.call(pair.server, call);
        assert_eq!(m.answer(pair.client).unwrap().word(), 3);
        m.advance(10);
        assert_eq!(
            m.answer(pair.server).unwrap().error(),
            Some(Error::TimedOut)
        );
        let token = pair.exchange(m, &[]);
        let call = Call::reply_receive(channel, token, &[4]).deadline(0);
        assert_eq!(
            m.answer_to(pair.server, call).error(),
            Some(Error::WouldBlock)
        );
        assert_eq!(
            m.answer(pair.client).unwrap().word(),
            4,
            "the answer is given all the same"
        );
    });
}

#[test]
fn rule_23_deadlines_that_pass_together_all_end() {
    let mut pair = Pair::new();
    let others: Vec<_> = (0..5).map(|n| pair.another_client(10, 20 + n)).collect();
    both_paths(&pair.system, |m| {
        let at = m.now() + 10;
        for (client, link) in &others {
            let call = Call::send(m.handle(*link), &[]).deadline(at);
            m.call(*client, call);
        }
        m.call(pair.client, Call::sleep(at));
        m.advance_to(at + 100);
        for (client, _) in &others {
            assert_eq!(m.answer(*client).unwrap().error(), Some(Error::TimedOut));
        }
        assert_eq!(m.state(pair.client), State::Ready);
    });
}
