//! What is measured between two nodes, and that it is as `bench/between.toml` keeps it for the book.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use riposte_host::bench;
use riposte_host::bench::nodes::Point;
use riposte_host::lab::Lab;
use riposte_host::toolchain::Toolchain;
use toml::{Table, Value};

/// The board of all groups, and one more of messages: that of the figures of everything else.
const BOARD: &str = "virt-rv32";
const OTHER: &str = "mps2-an386";
const FILE: &str = "../bench/between.toml";
const FILE_IS: &str = "# What a transfer takes between two nodes, for the book: the test that measures it finds it within a tenth. Nodes take the time\n\
    # of the machine, so that no two runs are the same to the digit; times are by the model, at 10 Mb/s.\n\
    # Written by RIPOSTE_WRITE=1 cargo test -p riposte-host --test between_nodes.\n";
/// What is kept of each transfer, and by how much of itself it may differ: what is acknowledged by itself, because its answer comes
/// late, is a frame more.
const KEPT: [(&str, f64); 5] = [
    ("near", 0.1),
    ("far", 0.1),
    ("frames", 0.25),
    ("microseconds", 0.1),
    ("wire", 0.25),
];
/// The wire of the kept times, in bits a microsecond.
const RATE: f64 = 10.0;

/// The sizes of the publication.
const SIZES: [u32; 18] = [
    1, 32, 100, 128, 512, 1024, 2048, 2560, 3072, 3584, 4096, 5120, 6144, 8192, 10_240, 12_288,
    15_369, 22_528,
];

/// Bytes of the longest datagram, and of what is around one in its frame: of Ethernet (14), IP (20) and UDP (8).
const LONGEST: u32 = 1472;
const AROUND: u32 = 42;
/// What a frame takes of an Ethernet beside its bytes, and its shortest without its check sum.
const BESIDE: u32 = 24;
const SHORTEST: u32 = 60;

/// Bytes of a FIFO that go in one message.
const PIECE: u32 = 1024;

/// What is around a message in a datagram: what the frame begins with, a header, and a seal.
const SEALED: u32 = 16 + 24 + 16;

/// What is kept of all transfers, by the board and the name of each: [`KEPT`].
type Figures = BTreeMap<(String, String), [f64; 5]>;

/// Measures a group of the suite, each transfer by its name, and sees that all is as it is kept.
fn measured(board: &str, group: &str, case: &str, sizes: &[u32]) -> Vec<Point> {
    // Two groups at once would take each other's time.
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let lab = Lab::open().expect("the repository");
    let on = lab.board(board).expect("there");
    let points = bench::measure_nodes(&lab, "qnx", group, on)
        .expect("it runs")
        .points;
    assert!(
        points.iter().map(|it| it.bytes).eq(sizes.iter().copied()),
        "{points:?}"
    );
    assert!(points.iter().all(|it| it.case == case), "{points:?}");
    let megahertz = table("../bench/qnx/reference.toml")["source"]["megahertz"].clone();
    let megahertz = number(&megahertz);
    let now: Figures = points
        .iter()
        .map(|it| {
            let name = (board.to_owned(), format!("network-{case}-{}B", it.bytes));
            let [near, far] = it.instructions.map(f64::round);
            let frames = (it.frames * 100.0).round() / 100.0;
            let time = it.time(megahertz, RATE).round();
            let wire = it.wire(RATE).round();
            (name, [near, far, frames, time, wire])
        })
        .collect();
    let compiler = Toolchain::find(&lab.root).and_then(|it| it.version());
    let compiler = compiler.expect("the compiler runs");
    if std::env::var_os("RIPOSTE_WRITE").is_some() {
        let mut all = if std::fs::exists(FILE).expect("a folder") {
            kept()
        } else {
            Figures::new()
        };
        all.extend(now);
        std::fs::write(FILE, written(&compiler, &all)).expect("written");
        return points;
    }
    let of = table(FILE)["compiler"].clone();
    if of.as_str() != Some(&compiler) {
        println!(
            "NOT PLAYED: {FILE} is of {of}, and this is {compiler}: what is measured between nodes is not compared"
        );
        return points;
    }
    let kept = kept();
    let wrong: Vec<String> = now.iter().filter_map(|it| moved(it, &kept)).collect();
    assert!(
        wrong.is_empty(),
        "{wrong:#?} in {FILE}, which says how it is written"
    );
    points
}

/// What is wrong with a transfer that is not as it is kept.
fn moved((name, now): (&(String, String), &[f64; 5]), kept: &Figures) -> Option<String> {
    let was = kept.get(name);
    let (board, name) = name;
    let Some(was) = was else {
        return Some(format!("{name} on {board} is not kept"));
    };
    let moved = |at: usize| (now[at] / was[at] - 1.0).abs() > KEPT[at].1;
    let what = (0..KEPT.len()).find(|at| moved(*at))?;
    let (what, now, was) = (KEPT[what].0, now[what], was[what]);
    Some(format!("{name} on {board}: {what} {now}, and {was} before"))
}

fn table(file: &str) -> Table {
    let text = std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{file}: {error}"));
    text.parse().expect("TOML")
}

fn number(value: &Value) -> f64 {
    riposte_host::compare::number(value).expect("a number")
}

fn kept() -> Figures {
    let document = table(FILE);
    let boards = document["figures"]["qnx"].as_table().expect("a table");
    let of_board = |(board, it): (&String, &Value)| {
        let transfer = it["transfer"].clone();
        let names = transfer[KEPT[0].0].as_table().expect("a table").clone();
        let board = board.clone();
        names.into_iter().map(move |(name, _)| {
            let figures = KEPT.map(|(it, _)| number(&transfer[it][name.as_str()]));
            ((board.clone(), name), figures)
        })
    };
    boards.iter().flat_map(of_board).collect()
}

fn written(compiler: &str, figures: &Figures) -> String {
    let mut text = format!("{FILE_IS}compiler = {compiler:?}\n");
    for board in [OTHER, BOARD] {
        for (at, (what, _)) in KEPT.iter().enumerate() {
            text += &format!("\n[figures.qnx.{board}.transfer.{what}]\n");
            for ((_, name), figures) in figures.iter().filter(|((on, _), _)| on == board) {
                text += &format!("{name:?} = {}\n", figures[at]);
            }
        }
    }
    text
}

/// How many frames there are depends on the time of this machine: one that is late is sent again. That there are two on a quiet
/// wire the board test of circuits says.
#[test]
fn a_message_between_two_nodes_takes_what_is_kept_for_the_book() {
    let [one, other] =
        [BOARD, OTHER].map(|it| measured(it, "two-nodes-messages", "messages", &SIZES));
    for point in one.into_iter().chain(other) {
        let short = point.bytes <= 32;
        for instructions in point.instructions.into_iter().filter(|_| short) {
            assert!((10_000.0..500_000.0).contains(&instructions), "{point:?}");
        }
        let frame = point.bytes + SEALED + AROUND + BESIDE;
        assert!(point.on_ethernet > f64::from(frame) * 0.5, "{point:?}");
    }
}

/// A piece goes each way of a turn, and more of them than one frame carries for what is longer than a piece.
#[test]
fn a_fifo_between_two_nodes_takes_what_is_kept_for_the_book() {
    for point in measured(BOARD, "two-nodes-fifos", "fifos", &SIZES[..7]) {
        let pieces = f64::from(point.bytes.div_ceil(PIECE));
        for instructions in point.instructions {
            let of_a_piece = instructions / pieces;
            assert!((20_000.0..500_000.0).contains(&of_a_piece), "{point:?}");
        }
        assert!(point.frames > pieces, "{point:?}");
        assert!(point.on_ethernet > f64::from(point.bytes), "{point:?}");
    }
}

#[test]
fn a_datagram_between_two_nodes_takes_its_frames_and_what_is_kept_for_the_book() {
    for point in measured(BOARD, "two-nodes", "datagrams", &SIZES) {
        let parts = point.bytes.div_ceil(LONGEST);
        assert_eq!(point.frames, f64::from(parts), "{point:?}");
        let whole = point.bytes / LONGEST * (LONGEST + AROUND + BESIDE);
        let rest = match point.bytes % LONGEST {
            0 => 0,
            bytes => (bytes + AROUND).max(SHORTEST) + BESIDE,
        };
        assert_eq!(point.on_ethernet, f64::from(whole + rest), "{point:?}");
        for instructions in point.instructions {
            let of_a_part = instructions / f64::from(parts);
            assert!((5_000.0..60_000.0).contains(&of_a_part), "{point:?}");
        }
    }
}

#[test]
fn a_transfer_that_takes_more_or_less_than_is_kept_by_over_a_tenth_is_told() {
    let name = (BOARD.to_owned(), "network-messages-1B".to_owned());
    let kept = Figures::from([(name.clone(), [1000.0, 1000.0, 1.0, 600.0, 98.0])]);
    let near_enough = [1090.0, 910.0, 1.2, 650.0, 98.0];
    assert_eq!(moved((&name, &near_enough), &kept), None);
    for (at, (what, _)) in KEPT.iter().enumerate() {
        for by in [0.7, 1.3] {
            let mut now = kept[&name];
            now[at] *= by;
            let told = moved((&name, &now), &kept).expect("it is told");
            assert!(
                told.starts_with(&format!("network-messages-1B on {BOARD}: {what} ")),
                "{told}"
            );
        }
    }
    let other = (BOARD.to_owned(), "network-messages-2B".to_owned());
    assert!(moved((&other, &kept[&name]), &kept).is_some());
}
