//! A trace in words: who used the processor, how long messages took, who waited for whom.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::event::{Event, State, What};
use super::names::Names;
use super::perfetto::whom_name;
use super::timeline::{Doing, Message, Outcome, Timeline};
use super::words;
use crate::table::{Align, Table};

/// How many of the longest are named.
const LONGEST: usize = 8;

/// What a trace shows. Before the events at the indices in `gaps` so many are missing.
#[must_use]
pub fn text(names: &Names, events: &[Event], timeline: &Timeline, gaps: &[(usize, u32)]) -> String {
    let (from, to) = timeline.range;
    let mut text = format!(
        "{} on {}: {} events in {} of the board's time\n",
        names.application,
        names.board,
        events.len(),
        time(to - from)
    );
    text += &missing(events, gaps);
    if !timeline.strays.is_empty() {
        let _ = writeln!(
            text,
            "{} events belong to no message",
            timeline.strays.len()
        );
    }
    for part in [
        utilisation(names, events, timeline),
        messages(names, timeline),
        histograms(names, timeline),
        waits(names, timeline),
        chains(names, timeline),
        others(names, events),
    ] {
        if !part.is_empty() {
            text += "\n";
            text += &part;
        }
    }
    text
}

/// How many events are missing, and where.
fn missing(events: &[Event], gaps: &[(usize, u32)]) -> String {
    let mut text = String::new();
    for (before, missing) in gaps {
        let last = before.checked_sub(1).and_then(|index| events.get(index));
        let last = last.map_or("the start".to_owned(), |event| time(event.time));
        let next = events.get(*before);
        let next = next.map_or("the end".to_owned(), |event| time(event.time));
        let _ = writeln!(
            text,
            "{missing} events are missing between {last} and {next}"
        );
    }
    text
}

/// A time, with three digits that count.
#[must_use]
pub fn time(nanoseconds: u64) -> String {
    let (unit, divisor) = match nanoseconds {
        0..10_000 => return format!("{nanoseconds} ns"),
        10_000..10_000_000 => ("µs", 1e3),
        10_000_000..10_000_000_000 => ("ms", 1e6),
        _ => ("s", 1e9),
    };
    format!("{:.1} {unit}", nanoseconds as f64 / divisor)
}

fn utilisation(names: &Names, events: &[Event], timeline: &Timeline) -> String {
    let whole = (timeline.range.1 - timeline.range.0).max(1);
    let mut table = Table::new(&[
        ("thread", Align::Left),
        ("running", Align::Right),
        ("%", Align::Right),
        ("ready", Align::Right),
        ("turns", Align::Right),
    ]);
    for thread in 0..names.threads.len() {
        let of = |doing| {
            let spans = timeline.spans.iter();
            let spans = spans.filter(|span| span.thread == thread && span.doing == doing);
            spans.map(|span| span.to - span.from).sum::<u64>()
        };
        let turns = events.iter();
        let turns = turns
            .filter(|it| it.thread == thread && matches!(it.what, What::Switch { .. }))
            .count();
        let running = of(Doing::Running);
        if turns == 0 && running == 0 {
            continue;
        }
        let ready = if thread == names.idle() {
            String::new()
        } else {
            time(of(Doing::Waiting(State::Ready, None)))
        };
        table.row(vec![
            names.thread(thread),
            time(running),
            format!("{:.1}", running as f64 * 100.0 / whole as f64),
            ready,
            turns.to_string(),
        ]);
    }
    format!("use of the processor\n{table}")
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

/// The least, the middle and the largest one of sorted times.
fn spread(times: &[u64]) -> String {
    match times {
        [] => "-".into(),
        times => {
            let parts = [times[0], times[times.len() / 2], times[times.len() - 1]];
            parts.map(time).join(" / ")
        }
    }
}

fn messages(names: &Names, timeline: &Timeline) -> String {
    let all = times(timeline);
    if all.is_empty() {
        return String::new();
    }
    let mut table = Table::new(&[
        ("channel", Align::Left),
        ("sent", Align::Right),
        ("answered", Align::Right),
        ("ended", Align::Right),
        ("open", Align::Right),
        ("until received", Align::Right),
        ("until answered", Align::Right),
    ]);
    for (channel, it) in &all {
        let sent = it.answered.len() + it.ended + it.unknown;
        table.row(vec![
            names.channel(*channel),
            sent.to_string(),
            it.answered.len().to_string(),
            it.ended.to_string(),
            it.unknown.to_string(),
            spread(&it.waited),
            spread(&it.answered),
        ]);
    }
    format!("messages (times: least / median / most)\n{table}")
}

/// How many of the messages of each channel were answered after how long.
fn histograms(names: &Names, timeline: &Timeline) -> String {
    const WIDTH: usize = 40;
    let mut text = String::new();
    for (channel, it) in &times(timeline) {
        if it.answered.is_empty() {
            continue;
        }
        let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
        for time in &it.answered {
            *counts.entry(time.checked_ilog2().unwrap_or(0)).or_default() += 1;
        }
        let most = counts.values().copied().max().unwrap_or(1);
        let _ = writeln!(text, "until answered at {}", names.channel(*channel));
        for (power, count) in counts {
            let bar = "#".repeat((count * WIDTH).div_ceil(most));
            let below = time(2_u64.saturating_pow(power + 1));
            let _ = writeln!(text, "  below {below:>9} {count:>7} {bar}");
        }
    }
    text
}

fn waits(names: &Names, timeline: &Timeline) -> String {
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
    if all.is_empty() {
        return String::new();
    }
    let mut all: Vec<_> = all.into_iter().collect();
    all.sort_by_key(|(key, (_, total, _))| (std::cmp::Reverse(*total), *key));
    let mut table = Table::new(&[
        ("thread", Align::Left),
        ("was", Align::Left),
        ("on", Align::Left),
        ("times", Align::Right),
        ("in all", Align::Right),
        ("at most", Align::Right),
    ]);
    for ((thread, state, whom), (times, total, most)) in all {
        table.row(vec![
            names.thread(thread),
            state.name().into(),
            whom_name(names, whom),
            times.to_string(),
            time(total),
            time(most),
        ]);
    }
    format!("who waited for whom\n{table}")
}

fn chains(names: &Names, timeline: &Timeline) -> String {
    let mut all: Vec<_> = timeline.chains.iter().collect();
    if all.is_empty() {
        return String::new();
    }
    all.sort_by_key(|(chain, it)| std::cmp::Reverse((chain.len(), it.total, it.times)));
    let mut text = "the longest chains of threads that waited for each other\n".to_owned();
    for (chain, it) in all.into_iter().take(LONGEST) {
        let threads: Vec<_> = chain.iter().map(|thread| names.thread(*thread)).collect();
        let (times, total) = (it.times, time(it.total));
        let _ = writeln!(text, "  {}: {times} times, {total}", threads.join(" > "));
    }
    text
}

/// Interrupts, times, faults and signals, each as often as it came.
fn others(names: &Names, events: &[Event]) -> String {
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
    if counts.is_empty() {
        return String::new();
    }
    let mut text = "what came\n".to_owned();
    for (name, count) in counts {
        let _ = writeln!(text, "  {count:>7} {name}");
    }
    text
}
