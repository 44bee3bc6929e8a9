//! Cases that are profiled to learn which functions they run, as `./riposte profile` does it.

use std::collections::BTreeMap;

use crate::bench::measure::{Measurement, Sample};
use crate::bench::profile::{Costs, Target};
use crate::bench::suite::Suite;
use crate::bench::{Reference, find};
use crate::interrupt;
use crate::lab::Lab;
use crate::machine::Pace;
use crate::results::Key;
use crate::workers;

/// What a case's functions take.
#[derive(Clone, Debug, PartialEq)]
pub struct Counted {
    /// What was counted: an operation of the case, or the whole run of its application if that marks no loop.
    pub of: Key,
    /// By function.
    pub costs: Costs,
}

/// What was counted, by the case that it accounts for.
pub type AllCounted = BTreeMap<Key, Counted>;

/// The key of a measurement in the baseline.
#[must_use]
pub fn key(measured: &Measurement) -> Key {
    Key {
        suite: measured.suite.clone(),
        case: measured.sample.case.clone(),
        board: measured.board.clone(),
        memory: measured.unit.model().unwrap_or_default().into(),
        protected: measured.sample.protected,
        metric: measured.unit.name().into(),
        ..Key::default()
    }
}

/// How the name of what was counted begins if it is no case.
pub const WHOLE_RUN: &str = "whole run of ";

/// The key of the whole run of the application that has measured this.
#[must_use]
pub fn whole_run(measured: &Measurement) -> Key {
    Key {
        case: format!("{WHOLE_RUN}{}", measured.application),
        protected: true,
        ..key(measured)
    }
}

/// An application on a board, in one memory, and what is wanted of it.
struct Job<'a> {
    suite: &'a Suite,
    wanted: Vec<&'a Measurement>,
}

/// Profiles what was measured, each application of it once. Of what has no mark on a simulator there is nothing, and of
/// an application that goes by the clock neither: its log would be gigabytes, and minutes long without a word.
///
/// # Errors
/// A benchmark that fails; or somebody presses Ctrl-C.
pub fn profiled(
    lab: &Lab,
    suites: &[Suite],
    measured: &[&Measurement],
) -> miette::Result<AllCounted> {
    let mut jobs: BTreeMap<(&str, &str, &str, Option<&str>), Job<'_>> = BTreeMap::new();
    for it in measured {
        let place = (&*it.suite, &*it.application, &*it.board, it.unit.model());
        let suite = find(suites, &it.suite)?;
        let wanted = vec![];
        let job = jobs.entry(place).or_insert(Job { suite, wanted });
        job.wanted.push(it);
    }
    let jobs: Vec<Job<'_>> = jobs.into_values().collect();
    let mut all = Ok(AllCounted::new());
    workers::in_order(
        &jobs,
        |job| job.counted(lab),
        |_, counted| match (&mut all, counted) {
            (Ok(all), Ok(counted)) => all.extend(counted),
            (Ok(_), Err(report)) => all = Err(report),
            (Err(_), _) => {}
        },
    );
    // Applications that had not begun were left out.
    interrupt::check()?;
    all
}

impl Job<'_> {
    fn counted(&self, lab: &Lab) -> miette::Result<AllCounted> {
        let first = self.wanted[0];
        let reference = Reference::read(self.suite, &lab.boards)?;
        let board = &reference.memory(lab.board(&first.board)?, first.unit.model())?;
        let mut applications = self.suite.on(board);
        let Some(application) = applications.find(|it| it.name == first.application) else {
            return Ok(AllCounted::new());
        };
        let pace = reference.pace(&application.name);
        if pace == Pace::Clock {
            return Ok(AllCounted::new());
        }
        let target = Target {
            lab,
            suite: self.suite,
            application,
            board,
            image: &lab.build(application, board)?,
            pace,
        };
        let is = |measured: &Measurement, case: &str, protected: bool| {
            measured.sample.case == case && measured.sample.protected == protected
        };
        let wanted = |sample: &Sample| {
            self.wanted
                .iter()
                .any(|it| is(it, &sample.case, sample.protected))
        };
        let mut all = AllCounted::new();
        for profile in target.profiles(&wanted, Some(self.wanted.len()))? {
            let measured = self
                .wanted
                .iter()
                .find(|it| is(it, &profile.case, profile.protected));
            if let Some(measured) = measured {
                let of = match profile.whole_run_of() {
                    Some(_) => whole_run(measured),
                    None => key(measured),
                };
                let costs = profile.costs();
                all.insert(key(measured), Counted { of, costs });
            }
        }
        Ok(all)
    }
}
