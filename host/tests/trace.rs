//! `./riposte trace`: what it writes is true of the run, and says what is missing.

mod tool;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

use riposte_host::lab::Lab;
use serde_json::Value;
use tool::{Tool, program::Program};

/// A trace that was written.
struct Trace {
    folder: tempfile::TempDir,
    summary: String,
    /// What Perfetto opens.
    lines: Vec<Value>,
}

impl Trace {
    /// Of an application that ends.
    fn of(application: impl AsRef<OsStr>, board: &str, options: &[&str]) -> Trace {
        let lab = Lab::open().expect("the repository");
        let folder = tempfile::tempdir().expect("a directory");
        let mut run = Tool::new(&["trace", "--board", board, "--output"])
            .arg(folder.path())
            .arg(application)
            .args(options)
            .env("RIPOSTE_ROOT", &lab.root)
            .start();
        let code = run.ends();
        assert_eq!(code, Some(0), "{}", run.text());
        let read = |name: &str| fs::read_to_string(folder.path().join(name)).expect("written");
        let summary = read("summary.txt");
        let json: Value = serde_json::from_str(&read("trace.json")).expect("JSON");
        let lines = json["traceEvents"].as_array().expect("events").clone();
        Trace {
            folder,
            summary,
            lines,
        }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Events of this phase of the format.
    fn phase(&self, phase: &str) -> impl Iterator<Item = &Value> {
        let phase = phase.to_owned();
        self.lines.iter().filter(move |line| line["ph"] == *phase)
    }

    /// How many events there are, by the summary's first line.
    fn events(&self) -> usize {
        let (_, behind) = self.summary.split_once(": ").expect("a number");
        let number = behind.split(' ').next().expect("a number");
        number.parse().expect("a number")
    }

    /// Before the first event so many are missing.
    fn missing(&self) -> usize {
        let line = self.summary.lines().nth(1).expect("a line");
        let (number, _) = line
            .split_once(" events are missing between the start and ")
            .expect("what is missing, and where");
        number.parse().expect("a number")
    }

    fn babeltrace(&self) -> Option<(String, String)> {
        let output = Command::new("babeltrace2").arg(self.file("ctf")).output();
        let Ok(output) = output else {
            eprintln!("babeltrace2 is not there (apt-get install babeltrace2): not read");
            return None;
        };
        let text = |bytes| String::from_utf8(bytes).expect("text");
        let errors = text(output.stderr);
        assert!(output.status.success(), "{errors}");
        Some((text(output.stdout), errors))
    }
}

/// All of a run.
fn whole() -> &'static Trace {
    static WHOLE: OnceLock<Trace> = OnceLock::new();
    WHOLE.get_or_init(|| Trace::of("messages", "virt-rv32", &[]))
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_default()
}

/// What became of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Sent,
    Received,
}

/// Each send is received and answered, in this order, but for those whose wait ended otherwise; these are counted.
fn ended_otherwise(trace: &Trace) -> usize {
    let mut names = BTreeMap::new();
    for line in trace.phase("M").filter(|it| it["name"] == "thread_name") {
        names.insert(line["tid"].to_string(), text(&line["args"], "name"));
    }
    let mut open: BTreeMap<&str, Stage> = BTreeMap::new();
    let (mut sent, mut answered, mut ended) = (0, 0, 0);
    for line in trace.phase("X") {
        let who = names[&line["tid"].to_string()];
        let name = text(line, "name");
        if name.starts_with("send to ") {
            sent += 1;
            assert_eq!(open.insert(who, Stage::Sent), None, "{line}");
        } else if let Some(client) = name.strip_prefix("receive from ") {
            let before = open.insert(client, Stage::Received);
            assert_eq!(before, Some(Stage::Sent), "{line}");
        } else if let Some(client) = name.strip_prefix("reply to ") {
            answered += 1;
            assert_eq!(open.remove(client), Some(Stage::Received), "{line}");
        } else if name == "wait ended" && open.remove(who).is_some() {
            ended += 1;
        }
    }
    assert!(open.is_empty(), "{open:?}");
    assert!(sent > 1000, "{sent} messages");
    assert_eq!(sent, answered + ended);
    ended
}

#[test]
fn every_send_is_received_and_answered() {
    let arm = Trace::of("messages", "mps2-an386", &[]);
    for trace in [whole(), &arm] {
        // Two calls of the application have a deadline that comes.
        assert_eq!(ended_otherwise(trace), 2, "{}", trace.summary);
        assert!(!trace.summary.contains("missing"), "{}", trace.summary);
        assert!(!trace.summary.contains("no message"), "{}", trace.summary);
    }
}

#[test]
fn perfetto_gets_whole_arrows_and_tracks_of_threads_that_are_there() {
    let trace = whole();
    let ids = |phase| -> Vec<u64> {
        let ids = trace.phase(phase).map(|it| it["id"].as_u64());
        ids.map(|id| id.expect("an id")).collect()
    };
    let (begun, ended) = (ids("s"), ids("f"));
    let distinct: BTreeSet<_> = begun.iter().collect();
    assert_eq!(distinct.len(), begun.len());
    assert_eq!(distinct, ended.iter().collect());
    assert!(begun.len() > 1000, "{} arrows", begun.len());
    let tracks: BTreeSet<_> = trace
        .phase("M")
        .filter(|it| it["name"] == "thread_name")
        .map(|it| (it["pid"].as_u64(), it["tid"].as_u64()))
        .collect();
    assert_eq!(tracks.len(), 5, "client, console, two of the server, idle");
    let mut running: Vec<(f64, f64)> = vec![];
    for slice in trace.phase("X") {
        let track = (slice["pid"].as_u64(), slice["tid"].as_u64());
        assert!(tracks.contains(&track), "{slice}");
        let number = |name: &str| slice[name].as_f64().expect("a number");
        let (from, length) = (number("ts"), number("dur"));
        assert!(length >= 0.0, "{slice}");
        if slice["cat"] == "running" {
            running.push((from, from + length));
        }
    }
    // One processor: nobody runs while somebody else does, but for how numbers are rounded.
    running.sort_by(|one, other| one.0.total_cmp(&other.0));
    for pair in running.windows(2) {
        assert!(pair[0].1 <= pair[1].0 + 0.000_5, "{pair:?}");
    }
    for counter in trace.phase("C") {
        assert!(counter["args"]["priority"].is_u64(), "{counter}");
    }
}

#[test]
fn to_be_traced_takes_no_time_that_depends_on_the_host() {
    let one = Trace::of("messages", "mps2-an386", &[]);
    let other = Trace::of("messages", "mps2-an386", &[]);
    assert_eq!(one.summary, other.summary);
    assert!(one.lines == other.lines, "the events have other times");
}

#[test]
fn an_overflow_says_how_many_events_are_missing_and_where() {
    let whole = whole();
    let part = Trace::of("messages", "virt-rv32", &["--events", "64"]);
    // The oldest one of a full ring may be half overwritten.
    assert_eq!(part.events(), 63);
    assert_eq!(part.missing() + part.events(), whole.events());
    let global = part.phase("i").map(|line| text(line, "name").to_owned());
    let said: Vec<_> = global.collect();
    assert_eq!(said, [format!("{} events missing", part.missing())]);
}

#[test]
fn babeltrace_reads_each_event_and_says_what_is_missing() {
    let whole = whole();
    let Some((events, errors)) = whole.babeltrace() else {
        return;
    };
    assert_eq!(errors, "");
    assert_eq!(events.lines().count(), whole.events());
    let part = Trace::of("messages", "virt-rv32", &["--events", "64"]);
    let (events, errors) = part.babeltrace().expect("it was there");
    assert_eq!(events.lines().count(), part.events());
    let missing = format!("{} events", part.missing());
    assert!(errors.contains(&missing), "{missing}: {errors}");
}

#[test]
fn a_run_that_does_not_end_is_traced_for_some_time() {
    let trace = Trace::of("talk", "virt-rv32", &["--for", "5"]);
    assert!(trace.events() > 0);
}

/// The low word of the time comes around after 171.8 s on the one and 429.5 s on the other.
#[test]
fn times_are_right_when_the_clocks_low_word_has_come_around_and_little_happened() {
    let sleep = "
    println!(\"asleep\");
    riposte::sleep(core::time::Duration::from_secs(1000)).unwrap();
    println!(\"awake\");
    let _ = riposte::shutdown(0);";
    let program = Program::new("traced-sleep", sleep);
    for board in ["mps2-an386", "virt-rv32"] {
        let trace = Trace::of(&program.path, board, &["--events", "64"]);
        let times = trace.phase("X").filter_map(|line| line["ts"].as_f64());
        let last = times.fold(0.0, f64::max) / 1e6;
        assert!((1000.0..1000.1).contains(&last), "{board}: {last} s");
        assert!(trace.events() < 64, "{board}: {}", trace.summary);
    }
}

#[test]
fn a_kernel_that_is_not_traced_has_nothing_of_it() {
    let lab = Lab::open().expect("the repository");
    let written = lab.application("messages").expect("there");
    for name in ["mps2-an386", "virt-rv32"] {
        let board = lab.board_for(&written, Some(name)).expect("there");
        let mut application = written.on(board).expect("fits");
        let traced = |application: &_| {
            let image = lab.build(application, board).expect("builds");
            image.kernel.static_at("TRACE").is_some()
        };
        assert!(!traced(&application), "{name}");
        application.kernel.trace = 64;
        assert!(traced(&application), "{name}");
    }
}

#[test]
fn events_are_printed_while_the_board_runs() {
    let folder = tempfile::tempdir().expect("a directory");
    let mut running = Tool::new(&["trace", "talk", "--board", "mps2-an386", "--live"])
        .arg("--output")
        .arg(folder.path())
        .start();
    // It asks for a name, and waits.
    running.says("receive: client talk, badge 1");
    running.signal("INT");
    assert_eq!(running.ends(), Some(130));
    let text = running.text();
    assert!(!text.contains("missing"), "{text}");
    let is_event = |line: &&str| {
        let time = line.trim_start().split(' ').next();
        let nanoseconds = time.and_then(|it| it.split_once('.'));
        nanoseconds.is_some_and(|(_, behind)| behind.len() == 9) && line.contains(": ")
    };
    let summary = fs::read_to_string(folder.path().join("summary.txt")).expect("written");
    let (_, behind) = summary.split_once(": ").expect("a number");
    let (events, _) = behind.split_once(' ').expect("a number");
    let shown = text.lines().filter(is_event).count();
    assert_eq!(events, shown.to_string(), "{text}");
}

#[test]
fn a_simulated_board_has_no_live_trace() {
    let mut running = Tool::new(&["trace", "hello", "--board", "ibex", "--live"]).start();
    running.says("ibex is a simulator");
    assert_eq!(running.ends(), Some(1));
}
