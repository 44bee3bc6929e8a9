//! What can happen next.

use std::{fmt, ops::Deref};

use riposte_abi::{
    LEAST_PERIOD,
    call::number,
    region::right,
    semaphore::{MAX_UNITS, WAITERS},
    signal::{OWN, how, number as number_of_signal},
    thread::policy,
};
use riposte_kernel::{Handle, Proxy, Purpose, Window, limits::HANDLES};
use riposte_model::{Call, GRAIN, Machine, ProcessId, ThreadId, Token, pages, ram};

use crate::{
    World, expect, signals, timers, words,
    world::{HALF, Habits, REGION_LOCK, Words},
};

/// Room of a client for its reply and of a server for its message, and what they send from there.
const ROOM: u32 = 0x3000;
/// A message that takes two chunks.
const LONG: u32 = 700;
/// Memory that a message carries: it takes two chunks to clear.
const PIECE: u32 = 4 * GRAIN;
/// A message that takes one.
const SHORT: u32 = 8;

/// So often a proxy is triggered at most before somebody receives it.
const MOST_TRIGGERS: u16 = 2;
/// So many units a semaphore has at most.
const MOST_UNITS: u32 = 2;
/// So many handles of regions a process has at most.
const MOST_REGIONS: usize = 2;
/// So many rights to trigger are handed on at most to a process that keeps them.
const MOST_RIGHTS: usize = 2;

/// One thing that happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The running thread performs a call.
    Call {
        /// The running thread.
        thread: ThreadId,
        /// What it does, in words.
        what: &'static str,
        /// Its registers.
        call: Call,
        /// Whether an interrupt waits after the first chunk of a copy.
        interrupted: bool,
    },
    /// The running thread executes again the call that was interrupted.
    Repeat(ThreadId),
    /// The running thread faults.
    Fault(ThreadId),
    /// So many nanoseconds pass.
    Pass(u64),
    /// So many nanoseconds pass before the clock can interrupt.
    Late(u64),
    /// The running thread stores a word in its memory.
    Store {
        /// The running thread.
        thread: ThreadId,
        /// What it does, in words.
        what: &'static str,
        /// Where.
        address: u32,
        /// What.
        value: u32,
    },
    /// The clock interrupts for no reason.
    Alarm,
    /// A device asks for the interrupt of this line.
    Raise(usize),
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Step::Call {
                thread,
                what,
                call,
                interrupted,
            } => write!(
                f,
                "thread {}: {what} {:x?} {:x?}{}",
                thread.0,
                call.registers,
                call.extra,
                if *interrupted { ", interrupted" } else { "" }
            ),
            Step::Repeat(thread) => write!(f, "thread {}: again", thread.0),
            Step::Fault(thread) => write!(f, "thread {}: fault", thread.0),
            Step::Pass(time) => write!(f, "{time} ns pass"),
            Step::Late(time) => write!(f, "{time} ns pass before the clock interrupts"),
            Step::Store {
                thread,
                what,
                address,
                value,
            } => write!(f, "thread {}: {what}: {value:x} at {address:x}", thread.0),
            Step::Alarm => f.write_str("the clock interrupts"),
            Step::Raise(line) => write!(f, "line {line} interrupts"),
        }
    }
}

/// All that can happen next in a state.
pub struct Steps(Vec<Step>);

impl Deref for Steps {
    type Target = [Step];

    fn deref(&self) -> &[Step] {
        &self.0
    }
}

impl Steps {
    /// Those of a state: the same ones in the same order for the same state.
    #[must_use]
    pub fn of(machine: &Machine, world: &World) -> Self {
        let mut steps = Self(Vec::with_capacity(64));
        let habits = world.habits;
        if habits.deadlines {
            steps.0.push(Step::Pass(1));
        }
        if habits.timers && few_triggers_wait(machine) {
            steps.0.extend([Step::Pass(HALF), Step::Late(3 * HALF)]);
        }
        steps.0.push(Step::Alarm);
        if habits.interrupts {
            let lines = 0..machine.kernel.tables().interrupts.len();
            steps.0.extend(lines.map(Step::Raise));
        }
        let thread = machine.current();
        if thread == machine.idle() {
            return steps;
        }
        if habits.deaths {
            steps.0.push(Step::Fault(thread));
        }
        if machine.must_repeat(thread) {
            steps.0.push(Step::Repeat(thread));
            return steps;
        }
        let mut own = Own {
            machine,
            thread,
            habits,
            steps,
        };
        own.sends();
        own.receives();
        own.answers();
        own.others();
        own.steps
    }
}

/// Collects the calls of the running thread.
struct Own<'a> {
    machine: &'a Machine,
    thread: ThreadId,
    habits: Habits,
    steps: Steps,
}

impl Own<'_> {
    fn add(&mut self, what: &'static str, call: Call) {
        self.steps.0.push(Step::Call {
            thread: self.thread,
            what,
            call,
            interrupted: false,
        });
        if self.habits.interruptions {
            self.add_interrupted(what, call);
        }
    }

    fn add_interrupted(&mut self, what: &'static str, call: Call) {
        self.steps.0.push(Step::Call {
            thread: self.thread,
            what,
            call,
            interrupted: true,
        });
    }

    fn process(&self) -> usize {
        usize::from(self.machine.thread(self.thread).process.index)
    }

    fn memory(&self) -> u32 {
        ram(self.process()).base
    }

    fn sends(&mut self) {
        let memory = self.memory();
        let room = |call: Call| call.room(memory + ROOM, LONG);
        let soon = self.machine.now() + 2;
        let handles = &self.machine.kernel.tables().handles[self.process()];
        for (slot, handle) in handles.iter().enumerate() {
            let leads_nowhere = handle.target().index == u8::MAX;
            if leads_nowhere || handle.purpose == Purpose::Channel {
                continue;
            }
            let number = handle.value(slot as u32);
            self.add("send", room(Call::send(number, &[1, 2])));
            if self.habits.handles {
                self.add("close", Call::other(number::CLOSE, &[number]));
            }
            if !handle.is_open() {
                self.add("connect", Call::other(number::CONNECT, &[slot as u32]));
                continue;
            }
            let takes_more = self.habits.proxies && !self.has_rights_enough()
                || self.habits.regions && self.regions().len() < MOST_REGIONS;
            if self.habits.handles || takes_more {
                let call = room(Call::send(number, &[8])).accepting_handle();
                self.add("send for a handle", call);
            }
            if self.habits.deadlines {
                let call = Call::send(number, &[3]);
                self.add("send with a deadline", room(call).deadline(soon));
                self.add("send or not", room(call).deadline(0));
                self.add("send, too late", room(call).deadline(1));
            }
            if self.habits.bytes {
                let call = room(Call::send_bytes(number, memory, SHORT));
                self.add("send bytes", call);
                let call = room(Call::send_bytes(number, memory, LONG));
                self.add("send many bytes", call);
                self.add_interrupted("send many bytes", call);
            }
            if self.habits.loans {
                self.carries(number, soon);
            }
            if self.habits.notifications {
                self.add("notify through a connection", Call::notify(number, 4));
            }
        }
    }

    /// Messages with memory: of the pages, of data, and of what was moved here.
    fn carries(&mut self, number: u32, soon: u64) {
        let page = pages(self.process()).base;
        let words = [1, 2, 3];
        let lend = Call::lend(number, page, PIECE, &words);
        self.add("lend", lend);
        let call = Call::lend_mut(number, page, PIECE, &words);
        self.add("lend mutably", call);
        self.add("lend mutably, with a deadline", call.deadline(soon));
        let beside = Call::lend_mut(number, page + PIECE, PIECE, &words);
        self.add("lend beside it mutably", beside);
        let data = Call::lend_mut(number, self.memory(), PIECE, &words);
        self.add("lend data mutably", data);
        self.add("move", Call::give(number, page, PIECE, &words));
        for window in self.held() {
            let on = Call::give(number, window, PIECE, &words);
            self.add("move on", on);
        }
    }

    /// Where the running thread's process has what was moved to it.
    fn held(&self) -> Vec<u32> {
        let windows = self.machine.process(ProcessId(self.process())).exchange;
        let moved = windows
            .windows
            .iter()
            .filter(|window| window.moved().is_some());
        let open = moved.filter_map(|window| window.open());
        open.map(|(_, address, _)| address).collect()
    }

    /// The handles of the channels of the running thread's process.
    fn channels(&self) -> Vec<u32> {
        let owner = self.machine.thread(self.thread).process;
        let channels = self.machine.kernel.tables().channels.iter();
        let own = channels.filter(|channel| channel.owner.is(owner));
        own.map(|channel| channel.handle).collect()
    }

    fn receives(&mut self) {
        let room = self.memory() + ROOM;
        let soon = self.machine.now() + 2;
        for channel in self.channels() {
            let call = Call::receive(channel).room(room, LONG);
            self.add("receive", call);
            if self.habits.bytes {
                self.add_interrupted("receive", call);
            }
            if self.habits.deadlines {
                self.add("receive with a deadline", call.deadline(soon));
                self.add("receive or not", call.deadline(0));
            }
            if self.habits.selections {
                self.add("receive from badge 1", call.from_badge(1));
                for peer in self.peers() {
                    let token = self.machine.token_of(peer);
                    self.add("receive from a thread", call.from_token(token));
                }
            }
        }
    }

    /// The other threads.
    fn peers(&self) -> Vec<ThreadId> {
        let own = self.thread;
        let all = (0..self.machine.idle().0).map(ThreadId);
        all.filter(|thread| *thread != own).collect()
    }

    fn answers(&mut self) {
        let memory = self.memory();
        let channels = self.channels();
        for peer in self.peers() {
            let token = self.machine.token_of(peer);
            let waits = expect::waits_for(self.machine, peer, self.thread, token);
            let own = self.machine.thread(self.thread).process.index;
            let index = self.machine.thread(peer).index;
            let left = expect::loans(self.machine).contains(&(own, index));
            if !waits && !left && !self.habits.forgeries {
                continue;
            }
            self.add("reply", Call::reply(token, &[4]));
            for connection in self.connections() {
                self.add("hand on", Call::relay(connection, token, &[4]));
            }
            if self.habits.handles {
                let given = self.machine.kernel.tables().handles[self.process()][0].value(0);
                let call = Call::reply_handle(token, &[0; 4], given);
                self.add("reply with a handle", call);
            }
            if self.habits.proxies {
                for proxy in self.rights_to_trigger() {
                    let call = Call::reply_handle(token, &[0; 4], proxy);
                    self.add("reply with a proxy", call);
                }
            }
            for region in self.regions() {
                let call = Call::reply_handle(token, &[0; 4], region);
                self.add("reply with a region", call);
            }
            if self.habits.bytes && waits {
                let call = Call::reply_bytes(token, memory, SHORT);
                self.add("reply bytes", call);
                let call = Call::reply_bytes(token, memory, LONG);
                self.add_interrupted("reply many bytes", call);
                let call = Call::read(token, memory, LONG, 0);
                self.add_interrupted("read", call);
                let call = Call::write(token, memory, SHORT, 1);
                self.add("write", call);
                self.add("reply an error", Call::reply_error(token, 9));
            }
            for channel in &channels {
                let room = |call: Call| call.room(memory + ROOM, LONG);
                let call = room(Call::reply_receive(*channel, token, &[5, 6]));
                self.add("reply and receive", call);
                if self.habits.deadlines && waits {
                    self.add("reply, receive or not", call.deadline(0));
                }
                if self.habits.bytes {
                    let call = Call::reply_bytes_receive(*channel, token, memory, SHORT);
                    self.add("reply bytes and receive", room(call));
                    let call = room(Call::reply_bytes_receive(*channel, token, memory, LONG));
                    self.add_interrupted("reply many bytes and receive", call);
                }
            }
            if self.habits.forgeries && waits {
                let old = Token {
                    generation: token.generation.wrapping_sub(1),
                    ..token
                };
                self.add("reply with an old token", Call::reply(old, &[7]));
                if let Some(channel) = channels.first() {
                    let call = Call::reply_receive(*channel, old, &[7]);
                    self.add("reply with an old token and receive", call);
                }
            }
        }
    }

    /// Handles through which clients may be handed on.
    fn connections(&self) -> Vec<u32> {
        let handles = &self.machine.kernel.tables().handles[self.process()];
        let open = handles.iter().enumerate().filter(|(_, handle)| {
            self.habits.relays && handle.is_open() && handle.purpose != Purpose::Channel
        });
        open.map(|(slot, handle)| handle.value(slot as u32))
            .collect()
    }

    /// Calls about words. The words themselves never change; the second one is waited at by those who are
    /// moved there.
    fn words(&mut self) {
        let Words { plain, .. } = Words::of(self.process());
        let wait = Call::futex_wait(plain[0], 0);
        self.add("wait", wait);
        self.add("wake", Call::futex_wake(plain[0], 1));
        if !self.machine.kernel.words().is_empty() {
            let requeue = Call::futex_requeue(plain[0], 0, 0, plain[1], 1);
            self.add("requeue", requeue);
            self.add("wake those who were moved", Call::futex_wake(plain[1], 9));
        }
        if self.habits.deadlines {
            let soon = self.machine.now() + 2;
            self.add("wait with a deadline", wait.deadline(soon));
        }
    }

    fn locks(&mut self) {
        let Words { locks, .. } = Words::of(self.process());
        for lock in locks.into_iter().take(self.habits.locks) {
            self.add("lock", Call::lock(lock));
            self.add("unlock", Call::unlock(lock));
        }
        if self.habits.deadlines {
            let soon = self.machine.now() + 2;
            self.add("lock with a deadline", Call::lock(locks[0]).deadline(soon));
        }
    }

    /// What an honest thread does with a semaphore, each step of its own; and units that it gives by the
    /// kernel though it need not.
    fn semaphore(&mut self) {
        let Words { semaphore, .. } = Words::of(self.process());
        let word = self.machine.host.peek_word(semaphore);
        let units = word & MAX_UNITS;
        if units < MOST_UNITS {
            self.add("give a unit", Call::futex_give(semaphore));
        }
        if word < MOST_UNITS {
            self.store("give a unit without a call", semaphore, word + 1);
        }
        if units != 0 {
            self.store("take a unit", semaphore, word - 1);
        }
        if word == 0 {
            self.store("announce that it waits", semaphore, WAITERS);
        }
        let wait = Call::futex_wait(semaphore, WAITERS);
        self.add("wait for a unit", wait);
        if self.habits.deadlines {
            let soon = self.machine.now() + 2;
            self.add("wait for a unit until a deadline", wait.deadline(soon));
            self.add("wait for a unit or not", wait.deadline(0));
        }
    }

    fn store(&mut self, what: &'static str, address: u32, value: u32) {
        self.steps.0.push(Step::Store {
            thread: self.thread,
            what,
            address,
            value,
        });
    }

    /// Calls about timers: each for the channel of the running thread's process, if that has one, or for a
    /// proxy that it may trigger.
    fn timers(&mut self) {
        let now = self.machine.now();
        let handles = (0..).zip(self.handles());
        for (slot, handle) in handles {
            let number = handle.value(slot);
            let leads_nowhere = handle.target().index == u8::MAX;
            if handle.purpose == Purpose::Connection && leads_nowhere {
                let may = handle.triggers().is_some();
                let call = if may { number::CLOSE } else { number::CONNECT };
                let word = if may { number } else { slot };
                self.add("close or connect", Call::other(call, &[word]));
            }
        }
        let process = self.machine.process(ProcessId(self.process()));
        for timer in process.objects.timers {
            let handle = &self.handles()[usize::from(timer.slot)];
            let timer_handle = handle.value(timer.slot.into());
            if !timer.exists() {
                let channels = self.channels().into_iter();
                for target in channels.chain(self.rights_to_trigger()) {
                    self.add("make a timer", Call::create_timer(target, 1));
                }
            }
            self.add("set a timer", Call::set_timer(timer_handle, now + HALF, 0));
            if timer.exists() {
                let call = Call::set_timer(timer_handle, now + HALF, LEAST_PERIOD);
                self.add("set a timer that is due again", call);
                if few_triggers_wait(self.machine) {
                    self.add(
                        "set a timer that is due",
                        Call::set_timer(timer_handle, now, 0),
                    );
                    let call = Call::set_timer(timer_handle, now - 3 * HALF, LEAST_PERIOD);
                    self.add("set one that was due", call);
                }
                self.add("stop a timer", Call::cancel_timer(timer_handle));
                self.add("end a timer", Call::destroy_timer(timer_handle));
            }
        }
        self.add("sleep", Call::sleep(now + HALF));
        for channel in self.channels() {
            let call = Call::receive(channel).deadline(now + HALF);
            self.add("receive with a deadline", call);
            self.add("receive or not", call.deadline(0));
        }
    }

    /// Calls about threads of the running one's process: one that can be started, and all that can be
    /// named.
    fn threads(&mut self) {
        let process = ProcessId(self.process());
        let create = Call::create(process, 7, 10, policy::ADAPTIVE);
        self.add("create", create);
        self.add("exit the thread", Call::exit_thread(5));
        let soon = self.machine.now() + 2;
        let own = self.machine.process(process);
        let first = usize::from(own.first_thread);
        for index in first..first + usize::from(own.threads) {
            let id = self.machine.thread(ThreadId(index)).id();
            self.add("join", Call::join(id));
            self.add("join with a deadline", Call::join(id).deadline(soon));
            self.add("join or not", Call::join(id).deadline(0));
            self.add("detach", Call::detach(id));
            self.add("raise", Call::schedule(id, 11, policy::FIFO));
            self.add("lower", Call::schedule(id, 9, policy::ADAPTIVE));
        }
        self.add("raise too far", Call::schedule(0, 12, policy::SAME));
    }

    /// Calls about signals: one without a word, and one with.
    fn signals(&mut self) {
        const PLAIN: u32 = 10;
        const QUEUED: u32 = 40;
        const MASKED: u64 = !(1 << QUEUED);
        let process = self.machine.thread(self.thread).process;
        let own = ProcessId(self.process());
        if process.threads == 1 {
            if !process.signal_targets().is_empty() {
                for signal in [PLAIN, QUEUED] {
                    self.add("send a signal", Call::signal(0, signal, 1));
                }
            }
            return;
        }
        self.add("say where signals go", Call::action(own, u64::MAX));
        self.add("mask some", Call::mask(how::SET, MASKED));
        self.add("mask none", Call::mask(how::SET, 0));
        self.add("raise", Call::signal(OWN, PLAIN, 1));
        let other = self
            .machine
            .thread(ThreadId(usize::from(process.first_thread) + 1));
        self.add(
            "raise in a thread",
            Call::signal_thread(other.id(), QUEUED, 2),
        );
        self.add("suspend", Call::suspend(MASKED));
        self.add("wait for a signal", Call::wait_signal(1 << QUEUED));
        if let Some(handler) = self.machine.handler(self.thread) {
            let words = [handler.stack_pointer];
            self.add(
                "end the handler",
                Call::about_signals(number_of_signal::RETURN, &words),
            );
        }
    }

    fn others(&mut self) {
        if self.habits.loans {
            for window in self.held() {
                self.add("release", Call::release(window));
            }
            let page = pages(self.process()).base;
            let exchange = self.machine.process(ProcessId(self.process())).exchange;
            if exchange.gaps.iter().any(|gap| gap.hidden().is_some()) {
                let call = Call::reclaim(page, 2 * PIECE);
                self.add("reclaim", call);
                self.add_interrupted("reclaim", call);
            }
        }
        if self.habits.regions {
            self.about_regions();
        }
        if self.habits.yields {
            self.add("yield", Call::give_way());
        }
        if self.habits.notifications {
            for channel in self.channels() {
                self.add("notify", Call::notify(channel, 1));
                self.add("notify otherwise", Call::notify(channel, 2));
            }
        }
        if self.habits.words {
            self.words();
        }
        if self.habits.locks != 0 {
            self.locks();
        }
        if self.habits.semaphore {
            self.semaphore();
        }
        if self.habits.timers {
            self.timers();
        }
        if self.habits.proxies {
            self.proxies();
        }
        if self.habits.threads {
            self.threads();
        }
        if self.habits.signals {
            self.signals();
        }
        if self.habits.interrupts {
            self.interrupts();
        }
        if self.habits.deadlines {
            self.add("sleep", Call::sleep(self.machine.now() + 1));
        }
        if self.habits.deaths {
            self.add("exit", Call::other(number::EXIT, &[0]));
        }
        let process = self.machine.thread(self.thread).process;
        for position in 0..process.restart.controls.len() as u32 {
            self.add("restart another", Call::restart(position));
            self.add("stop another", Call::stop(position));
        }
        if process.threads > 1 && !process.has_started_threads() {
            self.add("start threads", Call::other(number::START_THREADS, &[]));
        }
    }
}

impl Own<'_> {
    fn interrupts(&mut self) {
        let handles = &self.machine.kernel.tables().handles[self.process()];
        let own = handles.iter().enumerate();
        let own = own.filter(|(_, handle)| handle.purpose == Purpose::Interrupt);
        for (position, (slot, handle)) in own.enumerate() {
            let number = handle.value(slot as u32);
            for channel in self.channels() {
                if handle.is_open() {
                    let call = Call::acknowledge_and_receive(channel, number);
                    self.add("acknowledge and receive", call);
                } else {
                    let bits = 1 << position;
                    let call = Call::attach(position as u32, channel, bits);
                    self.add("attach", call);
                }
            }
            if handle.is_open() {
                self.add("pend", Call::other(number::INTERRUPT_PEND, &[number]));
                self.add("mask", Call::other(number::INTERRUPT_MASK, &[number]));
                let call = Call::other(number::INTERRUPT_ACK, &[number]);
                self.add("acknowledge", call);
                let call = Call::other(number::INTERRUPT_DETACH, &[number]);
                self.add("detach", call);
            }
        }
    }
}

impl Own<'_> {
    fn handles(&self) -> &'static [Handle; HANDLES] {
        &self.machine.kernel.tables().handles[self.process()]
    }

    /// Whether the running thread's process has been handed as many proxies as it takes, which is not
    /// as many as there is room for.
    fn has_rights_enough(&self) -> bool {
        let spares = self.handles().iter();
        let spares = spares.filter(|handle| handle.purpose == Purpose::Spare);
        spares.filter(|handle| handle.badge() != 0).count() >= MOST_RIGHTS
    }

    /// The handles of regions that the running thread's process has.
    fn regions(&self) -> Vec<u32> {
        let handles = (0..).zip(self.handles());
        let regions = handles.filter(|(_, handle)| handle.leads_to_region());
        regions.map(|(slot, handle)| handle.value(slot)).collect()
    }

    /// Calls about regions: all that the running thread's process has or may make.
    fn about_regions(&mut self) {
        let regions = self.regions();
        if regions.len() < MOST_REGIONS {
            let call = Call::create_region(0);
            self.add("make a region", call);
            self.add_interrupted("make a region", call);
        }
        for region in &regions {
            self.add("map to write", Call::map_region(*region, right::WRITE));
            self.add("close", Call::close(*region));
            if self.habits.region_words {
                continue;
            }
            self.add("map", Call::map_region(*region, 0));
            if regions.len() < MOST_REGIONS {
                let call = Call::copy_region(*region, right::TRANSFER);
                self.add("copy to read and hand on", call);
            }
        }
        let exchange = self.machine.process(ProcessId(self.process())).exchange;
        let mapped = exchange.windows.iter().filter(|it| it.shows_region());
        for (_, address, _) in mapped.filter_map(Window::open) {
            self.add("unmap", Call::release(address));
            if self.habits.region_words {
                self.add_interrupted("unmap", Call::release(address));
                self.words_of_region(address);
            }
        }
    }

    /// Waits and wakes at the first word of a region, and the lock that the second one is.
    fn words_of_region(&mut self, address: u32) {
        let lock = address + REGION_LOCK;
        self.add("wait in a region", Call::futex_wait(address, 0));
        self.add("wake in a region", Call::futex_wake(address, 1));
        self.add("lock in a region", Call::lock(lock));
        self.add("unlock in a region", Call::unlock(lock));
    }

    /// The handles through which the running thread's process may trigger a proxy.
    fn rights_to_trigger(&self) -> Vec<u32> {
        let handles = (0..).zip(self.handles());
        let rights = handles.filter(|(_, handle)| handle.triggers().is_some());
        rights.map(|(slot, handle)| handle.value(slot)).collect()
    }

    fn proxies(&mut self) {
        for channel in self.channels() {
            let call = Call::create_proxy(channel, self.memory(), SHORT);
            self.add("make a proxy", call);
        }
        for (slot, handle) in (0..).zip(self.handles()) {
            let leads_nowhere = handle.target().index == u8::MAX;
            let is_connection = handle.purpose == Purpose::Connection && leads_nowhere;
            let is_old = handle.triggers().is_none();
            if is_connection && is_old {
                self.add("connect", Call::other(number::CONNECT, &[slot]));
            }
            let had = leads_nowhere && handle.purpose == Purpose::Spare && handle.badge() != 0;
            if is_old && !is_connection && !had {
                continue;
            }
            let number = handle.value(slot);
            let count = handle.triggers().map_or(0, Proxy::count);
            if count < MOST_TRIGGERS {
                self.add("trigger", Call::trigger(number));
            }
            self.add("end the proxy", Call::destroy_proxy(number));
            self.add("close", Call::other(number::CLOSE, &[number]));
        }
    }
}

/// Whether no proxy has been triggered so often that time had better wait for its server.
fn few_triggers_wait(machine: &Machine) -> bool {
    let processes = machine.kernel.tables().processes.iter();
    let mut proxies = processes.flat_map(|process| process.objects.proxies);
    proxies.all(|proxy| proxy.count() < MOST_TRIGGERS)
}

/// Lets it happen in a state of this [shape](Machine::shape), and checks what came of it.
///
/// # Panics
/// Something does not hold.
pub fn take(machine: &mut Machine, step: &Step, before: &[u8]) {
    let tokens = expect::tokens(machine);
    let loans = expect::loans_to_the_living(machine);
    let timers = timers::before(machine);
    let words = words::before(machine);
    let actor = machine.current();
    perform(machine, step, before);
    timers.after(machine, step);
    words.after(machine, step);
    expect::loans_are_kept(machine, &loans, actor);
    expect::new_tokens(machine, &tokens);
}

fn perform(machine: &mut Machine, step: &Step, before: &[u8]) {
    match *step {
        Step::Call {
            thread,
            call,
            interrupted,
            ..
        } => {
            let expected = expect::before(machine, thread, &call);
            let signals = signals::before(machine, thread, &call);
            if interrupted {
                machine.host.interrupt_after(1);
            }
            machine.call_once(thread, call);
            expected.after(machine, before);
            signals.after(machine);
        }
        Step::Repeat(thread) => {
            machine.repeat(thread);
        }
        Step::Fault(thread) => {
            machine.fault(thread);
            let process = machine.thread(thread).process.index;
            expect::has_nothing_left(machine, process.into());
        }
        Step::Pass(time) => machine.advance(time),
        Step::Late(time) => {
            machine.set_now(machine.now() + time);
            machine.interrupt();
        }
        Step::Store { address, value, .. } => machine.host.poke_word(address, value),
        Step::Alarm => machine.interrupt(),
        Step::Raise(line) => machine.raise(line),
    }
}
