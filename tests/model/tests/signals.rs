//! Signals: who is interrupted, where, and by whose right.

use std::cell::Cell;

use riposte_abi::{
    Error, call,
    fault::reason,
    notice,
    signal::{MAX, MAX_QUEUED, OWN, how, number, words},
};
use riposte_kernel::{CHUNK, OnEnd, State};
use riposte_model::{
    Call, ChannelId, Connection, LineKind, Machine, ProcessId, System, ThreadId, both_paths,
    interrupt_at_each_step, ram,
};

const ALL: u64 = u64::MAX;

/// Four without a word, and one with.
const USER: u32 = 10;
const TERM: u32 = 15;
const THIRD: u32 = 16;
const LAST: u32 = 17;
const QUEUED: u32 = 40;
/// Places for those with a word.
const PLACES: usize = 3;

const fn bit(signal: u32) -> u64 {
    1 << signal
}

/// A process that takes signals, one that may send it some, and one that serves it.
struct Three {
    system: System,
    process: ProcessId,
    /// At 5, and 4.
    main: ThreadId,
    second: ThreadId,
    own: ChannelId,
    /// At 9: it sleeps until it is to send.
    sender: ThreadId,
    position: u32,
    /// At 6.
    server: ThreadId,
    channel: ChannelId,
    link: Connection,
}

fn three_with(change: impl FnOnce(&mut System, ProcessId, ChannelId)) -> Three {
    let mut system = System::new();
    let [process, senders, servers] = [(); 3].map(|()| system.process());
    let main = system.thread(process, 5);
    let second = system.thread(process, 4);
    system.spare_threads(process, 1);
    let sender = system.thread(senders, 9);
    let server = system.thread(servers, 6);
    let own = system.channel(process);
    let channel = system.channel(servers);
    let link = system.connection(process, channel, 7);
    let position = system.signal(senders, process);
    system.signal_queue(process, PLACES);
    change(&mut system, process, channel);
    Three {
        system,
        process,
        main,
        second,
        own,
        sender,
        position,
        server,
        channel,
        link,
    }
}

fn three() -> Three {
    three_with(|_, _, _| {})
}

impl Three {
    /// The sender sleeps, the server too, and the main thread takes signals.
    fn begin(&self, m: &mut Machine) {
        m.call(self.sender, Call::sleep(m.now() + 100));
        m.call(self.server, Call::sleep(m.now() + 1000));
        self.take(m, self.main);
    }

    fn take(&self, m: &mut Machine, thread: ThreadId) {
        m.call(thread, Call::action(self.process, ALL));
        m.call(thread, Call::mask(how::SET, 0));
    }

    /// The sender wakes, sends, and sleeps again.
    fn send(&self, m: &mut Machine, signal: u32, word: u32) {
        m.advance(100);
        assert_eq!(m.current(), self.sender);
        let send = Call::signal(self.position, signal, word);
        assert_eq!(m.answer_to(self.sender, send).error(), None);
        m.call(self.sender, Call::sleep(m.now() + 100));
    }
}

#[test]
fn a_signal_to_oneself_is_handled_before_the_call_returns() {
    let it = three();
    both_paths(&it.system, |m| {
        it.begin(m);
        m.call(it.main, Call::signal(OWN, TERM, 0));
        assert_eq!(m.current(), it.main);
        assert_eq!(m.handles(it.main), Some(TERM));
        m.end_handler(it.main);
        assert_eq!(m.handles(it.main), None);
        assert_eq!(m.answer(it.main).expect("it returns").word(), 0);
    });
}

#[test]
fn a_thread_that_computes_is_interrupted_and_finds_its_registers_again() {
    let it = three();
    both_paths(&it.system, |m| {
        it.begin(m);
        m.call(it.main, Call::null());
        it.send(m, TERM, 0);
        assert_eq!(m.current(), it.main);
        assert_eq!(m.handles(it.main), Some(TERM));
        m.call(it.main, Call::null());
        // The machine looks at its registers.
        m.end_handler(it.main);
        assert_eq!(m.handles(it.main), None);
    });
}

type Wait = (&'static str, fn(&Three, &mut Machine));

/// What a thread can be blocked in, and leaves.
const WAITS: [Wait; 9] = [
    ("receive", |it, m| {
        let receive = Call::receive(m.receive_handle(it.own));
        m.call(it.main, receive);
    }),
    ("send, not received", |it, m| {
        let send = Call::send(m.handle(it.link), &[1]);
        m.call(it.main, send);
        assert_eq!(m.state(it.main), State::SendBlocked);
    }),
    ("send, received", |it, m| {
        let send = Call::send(m.handle(it.link), &[1]);
        m.call(it.main, send);
        m.advance_to(m.thread(it.server).deadline().expect("it sleeps") - 950);
        assert_eq!(m.state(it.main), State::SendBlocked);
    }),
    ("sleep", |it, m| m.call(it.main, Call::sleep(m.now() + 500))),
    ("word", |it, m| {
        let word = ram(it.process.0).base;
        m.call(it.main, Call::futex_wait(word, 0));
    }),
    ("lock", |it, m| {
        let word = ram(it.process.0).base;
        m.host.poke_word(word, m.thread(it.second).id());
        m.call(it.main, Call::lock(word));
    }),
    ("join", |it, m| {
        let create = Call::create(it.process, 0, 1, 0);
        let id = m.answer_to(it.main, create).word();
        m.call(it.main, Call::join(id));
    }),
    ("suspend", |it, m| m.call(it.main, Call::suspend(1))),
    ("wait for another", |it, m| {
        m.call(it.main, Call::wait_signal(bit(USER)));
    }),
];

#[test]
fn every_call_that_blocks_ends_with_interrupted_after_the_handler() {
    let it = three();
    for (name, wait) in WAITS {
        both_paths(&it.system, |m| {
            it.begin(m);
            wait(&it, m);
            assert_ne!(m.state(it.main), State::Ready, "{name}");
            it.send(m, TERM, 0);
            assert_eq!(m.handles(it.main), Some(TERM), "{name}");
            assert_eq!(m.current(), it.main, "{name}");
            m.end_handler(it.main);
            let answer = m.answer(it.main).expect("it returns");
            assert_eq!(answer.error(), Some(Error::Interrupted), "{name}");
        });
    }
}

/// The main thread has sent, and the server has received.
fn served(it: &Three, m: &mut Machine, bytes: bool) {
    let receive = Call::receive(m.receive_handle(it.channel)).room(ram(2).base, 64);
    m.call(it.sender, Call::sleep(m.now() + 100));
    m.call(it.server, receive);
    it.take(m, it.main);
    let send = match bytes {
        true => Call::send_bytes(m.handle(it.link), ram(it.process.0).base, 32),
        false => Call::send(m.handle(it.link), &[1]),
    };
    m.call(it.main, send);
    assert_eq!(m.state(it.main), State::ReplyBlocked);
    m.call(it.server, Call::null());
}

#[test]
fn a_client_that_is_served_leaves_and_its_token_is_stale() {
    let it = three();
    for bytes in [false, true] {
        both_paths(&it.system, |m| {
            served(&it, m, bytes);
            let token = m.token_of(it.main);
            it.send(m, TERM, 0);
            assert_eq!(m.handles(it.main), Some(TERM));
            let reply = Call::reply(token, &[1]);
            assert_eq!(m.refused(it.server, reply), Error::NoSuchClient);
            m.call(it.server, Call::sleep(m.now() + 500));
            m.end_handler(it.main);
            let answer = m.answer(it.main).expect("it returns");
            assert_eq!(answer.error(), Some(Error::Interrupted));
        });
    }
}

#[test]
fn where_the_channel_asks_for_notices_the_server_is_told_and_the_client_stays_until_it_answers() {
    let any = three_with(|system, _, channel| system.notify_unblock(channel));
    let fixed = three_with(|system, _, channel| {
        system.notify_unblock(channel);
        system.fixed_priority(channel, 6);
    });
    for it in [any, fixed] {
        client_stays_until_it_is_answered(&it);
    }
}

fn client_stays_until_it_is_answered(it: &Three) {
    for bytes in [false, true] {
        for receives in [false, true] {
            both_paths(&it.system, |m| {
                served(it, m, bytes);
                let token = m.token_of(it.main);
                it.send(m, TERM, 0);
                it.send(m, USER, 0);
                assert_eq!(m.state(it.main), State::ReplyBlocked);
                let receive = Call::receive(m.receive_handle(it.channel));
                let told = m.answer_to(it.server, receive);
                assert_eq!(told.notice(), Some(notice::UNBLOCK));
                assert_eq!(told.words()[1], notice::unblock::SIGNAL);
                let answer = match receives {
                    true => Call::reply_receive(m.receive_handle(it.channel), token, &[3]),
                    false => Call::reply(token, &[3]),
                };
                m.call(it.server, answer);
                if !receives {
                    m.call(it.server, Call::sleep(m.now() + 500));
                }
                // The answer comes, and before it both handlers.
                assert_eq!(m.handles(it.main), Some(USER));
                m.end_handler(it.main);
                assert_eq!(m.handles(it.main), Some(TERM));
                m.end_handler(it.main);
                let answer = m.answer(it.main).expect("it returns");
                assert_eq!((answer.error(), answer.word()), (None, 3));
            });
        }
    }
}

#[test]
fn a_server_that_is_to_let_a_client_go_is_told_whether_that_is_late_or_has_a_signal() {
    let it = three_with(|system, _, channel| system.notify_unblock(channel));
    for bytes in [false, true] {
        both_paths(&it.system, |m| {
            let receive = Call::receive(m.receive_handle(it.channel)).room(ram(2).base, 64);
            let deadline = m.now() + 150;
            m.call(it.sender, Call::sleep(m.now() + 100));
            m.call(it.server, receive);
            it.take(m, it.main);
            let message = match bytes {
                true => Call::send_bytes(m.handle(it.link), ram(it.process.0).base, 32),
                false => Call::send(m.handle(it.link), &[1]),
            };
            m.call(it.main, message.deadline(deadline));
            m.call(it.server, Call::null());
            // The signal comes first, and later the end of its time: the server is told of each.
            it.send(m, TERM, 0);
            let told = m.answer_to(it.server, receive);
            assert_eq!(told.notice(), Some(notice::UNBLOCK));
            assert_eq!(told.words()[1], notice::unblock::SIGNAL);
            m.call(it.server, receive);
            m.advance_to(deadline);
            let told = m.answer(it.server).expect("it is told");
            assert_eq!(told.notice(), Some(notice::UNBLOCK));
            assert_eq!(told.words()[1], notice::unblock::LATE);
        });
    }
}

#[test]
fn what_is_masked_waits_and_is_handled_once_with_the_lowest_number_first() {
    let it = three();
    both_paths(&it.system, |m| {
        it.begin(m);
        m.call(it.main, Call::mask(how::BLOCK, bit(USER) | bit(TERM)));
        for signal in [TERM, USER, TERM] {
            m.call(it.main, Call::signal(OWN, signal, 0));
        }
        assert_eq!(m.handles(it.main), None);
        let answer = m.answer_to(it.main, Call::mask(how::SET, ALL));
        let [low, high, waiting, more, _] = answer.words();
        assert_eq!([low, high], words(bit(USER) | bit(TERM) | 1));
        assert_eq!([waiting, more], words(bit(USER) | bit(TERM)));
        m.call(it.main, Call::mask(how::SET, 0));
        assert_eq!(m.handles(it.main), Some(USER));
        m.end_handler(it.main);
        assert_eq!(m.handles(it.main), Some(TERM));
        m.end_handler(it.main);
        assert_eq!(m.handles(it.main), None);
    });
}

#[test]
fn handlers_nest_where_they_mask_nothing_more() {
    let it = three();
    both_paths(&it.system, |m| {
        it.begin(m);
        m.call(it.main, Call::action(it.process, 0));
        m.call(it.main, Call::signal(OWN, TERM, 0));
        let outer = m.handler(it.main).expect("a handler").stack_pointer;
        m.call(it.main, Call::signal(OWN, TERM, 0));
        assert_eq!(m.handler(it.main).expect("the same").stack_pointer, outer);
        m.call(it.main, Call::signal(OWN, USER, 0));
        assert!(m.handler(it.main).expect("another").stack_pointer < outer);
        m.end_handler(it.main);
        assert_eq!(m.handles(it.main), Some(TERM));
        m.end_handler(it.main);
        // The one that came meanwhile.
        assert_eq!(m.handles(it.main), Some(TERM));
        m.end_handler(it.main);
        assert_eq!(m.handles(it.main), None);
    });
}

#[test]
fn those_with_a_word_are_queued_and_a_full_queue_says_so() {
    let it = three();
    both_paths(&it.system, |m| {
        it.begin(m);
        m.call(it.main, Call::mask(how::SET, ALL));
        for word in 0..PLACES as u32 {
            m.call(it.main, Call::signal(OWN, QUEUED, word));
        }
        let more = Call::signal(OWN, QUEUED, 9);
        assert_eq!(m.refused(it.main, more), Error::Exhausted);
        m.call(it.main, Call::signal(OWN, TERM, 9));
        let one = m.answer_to(it.main, Call::wait_signal(bit(QUEUED)));
        assert_eq!(one.words()[..2], [QUEUED, 0]);
        m.call(it.main, Call::mask(how::SET, !bit(QUEUED)));
        for word in 1..PLACES as u32 {
            let handler = m.handler(it.main).expect("a handler");
            assert_eq!(handler.arguments, [QUEUED, word]);
            m.end_handler(it.main);
        }
        assert_eq!(m.handles(it.main), None);
    });
}

#[test]
fn a_wait_takes_a_signal_without_its_handler_whoever_masks_it() {
    let it = three();
    both_paths(&it.system, |m| {
        it.begin(m);
        m.call(it.main, Call::wait_signal(bit(QUEUED) | bit(USER)));
        assert_eq!(m.state(it.main), State::Signalled);
        it.send(m, QUEUED, 77);
        assert_eq!(m.current(), it.main);
        let answer = m.answer(it.main).expect("it returns");
        assert_eq!(answer.words()[..2], [QUEUED, 77]);
        assert_eq!(m.handles(it.main), None);
    });
}

#[test]
fn one_without_a_word_brings_0_however_it_comes() {
    let it = three();
    both_paths(&it.system, |m| {
        it.begin(m);
        m.call(it.main, Call::signal(OWN, TERM, 7));
        assert_eq!(m.handler(it.main).expect("a handler").arguments, [TERM, 0]);
        m.end_handler(it.main);
        // By the general case, to a thread that it names.
        let id = m.thread(it.main).id();
        m.call(it.main, Call::signal_thread(id, TERM, 7));
        assert_eq!(m.handler(it.main).expect("a handler").arguments, [TERM, 0]);
        m.end_handler(it.main);
        m.call(it.main, Call::wait_signal(bit(USER)));
        it.send(m, USER, 7);
        let answer = m.answer(it.main).expect("it returns");
        assert_eq!(answer.words()[..2], [USER, 0]);
    });
}

#[test]
fn waits_for_signals_have_deadlines_and_leave_the_mask_as_it_was() {
    let it = three();
    both_paths(&it.system, |m| {
        it.begin(m);
        for call in [Call::suspend(1), Call::wait_signal(bit(USER))] {
            assert_eq!(m.refused(it.main, call.deadline(0)), Error::WouldBlock);
            m.call(it.main, call.deadline(m.now() + 20));
            assert_eq!(m.state(it.main), State::Signalled);
            m.advance(20);
            m.run(it.main);
            let answer = m.answer(it.main).expect("it returns");
            assert_eq!(answer.error(), Some(Error::TimedOut));
            let mask = m.answer_to(it.main, Call::mask(how::BLOCK, 0));
            assert_eq!(mask.words()[..2], [1, 0]);
        }
    });
}

#[test]
fn suspend_cannot_miss_what_came_before_it() {
    let it = three();
    both_paths(&it.system, |m| {
        it.begin(m);
        m.call(it.main, Call::mask(how::SET, ALL));
        m.call(it.main, Call::signal(OWN, USER, 0));
        m.call(it.main, Call::suspend(ALL ^ bit(USER)));
        assert_eq!(m.handles(it.main), Some(USER));
        m.call(it.main, Call::signal(OWN, USER, 0));
        m.end_handler(it.main);
        let answer = m.answer(it.main).expect("it returns");
        assert_eq!(answer.error(), Some(Error::Interrupted));
        assert_eq!(m.handles(it.main), None, "its mask is as it was");
    });
}

/// What a thread masks only as long as it waits is due to it as soon as another one has ended that: it is told of it before
/// it runs, or not at all if its process ends before.
#[test]
fn what_only_a_suspended_thread_masks_is_due_to_it_in_the_handler_that_ends_that() {
    for ends in [false, true] {
        let mut system = System::new();
        let [process, senders] = [(); 2].map(|()| system.process());
        let main = system.thread(process, 5);
        let sender = system.thread(senders, 9);
        let position = system.signal(senders, process);
        let control = system.control(senders, process);
        both_paths(&system, |m| {
            m.call(sender, Call::sleep(m.now() + 100));
            m.call(main, Call::action(process, 0));
            m.call(main, Call::mask(how::SET, 0));
            m.call(main, Call::suspend(bit(TERM)));
            m.advance(100);
            for signal in [TERM, USER] {
                m.call(sender, Call::signal(position, signal, 0));
            }
            if ends {
                m.call(sender, Call::stop(control));
            }
            m.call(sender, Call::sleep(m.now() + 100));
            if ends {
                assert_eq!(m.state(main), State::Stopped);
                return;
            }
            for handled in [Some(TERM), Some(USER)] {
                assert_eq!(m.handles(main), handled);
                m.end_handler(main);
            }
            let answer = m.answer(main).expect("it returns");
            assert_eq!(answer.error(), Some(Error::Interrupted));
        });
    }
}

#[test]
fn a_thread_that_masks_it_leaves_it_to_one_that_does_not() {
    let it = three();
    both_paths(&it.system, |m| {
        it.begin(m);
        m.call(it.main, Call::mask(how::SET, ALL));
        m.call(it.main, Call::sleep(m.now() + 10));
        it.take(m, it.second);
        m.advance(10);
        m.call(it.main, Call::signal(OWN, TERM, 0));
        assert_eq!(
            (m.handles(it.main), m.handles(it.second)),
            (None, Some(TERM))
        );
        // Nobody who masks it takes it; who unmasks it first does.
        m.call(it.main, Call::signal(OWN, TERM, 0));
        m.call(it.main, Call::mask(how::SET, 0));
        assert_eq!(m.handles(it.main), Some(TERM));
    });
}

#[test]
fn one_that_is_sent_to_a_thread_goes_to_no_other() {
    let it = three();
    both_paths(&it.system, |m| {
        it.begin(m);
        let second = m.thread(it.second).id();
        m.call(it.main, Call::signal_thread(second, TERM, 0));
        assert_eq!((m.handles(it.main), m.handles(it.second)), (None, None));
        m.call(it.main, Call::sleep(m.now() + 10));
        it.take(m, it.second);
        assert_eq!(m.handles(it.second), Some(TERM));
    });
}

#[test]
fn without_the_right_and_with_wrong_numbers_nothing_is_sent() {
    let it = three();
    both_paths(&it.system, |m| {
        m.call(it.sender, Call::sleep(m.now() + 100));
        m.call(it.server, Call::sleep(m.now() + 1000));
        let action = |entry: u32| Call::about_signals(number::ACTION, &[entry, 0, 0]);
        let own = m.thread(it.main).id();
        let foreign = m.thread(it.server).id();
        for (call, error) in [
            (Call::signal(it.position, TERM, 0), Error::NotPermitted),
            (Call::signal(OWN - 1, TERM, 0), Error::NotPermitted),
            (Call::signal(OWN, 0, 0), Error::BadArgument),
            (Call::signal(OWN, MAX + 1, 0), Error::BadArgument),
            (Call::signal(OWN, u32::MAX, 0), Error::BadArgument),
            (Call::signal_thread(foreign, TERM, 0), Error::BadHandle),
            (Call::signal_thread(own + 0x100, TERM, 0), Error::BadHandle),
            (Call::signal_thread(u32::MAX, TERM, 0), Error::BadHandle),
            (Call::mask(3, 0), Error::BadArgument),
            // Nobody has said where signals go.
            (Call::mask(how::SET, 0), Error::BadArgument),
            (Call::suspend(0), Error::BadArgument),
            (Call::wait_signal(0), Error::BadArgument),
            (Call::wait_signal(1), Error::BadArgument),
            (action(0), Error::BadAddress),
            (action(ram(it.process.0).base + 1), Error::BadAddress),
            (action(u32::MAX), Error::BadAddress),
            (
                Call::about_signals(number::STACK, &[4, 4096]),
                Error::BadAddress,
            ),
            (
                Call::about_signals(number::STACK, &[u32::MAX, 2]),
                Error::BadAddress,
            ),
            (Call::about_signals(7, &[]), Error::BadCall),
            (Call::about_signals(0xFFF_FFFF, &[]), Error::BadCall),
        ] {
            assert_eq!(m.refused(it.main, call), error, "{call:x?}");
        }
        m.advance(100);
        let strange = [it.position, TERM, 0, own];
        let strange = Call::about_signals(number::SEND, &strange);
        assert_eq!(m.refused(it.sender, strange), Error::BadArgument);
    });
}

#[test]
fn a_handler_ends_with_its_own_frame_or_its_process_faults() {
    let it = three();
    let bad: [fn(u32) -> u32; 4] = [|own| own + 16, |own| own - 16, |_| 0, |_| 0xFFFF_FFF0];
    for forged in bad {
        both_paths(&it.system, |m| {
            it.begin(m);
            m.call(it.main, Call::signal(OWN, TERM, 0));
            let own = m.handler(it.main).expect("a handler").stack_pointer;
            let end = Call::about_signals(number::RETURN, &[forged(own)]);
            m.call(it.main, end);
            assert!(!m.process(it.process).is_alive());
            assert_eq!(m.process(it.process).record().reason, reason::SIGNAL_FRAME);
        });
    }
    // Nor does one end that has not begun, or has ended.
    both_paths(&it.system, |m| {
        it.begin(m);
        m.call(it.main, Call::signal(OWN, TERM, 0));
        let own = m.handler(it.main).expect("a handler").stack_pointer;
        m.end_handler(it.main);
        m.call(it.main, Call::about_signals(number::RETURN, &[own]));
        assert_eq!(m.process(it.process).record().reason, reason::SIGNAL_FRAME);
    });
}

#[test]
fn a_forged_frame_gives_its_thread_a_mask_and_no_more() {
    let it = three();
    both_paths(&it.system, |m| {
        it.begin(m);
        m.call(it.main, Call::signal(OWN, TERM, 0));
        let frame = m.handler(it.main).expect("a handler").stack_pointer;
        m.host.poke(frame, &[0; 8]);
        m.host.poke_word(frame + 8, 0xDEAD_0000);
        m.end_handler(it.main);
        let mask = m.answer_to(it.main, Call::mask(how::BLOCK, 0));
        assert_eq!(mask.words()[..2], [1, 0], "there is no signal 0");
        // The frame that it named as that of another handler is none.
        m.call(it.main, Call::about_signals(number::RETURN, &[0xDEAD_0000]));
        assert_eq!(m.process(it.process).record().reason, reason::SIGNAL_FRAME);
    });
}

#[test]
fn a_stack_without_room_faults_its_own_process_and_not_the_sender() {
    let it = three_with(|system, process, _| system.on_end(process, OnEnd::Restart));
    let places: [fn(u32, u32) -> u32; 5] = [
        |base, _| base + 8,
        |base, _| base + 64,
        |base, _| base - 4096,
        |_, _| 4,
        |_, top| top + 4,
    ];
    for place in places {
        both_paths(&it.system, |m| {
            it.begin(m);
            m.call(it.main, Call::null());
            let thread = m.thread(it.main);
            let at = place(thread.stack_base, thread.stack_top);
            m.host.set_stack_pointer(thread, at);
            it.send(m, TERM, 0);
            let record = m.process(it.process).record();
            assert_eq!((record.count, record.reason), (1, reason::STACK_OVERFLOW));
            assert!(m.process(it.process).is_alive(), "it begins anew");
            assert_eq!(m.handles(it.main), None);
            assert_eq!(m.current(), it.main);
        });
    }
}

#[test]
fn a_process_that_is_held_for_it_is_held_and_one_that_overflows_in_its_own_call_dies() {
    for how in [OnEnd::Hold, OnEnd::Stop] {
        let it = three_with(|system, process, _| system.on_end(process, how));
        both_paths(&it.system, |m| {
            it.begin(m);
            m.host.set_stack_pointer(m.thread(it.main), 4);
            m.call(it.main, Call::signal(OWN, TERM, 0));
            assert_eq!(m.process(it.process).is_held(), how == OnEnd::Hold);
            assert_eq!(m.state(it.main), State::Stopped);
            assert_eq!(m.state(it.second), State::Stopped);
            assert_eq!(m.current(), m.idle());
        });
    }
}

#[test]
fn who_has_no_room_for_what_it_suspends_for_faults_and_does_not_go_on_as_if_it_were_handled() {
    for comes_first in [true, false] {
        let it = three_with(|system, process, _| system.on_end(process, OnEnd::Stop));
        both_paths(&it.system, |m| {
            it.begin(m);
            m.call(it.main, Call::mask(how::SET, ALL));
            m.host.set_stack_pointer(m.thread(it.main), 4);
            if comes_first {
                it.send(m, TERM, 0);
            }
            m.call(it.main, Call::suspend(ALL ^ bit(TERM)));
            if !comes_first {
                it.send(m, TERM, 0);
            }
            m.finish();
            let record = m.process(it.process).record();
            assert_eq!((record.count, record.reason), (1, reason::STACK_OVERFLOW));
            assert_eq!(m.state(it.main), State::Stopped);
        });
    }
}

/// What both tests below begin with: `main` has suspended itself for TERM, which waits for it, without room for its handler,
/// and [`Cramped::peer`], of its priority, runs before it.
struct Cramped {
    system: System,
    process: ProcessId,
    main: ThreadId,
    peer: ThreadId,
    sender: ThreadId,
    position: u32,
}

impl Cramped {
    fn new() -> Self {
        let mut system = System::new();
        let [process, senders] = [(); 2].map(|()| system.process());
        let [main, peer] = [(); 2].map(|()| system.thread(process, 5));
        let sender = system.thread(senders, 9);
        let position = system.signal(senders, process);
        system.signal_queue(process, PLACES);
        system.on_end(process, OnEnd::Stop);
        Self {
            system,
            process,
            main,
            peer,
            sender,
            position,
        }
    }

    /// These signals have been sent.
    fn begin(&self, m: &mut Machine, signals: &[u32]) {
        let now = m.now();
        m.call(self.sender, Call::sleep(now + 100));
        m.call(self.main, Call::action(self.process, ALL));
        m.call(self.main, Call::mask(how::SET, ALL));
        m.advance_to(now + 100);
        for signal in signals {
            let told = m.answer_to(self.sender, Call::signal(self.position, *signal, 0));
            assert_eq!(told.error(), None);
        }
        m.call(self.sender, Call::sleep(u64::MAX));
        m.host.set_stack_pointer(m.thread(self.main), 4);
        m.run(self.main);
        m.call(self.main, Call::suspend(ALL ^ bit(TERM)));
        assert_eq!(m.current(), self.peer);
    }
}

/// Its peer gives it its stack back.
#[test]
fn who_has_room_again_for_what_it_has_suspended_for_handles_it() {
    let it = Cramped::new();
    let (process, main, peer) = (it.process, it.main, it.peer);
    both_paths(&it.system, |m| {
        let whole = m.thread(main).stack_top;
        it.begin(m, &[TERM]);
        m.host.set_stack_pointer(m.thread(main), whole);
        m.call(peer, Call::sleep(u64::MAX));
        assert_eq!(m.process(process).record().count, 0);
        assert_eq!(m.handles(main), Some(TERM));
        m.end_handler(main);
        // It masks what it masked before it suspended itself.
        let mask = Call::mask(how::BLOCK, 0);
        assert_eq!(m.answer_to(main, mask).words()[..2], [u32::MAX; 2]);
    });
}

#[test]
fn who_had_no_room_for_what_another_thread_has_taken_since_has_its_own_mask_again() {
    let it = Cramped::new();
    let (process, main, peer) = (it.process, it.main, it.peer);
    both_paths(&it.system, |m| {
        it.begin(m, &[TERM, USER]);
        assert_eq!(m.answer_to(peer, Call::wait_signal(bit(TERM))).word(), TERM);
        m.call(peer, Call::sleep(u64::MAX));
        // It masks what it masked, and what waits still is for nobody.
        let told = m.answer(main).expect("it does not wait");
        assert_eq!(told.error(), Some(Error::Interrupted));
        let mask = Call::mask(how::BLOCK, 0);
        assert_eq!(m.answer_to(main, mask).words()[..2], [u32::MAX; 2]);
        assert_eq!(m.process(process).record().count, 0);
    });
}

/// A debugger finds it as it was.
#[test]
fn no_signal_reaches_a_thread_of_a_process_that_is_held() {
    let it = three_with(|system, process, _| system.on_end(process, OnEnd::Hold));
    for (name, wait) in [0, 3, 4, 7].map(|number| WAITS[number]) {
        both_paths(&it.system, |m| {
            it.begin(m);
            wait(&it, m);
            let state = m.state(it.main);
            m.fault(it.second);
            m.finish();
            it.send(m, TERM, 0);
            it.send(m, USER, 0);
            assert!(m.process(it.process).is_held());
            assert_eq!(m.handles(it.main), None, "{name}");
            assert_eq!(m.state(it.main), state, "{name}");
        });
    }
}

#[test]
fn handlers_run_on_another_stack_if_the_thread_has_one() {
    let it = three();
    both_paths(&it.system, |m| {
        it.begin(m);
        let base = ram(it.process.0).base;
        m.call(it.main, Call::about_signals(number::STACK, &[base, 0x200]));
        m.call(it.main, Call::action(it.process, 0));
        let within = |m: &Machine| {
            let at = m.handler(it.main).expect("a handler").stack_pointer;
            assert!((base..base + 0x200).contains(&at));
            at
        };
        m.host.set_stack_pointer(m.thread(it.main), 4);
        m.call(it.main, Call::signal(OWN, TERM, 0));
        let outer = within(m);
        m.call(it.main, Call::signal(OWN, USER, 0));
        assert!(within(m) < outer, "below the one that it interrupts");
        m.end_handler(it.main);
        m.end_handler(it.main);
        assert_eq!(m.handles(it.main), None);
        // Too small a stack is no stack.
        m.call(it.main, Call::about_signals(number::STACK, &[base, 64]));
        m.call(it.main, Call::signal(OWN, TERM, 0));
        assert!(!m.process(it.process).is_alive());
    });
}

#[test]
fn the_dead_take_no_signals_and_have_none_in_their_next_life() {
    let it = three_with(|system, process, _| system.on_end(process, OnEnd::Restart));
    interrupt_at_each_step(3, |steps| {
        let half = Cell::new(false);
        both_paths(&it.system, |m| {
            it.begin(m);
            m.call(it.main, Call::mask(how::SET, ALL));
            m.call(it.main, Call::signal(OWN, QUEUED, 1));
            m.call(it.main, Call::signal(OWN, TERM, 1));
            half.set(m.exit_interrupted(it.main, steps));
            m.advance_to(100);
            if m.current() == it.sender && !m.process(it.process).is_alive() {
                let send = Call::signal(it.position, TERM, 0);
                assert_eq!(m.refused(it.sender, send), Error::PeerDied);
            }
            m.finish();
            if m.current() == it.sender {
                m.call(it.sender, Call::sleep(m.now() + 10_000));
            }
            m.run(it.main);
            let mask = m.answer_to(it.main, Call::mask(how::BLOCK, 0)).words();
            assert_eq!(mask[..4], [u32::MAX, u32::MAX, 0, 0]);
        });
        half.get()
    });
}

#[test]
fn a_thread_that_repeats_its_call_handles_a_signal_after_it() {
    let it = three();
    let word = ram(it.process.0).base + 0x20;
    both_paths(&it.system, |m| {
        it.begin(m);
        m.call(it.main, Call::futex_wait(word, 0));
        it.take(m, it.second);
        m.call(it.second, Call::create(it.process, 0, 3, 0));
        m.call(it.second, Call::sleep(m.now() + 10));
        let third = m.current();
        m.call(third, Call::futex_wait(word, 0));
        m.advance(10);
        m.host.interrupt_after(1);
        assert!(!m.call_once(it.second, Call::futex_wake(word, 9)));
        m.interrupt();
        assert_eq!(m.current(), it.main, "one is woken");
        let id = m.thread(it.second).id();
        m.call(it.main, Call::signal_thread(id, TERM, 0));
        assert_eq!(m.handles(it.second), None, "its call comes first");
        m.call(it.main, Call::sleep(m.now() + 50));
        m.repeat(it.second);
        assert_eq!(m.handles(it.second), Some(TERM));
        m.end_handler(it.second);
        assert_eq!(m.answer(it.second).expect("it returns").word(), 2);
    });
}

/// By then another thread of its process has made its registers name another call: one of each that has a short form.
#[test]
fn a_call_that_another_one_takes_the_place_of_leaves_no_signal_waiting() {
    let interrupt = Cell::new(None);
    let it = three_with(|system, process, _| {
        interrupt.set(Some(system.interrupt(process, LineKind::Edge)));
    });
    let interrupt = interrupt.get().expect("it has one");
    let ram = ram(it.process.0).base;
    let [word, other, free] = [ram + 0x20, ram + 0x24, ram + 0x28];
    let calls = |interrupt, link| {
        [
            Call::futex_wait(free, 0),
            Call::futex_give(other),
            Call::lock(free),
            Call::other(call::number::INTERRUPT_PEND, &[interrupt]),
            Call::notify(link, 1),
        ]
    };
    for short in 0..calls(0, 0).len() {
        both_paths(&it.system, |m| {
            it.begin(m);
            let handle = m.attach(it.main, interrupt, it.own, 1);
            m.call(it.main, Call::futex_wait(word, 0));
            it.take(m, it.second);
            m.call(it.second, Call::create(it.process, 0, 3, 0));
            m.call(it.second, Call::sleep(m.now() + 10));
            let third = m.current();
            m.call(third, Call::futex_wait(word, 0));
            m.advance(10);
            m.host.interrupt_after(1);
            assert!(!m.call_once(it.second, Call::futex_wake(word, 9)));
            m.interrupt();
            let id = m.thread(it.second).id();
            m.call(it.main, Call::signal_thread(id, TERM, 0));
            m.divert(it.second);
            m.call(it.main, Call::futex_wait(other, 0));
            m.call(it.second, calls(handle, m.handle(it.link))[short]);
            if m.current() == it.main {
                m.call(it.main, Call::sleep(m.now() + 50));
            }
            assert_eq!(m.handles(it.second), Some(TERM), "{short}");
        });
    }
}

#[test]
fn no_signal_changes_anybodys_priority_and_who_is_less_urgent_waits() {
    let it = three();
    both_paths(&it.system, |m| {
        it.begin(m);
        let before = m.priority(it.main);
        m.call(it.main, Call::suspend(1));
        m.advance(100);
        m.call(it.sender, Call::signal(it.position, TERM, 0));
        assert_eq!(m.current(), it.sender);
        assert_eq!(m.priority(it.main), before);
        assert_eq!(m.handles(it.main), Some(TERM), "it is ready to handle it");
    });
}

#[test]
fn a_handler_may_block_end_its_thread_or_never_return() {
    let it = three();
    both_paths(&it.system, |m| {
        it.begin(m);
        m.call(it.main, Call::signal(OWN, QUEUED, 1));
        m.call(it.main, Call::sleep(m.now() + 10));
        it.take(m, it.second);
        m.call(it.second, Call::signal(OWN, TERM, 0));
        m.call(it.second, Call::exit_thread(0));
        assert_eq!(m.state(it.second), State::Stopped);
        m.advance(10);
        m.run(it.main);
        assert_eq!(m.handles(it.main), Some(QUEUED));
        m.call(it.main, Call::action(it.process, 0));
        m.call(it.main, Call::mask(how::SET, 0));
        let process = m.process(it.process);
        for signal in (1..20).take_while(|_| process.is_alive()) {
            m.call(it.main, Call::signal(OWN, signal, 0));
        }
        assert_eq!(
            m.process(it.process).record().reason,
            reason::STACK_OVERFLOW
        );
    });
}

#[test]
fn the_largest_queue_and_a_thread_that_ends_leave_nothing_behind() {
    let it = three_with(|system, process, _| system.signal_queue(process, MAX_QUEUED));
    both_paths(&it.system, |m| {
        it.begin(m);
        let id = m.thread(it.second).id();
        for word in 0..MAX_QUEUED as u32 {
            m.call(it.main, Call::signal_thread(id, 32 + word, word));
        }
        let more = Call::signal(OWN, QUEUED, 0);
        assert_eq!(m.refused(it.main, more), Error::Exhausted);
        m.call(it.main, Call::sleep(m.now() + 10));
        m.call(it.second, Call::exit_thread(0));
        m.advance(10);
        m.call(it.main, Call::signal(OWN, QUEUED, 5));
        let handler = m.handler(it.main).expect("there is room");
        assert_eq!(handler.arguments, [QUEUED, 5]);
    });
}

#[test]
fn a_search_for_a_taker_goes_in_steps_and_misses_nobody_who_comes_meanwhile() {
    let mut system = System::new();
    let [process, senders] = [(); 2].map(|()| system.process());
    let threads: Vec<_> = (0..40).map(|_| system.thread(process, 5)).collect();
    let sender = system.thread(senders, 4);
    let position = system.signal(senders, process);
    for changes in [false, true] {
        both_paths(&system, |m| {
            m.call(threads[0], Call::action(process, ALL));
            for thread in &threads {
                m.run(*thread);
                m.call(
                    *thread,
                    Call::sleep(m.now() + if *thread == threads[1] { 50 } else { 5000 }),
                );
            }
            m.host.interrupt_after(1);
            let send = Call::signal(position, TERM, 0);
            assert!(!m.call_once(sender, send), "it looks for interrupts");
            if changes {
                m.advance(50);
                m.call(threads[1], Call::mask(how::SET, 0));
                m.call(threads[1], Call::sleep(m.now() + 5000));
            } else {
                m.interrupt();
            }
            while m.repeating() == Some(sender) {
                m.repeat(sender);
            }
            let expected = changes.then_some(TERM);
            assert_eq!(m.handles(threads[1]), expected);
        });
    }
}

#[test]
fn a_search_for_a_taker_finds_who_is_answered_in_its_middle() {
    let mut system = System::new();
    let [process, senders, servers] = [(); 3].map(|()| system.process());
    let threads: Vec<_> = (0..9).map(|_| system.thread(process, 5)).collect();
    let sender = system.thread(senders, 6);
    let server = system.thread(servers, 9);
    let channel = system.channel(servers);
    system.fixed_priority(channel, 9);
    system.notify_unblock(channel);
    let link = system.connection(process, channel, 7);
    let position = system.signal(senders, process);
    both_paths(&system, |m| {
        m.receive(server, channel);
        m.call(sender, Call::sleep(m.now() + 20));
        m.call(threads[0], Call::action(process, ALL));
        m.call(threads[0], Call::sleep(m.now() + 5000));
        m.call(threads[1], Call::mask(how::SET, 0));
        m.send(threads[1], link, &[1]);
        let token = m.token_of(threads[1]);
        m.call(server, Call::sleep(m.now() + 60));
        for thread in &threads[2..] {
            m.call(*thread, Call::sleep(m.now() + 5000));
        }
        m.advance(20);
        m.host.interrupt_after(1);
        let send = Call::signal(position, TERM, 0);
        assert!(!m.call_once(sender, send), "it looks for interrupts");
        m.advance(40);
        m.call(server, Call::reply(token, &[1]));
        m.call(server, Call::sleep(m.now() + 5000));
        while m.repeating() == Some(sender) {
            m.repeat(sender);
        }
        assert_eq!(m.handles(threads[1]), Some(TERM));
    });
}

#[test]
fn who_sends_its_own_process_a_signal_takes_it_though_the_search_is_cut_short() {
    let mut system = System::new();
    let [process, servers] = [(); 2].map(|()| system.process());
    let threads: Vec<_> = (0..9).map(|_| system.thread(process, 5)).collect();
    let server = system.thread(servers, 9);
    let channel = system.channel(servers);
    system.fixed_priority(channel, 9);
    system.notify_unblock(channel);
    let link = system.connection(process, channel, 7);
    both_paths(&system, |m| {
        m.receive(server, channel);
        m.call(threads[0], Call::action(process, ALL));
        m.call(threads[0], Call::sleep(m.now() + 5000));
        m.call(threads[1], Call::mask(how::SET, 0));
        m.send(threads[1], link, &[1]);
        m.call(server, Call::sleep(m.now() + 5000));
        for thread in &threads[2..8] {
            m.call(*thread, Call::sleep(m.now() + 5000));
        }
        let caller = threads[8];
        m.call(caller, Call::mask(how::SET, 0));
        m.host.interrupt_after(1);
        let send = Call::signal(OWN, TERM, 0);
        assert!(!m.call_once(caller, send), "it looks for interrupts");
        m.interrupt();
        while m.repeating() == Some(caller) {
            m.repeat(caller);
        }
        assert_eq!(m.handles(caller), Some(TERM));
        assert_eq!(m.handles(threads[1]), None);
    });
}

#[test]
fn an_interrupt_that_waits_comes_before_a_thread_is_told() {
    let it = three();
    both_paths(&it.system, |m| {
        it.begin(m);
        m.call(it.main, Call::suspend(1));
        m.advance(100);
        m.host.interrupt_after(1);
        m.call_once(it.sender, Call::signal(it.position, TERM, 0));
        m.finish();
        m.run(it.sender);
        m.call(it.sender, Call::sleep(m.now() + 100));
        assert_eq!(m.handles(it.main), Some(TERM));
    });
}

#[test]
fn no_server_is_asked_to_let_a_client_of_a_held_process_go_for_a_signal() {
    let it = three_with(|system, process, channel| {
        system.on_end(process, OnEnd::Hold);
        system.notify_unblock(channel);
    });
    both_paths(&it.system, |m| {
        served(&it, m, false);
        let state = m.state(it.main);
        m.call(it.server, Call::receive(m.receive_handle(it.channel)));
        m.fault(it.second);
        m.finish();
        assert!(m.process(it.process).is_held());
        it.send(m, TERM, 0);
        assert_eq!(m.answer(it.server).and_then(|it| it.notice()), None);
        assert_eq!(m.state(it.main), state);
    });
}

/// The second thread handles `USER`, which was sent to it; two more that were sent to its process are to be taken by it
/// later, and `THIRD` was sent to it alone. The main thread, which masks all, runs next.
fn is_to_take_two_later(it: &Three, m: &mut Machine) {
    let receive = Call::receive(m.receive_handle(it.channel));
    m.call(it.sender, Call::sleep(m.now() + 1000));
    m.call(it.server, receive);
    m.call(it.main, Call::action(it.process, ALL));
    m.call(it.main, Call::sleep(m.now() + 10));
    m.call(it.second, Call::mask(how::SET, 0));
    m.call(it.second, Call::send(m.handle(it.link), &[1]));
    let token = m.token_of(it.second);
    m.call(it.server, Call::sleep(m.now() + 20));
    m.advance(10);
    let second = m.thread(it.second).id();
    m.call(it.main, Call::signal_thread(second, USER, 0));
    m.call(it.main, Call::signal(OWN, TERM, 0));
    m.call(it.main, Call::signal(OWN, QUEUED, 7));
    m.call(it.main, Call::signal_thread(second, QUEUED, 8));
    m.call(it.main, Call::signal_thread(second, THIRD, 0));
    m.call(it.main, Call::sleep(m.now() + 30));
    m.advance(10);
    m.call(it.server, Call::reply(token, &[1]));
    m.call(it.server, Call::sleep(m.now() + 500));
    assert_eq!(m.handles(it.second), Some(USER));
}

/// The main thread takes what waits for it or its process, and returns it.
fn taken(it: &Three, m: &mut Machine) -> Vec<(u32, u32)> {
    let mut taken = Vec::new();
    loop {
        let wait = Call::wait_signal(ALL & !1).deadline(m.now());
        let answer = m.answer_to(it.main, wait);
        if answer.error().is_some() {
            return taken;
        }
        taken.push((answer.words()[0], answer.words()[1]));
    }
}

#[test]
fn what_was_sent_to_a_process_outlives_the_thread_that_was_to_take_it_later() {
    let it = three_with(|system, _, channel| system.notify_unblock(channel));
    both_paths(&it.system, |m| {
        is_to_take_two_later(&it, m);
        m.call(it.second, Call::exit_thread(0));
        assert_eq!(m.state(it.second), State::Stopped);
        m.advance(20);
        m.run(it.main);
        assert_eq!(taken(&it, m), [(TERM, 0), (QUEUED, 7)], "and no more");
    });
}

#[test]
fn what_a_thread_was_to_take_later_goes_at_its_end_to_who_waits_for_it_or_handles_it() {
    let it = three_with(|system, _, channel| system.notify_unblock(channel));
    for handles in [false, true] {
        both_paths(&it.system, |m| {
            is_to_take_two_later(&it, m);
            m.advance(20);
            if handles {
                m.call(it.main, Call::mask(how::SET, 0));
                m.call(it.main, Call::sleep(m.now() + 400));
            } else {
                m.call(it.main, Call::wait_signal(bit(QUEUED)));
            }
            m.call(it.second, Call::exit_thread(0));
            assert_eq!(m.current(), it.main, "it is more urgent, and told at once");
            if handles {
                assert_eq!(m.handles(it.main), Some(TERM));
                m.end_handler(it.main);
                m.call(it.main, Call::sleep(m.now() + 10));
                m.repeat(it.second);
                let handler = m.handler(it.main).expect("it is told at once");
                assert_eq!(handler.arguments, [QUEUED, 7]);
                m.end_handler(it.main);
            } else {
                let answer = m.answer(it.main).expect("it has what it waits for");
                assert_eq!(answer.words()[..2], [QUEUED, 7]);
                assert_eq!(taken(&it, m), [(TERM, 0)]);
            }
            m.call(it.main, Call::sleep(m.now() + 10));
            m.repeat(it.second);
            assert_eq!(m.state(it.second), State::Stopped);
        });
    }
}

#[test]
fn a_server_is_asked_to_let_who_is_now_to_take_a_signal_go() {
    let it = three_with(|system, _, channel| system.notify_unblock(channel));
    both_paths(&it.system, |m| {
        is_to_take_two_later(&it, m);
        m.advance(20);
        m.call(it.main, Call::mask(how::SET, 0));
        m.call(it.main, Call::send(m.handle(it.link), &[2]));
        m.advance(480);
        m.call(it.server, Call::receive(m.receive_handle(it.channel)));
        let token = m.token_of(it.main);
        m.call(it.server, Call::sleep(m.now() + 10));
        m.call(it.second, Call::exit_thread(0));
        assert_eq!(m.state(it.second), State::Stopped);
        m.advance(10);
        let told = m.answer_to(it.server, Call::receive(m.receive_handle(it.channel)));
        assert_eq!(told.notice(), Some(notice::UNBLOCK));
        m.call(it.server, Call::reply(token, &[3]));
        m.call(it.server, Call::sleep(m.now() + 500));
        assert_eq!(m.handles(it.main), Some(TERM));
        m.end_handler(it.main);
        assert_eq!(m.handler(it.main).expect("it does").arguments, [QUEUED, 7]);
    });
}

#[test]
fn a_thread_that_is_about_to_end_is_given_no_signal_of_its_process() {
    let it = three_with(|system, _, channel| system.notify_unblock(channel));
    interrupt_at_each_step(1, |steps| {
        let is_amid = Cell::new(false);
        both_paths(&it.system, |m| {
            is_to_take_two_later(&it, m);
            m.host.interrupt_after(steps);
            is_amid.set(!m.call_once(it.second, Call::exit_thread(0)));
            m.finish();
            m.advance(20);
            m.run(it.main);
            m.call(it.main, Call::signal(OWN, LAST, 0));
            m.call(it.main, Call::sleep(m.now() + 10));
            while m.must_repeat(it.second) {
                m.repeat(it.second);
            }
            assert_eq!(m.state(it.second), State::Stopped);
            m.advance(10);
            m.run(it.main);
            assert_eq!(taken(&it, m), [(TERM, 0), (LAST, 0), (QUEUED, 7)]);
        });
        is_amid.get()
    });
}

#[test]
fn who_waits_for_signals_behind_a_read_that_was_cut_short_reads_all_of_it_the_next_time() {
    const LENGTH: u32 = 4 * CHUNK;
    let mut it = three();
    let client = it.server;
    let (from, to) = (ram(2).base, ram(it.process.0).base);
    let link = it.system.connection(ProcessId(2), it.own, 9);
    both_paths(&it.system, |m| {
        let start = m.now();
        m.call(it.sender, Call::sleep(start + 100));
        m.call(client, Call::sleep(start + 1));
        it.take(m, it.main);
        m.call(it.main, Call::receive(m.receive_handle(it.own)));
        m.advance_to(start + 1);
        m.call(client, Call::send_bytes(m.handle(link), from, LENGTH));
        let read = Call::read(m.token_of(client), to, LENGTH, 0);
        for byte in [1, 2] {
            m.host.poke(from, &[byte; LENGTH as usize]);
            m.host.interrupt_after(2);
            assert_eq!(m.answer_to(it.main, read).word(), LENGTH);
            assert_eq!(m.host.peek(to, LENGTH), [byte; LENGTH as usize]);
            m.call(it.main, Call::suspend(0));
            let next = start + 100 * u64::from(byte);
            m.advance_to(next);
            m.call(it.sender, Call::signal(it.position, TERM, 0));
            m.call(it.sender, Call::sleep(next + 100));
            assert_eq!(m.handles(it.main), Some(TERM));
            m.end_handler(it.main);
        }
    });
}
