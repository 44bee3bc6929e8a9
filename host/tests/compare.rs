//! `./riposte compare`, run as a person runs it.

use std::fs;
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

/// Writes a result file with these figures of `ibex` and these tools.
fn result_file(
    file: &Path,
    figures: impl IntoIterator<Item = serde_json::Value>,
    tools: [&str; 2],
) {
    let [arm, core] = tools;
    let figures: Vec<_> = figures.into_iter().collect();
    let document = json!({
        "schema": 1, "commit": "c0ffee", "date": "today",
        "tools": { "rustc": "1", "qemu-system-arm": arm, "pythondata-cpu-ibex": core }, "results": figures,
    });
    std::fs::write(file, document.to_string()).unwrap();
}

fn figure(number: u32, board: &str, metric: &str, value: u32) -> serde_json::Value {
    json!({
        "suite": "core", "case": format!("case-{number}"), "board": board, "metric": metric, "value": value,
        "protected": true, "config": "as it ships", "method": "measured",
    })
}

fn fifty(board: &str, value: u32) -> Vec<serde_json::Value> {
    let figures = (0..50).map(|number| figure(number, board, "cycles", value));
    figures.collect()
}

/// The exit code of a comparison of two files that are written so, and what it said.
fn of_two(
    before: impl FnOnce(&Path),
    after: impl FnOnce(&Path),
    options: &[&str],
) -> (Option<i32>, String) {
    let folder = tempfile::tempdir().unwrap();
    let [old, new] = ["a.json", "b.json"].map(|name| folder.path().join(name));
    before(&old);
    after(&new);
    let files = [&old, &new].map(|it| it.to_str().unwrap());
    let output = compare(&[&files[..], options].concat());
    (output.status.code(), said(&output))
}

#[test]
fn figures_that_are_measured_no_more_fail_a_comparison_unless_that_is_allowed() {
    let all = |file: &Path| result_file(file, fifty("ibex", 200), ["7", "1"]);
    let one = |file: &Path| result_file(file, fifty("ibex", 200).into_iter().take(1), ["7", "1"]);
    let (code, said) = of_two(all, one, &[]);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("--allow-missing"), "{said}");
    let (code, said) = of_two(all, one, &["--allow-missing"]);
    assert_eq!(code, Some(0), "{said}");
    let (code, said) = of_two(one, all, &[]);
    assert_eq!(code, Some(0), "{said}");
    let (code, said) = of_two(all, one, &["--json"]);
    assert_eq!(code, Some(1), "{said}");
    let data: serde_json::Value = serde_json::from_str(&said).expect("JSON");
    assert_eq!(data["is_worse"], false);
    assert_eq!(data["is_whole"], false);
}

#[test]
fn of_a_file_that_was_cut_short_or_cannot_be_read_in_part_a_comparison_fails() {
    let all = |file: &Path| result_file(file, fifty("ibex", 200), ["7", "1"]);
    let cut = |file: &Path| {
        all(file);
        let text = std::fs::read_to_string(file).unwrap();
        std::fs::write(file, &text[..900]).unwrap();
    };
    let unreadable = |file: &Path| {
        let mut figures = fifty("ibex", 200);
        figures[1..]
            .iter_mut()
            .for_each(|it| it["value"] = "much".into());
        result_file(file, figures, ["7", "1"]);
    };
    let allowed: &[&str] = &["--allow-missing"];
    for options in [&[], allowed] {
        let (code, said) = of_two(all, cut, options);
        assert_eq!(code, Some(1), "{said}");
        assert!(said.contains("ends too early"), "{said}");
        let (code, said) = of_two(cut, all, options);
        assert_eq!(code, Some(1), "{said}");
        let (code, said) = of_two(all, unreadable, options);
        assert_eq!(code, Some(1), "{said}");
        assert!(said.contains("49 of its 50 figures"), "{said}");
        let (code, said) = of_two(unreadable, all, options);
        assert_eq!(code, Some(1), "{said}");
    }
}

#[test]
fn another_emulator_excuses_the_figures_of_the_boards_that_it_runs_and_no_others() {
    let of = |board: &'static str, metric: &'static str, value, tools| {
        move |file: &Path| result_file(file, [figure(0, board, metric, value)], tools)
    };
    let code = |board, metric, tools| {
        let before = of(board, metric, 200, ["7", "1"]);
        let (code, said) = of_two(before, of(board, metric, 1000, tools), &[]);
        assert!(said.contains("before, "), "{said}");
        code
    };
    assert_eq!(code("ibex", "cycles", ["8", "1"]), Some(1));
    assert_eq!(code("ibex", "cycles", ["7", "2"]), Some(0));
    assert_eq!(code("mps2-an386", "instructions", ["8", "1"]), Some(0));
    assert_eq!(code("mps2-an386", "instructions", ["7", "2"]), Some(1));
    assert_eq!(code("virt-rv32", "instructions", ["8", "1"]), Some(1));
    assert_eq!(code("a-board-of-old", "instructions", ["8", "1"]), Some(1));
    assert_eq!(code("mps2-an386", "bytes", ["8", "1"]), Some(1), "a size");
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

fn git(folder: &Path, arguments: &[&str]) -> String {
    let mut git = Command::new("git");
    git.args(["-c", "user.name=a test", "-c", "user.email=test@localhost"]);
    let output = git.args(arguments).current_dir(folder).output();
    let output = output.expect("git runs");
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).expect("text")
}

/// What git knows of this checkout as it stands, as the only commit of a repository in `folder`.
fn committed_as_it_stands(folder: &Path) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let listed = git(&root, &["ls-files", "-z"]);
    for name in listed.split_terminator('\0') {
        let (from, to) = (root.join(name), folder.join(name));
        // It may be deleted, and not yet committed.
        if from.is_file() {
            fs::create_dir_all(to.parent().expect("a folder")).expect("made");
            fs::copy(&from, &to).expect("copied");
        }
    }
    git(folder, &["init", "--quiet"]);
    git(folder, &["add", "--all"]);
    git(folder, &["commit", "--quiet", "--message", "as it is"]);
}

/// The processes whose folder is below this one.
fn processes_in(folder: &Path) -> Vec<String> {
    let all = fs::read_dir("/proc").expect("there").flatten();
    let own = all
        .filter(|it| fs::read_link(it.path().join("cwd")).is_ok_and(|cwd| cwd.starts_with(folder)));
    own.map(|it| it.file_name().to_string_lossy().into_owned())
        .collect()
}

#[test]
#[ignore = "builds two revisions, minutes of processors: `./riposte test --full host`"]
fn of_two_revisions_that_it_builds_the_figure_that_rose_and_its_function_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let root = &folder.path().canonicalize().unwrap();
    committed_as_it_stands(root);
    let server = root.join("bench/rexis/server/main.c");
    let before = fs::read_to_string(&server).unwrap();
    let (begin, work) = ("int main(void)", "        if (recbuf[0] == CMD_READ)\n");
    assert!(before.contains(begin) && before.contains(work), "{before}");
    let delay = "static __attribute__((noinline)) void planted_delay(void)\n{\n    \
                 for (volatile int turn = 0; turn < 20; turn++)\n        continue;\n}\n\n";
    let slower = before
        .replace(begin, &format!("{delay}{begin}"))
        .replace(work, &format!("        planted_delay();\n{work}"));
    fs::write(&server, slower).unwrap();
    git(root, &["commit", "--quiet", "--all", "--message", "slower"]);

    let compared = || {
        let mut tool = Command::new(env!("CARGO_BIN_EXE_riposte-host"));
        tool.args(["compare", "HEAD~1", "HEAD", "--suite", "rexis"]);
        tool.args(["--board", "mps2-an386"]);
        tool.env("RIPOSTE_ROOT", root).current_dir(root);
        tool.output().unwrap()
    };
    let output = compared();
    let told = said(&output);
    assert_eq!(output.status.code(), Some(1), "{told}");
    let row = told
        .lines()
        .find(|it| it.contains("rexis/send-reply-32B on"));
    assert!(row.is_some_and(|it| it.contains("+")), "{told}");
    let (_, functions) = told.split_once("by function").expect(&told);
    let first = functions.lines().nth(1).unwrap_or_default().trim();
    assert!(first.contains("planted_delay: "), "{told}");
    // What never calls it is as it was.
    assert!(!told.contains("mailbox-mutex-32B"), "{told}");

    assert_eq!(git(root, &["status", "--porcelain"]), "", "the checkout");
    assert_eq!(git(root, &["worktree", "list"]).lines().count(), 1);
    assert_eq!(processes_in(root), [""; 0], "processes that are left");
    // Nothing is measured again.
    let again = compared();
    assert_eq!(again.stdout, output.stdout);
    assert!(!said(&again).contains("riposte: "), "{}", said(&again));
}
