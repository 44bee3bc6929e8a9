//! Threads of several processes make regions, hand them on, map them, use them and give them up in any order, with
//! interrupts in the middle, while processes end and are restarted. Who may do what is counted beside the kernel: a new
//! region holds zeros, and nobody gets a right that no giver had. The kernel's own invariants count blocks and quotas.

use std::collections::HashMap;

use crate::storm::Chance;
use riposte_abi::{
    Error,
    call::{HANDLE_MASK, number, operation},
    info,
    region::{
        number as about,
        right::{ALL, ONWARD, TRANSFER, WRITE},
    },
    register,
};
use riposte_kernel::{OnEnd, State, Thread};
use riposte_model::{Call, ChannelId, Connection, Machine, ProcessId, System, ThreadId, ram};

const BLOCK: u32 = 0x400;
const BLOCKS: u8 = 4;
/// Most blocks that each process may have made.
const MOST: u16 = 2;

struct World {
    system: System,
    channels: Vec<ChannelId>,
    links: Vec<Connection>,
    reviver: ThreadId,
}

/// What is known of a handle beside the kernel.
#[derive(Clone, Copy)]
struct Known {
    rights: u32,
    /// It is the only one of its region, which nobody has mapped yet.
    fresh: bool,
}

/// By process and handle. No handle ever comes again.
type Handles = HashMap<(ProcessId, u32), Known>;

fn world() -> World {
    let mut system = System::new();
    let reviver = system.process();
    let reviver_thread = system.thread(reviver, 13);
    let processes = [(); 3].map(|()| system.process());
    let pool = system.pool(BLOCK, BLOCKS);
    for (process, threads) in processes.into_iter().zip([3, 2, 1]) {
        for _ in 0..threads {
            system.thread(process, 10);
        }
        system.on_end(process, OnEnd::Restart);
        system.mappings(process, 2);
        system.windows(process, 1, 0x100);
        system.quota(process, pool, MOST);
        system.control(reviver, process);
    }
    system.on_end(processes[1], OnEnd::Hold);
    let channels = processes.map(|process| system.channel(process)).to_vec();
    let mut links = Vec::new();
    for channel in &channels {
        system.notify_unblock(*channel);
        for process in processes {
            links.push(system.connection(process, *channel, 1));
        }
    }
    World {
        system,
        channels,
        links,
        reviver: reviver_thread,
    }
}

fn process_of(thread: &Thread) -> ProcessId {
    ProcessId(thread.process.index.into())
}

/// The handles of regions that a process has.
fn regions(m: &Machine, process: ProcessId) -> Vec<u32> {
    let handles = m.kernel.tables().handles[process.0].iter().enumerate();
    let regions = handles.filter(|(_, handle)| handle.leads_to_region());
    regions
        .map(|(slot, handle)| handle.value(slot as u32))
        .collect()
}

/// Where a process sees the regions that it has mapped, and whether it may write there.
fn mapped(m: &Machine, process: ProcessId) -> Vec<(u32, bool)> {
    let windows = m.process(process).exchange.windows.iter();
    let shown = windows.filter(|window| window.shows_region());
    let open = shown.filter_map(|window| window.open());
    open.map(|(_, address, writable)| (address, writable))
        .collect()
}

/// A thread that waits for an answer of `process`.
fn client_of(m: &Machine, process: ProcessId) -> Option<ThreadId> {
    let mut threads = m.kernel.tables().threads.iter();
    let waits = |it: &&'static Thread| {
        let server = it.server().map(process_of);
        it.state() == State::ReplyBlocked && server == Some(process)
    };
    threads
        .find(waits)
        .map(|client| ThreadId(client.index.into()))
}

fn call(world: &World, m: &Machine, chance: &mut Chance) -> Call {
    let current = m.current();
    let process = process_of(m.thread(current));
    let handle = match regions(m, process)[..] {
        _ if chance.one_in(20) => chance.below(0x1000) as u32,
        [] => 0,
        ref own => chance.of(own),
    };
    let at = match mapped(m, process)[..] {
        _ if chance.one_in(20) => ram(process.0).base,
        [] => ram(process.0).base,
        ref own => chance.of(own).0,
    };
    let rights = chance.below(ALL as usize + 1) as u32;
    let soon = m.now() + 300;
    if let Some(client) = client_of(m, process).filter(|_| !chance.one_in(3)) {
        let token = m.token_of(client);
        return match chance.below(10) {
            0 => Call::reply(token, &[1]),
            1 => Call::reply_bytes(token, at, BLOCK),
            2 => Call::read(token, at, BLOCK, 0),
            3 => Call::write(token, at, 16, 0),
            _ => Call::reply_handle(token, &[0; 4], handle),
        };
    }
    let own = world.channels[process.0 - 1];
    let links: Vec<_> = world
        .links
        .iter()
        .filter(|it| it.process == process)
        .collect();
    let link = m.handle(*chance.of(&links));
    let word = at + 4 * chance.below(2) as u32;
    match chance.below(24) {
        0..=3 => Call::create_region(chance.below(12) as u32 / 11),
        4..=6 => Call::map_region(handle, chance.of(&[0, WRITE])),
        7 => Call::copy_region(handle, ALL),
        8 => Call::copy_region(handle, rights),
        9 => Call::copy_region(handle, rights | TRANSFER | ONWARD),
        10..=11 => Call::close(handle),
        12..=13 => Call::release(at),
        14 => Call::send_bytes(link, at, BLOCK)
            .room(at, BLOCK)
            .accepting_handle()
            .deadline(soon),
        15..=16 => Call::send(link, &[1]).accepting_handle().deadline(soon),
        17 => Call::lend(link, at, 0x100, &[0; 3]),
        18..=19 => chance
            .of(&[Call::futex_wait(word, 0), Call::lock(word)])
            .deadline(soon),
        20 => chance.of(&[
            Call::futex_wake(word, 2),
            Call::futex_give(word),
            Call::futex_requeue(at, 0, 1, at + 4, 2),
            Call::unlock(word),
        ]),
        _ => Call::receive(m.receive_handle(own))
            .room(at, BLOCK)
            .deadline(soon),
    }
}

/// What a call of `thread` has brought about is what is known of its handles. Whether it has handed on a region, to
/// `client`.
fn follow(
    m: &Machine,
    known: &mut Handles,
    thread: ThreadId,
    call: Call,
    client: Option<ThreadId>,
) -> bool {
    let Some(answer) = m.answer(thread) else {
        return false;
    };
    let process = process_of(m.thread(thread));
    let [first, wanted, .., given] = register::WORDS.map(|word| call.registers[word]);
    let number = call.registers[register::CALL];
    let region = if number == number::REPLY_HANDLE {
        given
    } else {
        first
    };
    let own = known.get(&(process, region)).copied();
    let used = |fresh| own.map(|own| Known { fresh, ..own }).expect("a handle");
    match (call.operation(), number & HANDLE_MASK, answer.error()) {
        (operation::OTHER, number::REPLY_HANDLE, None) => {
            let taker = client.expect("somebody was answered");
            let got = m.answer(taker).and_then(|got| got.handle());
            let own = used(false);
            known.insert((process, given), own);
            assert!(own.rights & TRANSFER != 0, "it could not be handed on");
            let kept = if own.rights & ONWARD != 0 { ALL } else { WRITE };
            let rights = own.rights & kept;
            let taker = process_of(m.thread(taker));
            // One that is held has it, and never says so.
            let Some(handle) = got else {
                assert!(m.process(taker).is_held(), "it has a handle");
                return true;
            };
            let fresh = false;
            known.insert((taker, handle), Known { rights, fresh });
            return true;
        }
        (operation::REGION, about::CREATE, None) => {
            let (rights, fresh) = (ALL, true);
            known.insert((process, answer.word()), Known { rights, fresh });
        }
        (operation::REGION, about::MAP, None) => {
            let was_fresh = own.is_some_and(|own| own.fresh);
            known.insert((process, first), used(false));
            assert!(wanted & !used(false).rights == 0, "a right that it has not");
            let seen = m.host.try_read(process, answer.word(), BLOCK);
            let seen = seen.expect("it is mapped");
            let zeros = seen.iter().all(|byte| *byte == 0);
            assert!(zeros || !was_fresh, "something is left in it");
            let stamp = [process.0 as u8; BLOCK as usize];
            let wrote = m.host.try_write(process, answer.word(), &stamp);
            assert_eq!(wrote, wanted & WRITE != 0);
        }
        (operation::REGION, about::MAP, Some(Error::NotPermitted)) => {
            let refused = own.is_none_or(|it| wanted & !it.rights != 0);
            assert!(refused, "a right that it has");
        }
        (operation::REGION, about::COPY, None) => {
            let copy = Known {
                rights: used(false).rights & wanted,
                fresh: false,
            };
            known.insert((process, first), used(false));
            known.insert((process, answer.word()), copy);
        }
        _ => {}
    }
    false
}

/// Returns how many regions were handed on.
fn storm(seed: u64, steps: usize) -> usize {
    let chance = &mut Chance(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let world = world();
    let mut machine = world.system.start(!chance.one_in(3));
    let m = &mut machine;
    let mut known = Handles::new();
    let mut given = 0;
    for _ in 0..steps {
        let current = m.current();
        if m.kernel.awaits_interrupt() || m.kernel.has_work_left() || chance.one_in(15) {
            m.set_now(m.now() + chance.of(&[0, 100]));
            m.host.interrupt_after(1 + chance.below(4) as u32);
            m.interrupt();
            continue;
        }
        if current == m.idle() {
            m.advance(200);
            continue;
        }
        let repeated = m.pending(current).filter(|_| m.must_repeat(current));
        if repeated.is_none() && current != world.reviver && chance.one_in(70) {
            m.fault(current);
            continue;
        }
        if chance.one_in(2) {
            m.host.interrupt_after(1 + chance.below(4) as u32);
        }
        let call = match repeated {
            Some(call) => call,
            None if current != world.reviver => call(&world, m, chance),
            None if chance.one_in(2) => Call::sleep(m.now() + chance.of(&[2000, 20_000])),
            None => Call::restart(chance.below(3) as u32),
        };
        let client = answered_by(m, call);
        let done = match repeated {
            Some(_) => m.repeat(current),
            None => m.call_once(current, call),
        };
        if done {
            given += usize::from(follow(m, &mut known, current, call, client));
        } else {
            m.interrupt();
        }
    }
    given
}

/// Who is answered by this call.
fn answered_by(m: &Machine, call: Call) -> Option<ThreadId> {
    let named = (
        call.registers[register::INFO] & info::TAG_MASK,
        call.registers[register::GENERATION],
    );
    let mut threads = (0..m.kernel.tables().threads.len()).map(ThreadId);
    threads.find(|it| {
        let token = m.token_of(*it);
        (token.tag, token.generation) == named
    })
}

#[test]
fn whatever_is_made_and_handed_on_nobody_has_more_than_was_given() {
    let number = |name, default| {
        let given = std::env::var(name).ok();
        given.and_then(|it| it.parse().ok()).unwrap_or(default)
    };
    let (first, count) = (number("STORM_SEED", 1), number("STORMS", 300));
    let given = (first..first + count).map(|seed| {
        println!("seed {seed}");
        storm(seed, number("STEPS", 1000) as usize)
    });
    let given: usize = given.sum();
    assert!(given as u64 >= count, "regions are handed on: {given}");
    println!("{given} were handed on");
}
