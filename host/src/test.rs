//! `./riposte test`: every test there is, on the host and on the boards.

mod boards;
mod bounds;
mod determinism;
mod fuzz;
mod host;
mod languages;
mod pin;
mod simulators;
mod soak;
mod tally;
mod times;

use std::cell::RefCell;
use std::path::Path;

use serde::Serialize;

use crate::bench;
use crate::checks;
use crate::cli::{self, Stage};
use crate::explain;
use crate::interrupt;
use crate::json;
use crate::lab::Lab;
use crate::progress;
pub use tally::Tally;
use times::{Begun, Times};

/// How much is tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Depth {
    /// A minute or two.
    Quick,
    /// What every change must pass.
    Normal,
    /// Everything.
    Full,
}

impl Depth {
    fn name(self) -> &'static str {
        match self {
            Depth::Quick => "quick",
            Depth::Normal => "normal",
            Depth::Full => "full",
        }
    }
}

impl cli::Test {
    /// Whether a stage is among those that are asked for.
    fn runs(&self, stage: Stage) -> bool {
        if self.stages.is_empty() {
            // It is five hundred crates more.
            return self.full || stage != Stage::Gateway;
        }
        self.stages.contains(&stage)
    }
}

/// One kind of tests. What keeps it from running at all counts as a failure.
type Run<'a> = dyn FnMut(&mut Tally) -> miette::Result<()> + 'a;

/// What the tests came to, as data.
#[derive(Serialize)]
struct Report<'a> {
    #[serde(flatten)]
    tally: &'a Tally,
    /// What each stage took.
    stages: &'a Times,
}

/// Runs the tests; the result is the exit code. The last line says how many passed and failed.
///
/// # Errors
/// If the verdicts cannot be printed.
pub fn test(lab: &Lab, asked: &cli::Test) -> miette::Result<i32> {
    if asked.json {
        progress::speak_aside();
    }
    let depth = match asked {
        cli::Test { quick: true, .. } => Depth::Quick,
        cli::Test { full: true, .. } => Depth::Full,
        _ => Depth::Normal,
    };
    let commit = bench::commit(&lab.root);
    let mut tally = Tally::default();
    let mut times = Times::default();
    // What one stage measures, the next one does not measure again.
    let measured = RefCell::default();
    // These are counted later. Of what each stage does, one core can do much only by itself.
    let mut simulators = simulators::begin(lab, depth, asked.runs(Stage::Simulators));
    let mut hosts = host::begin(lab, depth, asked.runs(Stage::Host));
    // Begins when all programs are built, which it would wait for, and they for it.
    let lints = RefCell::default();
    let stages: [(Stage, &str, &mut Run<'_>); 13] = [
        (Stage::Format, "format", &mut |tally| {
            host::format(lab, tally)
        }),
        (Stage::Boards, "board tests", &mut |tally| {
            boards::applications(lab, depth, tally)?;
            let begun = asked.runs(Stage::Lints);
            lints.replace(begun.then(|| host::begin_lints(lab, depth)));
            Ok(())
        }),
        (Stage::Fuzzer, "fuzzer", &mut |tally| {
            fuzz::calls(lab, depth, tally)
        }),
        (Stage::Bounds, "bounds", &mut |tally| {
            bounds::hold(lab, depth, tally)
        }),
        (Stage::Faults, "fault reports", &mut |tally| {
            boards::fault_reports(lab, tally)
        }),
        (Stage::Determinism, "determinism", &mut |tally| {
            measured.replace(determinism::suites(lab, depth, tally)?);
            Ok(())
        }),
        (Stage::Soak, "soak", &mut |tally| {
            soak::seeds(lab, depth, tally)
        }),
        (Stage::Pin, "pin and counter", &mut |tally| {
            pin::agrees(lab, depth, &measured.borrow(), tally)
        }),
        (Stage::New, "new application", &mut |tally| {
            boards::new_application(lab, tally);
            Ok(())
        }),
        (Stage::Gateway, "gateway", &mut |tally| {
            host::gateway(lab, tally)
        }),
        (Stage::Host, "host tests", &mut |tally| hosts.finish(tally)),
        (Stage::Simulators, "simulators", &mut |tally| {
            simulators.finish(tally)
        }),
        (Stage::Lints, "lints", &mut |tally| {
            let begun = lints.take();
            let begun = begun.unwrap_or_else(|| host::begin_lints(lab, depth));
            begun.finish(tally)
        }),
    ];
    let asked_for = stages.into_iter().filter(|(stage, ..)| asked.runs(*stage));
    for (_, name, run) in asked_for {
        let begun = Begun::now();
        tally.begin(name);
        if let Err(report) = run(&mut tally) {
            tally.count(name, Err(explain::text(&report)));
        }
        times.ended(name, &begun);
        if interrupt::asked() {
            return Ok(interrupt::EXIT_CODE);
        }
    }
    // The tests have their verdict whether it is kept or not.
    if let Err(why) = keep(&lab.root, &commit, &tally, depth) {
        progress::complain(&format!("what was counted is not kept for the page: {why}"));
    }
    tally.show_failures();
    progress::say(&format!("\n{times}"));
    progress::say(&tally.to_string());
    if asked.json {
        let (tally, stages) = (&tally, &times);
        json::print(&Report { tally, stages })?;
    }
    Ok(i32::from(!tally.is_clean()))
}

/// Keeps what was counted, for the page that shows figures of `commit`: the commit that was checked out when the tests
/// began. If another one is now, some tests were of the one, and some of the other.
fn keep(root: &Path, commit: &str, tally: &Tally, depth: Depth) -> Result<(), String> {
    if bench::commit(root) != commit {
        return Err("the checkout is another one than when the tests began".to_owned());
    }
    let stages = tally.stages(commit, &bench::date(), depth.name());
    checks::keep(root, stages).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_counted_is_of_the_commit_at_which_the_tests_began() {
        let folder = tempfile::tempdir().unwrap();
        let git = |arguments: &[&str]| {
            let mut git = std::process::Command::new("git");
            git.args(["-c", "user.name=n", "-c", "user.email=n@n"]);
            let output = git.args(arguments).current_dir(folder.path()).output();
            assert!(output.unwrap().status.success(), "{arguments:?}");
        };
        git(&["init", "--quiet"]);
        git(&["commit", "--quiet", "--allow-empty", "-m", "one"]);
        let begun = bench::commit(folder.path());
        let mut tally = Tally::default();
        tally.begin("format");
        tally.count("a test", Ok(()));
        let keep = || keep(folder.path(), &begun, &tally, Depth::Normal);
        assert_eq!(keep(), Ok(()));
        assert_eq!(checks::of(folder.path())[0].commit, begun);
        git(&["commit", "--quiet", "--allow-empty", "-m", "two"]);
        assert!(keep().is_err_and(|why| why.contains("when the tests began")));
        assert_eq!(checks::of(folder.path())[0].commit, begun);
    }
}
