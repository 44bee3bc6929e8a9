//! What costs from C what it costs from Rust.

use super::Tally;
use crate::bench::{self, measure::Measurement};
use crate::board::{Architecture, Board};
use crate::explain;
use crate::lab::Lab;

/// The suite that measures cases from both, and its applications that do.
const SUITE: &str = "core";
const APPLICATIONS: [&str; 3] = ["core", "sync-bench", "c-bench"];
/// What the name of a case that was measured from C has behind that of the same from Rust.
const FROM_C: &str = "-c";
/// How much more it may be, as a part of it, or in instructions or cycles: one, and what begins and ends a pulse, of which each
/// operation of a hundred has its share.
const PART: f64 = 0.02;
const ABSOLUTE: f64 = 1.01;

/// Compares them on the first emulated board of each architecture that is none of `compared`.
///
/// # Errors
/// If the suite is not there.
pub fn elsewhere(lab: &Lab, compared: &[Architecture], tally: &mut Tally) -> miette::Result<()> {
    let mut compared = compared.to_vec();
    for board in bench::boards(lab, SUITE)? {
        if board.simulator().is_some() || compared.contains(&board.arch) {
            continue;
        }
        compared.push(board.arch);
        let measured = bench::measure_some(lab, SUITE, board, |it| APPLICATIONS.contains(&it));
        let verdict = measured.and_then(|all| compare(&all, board));
        let name = format!("C costs what Rust does on {}", board.name);
        tally.count(&name, verdict.map_err(|report| explain::text(&report)));
    }
    Ok(())
}

/// Compares each case from C with that from Rust: what the board counts, or, where direct-mapped caches
/// would compare where the code of each happens to lie, the instructions that the simulator counts.
///
/// # Errors
/// All that cost more.
pub fn compare(all: &[Measurement], board: &Board) -> miette::Result<()> {
    match board.cache {
        Some(_) => compare_by(all, |it| it.retired),
        None => compare_by(all, |it| Some(it.value)),
    }
}

fn compare_by(
    all: &[Measurement],
    cost: impl Fn(&Measurement) -> Option<f64>,
) -> miette::Result<()> {
    let mut more = vec![];
    for from_c in all {
        let Some(case) = from_c.sample.case.strip_suffix(FROM_C) else {
            continue;
        };
        let is_twin = |it: &&Measurement| {
            it.sample.case == case && it.sample.protected == from_c.sample.protected
        };
        let Some(from_rust) = all.iter().find(is_twin) else {
            more.push(format!("{case} was measured from C only"));
            continue;
        };
        let (Some(c), Some(rust)) = (cost(from_c), cost(from_rust)) else {
            more.push(format!("the instructions of {case} were not counted"));
            continue;
        };
        if c > (rust * (1.0 + PART)).max(rust + ABSOLUTE) {
            more.push(format!("{case}: {c} from C, {rust} from Rust"));
        }
    }
    match more.is_empty() {
        true => Ok(()),
        false => Err(miette::miette!("{}", more.join("; "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::measurement;

    #[test]
    fn what_costs_more_from_c_is_found() {
        let compare = |all: &[Measurement]| compare_by(all, |it| Some(it.value));
        let rust = measurement("send", true, 100.0);
        let c = |value| measurement("send-c", true, value);
        assert!(compare(&[rust.clone(), c(102.0)]).is_ok());
        assert!(compare(&[rust.clone(), c(90.0)]).is_ok());
        let error = compare(&[rust.clone(), c(103.0)]).unwrap_err().to_string();
        assert_eq!(error, "send: 103 from C, 100 from Rust");
        let few = measurement("send", true, 10.0);
        assert!(compare(&[few.clone(), c(11.006)]).is_ok());
        assert!(compare(&[few, c(11.02)]).is_err());
        assert!(compare(&[c(1.0)]).is_err());
    }

    #[test]
    fn where_a_programs_place_decides_the_instructions_are_compared() {
        let lab = Lab::open().unwrap();
        let board = lab.board("vexriscv").unwrap();
        let retired = |case, value, retired| Measurement {
            retired,
            ..measurement(case, true, value)
        };
        let rust = retired("send", 100.0, Some(50.0));
        assert!(compare(&[rust.clone(), retired("send-c", 140.0, Some(51.0))], board).is_ok());
        assert!(compare(&[rust.clone(), retired("send-c", 90.0, Some(52.0))], board).is_err());
        assert!(compare(&[rust, retired("send-c", 90.0, None)], board).is_err());
    }
}
