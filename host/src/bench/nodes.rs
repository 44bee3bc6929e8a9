//! What a transfer between two nodes takes: instructions of each, frames and bytes of the wire, and by a model the time.
//!
//! The nodes take the time of this machine, so that no time of theirs is worth anything. Counted are the instructions that
//! each emulator executes; one that sleeps executes none. The first node says on its console when a batch of transfers is to
//! begin:
//!
//! ```text
//! @batch CASE BYTES TURNS [PARTS AHEAD]
//! ```
//!
//! and waits for a line. When both nodes have come to rest the host takes all counts, and types the line; the next `@batch`, or
//! `@done`, is the end of the batch. Of two batches with different numbers of turns the difference is free of what
//! begins and ends one. A turn is two transfers, one each way.
//!
//! A transfer is of one part, or of as many as the line says, of which its sender may begin one when all but so many of those
//! before it have been taken: then the nodes and the wire are at work at the same time.

use std::cmp::Reverse;
use std::collections::VecDeque;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use miette::miette;
use serde_json::{Value, json};

use super::reference::{Publication, Reference};
use super::report::show;
use super::result_file;
use super::sizes::{Fit, fit};
use super::suite::Suite;
use crate::board::Board;
use crate::fault::Scene;
use crate::interrupt;
use crate::lab::{Lab, groups_below};
use crate::machine::{self, Attended, End, Engine, Machine, Next, Remote, Said};
use crate::nodes::Group;
use crate::progress::Step;
use crate::table::{Align, Table};
use crate::whole;
use crate::wire::{Quality, Traffic, Wire};

/// How long the nodes may be silent: a batch takes seconds.
const SILENCE: Duration = Duration::from_secs(120);
/// How often it is looked whether somebody has pressed Ctrl-C.
const ASK: Duration = Duration::from_millis(100);
/// How often it is looked whether they rest, how many times in a row they must not have moved, and how many times they may.
const LOOK: Duration = Duration::from_millis(20);
const STILL: u32 = 4;
const LOOKS: u32 = 500;
/// Lines of the consoles that a failure shows.
const SHOWN: usize = 10;

/// The wires of the model, in bits a microsecond.
const RATES: [f64; 2] = [10.0, 100.0];

/// What a transfer takes.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// The mechanism.
    pub case: String,
    /// Bytes that it moves.
    pub bytes: u32,
    /// The parts that it moves them in.
    pub parts: Parts,
    /// Instructions of each node.
    pub instructions: [f64; 2],
    /// Frames, both ways.
    pub frames: f64,
    /// Bytes of an Ethernet, both ways: with preambles, check sums, gaps, and what short frames are filled up with.
    pub on_ethernet: f64,
}

/// How a transfer is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts {
    /// How many there are.
    pub count: u32,
    /// How many of them the sender may have begun that have not been taken.
    pub ahead: u32,
}

impl Parts {
    /// All of it at once.
    pub const ONE: Parts = Parts { count: 1, ahead: 1 };

    /// When the last part is through `stages` (a node, the wire, a node), which take so long for all parts together: each takes the
    /// parts one after another, and each part when the stage before has done so. The first waits, too, until it is no further ahead
    /// of the last one than it may be, which it hears when the wire has carried one more part.
    fn through(self, stages: [f64; 3]) -> f64 {
        let each @ [_, wire, _] = stages.map(|all| all / f64::from(self.count));
        let mut taken: Vec<f64> = vec![];
        let mut free = [0.0_f64; 3];
        for part in 0..self.count {
            let first = part.checked_sub(self.ahead);
            let mut at = first.map_or(0.0, |it| taken[it as usize] + wire);
            for (stage, free) in free.iter_mut().enumerate() {
                at = at.max(*free) + each[stage];
                *free = at;
            }
            taken.push(at);
        }
        free[2]
    }
}

impl Point {
    /// The time of a transfer in microseconds, with nodes that execute `megahertz` million instructions a second and a wire of `rate`
    /// bits a microsecond: of each part first the one node computes, then the wire is taken, then the other node computes. Nothing
    /// of a part happens at the same time; of several parts, each node and the wire are at work at one.
    #[must_use]
    pub fn time(&self, megahertz: f64, rate: f64) -> f64 {
        let [near, far] = self.instructions.map(|it| it / megahertz);
        self.parts.through([near, self.wire(rate), far])
    }

    /// How long the wire is taken.
    #[must_use]
    pub fn wire(&self, rate: f64) -> f64 {
        self.on_ethernet * 8.0 / rate
    }

    /// How much of the wire's rate the bytes themselves are, in percent.
    fn share(&self, megahertz: f64, rate: f64) -> f64 {
        100.0 * f64::from(self.bytes) * 8.0 / self.time(megahertz, rate) / rate
    }
}

/// What was measured of a group on a board.
pub struct Between {
    suite: String,
    board: String,
    group: String,
    /// What its transfers take.
    pub points: Vec<Point>,
}

/// Measures those groups of a suite whose names are `wanted`, with all their nodes on `board`. Empty if there are none, or they do
/// not run there.
///
/// # Errors
/// An application that does not build, or a node that fails.
pub fn measure(
    lab: &Lab,
    suite: &Suite,
    board: &Board,
    wanted: impl Fn(&str) -> bool,
) -> miette::Result<Vec<Between>> {
    let mut all = vec![];
    for path in groups_below(&suite.folder) {
        let Some(group) = Group::load_on(lab, &path, board)? else {
            continue;
        };
        if !wanted(&group.name) {
            continue;
        }
        let points = points(lab, &group).map_err(|why| {
            let (suite, group) = (&suite.name, &group.name);
            miette!(
                "benchmark {suite}/{group} failed between two nodes on {}: {why}",
                board.name
            )
        })?;
        all.push(Between {
            suite: suite.name.clone(),
            board: board.name.clone(),
            group: group.name,
            points,
        });
    }
    Ok(all)
}

fn points(lab: &Lab, group: &Group) -> miette::Result<Vec<Point>> {
    if group.nodes.len() != 2 {
        return Err(miette!("it has {} nodes, and not two", group.nodes.len()));
    }
    let images = group.build(lab)?;
    let _step = Step::begin(format!("measuring {} between two nodes", group.name));
    let wire = Wire::new(2, Quality::default(), None)?;
    let mut engines = vec![];
    for (number, (node, image)) in group.nodes.iter().zip(&images).enumerate() {
        engines.push(node.engine(lab, image, (&wire, number))?.with_count());
    }
    let remotes = [Remote::default(), Remote::default()];
    let batches = std::thread::scope(|scope| {
        let (say, heard) = channel();
        for (number, engine) in engines.iter().enumerate() {
            let (say, remote) = (say.clone(), remotes[number].clone());
            scope.spawn(move || node(number, engine, remote, &say));
        }
        drop(say);
        let mut conductor = Conductor {
            remotes: &remotes,
            wire: &wire,
            heard: &heard,
            last: VecDeque::new(),
        };
        let batches = conductor.batches();
        for remote in &remotes {
            remote.stop();
        }
        batches.map_err(|why| {
            let explain = |(number, line): &(usize, String)| {
                let node = &group.nodes[*number];
                let scene = Scene::new(&lab.root, &node.board, &images[*number]);
                format!("{}: {}", node.name, scene.explained(line).trim_end())
            };
            let lines: Vec<String> = conductor.last.iter().map(explain).collect();
            miette!("{why}; the consoles said last:\n{}", lines.join("\n"))
        })
    })?;
    of_batches(&batches)
}

/// What a node's thread says.
enum Heard {
    Line(usize, String),
    /// It has ended, which it does when it is asked to.
    Ended(String),
}

fn node(number: usize, engine: &Engine, remote: Remote, say: &Sender<Heard>) {
    let machine = Machine {
        attended: Attended::By(remote),
        // The conductor says when it has been too long.
        patience: None,
        ..Machine::unattended(engine.clone())
    };
    let end = machine::run(&machine, |said| {
        if let Said::Line(line) = said {
            // Who listens outlives this thread.
            let _ = say.send(Heard::Line(number, line.to_owned()));
        }
        Next::Continue
    });
    let why = match end {
        Ok(End::Stopped) => "it was stopped".into(),
        Ok(end) => format!("node {number} has ended with {end:?}"),
        Err(report) => report.to_string(),
    };
    let _ = say.send(Heard::Ended(why));
}

/// All counts at a moment at which both nodes rest.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    instructions: [u64; 2],
    /// What both have sent.
    sent: Traffic,
}

impl Counts {
    fn since(&self, before: &Counts) -> Counts {
        let since = |node: usize| self.instructions[node].saturating_sub(before.instructions[node]);
        Counts {
            instructions: [since(0), since(1)],
            sent: self.sent.since(&before.sent),
        }
    }
}

/// A batch, and all that it took.
#[derive(Clone, Debug)]
struct Batch {
    case: String,
    bytes: u32,
    turns: u64,
    parts: Parts,
    took: Counts,
}

/// Has the batches done, and counts.
struct Conductor<'a> {
    remotes: &'a [Remote; 2],
    wire: &'a Wire,
    heard: &'a Receiver<Heard>,
    last: VecDeque<(usize, String)>,
}

impl Conductor<'_> {
    fn batches(&mut self) -> Result<Vec<Batch>, String> {
        let mut all: Vec<Batch> = vec![];
        let mut begun: Option<(Batch, Counts)> = None;
        loop {
            let line = self.order()?;
            let counts = self.rest()?;
            if let Some((batch, before)) = begun.take() {
                let took = counts.since(&before);
                all.push(Batch { took, ..batch });
            }
            if line == "@done" {
                return Ok(all);
            }
            let batch = parse(&line).ok_or_else(|| format!("`{line}` is no batch"))?;
            begun = Some((batch, counts));
            self.press(counts.instructions[0])?;
        }
    }

    /// Types a line for the first node, which rests, and has executed so much.
    fn press(&self, executed: u64) -> Result<(), String> {
        let first = &self.remotes[0];
        if !first.press(b"\r") {
            return Err("the first node does not listen".into());
        }
        let begun = Instant::now();
        while first.executed() == Some(executed) {
            if begun.elapsed() >= SILENCE {
                return Err("the first node does not take what is typed".into());
            }
            interrupted()?;
            let _ = first.pause();
        }
        Ok(())
    }

    /// What the first node says next of a batch.
    fn order(&mut self) -> Result<String, String> {
        let begun = Instant::now();
        while begun.elapsed() < SILENCE {
            interrupted()?;
            let (number, line) = match self.heard.recv_timeout(ASK) {
                Ok(Heard::Line(number, line)) => (number, line),
                Ok(Heard::Ended(why)) => return Err(why),
                Err(_) => continue,
            };
            if self.last.len() == SHOWN {
                self.last.pop_front();
            }
            self.last.push_back((number, line.clone()));
            if let Some(why) = line.strip_prefix("@fail ") {
                return Err(why.into());
            }
            if number == 0 && (line.starts_with("@batch ") || line == "@done") {
                return Ok(line);
            }
        }
        Err("nothing was said for too long".into())
    }

    /// The counts, when both nodes rest.
    fn rest(&self) -> Result<Counts, String> {
        let mut before = None;
        let mut still = 0;
        for _ in 0..LOOKS {
            let executed = [0, 1].map(|node| self.remotes[node].executed());
            let [Some(near), Some(far)] = executed else {
                return Err("an emulator does not say what it has executed".into());
            };
            let now = [near, far];
            still = if before == Some(now) { still + 1 } else { 0 };
            if still == STILL {
                let counters = self.wire.counters();
                let mut sent = Traffic::default();
                for it in &counters {
                    sent.add(&it.sent);
                }
                return Ok(Counts {
                    instructions: now,
                    sent,
                });
            }
            before = Some(now);
            std::thread::sleep(LOOK);
        }
        Err("the nodes do not come to rest".into())
    }
}

/// An error if somebody has pressed Ctrl-C.
fn interrupted() -> Result<(), String> {
    if interrupt::asked() {
        return Err("interrupted".into());
    }
    Ok(())
}

fn parse(line: &str) -> Option<Batch> {
    let mut words = line.strip_prefix("@batch ")?.split(' ');
    let mut batch = Batch {
        case: words.next()?.to_owned(),
        bytes: words.next()?.parse().ok()?,
        turns: words.next()?.parse().ok()?,
        parts: Parts::ONE,
        took: Counts::default(),
    };
    if let Some(count) = words.next() {
        let [count, ahead] = [count, words.next()?].map(|it| it.parse().unwrap_or(0));
        batch.parts = Parts { count, ahead };
    }
    // More parts than bytes there are not.
    let is_sound = (1..=batch.bytes).contains(&batch.parts.count) && batch.parts.ahead > 0;
    (words.next().is_none() && is_sound).then_some(batch)
}

/// What a transfer takes, by the batches of each case and size that have the fewest turns and the most: of each the one that took
/// least, since what comes late is sent again, and what else goes on is counted too.
fn of_batches(all: &[Batch]) -> miette::Result<Vec<Point>> {
    let mut points = vec![];
    let mut of_one = all.chunk_by(|a, b| (&a.case, a.bytes) == (&b.case, b.bytes));
    of_one.try_for_each(|batches| {
        let all = |it: &Batch| it.took.instructions.iter().sum::<u64>();
        let less = batches.iter().min_by_key(|it| (it.turns, all(it)));
        let more = batches.iter().max_by_key(|it| (it.turns, Reverse(all(it))));
        let both = less.zip(more);
        let Some((less, more)) = both.filter(|(less, more)| less.turns < more.turns) else {
            return Err(miette!(
                "a case has batches of one length alone: {batches:?}"
            ));
        };
        let turns = more.turns - less.turns;
        let took = more.took.since(&less.took);
        if took.instructions.contains(&0) || took.sent.frames == 0 {
            return Err(miette!("a case measured nothing: {less:?}, {more:?}"));
        }
        points.push(Point {
            case: more.case.clone(),
            bytes: more.bytes,
            parts: more.parts,
            instructions: took.instructions.map(|it| per(it, turns)),
            frames: per(took.sent.frames, turns),
            on_ethernet: per(took.sent.on_ethernet, turns),
        });
        Ok(())
    })?;
    if points.is_empty() {
        return Err(miette!("it measured nothing"));
    }
    Ok(points)
}

/// Of a transfer: a turn is two. Counts stay far below 2^52.
#[allow(clippy::cast_precision_loss)]
fn per(count: u64, turns: u64) -> f64 {
    count as f64 / (2 * turns) as f64
}

/// The tables of what was measured, published times beside ours.
pub fn tables(all: &[Between], reference: &Reference) -> String {
    let publication = reference.source.clone().unwrap_or_default();
    all.iter()
        .map(|it| it.table(reference, &publication))
        .collect()
}

impl Between {
    fn table(&self, reference: &Reference, publication: &Publication) -> String {
        let mut text = format!(
            "\n{}/{}: one transfer between two nodes on {}, by its bytes\n\n",
            self.suite, self.group, self.board
        );
        let mut cases = self.points.chunk_by(|a, b| a.case == b.case);
        cases
            .try_for_each(|points| self.case(&mut text, points, reference, publication))
            // Text takes all that is written.
            .unwrap_or_default();
        let _ = writeln!(
            text,
            "Counted are the instructions that each node's emulator executes (a node that sleeps executes none), over a whole batch\n\
             when both nodes rest: what batches of many turns and of few differ by, of several the least. A turn is two transfers,\n\
             one each way; a figure is half of it.\n\
             bytes on the wire: with 8 of preamble, 4 of check sum, 12 of gap a frame, and frames of at least 64 bytes.\n\
             µs: by the model, the instructions of both nodes at {} million a second, and the wire's bytes at its rate, one after\n\
             the other; of a transfer of several parts, each node and the wire are at work at one of them. Never a time that was\n\
             measured.",
            show(publication.megahertz)
        );
        text
    }

    fn case(
        &self,
        text: &mut String,
        points: &[Point],
        reference: &Reference,
        publication: &Publication,
    ) -> std::fmt::Result {
        let megahertz = publication.megahertz;
        let columns = [
            "bytes",
            "instructions\nof one",
            "of the\nother",
            "frames",
            "bytes on\nthe wire",
            "µs at\n10 Mb/s",
            "wire\nbusy",
            "% of\nits rate",
            "µs at\n100 Mb/s",
            "wire\nbusy",
            "% of\nits rate",
            "published\nµs",
        ];
        let mut table = Table::new(&columns.map(|it| (it, Align::Right)));
        // Of what the publication has no times, the first one's stand for comparison.
        let own = reference
            .network
            .iter()
            .find(|it| it.case == points[0].case);
        let published = own.or(reference.network.first());
        for it in points {
            let mut row = vec![it.bytes.to_string()];
            row.extend(it.instructions.map(show));
            row.push(format!("{:.2}", it.frames));
            row.push(show(it.on_ethernet));
            for rate in RATES {
                row.push(format!("{:.0}", it.time(megahertz, rate)));
                row.push(format!("{:.0}", it.wire(rate)));
                row.push(format!("{:.0}", it.share(megahertz, rate)));
            }
            let time = published.and_then(|it_was| it_was.published(it.bytes));
            row.push(time.map_or(String::new(), |time| format!("{time:.0}")));
            table.row(row);
        }
        writeln!(text, "{}\n\n{table}", points[0].case)?;
        for rate in RATES {
            let line = points.iter().map(|it| (it.bytes, it.time(megahertz, rate)));
            if let Some(Fit {
                organisation, byte, ..
            }) = fit(&line.collect::<Vec<_>>())
            {
                writeln!(
                    text,
                    "at {rate:.0} Mb/s: organisation {organisation:.0} µs + {byte:.2} µs a byte, by the least squares"
                )?;
            }
        }
        if let Some(it) = published
            && let Some((organisation, byte)) = it.fit
        {
            writeln!(
                text,
                "published, {} at 10 Mb/s ({}): organisation {organisation:.0} µs + {byte:.2} µs a byte",
                it.case, publication.system
            )?;
        }
        writeln!(text)
    }

    fn entries(&self, megahertz: f64) -> impl Iterator<Item = Value> {
        self.points.iter().map(move |it| {
            json!({
                "suite": self.suite, "case": format!("network-{}", it.case), "board": self.board, "bytes": it.bytes,
                "parts": it.parts.count, "parts_ahead": it.parts.ahead,
                "instructions": it.instructions, "frames": it.frames, "bytes_on_ethernet": it.on_ethernet,
                "model_megahertz": megahertz,
                "model_microseconds_10_megabits": it.time(megahertz, RATES[0]),
                "model_microseconds_100_megabits": it.time(megahertz, RATES[1]),
            })
        })
    }
}

/// Writes what was measured beside the result file `results`, whose own layout it does not change: `X.json` has it in
/// `X.nodes.json`. `megahertz` is that of each suite's publication, by the suite.
///
/// # Errors
/// If it cannot be written.
pub fn write(
    results: &Path,
    all: &[Between],
    megahertz: impl Fn(&str) -> f64,
) -> miette::Result<PathBuf> {
    let entries = all.iter().flat_map(|it| it.entries(megahertz(&it.suite)));
    let file = results.with_extension(result_file::NODES);
    let text = format!("{:#}\n", Value::Array(entries.collect()));
    whole::write(&file, text)
        .map_err(|error| miette!("cannot write {}: {error}", file.display()))?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch(bytes: u32, turns: u64, instructions: [u64; 2], frames: u64) -> Batch {
        let mut sent = Traffic::default();
        for _ in 0..frames {
            sent.count(60);
        }
        Batch {
            case: "datagrams".into(),
            bytes,
            turns,
            parts: Parts::ONE,
            took: Counts { instructions, sent },
        }
    }

    #[test]
    fn what_begins_and_ends_a_batch_is_no_part_of_a_transfer() {
        // 500 and 70 of each batch; 1,000 and 400 of each turn, in two frames.
        let all = [
            batch(32, 8, [500 + 8000, 70 + 3200], 16),
            batch(32, 24, [500 + 24_000, 70 + 9600], 48),
        ];
        let expected = Point {
            case: "datagrams".into(),
            bytes: 32,
            parts: Parts::ONE,
            instructions: [500.0, 200.0],
            frames: 1.0,
            on_ethernet: 84.0,
        };
        assert_eq!(of_batches(&all).expect("right"), [expected]);
    }

    #[test]
    fn what_came_late_is_no_part_of_a_transfer() {
        let all = [
            batch(32, 1, [1500, 470], 2),
            batch(32, 3, [3500 + 800, 1270 + 300], 7),
            batch(32, 1, [1500 + 40, 470], 3),
            batch(32, 3, [3500, 1270], 6),
        ];
        let [point] = &of_batches(&all).expect("right")[..] else {
            panic!("of one size");
        };
        assert_eq!((point.instructions, point.frames), ([500.0, 200.0], 1.0));
    }

    #[test]
    fn batches_that_say_nothing_are_refused() {
        let one = batch(32, 8, [10, 10], 1);
        for all in [
            vec![],
            vec![one.clone()],
            vec![one.clone(), one.clone()],
            vec![one.clone(), batch(32, 24, [10, 99], 9)],
            vec![one, batch(64, 24, [99, 99], 9)],
        ] {
            assert!(of_batches(&all).is_err(), "{all:?}");
        }
        for line in [
            "@batch",
            "@batch x",
            "@batch x 1",
            "@batch x 1 -1",
            "@batch x 1 1 1",
            "@batch x 1 1 0 1",
            "@batch x 1 1 1 0",
            "@batch x 1 1 2 1",
            "@batch x 1 1 1 x",
            "@batch x 1 1 1 1 1",
        ] {
            assert!(parse(line).is_none(), "{line}");
        }
        let read = |line| {
            let Batch {
                bytes,
                turns,
                parts,
                ..
            } = parse(line).expect("right");
            (bytes, turns, parts)
        };
        assert_eq!(read("@batch datagrams 32 8"), (32, 8, Parts::ONE));
        let parts = Parts { count: 2, ahead: 3 };
        assert_eq!(read("@batch messages 2048 8 2 3"), (2048, 8, parts));
    }

    #[test]
    fn the_model_adds_the_nodes_and_the_wire() {
        let point = Point {
            case: "messages".into(),
            bytes: 1250,
            parts: Parts::ONE,
            instructions: [3300.0, 3300.0],
            frames: 1.0,
            on_ethernet: 1250.0,
        };
        // 100 µs of both nodes, and 1,000 of the wire.
        assert_eq!(point.time(66.0, 10.0), 1100.0);
        assert_eq!(point.wire(100.0), 100.0);
        assert_eq!(point.share(66.0, 100.0), 50.0);
    }

    #[test]
    fn the_model_has_nodes_and_wire_at_work_at_a_part_each() {
        let through = |count, ahead, stages| Parts { count, ahead }.through(stages);
        // A part takes 10, 20 and 10: behind the first, one comes every 20.
        assert_eq!(through(1, 1, [10.0, 20.0, 10.0]), 40.0);
        assert_eq!(through(4, 4, [40.0, 80.0, 40.0]), 40.0 + 3.0 * 20.0);
        // The slowest may be any.
        assert_eq!(through(4, 4, [80.0, 40.0, 40.0]), 40.0 + 3.0 * 20.0);
        assert_eq!(through(4, 4, [40.0, 40.0, 80.0]), 40.0 + 3.0 * 20.0);
        // One at a time goes all the way, and is acknowledged, before the next.
        assert_eq!(through(4, 1, [40.0, 80.0, 40.0]), 4.0 * 40.0 + 3.0 * 20.0);
        // Two at a time: every second one waits for what was before both.
        assert_eq!(through(4, 2, [40.0, 40.0, 40.0]), 80.0);
    }

    #[test]
    fn the_table_has_the_published_time_beside_ours() {
        let reference: Reference = toml::from_str(
            "[source]\ntitle = \"t\"\npublisher = \"p\"\nsystem = \"QNX\"\nhardware = \"h\"\nmegahertz = 66\nprotected = true\n\
             [[network]]\ncase = \"messages\"\npoints = [[32, 833.28]]\nfit = [820.0, 1.41]\n",
        )
        .expect("right");
        let point = |bytes: u32| Point {
            case: "datagrams".into(),
            bytes,
            parts: Parts::ONE,
            instructions: [3300.0, 6600.0],
            frames: 1.0,
            on_ethernet: 1000.0,
        };
        let all = [Between {
            suite: "qnx".into(),
            board: "virt-rv32".into(),
            group: "network".into(),
            points: vec![point(32), point(1032)],
        }];
        let text = tables(&all, &reference);
        // 150 µs of both nodes, and 800 or 80 of the wire.
        let row = text.lines().find(|it| it.trim_start().starts_with("32 "));
        let cells: Vec<&str> = row.expect(&text).split_whitespace().collect();
        let expected = [
            "32", "3300", "6600", "1.00", "1000", "950", "800", "3", "230", "80", "1", "833",
        ];
        assert_eq!(cells, expected, "{text}");
        let of_all = "at 10 Mb/s: organisation 950 µs + 0.00 µs a byte";
        assert!(text.contains(of_all), "{text}");
        let published =
            "published, messages at 10 Mb/s (QNX): organisation 820 µs + 1.41 µs a byte";
        assert!(text.contains(published), "{text}");
    }
}
