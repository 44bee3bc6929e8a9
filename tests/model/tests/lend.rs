//! Messages that carry memory: rules 12, 13 and 14.

use riposte_abi::{Error, call::number, info, notice};
use riposte_kernel::{CHUNK, Grants, OnEnd, State};
use riposte_model::{
    Answer, Call, ChannelId, Connection, GRAIN, Machine, Pair, ProcessId, System, ThreadId, Token,
    both_paths, code, pages, ram,
};

/// Length of what is lent.
const LENGTH: u32 = 0x400;
/// Room for replies in a client's RAM, and what else is sent from there.
const ROOM: u32 = 0x3000;
const WORDS: [u32; 3] = [11, 12, 13];

/// A server with two windows; a client of one thread and one of two, both with pages; one that is not
/// involved, and one whose faults end others.
struct Lab {
    system: System,
    server_process: ProcessId,
    lone_process: ProcessId,
    crowd_process: ProcessId,
    stranger: ProcessId,
    killer_process: ProcessId,
    killer: ThreadId,
    server: ThreadId,
    lone: ThreadId,
    crowd: [ThreadId; 2],
    channel: ChannelId,
    lone_link: Connection,
    crowd_link: Connection,
}

impl Lab {
    fn new() -> Self {
        Self::with_windows(2)
    }

    fn with_windows(windows: u8) -> Self {
        let mut system = System::new();
        let server_process = system.process();
        let lone_process = system.process();
        let crowd_process = system.process();
        let stranger = system.process();
        let server = system.thread(server_process, 10);
        let lone = system.thread(lone_process, 10);
        let crowd = [0; 2].map(|_| system.thread(crowd_process, 10));
        system.thread(stranger, 10);
        let killer_process = system.process();
        system.on_end(killer_process, OnEnd::Restart);
        let killer = system.thread(killer_process, 10);
        let channel = system.channel(server_process);
        system.notify_unblock(channel);
        let lone_link = system.connection(lone_process, channel, 7);
        let crowd_link = system.connection(crowd_process, channel, 8);
        system.windows(server_process, windows, 0x1000);
        for process in [lone_process, crowd_process] {
            system.pages(process, 2);
            system.on_end(process, OnEnd::Restart);
        }
        Self {
            system,
            server_process,
            lone_process,
            crowd_process,
            stranger,
            killer_process,
            killer,
            server,
            lone,
            crowd,
            channel,
            lone_link,
            crowd_link,
        }
    }

    /// A process that ends, whatever its threads wait for, when the killer faults; and begins anew.
    fn may_be_killed(mut self, process: ProcessId) -> Self {
        self.system.restart_with(process, self.killer_process);
        self
    }

    fn receive(&self, m: &mut Machine) {
        let call = Call::receive(m.receive_handle(self.channel));
        m.call(self.server, call);
    }

    /// Who lends in a test, how, and from where.
    fn lenders(&self) -> [(ThreadId, ProcessId, Connection, u32); 3] {
        let data = ram(self.lone_process.0).base;
        let [lone, crowd] = [self.lone_process, self.crowd_process].map(|p| pages(p.0).base);
        [
            (self.lone, self.lone_process, self.lone_link, data),
            (self.lone, self.lone_process, self.lone_link, lone),
            (self.crowd[0], self.crowd_process, self.crowd_link, crowd),
        ]
    }

    /// The client sends, the server receives: what it got, and where.
    fn hand(&self, m: &mut Machine, client: ThreadId, call: Call) -> (Token, u32) {
        self.receive(m);
        m.call(client, call);
        let answer = m.answer(self.server).expect("a message");
        let (_, address, length) = answer.memory().expect("memory");
        assert_eq!(length, call.registers[riposte_abi::register::WORD1]);
        (answer.token(), address)
    }

    fn reads(&self, m: &Machine, at: u32) -> bool {
        let all = m.host.try_read(self.server_process, at, LENGTH).is_some();
        let some = (0..LENGTH).any(|i| m.host.try_read(self.server_process, at + i, 1).is_some());
        assert_eq!(all, some, "all of it or nothing");
        all
    }

    fn writes(&self, m: &Machine, at: u32) -> bool {
        m.host.try_write(self.server_process, at, &[0x5A; 4])
    }
}

fn pattern(seed: u8) -> Vec<u8> {
    (0..LENGTH).map(|index| (index as u8) ^ seed).collect()
}

fn failed(m: &Machine, thread: ThreadId) -> Option<Error> {
    m.answer(thread).expect("it waits no more").error()
}

type Carry = fn(u32, u32, u32, &[u32; 3]) -> Call;
const LENDING: [(Carry, u32); 2] = [(Call::lend, info::LENT), (Call::lend_mut, info::LENT_MUT)];

#[test]
fn rule_12_what_is_lent_is_read_in_place_and_no_byte_is_copied() {
    let lab = Lab::new();
    for (client, process, link, at) in lab.lenders() {
        both_paths(&lab.system, |m| {
            assert!(m.host.try_write(process, at, &pattern(1)));
            let before = m.host.copied();
            lab.receive(m);
            m.call(client, Call::lend(m.handle(link), at, LENGTH, &WORDS));
            let answer = m.answer(lab.server).expect("a message");
            let (mark, window, length) = answer.memory().expect("memory");
            assert_eq!((mark, length), (info::LENT, LENGTH));
            assert_eq!(answer.words()[2..], WORDS);
            assert_eq!(m.priority(lab.server), 10);
            let read = m.host.try_read(lab.server_process, window, LENGTH);
            assert_eq!(read, Some(pattern(1)));
            assert!(!lab.writes(m, window), "it is lent for reading");
            m.call(lab.server, Call::reply(answer.token(), &[1, 2]));
            assert!(!lab.reads(m, window));
            assert_eq!(m.answer(client).expect("answered").words()[..2], [1, 2]);
            assert_eq!(m.host.copied(), before);
            let kept = m.host.try_read(process, at, LENGTH);
            assert_eq!(kept, Some(pattern(1)));
        });
    }
}

#[test]
fn rule_12_what_is_lent_mutably_comes_back_with_what_the_server_wrote() {
    let lab = Lab::new();
    for (client, process, link, at) in lab.lenders() {
        both_paths(&lab.system, |m| {
            let call = Call::lend_mut(m.handle(link), at, LENGTH, &WORDS);
            let (token, window) = lab.hand(m, client, call);
            assert!(m.host.try_write(lab.server_process, window, &pattern(2)));
            m.call(lab.server, Call::reply(token, &[]));
            assert!(!lab.writes(m, window));
            assert_eq!(m.host.try_read(process, at, LENGTH), Some(pattern(2)));
            assert!(m.host.try_write(process, at, &pattern(3)), "it is its own");
        });
    }
}

#[test]
fn lent_memory_is_unreachable_outside_its_window_at_every_step_of_a_call() {
    let lab = Lab::new();
    for (call, _) in LENDING {
        for (client, _, link, at) in lab.lenders() {
            for queued in [false, true] {
                both_paths(&lab.system, |m| {
                    let others = [lab.server_process, lab.stranger];
                    let nobody = |m: &Machine| {
                        for process in others {
                            for address in (at..at + LENGTH).step_by(GRAIN as usize) {
                                assert_eq!(m.host.try_read(process, address, 1), None);
                            }
                        }
                    };
                    nobody(m);
                    let call = call(m.handle(link), at, LENGTH, &WORDS);
                    if queued {
                        m.call(client, call);
                        assert_eq!(m.state(client), State::SendBlocked);
                        nobody(m);
                        lab.receive(m);
                    } else {
                        lab.receive(m);
                        nobody(m);
                        m.call(client, call);
                    }
                    let answer = m.answer(lab.server).expect("a message");
                    let (_, window, length) = answer.memory().expect("memory");
                    let end = window + length;
                    for outside in [window - 1, end, window - GRAIN, end + GRAIN - 1] {
                        let read = m.host.try_read(lab.server_process, outside, 1);
                        assert_eq!(read, None, "more than was lent");
                    }
                    assert_eq!(m.host.try_read(lab.stranger, at, 1), None);
                    assert_eq!(m.host.try_read(lab.stranger, window, 1), None);
                    m.call(lab.server, Call::reply(answer.token(), &[]));
                    nobody(m);
                    assert!(!lab.reads(m, window));
                });
            }
        }
    }
}

#[test]
fn every_form_of_an_answer_takes_the_window_away_before_the_client_runs() {
    let mut fixed = Lab::new();
    fixed.system.fixed_priority(fixed.channel, 12);
    for lab in [Lab::new(), fixed] {
        every_form_takes_the_window_away(&lab);
    }
}

fn every_form_takes_the_window_away(lab: &Lab) {
    let own = ram(0).base;
    type Form = fn(Token, u32, u32) -> Call;
    let forms: [(Form, bool); 7] = [
        (|token, _, _| Call::reply(token, &[1]), false),
        (|token, own, _| Call::reply_bytes(token, own, 8), false),
        (|token, own, _| Call::reply_vector(token, own, 0), false),
        (|token, _, _| Call::reply_error(token, 9), false),
        (
            |token, _, channel| Call::reply_receive(channel, token, &[1]),
            true,
        ),
        (
            |token, own, channel| Call::reply_bytes_receive(channel, token, own, 8),
            true,
        ),
        (
            |token, _, channel| Call::reply_error_receive(channel, token, 9),
            true,
        ),
    ];
    for (call, _) in LENDING {
        for (client, _, link, at) in lab.lenders() {
            for (form, waits) in forms {
                both_paths(&lab.system, |m| {
                    let call = call(m.handle(link), at, LENGTH, &WORDS);
                    let room = ram(usize::from(m.thread(client).process.index)).base + ROOM;
                    let (token, window) = lab.hand(m, client, call.room(room, 8));
                    let channel = m.receive_handle(lab.channel);
                    m.call(lab.server, form(token, own, channel));
                    assert!(!lab.reads(m, window));
                    assert_eq!(failed(m, client), None);
                    assert_eq!(m.state(lab.server) == State::ReceiveBlocked, waits);
                    if !waits {
                        let again = m.refused(lab.server, Call::reply(token, &[]));
                        assert_eq!(again, Error::NoSuchClient);
                    }
                });
            }
        }
    }
}

#[test]
fn a_handle_in_an_answer_ends_a_loan_too() {
    let mut lab = Lab::new();
    let far = lab.system.channel(lab.stranger);
    let given = lab.system.transferable(lab.server_process, far, 3);
    both_paths(&lab.system, |m| {
        let at = ram(lab.lone_process.0).base;
        let call = Call::lend_mut(m.handle(lab.lone_link), at, LENGTH, &WORDS);
        let (token, window) = lab.hand(m, lab.lone, call.accepting_handle());
        let given = m.handle(given);
        let reply = Call::reply_handle(token, &[0; 4], given);
        m.call(lab.server, reply);
        assert!(!lab.reads(m, window));
        let handle = m.answer(lab.lone).expect("answered").handle();
        assert!(handle.is_some());
    });
}

#[test]
fn a_queue_of_lenders_takes_turns_in_one_window() {
    let lab = Lab::with_windows(1);
    both_paths(&lab.system, |m| {
        let data = ram(lab.lone_process.0).base;
        let far = pages(lab.crowd_process.0).base;
        let calls = [
            (
                lab.lone,
                Call::lend(m.handle(lab.lone_link), data, LENGTH, &WORDS),
            ),
            (
                lab.crowd[0],
                Call::lend_mut(m.handle(lab.crowd_link), far, LENGTH, &WORDS),
            ),
            (
                lab.crowd[1],
                Call::lend(m.handle(lab.crowd_link), far + LENGTH, LENGTH, &WORDS),
            ),
        ];
        for (client, call) in calls {
            m.call(client, call);
            assert_eq!(m.state(client), State::SendBlocked);
        }
        lab.receive(m);
        for (client, _) in calls {
            let answer = m.answer(lab.server).expect("a message");
            assert_eq!(m.state(client), State::ReplyBlocked);
            let channel = m.receive_handle(lab.channel);
            let call = Call::reply_receive(channel, answer.token(), &[]);
            m.call(lab.server, call);
            assert_eq!(failed(m, client), None);
        }
        assert_eq!(m.state(lab.server), State::ReceiveBlocked);
    });
}

#[test]
fn a_selective_receive_fills_the_window_of_whom_it_selects() {
    let lab = Lab::with_windows(1);
    both_paths(&lab.system, |m| {
        let data = ram(lab.lone_process.0).base;
        let far = pages(lab.crowd_process.0).base;
        m.call(
            lab.lone,
            Call::lend(m.handle(lab.lone_link), data, LENGTH, &WORDS),
        );
        let call = Call::lend(m.handle(lab.crowd_link), far, LENGTH, &WORDS);
        m.call(lab.crowd[0], call);
        m.host.poke(far, &pattern(9));
        let call = Call::receive(m.receive_handle(lab.channel)).from_badge(8);
        let answer = m.answer_to(lab.server, call);
        assert_eq!(answer.badge(), 8);
        let (_, window, _) = answer.memory().expect("memory");
        let read = m.host.try_read(lab.server_process, window, LENGTH);
        assert_eq!(read, Some(pattern(9)));
        assert_eq!(m.state(lab.lone), State::SendBlocked);
    });
}

#[test]
fn rule_13_other_threads_cannot_write_what_is_lent_nor_read_what_is_lent_mutably() {
    let mut lab = Lab::new();
    let grants = Grants {
        shutdown: false,
        supervisor: true,
        inspect: false,
        relay: false,
    };
    lab.system.grant(lab.crowd_process, grants);
    let at = pages(lab.crowd_process.0).base + LENGTH;
    for (call, mark) in LENDING {
        both_paths(&lab.system, |m| {
            let reads = |m: &Machine| m.host.try_read(lab.crowd_process, at, LENGTH).is_some();
            let writes = |m: &Machine| m.host.try_write(lab.crowd_process, at, &[1]);
            let kernel_reads = |m: &mut Machine| {
                let call = Call::send_bytes(m.handle(lab.crowd_link), at, 16).deadline(0);
                failed_with(m, lab.crowd[1], call) != Error::BadAddress
            };
            let kernel_writes = |m: &mut Machine| {
                let call = Call::other(number::FAULT_RECORD, &[0]).room(at, 16);
                m.answer_to(lab.crowd[1], call).error().is_none()
            };
            assert!(reads(m) && writes(m) && kernel_writes(m));
            let call = call(m.handle(lab.crowd_link), at, LENGTH, &WORDS);
            let (token, _) = lab.hand(m, lab.crowd[0], call);
            assert!(!writes(m));
            assert_eq!(reads(m), mark == info::LENT);
            assert_eq!(kernel_reads(m), mark == info::LENT);
            assert!(!kernel_writes(m));
            for beside in [at - 4, at + LENGTH] {
                assert!(m.host.try_write(lab.crowd_process, beside, &[0; 4]));
            }
            m.call(lab.server, Call::reply(token, &[]));
            assert!(reads(m) && writes(m) && kernel_reads(m));
        });
    }
}

fn failed_with(m: &mut Machine, thread: ThreadId, call: Call) -> Error {
    let answer: Answer = m.answer_to(thread, call);
    answer.error().expect("an error")
}

#[test]
fn the_kernel_touches_no_lent_memory_for_its_lender() {
    let lab = Lab::new();
    both_paths(&lab.system, |m| {
        let base = pages(lab.crowd_process.0).base;
        let link = m.handle(lab.crowd_link);
        // The first one's room for the reply is lent by the second one, after it has sent.
        let first = Call::lend(link, base, LENGTH, &WORDS).room(base + LENGTH, 64);
        let (token, window) = lab.hand(m, lab.crowd[0], first);
        let second = Call::lend_mut(link, base + LENGTH, LENGTH, &WORDS);
        let (_, other) = lab.hand(m, lab.crowd[1], second);
        assert!(m.host.try_write(lab.server_process, other, &pattern(4)));
        let own = ram(lab.server_process.0).base;
        let written = m.answer_to(lab.server, Call::write(token, own, 16, 0));
        assert_eq!(written.word(), 0);
        assert!(lab.reads(m, window), "it stays until the answer");
        let read = m.answer_to(lab.server, Call::read(token, own, 16, 0));
        assert_eq!(read.word(), 0, "there are no bytes to read");
        m.call(lab.server, Call::reply_bytes(token, own, 16));
        assert_eq!(failed(m, lab.crowd[0]), Some(Error::BadAddress));
        let read = m.host.try_read(lab.server_process, other, LENGTH);
        assert_eq!(read, Some(pattern(4)));
    });
}

#[test]
fn a_reply_never_goes_to_what_is_lent_wherever_the_client_wants_it_now() {
    let lab = Lab::new();
    for (client, _, link, at) in lab.lenders() {
        both_paths(&lab.system, |m| {
            let call = Call::lend_mut(m.handle(link), at, LENGTH, &WORDS);
            let (token, window) = lab.hand(m, client, call);
            m.host.set_room(m.thread(client), at + 8, 64);
            assert!(m.host.try_write(lab.server_process, window, &pattern(6)));
            let own = ram(lab.server_process.0).base;
            let written = m.answer_to(lab.server, Call::write(token, own, 16, 0));
            assert_eq!(written.word(), 0);
            let read = m.host.try_read(lab.server_process, window, LENGTH);
            assert_eq!(read, Some(pattern(6)));
            m.call(lab.server, Call::reply_bytes(token, own, 16));
            assert_eq!(failed(m, client), Some(Error::BadAddress));
        });
    }
}

#[test]
fn rule_13_a_server_that_dies_has_no_access_and_its_lenders_have_their_memory() {
    for restart in [false, true] {
        let mut lab = Lab::new();
        if restart {
            lab.system.on_end(lab.server_process, OnEnd::Restart);
        }
        both_paths(&lab.system, |m| {
            let data = ram(lab.lone_process.0).base;
            let far = pages(lab.crowd_process.0).base;
            let call = Call::lend_mut(m.handle(lab.lone_link), data, LENGTH, &WORDS);
            let (_, first) = lab.hand(m, lab.lone, call);
            let call = Call::lend_mut(m.handle(lab.crowd_link), far, LENGTH, &WORDS);
            let (_, second) = lab.hand(m, lab.crowd[0], call);
            let queued = Call::lend_mut(m.handle(lab.crowd_link), far + LENGTH, LENGTH, &WORDS);
            m.call(lab.crowd[1], queued);
            m.fault(lab.server);
            assert!(!lab.reads(m, first) && !lab.reads(m, second));
            for client in [lab.lone, lab.crowd[0], lab.crowd[1]] {
                assert_eq!(failed(m, client), Some(Error::ServerDied));
            }
            for at in [far, far + LENGTH] {
                assert!(m.host.try_write(lab.crowd_process, at, &pattern(1)));
            }
        });
    }
}

#[test]
fn a_lender_that_dies_leaves_its_memory_until_the_answer_and_starts_anew_then() {
    let mut lab = Lab::new();
    lab.system.notify_client_died(lab.channel);
    both_paths(&lab.system, |m| {
        let at = pages(lab.crowd_process.0).base;
        assert!(m.host.try_write(lab.crowd_process, at, &pattern(5)));
        let call = Call::lend_mut(m.handle(lab.crowd_link), at, LENGTH, &WORDS);
        let (token, window) = lab.hand(m, lab.crowd[0], call);
        m.fault(lab.crowd[1]);
        let read = m.host.try_read(lab.server_process, window, LENGTH);
        assert_eq!(read, Some(pattern(5)), "it does not disappear");
        assert!(!m.process(lab.crowd_process).is_alive(), "it waits");
        assert_eq!(m.state(lab.crowd[0]), State::Stopped);
        lab.receive(m);
        let answer = m.answer(lab.server).expect("a notice");
        assert_eq!(answer.notice(), Some(notice::CLIENT_DIED));
        let own = ram(lab.server_process.0).base;
        for call in [Call::read(token, own, 4, 0), Call::write(token, own, 4, 0)] {
            assert_eq!(m.refused(lab.server, call), Error::NoSuchClient);
        }
        assert!(lab.reads(m, window));
        m.call(lab.server, Call::reply(token, &[]));
        assert_eq!(failed(m, lab.server), Some(Error::NoSuchClient));
        assert!(!lab.reads(m, window));
        assert!(m.process(lab.crowd_process).is_alive(), "it has begun anew");
        assert_eq!(m.state(lab.crowd[0]), State::Ready);
        assert!(m.host.try_write(lab.crowd_process, at, &pattern(6)));
        let again = m.refused(lab.server, Call::reply(token, &[]));
        assert_eq!(again, Error::NoSuchClient);
    });
}

#[test]
fn a_restart_waits_for_the_last_loan_even_if_only_the_server_s_death_ends_it() {
    let lab = Lab::new().may_be_killed(ProcessId(2));
    both_paths(&lab.system, |m| {
        let base = pages(lab.crowd_process.0).base;
        let link = m.handle(lab.crowd_link);
        let (token, _) = lab.hand(m, lab.crowd[0], Call::lend(link, base, LENGTH, &WORDS));
        let call = Call::lend(link, base + LENGTH, LENGTH, &WORDS);
        lab.hand(m, lab.crowd[1], call);
        let process = lab.crowd_process;
        m.fault(lab.killer);
        assert!(!m.process(process).is_alive());
        m.call(lab.server, Call::reply(token, &[]));
        assert_eq!(failed(m, lab.server), Some(Error::NoSuchClient));
        assert!(!m.process(process).is_alive(), "one is still lent");
        m.fault(lab.server);
        assert!(m.process(process).is_alive());
    });
}

#[test]
fn a_lender_that_dies_before_it_is_received_has_lent_nothing() {
    let lab = Lab::new();
    both_paths(&lab.system, |m| {
        let at = pages(lab.crowd_process.0).base;
        let call = Call::lend_mut(m.handle(lab.crowd_link), at, LENGTH, &WORDS);
        m.call(lab.crowd[0], call);
        m.fault(lab.crowd[1]);
        assert!(
            m.process(lab.crowd_process).is_alive(),
            "nothing is to wait for"
        );
        assert!(m.host.try_write(lab.crowd_process, at, &pattern(1)));
        lab.receive(m);
        assert_eq!(m.state(lab.server), State::ReceiveBlocked);
    });
}

#[test]
fn the_deadline_of_a_lender_ends_a_wait_for_a_receiver_only() {
    let lab = Lab::new();
    for (call, _) in LENDING {
        both_paths(&lab.system, |m| {
            let at = pages(lab.crowd_process.0).base;
            let call = call(m.handle(lab.crowd_link), at, LENGTH, &WORDS);
            let soon = m.now() + 10;
            m.call(lab.crowd[0], call.deadline(soon));
            m.advance(20);
            assert_eq!(failed(m, lab.crowd[0]), Some(Error::TimedOut));
            assert!(m.host.try_write(lab.crowd_process, at, &pattern(1)));
            let late = m.now() + 10;
            let (token, window) = lab.hand(m, lab.crowd[0], call.deadline(late));
            m.advance(20);
            assert_eq!(m.state(lab.crowd[0]), State::ReplyBlocked);
            assert!(lab.reads(m, window), "the server has it until it answers");
            lab.receive(m);
            let told = m.answer(lab.server).expect("a notice");
            assert_eq!(told.notice(), Some(notice::UNBLOCK));
            assert_eq!(told.token(), token);
            m.call(lab.server, Call::reply_error(token, 5));
            assert_eq!(m.answer(lab.crowd[0]).expect("answered").status(), 5);
            assert!(!lab.reads(m, window));
        });
    }
}

#[test]
fn a_lend_that_is_not_to_block_does_not() {
    let lab = Lab::new();
    for (client, _, link, at) in lab.lenders() {
        both_paths(&lab.system, |m| {
            let call = Call::lend(m.handle(link), at, LENGTH, &WORDS).deadline(0);
            assert_eq!(m.refused(client, call), Error::WouldBlock);
        });
    }
}

#[test]
fn a_lender_that_is_held_stays_as_it_is_until_the_answer() {
    let mut lab = Lab::new();
    lab.system.on_end(lab.crowd_process, OnEnd::Hold);
    both_paths(&lab.system, |m| {
        let at = pages(lab.crowd_process.0).base;
        let call = Call::lend_mut(m.handle(lab.crowd_link), at, LENGTH, &WORDS);
        let (token, window) = lab.hand(m, lab.crowd[0], call);
        m.fault(lab.crowd[1]);
        assert!(lab.writes(m, window));
        m.call(lab.server, Call::reply(token, &[]));
        assert!(!lab.writes(m, window));
        assert_eq!(m.state(lab.crowd[0]), State::Stopped);
    });
}

#[test]
fn what_cannot_be_lent_is_refused_and_nothing_changes() {
    let mut lab = Lab::new();
    let deaf = lab.system.channel(lab.server_process);
    let deaf = lab.system.connection(lab.lone_process, deaf, 9);
    let poor = lab.system.channel(lab.stranger);
    lab.system.notify_unblock(poor);
    let poor = lab.system.connection(lab.lone_process, poor, 9);
    let own = lab.system.channel(lab.crowd_process);
    lab.system.notify_unblock(own);
    lab.system.windows(lab.crowd_process, 1, 0x1000);
    let own = lab.system.connection(lab.crowd_process, own, 9);
    let page = pages(lab.lone_process.0).base;
    let data = ram(lab.lone_process.0).base;
    let many = [
        (0, 0),
        (1, 0),
        (u32::MAX - 15, 32),
        (data + ROOM + 0x2000, 8),
    ];
    for waiting in [false, true] {
        both_paths(&lab.system, |m| {
            if waiting {
                lab.receive(m);
            }
            let link = m.handle(lab.lone_link);
            let carries: [Carry; 3] = [Call::lend, Call::lend_mut, Call::give];
            for carry in carries {
                let mut refuse = |at, length, error| {
                    let call = carry(link, at, length, &WORDS);
                    assert_eq!(m.refused(lab.lone, call), error, "{at:#x} {length:#x}");
                };
                refuse(page, 0, Error::BadArgument);
                refuse(page, LENGTH - 1, Error::CannotLend);
                refuse(page + LENGTH / 2, LENGTH, Error::CannotLend);
                refuse(page, GRAIN / 2, Error::CannotLend);
                refuse(code(lab.lone_process.0).base, LENGTH, Error::CannotLend);
                refuse(ram(0).base, LENGTH, Error::BadAddress);
                refuse(page + 0x1000, LENGTH, Error::BadAddress);
                refuse(page + 0x800, 0x1000, Error::BadAddress);
                for (at, length) in many.into_iter().filter(|(_, length)| *length != 0) {
                    refuse(at, length, Error::BadAddress);
                }
                let call = carry(link, page, LENGTH, &WORDS);
                let overlapping = call.room(page + LENGTH - 1, 1);
                assert_eq!(m.refused(lab.lone, overlapping), Error::BadArgument);
                let overlapping = call.room(page - 8, 0x1000);
                assert_eq!(m.refused(lab.lone, overlapping), Error::BadArgument);
                let parts = call.room_in_parts(data, 1);
                assert_eq!(m.refused(lab.lone, parts), Error::BadArgument);
                for link in [deaf, poor] {
                    let call = carry(m.handle(link), page, LENGTH, &WORDS);
                    assert_eq!(m.refused(lab.lone, call), Error::CannotLend);
                }
                let crowd = ram(lab.crowd_process.0).base;
                let call = carry(m.handle(lab.crowd_link), crowd, LENGTH, &WORDS);
                let refused = m.refused(lab.crowd[0], call);
                assert_eq!(refused, Error::CannotLend, "its data cannot have gaps");
                let call = carry(m.handle(own), pages(2).base, LENGTH, &WORDS);
                assert_eq!(
                    m.refused(lab.crowd[0], call),
                    Error::CannotLend,
                    "to itself"
                );
            }
            let call = Call::give(link, data, LENGTH, &WORDS);
            assert_eq!(
                m.refused(lab.lone, call),
                Error::CannotLend,
                "its data stays"
            );
            let call = Call::release(page);
            assert_eq!(m.refused(lab.lone, call), Error::BadAddress);
            for (at, length) in [(data, 16), (page, 0x1001), (page, 0)] {
                let call = Call::reclaim(at, length);
                assert_eq!(m.refused(lab.lone, call), Error::BadAddress);
            }
            let stale = Call::lend(link ^ 0x100, page, LENGTH, &WORDS);
            assert_eq!(m.refused(lab.lone, stale), Error::BadHandle);
        });
    }
}

#[test]
fn more_than_the_window_takes_or_more_than_there_are_gaps_is_refused() {
    let mut lab = Lab::new();
    lab.system.windows(lab.server_process, 2, LENGTH);
    lab.system.pages(lab.crowd_process, 1);
    both_paths(&lab.system, |m| {
        let at = pages(lab.crowd_process.0).base;
        let link = m.handle(lab.crowd_link);
        let call = Call::lend(link, at, 2 * LENGTH, &WORDS);
        assert_eq!(m.refused(lab.crowd[0], call), Error::CannotLend);
        let (token, _) = lab.hand(m, lab.crowd[0], Call::lend(link, at, LENGTH, &WORDS));
        let again = Call::lend(link, at, LENGTH, &WORDS);
        assert_eq!(m.refused(lab.crowd[1], again), Error::CannotLend);
        let beside = Call::lend(link, at + LENGTH, LENGTH, &WORDS);
        assert_eq!(m.refused(lab.crowd[1], beside), Error::CannotLend);
        m.call(lab.server, Call::reply(token, &[]));
        lab.hand(m, lab.crowd[1], beside);
    });
}

#[test]
fn a_server_without_a_free_window_leaves_the_client_with_its_memory() {
    let lab = Lab::with_windows(1);
    both_paths(&lab.system, |m| {
        let page = pages(lab.lone_process.0).base;
        let call = Call::give(m.handle(lab.lone_link), page, LENGTH, &WORDS);
        let (token, window) = lab.hand(m, lab.lone, call);
        m.call(lab.server, Call::reply(token, &[]));
        let at = pages(lab.crowd_process.0).base;
        let [first, second] = [at, at + LENGTH];
        let link = m.handle(lab.crowd_link);
        // In the queue, and with the server waiting.
        m.call(lab.crowd[0], Call::lend_mut(link, first, LENGTH, &WORDS));
        lab.receive(m);
        assert_eq!(failed(m, lab.crowd[0]), Some(Error::CannotLend));
        assert_eq!(m.state(lab.server), State::ReceiveBlocked);
        let call = Call::give(link, second, LENGTH, &WORDS);
        assert_eq!(m.refused(lab.crowd[1], call), Error::CannotLend);
        for at in [first, second] {
            assert!(m.host.try_write(lab.crowd_process, at, &pattern(1)));
        }
        assert!(lab.reads(m, window), "what was moved stays");
    });
}

/// The lone one's first pages, moved to the server and answered. Returns the window.
fn moved(lab: &Lab, m: &mut Machine) -> (u32, u32) {
    let page = pages(lab.lone_process.0).base;
    assert!(m.host.try_write(lab.lone_process, page, &pattern(7)));
    let call = Call::give(m.handle(lab.lone_link), page, LENGTH, &WORDS);
    lab.receive(m);
    m.call(lab.lone, call);
    let answer = m.answer(lab.server).expect("a message");
    assert_eq!(answer.words()[2..], WORDS);
    let (mark, window, length) = answer.memory().expect("memory");
    assert_eq!((mark, length), (info::MOVED, LENGTH));
    assert!(lab.writes(m, window));
    assert!(m.host.try_write(lab.server_process, window, &pattern(7)));
    m.call(lab.server, Call::reply(answer.token(), &[]));
    assert_eq!(failed(m, lab.lone), None);
    (page, window)
}

#[test]
fn rule_12_what_is_moved_stays_with_the_server_and_is_out_of_the_mover_s_reach() {
    let lab = Lab::new();
    both_paths(&lab.system, |m| {
        let (page, window) = moved(&lab, m);
        let read = m.host.try_read(lab.server_process, window, LENGTH);
        assert_eq!(read, Some(pattern(7)));
        assert!(lab.writes(m, window));
        assert_eq!(m.host.try_read(lab.lone_process, page, 1), None);
        let call = Call::send_bytes(m.handle(lab.lone_link), page, 8);
        assert_eq!(m.refused(lab.lone, call), Error::BadAddress);
        let call = Call::lend(m.handle(lab.lone_link), page, LENGTH, &WORDS);
        assert_eq!(m.refused(lab.lone, call), Error::BadAddress);
        assert_eq!(m.refused(lab.lone, Call::reclaim(page, 1)), Error::InUse);
        // Beside it, all is as ever.
        let beside = page + LENGTH;
        assert!(m.host.try_write(lab.lone_process, beside, &pattern(1)));
        let clear = Call::reclaim(beside, 0x1000 - LENGTH);
        assert_eq!(m.answer_to(lab.lone, clear).error(), None);
        let kept = m.host.try_read(lab.lone_process, beside, LENGTH);
        assert_eq!(kept, Some(pattern(1)), "what was not away is not cleared");
    });
}

#[test]
fn rule_14_memory_that_comes_home_is_cleared_before_anybody_reads_it() {
    let lab = Lab::new();
    both_paths(&lab.system, |m| {
        let (page, window) = moved(&lab, m);
        let inside = Call::release(window + 4);
        assert_eq!(m.refused(lab.server, inside), Error::BadAddress);
        let gone = m.answer_to(lab.server, Call::release(window));
        assert_eq!(gone.error(), None);
        assert!(!lab.reads(m, window));
        let again = m.refused(lab.server, Call::release(window));
        assert_eq!(again, Error::BadAddress);
        assert_eq!(m.host.try_read(lab.lone_process, page, 1), None);
        assert_eq!(m.host.peek(page, LENGTH), pattern(7), "not cleared yet");
        let clear = Call::reclaim(page + 5, 1);
        assert_eq!(m.answer_to(lab.lone, clear).error(), None);
        let home = m.host.try_read(lab.lone_process, page, LENGTH);
        assert_eq!(home, Some(vec![0; LENGTH as usize]));
        assert!(m.host.try_write(lab.lone_process, page, &pattern(2)));
        let again = m.answer_to(lab.lone, Call::reclaim(page, LENGTH));
        assert_eq!(again.error(), None, "nothing to do");
        let kept = m.host.try_read(lab.lone_process, page, LENGTH);
        assert_eq!(kept, Some(pattern(2)));
    });
}

#[test]
fn clearing_gives_way_to_interrupts_and_gets_on() {
    let lab = Lab::new();
    both_paths(&lab.system, |m| {
        let page = pages(lab.lone_process.0).base;
        let call = Call::give(m.handle(lab.lone_link), page, 0x1000, &WORDS);
        m.host.poke(page, &[0xEE; 0x1000]);
        let (token, window) = lab.hand(m, lab.lone, call);
        m.call(lab.server, Call::reply(token, &[]));
        m.call(lab.server, Call::release(window));
        m.run(lab.lone);
        m.host.interrupt_after(1);
        let mut times = 0;
        if !m.call_once(lab.lone, Call::reclaim(page, 0x1000)) {
            loop {
                times += 1;
                assert_eq!(m.host.try_read(lab.lone_process, page, 1), None);
                m.interrupt();
                m.run(lab.lone);
                // It runs until the next interrupt.
                m.host.interrupt_after(1);
                if m.repeat(lab.lone) {
                    break;
                }
            }
        }
        assert_eq!(times, 7, "a chunk each time");
        let home = m.host.try_read(lab.lone_process, page, 0x1000);
        assert_eq!(home, Some(vec![0; 0x1000]));
    });
}

#[test]
fn rule_14_memory_that_comes_home_again_is_cleared_as_a_whole_however_it_was_cleared_before() {
    let lab = Lab::new();
    both_paths(&lab.system, |m| {
        let page = pages(lab.lone_process.0).base;
        for _ in 0..2 {
            let call = Call::give(m.handle(lab.lone_link), page, 0x1000, &WORDS);
            let (token, window) = lab.hand(m, lab.lone, call);
            m.host.poke(page, &[0xEE; 0x1000]);
            m.call(lab.server, Call::reply(token, &[]));
            m.call(lab.server, Call::release(window));
            m.run(lab.lone);
            m.host.interrupt_after(1);
            let mut done = m.call_once(lab.lone, Call::reclaim(page, 0x1000));
            assert!(!done, "an interrupt waits");
            while !done {
                m.interrupt();
                m.run(lab.lone);
                done = m.repeat(lab.lone);
            }
            let home = m.host.try_read(lab.lone_process, page, 0x1000);
            assert_eq!(home, Some(vec![0; 0x1000]));
        }
    });
}

#[test]
fn a_holder_that_dies_sends_home_what_was_moved_to_it() {
    let lab = Lab::new();
    both_paths(&lab.system, |m| {
        let (page, window) = moved(&lab, m);
        m.fault(lab.server);
        assert!(!lab.reads(m, window));
        assert_eq!(m.host.try_read(lab.lone_process, page, 1), None);
        let clear = Call::reclaim(page, LENGTH);
        assert_eq!(m.answer_to(lab.lone, clear).error(), None);
        let home = m.host.try_read(lab.lone_process, page, LENGTH);
        assert_eq!(home, Some(vec![0; LENGTH as usize]));
    });
}

#[test]
fn what_was_moved_outlives_its_mover_who_begins_anew_at_once() {
    let lab = Lab::new().may_be_killed(ProcessId(1));
    for answered in [true, false] {
        both_paths(&lab.system, |m| {
            let page = pages(lab.lone_process.0).base;
            m.host.poke(page, &pattern(7));
            let call = Call::give(m.handle(lab.lone_link), page, LENGTH, &WORDS);
            let (token, window) = lab.hand(m, lab.lone, call);
            if answered {
                m.call(lab.server, Call::reply(token, &[]));
                m.fault(lab.lone);
            } else {
                m.fault(lab.killer);
                let late = m.refused(lab.server, Call::reply(token, &[]));
                assert_eq!(late, Error::NoSuchClient);
            }
            assert!(m.process(lab.lone_process).is_alive());
            let read = m.host.try_read(lab.server_process, window, LENGTH);
            assert_eq!(read, Some(pattern(7)));
            assert_eq!(m.host.try_read(lab.lone_process, page, 1), None);
            let early = m.refused(lab.lone, Call::reclaim(page, 1));
            assert_eq!(early, Error::InUse, "the new one asks first");
            m.call(lab.server, Call::release(window));
            m.call(lab.lone, Call::reclaim(page, LENGTH));
            assert!(m.host.try_write(lab.lone_process, page, &pattern(1)));
        });
    }
}

#[test]
fn a_move_that_fails_before_it_is_received_leaves_the_memory_as_it_was() {
    let lab = Lab::new();
    for end in ["deadline", "server's death"] {
        both_paths(&lab.system, |m| {
            let page = pages(lab.lone_process.0).base;
            m.host.poke(page, &pattern(7));
            let call = Call::give(m.handle(lab.lone_link), page, LENGTH, &WORDS);
            let soon = m.now() + 10;
            m.call(lab.lone, call.deadline(soon));
            assert_eq!(m.state(lab.lone), State::SendBlocked);
            match end {
                "deadline" => m.advance(20),
                _ => m.fault(lab.server),
            }
            assert!(failed(m, lab.lone).is_some());
            let kept = m.host.try_read(lab.lone_process, page, LENGTH);
            assert_eq!(kept, Some(pattern(7)));
            assert!(m.host.try_write(lab.lone_process, page, &pattern(8)));
        });
    }
}

#[test]
fn what_is_under_way_cannot_be_reclaimed() {
    let lab = Lab::new();
    let carries: [Carry; 3] = [Call::lend, Call::lend_mut, Call::give];
    for carry in carries {
        both_paths(&lab.system, |m| {
            let at = pages(lab.crowd_process.0).base;
            let call = carry(m.handle(lab.crowd_link), at, LENGTH, &WORDS);
            m.call(lab.crowd[0], call);
            let all = Call::reclaim(at, 0x1000);
            assert_eq!(m.refused(lab.crowd[1], all), Error::InUse);
            lab.receive(m);
            assert_eq!(m.refused(lab.crowd[1], all), Error::InUse);
        });
    }
}

/// A third process with a window, to which the server can move on what it has.
fn with_far() -> (Lab, ThreadId, ChannelId, Connection, Connection) {
    let mut lab = Lab::new();
    lab.system.windows(lab.stranger, 1, 0x1000);
    let channel = lab.system.channel(lab.stranger);
    lab.system.notify_unblock(channel);
    let on = lab.system.connection(lab.server_process, channel, 1);
    let back = lab.system.channel(lab.lone_process);
    lab.system.notify_unblock(back);
    lab.system.windows(lab.lone_process, 1, 0x1000);
    let back = lab.system.connection(lab.server_process, back, 2);
    (lab, ThreadId(4), channel, on, back)
}

#[test]
fn moved_memory_is_moved_on_as_a_whole_and_comes_home_from_there() {
    let (lab, far, channel, on, back) = with_far();
    both_paths(&lab.system, |m| {
        let (page, window) = moved(&lab, m);
        let on = m.handle(on);
        for (carry, at, length) in [
            (Call::lend as Carry, window, LENGTH),
            (Call::lend_mut, window, LENGTH),
            (Call::give, window, LENGTH / 2),
            (Call::give, window + LENGTH / 2, LENGTH / 2),
        ] {
            let call = carry(on, at, length, &WORDS);
            assert_eq!(m.refused(lab.server, call), Error::CannotLend);
        }
        // The way home is another one.
        let call = Call::give(m.handle(back), window, LENGTH, &WORDS);
        m.call(lab.server, call);
        let receive = Call::receive(m.receive_handle(ChannelId(2)));
        m.call(lab.lone, receive);
        assert_eq!(failed(m, lab.server), Some(Error::CannotLend));
        assert!(lab.reads(m, window));
        m.call(lab.server, Call::give(on, window, LENGTH, &WORDS));
        assert!(lab.reads(m, window), "until it is received");
        let answer = m.answer_to(far, Call::receive(m.receive_handle(channel)));
        let (mark, there, length) = answer.memory().expect("memory");
        assert_eq!((mark, length), (info::MOVED, LENGTH));
        assert!(!lab.reads(m, window));
        let read = m.host.try_read(lab.stranger, there, LENGTH);
        assert_eq!(read, Some(pattern(7)));
        m.call(far, Call::reply(answer.token(), &[]));
        assert_eq!(failed(m, lab.server), None);
        assert_eq!(
            m.refused(lab.server, Call::release(window)),
            Error::BadAddress
        );
        m.call(far, Call::release(there));
        assert_eq!(m.host.try_read(lab.stranger, there, 1), None);
        assert_eq!(m.host.try_read(lab.lone_process, page, 1), None);
        // Its own process waits for a message, as nobody has sent one.
        assert_eq!(m.state(lab.lone), State::ReceiveBlocked);
    });
}

#[test]
fn moved_memory_that_was_to_be_moved_on_goes_home_with_its_holder_s_death() {
    let (lab, far, channel, on, _) = with_far();
    let lab = lab.may_be_killed(ProcessId(0));
    both_paths(&lab.system, |m| {
        let (page, window) = moved(&lab, m);
        let call = Call::give(m.handle(on), window, LENGTH, &WORDS);
        m.call(lab.server, call);
        m.fault(lab.killer);
        m.call(far, Call::receive(m.receive_handle(channel)));
        assert_eq!(m.state(far), State::ReceiveBlocked);
        let clear = Call::reclaim(page, LENGTH);
        assert_eq!(m.answer_to(lab.lone, clear).error(), None);
    });
}

#[test]
fn a_mover_is_told_whether_a_server_that_dies_had_received_the_memory() {
    let (lab, far, channel, on, _) = with_far();
    for received in [false, true] {
        both_paths(&lab.system, |m| {
            let (_, window) = moved(&lab, m);
            let call = Call::give(m.handle(on), window, LENGTH, &WORDS);
            m.call(lab.server, call);
            if received {
                m.call(far, Call::receive(m.receive_handle(channel)));
                assert_eq!(m.state(lab.server), State::ReplyBlocked);
            }
            m.fault(far);
            let answer = m.answer(lab.server).expect("it waits no more");
            assert_eq!(answer.error(), Some(Error::ServerDied));
            let mark = answer.info() & info::LENGTH_MASK;
            assert_eq!(mark, if received { info::MOVED } else { 0 });
            assert_eq!(lab.reads(m, window), !received);
            let release = m.answer_to(lab.server, Call::release(window));
            let expected = received.then_some(Error::BadAddress);
            assert_eq!(release.error(), expected);
        });
    }
}

#[test]
fn lent_memory_cannot_be_lent_on_moved_or_released() {
    let (lab, _, _, on, _) = with_far();
    both_paths(&lab.system, |m| {
        let page = pages(lab.lone_process.0).base;
        let call = Call::lend_mut(m.handle(lab.lone_link), page, LENGTH, &WORDS);
        let (_, window) = lab.hand(m, lab.lone, call);
        let carries: [Carry; 3] = [Call::lend, Call::lend_mut, Call::give];
        for carry in carries {
            let call = carry(m.handle(on), window, LENGTH, &WORDS);
            assert_eq!(m.refused(lab.server, call), Error::CannotLend);
        }
        let call = Call::release(window);
        assert_eq!(m.refused(lab.server, call), Error::BadAddress);
    });
}

#[test]
fn the_door_knows_windows_and_gaps() {
    let (lab, far, channel, on, _) = with_far();
    for (call, mark) in LENDING {
        both_paths(&lab.system, |m| {
            let page = pages(lab.lone_process.0).base;
            m.host.poke(page, &pattern(3));
            let call = call(m.handle(lab.lone_link), page, LENGTH, &WORDS);
            let (token, window) = lab.hand(m, lab.lone, call);
            // From the window, to a third one.
            let room = ram(lab.stranger.0).base;
            let receive = Call::receive(m.receive_handle(channel)).room(room, LENGTH);
            m.call(far, receive);
            let send = Call::send_bytes(m.handle(on), window, LENGTH);
            m.call(lab.server, send.room(window, 16));
            assert_eq!(m.host.peek(room, LENGTH), pattern(3));
            // Back into it, if it may be written.
            let there = m.answer(far).expect("bytes").token();
            m.host.poke(room, &[0xAB; 16]);
            m.call(far, Call::reply_bytes(there, room, 16));
            let back = failed(m, lab.server);
            let expected = (mark == info::LENT).then_some(Error::BadAddress);
            assert_eq!(back, expected);
            // In parts, and not beyond it.
            let parts = ram(lab.server_process.0).base;
            m.host
                .poke_parts(parts, &[(window, 4), (window + LENGTH - 4, 4)]);
            let send = Call::send_vector(m.handle(on), parts, 2).deadline(0);
            assert_eq!(m.refused(lab.server, send), Error::WouldBlock);
            m.host.poke_parts(parts, &[(window + LENGTH - 4, 5)]);
            let send = Call::send_vector(m.handle(on), parts, 1).deadline(0);
            assert_eq!(m.refused(lab.server, send), Error::BadAddress);
            m.call(lab.server, Call::reply(token, &[]));
            let send = Call::send_bytes(m.handle(on), window, 4).deadline(0);
            assert_eq!(m.refused(lab.server, send), Error::BadAddress);
        });
    }
}

#[test]
fn a_message_from_a_window_that_is_gone_is_its_sender_s_fault() {
    // The server's other thread gives up what the message of the first one lies in.
    let mut system = System::new();
    let servers = system.process();
    let client_process = system.process();
    let far_process = system.process();
    let [first, second] = [0; 2].map(|_| system.thread(servers, 10));
    let client = system.thread(client_process, 10);
    let far = system.thread(far_process, 10);
    let channel = system.channel(servers);
    system.notify_unblock(channel);
    system.windows(servers, 1, 0x1000);
    system.pages(client_process, 1);
    let link = system.connection(client_process, channel, 1);
    let goal = system.channel(far_process);
    let on = system.connection(servers, goal, 2);
    both_paths(&system, |m| {
        let page = pages(client_process.0).base;
        m.call(client, Call::give(m.handle(link), page, LENGTH, &WORDS));
        let answer = m.answer_to(first, Call::receive(m.receive_handle(channel)));
        let (_, window, _) = answer.memory().expect("memory");
        m.call(first, Call::send_bytes(m.handle(on), window, 8));
        assert_eq!(m.state(first), State::SendBlocked);
        assert_eq!(m.answer_to(second, Call::release(window)).error(), None);
        m.call(far, Call::receive(m.receive_handle(goal)));
        assert_eq!(m.state(far), State::ReceiveBlocked);
        assert_eq!(failed(m, first), Some(Error::BadAddress));
    });
}

#[test]
fn where_a_thread_wants_its_answer_is_not_read_from_memory_that_it_has_parted_with() {
    let lab = Lab::new();
    both_paths(&lab.system, |m| {
        let [waits, moves] = lab.crowd;
        let home = pages(lab.crowd_process.0).base;
        let own = ram(lab.crowd_process.0).base;
        let send = Call::send(m.handle(lab.crowd_link), &WORDS);
        // Its stack lies in the pages, and so does the place of its answer.
        m.host.poke_word(home + 8, own + ROOM);
        m.host.poke_word(home + 12, 16);
        m.host.set_stack(m.thread(waits), home + 8);
        lab.receive(m);
        m.call(waits, send);
        let token = m.answer(lab.server).expect("a message").token();
        let call = Call::give(m.handle(lab.crowd_link), home, LENGTH, &WORDS);
        let (_, there) = lab.hand(m, moves, call);
        let elsewhere = [(own + 0x100).to_le_bytes(), 16_u32.to_le_bytes()].concat();
        assert!(m.host.try_write(lab.server_process, there + 8, &elsewhere));
        let before = m.host.peek(own, ROOM);
        let answer = Call::reply_bytes(token, ram(lab.server_process.0).base, 16);
        m.call(lab.server, answer);
        assert_eq!(
            m.answer(waits).expect("an end").error(),
            Some(Error::BadAddress)
        );
        assert!(m.host.peek(own, ROOM) == before, "nobody else says where");
    });
}

#[test]
fn a_panic_text_in_a_gap_is_refused() {
    let lab = Lab::new();
    both_paths(&lab.system, |m| {
        let (page, _) = moved(&lab, m);
        let call = Call::other(number::PANIC, &[page, 8]);
        assert_eq!(m.refused(lab.lone, call), Error::BadAddress);
    });
}

/// A lender and a server, each with so many threads that not all are told at once what they may touch.
#[test]
fn rule_12_every_thread_of_a_large_process_is_told_before_any_runs_whatever_interrupts() {
    let mut system = System::new();
    let [home, holder] = [(); 2].map(|()| system.process());
    let client = system.thread(home, 9);
    for _ in 0..20 {
        system.thread(home, 5);
    }
    let server = system.thread(holder, 10);
    for _ in 0..20 {
        system.thread(holder, 5);
    }
    let channel = system.channel(holder);
    system.notify_unblock(channel);
    let link = system.connection(home, channel, 7);
    system.windows(holder, 1, 0x1000);
    system.pages(home, 1);
    for looks in 1..40 {
        both_paths(&system, |m| {
            // Each event is followed by a check of all images, unless there are steps left.
            m.call(server, Call::receive(m.receive_handle(channel)));
            let lend = Call::lend_mut(m.handle(link), pages(home.0).base, LENGTH, &WORDS);
            m.host.interrupt_after(looks);
            m.call(client, lend);
            let token = m.answer(server).expect("a message").token();
            m.host.interrupt_after(looks);
            m.call(server, Call::reply(token, &[]));
            assert_eq!(m.answer(client).expect("a reply").error(), None);
        });
    }
}

/// How many ranges come home, each of them one chunk.
const RANGES: u32 = 8;

#[test]
fn several_ranges_that_are_reclaimed_at_once_give_way_to_interrupts_as_one_does() {
    let Pair {
        mut system,
        server_process,
        client_process,
        server,
        client,
        channel,
        link,
    } = Pair::new();
    system.notify_unblock(channel);
    system.windows(server_process, 1, 0x1000);
    system.pages(client_process, RANGES as u8);
    both_paths(&system, |m| {
        let first = pages(client_process.0).base;
        for number in 0..RANGES {
            m.call(server, Call::receive(m.receive_handle(channel)));
            let at = first + number * CHUNK;
            m.call(client, Call::give(m.handle(link), at, CHUNK, &[0; 3]));
            let answer = m.answer(server).expect("a message");
            let (_, window, _) = answer.memory().expect("memory");
            m.call(server, Call::reply(answer.token(), &[]));
            m.call(server, Call::release(window));
            m.run(client);
        }
        // An interrupt waits all the time: the call gives way to it at least after every other chunk.
        m.host.interrupt_after(1);
        let mut times = 1;
        let mut over = m.call_once(client, Call::reclaim(first, RANGES * CHUNK));
        while !over {
            m.interrupt();
            m.run(client);
            m.host.interrupt_after(1);
            over = m.repeat(client);
            times += 1;
        }
        let home = m.host.try_read(client_process, first, RANGES * CHUNK);
        assert_eq!(home, Some(vec![0; (RANGES * CHUNK) as usize]));
        assert!(
            times >= RANGES / 2,
            "{RANGES} chunks are cleared in {times} goes"
        );
    });
}
