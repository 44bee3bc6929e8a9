//! `./riposte bench` from its command to its page, of the suite and board that take least.

mod tool;

use std::path::Path;

use riposte_host::compare;
use riposte_host::lab::Lab;
use serde_json::Value;
use tool::Tool;

/// What is measured.
const SUITE: &str = "chibios";
const BOARD: &str = "mps2-an386";

fn read(file: &Path) -> String {
    std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// The figures that a page holds.
fn held(page: &str) -> Value {
    let (_, data) = page
        .split_once(r#"<script type="application/json" id="data">"#)
        .expect("data");
    let (data, _) = data.split_once("</script>").expect("its end");
    serde_json::from_str(data).expect("JSON")
}

#[test]
fn a_bench_ends_with_its_figures_on_the_screen_in_a_file_and_on_a_page() {
    let folder = tempfile::tempdir().expect("a folder");
    let [file, page] = ["a.json", "a.html"].map(|name| folder.path().join(name));
    let mut running = Tool::new(&["bench", SUITE, "--board", BOARD, "--json"])
        .arg(&file)
        .start();
    let code = running.ends();
    let text = running.text();
    assert_eq!(code, Some(0), "{text}");
    for place in [&file, &page] {
        assert!(text.contains(&place.display().to_string()), "{text}");
    }
    let document: Value = serde_json::from_str(&read(&file)).expect("JSON");
    assert_eq!(held(&read(&page))["results"], document["results"]);

    let kept = compare::kept(&Lab::open().expect("the repository")).expect("the baseline");
    let results = document["results"].as_array().expect("results");
    let mut compared = 0;
    for (key, value) in kept {
        if (key.suite.as_str(), key.board.as_str()) != (SUITE, BOARD) {
            continue;
        }
        let case = &key.case;
        let is = |it: &&Value| {
            it["case"] == *case && it["metric"] == key.metric && it["protected"] == key.protected
        };
        let measured = results
            .iter()
            .find(is)
            .unwrap_or_else(|| panic!("no {case}"));
        let measured = measured["value"].as_f64().expect("a number");
        assert!((measured / value - 1.0).abs() < 0.01, "{case}: {measured}");
        let shown = text.lines().any(|line| line.starts_with(case));
        assert!(shown, "{case} is not on the screen:\n{text}");
        compared += 1;
    }
    assert!(compared > 0, "nothing is kept of {SUITE} on {BOARD}");
}
