//! What a twelfth reading found: one call that others pay for, who is told before others, and
//! counts that come round.

use riposte_abi::{
    LEAST_PERIOD,
    call::number,
    fault::{REGISTERS, Record, TRACE},
    region::right::WRITE,
};
use riposte_kernel::{Grants, OnEnd, State};
use riposte_model::{Call, Machine, System, ThreadId, both_paths, pages, ram};

fn settled(m: &mut Machine, thread: ThreadId) {
    while m.must_repeat(thread) {
        m.repeat(thread);
    }
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no proxies or timers")]
fn a_timer_set_to_the_past_counts_at_most_once() {
    let mut system = System::new();
    let [strangers, servers] = [(); 2].map(|()| system.process());
    let stranger = system.thread(strangers, 1);
    let server = system.thread(servers, 25);
    let channel = system.channel(servers);
    let proxy = system.proxy(channel, b"x");
    let link = system.trigger(strangers, proxy, false);
    system.objects(strangers, 0, 1);
    system.timer_rate(strangers, 10_000);
    both_paths(&system, |m| {
        m.call(server, Call::sleep(m.now() + 70_000 * LEAST_PERIOD));
        let connect = Call::other(number::CONNECT, &[link.slot as u32]);
        let handle = m.answer_to(stranger, connect).word();
        let timer = m.answer_to(stranger, Call::create_timer(handle, 0)).word();
        m.advance_to(m.now() + 69_000 * LEAST_PERIOD);
        let done = m.answer_to(stranger, Call::set_timer(timer, 1, LEAST_PERIOD));
        assert_eq!(done.error(), None);
        assert_eq!(m.proxy(proxy).count(), 1, "one call, one trigger");
    });
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no lent memory")]
fn who_is_told_that_there_is_no_window_runs_before_less_urgent_ones_are() {
    let mut system = System::new();
    let [servers, holders] = [(); 2].map(|()| system.process());
    let server = system.thread(servers, 4);
    let holder = system.thread(holders, 5);
    let channel = system.channel(servers);
    system.notify_unblock(channel);
    system.windows(servers, 1, 4096);
    let hold = system.connection(holders, channel, 1);
    system.pages(holders, 2);
    let lenders: Vec<_> = (0..4)
        .map(|n| {
            let process = system.process();
            let thread = system.thread(process, 10 + n);
            let link = system.connection(process, channel, 2 + u32::from(n));
            system.pages(process, 2);
            (process, thread, link)
        })
        .collect();
    both_paths(&system, |m| {
        let start = m.now();
        for (n, (_, thread, _)) in lenders.iter().enumerate().rev() {
            m.call(*thread, Call::sleep(start + 100 + 100 * n as u64));
        }
        m.call(
            holder,
            Call::lend(m.handle(hold), pages(holders.0).base, 4096, &[0; 3]),
        );
        // It takes the holder's memory, and has no window for anybody else.
        m.call(server, Call::receive(m.receive_handle(channel)));
        assert_eq!(m.state(holder), State::ReplyBlocked);
        for (n, (process, thread, link)) in lenders.iter().enumerate() {
            m.advance_to(start + 100 + 100 * n as u64);
            let lend = Call::lend(m.handle(*link), pages(process.0).base, 4096, &[0; 3]);
            m.call(*thread, lend);
            assert_eq!(m.state(*thread), State::SendBlocked);
        }
        assert_eq!((m.current(), m.priority(server)), (server, 13));
        let receive = Call::receive(m.receive_handle(channel));
        m.call_once(server, receive);
        let last = lenders[3].1;
        assert_eq!(m.current(), last, "the most urgent one");
        let states: Vec<_> = lenders.iter().map(|it| m.state(it.1)).collect();
        assert_eq!(
            states[..3],
            [State::SendBlocked; 3],
            "the others are still to be told"
        );
    });
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no lent memory or pools")]
fn who_gets_a_lock_of_a_region_that_is_unmapped_runs_before_less_urgent_ones_get_theirs() {
    let mut system = System::new();
    let [servers, clients] = [(); 2].map(|()| system.process());
    let server = system.thread(servers, 5);
    let client: Vec<_> = (0..4).map(|n| system.thread(clients, 10 + n)).collect();
    let channel = system.channel(servers);
    let link = system.connection(clients, channel, 7);
    let pool = system.pool(0x400, 3);
    system.quota(servers, pool, 2);
    for process in [servers, clients] {
        system.mappings(process, 2);
    }
    both_paths(&system, |m| {
        let start = m.now();
        for (n, thread) in client.iter().enumerate().rev() {
            m.call(*thread, Call::sleep(start + 100 + 100 * n as u64));
        }
        let own = m.answer_to(server, Call::create_region(0)).word();
        let here = m.answer_to(server, Call::map_region(own, WRITE)).word();
        m.call(server, Call::receive(m.receive_handle(channel)));
        m.advance_to(start + 100);
        m.call(
            client[0],
            Call::send(m.handle(link), &[1]).accepting_handle(),
        );
        m.call(
            server,
            Call::reply_handle(m.token_of(client[0]), &[0; 4], own),
        );
        let given = m.answer(client[0]).unwrap().handle().unwrap();
        let there = m
            .answer_to(client[0], Call::map_region(given, WRITE))
            .word();
        m.call(client[0], Call::sleep(start + 150));
        for n in 0..4 {
            m.answer_to(server, Call::lock(here + 4 * n));
        }
        m.advance_to(start + 150);
        m.call(client[0], Call::lock(there));
        for n in 1..4_u32 {
            m.advance_to(start + 100 + 100 * u64::from(n));
            m.call(client[n as usize], Call::lock(there + 4 * n));
        }
        assert_eq!(m.current(), server);
        m.call_once(server, Call::release(here));
        assert_eq!(m.current(), client[3]);
        let states: Vec<_> = client.iter().map(|it| m.state(*it)).collect();
        assert_eq!(states[..3], [State::FutexBlocked; 3]);
    });
}

#[test]
fn a_requeue_wakes_no_more_than_it_is_to() {
    let mut system = System::new();
    let process = system.process();
    let waker = system.thread(process, 5);
    let waiter = system.thread(process, 10);
    let at = ram(process.0).base;
    both_paths(&system, |m| {
        m.call(waiter, Call::futex_wait(at, 0));
        let most = 1030;
        let call = Call::futex_requeue(at, 0, most, at + 4, 0);
        m.host.interrupt_after(1);
        let mut done = m.call_once(waker, call);
        let mut woken = 0;
        while !done {
            m.interrupt();
            assert_eq!(m.current(), waiter);
            woken += 1;
            assert!(woken <= most, "more than it was to wake");
            m.call(waiter, Call::futex_wait(at, 0));
            m.host.interrupt_after(1);
            done = m.repeat(waker);
        }
        assert_eq!(m.answer(waker).unwrap().word(), most);
    });
}

#[test]
fn a_record_is_of_one_fault() {
    let mut system = System::new();
    let [victims, supervisors] = [(); 2].map(|()| system.process());
    let grants = Grants {
        supervisor: true,
        inspect: false,
        relay: false,
        shutdown: false,
    };
    system.grant(supervisors, grants);
    let faults = system.channel(supervisors);
    system.supervisor(faults);
    let victim = system.thread(victims, 12);
    let reader = system.thread(supervisors, 9);
    system.on_end(victims, OnEnd::Restart);
    both_paths(&system, |m| {
        let start = m.now();
        m.call(victim, Call::sleep(start + 10));
        m.call(reader, Call::receive(m.receive_handle(faults)));
        m.advance_to(start + 10);
        m.fault(victim);
        m.call(victim, Call::sleep(start + 100));
        assert_eq!(m.current(), reader);
        let size = size_of::<Record>() as u32;
        let room = ram(supervisors.0).base;
        let read = Call::other(number::FAULT_RECORD, &[0]).room(room, size);
        m.host.interrupt_after(1);
        assert!(!m.call_once(reader, read));
        m.set_now(start + 100);
        m.interrupt();
        let text = ram(victims.0).base;
        m.host.poke(text, b"another one");
        m.call(victim, Call::other(number::PANIC, &[text, 11]));
        m.call(victim, Call::sleep(1 << 40));
        settled(m, reader);
        let count = m.host.peek_word(room);
        let length = m.host.peek_word(room + 4 * (7 + REGISTERS + TRACE) as u32);
        assert!(
            (count, length) == (1, 0) || (count, length) == (2, 11),
            "{count} {length}"
        );
    });
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no proxies or timers")]
fn one_call_of_priority_1_does_not_keep_priority_10_waiting() {
    let mut system = System::new();
    let [strangers, servers, victims] = [(); 3].map(|()| system.process());
    let stranger = system.thread(strangers, 1);
    let server = system.thread(servers, 25);
    let victim = system.thread(victims, 10);
    let channel = system.channel(servers);
    let proxy = system.proxy(channel, b"x");
    let link = system.trigger(strangers, proxy, false);
    system.objects(strangers, 0, 1);
    both_paths(&system, |m| {
        let second = 1_000_000_000;
        m.call(
            server,
            Call::receive(m.receive_handle(channel)).room(ram(servers.0).base, 4),
        );
        m.call(victim, Call::sleep(m.now() + 70 * second));
        let connect = Call::other(number::CONNECT, &[link.slot as u32]);
        let handle = m.answer_to(stranger, connect).word();
        let timer = m.answer_to(stranger, Call::create_timer(handle, 0)).word();
        m.advance(70 * second - 1000);
        m.call(stranger, Call::set_timer(timer, 1, 1_000_000));
        m.advance(1000);
        let mut notices = 0;
        while m.current() == server {
            notices += 1;
            m.call(
                server,
                Call::receive(m.receive_handle(channel)).room(ram(servers.0).base, 4),
            );
        }
        assert_eq!(m.current(), victim);
        assert!(notices <= 2, "{notices} notices of one call come before it");
    });
}
