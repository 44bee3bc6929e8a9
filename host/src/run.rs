//! `./riposte run`: builds and boots an application, console attached; or several, which a wire joins.

mod consoles;
mod nodes;

use std::io::Write;
use std::time::Duration;

use crate::board::Board;
use crate::build::Image;
use crate::card::Card;
use crate::cli;
use crate::fault::Scene;
use crate::interrupt;
use crate::lab::Lab;
use crate::machine::{self, Attended, End, Engine, Machine, Next, Pace, Patience, Said};
use crate::manifest::Application;
use crate::network::Network;
use crate::stacks::Stacks;

/// Runs the application, or the group of nodes, to its end; the result is its exit code.
///
/// # Errors
/// If it does not build, or the emulator does not run.
pub fn run(lab: &Lab, asked: &cli::Run) -> miette::Result<i32> {
    if let Some(path) = lab.group(&asked.application.app) {
        return nodes::run(lab, &path, asked);
    }
    if let Some(option) = asked.nodes.first_option() {
        return Err(miette::miette!(
            help = "a folder with a nodes.toml is a group; docs/src/network.md has one",
            "{option} is for a group of nodes, and `{}` is one application",
            asked.application.app
        ));
    }
    let application = lab.application(&asked.application.app)?;
    let board = lab.board_for(&application, asked.application.board.as_deref())?;
    let image = lab.build(&application, board)?;
    let card = Card::of(&application, board, &image, asked.card.as_deref())?;
    let network = Network::of(&application, board)?;
    for line in network.iter().flat_map(Network::reachable) {
        eprintln!("riposte: {line}");
    }
    let devices = Devices { card, network };
    boot(lab, board, &image, &devices, asked)
}

/// Runs an application to its end in virtual time, with its console on the standard error, and says what its threads have
/// used of their stacks; that is kept as after any run.
///
/// # Errors
/// If it does not run, or to no end.
pub fn stacks(
    lab: &Lab,
    application: &Application,
    board: &Board,
    image: &Image,
) -> miette::Result<Stacks> {
    let devices = Devices {
        card: Card::of(application, board, image, None)?,
        network: Network::of(application, board)?,
    };
    let scene = Scene::new(&lab.root, board, image);
    let pace = if devices.take_time() {
        Pace::Person
    } else {
        Pace::Run
    };
    let engine = Engine::new(&lab.root, board, &image.file, pace)?;
    let mut machine = Machine::unattended(engine.with_devices(devices.arguments()));
    machine.threads = scene.threads();
    let mut stacks = Stacks::default();
    let (end, seen) = machine::run_to_see(&machine, |said| {
        if let Said::Line(line) = said {
            scene.note_stacks(line, &mut stacks);
            eprintln!("{}", scene.explained(line).trim_end());
        }
        Next::Continue
    })?;
    scene.note_stacks_of(&seen.threads, &mut stacks);
    stacks.keep(image)?;
    match end {
        End::Exit(_) => Ok(stacks),
        End::Endless(standing) => Err(miette::miette!(
            help =
                "./riposte run says the same of a run that Ctrl-C ends, and `stack` shows it later",
            "{}",
            scene.endless(standing)
        )),
        End::Interrupted(_) | End::Stopped => Err(miette::miette!("interrupted")),
    }
}

/// What the board is given.
struct Devices {
    card: Option<Card>,
    network: Option<Network>,
}

impl Devices {
    /// Whether they take the time of this machine: were the board's own to pass by while it waits for them, deadlines would
    /// pass, too.
    fn take_time(&self) -> bool {
        self.card.is_some() || self.network.is_some()
    }

    /// What the emulator is told.
    fn arguments(&self) -> impl Iterator<Item = String> {
        let card = self.card.iter().flat_map(Card::arguments);
        card.chain(self.network.iter().flat_map(Network::arguments))
    }
}

fn boot(
    lab: &Lab,
    board: &Board,
    image: &Image,
    devices: &Devices,
    asked: &cli::Run,
) -> miette::Result<i32> {
    let scene = Scene::new(&lab.root, board, image);
    let pace = if asked.in_virtual_time && !devices.take_time() {
        Pace::Run
    } else {
        Pace::Person
    };
    let engine = Engine::new(&lab.root, board, &image.file, pace)?;
    let machine = Machine {
        engine: engine.with_devices(devices.arguments()),
        attended: Attended::FromHere,
        raw: asked.raw,
        threads: scene.threads(),
        trace: None,
        live: None,
        patience: patience(board, asked.limit),
    };
    let mut stacks = Stacks::default();
    let (end, seen) = machine::run_to_see(&machine, |said| {
        if let Said::Line(line) = said {
            scene.note_stacks(line, &mut stacks);
        }
        show(&scene, said);
        Next::Continue
    })?;
    let threads = seen.threads;
    scene.note_stacks_of(&threads, &mut stacks);
    stacks.keep(image)?;
    match end {
        End::Exit(code) => {
            eprint!("{}", stacks.summary());
            Ok(code)
        }
        End::Endless(standing) => {
            eprint!("{}", scene.suspended(&threads));
            Err(miette::miette!(
                help = limit(board, asked.limit),
                "{}",
                scene.endless(standing)
            ))
        }
        End::Interrupted(standing) => {
            eprintln!("\nriposte: {}", scene.interrupted(standing.as_ref()));
            eprint!("{}", scene.suspended(&threads));
            Ok(interrupt::EXIT_CODE)
        }
        End::Stopped => Ok(interrupt::EXIT_CODE),
    }
}

/// How long it may be silent. A simulator counts cycles, unless it is asked for a time.
fn patience(board: &Board, limit: Option<Duration>) -> Option<Patience> {
    match (limit, board.simulator()) {
        (Some(silence), _) => Some(Patience {
            silence,
            ..Patience::OF_A_PERSON
        }),
        (None, None) => Some(Patience::OF_A_PERSON),
        (None, Some(_)) => None,
    }
}

/// What a run without end was stopped by.
fn limit(board: &Board, asked: Option<Duration>) -> String {
    match (asked, board.simulator()) {
        (Some(time), _) => format!(
            "a run is stopped when its console has been silent for {}, as --limit says",
            humantime::format_duration(time)
        ),
        (None, Some(simulator)) => format!(
            "`max_cycles` in the `[simulator]` of {} is {}",
            board.name, simulator.max_cycles
        ),
        (None, None) => format!(
            "a run on an emulator is stopped when its console has been silent for {} minutes; \
             --limit SECONDS says another time",
            Patience::OF_A_PERSON.silence.as_secs() / 60
        ),
    }
}

fn show(scene: &Scene<'_>, said: Said<'_>) {
    match said {
        Said::Line(line) => {
            let text = scene.explained(line);
            print!("{text}{}", if text.ends_with('\n') { "" } else { "\n" });
        }
        Said::Unfinished(text) => print!("{text}"),
    }
    // Who closed the console does not want to see more.
    let _ = std::io::stdout().flush();
}
