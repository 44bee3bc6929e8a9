//! A run of an application that logs where its measured loops go.

use super::operation::{Names, Profile};
use super::windows::{Logged, Reader};
use crate::bench::measure::{self, Sample, Watched};
use crate::bench::suite::Suite;
use crate::board::Board;
use crate::build::Image;
use crate::fault::Scene;
use crate::interrupt;
use crate::lab::Lab;
use crate::machine::Pace;
use crate::manifest::Application;
use crate::progress::Step;

/// An application of a suite that is to be profiled.
pub struct Target<'a> {
    /// The repository.
    pub lab: &'a Lab,
    /// The suite.
    pub suite: &'a Suite,
    /// The application.
    pub application: &'a Application,
    /// The board, in the memory that is meant.
    pub board: &'a Board,
    /// The application's image for it.
    pub image: &'a Image,
    /// The pace at which `bench` measures it.
    pub pace: Pace,
}

impl Target<'_> {
    /// What it says that it measures, without a log.
    ///
    /// # Errors
    /// A benchmark that fails; or somebody presses Ctrl-C.
    pub fn samples(&self) -> miette::Result<Vec<Sample>> {
        self.watched(Watched {
            log: None,
            enough: &|_| false,
        })
    }

    /// The profiles of all cases that are `wanted`. On an emulator, which takes many times as long to log each instruction,
    /// the run ends where all of `cases` are there, if so many are wanted. A case has none where a simulator knows no
    /// mark of it.
    ///
    /// # Errors
    /// A benchmark that fails, or a log that cannot be read; or somebody presses Ctrl-C.
    pub fn profiles(
        &self,
        wanted: &dyn Fn(&Sample) -> bool,
        cases: Option<usize>,
    ) -> miette::Result<Vec<Profile>> {
        let (application, board) = (&self.application.name, self.board);
        let step = Step::begin(format!("profiling {application} on {}", board.name));
        let reader = Reader::begin(board)?;
        // What an emulator has written when it is stopped is all that came before.
        let stops = cases.filter(|_| board.simulator().is_none());
        let enough = |samples: &[Sample]| {
            let found = || samples.iter().filter(|it| wanted(it)).count();
            stops.is_some_and(|cases| reader.has_marks() && found() >= cases)
        };
        let samples = self.watched(Watched {
            log: Some(&reader.place()),
            enough: &enough,
        });
        let (samples, logged) = (samples?, reader.finish()?);
        drop(step);
        let scene = Scene::new(&self.lab.root, board, self.image);
        let mut names = Names::of(&scene);
        let Logged { windows, whole } = logged;
        let mut found = vec![];
        for (index, sample) in samples.iter().enumerate().filter(|(_, it)| wanted(it)) {
            if let Some(window) = windows.get(index) {
                found.push(Profile::of(&mut names, board, sample, window));
            } else if let Some(whole) = &whole {
                let whole = (application.as_str(), whole);
                found.push(Profile::of_whole_run(&mut names, board, sample, whole));
            }
        }
        Ok(found)
    }

    fn watched(&self, watched: Watched<'_>) -> miette::Result<Vec<Sample>> {
        let (application, board) = (self.application, self.board);
        let place = (self.lab, self.suite, application, board);
        let samples = measure::once(place, self.image, self.pace, watched)?;
        // A run that was stopped has said a part, which would pass for all.
        interrupt::check()?;
        Ok(samples)
    }
}
