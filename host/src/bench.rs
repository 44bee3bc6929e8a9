//! `./riposte bench`: builds, boots and measures the suites, and prints our figures beside the
//! published ones.

pub mod breakdown;
mod copies;
mod counters;
mod growth;
mod log;
mod longest;
pub mod measure;
mod memory;
pub mod pulses;
mod reference;
mod report;
mod result_file;
mod suite;
mod ticks;

#[cfg(test)]
pub(crate) use report::tests::measurement;

use crate::board::Board;
use crate::cli;
use crate::interrupt;
use crate::lab::{Lab, unknown};
use breakdown::Breakdown;
use measure::{Measurement, Unit};
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
        let reference = Reference::read(suite, &lab.boards)?;
        for board in suite.boards(lab, &asked.boards)? {
            // A memory that is asked for takes the place of the suite's.
            let boards = match changed {
                Some(_) => vec![board.clone()],
                None => reference.memories(board),
            };
            for board in &boards {
                let outcome = measure::suite(lab, suite, board)?;
                let floor = floors.of(lab, board, &outcome.measurements)?;
                if interrupt::asked() {
                    return Ok(interrupt::EXIT_CODE);
                }
                let measured = &outcome.measurements;
                print!(
                    "{}",
                    report::tables(suite, board, &reference, measured, floor, &provenance)
                );
                for Breakdown { case, picture, .. } in &outcome.breakdowns {
                    println!("\n{case} on {}, {picture}", report::place(board));
                }
                all.extend(outcome.measurements);
                broken_down.extend(outcome.breakdowns);
            }
        }
    }
    // A suite's own measurement of the floor is among the others already.
    let measured = |apart: &Measurement| {
        let same = |it: &Measurement| it.board == apart.board && it.unit == apart.unit;
        all.iter().any(|it| measure::is_floor(it) && same(it))
    };
    floors.apart.retain(|it| !measured(it));
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
    /// By board, and by what it counts: another memory has another floor.
    known: Vec<(String, Unit, f64)>,
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
        self.remember(measurements);
        if self.known(board).is_none() && !interrupt::asked() {
            let apart = measure::floor(lab, find(&suite::all(lab)?, FLOOR_SUITE)?, board)?;
            self.remember(&apart);
            self.apart.extend(apart);
        }
        Ok(self.known(board))
    }

    fn remember(&mut self, measurements: &[Measurement]) {
        let found = measurements.iter().find(|it| measure::is_floor(it));
        self.known
            .extend(found.map(|it| (it.board.clone(), it.unit.clone(), it.value)));
    }

    fn known(&self, board: &Board) -> Option<f64> {
        let unit = Unit::of(board);
        let same = |it: &&(String, Unit, f64)| it.0 == board.name && it.1 == unit;
        self.known.iter().rev().find(same).map(|it| it.2)
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

/// Measures a suite on a board, in each of the suite's memories; nothing is printed.
///
/// # Errors
/// As [`bench`].
pub fn measure_quietly(lab: &Lab, suite: &str, board: &Board) -> miette::Result<Vec<Measurement>> {
    let all = suite::all(lab)?;
    let suite = find(&all, suite)?;
    let mut measurements = Vec::new();
    for board in &Reference::read(suite, &lab.boards)?.memories(board) {
        measurements.extend(measure::suite(lab, suite, board)?.measurements);
    }
    Ok(measurements)
}

/// Makes sure that in these measurements of a suite nothing costs more in a larger system, but for what its
/// reference figures allow.
///
/// # Errors
/// What does.
pub fn check_growth(lab: &Lab, suite: &str, measured: &[Measurement]) -> miette::Result<()> {
    let all = suite::all(lab)?;
    let reference = Reference::read(find(&all, suite)?, &lab.boards)?;
    growth::check(measured, &reference)
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
