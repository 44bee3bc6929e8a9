//! What the kernel should do, as plainly as it can be said: lists that are searched from the
//! beginning, priorities computed from nothing after every step.

use riposte_abi::Error;

/// How many words there are.
pub const WORDS: usize = 2;
/// How many locks there are.
pub const LOCKS: usize = 2;

/// A thread's number.
pub type Thread = usize;
/// A channel's number.
pub type Channel = usize;

/// What a thread is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doing {
    /// Running or ready.
    Ready,
    /// Its message waits at a channel.
    Sending {
        channel: Channel,
        badge: u32,
        word: u32,
    },
    /// It waits for an answer from a thread.
    Waiting { server: Thread, channel: Channel },
    /// It waits for a message.
    Receiving { channel: Channel },
    /// It waits at a word.
    AtWord { word: usize },
    /// It waits for a lock.
    Locking { lock: usize },
    /// It waits for a time.
    Sleeping,
    /// Its process is no more.
    Dead,
}

/// What a thread's last call returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Nothing,
    Failed(Error),
    Message { badge: u32, word: u32 },
    Reply { word: u32 },
}

#[derive(Clone, Copy, Debug)]
pub struct ChannelPlan {
    pub owner: usize,
    pub fixed: Option<u8>,
    pub by_arrival: bool,
}

/// A lock.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lock {
    /// Who has it, or had it when it died.
    owner: Option<Thread>,
    /// An owner has died.
    died: bool,
}

/// What is to be done next of the end of a process.
#[derive(Clone, Copy, Debug)]
enum Stage {
    /// Before anybody runs: go on at this priority, or that of who waits at its channels, or of its most
    /// urgent thread.
    Priority { least: u8 },
    /// Take its threads from wherever they wait: so many are left.
    Threads { left: usize },
    /// Tell those who wait for its threads, from this one on.
    Dependants { thread: usize },
    /// Tell those whose messages wait at its channels.
    Channels,
}

/// The end of a process, for which its first thread runs.
#[derive(Clone, Copy, Debug)]
struct Burial {
    worker: Thread,
    stage: Stage,
}

/// The whole system.
pub struct Naive {
    pub process: Vec<usize>,
    pub base: Vec<u8>,
    pub channels: Vec<ChannelPlan>,
    pub depth: usize,
    pub doing: Vec<Doing>,
    pub outcome: Vec<Outcome>,
    pub deadline: Vec<Option<u64>>,
    pub priority: Vec<u8>,
    /// The channel that each thread last waited at or received from.
    pub bound: Vec<Option<Channel>>,
    /// Whether each has taken a message from there since it came, and has clients.
    serves: Vec<bool>,
    /// Whether each channel's last receiver was its only one.
    one_receiver: Vec<bool>,
    /// Who is ready and does not run, in the order in which they would run if all were equal.
    ready: Vec<Thread>,
    /// Whose messages wait, in the order in which they came.
    queue: Vec<Thread>,
    /// Who waits for a message, in the order in which they came.
    receivers: Vec<Thread>,
    /// Who waits at words and for locks, in the order in which they came.
    at_words: Vec<Thread>,
    /// The first that waits for each lock, in the order in which they became that.
    lockers: Vec<Thread>,
    /// Whose messages have been taken and not answered, in the order in which they were.
    taken: Vec<Thread>,
    /// What words hold.
    pub words: Vec<u32>,
    pub locks: Vec<Lock>,
    /// Whether each process has not died.
    alive: Vec<bool>,
    /// The ends that are not over.
    burials: Vec<Burial>,
    /// Receivers of a channel with several ones, at which a message has come or gone: they follow at the end.
    stale: Vec<Thread>,
    /// The last one is the idle thread.
    pub current: Thread,
    pub now: u64,
}

impl Naive {
    pub fn new(
        process: Vec<usize>,
        base: Vec<u8>,
        channels: Vec<ChannelPlan>,
        depth: usize,
    ) -> Self {
        let count = base.len();
        let processes = process.iter().max().map_or(0, |last| last + 1);
        Self {
            process,
            priority: base.clone(),
            base,
            one_receiver: vec![false; channels.len()],
            serves: vec![false; count],
            channels,
            depth,
            doing: vec![Doing::Ready; count],
            outcome: vec![Outcome::Nothing; count],
            deadline: vec![None; count],
            bound: vec![None; count],
            ready: Vec::new(),
            queue: Vec::new(),
            receivers: Vec::new(),
            at_words: Vec::new(),
            lockers: Vec::new(),
            taken: Vec::new(),
            words: vec![0; WORDS],
            locks: vec![Lock::default(); LOCKS],
            alive: vec![true; processes],
            burials: Vec::new(),
            stale: Vec::new(),
            current: count - 1,
            now: 0,
        }
    }

    /// Sets who runs and who is ready, in order.
    pub fn begin(&mut self, current: Thread, ready: Vec<Thread>, now: u64) {
        (self.current, self.ready, self.now) = (current, ready, now);
    }

    fn fail(&mut self, error: Error) {
        self.outcome[self.current] = Outcome::Failed(error);
    }

    /// The priority of everybody, from the bottom up.
    fn priorities(&self) -> Vec<u8> {
        let everybody = 0..self.base.len();
        let loans: Vec<(Thread, Thread)> = everybody
            .clone()
            .flat_map(|lender| {
                let (channel, borrowers): (_, Vec<_>) = match self.doing[lender] {
                    Doing::Waiting { server, channel } => (channel, vec![server]),
                    Doing::Sending { channel, .. } => (channel, self.raised_at(channel)),
                    Doing::Locking { lock } => {
                        let owner = self.locks[lock].owner.into_iter();
                        return owner.map(|owner| (lender, owner)).collect();
                    }
                    _ => return Vec::new(),
                };
                if self.channels[channel].fixed.is_some() {
                    return Vec::new();
                }
                borrowers
                    .into_iter()
                    .map(|borrower| (lender, borrower))
                    .collect()
            })
            .collect();
        let own = |thread: Thread| {
            let fixed = self.bound[thread].and_then(|channel| self.channels[channel].fixed);
            let serves = loans.iter().any(|(lender, borrower)| {
                *borrower == thread && matches!(self.doing[*lender], Doing::Waiting { .. })
            });
            if serves {
                0
            } else {
                fixed.unwrap_or(self.base[thread])
            }
        };
        let mut priorities: Vec<u8> = everybody.clone().map(own).collect();
        for _ in everybody.clone() {
            for (lender, borrower) in &loans {
                priorities[*borrower] = priorities[*borrower].max(priorities[*lender]);
            }
            for thread in everybody.clone().filter(|thread| self.has_stopped(*thread)) {
                priorities[thread] = self.priority[thread];
            }
        }
        priorities
    }

    fn is_alive(&self, thread: Thread) -> bool {
        self.alive[self.process[thread]]
    }

    /// Whether it neither runs any more, nor waits for anything: its priority is what it was.
    pub fn has_stopped(&self, thread: Thread) -> bool {
        let doing = self.doing[thread];
        doing == Doing::Dead || doing == Doing::Ready && !self.is_alive(thread)
    }

    /// Whom those raise whose messages wait at the channel: its receiver, or of several ones those that
    /// serve a client of it.
    fn raised_at(&self, channel: Channel) -> Vec<Thread> {
        let bound = (0..self.base.len()).filter(|t| self.bound[*t] == Some(channel));
        bound
            .filter(|t| self.one_receiver[channel] || self.serves[*t])
            .collect()
    }

    /// The thread receives from the channel.
    fn bind(&mut self, server: Thread, channel: Channel) {
        if self.bound[server] != Some(channel) {
            self.unbind(server);
            self.bound[server] = Some(channel);
        }
        self.one_receiver[channel] = self.receivers_of(channel) == 1;
    }

    fn unbind(&mut self, server: Thread) {
        self.serves[server] = false;
        let Some(before) = self.bound[server].take() else {
            return;
        };
        let mut left = (0..self.base.len()).filter(|t| self.bound[*t] == Some(before));
        let only = left.next().filter(|_| left.next().is_none());
        let waits = |thread: Thread| {
            matches!(
                self.doing[thread],
                Doing::Sending { .. } | Doing::Waiting { .. } | Doing::Locking { .. }
            )
        };
        self.one_receiver[before] = only.is_some_and(|only| !waits(only));
    }

    fn receivers_of(&self, channel: Channel) -> usize {
        let bound = self.bound.iter();
        bound.filter(|bound| **bound == Some(channel)).count()
    }

    /// Whether the channel has as many receivers as it may, without the thread.
    fn is_full(&self, server: Thread, channel: Channel) -> bool {
        self.bound[server] != Some(channel) && self.receivers_of(channel) >= self.depth
    }

    /// Brings priorities up to date: who has another one waits behind those that have it already.
    fn refresh_all(&mut self) {
        let priorities = self.priorities();
        for thread in 0..priorities.len() {
            self.raise_chain(thread, &priorities);
        }
        let firsts = (0..LOCKS).filter_map(|lock| self.first_locker(lock));
        let firsts: Vec<_> = firsts.collect();
        self.lockers.retain(|locker| firsts.contains(locker));
        let new = firsts
            .into_iter()
            .filter(|first| !self.lockers.contains(first));
        let new: Vec<_> = new.collect();
        self.lockers.extend(new);
    }

    /// At the end of what happens: nobody is left out.
    fn refresh_at_the_end(&mut self) {
        self.stale.clear();
        self.refresh_all();
    }

    /// A message has come to the channel, or gone from there.
    fn note_queue_of(&mut self, channel: Channel) {
        if !self.one_receiver[channel] {
            let raised = self.raised_at(channel);
            self.stale.extend(raised);
        }
    }

    /// Brings a thread's priority up to date, then those of whom it waits for.
    fn raise_chain(&mut self, thread: Thread, priorities: &[u8]) {
        if self.priority[thread] == priorities[thread] || self.stale.contains(&thread) {
            return;
        }
        self.priority[thread] = priorities[thread];
        let in_order_of_arrival = match self.doing[thread] {
            Doing::Sending { channel, .. } => self.channels[channel].by_arrival,
            Doing::Waiting { channel, .. } => self.channels[channel].fixed.is_some(),
            _ => false,
        };
        let lists = [
            &mut self.ready,
            &mut self.queue,
            &mut self.at_words,
            &mut self.lockers,
            &mut self.taken,
        ];
        for list in lists {
            let place = list.iter().position(|other| *other == thread);
            if let Some(place) = place.filter(|_| !in_order_of_arrival) {
                list.remove(place);
                list.push(thread);
            }
        }
        match self.doing[thread] {
            Doing::Waiting { server, .. } => self.raise_chain(server, priorities),
            Doing::Locking { lock } => {
                if let Some(owner) = self.locks[lock].owner {
                    self.raise_chain(owner, priorities);
                }
            }
            Doing::Sending { channel, .. } => {
                for server in self.raised_at(channel) {
                    self.raise_chain(server, priorities);
                }
            }
            _ => {}
        }
    }

    /// Lets the most urgent thread run, after the ends of processes that go before it.
    fn settle(&mut self) {
        self.refresh_at_the_end();
        let urgent = self.most_urgent();
        let current = self.current;
        let runs = self.doing[current] == Doing::Ready
            && self.is_alive(current)
            && !self.ready.contains(&current);
        if !runs {
            self.current = self.take_ready(urgent);
        } else if urgent > Some(self.priority[current]) {
            self.ready.insert(0, current);
            self.current = self.take_ready(urgent);
        }
        let first = self.first_ready();
        let precedes = |first: &Thread| {
            self.is_burying(*first) && self.priority[*first] >= self.priority[self.current]
        };
        if let Some(first) = first.filter(precedes)
            && !self.is_burying(self.current)
        {
            self.ready.retain(|other| *other != first);
            self.ready.insert(0, self.current);
            self.current = first;
        }
        while let Some(place) = self.burial_of(self.current) {
            let is_over = self.bury(place);
            self.refresh_at_the_end();
            let urgent = self.most_urgent();
            if is_over {
                self.current = self.take_ready(urgent);
            } else if urgent > Some(self.priority[self.current]) {
                self.ready.insert(0, self.current);
                self.current = self.take_ready(urgent);
            }
        }
    }

    fn most_urgent(&self) -> Option<u8> {
        self.ready.iter().map(|thread| self.priority[*thread]).max()
    }

    fn first_ready(&self) -> Option<Thread> {
        let urgent = self.most_urgent();
        let mut ready = self.ready.iter().copied();
        ready.find(|thread| Some(self.priority[*thread]) == urgent)
    }

    /// Takes the first of those that are ready and have this priority.
    fn take_ready(&mut self, priority: Option<u8>) -> Thread {
        let place = self
            .ready
            .iter()
            .position(|thread| Some(self.priority[*thread]) == priority);
        self.ready.remove(place.expect("the idle thread is ready"))
    }

    fn burial_of(&self, worker: Thread) -> Option<usize> {
        self.burials
            .iter()
            .position(|burial| burial.worker == worker)
    }

    fn is_burying(&self, thread: Thread) -> bool {
        self.burial_of(thread).is_some()
    }

    /// The thread is ready behind all others.
    fn wake(&mut self, thread: Thread, outcome: Outcome) {
        self.stop_waiting(thread, outcome);
        self.refresh_all();
        if self.is_alive(thread) {
            self.ready.push(thread);
        }
    }

    /// The thread is ready before all others.
    fn hand_over(&mut self, thread: Thread, outcome: Outcome) {
        self.stop_waiting(thread, outcome);
        self.ready.insert(0, thread);
    }

    fn stop_waiting(&mut self, thread: Thread, outcome: Outcome) {
        self.queue.retain(|other| *other != thread);
        self.receivers.retain(|other| *other != thread);
        self.at_words.retain(|other| *other != thread);
        self.taken.retain(|other| *other != thread);
        let before = std::mem::replace(&mut self.doing[thread], Doing::Ready);
        if let Doing::Sending { channel, .. } = before {
            self.note_queue_of(channel);
        }
        if let Doing::Waiting { server, .. } = before
            && self.clients_of(server).is_empty()
        {
            self.serves[server] = false;
        }
        self.deadline[thread] = None;
        self.outcome[thread] = outcome;
        if let Some(channel) = self.bound[thread]
            && self.receivers_of(channel) == 1
        {
            self.one_receiver[channel] = true;
        }
        self.priority[thread] = self.priorities()[thread];
    }

    pub fn send(&mut self, channel: Channel, badge: u32, word: u32, deadline: Option<u64>) {
        let client = self.current;
        let mut waiting = self.receivers.iter().copied();
        let server = waiting.find(|server| self.doing[*server] == Doing::Receiving { channel });
        if self.is_dead(self.channels[channel].owner) {
            self.fail(Error::ServerDied);
        } else if let Some(server) = server {
            self.deadline[client] = deadline.filter(|at| *at != 0);
            self.doing[client] = Doing::Waiting { server, channel };
            self.serves[server] = true;
            self.taken.push(client);
            self.hand_over(server, Outcome::Message { badge, word });
        } else if deadline == Some(0) {
            self.fail(Error::WouldBlock);
        } else if self.closes_a_circle(client, self.servers_of(channel)) {
            self.fail(Error::Deadlock);
        } else {
            self.deadline[client] = deadline;
            self.doing[client] = Doing::Sending {
                channel,
                badge,
                word,
            };
            self.queue.push(client);
            self.note_queue_of(channel);
        }
        self.settle();
    }

    /// For whom a message at the channel waits.
    fn servers_of(&self, channel: Channel) -> Vec<Thread> {
        let owner = self.channels[channel].owner;
        let threads = (0..self.base.len()).filter(|t| self.process[*t] == owner);
        let threads: Vec<_> = threads.collect();
        if threads.len() == 1 {
            return threads;
        }
        self.raised_at(channel)
    }

    /// Whether `client` would wait for itself if it waited for these, or for too many.
    fn closes_a_circle(&self, client: Thread, first: Vec<Thread>) -> bool {
        let mut seen = first;
        let mut place = 0;
        while let Some(&thread) = seen.get(place) {
            let next = match self.doing[thread] {
                Doing::Waiting { server, .. } => vec![server],
                Doing::Sending { channel, .. } => self.servers_of(channel),
                Doing::Locking { lock } => self.locks[lock].owner.into_iter().collect(),
                _ => Vec::new(),
            };
            let new = next.into_iter().filter(|other| !seen.contains(other));
            let new: Vec<_> = new.collect();
            seen.extend(new);
            place += 1;
        }
        seen.contains(&client) || seen.len() > self.depth
    }

    pub fn receive(&mut self, channel: Channel, deadline: Option<u64>) {
        let server = self.current;
        if self.is_full(server, channel) {
            self.fail(Error::Exhausted);
        } else if !self.take(server, channel) {
            if deadline == Some(0) {
                self.fail(Error::WouldBlock);
            } else {
                self.wait(server, channel, deadline);
            }
        }
        self.settle();
    }

    fn wait(&mut self, server: Thread, channel: Channel, deadline: Option<u64>) {
        self.bind(server, channel);
        self.doing[server] = Doing::Receiving { channel };
        self.deadline[server] = deadline;
        self.receivers.push(server);
    }

    /// Takes the first message that waits.
    fn take(&mut self, server: Thread, channel: Channel) -> bool {
        let client = loop {
            let Some(client) = self.first_sender(channel) else {
                return false;
            };
            if self.is_alive(client) {
                break client;
            }
            self.stop_waiting(client, Outcome::Nothing);
            self.refresh_all();
        };
        let Doing::Sending { badge, word, .. } = self.doing[client] else {
            unreachable!()
        };
        self.queue.retain(|other| *other != client);
        self.note_queue_of(channel);
        self.bind(server, channel);
        self.doing[client] = Doing::Waiting { server, channel };
        self.serves[server] = true;
        self.taken.push(client);
        self.outcome[server] = Outcome::Message { badge, word };
        true
    }

    /// Whether `client` waits for an answer from the running thread's process.
    pub fn is_client(&self, client: Thread) -> bool {
        matches!(self.doing[client],
            Doing::Waiting { server, .. } if self.process[server] == self.process[self.current])
            && self.is_alive(client)
    }

    pub fn reply(&mut self, client: Thread, word: u32) {
        if self.is_client(client) {
            self.wake(client, Outcome::Reply { word });
            self.outcome[self.current] = Outcome::Nothing;
        } else {
            self.fail(Error::NoSuchClient);
        }
        self.settle();
    }

    pub fn reply_receive(
        &mut self,
        client: Thread,
        word: u32,
        channel: Channel,
        deadline: Option<u64>,
    ) {
        let server = self.current;
        if self.is_full(server, channel) {
            self.fail(Error::Exhausted);
            return self.settle();
        }
        if !self.is_client(client) {
            self.fail(Error::NoSuchClient);
            return self.settle();
        }
        self.stop_waiting(client, Outcome::Reply { word });
        self.refresh_all();
        if self.take(server, channel) {
            self.refresh_all();
            self.ready.push(client);
        } else if deadline == Some(0) {
            self.refresh_all();
            self.ready.push(client);
            self.fail(Error::WouldBlock);
        } else {
            self.wait(server, channel, deadline);
            self.ready.insert(0, client);
        }
        self.settle();
    }

    pub fn give_way(&mut self) {
        self.ready.push(self.current);
        self.settle();
    }

    pub fn sleep(&mut self, until: u64) {
        self.outcome[self.current] = Outcome::Nothing;
        if until > self.now {
            self.doing[self.current] = Doing::Sleeping;
            self.deadline[self.current] = Some(until);
        }
        self.settle();
    }

    pub fn advance_to(&mut self, time: u64) {
        loop {
            let due = self.deadline.iter().enumerate();
            let due = due.filter_map(|(thread, at)| Some(((*at)?, thread)));
            let Some((at, thread)) = due.min().filter(|(at, _)| *at <= time) else {
                break;
            };
            self.now = self.now.max(at);
            let outcome = match self.doing[thread] {
                Doing::Sleeping => Outcome::Nothing,
                Doing::Waiting { server, .. } if !self.is_alive(server) => {
                    Outcome::Failed(Error::ServerDied)
                }
                Doing::Sending { channel, .. } if self.is_dead(self.channels[channel].owner) => {
                    Outcome::Failed(Error::ServerDied)
                }
                _ => Outcome::Failed(Error::TimedOut),
            };
            self.wake(thread, outcome);
            self.settle();
        }
        self.now = time;
    }

    fn is_dead(&self, process: usize) -> bool {
        !self.alive[process]
    }

    /// The most urgent of those who wait and do this, the first one of equals.
    fn first_at(&self, doing: impl Fn(Doing) -> bool) -> Option<Thread> {
        let waiting = self.at_words.iter().copied();
        let waiting = waiting.filter(|thread| doing(self.doing[*thread]));
        let waiting: Vec<_> = waiting.collect();
        let most = waiting.iter().map(|thread| self.priority[*thread]).max()?;
        waiting
            .into_iter()
            .find(|thread| self.priority[*thread] == most)
    }

    fn first_locker(&self, lock: usize) -> Option<Thread> {
        self.first_at(|doing| doing == Doing::Locking { lock })
    }

    /// As [`Naive::first_at`], of those that are alive: the dead before them wait no more.
    fn first_living_at(&mut self, doing: impl Fn(Doing) -> bool) -> Option<Thread> {
        loop {
            let first = self.first_at(&doing)?;
            if self.is_alive(first) {
                return Some(first);
            }
            self.stop_waiting(first, Outcome::Nothing);
            self.refresh_all();
        }
    }

    /// The running thread waits.
    fn block(&mut self, doing: Doing, deadline: Option<u64>) {
        self.doing[self.current] = doing;
        self.deadline[self.current] = deadline;
        self.at_words.push(self.current);
    }

    pub fn futex_wait(&mut self, word: usize, expected: u32, deadline: Option<u64>) {
        if self.words[word] != expected || deadline == Some(0) {
            self.fail(Error::WouldBlock);
        } else {
            self.block(Doing::AtWord { word }, deadline);
        }
        self.settle();
    }

    fn wake_some(&mut self, word: usize, most: u32) -> u32 {
        for woken in 0..most {
            let here = |doing| doing == Doing::AtWord { word };
            let Some(thread) = self.first_living_at(here) else {
                return woken;
            };
            self.wake(thread, Outcome::Nothing);
        }
        most
    }

    pub fn futex_wake(&mut self, word: usize, most: u32) {
        let woken = self.wake_some(word, most);
        self.outcome[self.current] = Outcome::Reply { word: woken };
        self.settle();
    }

    pub fn futex_give(&mut self, word: usize) {
        let woken = self.wake_some(word, 1);
        self.words[word] += 1 - woken;
        self.outcome[self.current] = Outcome::Reply { word: woken };
        self.settle();
    }

    pub fn futex_requeue(&mut self, word: usize, expected: u32, most: u32, moved: u32) {
        if self.words[word] != expected {
            self.fail(Error::WouldBlock);
            return self.settle();
        }
        let woken = self.wake_some(word, most);
        let other = (word + 1) % WORDS;
        for _ in 0..moved {
            let here = |doing| doing == Doing::AtWord { word };
            let Some(thread) = self.first_living_at(here) else {
                break;
            };
            self.doing[thread] = Doing::AtWord { word: other };
            self.at_words.retain(|waiting| *waiting != thread);
            self.at_words.push(thread);
        }
        self.outcome[self.current] = Outcome::Reply { word: woken };
        self.settle();
    }

    pub fn lock(&mut self, lock: usize, deadline: Option<u64>) {
        let owner = self.locks[lock].owner;
        if owner.is_some_and(|owner| !self.is_alive(owner))
            && let Some(next) = self.first_living_at(|doing| doing == Doing::Locking { lock })
        {
            self.hand_on(lock, next, true);
        }
        let Lock { owner, died } = self.locks[lock];
        match owner.filter(|owner| self.is_alive(*owner)) {
            Some(owner) if owner == self.current => self.fail(Error::Deadlock),
            Some(_) if deadline == Some(0) => self.fail(Error::WouldBlock),
            Some(owner) if self.closes_a_circle(self.current, vec![owner]) => {
                self.fail(Error::Deadlock);
            }
            Some(_) => self.block(Doing::Locking { lock }, deadline),
            None => self.own(lock, self.current, died || owner.is_some()),
        }
        self.settle();
    }

    fn own(&mut self, lock: usize, owner: Thread, died: bool) {
        self.locks[lock] = Lock {
            owner: Some(owner),
            died,
        };
        self.outcome[owner] = Outcome::Reply { word: died.into() };
    }

    /// The lock is `next`'s, who waits for it.
    fn hand_on(&mut self, lock: usize, next: Thread, died: bool) {
        self.stop_waiting(next, Outcome::Nothing);
        self.own(lock, next, died);
        self.refresh_all();
        self.ready.push(next);
    }

    pub fn unlock(&mut self, lock: usize) {
        let Lock { owner, died } = self.locks[lock];
        if owner != Some(self.current) {
            self.fail(Error::NotPermitted);
            return self.settle();
        }
        match self.first_living_at(|doing| doing == Doing::Locking { lock }) {
            Some(next) => self.hand_on(lock, next, died),
            None => self.locks[lock].owner = None,
        }
        self.outcome[self.current] = Outcome::Nothing;
        self.settle();
    }

    /// The running thread's process ends.
    pub fn exit(&mut self) {
        let process = self.process[self.current];
        let worker = self.threads_of(process).start;
        let least = self.priority[self.current].max(self.urgency(worker));
        self.alive[process] = false;
        let ready = std::mem::take(&mut self.ready).into_iter();
        self.ready = ready
            .filter(|thread| self.process[*thread] != process)
            .collect();
        self.stop(worker);
        self.priority[worker] = u8::MAX;
        self.ready.insert(0, worker);
        self.burials.push(Burial {
            worker,
            stage: Stage::Priority { least },
        });
        self.settle();
    }

    fn threads_of(&self, process: usize) -> std::ops::Range<Thread> {
        let is_its = |other: &usize| *other == process;
        let first = self.process.iter().position(is_its).unwrap_or(0);
        let count = self.process.iter().filter(|other| is_its(other)).count();
        first..first + count
    }

    fn stop(&mut self, thread: Thread) {
        self.stop_waiting(thread, Outcome::Nothing);
        self.doing[thread] = Doing::Dead;
    }

    /// A step of the end of a process. Whether it is over.
    fn bury(&mut self, place: usize) -> bool {
        let Burial { worker, stage } = self.burials[place];
        let threads = self.threads_of(self.process[worker]);
        let next = match stage {
            Stage::Priority { least } => {
                let its = threads.clone().map(|thread| self.urgency(thread));
                let own = self.channels_of(worker);
                let waiting = own.filter_map(|channel| {
                    let first = self.most_urgent_sender(channel)?;
                    Some(self.channels[channel].fixed.unwrap_or(first))
                });
                self.priority[worker] = its.chain(waiting).fold(least, u8::max);
                Stage::Threads {
                    left: threads.len(),
                }
            }
            Stage::Threads { left: 0 } => Stage::Dependants { thread: 0 },
            Stage::Threads { left } => {
                let thread = threads.start + left - 1;
                let priority = self.priority[worker];
                if self.doing[thread] != Doing::Dead {
                    self.stop(thread);
                }
                self.unbind(thread);
                self.priority[thread] = self.base[thread];
                self.priority[worker] = priority;
                Stage::Threads { left: left - 1 }
            }
            Stage::Dependants { thread } => match threads.clone().nth(thread) {
                None => Stage::Channels,
                Some(dead) if self.tell_dependant(worker, dead) => stage,
                Some(_) => Stage::Dependants { thread: thread + 1 },
            },
            Stage::Channels => {
                let first = self
                    .channels_of(worker)
                    .find_map(|channel| self.first_sender(channel));
                let Some(client) = first else {
                    self.burials.remove(place);
                    self.priority[worker] = self.base[worker];
                    return true;
                };
                self.raise_to(worker, client);
                self.wake(client, Outcome::Failed(Error::ServerDied));
                stage
            }
        };
        self.burials[place].stage = next;
        false
    }

    fn channels_of(&self, thread: Thread) -> impl Iterator<Item = Channel> {
        let own = move |channel: &Channel| self.channels[*channel].owner == self.process[thread];
        (0..self.channels.len()).filter(own)
    }

    /// How urgent the end of a thread is: it is, or who waits for it.
    fn urgency(&self, thread: Thread) -> u8 {
        let waits = matches!(self.doing[thread], Doing::Receiving { .. } | Doing::Dead);
        let own = if waits { 0 } else { self.priority[thread] };
        let lends = |lender: &Thread| match self.doing[*lender] {
            Doing::Waiting { server, channel } => {
                server == thread && self.channels[channel].fixed.is_none()
            }
            Doing::Locking { lock } => self.locks[lock].owner == Some(thread),
            _ => false,
        };
        let lenders = (0..self.base.len()).filter(lends);
        lenders
            .map(|lender| self.priority[lender])
            .fold(own, u8::max)
    }

    fn most_urgent_sender(&self, channel: Channel) -> Option<u8> {
        let here = |thread: &&Thread| matches!(self.doing[**thread], Doing::Sending { channel: to, .. } if to == channel);
        self.queue
            .iter()
            .filter(here)
            .map(|thread| self.priority[*thread])
            .max()
    }

    /// The worker is at least as urgent as the thread.
    fn raise_to(&mut self, worker: Thread, thread: Thread) {
        self.priority[worker] = self.priority[worker].max(self.priority[thread]);
    }

    /// Tells one of those who wait for a thread that has died: its clients come first. Whether there was one.
    fn tell_dependant(&mut self, worker: Thread, dead: Thread) -> bool {
        if let Some(client) = self.first_client(dead) {
            self.wake(client, Outcome::Failed(Error::ServerDied));
            self.raise_to(worker, client);
            return true;
        }
        let lock_of = |naive: &Self, locker: Thread| match naive.doing[locker] {
            Doing::Locking { lock } if naive.locks[lock].owner == Some(dead) => Some(lock),
            _ => None,
        };
        let its = self.lockers.iter().copied();
        let its: Vec<_> = its
            .filter(|locker| lock_of(self, *locker).is_some())
            .collect();
        let most = its.iter().map(|locker| self.priority[*locker]).max();
        let first = its
            .into_iter()
            .find(|locker| Some(self.priority[*locker]) == most);
        let Some(locker) = first else { return false };
        match lock_of(self, locker).filter(|_| self.is_alive(locker)) {
            Some(lock) => self.hand_on(lock, locker, true),
            None => self.stop_waiting(locker, Outcome::Nothing),
        }
        self.raise_to(worker, locker);
        true
    }

    /// The clients that a thread has to answer, as they were taken or have changed their priority.
    fn clients_of(&self, thread: Thread) -> Vec<Thread> {
        let taken = self.taken.iter().copied();
        taken
            .filter(|client| matches!(self.doing[*client], Doing::Waiting { server, .. } if server == thread))
            .collect()
    }

    /// The client that learns first of a thread's end: the most urgent one, those of channels with a fixed
    /// priority last.
    fn first_client(&self, thread: Thread) -> Option<Thread> {
        let clients = self.clients_of(thread);
        let rank = |client: &Thread| match self.doing[*client] {
            Doing::Waiting { channel, .. } if self.channels[channel].fixed.is_none() => {
                Some(self.priority[*client])
            }
            _ => None,
        };
        let most = clients.iter().map(rank).max()?;
        clients.into_iter().find(|client| rank(client) == most)
    }

    /// The client whose message at the channel is taken first.
    fn first_sender(&self, channel: Channel) -> Option<Thread> {
        let here = |thread: &Thread| matches!(self.doing[*thread], Doing::Sending { channel: to, .. } if to == channel);
        let waiting: Vec<_> = self.queue.iter().copied().filter(here).collect();
        let most = waiting.iter().map(|thread| self.priority[*thread]).max();
        let by_arrival = self.channels[channel].by_arrival;
        let mut waiting = waiting.into_iter();
        waiting.find(|thread| by_arrival || Some(self.priority[*thread]) == most)
    }
}
