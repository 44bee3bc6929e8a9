//! Rights: what a handle allows, how it is handed on, and what becomes of it.

use riposte_abi::{
    Error,
    call::{MAX_GENERATION, number},
    notice, process_badge,
};
use riposte_kernel::State;
use riposte_model::{Call, ChannelId, Connection, Machine, Pair, ThreadId, both_paths};

/// A pair whose server has a connection to a third process that it may hand on, with badge 50, and
/// one that it may not.
fn with_gift() -> (Pair, Connection, Connection, ThreadId, ChannelId) {
    let mut pair = Pair::new();
    let far = pair.system.process();
    let keeper = pair.system.thread(far, 10);
    let goal = pair.system.channel(far);
    let gift = pair.system.transferable(pair.server_process, goal, 50);
    let own = pair.system.connection(pair.server_process, goal, 51);
    (pair, gift, own, keeper, goal)
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no handing on")]
fn a_reply_may_hand_over_a_connection_which_then_works() {
    let (pair, gift, _, keeper, goal) = with_gift();
    both_paths(&pair.system, |m| {
        let receive = Call::receive(m.receive_handle(goal));
        m.call(keeper, receive);
        pair.receive(m);
        let call = Call::send(m.handle(pair.link), &[]).accepting_handle();
        m.call(pair.client, call);
        let token = m.answer(pair.server).unwrap().token();
        let call = Call::reply_handle(token, &[1, 2, 3, 4], m.handle(gift));
        m.call(pair.server, call);
        let back = m.answer(pair.client).unwrap();
        assert_eq!((back.length(), &back.words()[..4]), (16, &[1, 2, 3, 4][..]));
        let handle = back.handle().expect("a handle");
        m.call(pair.client, Call::send(handle, &[9]));
        let got = m.answer(keeper).unwrap();
        assert_eq!((got.badge(), got.word()), (50, 9));
        m.call(keeper, Call::reply(got.token(), &[]));
        m.call(pair.client, Call::other(number::CLOSE, &[handle]));
        assert_eq!(
            m.refused(pair.client, Call::send(handle, &[])),
            Error::BadHandle
        );
    });
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no handing on")]
fn a_connection_without_the_right_is_not_handed_on_and_the_client_waits_on() {
    let (pair, gift, own, _, _) = with_gift();
    both_paths(&pair.system, |m| {
        pair.receive(m);
        let call = Call::send(m.handle(pair.link), &[]).accepting_handle();
        m.call(pair.client, call);
        let token = m.answer(pair.server).unwrap().token();
        let channel = m.receive_handle(pair.channel);
        for (handle, error) in [
            (m.handle(own), Error::NotPermitted),
            (channel, Error::NotPermitted),
            (m.handle(gift) + 0x100, Error::BadHandle),
            (0xFF, Error::BadHandle),
        ] {
            let call = Call::reply_handle(token, &[0; 4], handle);
            assert_eq!(m.refused(pair.server, call), error);
            assert_eq!(m.state(pair.client), State::ReplyBlocked);
        }
        m.call(pair.server, Call::reply(token, &[]));
    });
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no handing on")]
fn a_client_that_accepts_no_handle_gets_none() {
    let (pair, gift, _, _, _) = with_gift();
    both_paths(&pair.system, |m| {
        let token = pair.exchange(m, &[]);
        let call = Call::reply_handle(token, &[0; 4], m.handle(gift));
        assert_eq!(m.refused(pair.server, call), Error::NotPermitted);
        assert_eq!(m.state(pair.client), State::ReplyBlocked);
    });
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no handing on")]
fn an_answer_that_brings_a_handle_is_no_refusal() {
    let (pair, gift, _, _, _) = with_gift();
    both_paths(&pair.system, |m| {
        pair.receive(m);
        let call = Call::send(m.handle(pair.link), &[]).accepting_handle();
        m.call(pair.client, call);
        let token = m.answer(pair.server).unwrap().token();
        let reply = Call::reply_handle(token, &[0; 4], m.handle(gift));
        m.call(pair.server, reply.status(7));
        let back = m.answer(pair.client).unwrap();
        assert_eq!((back.status(), back.handle().is_some()), (0, true));
    });
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no handing on")]
fn a_full_table_is_the_error_of_who_hands_on_until_a_slot_is_closed() {
    let (pair, gift, _, _, _) = with_gift();
    both_paths(&pair.system, |m| {
        let channel = m.receive_handle(pair.channel);
        pair.receive(m);
        let mut handles = Vec::new();
        loop {
            let call = Call::send(m.handle(pair.link), &[]).accepting_handle();
            m.call(pair.client, call);
            let token = m.answer(pair.server).unwrap().token();
            let call = Call::reply_handle(token, &[0; 4], m.handle(gift));
            let answer = m.answer_to(pair.server, call);
            if answer.error().is_some() {
                assert_eq!(answer.error(), Some(Error::NoHandles));
                m.call(pair.server, Call::reply_receive(channel, token, &[]));
                break;
            }
            let handle = m.answer(pair.client).unwrap().handle().unwrap();
            assert!(!handles.contains(&handle));
            handles.push(handle);
            m.call(pair.server, Call::receive(channel));
        }
        m.call(pair.client, Call::other(number::CLOSE, &[handles[0]]));
        let call = Call::send(m.handle(pair.link), &[]).accepting_handle();
        m.call(pair.client, call);
        let token = m.answer(pair.server).unwrap().token();
        let call = Call::reply_handle(token, &[0; 4], m.handle(gift));
        m.call(pair.server, call);
        let new = m.answer(pair.client).unwrap().handle().unwrap();
        assert!(!handles.contains(&new), "a slot's handle is a new one");
    });
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no handing on")]
fn a_connection_that_was_handed_over_breaks_with_its_server() {
    let (pair, gift, _, keeper, _) = with_gift();
    both_paths(&pair.system, |m| {
        pair.receive(m);
        let call = Call::send(m.handle(pair.link), &[]).accepting_handle();
        m.call(pair.client, call);
        let token = m.answer(pair.server).unwrap().token();
        let call = Call::reply_handle(token, &[0; 4], m.handle(gift));
        m.call(pair.server, call);
        let handle = m.answer(pair.client).unwrap().handle().unwrap();
        m.fault(keeper);
        let send = Call::send(handle, &[]);
        assert_eq!(m.refused(pair.client, send), Error::ServerDied);
        m.call(pair.client, Call::other(number::CLOSE, &[handle]));
        assert_eq!(m.refused(pair.client, send), Error::BadHandle);
    });
}

#[test]
fn a_closed_connection_is_opened_again_under_another_handle() {
    let pair = Pair::new();
    both_paths(&pair.system, |m| {
        let old = m.handle(pair.link);
        m.call(pair.client, Call::other(number::CLOSE, &[old]));
        let send = Call::send(old, &[]);
        assert_eq!(m.refused(pair.client, send), Error::BadHandle);
        let new = m
            .answer_to(pair.client, Call::other(number::CONNECT, &[0]))
            .word();
        assert_ne!(new, old);
        assert_eq!(m.refused(pair.client, send), Error::BadHandle);
        pair.exchange(m, &[]);
    });
}

#[test]
fn a_slot_that_has_had_all_its_generations_begins_anew_and_its_last_handle_names_nothing() {
    let pair = Pair::new();
    both_paths(&pair.system, |m| {
        let old = m.handle(pair.link);
        m.call(pair.client, Call::other(number::CLOSE, &[old]));
        let slot = &m.kernel.tables().handles[pair.link.process.0][pair.link.slot];
        slot.set_generation(MAX_GENERATION - 1);
        let connect = Call::other(number::CONNECT, &[0]);
        let last = m.answer_to(pair.client, connect).word();
        m.call(pair.client, Call::other(number::CLOSE, &[last]));
        let again = m.answer_to(pair.client, connect).word();
        assert_eq!(again, riposte_abi::call::handle(pair.link.slot as u32, 1));
        let send = Call::send(last, &[]);
        assert_eq!(m.refused(pair.client, send), Error::BadHandle);
        pair.exchange(m, &[]);
    });
}

/// A pair whose server hands on a connection to a third process, with badges of those who get it; it may also set
/// notification bits there. A second client, in a process of its own.
struct Introduced {
    pair: Pair,
    gift: Connection,
    keeper: ThreadId,
    goal: ChannelId,
    other: (ThreadId, Connection),
}

fn introduced() -> Introduced {
    let mut pair = Pair::new();
    let far = pair.system.process();
    let keeper = pair.system.thread(far, 10);
    let goal = pair.system.channel(far);
    let gift = pair.system.giver(pair.server_process, goal);
    let other = pair.another_client(10, 8);
    pair.system.notify_client_died(goal);
    Introduced {
        pair,
        gift,
        keeper,
        goal,
        other,
    }
}

impl Introduced {
    /// The client asks, and is handed the connection: its handle.
    fn hand_over(&self, m: &mut Machine, (client, link): (ThreadId, Connection)) -> u32 {
        self.pair.receive(m);
        m.call(client, Call::send(m.handle(link), &[]).accepting_handle());
        let token = m.answer(self.pair.server).unwrap().token();
        let call = Call::reply_handle(token, &[0; 4], m.handle(self.gift));
        m.call(self.pair.server, call);
        m.answer(client).unwrap().handle().expect("a handle")
    }

    fn clients(&self) -> [(ThreadId, Connection); 2] {
        [(self.pair.client, self.pair.link), self.other]
    }
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no handing on or own badges")]
fn a_connection_with_badges_of_those_who_get_it_tells_them_apart_whoever_hands_it_on() {
    let it = introduced();
    both_paths(&it.pair.system, |m| {
        for (client, link) in it.clients() {
            let handle = it.hand_over(m, (client, link));
            m.call(client, Call::send(handle, &[9]));
            let got = m.answer_to(it.keeper, Call::receive(m.receive_handle(it.goal)));
            let own = process_badge(link.process.0 as u8);
            assert_eq!((got.badge(), got.word()), (own, 9));
            m.call(it.keeper, Call::reply(got.token(), &[]));
        }
        // What the giver sends itself has its own badge.
        m.call(it.pair.server, Call::send(m.handle(it.gift), &[]));
        let got = m.answer_to(it.keeper, Call::receive(m.receive_handle(it.goal)));
        assert_eq!(got.badge(), process_badge(it.pair.server_process.0 as u8));
    });
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no handing on or own badges")]
fn who_gets_a_connection_with_its_own_badge_can_only_send() {
    let it = introduced();
    both_paths(&it.pair.system, |m| {
        let handle = it.hand_over(m, it.clients()[0]);
        let notify = Call::other(number::NOTIFY, &[handle, 1]);
        assert_eq!(m.refused(it.pair.client, notify), Error::NotPermitted);
        let notify = Call::other(number::NOTIFY, &[m.handle(it.gift), 1]);
        m.call(it.pair.server, notify);
        let rights =
            m.kernel.tables().handles[it.pair.client_process.0][handle as usize & 7].rights();
        assert_eq!(rights, riposte_kernel::Rights::NONE);
    });
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no handing on or own badges")]
fn the_death_of_who_was_handed_a_connection_is_told_with_its_own_badge() {
    let it = introduced();
    both_paths(&it.pair.system, |m| {
        for (client, link) in it.clients() {
            it.hand_over(m, (client, link));
            m.fault(client);
            let receive = Call::receive(m.receive_handle(it.goal)).deadline(0);
            let told = m.answer_to(it.keeper, receive);
            let own = process_badge(link.process.0 as u8);
            assert_eq!(
                (told.notice(), told.badge()),
                (Some(notice::CLIENT_DIED), own)
            );
        }
    });
}

/// No slot is looked for, however many there are.
#[test]
#[cfg_attr(feature = "lean", ignore = "no handing on or own badges")]
fn a_client_that_accepts_no_handle_is_found_before_a_slot_is() {
    let it = introduced();
    both_paths(&it.pair.system, |m| {
        it.hand_over(m, it.clients()[0]);
        m.fault(it.pair.client);
        assert!(m.channel(it.goal).has_notices(), "it is still to be told");
        let (client, link) = it.other;
        it.pair.receive(m);
        m.send(client, link, &[]);
        let token = m.answer(it.pair.server).unwrap().token();
        let looks = m.host.looks();
        let call = Call::reply_handle(token, &[0; 4], m.handle(it.gift));
        assert_eq!(m.refused(it.pair.server, call), Error::NotPermitted);
        assert_eq!(m.host.looks(), looks);
    });
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no handing on or own badges")]
fn a_server_receives_by_the_badge_of_who_was_handed_a_connection_until_it_dies() {
    let it = introduced();
    both_paths(&it.pair.system, |m| {
        let badge = process_badge(it.pair.client_process.0 as u8);
        let channel = m.receive_handle(it.goal);
        let receive = Call::receive(channel).from_badge(badge);
        assert_eq!(m.refused(it.keeper, receive), Error::PeerDied);
        let handle = it.hand_over(m, it.clients()[0]);
        m.call(it.keeper, receive);
        m.call(it.pair.client, Call::send(handle, &[9]));
        let got = m.answer(it.keeper).unwrap();
        assert_eq!((got.badge(), got.word()), (badge, 9));
        m.call(it.keeper, Call::reply(got.token(), &[]));
        m.call(it.keeper, receive);
        m.fault(it.pair.client);
        assert_eq!(m.answer(it.keeper).unwrap().error(), Some(Error::PeerDied));
    });
}
