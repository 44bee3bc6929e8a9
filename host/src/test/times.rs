//! How long each stage takes, by the clock and in time of processors.

use std::fmt;
use std::time::Instant;

/// Ticks of a second in `/proc`, on every Linux.
const TICKS: u64 = 100;
/// Where `/proc/self/stat` has the user and system time of children that have ended, behind the name.
const CHILDREN: [usize; 2] = [13, 14];

/// The times of the stages so far.
#[derive(Default)]
pub struct Times(Vec<String>);

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
        let seconds = begun.when.elapsed().as_secs();
        let used = begun.used.zip(children()).map(|(then, now)| now - then);
        self.0.push(match used {
            Some(used) => format!("{name} {seconds} ({used})"),
            None => format!("{name} {seconds}"),
        });
    }
}

impl fmt::Display for Times {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "seconds (and those of processors): {}",
            self.0.join(", ")
        )
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
    fn the_line_names_each_stage_and_its_seconds() {
        let mut times = Times::default();
        times.ended("format", &Begun::now());
        let line = times.to_string();
        assert!(line.contains("processors): format 0 (0)"), "{line}");
    }
}
