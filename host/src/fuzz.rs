//! `./riposte fuzz`: random programs on the shipped kernel and on the naive model, call by call.
//!
//! A board plays round after round and says what each came to: a number of calls, and a hash over their
//! results in the order in which they returned. The host plays the same rounds on the model. Where the two
//! differ the board plays once more up to that round, and says every call of it.

use std::sync::mpsc;

use riposte_fuzz_model::{Played, describe, play};

use crate::board::Board;
use crate::cli;
use crate::fault::Scene;
use crate::lab::Lab;
use crate::machine::{self, End, Next, Said};
use crate::manifest::Application;
use crate::progress::Step;

/// The application that plays.
pub const APPLICATION: &str = "tests/fuzz/board";
/// Calls that are shown before the one that differs.
const BEFORE: usize = 12;

/// Microseconds between two moments, where an emulator skips the time in which all wait.
const SKIPPED: u32 = 10_000;
/// And where it does not: just enough for what a moment sets off.
const SPENT: u32 = 500;

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

/// What a board says of a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Round {
    hash: u32,
    calls: u32,
}

/// Obeys the command.
///
/// # Errors
/// If the application does not build.
pub fn fuzz(lab: &Lab, asked: &cli::Fuzz) -> miette::Result<i32> {
    let application = lab.application(APPLICATION)?;
    let mut boards = vec![];
    for name in &asked.boards {
        boards.push(lab.board_for(&application, Some(name))?);
    }
    if boards.is_empty() {
        boards.push(lab.board_for(&application, None)?);
    }
    let rounds = Rounds {
        seed: asked.seed,
        count: asked.rounds,
    };
    let mut code = 0;
    for board in boards {
        match compare(lab, &application, board, rounds)? {
            Ok(calls) => println!("{}: {calls} calls compared, all agree", board.name),
            Err(why) => {
                println!("{}: {why}", board.name);
                code = 1;
            }
        }
    }
    Ok(code)
}

/// Boots the board, and compares each round with the model's.
///
/// # Errors
/// If the application does not build.
pub fn compare(
    lab: &Lab,
    application: &Application,
    board: &Board,
    rounds: Rounds,
) -> miette::Result<Verdict> {
    let image = lab.build(&with_settings(application, board, rounds, 0)?, board)?;
    let _step = Step::begin(format!("fuzzing {}", board.name));
    let (sender, receiver) = mpsc::sync_channel::<Round>(4096);
    let mut calls = 0;
    let mut text = Vec::new();
    let (end, differs) = std::thread::scope(|scope| {
        let model = scope.spawn(move || {
            let mut calls = 0;
            for round in 0.. {
                let Ok(said) = receiver.recv() else { break };
                let played = play(rounds.seed, round);
                let expected = Round {
                    hash: played.hash,
                    calls: played.records.len() as u32,
                };
                if said != expected {
                    return (calls, Some(round));
                }
                calls += u64::from(said.calls);
            }
            (calls, None)
        });
        let mut sender = Some(sender);
        let scene = Scene::new(&lab.root, board, &image);
        let end = machine::run_unattended(&lab.root, board, &image.file, |said| {
            let (Said::Line(line) | Said::Unfinished(line)) = said;
            match parse_round(line) {
                Some(round) => {
                    if sender.as_ref().is_some_and(|it| it.send(round).is_err()) {
                        sender = None;
                        return Next::Stop;
                    }
                }
                None => text.push(match line.strip_prefix("@fault ") {
                    Some(json) => scene.report(json),
                    None => line.to_owned(),
                }),
            }
            Next::Continue
        });
        drop(sender);
        let (compared, differs) = model.join().expect("the model does not panic");
        calls = compared;
        (end, differs)
    });
    let again = |round: u32| {
        format!(
            "to replay: ./riposte fuzz --board {} --seed {} --rounds {}",
            board.name,
            rounds.seed,
            round + 1
        )
    };
    if let Some(round) = differs {
        // It is locked against being built once more.
        drop(image);
        let shown = show(lab, application, board, rounds, round)?;
        return Ok(Err(format!(
            "after {calls} calls that agree, round {round} of seed {} differs\n{shown}\n{}",
            rounds.seed,
            again(round)
        )));
    }
    Ok(match end {
        Ok(End::Exit(0)) => Ok(calls),
        Ok(End::Interrupted) => Err("interrupted".into()),
        other => Err(format!(
            "after {calls} calls that agree, the machine did not come to the end of a round: {}\n{}\n{}",
            other.map_or_else(|report| report.to_string(), |end| format!("{end:?}")),
            text.join("\n"),
            again(rounds.count - 1)
        )),
    })
}

fn parse_round(line: &str) -> Option<Round> {
    let mut words = line.strip_prefix("@round ")?.split(' ').skip(2);
    let hash = u32::from_str_radix(words.next()?, 16).ok()?;
    let calls = words.next()?.parse().ok()?;
    Some(Round { hash, calls })
}

fn with_settings(
    application: &Application,
    board: &Board,
    rounds: Rounds,
    shown: u32,
) -> miette::Result<Application> {
    let mut application = application.clone();
    let quantum = if board.traps.waiting { SKIPPED } else { SPENT };
    for process in &mut application.processes {
        for setting in &mut process.settings {
            setting.value = match setting.name.as_str() {
                "seed" => rounds.seed,
                "rounds" => rounds.count,
                "shown" => shown,
                "quantum" => quantum,
                "spaces" => u32::from(board.protection.translates()),
                _ => setting.value,
            };
        }
    }
    Ok(application)
}

/// Plays up to the round once more, and says where it differs.
fn show(
    lab: &Lab,
    application: &Application,
    board: &Board,
    rounds: Rounds,
    round: u32,
) -> miette::Result<String> {
    let until = Rounds {
        count: round + 1,
        ..rounds
    };
    let image = lab.build(&with_settings(application, board, until, round + 1)?, board)?;
    let mut records = Vec::new();
    machine::run_unattended(&lab.root, board, &image.file, |said| {
        let (Said::Line(line) | Said::Unfinished(line)) = said;
        if let Some(record) = line.strip_prefix("@record ") {
            let words = record.trim_matches(['[', ']']).split(", ");
            records.push(
                words
                    .filter_map(|word| u32::from_str_radix(word, 16).ok())
                    .collect::<Vec<_>>(),
            );
        }
        Next::Continue
    })?;
    Ok(difference(&play(rounds.seed, round), &records))
}

/// The calls up to the first that differs.
fn difference(played: &Played, records: &[Vec<u32>]) -> String {
    let same = played
        .records
        .iter()
        .zip(records)
        .take_while(|(model, board)| model[..] == board[..])
        .count();
    let mut lines = Vec::new();
    for index in same.saturating_sub(BEFORE)..same {
        let call = describe(&played.steps[index], &played.records[index]);
        lines.push(format!("  {index:4}  {call}"));
    }
    match (played.records.get(same), records.get(same)) {
        (None, None) => lines.push("on the second time they agree: time told them apart".into()),
        (model, board) => {
            if let Some(record) = model {
                let call = describe(&played.steps[same], record);
                lines.push(format!("  {same:4}  the model: {call}"));
            } else {
                lines.push(format!("  {same:4}  the model: all wait"));
            }
            match board {
                Some(record) => {
                    lines.push(format!("        the board: {}", describe_record(record)))
                }
                None => lines.push("        the board: all wait".into()),
            }
        }
    }
    let waiting = if played.records.len() == same {
        &played.waiting[..]
    } else {
        &[]
    };
    for (thread, step) in waiting {
        lines.push(format!(
            "        at the end of the model's, thread {thread} waits in {}",
            riposte_fuzz_model::call_of(step)
        ));
    }
    lines.join("\n")
}

fn describe_record(record: &[u32]) -> String {
    match record.try_into() {
        Ok(record) => riposte_fuzz_model::describe_record(&record),
        Err(_) => format!("{record:x?}"),
    }
}
