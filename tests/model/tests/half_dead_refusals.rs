//! Rule 24 while a death is half done: whoever is more urgent than what is left of it is refused nothing for the sake of what
//! only the dead have, or wait for.

use riposte_abi::{Error, region};
use riposte_kernel::{Access, OnEnd, State};
use riposte_model::{
    Call, ChannelId, Connection, InterruptId, LineKind, Machine, ProcessId, System, ThreadId,
    interrupt_at_each_step, pages, shared,
};

/// Where a thread has room for its reply.
const ROOM: u32 = 0x3000;
/// Bytes of a block of memory.
const BLOCK: u32 = 0x400;

/// A process at 5 that ends, and one at 20 that its interrupt wakes meanwhile.
struct World {
    system: System,
    victim: ProcessId,
    main: ThreadId,
    channel: ChannelId,
    urgent_process: ProcessId,
    urgent: ThreadId,
    own: ChannelId,
    interrupts: ChannelId,
    line: InterruptId,
    to_victim: Connection,
    to_urgent: Connection,
}

impl World {
    fn new() -> World {
        Self::beside(&[], &[]).0
    }

    /// With further threads of these priorities in the process that ends, and in the other one; and those threads.
    fn beside(victims: &[u8], urgents: &[u8]) -> (World, Vec<ThreadId>) {
        let mut system = System::new();
        let [victim, urgent_process] = [(); 2].map(|()| system.process());
        for process in [victim, urgent_process] {
            system.share(process, Access::Shared);
        }
        let mut others = vec![];
        let mut first_of = |process, first, further: &[u8]| {
            let first = system.thread(process, first);
            others.extend(further.iter().map(|it| system.thread(process, *it)));
            first
        };
        let main = first_of(victim, 5, victims);
        let urgent = first_of(urgent_process, 20, urgents);
        let channel = system.channel(victim);
        let own = system.channel(urgent_process);
        // Whoever waits there, it is the urgent one's.
        system.fixed_priority(own, 20);
        let interrupts = system.channel(urgent_process);
        let line = system.interrupt(urgent_process, LineKind::Edge);
        let to_victim = system.connection(urgent_process, channel, 7);
        let to_urgent = system.connection(victim, own, 8);
        let world = World {
            system,
            victim,
            main,
            channel,
            urgent_process,
            urgent,
            own,
            interrupts,
            line,
            to_victim,
            to_urgent,
        };
        (world, others)
    }

    /// The victim waits for a message of the urgent one, which makes this call, and answers it so.
    fn asks(&self, m: &mut Machine, call: Call, answer: impl FnOnce(&mut Machine) -> Call) {
        m.call(self.urgent, Call::sleep(m.now() + 1));
        m.call(self.main, Call::receive(m.receive_handle(self.channel)));
        m.advance(1);
        m.call(self.urgent, call);
        let answer = answer(m);
        m.call(self.main, answer);
        assert_eq!(m.answer(self.urgent).expect("answered").error(), None);
    }

    /// The urgent one waits for its interrupt; the call with which it does so again.
    fn waits(&self, m: &mut Machine) -> Call {
        let interrupt = m.attach(self.urgent, self.line, self.interrupts, 1);
        let wait = Call::acknowledge_and_receive(m.receive_handle(self.interrupts), interrupt);
        m.call(self.urgent, wait);
        wait
    }

    /// The victim ends, and after so many steps the urgent one runs. Whether that is in the midst of the end.
    fn ends(&self, m: &mut Machine, steps: u32) -> bool {
        assert_eq!(m.current(), self.main);
        let half = m.exit_interrupted(self.main, steps);
        m.raise_amid(self.line.line);
        assert_eq!(m.current(), self.urgent);
        half
    }

    /// A thread beside the urgent one lends the victim a block at `page`, which receives it, or only sleeps meanwhile.
    fn lends(&self, m: &mut Machine, beside: ThreadId, page: u32, received: bool) {
        let soon = m.now() + 1;
        let call = match received {
            true => Call::receive(m.receive_handle(self.channel)),
            false => Call::sleep(soon),
        };
        m.call(self.main, call);
        let lend = Call::lend_mut(m.handle(self.to_victim), page, BLOCK, &[0; 3]);
        m.call(beside, lend);
        m.advance_to(soon);
    }
}

#[test]
#[cfg_attr(feature = "lean", ignore = "no memory in messages")]
fn rule_24_what_was_moved_to_the_dead_is_home() {
    let mut world = World::new();
    world.system.notify_unblock(world.channel);
    world.system.windows(world.victim, 2, 0x1000);
    world.system.pages(world.urgent_process, 2);
    let page = pages(world.urgent_process.0).base;
    for again in [false, true] {
        interrupt_at_each_step(10, |steps| {
            let mut machine = world.system.start(true);
            let m = &mut machine;
            for at in [page, page + BLOCK] {
                let give = Call::give(m.handle(world.to_victim), at, BLOCK, &[0; 3]);
                world.asks(m, give, |m| Call::reply(m.token_of(world.urgent), &[]));
            }
            let wait = world.waits(m);
            let half = world.ends(m, steps);
            if again {
                // Whenever it looks for interrupts one waits.
                m.host.interrupt_after(1);
            }
            let back = m.answer_to(world.urgent, Call::reclaim(page, 2 * BLOCK));
            assert_eq!(back.error(), None, "after {steps} steps");
            let home = m.host.try_read(world.urgent_process, page, 2 * BLOCK);
            assert_eq!(home, Some(vec![0; 2 * BLOCK as usize]));
            m.call(world.urgent, wait);
            m.finish();
            half
        });
    }
}

/// Of memory that a sibling of the urgent one has lent, or that is on its way to who waits to be received.
#[test]
#[cfg_attr(feature = "lean", ignore = "no memory in messages")]
fn rule_24_what_is_lent_to_the_dead_is_in_use_no_more() {
    for received in [true, false] {
        let (mut world, threads) = World::beside(&[], &[4]);
        let beside = threads[0];
        world.system.notify_unblock(world.channel);
        world.system.windows(world.victim, 1, 0x1000);
        world.system.pages(world.urgent_process, 1);
        let page = pages(world.urgent_process.0).base;
        interrupt_at_each_step(10, |steps| {
            let mut machine = world.system.start(true);
            let m = &mut machine;
            let wait = world.waits(m);
            world.lends(m, beside, page, received);
            let half = world.ends(m, steps);
            let back = m.answer_to(world.urgent, Call::reclaim(page, BLOCK));
            assert_eq!(back.error(), None, "after {steps} steps");
            m.call(world.urgent, wait);
            m.finish();
            let told = m.answer(beside).and_then(|answer| answer.error());
            assert_eq!(told, Some(Error::ServerDied));
            half
        });
    }
}

/// Of memory that is lent, or on its way to who waits to be received.
#[test]
#[cfg_attr(feature = "lean", ignore = "no memory in messages")]
fn rule_24_a_gap_of_a_message_to_the_dead_is_free() {
    for received in [true, false] {
        let (mut world, threads) = World::beside(&[], &[4]);
        let beside = threads[0];
        let others = world.system.process();
        let other = world.system.thread(others, 3);
        let at_other = world.system.channel(others);
        let to_other = world.system.connection(world.urgent_process, at_other, 9);
        for (process, channel) in [(world.victim, world.channel), (others, at_other)] {
            world.system.notify_unblock(channel);
            world.system.windows(process, 1, 0x1000);
        }
        world.system.pages(world.urgent_process, 1);
        let page = pages(world.urgent_process.0).base;
        interrupt_at_each_step(10, |steps| {
            let mut machine = world.system.start(true);
            let m = &mut machine;
            world.waits(m);
            for thread in [world.main, beside] {
                m.call(thread, Call::sleep(m.now() + 1));
            }
            m.call(other, Call::receive(m.receive_handle(at_other)));
            m.advance(1);
            world.lends(m, beside, page, received);
            let half = world.ends(m, steps);
            let lend = Call::lend(m.handle(to_other), page + BLOCK, BLOCK, &[0; 3]);
            m.call(world.urgent, lend);
            let told = m.answer(world.urgent).and_then(|answer| answer.error());
            assert_eq!(told, None, "after {steps} steps");
            assert_eq!(m.state(world.urgent), State::ReplyBlocked);
            m.finish();
            half
        });
    }
}

/// To look through the windows of one of them takes as long as interrupts may wait.
#[test]
#[cfg_attr(feature = "lean", ignore = "no memory in messages")]
fn rule_24_what_is_asked_back_is_looked_for_at_one_of_the_dead_at_a_time() {
    let mut world = World::new();
    let holders = world.system.process();
    let holder = world.system.thread(holders, 3);
    let at_holder = world.system.channel(holders);
    world.system.notify_unblock(at_holder);
    world.system.windows(holders, 1, 0x1000);
    world.system.windows(world.victim, 1, 0x1000);
    let to_holder = world.system.connection(world.urgent_process, at_holder, 9);
    world.system.pages(world.urgent_process, 1);
    let page = pages(world.urgent_process.0).base;
    let mut machine = world.system.start(true);
    let m = &mut machine;
    let give = Call::give(m.handle(to_holder), page, BLOCK, &[0; 3]);
    m.call(world.urgent, give);
    m.call(world.main, Call::sleep(m.now() + 1));
    m.call(holder, Call::receive(m.receive_handle(at_holder)));
    let answer = Call::reply(m.token_of(world.urgent), &[]);
    m.call(holder, answer);
    world.waits(m);
    m.advance(1);
    assert!(world.ends(m, 1));
    m.host.interrupt_after(1);
    let reclaim = Call::reclaim(page, BLOCK);
    assert!(!m.call_once(world.urgent, reclaim), "it looks at once");
    m.interrupt();
    while m.must_repeat(world.urgent) {
        m.repeat(world.urgent);
    }
    let told = m.answer(world.urgent).and_then(|answer| answer.error());
    assert_eq!(told, Some(Error::InUse));
    m.finish();
}

/// By a handle, or as it is mapped, or both.
#[test]
#[cfg_attr(feature = "lean", ignore = "no regions at run time")]
fn rule_24_a_block_that_only_the_dead_have_is_free() {
    for (handle, mapped) in [(true, false), (false, true), (true, true)] {
        let mut world = World::new();
        let pool = world.system.pool(BLOCK, 1);
        for process in [world.victim, world.urgent_process] {
            world.system.mappings(process, 1);
            world.system.quota(process, pool, 1);
        }
        interrupt_at_each_step(10, |steps| {
            let mut machine = world.system.start(true);
            let m = &mut machine;
            let wait = world.waits(m);
            let made = m.answer_to(world.main, Call::create_region(0)).word();
            if mapped {
                let map = m.answer_to(world.main, Call::map_region(made, 0));
                assert_eq!(map.error(), None);
            }
            if !handle {
                m.call(world.main, Call::close(made));
            }
            let half = world.ends(m, steps);
            let made = m.answer_to(world.urgent, Call::create_region(0));
            assert_eq!(made.error(), None, "after {steps} steps");
            m.call(world.urgent, Call::close(made.word()));
            m.call(world.urgent, wait);
            m.finish();
            half
        });
    }
}

/// A notice that its process was given a connection in a former life waits at the channel of the dead: the slot is taken
/// until that is gone.
#[test]
#[cfg_attr(feature = "lean", ignore = "no regions at run time")]
fn rule_24_a_slot_of_which_the_dead_were_to_be_told_is_free() {
    let mut world = World::new();
    world.system.notify_client_died(world.channel);
    world.system.on_end(world.urgent_process, OnEnd::Restart);
    let gift = world.system.transferable(world.victim, world.channel, 9);
    let pool = world.system.pool(BLOCK, 1);
    world.system.quota(world.urgent_process, pool, 1);
    for again in [false, true] {
        interrupt_at_each_step(10, |steps| {
            let mut machine = world.system.start(true);
            let m = &mut machine;
            let send = Call::send(m.handle(world.to_victim), &[]).accepting_handle();
            world.asks(m, send, |m| {
                Call::reply_handle(m.token_of(world.urgent), &[0; 4], m.handle(gift))
            });
            m.fault(world.urgent);
            let made = m.answer_to(world.urgent, Call::create_region(0)).word();
            let copy = Call::copy_region(made, region::right::ALL);
            let full = loop {
                if let Some(error) = m.answer_to(world.urgent, copy).error() {
                    break error;
                }
            };
            assert_eq!(full, Error::NoHandles);
            let wait = world.waits(m);
            let half = world.ends(m, steps);
            if again {
                // Whenever it looks for interrupts one waits.
                m.host.interrupt_after(1);
            }
            let copied = m.answer_to(world.urgent, copy);
            assert_eq!(copied.error(), None, "after {steps} steps");
            assert_eq!(m.refused(world.urgent, copy), Error::NoHandles);
            m.call(world.urgent, wait);
            m.finish();
            half
        });
    }
}

/// Each is as long as a change of what a process sees, between two looks for interrupts.
#[test]
#[cfg_attr(feature = "lean", ignore = "no regions at run time")]
fn rule_24_regions_are_taken_from_the_dead_one_at_a_time() {
    let mut world = World::new();
    let pool = world.system.pool(BLOCK, 2);
    world.system.mappings(world.victim, 2);
    world.system.quota(world.victim, pool, 2);
    world.system.quota(world.urgent_process, pool, 1);
    let mut machine = world.system.start(true);
    let m = &mut machine;
    world.waits(m);
    for _ in 0..2 {
        let made = m.answer_to(world.main, Call::create_region(0)).word();
        let map = m.answer_to(world.main, Call::map_region(made, 0));
        assert_eq!(map.error(), None);
    }
    let mapped = |m: &Machine| {
        let windows = m.process(world.victim).exchange.windows.iter();
        windows.filter(|window| window.shows_region()).count()
    };
    assert!(world.ends(m, 1));
    assert_eq!(mapped(m), 2);
    m.call_once(world.urgent, Call::create_region(0));
    assert_eq!(mapped(m), 1);
    while m.must_repeat(world.urgent) {
        m.repeat(world.urgent);
    }
    let made = m.answer(world.urgent).expect("it is over");
    assert_eq!(made.error(), None);
    m.finish();
}

/// Its deadline passes before the end or amid it.
#[test]
fn rule_25_no_server_is_asked_to_let_the_dead_go() {
    let (mut world, threads) = World::beside(&[4], &[]);
    let client = threads[0];
    world.system.notify_unblock(world.own);
    for before in [true, false] {
        interrupt_at_each_step(10, |steps| {
            let mut machine = world.system.start(true);
            let m = &mut machine;
            let wait = world.waits(m);
            m.call(world.main, Call::sleep(m.now() + 100));
            let late = m.now() + if before { 50 } else { 150 };
            let send = Call::send(m.handle(world.to_urgent), &[]).deadline(late);
            m.call(client, send);
            m.raise(world.line.line);
            let receive = Call::receive(m.receive_handle(world.own));
            let _ = m.answer_to(world.urgent, receive).token();
            m.call(world.urgent, wait);
            m.advance(100);
            assert_eq!(m.state(client), State::ReplyBlocked);
            let half = world.ends(m, steps);
            m.set_now(m.now().max(late));
            m.interrupt();
            assert_eq!(m.current(), world.urgent);
            let found = m.answer_to(world.urgent, receive.deadline(0)).error();
            assert_eq!(found, Some(Error::WouldBlock), "after {steps} steps");
            m.call(world.urgent, wait);
            m.finish();
            half
        });
    }
}

/// In what way the urgent one comes to wait, in the end, for a thread of the dead that waited for it.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    /// For the server that waits for an answer of the dead.
    Message,
    /// For a lock of that server.
    Lock,
    /// For the server whose message waits where several of the dead received.
    Several,
}

#[test]
fn rule_26_the_dead_wait_for_nobody() {
    for way in [Way::Message, Way::Lock, Way::Several] {
        let (mut world, threads) = World::beside(&[4], &[]);
        let between = threads[0];
        let servers = world.system.process();
        world.system.share(servers, Access::Shared);
        let server = world.system.thread(servers, 3);
        let at_server = world.system.channel(servers);
        let to_between = world.system.connection(servers, world.channel, 9);
        let link = world.system.connection(world.urgent_process, at_server, 10);
        let clients = world.system.process();
        let client = world.system.thread(clients, 3);
        let from_client = world.system.connection(clients, world.channel, 11);
        let lock = |process: ProcessId| shared(process.0, Access::Shared).base;
        interrupt_at_each_step(10, |steps| {
            let mut machine = world.system.start(true);
            let m = &mut machine;
            world.waits(m);
            let receive = Call::receive(m.receive_handle(world.channel)).room(ROOM, 0);
            if way == Way::Several {
                // It has received there, too, and serves nobody.
                m.call(world.main, receive.deadline(m.now() + 1));
                m.advance(1);
            }
            m.call(world.main, Call::sleep(m.now() + 100));
            m.call(between, receive);
            let lock_it = Call::lock(lock(servers));
            match way {
                Way::Message => {
                    m.call(client, Call::sleep(m.now() + 1000));
                    m.send(server, to_between, &[]);
                }
                Way::Lock => {
                    m.call(client, Call::sleep(m.now() + 1000));
                    m.call(server, lock_it);
                    m.send(server, to_between, &[]);
                }
                Way::Several => {
                    m.call(server, Call::sleep(m.now() + 1));
                    m.send(client, from_client, &[]);
                    m.call(between, Call::sleep(m.now() + 1));
                    m.advance(1);
                }
            }
            m.send(between, world.to_urgent, &[]);
            if way == Way::Several {
                m.send(server, to_between, &[]);
                assert_eq!(m.state(server), State::SendBlocked);
            }
            assert_eq!(m.state(between), State::SendBlocked);
            m.advance(100);
            let half = world.ends(m, steps);
            let soon = m.now() + 100;
            let call = match way {
                Way::Lock => Call::lock(lock(world.urgent_process)),
                _ => Call::send(m.handle(link), &[]),
            };
            m.call(world.urgent, call.deadline(soon));
            let answer = m.answer(world.urgent).and_then(|answer| answer.error());
            assert_eq!(answer, None, "{way:?} after {steps} steps");
            let waits = [State::SendBlocked, State::FutexBlocked];
            assert!(waits.contains(&m.state(world.urgent)), "{way:?}");
            m.finish();
            assert_eq!(m.state(server), State::Ready, "it is told");
            half
        });
    }
}
