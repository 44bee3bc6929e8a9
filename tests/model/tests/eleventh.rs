//! What an eleventh reading has found.

use riposte_abi::{Error, notice, signal::how, thread::policy};
use riposte_kernel::{OnEnd, State};
use riposte_model::{Call, System, both_paths, ram};

const ALL: u64 = u64::MAX;
const USER: u32 = 10;
const TERM: u32 = 15;

/// A main thread sends a signal to a less urgent thread of its process that is still to be told of another one, and has
/// no room for a handler. That thread is told when it is the next to run, and ends the process then: not in the midst of
/// the call of another thread, which would go on, dead or held.
#[test]
fn who_is_still_to_be_told_of_a_signal_ends_nobody_else_s_call_by_a_second_one() {
    for how_it_ends in [OnEnd::Hold, OnEnd::Stop, OnEnd::Restart] {
        let mut system = System::new();
        let [process, servers] = [(); 2].map(|()| system.process());
        let main = system.thread(process, 5);
        let second = system.thread(process, 4);
        let server = system.thread(servers, 6);
        let channel = system.channel(servers);
        system.notify_unblock(channel);
        let link = system.connection(process, channel, 7);
        system.signal_queue(process, 1);
        system.on_end(process, how_it_ends);
        both_paths(&system, |m| {
            let start = m.now();
            m.call(server, Call::receive(m.receive_handle(channel)));
            m.call(main, Call::action(process, ALL));
            m.call(main, Call::sleep(start + 100));
            m.call(second, Call::mask(how::SET, 0));
            m.call(second, Call::send(m.handle(link), &[1]));
            m.call(server, Call::sleep(start + 200));
            m.advance_to(start + 100);
            let id = m.thread(second).id();
            m.call(main, Call::signal_thread(id, TERM, 0));
            assert_eq!(m.state(second), State::ReplyBlocked, "its server is asked");
            m.call(main, Call::sleep(start + 300));
            m.advance_to(start + 200);
            let told = m.answer_to(server, Call::receive(m.receive_handle(channel)));
            assert_eq!(told.notice(), Some(notice::UNBLOCK));
            m.call(server, Call::reply(m.token_of(second), &[1]));
            m.advance_to(start + 300);
            m.call(server, Call::receive(m.receive_handle(channel)));
            m.host.set_stack_pointer(m.thread(second), 4);
            assert_eq!(m.current(), main);
            let sent = m.answer_to(main, Call::signal_thread(id, USER, 0));
            assert_eq!(sent.error(), None);
            assert_eq!(m.current(), main);
            m.call(main, Call::sleep(start + 400));
            m.finish();
            let runs = how_it_ends == OnEnd::Restart;
            assert_eq!(m.process(process).is_held(), how_it_ends == OnEnd::Hold);
            assert_eq!(m.state(second), State::Stopped);
            let next = if runs { main } else { m.idle() };
            assert_eq!(m.current(), next);
        });
    }
}

/// A thread whose stack has no room for a handler begins its message anew, after an interrupt in which a signal has come
/// for it, and hands it to the more urgent main thread of its own process. It ends that when it is the next to run.
#[test]
fn who_gets_a_message_of_a_thread_that_ends_the_process_of_both_by_a_signal_runs_before_that() {
    for how_it_ends in [OnEnd::Hold, OnEnd::Stop, OnEnd::Restart] {
        let mut system = System::new();
        let [process, senders] = [(); 2].map(|()| system.process());
        let main = system.thread(process, 5);
        let second = system.thread(process, 4);
        let sender = system.thread(senders, 9);
        let channel = system.channel(process);
        let link = system.connection(process, channel, 7);
        let position = system.signal(senders, process);
        system.signal_queue(process, 1);
        system.on_end(process, how_it_ends);
        both_paths(&system, |m| {
            let start = m.now();
            m.call(sender, Call::sleep(start + 100));
            m.call(main, Call::action(process, ALL));
            m.call(main, Call::receive(m.receive_handle(channel)));
            m.call(second, Call::mask(how::SET, 0));
            let parts = ram(process.0).base;
            m.host.poke_parts(parts, &[(parts, 4); 16]);
            m.host.interrupt_after(1);
            let send = Call::send_vector(m.handle(link), parts, 16);
            assert!(!m.call_once(second, send));
            m.set_now(start + 100);
            m.interrupt();
            m.call(sender, Call::signal(position, TERM, 0));
            m.call(sender, Call::sleep(1 << 40));
            m.host.set_stack_pointer(m.thread(second), 4);
            m.repeat(second);
            assert_eq!(m.current(), main);
            let reply = Call::reply(m.token_of(second), &[1]);
            assert_eq!(m.refused(main, reply), Error::NoSuchClient);
            m.call(main, Call::sleep(start + 200));
            m.finish();
            assert_eq!(m.process(process).is_held(), how_it_ends == OnEnd::Hold);
            let runs = how_it_ends == OnEnd::Restart;
            let next = if runs { main } else { m.idle() };
            assert_eq!(m.current(), next);
        });
    }
}

/// A thread that has used up its slice is to execute its message again, since the server's room was bad, and gets its
/// priority back from another one meanwhile. Its message goes by the general cases nevertheless, which end that.
#[test]
fn who_gets_its_level_back_before_it_executes_a_call_again_takes_signals() {
    let mut system = System::new();
    system.slice(500);
    let [process, senders, servers] = [(); 3].map(|()| system.process());
    let main = system.thread(process, 9);
    let thread = system.adaptive_thread(process, 5);
    let sender = system.thread(senders, 12);
    let server = system.thread(servers, 6);
    let channel = system.channel(servers);
    let link = system.connection(process, channel, 7);
    let position = system.signal(senders, process);
    system.priority_limit(process, 9);
    both_paths(&system, |m| {
        let start = m.now();
        let base = ram(process.0).base;
        m.call(sender, Call::sleep(start + 5000));
        m.call(main, Call::action(process, ALL));
        m.call(main, Call::sleep(start + 2000));
        let receive = Call::receive(m.receive_handle(channel));
        m.call(server, receive.room(16, 64));
        m.call(thread, Call::mask(how::SET, 0));
        m.advance_to(start + 1500);
        assert_eq!(m.priority(thread), 4, "it has used up its slice");
        m.host.interrupt_after(1);
        let send = Call::send_bytes(m.handle(link), base, 32);
        assert!(!m.call_once(thread, send));
        m.set_now(start + 2000);
        m.interrupt();
        let id = m.thread(thread).id();
        m.call(main, Call::schedule(id, 0, policy::SAME));
        m.call(main, Call::sleep(1 << 40));
        m.call(server, receive.room(ram(servers.0).base, 64));
        m.repeat(thread);
        assert_eq!(m.state(thread), State::ReplyBlocked);
        let token = m.token_of(thread);
        m.call(
            server,
            Call::reply_receive(m.receive_handle(channel), token, &[1]),
        );
        m.advance_to(start + 5000);
        m.call(sender, Call::signal(position, TERM, 0));
        m.call(sender, Call::sleep(1 << 40));
        m.run(thread);
        assert_eq!(m.handles(thread), Some(TERM));
    });
}
