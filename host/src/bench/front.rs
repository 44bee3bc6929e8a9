//! What `./riposte bench` does when nothing is asked for: it measures the headlines, and no more, and ends in
//! one screen.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use super::FLOOR_SUITE;
use super::breakdown::Breakdown;
use super::headlines::{Figure, Headlines};
use super::measure::{self, Extent, Measurement, Outcome};
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

    let jobs = jobs(&headlines, suites);
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
    let provenance = provenance.at_the_end(&lab.root);
    print!(
        "{}",
        screen::text(&headlines, &references, &found, &provenance)
    );
    // Without any figure, a file would pass for a result.
    if !found.measurements.is_empty() {
        let (figures, breakdowns) = (&found.measurements, &found.breakdowns);
        if let Some(file) = destination.write(&provenance, figures, breakdowns, |_| Ok(()))? {
            crate::report::publish(lab, &file, asked.open)?;
        }
    }
    Ok(i32::from(!screen::missing(&headlines, &found).is_empty()))
}

/// An application on a board. Jobs run side by side.
pub struct Job<'a> {
    /// Index of the suite.
    suite: usize,
    application: &'a str,
    board: &'a Board,
    /// The figures after which it may stop; if there are none, it is measured to its end.
    only: Vec<&'a Figure>,
}

/// What is to be run for the headlines: each application once on a board, and first what takes longest; then the floor of
/// each board on which a message goes there and back.
fn jobs<'a>(headlines: &'a Headlines, suites: &[Suite]) -> Vec<Job<'a>> {
    let mut jobs: Vec<Job<'_>> = Vec::new();
    let groups = headlines.own.iter().chain(&headlines.publications);
    let groups = groups.chain(&headlines.peers);
    for figure in groups.flat_map(|group| &group.figures) {
        if !jobs.iter().any(|job| job.measures(figure)) {
            jobs.push(Job {
                suite: figure.suite,
                application: &figure.application,
                board: &figure.board,
                only: Vec::new(),
            });
        }
    }
    // What stands beside no other system is simulated no longer than is shown of it: that would take minutes.
    let beside = headlines.publications.iter().chain(&headlines.peers);
    let beside: Vec<&Figure> = beside.flat_map(|group| &group.figures).collect();
    for job in &mut jobs {
        let of_job = |it: &&Figure| job.measures(it);
        if job.board.simulator().is_some() && !beside.iter().copied().any(|it| job.measures(it)) {
            let own = headlines.own.iter().flat_map(|group| &group.figures);
            job.only = own.filter(of_job).collect();
        }
    }
    // What is simulated to its end takes longest.
    jobs.sort_by_key(|it| (it.board.simulator().is_none(), !it.only.is_empty()));
    let floor = suites.iter().position(|it| it.name == FLOOR_SUITE);
    let boards = headlines.round_trips().into_iter();
    let floors = floor.into_iter().flat_map(|suite| {
        boards.clone().map(move |(board, _)| Job {
            suite,
            application: measure::FLOOR,
            board,
            only: Vec::new(),
        })
    });
    jobs.extend(floors);
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
    ) -> miette::Result<Outcome> {
        let (suite, reference) = (&suites[self.suite], &references[self.suite]);
        let mut applications = suite.applications.iter();
        let application = applications.find(|it| it.name == self.application);
        let application = application.expect("the headlines name applications that there are");
        let wanted: Vec<(&str, bool)> = self
            .only
            .iter()
            .map(|it| (it.case.as_str(), it.protected))
            .collect();
        let extent = match wanted.as_slice() {
            [] => Extent::All(&reference.breakdown),
            cases => Extent::Until(cases),
        };
        measure::application_of(lab, suite, reference, application, self.board, extent)
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
    /// Where the cycles of calls went.
    pub breakdowns: Vec<Breakdown>,
    /// Why an application has none: by the application and its board.
    pub troubles: BTreeMap<String, String>,
}

impl Found {
    fn keep(&mut self, job: &Job<'_>, outcome: miette::Result<Outcome>) {
        match outcome {
            Ok(outcome) => {
                self.measurements.extend(outcome.measurements);
                self.breakdowns.extend(outcome.breakdowns);
            }
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

    fn suites() -> Vec<Suite> {
        let lab = Lab::open().unwrap();
        crate::bench::suite::all(&lab).unwrap()
    }

    #[test]
    fn each_application_is_run_once_on_a_board_and_every_figure_comes_from_one() {
        let (headlines, suites) = (read().0, suites());
        let jobs = jobs(&headlines, &suites);
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
    fn only_what_stands_beside_no_other_system_stops_early_and_with_all_that_is_shown_of_it() {
        let (headlines, suites) = (read().0, suites());
        let jobs = jobs(&headlines, &suites);
        let early: Vec<&Job<'_>> = jobs.iter().filter(|it| !it.only.is_empty()).collect();
        assert!(!early.is_empty());
        for job in early {
            let shown = headlines.figures().filter(|it| job.measures(it));
            assert_eq!(shown.count(), job.only.len(), "{job}");
        }
    }

    #[test]
    fn the_floor_is_measured_once_on_each_board_of_a_round_trip_in_its_memory() {
        let (headlines, suites) = (read().0, suites());
        let jobs = jobs(&headlines, &suites);
        for figure in headlines.figures().filter(|it| it.round_trip) {
            let floors = jobs
                .iter()
                .filter(|it| it.application == measure::FLOOR && *it.board == figure.board);
            assert_eq!(floors.count(), 1, "{}", figure.what);
        }
        for job in &jobs {
            let mut applications = suites[job.suite].applications.iter();
            let application = applications.find(|it| it.name == job.application).unwrap();
            let mut boards = application.boards.iter();
            assert!(boards.any(|it| it.value == job.board.name), "{job}");
        }
    }

    #[test]
    fn what_does_not_build_is_kept_with_its_reason_and_the_rest_with_its_figures() {
        let (headlines, suites) = (read().0, suites());
        let jobs = jobs(&headlines, &suites);
        let mut found = Found::default();
        found.keep(&jobs[0], Err(miette::miette!("no compiler")));
        let measured = crate::bench::measurement("rt-1w", true, 1.0);
        let outcome = Outcome {
            measurements: vec![measured],
            ..Outcome::default()
        };
        found.keep(&jobs[1], Ok(outcome));
        let why = found.troubles.get(&jobs[0].to_string());
        assert_eq!(why.map(String::as_str), Some("riposte: no compiler"));
        assert_eq!((found.measurements.len(), found.troubles.len()), (1, 1));
    }
}
