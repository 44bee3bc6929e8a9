//! `./riposte profile`, run as a person runs it, from the case to its functions.

mod tool;

use std::collections::BTreeMap;
use std::path::Path;

use riposte_host::compare;
use riposte_host::lab::Lab;
use riposte_host::results::Key;
use serde_json::Value;
use tool::Tool;

/// Profiles a case; returns what was printed, the data, and the flame graph.
fn profiled(folder: &Path, case: &str, board: &str) -> (String, Value, String) {
    let [data, flame] = ["profile.json", "profile.svg"].map(|name| folder.join(name));
    let tool = Tool::new(&["profile", case, "--board", board]);
    let tool = tool.arg("--json").arg(&data).arg("--flame").arg(&flame);
    let mut running = tool.start();
    let text = running.text();
    assert_eq!(running.ends(), Some(0), "{text}");
    let data = std::fs::read_to_string(data).expect("the data");
    let data = serde_json::from_str(&data).expect("JSON");
    (
        text,
        data,
        std::fs::read_to_string(flame).expect("the graph"),
    )
}

/// The sum of a field of all functions.
fn sum(data: &Value, field: &str) -> f64 {
    let parts = data["parts"].as_array().expect("functions");
    parts
        .iter()
        .map(|it| it[field].as_f64().expect("a number"))
        .sum()
}

/// A figure as the tool shows it.
fn tenths(value: f64) -> String {
    format!("{value:.1}").trim_end_matches(".0").into()
}

/// What is drawn of a function, or of whose it is.
struct Frame {
    /// In words.
    told: String,
    name: String,
    /// How many are above it.
    row: u32,
    left: f64,
    width: f64,
}

impl Frame {
    /// Those of a flame graph, a frame before those in it.
    fn all(flame: &str) -> Vec<Frame> {
        let between = |text: &str, begin: &str, end: &str| -> String {
            let (_, rest) = text.split_once(begin).expect(begin);
            rest.split_once(end).expect(end).0.to_owned()
        };
        let frames = flame.split("<g>").skip(1).map(|group| {
            let told = between(group, "<title>", "</title>");
            let signs = [
                ("&lt;", "<"),
                ("&gt;", ">"),
                ("&quot;", "\""),
                ("&amp;", "&"),
            ];
            let told = signs.iter().fold(told, |it, (is, of)| it.replace(is, of));
            let number = |name: &str| -> f64 {
                let text = between(group, &format!(" {name}=\""), "\"");
                text.parse().expect("a number")
            };
            Frame {
                name: told.rsplit_once(": ").expect("a name").0.to_owned(),
                told,
                row: (number("y") / (number("height") + 1.0)).round() as u32,
                left: number("x"),
                width: number("width"),
            }
        });
        frames.collect()
    }

    fn holds(&self, other: &Frame) -> bool {
        // As exact as it is written.
        let [left, right] = [self.left - 0.02, self.left + self.width + 0.02];
        left <= other.left && other.left + other.width <= right
    }
}

/// The process that a frame stands below, or the kernel.
fn whose<'a>(frames: &'a [Frame], of: &Frame) -> &'a Frame {
    let mut above = frames.iter().filter(|it| it.row == 1 && it.holds(of));
    above.next().expect("each is somebody's")
}

/// What is drawn is what was counted: each frame lies within one of the row above it and beside the others, and what is left
/// of a function's frames is what the function took itself.
fn flame_is_of(data: &Value, flame: &str) {
    const NARROWEST: f64 = 0.5;
    let frames = Frame::all(flame);
    let whole = sum(data, "instructions");
    let all = &frames[0];
    assert_eq!((all.row, all.left, all.width), (0, 0.0, 1200.0), "{flame}");
    let mut own: BTreeMap<(&str, &str), (f64, f64)> = BTreeMap::new();
    for frame in &frames {
        if frame.row > 0 {
            let above = frames.iter().filter(|it| it.row + 1 == frame.row);
            let holding = above.filter(|it| it.holds(frame)).count();
            assert_eq!(holding, 1, "{}", frame.told);
        }
        let inner = frames.iter().filter(|it| it.row == frame.row + 1);
        let mut inner: Vec<&Frame> = inner.filter(|it| frame.holds(it)).collect();
        inner.sort_by(|one, other| one.left.total_cmp(&other.left));
        for both in inner.windows(2) {
            let over = both[0].left + both[0].width - both[1].left;
            assert!(over < 0.02, "{} and {}", both[0].told, both[1].told);
        }
        let rest = frame.width - inner.iter().map(|it| it.width).sum::<f64>();
        if frame.row < 2 {
            assert!(rest.abs() < NARROWEST, "{}: {rest}", frame.told);
        } else {
            let key = (whose(&frames, frame).name.as_str(), frame.name.as_str());
            let it = own.entry(key).or_default();
            *it = (it.0 + rest, it.1 + NARROWEST);
        }
    }
    for part in data["parts"].as_array().expect("functions") {
        let text = |name: &str| part[name].as_str().expect("a name");
        let wanted = part["instructions"].as_f64().expect("a number") / whole * all.width;
        // What is narrower than a part of a pixel is not drawn.
        let drawn = own.remove(&(text("who"), text("function")));
        let (drawn, most) = drawn.unwrap_or((0.0, NARROWEST));
        assert!((drawn - wanted).abs() < most, "{part}: {drawn}, {wanted}");
    }
    // What is left holds others, and has taken nothing itself.
    for (key, (rest, most)) in own {
        assert!(rest < most, "{key:?}: {rest}");
    }
}

/// The figure that the guard keeps.
fn guarded(suite: &str, board: &str, metric: &str, case: &str) -> f64 {
    let lab = Lab::open().expect("the repository");
    let key = Key {
        suite: suite.into(),
        board: board.into(),
        metric: metric.into(),
        case: case.into(),
        protected: true,
        ..Key::default()
    };
    compare::kept(&lab).expect("the baseline")[&key]
}

#[test]
fn a_profile_of_an_emulated_case_adds_up_to_its_figure_and_names_kernel_and_processes() {
    let folder = tempfile::tempdir().expect("a directory");
    let (text, data, flame) = profiled(folder.path(), "core/rt-1w", "mps2-an386");
    let (whole, figure) = (
        sum(&data, "instructions"),
        guarded("core", "mps2-an386", "instructions", "rt-1w"),
    );
    // A turn of the loop is a few instructions.
    assert!(
        (0.0..10.0).contains(&(whole - figure)),
        "{whole} for {figure}"
    );
    for words in [
        "core/rt-1w on mps2-an386",
        "riposte_kernel::dispatch::words::send",
        "client",
        "server",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    assert!(
        !text.contains("waits"),
        "an emulator knows no waits: {text}"
    );
    assert!(data["parts"][0]["waits_for_data"].is_null(), "{data}");
    flame_is_of(&data, &flame);
    let frames = Frame::all(&flame);
    let figure = format!("{} instructions", tenths(whole));
    assert!(
        frames[0].told.contains(&figure),
        "{figure}: {}",
        frames[0].told
    );
    // What both programs execute, and the kernel, stands in it by its name.
    for who in ["kernel", "client", "server"] {
        let below = |it: &&Frame| it.row == 2 && whose(&frames, it).name == who;
        assert!(frames.iter().any(|it| below(&it)), "{who}: {flame}");
    }
    let of_kernel = |it: &&Frame| it.name == "riposte_kernel::dispatch::words::send";
    let sends: Vec<&Frame> = frames.iter().filter(of_kernel).collect();
    assert!(!sends.is_empty(), "{flame}");
    for send in sends {
        assert_eq!(whose(&frames, send).name, "kernel");
    }
}

#[test]
fn a_profile_of_a_simulated_case_holds_its_figure_and_says_what_the_core_waits() {
    let folder = tempfile::tempdir().expect("a directory");
    let (text, data, _) = profiled(folder.path(), "rexis/send-reply-32B", "ibex");
    let (whole, figure) = (
        sum(&data, "cycles"),
        guarded("rexis", "ibex", "cycles", "send-reply-32B"),
    );
    // What its loop checks is in the profile, and not in the figure.
    assert!(
        figure < whole && whole < 3.0 * figure,
        "{whole} for {figure}"
    );
    let waits = [
        "waits_for_fetches",
        "waits_for_data",
        "waits_for_page_tables",
    ];
    let [fetches, data_waits, tables] = waits.map(|it| sum(&data, it));
    assert!(fetches > 0.0 && data_waits > 0.0 && tables == 0.0, "{data}");
    assert!(
        fetches + data_waits + sum(&data, "instructions") <= whole + 1.0,
        "no cycle counts twice: {data}"
    );
    assert!(text.contains(" for fetches, "), "{text}");
}

/// The programs of this suite store words in the simulator's REPORT register, before and after each call.
#[test]
fn what_a_program_tells_the_simulator_is_not_printed() {
    let folder = tempfile::tempdir().expect("a directory");
    let (text, data, _) = profiled(folder.path(), "xous/scalar", "vexriscv");
    assert!(
        data["phases"]["reports"][0]["word"].is_u64(),
        "it tells something: {data}"
    );
    let told = text.lines().filter(|it| it.starts_with("report "));
    assert_eq!(told.count(), 0, "{text}");
}

#[test]
fn a_case_that_there_is_not_is_refused_before_anything_is_built() {
    for (case, words) in [
        ("core/rt-1v", "did you mean `rt-1w`"),
        ("cor/rt-1w", "did you mean `core`"),
        ("rt-1w", "is no SUITE/CASE"),
    ] {
        let mut running = Tool::new(&["profile", case]).start();
        let text = running.text();
        assert_eq!(running.ends(), Some(1), "{text}");
        assert!(text.contains(words), "{text}");
        assert!(
            !text.contains("building") && !text.contains("profiling"),
            "{text}"
        );
    }
}

#[test]
fn a_profile_that_cannot_be_written_is_refused_before_anything_is_built() {
    let folder = tempfile::tempdir().expect("a directory");
    let nowhere = folder.path().join("none/profile");
    for option in ["--json", "--flame"] {
        let tool = Tool::new(&["profile", "core/rt-1w", option]).arg(&nowhere);
        let mut running = tool.start();
        let text = running.text();
        assert_eq!(running.ends(), Some(1), "{text}");
        assert!(text.contains("cannot write the profile"), "{text}");
        assert!(
            !text.contains("building") && !text.contains("profiling"),
            "{text}"
        );
    }
}

/// One that is measured within one process alone.
#[test]
fn a_case_within_one_process_is_found_by_its_name_in_a_result_and_else_said_to_be_one() {
    let profile = |case: &str| {
        let arguments = ["profile", case, "--board", "mps2-an386"];
        let mut running = Tool::new(&arguments).start();
        let text = running.text();
        (running.ends(), text)
    };
    let (code, text) = profile("chibios/storm");
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("add `--within`"), "{text}");
    let (code, text) = profile("chibios/within/event");
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("chibios/event on mps2-an386"), "{text}");
}
