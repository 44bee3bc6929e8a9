//! `./riposte run`: builds and boots an application, console attached.

use std::io::Write;

use crate::board::Board;
use crate::build::Image;
use crate::fault::Scene;
use crate::interrupt;
use crate::lab::Lab;
use crate::machine::{self, End, Engine, Machine, Next, Pace, Patience, Said};

/// Runs the application to its end; the result is its exit code.
///
/// # Errors
/// If it does not build, or the emulator does not run.
pub fn run(lab: &Lab, name: &str, board: Option<&str>) -> miette::Result<i32> {
    let application = lab.application(name)?;
    let board = lab.board_for(&application, board)?;
    let image = lab.build(&application, board)?;
    boot(lab, board, &image)
}

fn boot(lab: &Lab, board: &Board, image: &Image) -> miette::Result<i32> {
    let scene = Scene::new(&lab.root, board, image);
    let machine = Machine {
        engine: Engine::new(&lab.root, board, &image.file, Pace::Run)?,
        interactive: true,
        patience: Patience::OF_A_PERSON,
    };
    let end = machine::run(&machine, |said| {
        show(&scene, said);
        Next::Continue
    })?;
    match end {
        End::Exit(code) => Ok(code),
        End::Endless(standing) => Err(miette::miette!(
            help = limit(board),
            "{}",
            scene.endless(standing)
        )),
        End::Stopped | End::Interrupted => Ok(interrupt::EXIT_CODE),
    }
}

/// What a run without end was stopped by.
fn limit(board: &Board) -> String {
    match board.simulator() {
        Some(simulator) => format!(
            "`max_cycles` in the `[simulator]` of {} is {}",
            board.name, simulator.max_cycles
        ),
        None => format!(
            "a run on an emulator is stopped when its console has been silent for {} minutes",
            Patience::OF_A_PERSON.silence.as_secs() / 60
        ),
    }
}

fn show(scene: &Scene<'_>, said: Said<'_>) {
    match said {
        Said::Line(line) => match line.strip_prefix("@fault ") {
            Some(json) => print!("{}", scene.report(json)),
            None => println!("{line}"),
        },
        Said::Unfinished(text) => print!("{text}"),
    }
    // Who closed the console does not want to see more.
    let _ = std::io::stdout().flush();
}
