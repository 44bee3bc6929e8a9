//! The soak test: all that it says follows from its seed, and nothing else.

use std::path::Path;

use miette::IntoDiagnostic;

use super::{Depth, Tally};
use crate::board::Board;
use crate::explain;
use crate::lab::Lab;
use crate::machine::{self, End, Next, Said};
use crate::manifest::{self, Application};
use crate::source::Source;

const SOAK: &str = "tests/boards/soak";
/// Its seed, as the manifest has it, and another one.
const SEED: &str = "seed = 1,";
const OTHER_SEED: &str = "seed = 2,";
/// Its steps, and those of a test that may take long.
const STEPS: &str = "steps = 1000 ";
const MORE_STEPS: &str = "steps = 20000 ";

/// Plays one seed twice and another one once: on the first board, or longer and on all.
pub fn seeds(lab: &Lab, depth: Depth, tally: &mut Tally) -> miette::Result<()> {
    if depth == Depth::Quick {
        return Ok(());
    }
    let application = lab.application(SOAK)?;
    let boards = application.boards.iter();
    let boards = boards.take(if depth == Depth::Full { usize::MAX } else { 1 });
    for board in boards {
        let board = lab.board(&board.value)?;
        let verdict = follows_from_seed(lab, &application.directory, board, depth);
        let name = format!("the soak test on {} follows from its seed", board.name);
        tally.count(&name, verdict.map_err(|report| explain::text(&report)));
    }
    Ok(())
}

fn follows_from_seed(lab: &Lab, folder: &Path, board: &Board, depth: Depth) -> miette::Result<()> {
    let text = std::fs::read_to_string(folder.join("app.toml")).into_diagnostic()?;
    let play = |seed: &str| {
        let mut text = text.replace(SEED, seed);
        if depth == Depth::Full {
            text = text.replace(STEPS, MORE_STEPS);
        }
        let source = Source {
            path: folder.join("app.toml"),
            text: text.into(),
        };
        let application = manifest::resolve(source, folder.into(), &lab.boards)?;
        said(lab, &application, board)
    };
    let (first, again, other) = (play(SEED)?, play(SEED)?, play(OTHER_SEED)?);
    if first != again {
        return Err(miette::miette!(
            "once it said\n{first}\nand then, with the same seed,\n{again}"
        ));
    }
    if digest(&first) == digest(&other) {
        return Err(miette::miette!(
            "with another seed it says the same:\n{first}"
        ));
    }
    Ok(())
}

/// The line that says what follows from everything that has happened.
fn digest(text: &str) -> Option<&str> {
    text.lines().find(|line| line.starts_with("digest "))
}

/// What it says; all promises hold.
fn said(lab: &Lab, application: &Application, board: &Board) -> miette::Result<String> {
    let image = lab.build(application, board)?;
    let mut text = String::new();
    let end = machine::run_unattended(&lab.root, board, &image.file, |said| {
        let (Said::Line(line) | Said::Unfinished(line)) = said;
        text += line;
        text.push('\n');
        Next::Continue
    })?;
    if end != End::Exit(0) || digest(&text).is_none() {
        return Err(miette::miette!("it ended with {end:?}, and said\n{text}"));
    }
    Ok(text)
}
