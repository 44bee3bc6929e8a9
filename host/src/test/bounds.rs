//! No interrupt waits longer in the kernel than the project says.

use std::collections::BTreeMap;

use miette::IntoDiagnostic;

use super::{Depth, Tally};
use crate::board::Board;
use crate::explain;
use crate::lab::Lab;
use crate::progress::Step;
use crate::stretch::{self, Stretch};
use crate::workers;

/// What the figures are in: for each board, an application and the most instructions (on a simulator, cycles) between
/// two looks for interrupts that the kernel takes while it runs.
const FIGURES: &str = "tests/bounds.toml";

/// By how much a figure may be exceeded, in hundredths: what another compiler makes of the same source.
const SLACK: usize = 2;

type Figures = BTreeMap<String, BTreeMap<String, usize>>;

struct Job<'a> {
    board: &'a Board,
    application: String,
    figure: usize,
}

/// Measures every application that has a figure.
pub fn hold(lab: &Lab, depth: Depth, tally: &mut Tally) -> miette::Result<()> {
    if depth == Depth::Quick {
        return Ok(());
    }
    let text = std::fs::read_to_string(lab.root.join(FIGURES)).into_diagnostic()?;
    let figures: Figures = toml::from_str(&text).into_diagnostic()?;
    let mut jobs = Vec::new();
    for (board, applications) in figures {
        let board = lab.board(&board)?;
        jobs.extend(applications.into_iter().map(|(application, figure)| Job {
            board,
            application,
            figure,
        }));
    }
    workers::in_order(
        &jobs,
        |job| measure(lab, job).map_err(|report| explain::text(&report)),
        |job, measured| {
            let count = measured.as_ref().map_or(0, |it| longest(it));
            let name = format!(
                "{} on {}: {count} {} between two looks for interrupts, as {FIGURES} says",
                job.application,
                job.board.name,
                unit(job.board)
            );
            let counts = [("longest", count as u64), ("at most", job.figure as u64)];
            tally.count_of(
                &name,
                &counts,
                measured.and_then(|it| verdict(&it, job.figure)),
            );
        },
    );
    Ok(())
}

fn measure(lab: &Lab, job: &Job<'_>) -> miette::Result<Vec<Stretch>> {
    let application = lab.application(&job.application)?;
    let image = lab.build(&application, job.board)?;
    let what = format!("tracing {} on {}", job.application, job.board.name);
    let _step = Step::begin(what);
    stretch::longest(&lab.root, job.board, &image)
}

/// What a stretch is counted in.
fn unit(board: &Board) -> &'static str {
    match board.simulator() {
        Some(_) => "cycles",
        None => "instructions",
    }
}

fn longest(measured: &[Stretch]) -> usize {
    measured.first().map_or(0, |stretch| stretch.length)
}

/// Whether what was measured is the figure: a longer stretch is a fault, a shorter one a figure to lower.
fn verdict(measured: &[Stretch], figure: usize) -> Result<(), String> {
    let longest = longest(measured);
    let (most, least) = (figure * (100 + SLACK) / 100, figure * (100 - SLACK) / 100);
    if (least..=most).contains(&longest) {
        return Ok(());
    }
    let list: Vec<_> = measured.iter().map(Stretch::to_string).collect();
    Err(format!(
        "{longest} pass between two looks for interrupts, and {FIGURES} says {figure}; the longest, and where:\n{}",
        list.join("\n")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stretch(length: usize) -> Stretch {
        Stretch {
            length,
            within: vec![("search".into(), length)],
        }
    }

    #[test]
    fn a_stretch_that_grows_by_more_than_two_in_a_hundred_fails_and_says_where_it_is() {
        assert!(verdict(&[stretch(1000), stretch(3)], 1000).is_ok());
        assert!(verdict(&[stretch(1020)], 1000).is_ok());
        let why = verdict(&[stretch(1021)], 1000).unwrap_err();
        assert!(why.contains("1021; search 1021"), "{why}");
    }

    #[test]
    fn a_stretch_that_shrinks_wants_its_figure_lowered() {
        assert!(verdict(&[stretch(979)], 1000).is_err());
        assert!(verdict(&[], 1000).is_err());
    }
}
