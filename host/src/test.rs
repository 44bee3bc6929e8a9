//! `./riposte test`: every test there is, on the host and on the boards.

mod boards;
mod determinism;
mod host;
mod tally;

use crate::cli;
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

/// Runs the tests; the result is the exit code. The last line says how many passed and failed.
///
/// # Errors
/// If a tool is missing.
pub fn test(lab: &Lab, asked: &cli::Test) -> miette::Result<i32> {
    let depth = match asked {
        cli::Test { quick: true, .. } => Depth::Quick,
        cli::Test { full: true, .. } => Depth::Full,
        _ => Depth::Normal,
    };
    let mut tally = Tally::default();
    host::format(lab, &mut tally)?;
    host::tests(lab, depth, &mut tally)?;
    boards::applications(lab, depth, &mut tally)?;
    boards::fault_reports(lab, &mut tally)?;
    boards::new_application(lab, &mut tally);
    host::lints(lab, depth, &mut tally)?;
    if depth > Depth::Quick {
        determinism::suites(lab, depth, &mut tally)?;
    }
    if interrupt::asked() {
        return Ok(interrupt::EXIT_CODE);
    }
    tally.show_failures();
    println!("\n{tally}");
    Ok(i32::from(!tally.is_clean()))
}
