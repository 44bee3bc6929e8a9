//! `./riposte profile`: where the instructions, or the cycles, of an operation go: by process, privilege and function.
//!
//! The measured loop runs as it does in `bench`, between its two marks. An emulator logs the address of each
//! instruction; a simulator counts, for each instruction, how often it retired and the cycles since the one before.

mod known;
mod operation;
mod run;
mod windows;

use std::path::Path;

use miette::miette;

pub use operation::{Costs, Profile};
pub use run::Target;
use serde_json::Value;

use super::breakdown::{Breakdown, Marked};
use super::find;
use super::measure::{self, Extent, Sample};
use super::reference::Reference;
use super::report::place;
use super::suite::{self, Suite};
use crate::board::Board;
use crate::cli;
use crate::lab::Lab;
use crate::progress::Step;
use crate::suggest;
use crate::whole::Pending;

/// Prints where the cost of a case goes; the result is the exit code.
///
/// # Errors
/// A suite, case or board that there is not; a board whose processes cannot be told apart; a benchmark that fails.
pub fn profile(lab: &Lab, asked: &cli::Profile) -> miette::Result<i32> {
    let Some((name, case)) = asked.case.split_once('/') else {
        return Err(miette!(
            help = "name both, as in core/rt-1w",
            "`{}` is no SUITE/CASE",
            asked.case
        ));
    };
    // So result files and `compare` name one within one process.
    let (within, case) = match case.strip_prefix("within/") {
        Some(case) => (true, case),
        None => (asked.within, case),
    };
    let suites = suite::all(lab)?;
    let suite = find(&suites, name)?;
    let reference = Reference::read(suite, &lab.boards)?;
    let board = board(lab, suite, asked.board.as_deref())?;
    let board = &reference.memory(board, asked.memory.as_deref())?;
    // A suite takes minutes to build and to run.
    known::check(lab, suite, &reference, case)?;
    let [data, graph] = [&asked.json, &asked.flame].map(|it| it.as_deref().map(Output::new));
    let (data, graph) = (data.transpose()?, graph.transpose()?);
    let mut cases: Vec<String> = vec![];
    let found = |it: &Sample| it.case == case && it.protected != within;
    for application in suite.on(board) {
        let image = &lab.build(application, board)?;
        let target = Target {
            lab,
            suite,
            application,
            board,
            image,
            pace: reference.pace(&application.name),
        };
        // An emulator takes many times as long to log each instruction: only where the case is.
        let step = Step::begin(format!("looking for {case} in {}", application.name));
        let samples = target.samples()?;
        drop(step);
        if !samples.iter().any(found) {
            cases.extend(samples.into_iter().map(|it| it.case));
            continue;
        }
        let profiles = target.profiles(&found, Some(1))?;
        let Some(profile) = profiles.first() else {
            return Err(miette!(
                help = "profile it on an emulated board, or the same case of the suite without the pin",
                "{} marks no loop of `{case}` on {}, so that the simulator does not know where it begins",
                application.name,
                board.name
            ));
        };
        print!("{}", profile.text(suite, board));
        let phases = phases(&target, &reference, profile)?;
        if let Some(phases) = &phases {
            println!("\n{case} on {}, {}", place(board), phases.picture);
        }
        if let Some(data) = data {
            let mut document = profile.document(suite, board);
            document["phases"] = phases.map_or(Value::Null, |it| it.document["typical"].clone());
            data.write(&format!("{document:#}\n"))?;
        }
        if let Some(graph) = graph {
            graph.write(&profile.flame(suite, board))?;
        }
        return Ok(0);
    }
    cases.sort();
    cases.dedup();
    let is_other = cases.iter().any(|it| it == case);
    let help = match (is_other, within) {
        (true, false) => "it is measured within one process only: add `--within`".into(),
        (true, true) => "it is measured across processes only: leave out `--within`".into(),
        (false, _) => suggest::help(case, "cases", cases.iter().map(String::as_str)),
    };
    Err(miette!(
        help = help,
        "suite `{name}` measures no `{case}` on {}",
        board.name
    ))
}

/// The phases of a call of the case, where its suite marks calls and the board's simulator logs them.
fn phases(
    target: &Target<'_>,
    reference: &Reference,
    profile: &Profile,
) -> miette::Result<Option<Breakdown>> {
    let is = |it: &&Marked| it.case == profile.case && profile.protected;
    let Some(marked) = reference.breakdown.iter().find(is) else {
        return Ok(None);
    };
    let Target {
        lab,
        suite,
        application,
        board,
        ..
    } = target;
    let extent = Extent::All(std::slice::from_ref(marked));
    let outcome = measure::application_of(lab, suite, reference, application, board, extent)?;
    Ok(outcome.breakdowns.into_iter().next())
}

/// A file of a profile, which is refused before the run if it cannot be written.
struct Output<'a> {
    file: &'a Path,
    pending: Pending,
}

impl Output<'_> {
    fn new(file: &Path) -> miette::Result<Output<'_>> {
        let pending = Pending::new(file).map_err(|error| cannot_write(file, &error))?;
        Ok(Output { file, pending })
    }

    fn write(self, text: &str) -> miette::Result<()> {
        let written = self.pending.write(text.as_bytes());
        written.map_err(|error| cannot_write(self.file, &error))?;
        println!("profile: {}", self.file.display());
        Ok(())
    }
}

fn cannot_write(file: &Path, why: &std::io::Error) -> miette::Report {
    miette!("cannot write the profile {}: {why}", file.display())
}

/// The board that is asked for, or the suite's first.
fn board<'a>(lab: &'a Lab, suite: &Suite, asked: Option<&str>) -> miette::Result<&'a Board> {
    let asked: Vec<String> = asked.map(str::to_owned).into_iter().collect();
    let boards = suite.boards(lab, &asked)?;
    let board = boards
        .first()
        .ok_or_else(|| miette!("suite `{}` has no board", suite.name))?;
    if board.simulator().is_none() && board.protection.translates() {
        return Err(miette!(
            help = "profile on vexriscv, whose simulator says in which address space each ran; or on virt-rv32",
            "on {} the addresses of processes are the same, and the emulator does not say whose they are",
            board.name
        ));
    }
    Ok(board)
}
