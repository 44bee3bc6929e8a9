//! `./riposte run`: builds and boots an application, console attached; or several, which a wire joins.

mod consoles;
mod nodes;
mod told;

use std::io::Write;
use std::path::Path;
use std::time::Duration;

use crate::board::Board;
use crate::build::Image;
use crate::card::Card;
use crate::cli;
use crate::fault::{Reported, Scene};
use crate::interrupt;
use crate::lab::Lab;
use crate::machine::{
    self, Attended, End, Engine, Machine, Next, OnReset, Pace, Patience, Said, Seen,
};
use crate::manifest::Application;
use crate::network::Network;
use crate::stacks::Stacks;
use told::{How, Told};

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
    let built = Built::of(lab, &application, board, image, asked.card.as_deref())?;
    built.tell();
    let scene = built.scene();
    let machine = Machine {
        attended: Attended::FromHere,
        raw: asked.raw,
        patience: patience(board, asked.limit),
        ..built.machine(&scene, asked.in_virtual_time)?
    };
    let ran = built.run(&machine, &scene, |said| {
        if asked.json {
            Told::console(None, &shown(&scene, said)).print();
        } else {
            show(&scene, said);
        }
        Next::Continue
    });
    if asked.json {
        let how = ran.as_ref().map_or(How::Failed, |(end, ..)| How::of(*end));
        Told::end(how).print();
    }
    let (end, seen, stacks) = ran?;
    match end {
        End::Exit(code) => {
            eprint!("{}", stacks.summary());
            Ok(code)
        }
        End::Endless(standing) => {
            eprint!("{}", scene.suspended(&seen.tables.threads));
            Err(miette::miette!(
                help = limit(board, asked.limit),
                "{}",
                scene.endless(standing)
            ))
        }
        End::Interrupted(standing) => {
            eprintln!("\nriposte: {}", scene.interrupted(standing.as_ref()));
            eprint!("{}", scene.suspended(&seen.tables.threads));
            Ok(interrupt::EXIT_CODE)
        }
        End::Stopped => Ok(interrupt::EXIT_CODE),
    }
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
    let built = Built::of(lab, application, board, image.clone(), None)?;
    let scene = built.scene();
    let machine = built.machine(&scene, true)?;
    let (end, _, stacks) = built.run(&machine, &scene, |said| {
        if let Said::Line(line) = said {
            eprintln!("{}", scene.explained(line).trim_end());
        }
        Next::Continue
    })?;
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

/// A built application, and what its board is given.
pub(crate) struct Built<'a> {
    root: &'a Path,
    /// The board.
    pub board: &'a Board,
    /// The image.
    pub image: Image,
    types: bool,
    card: Option<Card>,
    network: Option<Network>,
}

impl<'a> Built<'a> {
    /// That of an image, with the card that is asked for.
    ///
    /// # Errors
    /// If the board cannot be given what the application wants.
    pub fn of(
        lab: &'a Lab,
        application: &Application,
        board: &'a Board,
        image: Image,
        card: Option<&Path>,
    ) -> miette::Result<Built<'a>> {
        Ok(Built {
            root: &lab.root,
            board,
            types: application.types,
            card: Card::of(application, board, &image, card)?,
            network: Network::of(application, board)?,
            image,
        })
    }

    /// Says where its network can be reached.
    pub fn tell(&self) {
        for line in self.network.iter().flat_map(Network::reachable) {
            eprintln!("riposte: {line}");
        }
    }

    /// What is known of it while it runs.
    pub fn scene(&self) -> Scene<'_> {
        Scene::new(self.root, self.board, &self.image)
    }

    /// What runs it, with nobody at the console: in virtual time if that is asked for and possible.
    ///
    /// # Errors
    /// If the board's simulator does not build.
    pub fn machine(&self, scene: &Scene<'_>, in_virtual_time: bool) -> miette::Result<Machine> {
        let pace = if in_virtual_time && !self.takes_time() {
            Pace::Run
        } else {
            Pace::Person
        };
        let engine = Engine::new(self.root, self.board, &self.image.file, pace)?;
        Ok(Machine {
            types: self.types,
            tables: scene.tables(),
            on_reset: Some(OnReset::new(|| eprintln!("riposte: the board was reset"))),
            ..Machine::unattended(engine.with_devices(self.devices()))
        })
    }

    /// Runs it to its end, prints reports of the faults that its console has not told of, and says what its threads have
    /// used of their stacks, too. That is kept.
    ///
    /// # Errors
    /// If it does not run, or that cannot be kept.
    pub fn run(
        &self,
        machine: &Machine,
        scene: &Scene<'_>,
        mut observe: impl FnMut(Said<'_>) -> Next,
    ) -> miette::Result<(End, Seen, Stacks)> {
        let mut stacks = Stacks::default();
        let mut reported = Reported::default();
        let (end, seen) = machine::run_to_see(machine, |said| {
            if let Said::Line(line) = said {
                scene.note_stacks(line, &mut stacks);
                reported.note(line);
            }
            observe(said)
        })?;
        eprint!("{}", scene.unreported(&seen, &reported));
        scene.note_stacks_of(&seen.tables.threads, &mut stacks);
        stacks.keep(&self.image)?;
        Ok((end, seen, stacks))
    }

    /// Whether what it is given takes the time of this machine: were the board's own to pass by while it waits for that,
    /// deadlines would pass, too.
    fn takes_time(&self) -> bool {
        self.card.is_some() || self.network.is_some()
    }

    /// What the emulator is told.
    fn devices(&self) -> impl Iterator<Item = String> {
        let card = self.card.iter().flat_map(Card::arguments);
        card.chain(self.network.iter().flat_map(Network::arguments))
    }
}

/// How long it may be silent. A simulator counts cycles, unless it is asked for a time.
pub(crate) fn patience(board: &Board, limit: Option<Duration>) -> Option<Patience> {
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

/// What the console said, with the end of a line.
pub(crate) fn shown(scene: &Scene<'_>, said: Said<'_>) -> String {
    match said {
        Said::Line(line) => {
            let text = scene.explained(line);
            let end = if text.ends_with('\n') { "" } else { "\n" };
            format!("{text}{end}")
        }
        Said::Unfinished(text) => text.to_owned(),
    }
}

/// Prints what the console said.
pub(crate) fn show(scene: &Scene<'_>, said: Said<'_>) {
    print!("{}", shown(scene, said));
    // Who closed the console does not want to see more.
    let _ = std::io::stdout().flush();
}
