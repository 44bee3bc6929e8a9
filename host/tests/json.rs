//! `--json` of the commands that do long work: the standard output is one document, and all else is said elsewhere.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::net::TcpStream;
use std::os::unix::fs::symlink;
use std::process::{Command, Output, Stdio};

use clap::CommandFactory;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use riposte_host::cli::Cli;
use serde_json::{Value, json};

fn tool(arguments: &[&str]) -> Output {
    let mut tool = Command::new(env!("CARGO_BIN_EXE_riposte-host"));
    tool.args(arguments).output().expect("it runs")
}

/// What a command prints, and the rest of what came of it.
fn printed(arguments: &[&str]) -> (Value, Output) {
    let done = tool(arguments);
    let text = String::from_utf8_lossy(&done.stdout);
    let value = serde_json::from_str(&text);
    let value = value.unwrap_or_else(|error| {
        panic!(
            "{error} in:\n{text}\n{}",
            String::from_utf8_lossy(&done.stderr)
        )
    });
    (value, done)
}

#[test]
fn a_trace_as_json_says_what_the_summary_says() {
    let folder = tempfile::tempdir().expect("there is a disk");
    let place = folder.path().to_string_lossy();
    let (trace, done) = printed(&[
        "trace",
        "messages",
        "--board",
        "mps2-an386",
        "--json",
        "--output",
        &place,
    ]);
    assert_eq!(done.status.code(), Some(0));
    let console = String::from_utf8_lossy(&done.stderr);
    assert!(console.contains("@done"), "{console}");
    let summary = fs::read_to_string(folder.path().join("summary.txt")).expect("it was written");
    let first = summary.lines().next().expect("a line");
    let begin = format!(
        "messages on mps2-an386: {} events, the last of them ",
        trace["events"]
    );
    assert!(first.starts_with(&begin), "{first}: {trace}");
    assert_eq!(trace["code"], 0);
    assert_eq!(trace["gaps"], json!([]));
    // The processor is somebody's all the time, and each line of the summary has its object.
    let list = |name: &str| {
        trace[name]
            .as_array()
            .unwrap_or_else(|| panic!("{name}: {trace}"))
            .clone()
    };
    let running: u64 = list("threads")
        .iter()
        .filter_map(|it| it["running"].as_u64())
        .sum();
    assert_eq!(Some(running), trace["time"].as_u64());
    let part = |from: &str| {
        let (_, rest) = summary.split_once(from).expect(from);
        let lines = rest.lines().skip(3).take_while(|line| !line.is_empty());
        lines
            .map(|line| line.split_whitespace().next().expect("a word").to_owned())
            .collect::<Vec<_>>()
    };
    let names = |list: &[Value], name: &str| {
        list.iter()
            .map(|it| it[name].as_str().expect("a name").to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        part("use of the processor"),
        names(&list("threads"), "thread")
    );
    assert_eq!(part("messages (times"), names(&list("channels"), "channel"));
    assert_eq!(part("who waited for whom"), names(&list("waits"), "thread"));
    for channel in list("channels") {
        let count = |name: &str| channel[name].as_u64().expect("a number");
        assert_eq!(
            count("sent"),
            count("answered") + count("ended") + count("open"),
            "{channel}"
        );
        let steps = channel["histogram"].as_array().expect("steps").iter();
        let steps: u64 = steps.filter_map(|it| it["count"].as_u64()).sum();
        assert_eq!(steps, count("answered"), "{channel}");
    }
    for file in list("files") {
        assert!(
            fs::exists(file.as_str().expect("a path")).expect("a path"),
            "{file}"
        );
    }
    let refused = tool(&["trace", "hello", "--json", "--live"]);
    assert_eq!(refused.status.code(), Some(2));
}

#[test]
fn rounds_of_the_fuzzer_are_told_as_json() {
    let (fuzz, done) = printed(&[
        "fuzz",
        "--board",
        "mps2-an386",
        "--seed",
        "7",
        "--rounds",
        "3",
        "--json",
    ]);
    assert_eq!(done.status.code(), Some(0));
    let calls = fuzz["boards"][0]["calls"].as_u64();
    assert!(calls.is_some_and(|it| it > 100), "{fuzz}");
    let board = json!({ "board": "mps2-an386", "calls": calls, "differs": null });
    assert_eq!(fuzz, json!({ "seed": 7, "rounds": 3, "boards": [board] }));
}

#[test]
fn a_report_as_json_says_where_the_page_is_and_what_is_on_it() {
    let folder = tempfile::tempdir().expect("there is a disk");
    let file = folder.path().join("a.json");
    let entry = json!({
        "suite": "core", "case": "rt-1w", "board": "mps2-an386", "metric": "instructions", "value": 121.0,
        "per": "operation", "iterations": 100, "protected": true, "config": "as it ships", "method": "loop",
    });
    let document = json!({
        "schema": 1, "commit": "abc", "date": "2026-01-01", "tools": { "qemu": "7" }, "results": [entry, {}],
    });
    fs::write(&file, document.to_string()).expect("there is a disk");
    let (report, done) = printed(&["report", &file.to_string_lossy(), "--json"]);
    assert_eq!(done.status.code(), Some(0));
    let page = file.with_extension("html");
    assert_eq!(report["page"], page.to_string_lossy().as_ref());
    assert!(page.is_file());
    assert_eq!(report["figures"], 1);
    let source = json!({
        "file": "a.json", "commit": "abc", "date": "2026-01-01", "tools": { "qemu": "7" }, "figures": 1,
        "remarks": ["1 of its 2 figures could not be read"],
    });
    assert_eq!(report["sources"], json!([source]));
    let headlines = report["headlines"].as_array().expect("headlines");
    let rows = headlines
        .iter()
        .flat_map(|it| it["rows"].as_array().expect("rows"));
    let measured: Vec<&Value> = rows.filter(|it| it["ours"] == "121").collect();
    assert!(!measured.is_empty(), "{report}");
    assert!(
        measured.iter().all(|it| it["ratio"].is_number()),
        "{report}"
    );
}

#[test]
fn the_verdicts_of_the_tests_are_told_as_json() {
    let (tests, done) = printed(&["test", "format", "--json"]);
    let failed = tests["failed"].as_u64().expect("a number");
    assert_eq!(done.status.code(), Some(i32::from(failed > 0)), "{tests}");
    let all = tests["tests"].as_array().expect("a list");
    let of = |name: &str| all.iter().filter_map(|it| it[name].as_u64()).sum::<u64>();
    assert_eq!(tests["passed"], of("passed"));
    assert_eq!(tests["failed"], of("failed"));
    assert!(
        !all.is_empty() && all.iter().all(|it| it["stage"] == "format"),
        "{tests}"
    );
    assert_eq!(tests["stages"][0]["stage"], "format");
    assert!(tests["stages"][0]["seconds"].is_u64(), "{tests}");
    let lines = String::from_utf8_lossy(&done.stderr);
    let last = format!("{} passed, {failed} failed", tests["passed"]);
    assert_eq!(lines.lines().last(), Some(&*last));
}

/// Commands that print no result: the one prints JSON in any case, the other one a script for a shell.
const WITHOUT: [&str; 2] = ["schema", "completion"];

#[test]
fn every_command_can_print_json() {
    let command = Cli::command();
    let lacks = command.get_subcommands().filter(|command| {
        let has = command
            .get_arguments()
            .any(|it| it.get_long() == Some("json"));
        has == WITHOUT.contains(&command.get_name())
    });
    let lacks: Vec<&str> = lacks.map(clap::Command::get_name).collect();
    assert!(lacks.is_empty(), "{lacks:?}");
    assert!(command.get_subcommands().count() > 15);
}

/// The lines that a command prints.
fn lines(done: &Output) -> Vec<Value> {
    let text = String::from_utf8_lossy(&done.stdout);
    let read = |line: &str| {
        serde_json::from_str(line).unwrap_or_else(|error| panic!("{error} in: {line}"))
    };
    text.lines().map(read).collect()
}

#[test]
fn a_run_as_json_is_a_line_for_what_the_console_says_and_one_for_its_end() {
    let words = ["run", "hello", "--board", "virt-rv32", "--virtual"];
    let plain = tool(&words);
    let done = tool(&[&words[..], &["--json"]].concat());
    assert_eq!(done.status.code(), Some(0));
    let lines = lines(&done);
    let (end, console) = lines.split_last().expect("lines");
    assert_eq!(*end, json!({"event": "end", "how": "exit", "code": 0}));
    assert!(console.iter().all(|it| it["event"] == "console"));
    let text: String = console
        .iter()
        .filter_map(|it| it["text"].as_str())
        .collect();
    assert_eq!(text, String::from_utf8_lossy(&plain.stdout));
    assert!(text.contains("hello"), "{text}");
}

#[test]
fn a_run_as_json_that_comes_to_no_end_says_so() {
    let words = ["run", "talk", "--board", "virt-rv32", "--limit", "2"];
    let done = tool(&[&words[..], &["--json"]].concat());
    assert_eq!(done.status.code(), Some(1));
    let lines = lines(&done);
    let end = json!({"event": "end", "how": "endless", "code": 1});
    assert_eq!(lines.last(), Some(&end));
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(said.contains("--limit"), "{said}");
}

/// An emulator that does not start.
#[test]
fn a_run_as_json_that_fails_says_so() {
    let folder = tempfile::tempdir().expect("there is a disk");
    let broken = folder.path().join("qemu-system-riscv32");
    symlink(&broken, &broken).expect("it leads to itself");
    let path = std::env::var("PATH").expect("there is one");
    let path = format!("{}:{path}", folder.path().display());
    for words in [
        &["run", "hello", "--board", "virt-rv32", "--virtual"][..],
        &["run", "tests/nodes"],
    ] {
        let mut tool = Command::new(env!("CARGO_BIN_EXE_riposte-host"));
        let tool = tool.args(words).arg("--json").env("PATH", &path);
        let done = tool.output().expect("it runs");
        let said = String::from_utf8_lossy(&done.stderr);
        assert_eq!(done.status.code(), Some(1), "{said}");
        let end = json!({"event": "end", "how": "failed", "code": 1});
        assert_eq!(lines(&done).last(), Some(&end), "{said}");
    }
}

#[test]
fn what_new_and_add_write_is_told_as_json() {
    let folder = tempfile::tempdir().expect("there is a disk");
    let place = folder.path().join("blink");
    let place = place.to_string_lossy();
    for words in [&["new", &*place][..], &["add", &place, "lamp"]] {
        let (told, _) = printed(&[words, &["--json"]].concat());
        let files = told["files"].as_array().expect("files");
        assert!(files.len() > 1, "{told}");
        for file in files {
            let file = file.as_str().expect("a name");
            assert!(fs::metadata(file).is_ok(), "{file}");
        }
        assert_eq!(told["next"], format!("../riposte run {place}"));
    }
}

/// Starts a server, takes the line that it prints, looks whether somebody is there, and ends it as a person does.
fn served(words: &[&str]) -> Value {
    let mut child = Command::new(env!("CARGO_BIN_EXE_riposte-host"))
        .args(words)
        .args(["--server", "0", "--json"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("it runs");
    let mut out = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut line = String::new();
    out.read_line(&mut line).expect("a line");
    let told: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
    let address = told["address"].as_str().expect("an address");
    assert!(TcpStream::connect(address).is_ok(), "nobody at {address}");
    let id = Pid::from_raw(i32::try_from(child.id()).expect("an id"));
    kill(id, Signal::SIGINT).expect("it is there");
    child.wait().expect("it ends");
    let mut rest = String::new();
    out.read_to_string(&mut rest).expect("text");
    assert_eq!(rest, "", "more than a line");
    told
}

#[test]
fn where_a_debugger_finds_a_board_or_a_core_is_told_as_json() {
    let board = ["--board", "mps2-an386"];
    let of_board = served(&[&["debug", "hello"][..], &board].concat());
    let folder = tempfile::tempdir().expect("there is a disk");
    let file = folder.path().join("hello.core");
    let file = file.to_str().expect("a name");
    let words = [&["core", "hello", "--json", "--output", file][..], &board].concat();
    let (written, done) = printed(&words);
    assert_eq!(written["core"], file);
    let console = String::from_utf8_lossy(&done.stderr);
    assert!(console.contains("hello"), "{console}");
    let of_core = served(&["core", file]);
    assert_eq!(of_core["stopped"], written["stopped"]);
    for told in [of_board, of_core] {
        assert_eq!(told["board"], "mps2-an386");
        let kernel = told["kernel"].as_str().expect("a file");
        let command = told["command"].as_str().expect("a command");
        assert!(kernel.ends_with("/kernel.elf"), "{told}");
        assert!(command.starts_with("gdb-multiarch -x "), "{told}");
    }
}

#[test]
fn json_where_a_debugger_speaks_is_refused_with_what_would_do() {
    let said = |words: &[&str]| String::from_utf8_lossy(&tool(words).stderr).into_owned();
    let debug = said(&["debug", "hello", "--json"]);
    assert!(debug.contains("--server"), "{debug}");
    let folder = tempfile::tempdir().expect("there is a disk");
    let file = folder.path().join("empty.core");
    fs::write(&file, "").expect("written");
    let core = said(&["core", file.to_str().expect("a name"), "--json"]);
    assert!(core.contains("--server PORT"), "{core}");
}

#[test]
fn where_the_librarys_reference_is_is_told_as_json() {
    let (told, _) = printed(&["doc", "--json"]);
    let page = told["page"].as_str().expect("a file");
    assert!(fs::metadata(page).is_ok(), "{page}");
}

#[test]
fn a_run_of_a_group_as_json_says_which_node_says_what() {
    let done = tool(&["run", "../tests/nodes", "--json"]);
    assert_eq!(done.status.code(), Some(0));
    let lines = lines(&done);
    let (end, console) = lines.split_last().expect("lines");
    assert_eq!(*end, json!({"event": "end", "how": "exit", "code": 0}));
    for (node, words) in [("south", "I count from 0\n"), ("north", "that is enough\n")] {
        let of_node = console.iter().filter(|it| it["node"] == node);
        let text: String = of_node.filter_map(|it| it["text"].as_str()).collect();
        assert!(text.contains(words), "{node}: {text}");
    }
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(said.contains("riposte: the wire"), "{said}");
}
