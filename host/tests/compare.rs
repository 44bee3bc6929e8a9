//! `./riposte compare`, run as a person runs it.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::json;

/// Writes a result file with one figure.
fn results(file: &Path, value: u32, config: &str) {
    let entry = json!({
        "suite": "core", "case": "rt-1w", "board": "ibex", "metric": "cycles", "value": value, "protected": true,
        "config": config, "method": "loop subtracted",
    });
    let document = json!({
        "schema": 1, "commit": "c0ffee", "date": "today", "tools": { "rustc": "1" }, "results": [entry],
    });
    std::fs::write(file, document.to_string()).unwrap();
}

fn compare(arguments: &[&str]) -> Output {
    let mut tool = Command::new(env!("CARGO_BIN_EXE_riposte-host"));
    tool.arg("compare").args(arguments).output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr).replace('\n', " ")
}

#[test]
fn a_figure_that_rose_by_more_than_the_threshold_is_told_by_the_exit_code() {
    let folder = tempfile::tempdir().unwrap();
    let [before, after] = ["a.json", "b.json"].map(|name| folder.path().join(name));
    results(&before, 200, "as it ships");
    results(&after, 206, "as it ships");
    let [before, after] = [&before, &after].map(|it| it.to_str().unwrap());
    let worse = compare(&[before, after]);
    assert_eq!(worse.status.code(), Some(1), "{}", said(&worse));
    assert!(said(&worse).contains("206 cycles"), "{}", said(&worse));
    assert!(said(&worse).contains("+3.0 %"), "{}", said(&worse));
    let why = "which functions account for it, no result file says: compare the revisions";
    assert!(said(&worse).contains(why), "{}", said(&worse));
    assert_eq!(
        compare(&[before, after, "--threshold", "5"]).status.code(),
        Some(0)
    );
    assert_eq!(
        compare(&[after, before]).status.code(),
        Some(0),
        "what fell is no regression"
    );
    let nothing = compare(&[before, after, "--threshold", "nan"]);
    assert_eq!(nothing.status.code(), Some(2), "{}", said(&nothing));
    let data = compare(&[before, after, "--json"]);
    assert_eq!(data.status.code(), Some(1));
    let data: serde_json::Value = serde_json::from_slice(&data.stdout).expect("JSON");
    assert_eq!(data["is_worse"], true);
    let change = &data["changes"][0];
    assert_eq!(change["before"], 200.0, "{data}");
    assert_eq!(change["after"], 206.0, "{data}");
    results(Path::new(after), 300, "tracing on");
    let other = compare(&[before, after]);
    assert_eq!(other.status.code(), Some(0));
    assert!(
        said(&other).contains("is no regression"),
        "{}",
        said(&other)
    );
}

#[test]
fn what_is_neither_a_file_nor_a_revision_is_refused_before_anything_is_measured() {
    let output = compare(&["no-such-thing", "HEAD"]);
    assert_eq!(output.status.code(), Some(1));
    let said = said(&output);
    assert!(
        said.contains("`no-such-thing` is neither a result file nor a revision"),
        "{said}"
    );
    assert!(!said.contains("measuring"), "{said}");
}

#[test]
fn of_two_files_that_are_none_both_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let other = folder.path().join("README.md");
    std::fs::write(&other, "# No results").unwrap();
    let output = compare(&[other.to_str().unwrap(), "nothere.json"]);
    assert_eq!(output.status.code(), Some(1));
    let said = said(&output);
    let first = said.find("README.md is no result file");
    let second = said.find("`nothere.json` is neither a result file nor a revision");
    assert!(first.is_some() && first < second, "{said}");
}

#[test]
fn a_suite_or_a_board_that_there_is_not_is_refused_before_anything_is_measured() {
    for (option, wrong, right) in [("--suite", "cor", "`core`"), ("--board", "ibx", "`ibex`")] {
        let output = compare(&["HEAD", "HEAD", option, wrong]);
        assert_eq!(output.status.code(), Some(1));
        let said = said(&output);
        assert!(said.contains(&format!("did you mean {right}")), "{said}");
        assert!(!said.contains("measuring"), "{said}");
    }
}
