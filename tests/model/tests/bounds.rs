//! Calls that take long: an interrupt waits at each look, is served, and the call goes on where it was.

use riposte_abi::{Error, call::number, fault::Record};
use riposte_kernel::{Grants, OnEnd, State, limits::HANDLES};
use riposte_model::{
    Call, ChannelId, Connection, LineKind, Machine, Pair, System, ThreadId, both_paths, ram,
};

/// Performs a call that an interrupt cuts short at each look. Returns how often.
fn call_in_steps(m: &mut Machine, thread: ThreadId, call: Call) -> u32 {
    m.host.interrupt_after(1);
    let mut times = 0;
    let mut done = m.call_once(thread, call);
    while !done {
        times += 1;
        assert!(times < 1000, "it makes progress");
        m.interrupt();
        assert_eq!(m.current(), thread, "nobody is more urgent");
        m.host.interrupt_after(1);
        done = m.repeat(thread);
    }
    times
}

/// A process with a thread at 9, and so many at 5.
fn crowd(count: usize) -> (System, ThreadId, Vec<ThreadId>) {
    let mut system = System::new();
    let process = system.process();
    let main = system.thread(process, 9);
    let others = (0..count).map(|_| system.thread(process, 5)).collect();
    (system, main, others)
}

fn word(number: u32) -> u32 {
    ram(0).base + 0x800 + number * 4
}

/// All of them wait at a word, and the main thread runs.
fn all_wait(m: &mut Machine, main: ThreadId, others: &[ThreadId]) {
    m.call(main, Call::sleep(m.now() + 100));
    for other in others {
        m.call(*other, Call::futex_wait(word(0), 0));
    }
    m.advance(100);
}

#[test]
fn a_wake_of_many_is_cut_short_after_each_and_wakes_each_once() {
    let (system, main, others) = crowd(6);
    both_paths(&system, |m| {
        all_wait(m, main, &others);
        assert_eq!(call_in_steps(m, main, Call::futex_wake(word(0), 5)), 4);
        assert_eq!(m.answer(main).unwrap().word(), 5);
        let ready = |thread: &&ThreadId| m.state(**thread) == State::Ready;
        assert_eq!(others.iter().filter(ready).count(), 5);
        assert_eq!(
            m.state(others[5]),
            State::FutexBlocked,
            "the last that came"
        );
    });
}

#[test]
fn a_wake_of_all_counts_those_that_it_woke_before_an_interrupt() {
    let (system, main, others) = crowd(3);
    both_paths(&system, |m| {
        all_wait(m, main, &others);
        // When it comes for the last time one is left, and may simply be woken.
        assert_eq!(
            call_in_steps(m, main, Call::futex_wake(word(0), u32::MAX)),
            2
        );
        assert_eq!(m.answer(main).unwrap().word(), 3);
    });
}

#[test]
fn a_requeue_of_many_is_cut_short_and_counts_all_though_the_word_has_changed() {
    let (system, main, others) = crowd(6);
    both_paths(&system, |m| {
        all_wait(m, main, &others);
        m.host.interrupt_after(1);
        let call = Call::futex_requeue(word(0), 0, 2, word(1), 3);
        assert!(!m.call_once(main, call), "an interrupt waits");
        m.interrupt();
        m.host.poke_word(word(0), 7);
        while !{
            m.host.interrupt_after(1);
            m.repeat(main)
        } {
            m.interrupt();
        }
        let [woken, moved, ..] = m.answer(main).unwrap().words();
        assert_eq!((woken, moved), (2, 3));
        let at = |number: u32| {
            others
                .iter()
                .filter(|it| {
                    m.thread(**it).word().is_some()
                        && m.thread(**it).word() == m.thread(others[number as usize]).word()
                })
                .count()
        };
        assert_eq!((at(2), at(5)), (3, 1));
    });
}

/// Whoever it wakes waits again, and an interrupt comes each time, before the other one is woken.
#[test]
fn a_requeue_that_wakes_the_same_again_and_again_ends_and_counts_them() {
    const MOST: u32 = 0x7FFF;
    let mut system = System::new();
    let process = system.process();
    let main = system.thread(process, 5);
    let [first, second] = [(); 2].map(|()| system.thread(process, 9));
    let mut machine = system.start(true);
    let m = &mut machine;
    m.stop_log();
    let wait = Call::futex_wait(word(0), 0);
    for waiter in [first, second] {
        m.call(waiter, wait);
    }
    m.host.interrupt_after(1);
    let call = Call::futex_requeue(word(0), 0, u32::MAX, word(1), u32::MAX);
    let mut done = m.call_once(main, call);
    for _ in 1..MOST {
        assert!(!done);
        let woken = m.current();
        m.interrupt();
        m.call_once(woken, wait);
        m.host.interrupt_after(1);
        done = m.repeat(main);
    }
    m.interrupt();
    m.call_once(m.current(), wait);
    while !m.repeat(main) {
        m.interrupt();
    }
    assert_eq!(m.answer(main).unwrap().words()[..2], [MOST, 2]);
}

#[test]
fn rule_22_deadlines_that_are_due_at_once_all_come_whatever_interrupts_between_them() {
    let (system, main, others) = crowd(6);
    both_paths(&system, |m| {
        let due = m.now() + 1000;
        m.call(main, Call::sleep(due));
        for other in &others {
            m.call(*other, Call::sleep(due));
        }
        m.set_now(due);
        let mut times = 0;
        while others
            .iter()
            .chain([&main])
            .any(|it| m.state(*it) == State::Sleeping)
        {
            assert!(m.alarm() <= due, "the clock comes again for the rest");
            m.host.interrupt_after(1);
            m.interrupt();
            times += 1;
        }
        assert_eq!(times, 7, "one each time");
        assert_eq!(m.current(), main);
    });
}

#[test]
fn all_threads_are_started_once_whatever_interrupts_between_them() {
    let mut restarted = System::new();
    let process = restarted.process();
    restarted.on_end(process, OnEnd::Restart);
    let main = restarted.thread(process, 9);
    let others = [(); 4].map(|()| restarted.thread(process, 5));
    both_paths(&restarted, |m| {
        m.fault(main);
        assert_eq!(m.current(), main);
        let start = Call::other(number::START_THREADS, &[]);
        assert_eq!(call_in_steps(m, main, start), 3);
        assert!(others.iter().all(|it| m.state(*it) == State::Ready));
        let lives = |m: &Machine| {
            others
                .iter()
                .map(|it| m.thread(*it).id())
                .collect::<Vec<_>>()
        };
        let before = lives(m);
        m.call(main, start);
        assert_eq!(before, lives(m), "nobody is started again");
    });
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no inspection")]
fn a_fault_record_is_copied_in_pieces() {
    let mut system = System::new();
    let victim = system.process();
    let supervisor = system.process();
    let grants = Grants {
        supervisor: true,
        inspect: true,
        relay: true,
        shutdown: false,
    };
    system.grant(supervisor, grants);
    let faults = system.channel(supervisor);
    system.supervisor(faults);
    let doomed = system.thread(victim, 5);
    let reader = system.thread(supervisor, 9);
    both_paths(&system, |m| {
        m.call(reader, Call::receive(m.receive_handle(faults)));
        m.fault(doomed);
        let size = size_of::<Record>() as u32;
        let [whole, pieces] = [ram(1).base, ram(1).base + 0x400];
        let read = |room| Call::other(number::FAULT_RECORD, &[0]).room(room, size);
        m.call(reader, read(whole));
        assert!(call_in_steps(m, reader, read(pieces)) >= 4);
        assert_eq!(m.answer(reader).unwrap().word(), size);
        assert_eq!(m.host.peek(whole, size), m.host.peek(pieces, size));
        assert_ne!(m.host.peek(whole, 4), [0; 4], "there is one");
    });
}

#[test]
fn rule_09_a_search_for_a_badge_is_cut_short_and_finds_nobody_in_the_end() {
    let mut system = System::new();
    let server = system.process();
    let thread = system.thread(server, 5);
    let channel = system.channel(server);
    for badge in 1..30 {
        let client = system.process();
        system.thread(client, 4);
        system.connection(client, channel, badge);
    }
    both_paths(&system, |m| {
        let receive = Call::receive(m.receive_handle(channel));
        assert!(call_in_steps(m, thread, receive.from_badge(99)) > 2);
        assert_eq!(m.answer(thread).unwrap().error(), Some(Error::PeerDied));
        call_in_steps(m, thread, receive.from_badge(29));
        assert_eq!(m.state(thread), State::ReceiveBlocked);
    });
}

#[test]
fn rule_09_a_select_by_the_token_of_a_stranger_tells_nothing() {
    let mut system = System::new();
    let spy = system.process();
    let strangers = system.process();
    let thread = system.thread(spy, 5);
    let stranger = system.thread(strangers, 9);
    let channel = system.channel(spy);
    both_paths(&system, |m| {
        let forged = m.token_of(stranger);
        let look = Call::receive(m.receive_handle(channel))
            .from_token(forged)
            .deadline(0);
        m.call(stranger, Call::sleep(m.now() + 1000));
        let alive = m.answer_to(thread, look).error();
        m.advance(1000);
        m.call(stranger, Call::other(number::EXIT, &[0]));
        let dead = m.answer_to(thread, look).error();
        assert_eq!(
            (alive, dead),
            (Some(Error::PeerDied), Some(Error::PeerDied))
        );
    });
}

/// A server at 5, whose channel has so many senders at 4 with badge 1, then one at 3 and one at 6 with badge 2.
struct Queue {
    system: System,
    server: ThreadId,
    channel: ChannelId,
    many: Vec<ThreadId>,
    last: ThreadId,
    late: ThreadId,
    links: [Connection; 2],
}

impl Queue {
    fn new(count: usize) -> Self {
        let mut system = System::new();
        let [owner, crowd, other] = [(); 3].map(|()| system.process());
        let server = system.thread(owner, 5);
        let channel = system.channel(owner);
        let many = (0..count).map(|_| system.thread(crowd, 4)).collect();
        let last = system.thread(other, 3);
        let late = system.thread(other, 6);
        let links = [(crowd, 1), (other, 2)]
            .map(|(process, badge)| system.connection(process, channel, badge));
        Self {
            system,
            server,
            channel,
            many,
            last,
            late,
            links,
        }
    }

    /// All of them send, the many at most for so long; the server runs. The most urgent one sleeps for a while.
    fn fill(&self, m: &mut Machine, limit: u64) {
        m.call(self.late, Call::sleep(m.now() + 1000));
        m.call(self.server, Call::sleep(m.now() + 1));
        for sender in &self.many {
            let call = Call::send(m.handle(self.links[0]), &[]);
            m.call(*sender, call.deadline(m.now() + limit));
        }
        let call = Call::send(m.handle(self.links[1]), &[7]);
        m.call(self.last, call);
        m.advance(1);
        assert_eq!(m.current(), self.server);
    }

    fn receive_second(&self, m: &Machine) -> Call {
        Call::receive(m.receive_handle(self.channel)).from_badge(2)
    }
}

#[test]
fn rule_09_a_receive_by_badge_among_many_senders_is_cut_short_and_finds_the_one() {
    for by_arrival in [false, true] {
        let mut queue = Queue::new(100);
        if by_arrival {
            queue.system.arrival_order(queue.channel);
        }
        both_paths(&queue.system, |m| {
            queue.fill(m, 10_000);
            let receive = queue.receive_second(m);
            assert!(call_in_steps(m, queue.server, receive) >= 2);
            assert_eq!(m.answer(queue.server).unwrap().word(), 7);
            // Nobody is left with that badge: it looks at all of them once more, and waits.
            let call = queue.receive_second(m);
            assert!(call_in_steps(m, queue.server, call.deadline(m.now() + 5000)) >= 2);
            assert_eq!(m.state(queue.server), State::ReceiveBlocked);
        });
    }
}

#[test]
fn rule_09_a_receive_by_badge_that_is_cut_short_misses_nobody_who_comes_or_leaves_meanwhile() {
    let queue = Queue::new(100);
    both_paths(&queue.system, |m| {
        queue.fill(m, 10_000);
        let receive = queue.receive_second(m);
        m.host.interrupt_after(1);
        assert!(!m.call_once(queue.server, receive), "an interrupt waits");
        m.advance(1000);
        let call = Call::send(m.handle(queue.links[1]), &[9]);
        m.call(queue.late, call);
        assert!(m.repeat(queue.server), "it is the first one now");
        assert_eq!(m.answer(queue.server).unwrap().word(), 9);
    });
    // All of them leave but the one.
    both_paths(&queue.system, |m| {
        queue.fill(m, 500);
        let receive = queue.receive_second(m);
        m.host.interrupt_after(1);
        assert!(!m.call_once(queue.server, receive), "an interrupt waits");
        m.advance(500);
        assert_eq!(m.state(queue.many[50]), State::Ready);
        assert!(m.repeat(queue.server), "there are few to look at");
        assert_eq!(m.answer(queue.server).unwrap().word(), 7);
    });
}

/// A look for interrupts comes after so many places at the latest: tables are only searched in steps if they have
/// more (`RIPOSTE_HANDLES`).
const PLACES: usize = 64;

#[test]
#[cfg_attr(feature = "lean", ignore = "no handing on")]
fn a_reply_with_a_handle_is_cut_short_among_many_slots_and_takes_the_first_that_is_free() {
    let mut pair = Pair::new();
    let far = pair.system.process();
    pair.system.thread(far, 4);
    let goal = pair.system.channel(far);
    let gift = pair.system.transferable(pair.server_process, goal, 50);
    let taken = HANDLES / 2 - 1;
    for badge in 1..taken {
        pair.system
            .connection(pair.client_process, goal, badge as u32);
    }
    both_paths(&pair.system, |m| {
        let mut given = Vec::new();
        let steps = |m: &mut Machine| {
            pair.receive(m);
            let call = Call::send(m.handle(pair.link), &[]).accepting_handle();
            m.call(pair.client, call);
            let token = m.answer(pair.server).unwrap().token();
            let reply = Call::reply_handle(token, &[0; 4], m.handle(gift));
            let steps = call_in_steps(m, pair.server, reply) as usize;
            let refused = m.answer(pair.server).unwrap().error();
            if refused.is_some() {
                assert_eq!(refused, Some(Error::NoHandles));
                m.call(pair.server, Call::reply(token, &[]));
            }
            (steps, m.answer(pair.client).unwrap().handle())
        };
        let mut most = 0;
        loop {
            let (steps, handle) = steps(m);
            most = most.max(steps);
            let Some(handle) = handle else { break };
            given.push(handle);
        }
        assert!(most >= taken / PLACES, "{most} steps");
        let slots: Vec<_> = given.iter().map(|handle| handle & 0xFF).collect();
        let free = (taken..HANDLES).map(|slot| slot as u32);
        assert_eq!(slots, free.collect::<Vec<_>>());
        // A slot that is closed is the first free one again, wherever it is.
        for handle in [given[1], given[0]] {
            m.call(pair.client, Call::other(number::CLOSE, &[handle]));
            assert_eq!(steps(m).1.unwrap() & 0xFF, handle & 0xFF);
        }
    });
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no handing on")]
fn a_slot_whose_notice_is_taken_is_free_again() {
    let mut pair = Pair::new();
    pair.system.notify_client_died(pair.channel);
    pair.system.on_end(pair.client_process, OnEnd::Restart);
    let far = pair.system.process();
    let giver = pair.system.thread(far, 4);
    let [gift, another] = [50, 51].map(|badge| pair.system.transferable(far, pair.channel, badge));
    let other = pair.system.channel(far);
    let asks = pair.system.connection(pair.client_process, other, 1);
    both_paths(&pair.system, |m| {
        let give = |m: &mut Machine, gift: Connection| {
            m.call(pair.client, Call::sleep(m.now() + 1));
            let receive = Call::receive(m.receive_handle(other));
            m.call(giver, receive);
            m.advance(1);
            let connect = Call::other(number::CONNECT, &[asks.slot as u32]);
            let handle = m.answer_to(pair.client, connect).word();
            m.call(pair.client, Call::send(handle, &[]).accepting_handle());
            let token = m.answer(giver).unwrap().token();
            let reply = Call::reply_handle(token, &[0; 4], m.handle(gift));
            m.call(giver, reply);
            m.answer(pair.client).unwrap().handle().unwrap() & 0xFF
        };
        m.call(pair.server, Call::sleep(m.now() + 1000));
        let first = give(m, gift);
        // The client dies and is restarted; the server has not been told yet.
        m.fault(pair.client);
        assert_ne!(give(m, another), first, "a notice is about that slot");
        m.call(pair.client, Call::sleep(m.now() + 2000));
        m.advance(1000);
        // Of its own connection, and of the one that it was given.
        for badge in [7, 50] {
            pair.receive(m);
            assert_eq!(m.answer(pair.server).unwrap().badge(), badge);
        }
        m.call(pair.server, Call::sleep(m.now() + 5000));
        m.advance(2000);
        assert_eq!(give(m, another), first);
    });
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no proxies or timers")]
fn a_proxy_or_timer_is_made_in_the_first_place_that_is_free_and_the_search_is_cut_short() {
    let [proxies, timers] = [HANDLES / 4 - 1, HANDLES / 4];
    let mut system = System::new();
    let process = system.process();
    system.on_end(process, OnEnd::Restart);
    let thread = system.thread(process, 5);
    let channel = system.channel(process);
    system.objects(process, proxies, timers);
    both_paths(&system, |m| {
        for timer in [false, true] {
            let own = m.receive_handle(channel);
            let create = match timer {
                true => Call::create_timer(own, 1),
                false => Call::create_proxy(own, ram(0).base, 4),
            };
            let destroy = |handle| match timer {
                true => Call::destroy_timer(handle),
                false => Call::destroy_proxy(handle),
            };
            let mut made = Vec::new();
            let refused = loop {
                let answer = m.answer_to(thread, create);
                if let Some(error) = answer.error() {
                    break error;
                }
                made.push(answer.word());
            };
            assert_eq!(refused, Error::Exhausted);
            assert_eq!(made.len(), if timer { timers } else { proxies });
            // What is destroyed is free again, and all that was there by then is passed again, in steps.
            for index in [made.len() - 1, 0] {
                m.call(thread, destroy(made[index]));
                let again = m.answer_to(thread, create).word();
                assert_eq!(again & 0xFF, made[index] & 0xFF);
                made[index] = again;
            }
            m.call(thread, destroy(made[0]));
            m.answer_to(thread, create);
            let steps = call_in_steps(m, thread, create) as usize;
            assert!(steps >= made.len() / PLACES, "{steps} steps");
            assert_eq!(m.answer(thread).unwrap().error(), Some(Error::Exhausted));
        }
        // In the next life all is free.
        m.fault(thread);
        let create = Call::create_timer(m.receive_handle(channel), 1);
        assert_eq!(m.answer_to(thread, create).error(), None);
    });
}

#[test]
fn rule_21_an_interrupt_far_back_among_the_slots_is_found_in_steps() {
    let mut system = System::new();
    let process = system.process();
    let thread = system.thread(process, 5);
    let channel = system.channel(process);
    let first = system.interrupt(process, LineKind::Edge);
    let second = system.interrupt(process, LineKind::Edge);
    both_paths(&system, |m| {
        let own = m.receive_handle(channel);
        for (interrupt, position) in [(second, 1), (first, 0)] {
            let attach = Call::other(number::INTERRUPT_ATTACH, &[position, own, 1]);
            let steps = call_in_steps(m, thread, attach) as usize;
            assert!(steps >= interrupt.slot / PLACES, "{steps} steps");
            let handle = m.answer(thread).unwrap().word();
            assert_eq!(handle & 0xFF, interrupt.slot as u32);
        }
        let none = Call::other(number::INTERRUPT_ATTACH, &[2, own, 1]);
        call_in_steps(m, thread, none);
        let refused = m.answer(thread).unwrap().error();
        assert_eq!(refused, Some(Error::NotPermitted));
    });
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no turns")]
fn rule_15_the_owner_of_a_slice_is_looked_for_in_steps_along_a_chain_of_any_length() {
    let mut system = System::new();
    system.slice(100);
    let links: Vec<_> = (0..30)
        .map(|_| {
            let process = system.process();
            let thread = system.round_robin_thread(process, 5);
            (process, thread, system.channel(process))
        })
        .collect();
    let connections: Vec<_> = links
        .windows(2)
        .map(|pair| system.connection(pair[0].0, pair[1].2, 1))
        .collect();
    let process = system.process();
    let rival = system.round_robin_thread(process, 5);
    both_paths(&system, |m| {
        m.call(rival, Call::sleep(m.now() + 10));
        for (_, server, channel) in links[1..].iter().rev() {
            while m.current() != *server {
                m.call(m.current(), Call::give_way());
            }
            let receive = Call::receive(m.receive_handle(*channel));
            m.call(*server, receive);
        }
        m.advance(10);
        let started = m.now();
        m.run(links[0].1);
        let (last, others) = connections.split_last().unwrap();
        let later = started + 100_000;
        for (connection, (_, client, _)) in others.iter().zip(&links) {
            m.call(*client, Call::send(m.handle(*connection), &[]));
        }
        m.host.interrupt_after(1);
        let client = links[links.len() - 2].1;
        let send = Call::send(m.handle(*last), &[]).deadline(later);
        m.call(client, send);
        assert_eq!(m.current(), links[links.len() - 1].1);
        // The other interrupt plans again; without one the clock does.
        assert_eq!(m.alarm(), m.now() + 100, "the clock comes again");
        m.interrupt();
        assert!((started..=started + 100).contains(&m.alarm()));
        m.advance(100);
        assert_eq!(m.current(), rival, "a long chain has no more of a turn");
    });
}

#[test]
fn rule_10_a_message_to_servers_all_of_whose_rooms_are_bad_is_cut_short_after_each() {
    let mut system = System::new();
    let [owner, other] = [(); 2].map(|()| system.process());
    let servers = [(); 5].map(|()| system.thread(owner, 5));
    let client = system.thread(other, 9);
    let channel = system.channel(owner);
    let link = system.connection(other, channel, 1);
    both_paths(&system, |m| {
        m.call(client, Call::sleep(m.now() + 1));
        let receive = Call::receive(m.receive_handle(channel));
        for server in servers {
            m.call(server, receive.room(ram(1).base, 4));
        }
        m.advance(1);
        let send = Call::send_bytes(m.handle(link), ram(1).base, 4);
        assert_eq!(call_in_steps(m, client, send), 5);
        assert_eq!(m.state(client), State::SendBlocked);
        for server in servers {
            let error = m.answer(server).unwrap().error();
            assert_eq!(error, Some(Error::BadAddress));
        }
        let receive = receive.room(ram(0).base, 4);
        let got = m.answer_to(m.current(), receive);
        assert_eq!(got.bytes(), Some((4, 4)));
    });
}

#[test]
fn rule_09_a_chain_of_locks_for_each_of_which_another_one_waits_is_followed_two_at_a_time() {
    // Each waits behind another one at the lock of the next, so that the owner is not known without a look at it.
    const LINKS: usize = 7;
    let mut system = System::new();
    let process = system.process();
    let last = system.thread(process, 20);
    let owners: Vec<_> = (0..=LINKS).map(|_| system.thread(process, 10)).collect();
    let firsts: Vec<_> = (0..LINKS).map(|_| system.thread(process, 10)).collect();
    both_paths(&system, |m| {
        let lock = |n: usize| Call::lock(word(n as u32));
        m.call(last, Call::sleep(m.now() + 100));
        for (n, owner) in owners.iter().enumerate() {
            m.call(*owner, lock(n));
        }
        for (n, first) in firsts.iter().enumerate() {
            m.call(*first, lock(n + 1));
        }
        for (n, owner) in owners.iter().enumerate().take(LINKS) {
            m.call(*owner, lock(n + 1));
        }
        m.advance(100);
        let looks = call_in_steps(m, last, lock(0));
        assert!(looks >= (LINKS as u32).div_ceil(2), "{looks} looks");
        assert_eq!(m.state(last), State::FutexBlocked);
        for owner in &owners {
            assert_eq!(m.priority(*owner), 20);
        }
    });
}

#[test]
fn rule_09_along_a_chain_of_locks_each_thread_is_raised_in_a_step_of_its_own_and_along_one_of_servers_every_second()
 {
    const LINKS: usize = 7;
    let mut system = System::new();
    let process = system.process();
    let last = system.thread(process, 20);
    let owners: Vec<_> = (0..=LINKS).map(|_| system.thread(process, 10)).collect();
    let servers: Vec<_> = (0..=LINKS)
        .map(|_| {
            let process = system.process();
            (system.thread(process, 10), process)
        })
        .collect();
    let channels: Vec<_> = servers.iter().map(|(_, it)| system.channel(*it)).collect();
    let mut links = vec![system.connection(process, channels[0], 1)];
    for (n, (_, from)) in servers.iter().enumerate().take(LINKS) {
        links.push(system.connection(*from, channels[n + 1], 1));
    }
    both_paths(&system, |m| {
        let start = m.now();
        m.call(last, Call::sleep(start + 100));
        for (n, owner) in owners.iter().enumerate() {
            m.call(*owner, Call::lock(word(n as u32)));
        }
        for (n, owner) in owners.iter().enumerate().take(LINKS) {
            m.call(*owner, Call::lock(word(n as u32 + 1)));
        }
        m.call(owners[LINKS], Call::sleep(u64::MAX));
        for ((server, _), channel) in servers.iter().zip(&channels) {
            let receive = Call::receive(m.receive_handle(*channel));
            m.call(*server, receive.deadline(start + 50));
        }
        m.advance(50);
        for (n, (server, _)) in servers.iter().enumerate().take(LINKS) {
            m.send(*server, links[n + 1], &[]);
        }
        m.call(servers[LINKS].0, Call::sleep(u64::MAX));
        m.advance(50);
        let mut looks = |call| {
            let before = m.host.looks();
            m.call(last, call);
            m.host.looks() - before
        };
        // As many as the search for a circle takes come first.
        let of_locks = looks(Call::lock(word(0)).deadline(start + 200));
        assert!(of_locks >= LINKS as u32 + 3, "{of_locks} looks");
        assert!(owners.iter().all(|it| m.priority(*it) == 20));
        m.advance(100);
        let before = m.host.looks();
        m.send(last, links[0], &[]);
        let of_servers = m.host.looks() - before;
        assert!(of_servers >= LINKS as u32, "{of_servers} looks");
        assert!(servers.iter().all(|(it, _)| m.priority(*it) == 20));
    });
}

#[test]
fn rule_26_receivers_behind_a_chain_of_locks_are_looked_up_one_at_a_time_too() {
    const RECEIVERS: usize = 5;
    const LINKS: usize = 4;
    let mut system = System::new();
    system.depth(16);
    let [process, servers] = [(); 2].map(|()| system.process());
    let last = system.thread(process, 20);
    let owners: Vec<_> = (0..=LINKS).map(|_| system.thread(process, 10)).collect();
    let served: Vec<_> = (0..RECEIVERS).map(|_| system.thread(process, 10)).collect();
    let receivers: Vec<_> = (0..RECEIVERS).map(|_| system.thread(servers, 10)).collect();
    let channel = system.channel(servers);
    let link = system.connection(process, channel, 7);
    both_paths(&system, |m| {
        let lock = |n: usize| Call::lock(word(n as u32));
        m.call(last, Call::sleep(m.now() + 100));
        for (n, owner) in owners.iter().enumerate() {
            m.call(*owner, lock(n));
        }
        for (n, owner) in owners.iter().enumerate().take(LINKS) {
            m.call(*owner, lock(n + 1));
        }
        m.call(owners[LINKS], Call::sleep(m.now() + 50));
        for receiver in &receivers {
            m.call(*receiver, Call::receive(m.receive_handle(channel)));
        }
        for client in &served {
            m.call(*client, Call::send(m.handle(link), &[]));
        }
        for receiver in &receivers {
            m.call(*receiver, Call::sleep(u64::MAX));
        }
        m.advance(50);
        m.call(owners[LINKS], Call::send(m.handle(link), &[]));
        m.advance(50);
        let looks = call_in_steps(m, last, lock(0));
        let least = (LINKS as u32).div_ceil(2) + RECEIVERS as u32;
        assert!(looks >= least, "{looks} looks");
        assert_eq!(m.state(last), State::FutexBlocked);
        for receiver in &receivers {
            assert_eq!(m.priority(*receiver), 20);
        }
    });
}

#[test]
fn rule_26_receivers_that_wait_for_a_lock_behind_another_thread_are_looked_up_one_at_a_time() {
    const RECEIVERS: usize = 7;
    let mut system = System::new();
    let [process, clients] = [(); 2].map(|()| system.process());
    let owner = system.thread(process, 10);
    let receivers: Vec<_> = (0..RECEIVERS).map(|_| system.thread(process, 10)).collect();
    let first = system.thread(process, 10);
    let served: Vec<_> = (0..RECEIVERS).map(|_| system.thread(clients, 10)).collect();
    let last = system.thread(clients, 20);
    let channel = system.channel(process);
    let link = system.connection(clients, channel, 7);
    both_paths(&system, |m| {
        m.call(last, Call::sleep(m.now() + 100));
        m.call(owner, Call::lock(word(0)));
        m.call(owner, Call::sleep(m.now() + 50));
        for receiver in &receivers {
            m.call(*receiver, Call::receive(m.receive_handle(channel)));
        }
        m.call(first, Call::lock(word(0)));
        for client in &served {
            m.call(*client, Call::send(m.handle(link), &[]));
        }
        for receiver in &receivers {
            m.call(*receiver, Call::lock(word(0)));
        }
        m.advance(100);
        let looks = call_in_steps(m, last, Call::send(m.handle(link), &[]));
        assert!(looks >= RECEIVERS as u32, "{looks} looks");
        assert_eq!(m.state(last), State::SendBlocked);
        assert_eq!(m.priority(owner), 20);
    });
}

#[test]
fn a_requeue_looks_between_who_is_woken_and_who_is_moved() {
    let (system, main, others) = crowd(2);
    both_paths(&system, |m| {
        all_wait(m, main, &others);
        let call = Call::futex_requeue(word(0), 0, 1, word(1), 1);
        assert_eq!(call_in_steps(m, main, call), 1);
        assert_eq!(m.answer(main).unwrap().words()[..2], [1, 1]);
        assert_eq!(m.state(others[0]), State::Ready);
        assert_eq!(m.state(others[1]), State::FutexBlocked);
    });
}
