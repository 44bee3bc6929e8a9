//! `./riposte fuzz`: random programs on the shipped kernel and on the naive model, call by call.
//!
//! A board plays round after round and says what each came to: a number of calls, and a hash over their
//! results in the order in which they returned. The model, a program of its own, plays the same rounds on the
//! host. Where the two differ the board plays once more up to that round, and says every call of it.

mod model;

use serde::Serialize;

use crate::board::Board;
use crate::cli;
use crate::fault::Scene;
use crate::interrupt;
use crate::json;
use crate::lab::Lab;
use crate::machine::{self, End, Next, Pace, Said};
use crate::manifest::Application;
use crate::progress::Step;
use model::Model;

/// The application that plays.
const APPLICATION: &str = "tests/fuzz/board";

/// At which calls take as good as no time, as in the model: all of a round fit into less than half a quantum.
const PACE: Pace = Pace::Clock;

/// Rounds of one boot.
#[derive(Clone, Copy, Debug)]
pub struct Rounds {
    /// The first seed.
    pub seed: u32,
    /// How many.
    pub count: u32,
}

/// What a boot came to: how many calls were compared, or what differs.
pub type Verdict = Result<u64, String>;

/// The application that plays, and the model.
pub struct Fuzzer<'a> {
    lab: &'a Lab,
    application: Application,
    model: Model,
}

/// What was played, as data.
#[derive(Serialize)]
struct Report<'a> {
    /// The seed of the first round.
    seed: u32,
    rounds: u32,
    boards: Vec<Played<'a>>,
}

/// What a board came to.
#[derive(Serialize)]
struct Played<'a> {
    board: &'a str,
    /// How many calls were compared, if all agree.
    calls: Option<u64>,
    /// Otherwise what differs, in words.
    differs: Option<String>,
}

impl Played<'_> {
    fn text(&self) -> String {
        let Played {
            board,
            calls,
            differs,
        } = self;
        match (calls, differs) {
            (_, Some(why)) => format!("{board}: {why}"),
            (calls, None) => format!("{board}: {} calls compared, all agree", calls.unwrap_or(0)),
        }
    }
}

/// Obeys the command.
///
/// # Errors
/// If the application or the model does not build.
pub fn fuzz(lab: &Lab, asked: &cli::Fuzz) -> miette::Result<i32> {
    let fuzzer = Fuzzer::new(lab)?;
    let mut boards = vec![];
    for name in &asked.boards {
        boards.push(lab.board_for(&fuzzer.application, Some(name))?);
    }
    if boards.is_empty() {
        boards.push(lab.board_for(&fuzzer.application, None)?);
    }
    let rounds = Rounds {
        seed: asked.seed,
        count: asked.rounds,
    };
    let mut report = Report {
        seed: rounds.seed,
        rounds: rounds.count,
        boards: vec![],
    };
    for board in boards {
        let verdict = fuzzer.compare(board, rounds)?;
        let played = Played {
            board: &board.name,
            calls: verdict.as_ref().ok().copied(),
            differs: verdict.err(),
        };
        if !asked.json {
            println!("{}", played.text());
        }
        report.boards.push(played);
    }
    if asked.json {
        json::print(&report)?;
    }
    let differs = report.boards.iter().any(|it| it.differs.is_some());
    Ok(i32::from(differs))
}

impl<'a> Fuzzer<'a> {
    /// Reads the application, and builds the model.
    ///
    /// # Errors
    /// If the application cannot be read, or the model does not build.
    pub fn new(lab: &'a Lab) -> miette::Result<Fuzzer<'a>> {
        Ok(Fuzzer {
            lab,
            application: lab.application(APPLICATION)?,
            model: Model::build(&lab.root)?,
        })
    }

    /// Boots that once showed a fault.
    ///
    /// # Errors
    /// If the model fails.
    pub fn found(&self) -> miette::Result<Vec<Rounds>> {
        self.model.found()
    }

    /// Boots the board, and compares each round with the model's.
    ///
    /// # Errors
    /// If the application does not build, the model fails, or somebody presses Ctrl-C.
    pub fn compare(&self, board: &Board, rounds: Rounds) -> miette::Result<Verdict> {
        let root = &self.lab.root;
        let application = with_settings(&self.application, board, rounds, 0)?;
        let image = self.lab.build(&application, board)?;
        let _step = Step::begin(format!("fuzzing {}", board.name));
        let mut playing = self.model.rounds(rounds.seed)?;
        let mut text = Vec::new();
        let scene = Scene::new(root, board, &image);
        let end = machine::run_at(PACE, root, board, &image.file, |said| {
            let (Said::Line(line) | Said::Unfinished(line)) = said;
            if line.starts_with("@round ") {
                return playing.hear(line);
            }
            text.push(scene.explained(line));
            Next::Continue
        });
        let compared = playing.compared();
        interrupt::check()?;
        let (calls, differs) = compared?;
        let again = |round: u32| {
            format!(
                "to replay: ./riposte fuzz --board {} --seed {} --rounds {}",
                board.name,
                rounds.seed,
                round + 1
            )
        };
        if let Some(round) = differs {
            let shown = self.show(board, rounds, round)?;
            return Ok(Err(format!(
                "after {calls} calls that agree, round {round} of seed {} differs\n{shown}\n{}",
                rounds.seed,
                again(round)
            )));
        }
        Ok(match end {
            Ok(End::Exit(0)) => Ok(calls),
            other => Err(format!(
                "after {calls} calls that agree, the machine did not come to the end of a round: {}\n{}\n{}",
                other.map_or_else(|report| report.to_string(), |end| format!("{end:?}")),
                text.join("\n"),
                again(rounds.count - 1)
            )),
        })
    }

    /// Plays up to the round once more, and says where it differs.
    fn show(&self, board: &Board, rounds: Rounds, round: u32) -> miette::Result<String> {
        let until = Rounds {
            count: round + 1,
            ..rounds
        };
        let application = with_settings(&self.application, board, until, round + 1)?;
        let image = self.lab.build(&application, board)?;
        let mut playing = self.model.calls(rounds.seed, round)?;
        machine::run_at(PACE, &self.lab.root, board, &image.file, |said| {
            let (Said::Line(line) | Said::Unfinished(line)) = said;
            if line.starts_with("@record ") {
                return playing.hear(line);
            }
            Next::Continue
        })?;
        let shown = playing.answer();
        interrupt::check()?;
        shown
    }
}

fn with_settings(
    application: &Application,
    board: &Board,
    rounds: Rounds,
    shown: u32,
) -> miette::Result<Application> {
    let mut application = application.on(board)?;
    for process in &mut application.processes {
        for setting in &mut process.settings {
            setting.value = match setting.name.as_str() {
                "seed" => rounds.seed,
                "rounds" => rounds.count,
                "shown" => shown,
                "spaces" => u32::from(board.protection.translates()),
                _ => setting.value,
            };
        }
    }
    Ok(application)
}
