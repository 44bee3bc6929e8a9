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
    /// Whose messages have been taken and not answered, in the order in which they were.
    taken: Vec<Thread>,
    /// What words hold.
    pub words: Vec<u32>,
    pub locks: Vec<Lock>,
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
            taken: Vec::new(),
            words: vec![0; WORDS],
            locks: vec![Lock::default(); LOCKS],
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
        for _ in everybody {
            for (lender, borrower) in &loans {
                priorities[*borrower] = priorities[*borrower].max(priorities[*lender]);
            }
        }
        priorities
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
    }

    /// Brings a thread's priority up to date, then those of whom it waits for.
    fn raise_chain(&mut self, thread: Thread, priorities: &[u8]) {
        if self.priority[thread] == priorities[thread] {
            return;
        }
        self.priority[thread] = priorities[thread];
        let in_order_of_arrival = matches!(self.doing[thread],
            Doing::Sending { channel, .. } if self.channels[channel].by_arrival);
        let lists = [
            &mut self.ready,
            &mut self.queue,
            &mut self.at_words,
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

    /// Lets the most urgent thread run.
    fn settle(&mut self) {
        self.refresh_all();
        let urgent = self.ready.iter().map(|thread| self.priority[*thread]).max();
        let runs = self.doing[self.current] == Doing::Ready && !self.ready.contains(&self.current);
        if runs && urgent <= Some(self.priority[self.current]) {
            return;
        }
        if runs {
            self.ready.insert(0, self.current);
        }
        let next = self
            .ready
            .iter()
            .position(|thread| Some(self.priority[*thread]) == urgent);
        self.current = self.ready.remove(next.expect("the idle thread is ready"));
    }

    /// The thread is ready behind all others.
    fn wake(&mut self, thread: Thread, outcome: Outcome) {
        self.stop_waiting(thread, outcome);
        self.refresh_all();
        self.ready.push(thread);
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
        if let Doing::Waiting { server, .. } = before
            && self.clients_of(server).is_empty()
        {
            self.serves[server] = false;
        }
        self.deadline[thread] = None;
        self.outcome[thread] = outcome;
        self.priority[thread] = self.priorities()[thread];
    }

    pub fn send(&mut self, channel: Channel, badge: u32, word: u32, deadline: Option<u64>) {
        let client = self.current;
        let mut waiting = self.receivers.iter().copied();
        let server = waiting.find(|server| self.doing[*server] == Doing::Receiving { channel });
        if self.is_dead(self.channels[channel].owner) {
            self.fail(Error::ServerDied);
        } else if let Some(server) = server {
            self.deadline[client] = deadline;
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
        let first = self.first_sender(channel);
        let Some(client) = first else { return false };
        let Doing::Sending { badge, word, .. } = self.doing[client] else {
            unreachable!()
        };
        self.queue.retain(|other| *other != client);
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
            let outcome = if self.doing[thread] == Doing::Sleeping {
                Outcome::Nothing
            } else {
                Outcome::Failed(Error::TimedOut)
            };
            self.wake(thread, outcome);
            self.settle();
        }
        self.now = time;
    }

    fn is_dead(&self, process: usize) -> bool {
        let main = self.process.iter().position(|other| *other == process);
        main.is_some_and(|main| self.doing[main] == Doing::Dead)
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
            let Some(thread) = self.first_at(|doing| doing == Doing::AtWord { word }) else {
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
            let Some(thread) = self.first_at(|doing| doing == Doing::AtWord { word }) else {
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
        let Lock { owner, died } = self.locks[lock];
        match owner.filter(|owner| self.doing[*owner] != Doing::Dead) {
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
        match self.first_at(|doing| doing == Doing::Locking { lock }) {
            Some(next) => self.hand_on(lock, next, died),
            None => self.locks[lock].owner = None,
        }
        self.outcome[self.current] = Outcome::Nothing;
        self.settle();
    }

    /// The running thread's process ends, and is no more.
    pub fn exit(&mut self) {
        let process = self.process[self.current];
        let own = |naive: &Self, thread: Thread| naive.process[thread] == process;
        // Each stage for all its threads before the next one.
        for stage in [Self::stop, Self::tell_dependants] {
            for thread in 0..self.process.len() {
                if own(self, thread) {
                    stage(self, thread);
                }
            }
        }
        for channel in 0..self.channels.len() {
            while self.channels[channel].owner == process
                && let Some(client) = self.first_sender(channel)
            {
                self.wake(client, Outcome::Failed(Error::ServerDied));
            }
        }
        self.settle();
    }

    fn stop(&mut self, thread: Thread) {
        self.stop_waiting(thread, Outcome::Nothing);
        self.ready.retain(|other| *other != thread);
        self.doing[thread] = Doing::Dead;
        self.refresh_all();
    }

    fn tell_dependants(&mut self, thread: Thread) {
        while let Some(client) = self.first_client(thread) {
            self.wake(client, Outcome::Failed(Error::ServerDied));
        }
        let process = self.process[thread];
        let locks = self.locks.clone();
        let is_its = |doing: Doing| matches!(doing, Doing::Locking { lock } if locks[lock].owner == Some(thread));
        let mut left: Vec<_> = self.at_words.clone();
        left.retain(|locker| self.process[*locker] != process && is_its(self.doing[*locker]));
        // The most urgent first, in the order in which they came.
        left.sort_by_key(|locker| std::cmp::Reverse(self.priority[*locker]));
        for locker in left {
            if let Doing::Locking { lock } = self.doing[locker]
                && self.locks[lock].owner == Some(thread)
            {
                self.hand_on(lock, locker, true);
            }
        }
        self.unbind(thread);
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
