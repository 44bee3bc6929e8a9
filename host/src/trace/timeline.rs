//! What a trace says of threads and messages: who did what from when to when, and which events belong together.

use std::collections::{BTreeMap, HashMap};

use super::event::{Event, State, ThreadIndex, What};

/// What a thread does for some time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doing {
    /// It runs.
    Running,
    /// It does not run; it waits for the thread or channel that is named, if that is known.
    Waiting(State, Option<Whom>),
}

/// For whom a thread waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Whom {
    /// For this thread: to answer, or to give up a lock.
    Thread(ThreadIndex),
    /// For somebody to receive from this channel.
    Channel(usize),
}

/// A thread does something for some time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Which thread.
    pub thread: ThreadIndex,
    /// From when on, in nanoseconds.
    pub from: u64,
    /// Until when.
    pub to: u64,
    /// What.
    pub doing: Doing,
}

/// How a message ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It was answered then.
    Replied(u64),
    /// The client waited no more: its deadline came, the server died, or the message was sent again.
    Ended(u64),
    /// The trace does not say: it ends before, or events are missing.
    Unknown,
}

/// A message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// Who sent it.
    pub client: ThreadIndex,
    /// Where to.
    pub channel: usize,
    /// When.
    pub sent: u64,
    /// Who received it, and when.
    pub received: Option<(ThreadIndex, u64)>,
    /// How it ended.
    pub outcome: Outcome,
    /// The indices of its events: sent, received, answered.
    pub events: [Option<usize>; 3],
}

/// Threads that wait for each other, one after the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Chain {
    /// How often it was the longest one of the system.
    pub times: u64,
    /// For how long in all, in nanoseconds.
    pub total: u64,
}

/// All that follows from a trace.
#[derive(Clone, Debug, Default)]
pub struct Timeline {
    /// Who did what, by time of its end.
    pub spans: Vec<Span>,
    /// The messages, in the order in which they were sent.
    pub messages: Vec<Message>,
    /// The chains of two threads and more that wait for each other.
    pub chains: BTreeMap<Vec<ThreadIndex>, Chain>,
    /// Events that belong to none that came before, though none is missing in between: the trace contradicts itself.
    pub strays: Vec<usize>,
    /// The first and the last time.
    pub range: (u64, u64),
    /// For how long in between nothing is known: between events of which some are missing, in nanoseconds.
    pub unknown: u64,
}

/// What is known of a thread.
#[derive(Clone, Copy, Debug, Default)]
struct Known {
    since: Option<(u64, Doing)>,
    /// The message that it waits with.
    message: Option<usize>,
    /// Whom it waits for beside that.
    owner: Option<ThreadIndex>,
    /// Something has ended its wait before it had begun in the trace's eyes.
    runs: bool,
}

struct Teller {
    told: Timeline,
    threads: HashMap<ThreadIndex, Known>,
    longest: Option<(Vec<ThreadIndex>, u64)>,
    /// Messages from before a gap may be answered behind it.
    complete: bool,
}

/// Tells what events say. Before those at the indices in `gaps` some are missing.
#[must_use]
pub fn timeline(events: &[Event], gaps: &[usize]) -> Timeline {
    let mut teller = Teller {
        told: Timeline::default(),
        threads: HashMap::new(),
        longest: None,
        complete: true,
    };
    teller.told.range = (
        events.first().map_or(0, |event| event.time),
        events.last().map_or(0, |event| event.time),
    );
    for (index, event) in events.iter().enumerate() {
        if gaps.contains(&index) {
            let last = index.checked_sub(1).and_then(|last| events.get(last));
            teller.forget(last.map_or(event.time, |last| last.time), event.time);
        }
        teller.note(index, event);
    }
    teller.finish()
}

impl Teller {
    fn known(&mut self, thread: ThreadIndex) -> &mut Known {
        self.threads.entry(thread).or_default()
    }

    /// Events are missing between these times: what was known ends with the last one before them.
    fn forget(&mut self, last: u64, next: u64) {
        self.close_all(last);
        self.told.unknown += next - last;
        self.threads.clear();
        self.complete = false;
    }

    fn close_all(&mut self, time: u64) {
        let mut threads: Vec<_> = self.threads.keys().copied().collect();
        threads.sort_unstable();
        for thread in threads {
            self.begin(thread, time, None);
        }
        self.note_chain(None, time);
    }

    fn finish(mut self) -> Timeline {
        self.close_all(self.told.range.1);
        self.told
    }

    /// The thread does something else from now on, or nobody knows what.
    fn begin(&mut self, thread: ThreadIndex, time: u64, doing: Option<Doing>) {
        let known = self.known(thread);
        let before = known.since;
        if before.map(|(_, doing)| doing) == doing {
            return;
        }
        known.since = doing.map(|doing| (time, doing));
        if let Some((from, doing)) = before {
            self.told.spans.push(Span {
                thread,
                from,
                to: time,
                doing,
            });
        }
    }

    /// The thread waits no more, unless it runs: then it has not even begun to.
    fn ready(&mut self, thread: ThreadIndex, time: u64) {
        let known = self.known(thread);
        known.message = None;
        known.owner = None;
        if !known.runs {
            self.begin(thread, time, Some(Doing::Waiting(State::Ready, None)));
        }
    }

    /// The thread, if it does not run, waits so.
    fn waits(&mut self, thread: ThreadIndex, time: u64, state: State) {
        let whom = self.whom(thread, state);
        if !self.known(thread).runs {
            self.begin(thread, time, Some(Doing::Waiting(state, whom)));
        }
    }

    fn whom(&self, thread: ThreadIndex, state: State) -> Option<Whom> {
        let known = self.threads.get(&thread)?;
        let message = || self.told.messages.get(known.message?);
        match state {
            State::SendBlocked => Some(Whom::Channel(message()?.channel)),
            State::ReplyBlocked => Some(Whom::Thread(message()?.received?.0)),
            State::FutexBlocked => known.owner.map(Whom::Thread),
            _ => None,
        }
    }

    fn note(&mut self, index: usize, event: &Event) {
        let Event {
            time, thread, what, ..
        } = *event;
        match what {
            What::Switch { from, state } => {
                self.known(from).runs = false;
                self.waits(from, time, state);
                let known = self.known(thread);
                known.runs = true;
                known.message = None;
                known.owner = None;
                self.begin(thread, time, Some(Doing::Running));
            }
            What::Send { channel, .. } => {
                self.end_message(thread, Outcome::Unknown);
                let message = self.told.messages.len();
                self.told.messages.push(Message {
                    client: thread,
                    channel,
                    sent: time,
                    received: None,
                    outcome: Outcome::Unknown,
                    events: [Some(index), None, None],
                });
                let known = self.known(thread);
                known.message = Some(message);
                // It was handed on by a server that runs.
                if !known.runs {
                    self.waits(thread, time, State::SendBlocked);
                }
            }
            What::Receive { client, .. } => {
                match self.message(client).filter(|it| it.received.is_none()) {
                    Some(message) => {
                        message.received = Some((thread, time));
                        message.events[1] = Some(index);
                    }
                    None => self.stray(index),
                }
                self.waits(client, time, State::ReplyBlocked);
                self.server_goes_on(thread, time);
            }
            What::Reply { client, .. } => {
                match self.message(client).filter(|it| it.received.is_some()) {
                    Some(message) => {
                        message.outcome = Outcome::Replied(time);
                        message.events[2] = Some(index);
                    }
                    None => self.stray(index),
                }
                self.ready(client, time);
            }
            What::End(_) => {
                self.end_message(thread, Outcome::Ended(time));
                self.ready(thread, time);
            }
            What::Stop { .. } => self.waits(thread, time, State::Stopped),
            What::Notice { .. } => self.server_goes_on(thread, time),
            What::LockWait { owner, .. } => self.known(thread).owner = Some(owner),
            What::FutexWake { .. } | What::LockGiven { .. } => self.ready(thread, time),
            _ => {}
        }
        let changes = matches!(
            what,
            What::Receive { .. }
                | What::Reply { .. }
                | What::End(_)
                | What::LockWait { .. }
                | What::LockGiven { .. }
        );
        if changes {
            let chain = self.longest_chain();
            self.note_chain(chain, time);
        }
    }

    fn stray(&mut self, index: usize) {
        if self.complete {
            self.told.strays.push(index);
        }
    }

    /// A thread that waited for a message has something.
    fn server_goes_on(&mut self, server: ThreadIndex, time: u64) {
        if !self.known(server).runs {
            self.begin(server, time, Some(Doing::Waiting(State::Ready, None)));
        }
    }

    /// The message that a thread waits with.
    fn message(&mut self, client: ThreadIndex) -> Option<&mut Message> {
        let message = self.threads.get(&client)?.message?;
        self.told.messages.get_mut(message)
    }

    fn end_message(&mut self, client: ThreadIndex, outcome: Outcome) {
        if let Some(message) = self.message(client) {
            message.outcome = outcome;
        }
        self.known(client).message = None;
    }

    /// Whom a thread waits for, if it is a thread.
    fn next(&self, thread: ThreadIndex) -> Option<ThreadIndex> {
        let known = self.threads.get(&thread)?;
        let message = known.message.and_then(|it| self.told.messages.get(it));
        let server = message.and_then(|it| it.received).map(|(server, _)| server);
        server.or(known.owner)
    }

    /// The longest way from thread to thread: of several the first one.
    fn longest_chain(&self) -> Option<Vec<ThreadIndex>> {
        let mut longest: Vec<ThreadIndex> = Vec::new();
        let mut waiting: Vec<_> = self.threads.keys().copied().collect();
        waiting.sort_unstable();
        for first in waiting {
            let mut chain = vec![first];
            while let Some(next) = chain.last().and_then(|last| self.next(*last)) {
                // A circle would be refused by the kernel; a trace may say anything.
                if chain.contains(&next) {
                    break;
                }
                chain.push(next);
            }
            if chain.len() > longest.len() {
                longest = chain;
            }
        }
        (longest.len() > 1).then_some(longest)
    }

    fn note_chain(&mut self, chain: Option<Vec<ThreadIndex>>, time: u64) {
        let is_same = match (&self.longest, &chain) {
            (Some((before, _)), Some(now)) => before == now,
            (before, now) => before.is_none() && now.is_none(),
        };
        if is_same {
            return;
        }
        if let Some((before, since)) = self.longest.take() {
            let it = self.told.chains.entry(before).or_default();
            it.times += 1;
            it.total += time - since;
        }
        self.longest = chain.map(|chain| (chain, time));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The thread runs from then on; the other one, which ran, is ready.
    fn switch(time: u64, from: ThreadIndex, thread: ThreadIndex) -> Event {
        Event {
            time,
            thread,
            priority: 1,
            what: What::Switch {
                from,
                state: State::Ready,
            },
        }
    }

    #[test]
    fn a_thread_that_was_ready_is_stopped_from_the_event_that_says_so_until_it_runs_again() {
        let stop = Event {
            what: What::Stop { by: 1 },
            thread: 0,
            ..switch(30, 0, 0)
        };
        let events = [switch(10, 1, 0), switch(20, 0, 1), stop, switch(90, 1, 0)];
        let told = timeline(&events, &[]);
        let own = told.spans.iter().filter(|it| it.thread == 0);
        let own: Vec<_> = own.map(|it| (it.doing, it.from, it.to)).collect();
        let waiting = |state| Doing::Waiting(state, None);
        let due = [
            (Doing::Running, 10, 20),
            (waiting(State::Ready), 20, 30),
            (waiting(State::Stopped), 30, 90),
        ];
        assert_eq!(own[..3], due);
    }

    #[test]
    fn nobody_is_said_to_do_anything_where_events_are_missing() {
        let events = [switch(10, 1, 0), switch(20, 0, 1), switch(1000, 1, 0)];
        let told = timeline(&events, &[2]);
        let ran = |thread| {
            let spans = told.spans.iter();
            let spans = spans.filter(|it| it.thread == thread && it.doing == Doing::Running);
            spans.map(|it| it.to - it.from).sum::<u64>()
        };
        assert_eq!((ran(0), ran(1)), (10, 0));
        let across = told.spans.iter().find(|it| it.from < 1000 && it.to > 20);
        assert_eq!(across, None);
        assert_eq!((told.range, told.unknown), ((10, 1000), 980));
    }
}
