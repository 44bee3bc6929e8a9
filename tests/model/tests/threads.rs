//! Threads that start and end while the system runs, and how they share their level: rule 15.

use riposte_abi::{Error, thread::policy};
use riposte_kernel::{OnEnd, Phase, Policy, State};
use riposte_model::{Call, Machine, ProcessId, System, ThreadId, both_paths, code};

/// A process with a main thread at 10, a second thread at 8, and two spare ones; it may go up to 12.
struct Crew {
    system: System,
    process: ProcessId,
    main: ThreadId,
    second: ThreadId,
    spare: [ThreadId; 2],
}

fn crew() -> Crew {
    let mut system = System::new();
    let process = system.process();
    let main = system.thread(process, 10);
    let second = system.thread(process, 8);
    let first = system.spare_threads(process, 2);
    system.priority_limit(process, 12);
    Crew {
        system,
        process,
        main,
        second,
        spare: [first, ThreadId(first.0 + 1)],
    }
}

impl Crew {
    /// The main thread starts one at this priority; its id.
    fn create(&self, m: &mut Machine, priority: u8) -> u32 {
        self.create_with(m, priority, policy::FIFO)
    }

    fn create_with(&self, m: &mut Machine, priority: u8, policy: u32) -> u32 {
        let call = Call::create(self.process, 7, priority, policy);
        m.answer_to(self.main, call).word()
    }
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no spare threads")]
fn a_thread_that_is_started_runs_by_its_priority_with_its_arguments_and_its_id() {
    let crew = crew();
    both_paths(&crew.system, |m| {
        let mut call = Call::create(crew.process, 7, 11, policy::FIFO);
        call.extra[0] = 9;
        m.call(crew.main, call);
        let [first, second] = crew.spare;
        assert_eq!(m.current(), first, "it is more urgent");
        let id = m.answer(crew.main).unwrap().word();
        assert_eq!(id, m.thread(first).id());
        assert_eq!(m.thread(first).arguments(), [7, 2, id, 9]);
        assert_eq!(m.thread(first).entry.get(), code(crew.process.0).base + 1);
        m.call(first, Call::sleep(10_000));
        let id = crew.create(m, 9);
        assert_eq!((m.current(), id), (crew.main, m.thread(second).id()));
        assert_eq!((m.priority(second), m.state(second)), (9, State::Ready));
    });
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no spare threads")]
fn a_thread_can_be_started_with_the_priority_and_the_policy_of_who_starts_it() {
    let crew = crew();
    both_paths(&crew.system, |m| {
        m.answer_to(crew.main, Call::schedule(0, 12, policy::ROUND_ROBIN));
        // The priority that is named beside it is not looked at, be it none that is permitted.
        let id = crew.create_with(m, 0, policy::SAME);
        let [first, _] = crew.spare;
        assert_eq!(id, m.thread(first).id());
        assert_eq!((m.priority(first), m.state(first)), (12, State::Ready));
        let answer = m.answer_to(crew.main, Call::schedule(id, 0, policy::SAME));
        assert_eq!(answer.words()[..2], [12, policy::ROUND_ROBIN]);
    });
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no spare threads")]
fn a_thread_of_the_manifest_begins_with_the_table_of_its_process_and_its_id() {
    let crew = crew();
    both_paths(&crew.system, |m| {
        let id = m.thread(crew.second).id();
        assert_eq!(m.thread(crew.second).arguments(), [0, 1, id, 0]);
        assert_eq!(id & 0xFF, crew.second.0 as u32);
        assert_eq!(id >> 8, 1, "its first life");
    });
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no spare threads")]
fn what_is_no_thread_to_start_is_refused_and_nothing_changes() {
    let crew = crew();
    both_paths(&crew.system, |m| {
        let good = Call::create(crew.process, 0, 9, policy::FIFO);
        let with = |index: usize, word: u32| {
            let mut call = good;
            call.registers[riposte_abi::register::WORDS[index]] = word;
            call
        };
        let code = code(crew.process.0);
        let cases = [
            (with(0, code.base), Error::BadAddress),
            (with(0, code.base - 1), Error::BadAddress),
            (with(0, code.base + 0x1001), Error::BadAddress),
            (with(2, 0), Error::BadArgument),
            (with(2, 13), Error::NotPermitted),
            (with(2, 256), Error::NotPermitted),
            (with(2, 256 + 9), Error::NotPermitted),
            (with(3, 3), Error::BadArgument),
            (with(4, 0x3E1), Error::BadArgument),
        ];
        for (call, error) in cases {
            assert_eq!(m.refused(crew.main, call), error, "{call:x?}");
        }
        m.call(crew.main, with(4, 0x3E0));
        assert_eq!(m.answer(crew.main).unwrap().error(), None);
    });
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no spare threads")]
fn a_process_without_a_free_spare_thread_is_told_so() {
    let crew = crew();
    both_paths(&crew.system, |m| {
        let ids = [crew.create(m, 9), crew.create(m, 9)];
        let call = Call::create(crew.process, 0, 9, policy::FIFO);
        assert_eq!(m.refused(crew.main, call), Error::Exhausted);
        m.call(crew.main, Call::sleep(10_000));
        m.call(crew.spare[0], Call::exit_thread(0));
        m.advance_to(10_000);
        // It has ended, but somebody may still ask for its value.
        assert_eq!(m.refused(crew.main, call), Error::Exhausted);
        assert_eq!(m.answer_to(crew.main, Call::join(ids[0])).word(), 0);
        assert_ne!(crew.create(m, 9), ids[0]);
    });
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no spare threads")]
fn a_join_gets_the_value_of_a_thread_that_has_ended_or_waits_for_it() {
    let crew = crew();
    both_paths(&crew.system, |m| {
        let id = crew.create(m, 9);
        m.call(crew.main, Call::join(id));
        assert_eq!(m.state(crew.main), State::Joining);
        m.call(crew.spare[0], Call::exit_thread(42));
        assert_eq!(m.answer(crew.main).unwrap().word(), 42);
        assert_eq!(m.thread(crew.spare[0]).phase(), Phase::Free);

        let id = crew.create(m, 11);
        m.call(crew.spare[0], Call::exit_thread(43));
        assert_eq!(m.thread(crew.spare[0]).phase(), Phase::Over);
        assert_eq!(m.answer_to(crew.main, Call::join(id)).word(), 43);
        assert_eq!(m.refused(crew.main, Call::join(id)), Error::BadHandle);
    });
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no spare threads")]
fn the_id_of_an_earlier_life_names_nobody() {
    let crew = crew();
    both_paths(&crew.system, |m| {
        let old = crew.create(m, 11);
        m.call(crew.spare[0], Call::exit_thread(1));
        m.call(crew.main, Call::join(old));
        let new = crew.create(m, 9);
        assert_eq!(new & 0xFF, old & 0xFF, "the same slot");
        for id in [old, new + 0x100, 0xFF, u32::MAX, m.thread(m.idle()).id()] {
            for call in [
                Call::join(id),
                Call::detach(id),
                Call::schedule(id, 5, policy::FIFO),
            ] {
                assert_eq!(m.refused(crew.main, call), Error::BadHandle, "{id:#x}");
            }
        }
        assert_eq!(m.refused(crew.main, Call::join(0)), Error::BadHandle);
    });
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no spare threads")]
fn a_thread_of_another_process_is_nobody() {
    let mut crew = crew();
    let other = crew.system.process();
    let stranger = crew.system.thread(other, 10);
    both_paths(&crew.system, |m| {
        let id = m.thread(stranger).id();
        assert_eq!(m.refused(crew.main, Call::join(id)), Error::BadHandle);
        let call = Call::schedule(id, 1, policy::FIFO);
        assert_eq!(m.refused(crew.main, call), Error::BadHandle);
    });
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no spare threads")]
fn threads_that_would_wait_for_each_other_are_told() {
    let crew = crew();
    both_paths(&crew.system, |m| {
        let own = m.thread(crew.main).id();
        assert_eq!(m.refused(crew.main, Call::join(own)), Error::Deadlock);
        let id = crew.create(m, 9);
        m.call(crew.main, Call::join(id));
        let spare = crew.spare[0];
        assert_eq!(m.refused(spare, Call::join(own)), Error::Deadlock);
        // A third one in the circle.
        m.call(spare, Call::join(m.thread(crew.second).id()));
        assert_eq!(m.refused(crew.second, Call::join(own)), Error::Deadlock);
    });
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no spare threads")]
fn only_one_thread_waits_for_an_end() {
    let crew = crew();
    both_paths(&crew.system, |m| {
        let id = crew.create(m, 5);
        m.call(crew.main, Call::join(id));
        m.call(crew.spare[0], Call::sleep(m.now() + 100));
        assert_eq!(m.refused(crew.second, Call::join(id)), Error::InUse);
        assert_eq!(m.refused(crew.second, Call::detach(id)), Error::InUse);
        m.call(crew.second, Call::sleep(10_000));
        m.advance(100);
        m.call(crew.spare[0], Call::exit_thread(3));
        assert_eq!(m.answer(crew.main).unwrap().word(), 3);
    });
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no spare threads")]
fn rule_23_a_join_waits_no_longer_than_its_deadline() {
    let crew = crew();
    both_paths(&crew.system, |m| {
        let id = crew.create(m, 5);
        let join = Call::join(id);
        assert_eq!(m.refused(crew.main, join.deadline(0)), Error::WouldBlock);
        assert_eq!(m.refused(crew.main, join.deadline(1)), Error::TimedOut);
        let soon = m.now() + 100;
        m.call(crew.main, join.deadline(soon));
        m.advance_to(soon);
        let answer = m.answer(crew.main).unwrap();
        assert_eq!(answer.error(), Some(Error::TimedOut));
        // Another one may wait now, and it is not too late for the value.
        m.call(crew.main, Call::sleep(10_000));
        m.call(crew.second, join);
        m.call(crew.spare[0], Call::exit_thread(4));
        assert_eq!(m.answer(crew.second).unwrap().word(), 4);
    });
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no spare threads")]
fn nobody_joins_a_detached_thread_and_its_slot_is_free_once_it_has_ended() {
    let crew = crew();
    both_paths(&crew.system, |m| {
        let id = crew.create(m, 5);
        m.call(crew.main, Call::detach(id));
        assert_eq!(m.refused(crew.main, Call::join(id)), Error::BadArgument);
        assert_eq!(m.refused(crew.main, Call::detach(id)), Error::BadArgument);
        for thread in [crew.main, crew.second] {
            m.call(thread, Call::sleep(10_000));
        }
        m.call(crew.spare[0], Call::exit_thread(1));
        assert_eq!(m.thread(crew.spare[0]).phase(), Phase::Free);

        // One that has ended is free as soon as nobody will ask for it.
        m.advance_to(10_000);
        let id = crew.create(m, 11);
        m.call(crew.spare[0], Call::exit_thread(1));
        m.call(crew.main, Call::detach(id));
        assert_eq!(m.thread(crew.spare[0]).phase(), Phase::Free);
        assert_eq!(m.refused(crew.main, Call::detach(id)), Error::BadHandle);
    });
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no spare threads")]
fn a_thread_of_the_manifest_can_end_and_be_joined_and_the_end_of_the_main_one_is_the_process_s() {
    let crew = crew();
    both_paths(&crew.system, |m| {
        let id = m.thread(crew.second).id();
        m.call(crew.main, Call::join(id));
        m.call(crew.second, Call::exit_thread(5));
        assert_eq!(m.answer(crew.main).unwrap().word(), 5);
        assert_eq!(m.thread(crew.second).phase(), Phase::Free);
        // It is no spare one.
        let ids = [crew.create(m, 9), crew.create(m, 9)];
        assert!(ids.iter().all(|id| id & 0xFF != crew.second.0 as u32));
        m.call(crew.main, Call::exit_thread(0));
        assert!(!m.process(crew.process).is_alive());
        assert_eq!(m.state(crew.spare[0]), State::Stopped);
        assert_eq!(m.current(), m.idle());
    });
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no spare threads")]
fn a_process_that_is_restarted_has_all_its_spare_threads_and_its_first_priorities_again() {
    let mut crew = crew();
    crew.system.on_end(crew.process, OnEnd::Restart);
    both_paths(&crew.system, |m| {
        let before = m.thread(crew.main).id();
        let id = crew.create(m, 9);
        let _ = crew.create(m, 9);
        m.call(crew.main, Call::schedule(0, 12, policy::ROUND_ROBIN));
        m.call(crew.main, Call::join(id));
        m.fault(crew.spare[0]);
        assert_eq!(m.current(), crew.main);
        let main = m.thread(crew.main);
        assert_eq!((main.priority(), main.policy()), (10, Policy::Fifo));
        assert_ne!(main.id(), before, "another life");
        assert_eq!(m.process(crew.process).free_threads().len(), 2);
        let new = crew.create(m, 9);
        assert_eq!(new & 0xFF, id & 0xFF);
        assert_ne!(new, id);
    });
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no spare threads")]
fn a_thread_that_ends_while_it_serves_wakes_its_clients_with_an_error() {
    let mut crew = crew();
    let client_process = crew.system.process();
    let client = crew.system.thread(client_process, 6);
    let channel = crew.system.channel(crew.process);
    let link = crew.system.connection(client_process, channel, 1);
    both_paths(&crew.system, |m| {
        let _ = crew.create(m, 9);
        m.call(crew.main, Call::sleep(10_000));
        let server = crew.spare[0];
        let receive = Call::receive(m.receive_handle(channel));
        m.call(server, receive);
        m.call(crew.second, Call::sleep(10_000));
        m.call(client, Call::send(m.handle(link), &[1]));
        let token = m.answer(server).unwrap().token();
        m.call(server, Call::exit_thread(0));
        let answer = m.answer(client).unwrap();
        assert_eq!(answer.error(), Some(Error::ServerDied));
        // The process lives on, and so does its channel.
        m.call(client, Call::send(m.handle(link), &[2]));
        m.advance_to(10_000);
        let stale = Call::reply(token, &[]);
        assert_eq!(m.refused(crew.main, stale), Error::NoSuchClient);
        m.call(crew.main, receive);
        assert_eq!(m.answer(crew.main).unwrap().word(), 2);
    });
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no spare threads")]
fn a_token_of_a_thread_that_has_ended_is_none_of_who_has_its_place_then() {
    let mut crew = crew();
    let server_process = crew.system.process();
    let server = crew.system.thread(server_process, 11);
    let channel = crew.system.channel(server_process);
    let link = crew.system.connection(crew.process, channel, 1);
    both_paths(&crew.system, |m| {
        let receive = Call::receive(m.receive_handle(channel));
        m.call(server, receive);
        let first = crew.create(m, 12);
        m.call(crew.spare[0], Call::send(m.handle(link), &[1]));
        let token = m.answer(server).unwrap().token();
        m.call(server, Call::reply(token, &[]));
        m.call(crew.spare[0], Call::exit_thread(0));
        m.call(server, Call::sleep(10_000));
        m.call(crew.main, Call::detach(first));
        let _ = crew.create(m, 9);
        m.advance(10_000);
        assert_eq!(
            m.refused(server, receive.from_token(token)),
            Error::PeerDied
        );
    });
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no spare threads")]
fn who_waits_for_a_message_of_one_thread_alone_is_told_that_it_has_ended() {
    let mut crew = crew();
    let server_process = crew.system.process();
    let server = crew.system.thread(server_process, 11);
    let channel = crew.system.channel(server_process);
    let link = crew.system.connection(crew.process, channel, 1);
    both_paths(&crew.system, |m| {
        let receive = Call::receive(m.receive_handle(channel));
        m.call(server, receive);
        let _ = crew.create(m, 9);
        m.call(crew.main, Call::sleep(10_000));
        m.call(crew.spare[0], Call::send(m.handle(link), &[1]));
        let token = m.answer(server).unwrap().token();
        m.call(server, Call::reply(token, &[]));
        m.call(server, receive.from_token(token));
        m.call(crew.spare[0], Call::exit_thread(0));
        let answer = m.answer(server).unwrap();
        assert_eq!(answer.error(), Some(Error::PeerDied));
    });
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no spare threads")]
fn rule_27_a_fault_of_a_thread_that_was_started_stops_its_process() {
    let crew = crew();
    both_paths(&crew.system, |m| {
        let id = crew.create(m, 9);
        m.call(crew.main, Call::join(id));
        m.fault(crew.spare[0]);
        assert!(!m.process(crew.process).is_alive());
        assert_eq!(m.process(crew.process).record().thread, 2);
        assert_eq!(m.state(crew.main), State::Stopped);
    });
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no spare threads")]
fn a_priority_is_changed_up_to_the_limit_and_what_it_was_is_returned() {
    let crew = crew();
    both_paths(&crew.system, |m| {
        let second = m.thread(crew.second).id();
        let call = Call::schedule(second, 12, policy::SAME);
        m.call(crew.main, call);
        assert_eq!(m.current(), crew.second, "it is more urgent now");
        let [priority, policy, ..] = m.answer(crew.main).unwrap().words();
        assert_eq!((priority, policy), (8, policy::FIFO));
        let call = Call::schedule(0, 0, policy::ROUND_ROBIN);
        let [priority, policy, ..] = m.answer_to(crew.second, call).words();
        assert_eq!((priority, policy), (12, policy::FIFO));
        assert_eq!(m.thread(crew.second).policy(), Policy::RoundRobin);
        for priority in [13, 31, 256 + 3] {
            let call = Call::schedule(0, priority, policy::SAME);
            assert_eq!(m.refused(crew.second, call), Error::NotPermitted);
        }
        let call = Call::schedule(0, 3, 3);
        assert_eq!(m.refused(crew.second, call), Error::BadArgument);
        m.call(crew.second, Call::schedule(0, 3, policy::SAME));
        assert_eq!(m.current(), crew.main, "it is less urgent now");
    });
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no spare threads")]
fn rule_16_a_changed_priority_reaches_the_server_that_serves_the_thread() {
    let mut crew = crew();
    let server_process = crew.system.process();
    let server = crew.system.thread(server_process, 4);
    let channel = crew.system.channel(server_process);
    let link = crew.system.connection(crew.process, channel, 1);
    both_paths(&crew.system, |m| {
        m.call(crew.main, Call::sleep(10_000));
        m.call(crew.second, Call::sleep(9_000));
        m.call(server, Call::receive(m.receive_handle(channel)));
        m.advance_to(9_000);
        m.call(crew.second, Call::send(m.handle(link), &[]));
        assert_eq!(m.priority(server), 8);
        m.call(server, Call::sleep(11_000));
        m.advance_to(10_000);
        let second = m.thread(crew.second).id();
        m.call(crew.main, Call::schedule(second, 12, policy::SAME));
        assert_eq!(m.priority(server), 12);
        m.call(crew.main, Call::schedule(second, 2, policy::SAME));
        assert_eq!(m.priority(server), 2);
    });
}

/// Lets time pass until the clock has interrupted.
fn end_slice(m: &mut Machine) {
    let until = m.alarm();
    m.advance_to(until);
}

/// Two processes with one adaptive thread each at 10, and one with a thread at 9.
fn hogs() -> (System, [ThreadId; 3]) {
    let mut system = System::new();
    let first = system.process();
    let first = system.adaptive_thread(first, 10);
    let second = system.process();
    let second = system.adaptive_thread(second, 10);
    let third = system.process();
    let third = system.thread(third, 9);
    (system, [first, second, third])
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no turns")]
fn rule_15_an_adaptive_thread_that_uses_up_its_slice_drops_one_level_and_no_further() {
    let (system, [first, second, third]) = hogs();
    both_paths(&system, |m| {
        assert_eq!(m.current(), first);
        end_slice(m);
        assert_eq!((m.priority(first), m.current()), (9, second));
        end_slice(m);
        assert_eq!((m.priority(second), m.current()), (9, third));
        // A thread that does not take turns keeps the processor.
        assert_eq!(m.alarm(), u64::MAX);
        m.call(third, Call::give_way());
        assert_eq!(m.current(), first);
        end_slice(m);
        assert_eq!((m.priority(first), m.current()), (9, second));
        assert!(m.thread(first).has_dropped());
    });
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no turns")]
fn rule_15_an_adaptive_thread_drops_though_nobody_else_is_of_its_level() {
    let mut system = System::new();
    let process = system.process();
    let hog = system.adaptive_thread(process, 10);
    let other = system.process();
    let other = system.thread(other, 9);
    both_paths(&system, |m| {
        assert_eq!((m.current(), m.priority(hog)), (hog, 10));
        end_slice(m);
        assert_eq!((m.current(), m.priority(hog)), (other, 9));
    });
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no turns")]
fn rule_15_an_adaptive_thread_is_back_at_its_priority_as_soon_as_it_blocks() {
    let (mut system, [first, second, third]) = hogs();
    let server_process = system.process();
    let server = system.thread(server_process, 11);
    let channel = system.channel(server_process);
    let link = system.connection(ProcessId(0), channel, 1);
    let own = system.channel(ProcessId(0));
    let way = system.connection(server_process, own, 2);
    both_paths(&system, |m| {
        let receive = Call::receive(m.receive_handle(channel));
        m.call(server, receive);
        let drop = |m: &mut Machine| {
            m.run(first);
            end_slice(m);
            assert_eq!(m.priority(first), 9);
            for other in [second, third] {
                if m.state(other) == State::Ready {
                    m.call(other, Call::sleep(m.now() + 1_000_000));
                }
            }
            assert_eq!(m.current(), first);
        };
        drop(m);
        m.call(first, Call::sleep(m.now() + 10));
        assert_eq!(m.priority(first), 10);
        m.advance(10);
        // By a message, and the server works at the restored priority.
        drop(m);
        m.call(first, Call::send(m.handle(link), &[]));
        assert_eq!((m.priority(first), m.priority(server)), (10, 10));
        let token = m.answer(server).unwrap().token();
        let channel = m.receive_handle(channel);
        m.call(server, Call::reply_receive(channel, token, &[]));
        // By waiting for one.
        drop(m);
        let own = m.receive_handle(own);
        m.call(first, Call::receive(own));
        assert!(!m.thread(first).has_dropped());
        let _ = way;
    });
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no turns")]
fn rule_15_a_thread_that_has_dropped_and_finds_a_message_keeps_its_level_until_it_waits() {
    let mut system = System::new();
    let process = system.process();
    let hog = system.adaptive_thread(process, 10);
    let channel = system.channel(process);
    let clients = system.process();
    let client = system.thread(clients, 9);
    let link = system.connection(clients, channel, 1);
    both_paths(&system, |m| {
        m.run(hog);
        end_slice(m);
        m.call(client, Call::send(m.handle(link), &[]));
        let channel = m.receive_handle(channel);
        m.call(hog, Call::receive(channel));
        let token = m.answer(hog).unwrap().token();
        assert!(m.thread(hog).has_dropped());
        m.call(hog, Call::reply_receive(channel, token, &[]));
        assert!(!m.thread(hog).has_dropped(), "it has waited");
        m.call(client, Call::send(m.handle(link), &[]));
        let token = m.answer(hog).unwrap().token();
        m.call(hog, Call::reply(token, &[]));
        assert_eq!((m.priority(hog), m.current()), (10, hog));
    });
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no turns")]
fn rule_15_nobody_drops_below_level_one() {
    let mut system = System::new();
    let process = system.process();
    let hog = system.adaptive_thread(process, 1);
    let other = system.process();
    let other = system.adaptive_thread(other, 1);
    both_paths(&system, |m| {
        m.run(hog);
        end_slice(m);
        assert_eq!((m.current(), m.priority(hog)), (other, 1));
    });
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no spare threads")]
fn rule_15_a_thread_becomes_adaptive_and_fifo_again_while_it_runs() {
    let crew = crew();
    both_paths(&crew.system, |m| {
        m.call(crew.main, Call::schedule(0, 9, policy::ADAPTIVE));
        end_slice(m);
        assert_eq!(m.current(), crew.second, "it came to level 8 first");
        m.call(crew.second, Call::sleep(1_000_000));
        assert_eq!(m.priority(crew.main), 8);
        let call = Call::schedule(0, 0, policy::FIFO);
        let [priority, policy, ..] = m.answer_to(crew.main, call).words();
        assert_eq!((priority, policy), (9, policy::ADAPTIVE));
        assert_eq!(m.priority(crew.main), 9);
    });
}

#[test]
fn what_an_application_without_spare_threads_asks_for_is_refused() {
    let mut system = System::new();
    let process = system.process();
    let main = system.thread(process, 10);
    both_paths(&system, |m| {
        let call = Call::create(process, 0, 9, policy::FIFO);
        assert_eq!(m.refused(main, call), Error::Exhausted);
        let call = Call::schedule(0, 11, policy::SAME);
        assert_eq!(m.refused(main, call), Error::NotPermitted);
    });
}
