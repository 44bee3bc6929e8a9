//! Threads of several processes call whatever they like, with interrupts in the middle of all that takes long;
//! processes end and are restarted meanwhile, and one restarts the others again and again. Nothing is expected of a call but
//! that every invariant holds after it; and in the end, that nothing is half done and nobody waits for the dead.

use riposte_abi::{
    call::{number, operation},
    info, region, register, signal,
    thread::policy,
};
use riposte_kernel::{Access, Grants, Handle, OnEnd, Purpose, Restart, State, Thread, limits};
use riposte_model::{
    Call, ChannelId, Connection, InterruptId, LineKind, Machine, ProcessId, System, ThreadId,
    Token, pages, ram, shared,
};

/// A small generator of numbers (xorshift).
pub struct Chance(pub u64);

impl Chance {
    pub fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % end
    }

    pub fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    pub fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }
}

struct World {
    system: System,
    channels: Vec<(ProcessId, ChannelId)>,
    links: Vec<Connection>,
    lines: Vec<InterruptId>,
    /// It restarts others, so that the storm goes on.
    reviver: ThreadId,
    /// Regions are made while it goes on.
    regions: bool,
}

/// What processes have made and nobody has used yet: process and handle.
type Fresh = Vec<(ProcessId, u32)>;

/// Bytes of a region.
const BLOCK: u32 = 0x400;

/// Where a process sees the regions that it has mapped.
fn mapped(m: &Machine, process: ProcessId) -> Vec<(u32, bool)> {
    let windows = m.process(process).exchange.windows.iter();
    let regions = windows.filter(|window| window.shows_region());
    let open = regions.filter_map(|window| window.open());
    open.map(|(_, address, writable)| (address, writable))
        .collect()
}

/// A call about regions.
fn about_regions(m: &Machine, chance: &mut Chance) -> Call {
    let current = m.current();
    let process = ProcessId(usize::from(m.thread(current).process.index));
    let handles = m.kernel.tables().handles[process.0].iter().enumerate();
    let regions = handles.filter(|(_, handle)| handle.leads_to_region());
    let regions: Vec<_> = regions
        .map(|(slot, handle)| handle.value(slot as u32))
        .collect();
    let any = chance.below(0x500) as u32;
    let handle = match regions[..] {
        [] => any,
        _ if chance.one_in(12) => any,
        _ => chance.of(&regions),
    };
    let at = match &mapped(m, process)[..] {
        [] => ram(process.0).base,
        all => chance.of(all).0,
    };
    let position = chance.below(3) as u32;
    let rights = chance.below(9) as u32;
    // Mostly of somebody who waits for this process.
    let mut threads = m.kernel.tables().threads.iter();
    let waits_here = |it: &&'static Thread| {
        it.state() == State::ReplyBlocked
            && it
                .server()
                .is_some_and(|server| usize::from(server.process.index) == process.0)
    };
    let named = match threads.find(waits_here) {
        Some(client) => m.token_of(ThreadId(client.index.into())),
        None => token(m, chance),
    };
    chance.of(&[
        Call::create_region(position),
        Call::create_region(position),
        Call::map_region(handle, 0),
        Call::map_region(handle, region::right::WRITE),
        Call::map_region(handle, rights),
        Call::copy_region(handle, rights),
        Call::copy_region(handle, region::right::ALL),
        Call::reply_handle(named, &[0; 4], handle),
        Call::reply_handle(named, &[0; 4], handle),
        Call::close(handle),
        Call::release(at),
    ])
}

/// What came of a call about regions: a new one holds zeros, and whoever may write leaves something behind.
fn look_at_regions(m: &Machine, fresh: &mut Fresh, thread: ThreadId, call: Call) {
    let process = ProcessId(usize::from(m.thread(thread).process.index));
    let word = call.registers[register::WORDS[0]];
    let about = call.registers[register::CALL] & riposte_abi::call::HANDLE_MASK;
    let is_about = call.operation() == operation::REGION;
    let answer = m.answer(thread).filter(|answer| answer.error().is_none());
    let given = call.registers[register::WORDS[4]];
    let (Some(answer), true) = (answer, is_about) else {
        fresh.retain(|(_, handle)| ![word, given].contains(handle));
        return;
    };
    let was_fresh = fresh.contains(&(process, word));
    match about {
        region::number::CREATE => return fresh.push((process, answer.word())),
        region::number::MAP => {
            let at = answer.word();
            let seen = m.host.try_read(process, at, BLOCK).expect("it is mapped");
            assert!(
                !was_fresh || seen.iter().all(|byte| *byte == 0),
                "a new region has something in it"
            );
            let stamp = [process.0 as u8 + 1; BLOCK as usize];
            let wrote = m.host.try_write(process, at, &stamp);
            let may_write = call.registers[register::WORDS[1]] == region::right::WRITE;
            assert_eq!(wrote, may_write);
        }
        _ => {}
    }
    fresh.retain(|made| *made != (process, word));
}

/// A call about signals; mostly the end of a handler, where there is one.
fn about_signals(m: &Machine, chance: &mut Chance) -> Call {
    let current = m.current();
    let process = ProcessId(usize::from(m.thread(current).process.index));
    if let Some(handler) = m.handler(current).filter(|_| !chance.one_in(3)) {
        let own = handler.stack_pointer;
        let frame = if chance.one_in(20) { own + 16 } else { own };
        return Call::about_signals(signal::number::RETURN, &[frame]);
    }
    let threads = m.kernel.tables().threads;
    let other = &threads[chance.below(threads.len() - 1)];
    let position = chance.of(&[0, 1, 2, 3, signal::OWN]);
    let signal = chance.of(&[0, 5, 6, 40, 41, 64]);
    let set = chance.of(&[0, 1 << 40, 0b110_0000, u64::MAX]);
    let base = ram(process.0).base;
    chance.of(&[
        Call::action(process, set),
        Call::about_signals(signal::number::STACK, &[base, 0x100]),
        Call::signal(position, signal, 7),
        Call::signal(position, signal, 8),
        Call::signal_thread(other.id(), signal, 9),
        Call::mask(signal::how::SET, set),
        Call::mask(signal::how::BLOCK, set),
        Call::suspend(set),
        Call::wait_signal(set & !1),
    ])
}

/// A world of all that the kernel has.
fn world(chance: &mut Chance, regions: bool) -> World {
    let regions = regions && limits::POOLS;
    let mut system = System::new();
    let pools = regions.then(|| [3, 2].map(|blocks| system.pool(BLOCK, blocks)));
    system.slice(500);
    system.depth(2 + chance.below(7) as u8);
    // It comes first: programs come last.
    let reviver = system.process();
    let reviver_thread = system.thread(reviver, 13);
    let processes = [(); 4].map(|()| system.process());
    for process in processes {
        if limits::SHARED_MEMORY {
            system.share(process, Access::Shared);
        }
        let hold = [OnEnd::Stop, OnEnd::Hold][usize::from(limits::HOLDS)];
        let end = [OnEnd::Restart, OnEnd::Restart, OnEnd::Stop, hold];
        system.on_end(process, chance.of(&end));
        if limits::MEMORY_MESSAGES {
            system.windows(process, 2, 0x100);
        }
        for pool in pools.iter().flatten() {
            system.mappings(process, 2);
            if !chance.one_in(3) {
                system.quota(process, *pool, 1 + chance.below(3) as u16);
            }
        }
        if limits::SIGNALS {
            system.signal_queue(process, 2);
            for other in processes {
                system.signal(process, other);
            }
        }
        if chance.one_in(2) && limits::MEMORY_MESSAGES {
            system.pages(process, 2);
        }
        system.grant(
            process,
            Grants {
                shutdown: false,
                supervisor: true,
                inspect: limits::INSPECTION,
                relay: true,
            },
        );
        for _ in 0..=chance.below(6) {
            let priority = 3 + chance.below(6) as u8;
            match chance.below(3) {
                1 if limits::SLICES => system.round_robin_thread(process, priority),
                2 if limits::ADAPTIVE => system.adaptive_thread(process, priority),
                _ => system.thread(process, priority),
            };
        }
        if chance.one_in(2) && limits::RUN_TIME_THREADS {
            system.spare_threads(process, 2);
        }
        if limits::RUN_TIME_THREADS {
            system.priority_limit(process, 12);
        }
        if process.0 % 2 == 1 {
            system.objects(process, limits::PROXIES.into(), limits::TIMERS.into());
        }
    }
    for process in processes {
        let how = Restart {
            limit: 1 + chance.below(4) as u32,
            resets: chance.one_in(2) && limits::RESETS,
            delay: chance.of(&[0, 0, 400]),
            window: chance.of(&[5000, u64::MAX]),
            ..Restart::ALWAYS
        };
        let how = if limits::DELAYS { how } else { at_once(how) };
        if chance.one_in(3) {
            system.restart(process, how);
        }
    }
    if limits::CONTROLS {
        for process in [reviver, processes[0], processes[3]] {
            for other in processes {
                system.control(process, other);
            }
        }
    }
    if chance.one_in(2) && limits::GROUPS {
        system.restart_with(processes[1], processes[0]);
        system.restart_with(processes[2], processes[1]);
        if chance.one_in(3) {
            system.restart_with(processes[0], processes[2]);
        }
    }
    let mut channels = Vec::new();
    for number in 0..4 {
        let owner = processes[number % 4];
        let channel = system.channel(owner);
        match chance.below(6) {
            0 if limits::FIXED_PRIORITIES => system.fixed_priority(channel, 6),
            1 => system.arrival_order(channel),
            2 if chance.one_in(2) && limits::PROGRAMS => system.knows_clients(channel),
            2 => system.notify_client_died(channel),
            3 | 4 => system.notify_unblock(channel),
            _ => {}
        }
        channels.push((owner, channel));
    }
    let mut links = Vec::new();
    if chance.one_in(2) {
        system.supervisor(chance.of(&channels).1);
        if chance.one_in(2) {
            system.witness(chance.of(&channels).1);
        }
    }
    if chance.one_in(3) && limits::PROGRAMS {
        system.programs(chance.of(&channels).1, processes[chance.below(4)]);
    }
    let proxy = || system.proxy(channels[1].1, b"news that is told");
    let proxy = limits::PROXIES.then(proxy);
    for process in processes {
        if let Some(proxy) = proxy
            && process != channels[1].0
            && chance.one_in(2)
        {
            let transfer = chance.one_in(2) && limits::TRANSFERS;
            links.push(system.trigger(process, proxy, transfer));
        }
        let spare = chance.below(4);
        for (number, (owner, channel)) in channels.iter().enumerate() {
            if number == spare {
                continue;
            }
            let badge = 1 + chance.below(3) as u32;
            links.push(match chance.below(3) {
                _ if *owner == process && chance.one_in(2) => continue,
                0 if limits::TRANSFERS && limits::OWN_BADGES && chance.one_in(2) => {
                    system.giver(process, *channel)
                }
                0 if limits::TRANSFERS => system.transferable(process, *channel, badge),
                1 => system.notifier(process, *channel, badge),
                _ => system.connection(process, *channel, badge),
            });
        }
    }
    let kinds = [LineKind::Edge, LineKind::Mute].into_iter();
    let lines = kinds.take_while(|_| limits::INTERRUPTS).map(|kind| {
        let line = system.interrupt(processes[1 + 2 * chance.below(2)], kind);
        if chance.one_in(2) && limits::INTERRUPT_RATES {
            system.limit_interrupt(line, 300);
        }
        line
    });
    let lines = lines.collect();
    World {
        system,
        channels,
        links,
        lines,
        reviver: reviver_thread,
        regions,
    }
}

/// As `how`, but for when.
fn at_once(how: Restart) -> Restart {
    Restart {
        delay: 0,
        window: u64::MAX,
        ..how
    }
}

fn token(m: &Machine, chance: &mut Chance) -> Token {
    let threads = m.kernel.tables().threads.len() - 1;
    let waiting: Vec<_> = (0..threads)
        .filter(|it| m.state(ThreadId(*it)) == State::ReplyBlocked)
        .collect();
    let any = chance.below(threads);
    let index = if waiting.is_empty() || chance.one_in(8) {
        any
    } else {
        chance.of(&waiting)
    };
    m.token_of(ThreadId(index))
}

/// What the running thread calls next.
fn call(world: &World, m: &Machine, chance: &mut Chance) -> Call {
    let current = m.current();
    let process = ProcessId(usize::from(m.thread(current).process.index));
    let links: Vec<_> = world
        .links
        .iter()
        .filter(|it| it.process == process)
        .collect();
    let link = |chance: &mut Chance| {
        let slot = if links.is_empty() || chance.one_in(10) {
            chance.below(8)
        } else {
            chance.of(&links).slot
        };
        m.handle(Connection { process, slot })
    };
    let own: Vec<_> = world.channels.iter().filter(|it| it.0 == process).collect();
    let channel = m.receive_handle(chance.of(&own).1);
    let length = chance.of(&[0, 4, 40, 600, 1500]);
    let base = ram(process.0).base;
    let bytes = chance.of(&[base, base + 4, pages(process.0).base, 16]);
    let whole = chance.of(&[base, pages(process.0).base, pages(process.0).base + 0x100]);
    let shown = mapped(m, process);
    let (bytes, base, whole) = match shown[..] {
        [] => (bytes, base, whole),
        _ => {
            let at = chance.of(&shown).0;
            (
                chance.of(&[bytes, at, at + 0x80]),
                chance.of(&[base, at]),
                chance.of(&[whole, whole, at]),
            )
        }
    };
    let parts = ram(process.0).base + 0x700;
    let word = shared(process.0, Access::Shared).base + 4 * chance.below(3) as u32;
    let in_region: Vec<u32> = shown.iter().map(|it| it.0).collect();
    let word = match in_region[..] {
        [] => word,
        _ if chance.one_in(2) => word,
        _ => chance.of(&in_region) + 4 * chance.below(3) as u32,
    };
    let at = m.now() + chance.of(&[0, 50, 300, 1000]);
    let threads = m.kernel.tables().threads;
    let other = &threads[chance.below(threads.len() - 1)];
    let interrupt = match world.lines[..] {
        [] => chance.below(8) as u32,
        _ => m.interrupt_handle(chance.of(&world.lines)),
    };
    let words = [1, 2, 3];
    let handles = &m.kernel.tables().handles[process.0];
    let [proxy, timer] =
        [chance.below(8), chance.below(8)].map(|slot| handles[slot].value(slot as u32));
    let (some, slot) = (link(chance), chance.below(4) as u32);
    let named = token(m, chance);
    let (small, few) = (chance.below(5) as u32, chance.below(4) as u32);
    let any_slot = chance.below(8);
    let any = handles[any_slot].value(any_slot as u32);
    // Whoever may write it makes of a lock what it likes.
    if chance.one_in(8) {
        let value = chance.of(&[
            0,
            other.id(),
            threads[current.0].id(),
            other.id() | 1 << 31,
            1 << 30,
            0x3FFF_FF01,
        ]);
        let _ = m.host.try_write(process, word + 24, &value.to_le_bytes());
    }
    let made = match chance.below(46) {
        0..=3 => Call::send(link(chance), &words),
        4..=5 => Call::send_bytes(link(chance), bytes, length),
        6 => {
            m.host
                .poke_parts(parts, &[(base, 300), (base + 8, 500), (base, 7)]);
            Call::send_vector(link(chance), parts, 3)
        }
        7 => Call::lend(link(chance), whole, 0x100, &words),
        8 => Call::lend_mut(link(chance), whole, 0x100, &words),
        9 => Call::give(link(chance), whole, 0x100, &words),
        10..=14 => Call::receive(channel).room(base + 0x100, length),
        15 => Call::acknowledge_and_receive(channel, interrupt),
        16 if chance.one_in(3) => Call::relay(link(chance), token(m, chance), &words),
        16 => Call::reply(token(m, chance), &words),
        17 => Call::reply_bytes(token(m, chance), base, length),
        18..=20 => Call::reply_receive(channel, token(m, chance), &words).room(base, length),
        21 => Call::reply_bytes_receive(channel, token(m, chance), base, length),
        22 => Call::reply_handle(token(m, chance), &[0; 4], link(chance)),
        23 => Call::read(token(m, chance), base, length, 0),
        24 => Call::write(token(m, chance), base, length, 0),
        25 => chance.of(&[
            Call::futex_wait(word, 0),
            Call::futex_wake(word, 2),
            Call::futex_give(word + 12),
            Call::futex_requeue(word, 0, 1, word ^ 4, 2),
        ]),
        26..=27 => Call::lock(word + 24),
        28 => Call::unlock(word + 24),
        29 => Call::sleep(at),
        30 => Call::give_way(),
        31 => chance.of(&[
            Call::create(process, 1, 5, policy::ADAPTIVE),
            Call::exit_thread(3),
            Call::join(other.id()),
            Call::detach(other.id()),
        ]),
        32 => Call::schedule(
            chance.of(&[0, other.id()]),
            chance.below(12) as u32,
            chance.of(&[policy::SAME, policy::FIFO, policy::ADAPTIVE]),
        ),
        33 => Call::notify(chance.of(&[channel, some]), 1),
        34 => Call::other(number::CLOSE, &[link(chance)]),
        35 => Call::attach(chance.below(2) as u32, channel, 4),
        36 => chance.of(&[
            Call::other(number::INTERRUPT_ACK, &[interrupt]),
            Call::other(number::INTERRUPT_MASK, &[interrupt]),
            Call::other(number::INTERRUPT_PEND, &[interrupt]),
            Call::other(number::INTERRUPT_DETACH, &[interrupt]),
        ]),
        37 => chance.of(&[
            Call::trigger(some),
            Call::trigger(proxy),
            Call::create_proxy(channel, base, 8),
            Call::create_timer(channel, 2),
            Call::set_timer(timer, at, 0),
            Call::set_timer(timer, at, 200_000),
            Call::destroy_timer(timer),
            Call::destroy_proxy(proxy),
            Call::release(base),
            Call::reclaim(pages(process.0).base, 0x100),
        ]),
        38 if chance.one_in(2) => Call::other(number::EXIT, &[chance.below(2) as u32]),
        38 => {
            let position = chance.below(5) as u32;
            chance.of(&[Call::restart(position), Call::stop(position)])
        }
        40 => chance.of(&[
            Call::reply_handle(named, &[0; 4], any),
            Call::reply_handle(named, &[0; 4], proxy),
        ]),
        41 => chance.of(&[
            Call::reply_error(named, 3),
            Call::reply_vector(named, parts, 3),
        ]),
        42 => chance.of(&[
            Call::reply_error_receive(channel, named, 3),
            Call::reply_vector_receive(channel, named, parts, 3),
        ]),
        43 => chance.of(&[
            Call::trigger(any),
            Call::create_timer(any, 2),
            Call::create_timer(proxy, 2),
            Call::cancel_timer(any),
            Call::set_timer(any, at, 150_000),
            Call::destroy_proxy(any),
            Call::destroy_timer(any),
            Call::other(number::CLOSE, &[any]),
        ]),
        44 => Call::other(number::CLOSE, &[any]),
        45 => chance.of(&[
            Call::other(number::FAULT_RECORD, &[small]).room(base + 0x100, 500),
            Call::other(number::STACK_UNUSED, &[small, few]),
            Call::other(number::THREAD_STATE, &[small, few]),
            Call::receive(channel).from_token(named),
            Call::receive(channel).from_token(named),
            Call::receive(channel).from_badge(2),
            Call::other(number::PANIC, &[base, 100]),
        ]),
        _ => chance.of(&[
            Call::other(number::START_THREADS, &[]),
            Call::other(number::CONNECT, &[slot]),
        ]),
    };
    let waits = made.operation() != 0 && !chance.one_in(3);
    match chance.below(6) {
        _ if !waits => made,
        0 => made.deadline(at),
        1 => made.from_badge(1),
        2 if made.operation() < 8 => made.accepting_handle(),
        3 | 4 if world.regions && made.operation() < 8 => made.accepting_handle(),
        3 => made.room_in_parts(parts, 3),
        _ => made,
    }
}

fn storm(seed: u64, steps: usize) {
    let chance = &mut Chance(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let world = world(chance, seed.is_multiple_of(2));
    let mut fresh = Fresh::new();
    let mut machine = world.system.start(!chance.one_in(3));
    let m = &mut machine;
    let logs = std::env::var("STORM_LOG").is_ok();
    for _ in 0..steps {
        let current = m.current();
        if logs {
            println!(
                "-- at {} runs {} of {} awaits {} now {}",
                m.priority(current),
                current.0,
                m.thread(current).process.index,
                m.kernel.awaits_interrupt(),
                m.now()
            );
            for thread in m.kernel.tables().threads {
                print!(
                    " {}/{}:{:?}@{}",
                    thread.index,
                    thread.process.index,
                    thread.state(),
                    thread.priority()
                );
            }
            let ready: Vec<_> = m.kernel.ready().iter().map(|it| it.index).collect();
            println!(" ready {ready:?}");
        }
        // Somebody's stack is full: there is no room for a handler.
        if chance.one_in(12) {
            let threads = m.kernel.tables().threads;
            m.host
                .set_stack_pointer(&threads[chance.below(threads.len() - 1)], 4);
        }
        // A sibling makes somebody go on elsewhere who was to execute a call again.
        let others = m.kernel.tables().threads.len();
        let other = ThreadId(chance.below(others));
        if other != current && m.must_repeat(other) && chance.one_in(4) {
            m.divert(other);
        }
        // What has been put off for an interrupt is put off no further.
        let comes = m.kernel.awaits_interrupt() || m.kernel.has_work_left();
        if comes || chance.one_in(12) {
            if chance.one_in(3) {
                m.set_now(m.now() + chance.of(&[0, 100, 1000]));
            }
            m.host.interrupt_after(1 + chance.below(4) as u32);
            if chance.one_in(3) && !world.lines.is_empty() {
                m.raise(chance.of(&world.lines).line);
            } else {
                m.interrupt();
            }
            continue;
        }
        if current == m.idle() {
            m.advance(500);
            continue;
        }
        if current != world.reviver && chance.one_in(60) && !m.must_repeat(current) {
            m.fault(current);
            continue;
        }
        if !chance.one_in(3) {
            m.host.interrupt_after(1 + chance.below(6) as u32);
        }
        let repeated = m.pending(current).filter(|_| m.must_repeat(current));
        let (call, done) = if let Some(call) = repeated {
            (call, m.repeat(current))
        } else {
            let call = if world.regions && current != world.reviver && chance.one_in(3) {
                about_regions(m, chance)
            } else if current != world.reviver && chance.one_in(6) {
                about_signals(m, chance)
            } else if current != world.reviver {
                call(&world, m, chance)
            } else if chance.one_in(2) {
                Call::sleep(m.now() + chance.of(&[500, 3000, 10_000]))
            } else {
                Call::restart(chance.below(4) as u32)
            };
            if logs {
                println!("{current:?} {call:x?}");
            }
            (call, m.call_once(current, call))
        };
        if world.regions && done {
            look_at_regions(m, &mut fresh, current, call);
        }
        if !done {
            m.interrupt();
        }
    }
    settle(m);
}

/// Everybody sleeps as soon as it can. Whatever has begun comes to an end, and nobody waits for who cannot come.
fn settle(m: &mut Machine) {
    for step in 0.. {
        assert!(step < 20_000, "it comes to no end");
        let current = m.current();
        if m.kernel.awaits_interrupt() {
            m.interrupt();
        } else if current == m.idle() {
            break;
        } else if m.must_repeat(current) {
            m.repeat(current);
        } else {
            m.call_once(current, Call::sleep(u64::MAX));
        }
    }
    for process in m.kernel.tables().processes {
        let index = process.index;
        assert!(!process.is_dying(), "process {index} is half dead");
    }
    for (index, thread) in m.kernel.tables().threads.iter().enumerate() {
        if thread.state() == State::ReceiveBlocked && thread.process.is_alive() {
            assert!(
                may_come(m, thread, ThreadId(index)),
                "{index} waits for ever"
            );
        }
    }
}

/// Whether somebody lives who can send what the receiving `thread` waits for.
fn may_come(m: &Machine, thread: &Thread, id: ThreadId) -> bool {
    let call = m.pending(id).expect("it is in a call");
    let [kind, named, ..] = register::WORDS.map(|word| call.registers[word]);
    if call.operation() != operation::RECEIVE || call.registers[register::INFO] & info::SELECT == 0
    {
        return true;
    }
    let tables = m.kernel.tables();
    if kind != info::select::BADGE {
        return tables.threads[(named >> info::THREAD_SHIFT & 0xFF) as usize].lives();
    }
    let could = |handle: &Handle| {
        (handle.is_open() || handle.purpose == Purpose::Connection)
            && handle.target().is(thread.bound())
            && handle.badge() == named
    };
    let mut processes = tables.processes.iter().zip(tables.handles);
    processes.any(|(process, handles)| process.is_alive() && handles.iter().any(could))
}

#[test]
fn nothing_that_processes_do_breaks_an_invariant() {
    let number = |name, default| {
        let given = std::env::var(name).ok();
        given.and_then(|it| it.parse().ok()).unwrap_or(default)
    };
    let (first, count) = (number("STORM_SEED", 1), number("STORMS", 3000));
    for seed in first..first + count {
        println!("seed {seed}");
        storm(seed, number("STEPS", 500) as usize);
    }
}
