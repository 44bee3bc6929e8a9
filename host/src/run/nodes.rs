//! `./riposte run` of a group: several machines at once, joined by one Ethernet.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use miette::miette;

use super::consoles::{Consoles, Keyboard, Typed};
use super::told::{How, Told};
use crate::build::Image;
use crate::cli;
use crate::fault::{Reported, Scene};
use crate::interrupt;
use crate::lab::Lab;
use crate::machine::{
    self, Attended, End, Engine, Machine, Next, OnReset, POLL, Patience, Remote, Said,
};
use crate::nodes::{Group, Node};
use crate::stacks::Stacks;
use crate::wire::{self, Wire};

/// Runs a group until all of its nodes have ended, but for those in the background. The result is the exit code of the first
/// that has ended with another one than 0.
///
/// # Errors
/// If one does not build, an emulator does not run, or none of them says anything for too long.
pub fn run(lab: &Lab, path: &Path, asked: &cli::Run) -> miette::Result<i32> {
    let group = Group::load(lab, path)?;
    refuse_what_is_for_one(&group, asked)?;
    let resets = asked.nodes.reset.iter().map(|(name, after)| {
        let node = group.find(name)?;
        Ok((*after, node))
    });
    let mut resets = resets.collect::<miette::Result<Vec<_>>>()?;
    resets.sort_unstable();
    let images = group.build(lab)?;
    let quality = asked.nodes.wire.clone().unwrap_or(group.wire.clone());
    let seed = quality.seed;
    let wire = Wire::new(group.nodes.len(), quality, asked.nodes.pcap.as_deref())?;
    let names = group.names();
    let consoles = Consoles::new(names.clone(), asked.json);
    if asked.in_virtual_time {
        eprintln!(
            "riposte: nodes take the time of this machine: none knows when another is to be heard"
        );
    }
    let mut places = vec![];
    for (number, (node, image)) in group.nodes.iter().zip(&images).enumerate() {
        places.push(Place::new(lab, (number, node), image, &wire, &consoles)?);
    }
    let code = Run {
        lab,
        places: &places,
        consoles: &consoles,
        wire: &wire,
        limit: asked.limit.unwrap_or(Patience::OF_A_PERSON.silence),
    }
    .to_the_end(resets);
    if asked.json {
        let how = match &code {
            Ok(_) if interrupt::asked() => How::Interrupted,
            Ok(code) => How::Exit(*code),
            Err((how, _)) => *how,
        };
        Told::end(how).print();
    }
    eprint!(
        "\nriposte: the wire, with the seed {seed}\n{}",
        wire::table(&names, &wire.counters())
    );
    code.map_err(|(_, why)| why)
}

fn refuse_what_is_for_one(group: &Group, asked: &cli::Run) -> miette::Result<()> {
    let for_one = [
        (
            asked.application.board.is_some(),
            "--board",
            "each [[node]] of its nodes.toml may name a `board`",
        ),
        (
            asked.raw,
            "--raw",
            "lines are typed to nodes, and Ctrl-C ends them all",
        ),
        (
            asked.card.is_some(),
            "--card",
            "each node that uses a card has a new one for the run",
        ),
    ];
    let said = for_one.iter().find(|(is_said, ..)| *is_said);
    said.map_or(Ok(()), |(_, option, help)| {
        Err(miette!(
            help = *help,
            "{option} is for one application, and `{}` is a group of {} nodes",
            group.name,
            group.nodes.len()
        ))
    })
}

/// A node, and where it runs.
struct Place<'a> {
    node: &'a Node,
    image: &'a Image,
    engine: Engine,
    switch: Switch,
    stacks: Mutex<Stacks>,
}

impl<'a> Place<'a> {
    fn new(
        lab: &Lab,
        (number, node): (usize, &'a Node),
        image: &'a Image,
        wire: &Wire,
        consoles: &Consoles,
    ) -> miette::Result<Place<'a>> {
        let wanted = &node.application.network;
        if !(wanted.tcp.is_empty() && wanted.udp.is_empty() && wanted.echo.is_none()) {
            let text = "its `[network]` is for a board that is alone: at a wire this machine reaches none of its ports";
            consoles.tell(number, text);
        }
        Ok(Place {
            node,
            image,
            engine: node.engine(lab, image, (wire, number))?,
            switch: Switch::default(),
            stacks: Mutex::default(),
        })
    }
}

/// Switches a node off, or off and on.
#[derive(Default)]
struct Switch {
    remote: Remote,
    is_off: AtomicBool,
}

impl Switch {
    /// Off and on.
    fn reset(&self) {
        self.remote.stop();
    }

    /// Off, for good.
    fn off(&self) {
        // Before whoever is stopped asks.
        self.is_off.store(true, Ordering::Release);
        self.remote.stop();
    }

    /// Whether a node that was stopped is to begin again.
    fn is_on(&self) -> bool {
        !self.is_off.load(Ordering::Acquire)
    }
}

/// What became of a node.
enum Ended {
    /// Its application has ended it, for the last time, with this code.
    Itself(i32),
    /// The tool has ended it, or somebody the tool.
    Stopped,
    /// It cannot run.
    Failed(miette::Report),
}

/// What the thread of a node says.
enum News {
    /// Its console has said something.
    Heard,
    /// It has ended.
    Ended(usize, Ended),
}

/// The exit code; or how and why there is none.
type Outcome = Result<i32, (How, miette::Report)>;

struct Run<'a> {
    lab: &'a Lab,
    places: &'a [Place<'a>],
    consoles: &'a Consoles,
    wire: &'a Wire,
    /// How long all of them may be silent.
    limit: Duration,
}

impl Run<'_> {
    /// Runs them all; `resets` says in order of time which are switched off and on.
    fn to_the_end(&self, resets: Vec<(Duration, usize)>) -> Outcome {
        let typed = self.typed();
        std::thread::scope(|scope| {
            let (say, news) = channel();
            for number in 0..self.places.len() {
                let say = say.clone();
                scope.spawn(move || {
                    let ended = self.lives(number, &say);
                    // Who listens outlives this thread.
                    let _ = say.send(News::Ended(number, ended));
                });
            }
            drop(say);
            let code = self.watch(&news, &typed, resets);
            for place in self.places {
                place.switch.off();
            }
            code
        })
    }

    /// The lines that a person types, or whatever comes in their place, until they end.
    fn typed(&self) -> Receiver<String> {
        let (say, typed) = channel();
        if machine::terminal_is_ours() {
            std::thread::spawn(move || {
                let lines = std::io::stdin().lines();
                for line in lines.map_while(Result::ok) {
                    if say.send(line).is_err() {
                        return;
                    }
                }
            });
        }
        typed
    }

    /// Runs a node, and again as often as it is to.
    fn lives(&self, number: usize, say: &Sender<News>) -> Ended {
        let place = &self.places[number];
        let scene = Scene::new(&self.lab.root, &place.node.board, place.image);
        let mut restarts = place.node.restarts;
        loop {
            let end = match self.life(number, &scene, say) {
                Ok(end) => end,
                Err(report) => return Ended::Failed(report),
            };
            match end {
                End::Stopped if place.switch.is_on() => {
                    self.consoles.tell(number, "is switched off and on");
                }
                End::Exit(code) if restarts > 0 => {
                    restarts -= 1;
                    let left = match restarts {
                        0 => "for the last time".to_owned(),
                        more => format!("and {more} times more if it ends again"),
                    };
                    let text = format!("has ended with {code}; it starts again, {left}");
                    self.consoles.tell(number, &text);
                }
                End::Exit(code) => {
                    self.consoles
                        .tell(number, &format!("has ended with {code}"));
                    return Ended::Itself(code);
                }
                End::Interrupted(standing) => {
                    let text = scene.interrupted(standing.as_ref());
                    self.consoles.tell(number, &text);
                    return Ended::Stopped;
                }
                End::Stopped | End::Endless(_) => return Ended::Stopped,
            }
            if interrupt::asked() {
                return Ended::Stopped;
            }
        }
    }

    /// Runs a node once.
    fn life(&self, number: usize, scene: &Scene<'_>, say: &Sender<News>) -> miette::Result<End> {
        let place = &self.places[number];
        let name = place.node.name.clone();
        let machine = Machine {
            attended: Attended::By(place.switch.remote.clone()),
            types: place.node.application.types,
            tables: scene.tables(),
            on_reset: Some(OnReset::new(move || {
                eprintln!("riposte: {name}: was reset");
            })),
            // All of them together may not be silent for too long.
            patience: None,
            ..Machine::unattended(place.engine.clone())
        };
        let mut stacks = Stacks::default();
        let mut reported = Reported::default();
        let (end, seen) = machine::run_to_see(&machine, |said| {
            match said {
                Said::Line(line) => {
                    scene.note_stacks(line, &mut stacks);
                    reported.note(line);
                    let text = scene.explained(line);
                    let end = if text.ends_with('\n') { "" } else { "\n" };
                    self.consoles.say(number, &format!("{text}{end}"));
                }
                Said::Unfinished(text) => self.consoles.say(number, text),
            }
            // Who listens outlives this thread.
            let _ = say.send(News::Heard);
            Next::Continue
        })?;
        let untold = scene.unreported(&seen, &reported);
        if !untold.is_empty() {
            self.consoles.tell(number, &untold);
        }
        scene.note_stacks_of(&seen.tables.threads, &mut stacks);
        *place.stacks.lock().unwrap_or_else(PoisonError::into_inner) = stacks;
        Ok(end)
    }

    /// Waits for the ends of all nodes that are not in the background, and does what is due or asked for.
    fn watch(
        &self,
        news: &Receiver<News>,
        typed: &Receiver<String>,
        resets: Vec<(Duration, usize)>,
    ) -> Outcome {
        let names = self.places.iter().map(|it| it.node.name.clone());
        let mut keyboard = Keyboard::new(names.collect());
        let begun = Instant::now();
        let mut heard = begun;
        let mut resets = resets.into_iter().peekable();
        let mut runs = vec![true; self.places.len()];
        let mut code = 0;
        loop {
            match news.recv_timeout(POLL) {
                Ok(News::Heard) => heard = Instant::now(),
                Ok(News::Ended(number, ended)) => {
                    runs[number] = false;
                    match ended {
                        Ended::Itself(own) if code == 0 => code = own,
                        Ended::Itself(_) | Ended::Stopped => {}
                        Ended::Failed(report) => return Err((How::Failed, report)),
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            while let Some((_, node)) = resets.next_if(|(at, _)| begun.elapsed() >= *at) {
                if runs[node] {
                    self.places[node].switch.reset();
                }
            }
            while let Ok(line) = typed.try_recv() {
                heard = Instant::now();
                self.obey(keyboard.means(&line), &runs);
            }
            let mut all = self.places.iter().zip(&runs);
            if !all.any(|(place, runs)| *runs && !place.node.background) {
                break;
            }
            if heard.elapsed() > self.limit && !interrupt::asked() {
                let limit = humantime::format_duration(self.limit);
                let why = miette!(
                    help = "--limit SECONDS says another time",
                    "none of the nodes has said anything for {limit}"
                );
                return Err((How::Endless, why));
            }
        }
        self.keep_stacks().map_err(|why| (How::Failed, why))?;
        if interrupt::asked() {
            return Ok(interrupt::EXIT_CODE);
        }
        Ok(code)
    }

    fn obey(&self, typed: Typed, runs: &[bool]) {
        match typed {
            Typed::Keys(node, _) | Typed::Reset(node) if !runs[node] => {
                self.consoles.tell(node, "has ended, and hears nothing");
            }
            Typed::Keys(node, keys) => {
                if !self.places[node].switch.remote.press(keys.as_bytes()) {
                    self.consoles
                        .tell(node, "takes no keys: what was typed is lost");
                }
            }
            Typed::Reset(node) => self.places[node].switch.reset(),
            Typed::Plug { node, is_in } => {
                self.wire.plug(node, is_in);
                let text = if is_in { "plugged in" } else { "plugged out" };
                self.consoles.tell(node, text);
            }
            Typed::Nothing(why) => eprintln!("riposte: {why}"),
        }
    }

    /// What the threads have used of their stacks is kept as after any run.
    fn keep_stacks(&self) -> miette::Result<()> {
        self.places.iter().try_for_each(|place| {
            let stacks = place.stacks.lock().unwrap_or_else(PoisonError::into_inner);
            stacks.keep(place.image)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reset_that_comes_as_a_node_ends_by_itself_resets_its_next_life() {
        let switch = Switch::default();
        switch.reset();
        for _ in [
            "the end by itself",
            "that of the next life, which was stopped",
        ] {
            assert!(switch.is_on());
        }
        switch.off();
        switch.reset();
        assert!(!switch.is_on(), "off is for good");
    }
}
