//! `./riposte test`: every test there is, on the host and on the boards.

mod boards;
mod determinism;
mod host;
mod pin;
mod simulators;
mod tally;

use crate::cli;
use crate::explain;
use crate::interrupt;
use crate::lab::Lab;
pub use tally::Tally;

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
    /// As tests that explore find it in the variable `RIPOSTE_TEST_DEPTH`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Depth::Quick => "quick",
            Depth::Normal => "normal",
            Depth::Full => "full",
        }
    }
}

/// One kind of tests. What keeps it from running at all counts as a failure.
type Stage = fn(&Lab, Depth, &mut Tally) -> miette::Result<()>;

/// Runs the tests; the result is the exit code. The last line says how many passed and failed.
pub fn test(lab: &Lab, asked: &cli::Test) -> i32 {
    let depth = match asked {
        cli::Test { quick: true, .. } => Depth::Quick,
        cli::Test { full: true, .. } => Depth::Full,
        _ => Depth::Normal,
    };
    let mut tally = Tally::default();
    let stages: [(&str, Stage); 8] = [
        ("format", |lab, _, tally| host::format(lab, tally)),
        ("host tests", host::tests),
        ("simulators", simulators::tests),
        ("board tests", boards::applications),
        ("fault reports", |lab, _, tally| {
            boards::fault_reports(lab, tally)
        }),
        ("lints", host::lints),
        ("determinism", determinism::suites),
        ("pin and counter", pin::agrees),
    ];
    for (name, stage) in stages {
        if let Err(report) = stage(lab, depth, &mut tally) {
            tally.count(name, Err(explain::text(&report)));
        }
    }
    boards::new_application(lab, &mut tally);
    if interrupt::asked() {
        return interrupt::EXIT_CODE;
    }
    tally.show_failures();
    println!("\n{tally}");
    i32::from(!tally.is_clean())
}
