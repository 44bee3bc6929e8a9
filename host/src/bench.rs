//! `./riposte bench`: builds, boots and measures the suites, and prints our figures beside the
//! published ones.

pub mod breakdown;
mod copies;
mod log;
pub mod measure;
pub mod pulses;
mod reference;
mod report;
mod result_file;
mod suite;
mod ticks;

#[cfg(test)]
pub(crate) use report::tests::measurement;

use std::collections::BTreeMap;

use crate::board::Board;
use crate::cli;
use crate::interrupt;
use crate::lab::{Lab, unknown};
use breakdown::Breakdown;
use measure::{Measurement, Outcome};
use reference::Reference;
use result_file::{Destination, Provenance};
use suite::Suite;

/// The suite that measures the floor of each board.
const FLOOR_SUITE: &str = "core";

/// Runs the suites that are asked for; the result is the exit code.
///
/// # Errors
/// An unknown suite or board, a result file that cannot be written, a program that does not
/// build, a benchmark that fails its own check.
pub fn bench(lab: &Lab, asked: &cli::Bench) -> miette::Result<i32> {
    let changed = lab.with_memory(&asked.memory, &asked.boards)?;
    let lab = changed.as_ref().unwrap_or(lab);
    let suites = choose(lab, asked)?;
    let provenance = Provenance::find(lab)?;
    let destination = Destination::open(lab, asked.json.as_deref(), &provenance)?;
    let (mut all, mut broken_down) = (Vec::new(), Vec::new());
    let mut floors = Floors::default();
    for suite in &suites {
        let reference = Reference::read(suite)?;
        for board in suite.boards(lab, &asked.boards)? {
            let Outcome {
                measurements,
                breakdowns,
            } = measure::suite(lab, suite, board)?;
            let floor = floors.of(lab, board, &measurements)?;
            if interrupt::asked() {
                return Ok(interrupt::EXIT_CODE);
            }
            print!(
                "{}",
                report::tables(suite, board, &reference, &measurements, floor, &provenance)
            );
            for Breakdown { case, picture, .. } in &breakdowns {
                println!("\n{case} on {}, {picture}", board.name);
            }
            all.extend(measurements);
            broken_down.extend(breakdowns);
        }
    }
    // A suite's own measurement of the floor is among the others already.
    let measured = |board: &str| {
        all.iter()
            .any(|it| measure::is_floor(it) && it.board == board)
    };
    floors.apart.retain(|it| !measured(&it.board));
    all.extend(floors.apart);
    let file = destination.write(&provenance, &all)?;
    println!("results: {}", file.display());
    if !broken_down.is_empty() {
        let file = result_file::write_breakdowns(&file, &broken_down)?;
        println!("breakdowns: {}", file.display());
    }
    Ok(0)
}

/// The floors of the boards, as far as they are known.
#[derive(Default)]
struct Floors {
    known: BTreeMap<String, f64>,
    /// Those that were measured without their suite.
    apart: Vec<Measurement>,
}

impl Floors {
    /// That of `board`: among these measurements on it, or known already, or measured now.
    fn of(
        &mut self,
        lab: &Lab,
        board: &Board,
        measurements: &[Measurement],
    ) -> miette::Result<Option<f64>> {
        if let Some(it) = measurements.iter().find(|it| measure::is_floor(it)) {
            self.known.insert(board.name.clone(), it.value);
        }
        if !self.known.contains_key(&board.name) && !interrupt::asked() {
            let apart = measure::floor(lab, find(&suite::all(lab)?, FLOOR_SUITE)?, board)?;
            let found = apart.iter().find(|it| measure::is_floor(it));
            let value = found.map(|it| it.value);
            self.known
                .extend(value.map(|value| (board.name.clone(), value)));
            self.apart.extend(apart);
        }
        Ok(self.known.get(&board.name).copied())
    }
}

fn choose(lab: &Lab, asked: &cli::Bench) -> miette::Result<Vec<Suite>> {
    for name in &asked.boards {
        lab.board(name)?;
    }
    let all = suite::all(lab)?;
    if asked.suites.is_empty() {
        return Ok(all);
    }
    asked
        .suites
        .iter()
        .map(|name| find(&all, name).cloned())
        .collect()
}

/// Measures a suite on a board; nothing is printed.
///
/// # Errors
/// As [`bench`].
pub fn measure_quietly(lab: &Lab, suite: &str, board: &Board) -> miette::Result<Vec<Measurement>> {
    let outcome = measure::suite(lab, find(&suite::all(lab)?, suite)?, board)?;
    Ok(outcome.measurements)
}

/// The names of all suites.
///
/// # Errors
/// If a manifest is refused.
pub fn suites(lab: &Lab) -> miette::Result<Vec<String>> {
    Ok(suite::all(lab)?
        .into_iter()
        .map(|suite| suite.name)
        .collect())
}

/// The boards that a suite runs on.
///
/// # Errors
/// If there is no such suite, or it names a board that there is not.
pub fn boards<'a>(lab: &'a Lab, suite: &str) -> miette::Result<Vec<&'a Board>> {
    find(&suite::all(lab)?, suite)?.boards(lab, &[])
}

fn find<'a>(all: &'a [Suite], name: &str) -> miette::Result<&'a Suite> {
    let names = all.iter().map(|suite| suite.name.as_str());
    let found = all.iter().find(|suite| suite.name == name);
    found.ok_or_else(|| unknown("suite", name, names))
}
