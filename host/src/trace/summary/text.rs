//! The summary of a trace in words.

use std::fmt::{self, Write};

use super::{Spread, Summary};
use crate::table::{Align, Table};

/// How many of the longest are named.
const LONGEST: usize = 8;
/// Letters of the longest bar.
const WIDTH: usize = 40;

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

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (events, whole) = (self.events, time(self.time));
        let (application, board) = (&self.application, &self.board);
        writeln!(
            f,
            "{application} on {board}: {events} events, the last of them {whole} of the board's time after the first"
        )?;
        for gap in &self.gaps {
            let last = gap.after.map_or("the start".to_owned(), time);
            let next = gap.before.map_or("the end".to_owned(), time);
            if gap.reset {
                writeln!(
                    f,
                    "the board was reset after {last}, and its last events may be missing"
                )?;
            }
            let missing = gap.events;
            if missing > 0 {
                writeln!(f, "{missing} events are missing between {last} and {next}")?;
            }
        }
        if self.unknown > 0 {
            let unknown = time(self.unknown);
            writeln!(
                f,
                "{unknown} of that time lie in between, and count towards nobody"
            )?;
        }
        if self.strays > 0 {
            writeln!(f, "{} events belong to no message", self.strays)?;
        }
        for part in [
            self.utilisation(),
            self.messages(),
            self.histograms(),
            self.waited(),
            self.longest(),
            self.came(),
        ] {
            if !part.is_empty() {
                write!(f, "\n{part}")?;
            }
        }
        Ok(())
    }
}

impl Summary {
    fn utilisation(&self) -> String {
        let mut table = Table::new(&[
            ("thread", Align::Left),
            ("running", Align::Right),
            ("%", Align::Right),
            ("ready", Align::Right),
            ("turns", Align::Right),
        ]);
        // Nobody is said to have run where events are missing.
        let known = (self.time - self.unknown).max(1) as f64;
        for it in &self.threads {
            table.row(vec![
                it.thread.clone(),
                time(it.running),
                format!("{:.1}", it.running as f64 * 100.0 / known),
                it.ready.map_or(String::new(), time),
                it.turns.to_string(),
            ]);
        }
        format!("use of the processor\n{table}")
    }

    fn messages(&self) -> String {
        if self.channels.is_empty() {
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
        for it in &self.channels {
            table.row(vec![
                it.channel.clone(),
                it.sent.to_string(),
                it.answered.to_string(),
                it.ended.to_string(),
                it.open.to_string(),
                spread(it.until_received),
                spread(it.until_answered),
            ]);
        }
        format!("messages (times: least / median / most)\n{table}")
    }

    /// How many of the messages of each channel were answered after how long.
    fn histograms(&self) -> String {
        let mut text = String::new();
        for it in &self.channels {
            let Some(most) = it.histogram.iter().map(|step| step.count).max() else {
                continue;
            };
            let _ = writeln!(text, "until answered at {}", it.channel);
            for step in &it.histogram {
                let bar = "#".repeat((step.count * WIDTH).div_ceil(most));
                let (below, count) = (time(step.below), step.count);
                let _ = writeln!(text, "  below {below:>9} {count:>7} {bar}");
            }
        }
        text
    }

    fn waited(&self) -> String {
        if self.waits.is_empty() {
            return String::new();
        }
        let mut table = Table::new(&[
            ("thread", Align::Left),
            ("was", Align::Left),
            ("on", Align::Left),
            ("times", Align::Right),
            ("in all", Align::Right),
            ("at most", Align::Right),
        ]);
        for it in &self.waits {
            table.row(vec![
                it.thread.clone(),
                it.was.into(),
                it.on.clone(),
                it.times.to_string(),
                time(it.total),
                time(it.most),
            ]);
        }
        format!("who waited for whom\n{table}")
    }

    fn longest(&self) -> String {
        if self.chains.is_empty() {
            return String::new();
        }
        let mut text = "the longest chains of threads that waited for each other\n".to_owned();
        for it in self.chains.iter().take(LONGEST) {
            let (times, total) = (it.times, time(it.total));
            let _ = writeln!(text, "  {}: {times} times, {total}", it.threads.join(" > "));
        }
        text
    }

    fn came(&self) -> String {
        if self.others.is_empty() {
            return String::new();
        }
        let mut text = "what came\n".to_owned();
        for (name, count) in &self.others {
            let _ = writeln!(text, "  {count:>7} {name}");
        }
        text
    }
}

fn spread(times: Option<Spread>) -> String {
    times.map_or("-".into(), |it| {
        [it.least, it.median, it.most].map(time).join(" / ")
    })
}
