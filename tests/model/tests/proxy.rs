//! Proxies: rule 18, and what death means to them.

use riposte_abi::{
    Error, MAX_PROXY_BYTES,
    call::{INDEX_MASK, MAX_GENERATION, number},
    notice,
};
use riposte_kernel::{OnEnd, State};
use riposte_model::{
    Answer, Call, ChannelId, Connection, Machine, Pair, ProxyId, System, ThreadId, both_paths, ram,
};

/// A [`Pair`] with a proxy of the server that the client may trigger; both make one more.
struct Triggered {
    pair: Pair,
    proxy: ProxyId,
    link: Connection,
}

const MESSAGE: &[u8] = b"at last";

impl Triggered {
    fn new() -> Self {
        Self::with(false)
    }

    fn with(transfer: bool) -> Self {
        let mut pair = Pair::new();
        let proxy = pair.system.proxy(pair.channel, MESSAGE);
        let link = pair.system.trigger(pair.client_process, proxy, transfer);
        pair.system.on_end(pair.server_process, OnEnd::Restart);
        pair.system.objects(pair.server_process, 2, 0);
        Self { pair, proxy, link }
    }

    /// Both paths, with the server's channel and the client's handle of the proxy.
    fn test(&self, test: impl Fn(&mut Machine, u32, u32)) {
        both_paths(&self.pair.system, |m| {
            let handles = (m.receive_handle(self.pair.channel), m.handle(self.link));
            test(m, handles.0, handles.1);
        });
    }

    /// The server receives what waits, into 16 bytes of its memory.
    fn receive(&self, m: &mut Machine) -> Answer {
        let channel = m.receive_handle(self.pair.channel);
        let call = Call::receive(channel).room(ram(0).base + 0x100, 16);
        m.answer_to(self.pair.server, call.deadline(0))
    }

    /// How often the server receives a proxy before there is nothing more.
    fn drain(&self, m: &mut Machine) -> usize {
        let proxies = core::iter::from_fn(|| {
            let got = self.receive(m);
            (got.error().is_none()).then(|| assert_eq!(got.notice(), Some(notice::PROXY)))
        });
        proxies.count()
    }

    /// The server makes a proxy with a message of its memory.
    fn make(&self, m: &mut Machine) -> u32 {
        let channel = m.receive_handle(self.pair.channel);
        let call = Call::create_proxy(channel, ram(0).base, 3);
        m.answer_to(self.pair.server, call).word()
    }
}

fn close(handle: u32) -> Call {
    Call::other(number::CLOSE, &[handle])
}

fn succeeds(m: &mut Machine, thread: ThreadId, call: Call) {
    assert_eq!(m.answer_to(thread, call).error(), None);
}

#[test]
fn rule_18_each_trigger_is_received_once_with_the_message_and_needs_no_reply() {
    let it = Triggered::new();
    it.test(|m, _, trigger| {
        for _ in 0..3 {
            succeeds(m, it.pair.client, Call::trigger(trigger));
        }
        for left in (0..3).rev() {
            let got = it.receive(m);
            assert_eq!(got.notice(), Some(notice::PROXY));
            assert_eq!(got.words()[1..3], [7, 7]);
            let name = m.kernel.tables().handles[0][usize::from(m.proxy(it.proxy).slot)]
                .value(m.proxy(it.proxy).slot.into());
            assert_eq!(got.badge(), name, "what its owner calls it");
            assert_eq!(m.host.peek(ram(0).base + 0x100, 7), MESSAGE);
            assert_eq!(m.proxy(it.proxy).count(), left);
        }
        assert_eq!(it.receive(m).error(), Some(Error::WouldBlock));
    });
}

#[test]
fn rule_18_a_server_that_waits_gets_it_at_once_and_who_triggers_never_blocks() {
    for (priority, next) in [(9, false), (10, false), (11, true)] {
        let mut it = Triggered::new();
        it.pair.system = System::new();
        let owner = it.pair.system.process();
        let client = it.pair.system.process();
        it.pair.server = it.pair.system.thread(owner, priority);
        it.pair.client = it.pair.system.thread(client, 10);
        it.pair.channel = it.pair.system.channel(owner);
        it.proxy = it.pair.system.proxy(it.pair.channel, MESSAGE);
        it.link = it.pair.system.trigger(client, it.proxy, false);
        it.test(|m, channel, trigger| {
            let later = m.now() + 10;
            if m.current() == it.pair.client {
                m.call(it.pair.client, Call::sleep(later));
            }
            m.call(it.pair.server, Call::receive(channel));
            m.advance_to(later);
            m.call(it.pair.client, Call::trigger(trigger));
            assert_eq!(m.state(it.pair.client), State::Ready);
            assert_eq!(m.current() == it.pair.server, next);
            let got = m.answer(it.pair.server).expect("it waits no more");
            assert_eq!(got.notice(), Some(notice::PROXY));
            assert_eq!(got.words()[1..3], [0, 7], "there was no room");
        });
    }
}

#[test]
fn rule_18_triggers_are_counted_to_65535_and_the_next_one_is_refused() {
    let it = Triggered::new();
    it.test(|m, _, trigger| {
        succeeds(m, it.pair.client, Call::trigger(trigger));
        m.proxy(it.proxy).set_count(u16::MAX - 1);
        succeeds(m, it.pair.client, Call::trigger(trigger));
        assert_eq!(m.proxy(it.proxy).count(), u16::MAX);
        let error = m.refused(it.pair.client, Call::trigger(trigger));
        assert_eq!(error, Error::WouldBlock);
        assert_eq!(it.receive(m).notice(), Some(notice::PROXY));
        succeeds(m, it.pair.client, Call::trigger(trigger));
        assert_eq!(m.proxy(it.proxy).count(), u16::MAX);
    });
}

#[test]
fn rule_18_several_proxies_of_a_channel_take_turns_and_come_before_messages() {
    let it = Triggered::new();
    it.test(|m, _, trigger| {
        let own = it.make(m);
        let send = Call::send(m.handle(it.pair.link), &[1]);
        m.call(it.pair.client, send);
        for proxy in [own, own, own] {
            succeeds(m, it.pair.server, Call::trigger(proxy));
        }
        let fixed = m.answer_to(
            it.pair.server,
            Call::other(number::CONNECT, &[m.proxy(it.proxy).slot.into()]),
        );
        let fixed = fixed.word();
        succeeds(m, it.pair.server, Call::trigger(fixed));
        succeeds(m, it.pair.server, Call::trigger(fixed));
        let got = [(); 5].map(|()| it.receive(m).badge());
        assert_eq!(got, [own, fixed, own, fixed, own]);
        assert_eq!(it.receive(m).notice(), None);
        let _ = trigger;
    });
}

#[test]
fn rule_18_an_answer_that_waits_finds_what_was_triggered_meanwhile() {
    let it = Triggered::new();
    it.test(|m, channel, _| {
        let own = it.make(m);
        let token = it.pair.exchange(m, &[]);
        succeeds(m, it.pair.server, Call::trigger(own));
        m.call(it.pair.server, Call::reply_receive(channel, token, &[1]));
        assert_eq!(m.answer(it.pair.client).unwrap().word(), 1);
        let got = m.answer(it.pair.server).expect("there is a notice");
        assert_eq!((got.notice(), got.badge()), (Some(notice::PROXY), own));
    });
}

#[test]
fn rule_18_a_selective_receive_takes_no_proxy() {
    let it = Triggered::new();
    it.test(|m, channel, trigger| {
        m.call(it.pair.server, Call::receive(channel).from_badge(7));
        m.call(it.pair.client, Call::trigger(trigger));
        assert_eq!(m.state(it.pair.server), State::ReceiveBlocked);
        let send = Call::send(m.handle(it.pair.link), &[3]);
        m.call(it.pair.client, send);
        assert_eq!(m.answer(it.pair.server).unwrap().word(), 3);
        assert_eq!(it.drain(m), 1);
    });
}

#[test]
fn rule_18_a_process_makes_as_many_as_the_manifest_says_and_an_old_handle_is_no_new_proxy() {
    let it = Triggered::new();
    it.test(|m, channel, _| {
        let (first, second) = (it.make(m), it.make(m));
        assert_ne!(first, second);
        let more = Call::create_proxy(channel, ram(0).base, 0);
        assert_eq!(m.refused(it.pair.server, more), Error::Exhausted);
        succeeds(m, it.pair.server, Call::trigger(first));
        succeeds(m, it.pair.server, Call::destroy_proxy(first));
        assert_eq!(it.drain(m), 0, "what it has counted is gone");
        let third = it.make(m);
        for old in [Call::trigger(first), Call::destroy_proxy(first)] {
            assert_eq!(m.refused(it.pair.server, old), Error::BadHandle);
        }
        succeeds(m, it.pair.server, Call::trigger(third));
        assert_eq!(it.drain(m), 1);
    });
}

#[test]
fn rule_18_a_proxy_whose_owner_has_its_handle_a_second_time_is_none_that_others_kept() {
    let it = Triggered::new();
    it.test(|m, channel, _| {
        let own = it.make(m);
        let kept = hand_over(m, &it.pair, own, channel).expect("a free slot");
        succeeds(m, it.pair.server, Call::destroy_proxy(own));
        let slot = (own & INDEX_MASK) as usize;
        m.kernel.tables().handles[0][slot].set_generation(MAX_GENERATION);
        assert_eq!(it.make(m), own, "its generations have come round");
        let gone = m.refused(it.pair.client, Call::trigger(kept));
        assert_eq!(gone, Error::ServerDied);
        succeeds(m, it.pair.server, Call::trigger(own));
        assert_eq!(it.drain(m), 1);
    });
}

#[test]
fn rule_18_a_place_in_which_all_proxies_were_that_can_be_told_apart_takes_no_other() {
    let it = Triggered::new();
    it.test(|m, channel, _| {
        let places = m.kernel.tables().processes[0].objects.proxies;
        for place in places.iter().filter(|place| !place.exists()) {
            place.set_life(u32::MAX - 1);
        }
        let (first, second) = (it.make(m), it.make(m));
        let kept = hand_over(m, &it.pair, first, channel).expect("a free slot");
        for own in [first, second] {
            succeeds(m, it.pair.server, Call::destroy_proxy(own));
        }
        let more = Call::create_proxy(channel, ram(0).base, 0);
        assert_eq!(m.refused(it.pair.server, more), Error::Exhausted);
        let gone = m.refused(it.pair.client, Call::trigger(kept));
        assert_eq!(gone, Error::ServerDied);
    });
}

#[test]
fn rule_18_what_is_wrong_with_a_proxy_is_the_callers_error() {
    let it = Triggered::new();
    it.test(|m, channel, trigger| {
        let (server, client) = (it.pair.server, it.pair.client);
        let send = m.handle(it.pair.link);
        let fixed = m.kernel.tables().handles[0][usize::from(m.proxy(it.proxy).slot)]
            .value(m.proxy(it.proxy).slot.into());
        let here = ram(0).base;
        for (thread, call, error) in [
            (
                server,
                Call::create_proxy(channel, here, MAX_PROXY_BYTES as u32 + 1),
                Error::BadArgument,
            ),
            (
                server,
                Call::create_proxy(channel, ram(1).base, 1),
                Error::BadAddress,
            ),
            (
                server,
                Call::create_proxy(channel, here, u32::MAX),
                Error::BadArgument,
            ),
            (
                server,
                Call::create_proxy(channel + 0x100, here, 1),
                Error::BadHandle,
            ),
            (
                client,
                Call::create_proxy(send, here, 0),
                Error::NotPermitted,
            ),
            (server, Call::trigger(channel), Error::NotPermitted),
            (server, Call::trigger(fixed + 0x100), Error::BadHandle),
            (server, Call::trigger(0xFF), Error::BadHandle),
            (server, Call::destroy_proxy(fixed), Error::NotPermitted),
            (server, close(fixed), Error::NotPermitted),
            (server, Call::send(fixed, &[]), Error::NotPermitted),
            (client, Call::destroy_proxy(trigger), Error::NotPermitted),
            (client, Call::trigger(send), Error::BadHandle),
            (client, Call::send(trigger, &[]), Error::BadHandle),
            (
                client,
                Call::lend(trigger, ram(1).base, 32, &[0; 3]),
                Error::BadHandle,
            ),
            (client, Call::notify(trigger, 1), Error::BadHandle),
            (client, Call::receive(trigger), Error::NotPermitted),
        ] {
            assert_eq!(m.refused(thread, call), error, "{call:x?}");
        }
    });
}

#[test]
fn rule_18_a_reply_hands_over_a_proxy_which_can_only_be_triggered() {
    let it = Triggered::new();
    it.test(|m, channel, _| {
        let own = it.make(m);
        let got = hand_over(m, &it.pair, own, channel);
        let Ok(given) = got else { panic!("{got:?}") };
        succeeds(m, it.pair.client, Call::trigger(given));
        assert_eq!(it.receive(m).badge(), own);
        let refused = m.refused(it.pair.client, Call::destroy_proxy(given));
        assert_eq!(refused, Error::NotPermitted);
        succeeds(m, it.pair.client, Call::trigger(given));
        succeeds(m, it.pair.server, Call::destroy_proxy(own));
        let gone = m.refused(it.pair.client, Call::trigger(given));
        assert_eq!(gone, Error::ServerDied);
        succeeds(m, it.pair.client, close(given));
        let closed = m.refused(it.pair.client, Call::trigger(given));
        assert_eq!(closed, Error::BadHandle);
        // The slot is free for the next one.
        let own = it.make(m);
        let again = hand_over(m, &it.pair, own, channel).expect("a free slot");
        assert_ne!(again, given);
    });
}

/// The client sends for a handle, and the server answers with this one.
fn hand_over(m: &mut Machine, pair: &Pair, handle: u32, channel: u32) -> Result<u32, Error> {
    let send = Call::send(m.handle(pair.link), &[]).accepting_handle();
    m.call(pair.client, send);
    let token = m.answer_to(pair.server, Call::receive(channel)).token();
    let reply = Call::reply_handle(token, &[0; 4], handle);
    let replied = m.answer_to(pair.server, reply);
    if let Some(error) = replied.error() {
        m.call(pair.server, Call::reply(token, &[]));
        return Err(error);
    }
    let answer = m.answer(pair.client).expect("answered");
    Ok(answer.handle().expect("a handle"))
}

#[test]
fn rule_18_the_right_to_trigger_is_handed_on_only_if_the_manifest_says_so() {
    for (transfer, expected) in [(false, Err(Error::NotPermitted)), (true, Ok(()))] {
        let mut it = Triggered::with(transfer);
        // A server of the client that holds the right.
        let here = it.pair.system.channel(it.pair.client_process);
        let (third, _) = it.pair.another_client(10, 8);
        let process = riposte_model::ProcessId(2);
        let link = it.pair.system.connection(process, here, 1);
        it.test(|m, _, trigger| {
            let send = Call::send(m.handle(link), &[]).accepting_handle();
            m.call(third, send);
            let receive = Call::receive(m.receive_handle(here));
            let token = m.answer_to(it.pair.client, receive).token();
            let reply = Call::reply_handle(token, &[0; 4], trigger);
            let replied = m.answer_to(it.pair.client, reply).error();
            assert_eq!(replied.map_or(Ok(()), Err), expected);
            if transfer {
                let given = m.answer(third).unwrap().handle().unwrap();
                succeeds(m, third, Call::trigger(given));
                assert_eq!(it.drain(m), 1);
            }
        });
    }
}

#[test]
fn rule_18_a_proxy_that_nobody_takes_is_not_handed_over() {
    let it = Triggered::new();
    it.test(|m, _, _| {
        let own = it.make(m);
        let token = it.pair.exchange(m, &[]);
        let reply = Call::reply_handle(token, &[0; 4], own);
        assert_eq!(m.refused(it.pair.server, reply), Error::NotPermitted);
        m.call(it.pair.server, Call::reply(token, &[]));
    });
}

#[test]
fn rule_24_a_proxy_dies_with_its_owner_and_a_restarted_one_has_none_of_the_old() {
    let it = Triggered::new();
    it.test(|m, channel, trigger| {
        let own = it.make(m);
        let given = hand_over(m, &it.pair, own, channel).expect("a free slot");
        for proxy in [trigger, trigger, given] {
            succeeds(m, it.pair.client, Call::trigger(proxy));
        }
        m.fault(it.pair.server);
        for stale in [trigger, given] {
            let error = m.refused(it.pair.client, Call::trigger(stale));
            assert_eq!(error, Error::ServerDied);
        }
        assert_eq!(it.drain(m), 0, "what was triggered is gone");
        let old = m.refused(it.pair.server, Call::trigger(own));
        assert_eq!(old, Error::BadHandle);
        let slot = it.link.slot as u32;
        let connect = Call::other(number::CONNECT, &[slot]);
        let new = m.answer_to(it.pair.client, connect).word();
        assert_ne!(new, trigger);
        let again = m.answer_to(it.pair.client, connect).word();
        assert_eq!(again, new, "an open one is the same");
        succeeds(m, it.pair.client, Call::trigger(new));
        assert_eq!(it.drain(m), 1);
        // What the new life makes is not what the old one had handed over.
        it.make(m);
        let error = m.refused(it.pair.client, Call::trigger(given));
        assert_eq!(error, Error::ServerDied);
    });
}

#[test]
fn rule_24_of_a_process_that_stays_dead_no_proxy_is_opened() {
    let mut it = Triggered::new();
    it.pair.system.on_end(it.pair.server_process, OnEnd::Stop);
    it.test(|m, _, trigger| {
        m.fault(it.pair.server);
        let connect = Call::other(number::CONNECT, &[it.link.slot as u32]);
        for call in [Call::trigger(trigger), connect] {
            assert_eq!(m.refused(it.pair.client, call), Error::ServerDied);
        }
    });
}

#[test]
fn rule_24_what_a_dead_process_has_triggered_is_received_all_the_same() {
    let it = Triggered::new();
    it.test(|m, _, trigger| {
        succeeds(m, it.pair.client, Call::trigger(trigger));
        m.fault(it.pair.client);
        assert_eq!(it.drain(m), 1);
    });
}

#[test]
fn rule_10_a_server_that_has_no_room_any_more_has_the_error_and_the_next_one_the_proxy() {
    let mut system = System::new();
    let owner = system.process();
    let first = system.thread(owner, 10);
    let second = system.thread(owner, 10);
    let channel = system.channel(owner);
    let proxy = system.proxy(channel, MESSAGE);
    both_paths(&system, |m| {
        let handle = m.receive_handle(channel);
        let parts = ram(0).base + 0x200;
        m.host.poke_parts(parts, &[(ram(0).base, 8)]);
        let receive = Call::receive(handle);
        m.call(first, receive.room_in_parts(parts, 1));
        let trigger = m.kernel.tables().handles[0][usize::from(m.proxy(proxy).slot)]
            .value(m.proxy(proxy).slot.into());
        // It spoils the parts of the thread that waits.
        m.host.poke_parts(parts, &[(ram(1).base, 8)]);
        m.call(second, Call::trigger(trigger));
        let answer = m.answer(first).expect("it waits no more");
        assert_eq!(answer.error(), Some(Error::BadAddress));
        assert_eq!(m.proxy(proxy).count(), 1);
        let got = m.answer_to(second, receive.room(ram(0).base, 8));
        assert_eq!(got.words()[1..3], [7, 7]);
    });
}

#[test]
fn rule_03_a_proxys_message_is_scattered_over_the_parts_of_the_room() {
    let it = Triggered::new();
    it.test(|m, channel, trigger| {
        let base = ram(0).base;
        let parts = [(base + 1, 3), (base + 9, 0), (base + 16, 100)];
        m.host.poke_parts(base + 0x200, &parts);
        succeeds(m, it.pair.client, Call::trigger(trigger));
        let receive = Call::receive(channel).room_in_parts(base + 0x200, 3);
        let got = m.answer_to(it.pair.server, receive);
        assert_eq!(got.words()[1..3], [7, 7]);
        assert_eq!(m.host.peek(base + 1, 3), b"at ");
        assert_eq!(m.host.peek(base + 16, 4), b"last");
    });
}

/// As many parts as there can be, in the server's memory: their list, and where they are.
fn parts(m: &Machine, process: usize, last: u32) -> (u32, u32) {
    let (list, room) = (ram(process).base + 0x400, ram(process).base + 0x600);
    for part in 0..16 {
        let address = if part == 15 { last } else { room + part * 7 };
        m.host.poke_word(list + part * 8, address);
        m.host.poke_word(list + part * 8 + 4, 7);
    }
    (list, room)
}

/// Receivers of a channel, and one who triggers its proxy of 100 bytes.
fn many_wait(count: usize) -> (System, Vec<ThreadId>, ThreadId, Connection, ChannelId) {
    let mut system = System::new();
    let [owner, other] = [(); 2].map(|()| system.process());
    let receivers = (0..count).map(|_| system.thread(owner, 9)).collect();
    let trigger = system.thread(other, 5);
    let channel = system.channel(owner);
    let proxy = system.proxy(channel, &[7; MAX_PROXY_BYTES]);
    let link = system.trigger(other, proxy, false);
    (system, receivers, trigger, link, channel)
}

#[test]
fn rule_18_a_message_in_parts_is_whole_whatever_interrupts_and_whoever_waits() {
    let (system, receivers, trigger, link, channel) = many_wait(1);
    for (looks, waits) in (1..8).flat_map(|looks| [(looks, false), (looks, true)]) {
        both_paths(&system, |m| {
            let (list, room) = parts(m, 0, ram(0).base + 0x600 + 15 * 7);
            let receive = Call::receive(m.receive_handle(channel)).room_in_parts(list, 16);
            let call = Call::trigger(m.handle(link));
            if waits {
                m.call(receivers[0], receive);
                m.host.interrupt_after(looks);
                m.call(trigger, call);
            } else {
                m.call(receivers[0], Call::sleep(m.now() + 10));
                m.call(trigger, call);
                m.advance(10);
                m.host.interrupt_after(looks);
                m.call(receivers[0], receive);
            }
            let told = m.answer(receivers[0]).expect("a notice");
            assert_eq!(told.notice(), Some(notice::PROXY));
            assert_eq!(told.words()[1..3], [100, 100]);
            assert_eq!(m.host.peek(room, 100), [7; MAX_PROXY_BYTES]);
        });
    }
}

#[test]
fn rule_18_bad_rooms_are_found_one_after_the_other_and_the_message_stays() {
    let (system, receivers, trigger, link, channel) = many_wait(4);
    for looks in 1..12 {
        both_paths(&system, |m| {
            let (list, _) = parts(m, 0, 0x10);
            let receive = Call::receive(m.receive_handle(channel)).room_in_parts(list, 16);
            receivers.iter().for_each(|it| m.call(*it, receive));
            m.host.interrupt_after(looks);
            m.call(trigger, Call::trigger(m.handle(link)));
            for receiver in &receivers {
                assert_eq!(
                    m.answer(*receiver).unwrap().error(),
                    Some(Error::BadAddress)
                );
            }
            let next = Call::receive(m.receive_handle(channel)).room(ram(0).base, 100);
            assert_eq!(
                m.answer_to(receivers[0], next).notice(),
                Some(notice::PROXY)
            );
        });
    }
}
