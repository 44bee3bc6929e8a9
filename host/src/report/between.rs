//! What transfers between two nodes take, as it was written beside a result file.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::chart::{self, Curve, short};
use super::page::{Picture, Table};
use super::section::{curve_table, gather, picture};
use crate::bench::Reference;

/// What the cases' names begin with.
const NETWORK: &str = "network-";

/// A transfer of so many bytes.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Transfer {
    suite: String,
    case: String,
    board: String,
    bytes: u32,
    instructions: [f64; 2],
    frames: f64,
    bytes_on_ethernet: f64,
    model_megahertz: f64,
    model_microseconds_10_megabits: f64,
    model_microseconds_100_megabits: f64,
}

impl Transfer {
    /// The mechanism.
    fn what(&self) -> &str {
        self.case.strip_prefix(NETWORK).unwrap_or(&self.case)
    }

    /// Whether both are the same transfer, measured twice.
    pub fn is_of_same(&self, other: &Transfer) -> bool {
        let of = |it: &Transfer| {
            (
                it.suite.clone(),
                it.case.clone(),
                it.board.clone(),
                it.bytes,
            )
        };
        of(self) == of(other)
    }

    /// How long the wire is taken, in microseconds, at so many bits in one.
    fn wire(&self, rate: f64) -> f64 {
        self.bytes_on_ethernet * 8.0 / rate
    }

    /// Whether nothing in it is 0, which no picture and no sum here has a place for.
    fn is_whole(&self) -> bool {
        let [one, other] = self.instructions;
        let times = [
            self.model_microseconds_10_megabits,
            self.model_microseconds_100_megabits,
        ];
        let counts = [one, other, self.frames, self.bytes_on_ethernet];
        let mut all = counts.into_iter().chain(times);
        self.bytes > 0 && all.all(|it| it > 0.0 && it.is_finite())
    }
}

/// The transfers that can be shown of what stands beside a result file; and how many cannot.
pub fn transfers(values: &[Value]) -> (Vec<Transfer>, usize) {
    let read = values
        .iter()
        .flat_map(Transfer::deserialize)
        .filter(Transfer::is_whole);
    let read: Vec<Transfer> = read.collect();
    let missing = values.len() - read.len();
    (read, missing)
}

/// A suite's transfers on a board, beside those of the publication: their times over their bytes, and the bytes in a
/// time.
pub fn pictures(suite: &str, reference: &Reference, all: &[Transfer]) -> Vec<Picture> {
    let boards = boards(suite, all).into_iter();
    boards
        .flat_map(|board| curves(reference, &on(suite, board, all), board))
        .collect()
}

fn curves(reference: &Reference, all: &[&Transfer], board: &str) -> Vec<Picture> {
    let ours = all.iter().map(|it| {
        let time = it.model_microseconds_10_megabits;
        (it.what().to_owned(), f64::from(it.bytes), time)
    });
    let mut curves = gather(ours, false);
    let theirs = reference.network.iter().flat_map(|series| {
        let name = format!("{}, published", series.case);
        let points = series.points.iter();
        points.map(move |(bytes, time)| (name.clone(), f64::from(*bytes), *time))
    });
    curves.extend(gather(theirs, true));
    let mut pictures = vec![];
    let caption = format!(
        "Between two nodes, {board}: microseconds of a transfer over its bytes, by a model at 10 Mb/s."
    );
    pictures.extend(drawn(&caption, "microseconds", &curves));
    for curve in &mut curves {
        for (bytes, time) in &mut curve.points {
            *time = 1000.0 * *bytes / *time;
        }
    }
    curves.extend(reference.network_most.and_then(|most| limit(most, &curves)));
    let caption =
        format!("Between two nodes, {board}: bytes in a millisecond, over those of a transfer.");
    pictures.extend(drawn(&caption, "bytes in a millisecond", &curves));
    pictures
}

/// What the wire can at most, from the first to the last size of other curves.
fn limit(most: f64, curves: &[Curve]) -> Option<Curve> {
    let sizes = || curves.iter().flat_map(|it| &it.points).map(|it| it.0);
    let ends = [sizes().reduce(f64::min)?, sizes().reduce(f64::max)?];
    Some(Curve {
        name: "most of the wire, published".into(),
        points: ends.map(|size| (size, most)).into(),
        published: true,
    })
}

fn drawn(caption: &str, up: &str, curves: &[Curve]) -> Option<Picture> {
    let svg = chart::curves(caption, "bytes", up, curves);
    picture(caption, svg, curve_table(caption, up, curves))
}

/// A table of a suite's transfers for each board: what each of the nodes executes, what the wire carries, and the times.
pub fn tables(suite: &str, reference: &Reference, all: &[Transfer]) -> Vec<Table> {
    let boards = boards(suite, all).into_iter();
    boards
        .map(|board| table(reference, &on(suite, board, all), board))
        .collect()
}

fn table(reference: &Reference, all: &[&Transfer], board: &str) -> Table {
    let published = |it: &Transfer| {
        let series = reference.network.iter().find(|of| of.case == it.what());
        let time = series.and_then(|series| series.published(it.bytes));
        time.map_or_else(String::new, short)
    };
    let row = |it: &&Transfer| {
        let [one, other] = it.instructions;
        vec![
            it.what().to_owned(),
            it.bytes.to_string(),
            short(one),
            short(other),
            format!("{:.2}", it.frames),
            short(it.bytes_on_ethernet),
            short(it.model_microseconds_10_megabits),
            short(it.wire(10.0)),
            short(it.model_microseconds_100_megabits),
            short(it.wire(100.0)),
            published(it),
        ]
    };
    let megahertz: BTreeSet<String> = all.iter().map(|it| short(it.model_megahertz)).collect();
    let megahertz = megahertz.into_iter().collect::<Vec<_>>().join(", ");
    Table {
        caption: format!(
            "Between two nodes, {board}: a transfer one way. Instructions are counted; microseconds are a model's, in which both \
             nodes execute {megahertz} million instructions a second, and of a transfer of several parts each node and the wire \
             are at work at one"
        ),
        head: [
            "what",
            "bytes",
            "instructions of one node",
            "of the other",
            "frames",
            "bytes on the wire",
            "µs at 10 Mb/s",
            "the wire is busy",
            "µs at 100 Mb/s",
            "the wire is busy",
            "published µs at 10 Mb/s",
        ]
        .map(Into::into)
        .into(),
        rows: all.iter().map(row).collect(),
    }
}

fn boards<'a>(suite: &str, all: &'a [Transfer]) -> BTreeSet<&'a str> {
    let of_suite = all.iter().filter(|it| it.suite == suite);
    of_suite.map(|it| it.board.as_str()).collect()
}

fn on<'a>(suite: &str, board: &str, all: &'a [Transfer]) -> Vec<&'a Transfer> {
    let mut there: Vec<&Transfer> = all
        .iter()
        .filter(|it| it.suite == suite && it.board == board)
        .collect();
    there.sort_by_key(|it| (it.what().to_owned(), it.bytes));
    there
}
