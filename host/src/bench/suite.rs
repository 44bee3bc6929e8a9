//! A suite: one folder of `bench/`, with its applications and its reference figures.

use std::path::PathBuf;

use miette::miette;

use crate::board::Board;
use crate::lab::{Lab, applications_below, short_name};
use crate::manifest::Application;

/// A suite.
#[derive(Clone)]
pub struct Suite {
    /// Its name: that of its folder.
    pub name: String,
    /// Its folder.
    pub folder: PathBuf,
    /// Its applications, in order of their folders' names.
    pub applications: Vec<Application>,
}

/// All suites, in order of name.
pub fn all(lab: &Lab) -> miette::Result<Vec<Suite>> {
    let entries = std::fs::read_dir(lab.root.join("bench"))
        .into_iter()
        .flatten()
        .flatten();
    let mut folders: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    folders.sort();
    let mut suites = Vec::new();
    for folder in folders {
        let paths = applications_below(&folder);
        if !paths.is_empty() {
            let applications: miette::Result<Vec<_>> =
                paths.iter().map(|path| lab.load(path)).collect();
            let name = short_name(&folder);
            suites.push(Suite {
                name,
                folder,
                applications: applications?,
            });
        }
    }
    Ok(suites)
}

impl Suite {
    /// What it measures, as its application says.
    #[must_use]
    pub fn description(&self) -> &str {
        self.applications
            .first()
            .map_or("", |application| &application.description)
    }

    /// Its applications that run on a board.
    pub fn on<'a>(&'a self, board: &'a Board) -> impl Iterator<Item = &'a Application> {
        let runs = |it: &&Application| it.boards.iter().any(|name| name.value == board.name);
        self.applications.iter().filter(runs)
    }

    /// The boards to measure on: those asked for, or all that one of its applications names.
    pub fn boards<'a>(&self, lab: &'a Lab, asked: &[String]) -> miette::Result<Vec<&'a Board>> {
        let mut names: Vec<&String> = Vec::new();
        for name in self
            .applications
            .iter()
            .flat_map(|it| &it.boards)
            .map(|name| &name.value)
        {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        if let Some(other) = asked.iter().find(|name| !names.contains(name)) {
            let names: Vec<&str> = names.into_iter().map(String::as_str).collect();
            let names = names.join(", ");
            return Err(miette!(
                "suite `{}` does not run on `{other}`: it runs on {names}",
                self.name
            ));
        }
        let chosen = names
            .into_iter()
            .filter(|name| asked.is_empty() || asked.contains(name));
        chosen.map(|name| lab.board(name)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_storm_of_interrupts_is_measured_on_every_board() {
        let lab = Lab::open().unwrap();
        let storm = lab.application("bench/chibios/storm").unwrap();
        for board in &lab.boards {
            let names = storm.boards.iter().map(|it| &it.value);
            assert_eq!(
                names.filter(|it| **it == board.name).count(),
                1,
                "{}",
                board.name
            );
        }
    }
}
