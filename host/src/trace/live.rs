//! Events while they come, a line each.

use super::ctf;
use super::event::Event;
use super::names::Names;
use crate::machine::ring::{Gap, Raw};

/// What is shown of events before which there are gaps.
pub fn text(names: &Names, events: &[Raw], gaps: &[Gap]) -> String {
    let missing: u32 = gaps.iter().map(|gap| gap.missing).sum();
    let mut text = String::new();
    if gaps.iter().any(|gap| gap.reset) {
        text += "the board was reset here\n";
    }
    text += &match missing {
        0 => String::new(),
        1 => "an event is missing here\n".into(),
        _ => format!("{missing} events are missing here\n"),
    };
    for raw in events {
        // What is no event is refused when the whole trace is read.
        if let Some(event) = Event::of(raw) {
            text += &line(names, &event);
        }
    }
    text
}

fn line(names: &Names, event: &Event) -> String {
    let (seconds, nanoseconds) = (event.time / 1_000_000_000, event.time % 1_000_000_000);
    let thread = names.thread(event.thread);
    format!(
        "{seconds:4}.{nanoseconds:09} {:2} {thread:<16} {}\n",
        event.priority,
        ctf::line(names, event)
    )
}
