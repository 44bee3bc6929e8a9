//! The naive model: a program of the tests, which compares what a board says with what it does itself.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use miette::{IntoDiagnostic, WrapErr, miette};

use super::Rounds;
use crate::build::cargo;
use crate::machine::Next;
use crate::progress::Step;
use crate::toolchain::Toolchain;

/// Its package.
const PACKAGE: &str = "riposte-fuzz-model";
/// The folder, below the root, in which it is built: where the tests of the host are built, others may be waited for.
const TARGET_DIRECTORY: &str = "target/fuzzer";

/// The program.
pub struct Model {
    program: PathBuf,
}

/// A comparison under way.
pub struct Playing {
    child: Child,
}

impl Model {
    /// Builds it, as tests are built.
    ///
    /// # Errors
    /// If it does not build.
    pub fn build(root: &Path) -> miette::Result<Model> {
        let _step = Step::begin("building the fuzzer's model");
        let mut command = Toolchain::find(root)?.cargo();
        command
            .args(["build", "--quiet", "--package", PACKAGE])
            .args(["--message-format", "json-render-diagnostics"])
            .arg("--target-dir")
            .arg(root.join(TARGET_DIRECTORY));
        let built = cargo::run(&mut command, "the fuzzer's model")?;
        let program = built.executables.into_values().next();
        let program = program.ok_or_else(|| miette!("{PACKAGE} is no program"))?;
        Ok(Model { program })
    }

    /// It hears the rounds of a boot whose first seed this is.
    ///
    /// # Errors
    /// If it does not start.
    pub fn rounds(&self, seed: u32) -> miette::Result<Playing> {
        self.start(&["rounds", &seed.to_string()])
    }

    /// It hears the calls of a round of such a boot.
    ///
    /// # Errors
    /// If it does not start.
    pub fn calls(&self, seed: u32, round: u32) -> miette::Result<Playing> {
        self.start(&["calls", &seed.to_string(), &round.to_string()])
    }

    /// Boots that once showed a fault.
    ///
    /// # Errors
    /// If it does not start, or fails.
    pub fn found(&self) -> miette::Result<Vec<Rounds>> {
        let answer = self.start(&["found"])?.answer()?;
        let found = answer.lines().map(|line| {
            let (seed, count) = line.split_once(' ')?;
            Some(Rounds {
                seed: seed.parse().ok()?,
                count: count.parse().ok()?,
            })
        });
        found
            .collect::<Option<_>>()
            .ok_or_else(|| no_sense(&answer))
    }

    fn start(&self, arguments: &[&str]) -> miette::Result<Playing> {
        let child = Command::new(&self.program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .into_diagnostic()
            .wrap_err("the fuzzer's model does not run")?;
        Ok(Playing { child })
    }
}

impl Playing {
    /// It hears a line of the board's, unless it has heard enough.
    pub fn hear(&mut self, line: &str) -> Next {
        let mut input = self.child.stdin.as_ref().expect("standard input is a pipe");
        match input.write_all(format!("{line}\n").as_bytes()) {
            Ok(()) => Next::Continue,
            Err(_) => Next::Stop,
        }
    }

    /// That was all: how many calls agree, and the first round that does not.
    ///
    /// # Errors
    /// If it has failed.
    pub fn compared(self) -> miette::Result<(u64, Option<u32>)> {
        let answer = self.answer()?;
        parse(&answer).ok_or_else(|| no_sense(&answer))
    }

    /// That was all: what it answers.
    ///
    /// # Errors
    /// If it has failed.
    pub fn answer(self) -> miette::Result<String> {
        let output = self.child.wait_with_output().into_diagnostic()?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(miette!("the fuzzer's model failed: {}", said.trim_end()));
        }
        Ok(String::from_utf8_lossy(&output.stdout)
            .trim_end()
            .to_owned())
    }
}

fn no_sense(answer: &str) -> miette::Report {
    miette!("the fuzzer's model answers `{answer}`")
}

fn parse(answer: &str) -> Option<(u64, Option<u32>)> {
    match answer.split_once(' ') {
        None => Some((answer.parse().ok()?, None)),
        Some((calls, round)) => Some((calls.parse().ok()?, Some(round.parse().ok()?))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::Lab;

    fn shell(script: &str) -> Playing {
        let model = Model {
            program: "sh".into(),
        };
        model.start(&["-c", script]).unwrap()
    }

    #[test]
    fn the_model_of_the_tests_hears_a_board_until_it_differs() {
        let model = Model::build(&Lab::open().unwrap().root).unwrap();
        let nothing = model.rounds(7).unwrap();
        assert_eq!(nothing.compared().unwrap(), (0, None));
        let mut playing = model.rounds(7).unwrap();
        playing.hear("@round 0 7 0 0");
        assert_eq!(playing.compared().unwrap(), (0, Some(0)));
        let shown = model.calls(7, 0).unwrap().answer().unwrap();
        assert!(shown.contains("the board: all wait"), "{shown}");
    }

    #[test]
    fn the_model_answers_when_it_has_heard_all() {
        let mut playing = shell("cat >&2; echo 120");
        assert_eq!(playing.hear("@round"), Next::Continue);
        assert_eq!(playing.compared().unwrap(), (120, None));
        assert_eq!(shell("echo 120 3").compared().unwrap(), (120, Some(3)));
    }

    #[test]
    fn a_model_that_has_heard_enough_stops_the_board() {
        let mut playing = shell("read line; echo 0 0");
        while playing.hear("@round") == Next::Continue {}
        assert_eq!(playing.compared().unwrap(), (0, Some(0)));
    }

    #[test]
    fn a_model_that_fails_or_makes_no_sense_agrees_with_nobody() {
        let error = shell("echo why >&2; exit 1").compared().unwrap_err();
        assert_eq!(error.to_string(), "the fuzzer's model failed: why");
        assert!(shell("echo all agree").compared().is_err());
    }
}
