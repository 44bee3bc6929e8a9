//! Notification bits: rule 19.

use riposte_abi::{Error, notice};
use riposte_kernel::{OnEnd, State};
use riposte_model::{Call, Machine, Pair, System, ThreadId, both_paths};

#[test]
fn rule_19_bits_that_were_set_come_or_ed_with_one_notice_before_any_message() {
    let pair = Pair::new();
    both_paths(&pair.system, |m| {
        let channel = m.receive_handle(pair.channel);
        let send = Call::send(m.handle(pair.link), &[7]);
        m.call(pair.client, send);
        for bits in [1, 4, 1] {
            m.call(pair.server, Call::notify(channel, bits));
            assert_eq!(m.answer(pair.server).unwrap().error(), None);
        }
        m.call(pair.server, Call::receive(channel));
        let got = m.answer(pair.server).unwrap();
        assert_eq!(got.notice(), Some(notice::BITS));
        assert_eq!(got.words()[1], 5);
        m.call(pair.server, Call::receive(channel));
        let got = m.answer(pair.server).unwrap();
        assert_eq!((got.notice(), got.word()), (None, 7));
    });
}

#[test]
fn rule_19_a_server_that_waits_is_woken_and_the_one_that_sets_the_bits_never_blocks() {
    let mut system = System::new();
    let owner = system.process();
    let server = system.thread(owner, 10);
    let other = system.thread(owner, 3);
    let channel = system.channel(owner);
    both_paths(&system, |m| {
        let channel = m.receive_handle(channel);
        m.call(server, Call::receive(channel));
        m.call(other, Call::notify(channel, 8));
        assert_eq!(m.state(other), State::Ready);
        let got = m.answer(server).expect("it waits no more");
        assert_eq!((got.notice(), got.words()[1]), (Some(notice::BITS), 8));
        // The bits are gone with their notice.
        m.call(server, Call::receive(channel));
        assert_eq!(m.state(server), State::ReceiveBlocked);
    });
}

#[test]
fn rule_19_an_answer_that_waits_finds_the_bits_that_were_set_meanwhile() {
    let pair = Pair::new();
    both_paths(&pair.system, |m| {
        let channel = m.receive_handle(pair.channel);
        let token = pair.exchange(m, &[]);
        m.call(pair.server, Call::notify(channel, 2));
        m.call(pair.server, Call::reply_receive(channel, token, &[1]));
        assert_eq!(m.answer(pair.client).unwrap().word(), 1);
        let got = m.answer(pair.server).expect("there is a notice");
        assert_eq!((got.notice(), got.words()[1]), (Some(notice::BITS), 2));
    });
}

#[test]
fn rule_19_who_has_no_right_to_sets_no_bits_and_nobody_sets_none() {
    let pair = Pair::new();
    both_paths(&pair.system, |m| {
        let (channel, link) = (m.receive_handle(pair.channel), m.handle(pair.link));
        for (thread, handle, bits, error) in [
            (pair.server, channel, 0, Error::BadArgument),
            (pair.server, channel + 0x100, 1, Error::BadHandle),
            (pair.client, link, 1, Error::NotPermitted),
        ] {
            m.call(thread, Call::null());
            let before = m.shape();
            assert_eq!(m.refused(thread, Call::notify(handle, bits)), error);
            assert_eq!(m.shape(), before);
        }
    });
}

#[test]
fn rule_19_a_connection_with_the_right_sets_bits_of_another_process() {
    for (priority, next) in [(9, false), (11, true)] {
        let mut system = System::new();
        let owner = system.process();
        let process = system.process();
        let server = system.thread(owner, priority);
        let client = system.thread(process, 10);
        let channel = system.channel(owner);
        let link = system.notifier(process, channel, 3);
        both_paths(&system, |m| {
            let (channel, link) = (m.receive_handle(channel), m.handle(link));
            receives_beside(m, server, channel, client);
            m.call(client, Call::notify(link, 6));
            assert_eq!(m.state(client), State::Ready);
            assert_eq!(m.current() == server, next);
            let got = m.answer(server).expect("it waits no more");
            assert_eq!((got.notice(), got.words()[1]), (Some(notice::BITS), 6));
        });
    }
}

/// The server waits, whatever its priority, and the client runs.
fn receives_beside(m: &mut Machine, server: ThreadId, channel: u32, client: ThreadId) {
    let later = m.now() + 10;
    if m.current() == client {
        m.call(client, Call::sleep(later));
    }
    m.call(server, Call::receive(channel));
    m.advance_to(later);
    assert_eq!(m.current(), client);
}

#[test]
fn rule_19_bits_of_a_dead_process_are_not_set() {
    let pair = Pair::new();
    let mut system = pair.system;
    let link = system.notifier(pair.client_process, pair.channel, 9);
    both_paths(&system, |m| {
        let link = m.handle(link);
        let none = m.refused(pair.client, Call::notify(link, 0));
        assert_eq!(none, Error::BadArgument);
        m.fault(pair.server);
        let dead = m.refused(pair.client, Call::notify(link, 1));
        assert_eq!(dead, Error::ServerDied);
    });
}

#[test]
fn rule_24_bits_do_not_outlive_their_process() {
    let mut pair = Pair::new();
    pair.system.on_end(pair.server_process, OnEnd::Restart);
    both_paths(&pair.system, |m| {
        let channel = m.receive_handle(pair.channel);
        m.call(pair.server, Call::notify(channel, 1));
        m.fault(pair.server);
        m.call(pair.server, Call::receive(channel));
        assert_eq!(m.state(pair.server), State::ReceiveBlocked);
    });
}
