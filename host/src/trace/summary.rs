//! What a trace comes to: who used the processor, how long messages took, who waited for whom.

mod text;

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde::Serialize;

use super::event::{Event, State, What};
use super::names::Names;
use super::perfetto::whom_name;
use super::timeline::{Doing, Message, Outcome, Timeline};
use super::words;
use crate::machine::ring;

pub use text::time;

/// What a trace shows. Times are nanoseconds of the board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Summary {
    application: String,
    board: String,
    events: usize,
    /// From the first event to the last.
    time: u64,
    /// How much of that lies where events are missing.
    unknown: u64,
    /// Where events are missing.
    gaps: Vec<Gap>,
    /// Events that belong to no message, though none is missing.
    strays: usize,
    threads: Vec<Use>,
    channels: Vec<Messages>,
    /// By the time in all, the longest first.
    waits: Vec<Wait>,
    /// The longest first.
    chains: Vec<Chain>,
    /// Interrupts, times, faults and signals, each as often as it came.
    others: BTreeMap<String, usize>,
}

/// Events that are missing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Gap {
    events: u32,
    /// Whether the board was reset there: then more are missing, and nobody knows how many.
    reset: bool,
    /// When the last one before them came, if there is one, and
    after: Option<u64>,
    /// the next one.
    before: Option<u64>,
}

/// A thread's use of the processor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Use {
    thread: String,
    running: u64,
    /// Of all but the idle one.
    ready: Option<u64>,
    turns: usize,
}

/// The messages of a channel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Messages {
    channel: String,
    sent: usize,
    answered: usize,
    ended: usize,
    /// Those of which the trace does not show the end.
    open: usize,
    until_received: Option<Spread>,
    until_answered: Option<Spread>,
    /// How many were answered within how long.
    histogram: Vec<Step>,
}

/// The least, the middle and the largest of some times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
struct Spread {
    least: u64,
    median: u64,
    most: u64,
}

/// Messages that were answered in less than a time, and no less than half of that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
struct Step {
    below: u64,
    count: usize,
}

/// What a thread waited for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Wait {
    thread: String,
    was: &'static str,
    on: String,
    times: u64,
    total: u64,
    most: u64,
}

/// Threads that waited for each other, one for the next.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Chain {
    threads: Vec<String>,
    times: u64,
    total: u64,
}

impl Summary {
    /// That of a trace. Where there are gaps, events are missing.
    #[must_use]
    pub fn of(names: &Names, events: &[Event], timeline: &Timeline, gaps: &[ring::Gap]) -> Summary {
        let (from, to) = timeline.range;
        Summary {
            application: names.application.clone(),
            board: names.board.clone(),
            events: events.len(),
            time: to - from,
            unknown: timeline.unknown,
            gaps: gaps.iter().map(|gap| missing(events, gap)).collect(),
            strays: timeline.strays.len(),
            threads: utilisation(names, events, timeline),
            channels: messages(names, timeline),
            waits: waits(names, timeline),
            chains: chains(names, timeline),
            others: others(names, events),
        }
    }
}

fn missing(events: &[Event], gap: &ring::Gap) -> Gap {
    let time = |index: usize| events.get(index).map(|event| event.time);
    Gap {
        events: gap.missing,
        reset: gap.reset,
        after: gap.before.checked_sub(1).and_then(time),
        before: time(gap.before),
    }
}

fn utilisation(names: &Names, events: &[Event], timeline: &Timeline) -> Vec<Use> {
    let all = (0..names.threads.len()).map(|thread| {
        let of = |doing| {
            let spans = timeline.spans.iter();
            let spans = spans.filter(|span| span.thread == thread && span.doing == doing);
            spans.map(|span| span.to - span.from).sum::<u64>()
        };
        let turns = events.iter();
        let turns = turns
            .filter(|it| it.thread == thread && matches!(it.what, What::Switch { .. }))
            .count();
        let is_idle = thread == names.idle();
        Use {
            thread: names.thread(thread),
            running: of(Doing::Running),
            ready: (!is_idle).then(|| of(Doing::Waiting(State::Ready, None))),
            turns,
        }
    });
    all.filter(|it| it.turns > 0 || it.running > 0).collect()
}

/// The times of the messages of a channel.
#[derive(Default)]
struct Times {
    waited: Vec<u64>,
    answered: Vec<u64>,
    ended: usize,
    unknown: usize,
}

fn times(timeline: &Timeline) -> BTreeMap<usize, Times> {
    let mut all: BTreeMap<usize, Times> = BTreeMap::new();
    for message in &timeline.messages {
        let Message { sent, received, .. } = *message;
        let it = all.entry(message.channel).or_default();
        it.waited.extend(received.map(|(_, at)| at - sent));
        match message.outcome {
            Outcome::Replied(at) => it.answered.push(at - sent),
            Outcome::Ended(_) => it.ended += 1,
            Outcome::Unknown => it.unknown += 1,
        }
    }
    for it in all.values_mut() {
        it.waited.sort_unstable();
        it.answered.sort_unstable();
    }
    all
}

/// Of sorted times.
fn spread(times: &[u64]) -> Option<Spread> {
    Some(Spread {
        least: *times.first()?,
        median: times[times.len() / 2],
        most: *times.last()?,
    })
}

fn messages(names: &Names, timeline: &Timeline) -> Vec<Messages> {
    let all = times(timeline).into_iter().map(|(channel, it)| Messages {
        channel: names.channel(channel),
        sent: it.answered.len() + it.ended + it.unknown,
        answered: it.answered.len(),
        ended: it.ended,
        open: it.unknown,
        until_received: spread(&it.waited),
        until_answered: spread(&it.answered),
        histogram: histogram(&it.answered),
    });
    all.collect()
}

fn histogram(times: &[u64]) -> Vec<Step> {
    let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
    for time in times {
        *counts.entry(time.checked_ilog2().unwrap_or(0)).or_default() += 1;
    }
    let steps = counts.into_iter().map(|(power, count)| Step {
        below: 2_u64.saturating_pow(power + 1),
        count,
    });
    steps.collect()
}

fn waits(names: &Names, timeline: &Timeline) -> Vec<Wait> {
    let mut all = BTreeMap::new();
    for span in &timeline.spans {
        if let Doing::Waiting(state, Some(whom)) = span.doing {
            let (times, total, most) = all.entry((span.thread, state, whom)).or_insert((0, 0, 0));
            let length = span.to - span.from;
            *times += 1;
            *total += length;
            *most = length.max(*most);
        }
    }
    let mut all: Vec<_> = all.into_iter().collect();
    all.sort_by_key(|(key, (_, total, _))| (Reverse(*total), *key));
    let all = all
        .into_iter()
        .map(|((thread, state, whom), (times, total, most))| Wait {
            thread: names.thread(thread),
            was: state.name(),
            on: whom_name(names, whom),
            times,
            total,
            most,
        });
    all.collect()
}

fn chains(names: &Names, timeline: &Timeline) -> Vec<Chain> {
    let mut all: Vec<_> = timeline.chains.iter().collect();
    all.sort_by_key(|(chain, it)| Reverse((chain.len(), it.total, it.times)));
    let all = all.into_iter().map(|(chain, it)| Chain {
        threads: chain.iter().map(|thread| names.thread(*thread)).collect(),
        times: it.times,
        total: it.total,
    });
    all.collect()
}

fn others(names: &Names, events: &[Event]) -> BTreeMap<String, usize> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for event in events {
        let counted = matches!(
            event.what,
            What::Interrupt(_)
                | What::Deadline(_)
                | What::Fault { .. }
                | What::Signal { .. }
                | What::Trigger { .. }
                | What::Notify { .. }
        );
        if counted {
            let (name, _) = words::of(names, event.what);
            *counts.entry(name).or_default() += 1;
        }
    }
    counts
}
