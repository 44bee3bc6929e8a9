//! `./riposte profile`, run as a person runs it, from the case to its functions.

mod tool;

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
    assert!(flame.contains("<svg"), "{flame}");
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
