//! Death, restart, hold, faults: rules 24, 25 and 27.

use riposte_abi::{
    Error,
    call::number,
    fault::{REGISTERS, Record, TEXT_BYTES, TRACE, action, reason},
    notice,
};
use riposte_kernel::{Grants, OnEnd, State, limits::HANDLES};
use riposte_model::{
    Answer, Call, ChannelId, Connection, Machine, Pair, ProcessId, System, ThreadId, both_paths,
    code, ram,
};

const SERVER_RAM: u32 = 0x2000_0000;

/// One that every wait at a server that dies ends with.
fn server_died(m: &Machine, client: ThreadId) {
    let answer: Answer = m.answer(client).expect("it waits no more");
    assert_eq!(answer.error(), Some(Error::ServerDied));
}

#[test]
fn rule_24_a_server_that_dies_wakes_all_its_clients_with_an_error() {
    let mut pair = Pair::new();
    let (received, first) = pair.another_client(10, 8);
    let (queued, second) = pair.another_client(10, 9);
    for fault in [true, false] {
        both_paths(&pair.system, |m| {
            pair.exchange(m, &[]);
            let channel = m.receive_handle(pair.channel);
            m.call(pair.server, Call::receive(channel));
            for (client, link) in [(received, first), (queued, second)] {
                let call = Call::send(m.handle(link), &[]);
                m.call(client, call);
            }
            assert_eq!(m.state(received), State::ReplyBlocked);
            assert_eq!(m.state(queued), State::SendBlocked);
            if fault {
                m.fault(pair.server);
            } else {
                m.call(pair.server, Call::other(number::EXIT, &[0]));
            }
            for client in [pair.client, received, queued] {
                server_died(m, client);
            }
            assert_eq!(m.state(pair.server), State::Stopped);
            let call = Call::send(m.handle(pair.link), &[]);
            assert_eq!(m.refused(pair.client, call), Error::ServerDied);
            let call = Call::other(number::CONNECT, &[0]);
            assert_eq!(m.refused(pair.client, call), Error::ServerDied);
        });
    }
}

#[test]
fn rule_24_a_restarted_server_is_found_again_by_a_new_connection() {
    let mut pair = Pair::new();
    pair.system.on_end(pair.server_process, OnEnd::Restart);
    both_paths(&pair.system, |m| {
        let old = pair.exchange(m, &[]);
        let handle = m.handle(pair.link);
        m.fault(pair.server);
        server_died(m, pair.client);
        assert_eq!(m.state(pair.server), State::Ready);
        assert_eq!(
            m.refused(pair.client, Call::send(handle, &[])),
            Error::ServerDied
        );
        let new = m
            .answer_to(pair.client, Call::other(number::CONNECT, &[0]))
            .word();
        assert_ne!(new, handle, "a stale handle is never somebody's again");
        assert_eq!(
            m.refused(pair.client, Call::send(handle, &[])),
            Error::BadHandle
        );
        let again = m
            .answer_to(pair.client, Call::other(number::CONNECT, &[0]))
            .word();
        assert_eq!(new, again);
        let token = pair.exchange(m, &[4]);
        assert_eq!(m.answer(pair.server).unwrap().word(), 4);
        let stale = Call::reply(old, &[]);
        assert_eq!(m.refused(pair.server, stale), Error::NoSuchClient);
        m.call(pair.server, Call::reply(token, &[5]));
        assert_eq!(m.answer(pair.client).unwrap().word(), 5);
    });
}

#[test]
fn rule_24_a_restarted_process_begins_at_its_own_priority_with_its_main_thread_alone() {
    let mut pair = Pair::new();
    let extra = pair.system.thread(pair.client_process, 12);
    pair.system.on_end(pair.client_process, OnEnd::Restart);
    both_paths(&pair.system, |m| {
        m.call(extra, Call::sleep(m.now() + 10));
        m.fault(pair.client);
        assert_eq!(m.state(pair.client), State::Ready);
        assert_eq!(m.state(extra), State::Stopped);
        m.run(pair.client);
        m.prepare(pair.client);
        assert_eq!(m.state(extra), State::Ready);
        m.advance(100);
        assert_eq!(m.state(extra), State::Ready);
    });
}

#[test]
fn rule_24_a_dead_clients_message_is_gone_wherever_it_was() {
    let mut pair = Pair::new();
    let second = pair.system.thread(pair.client_process, 10);
    let third = pair.system.thread(pair.client_process, 10);
    both_paths(&pair.system, |m| {
        let token = pair.exchange(m, &[1]);
        let call = Call::send(m.handle(pair.link), &[2]);
        m.call(second, call);
        m.fault(third);
        assert_eq!(m.channel(pair.channel).senders().count(), 0);
        let call = Call::reply(token, &[]);
        assert_eq!(m.refused(pair.server, call), Error::NoSuchClient);
        assert_eq!(m.priority(pair.server), 10);
    });
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no groups")]
fn rule_24_restarted_along() {
    let mut pair = Pair::new();
    pair.system.on_end(pair.server_process, OnEnd::Restart);
    pair.system
        .restart_with(pair.client_process, pair.server_process);
    both_paths(&pair.system, |m| {
        pair.exchange(m, &[]);
        m.fault(pair.server);
        assert_eq!(m.state(pair.client), State::Ready);
        assert_eq!(m.state(pair.server), State::Ready);
        assert_eq!(m.answer(pair.client), None, "it begins anew");
        let call = Call::send(m.handle(pair.link), &[]);
        assert_eq!(m.refused(pair.client, call), Error::BadHandle);
    });
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no groups")]
fn rule_24_a_server_restarted_along_has_its_clients_woken_too() {
    let mut pair = Pair::new();
    let (other, link) = pair.another_client(10, 8);
    pair.system.on_end(pair.client_process, OnEnd::Restart);
    pair.system
        .restart_with(pair.server_process, pair.client_process);
    both_paths(&pair.system, |m| {
        pair.receive(m);
        let call = Call::send(m.handle(link), &[]);
        m.call(other, call);
        m.fault(pair.client);
        server_died(m, other);
        assert_eq!(m.state(pair.server), State::Ready);
    });
}

#[test]
fn rule_25_a_server_that_asked_for_it_learns_of_a_clients_death() {
    let mut pair = Pair::new();
    pair.system.notify_client_died(pair.channel);
    for waiting in [true, false] {
        both_paths(&pair.system, |m| {
            let channel = m.receive_handle(pair.channel);
            if waiting {
                pair.receive(m);
                m.fault(pair.client);
            } else {
                m.fault(pair.client);
                pair.receive(m);
            }
            let told = m.answer(pair.server).unwrap();
            assert_eq!(told.notice(), Some(notice::CLIENT_DIED));
            assert_eq!(told.badge(), 7);
            let call = Call::receive(channel).deadline(0);
            assert_eq!(m.refused(pair.server, call), Error::WouldBlock);
        });
    }
}

#[test]
fn rule_25_a_server_that_did_not_ask_or_has_no_such_client_learns_nothing() {
    let mut pair = Pair::new();
    let far = pair.system.process();
    let other = pair.system.thread(far, 10);
    let elsewhere = pair.system.channel(far);
    pair.system.notify_client_died(elsewhere);
    both_paths(&pair.system, |m| {
        pair.receive(m);
        let receive = Call::receive(m.receive_handle(elsewhere));
        m.call(other, receive);
        m.fault(pair.client);
        assert_eq!(m.state(pair.server), State::ReceiveBlocked);
        assert_eq!(m.state(other), State::ReceiveBlocked);
    });
}

#[test]
fn rule_25_the_token_of_a_client_that_died_is_stale_when_the_notice_comes() {
    let mut pair = Pair::new();
    pair.system.notify_client_died(pair.channel);
    let second = pair.system.thread(pair.client_process, 10);
    both_paths(&pair.system, |m| {
        let token = pair.exchange(m, &[]);
        m.fault(second);
        let call = Call::reply_receive(m.receive_handle(pair.channel), token, &[]);
        assert_eq!(m.refused(pair.server, call), Error::NoSuchClient);
        pair.receive(m);
        assert_eq!(m.answer(pair.server).unwrap().badge(), 7);
    });
}

#[test]
fn rule_25_a_client_that_closes_its_connection_before_it_dies_is_told_of() {
    let mut pair = Pair::new();
    let second = pair.system.thread(pair.client_process, 9);
    pair.system.notify_client_died(pair.channel);
    for answered in [false, true] {
        both_paths(&pair.system, |m| {
            let token = pair.exchange(m, &[1]);
            m.call(pair.server, Call::sleep(m.now() + 10));
            let link = m.handle(pair.link);
            m.answer_to(second, Call::other(number::CLOSE, &[link]));
            m.advance(10);
            let last = if answered { pair.client } else { second };
            if answered {
                m.call(pair.server, Call::reply(token, &[]));
            }
            pair.receive(m);
            assert_eq!(m.state(pair.server), State::ReceiveBlocked, "it lives");
            m.fault(last);
            let told = m.answer(pair.server).unwrap();
            assert_eq!(told.notice(), Some(notice::CLIENT_DIED));
            assert_eq!(told.badge(), 7);
        });
    }
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no programs")]
fn rule_25_a_server_that_knows_its_clients_learns_of_each_end_of_one_that_has_not_connected() {
    let mut pair = Pair::new();
    pair.system.knows_clients(pair.channel);
    pair.system.on_end(pair.client_process, OnEnd::Restart);
    for connects in [false, true] {
        for waiting in [true, false] {
            both_paths(&pair.system, |m| {
                for ends in 1..=3 {
                    if connects {
                        let _ = m.handle(pair.link);
                    }
                    if waiting {
                        pair.receive(m);
                    }
                    m.fault(pair.client);
                    if !waiting {
                        pair.receive(m);
                    }
                    let told = m.answer(pair.server).unwrap();
                    assert_eq!(told.notice(), Some(notice::CLIENT_DIED));
                    assert_eq!((told.badge(), told.words()[1]), (7, ends));
                }
            });
        }
    }
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no programs")]
fn rule_25_of_two_ends_of_a_client_that_nobody_was_told_of_the_notice_says_the_last() {
    let mut pair = Pair::new();
    pair.system.knows_clients(pair.channel);
    pair.system.on_end(pair.client_process, OnEnd::Restart);
    both_paths(&pair.system, |m| {
        m.fault(pair.client);
        m.fault(pair.client);
        pair.receive(m);
        let told = m.answer(pair.server).unwrap();
        assert_eq!(
            (told.notice(), told.words()[1]),
            (Some(notice::CLIENT_DIED), 2)
        );
        let call = Call::receive(m.receive_handle(pair.channel)).deadline(0);
        assert_eq!(m.refused(pair.server, call), Error::WouldBlock);
    });
}

#[test]
fn rule_25_a_server_that_was_restarted_is_not_told_of_the_clients_of_its_former_life() {
    let mut pair = Pair::new();
    pair.system.notify_client_died(pair.channel);
    pair.system.on_end(pair.server_process, OnEnd::Restart);
    for closed in [false, true] {
        both_paths(&pair.system, |m| {
            let token = pair.exchange(m, &[1]);
            m.call(pair.server, Call::reply(token, &[]));
            if closed {
                let link = m.handle(pair.link);
                m.answer_to(pair.client, Call::other(number::CLOSE, &[link]));
            }
            m.fault(pair.server);
            pair.receive(m);
            m.fault(pair.client);
            assert_eq!(m.state(pair.server), State::ReceiveBlocked);
        });
    }
}

/// A server with two channels that asked for it, and who hands over a connection to each, with badges 100 and 101.
struct Givers {
    system: System,
    server: ThreadId,
    giver: ThreadId,
    taker: ThreadId,
    channels: [ChannelId; 2],
    counter: ChannelId,
    gifts: [Connection; 2],
    ask: Connection,
}

impl Givers {
    fn new() -> Givers {
        let mut system = System::new();
        let [servers, givers, takers] = [(); 3].map(|()| system.process());
        let [server, giver, taker] =
            [servers, givers, takers].map(|process| system.thread(process, 10));
        let channels = [system.channel(servers), system.channel(servers)];
        let counter = system.channel(givers);
        for channel in channels {
            system.notify_client_died(channel);
        }
        let gifts = [
            system.transferable(givers, channels[0], 100),
            system.transferable(givers, channels[1], 101),
        ];
        let ask = system.connection(takers, counter, 1);
        system.on_end(takers, OnEnd::Restart);
        Givers {
            system,
            server,
            giver,
            taker,
            channels,
            counter,
            gifts,
            ask,
        }
    }

    /// The taker gets a handle of this gift.
    fn give(&self, m: &mut Machine, gift: Connection) -> u32 {
        m.run(self.taker);
        m.prepare(self.taker);
        let receive = Call::receive(m.receive_handle(self.counter));
        m.call(self.giver, receive);
        let call = Call::send(m.handle(self.ask), &[]).accepting_handle();
        m.call(self.taker, call);
        let token = m.answer(self.giver).unwrap().token();
        let call = Call::reply_handle(token, &[0; 4], m.handle(gift));
        m.call(self.giver, call);
        m.answer(self.taker).unwrap().handle().unwrap()
    }

    /// The server is told at this channel that a client with this badge is gone, and nothing else.
    fn assert_told(&self, m: &mut Machine, channel: ChannelId, badge: u32) {
        let receive = Call::receive(m.receive_handle(channel)).deadline(0);
        let told = m.answer_to(self.server, receive);
        assert_eq!(
            (told.notice(), told.badge()),
            (Some(notice::CLIENT_DIED), badge)
        );
        assert_eq!(m.refused(self.server, receive), Error::WouldBlock);
    }
}

/// It may be of another connection by then.
#[test]
#[cfg_attr(feature = "lean", ignore = "no handing on")]
fn a_connection_that_was_handed_over_is_forgotten_when_it_is_closed() {
    let givers = Givers::new();
    both_paths(&givers.system, |m| {
        let handle = givers.give(m, givers.gifts[0]);
        m.call(givers.taker, Call::other(number::CLOSE, &[handle]));
        let other = givers.give(m, givers.gifts[1]);
        assert_eq!(handle & 0xFF, other & 0xFF, "its slot is free at once");
        m.fault(givers.taker);
        let receive = Call::receive(m.receive_handle(givers.channels[0])).deadline(0);
        assert_eq!(m.refused(givers.server, receive), Error::WouldBlock);
        givers.assert_told(m, givers.channels[1], 101);
    });
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no handing on")]
fn rule_25_a_notice_that_waits_keeps_its_badge_whatever_comes_into_the_slot() {
    let givers = Givers::new();
    both_paths(&givers.system, |m| {
        for gift in givers.gifts {
            givers.give(m, gift);
            m.fault(givers.taker);
        }
        for (channel, badge) in givers.channels.into_iter().zip([100, 101]) {
            givers.assert_told(m, channel, badge);
        }
    });
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no handing on")]
fn a_server_that_takes_no_notices_keeps_one_slot_of_a_client_that_dies_again_and_again() {
    let givers = Givers::new();
    both_paths(&givers.system, |m| {
        for _ in 0..=HANDLES {
            givers.give(m, givers.gifts[0]);
            m.fault(givers.taker);
        }
        givers.assert_told(m, givers.channels[0], 100);
    });
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no handing on")]
fn a_slot_whose_notice_waits_is_for_the_same_connection_only() {
    let givers = Givers::new();
    both_paths(&givers.system, |m| {
        let [first, second] = [(); 2].map(|()| givers.give(m, givers.gifts[0]) & 0xFF);
        m.fault(givers.taker);
        let other = givers.give(m, givers.gifts[1]) & 0xFF;
        assert!(other != first && other != second, "notices are about those");
        assert_eq!(givers.give(m, givers.gifts[0]) & 0xFF, first);
        assert_eq!(givers.give(m, givers.gifts[0]) & 0xFF, second);
        m.fault(givers.taker);
        givers.assert_told(m, givers.channels[1], 101);
        let receive = Call::receive(m.receive_handle(givers.channels[0]));
        assert_eq!(m.answer_to(givers.server, receive).badge(), 100);
        givers.assert_told(m, givers.channels[0], 100);
    });
}

/// A pair whose client has a second thread, and whose faults are told to a third process.
struct Supervised {
    pair: Pair,
    second: ThreadId,
    supervisor: ThreadId,
    watcher: ProcessId,
    faults: riposte_model::ChannelId,
}

fn supervised(on_end: OnEnd) -> Supervised {
    let mut pair = Pair::new();
    pair.system.on_end(pair.client_process, on_end);
    let second = pair.system.thread(pair.client_process, 10);
    let process = pair.system.process();
    let supervisor = pair.system.thread(process, 11);
    let faults = pair.system.channel(process);
    pair.system.supervisor(faults);
    let grants = Grants {
        shutdown: false,
        supervisor: true,
        inspect: true,
        relay: true,
    };
    pair.system.grant(process, grants);
    Supervised {
        pair,
        second,
        supervisor,
        watcher: process,
        faults,
    }
}

fn word(m: &Machine, address: u32) -> u32 {
    let bytes = m.host.peek(address, 4);
    u32::from_le_bytes(bytes.try_into().unwrap())
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no inspection")]
fn rule_27_a_fault_stops_its_process_alone_and_the_supervisor_reads_the_record() {
    for (on_end, expected) in [
        (OnEnd::Stop, action::STOPPED),
        (OnEnd::Restart, action::RESTARTED),
        (OnEnd::Hold, action::HELD),
    ] {
        let Supervised {
            pair,
            second,
            supervisor,
            faults,
            ..
        } = supervised(on_end);
        both_paths(&pair.system, |m| {
            let receive = Call::receive(m.receive_handle(faults));
            m.call(supervisor, receive);
            let own = ram(1).base;
            m.host
                .poke(own + 0x600, &(code(1).base + 0x11).to_le_bytes());
            m.host
                .poke(own + 0x604, &(code(1).base + 0x20).to_le_bytes());
            m.host
                .poke(own + 0x608, &(code(0).base + 0x31).to_le_bytes());
            m.host
                .poke(own + 0x60C, &(code(1).base + 0x41).to_le_bytes());
            m.host.set_stack_pointer(m.thread(second), own + 0x600);
            m.fault(second);
            let told = m.answer(supervisor).unwrap();
            assert_eq!(told.notice(), Some(notice::FAULT));
            let index = told.words()[1];
            assert_eq!(index, 1);
            let room = ram(2).base;
            let size = size_of::<Record>() as u32;
            let call = Call::other(number::FAULT_RECORD, &[index]).room(room, size);
            assert_eq!(m.answer_to(supervisor, call).word(), size);
            let field = |index: u32| word(m, room + index * 4);
            let fields: Vec<_> = (0..7).map(field).collect();
            assert_eq!(fields, [1, 1, 1, reason::MEMORY, expected, 0xBAD0_0000, 1]);
            assert_eq!(field(7 + 13), own + 0x600, "the stack pointer");
            let trace = [0, 1, 2].map(|index| field(7 + REGISTERS as u32 + index));
            assert_eq!(trace, [code(1).base + 0x11, code(1).base + 0x41, 0]);
            assert_eq!(m.state(pair.server), State::Ready, "others go on");
            let client = m.state(pair.client);
            assert_eq!(client == State::Ready, on_end == OnEnd::Restart);
            assert_eq!(m.state(second), State::Stopped);
        });
    }
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no inspection")]
fn rule_27_a_record_that_does_not_fit_is_cut_and_a_bad_buffer_is_the_supervisors_error() {
    let Supervised {
        pair, supervisor, ..
    } = supervised(OnEnd::Stop);
    both_paths(&pair.system, |m| {
        m.call(supervisor, Call::sleep(m.now() + 10));
        m.fault(pair.client);
        m.advance(10);
        let record =
            |address, length| Call::other(number::FAULT_RECORD, &[1]).room(address, length);
        assert_eq!(m.answer_to(supervisor, record(ram(2).base, 8)).word(), 8);
        assert_eq!(
            m.refused(supervisor, record(ram(1).base, 8)),
            Error::BadAddress
        );
        let none = Call::other(number::FAULT_RECORD, &[99]);
        assert_eq!(m.refused(supervisor, none), Error::BadArgument);
    });
}

/// In pieces of 64 bytes, each of which an interrupt may follow, and for the supervisor alone.
#[test]
#[cfg_attr(feature = "lean", ignore = "no inspection")]
fn the_supervisor_learns_what_a_thread_has_never_used_of_its_stack() {
    let Supervised {
        pair,
        second,
        supervisor,
        ..
    } = supervised(OnEnd::Stop);
    both_paths(&pair.system, |m| {
        let index = 1;
        // The second one's lies above a guard.
        let all = 0x400 - 32;
        let unused = |thread| Call::other(number::STACK_UNUSED, &[index, thread]);
        let [(base, top), (_, other)] = [pair.client, second].map(|thread| {
            let thread = m.thread(thread);
            (thread.stack_base, thread.stack_top)
        });
        m.host.poke_word(base + 0x104, 1);
        m.host.poke_word(top - 4, 1);
        assert_eq!(m.answer_to(supervisor, unused(0)).word(), 0x104);
        // However often it is interrupted.
        m.host.interrupt_after(1);
        let mut done = m.call_once(supervisor, unused(0));
        let mut times = 0;
        while !done {
            times += 1;
            m.interrupt();
            m.host.interrupt_after(1);
            done = m.repeat(supervisor);
        }
        assert_eq!((m.answer(supervisor).unwrap().word(), times), (0x104, 4));
        m.host.poke_word(other - 4, 1);
        assert_eq!(m.answer_to(supervisor, unused(1)).word(), all - 4);
        m.host.poke_word(base, 1);
        assert_eq!(m.answer_to(supervisor, unused(0)).word(), 0);
        m.host.poke_word(base, 0);
        m.host.poke_word(base + 0x104, 0);
        m.host.poke_word(other - 4, 0);
        assert_eq!(m.answer_to(supervisor, unused(1)).word(), all);
        for (process, thread) in [(index, 2), (99, 0), (u32::MAX, u32::MAX)] {
            let call = Call::other(number::STACK_UNUSED, &[process, thread]);
            assert_eq!(m.refused(supervisor, call), Error::BadArgument);
        }
    });
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no inspection")]
fn rule_27_a_panic_is_a_fault_with_a_text() {
    let Supervised {
        pair,
        supervisor,
        faults,
        ..
    } = supervised(OnEnd::Stop);
    both_paths(&pair.system, |m| {
        let receive = Call::receive(m.receive_handle(faults));
        m.call(supervisor, receive);
        m.host.poke(ram(1).base, b"no way");
        m.call(pair.client, Call::other(number::PANIC, &[ram(1).base, 6]));
        assert_eq!(m.answer(supervisor).unwrap().notice(), Some(notice::FAULT));
        let record = m.process(pair.client_process).record();
        assert_eq!(record.reason, reason::PANIC);
        assert_eq!(&record.text[..record.text_length as usize], b"no way");
    });
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no inspection")]
fn rule_27_a_panic_s_text_is_kept_as_far_as_the_record_has_room() {
    let text: Vec<u8> = (0..TEXT_BYTES as u32 + 44).map(|it| it as u8).collect();
    for how in [OnEnd::Stop, OnEnd::Restart, OnEnd::Hold] {
        for length in [0, 1, 63, 64, 65, TEXT_BYTES - 1, TEXT_BYTES, text.len()] {
            let Supervised {
                pair, supervisor, ..
            } = supervised(how);
            both_paths(&pair.system, |m| {
                m.call(supervisor, Call::sleep(m.now() + 10));
                m.host.poke(ram(1).base, &text);
                let panic = Call::other(number::PANIC, &[ram(1).base, length as u32]);
                m.call(pair.client, panic);
                let record = m.process(pair.client_process).record();
                let kept = length.min(TEXT_BYTES);
                assert_eq!(record.text_length as usize, kept);
                assert_eq!(record.text[..kept], text[..kept]);
            });
        }
    }
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no inspection")]
fn rule_27_a_fault_of_the_supervisor_itself_is_told_to_the_witness() {
    for how in [OnEnd::Stop, OnEnd::Restart, OnEnd::Hold] {
        let Supervised {
            mut pair,
            supervisor,
            watcher,
            faults,
            ..
        } = supervised(OnEnd::Stop);
        pair.system.on_end(watcher, how);
        pair.system.witness(pair.channel);
        both_paths(&pair.system, |m| {
            m.call(supervisor, Call::receive(m.receive_handle(faults)));
            m.call(pair.server, Call::receive(m.receive_handle(pair.channel)));
            m.fault(pair.client);
            let told = m.answer(supervisor).unwrap();
            assert_eq!(told.notice(), Some(notice::FAULT), "others as ever");
            m.fault(supervisor);
            let told = m.answer(pair.server).unwrap();
            assert_eq!(told.notice(), Some(notice::FAULT));
            assert_eq!(told.words()[1], 2);
        });
    }
}

#[test]
fn rule_27_a_panic_with_a_bad_text_is_refused() {
    let pair = Pair::new();
    both_paths(&pair.system, |m| {
        let call = Call::other(number::PANIC, &[SERVER_RAM, 6]);
        assert_eq!(m.refused(pair.client, call), Error::BadAddress);
    });
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no inspection")]
fn rule_27_an_exit_with_a_status_is_told_and_one_without_is_not() {
    for (status, count) in [(0, 0), (3, 1)] {
        let Supervised {
            pair, supervisor, ..
        } = supervised(OnEnd::Stop);
        both_paths(&pair.system, |m| {
            m.call(supervisor, Call::sleep(m.now() + 10));
            // Whatever its stack holds: nobody asks where it has been.
            let stack = m.thread(pair.client).stack_base;
            m.host.poke(stack, &(code(1).base + 0x11).to_le_bytes());
            m.call(pair.client, Call::other(number::EXIT, &[status]));
            let record = m.process(pair.client_process).record();
            assert_eq!((record.count, record.address), (count, status));
            assert_eq!(record.trace, [0; TRACE]);
            assert_eq!(m.state(pair.client), State::Stopped);
        });
    }
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no inspection")]
fn rule_27_restarts_end_at_the_limit() {
    let Supervised {
        mut pair,
        supervisor,
        ..
    } = supervised(OnEnd::Restart);
    pair.system.restart_limit(pair.client_process, 2);
    both_paths(&pair.system, |m| {
        m.call(supervisor, Call::sleep(m.now() + 10));
        for expected in [action::RESTARTED, action::RESTARTED, action::LIMIT] {
            assert_eq!(m.state(pair.client), State::Ready);
            m.fault(pair.client);
            assert_eq!(m.process(pair.client_process).record().action, expected);
        }
        assert_eq!(m.state(pair.client), State::Stopped);
        assert!(!m.process(pair.client_process).is_alive());
    });
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no holding")]
fn rule_27_a_held_server_keeps_its_clients_and_takes_no_more() {
    let mut pair = Pair::new();
    let (other, link) = pair.another_client(10, 8);
    pair.system.on_end(pair.server_process, OnEnd::Hold);
    both_paths(&pair.system, |m| {
        pair.exchange(m, &[]);
        m.fault(pair.server);
        assert_eq!(m.state(pair.client), State::ReplyBlocked);
        let call = Call::send(m.handle(link), &[]).deadline(m.now() + 10);
        m.call(other, call);
        assert_eq!(m.state(other), State::SendBlocked);
        m.advance(10);
        assert_eq!(m.answer(other).unwrap().error(), Some(Error::TimedOut));
    });
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no holding")]
fn rule_27_a_held_server_that_waits_is_handed_nothing() {
    let mut system = System::new();
    let servers = system.process();
    let clients = system.process();
    let server = system.thread(servers, 10);
    let faulty = system.thread(servers, 10);
    let client = system.thread(clients, 10);
    let channel = system.channel(servers);
    let link = system.connection(clients, channel, 1);
    system.on_end(servers, OnEnd::Hold);
    both_paths(&system, |m| {
        let receive = Call::receive(m.receive_handle(channel));
        m.call(server, receive);
        m.fault(faulty);
        let call = Call::send(m.handle(link), &[]);
        m.call(client, call);
        assert_eq!(m.state(client), State::SendBlocked);
        assert_eq!(m.state(server), State::ReceiveBlocked);
        assert_eq!(m.current(), m.idle());
    });
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no holding")]
fn rule_27_a_held_client_does_not_run_when_it_is_answered() {
    for in_bytes in [false, true] {
        let mut pair = Pair::new();
        let faulty = pair.system.thread(pair.client_process, 10);
        pair.system.on_end(pair.client_process, OnEnd::Hold);
        both_paths(&pair.system, |m| {
            let channel = m.receive_handle(pair.channel);
            pair.receive(m);
            let handle = m.handle(pair.link);
            let call = if in_bytes {
                Call::send_bytes(handle, ram(1).base, 4)
            } else {
                Call::send(handle, &[])
            };
            m.call(pair.client, call);
            let token = m.answer(pair.server).unwrap().token();
            m.fault(faulty);
            assert_eq!(m.state(pair.client), State::ReplyBlocked);
            m.call(pair.server, Call::reply_receive(channel, token, &[]));
            assert_eq!(m.state(pair.client), State::Stopped);
            assert_eq!(m.current(), m.idle());
        });
    }
}

#[test]
fn shutdown_needs_the_grant() {
    let mut pair = Pair::new();
    let grants = Grants {
        shutdown: true,
        supervisor: false,
        inspect: false,
        relay: true,
    };
    pair.system.grant(pair.server_process, grants);
    both_paths(&pair.system, |m| {
        let call = Call::other(number::SHUTDOWN, &[3]);
        assert_eq!(m.refused(pair.client, call), Error::NotPermitted);
        assert_eq!(m.host.exit_code(), None);
        m.call(pair.server, call);
        assert_eq!(m.host.exit_code(), Some(3));
    });
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no turns")]
fn the_turn_of_a_thread_that_died_is_not_that_of_its_next_life() {
    const SLICE: u64 = 1000;
    let mut system = System::new();
    let process = system.process();
    system.on_end(process, OnEnd::Restart);
    system.slice(SLICE);
    let main = system.round_robin_thread(process, 10);
    let rival = system.round_robin_thread(process, 10);
    let killer = system.thread(process, 20);
    both_paths(&system, |m| {
        m.call(killer, Call::sleep(m.now() + 900));
        let first = m.current();
        m.advance(900);
        assert_eq!(m.current(), killer, "in the middle of a turn");
        m.fault(killer);
        assert_eq!(m.current(), main);
        assert_ne!(m.state(rival), State::Ready);
        assert!(m.prepare(main), "its rivals are there again");
        m.call(killer, Call::sleep(m.now() + 10 * SLICE));
        assert_eq!(m.current(), main);
        assert_eq!(first, main, "whose turn it was");
        m.advance(SLICE - 1);
        assert_eq!(m.current(), main, "its turn is a whole one");
        m.advance(1);
        assert_eq!(m.current(), rival);
    });
}

/// A restarted process, whose main thread runs, does what every process does at first ([`System::start`]).
fn begin_again(m: &mut Machine, main: ThreadId, threads: &[ThreadId]) {
    let start = m.now();
    m.prepare(main);
    for _ in threads {
        let thread = m.current();
        m.call(thread, Call::sleep(start + 1000 + thread.0 as u64));
    }
    for thread in threads {
        m.advance_to(start + 1000 + thread.0 as u64);
    }
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no turns")]
fn nothing_of_a_life_is_left_in_the_next_one() {
    let mut system = System::new();
    let process = system.process();
    system.on_end(process, OnEnd::Restart);
    let channel = system.channel(process);
    let link = system.connection(process, channel, 7);
    let main = system.round_robin_thread(process, 10);
    let rival = system.round_robin_thread(process, 10);
    let client = system.thread(process, 12);
    let picky = system.thread(process, 13);
    let waiter = system.thread(process, 14);
    let threads = [main, rival, client, picky, waiter];
    both_paths(&system, |m| {
        begin_again(m, main, &threads);
        let fresh = m.shape();
        let now = m.now();
        let word = ram(process.0).base;
        m.call(waiter, Call::futex_wait(word, 0).deadline(now + 500));
        m.call(picky, Call::receive(m.receive_handle(channel)));
        m.call(client, Call::send(m.handle(link), &[]));
        let token = m.answer(picky).unwrap().token();
        m.call(
            picky,
            Call::receive(m.receive_handle(channel)).from_token(token),
        );
        m.advance(500);
        assert_eq!(m.current(), waiter);
        m.call(waiter, Call::lock(word));
        m.fault(waiter);
        begin_again(m, main, &threads);
        assert!(m.shape() == fresh);
    });
}
