//! The simulators' own tests: `sim/test`, promise by promise.

use std::collections::BTreeSet;
use std::process::{Command, Output};
use std::thread::JoinHandle;

use miette::{IntoDiagnostic, WrapErr};

use super::{Depth, Tally};
use crate::child;
use crate::lab::Lab;
use crate::progress::Step;

/// How the line of a promise begins.
const KEPT: &str = "ok ";
const BROKEN: &str = "FAILED ";

/// The tests, under way.
pub struct Running(Option<JoinHandle<std::io::Result<Output>>>);

/// Begins to build the simulators of the boards that there are, and to test them if that is `wanted`, while the
/// caller does something else.
#[must_use]
pub fn begin(lab: &Lab, depth: Depth, wanted: bool) -> Running {
    let cores: BTreeSet<&str> = lab
        .boards
        .iter()
        .filter_map(|board| Some(board.simulator()?.core.name()))
        .collect();
    if !wanted || depth == Depth::Quick || cores.is_empty() {
        return Running(None);
    }
    let mut command = Command::new(lab.root.join("sim/test"));
    command
        .args(cores)
        .env("CARGO_TARGET_DIR", lab.root.join("target"));
    Running(Some(std::thread::spawn(move || {
        child::output(&mut command)
    })))
}

impl Running {
    /// Waits for the tests, and counts them.
    ///
    /// # Errors
    /// If they do not even run.
    pub fn finish(&mut self, tally: &mut Tally) -> miette::Result<()> {
        let Some(running) = self.0.take() else {
            return Ok(());
        };
        let output = {
            let _step = Step::begin("building and testing the simulators");
            running.join().expect("the thread only runs a command")
        };
        let output = output.into_diagnostic().wrap_err("sim/test does not run")?;
        let text = String::from_utf8_lossy(&output.stdout);
        let promises = count(&text, tally);
        if !output.status.success() && promises.broken == 0 || promises.kept == 0 {
            let errors = String::from_utf8_lossy(&output.stderr);
            tally.count("simulators", Err(format!("{text}{errors}")));
        }
        Ok(())
    }
}

struct Promises {
    kept: usize,
    broken: usize,
}

/// Counts every promise; what is said below a broken one is why.
fn count(text: &str, tally: &mut Tally) -> Promises {
    let mut promises = Promises { kept: 0, broken: 0 };
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let name = |rest: &str| {
            let words: Vec<&str> = rest.split_whitespace().collect();
            format!("simulator {}", words.join(" "))
        };
        if let Some(rest) = line.strip_prefix(KEPT) {
            promises.kept += 1;
            tally.count(&name(rest), Ok(()));
        } else if let Some(rest) = line.strip_prefix(BROKEN) {
            promises.broken += 1;
            let mut why = String::new();
            while let Some(more) = lines.next_if(|line| line.starts_with(' ')) {
                why.push_str(more.trim_start());
                why.push('\n');
            }
            tally.count(&name(rest), Err(why));
        }
    }
    promises
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_promise_counts_once() {
        let text = "ok      ibex      one holds\nFAILED  ibex      one does not\n        why\n\
                    1 passed, 1 failed\n";
        let mut tally = Tally::default();
        let promises = count(text, &mut tally);
        assert_eq!((promises.kept, promises.broken), (1, 1));
        assert_eq!(tally.to_string(), "1 passed, 1 failed");
    }
}
