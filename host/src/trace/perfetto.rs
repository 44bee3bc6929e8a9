//! A trace as Perfetto opens it: JSON in the trace event format.
//!
//! Each process of the system is one, with a track a thread: what it runs and waits for as slices, and what happens to
//! it as slices without length. Arrows lead from where a message is sent to where it is received, and from the reply to
//! what its client does next. Each thread's effective priority is a counter.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::event::{Due, Event, State, ThreadIndex, What};
use super::names::Names;
use super::timeline::{Doing, Span, Timeline, Whom};
use super::words;
use crate::machine::ring::Gap;

/// What the arrows of messages and of replies are called.
const MESSAGE: &str = "message";
const REPLY: &str = "reply";

/// Microseconds, as the format has it. A reader that multiplies them by a thousand and cuts off what is behind the point
/// gets the nanoseconds: one less, and a slice would end after the next one has begun, which Perfetto leaves out then.
fn micros(nanoseconds: u64) -> Value {
    let micros = nanoseconds as f64 / 1000.0;
    let is_cut = ((micros * 1000.0) as u64) < nanoseconds;
    json!(if is_cut { micros.next_up() } else { micros })
}

/// Writes a trace. Where there are gaps, events are missing.
///
/// # Errors
/// What `to` says.
pub fn write(
    to: &mut impl Write,
    names: &Names,
    events: &[Event],
    timeline: &Timeline,
    gaps: &[Gap],
) -> io::Result<()> {
    let mut lines = Lines { to, begun: false };
    lines
        .to
        .write_all(b"{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n")?;
    lines.names(names)?;
    let mut spans: Vec<&Span> = timeline.spans.iter().collect();
    spans.sort_by_key(|span| span.from);
    let mut spans = spans.into_iter().peekable();
    let flows = Flows::of(timeline, events.len());
    let mut priorities = vec![None; names.threads.len()];
    let mut gaps = gaps.iter().peekable();
    for (index, event) in events.iter().enumerate() {
        // What lasts comes before what happens in it.
        while let Some(span) = spans.next_if(|span| span.from <= event.time) {
            lines.span(names, span)?;
        }
        while let Some(gap) = gaps.next_if(|gap| gap.before <= index) {
            lines.gap(gap, event.time)?;
        }
        lines.event(names, event)?;
        flows.write(&mut lines, names, index, event)?;
        if let Some(known) = priorities.get_mut(event.thread)
            && *known != Some(event.priority)
        {
            *known = Some(event.priority);
            lines.priority(names, event)?;
        }
    }
    for span in spans {
        lines.span(names, span)?;
    }
    for gap in gaps {
        lines.gap(gap, timeline.range.1)?;
    }
    lines.to.write_all(b"\n]}\n")
}

/// The arrows: which begin and end where. Each message has two, with two numbers: the one to its receiver, and the one
/// back to its client.
struct Flows {
    /// Of each event, the arrows that begin or end there.
    at: Vec<Vec<Arrow>>,
}

/// One end of an arrow.
struct Arrow {
    name: &'static str,
    number: usize,
    end: ArrowEnd,
}

enum ArrowEnd {
    /// It begins at the event.
    Begin,
    /// It ends at the event.
    Here,
    /// It ends at what this thread does next.
    Next(ThreadIndex),
}

impl Flows {
    fn of(timeline: &Timeline, events: usize) -> Flows {
        let mut at: Vec<Vec<Arrow>> = Vec::new();
        at.resize_with(events, Vec::new);
        for (index, message) in timeline.messages.iter().enumerate() {
            let mut put = |event: usize, name, number, end| {
                at[event].push(Arrow { name, number, end });
            };
            let (there, back) = (2 * index + 1, 2 * index + 2);
            if let [Some(sent), Some(received), _] = message.events {
                put(sent, MESSAGE, there, ArrowEnd::Begin);
                put(received, MESSAGE, there, ArrowEnd::Here);
            }
            if let Some(answered) = message.events[2] {
                put(answered, REPLY, back, ArrowEnd::Begin);
                put(answered, REPLY, back, ArrowEnd::Next(message.client));
            }
        }
        Flows { at }
    }

    fn write(
        &self,
        lines: &mut Lines<'_, impl Write>,
        names: &Names,
        index: usize,
        event: &Event,
    ) -> io::Result<()> {
        for Arrow { name, number, end } in &self.at[index] {
            let (phase, thread) = match end {
                ArrowEnd::Begin => ("s", event.thread),
                ArrowEnd::Here => ("f", event.thread),
                ArrowEnd::Next(thread) => ("f", *thread),
            };
            let mut arrow = json!({"name": name, "cat": name, "ph": phase, "id": number});
            if let ArrowEnd::Here = end {
                // At the slice around it: else it is the next one.
                arrow["bp"] = "e".into();
            }
            lines.at(names, thread, event.time, arrow)?;
        }
        Ok(())
    }
}

struct Lines<'a, W> {
    to: &'a mut W,
    begun: bool,
}

impl<W: Write> Lines<'_, W> {
    fn put(&mut self, value: &Value) -> io::Result<()> {
        if std::mem::replace(&mut self.begun, true) {
            self.to.write_all(b",\n")?;
        }
        serde_json::to_writer(&mut self.to, value).map_err(io::Error::from)
    }

    /// What is missing before this time, of whatever thread.
    fn gap(&mut self, gap: &Gap, time: u64) -> io::Result<()> {
        let missing = (gap.missing > 0).then(|| format!("{} events missing", gap.missing));
        let reset = gap.reset.then(|| "the board was reset".to_owned());
        for name in reset.into_iter().chain(missing) {
            self.put(
                &json!({"name": name, "ph": "i", "s": "g", "ts": micros(time), "pid": 0, "tid": 0}),
            )?;
        }
        Ok(())
    }

    /// An object of a thread at a time.
    fn at(&mut self, names: &Names, thread: usize, time: u64, mut value: Value) -> io::Result<()> {
        let process = names.threads.get(thread).map_or(0, |it| it.process + 1);
        value["pid"] = process.into();
        value["tid"] = (thread + 1).into();
        value["ts"] = micros(time);
        self.put(&value)
    }

    fn names(&mut self, names: &Names) -> io::Result<()> {
        for (index, process) in names.processes.iter().enumerate() {
            self.put(&json!({"name": "process_name", "ph": "M", "pid": index + 1,
                "args": {"name": process}}))?;
            self.put(
                &json!({"name": "process_sort_index", "ph": "M", "pid": index + 1,
                "args": {"sort_index": index}}),
            )?;
        }
        for (index, thread) in names.threads.iter().enumerate() {
            self.put(
                &json!({"name": "thread_name", "ph": "M", "pid": thread.process + 1,
                "tid": index + 1, "args": {"name": names.thread(index)}}),
            )?;
        }
        Ok(())
    }

    fn span(&mut self, names: &Names, span: &Span) -> io::Result<()> {
        let (name, category) = match span.doing {
            Doing::Running => ("running".to_owned(), "running"),
            Doing::Waiting(state, None) => (state.name().to_owned(), "waiting"),
            Doing::Waiting(state, Some(whom)) => (
                format!("{} on {}", state.name(), whom_name(names, whom)),
                "waiting",
            ),
        };
        // An idle thread that waits says nothing.
        if span.thread == names.idle() && span.doing == Doing::Waiting(State::Ready, None) {
            return Ok(());
        }
        let slice =
            json!({"name": name, "cat": category, "ph": "X", "dur": micros(span.to - span.from)});
        self.at(names, span.thread, span.from, slice)
    }

    fn event(&mut self, names: &Names, event: &Event) -> io::Result<()> {
        let (name, args) = match event.what {
            // What runs is a slice.
            What::Switch { .. } => return Ok(()),
            what => words::of(names, what),
        };
        let category = match event.what {
            What::Deadline(Due::Thread(_) | Due::Timer(..) | Due::Interrupt(_)) => "deadline",
            What::Interrupt(_) => "interrupt",
            What::Fault { .. } => "fault",
            _ => "event",
        };
        let slice = json!({"name": name, "cat": category, "ph": "X", "dur": 0, "args": args});
        self.at(names, event.thread, event.time, slice)
    }

    fn priority(&mut self, names: &Names, event: &Event) -> io::Result<()> {
        let name = format!("priority of {}", names.thread(event.thread));
        let counter = json!({"name": name, "ph": "C", "args": {"priority": event.priority}});
        self.at(names, event.thread, event.time, counter)
    }
}

/// A thread or a channel.
#[must_use]
pub fn whom_name(names: &Names, whom: Whom) -> String {
    match whom {
        Whom::Thread(thread) => names.thread(thread),
        Whom::Channel(channel) => format!("channel {}", names.channel(channel)),
    }
}
