//! How long each stage takes, by the clock and in time of processors.

use std::fmt;
use std::time::Instant;

use serde::Serialize;

use crate::table::{Align, Table};

/// Ticks of a second in `/proc`, on every Linux.
const TICKS: u64 = 100;
/// Where `/proc/self/stat` has the user and system time of children that have ended, behind the name.
const CHILDREN: [usize; 2] = [13, 14];

/// The times of the stages so far.
#[derive(Default, Serialize)]
pub struct Times(Vec<Time>);

/// What a stage took, in seconds.
#[derive(Serialize)]
struct Time {
    stage: String,
    #[serde(rename = "seconds")]
    clock: u64,
    #[serde(rename = "of_processors")]
    processors: Option<u64>,
}

/// A stage under way.
pub struct Begun {
    when: Instant,
    used: Option<u64>,
}

impl Begun {
    /// A stage begins now.
    #[must_use]
    pub fn now() -> Begun {
        Begun {
            when: Instant::now(),
            used: children(),
        }
    }
}

impl Times {
    /// The stage `name` has ended. What was begun before it and ended in it counts here, too.
    pub fn ended(&mut self, name: &str, begun: &Begun) {
        self.0.push(Time {
            stage: name.into(),
            clock: begun.when.elapsed().as_secs(),
            processors: begun.used.zip(children()).map(|(then, now)| now - then),
        });
    }
}

impl fmt::Display for Times {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let right = Align::Right;
        let columns = [
            ("stage", Align::Left),
            ("seconds", right),
            ("of processors", right),
        ];
        let mut table = Table::new(&columns);
        let mut row = |stage: &str, clock: u64, processors: Option<u64>| {
            let processors = processors.map_or_else(String::new, |seconds| seconds.to_string());
            table.row(vec![stage.into(), clock.to_string(), processors]);
        };
        for time in &self.0 {
            row(&time.stage, time.clock, time.processors);
        }
        if self.0.len() > 1 {
            let clock = self.0.iter().map(|time| time.clock).sum();
            let processors = self.0.iter().map(|time| time.processors).sum();
            row("all", clock, processors);
        }
        table.fmt(f)
    }
}

/// Seconds of processors that all ended children have used, if the system tells.
fn children() -> Option<u64> {
    used(&std::fs::read_to_string("/proc/self/stat").ok()?)
}

fn used(stat: &str) -> Option<u64> {
    // The name may hold anything, but it ends with the last bracket.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let [user, system] = CHILDREN.map(|field| fields.get(field)?.parse::<u64>().ok());
    Some((user? + system?) / TICKS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_children_is_found_behind_any_name() {
        let stat = "7 (a ) b) S 1 7 7 0 -1 4194304 9 99 0 0 3 4 1250 250 20 0 1 0 5";
        assert_eq!(used(stat), Some(15));
        assert_eq!(used("nothing"), None);
    }

    #[test]
    fn the_table_names_each_stage_its_seconds_and_the_sums() {
        let time = |stage: &str, clock, processors| Time {
            stage: stage.into(),
            clock,
            processors: Some(processors),
        };
        let times = Times(vec![time("format", 2, 1), time("board tests", 10, 19)]);
        assert_eq!(
            times.to_string(),
            "stage        seconds  of processors\n\
             -----------  -------  -------------\n\
             format             2              1\n\
             board tests       10             19\n\
             all               12             20\n"
        );
    }

    #[test]
    fn a_stage_that_has_ended_is_in_the_table() {
        let mut times = Times::default();
        times.ended("format", &Begun::now());
        let table = times.to_string();
        assert!(
            table.lines().any(|line| line.starts_with("format ")),
            "{table}"
        );
    }
}
