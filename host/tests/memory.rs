//! `./riposte map`, `stack` and `size`, run as a person runs them; and what others print as JSON.

use std::process::Command;

use serde_json::Value;

const APPLICATION: &str = "tests/boards/attack";
const BOARDS: [&str; 2] = ["virt-rv32", "mps2-an386"];

/// What the tool prints on its standard output.
fn output(arguments: &[&str], board: &str) -> String {
    output_of(APPLICATION, arguments, board)
}

fn output_of(application: &str, arguments: &[&str], board: &str) -> String {
    let mut tool = Command::new(env!("CARGO_BIN_EXE_riposte-host"));
    tool.args(arguments)
        .args([application, "--board", board])
        .current_dir("..");
    let done = tool.output().expect("it runs");
    let errors = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{errors}");
    String::from_utf8(done.stdout).expect("text")
}

fn json(arguments: &[&str], board: &str) -> Value {
    let text = output(arguments, board);
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error} in:\n{text}"))
}

fn list<'a>(value: &'a Value, key: &str) -> &'a Vec<Value> {
    value[key].as_array().expect(key)
}

fn number(value: &Value) -> u64 {
    value.as_u64().expect("a number")
}

fn sum(values: &[Value], of: impl Fn(&Value) -> u64) -> u64 {
    values.iter().map(of).sum()
}

#[test]
fn a_map_has_every_byte_once_and_a_saving_that_is_one() {
    for board in BOARDS {
        let map = json(&["map", "--json"], board);
        let owners = list(&map, "owners");
        for memory in ["flash", "ram"] {
            let total = &map["total"][memory];
            let used = sum(owners, |it| number(&it[memory]["used"]));
            assert_eq!(used, number(&total["used"]), "{memory} on {board}");
            assert!(used <= number(&total["taken"]));
            for owner in owners {
                let share = &owner[memory];
                let used = sum(list(owner, "symbols"), |it| number(&it[memory]));
                assert_eq!(
                    used,
                    number(&share["used"]),
                    "{memory} of {}",
                    owner["name"]
                );
                assert!(
                    used <= number(&share["taken"]),
                    "{memory} of {}",
                    owner["name"]
                );
                if let Some(saving) = share.get("saving") {
                    let (less, saved) = (number(&saving["less"]), number(&saving["saved"]));
                    assert!(
                        saved > 0 && used - less <= number(&share["taken"]) - saved,
                        "{share}"
                    );
                }
            }
        }
        let main = owners
            .iter()
            .find(|it| it["name"] == "console")
            .expect("it is there");
        let main = list(main, "symbols")
            .iter()
            .find(|it| it["name"] == "riposte_main");
        assert_eq!(
            main.expect("it begins there")["crate"],
            "console",
            "{board}"
        );
    }
    let text = output(&["map"], "virt-rv32");
    for words in [
        "what would save more than itself",
        "by crate",
        "by symbol",
        "--all prints them",
    ] {
        assert!(text.contains(words), "{text}");
    }
}

/// What lies in a pool is no process's until a region is made there.
#[test]
fn a_map_has_the_bytes_of_a_pool() {
    let text = output_of("examples/frames", &["map", "--json"], "mps2-an386");
    let map: Value = serde_json::from_str(&text).expect("it is JSON");
    let owners = list(&map, "owners");
    let is_pool = |it: &&Value| it["kind"] == "pool" && number(&it["ram"]["used"]) > 0;
    assert_eq!(owners.iter().filter(is_pool).count(), 1, "{text}");
    let used = sum(owners, |it| number(&it["ram"]["used"]));
    assert_eq!(used, number(&map["total"]["ram"]["used"]));
}

#[test]
fn a_map_has_of_each_part_what_its_size_says() {
    let [map, size] = ["map", "size"].map(|it| json(&[it, "--json"], "virt-rv32"));
    assert_eq!(list(&map, "owners").len(), list(&size, "parts").len());
    for (owner, part) in list(&map, "owners").iter().zip(list(&size, "parts")) {
        assert_eq!(owner["name"], part["name"]);
        assert_eq!(owner["flash"]["taken"], part["flash"]);
        assert_eq!(owner["ram"]["taken"], part["ram"]);
    }
    assert_eq!(map["total"]["ram"]["used"], size["ram"]["used"]);
}

/// What is bounded is not exceeded, whatever the threads do; what is not says why.
#[test]
fn no_thread_uses_more_stack_than_its_bound() {
    for board in BOARDS {
        let report = json(&["stack", "--run", "--json"], board);
        let mut checked = vec![];
        for thread in list(&report, "threads") {
            let name = format!("{}/{}", thread["process"], thread["thread"]).replace('"', "");
            match (thread["bound"].as_u64(), thread["used"].as_u64()) {
                (Some(bound), Some(used)) => {
                    assert!(used <= bound, "{name} on {board}: {used} of {bound}");
                    // Most of what this one could use is for a kernel that has no such call as it makes. On RISC-V the call itself stays in registers.
                    let near = match (&*name, board) {
                        ("attacker/accomplice", "virt-rv32") => bound,
                        ("attacker/accomplice", _) => 5,
                        _ => 4,
                    };
                    assert!(used >= bound / near, "{name} on {board}: {used} of {bound}");
                    checked.push(name);
                }
                (Some(_), None) => {}
                (None, _) => {
                    let why = thread["unbounded"].as_str().expect("why");
                    assert!(why.contains("there is recursion, "), "{name}: {why}");
                    assert!(number(&thread["at_least"]) > 0, "{name}");
                }
            }
        }
        for name in ["late/main", "attacker/accomplice", "spinner/main"] {
            assert!(
                checked.iter().any(|it| it == name),
                "{name} on {board}: {checked:?}"
            );
        }
        // What the run has used is kept.
        let text = output(&["stack"], board);
        assert!(
            text.contains("is unbounded, because there is recursion"),
            "{text}"
        );
    }
}

#[test]
fn what_runs_here_is_told_as_json_too() {
    let said = |command: &str| -> Value {
        let mut tool = Command::new(env!("CARGO_BIN_EXE_riposte-host"));
        let done = tool.args([command, "--json"]).output().expect("it runs");
        serde_json::from_slice(&done.stdout).expect("JSON")
    };
    let boards = said("boards");
    let boards = boards.as_array().expect("a list");
    let board = boards.iter().find(|it| it["board"] == "virt-rv32");
    assert_eq!(board.expect("it is one")["runs_here"], true);
    let doctor = said("doctor");
    let findings = doctor.as_array().expect("a list");
    let rust = findings.iter().find(|it| it["name"] == "rust");
    assert!(
        rust.expect("it is looked for")["found"].is_string(),
        "{doctor}"
    );
}
