//! `./riposte trace`: what it writes is true of the run, and says what is missing.

mod browser;
mod perfetto;
mod tool;
mod waves;
mod wheel;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use perfetto::{Flow, Perfetto, Track};
use riposte_host::lab::Lab;
use riposte_host::machine::ring::Gap;
use riposte_host::trace::event::{Event, State, What};
use riposte_host::trace::names::{Names, Thread};
use riposte_host::trace::summary::Summary;
use riposte_host::trace::{ctf, perfetto as written, timeline};
use serde_json::{Value, json};
use tool::{Tool, program::Program};
use waves::{Waves, around};

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
        Trace::read(folder)
    }

    /// What was written into a folder.
    fn read(folder: tempfile::TempDir) -> Trace {
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
    fn phase(&self, phase: &str) -> impl Iterator<Item = &Value> + Clone {
        let phase = phase.to_owned();
        self.lines.iter().filter(move |line| line["ph"] == *phase)
    }

    /// How many events there are, by the summary's first line.
    fn events(&self) -> usize {
        let (_, behind) = self.summary.split_once(": ").expect("a number");
        let number = behind.split(' ').next().expect("a number");
        number.parse().expect("a number")
    }

    /// How often what is called so came, by the summary.
    fn came(&self, what: &str) -> usize {
        let came = self.summary.lines().skip_while(|it| *it != "what came");
        came.filter_map(|line| line.trim_start().split_once(' '))
            .filter(|(_, name)| name.starts_with(what))
            .map(|(number, _)| number.parse::<usize>().expect("a number"))
            .sum()
    }

    /// Before the first event so many are missing.
    fn missing(&self) -> usize {
        let line = self.summary.lines().nth(1).expect("a line");
        let (number, _) = line
            .split_once(" events are missing between the start and ")
            .expect("what is missing, and where");
        number.parse().expect("a number")
    }

    /// What babeltrace2 says of it, and what it complains of.
    fn babeltrace(&self) -> (String, String) {
        babeltrace(&self.file("ctf"))
    }
}

/// What babeltrace2 says of the trace in a folder, and what it complains of.
fn babeltrace(folder: &Path) -> (String, String) {
    let output = Command::new("babeltrace2").arg(folder).output();
    let output = output.expect("babeltrace2 is not here; get it: apt-get install babeltrace2");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    let errors = text(output.stderr);
    assert!(output.status.success(), "{errors}");
    (text(output.stdout), errors)
}

/// All of a run.
fn whole() -> &'static Trace {
    static WHOLE: OnceLock<Trace> = OnceLock::new();
    WHOLE.get_or_init(|| Trace::of("messages", "virt-rv32", &[]))
}

#[test]
fn an_application_with_a_card_is_traced_as_it_runs() {
    let folder = tempfile::tempdir().expect("a directory");
    let card = folder.path().join("card.img");
    let card = card.to_str().expect("a name");
    for options in [&[][..], &["--card", card]] {
        let trace = Trace::of("card", "virt-rv32", options);
        let summary = &trace.summary;
        assert!(summary.contains("keeper > sd > block"), "{summary}");
        // Whether the driver waits for the card at all is a matter of when: it looks first. But it hears of the card by
        // its interrupt alone.
        let notified = trace.came("notify card");
        let interrupts = trace.came("interrupt ");
        assert_eq!(notified, interrupts, "{summary}");
        assert!(!summary.contains("fault"), "{summary}");
    }
    assert!(fs::metadata(card).is_ok_and(|it| it.len() > 0));
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

/// Where each thread's track is.
fn tracks(trace: &Trace) -> BTreeMap<Track, String> {
    let threads = trace.phase("M").filter(|it| it["name"] == "thread_name");
    let number = |it: &Value, name: &str| it[name].as_u64().expect("a number");
    let named = threads.map(|it| {
        let track = (number(it, "pid"), number(it, "tid"));
        (track, text(&it["args"], "name").to_owned())
    });
    named.collect()
}

/// Where an arrow of a message leads from and to: what it is, who does it.
fn leads<'a>(flow: &'a Flow, tracks: &'a BTreeMap<Track, String>) -> [(&'a str, &'a str); 2] {
    [&flow.from, &flow.to].map(|slice| (slice.name.as_str(), tracks[&slice.track].as_str()))
}

#[test]
fn perfetto_leaves_nothing_out_and_arrows_join_each_send_receive_and_reply() {
    let late = "
    riposte::sleep(core::time::Duration::from_secs(3)).unwrap();
    println!(\"awake\");
    let _ = riposte::shutdown(0);";
    let program = Program::new("traced-late", late);
    let long = Trace::of(&program.path, "virt-rv32", &[]);
    let sessions = [
        whole(),
        &Trace::of("messages", "mps2-an386", &[]),
        // Times of some seconds have no exact microseconds.
        &long,
    ];
    let begins = long.phase("X").filter_map(|line| line["ts"].as_f64());
    assert!(begins.fold(0.0, f64::max) > 3e6, "{}", long.summary);
    let mut perfetto = Perfetto::open();
    let mut most = 0;
    for trace in sessions {
        let model = perfetto.read(&trace.file("trace.json"));
        assert!(model.left_out.is_empty(), "{:?}", model.left_out);
        let tracks = tracks(trace);
        let threads: BTreeMap<_, _> = model.threads.iter().cloned().collect();
        assert_eq!(threads, tracks);
        assert_eq!(model.slices.len(), trace.phase("X").count());
        let values: u64 = model.counters.iter().map(|(_, values)| values).sum();
        assert_eq!(values, trace.phase("C").count() as u64);
        assert_eq!(model.counters.len(), tracks.len());
        let named = |name: &str| {
            let slices = model.slices.iter();
            slices.filter(|it| it.name.starts_with(name)).count()
        };
        let (mut received, mut answered) = (0, 0);
        for flow in &model.flows {
            let [(from, sender), (to, receiver)] = leads(flow, &tracks);
            if from.starts_with("send to ") {
                assert_eq!(to, format!("receive from {sender}"), "{flow:?}");
                received += 1;
            } else {
                // Back to the client, which is ready then, or runs.
                assert_eq!(from, format!("reply to {receiver}"), "{flow:?}");
                answered += 1;
            }
            assert!(flow.from.begin <= flow.to.begin, "{flow:?}");
        }
        assert_eq!(received, named("receive from "), "{}", trace.summary);
        assert_eq!(answered, named("reply to "), "{}", trace.summary);
        assert!(received > 0 && answered > 0, "{}", trace.summary);
        most = most.max(model.flows.len());
    }
    assert!(most > 2000, "{most} arrows");
}

#[test]
fn perfetto_gets_tracks_of_threads_that_are_there() {
    let trace = whole();
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
    let (events, errors) = whole.babeltrace();
    assert_eq!(errors, "");
    assert_eq!(events.lines().count(), whole.events());
    let part = Trace::of("messages", "virt-rv32", &["--events", "64"]);
    let (events, errors) = part.babeltrace();
    assert_eq!(events.lines().count(), part.events());
    let missing = format!("{} events", part.missing());
    assert!(errors.contains(&missing), "{missing}: {errors}");
}

#[test]
fn each_of_several_gaps_is_told_also_two_at_one_place_and_one_at_the_end() {
    let thread = |name: &str| Thread {
        process: 0,
        name: name.into(),
        priority: 1,
    };
    let names = Names {
        application: "gaps".into(),
        board: "none".into(),
        processes: vec!["process".into()],
        threads: vec![thread("one"), thread("idle")],
        channels: vec![],
    };
    let event = |number: u32| Event {
        time: 100 * u64::from(number),
        thread: 0,
        priority: 1,
        what: What::Interrupt(number),
    };
    let events: Vec<Event> = (1..=5).map(event).collect();
    for gaps in [[(2, 5), (2, 7), (4, 1)], [(0, 5), (2, 7), (5, 1)]] {
        let gaps = gaps.map(|(before, missing)| Gap {
            before,
            missing,
            reset: false,
        });
        let folder = tempfile::tempdir().expect("a directory");
        ctf::write(folder.path(), &names, &events, &gaps).expect("written");
        let (lines, told) = babeltrace(folder.path());
        assert_eq!(lines.lines().count(), 5, "{lines}{told}");
        let numbers = told.split("discarded ").skip(1);
        let numbers = numbers.map(|it| it.split(' ').next().expect("a number"));
        let discarded: u32 = numbers.map(|it| it.parse::<u32>().expect("a number")).sum();
        assert_eq!(discarded, 13, "{told}");
        let places: Vec<usize> = gaps.iter().map(|gap| gap.before).collect();
        let told = timeline::timeline(&events, &places);
        let mut json = vec![];
        written::write(&mut json, &names, &events, &told, &gaps).expect("written");
        let json: Value = serde_json::from_slice(&json).expect("JSON");
        let lines = json["traceEvents"].as_array().expect("events");
        let said: Vec<_> = lines.iter().filter(|it| it["ph"] == "i").collect();
        let said: Vec<_> = said.iter().map(|it| text(it, "name")).collect();
        let due = gaps.iter();
        let due = due.map(|it| format!("{} events missing", it.missing));
        assert_eq!(said, due.collect::<Vec<_>>());
    }
}

/// The events of a thread that sends to a channel of another one, which receives so much later, and answers in the end;
/// `between` is what happens while it serves. The thread runs at first, and in the end.
fn call(
    [client, server, channel]: [usize; 3],
    [sent, received, answered]: [u64; 3],
    between: Vec<Event>,
) -> Vec<Event> {
    let event = |time, thread, what| Event {
        time,
        thread,
        priority: 1,
        what,
    };
    let switch = |from, state| What::Switch { from, state };
    let receive = What::Receive {
        client,
        badge: 0,
        generation: 0,
    };
    let begin = [
        event(sent, client, What::Send { channel, badge: 0 }),
        event(sent, server, switch(client, State::SendBlocked)),
        event(received, server, receive),
    ];
    let end = [
        event(answered, server, What::Reply { client, status: 0 }),
        event(answered, client, switch(server, State::ReceiveBlocked)),
    ];
    begin.into_iter().chain(between).chain(end).collect()
}

#[test]
fn the_longest_chains_and_waits_come_first_and_the_histogram_counts_each_answer_once() {
    let processes = ["server", "middle", "client", "idle"].map(str::to_owned);
    let thread = |process| Thread {
        process,
        name: "main".into(),
        priority: 1,
    };
    let names = Names {
        application: "made-up".into(),
        board: "none".into(),
        processes: processes.into(),
        threads: (0..4).map(thread).collect(),
        channels: vec![("near".into(), 1), ("far".into(), 0)],
    };
    let (near, far) = ([2, 1, 0], [1, 0, 1]);
    let mut events = vec![];
    let mut time = 1000;
    // Of powers of two, the one before and the number itself are in different steps.
    for takes in [1, 100, 127, 128, 255, 256] {
        events.extend(call(near, [time, time, time + takes], vec![]));
        time += 1000;
    }
    // A call within a call: three wait in a chain, for 30 nanoseconds.
    let within = call(far, [time + 20, time + 30, time + 60], vec![]);
    events.extend(call(near, [time, time + 10, time + 100], within));
    time += 1000;
    // More often than those of the client, the longest longer, and less in all.
    for takes in [25, 25, 25, 25, 300, 25, 25, 25, 25] {
        events.extend(call(far, [time, time, time + takes], vec![]));
        time += 1000;
    }
    let told = timeline::timeline(&events, &[]);
    let summary = Summary::of(&names, &events, &told, &[]);
    let it = serde_json::to_value(&summary).expect("JSON");
    let chain = |threads: &[&str], times: u64, total: u64| json!({ "threads": threads, "times": times, "total": total });
    // By their threads first, and of as many by their time; by their names, or by how often, they came otherwise.
    let chains = [
        chain(&["client", "middle", "server"], 1, 30),
        chain(&["client", "middle"], 8, 867 + 60),
        chain(&["middle", "server"], 9, 500),
    ];
    assert_eq!(it["chains"], json!(chains));
    let wait = |thread: &str, was: &str, on: &str, [times, total, most]: [u64; 3]| json!({ "thread": thread, "was": was, "on": on, "times": times, "total": total, "most": most });
    let waits = [
        wait("client", "REPLY-blocked", "middle", [7, 867 + 90, 256]),
        wait("middle", "REPLY-blocked", "server", [10, 530, 300]),
        wait("middle", "SEND-blocked", "channel far", [10, 10, 10]),
        wait("client", "SEND-blocked", "channel near", [7, 10, 10]),
    ];
    assert_eq!(it["waits"], json!(waits));
    let steps = |channel: usize| -> Vec<(u64, u64)> {
        let steps = it["channels"][channel]["histogram"].as_array();
        let steps = steps.expect("a histogram").iter();
        let numbers = ["below", "count"];
        let read = steps.map(|it| numbers.map(|name| it[name].as_u64().expect("a number")));
        read.map(Into::into).collect()
    };
    assert_eq!(steps(0), [(2, 1), (128, 3), (256, 2), (512, 1)]);
    assert_eq!(steps(1), [(32, 8), (64, 1), (512, 1)]);
    let spread = json!({ "least": 1, "median": 127, "most": 256 });
    assert_eq!(it["channels"][0]["until_answered"], spread);
    // And in words.
    let words = summary.to_string();
    let bars = [(2, 1, 14), (128, 3, 40), (256, 2, 27), (512, 1, 14)].map(|(below, count, bar)| {
        format!(
            "  below {:>9} {count:>7} {}\n",
            format!("{below} ns"),
            "#".repeat(bar)
        )
    });
    let histogram = format!(
        "until answered at near\n{}until answered at far\n",
        bars.concat()
    );
    assert!(words.contains(&histogram), "{words}");
    let chains = "  client > middle > server: 1 times, 30 ns\n  client > middle: 8 times, 927 ns\n  \
                  middle > server: 9 times, 500 ns\n";
    assert!(words.contains(chains), "{words}");
}

#[test]
fn a_run_that_does_not_end_is_traced_for_some_time() {
    // How far an emulated one has come by then is nobody's promise.
    Trace::of("talk", "virt-rv32", &["--for", "1"]);
    // A simulated board is stopped in a cycle.
    let trace = Trace::of("talk", "ibex", &["--for", "5ms"]);
    let ends = trace
        .phase("X")
        .filter_map(|line| Some(line["ts"].as_f64()? + line["dur"].as_f64()?));
    let last = ends.fold(0.0, f64::max);
    assert!(last > 0.0 && last <= 5000.0, "{last} us");
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

/// Nanoseconds that a cycle of a simulated board counts as.
const CYCLE: f64 = 10.0;

/// When something of a trace begins, in cycles.
fn cycle(line: &Value) -> u64 {
    (line["ts"].as_f64().expect("a time") * 1000.0 / CYCLE).round() as u64
}

/// Of a simulated board, the cycle at which each thread begins to run and ends, and its process.
fn runs(trace: &Trace) -> Vec<(u64, u64, u64)> {
    let runs = trace.phase("X").filter(|it| it["cat"] == "running");
    let run = |it: &Value| {
        let length = it["dur"].as_f64().expect("a length") * 1000.0 / CYCLE;
        let process = it["pid"].as_u64().expect("a process");
        (cycle(it), cycle(it) + length.round() as u64, process)
    };
    runs.map(run).collect()
}

#[test]
fn the_waves_of_a_simulated_board_change_where_its_trace_has_events() {
    let trace = Trace::of("messages", "ibex", &[]);
    let waves = Waves::read(&trace.file("waves.vcd"));
    let kernel = waves.kernel();
    let mut due = vec![];
    for line in trace.phase("X").filter(|it| it["cat"] != "waiting") {
        let at = cycle(line);
        let (begin, _) = around(&kernel, at).unwrap_or_else(|| panic!("no kernel: {line}"));
        // A switch comes at the end of the kernel's work; all else has the time at which that began.
        let is_late = line["cat"] != "running" && at - begin > 100;
        assert!(!is_late, "the kernel has run since {begin}: {line}");
        due.extend((line["cat"] == "deadline").then_some((begin, at)));
    }
    // Whenever a process runs, the trace says that one of its threads does. Of the last one it does not know the end.
    let mut runs = runs(&trace);
    if let Some((_, to, _)) = runs.last_mut() {
        *to = u64::MAX;
    }
    assert!(waves.processes().len() > 1000);
    for (begin, end) in waves.processes() {
        let behind = runs.partition_point(|(from, ..)| *from <= begin);
        let (from, to, _) = runs[behind.checked_sub(1).expect("somebody runs")];
        assert!(begin >= from && end <= to, "nobody runs at {begin}");
    }
    // The alarm rings for each deadline, and for nothing else, before the kernel sees to it.
    let rings = waves.timer.iter().filter(|(_, is_high)| *is_high == 1);
    let rings: Vec<u64> = rings.map(|(time, _)| *time).collect();
    assert_eq!(rings.len(), due.len(), "{rings:?} {due:?}");
    assert_eq!(due.len(), 2, "two calls of the application");
    for (ring, (_, at)) in rings.iter().zip(&due) {
        assert!(*ring < *at && at - ring < 1000, "{ring} {at}");
    }
}

#[test]
fn the_waves_of_a_simulated_board_show_another_address_space_at_each_switch_of_processes() {
    let trace = Trace::of("hello", "vexriscv", &[]);
    let waves = Waves::read(&trace.file("waves.vcd"));
    let runs = runs(&trace);
    // Before the first one, nothing is translated.
    let spaces = &waves.address_space[1..];
    assert!(spaces.len() > 2);
    assert_eq!(spaces.len(), runs.len(), "{spaces:?} {runs:?}");
    let mut known = BTreeMap::new();
    let kernel = waves.kernel();
    for ((changed, space), (from, _, process)) in spaces.iter().zip(&runs) {
        let both = [*changed, *from].map(|it| around(&kernel, it));
        assert!(both[0].is_some(), "nobody but the kernel changes it");
        assert_eq!(both[0], both[1], "another entry of the kernel");
        assert_eq!(known.entry(*process).or_insert(*space), space);
    }
    let distinct: BTreeSet<_> = known.values().collect();
    assert_eq!(distinct.len(), known.len(), "{known:?}");
}

/// Where the kernel's part that traces is written.
const TRACING: &str = "kernel/src/trace.rs";

/// How many bytes of a kernel's code were compiled from the part that traces, also where the compiler has put that into
/// something else.
fn bytes_of_tracing(elf: &Path) -> u64 {
    let loader = addr2line::Loader::new(elf).expect("a kernel with lines");
    let lines = loader.find_location_range(0, u64::MAX).expect("its lines");
    let lines = lines.filter(|(_, _, it)| it.file.is_some_and(|it| it.ends_with(TRACING)));
    lines.map(|(_, length, _)| length).sum()
}

#[test]
fn a_kernel_that_is_not_traced_has_nothing_of_it() {
    let lab = Lab::open().expect("the repository");
    let written = lab.application("messages").expect("there");
    for name in ["mps2-an386", "virt-rv32", "virt-rv32-mmu"] {
        let board = lab.board_for(&written, Some(name)).expect("there");
        let mut application = written.on(board).expect("fits");
        let built = |application: &_| lab.build(application, board).expect("builds");
        let without = built(&application);
        assert!(without.kernel.static_at("TRACE").is_none(), "{name}");
        assert_eq!(bytes_of_tracing(&without.kernel.file), 0, "{name}");
        application.kernel.trace = 64;
        let with = built(&application);
        assert!(with.kernel.static_at("TRACE").is_some(), "{name}");
        assert!(bytes_of_tracing(&with.kernel.file) > 100, "{name}");
    }
}

#[test]
fn events_are_printed_while_the_board_runs() {
    let folder = tempfile::tempdir().expect("a directory");
    let mut running = Tool::new(&["trace", "talk", "--board", "mps2-an386", "--live"])
        .arg("--output")
        .arg(folder.path())
        .start();
    running.says("receive: client talk, badge 1");
    // What it asks has no end of a line, and is there when it is answered.
    running.hears("Ada\r");
    running.says("hello Ada");
    running.signal("INT");
    assert_eq!(running.ends(), Some(130));
    let text = running.text();
    assert!(!text.contains("missing"), "{text}");
    assert!(text.contains("name? "), "{text}");
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

/// A program whose board is reset when it fails once more than it is restarted.
fn resets(name: &str, body: &str) -> Program {
    let program = Program::new(name, body);
    program.manifest(|text| {
        let before = "restart_limit = 5\n";
        assert!(text.contains(before), "{text}");
        text.replace(before, "restart_limit = 1\non_limit = \"reset\"\n")
    });
    program
}

#[test]
fn a_live_trace_goes_on_when_the_board_was_reset() {
    let dies = "
    for _ in 0..20 {
        riposte::sleep(core::time::Duration::from_millis(20)).unwrap();
    }
    panic!(\"again\");";
    let program = resets("traced-reset", dies);
    for board in ["mps2-an386", "virt-rv32"] {
        let folder = tempfile::tempdir().expect("a directory");
        let mut running = Tool::new(&["trace", "--live", "--board", board, "--output"])
            .arg(folder.path())
            .arg(&program.path)
            .env("RIPOSTE_ROOT", &program.lab.root)
            .start();
        // It has gone on when it is reset once more.
        for _ in 0..2 {
            running.says("the board was reset here");
        }
        running.signal("INT");
        assert_eq!(running.ends(), Some(130), "{}", running.text());
        let trace = Trace::read(folder);
        let summary = &trace.summary;
        assert!(summary.contains("the board was reset after "), "{summary}");
        let said = trace.phase("i").map(|it| text(it, "name"));
        let resets = said.filter(|it| *it == "the board was reset").count();
        assert!(resets >= 2, "{summary}");
        // Times go on: a life takes less than that.
        let begins = trace.phase("X").filter_map(|line| line["ts"].as_f64());
        assert!(begins.fold(0.0, f64::max) > 1e6, "{summary}");
        let (events, errors) = trace.babeltrace();
        assert_eq!(events.lines().count(), trace.events(), "{errors}");
    }
}

#[test]
fn a_run_says_that_the_board_was_reset() {
    let dies = "
    riposte::sleep(core::time::Duration::from_millis(20)).unwrap();
    panic!(\"again\");";
    let program = resets("told-reset", dies);
    for board in ["mps2-an386", "virt-rv32"] {
        let mut running = Tool::new(&["run", "--virtual", "--board", board])
            .arg(&program.path)
            .env("RIPOSTE_ROOT", &program.lab.root)
            .start();
        for _ in 0..2 {
            running.says("riposte: the board was reset");
        }
        running.signal("INT");
        assert_eq!(running.ends(), Some(130), "{}", running.text());
        let text = running.text();
        assert!(
            !text.contains("of which the kernel knows nothing"),
            "{text}"
        );
    }
}

#[test]
fn who_was_stopped_is_stopped_to_the_end_whatever_it_was_doing() {
    let three = "
    let second = core::time::Duration::from_secs(1);
    match [\"spin\", \"sleeper\"].map(riposte::process) {
        [Ok(spin), Ok(sleeper)] => {
            riposte::sleep(second / 1000).unwrap();
            spin.stop();
            sleeper.stop();
            riposte::sleep(second * 1000).unwrap();
            let _ = riposte::shutdown(0);
        }
        [Ok(_), Err(_)] => riposte::sleep(second * 1000).unwrap(),
        _ => loop {
            core::hint::spin_loop();
        },
    }";
    let program = Program::new("traced-stop", three);
    program.manifest(|text| {
        let begin = "program = \"./traced-stop\"\n";
        assert!(text.contains(begin), "{text}");
        let text = text.replace(
            begin,
            &format!("{begin}controls = [\"spin\", \"sleeper\"]\n"),
        );
        let rest = format!("{begin}stack = \"2KiB\"\npriority = ");
        text + &format!("\n[[process]]\nname = \"spin\"\n{rest}5\n")
            + &format!("\n[[process]]\nname = \"sleeper\"\ncontrols = [\"spin\"]\n{rest}8\n")
    });
    for board in ["mps2-an386", "virt-rv32"] {
        let trace = Trace::of(&program.path, board, &[]);
        let tracks = tracks(&trace);
        for name in ["spin", "sleeper"] {
            let track = |it: &Value| (it["pid"].as_u64(), it["tid"].as_u64());
            let own = tracks.iter().find(|(_, it)| *it == name).expect("there").0;
            let spans = trace.phase("X").filter(|it| it["cat"] == "waiting");
            let spans = spans.filter(|it| track(it) == (Some(own.0), Some(own.1)));
            let length = |what: &str| {
                let spans = spans.clone().filter(|it| it["name"] == *what);
                spans.filter_map(|it| it["dur"].as_f64()).sum::<f64>()
            };
            let (ready, stopped) = (length("ready"), length("stopped"));
            assert!(ready < 1000.0, "{board}, {name}: ready for {ready} us");
            assert!(stopped > 999e6, "{board}, {name}: stopped for {stopped} us");
        }
    }
}

#[test]
fn who_is_woken_in_a_process_that_is_held_is_stopped() {
    let faults = "
    fn sleeps(_: usize) -> u32 {
        riposte::sleep(core::time::Duration::from_secs(1)).unwrap();
        0
    }
    let second = core::time::Duration::from_secs(1);
    if riposte::process(\"fallen\").is_err() {
        let settings = riposte::thread::Settings::new(5);
        let _sleeper = riposte::thread::spawn(sleeps, 0, settings).unwrap();
        riposte::sleep(second / 1000).unwrap();
        panic!();
    }
    riposte::sleep(second * 1000).unwrap();
    let _ = riposte::shutdown(0);";
    let program = Program::new("traced-held", faults);
    program.manifest(|text| {
        let begin = "program = \"./traced-held\"\n";
        assert!(text.contains(begin), "{text}");
        let text = text.replace(begin, &format!("{begin}controls = [\"fallen\"]\n"));
        text + "\n[[process]]\nname = \"fallen\"\n"
            + begin
            + "stack = \"2KiB\"\npriority = 5\nthreads_spare = 1\nspare_stack = \"1KiB\"\non_fault = \"hold\"\n"
    });
    for board in ["mps2-an386", "virt-rv32"] {
        let trace = Trace::of(&program.path, board, &[]);
        let tracks = tracks(&trace);
        let sleeper = tracks
            .iter()
            .find(|(_, it)| it.starts_with("fallen.") && *it != "fallen.main");
        let (&own, _) = sleeper.expect("there");
        let span = |it: &Value| {
            Some((
                (it["pid"].as_u64()?, it["tid"].as_u64()?),
                it["dur"].as_f64()?,
            ))
        };
        let length = |what: &str| {
            let spans = trace.phase("X").filter(|it| it["name"] == *what);
            let spans = spans.filter_map(span).filter(|(track, _)| *track == own);
            spans.map(|(_, length)| length).sum::<f64>()
        };
        let (ready, stopped) = (length("ready"), length("stopped"));
        assert!(ready < 1000.0, "{board}: ready for {ready} us");
        assert!(stopped > 998e6, "{board}: stopped for {stopped} us");
    }
}
