//! Regions that are made at run time.

use riposte_abi::{
    Error,
    call::{MAX_GENERATION, number},
    region::right::{ALL, ONWARD, TRANSFER, WRITE},
};
use riposte_kernel::{Access, OnEnd, Purpose, State};
use riposte_model::{
    Call, ChannelId, Connection, LineKind, Machine, PoolId, ProcessId, System, ThreadId,
    both_paths, interrupt_at_each_step, ram, shared,
};

/// Bytes of a block: two pieces are cleared.
const BLOCK: u32 = 0x400;
const BLOCKS: u8 = 3;
/// Where a client has room for its reply.
const ROOM: u32 = 0x3000;

/// A server that makes regions, and a client of two threads that is given them; both can map two. A rival may make one
/// region of the same pool. A killer ends the server and the client when it faults.
struct Lab {
    system: System,
    server_process: ProcessId,
    client_process: ProcessId,
    rival_process: ProcessId,
    killer: ThreadId,
    server: ThreadId,
    client: [ThreadId; 2],
    rival: ThreadId,
    channel: ChannelId,
    link: Connection,
    rival_link: Connection,
}

impl Lab {
    fn new() -> Self {
        Self::with(|_, _| {})
    }

    fn with(change: impl Fn(&mut System, [ProcessId; 4])) -> Self {
        let mut system = System::new();
        let server_process = system.process();
        let client_process = system.process();
        let rival_process = system.process();
        let killer_process = system.process();
        let server = system.thread(server_process, 10);
        let client = [0; 2].map(|_| system.thread(client_process, 10));
        let rival = system.thread(rival_process, 10);
        let killer = system.thread(killer_process, 10);
        let channel = system.channel(server_process);
        system.notify_unblock(channel);
        let link = system.connection(client_process, channel, 7);
        let rival_link = system.connection(rival_process, channel, 8);
        let pool = system.pool(BLOCK, BLOCKS);
        system.quota(server_process, pool, 2);
        system.quota(rival_process, pool, 1);
        for process in [server_process, client_process, rival_process] {
            system.mappings(process, 2);
            system.on_end(process, OnEnd::Restart);
        }
        system.on_end(killer_process, OnEnd::Restart);
        let all = [
            server_process,
            client_process,
            rival_process,
            killer_process,
        ];
        change(&mut system, all);
        Self {
            system,
            server_process,
            client_process,
            rival_process,
            killer,
            server,
            client,
            rival,
            channel,
            link,
            rival_link,
        }
    }

    /// The server has made a region: its handle.
    fn made(&self, m: &mut Machine) -> u32 {
        let answer = m.answer_to(self.server, Call::create_region(0));
        assert_eq!(answer.error(), None);
        assert_eq!(answer.words()[1], BLOCK);
        answer.word()
    }

    /// The client asks, and is given this handle of the server's: what the server and the client are told.
    fn give(&self, m: &mut Machine, handle: u32) -> (Option<Error>, Option<u32>) {
        let client = self.client[0];
        m.call(self.server, Call::receive(m.receive_handle(self.channel)));
        let ask = Call::send(m.handle(self.link), &[1]).accepting_handle();
        m.call(client, ask);
        let token = m.token_of(client);
        m.call(self.server, Call::reply_handle(token, &[0; 4], handle));
        let refused = m.answer(self.server).expect("a reply ends").error();
        if refused.is_some() {
            m.call(self.server, Call::reply(token, &[]));
        }
        (refused, m.answer(client).expect("answered").handle())
    }

    /// As that; the client's handle.
    fn given(&self, m: &mut Machine, handle: u32) -> u32 {
        let (refused, given) = self.give(m, handle);
        assert_eq!(refused, None);
        given.expect("a handle")
    }
}

/// A thread maps a region to be written: where.
fn mapped(m: &mut Machine, thread: ThreadId, handle: u32) -> u32 {
    let answer = m.answer_to(thread, Call::map_region(handle, WRITE));
    assert_eq!((answer.error(), answer.words()[1]), (None, BLOCK));
    answer.word()
}

fn done(m: &mut Machine, thread: ThreadId, call: Call) {
    assert_eq!(m.answer_to(thread, call).error(), None);
}

#[test]
fn a_requeue_leaves_waiters_in_the_region_in_which_everybody_who_could_wake_them_still_can() {
    let lab = Lab::new();
    both_paths(&lab.system, |m| {
        let regions = [(); 2].map(|()| lab.made(m));
        let own = regions.map(|region| mapped(m, lab.server, region));
        let given = lab.given(m, regions[0]);
        let there = mapped(m, lab.client[0], given);
        m.call(lab.client[0], Call::futex_wait(there, 0));
        let ram = ram(lab.server_process.0).base;
        for to in [own[1], ram] {
            let call = Call::futex_requeue(own[0], 0, 0, to, 1);
            assert_eq!(m.refused(lab.server, call), Error::BadAddress);
        }
        let moves = Call::futex_requeue(own[0], 0, 0, own[0] + 4, 1);
        assert_eq!(m.answer_to(lab.server, moves).words()[..2], [0, 1]);
    });
}

#[test]
fn a_region_that_is_made_and_handed_over_is_one_memory_of_zeros() {
    let lab = Lab::new();
    both_paths(&lab.system, |m| {
        let own = lab.made(m);
        let given = lab.given(m, own);
        let (here, there) = (mapped(m, lab.server, own), mapped(m, lab.client[0], given));
        let zeros = Some(vec![0; BLOCK as usize]);
        assert_eq!(m.host.try_read(lab.server_process, here, BLOCK), zeros);
        assert!(m.host.try_write(lab.server_process, here + 8, b"both"));
        let seen = m.host.try_read(lab.client_process, there + 8, 4);
        assert_eq!(seen.as_deref(), Some(&b"both"[..]));
        assert!(m.host.try_read(lab.rival_process, here, 1).is_none());
    });
}

#[test]
fn a_block_that_was_somebodys_is_cleared_before_anybody_else_sees_it() {
    let lab = Lab::new();
    both_paths(&lab.system, |m| {
        let own = lab.made(m);
        let at = mapped(m, lab.server, own);
        assert!(
            m.host
                .try_write(lab.server_process, at, &[0x5A; BLOCK as usize])
        );
        done(m, lab.server, Call::release(at));
        assert!(m.host.try_read(lab.server_process, at, 1).is_none());
        done(m, lab.server, Call::close(own));
        let rivals = m.answer_to(lab.rival, Call::create_region(0)).word();
        let at = mapped(m, lab.rival, rivals);
        let zeros = Some(vec![0; BLOCK as usize]);
        assert_eq!(m.host.try_read(lab.rival_process, at, BLOCK), zeros);
    });
}

#[test]
fn a_block_is_cleared_in_pieces_and_whoever_asks_next_goes_on() {
    let mut system = System::new();
    let [first_process, urgent_process] = [0; 2].map(|_| system.process());
    let first = system.thread(first_process, 10);
    let urgent = system.thread(urgent_process, 12);
    let pool = system.pool(BLOCK, BLOCKS);
    for process in [first_process, urgent_process] {
        system.quota(process, pool, 1);
        system.mappings(process, 1);
    }
    both_paths(&system, |m| {
        let zeros = Some(vec![0; BLOCK as usize]);
        let soon = m.now() + 50;
        m.call(urgent, Call::sleep(soon));
        m.run(first);
        m.host.interrupt_after(1);
        let create = Call::create_region(0);
        assert!(!m.call_once(first, create), "it gives way to the interrupt");
        m.advance_to(soon);
        // Somebody else takes the block; the first one gets another.
        let theirs = m.answer_to(urgent, Call::create_region(0)).word();
        let there = mapped(m, urgent, theirs);
        assert_eq!(m.host.try_read(urgent_process, there, BLOCK), zeros);
        assert!(m.host.try_write(urgent_process, there, &[1; 4]));
        m.call(urgent, Call::sleep(soon + 50));
        while m.must_repeat(first) {
            m.repeat(first);
        }
        let own = m.answer(first).expect("made").word();
        let here = mapped(m, first, own);
        assert_eq!(m.host.try_read(first_process, here, BLOCK), zeros);
        let seen = m.host.try_read(urgent_process, there, 4);
        assert_eq!(seen, Some(vec![1; 4]));
    });
}

#[test]
fn a_copy_of_a_handle_has_the_rights_that_were_kept_and_no_others() {
    let lab = Lab::new();
    both_paths(&lab.system, |m| {
        let own = lab.made(m);
        let to_read = m
            .answer_to(lab.server, Call::copy_region(own, TRANSFER | ONWARD))
            .word();
        let call = Call::map_region(to_read, WRITE);
        assert_eq!(m.refused(lab.server, call), Error::NotPermitted);
        let again = m
            .answer_to(lab.server, Call::copy_region(to_read, ALL))
            .word();
        let call = Call::map_region(again, WRITE);
        assert_eq!(m.refused(lab.server, call), Error::NotPermitted);
        let given = lab.given(m, to_read);
        let call = Call::map_region(given, WRITE);
        assert_eq!(m.refused(lab.client[0], call), Error::NotPermitted);
        let at = m
            .answer_to(lab.client[0], Call::map_region(given, 0))
            .word();
        assert!(m.host.try_read(lab.client_process, at, BLOCK).is_some());
        assert!(!m.host.try_write(lab.client_process, at, &[1]));
        // The kernel does not write there for it, either.
        let call = Call::receive(m.receive_handle(lab.channel));
        m.call(lab.server, call);
        m.call(
            lab.client[0],
            Call::send(m.handle(lab.link), &[1]).room(at, 8),
        );
        let token = m.token_of(lab.client[0]);
        let data = ram(lab.server_process.0).base;
        m.call(lab.server, Call::reply_bytes(token, data, 8));
        let answer = m.answer(lab.client[0]).expect("answered");
        assert_eq!(answer.error(), Some(Error::BadAddress));
        // Handed on once, by who may.
        let once = m.answer_to(lab.server, Call::copy_region(own, WRITE | TRANSFER));
        let given = lab.given(m, once.word());
        assert_eq!(
            m.answer_to(lab.client[0], Call::copy_region(given, ALL))
                .error(),
            None
        );
        let mute = m
            .answer_to(lab.server, Call::copy_region(own, WRITE))
            .word();
        let (refusal, got) = lab.give(m, mute);
        assert_eq!((refusal, got), (Some(Error::NotPermitted), None));
        for call in [
            Call::copy_region(own, ALL + 1),
            Call::map_region(own, TRANSFER),
            Call::map_region(own, u32::MAX),
        ] {
            assert_eq!(m.refused(lab.server, call), Error::BadArgument);
        }
    });
}

#[test]
fn a_pool_a_quota_the_places_and_the_slots_are_bounded_and_nothing_changes_beyond() {
    let lab = Lab::with(|system, [server, ..]| {
        let pool = PoolId(0);
        system.quota(server, pool, 9);
    });
    both_paths(&lab.system, |m| {
        // Its quota.
        let [first, second] = [0; 2].map(|_| lab.made(m));
        let create = Call::create_region(0);
        assert_eq!(m.refused(lab.server, create), Error::Exhausted);
        // The pool: the other quota allows more than there is.
        let third = m.answer_to(lab.server, Call::create_region(1)).word();
        let create = Call::create_region(1);
        assert_eq!(m.refused(lab.server, create), Error::Exhausted);
        assert_eq!(
            m.refused(lab.rival, Call::create_region(0)),
            Error::Exhausted
        );
        // Of a pool that it was not given.
        let other = m.refused(lab.server, Call::create_region(2));
        assert_eq!(other, Error::NotPermitted);
        let none = m.refused(lab.client[0], Call::create_region(0));
        assert_eq!(none, Error::NotPermitted);
        // Its places.
        let at = mapped(m, lab.server, first);
        let call = Call::map_region(first, 0);
        assert_eq!(m.refused(lab.server, call), Error::InUse);
        mapped(m, lab.server, second);
        let call = Call::map_region(third, 0);
        assert_eq!(m.refused(lab.server, call), Error::Exhausted);
        done(m, lab.server, Call::release(at));
        mapped(m, lab.server, third);
        // Its slots.
        let full = loop {
            let answer = m.answer_to(lab.server, Call::copy_region(first, 0));
            if let Some(error) = answer.error() {
                break error;
            }
        };
        assert_eq!(full, Error::NoHandles);
        let call = Call::copy_region(first, 0);
        assert_eq!(m.refused(lab.server, call), Error::NoHandles);
    });
}

#[test]
fn a_region_is_there_as_long_as_somebody_has_a_handle_or_has_it_mapped() {
    let lab = Lab::new();
    both_paths(&lab.system, |m| {
        let own = lab.made(m);
        let at = mapped(m, lab.server, own);
        done(m, lab.server, Call::close(own));
        // It is mapped still, and counts.
        assert!(m.host.try_write(lab.server_process, at, &[7]));
        lab.made(m);
        assert_eq!(
            m.refused(lab.server, Call::create_region(0)),
            Error::Exhausted
        );
        // The old handle leads nowhere, whatever has its slot.
        for call in [
            Call::map_region(own, 0),
            Call::close(own),
            Call::copy_region(own, 0),
        ] {
            assert_eq!(m.refused(lab.server, call), Error::BadHandle);
        }
        done(m, lab.server, Call::release(at));
        lab.made(m);
        let call = Call::release(at);
        assert_eq!(m.refused(lab.server, call), Error::BadAddress);
    });
}

#[test]
fn a_handle_of_a_region_is_nothing_else() {
    let lab = Lab::new();
    both_paths(&lab.system, |m| {
        let own = lab.made(m);
        let link = m.handle(lab.link);
        let channel = m.receive_handle(lab.channel);
        for call in [
            Call::send(own, &[1]),
            Call::lend(own, ram(lab.server_process.0).base, 0x100, &[0; 3]),
            Call::notify(own, 1),
            Call::trigger(own),
            Call::destroy_proxy(own),
            Call::cancel_timer(own),
            Call::receive(own),
            Call::other(number::INTERRUPT_ACK, &[own]),
        ] {
            let error = m.refused(lab.server, call);
            assert!(
                matches!(error, Error::BadHandle | Error::NotPermitted),
                "{error:?}"
            );
        }
        for call in [Call::map_region(channel, 0), Call::copy_region(channel, 0)] {
            assert_eq!(m.refused(lab.server, call), Error::NotPermitted);
        }
        let call = Call::map_region(link, 0);
        assert_eq!(m.refused(lab.client[0], call), Error::BadHandle);
        let call = Call::map_region(u32::MAX, 0);
        assert_eq!(m.refused(lab.client[0], call), Error::BadHandle);
    });
}

#[test]
fn a_reply_goes_nowhere_if_its_place_was_in_a_region_that_is_unmapped() {
    let lab = Lab::new();
    both_paths(&lab.system, |m| {
        let own = lab.made(m);
        let given = lab.given(m, own);
        done(m, lab.server, Call::close(own));
        let [first, second] = lab.client;
        let at = mapped(m, first, given);
        m.call(lab.server, Call::receive(m.receive_handle(lab.channel)));
        let call = Call::send_bytes(m.handle(lab.link), at, 16).room(at, 64);
        m.call(first, call);
        assert_eq!(m.state(first), State::ReplyBlocked);
        // Its other thread takes the region away, and somebody else gets the block.
        done(m, second, Call::release(at));
        done(m, second, Call::close(given));
        let rivals = m.answer_to(lab.rival, Call::create_region(0)).word();
        let there = mapped(m, lab.rival, rivals);
        let token = m.token_of(first);
        let data = ram(lab.server_process.0).base;
        m.host.poke(data, &[0xEE; 64]);
        let read = m.answer_to(lab.server, Call::read(token, data, 16, 0));
        assert!(read.error().is_some() || read.word() == 0, "{read:?}");
        assert_eq!(m.host.peek(data, 16), [0xEE; 16]);
        m.call(lab.server, Call::write(token, data, 16, 0));
        if m.state(first) == State::ReplyBlocked {
            m.call(lab.server, Call::reply_bytes(token, data, 64));
        }
        let answer = m.answer(first).expect("it waits no more");
        assert_eq!(answer.error(), Some(Error::BadAddress));
        let zeros = Some(vec![0; BLOCK as usize]);
        assert_eq!(m.host.try_read(lab.rival_process, there, BLOCK), zeros);
    });
}

#[test]
fn a_message_and_a_room_in_a_region_are_as_any_other_while_it_is_mapped() {
    let lab = Lab::new();
    both_paths(&lab.system, |m| {
        let own = lab.made(m);
        let given = lab.given(m, own);
        let there = mapped(m, lab.client[0], given);
        let here = mapped(m, lab.server, own);
        assert!(m.host.try_write(lab.client_process, there, b"question"));
        let receive = Call::receive(m.receive_handle(lab.channel)).room(here + 0x100, 8);
        m.call(lab.server, receive);
        let call = Call::send_bytes(m.handle(lab.link), there, 8).room(there + 0x200, 8);
        m.call(lab.client[0], call);
        let token = m.token_of(lab.client[0]);
        m.call(lab.server, Call::reply_bytes(token, here + 0x100, 8));
        let seen = m.host.try_read(lab.client_process, there + 0x200, 8);
        assert_eq!(seen.as_deref(), Some(&b"question"[..]));
    });
}

/// The server and its client have mapped one region: where each sees it.
fn both_mapped(lab: &Lab, m: &mut Machine) -> (u32, u32) {
    let own = lab.made(m);
    let given = lab.given(m, own);
    (mapped(m, lab.server, own), mapped(m, lab.client[0], given))
}

/// A thread waits in this call.
fn waits(m: &mut Machine, thread: ThreadId, call: Call) {
    m.call(thread, call);
    assert_eq!(m.state(thread), State::FutexBlocked);
}

#[test]
fn threads_of_processes_that_have_mapped_a_region_meet_at_its_words() {
    let lab = Lab::new();
    both_paths(&lab.system, |m| {
        let (here, there) = both_mapped(&lab, m);
        let (word, other) = (here + 8, there + 8);
        let client = lab.client[0];
        waits(m, client, Call::futex_wait(other, 0));
        assert_eq!(m.answer_to(lab.server, Call::futex_wake(word, 1)).word(), 1);
        done(m, client, Call::futex_wake(other, 1));
        waits(m, client, Call::futex_wait(other, 0));
        assert_eq!(m.answer_to(lab.server, Call::futex_give(word)).word(), 1);
        // From one word of it to another one.
        waits(m, client, Call::futex_wait(other, 0));
        let move_on = Call::futex_requeue(word, 0, 0, word + 4, 1);
        assert_eq!(m.answer_to(lab.server, move_on).words()[1], 1);
        assert_eq!(m.answer_to(lab.server, Call::futex_wake(word, 1)).word(), 0);
        assert_eq!(
            m.answer_to(lab.server, Call::futex_wake(word + 4, 1))
                .word(),
            1
        );
        // A lock.
        done(m, lab.server, Call::lock(word));
        waits(m, client, Call::lock(other));
        done(m, lab.server, Call::unlock(word));
        let told = m.answer(client).expect("the lock");
        assert_eq!((told.error(), told.word()), (None, 0));
    });
}

#[test]
fn who_waits_at_a_word_of_a_region_that_is_unmapped_waits_no_more() {
    let lab = Lab::new();
    let waits_of = |at| [Call::futex_wait(at, 0), Call::lock(at + 4)];
    for number in 0..2 {
        both_paths(&lab.system, |m| {
            let (here, there) = both_mapped(&lab, m);
            let [first, second] = lab.client;
            done(m, lab.server, Call::lock(here + 4));
            waits(m, first, waits_of(there)[number]);
            done(m, second, Call::release(there));
            let told = m.answer(first).expect("it waits no more");
            assert_eq!(told.error(), Some(Error::BadAddress));
            // Nobody is left whom a wake or the lock could go to.
            assert_eq!(m.answer_to(lab.server, Call::futex_wake(here, 9)).word(), 0);
            done(m, lab.server, Call::unlock(here + 4));
            let zeros = m.host.try_read(lab.server_process, here + 4, 4);
            assert_eq!(zeros, Some(vec![0; 4]));
            for call in waits_of(there) {
                assert_eq!(m.refused(second, call), Error::BadAddress);
            }
        });
    }
}

#[test]
fn who_waits_for_a_lock_of_its_own_process_in_a_region_that_is_unmapped_does_not_get_it() {
    let lab = Lab::new();
    both_paths(&lab.system, |m| {
        let (here, there) = both_mapped(&lab, m);
        let [first, second] = lab.client;
        done(m, first, Call::lock(there + 4));
        waits(m, second, Call::lock(there + 4));
        waits(m, lab.server, Call::lock(here + 4));
        done(m, first, Call::release(there));
        let told = m.answer(second).expect("it waits no more");
        assert_eq!(told.error(), Some(Error::BadAddress));
        // It is the other process's now, which is told that its owner has left it.
        assert_eq!(m.answer(lab.server).expect("it has the lock").word(), 1);
        assert_eq!(
            m.refused(second, Call::unlock(there + 4)),
            Error::BadAddress
        );
    });
}

/// How `makers`, who make one region, hand it to `users`; both can map it.
fn way(system: &mut System, makers: ProcessId, users: ProcessId) -> (ChannelId, Connection) {
    let channel = system.channel(makers);
    let link = system.connection(users, channel, 7);
    let pool = system.pool(BLOCK, BLOCKS);
    system.quota(makers, pool, 1);
    for process in [makers, users] {
        system.mappings(process, 1);
    }
    (channel, link)
}

/// `maker` has made and mapped a region, and answered `taker` with it: where it sees it.
fn handed_over(
    m: &mut Machine,
    (channel, link): (ChannelId, Connection),
    maker: ThreadId,
    taker: ThreadId,
) -> u32 {
    let own = m.answer_to(maker, Call::create_region(0)).word();
    let there = mapped(m, maker, own);
    m.call(maker, Call::receive(m.receive_handle(channel)));
    let ask = Call::send(m.handle(link), &[1]).accepting_handle();
    m.call(taker, ask);
    m.call(maker, Call::reply_handle(m.token_of(taker), &[0; 4], own));
    there
}

/// A lock comes to the process that unmaps, with one behind it who was passed over when it was another's.
#[test]
fn who_is_given_a_lock_of_a_region_while_its_process_unmaps_it_gives_it_up() {
    let mut system = System::new();
    let [makers, users] = [(); 2].map(|()| system.process());
    let (maker, passed_over) = (system.thread(makers, 12), system.thread(makers, 10));
    let [taker, heir] = [(); 2].map(|()| system.thread(users, 10));
    let way = way(&mut system, makers, users);
    both_paths(&system, |m| {
        let there = handed_over(m, way, maker, taker);
        done(m, maker, Call::lock(there));
        let soon = m.now() + 50;
        m.call(maker, Call::sleep(soon));
        let given = m.answer(taker).expect("answered").handle().expect("one");
        let here = mapped(m, taker, given);
        waits(m, heir, Call::lock(here));
        waits(m, passed_over, Call::lock(there));
        m.run(taker);
        m.host.interrupt_after(1);
        assert!(!m.call_once(taker, Call::release(here)), "it gives way");
        m.advance_to(soon);
        done(m, maker, Call::unlock(there));
        m.call(maker, Call::sleep(u64::MAX));
        while m.must_repeat(taker) {
            m.run(taker);
            m.repeat(taker);
        }
        // The one in front of it has it no more.
        assert_eq!(m.answer(heir).expect("it had the lock").word(), 0);
        assert_eq!(m.answer(passed_over).expect("it has the lock").word(), 1);
    });
}

/// It comes while the process unmaps, which owns the lock, and the word says that another thread does.
#[test]
fn who_waits_for_a_lock_of_a_region_behind_another_is_found_by_its_owners_process_whatever_the_word_says()
 {
    let mut system = System::new();
    let [makers, users] = [(); 2].map(|()| system.process());
    let late = system.thread(makers, 12);
    let [sleeper, maker, first] = [(); 3].map(|()| system.thread(makers, 10));
    let taker = system.thread(users, 10);
    let way = way(&mut system, makers, users);
    both_paths(&system, |m| {
        let soon = m.now() + 50;
        m.call(late, Call::sleep(soon));
        let there = handed_over(m, way, maker, taker);
        let given = m.answer(taker).expect("answered").handle().expect("one");
        let here = mapped(m, taker, given);
        done(m, taker, Call::lock(here));
        waits(m, sleeper, Call::futex_wait(there + 4, 0));
        m.call(first, Call::lock(there).deadline(soon + 50));
        m.run(taker);
        m.host.interrupt_after(1);
        assert!(!m.call_once(taker, Call::release(here)), "it gives way");
        m.advance_to(soon);
        let forged = m.thread(maker).id().to_le_bytes();
        assert!(m.host.try_write(makers, there, &forged));
        waits(m, late, Call::lock(there));
        m.advance_to(soon + 50);
        let told = m.answer(first).expect("late");
        assert_eq!(told.error(), Some(Error::TimedOut));
        m.run(taker);
        m.repeat(taker);
        assert_eq!(m.answer(late).expect("it has the lock").word(), 1);
        m.call(late, Call::sleep(u64::MAX));
        while m.must_repeat(taker) {
            m.run(taker);
            m.repeat(taker);
        }
        assert!(m.host.try_read(users, here, 1).is_none());
    });
}

#[test]
fn a_region_is_unmapped_under_many_who_wait_in_it_and_gives_way_to_interrupts() {
    let mut system = System::new();
    let process = system.process();
    let taker = system.thread(process, 10);
    let waiters = [0; 4].map(|_| system.thread(process, 10));
    let urgent = system.thread(process, 12);
    let pool = system.pool(BLOCK, BLOCKS);
    system.quota(process, pool, 1);
    system.mappings(process, 1);
    both_paths(&system, |m| {
        let soon = m.now() + 50;
        m.call(urgent, Call::sleep(soon));
        let own = m.answer_to(taker, Call::create_region(0)).word();
        let at = mapped(m, taker, own);
        for waiter in waiters {
            waits(m, waiter, Call::futex_wait(at, 0));
        }
        m.run(taker);
        m.host.interrupt_after(1);
        assert!(!m.call_once(taker, Call::release(at)), "it gives way");
        m.advance_to(soon);
        // One that was passed over begins to wait meanwhile.
        waits(m, urgent, Call::futex_wait(at, 0));
        while m.must_repeat(taker) {
            m.repeat(taker);
        }
        assert_eq!(m.answer(taker).expect("unmapped").error(), None);
        for waiter in waiters.into_iter().chain([urgent]) {
            let told = m.answer(waiter).expect("it waits no more");
            assert_eq!(told.error(), Some(Error::BadAddress));
        }
        assert!(m.host.try_read(process, at, 1).is_none());
    });
}

#[test]
fn a_region_of_many_threads_is_unmapped_though_an_interrupt_waits_at_each_look() {
    let mut system = System::new();
    let process = system.process();
    let main = system.thread(process, 10);
    for _ in 0..69 {
        system.thread(process, 5);
    }
    let pool = system.pool(BLOCK, BLOCKS);
    system.quota(process, pool, 1);
    system.mappings(process, 1);
    both_paths(&system, |m| {
        let own = m.answer_to(main, Call::create_region(0)).word();
        let at = mapped(m, main, own);
        // The word is named, and nobody waits there.
        m.call(main, Call::futex_wake(at, 1));
        m.host.interrupt_after(1);
        let mut is_done = m.call_once(main, Call::release(at));
        let mut times = 0;
        while !is_done {
            times += 1;
            assert!(times <= 4, "it makes no progress");
            m.interrupt();
            m.host.interrupt_after(1);
            is_done = m.repeat(main);
        }
        assert_eq!(times, 4, "it gives way");
        assert!(m.host.try_read(process, at, 1).is_none());
    });
}

#[test]
fn who_may_only_read_a_region_or_has_it_no_more_names_no_word_of_it() {
    let lab = Lab::new();
    both_paths(&lab.system, |m| {
        let own = lab.made(m);
        let given = lab.given(m, own);
        let client = lab.client[0];
        let here = mapped(m, lab.server, own);
        let at = m.answer_to(client, Call::map_region(given, 0)).word();
        let data = ram(lab.client_process.0).base;
        waits(m, lab.server, Call::futex_wait(here, 0));
        for call in [
            Call::futex_wait(at, 0),
            Call::futex_wake(at, 1),
            Call::futex_give(at),
            Call::futex_requeue(at, 0, 0, at + 4, 1),
            Call::lock(at),
            Call::unlock(at),
        ] {
            assert_eq!(m.refused(client, call), Error::BadAddress);
        }
        done(m, client, Call::release(at));
        let at = mapped(m, client, given);
        // Who shares the one word could not wake at the other one.
        for (from, to) in [(at, data), (data, at)] {
            let call = Call::futex_requeue(from, 0, 0, to, 1);
            assert_eq!(m.refused(client, call), Error::BadAddress);
        }
        for beyond in [at.wrapping_sub(4), at + BLOCK] {
            assert_eq!(
                m.refused(client, Call::futex_wake(beyond, 1)),
                Error::BadAddress
            );
        }
        assert_eq!(
            m.refused(client, Call::futex_wake(at + 2, 1)),
            Error::BadArgument
        );
        assert_eq!(m.answer_to(client, Call::futex_wake(at, 1)).word(), 1);
    });
}

#[test]
fn a_lock_in_a_region_goes_on_when_its_owner_dies_or_unmaps_it() {
    let lab = Lab::with(|system, all| system.restart_with(all[0], all[3]));
    both_paths(&lab.system, |m| {
        let (here, there) = both_mapped(&lab, m);
        let [first, second] = lab.client;
        done(m, lab.server, Call::lock(here));
        waits(m, first, Call::lock(there));
        m.fault(lab.killer);
        assert_eq!(m.answer(first).expect("the lock").word(), 1);
        // The next life has not mapped it, and owns nothing there.
        waits(m, second, Call::lock(there));
        assert_eq!(m.refused(lab.server, Call::unlock(here)), Error::BadAddress);
        done(m, first, Call::unlock(there));
        assert_eq!(m.answer(second).expect("the lock").word(), 1);
    });
    let lab = Lab::with(|system, all| system.restart_with(all[0], all[3]));
    both_paths(&lab.system, |m| {
        let (here, there) = both_mapped(&lab, m);
        let [first, second] = lab.client;
        done(m, lab.server, Call::lock(here));
        done(m, lab.server, Call::release(here));
        // Who cannot write there does not own it.
        let told = m.answer_to(first, Call::lock(there));
        assert_eq!((told.error(), told.word()), (None, 1));
        // Nor does it what others wait for: that goes on to them, when it is unmapped and not when its owner ends.
        let own = m.answer_to(lab.server, Call::create_region(0)).word();
        let given = lab.given(m, own);
        let (here, there) = (mapped(m, lab.server, own), mapped(m, first, given));
        // It has taken it without the kernel.
        let id = m.thread(lab.server).id().to_le_bytes();
        assert!(m.host.try_write(lab.server_process, here, &id));
        waits(m, second, Call::lock(there));
        done(m, lab.server, Call::release(here));
        assert_eq!(m.answer(second).expect("the lock").word(), 1);
        waits(m, first, Call::lock(there));
        m.fault(lab.killer);
        assert!(m.answer(first).is_none(), "another thread owns it");
        done(m, second, Call::unlock(there));
        assert_eq!(m.answer(first).expect("the lock").word(), 1);
    });
}

#[test]
fn who_unmaps_a_region_looks_for_interrupts_among_the_locks_that_it_owns_elsewhere() {
    const MANY: u32 = 60;
    let mut system = System::new();
    let [owners, waiting] = [(); 2].map(|()| system.process());
    let owner = system.thread(owners, 10);
    let others: Vec<ThreadId> = (0..MANY).map(|_| system.thread(waiting, 10)).collect();
    let [here, there] = [owners, waiting].map(|it| shared(it.0, Access::Shared).base);
    let pool = system.pool(BLOCK, BLOCKS);
    system.quota(owners, pool, 1);
    system.mappings(owners, 1);
    for process in [owners, waiting] {
        system.share(process, Access::Shared);
    }
    both_paths(&system, |m| {
        let region = m.answer_to(owner, Call::create_region(0)).word();
        let at = mapped(m, owner, region);
        done(m, owner, Call::futex_wake(at, 1));
        for (place, other) in (0..).step_by(4).zip(&others) {
            done(m, owner, Call::lock(here + place));
            waits(m, *other, Call::lock(there + place));
        }
        // At every 32nd of them.
        m.host.interrupt_after(1);
        assert!(!m.call_once(owner, Call::release(at)));
        m.repeat(owner);
        assert_eq!(m.answer(owner).expect("over").error(), None);
        assert_eq!(m.refused(owner, Call::futex_wake(at, 1)), Error::BadAddress);
    });
}

#[test]
fn who_dies_waiting_in_a_region_is_in_nobodys_way_when_its_block_is_somebody_elses() {
    let lab = Lab::with(|system, all| system.restart_with(all[1], all[3]));
    both_paths(&lab.system, |m| {
        let own = lab.made(m);
        let given = lab.given(m, own);
        done(m, lab.server, Call::close(own));
        let at = mapped(m, lab.client[0], given);
        done(m, lab.client[0], Call::lock(at));
        waits(m, lab.client[1], Call::lock(at));
        m.fault(lab.killer);
        let rivals = m.answer_to(lab.rival, Call::create_region(0)).word();
        let there = mapped(m, lab.rival, rivals);
        done(m, lab.rival, Call::lock(there));
        assert_eq!(m.answer_to(lab.rival, Call::futex_wake(there, 9)).word(), 0);
        done(m, lab.rival, Call::unlock(there));
    });
}

#[test]
fn who_waits_for_a_lock_behind_the_dead_waits_for_the_owner_of_now() {
    let mut system = System::new();
    let [victim, other] = [0; 2].map(|_| system.process());
    let doomed = system.thread(victim, 4);
    let waiting = system.thread(victim, 5);
    let handler = system.thread(other, 20);
    let next = system.thread(other, 19);
    let before = system.thread(other, 18);
    let channel = system.channel(other);
    let line = system.interrupt(other, LineKind::Edge);
    let link = system.connection(victim, channel, 30);
    let pool = system.pool(BLOCK, 2);
    system.quota(other, pool, 2);
    for process in [victim, other] {
        system.mappings(process, 1);
    }
    let idle_word = ram(other.0).base;
    let mut same_block = 0;
    interrupt_at_each_step(10, |steps| {
        let mut machine = system.start(true);
        let m = &mut machine;
        let interrupt = m.attach(handler, line, channel, 1);
        let region = m.answer_to(handler, Call::create_region(0)).word();
        let at = mapped(m, handler, region);
        m.call(handler, Call::receive(m.receive_handle(channel)));
        m.call(next, Call::futex_wait(idle_word, 0));
        done(m, before, Call::lock(at));
        m.call(before, Call::futex_wait(idle_word + 4, 0));
        let ask = Call::send(m.handle(link), &[1]).accepting_handle();
        m.call(waiting, ask);
        let token = m.token_of(waiting);
        done(m, handler, Call::reply_handle(token, &[0; 4], region));
        let wait = Call::acknowledge_and_receive(m.receive_handle(channel), interrupt);
        m.call(handler, wait);
        let given = m.answer(waiting).expect("answered").handle();
        let given = given.expect("a region");
        let there = mapped(m, waiting, given);
        done(m, waiting, Call::close(given));
        waits(m, waiting, Call::lock(there));
        let half = m.exit_interrupted(doomed, steps);
        m.raise_amid(line.line);
        // The block is cleared, and another lock lies where the dead waits for the one before.
        done(m, handler, Call::release(at));
        done(m, handler, Call::close(region));
        let region = m.answer_to(handler, Call::create_region(0)).word();
        let now = mapped(m, handler, region);
        same_block += u32::from(now == at);
        done(m, handler, Call::lock(now));
        done(m, handler, Call::futex_wake(idle_word, 1));
        m.call(handler, wait);
        waits(m, next, Call::lock(now));
        let owner = m.kernel.lock_owner(m.thread(next));
        let owner = owner.map(|owner| ThreadId(owner.index.into()));
        assert_eq!(owner, Some(handler), "after {steps} steps");
        half
    });
    assert!(same_block > 5, "the block is taken anew in the middle");
}

#[test]
fn nothing_of_a_region_is_lent() {
    let lab = Lab::with(|system, [server, ..]| system.windows(server, 1, 0x1000));
    both_paths(&lab.system, |m| {
        let own = lab.made(m);
        let given = lab.given(m, own);
        let at = mapped(m, lab.client[0], given);
        let link = m.handle(lab.link);
        for carry in [Call::lend, Call::lend_mut, Call::give] {
            let call = carry(link, at, BLOCK, &[0; 3]);
            assert_eq!(m.refused(lab.client[0], call), Error::CannotLend);
        }
    });
}

#[test]
fn messages_with_memory_find_no_room_in_the_places_for_regions() {
    let lab = Lab::new();
    both_paths(&lab.system, |m| {
        let call = Call::receive(m.receive_handle(lab.channel));
        m.call(lab.server, call);
        let base = ram(lab.rival_process.0).base;
        let call = Call::lend(m.handle(lab.rival_link), base, 0x400, &[0; 3]);
        assert_eq!(m.refused(lab.rival, call), Error::CannotLend);
    });
    let lab = Lab::with(|system, [server, ..]| system.windows(server, 1, 0x1000));
    both_paths(&lab.system, |m| {
        let call = Call::receive(m.receive_handle(lab.channel));
        m.call(lab.server, call);
        let base = ram(lab.rival_process.0).base;
        let call = Call::lend(m.handle(lab.rival_link), base, 0x400, &[0; 3]);
        m.call(lab.rival, call);
        let (_, address, length) = m
            .answer(lab.server)
            .expect("taken")
            .memory()
            .expect("memory");
        assert_eq!(length, 0x400);
        // Both places are free for regions; what is lent is not unmapped so.
        for _ in 0..2 {
            let own = lab.made(m);
            mapped(m, lab.server, own);
        }
        let call = Call::release(address);
        assert_eq!(m.refused(lab.server, call), Error::BadAddress);
    });
}

#[test]
fn a_process_that_ends_has_no_regions_any_more_and_others_keep_theirs() {
    let killed = |system: &mut System, [server, client, rival, killer]: [ProcessId; 4]| {
        for process in [server, client, rival] {
            system.restart_with(process, killer);
        }
    };
    // The maker dies: who was given the region keeps it, and it counts in the maker's next life.
    let lab = Lab::with(|system, all| system.restart_with(all[0], all[3]));
    both_paths(&lab.system, |m| {
        let own = lab.made(m);
        let given = lab.given(m, own);
        let there = mapped(m, lab.client[0], given);
        let here = mapped(m, lab.server, own);
        lab.made(m);
        m.fault(lab.killer);
        assert!(m.host.try_read(lab.server_process, here, 1).is_none());
        assert!(m.host.try_write(lab.client_process, there, &[1]));
        let call = Call::map_region(own, 0);
        assert_eq!(m.refused(lab.server, call), Error::BadHandle);
        lab.made(m);
        assert_eq!(
            m.refused(lab.server, Call::create_region(0)),
            Error::Exhausted
        );
        done(m, lab.client[1], Call::release(there));
        done(m, lab.client[1], Call::close(given));
        lab.made(m);
    });
    // All die: all is free.
    let lab = Lab::with(killed);
    both_paths(&lab.system, |m| {
        let own = lab.made(m);
        let given = lab.given(m, own);
        mapped(m, lab.client[0], given);
        mapped(m, lab.server, own);
        m.answer_to(lab.rival, Call::create_region(0));
        m.fault(lab.killer);
        for _ in 0..2 {
            lab.made(m);
        }
        assert_eq!(m.answer_to(lab.rival, Call::create_region(0)).error(), None);
    });
}

#[test]
fn a_thread_that_ran_on_with_the_region_sees_it_no_more_before_it_runs_again() {
    let lab = Lab::new();
    both_paths(&lab.system, |m| {
        let own = lab.made(m);
        let given = lab.given(m, own);
        let [first, second] = lab.client;
        let at = mapped(m, first, given);
        m.run(second);
        assert!(m.host.try_read(lab.client_process, at, 1).is_some());
        done(m, first, Call::release(at));
        // What each thread's image shows is compared by the model's checks.
        m.run(second);
        assert!(m.host.try_read(lab.client_process, at, 1).is_none());
    });
}

#[test]
fn a_region_is_given_to_nobody_who_takes_no_handle() {
    let lab = Lab::new();
    both_paths(&lab.system, |m| {
        let own = lab.made(m);
        m.call(lab.server, Call::receive(m.receive_handle(lab.channel)));
        let base = ram(lab.client_process.0).base;
        let ask = Call::send(m.handle(lab.link), &[1]).room(base + ROOM, 8);
        m.call(lab.client[0], ask);
        let token = m.token_of(lab.client[0]);
        let call = Call::reply_handle(token, &[0; 4], own);
        assert_eq!(m.refused(lab.server, call), Error::NotPermitted);
        assert_eq!(m.state(lab.client[0]), State::ReplyBlocked);
    });
}

#[test]
fn a_region_is_handed_on_by_those_who_get_it_only_if_it_is_onward() {
    let mut system = System::new();
    let all = [0; 3].map(|_| system.process());
    let [first, second, third] = all.map(|process| system.thread(process, 10));
    let near = system.channel(all[0]);
    let far = system.channel(all[1]);
    let link = system.connection(all[1], near, 1);
    let further = system.connection(all[2], far, 2);
    let pool = system.pool(BLOCK, BLOCKS);
    system.quota(all[0], pool, 1);
    // The server gives the client what this handle leads to.
    let give = |m: &mut Machine, (server, channel), (client, link), handle| {
        let call = Call::receive(m.receive_handle(channel));
        m.call(server, call);
        let ask = Call::send(m.handle(link), &[1]).accepting_handle();
        m.call(client, ask);
        let token = m.token_of(client);
        let given = m.answer_to(server, Call::reply_handle(token, &[0; 4], handle));
        if given.error().is_some() {
            m.call(server, Call::reply(token, &[]));
        }
        (given.error(), m.answer(client).expect("answered").handle())
    };
    both_paths(&system, |m| {
        let own = m.answer_to(first, Call::create_region(0)).word();
        for (onward, expected) in [(0, Some(Error::NotPermitted)), (ONWARD, None)] {
            let call = Call::copy_region(own, TRANSFER | onward);
            let copy = m.answer_to(first, call).word();
            let (refused, given) = give(m, (first, near), (second, link), copy);
            assert_eq!(refused, None);
            let given = given.expect("a handle");
            let (refused, last) = give(m, (second, far), (third, further), given);
            assert_eq!((refused, last.is_some()), (expected, expected.is_none()));
        }
    });
}

#[test]
fn what_is_cleared_of_a_free_block_is_not_cleared_again_whatever_others_give_back() {
    let mut system = System::new();
    let [first_process, urgent_process] = [0; 2].map(|_| system.process());
    let first = system.thread(first_process, 10);
    let urgent = system.thread(urgent_process, 12);
    let pool = system.pool(BLOCK, BLOCKS);
    for process in [first_process, urgent_process] {
        system.quota(process, pool, 1);
        system.mappings(process, 1);
    }
    both_paths(&system, |m| {
        let theirs = m.answer_to(urgent, Call::create_region(0)).word();
        let there = mapped(m, urgent, theirs);
        assert!(m.host.try_write(urgent_process, there, &[1; 4]));
        done(m, urgent, Call::release(there));
        let soon = m.now() + 50;
        m.call(urgent, Call::sleep(soon));
        m.run(first);
        // The first half of a block is clear.
        m.host.interrupt_after(1);
        assert!(!m.call_once(first, Call::create_region(0)));
        m.advance_to(soon);
        done(m, urgent, Call::close(theirs));
        m.call(urgent, Call::sleep(soon + 50));
        // The second half is all that is left to be done.
        m.host.interrupt_after(1);
        assert!(m.repeat(first), "a block is cleared once");
        let own = m.answer(first).expect("made").word();
        let here = mapped(m, first, own);
        let zeros = Some(vec![0; BLOCK as usize]);
        assert_eq!(m.host.try_read(first_process, here, BLOCK), zeros);
    });
}

#[test]
fn slots_that_have_had_all_their_generations_take_regions_on_and_on() {
    let lab = Lab::with(|system, all| system.restart_with(all[0], all[3]));
    both_paths(&lab.system, |m| {
        let slots = &m.kernel.tables().handles[lab.server_process.0];
        let spare = slots.iter().filter(|slot| slot.purpose == Purpose::Spare);
        for slot in spare {
            slot.set_generation(MAX_GENERATION - 1);
        }
        for _ in 0..2 {
            for _ in 0..3 {
                let (last, next) = {
                    let last = lab.made(m);
                    done(m, lab.server, Call::close(last));
                    (last, lab.made(m))
                };
                let stale = m.answer_to(lab.server, Call::close(last));
                assert_eq!(stale.error(), Some(Error::BadHandle));
                done(m, lab.server, Call::close(next));
            }
            m.fault(lab.killer);
        }
        // Neither a block nor anything of a quota is lost.
        let rivals = m.answer_to(lab.rival, Call::create_region(0));
        assert_eq!(rivals.error(), None);
    });
}
