//! `./riposte test`: every test there is, on the host and on the boards.

mod boards;
mod determinism;
mod fuzz;
mod host;
mod languages;
mod pin;
mod simulators;
mod tally;
mod times;

use std::cell::RefCell;

use crate::cli;
use crate::explain;
use crate::interrupt;
use crate::lab::Lab;
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

/// One kind of tests. What keeps it from running at all counts as a failure.
type Stage<'a> = dyn FnMut(&mut Tally) -> miette::Result<()> + 'a;

/// Runs the tests; the result is the exit code. The last line says how many passed and failed.
pub fn test(lab: &Lab, asked: &cli::Test) -> i32 {
    let depth = match asked {
        cli::Test { quick: true, .. } => Depth::Quick,
        cli::Test { full: true, .. } => Depth::Full,
        _ => Depth::Normal,
    };
    let mut tally = Tally::default();
    let mut times = Times::default();
    // What one stage measures, the next one does not measure again.
    let measured = RefCell::default();
    // Meanwhile cargo has much to do that one core can do only.
    let mut simulators = simulators::begin(lab, depth);
    let stages: [(&str, &mut Stage<'_>); 10] = [
        ("format", &mut |tally| host::format(lab, tally)),
        ("host tests", &mut |tally| host::tests(lab, depth, tally)),
        ("simulators", &mut |tally| simulators.finish(tally)),
        ("board tests", &mut |tally| {
            boards::applications(lab, depth, tally)
        }),
        ("fuzzer", &mut |tally| fuzz::calls(lab, depth, tally)),
        ("fault reports", &mut |tally| {
            boards::fault_reports(lab, tally)
        }),
        ("lints", &mut |tally| host::lints(lab, depth, tally)),
        ("determinism", &mut |tally| {
            measured.replace(determinism::suites(lab, depth, tally)?);
            Ok(())
        }),
        ("pin and counter", &mut |tally| {
            pin::agrees(lab, depth, &measured.borrow(), tally)
        }),
        ("new application", &mut |tally| {
            boards::new_application(lab, tally);
            Ok(())
        }),
    ];
    for (name, stage) in stages {
        let begun = Begun::now();
        if let Err(report) = stage(&mut tally) {
            tally.count(name, Err(explain::text(&report)));
        }
        times.ended(name, &begun);
        if interrupt::asked() {
            return interrupt::EXIT_CODE;
        }
    }
    tally.show_failures();
    println!("\n{times}");
    println!("{tally}");
    i32::from(!tally.is_clean())
}
