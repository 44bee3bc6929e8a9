//! A machine on which nothing is installed: every tool that is missing is told with its package, and what was made all
//! the same with its path.

mod tool;

use std::fs;

use serde_json::json;
use tool::Tool;

#[test]
fn a_page_that_no_browser_shows_is_told_with_its_path_and_the_package() {
    let folder = tempfile::tempdir().expect("a directory");
    let [file, page] = ["a.json", "a.html"].map(|name| folder.path().join(name));
    let entry = json!({
        "suite": "core", "case": "rt-1w", "board": "ibex", "metric": "cycles", "value": 200, "protected": true,
        "config": "as it ships", "method": "loop subtracted",
    });
    let document = json!({
        "schema": 1, "commit": "c0ffee", "date": "today", "tools": { "rustc": "1" }, "results": [entry],
    });
    fs::write(&file, document.to_string()).expect("written");
    let report = Tool::new(&["report", "--open", "--output"])
        .arg(&page)
        .arg(&file);
    let mut report = report.env("PATH", "").start();
    assert_eq!(report.ends(), Some(1));
    let text = report.text();
    let by_hand = format!("open it by hand: {}", page.display());
    assert!(text.contains(&by_hand), "{text}");
    assert!(
        text.contains("apt-get install xdg-utils chromium"),
        "{text}"
    );
    assert!(page.is_file(), "it was written before");
}

#[test]
fn a_debugger_that_is_missing_is_told_with_the_path_and_the_package() {
    let mut debug = Tool::new(&["debug", "logger"]).env("PATH", "").start();
    let line = debug.says("no `gdb-multiarch` in PATH, which is empty");
    assert!(line.contains("apt-get install gdb-multiarch"), "{line}");
    assert_eq!(debug.ends(), Some(1));
}

#[test]
fn the_doctor_tells_a_way_to_get_each_tool_that_is_missing() {
    let mut doctor = Tool::new(&["doctor"]).env("PATH", "");
    // Cargo's own, which a test inherits.
    for name in ["CARGO", "RUSTC"] {
        doctor = doctor.env(name, "/nowhere");
    }
    let mut doctor = doctor.start();
    assert_eq!(doctor.ends(), Some(1));
    let text = doctor.text();
    let missing: Vec<&str> = text
        .lines()
        .filter(|it| it.starts_with("missing"))
        .collect();
    for tool in [
        "rust",
        "babeltrace2",
        "gdb-multiarch",
        "qemu-system-arm",
        "verilator",
    ] {
        let told = missing.iter().any(|it| it.contains(&format!(" {tool}: ")));
        assert!(told, "{tool} in {text}");
    }
    for line in missing {
        assert!(line.contains("apt-get install "), "{line}");
    }
}
