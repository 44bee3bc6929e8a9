//! What `./riposte bench` does when nothing is asked for: it measures the headlines, and no more, and ends in
//! one screen.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use super::headlines::{Figure, Headlines};
use super::measure::{self, Measurement};
use super::reference::Reference;
use super::result_file::{Destination, Provenance};
use super::screen;
use super::suite::Suite;
use crate::board::Board;
use crate::lab::Lab;
use crate::{cli, explain, interrupt, progress, workers};

/// Measures what the headlines need, and prints them; the result is the exit code.
///
/// # Errors
/// A file of headlines or reference figures that is wrong, or a result file that cannot be written. A figure that
/// is not to be had is said to be missing, and why, and makes the exit code 1.
pub fn bench(lab: &Lab, asked: &cli::Bench, suites: &[Suite]) -> miette::Result<i32> {
    let references = suites.iter().map(|it| Reference::read(it, &lab.boards));
    let references = references.collect::<miette::Result<Vec<_>>>()?;
    let headlines = Headlines::read(lab, suites, &references)?;
    let provenance = Provenance::find(lab)?;
    let destination = Destination::open(lab, asked.json.as_deref(), &provenance)?;

    let jobs = jobs(&headlines);
    let done = AtomicUsize::new(0);
    let mut found = Found::default();
    workers::in_order(
        &jobs,
        |job| {
            let begun = Instant::now();
            let outcome = job.measure(lab, suites, &references);
            let number = done.fetch_add(1, Ordering::Relaxed) + 1;
            let (all, seconds) = (jobs.len(), begun.elapsed().as_secs());
            let verb = if outcome.is_ok() {
                "measured"
            } else {
                "no figures:"
            };
            progress::complain(&format!(
                "riposte: {number} of {all}: {verb} {job}, {seconds} s"
            ));
            outcome
        },
        |job, outcome| found.keep(job, outcome),
    );
    if interrupt::asked() {
        return Ok(interrupt::EXIT_CODE);
    }
    print!(
        "{}",
        screen::text(&headlines, &references, &found, &provenance)
    );
    // Without any figure, a file would pass for a result.
    if !found.measurements.is_empty() {
        let file = destination.write(&provenance, &found.measurements)?;
        println!("results: {}", file.display());
        crate::report::publish(lab, &file, asked.open)?;
    }
    Ok(i32::from(!screen::missing(&headlines, &found).is_empty()))
}

/// An application on a board. Jobs run side by side.
pub struct Job<'a> {
    /// Index of the suite.
    suite: usize,
    application: &'a str,
    board: &'a Board,
}

/// What is to be run for the headlines: each application once on a board, and first what takes longest.
fn jobs(headlines: &Headlines) -> Vec<Job<'_>> {
    let mut jobs: Vec<Job<'_>> = Vec::new();
    let groups = headlines.own.iter().chain(&headlines.publications);
    let groups = groups.chain(&headlines.peers);
    for figure in groups.flat_map(|group| &group.figures) {
        if !jobs.iter().any(|job| job.measures(figure)) {
            jobs.push(Job {
                suite: figure.suite,
                application: &figure.application,
                board: &figure.board,
            });
        }
    }
    jobs
}

impl Job<'_> {
    fn measures(&self, figure: &Figure) -> bool {
        self.suite == figure.suite
            && self.application == figure.application
            && *self.board == figure.board
    }

    fn measure(
        &self,
        lab: &Lab,
        suites: &[Suite],
        references: &[Reference],
    ) -> miette::Result<Vec<Measurement>> {
        let (suite, reference) = (&suites[self.suite], &references[self.suite]);
        let mut applications = suite.applications.iter();
        let application = applications.find(|it| it.name == self.application);
        let application = application.expect("the headlines name applications that there are");
        let outcome = measure::application_of(lab, suite, reference, application, self.board, &[])?;
        Ok(outcome.measurements)
    }
}

impl std::fmt::Display for Job<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} on {}", self.application, screen::place(self.board))
    }
}

/// What was measured, and why the rest was not.
#[derive(Default)]
pub struct Found {
    /// The figures.
    pub measurements: Vec<Measurement>,
    /// Why an application has none: by the application and its board.
    pub troubles: BTreeMap<String, String>,
}

impl Found {
    fn keep(&mut self, job: &Job<'_>, outcome: miette::Result<Vec<Measurement>>) {
        match outcome {
            Ok(measurements) => self.measurements.extend(measurements),
            Err(report) => {
                let why = explain::text(&report);
                if !interrupt::asked() {
                    progress::complain(&why);
                }
                self.troubles.insert(job.to_string(), why);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::headlines::tests::read;

    #[test]
    fn each_application_is_run_once_on_a_board_and_every_figure_comes_from_one() {
        let (headlines, _) = read();
        let jobs = jobs(&headlines);
        for figure in headlines.figures() {
            let measuring = jobs.iter().filter(|job| job.measures(figure));
            assert_eq!(measuring.count(), 1, "{}", figure.what);
        }
        let mut names: Vec<String> = jobs.iter().map(ToString::to_string).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), jobs.len(), "a trouble is known by its name");
    }

    #[test]
    fn what_does_not_build_is_kept_with_its_reason_and_the_rest_with_its_figures() {
        let (headlines, _) = read();
        let jobs = jobs(&headlines);
        let mut found = Found::default();
        found.keep(&jobs[0], Err(miette::miette!("no compiler")));
        let measured = crate::bench::measurement("rt-1w", true, 1.0);
        found.keep(&jobs[1], Ok(vec![measured]));
        let why = found.troubles.get(&jobs[0].to_string());
        assert_eq!(why.map(String::as_str), Some("riposte: no compiler"));
        assert_eq!((found.measurements.len(), found.troubles.len()), (1, 1));
    }
}
