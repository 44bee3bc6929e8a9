//! Two commands at once in one checkout: neither spoils what the other builds, says or writes.

mod tool;

use std::fs;

use serde_json::Value;
use tool::program::Program;
use tool::{Running, Tool, image_folder, remove_images};

const BOARD: &str = "mps2-an386";
/// A program that says what takes several pieces of console, and ends.
const COUNTS: &str = r#"    for turn in 0..40u32 { println!("turn {turn} of forty"); }
    riposte::shutdown(0);"#;

/// Lines of the program that a run said, and its end.
fn turns(mut run: Running) -> Vec<String> {
    let code = run.ends();
    let text = run.text();
    assert_eq!(code, Some(0), "{text}");
    let lines = text.lines().filter(|it| it.contains(" of forty"));
    lines.map(|it| it.trim_end().to_owned()).collect()
}

fn all_turns() -> Vec<String> {
    (0..40)
        .map(|turn| format!("turn {turn} of forty"))
        .collect()
}

#[test]
fn two_runs_of_one_application_that_is_not_built_yet_say_each_all_and_share_one_image() {
    let program = Program::new("twofold", COUNTS);
    let run = || program.run(BOARD, &["--virtual"]);
    let (one, other) = (run(), run());
    assert_eq!(turns(one), all_turns());
    assert_eq!(turns(other), all_turns());
    let folder = image_folder(&program.lab, BOARD, &program.path);
    let image = || {
        let image = program
            .lab
            .build(
                &program.lab.load(&program.path).expect("a manifest"),
                program.lab.board(BOARD).expect("there"),
            )
            .expect("it builds");
        fs::read(&image.file).expect("an image")
    };
    let shared = image();
    remove_images(&program.lab, &program.path);
    assert!(!folder.exists());
    assert_eq!(image(), shared, "as one alone builds it");
}

#[test]
fn a_run_beside_a_measurement_changes_no_figure() {
    let program = Program::new("besides", COUNTS);
    let folder = tempfile::tempdir().expect("a directory");
    let measured = |name: &str| {
        let file = folder.path().join(name);
        let bench = Tool::new(&["bench", "rexis", "--board", BOARD, "--json"]);
        let bench = bench.arg(&file).env("RIPOSTE_ROOT", &program.lab.root);
        (bench.start(), file)
    };
    let figures = |(mut bench, file): (Running, std::path::PathBuf)| {
        let code = bench.ends();
        assert_eq!(code, Some(0), "{}", bench.text());
        let text = fs::read_to_string(file).expect("written");
        let document: Value = serde_json::from_str(&text).expect("JSON");
        let results = document["results"].as_array().expect("results").clone();
        assert!(results.len() > 4, "{text}");
        results
    };
    let beside = measured("beside.json");
    let run = program.run(BOARD, &["--virtual"]);
    assert_eq!(turns(run), all_turns());
    let beside = figures(beside);
    assert_eq!(figures(measured("alone.json")), beside);
}

#[test]
fn two_traces_of_one_application_at_once_leave_a_whole_one_each() {
    let program = Program::new("retraced", COUNTS);
    let folders = [(); 2].map(|()| tempfile::tempdir().expect("a directory"));
    let traces = folders.each_ref().map(|folder| {
        let trace = Tool::new(&["trace", "--board", BOARD, "--output"]);
        let trace = trace.arg(folder.path()).arg(&program.path);
        trace.env("RIPOSTE_ROOT", &program.lab.root).start()
    });
    for trace in traces {
        assert_eq!(turns(trace), all_turns());
    }
    for folder in folders {
        let text = fs::read_to_string(folder.path().join("trace.json")).expect("written");
        let trace: Value = serde_json::from_str(&text).expect("JSON");
        let events = trace["traceEvents"].as_array().expect("events");
        assert!(events.len() > 80, "{} events", events.len());
    }
}
