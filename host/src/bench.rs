//! `./riposte bench`: builds, boots and measures the suites, and prints our figures beside the
//! published ones.

pub mod breakdown;
mod copies;
mod counters;
mod flame;
mod front;
mod growth;
mod headlines;
mod log;
mod longest;
pub mod measure;
mod memory;
pub mod nodes;
pub mod profile;
pub mod pulses;
mod reference;
mod report;
mod result_file;
mod screen;
mod sizes;
pub mod suite;
mod ticks;

#[cfg(test)]
pub(crate) use report::tests::measurement;

pub(crate) use headlines::{Figure, Group};

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use miette::miette;

use crate::board::Board;
use crate::lab::{Lab, unknown};
use crate::{cli, interrupt, workers};
use breakdown::Breakdown;
pub(crate) use growth::point as growing;
pub(crate) use headlines::Headlines;
pub(crate) use longest::path as longest;
use measure::{Measurement, Outcome};
pub(crate) use measure::{Unit, model};
pub(crate) use reference::Reference;
pub(crate) use report::verdict;
pub(crate) use result_file::{BREAKDOWNS, NODES, commit, date};
use result_file::{Destination, Provenance};
pub(crate) use sizes::size;
pub(crate) use suite::{Suite, all};

/// The suite that measures the floor of each board.
const FLOOR_SUITE: &str = "core";

/// Runs the suites that are asked for, or the headlines of all if nothing is; the result is the exit code.
///
/// # Errors
/// An unknown suite or board, a result file that cannot be written, a program that does not
/// build, a benchmark that fails its own check.
pub fn bench(lab: &Lab, asked: &cli::Bench) -> miette::Result<i32> {
    let checkout = lab;
    let changed = lab.with_memory(&asked.memory, &asked.boards)?;
    let lab = changed.as_ref().unwrap_or(lab);
    let suites = choose(lab, asked)?;
    if asked.asks_for_headlines() {
        return front::bench(lab, asked, &suites);
    }
    let provenance = Provenance::find(lab)?;
    let destination = Destination::open(lab, asked.json.as_deref(), &provenance)?;
    let references = suites
        .iter()
        .map(|suite| Reference::read(suite, &lab.boards));
    let mut references = references.collect::<miette::Result<Vec<_>>>()?;
    if changed.is_some() {
        // What is wanted is wanted in a board's own memory, or in the suite's.
        references.iter_mut().for_each(|it| it.target.clear());
    }
    let mut jobs = Vec::new();
    for (suite, reference) in suites.iter().zip(&references) {
        for board in suite.boards(lab, &asked.boards)? {
            // A memory that is asked for takes the place of the suite's.
            let boards = match changed {
                Some(_) => vec![board.clone()],
                None => reference.memories(board),
            };
            jobs.extend(boards.into_iter().map(|board| Job {
                suite,
                reference,
                board,
            }));
        }
    }
    let mut findings = Findings::default();
    let mut failure = None;
    let given_up = AtomicBool::new(false);
    workers::in_order(
        &jobs,
        |job| job.measure(lab, &given_up),
        |job, outcome| {
            if let (None, Some(outcome)) = (&failure, outcome)
                && !interrupt::asked()
            {
                failure = outcome
                    .and_then(|outcome| findings.tell(lab, job, outcome, &provenance))
                    .err();
            }
        },
    );
    if let Some(report) = failure {
        return Err(report);
    }
    if interrupt::asked() {
        return Ok(interrupt::EXIT_CODE);
    }
    let between = between_nodes(lab, asked, (&suites, &references))?;
    let (all, broken_down) = findings.all();
    let between_nodes = |file: &Path| {
        if between.is_empty() {
            return Ok(());
        }
        let megahertz = |suite: &str| {
            let mut all = suites.iter().zip(&references);
            let found = all.find(|(it, _)| it.name == suite);
            let source = found.and_then(|(_, reference)| reference.source.as_ref());
            source.map_or(0.0, |it| it.megahertz)
        };
        let beside = nodes::write(file, &between, megahertz)?;
        println!("between nodes: {}", beside.display());
        Ok(())
    };
    if let Some(file) = destination.write(&provenance, &all, &broken_down, between_nodes)? {
        // The page is as `report` makes it: what stands first is of the boards' own memory.
        crate::report::publish(checkout, &file, asked.open)?;
    }
    Ok(0)
}

/// What the transfers of a suite's group of two nodes take on a board.
///
/// # Errors
/// If there is no such suite or group, or one of its nodes fails.
pub fn measure_nodes(
    lab: &Lab,
    suite: &str,
    group: &str,
    board: &Board,
) -> miette::Result<nodes::Between> {
    let all = suite::all(lab)?;
    let suite = find(&all, suite)?;
    let between = nodes::measure(lab, suite, board, |it| it == group)?;
    let found = between.into_iter().next();
    found
        .ok_or_else(|| miette::miette!("`{}` has no group `{group}` on {}", suite.name, board.name))
}

/// Measures what the suites have between two nodes, and prints it. One at a time: nodes take the time of this machine.
fn between_nodes(
    lab: &Lab,
    asked: &cli::Bench,
    (suites, references): (&[Suite], &[Reference]),
) -> miette::Result<Vec<nodes::Between>> {
    let mut all = vec![];
    for (suite, reference) in suites.iter().zip(references) {
        for board in suite.boards(lab, &asked.boards)? {
            let between = nodes::measure(lab, suite, board, |_| true)?;
            print!("{}", nodes::tables(&between, reference));
            all.extend(between);
        }
    }
    Ok(all)
}

/// A suite on a board, in one memory. Jobs run side by side: virtual time is nobody else's business.
struct Job<'a> {
    suite: &'a Suite,
    reference: &'a Reference,
    board: Board,
}

impl Job<'_> {
    /// What it measures; nothing, once any has failed.
    fn measure(&self, lab: &Lab, given_up: &AtomicBool) -> Option<miette::Result<Outcome>> {
        if given_up.load(Ordering::Relaxed) {
            return None;
        }
        let outcome = measure::suite(lab, self.suite, &self.board);
        given_up.fetch_or(outcome.is_err(), Ordering::Relaxed);
        Some(outcome)
    }
}

/// What was measured so far, in the order of the jobs.
#[derive(Default)]
struct Findings {
    measurements: Vec<Measurement>,
    breakdowns: Vec<Breakdown>,
    floors: Floors,
}

impl Findings {
    /// Prints what a job measured, and keeps it.
    fn tell(
        &mut self,
        lab: &Lab,
        job: &Job<'_>,
        outcome: Outcome,
        provenance: &Provenance,
    ) -> miette::Result<()> {
        let (suite, board, measured) = (job.suite, &job.board, &outcome.measurements);
        let floor = self.floors.of(lab, board, measured)?;
        let tables = report::tables(suite, board, job.reference, measured, floor, provenance);
        print!("{tables}");
        for Breakdown { case, picture, .. } in &outcome.breakdowns {
            println!("\n{case} on {}, {picture}", report::place(board));
        }
        self.measurements.extend(outcome.measurements);
        self.breakdowns.extend(outcome.breakdowns);
        Ok(())
    }

    /// All of it. A suite's own measurement of the floor is among the others already.
    fn all(mut self) -> (Vec<Measurement>, Vec<Breakdown>) {
        let measured = |apart: &Measurement| {
            let same = |it: &Measurement| it.board == apart.board && it.unit == apart.unit;
            let mut all = self.measurements.iter();
            all.any(|it| measure::is_floor(it) && same(it))
        };
        self.floors.apart.retain(|it| !measured(it));
        self.measurements.extend(self.floors.apart);
        (self.measurements, self.breakdowns)
    }
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
    measure_some(lab, suite, board, |_| true)
}

/// As [`measure_quietly`], of the applications whose names are `wanted`.
///
/// # Errors
/// As [`bench`].
pub fn measure_some(
    lab: &Lab,
    suite: &str,
    board: &Board,
    wanted: impl Fn(&str) -> bool,
) -> miette::Result<Vec<Measurement>> {
    let all = suite::all(lab)?;
    let suite = find(&all, suite)?;
    let mut measurements = Vec::new();
    for board in &Reference::read(suite, &lab.boards)?.memories(board) {
        let some = measure::some(lab, suite, board, |it| wanted(&it.name))?;
        measurements.extend(some.measurements);
    }
    Ok(measurements)
}

/// As [`measure_quietly`], twice, by the same images.
///
/// # Errors
/// As [`bench`].
pub fn measure_twice(
    lab: &Lab,
    suite: &str,
    board: &Board,
) -> miette::Result<[Vec<Measurement>; 2]> {
    let all = suite::all(lab)?;
    let suite = find(&all, suite)?;
    let mut both = [Vec::new(), Vec::new()];
    for board in &Reference::read(suite, &lab.boards)?.memories(board) {
        let measured = measure::twice(lab, suite, board)?;
        for (all, some) in both.iter_mut().zip(measured) {
            all.extend(some);
        }
    }
    Ok(both)
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

/// Makes sure that every headline is a case that its suite has measured, on whatever board: those that
/// [`bench`] shows when nothing is asked for.
///
/// # Errors
/// Which is not.
pub fn check_headlines(lab: &Lab, measured: &[Measurement]) -> miette::Result<()> {
    let suites = suite::all(lab)?;
    let references = suites.iter().map(|it| Reference::read(it, &lab.boards));
    let references = references.collect::<miette::Result<Vec<_>>>()?;
    let headlines = Headlines::read(lab, &suites, &references)?;
    let unknown = headlines.figures().find(|it| !it.is_case_of(measured));
    unknown.map_or(Ok(()), |it| {
        Err(miette!(
            "suite `{}` measures no case `{}` as bench/headlines.toml has it",
            it.suite_name,
            it.case
        ))
    })
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

pub(crate) fn find<'a>(all: &'a [Suite], name: &str) -> miette::Result<&'a Suite> {
    let names = all.iter().map(|suite| suite.name.as_str());
    let found = all.iter().find(|suite| suite.name == name);
    found.ok_or_else(|| unknown("suite", name, names))
}
