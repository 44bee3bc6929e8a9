//! What the kernel should do: lists that are searched from the beginning, priorities computed from nothing
//! after every step. It is written from the book (messages, threads, words and locks, interrupts, the binary
//! interface). Only the order in which a call's errors are checked was taken from the kernel, since no rule says it.

use riposte_abi::call::{self, number, operation};
use riposte_abi::lock::{OWNER_DIED, OWNER_MASK, WAITERS};
use riposte_abi::thread::{INDEX_MASK, policy};
use riposte_abi::{
    Error, LEAST_PERIOD, MAX_PARTS, MAX_PROXY_BYTES, MAX_TRIGGERS, MIN_PRIORITIES, info, notice,
    register, signal,
};
use riposte_fuzz_script::plan::{
    self, CHANNELS, DEPTH, HANDLES, INTERRUPTS, PAGE, PRIORITIES, PRIORITY_LIMIT, PROCESSES,
    PROXIES, SPARE, SPARE_STACK, THREADS, THREADS_EACH, TIMERS,
};

mod programs;
mod regions;
mod relays;
mod slices;

use crate::memory::{Absence, Bytes, Exchange, Gap, Memory, Window, home_of, length_of, overlap};

/// Before everybody.
const HIGHEST: u8 = (MIN_PRIORITIES - 1) as u8;

type Registers = [u32; register::COUNT];

/// Whose messages a thread takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum From {
    Anyone,
    Badge(u32),
    /// Of this thread alone.
    Thread(usize),
}

impl From {
    fn takes(self, client: usize, badge: u32) -> bool {
        match self {
            From::Anyone => true,
            From::Badge(wanted) => wanted == badge,
            From::Thread(wanted) => wanted == client,
        }
    }
}

/// What a thread is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Doing {
    /// It has not started, or has ended.
    Nothing,
    Ready,
    Sending {
        channel: usize,
    },
    Waiting {
        server: usize,
        channel: usize,
    },
    Receiving {
        channel: usize,
        from: From,
    },
    AtWord {
        address: u32,
    },
    Locking {
        owner: usize,
        address: u32,
    },
    Joining {
        thread: usize,
    },
    Sleeping,
    /// Until a signal has been handled. Then this is its mask.
    Suspended {
        mask: u64,
    },
    /// For one of these signals.
    Expecting {
        set: u64,
    },
}

/// Where a thread stands between its start and the moment at which nobody asks for its end any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Free,
    Joinable,
    Detached,
    Over(u32),
}

/// The message of a client.
#[derive(Clone, Copy, Debug, Default)]
struct Request {
    badge: u32,
    /// Words, or address and length.
    words: [u32; 5],
    length: u32,
    bytes: bool,
    /// They are in parts.
    parts: bool,
    /// It carries memory: `operation::LEND`, `LEND_MUT` or `MOVE`.
    memory: Option<u32>,
    accepts_handle: bool,
    /// Its call has a deadline, which may have passed.
    limited: bool,
    /// It was handed on to who waited for a message, and has not been copied yet: its server's call goes on with that.
    begun: bool,
    /// Bytes that the server took.
    accepted: u32,
}

impl Request {
    /// It carries memory that comes back with the answer.
    fn lends(&self) -> bool {
        self.memory
            .is_some_and(|operation| operation != operation::MOVE)
    }

    /// The client's bytes, as it names them.
    fn named(&self) -> Bytes {
        Bytes {
            address: self.words[0],
            count: self.words[1],
            parts: self.parts,
        }
    }
}

#[derive(Clone, Debug)]
struct Thread {
    doing: Doing,
    base: u8,
    priority: u8,
    policy: u32,
    /// It has used up its slice, and is one level below its priority until it waits.
    dropped: bool,
    /// It computes until then.
    computes: Option<u64>,
    /// The channel that it last waited at or received from.
    bound: Option<usize>,
    /// It has taken a message from there since, and has had clients ever since.
    serves: bool,
    life: u32,
    phase: Phase,
    deadline: Option<u64>,
    result: Registers,
    request: Request,
    /// Room for a reply or a message.
    room: Bytes,
    /// The call in which it waits for a message.
    receive: Given,
    /// It makes this call again as soon as it runs.
    again: Option<Given>,
    messages: u32,
    /// How many it had sent when its life began.
    before: u32,
    /// It has been started, and has not run yet.
    fresh: bool,
    /// The signals that it masks, and those that wait for it alone.
    mask: u64,
    pending: u64,
    /// Those of them without a word that were sent to its process.
    of_process: u64,
    /// It is to be told of signals before it runs.
    summoned: bool,
    /// Its handlers that are not over, the innermost last.
    handlers: Vec<Handler>,
}

/// A handler, and what its thread goes on with after it.
#[derive(Clone, Copy, Debug)]
struct Handler {
    signal: u32,
    word: u32,
    mask: u64,
    result: Registers,
}

/// A signal that waits with its word, for a thread or for any of the process.
#[derive(Clone, Copy, Debug)]
struct Queued {
    signal: u32,
    thread: Option<usize>,
    /// It was sent to the process.
    of_process: bool,
    word: u32,
}

/// What a handle slot is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    Connection,
    Channel,
    Interrupt(usize),
    Proxy(usize),
    Timer(usize),
    Spare,
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    purpose: Purpose,
    generation: u32,
    open: bool,
    broken: bool,
    /// Its process has closed it while it was open, and has not opened it again.
    closed: bool,
    channel: Option<usize>,
    badge: u32,
    transfer: bool,
    /// Who gets it has a badge of its own, and can only send.
    gives_badges: bool,
    notify: bool,
    /// Somebody's proxy, and what its owner called it.
    held: Option<(usize, usize, u32)>,
    /// A region: its block, and the rights to it.
    region: Option<(usize, u32)>,
}

impl Slot {
    /// Nothing is there, nor was there ever.
    const SPARE: Slot = Slot {
        purpose: Purpose::Spare,
        generation: 0,
        open: false,
        broken: false,
        closed: false,
        channel: None,
        badge: 0,
        transfer: false,
        gives_badges: false,
        notify: false,
        held: None,
        region: None,
    };

    /// Whether it is a spare slot with nothing in it.
    fn holds_nothing(&self) -> bool {
        self.purpose == Purpose::Spare
            && !self.open
            && !self.broken
            && self.held.is_none()
            && self.region.is_none()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Notice {
    ClientDied {
        process: usize,
        slot: usize,
    },
    /// The end of a program.
    Ended {
        process: usize,
    },
    Unblock {
        thread: usize,
    },
    Bits,
    Proxy {
        process: usize,
        number: usize,
    },
}

#[derive(Clone, Debug, Default)]
struct Channel {
    /// Its last receiver was its only one.
    one_receiver: bool,
    notices: Vec<Notice>,
    bits: u32,
}

#[derive(Clone, Debug, Default)]
struct Proxy {
    /// What its owner calls it; 0: there is none.
    handle: u32,
    channel: usize,
    count: u16,
    bytes: Vec<u8>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Aim {
    Bits(usize, u32),
    Proxy(usize, usize, u32),
}

#[derive(Clone, Copy, Debug, Default)]
struct Timer {
    handle: u32,
    aim: Option<Aim>,
    at: Option<u64>,
    period: u64,
}

/// An interrupt of a process.
#[derive(Clone, Copy, Debug)]
struct Interrupt {
    attached: Option<(usize, u32)>,
    masked: bool,
    /// Software has raised it while it was masked.
    pended: bool,
}

const QUIET: Interrupt = Interrupt {
    attached: None,
    masked: true,
    pended: false,
};

#[derive(Clone, Debug)]
struct Process {
    alive: bool,
    /// It is to start as soon as all that it has lent is back.
    waits: bool,
    started: bool,
    slots: Vec<Slot>,
    proxies: Vec<Proxy>,
    timers: Vec<Timer>,
    interrupts: Vec<Interrupt>,
    /// What is masked while a signal is handled; nobody has said where that is: nothing.
    handling: Option<u64>,
    /// The signals that wait for any of its threads.
    pending: u64,
    queued: Vec<Queued>,
}

/// What is to be done next of the end of a process.
#[derive(Clone, Copy, Debug)]
enum Stage {
    /// Go on at the priority of its most urgent thread, and at this one at least. Until then it goes before everybody.
    Priority { least: u8 },
    /// Take its threads from wherever they wait: so many are left.
    Threads { left: usize },
    /// Tell those who wait for its threads, from this one on.
    Dependants { thread: usize },
    /// Tell those whose messages wait at its channels.
    Channels,
    /// Close its handles, from this one on.
    Handles { slot: usize },
    /// Tell those who wait for a message that nobody can send any more.
    Selections,
    /// Until all that it has lent is back.
    Loans,
}

/// The end of a process, for which its main thread runs.
#[derive(Clone, Copy, Debug)]
struct Burial {
    worker: usize,
    stage: Stage,
    /// It starts again then.
    again: bool,
    /// Who manages it is told, if it is a program.
    reported: bool,
}

/// The whole system.
pub struct Naive {
    now: u64,
    exchange: Exchange,
    threads: Vec<Thread>,
    processes: Vec<Process>,
    channels: Vec<Channel>,
    /// Who runs; nobody if nobody is ready.
    current: Option<usize>,
    /// Who is ready and does not run, in the order in which they would run if all were equal.
    ready: Vec<usize>,
    /// Whose messages wait, in the order in which they came; and so on.
    queue: Vec<usize>,
    receivers: Vec<usize>,
    at_words: Vec<usize>,
    taken: Vec<usize>,
    /// The first that waits for each lock, in the order in which they became that.
    lockers: Vec<usize>,
    /// The ends of processes that are not over.
    burials: Vec<Burial>,
    /// Receivers of a channel with several ones, at which a message has come or gone: they follow at the end.
    stale: Vec<usize>,
    /// Interrupts that have come and that nobody has been told of.
    raised: Vec<(usize, usize)>,
    blocks: Vec<regions::Block>,
    turns: slices::Turns,
}

const fn failed(error: Error) -> Registers {
    let mut result = [0; register::COUNT];
    result[register::CALL] = error as u32;
    result[register::INFO] = info::ERROR;
    result
}

fn returned(words: &[u32]) -> Registers {
    let mut result = [0; register::COUNT];
    for (place, word) in register::WORDS.into_iter().zip(words) {
        result[place] = *word;
    }
    result
}

/// What a call is given.
#[derive(Clone, Copy, Debug, Default)]
struct Given {
    registers: Registers,
    extra: [u32; 5],
}

impl Given {
    fn call(self) -> u32 {
        self.registers[register::CALL]
    }

    fn flags(self) -> u32 {
        self.registers[register::INFO]
    }

    fn words(self) -> [u32; 5] {
        register::WORDS.map(|place| self.registers[place])
    }

    fn time(self) -> u64 {
        u64::from(self.extra[0]) | u64::from(self.extra[1]) << 32
    }

    fn deadline(self) -> Option<u64> {
        (self.flags() & info::DEADLINE != 0).then(|| self.time())
    }

    /// Where bytes may be put, and how many.
    fn room(self) -> Bytes {
        Bytes {
            address: self.extra[2],
            count: self.extra[3],
            parts: self.flags() & info::VECTOR != 0,
        }
    }

    /// The bytes that it names in its first words.
    fn bytes(self, parts: bool) -> Bytes {
        let [address, count, ..] = self.words();
        Bytes {
            address,
            count,
            parts,
        }
    }
}

/// There are not too many parts.
fn few(bytes: Bytes) -> Result<(), Error> {
    if bytes.parts && bytes.count > MAX_PARTS as u32 {
        return Err(Error::BadArgument);
    }
    Ok(())
}

const fn process_of(thread: usize) -> usize {
    thread / THREADS_EACH
}

impl Process {
    fn new(process: usize) -> Self {
        let closed = Slot::SPARE;
        let mut slots: Vec<Slot> = (0..plan::connections(process))
            .map(|channel| Slot {
                purpose: Purpose::Connection,
                channel: Some(channel),
                badge: plan::badge(process, channel),
                transfer: plan::may_transfer(process, channel),
                gives_badges: plan::gives_badges(process, channel),
                notify: plan::may_notify(process, channel),
                ..closed
            })
            .collect();
        let purposes = plan::channels_of(process)
            .map(|channel| (Purpose::Channel, Some(channel)))
            .chain((0..INTERRUPTS[process]).map(|it| (Purpose::Interrupt(it), None)))
            .chain((0..PROXIES).map(|it| (Purpose::Proxy(it), None)))
            .chain((0..TIMERS).map(|it| (Purpose::Timer(it), None)));
        slots.extend(purposes.map(|(purpose, channel)| Slot {
            purpose,
            channel,
            generation: u32::from(purpose == Purpose::Channel),
            ..closed
        }));
        slots.resize(HANDLES as usize, closed);
        Self {
            alive: process != plan::PROGRAM,
            waits: false,
            started: true,
            slots,
            proxies: vec![Proxy::default(); PROXIES],
            timers: vec![Timer::default(); TIMERS],
            interrupts: vec![QUIET; INTERRUPTS[process]],
            handling: None,
            pending: 0,
            queued: Vec::new(),
        }
    }
}

type Done = Result<Option<Registers>, Error>;

impl Naive {
    /// All threads that the manifest names have started, and all sleep.
    #[must_use]
    pub fn new(now: u64, exchange: Exchange) -> Self {
        let threads = (0..THREADS).map(|thread| {
            let spare = thread % THREADS_EACH == SPARE;
            let waits = spare || process_of(thread) == plan::PROGRAM;
            let base = if spare {
                1
            } else {
                PRIORITIES[process_of(thread)][thread % THREADS_EACH]
            };
            Thread {
                doing: Doing::Nothing,
                base,
                priority: base,
                policy: policy::FIFO,
                dropped: false,
                computes: None,
                bound: None,
                serves: false,
                // Not the first, so that an id of the life before is none that means something else.
                life: 8,
                phase: if waits { Phase::Free } else { Phase::Joinable },
                deadline: None,
                result: [0; register::COUNT],
                request: Request::default(),
                room: Bytes::default(),
                receive: Given::default(),
                again: None,
                messages: 0,
                before: 0,
                fresh: false,
                mask: !0,
                pending: 0,
                of_process: 0,
                summoned: false,
                handlers: Vec::new(),
            }
        });
        Self {
            now,
            exchange,
            threads: threads.collect(),
            processes: (0..PROCESSES).map(Process::new).collect(),
            channels: vec![Channel::default(); CHANNELS.len()],
            current: None,
            ready: Vec::new(),
            queue: Vec::new(),
            receivers: Vec::new(),
            at_words: Vec::new(),
            taken: Vec::new(),
            lockers: Vec::new(),
            burials: Vec::new(),
            stale: Vec::new(),
            raised: Vec::new(),
            blocks: regions::blocks(),
            turns: slices::Turns::default(),
        }
    }

    /// A thread that the manifest names sleeps until then.
    pub fn put_to_sleep(&mut self, thread: usize, until: u64) {
        self.threads[thread].doing = Doing::Sleeping;
        self.threads[thread].deadline = Some(until);
    }

    /// What all threads are doing, and at which priority.
    #[must_use]
    pub fn state(&self) -> String {
        let threads = self.threads.iter().enumerate();
        let threads = threads.map(|(index, thread)| {
            format!(
                "{index}@{}:{:?}({:?})",
                thread.priority, thread.doing, thread.bound
            )
        });
        let threads = threads.collect::<Vec<_>>().join(" ");
        format!("{threads} ready:{:?}", self.ready)
    }

    /// Who runs.
    #[must_use]
    pub fn running(&self) -> Option<usize> {
        self.current
    }

    /// The time.
    #[must_use]
    pub fn now(&self) -> u64 {
        self.now
    }

    /// What a thread's last call returned.
    #[must_use]
    pub fn result(&self, thread: usize) -> Registers {
        self.threads[thread].result
    }

    /// A thread's id.
    #[must_use]
    pub fn id(&self, thread: usize) -> u32 {
        riposte_abi::thread::id(plan::index_of(thread), self.threads[thread].life)
    }

    /// The signals, with their words, of a thread's handlers that are not over, the innermost last.
    #[must_use]
    pub fn handlers(&self, thread: usize) -> Vec<(u32, u32)> {
        let handlers = self.threads[thread].handlers.iter();
        handlers.map(|it| (it.signal, it.word)).collect()
    }

    /// Whether a thread has just started.
    pub fn take_start(&mut self, thread: usize) -> bool {
        std::mem::take(&mut self.threads[thread].fresh)
    }

    // Priorities.

    fn is_alive(&self, thread: usize) -> bool {
        self.processes[process_of(thread)].alive
    }

    /// Whether it neither runs any more, nor waits for anything, as its process is dying: its priority is what it was.
    fn has_stopped(&self, thread: usize) -> bool {
        !self.is_alive(thread)
            && matches!(self.threads[thread].doing, Doing::Nothing | Doing::Ready)
    }

    fn has_ended(&self, thread: usize) -> bool {
        self.threads[thread].doing == Doing::Nothing
    }

    /// Who lends to whom: the lender, the borrower, and whether the one serves the other.
    fn loans(&self) -> Vec<(usize, usize, bool)> {
        let mut loans = Vec::new();
        for lender in 0..THREADS {
            match self.threads[lender].doing {
                Doing::Waiting { server, channel } if CHANNELS[channel].fixed.is_none() => {
                    loans.push((lender, server, true));
                }
                Doing::Sending { channel } if CHANNELS[channel].fixed.is_none() => {
                    let receivers = self.raised_by_senders(channel);
                    loans.extend(
                        receivers
                            .into_iter()
                            .map(|receiver| (lender, receiver, false)),
                    );
                }
                Doing::Locking { owner, .. } => loans.push((lender, owner, false)),
                Doing::Joining { thread } => loans.push((lender, thread, false)),
                _ => {}
            }
        }
        loans
    }

    /// The threads that last received from a channel.
    fn receivers_of(&self, channel: usize) -> Vec<usize> {
        let bound = |thread: &usize| self.threads[*thread].bound == Some(channel);
        (0..THREADS).filter(bound).collect()
    }

    /// Whom the messages raise that wait at a channel: its receiver, or of several ones those that serve
    /// a client.
    fn raised_by_senders(&self, channel: usize) -> Vec<usize> {
        let one = self.channels[channel].one_receiver;
        let mut receivers = self.receivers_of(channel);
        receivers.retain(|receiver| one || self.threads[*receiver].serves);
        receivers
    }

    /// The thread, which runs, is a receiver of the channel from now on, and of no other one.
    fn bind(&mut self, server: usize, channel: usize) {
        if self.threads[server].bound != Some(channel) {
            self.unbind(server);
            self.threads[server].bound = Some(channel);
        }
        self.channels[channel].one_receiver = self.receivers_of(channel).len() == 1;
    }

    fn unbind(&mut self, server: usize) {
        self.threads[server].serves = false;
        let Some(channel) = self.threads[server].bound.take() else {
            return;
        };
        // One that is left raises nobody as long as it waits itself: they might wait for each other.
        self.channels[channel].one_receiver = match self.receivers_of(channel)[..] {
            [only] => !matches!(
                self.threads[only].doing,
                Doing::Sending { .. }
                    | Doing::Waiting { .. }
                    | Doing::Locking { .. }
                    | Doing::Joining { .. }
            ),
            _ => false,
        };
    }

    /// The priority of everybody, from the bottom up.
    fn priorities(&self) -> Vec<u8> {
        let loans = self.loans();
        let own = |thread: usize| {
            let serves = loans
                .iter()
                .any(|(_, borrower, client)| *borrower == thread && *client);
            let it = &self.threads[thread];
            let fixed = it.bound.and_then(|channel| CHANNELS[channel].fixed);
            if serves {
                0
            } else {
                fixed.unwrap_or(it.own_priority())
            }
        };
        let mut priorities: Vec<u8> = (0..THREADS).map(own).collect();
        loop {
            let before = priorities.clone();
            for (lender, borrower, _) in &loans {
                priorities[*borrower] = priorities[*borrower].max(priorities[*lender]);
            }
            for thread in (0..THREADS).filter(|thread| self.has_stopped(*thread)) {
                priorities[thread] = self.priority(thread);
            }
            if before == priorities {
                return priorities;
            }
        }
    }

    /// Brings priorities up to date: who has another one waits behind those that have it already.
    fn update(&mut self) {
        let priorities = self.priorities();
        for thread in 0..THREADS {
            self.update_chain(thread, &priorities);
        }
        let mut firsts: Vec<usize> = Vec::new();
        for waiting in &self.at_words {
            if let Doing::Locking { address, .. } = self.threads[*waiting].doing
                && let Some((first, _)) = self.first_locker(address)
                && !firsts.contains(&first)
            {
                firsts.push(first);
            }
        }
        self.lockers.retain(|locker| firsts.contains(locker));
        firsts.retain(|first| !self.lockers.contains(first));
        self.lockers.extend(firsts);
    }

    /// At the end of what happens: nobody is left out.
    fn update_all(&mut self) {
        self.stale.clear();
        self.update();
    }

    /// A message has come to the channel, or gone from there.
    fn note_queue_of(&mut self, channel: usize) {
        if !self.channels[channel].one_receiver {
            let raised = self.raised_by_senders(channel);
            self.stale.extend(raised);
        }
    }

    /// Brings a thread's priority up to date, then those of whom it waits for.
    fn update_chain(&mut self, thread: usize, priorities: &[u8]) {
        if self.threads[thread].priority == priorities[thread] || self.stale.contains(&thread) {
            return;
        }
        self.threads[thread].priority = priorities[thread];
        let doing = self.threads[thread].doing;
        let keeps_its_place = match doing {
            Doing::Sending { channel } => CHANNELS[channel].by_arrival,
            Doing::Waiting { channel, .. } => CHANNELS[channel].fixed.is_some(),
            _ => false,
        };
        for list in [
            &mut self.ready,
            &mut self.queue,
            &mut self.at_words,
            &mut self.lockers,
            &mut self.taken,
        ] {
            let place = list.iter().position(|other| *other == thread);
            if let Some(place) = place.filter(|_| !keeps_its_place) {
                list.remove(place);
                list.push(thread);
            }
        }
        match doing {
            Doing::Waiting { server, .. } => self.update_chain(server, priorities),
            Doing::Locking { owner, .. } => self.update_chain(owner, priorities),
            Doing::Joining { thread } => self.update_chain(thread, priorities),
            Doing::Sending { channel } => {
                for server in self.raised_by_senders(channel) {
                    self.update_chain(server, priorities);
                }
            }
            _ => {}
        }
    }

    fn priority(&self, thread: usize) -> u8 {
        self.threads[thread].priority
    }

    /// The most urgent of these, the first one of equals.
    fn most_urgent(&self, threads: impl Iterator<Item = usize>) -> Option<usize> {
        let threads: Vec<usize> = threads.collect();
        let most = threads.iter().map(|thread| self.priority(*thread)).max();
        let mut threads = threads.into_iter();
        threads.find(|thread| Some(self.priority(*thread)) == most)
    }

    /// Lets the most urgent thread run, after the ends of processes that go before it.
    fn settle(&mut self, memory: &mut Memory) {
        let before = self.current;
        self.settle_who_runs(memory, before);
        self.plan_turns();
    }

    fn settle_who_runs(&mut self, memory: &mut Memory, before: Option<usize>) {
        self.update_all();
        let urgent = self.urgent();
        let runs = self.current.filter(|current| {
            self.threads[*current].doing == Doing::Ready
                && self.is_alive(*current)
                && !self.ready.contains(current)
        });
        if let Some(before) = before.filter(|_| runs.is_none()) {
            self.end_turn_of(before);
        }
        self.current = match runs {
            Some(current) if urgent <= Some(self.priority(current)) => Some(current),
            Some(current) => {
                self.ready.insert(0, current);
                self.take_ready()
            }
            None => self.take_ready(),
        };
        loop {
            self.let_ends_precede();
            while let Some(current) = self.current
                && let Some(place) = self.burial_of(current)
            {
                let is_over = self.bury(memory, place);
                self.update_all();
                if is_over {
                    self.current = self.take_ready();
                } else if self.urgent() > Some(self.priority(current)) {
                    self.ready.insert(0, current);
                    self.current = self.take_ready();
                }
            }
            // Who is next learns of its signals before it runs.
            match self.current {
                Some(next) if std::mem::take(&mut self.threads[next].summoned) => {
                    self.deliver(memory, next);
                }
                _ => return,
            }
        }
    }

    /// The end of a process goes before whoever is to run and is not more urgent.
    fn let_ends_precede(&mut self) {
        let Some(current) = self.current.filter(|it| self.burial_of(*it).is_none()) else {
            return;
        };
        let first = self.most_urgent(self.ready.iter().copied());
        let precedes = |first: &usize| {
            self.burial_of(*first).is_some() && self.priority(*first) >= self.priority(current)
        };
        if let Some(first) = first.filter(precedes) {
            self.ready.retain(|other| *other != first);
            self.ready.insert(0, current);
            self.current = Some(first);
        }
    }

    /// The priority of the most urgent that is ready.
    fn urgent(&self) -> Option<u8> {
        self.ready.iter().map(|thread| self.priority(*thread)).max()
    }

    fn take_ready(&mut self) -> Option<usize> {
        let next = self.most_urgent(self.ready.iter().copied())?;
        self.ready.retain(|other| *other != next);
        Some(next)
    }

    fn burial_of(&self, worker: usize) -> Option<usize> {
        let mut burials = self.burials.iter();
        burials.position(|burial| burial.worker == worker)
    }

    // Waiting and waking.

    fn block(&mut self, thread: usize, doing: Doing, deadline: Option<u64>) {
        self.threads[thread].doing = doing;
        self.threads[thread].deadline = deadline;
        match doing {
            Doing::Sending { channel } => {
                self.queue.push(thread);
                self.note_queue_of(channel);
            }
            Doing::Receiving { .. } => self.receivers.push(thread),
            Doing::AtWord { .. } | Doing::Locking { .. } => self.at_words.push(thread),
            _ => {}
        }
    }

    fn stop_waiting(&mut self, thread: usize) {
        for list in [
            &mut self.queue,
            &mut self.receivers,
            &mut self.at_words,
            &mut self.taken,
        ] {
            list.retain(|other| *other != thread);
        }
        let before = std::mem::replace(&mut self.threads[thread].doing, Doing::Ready);
        if let Doing::Suspended { mask } = before {
            self.threads[thread].mask = mask;
        }
        if matches!(
            before,
            Doing::Sending { .. } | Doing::Waiting { .. } | Doing::Suspended { .. }
        ) {
            self.summon(thread);
        }
        self.end_message_with_memory(thread, before);
        if let Doing::Sending { channel } = before {
            self.note_queue_of(channel);
        }
        if let Doing::Waiting { server, .. } = before
            && self.clients_of(server).is_empty()
        {
            self.threads[server].serves = false;
        }
        self.threads[thread].deadline = None;
        for channel in &mut self.channels {
            let own = Notice::Unblock { thread };
            channel.notices.retain(|notice| *notice != own);
        }
        // The only receiver of a channel, which waits for nobody now, is raised by who waits there.
        if let Some(channel) = self.threads[thread].bound
            && self.receivers_of(channel).len() == 1
        {
            self.channels[channel].one_receiver = true;
        }
        self.threads[thread].priority = self.priorities()[thread];
    }

    /// The thread is ready behind all others.
    fn wake(&mut self, thread: usize, result: Registers) {
        self.stop_waiting(thread);
        self.threads[thread].result = result;
        self.update();
        if self.is_alive(thread) {
            self.ready.push(thread);
        }
    }

    /// The thread is ready before all others.
    fn hand_over(&mut self, thread: usize, result: Registers) {
        self.stop_waiting(thread);
        self.threads[thread].result = result;
        self.ready.insert(0, thread);
    }

    fn may_block(&self, deadline: Option<u64>) -> Result<(), Error> {
        match deadline {
            Some(0) => Err(Error::WouldBlock),
            Some(at) if at <= self.now => Err(Error::TimedOut),
            _ => Ok(()),
        }
    }

    /// Refuses that `caller` waits for these if one of them waits for it in the end, or for too many.
    fn check_chain(&self, caller: usize, first: Vec<usize>) -> Result<(), Error> {
        let mut seen = first;
        let mut place = 0;
        while let Some(thread) = seen.get(place).copied() {
            let next = match self.threads[thread].doing {
                Doing::Waiting { server, .. } => vec![server],
                Doing::Locking { owner, .. } => vec![owner],
                Doing::Sending { channel } => self.raised_by_senders(channel),
                Doing::Joining { thread } => vec![thread],
                _ => Vec::new(),
            };
            for other in next {
                if !seen.contains(&other) {
                    seen.push(other);
                }
            }
            place += 1;
        }
        if seen.contains(&caller) || seen.len() > DEPTH {
            return Err(Error::Deadlock);
        }
        Ok(())
    }

    /// The clients that a thread has to answer.
    fn clients_of(&self, thread: usize) -> Vec<usize> {
        let mut clients = self.taken.clone();
        clients.retain(|client| {
            matches!(self.threads[*client].doing, Doing::Waiting { server, .. } if server == thread)
        });
        clients
    }

    /// The client that learns first of a thread's end: the most urgent one, those of channels with a fixed
    /// priority last.
    fn first_client(&self, thread: usize) -> Option<usize> {
        let clients = self.clients_of(thread);
        let lent = |client: &usize| match self.threads[*client].doing {
            Doing::Waiting { channel, .. } if CHANNELS[channel].fixed.is_none() => {
                Some(self.priority(*client))
            }
            _ => None,
        };
        let most = clients.iter().map(lent).max()?;
        clients.into_iter().find(|client| lent(client) == most)
    }

    // Time.

    /// Lets time pass until something is due, at most until then. Whether something was.
    pub fn pass_time(&mut self, memory: &mut Memory, until: u64) -> bool {
        let Some(at) = self.earliest().filter(|at| *at <= until) else {
            return false;
        };
        self.now = self.now.max(at);
        self.end_what_is_due(memory);
        self.end_turns(memory);
        self.make_calls_again(memory);
        true
    }

    fn earliest(&self) -> Option<u64> {
        let timers = self.processes.iter().flat_map(|process| &process.timers);
        let threads = self.threads.iter().filter_map(|thread| thread.deadline);
        threads.chain(timers.filter_map(|timer| timer.at)).min()
    }

    fn end_what_is_due(&mut self, memory: &mut Memory) {
        while let Some(at) = self.earliest().filter(|at| *at <= self.now) {
            if let Some(thread) = (0..THREADS).find(|it| self.threads[*it].deadline == Some(at)) {
                self.expire(memory, thread);
                continue;
            }
            for process in 0..PROCESSES {
                for timer in 0..TIMERS {
                    if self.processes[process].timers[timer].at == Some(at) {
                        self.fire(memory, process, timer, at);
                    }
                }
            }
        }
        self.settle(memory);
    }

    fn expire(&mut self, memory: &mut Memory, thread: usize) {
        match self.threads[thread].doing {
            Doing::Sleeping => self.wake(thread, returned(&[])),
            Doing::Waiting { channel, .. } | Doing::Sending { channel }
                if !self.owner_lives(channel) =>
            {
                self.wake(thread, self.lost(thread));
            }
            Doing::Waiting { channel, .. } if CHANNELS[channel].unblock => {
                self.threads[thread].deadline = None;
                self.ask_to_unblock(memory, channel, thread);
            }
            _ => self.wake(thread, failed(Error::TimedOut)),
        }
    }

    fn fire(&mut self, memory: &mut Memory, process: usize, timer: usize, at: u64) {
        let it = &mut self.processes[process].timers[timer];
        it.at = None;
        let (aim, period) = (it.aim, it.period);
        let mut times = 1;
        let mut next = None;
        if let Some(late) = self.now.saturating_sub(at).checked_div(period) {
            times = (late + 1).min(u64::from(MAX_TRIGGERS)) as u16;
            next = Some(at + period * (late + 1));
        }
        match aim {
            Some(Aim::Bits(channel, bits)) => self.add_bits(memory, channel, bits),
            Some(Aim::Proxy(owner, number, life))
                if self.processes[owner].proxies[number].handle == life =>
            {
                self.count(memory, owner, number, times);
            }
            _ => next = None,
        }
        self.processes[process].timers[timer].at = next;
    }

    // Signals.

    /// What is due to a thread: it waits, and is not masked.
    fn due(&self, thread: usize) -> u64 {
        let it = &self.threads[thread];
        (it.pending | self.processes[process_of(thread)].pending) & !it.mask
    }

    /// Something may be due to a thread that is ready, or about to be: it learns of it before it runs.
    fn summon(&mut self, thread: usize) {
        if self.due(thread) != 0 && self.is_alive(thread) {
            self.threads[thread].summoned = true;
        }
    }

    /// Whether a thread can leave for a handler what it does.
    fn can_leave(&self, thread: usize) -> bool {
        self.is_alive(thread)
            && match self.threads[thread].doing {
                Doing::Nothing => false,
                // A call that it is to make again comes first.
                Doing::Ready => self.threads[thread].again.is_none(),
                Doing::Sending { channel } => self.owner_lives(channel),
                Doing::Waiting { channel, .. } => {
                    self.owner_lives(channel) && !CHANNELS[channel].unblock
                }
                _ => true,
            }
    }

    /// What is due to a thread interrupts it, if it can leave what it does. Else its server is asked to let it go.
    fn deliver(&mut self, memory: &mut Memory, thread: usize) {
        let due = self.due(thread);
        if due == 0 {
            return;
        }
        if self.can_leave(thread) {
            let signal = due.trailing_zeros();
            let word = self.take_signal(thread, signal);
            self.begin_handler(thread, signal, word);
        } else if let Doing::Waiting { channel, .. } = self.threads[thread].doing
            && self.owner_lives(channel)
        {
            self.ask_to_unblock(memory, channel, thread);
        }
    }

    /// Asks the server of a client to let it go; of a message that has only begun to be copied, when that is over: nobody
    /// knows its token yet.
    fn ask_to_unblock(&mut self, memory: &mut Memory, channel: usize, thread: usize) {
        if !self.threads[thread].request.begun {
            self.tell(memory, channel, Notice::Unblock { thread });
        }
    }

    /// A thread leaves what it does, and goes on in the handler of a signal.
    fn begin_handler(&mut self, thread: usize, signal: u32, word: u32) {
        if self.threads[thread].doing != Doing::Ready {
            self.wake(thread, failed(Error::Interrupted));
        }
        let handling = self.processes[process_of(thread)].handling.unwrap_or(0);
        let it = &mut self.threads[thread];
        it.handlers.push(Handler {
            signal,
            word,
            mask: it.mask,
            result: it.result,
        });
        it.mask |= handling | 1 << signal;
        self.summon(thread);
    }

    /// Takes a signal that waits for a thread, or for any of its process: its word.
    fn take_signal(&mut self, thread: usize, signal: u32) -> u32 {
        let bit = 1 << signal;
        let process = &mut self.processes[process_of(thread)];
        let own = self.threads[thread].pending & bit != 0;
        let whose = own.then_some(thread);
        let is_it = |it: &Queued| it.signal == signal && it.thread == whose;
        let place = process.queued.iter().position(is_it);
        let word = place.map_or(0, |place| process.queued.remove(place).word);
        if !process.queued.iter().any(is_it) {
            let pending = if own {
                &mut self.threads[thread].pending
            } else {
                &mut process.pending
            };
            *pending &= !bit;
            if own {
                self.threads[thread].of_process &= !bit;
            }
        }
        word
    }

    /// A thread ends: what was sent to its process, and it was to take later, goes to another one that takes it; the lowest
    /// without a word first. Whether its call comes again.
    fn hand_signals_on(&mut self, memory: &mut Memory, thread: usize, given: Given) -> bool {
        let process = process_of(thread);
        self.threads[thread].mask = !0;
        loop {
            let plain = self.threads[thread].of_process;
            let is_its = |it: &&Queued| it.of_process && it.thread == Some(thread);
            let number = match plain {
                0 => self.processes[process]
                    .queued
                    .iter()
                    .find(is_its)
                    .map(|it| it.signal),
                plain => Some(plain.trailing_zeros()),
            };
            let Some(number) = number else { return false };
            let taker = self.taker(process, number);
            let is_it = |it: &Queued| it.signal == number && it.thread == Some(thread);
            let queued = &mut self.processes[process].queued;
            if let Some(first) = queued.iter_mut().find(|it| is_it(it) && it.of_process) {
                first.thread = taker;
            }
            if !queued.iter().any(is_it) {
                self.threads[thread].pending &= !(1 << number);
                self.threads[thread].of_process &= !(1 << number);
            }
            self.note_pending(process, taker, number, true);
            let Some(taker) = taker else { continue };
            if self.expects(taker, number) {
                let word = self.take_signal(taker, number);
                self.wake(taker, returned(&[number, word]));
            } else if !self.threads[taker].summoned {
                self.deliver(memory, taker);
            }
            if self.gives_way(thread, given) {
                return true;
            }
        }
    }

    /// Who takes a signal to a process: the first thread that does so now, or else later.
    fn taker(&self, process: usize, number: u32) -> Option<usize> {
        let mut threads = process * THREADS_EACH..(process + 1) * THREADS_EACH;
        let now = threads.clone().find(|it| self.takes_now(*it, number));
        now.or_else(|| threads.find(|it| self.takes_later(*it, number)))
    }

    /// A signal waits for a thread, or for any of its process, to which it was sent or not.
    fn note_pending(
        &mut self,
        process: usize,
        taker: Option<usize>,
        number: u32,
        of_process: bool,
    ) {
        let Some(taker) = taker else {
            self.processes[process].pending |= 1 << number;
            return;
        };
        self.threads[taker].pending |= 1 << number;
        if of_process && number < signal::FIRST_QUEUED {
            self.threads[taker].of_process |= 1 << number;
        }
    }

    /// A thread ends: what waits for it alone is gone.
    fn forget_signals(&mut self, thread: usize) {
        self.threads[thread].pending = 0;
        self.threads[thread].of_process = 0;
        self.threads[thread].summoned = false;
        let queued = &mut self.processes[process_of(thread)].queued;
        queued.retain(|it| it.thread != Some(thread));
    }

    /// Whether a thread waits for this signal without a handler.
    fn expects(&self, thread: usize, signal: u32) -> bool {
        matches!(self.threads[thread].doing, Doing::Expecting { set } if set & 1 << signal != 0)
            && self.is_alive(thread)
    }

    fn takes_now(&self, thread: usize, signal: u32) -> bool {
        let it = &self.threads[thread];
        let unmasked = it.mask & 1 << signal == 0;
        self.expects(thread, signal) || unmasked && !it.summoned && self.can_leave(thread)
    }

    /// Whether a thread takes a signal when it can.
    fn takes_later(&self, thread: usize, signal: u32) -> bool {
        let it = &self.threads[thread];
        it.mask & 1 << signal == 0 && it.doing != Doing::Nothing && self.is_alive(thread)
    }

    fn send_signal(&mut self, memory: &mut Memory, caller: usize, words: [u32; 5]) -> Done {
        let [position, number, word, id, _] = words;
        let own = process_of(caller);
        let process = match position {
            signal::OWN => own,
            _ => *plan::SIGNAL_TARGETS[own]
                .get(position as usize)
                .ok_or(Error::NotPermitted)?,
        };
        if !(1..=signal::MAX).contains(&number) || id != 0 && position != signal::OWN {
            return Err(Error::BadArgument);
        }
        if !self.processes[process].alive {
            return Err(Error::PeerDied);
        }
        let is_queued = number >= signal::FIRST_QUEUED;
        if is_queued && self.processes[process].queued.len() == plan::SIGNAL_QUEUE[process] {
            return Err(Error::Exhausted);
        }
        let taker = if id == 0 {
            self.taker(process, number)
        } else {
            let mut threads = process * THREADS_EACH..(process + 1) * THREADS_EACH;
            let is_it = |it: &usize| self.id(*it) == id && !self.has_ended(*it);
            Some(threads.find(is_it).ok_or(Error::BadHandle)?)
        };
        let word = if is_queued { word } else { 0 };
        // What the caller goes on with, be it after a handler.
        self.threads[caller].result = returned(&[]);
        if let Some(taker) = taker.filter(|it| self.takes_now(*it, number)) {
            if self.expects(taker, number) {
                self.wake(taker, returned(&[number, word]));
            } else {
                self.begin_handler(taker, number, word);
            }
            return Ok(None);
        }
        self.note_pending(process, taker, number, id == 0);
        if is_queued {
            self.processes[process].queued.push(Queued {
                signal: number,
                thread: taker,
                of_process: id == 0,
                word,
            });
        }
        if let Some(taker) = taker {
            self.deliver(memory, taker);
        }
        Ok(None)
    }

    /// Nobody knows what to do with what is not masked, until the process has said where its signals go.
    fn allows(&self, process: usize, mask: u64) -> Result<(), Error> {
        match mask != !0 && self.processes[process].handling.is_none() {
            true => Err(Error::BadArgument),
            false => Ok(()),
        }
    }

    fn change_mask(&mut self, caller: usize, words: [u32; 5]) -> Done {
        let [how, low, high, ..] = words;
        let (before, set) = (self.threads[caller].mask, signal::set(low, high));
        let after = match how {
            signal::how::SET => set,
            signal::how::BLOCK => before | set,
            signal::how::UNBLOCK => before & !set,
            _ => return Err(Error::BadArgument),
        } | 1;
        self.allows(process_of(caller), after)?;
        let waiting = self.threads[caller].pending | self.processes[process_of(caller)].pending;
        self.threads[caller].mask = after;
        self.summon(caller);
        let [low, high] = signal::words(before);
        let [waiting, more] = signal::words(waiting);
        Ok(Some(returned(&[low, high, waiting, more])))
    }

    fn suspend(&mut self, memory: &mut Memory, caller: usize, given: Given) -> Done {
        if given.flags() & !info::DEADLINE != 0 {
            return Err(Error::BadArgument);
        }
        let [low, high, ..] = given.words();
        let set = signal::set(low, high) | 1;
        self.allows(process_of(caller), set)?;
        let before = std::mem::replace(&mut self.threads[caller].mask, set);
        if self.due(caller) == 0
            && let Err(error) = self.may_block(given.deadline())
        {
            self.threads[caller].mask = before;
            return Err(error);
        }
        self.block(caller, Doing::Suspended { mask: before }, given.deadline());
        self.deliver(memory, caller);
        Ok(None)
    }

    fn expect(&mut self, caller: usize, given: Given) -> Done {
        let [low, high, ..] = given.words();
        let set = signal::set(low, high);
        if given.flags() & !info::DEADLINE != 0 || set & 1 != 0 || set == 0 {
            return Err(Error::BadArgument);
        }
        let waiting = self.threads[caller].pending | self.processes[process_of(caller)].pending;
        if waiting & set != 0 {
            let signal = (waiting & set).trailing_zeros();
            let word = self.take_signal(caller, signal);
            return Ok(Some(returned(&[signal, word])));
        }
        self.may_block(given.deadline())?;
        self.block(caller, Doing::Expecting { set }, given.deadline());
        Ok(None)
    }

    fn signal_call(&mut self, memory: &mut Memory, caller: usize, given: Given) -> Done {
        let words = given.words();
        let process = process_of(caller);
        match given.call() & call::HANDLE_MASK {
            signal::number::ACTION => {
                if !memory.is_code(process, words[0]) {
                    return Err(Error::BadAddress);
                }
                self.processes[process].handling = Some(signal::set(words[1], words[2]));
                Ok(Some(returned(&[])))
            }
            // No script names memory of its own.
            signal::number::STACK => Err(Error::BadAddress),
            signal::number::SEND => self.send_signal(memory, caller, words),
            signal::number::MASK => self.change_mask(caller, words),
            signal::number::RETURN => {
                let it = &mut self.threads[caller];
                if let Some(handler) = it.handlers.pop() {
                    (it.mask, it.result) = (handler.mask | 1, handler.result);
                    self.summon(caller);
                }
                Ok(None)
            }
            signal::number::SUSPEND => self.suspend(memory, caller, given),
            signal::number::WAIT => self.expect(caller, given),
            _ => Err(Error::BadCall),
        }
    }

    // Notices.

    /// Tells somebody who waits at the channel, or whoever comes.
    fn tell(&mut self, memory: &mut Memory, channel: usize, notice: Notice) {
        if !self.tell_who_waits(memory, channel, notice)
            && !self.channels[channel].notices.contains(&notice)
        {
            self.channels[channel].notices.push(notice);
        }
    }

    fn tell_who_waits(&mut self, memory: &mut Memory, channel: usize, notice: Notice) -> bool {
        let waits = Doing::Receiving {
            channel,
            from: From::Anyone,
        };
        loop {
            let mut waiting = self.receivers.iter().copied();
            let Some(server) = waiting.find(|thread| self.threads[*thread].doing == waits) else {
                return false;
            };
            if self.has_room_for(memory, server, notice) {
                let result = self.what_it_says(memory, server, channel, notice);
                self.wake(server, result);
                return true;
            }
            self.wake(server, failed(Error::BadAddress));
        }
    }

    /// Whether the room for a message is the server's own: it is looked at when bytes come.
    fn has_room(&self, memory: &Memory, server: usize) -> bool {
        let room = self.threads[server].room;
        memory.pieces(process_of(server), room, true).is_ok()
    }

    fn has_room_for(&self, memory: &Memory, server: usize, notice: Notice) -> bool {
        !matches!(notice, Notice::Proxy { .. }) || self.has_room(memory, server)
    }

    /// What a notice says to a server, and what has been said.
    fn what_it_says(
        &mut self,
        memory: &mut Memory,
        server: usize,
        channel: usize,
        notice: Notice,
    ) -> Registers {
        let mut result = [0; register::COUNT];
        result[register::INFO] = info::NOTICE;
        match notice {
            Notice::ClientDied { process, slot } => {
                result[register::CALL] = self.processes[process].slots[slot].badge;
                result[register::WORD0] = notice::CLIENT_DIED;
            }
            Notice::Ended { process } => {
                result[register::WORD0] = notice::FAULT;
                result[register::WORD1] = plan::INDICES[process];
            }
            Notice::Unblock { thread } => {
                let (tag, generation) = self.token(thread);
                result[register::CALL] = self.threads[thread].request.badge;
                result[register::INFO] |= tag;
                result[register::GENERATION] = generation;
                result[register::WORD0] = notice::UNBLOCK;
                let it = &self.threads[thread];
                let is_late = it.request.limited && it.deadline.is_none();
                result[register::WORD1] = u32::from(!is_late);
            }
            Notice::Bits => {
                result[register::WORD0] = notice::BITS;
                result[register::WORD1] = std::mem::take(&mut self.channels[channel].bits);
            }
            Notice::Proxy { process, number } => {
                let proxy = &mut self.processes[process].proxies[number];
                proxy.count -= 1;
                let bytes = proxy.bytes.clone();
                let room = self.threads[server].room;
                let room = memory.pieces(process_of(server), room, true);
                let room = room.unwrap_or_default();
                let copied = bytes.len().min(length_of(&room) as usize);
                memory.scatter(&room, 0, &bytes[..copied]);
                result[register::CALL] = self.processes[process].proxies[number].handle;
                result[register::WORD0] = notice::PROXY;
                result[register::WORD1] = copied as u32;
                result[register::WORD2] = bytes.len() as u32;
            }
        }
        result
    }

    fn add_bits(&mut self, memory: &mut Memory, channel: usize, bits: u32) {
        self.channels[channel].bits |= bits;
        self.tell(memory, channel, Notice::Bits);
    }

    fn count(&mut self, memory: &mut Memory, process: usize, number: usize, times: u16) {
        let proxy = &mut self.processes[process].proxies[number];
        proxy.count = proxy.count.saturating_add(times);
        let channel = proxy.channel;
        let notice = Notice::Proxy { process, number };
        while self.processes[process].proxies[number].count > 0
            && self.tell_who_waits(memory, channel, notice)
        {}
        if self.processes[process].proxies[number].count > 0
            && !self.channels[channel].notices.contains(&notice)
        {
            self.channels[channel].notices.push(notice);
        }
    }

    // Handles.

    fn slot(&self, process: usize, word: u32) -> Result<(usize, Slot), Error> {
        let index = (word & call::INDEX_MASK) as usize;
        let slots = &self.processes[process].slots;
        slots
            .get(index)
            .map(|slot| (index, *slot))
            .ok_or(Error::BadHandle)
    }

    fn names(slot: &Slot, word: u32) -> bool {
        (word & call::HANDLE_MASK) >> call::GENERATION_SHIFT == slot.generation
    }

    fn renew(&mut self, process: usize, index: usize) -> u32 {
        let slot = &mut self.processes[process].slots[index];
        slot.generation += 1;
        call::handle(index as u32, slot.generation)
    }

    /// Whether the process that receives from a channel has not died.
    fn owner_lives(&self, channel: usize) -> bool {
        self.processes[CHANNELS[channel].owner].alive
    }

    /// The open connection that `word` names.
    fn connection(&self, process: usize, word: u32) -> Result<Slot, Error> {
        let (_, slot) = self.slot(process, word)?;
        if !matches!(slot.purpose, Purpose::Connection | Purpose::Spare) {
            return Err(Error::NotPermitted);
        }
        let dead = slot.channel.is_some_and(|to| !self.owner_lives(to));
        match (Self::names(&slot, word), slot.open, slot.broken) {
            (true, true, _) if !dead => Ok(slot),
            (true, true, _) | (true, false, true) => Err(Error::ServerDied),
            _ => Err(Error::BadHandle),
        }
    }

    /// The channel of its own that `word` names.
    fn channel(&self, process: usize, word: u32) -> Result<usize, Error> {
        let (_, slot) = self.slot(process, word)?;
        match (slot.purpose, slot.channel) {
            (Purpose::Channel, Some(channel)) if Self::names(&slot, word) => Ok(channel),
            (Purpose::Channel, _) => Err(Error::BadHandle),
            _ => Err(Error::NotPermitted),
        }
    }

    /// The proxy that `word` names: whose, and which.
    fn proxy(&self, process: usize, word: u32) -> Result<(usize, usize), Error> {
        let (_, slot) = self.slot(process, word)?;
        let (owner, number, life) = match (slot.purpose, slot.held) {
            (Purpose::Proxy(number), _) => (
                process,
                number,
                self.processes[process].proxies[number].handle,
            ),
            (_, Some(held)) => held,
            (Purpose::Channel, _) => return Err(Error::NotPermitted),
            _ => return Err(Error::BadHandle),
        };
        if !Self::names(&slot, word) || life == 0 {
            return Err(Error::BadHandle);
        }
        if self.processes[owner].proxies[number].handle != life || !self.processes[owner].alive {
            return Err(Error::ServerDied);
        }
        Ok((owner, number))
    }

    fn timer(&self, process: usize, word: u32) -> Result<usize, Error> {
        let (_, slot) = self.slot(process, word)?;
        match slot.purpose {
            Purpose::Timer(timer)
                if Self::names(&slot, word)
                    && self.processes[process].timers[timer].handle != 0 =>
            {
                Ok(timer)
            }
            Purpose::Channel => Err(Error::NotPermitted),
            _ => Err(Error::BadHandle),
        }
    }

    /// The interrupt that is attached, and that `word`, all of it, names.
    fn attached(&self, process: usize, word: u32) -> Result<usize, Error> {
        let (index, slot) = self.slot(process, word)?;
        match slot.purpose {
            Purpose::Interrupt(it)
                if slot.open && call::handle(index as u32, slot.generation) == word =>
            {
                Ok(it)
            }
            _ => Err(Error::BadHandle),
        }
    }

    fn connect(&mut self, process: usize, index: u32) -> Result<u32, Error> {
        let slots = &self.processes[process].slots;
        let slot = *slots.get(index as usize).ok_or(Error::BadHandle)?;
        if slot.purpose != Purpose::Connection {
            return Err(Error::NotPermitted);
        }
        if slot.channel.is_some_and(|to| !self.owner_lives(to)) {
            return Err(Error::ServerDied);
        }
        if !slot.open {
            self.renew(process, index as usize);
            let slot = &mut self.processes[process].slots[index as usize];
            (slot.open, slot.broken, slot.closed) = (true, false, false);
        }
        let generation = self.processes[process].slots[index as usize].generation;
        Ok(call::handle(index, generation))
    }

    fn close(&mut self, process: usize, word: u32) -> Result<(), Error> {
        let (index, slot) = self.slot(process, word)?;
        let found = match (slot.purpose, slot.held) {
            (Purpose::Proxy(_) | Purpose::Timer(_), _) => Err(Error::NotPermitted),
            (_, Some(_)) => self.proxy(process, word).map(drop),
            _ if slot.region.is_some() => self.region(process, word).map(drop),
            _ => self.connection(process, word).map(drop),
        };
        match found {
            Ok(()) | Err(Error::ServerDied) => {
                self.close_slot(process, index);
                self.end_selections();
                let place = &mut self.processes[process].slots[index];
                place.closed = slot.open
                    && slot.purpose == Purpose::Connection
                    && slot.channel.is_some_and(|to| CHANNELS[to].client_died);
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    fn close_slot(&mut self, process: usize, index: usize) {
        let slot = &mut self.processes[process].slots[index];
        (slot.open, slot.broken, slot.closed) = (false, false, false);
        if slot.purpose == Purpose::Spare {
            (slot.channel, slot.held, slot.region) = (None, None, None);
        }
    }

    /// The channel whose server is told when nobody uses this slot any more that was in use.
    fn to_be_told(&self, slot: Slot) -> Option<usize> {
        let channel = slot.channel.filter(|_| slot.open || slot.closed)?;
        (CHANNELS[channel].client_died && self.owner_lives(channel)).then_some(channel)
    }

    /// Whether somebody can still send with this badge, or open a connection and do so.
    fn badge_lives(&self, channel: usize, badge: u32) -> bool {
        let alive = self.processes.iter().filter(|process| process.alive);
        alive.flat_map(|process| &process.slots).any(|slot| {
            (slot.purpose == Purpose::Connection || slot.open)
                && slot.channel == Some(channel)
                && slot.badge == badge
                && slot.purpose != Purpose::Channel
        })
    }

    /// Whether a message waits with this badge, or somebody whose messages these are can still send one.
    fn may_come(&self, channel: usize, from: From) -> bool {
        match from {
            From::Anyone => true,
            From::Badge(badge) => {
                let waits = |thread: usize| {
                    self.threads[thread].doing == Doing::Sending { channel }
                        && self.threads[thread].request.badge == badge
                        && self.is_alive(thread)
                };
                self.badge_lives(channel, badge) || (0..THREADS).any(waits)
            }
            From::Thread(thread) => {
                thread < THREADS && !self.has_ended(thread) && self.is_alive(thread)
            }
        }
    }

    /// Whether the thread that is selected has sent to the channel, or waits for an answer of who asks, or its process can
    /// send there, or open a connection and do so.
    fn can_send(&self, server: usize, channel: usize, from: From) -> bool {
        let From::Thread(thread) = from else {
            return true;
        };
        let leads = |slot: &Slot| {
            (slot.purpose == Purpose::Connection || slot.open)
                && slot.channel == Some(channel)
                && slot.purpose != Purpose::Channel
        };
        match self.threads[thread].doing {
            Doing::Sending { channel: to } if to == channel => true,
            Doing::Waiting { server: own, .. } if process_of(own) == process_of(server) => true,
            _ => self.processes[process_of(thread)].slots.iter().any(leads),
        }
    }

    /// Wakes those who wait for a message that nobody can send any more.
    fn end_selections(&mut self) {
        while let Some(thread) = self.without_hope() {
            self.wake(thread, failed(Error::PeerDied));
        }
    }

    /// The first thread that waits for a message that nobody can send any more.
    fn without_hope(&self) -> Option<usize> {
        (0..THREADS).find(|thread| match self.threads[*thread].doing {
            Doing::Receiving { channel, from } => !self.may_come(channel, from),
            _ => false,
        })
    }

    // Memory in messages.

    /// What is wrong with a message that carries memory. If nothing is, its sender may not touch that from now on.
    fn part_with(
        &mut self,
        memory: &Memory,
        client: usize,
        channel: usize,
        form: u32,
        given: Given,
    ) -> Result<(), Error> {
        let process = process_of(client);
        let [address, length, ..] = given.words();
        let room = given.room();
        if length == 0 || overlap((room.address, room.count), (address, length)) {
            return Err(Error::BadArgument);
        }
        let mapped = memory.mapping(process, address, length).is_some();
        if mapped || memory.window(process, address, length).is_some() {
            // Others may write it, it is only lent, or nobody to whom it could be moved on takes it.
            return Err(Error::CannotLend);
        }
        memory.check(process, address, length, false)?;
        let owner = CHANNELS[channel].owner;
        // Or it is only lent to be read, and readable here.
        let away = !memory.allows(process, address, length, true);
        let mut exchange = self.exchange.borrow_mut();
        let home = (exchange.gaps.iter()).filter(|gap| home_of(gap.address) == process);
        let can = memory.in_pages(process, address, length)
            && !away
            && plan::WINDOWS[owner] > 0
            && CHANNELS[channel].unblock
            && owner != process
            && address.is_multiple_of(PAGE)
            && length == PAGE
            && home.count() < plan::GAPS[process];
        if !can {
            return Err(Error::CannotLend);
        }
        exchange.gaps.push(Gap {
            address,
            absence: Absence::Sent(client),
            readable: form == operation::LEND,
        });
        Ok(())
    }

    /// The thread's message has come to nothing: its process keeps what it was to carry.
    fn keep(&mut self, client: usize) {
        let mut exchange = self.exchange.borrow_mut();
        exchange
            .gaps
            .retain(|gap| gap.absence != Absence::Sent(client));
    }

    fn has_window(&self, process: usize) -> bool {
        let exchange = self.exchange.borrow();
        let filled = exchange
            .windows
            .iter()
            .filter(|window| window.holder == process);
        filled.count() < plan::WINDOWS[process]
    }

    /// Memory appears in a window of the server.
    fn fill_window(&mut self, server: usize, client: usize, form: u32, address: u32) {
        let mut exchange = self.exchange.borrow_mut();
        let moves = form == operation::MOVE;
        exchange.windows.push(Window {
            holder: process_of(server),
            address,
            lender: (!moves).then_some(client),
            writable: form != operation::LEND,
        });
        for gap in &mut exchange.gaps {
            if moves && gap.absence == Absence::Sent(client) {
                gap.absence = Absence::Away;
            }
        }
    }

    /// A thread no longer waits for the end of its message: what it has lent is its process's again.
    fn end_message_with_memory(&mut self, client: usize, before: Doing) {
        if self.threads[client].request.memory.take().is_none() {
            return;
        }
        match before {
            Doing::Sending { .. } => self.keep(client),
            Doing::Waiting { .. } => self.end_loan(client),
            _ => {}
        }
    }

    /// What a thread has lent, whether it lives or not, is its process's again, which starts if it waits for that.
    fn end_loan(&mut self, lender: usize) {
        let mut exchange = self.exchange.borrow_mut();
        let before = exchange.windows.len();
        exchange
            .windows
            .retain(|window| window.lender != Some(lender));
        if exchange.windows.len() == before {
            return;
        }
        drop(exchange);
        self.keep(lender);
        let process = process_of(lender);
        if std::mem::take(&mut self.processes[process].waits) {
            let worker = process * THREADS_EACH;
            self.threads[worker].priority = self.threads[worker].base;
            self.ready.insert(0, worker);
            self.burials.push(Burial {
                worker,
                stage: Stage::Loans,
                again: true,
                reported: false,
            });
        }
    }

    /// A process ends: what is in its windows is its lenders' again, or goes home, and it has nothing mapped.
    fn clear_windows(&mut self, process: usize) {
        (self.exchange.borrow_mut().mapped).retain(|mapping| mapping.process != process);
        while let Some(window) = self.window_of(process) {
            match window.lender {
                Some(lender) => self.end_loan(lender),
                None => self.send_home(window),
            }
        }
    }

    fn window_of(&self, process: usize) -> Option<Window> {
        let exchange = self.exchange.borrow();
        let mut windows = exchange.windows.iter();
        windows.find(|window| window.holder == process).copied()
    }

    fn send_home(&mut self, window: Window) {
        let mut exchange = self.exchange.borrow_mut();
        exchange
            .windows
            .retain(|other| other.address != window.address);
        for gap in &mut exchange.gaps {
            if gap.address == window.address {
                gap.absence = Absence::Back;
            }
        }
    }

    fn release(&mut self, memory: &mut Memory, thread: usize, given: Given) -> Done {
        let (process, [address, ..]) = (process_of(thread), given.words());
        if self.unmap(memory, thread, address, given) {
            let is_over = self.threads[thread].again.is_none();
            return Ok(is_over.then(|| returned(&[])));
        }
        let window = (self.exchange.borrow().windows.iter())
            .find(|it| it.holder == process && it.address == address && it.lender.is_none())
            .copied();
        self.send_home(window.ok_or(Error::BadAddress)?);
        Ok(Some(returned(&[])))
    }

    fn reclaim(&mut self, memory: &mut Memory, process: usize, words: [u32; 5]) -> Done {
        let [address, length, ..] = words;
        if length == 0 || !memory.in_pages(process, address, length) {
            return Err(Error::BadAddress);
        }
        let asked = |gap: &Gap| overlap((gap.address, PAGE), (address, length));
        let gaps = self.exchange.borrow().gaps.clone();
        if gaps
            .iter()
            .any(|gap| asked(gap) && gap.absence != Absence::Back)
        {
            return Err(Error::InUse);
        }
        for gap in gaps.iter().filter(|gap| asked(gap)) {
            memory.put(gap.address, &[0; PAGE as usize]);
        }
        self.exchange.borrow_mut().gaps.retain(|gap| !asked(gap));
        Ok(Some(returned(&[])))
    }

    // Messages.

    fn token(&self, client: usize) -> (u32, u32) {
        (
            plan::index_of(client) << info::THREAD_SHIFT,
            self.threads[client].messages,
        )
    }

    /// The client that a token names: it waits for this process's answer.
    fn client(&self, server: usize, given: Given) -> Result<usize, Error> {
        let token = (
            given.flags() & info::TAG_MASK,
            given.registers[register::GENERATION],
        );
        let waits = |client: &usize| {
            matches!(self.threads[*client].doing,
                Doing::Waiting { server: own, .. } if process_of(own) == process_of(server))
                && self.is_alive(*client)
        };
        (0..THREADS)
            .filter(waits)
            .find(|client| self.token(*client) == token)
            .ok_or(Error::NoSuchClient)
    }

    /// `server` takes the message of `client`: what it is told.
    fn take(
        &mut self,
        memory: &mut Memory,
        server: usize,
        client: usize,
        channel: usize,
    ) -> Registers {
        let request = self.threads[client].request;
        let mut result = returned(&request.words);
        let form = if request.bytes {
            let from = memory.pieces(process_of(client), request.named(), false);
            let to = memory.pieces(process_of(server), self.threads[server].room, true);
            let (from, to) = (from.unwrap_or_default(), to.unwrap_or_default());
            let offered = length_of(&from);
            let copied = offered.min(length_of(&to));
            let bytes = memory.gather(&from, 0, copied);
            memory.scatter(&to, 0, &bytes);
            self.threads[client].request.accepted = copied;
            result = returned(&[copied, offered]);
            info::BYTES
        } else if let Some(form) = request.memory {
            self.fill_window(server, client, form, request.words[0]);
            match form {
                operation::LEND => info::LENT,
                operation::LEND_MUT => info::LENT_MUT,
                _ => info::MOVED,
            }
        } else {
            request.length
        };
        self.threads[client].messages += 1;
        let (tag, generation) = self.token(client);
        result[register::CALL] = request.badge;
        result[register::INFO] = form | tag;
        result[register::GENERATION] = generation;
        if self.queue.contains(&client) {
            self.queue.retain(|other| *other != client);
            self.note_queue_of(channel);
        }
        self.bind(server, channel);
        self.taken.push(client);
        self.threads[client].doing = Doing::Waiting { server, channel };
        self.threads[server].serves = true;
        result
    }

    fn send(&mut self, memory: &mut Memory, client: usize, given: Given) -> Done {
        let slot = self.connection(process_of(client), given.call())?;
        let channel = slot.channel.ok_or(Error::BadHandle)?;
        let flags = given.flags();
        let operation = given.call() >> call::OPERATION_SHIFT;
        let carries = matches!(
            operation,
            operation::LEND | operation::LEND_MUT | operation::MOVE
        );
        let bytes = operation != operation::SEND && !carries;
        let parts = operation == operation::SEND_VECTOR;
        let vector = if carries { 0 } else { info::VECTOR };
        let known = info::LENGTH_MASK | info::DEADLINE | vector | info::ACCEPT_HANDLE;
        let length = flags & info::LENGTH_MASK;
        if flags & !known != 0 || length > if bytes || carries { 0 } else { 20 } {
            return Err(Error::BadArgument);
        }
        let words = given.words();
        if bytes {
            few(given.bytes(parts))?;
            memory.pieces(process_of(client), given.bytes(parts), false)?;
        }
        few(given.room())?;
        if carries {
            self.part_with(memory, client, channel, operation, given)?;
        }
        let deadline = given.deadline();
        let request = Request {
            badge: slot.badge,
            words,
            length,
            bytes,
            parts,
            memory: carries.then_some(operation),
            accepts_handle: flags & info::ACCEPT_HANDLE != 0,
            limited: deadline.is_some(),
            begun: false,
            accepted: 0,
        };
        let server = loop {
            match self.receiver_for(channel, client, slot.badge) {
                Some(server) if bytes && !self.has_room(memory, server) => {
                    self.wake(server, failed(Error::BadAddress));
                }
                server => break server,
            }
        };
        let refused = match server {
            Some(server) if carries && !self.has_window(process_of(server)) => {
                Err(Error::CannotLend)
            }
            Some(_) => Ok(()),
            None => (self.may_block(deadline))
                .and_then(|()| self.check_chain(client, self.raised_by_senders(channel))),
        };
        refused.inspect_err(|_| self.keep(client))?;
        self.threads[client].request = request;
        self.threads[client].room = given.room();
        if let Some(server) = server {
            let result = self.take(memory, server, client, channel);
            self.threads[client].deadline = deadline.map(|at| if at == 0 { 1 << 63 } else { at });
            self.hand_over(server, result);
            self.turns.handed_on = true;
        } else {
            self.block(client, Doing::Sending { channel }, deadline);
        }
        Ok(None)
    }

    /// The first thread that waits at the channel and takes messages of this client with this badge.
    fn receiver_for(&self, channel: usize, client: usize, badge: u32) -> Option<usize> {
        let fits = |server: &usize| match self.threads[*server].doing {
            Doing::Receiving { channel: at, from } => {
                at == channel && from.takes(client, badge) && self.is_alive(*server)
            }
            _ => false,
        };
        self.receivers.iter().copied().find(fits)
    }

    /// The client whose message at the channel is taken first.
    fn first_sender(&self, channel: usize, from: From) -> Option<usize> {
        let here = |thread: &usize| {
            self.threads[*thread].doing == Doing::Sending { channel }
                && from.takes(*thread, self.threads[*thread].request.badge)
        };
        let mut waiting = self.queue.iter().copied().filter(here);
        if CHANNELS[channel].by_arrival {
            waiting.next()
        } else {
            self.most_urgent(waiting)
        }
    }

    fn receive(&mut self, memory: &mut Memory, server: usize, given: Given) -> Done {
        let process = process_of(server);
        let channel = self.channel(process, given.call())?;
        let flags = given.flags();
        let known = info::DEADLINE | info::VECTOR | info::SELECT | info::ACKNOWLEDGE;
        if flags & !known != 0 {
            return Err(Error::BadArgument);
        }
        let mut acknowledged = None;
        if flags & info::ACKNOWLEDGE != 0 {
            acknowledged = Some(self.attached(process, given.registers[register::WORD3])?);
        }
        few(given.room())?;
        let mut from = From::Anyone;
        // Whose message it has begun to take it waits for no more, whoever else is gone.
        if flags & info::SELECT != 0 && self.begun_with(server).is_none() {
            let [how, what, generation, ..] = given.words();
            from = match how {
                info::select::BADGE => From::Badge(what),
                info::select::TOKEN => {
                    let thread = plan::thread_at(what >> info::THREAD_SHIFT & 0xFF);
                    let of_life = |it: &usize| self.threads[*it].before < generation;
                    From::Thread(thread.filter(of_life).unwrap_or(THREADS))
                }
                _ => return Err(Error::BadArgument),
            };
            if !self.may_come(channel, from) || !self.can_send(server, channel, from) {
                return Err(Error::PeerDied);
            }
        }
        let result = self.wait_for_message(memory, server, channel, from, given)?;
        if let Some(interrupt) = acknowledged
            && self.threads[server].again.is_none()
        {
            // What the interrupt tells may be for this very thread.
            if let Some(result) = result {
                self.threads[server].result = result;
                self.unmask(process, interrupt);
                return Ok(None);
            }
            self.unmask(process, interrupt);
        }
        Ok(result)
    }

    fn wait_for_message(
        &mut self,
        memory: &mut Memory,
        server: usize,
        channel: usize,
        from: From,
        given: Given,
    ) -> Done {
        let deadline = given.deadline();
        self.threads[server].room = given.room();
        if let Some(client) = self.begun_with(server) {
            return self.take_begun(memory, server, client, given);
        }
        if from == From::Anyone
            && let Some(notice) = self.channels[channel].notices.first().copied()
        {
            if !self.has_room_for(memory, server, notice) {
                return Err(Error::BadAddress);
            }
            self.bind(server, channel);
            self.channels[channel].notices.remove(0);
            let result = self.what_it_says(memory, server, channel, notice);
            if let Notice::Proxy { process, number } = notice
                && self.processes[process].proxies[number].count > 0
            {
                self.channels[channel].notices.push(notice);
            }
            return Ok(Some(result));
        }
        while let Some(client) = self.first_sender(channel, from) {
            if !self.is_alive(client) {
                self.stop_waiting(client);
                self.update();
                continue;
            }
            let request = self.threads[client].request;
            let named = memory.pieces(process_of(client), request.named(), false);
            if request.bytes && named.is_err() {
                // Its process has lent or moved it since.
                self.wake(client, failed(Error::BadAddress));
                if self.gives_way(server, given) {
                    return Ok(None);
                }
                continue;
            }
            if request.bytes && !self.has_room(memory, server) {
                return Err(Error::BadAddress);
            }
            let carries = self.threads[client].request.memory.is_some();
            if carries && !self.has_window(process_of(server)) {
                self.wake(client, failed(Error::CannotLend));
                if self.gives_way(server, given) {
                    return Ok(None);
                }
                continue;
            }
            return Ok(Some(self.take(memory, server, client, channel)));
        }
        self.may_block(deadline)?;
        self.bind(server, channel);
        self.block(server, Doing::Receiving { channel, from }, deadline);
        self.threads[server].receive = given.received(from);
        Ok(None)
    }

    /// The answer names a client that has died: if that has left memory behind, this was it.
    fn forget_loan(&mut self, server: usize, given: Given) {
        let token = (
            given.flags() & info::TAG_MASK,
            given.registers[register::GENERATION],
        );
        let lent = |lender: &usize| {
            let by = |window: &Window| {
                window.holder == process_of(server) && window.lender == Some(*lender)
            };
            self.token(*lender) == token && self.exchange.borrow().windows.iter().any(by)
        };
        if let Some(lender) = (0..THREADS).find(lent) {
            self.end_loan(lender);
        }
    }

    /// Answers a client, who is not ready yet. Returns it, and how much of the bytes it took.
    fn answer(
        &mut self,
        memory: &mut Memory,
        server: usize,
        form: u32,
        given: Given,
    ) -> Result<(usize, u32), Error> {
        let client = self
            .client(server, given)
            .inspect_err(|_| self.forget_loan(server, given))?;
        let flags = given.flags();
        let status = if flags & info::STATUS != 0 && form != number::REPLY_HANDLE {
            given.extra[4]
        } else {
            0
        };
        let length = flags & info::LENGTH_MASK;
        let mut words = given.words();
        let mut taken = length;
        let mut result;
        match form {
            number::REPLY_ERROR => result = returned(&[]),
            number::REPLY_BYTES | number::REPLY_VECTOR => {
                let from = given.bytes(form == number::REPLY_VECTOR);
                few(from)?;
                let from = memory.pieces(process_of(server), from, false)?;
                let offered = length_of(&from);
                let room = self.threads[client].room;
                let Ok(to) = memory.pieces(process_of(client), room, true) else {
                    self.stop_waiting(client);
                    self.threads[client].result = failed(Error::BadAddress);
                    return Ok((client, 0));
                };
                taken = offered.min(length_of(&to));
                let bytes = memory.gather(&from, 0, taken);
                memory.scatter(&to, 0, &bytes);
                result = returned(&[taken, offered]);
                result[register::INFO] = info::BYTES;
            }
            number::REPLY_HANDLE => {
                if length > 16 {
                    return Err(Error::BadArgument);
                }
                words[4] = self.hand_on(process_of(server), client, words[4])?;
                result = returned(&words);
                result[register::INFO] = length | info::HANDLE;
            }
            _ => {
                if length > 20 {
                    return Err(Error::BadArgument);
                }
                result = returned(&words);
                result[register::INFO] = length;
            }
        }
        result[register::CALL] = status;
        if self.threads[client].request.bytes {
            result[register::GENERATION] = self.threads[client].request.accepted;
        }
        self.stop_waiting(client);
        self.threads[client].result = result;
        Ok((client, taken))
    }

    /// Gives a client a copy of a connection, or the right to trigger a proxy: its handle.
    fn hand_on(&mut self, process: usize, client: usize, word: u32) -> Result<u32, Error> {
        let (_, slot) = self.slot(process, word)?;
        if slot.region.is_some() {
            let region = self.region_to_give(process, word)?;
            if !self.threads[client].request.accepts_handle {
                return Err(Error::NotPermitted);
            }
            let to = process_of(client);
            let place = self.free_slot(to)?;
            return Ok(self.hold_region(to, place, region));
        }
        let copy = if matches!(slot.purpose, Purpose::Proxy(_)) || slot.held.is_some() {
            let (owner, number) = self.proxy(process, word)?;
            let own = matches!(slot.purpose, Purpose::Proxy(_));
            if !own && !slot.transfer {
                return Err(Error::NotPermitted);
            }
            let life = self.processes[owner].proxies[number].handle;
            Slot {
                held: Some((owner, number, life)),
                open: false,
                transfer: !own && slot.transfer,
                notify: !own && slot.notify,
                ..slot
            }
        } else {
            let slot = self.connection(process, word)?;
            if !slot.transfer {
                return Err(Error::NotPermitted);
            }
            if slot.gives_badges {
                Slot {
                    badge: riposte_abi::process_badge(plan::INDICES[process_of(client)] as u8),
                    transfer: false,
                    notify: false,
                    gives_badges: false,
                    ..slot
                }
            } else {
                slot
            }
        };
        if !self.threads[client].request.accepts_handle {
            return Err(Error::NotPermitted);
        }
        let to = process_of(client);
        let told_of = self.slot_told_of(to, &copy);
        let index = match told_of {
            Some(index) => index,
            None => self.free_slot(to)?,
        };
        let handle = self.renew(to, index);
        let place = &mut self.processes[to].slots[index];
        *place = Slot {
            purpose: Purpose::Spare,
            generation: place.generation,
            channel: copy.channel.filter(|_| copy.held.is_none()),
            broken: false,
            closed: false,
            ..copy
        };
        Ok(handle)
    }

    /// The first slot of a process of which a notice waits that says what it would say of this connection.
    fn slot_told_of(&self, process: usize, copy: &Slot) -> Option<usize> {
        let channel = copy.channel.filter(|_| copy.held.is_none())?;
        let mut slots = self.processes[process].slots.iter().enumerate();
        slots.position(|(index, slot)| {
            let notice = Notice::ClientDied {
                process,
                slot: index,
            };
            slot.badge == copy.badge
                && slot.holds_nothing()
                && self.channels[channel].notices.contains(&notice)
        })
    }

    /// The first slot in which a process can be given something: or else the first of which somebody was to be told who has
    /// died, and is told no more.
    fn free_slot(&mut self, process: usize) -> Result<usize, Error> {
        let slots = self.processes[process].slots.iter().enumerate();
        let empty = slots.filter(|(_, slot)| slot.holds_nothing());
        let empty: Vec<usize> = empty.map(|(index, _)| index).collect();
        let mut free = empty.iter().copied();
        if let Some(index) = free.find(|it| !self.has_notice_of(process, *it)) {
            return Ok(index);
        }
        let dead = (0..CHANNELS.len()).filter(|channel| !self.owner_lives(*channel));
        let dead: Vec<usize> = dead.collect();
        let of_dead = empty.into_iter().find_map(|slot| {
            let notice = Notice::ClientDied { process, slot };
            let mut channels = dead.iter().copied();
            let channel = channels.find(|it| self.channels[*it].notices.contains(&notice))?;
            Some((slot, channel, notice))
        });
        let (slot, channel, notice) = of_dead.ok_or(Error::NoHandles)?;
        self.channels[channel].notices.retain(|it| *it != notice);
        Ok(slot)
    }

    fn has_notice_of(&self, process: usize, slot: usize) -> bool {
        let notice = Notice::ClientDied { process, slot };
        self.channels
            .iter()
            .any(|channel| channel.notices.contains(&notice))
    }

    fn reply(&mut self, memory: &mut Memory, server: usize, form: u32, given: Given) -> Done {
        let flags = given.flags() & !info::TAG_MASK;
        if flags & !(info::LENGTH_MASK | info::STATUS) != 0 {
            return Err(Error::BadArgument);
        }
        let (client, taken) = self.answer(memory, server, form, given)?;
        self.update();
        self.ready.push(client);
        Ok(Some(returned(&[taken])))
    }

    fn reply_receive(&mut self, memory: &mut Memory, server: usize, given: Given) -> Done {
        let process = process_of(server);
        let call = given.call();
        let channel = self.channel(process, call)?;
        few(given.room())?;
        let form = match call >> call::OPERATION_SHIFT {
            operation::REPLY_RECEIVE => number::REPLY,
            operation::REPLY_BYTES_RECEIVE => number::REPLY_BYTES,
            operation::REPLY_VECTOR_RECEIVE => number::REPLY_VECTOR,
            _ => number::REPLY_ERROR,
        };
        let (client, _) = self.answer(memory, server, form, given)?;
        self.update();
        let receive = given.received(From::Anyone);
        let received = self.wait_for_message(memory, server, channel, From::Anyone, receive);
        if matches!(received, Ok(None)) && self.threads[server].again.is_none() {
            // It takes the server's place.
            self.ready.insert(0, client);
            self.turns.handed_on = true;
        } else {
            self.update();
            self.ready.push(client);
        }
        received
    }

    fn read(&mut self, memory: &mut Memory, server: usize, given: Given) -> Done {
        let client = self.client(server, given)?;
        let [address, length, offset, ..] = given.words();
        memory.check(process_of(server), address, length, true)?;
        let request = self.threads[client].request;
        if !request.bytes {
            return Ok(Some(returned(&[0])));
        }
        let Ok(from) = memory.pieces(process_of(client), request.named(), false) else {
            // Its process has lent or moved it since.
            self.wake(client, failed(Error::BadAddress));
            return Ok(Some(returned(&[0])));
        };
        let bytes = memory.gather(&from, offset, length);
        memory.put(address, &bytes);
        Ok(Some(returned(&[bytes.len() as u32])))
    }

    fn write(&mut self, memory: &mut Memory, server: usize, given: Given) -> Done {
        let client = self.client(server, given)?;
        let [address, length, offset, ..] = given.words();
        memory.check(process_of(server), address, length, false)?;
        let room = self.threads[client].room;
        let Ok(to) = memory.pieces(process_of(client), room, true) else {
            if !self.threads[client].request.lends() {
                self.wake(client, failed(Error::BadAddress));
            }
            return Ok(Some(returned(&[0])));
        };
        let length = length.min(length_of(&to).saturating_sub(offset));
        let bytes = memory.fetch(address, length);
        memory.scatter(&to, offset, &bytes);
        Ok(Some(returned(&[length])))
    }

    fn notify(&mut self, memory: &mut Memory, process: usize, handle: u32, bits: u32) -> Done {
        let channel = if self.slot(process, handle)?.1.purpose == Purpose::Channel {
            self.channel(process, handle)?
        } else {
            let slot = self.connection(process, handle)?;
            if !slot.notify {
                return Err(Error::NotPermitted);
            }
            slot.channel.ok_or(Error::BadHandle)?
        };
        if bits == 0 {
            return Err(Error::BadArgument);
        }
        self.add_bits(memory, channel, bits);
        Ok(Some(returned(&[])))
    }

    // Words and locks.

    fn own_word(memory: &Memory, process: usize, address: u32) -> Result<(), Error> {
        if !address.is_multiple_of(4) {
            return Err(Error::BadArgument);
        }
        let mapping = memory.mapping(process, address, 4);
        let is_in_region = mapping.is_some_and(|it| it.writable);
        match is_in_region || memory.allows_for_good(process, address, 4, true) {
            true => Ok(()),
            false => Err(Error::BadAddress),
        }
    }

    /// The most urgent of those who wait and do this.
    fn first_at(&self, fits: impl Fn(Doing) -> bool) -> Option<usize> {
        let waiting = self.at_words.iter().copied();
        self.most_urgent(waiting.filter(|it| fits(self.threads[*it].doing)))
    }

    /// As [`Naive::first_at`], of those that live: the dead before them wait no more.
    fn first_living_at(&mut self, fits: impl Fn(Doing) -> bool) -> Option<usize> {
        loop {
            let first = self.first_at(&fits)?;
            if self.is_alive(first) {
                return Some(first);
            }
            self.stop_waiting(first);
            self.update();
        }
    }

    fn wake_at(&mut self, address: u32, most: u32) -> u32 {
        let mut woken = 0;
        while woken < most
            && let Some(thread) = self.first_living_at(|doing| doing == Doing::AtWord { address })
        {
            self.wake(thread, returned(&[]));
            woken += 1;
        }
        woken
    }

    fn futex(&mut self, memory: &mut Memory, thread: usize, call: u32, given: Given) -> Done {
        let process = process_of(thread);
        let [address, second, third, other, moved] = given.words();
        let waits = matches!(call, number::FUTEX_WAIT | number::FUTEX_LOCK);
        let flags = given.flags();
        if flags & !if waits { info::DEADLINE } else { 0 } != 0 {
            return Err(Error::BadArgument);
        }
        Self::own_word(memory, process, address)?;
        let deadline = given.deadline();
        match call {
            number::FUTEX_WAIT => {
                if memory.word(address) != second {
                    return Err(Error::WouldBlock);
                }
                self.may_block(deadline)?;
                self.block(thread, Doing::AtWord { address }, deadline);
                Ok(None)
            }
            number::FUTEX_WAKE => Ok(Some(returned(&[self.wake_at(address, second)]))),
            number::FUTEX_GIVE => {
                let woken = self.wake_at(address, 1);
                if woken == 0 {
                    Self::own_word(memory, process, address)?;
                    let units = memory.word(address) & riposte_abi::semaphore::MAX_UNITS;
                    if units == riposte_abi::semaphore::MAX_UNITS {
                        return Err(Error::WouldBlock);
                    }
                    memory.set_word(address, units + 1);
                }
                Ok(Some(returned(&[woken])))
            }
            number::FUTEX_REQUEUE => {
                Self::own_word(memory, process, other)?;
                // Whoever can wake at the one can wake at the other: both are shared, in one region, or private.
                let region = |at| memory.mapping(process, at, 4).map(|it| it.block);
                if memory.is_shared(address) != memory.is_shared(other)
                    || region(address) != region(other)
                {
                    return Err(Error::BadAddress);
                }
                if address == other {
                    return Err(Error::BadArgument);
                }
                if memory.word(address) != second {
                    return Err(Error::WouldBlock);
                }
                let woken = self.wake_at(address, third);
                let mut count = 0;
                while count < moved
                    && let Some(next) =
                        self.first_living_at(|doing| doing == Doing::AtWord { address })
                {
                    self.threads[next].doing = Doing::AtWord { address: other };
                    self.at_words.retain(|waiting| *waiting != next);
                    self.at_words.push(next);
                    count += 1;
                }
                Ok(Some(returned(&[woken, count])))
            }
            number::FUTEX_LOCK => self.lock(memory, thread, address, deadline),
            _ => self.unlock(memory, thread, address),
        }
    }

    /// The living thread that a lock's word names, if it could have written it.
    fn believed(&self, memory: &Memory, named: u32, address: u32) -> Option<usize> {
        let thread = plan::thread_at(named & INDEX_MASK)?;
        let lives = !self.has_ended(thread) && self.is_alive(thread) && self.id(thread) == named;
        (lives && memory.allows(process_of(thread), address, 4, true)).then_some(thread)
    }

    fn lock(
        &mut self,
        memory: &mut Memory,
        thread: usize,
        address: u32,
        deadline: Option<u64>,
    ) -> Done {
        self.give_lock_of_the_dying(memory, address);
        let value = memory.word(address);
        let named = value & OWNER_MASK;
        if named == self.id(thread) {
            return Err(Error::Deadlock);
        }
        let Some(owner) = self.believed(memory, named, address) else {
            let died = value & OWNER_DIED | if named == 0 { 0 } else { OWNER_DIED };
            memory.set_word(address, self.id(thread) | died);
            return Ok(Some(returned(&[u32::from(died != 0)])));
        };
        self.may_block(deadline)?;
        // Whoever waits there already waits for the owner of then, and so does this one.
        let owner = self.first_locker(address).map_or(owner, |(_, owner)| owner);
        self.check_chain(thread, vec![owner])?;
        memory.set_word(address, value | WAITERS);
        self.block(thread, Doing::Locking { owner, address }, deadline);
        Ok(None)
    }

    /// The lock goes to who waits for it, if the thread that it names is of a process that is dying, and not only waits
    /// for what it has lent. The dead wait for it no more: the block in which it is can have been somebody else's.
    fn give_lock_of_the_dying(&mut self, memory: &mut Memory, address: u32) {
        let first = self.first_living_locker(address);
        let named = memory.word(address) & OWNER_MASK;
        let thread = plan::thread_at(named & INDEX_MASK);
        let is_it = |thread: usize| self.id(thread) == named && self.is_dying(process_of(thread));
        if thread.is_some_and(is_it)
            && let Some((next, owner)) = first
        {
            self.give_lock(memory, owner, next, address, OWNER_DIED);
        }
    }

    /// As [`Naive::first_locker`], of those that live: the dead before them wait no more.
    fn first_living_locker(&mut self, address: u32) -> Option<(usize, usize)> {
        self.first_living_at(
            |doing| matches!(doing, Doing::Locking { address: at, .. } if at == address),
        )?;
        self.first_locker(address)
    }

    fn unlock(&mut self, memory: &mut Memory, thread: usize, address: u32) -> Done {
        let value = memory.word(address);
        if value & OWNER_MASK != self.id(thread) {
            return Err(Error::NotPermitted);
        }
        match self.first_living_locker(address) {
            Some((next, owner)) => self.give_lock(memory, owner, next, address, value & OWNER_DIED),
            None => memory.set_word(address, value & OWNER_DIED),
        }
        Ok(Some(returned(&[])))
    }

    /// The first thread that waits for the lock at this address, and the owner that it waits for.
    fn first_locker(&self, address: u32) -> Option<(usize, usize)> {
        let at_it = |doing| matches!(doing, Doing::Locking { address: at, .. } if at == address);
        let first = self.first_at(at_it)?;
        match self.threads[first].doing {
            Doing::Locking { owner, .. } => Some((first, owner)),
            _ => None,
        }
    }

    /// `next` owns the lock that it waits for, and whoever else waited for it waits for `next`.
    fn give_lock(
        &mut self,
        memory: &mut Memory,
        owner: usize,
        next: usize,
        address: u32,
        died: u32,
    ) {
        self.stop_waiting(next);
        let mut waiters = 0;
        let mut others: Vec<usize> = self.at_words.clone();
        others.retain(|other| self.threads[*other].doing == Doing::Locking { owner, address });
        // The most urgent first, in the order in which they came.
        others.sort_by_key(|other| std::cmp::Reverse(self.priority(*other)));
        for other in others {
            waiters = WAITERS;
            self.threads[other].doing = Doing::Locking {
                owner: next,
                address,
            };
            self.at_words.retain(|waiting| *waiting != other);
            self.at_words.push(other);
        }
        memory.set_word(address, self.id(next) | died | waiters);
        self.threads[next].result = returned(&[u32::from(died != 0)]);
        self.update();
        self.ready.push(next);
    }

    // Proxies, timers, interrupts.

    fn proxy_call(
        &mut self,
        memory: &mut Memory,
        process: usize,
        call: u32,
        words: [u32; 5],
    ) -> Done {
        let [first, address, length, ..] = words;
        match call {
            number::PROXY_CREATE => {
                let channel = self.channel(process, first)?;
                if length as usize > MAX_PROXY_BYTES {
                    return Err(Error::BadArgument);
                }
                memory.check(process, address, length, false)?;
                let proxies = &self.processes[process].proxies;
                let free = proxies.iter().position(|proxy| proxy.handle == 0);
                let number = free.ok_or(Error::Exhausted)?;
                let handle = self.claim(process, Purpose::Proxy(number));
                self.processes[process].proxies[number] = Proxy {
                    handle,
                    channel,
                    count: 0,
                    bytes: memory.fetch(address, length),
                };
                Ok(Some(returned(&[handle])))
            }
            number::PROXY_DESTROY => {
                let (owner, number) = self.proxy(process, first)?;
                if !matches!(self.slot(process, first)?.1.purpose, Purpose::Proxy(_)) {
                    return Err(Error::NotPermitted);
                }
                self.end_proxy(owner, number);
                Ok(Some(returned(&[])))
            }
            _ => {
                let (owner, number) = self.proxy(process, first)?;
                if self.processes[owner].proxies[number].count == MAX_TRIGGERS {
                    return Err(Error::WouldBlock);
                }
                self.count(memory, owner, number, 1);
                Ok(Some(returned(&[])))
            }
        }
    }

    /// A new handle in the slot of this purpose.
    fn claim(&mut self, process: usize, purpose: Purpose) -> u32 {
        let slots = self.processes[process].slots.iter();
        let index = { slots }.position(|slot| slot.purpose == purpose);
        self.renew(process, index.expect("it has its slot"))
    }

    fn end_proxy(&mut self, process: usize, number: usize) {
        self.processes[process].proxies[number] = Proxy::default();
        let gone = Notice::Proxy { process, number };
        for channel in &mut self.channels {
            channel.notices.retain(|notice| *notice != gone);
        }
    }

    fn timer_call(&mut self, memory: &mut Memory, process: usize, call: u32, given: Given) -> Done {
        let [first, low, high, ..] = given.words();
        match call {
            number::TIMER_CREATE => {
                let aim = if self.slot(process, first)?.1.purpose == Purpose::Channel {
                    if low == 0 {
                        return Err(Error::BadArgument);
                    }
                    Aim::Bits(self.channel(process, first)?, low)
                } else {
                    let (owner, number) = self.proxy(process, first)?;
                    Aim::Proxy(owner, number, self.processes[owner].proxies[number].handle)
                };
                let timers = &self.processes[process].timers;
                let free = timers.iter().position(|timer| timer.handle == 0);
                let timer = free.ok_or(Error::Exhausted)?;
                let handle = self.claim(process, Purpose::Timer(timer));
                self.processes[process].timers[timer] = Timer {
                    handle,
                    aim: Some(aim),
                    at: None,
                    period: 0,
                };
                return Ok(Some(returned(&[handle])));
            }
            number::TIMER_SET => {
                let timer = self.timer(process, first)?;
                let period = u64::from(low) | u64::from(high) << 32;
                if (1..LEAST_PERIOD).contains(&period) {
                    return Err(Error::BadArgument);
                }
                let at = given.time();
                let it = &mut self.processes[process].timers[timer];
                (it.period, it.at) = (period, Some(at));
                if at <= self.now {
                    self.fire(memory, process, timer, at);
                }
            }
            number::TIMER_CANCEL => {
                let timer = self.timer(process, first)?;
                let ran = self.processes[process].timers[timer].at.take().is_some();
                return Ok(Some(returned(&[u32::from(ran)])));
            }
            _ => {
                let timer = self.timer(process, first)?;
                self.processes[process].timers[timer] = Timer::default();
            }
        }
        Ok(Some(returned(&[])))
    }

    fn interrupt_call(&mut self, process: usize, call: u32, words: [u32; 5]) -> Done {
        let [first, channel, bits, ..] = words;
        if call == number::INTERRUPT_ATTACH {
            let it = first as usize;
            if it >= INTERRUPTS[process] {
                return Err(Error::NotPermitted);
            }
            let channel = self.channel(process, channel)?;
            if bits == 0 {
                return Err(Error::BadArgument);
            }
            if self.processes[process].interrupts[it].attached.is_some() {
                return Err(Error::InUse);
            }
            let handle = self.claim(process, Purpose::Interrupt(it));
            let index = (handle & call::INDEX_MASK) as usize;
            self.processes[process].slots[index].open = true;
            self.processes[process].interrupts[it].attached = Some((channel, bits));
            return Ok(Some(returned(&[handle])));
        }
        let it = self.attached(process, first)?;
        match call {
            number::INTERRUPT_DETACH => {
                self.processes[process].interrupts[it] = QUIET;
                self.close_slot(process, (first & call::INDEX_MASK) as usize);
            }
            number::INTERRUPT_ACK => self.unmask(process, it),
            number::INTERRUPT_MASK => self.processes[process].interrupts[it].masked = true,
            _ if self.processes[process].interrupts[it].masked => {
                self.processes[process].interrupts[it].pended = true;
            }
            _ => self.raised.push((process, it)),
        }
        Ok(Some(returned(&[])))
    }

    fn unmask(&mut self, process: usize, it: usize) {
        let interrupt = &mut self.processes[process].interrupts[it];
        interrupt.masked = false;
        if std::mem::take(&mut interrupt.pended) {
            self.raised.push((process, it));
        }
    }

    /// The interrupts come that software has raised.
    fn interrupt(&mut self, memory: &mut Memory) {
        for (process, it) in std::mem::take(&mut self.raised) {
            let interrupt = &mut self.processes[process].interrupts[it];
            interrupt.masked = true;
            if let Some((channel, bits)) = interrupt.attached {
                self.add_bits(memory, channel, bits);
            }
        }
    }

    // Threads and processes.

    fn allowed(priority: u32) -> Result<u8, Error> {
        match u8::try_from(priority) {
            Ok(0) => Err(Error::BadArgument),
            Ok(priority) if priority <= PRIORITY_LIMIT => Ok(priority),
            _ => Err(Error::NotPermitted),
        }
    }

    fn named(&self, process: usize, id: u32) -> Result<usize, Error> {
        let thread = plan::thread_at(id & INDEX_MASK).ok_or(Error::BadHandle)?;
        let fits = process_of(thread) == process
            && self.id(thread) == id
            && self.threads[thread].phase != Phase::Free;
        if fits {
            Ok(thread)
        } else {
            Err(Error::BadHandle)
        }
    }

    fn joiner(&self, thread: usize) -> Option<usize> {
        (0..THREADS).find(|other| self.threads[*other].doing == Doing::Joining { thread })
    }

    fn start(&mut self, thread: usize) {
        let it = &mut self.threads[thread];
        it.life += 1;
        it.before = it.messages;
        it.phase = Phase::Joinable;
        it.doing = Doing::Ready;
        it.priority = it.base;
        it.fresh = true;
        it.bound = None;
        it.mask = !0;
        it.handlers.clear();
        self.update();
        self.ready.push(thread);
    }

    fn thread_call(&mut self, memory: &mut Memory, caller: usize, call: u32, given: Given) -> Done {
        let process = process_of(caller);
        let [first, second, third, fourth, fifth] = given.words();
        match call {
            number::THREAD_CREATE => {
                let (priority, policy) = match fourth {
                    policy::SAME => (self.threads[caller].base, self.threads[caller].policy),
                    policy::FIFO | policy::ROUND_ROBIN | policy::ADAPTIVE => {
                        (Self::allowed(third)?, fourth)
                    }
                    _ => return Err(Error::BadArgument),
                };
                if !memory.is_code(process, first) {
                    return Err(Error::BadAddress);
                }
                let spare = process * THREADS_EACH + SPARE;
                if self.threads[spare].phase != Phase::Free {
                    return Err(Error::Exhausted);
                }
                if fifth > SPARE_STACK {
                    return Err(Error::BadArgument);
                }
                (self.threads[spare].base, self.threads[spare].policy) = (priority, policy);
                self.start(spare);
                self.threads[spare].mask = self.threads[caller].mask;
                Ok(Some(returned(&[self.id(spare)])))
            }
            number::THREAD_EXIT if caller.is_multiple_of(THREADS_EACH) => {
                self.exit(caller);
                Ok(None)
            }
            number::THREAD_EXIT => {
                let phase = self.threads[caller].phase;
                if self.hand_signals_on(memory, caller, given) {
                    return Ok(None);
                }
                while self.release_dependant(memory, caller).is_some() {
                    if self.gives_way(caller, given) {
                        return Ok(None);
                    }
                }
                for other in 0..THREADS {
                    if matches!(self.threads[other].doing, Doing::Receiving { from, .. } if from == From::Thread(caller))
                    {
                        self.wake(other, failed(Error::PeerDied));
                        if self.gives_way(caller, given) {
                            return Ok(None);
                        }
                    }
                }
                self.stop(caller);
                self.update();
                self.unbind(caller);
                let joiner = self.joiner(caller);
                if let Some(joiner) = joiner {
                    self.wake(joiner, returned(&[first]));
                }
                self.threads[caller].phase = if joiner.is_some() || phase == Phase::Detached {
                    Phase::Free
                } else {
                    Phase::Over(first)
                };
                Ok(None)
            }
            number::THREAD_JOIN => {
                if given.flags() & !info::DEADLINE != 0 {
                    return Err(Error::BadArgument);
                }
                let thread = self.named(process, first)?;
                match self.threads[thread].phase {
                    Phase::Over(value) => {
                        self.threads[thread].phase = Phase::Free;
                        return Ok(Some(returned(&[value])));
                    }
                    Phase::Detached => return Err(Error::BadArgument),
                    _ => {}
                }
                self.check_chain(caller, vec![thread])?;
                if self.joiner(thread).is_some() {
                    return Err(Error::InUse);
                }
                let deadline = given.deadline();
                self.may_block(deadline)?;
                self.block(caller, Doing::Joining { thread }, deadline);
                Ok(None)
            }
            number::THREAD_SCHEDULE => {
                let thread = if first == 0 {
                    caller
                } else {
                    self.named(process, first)?
                };
                if matches!(self.threads[thread].phase, Phase::Over(_)) {
                    return Err(Error::BadHandle);
                }
                let (before, was) = (self.threads[thread].base, self.threads[thread].policy);
                let new = match third {
                    policy::SAME => was,
                    policy::FIFO | policy::ROUND_ROBIN | policy::ADAPTIVE => third,
                    _ => return Err(Error::BadArgument),
                };
                let priority = if second == 0 {
                    before
                } else {
                    Self::allowed(second)?
                };
                (self.threads[thread].base, self.threads[thread].policy) = (priority, new);
                self.threads[thread].dropped = false;
                let effective = self.priorities()[caller];
                Ok(Some(returned(&[before.into(), was, effective.into()])))
            }
            _ => {
                let thread = self.named(process, first)?;
                match self.threads[thread].phase {
                    Phase::Over(_) => self.threads[thread].phase = Phase::Free,
                    _ if self.joiner(thread).is_some() => return Err(Error::InUse),
                    Phase::Joinable => self.threads[thread].phase = Phase::Detached,
                    _ => return Err(Error::BadArgument),
                }
                Ok(Some(returned(&[])))
            }
        }
    }

    /// The thread waits for nothing any more, and does not run.
    fn stop(&mut self, thread: usize) {
        // What it has lent stays where it is until it is answered.
        if matches!(self.threads[thread].doing, Doing::Waiting { .. }) {
            self.threads[thread].request.memory = None;
        }
        self.stop_waiting(thread);
        self.ready.retain(|other| *other != thread);
        self.threads[thread].doing = Doing::Nothing;
        self.threads[thread].again = None;
        self.threads[thread].computes = None;
        self.forget_turn(thread);
        self.forget_signals(thread);
    }

    /// What a client is told whose server dies: of memory that was moved, whether that had received it.
    fn lost(&self, client: usize) -> Registers {
        let thread = &self.threads[client];
        let mut told = failed(Error::ServerDied);
        if matches!(thread.doing, Doing::Waiting { .. })
            && thread.request.memory == Some(operation::MOVE)
        {
            told[register::INFO] |= info::MOVED;
        }
        told
    }

    /// Takes one of those who wait for `thread`, which ends, out of their wait: its clients come first.
    fn release_dependant(&mut self, memory: &mut Memory, thread: usize) -> Option<usize> {
        if let Some(client) = self.first_client(thread) {
            self.wake(client, self.lost(client));
            return Some(client);
        }
        self.give_up_lock(memory, thread, |_| true)
    }

    /// The most urgent one of who waits for locks of `thread` that are meant.
    fn next_of_owner(&self, thread: usize, is_meant: impl Fn(u32) -> bool) -> Option<usize> {
        let is_its = |locker: &usize| matches!(self.threads[*locker].doing, Doing::Locking { owner, address } if owner == thread && is_meant(address));
        let its = self.lockers.iter().copied().filter(is_its);
        self.most_urgent(its)
    }

    /// Gives one of the locks of `thread`, of those that are meant, to the most urgent one of who waits for them, as if
    /// `thread` had ended.
    fn give_up_lock(
        &mut self,
        memory: &mut Memory,
        thread: usize,
        is_meant: impl Fn(u32) -> bool,
    ) -> Option<usize> {
        let next = self.next_of_owner(thread, is_meant)?;
        match self.threads[next].doing {
            Doing::Locking { address, .. } if self.is_alive(next) => {
                self.give_lock(memory, thread, next, address, OWNER_DIED);
            }
            _ => self.stop_waiting(next),
        }
        Some(next)
    }

    /// A process dies. What follows is done in steps ([`Naive::bury`]); then it starts again, or not.
    fn end_process(&mut self, process: usize, priority: u8, again: bool) {
        let worker = process * THREADS_EACH;
        self.processes[process].alive = false;
        (
            self.processes[process].handling,
            self.processes[process].pending,
        ) = (None, 0);
        self.processes[process].queued.clear();
        self.ready.retain(|other| process_of(*other) != process);
        if !self.has_ended(worker) {
            self.stop(worker);
        }
        self.threads[worker].priority = HIGHEST;
        self.ready.insert(0, worker);
        self.burials.push(Burial {
            worker,
            stage: Stage::Priority { least: priority },
            again,
            reported: true,
        });
    }

    /// A step of the end of a process. Whether it is over: then it has started again.
    fn bury(&mut self, memory: &mut Memory, place: usize) -> bool {
        let Burial {
            worker,
            stage,
            again,
            reported,
        } = self.burials[place];
        let process = process_of(worker);
        let next = match stage {
            Stage::Priority { least } => {
                self.threads[worker].priority = least;
                for thread in worker..worker + THREADS_EACH {
                    let doing = self.threads[thread].doing;
                    if !matches!(doing, Doing::Nothing | Doing::Receiving { .. }) {
                        self.raise_to(worker, self.priority(thread));
                    }
                }
                for channel in plan::channels_of(process) {
                    if self.first_sender(channel, From::Anyone).is_some() {
                        self.raise_to(worker, CHANNELS[channel].fixed.unwrap_or(0));
                    }
                }
                if again {
                    self.raise_to(worker, self.threads[worker].base);
                }
                self.processes[process].timers = vec![Timer::default(); TIMERS];
                self.processes[process].interrupts = vec![QUIET; INTERRUPTS[process]];
                self.clear_windows(process);
                Stage::Threads { left: THREADS_EACH }
            }
            Stage::Threads { left: 0 } => Stage::Dependants { thread: 0 },
            Stage::Threads { left } => {
                let thread = worker + left - 1;
                let priority = self.priority(worker);
                if !self.has_ended(thread) {
                    self.stop(thread);
                }
                self.unbind(thread);
                let it = &mut self.threads[thread];
                it.policy = policy::FIFO;
                if thread % THREADS_EACH != SPARE {
                    it.base = PRIORITIES[process][thread - worker];
                }
                it.priority = it.base;
                self.threads[worker].priority = priority;
                if thread == worker && again {
                    self.raise_to(worker, PRIORITIES[process][0]);
                }
                Stage::Threads { left: left - 1 }
            }
            Stage::Dependants {
                thread: THREADS_EACH,
            } => {
                for number in 0..PROXIES {
                    self.end_proxy(process, number);
                }
                Stage::Channels
            }
            Stage::Dependants { thread } => match self.release_dependant(memory, worker + thread) {
                Some(woken) => {
                    self.raise_to(worker, self.priority(woken));
                    stage
                }
                None => Stage::Dependants { thread: thread + 1 },
            },
            Stage::Channels => {
                let mut own = plan::channels_of(process);
                match own.find_map(|channel| self.first_sender(channel, From::Anyone)) {
                    Some(client) => {
                        self.raise_to(worker, self.priority(client));
                        self.wake(client, failed(Error::ServerDied));
                        stage
                    }
                    None => {
                        self.close_off(process);
                        Stage::Handles { slot: 0 }
                    }
                }
            }
            Stage::Handles { slot } if slot == HANDLES as usize => Stage::Selections,
            Stage::Handles { slot } => {
                self.close_handle_of_the_dead(memory, process, slot);
                Stage::Handles { slot: slot + 1 }
            }
            Stage::Selections => match self.without_hope() {
                Some(thread) => {
                    self.raise_to(worker, self.threads[thread].base);
                    self.wake(thread, failed(Error::PeerDied));
                    stage
                }
                None => Stage::Loans,
            },
            Stage::Loans => {
                self.burials.remove(place);
                let lent = |window: &Window| {
                    window
                        .lender
                        .is_some_and(|lender| process_of(lender) == process)
                };
                let waits = self.exchange.borrow().windows.iter().any(lent);
                self.processes[process].waits = waits && again;
                if again && !waits {
                    self.restart(memory, process);
                } else {
                    self.threads[worker].priority = self.threads[worker].base;
                }
                if reported {
                    self.report(memory, process);
                }
                return true;
            }
        };
        self.burials[place].stage = next;
        false
    }

    /// The worker is at least as urgent as this.
    fn raise_to(&mut self, worker: usize, priority: u8) {
        let own = &mut self.threads[worker].priority;
        *own = (*own).max(priority);
    }

    /// Nothing waits at the channels of a process that has died, and the connections to it are broken.
    fn close_off(&mut self, process: usize) {
        for channel in plan::channels_of(process) {
            self.channels[channel].notices.clear();
            self.channels[channel].bits = 0;
        }
        for holder in 0..PROCESSES {
            for slot in &mut self.processes[holder].slots {
                let leads = slot.channel.is_some_and(|to| CHANNELS[to].owner == process);
                if leads && slot.open && slot.purpose != Purpose::Channel {
                    (slot.open, slot.broken) = (false, true);
                }
                slot.closed &= !leads;
            }
        }
    }

    fn close_handle_of_the_dead(&mut self, memory: &mut Memory, process: usize, index: usize) {
        let slot = self.processes[process].slots[index];
        if slot.purpose == Purpose::Channel {
            return;
        }
        self.close_slot(process, index);
        if let Some(channel) = self.to_be_told(slot) {
            let notice = Notice::ClientDied {
                process,
                slot: index,
            };
            self.tell(memory, channel, notice);
        }
    }

    /// A process starts again.
    fn restart(&mut self, memory: &mut Memory, process: usize) {
        let first = process * THREADS_EACH;
        self.processes[process].started = false;
        self.processes[process].alive = true;
        memory.clear(process);
        for thread in first..first + THREADS_EACH {
            self.threads[thread].phase = Phase::Free;
        }
        self.start(first);
    }

    fn start_threads(&mut self, process: usize) {
        if !std::mem::replace(&mut self.processes[process].started, true) {
            for position in 1..SPARE {
                self.start(process * THREADS_EACH + position);
            }
        }
    }

    /// The running thread makes a call.
    pub fn call(&mut self, memory: &mut Memory, registers: Registers, extra: [u32; 5]) {
        let Some(thread) = self.current else { return };
        self.make_call(memory, thread, Given { registers, extra });
        self.end_event(memory);
        self.make_calls_again(memory);
    }

    fn make_call(&mut self, memory: &mut Memory, thread: usize, given: Given) {
        let result = match self.perform(memory, thread, given) {
            Ok(result) => result,
            Err(error) => Some(failed(error)),
        };
        if let Some(result) = result {
            self.threads[thread].result = result;
        }
    }

    /// A call is over: who is next runs, after what comes at once.
    fn end_event(&mut self, memory: &mut Memory) {
        self.settle(memory);
        if !self.raised.is_empty() {
            self.interrupt(memory);
            self.settle(memory);
        }
        if self.earliest().is_some_and(|at| at <= self.now) {
            self.end_what_is_due(memory);
        }
        self.end_turns(memory);
    }

    fn perform(&mut self, memory: &mut Memory, thread: usize, given: Given) -> Done {
        let process = process_of(thread);
        let word = given.call();
        match word >> call::OPERATION_SHIFT {
            operation::OTHER => {}
            operation::SEND
            | operation::SEND_BYTES
            | operation::SEND_VECTOR
            | operation::LEND
            | operation::LEND_MUT
            | operation::MOVE => {
                return self.send(memory, thread, given);
            }
            operation::RECEIVE => return self.receive(memory, thread, given),
            operation::REPLY_RECEIVE
            | operation::REPLY_BYTES_RECEIVE
            | operation::REPLY_VECTOR_RECEIVE
            | operation::REPLY_ERROR_RECEIVE => {
                return self.reply_receive(memory, thread, given);
            }
            operation::SIGNAL => return self.signal_call(memory, thread, given),
            operation::REGION => return self.about_regions(memory, process, given),
            operation::RELAY => return self.relay(memory, thread, given),
            _ => return Err(Error::BadCall),
        }
        let words = given.words();
        let first = words[0];
        match word {
            number::NULL => Ok(Some(returned(&[]))),
            number::YIELD => {
                let equal =
                    (self.ready.iter()).any(|it| self.priority(*it) == self.priority(thread));
                if equal {
                    self.ready.push(thread);
                }
                Ok(Some(returned(&[])))
            }
            number::CLOCK => Ok(Some(returned(&[self.now as u32, (self.now >> 32) as u32]))),
            number::SLEEP => {
                let at = given.time();
                if at <= self.now {
                    return Ok(Some(returned(&[])));
                }
                self.block(thread, Doing::Sleeping, Some(at));
                Ok(None)
            }
            number::START_THREADS => {
                self.start_threads(process);
                Ok(Some(returned(&[])))
            }
            number::EXIT => {
                self.exit(thread);
                Ok(None)
            }
            number::PROCESS_RESTART | number::PROCESS_STOP => {
                self.control(memory, thread, word, first)
            }
            number::THREAD_STATE => self.say_state(process, words),
            // Of these no script looks at what they say.
            number::FAULT_RECORD | number::STACK_UNUSED if process == plan::MANAGER => {
                Ok(Some(returned(&[])))
            }
            number::SHUTDOWN | number::FAULT_RECORD | number::STACK_UNUSED => {
                Err(Error::NotPermitted)
            }
            number::CONNECT => self
                .connect(process, first)
                .map(|handle| Some(returned(&[handle]))),
            number::CLOSE => self.close(process, first).map(|()| Some(returned(&[]))),
            number::REPLY
            | number::REPLY_BYTES
            | number::REPLY_VECTOR
            | number::REPLY_ERROR
            | number::REPLY_HANDLE => self.reply(memory, thread, word, given),
            number::READ => self.read(memory, thread, given),
            number::WRITE => self.write(memory, thread, given),
            number::RELEASE => self.release(memory, thread, given),
            number::RECLAIM => self.reclaim(memory, process, words),
            // No script panics with bytes of its own.
            number::PANIC => Err(Error::BadAddress),
            number::NOTIFY => self.notify(memory, process, first, words[1]),
            number::FUTEX_WAIT..=number::FUTEX_UNLOCK | number::FUTEX_GIVE => {
                self.futex(memory, thread, word, given)
            }
            number::THREAD_CREATE..=number::THREAD_DETACH => {
                self.thread_call(memory, thread, word, given)
            }
            number::PROXY_CREATE..=number::TRIGGER => self.proxy_call(memory, process, word, words),
            number::TIMER_CREATE..=number::TIMER_CANCEL | number::TIMER_DESTROY => {
                self.timer_call(memory, process, word, given)
            }
            number::INTERRUPT_ATTACH..=number::INTERRUPT_PEND => {
                self.interrupt_call(process, word, words)
            }
            _ => Err(Error::BadCall),
        }
    }
}
