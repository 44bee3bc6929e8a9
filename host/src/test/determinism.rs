//! Two runs of the same build agree to the digit; what a suite measures in larger and larger systems does
//! not grow; every figure is as it is kept; and what is measured from C costs what it costs from Rust, also on an emulated board of another
//! architecture.

use std::time::Instant;

use super::{Depth, Tally, languages};
use crate::bench::{self, measure::Measurement};
use crate::board::Board;
use crate::compare::{self, Measured};
use crate::explain;
use crate::lab::Lab;
use crate::progress;
use crate::workers;

/// The suite that is measured on a simulator unless all are: a short one, in which are the counter and the
/// pin.
const SIMULATED: &str = "rexis";

/// Measures every suite twice on the first emulated board, and one on the first simulated board; or all on
/// all. Returns what was measured.
pub fn suites(lab: &Lab, depth: Depth, tally: &mut Tally) -> miette::Result<Vec<Measurement>> {
    if depth == Depth::Quick {
        return Ok(vec![]);
    }
    let mut jobs = vec![];
    let mut compared = vec![];
    for suite in bench::suites(lab)? {
        let boards = bench::boards(lab, &suite)?;
        let mut kinds = vec![];
        for board in boards {
            let kind = board.simulator().is_some();
            let is_elsewhere = kinds.contains(&kind) || kind && suite != SIMULATED;
            if is_elsewhere && depth != Depth::Full {
                continue;
            }
            kinds.push(kind);
            compared.push(board.arch);
            jobs.push((suite.clone(), board, is_elsewhere));
        }
    }
    let (mut here, mut elsewhere) = (Vec::new(), Vec::new());
    let mut failed = false;
    let begun = Instant::now();
    workers::in_order(
        &jobs,
        |(suite, board, _)| twice(lab, suite, board).map_err(|report| explain::text(&report)),
        |(suite, board, is_elsewhere), verdict| {
            let name = format!("suite {suite} on {} twice, the same digits", board.name);
            let figures = verdict.as_ref().map_or(0, Vec::len) as u64;
            let counts = [("figures", figures), ("runs", 2)];
            failed |= verdict.is_err();
            let place = if *is_elsewhere {
                &mut elsewhere
            } else {
                &mut here
            };
            tally.count_of(&name, &counts, verdict.map(|first| place.extend(first)));
        },
    );
    let measuring = begun.elapsed().as_secs_f64();
    let begun = Instant::now();
    let guarded = compare::guard(
        lab,
        Measured {
            figures: &here,
            failed,
        },
    );
    let far = Measured {
        figures: &elsewhere,
        failed,
    };
    let guarded_elsewhere = (depth == Depth::Full).then(|| compare::elsewhere(lab, far));
    progress::say(&format!(
        "        built, and measured twice: {measuring:.0} s; the guard, to compare and to name functions: {:.1} s",
        begun.elapsed().as_secs_f64()
    ));
    let mut measured = here;
    measured.append(&mut elsewhere);
    let mut say = |what, verdict: miette::Result<()>| {
        tally.count(what, verdict.map_err(|report| explain::text(&report)));
    };
    say(
        "every headline is measured by its suite",
        bench::check_headlines(lab, &measured),
    );
    say("every figure is as it is kept", guarded);
    if let Some(guarded) = guarded_elsewhere {
        say("every figure of the other boards is as it is kept", guarded);
    }
    languages::elsewhere(lab, &compared, tally)?;
    Ok(measured)
}

fn twice(lab: &Lab, suite: &str, board: &Board) -> miette::Result<Vec<Measurement>> {
    let [first, second] = bench::measure_twice(lab, suite, board)?;
    for (one, other) in first.iter().zip(&second) {
        if one != other {
            return Err(miette::miette!("first {one:?}, then {other:?}"));
        }
    }
    if first.len() != second.len() {
        return Err(miette::miette!(
            "first {} results, then {}",
            first.len(),
            second.len()
        ));
    }
    languages::compare(&first, board)?;
    bench::check_growth(lab, suite, &first)?;
    Ok(first)
}
