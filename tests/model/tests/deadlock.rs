//! Cycles of waiting clients: rule 26.

use riposte_abi::Error;
use riposte_kernel::State;
use riposte_model::{Call, ChannelId, Connection, Machine, System, ThreadId, both_paths, ram};

/// Processes in a ring, each of which serves a channel and can send to the next one's.
fn ring(length: usize) -> (System, Vec<ThreadId>, Vec<ChannelId>, Vec<Connection>) {
    let mut system = System::new();
    let processes: Vec<_> = (0..length).map(|_| system.process()).collect();
    let threads = processes.iter().map(|p| system.thread(*p, 10)).collect();
    let channels: Vec<_> = processes.iter().map(|p| system.channel(*p)).collect();
    let links = processes
        .iter()
        .enumerate()
        .map(|(index, process)| system.connection(*process, channels[(index + 1) % length], 1))
        .collect();
    (system, threads, channels, links)
}

#[test]
fn rule_26_a_send_that_would_close_a_cycle_of_send_blocked_clients_is_refused() {
    for length in 1..6 {
        let (system, threads, _, links) = ring(length);
        both_paths(&system, |m| {
            for index in 0..length - 1 {
                m.send(threads[index], links[index], &[]);
                assert_eq!(m.state(threads[index]), State::SendBlocked);
            }
            let last = length - 1;
            let call = Call::send(m.handle(links[last]), &[]);
            assert_eq!(m.refused(threads[last], call), Error::Deadlock);
        });
    }
}

#[test]
fn rule_26_a_send_that_would_close_a_cycle_of_reply_blocked_clients_is_refused() {
    let (system, threads, channels, links) = ring(4);
    both_paths(&system, |m| {
        for index in 1..4 {
            let receive = Call::receive(m.receive_handle(channels[index]));
            m.call(threads[index], receive);
        }
        for index in 0..3 {
            m.send(threads[index], links[index], &[]);
            assert_eq!(m.state(threads[index]), State::ReplyBlocked);
        }
        let call = Call::send(m.handle(links[3]), &[]);
        assert_eq!(m.refused(threads[3], call), Error::Deadlock);
    });
}

#[test]
fn rule_26_a_chain_up_to_the_depth_is_allowed_and_a_longer_one_refused() {
    for depth in 1..5 {
        let (mut system, threads, _, links) = ring(8);
        system.depth(depth);
        both_paths(&system, |m| {
            let depth = usize::from(depth);
            // Thread 6 waits for 7, 5 for 6, and so on: each chain is one longer.
            for length in 1..=depth {
                m.send(threads[7 - length], links[7 - length], &[]);
                assert_eq!(m.state(threads[7 - length]), State::SendBlocked);
            }
            let next = 6 - depth;
            let call = Call::send(m.handle(links[next]), &[]);
            assert_eq!(m.refused(threads[next], call), Error::Deadlock);
        });
    }
}

#[test]
fn rule_26_no_cycle_is_seen_where_another_thread_can_answer() {
    let mut system = System::new();
    let first = system.process();
    let second = system.process();
    let caller = system.thread(first, 10);
    let helper = system.thread(first, 10);
    let server = system.thread(second, 10);
    let (here, there) = (system.channel(first), system.channel(second));
    let out = system.connection(first, there, 1);
    let back = system.connection(second, here, 2);
    both_paths(&system, |m| {
        let receive = Call::receive(m.receive_handle(there));
        m.call(server, receive);
        m.send(caller, out, &[]);
        m.send(server, back, &[]);
        assert_eq!(m.state(server), State::SendBlocked);
        let receive = Call::receive(m.receive_handle(here));
        let token = m.answer_to(helper, receive).token();
        m.call(helper, Call::reply(token, &[]));
        let token = m.answer(server).unwrap();
        assert_eq!(token.status(), 0);
    });
}

#[test]
fn rule_26_a_send_to_oneself_is_refused() {
    let mut system = System::new();
    let process = system.process();
    let thread = system.thread(process, 10);
    let channel = system.channel(process);
    let link = system.connection(process, channel, 1);
    both_paths(&system, |m| {
        let call = Call::send(m.handle(link), &[]);
        assert_eq!(m.refused(thread, call), Error::Deadlock);
        let receive = Call::receive(m.receive_handle(channel)).deadline(0);
        assert_eq!(m.refused(thread, receive), Error::WouldBlock);
        assert_eq!(m.refused(thread, call), Error::Deadlock);
    });
}

#[test]
fn rule_26_a_server_that_sends_back_to_its_own_client_is_refused_and_can_still_answer() {
    let (system, threads, channels, links) = ring(2);
    both_paths(&system, |m| {
        let receive = Call::receive(m.receive_handle(channels[1]));
        m.call(threads[1], receive);
        m.send(threads[0], links[0], &[]);
        let token = m.answer(threads[1]).unwrap().token();
        let call = Call::send(m.handle(links[1]), &[]);
        assert_eq!(m.refused(threads[1], call), Error::Deadlock);
        m.call(threads[1], Call::reply(token, &[]));
        assert_eq!(m.answer(threads[0]).unwrap().error(), None);
    });
}

/// A process of two threads with a channel and a lock, which only the first one receives from; and a
/// server that it uses, and that can send there.
struct Circle {
    system: System,
    main: ThreadId,
    helper: ThreadId,
    server: ThreadId,
    here: ChannelId,
    there: ChannelId,
    out: Connection,
    back: Connection,
    lock: u32,
}

fn circle() -> Circle {
    let mut system = System::new();
    let first = system.process();
    let second = system.process();
    let main = system.thread(first, 10);
    let helper = system.thread(first, 10);
    let server = system.thread(second, 10);
    let (here, there) = (system.channel(first), system.channel(second));
    let out = system.connection(first, there, 1);
    let back = system.connection(second, here, 2);
    let lock = ram(first.0).base + 0x800;
    Circle {
        system,
        main,
        helper,
        server,
        here,
        there,
        out,
        back,
        lock,
    }
}

impl Circle {
    /// The main thread is the one that receives here, and the server waits for a message.
    fn begin(&self, m: &mut Machine) {
        let poll = Call::receive(m.receive_handle(self.here)).deadline(m.now() + 1);
        m.call(self.main, poll);
        m.advance(1);
        let receive = Call::receive(m.receive_handle(self.there));
        m.call(self.server, receive);
    }

    fn join(&self, m: &Machine, thread: ThreadId) -> Call {
        Call::join(m.thread(thread).id())
    }
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no spare threads")]
fn rule_26_a_send_that_would_close_a_cycle_with_a_join_is_refused_and_the_server_can_still_answer()
{
    let circle = circle();
    both_paths(&circle.system, |m| {
        circle.begin(m);
        m.send(circle.helper, circle.out, &[]);
        let join = circle.join(m, circle.helper);
        m.call(circle.main, join);
        assert_eq!(m.state(circle.main), State::Joining);
        let call = Call::send(m.handle(circle.back), &[]);
        assert_eq!(m.refused(circle.server, call), Error::Deadlock);
        let receive = Call::receive(m.receive_handle(circle.there)).deadline(0);
        assert_eq!(m.refused(circle.server, receive), Error::WouldBlock);
        m.call(circle.server, Call::reply(m.token_of(circle.helper), &[]));
        m.call(circle.helper, Call::exit_thread(3));
        assert_eq!(m.answer(circle.main).unwrap().word(), 3);
    });
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no spare threads")]
fn rule_26_a_join_that_would_close_a_cycle_with_messages_is_refused() {
    let circle = circle();
    both_paths(&circle.system, |m| {
        circle.begin(m);
        m.send(circle.helper, circle.out, &[]);
        m.send(circle.server, circle.back, &[]);
        assert_eq!(m.state(circle.server), State::SendBlocked);
        let join = circle.join(m, circle.helper);
        assert_eq!(m.refused(circle.main, join), Error::Deadlock);
        assert_eq!(m.refused(circle.main, join.deadline(0)), Error::Deadlock);
    });
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no spare threads")]
fn rule_26_a_lock_that_would_close_a_cycle_with_a_join_is_refused() {
    let circle = circle();
    both_paths(&circle.system, |m| {
        m.call(circle.main, Call::lock(circle.lock));
        let join = circle.join(m, circle.helper);
        m.call(circle.main, join);
        let lock = Call::lock(circle.lock);
        assert_eq!(m.refused(circle.helper, lock), Error::Deadlock);
    });
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no spare threads")]
fn rule_26_a_join_that_would_close_a_cycle_with_a_lock_is_refused() {
    let circle = circle();
    both_paths(&circle.system, |m| {
        m.call(circle.main, Call::lock(circle.lock));
        m.call(circle.helper, Call::lock(circle.lock));
        let join = circle.join(m, circle.helper);
        assert_eq!(m.refused(circle.main, join), Error::Deadlock);
        m.call(circle.main, Call::unlock(circle.lock));
        m.call(circle.main, join);
        assert_eq!(m.state(circle.main), State::Joining, "it waits no more");
    });
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no spare threads")]
fn rule_26_a_cycle_of_a_join_a_lock_and_a_message_is_refused_wherever_it_closes() {
    // The server waits for the main thread to receive, that for the helper's end, that for a lock of a
    // third one's, who waits for the server.
    let mut system = System::new();
    let first = system.process();
    let second = system.process();
    let [main, helper, third] = [(); 3].map(|()| system.thread(first, 10));
    let server = system.thread(second, 10);
    let (here, there) = (system.channel(first), system.channel(second));
    let out = system.connection(first, there, 1);
    let back = system.connection(second, here, 2);
    let lock = ram(first.0).base + 0x800;
    for last in 0..4 {
        both_paths(&system, |m| {
            let poll = Call::receive(m.receive_handle(here)).deadline(m.now() + 1);
            m.call(main, poll);
            m.advance(1);
            m.call(third, Call::lock(lock));
            let calls = [
                (server, Call::send(m.handle(back), &[])),
                (main, Call::join(m.thread(helper).id())),
                (helper, Call::lock(lock)),
                (third, Call::send(m.handle(out), &[])),
            ];
            for place in 1..4 {
                let (thread, call) = calls[(last + place) % 4];
                m.call(thread, call);
                assert_ne!(m.state(thread), State::Ready);
            }
            let (thread, call) = calls[last];
            assert_eq!(m.refused(thread, call), Error::Deadlock);
        });
    }
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no spare threads")]
fn rule_26_a_chain_with_a_join_is_as_long_as_the_depth_at_most() {
    for depth in 1..4 {
        let mut circle = circle();
        circle.system.depth(depth);
        both_paths(&circle.system, |m| {
            // The main thread waits for the helper, that for the server.
            m.send(circle.helper, circle.out, &[]);
            let join = circle.join(m, circle.helper);
            if depth < 2 {
                assert_eq!(m.refused(circle.main, join), Error::Deadlock);
            } else {
                m.call(circle.main, join);
                assert_eq!(m.state(circle.main), State::Joining);
            }
        });
    }
}
