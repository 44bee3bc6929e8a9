//! A revision of the project, measured by its own tool.

use std::path::{Path, PathBuf};
use std::process::Command;

use miette::{IntoDiagnostic, WrapErr, miette};
use serde_json::Value;

use crate::bench::{self, profile::Costs};
use crate::cli;
use crate::lab::Lab;
use crate::results::{self, Key, Results};
use crate::toolchain::output;
use crate::{child, progress};

/// The commit that a revision names.
///
/// # Errors
/// If there is none.
pub fn commit(lab: &Lab, named: &str) -> miette::Result<String> {
    let revision = format!("{named}^{{commit}}");
    let found = git(&lab.root, &["rev-parse", "--verify", "--quiet", &revision]);
    found.map_err(|_| {
        miette!(
            help =
                "name a file that `./riposte bench --json FILE` wrote, or a commit, branch or tag",
            "`{named}` is neither a result file nor a revision"
        )
    })
}

fn git(folder: &Path, arguments: &[&str]) -> miette::Result<String> {
    output(Command::new("git").args(arguments).current_dir(folder))
}

/// Where a commit is checked out.
fn folder_of(lab: &Lab, commit: &str) -> PathBuf {
    lab.root.join("target/revisions").join(commit)
}

/// Measures at a revision the suites and boards that are asked for, or the headlines if there are none. What was measured
/// once is kept.
///
/// # Errors
/// If it does not build, or does not measure.
pub fn measured(
    lab: &Lab,
    named: &str,
    commit: &str,
    cli::Compare { suites, boards, .. }: &cli::Compare,
) -> miette::Result<Results> {
    let folder = folder_of(lab, commit);
    let mut of = match &suites[..] {
        [] if boards.is_empty() => "headlines".to_owned(),
        [] => "all".to_owned(),
        suites => suites.join("+"),
    };
    if !boards.is_empty() {
        of = format!("{of}.{}", boards.join("+"));
    }
    let file = folder.with_extension(format!("{of}.json"));
    if !file.is_file() {
        checked_out(lab, &folder, commit)?;
        progress::complain(&format!(
            "riposte: measuring {named} ({}), which takes minutes ...",
            &commit[..10]
        ));
        let mut arguments = [&["bench".to_owned()], &suites[..]].concat();
        for board in boards {
            arguments.extend(["--board".to_owned(), board.clone()]);
        }
        let undone = ["cannot be measured".into(), "was not measured".into()];
        write(&folder, &arguments, &file, named, undone)?;
    }
    results::read(&file)
}

/// Has the `./riposte` of a checked-out revision write `file`, which is there whole or not at all: a tool that fails may
/// have written what it has, without what failed. `undone` says what was not done: if it does not run, and if it fails.
fn write(
    folder: &Path,
    arguments: &[String],
    file: &Path,
    named: &str,
    [not_run, not_written]: [String; 2],
) -> miette::Result<()> {
    let fresh = file.with_extension("fresh");
    // There is one if a run of before was cut short.
    let _ = std::fs::remove_file(&fresh);
    let mut command = Command::new(folder.join("riposte"));
    command.args(arguments).arg("--json").arg(&fresh);
    let done = child::output(command.current_dir(folder))
        .into_diagnostic()
        .wrap_err_with(|| format!("`{named}` {not_run}"))?;
    if !done.status.success() || !fresh.is_file() {
        // It may have written none.
        let _ = std::fs::remove_file(&fresh);
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        return Err(miette!(help = said, "`{named}` {not_written}"));
    }
    std::fs::rename(&fresh, file).into_diagnostic()
}

/// What the functions of a case take at a revision, as its own `./riposte profile` says. What was profiled once is kept.
///
/// # Errors
/// If it does not build, or cannot profile the case.
pub fn profiled(lab: &Lab, named: &str, commit: &str, case: &Key) -> miette::Result<Costs> {
    let folder = folder_of(lab, commit);
    let (arguments, of) = profile_of(case);
    let file = folder.with_extension(format!("profile.{of}.json"));
    if !file.is_file() {
        checked_out(lab, &folder, commit)?;
        progress::complain(&format!(
            "riposte: profiling {case} of {named} ({}) ...",
            &commit[..10]
        ));
        let undone = [
            "cannot be profiled".into(),
            format!("does not profile {case}"),
        ];
        write(&folder, &arguments, &file, named, undone)?;
    }
    let text = std::fs::read_to_string(&file).into_diagnostic()?;
    let document: Value = serde_json::from_str(&text).into_diagnostic()?;
    costs(&document, &case.metric).ok_or_else(|| {
        miette!(
            "the profile of `{named}` has no functions in {}",
            case.metric
        )
    })
}

/// The arguments by which a `./riposte` profiles a figure's case where that was measured, and a part of a file's name that
/// no other figure has.
fn profile_of(case: &Key) -> (Vec<String>, String) {
    let name = format!("{}/{}", case.suite, case.case);
    let mut arguments = vec!["profile".into(), name, "--board".into(), case.board.clone()];
    arguments.extend((!case.protected).then(|| "--within".into()));
    if let Some(model) = bench::model(&case.memory) {
        arguments.extend(["--memory".into(), model.into()]);
    }
    let of = arguments[1..].join(".").replace('/', ".");
    (arguments, of)
}

/// What the functions take, in a profile as JSON.
fn costs(document: &Value, metric: &str) -> Option<Costs> {
    let parts = document.get("parts")?.as_array()?;
    let cost = |part: &Value| {
        let text = |name: &str| part.get(name).and_then(Value::as_str);
        let name = format!("{}: {}", text("who")?, text("function")?);
        Some((name, part.get(metric)?.as_f64()?))
    };
    parts.iter().map(cost).collect()
}

/// Makes sure that the revision's tree is in `folder`. It is made aside, and gets its name when all of it is there.
fn checked_out(lab: &Lab, folder: &Path, commit: &str) -> miette::Result<()> {
    if is_whole(folder) {
        return Ok(());
    }
    let aside = folder.with_extension(std::process::id().to_string());
    // One that was killed had the same number, if there is any.
    let _ = std::fs::remove_dir_all(&aside);
    let made = clone(lab, &aside, commit).and_then(|()| place(&aside, folder));
    // There is none if it has its name.
    let _ = std::fs::remove_dir_all(&aside);
    made
}

/// Whether a checkout came to its end: git writes its index when all files are there.
fn is_whole(folder: &Path) -> bool {
    folder.join("riposte").is_file() && folder.join(".git/index").is_file()
}

/// Checks the revision out in a repository of its own.
fn clone(lab: &Lab, aside: &Path, commit: &str) -> miette::Result<()> {
    let tree = aside.to_string_lossy();
    git(
        &lab.root,
        &["clone", "--quiet", "--no-checkout", ".", &tree],
    )?;
    // In a folder without a repository git would look above it, find the one that this is a clone of, and move its HEAD.
    let own = [
        format!("--git-dir={tree}/.git"),
        format!("--work-tree={tree}"),
    ];
    let checkout = ["checkout", "--quiet", "--detach", commit];
    git(
        aside,
        &[&own.each_ref().map(String::as_str)[..], &checkout].concat(),
    )
    .map(drop)
}

/// Gives a whole checkout its name, in the place of one that is not whole.
fn place(aside: &Path, folder: &Path) -> miette::Result<()> {
    if folder.exists() && !is_whole(folder) {
        std::fs::remove_dir_all(folder).into_diagnostic()?;
    }
    match std::fs::rename(aside, folder) {
        // Another comparison was faster.
        Err(_) if is_whole(folder) => Ok(()),
        placed => placed.into_diagnostic(),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use serde_json::json;

    use super::*;

    #[test]
    fn what_a_revision_did_not_measure_to_its_end_is_not_kept() {
        let folder = tempfile::tempdir().unwrap();
        let tree = folder.path().join("c0ffee");
        std::fs::create_dir(&tree).unwrap();
        let file = folder.path().join("c0ffee.headlines.json");
        let fresh = folder.path().join("c0ffee.headlines.fresh");
        let measured = |script: &str| {
            let tool = tree.join("riposte");
            std::fs::write(&tool, format!("#!/bin/sh\n{script}\n")).unwrap();
            std::fs::set_permissions(&tool, std::fs::Permissions::from_mode(0o755)).unwrap();
            let undone = ["cannot be measured".into(), "was not measured".into()];
            write(&tree, &["bench".into()], &file, "main", undone)
        };
        let of_before = "a run of before, which did not end";
        for script in [
            r#"echo '{"results":[]}' > "$3"; echo lost >&2; exit 1"#,
            "echo lost >&2",
        ] {
            std::fs::write(&fresh, of_before).unwrap();
            let error = measured(script).unwrap_err();
            let help = error.help().unwrap().to_string();
            assert!(help.contains("lost"), "{script}: {help}");
            assert!(!file.exists() && !fresh.exists(), "{script}");
        }
        measured(r#"echo '{"results":[]}' > "$3""#).unwrap();
        assert!(file.exists() && !fresh.exists());
    }

    /// A repository with two commits, on its branch `main`; and its first commit.
    fn repository(root: &Path) -> String {
        let run = |arguments: &[&str]| git(root, arguments).unwrap();
        run(&["init", "--quiet", "--initial-branch", "main"]);
        run(&["config", "user.name", "a test"]);
        run(&["config", "user.email", "test@localhost"]);
        std::fs::create_dir(root.join("user")).unwrap();
        for (file, text) in [("riposte", "#!/bin/sh"), ("user/lib.rs", "whole")] {
            std::fs::write(root.join(file), text).unwrap();
        }
        run(&["add", "."]);
        run(&["commit", "--quiet", "-m", "one"]);
        let commit = run(&["rev-parse", "HEAD"]);
        std::fs::write(root.join("user/lib.rs"), "later").unwrap();
        run(&["commit", "--quiet", "-a", "-m", "two"]);
        commit
    }

    #[test]
    fn a_checkout_that_was_cut_short_is_made_anew_and_moves_nobody_else() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        let commit = repository(root);
        let lab = Lab {
            root: root.into(),
            boards: vec![],
        };
        let folder = folder_of(&lab, &commit);
        let check = |how: &str| {
            let done = checked_out(&lab, &folder, &commit);
            let branch = git(root, &["symbolic-ref", "--short", "HEAD"]);
            assert_eq!(branch.unwrap_or_default(), "main", "{how}");
            done.unwrap();
            let text = std::fs::read_to_string(folder.join("user/lib.rs"));
            assert_eq!(text.unwrap_or_default(), "whole", "{how}");
            let names = std::fs::read_dir(root.join("target/revisions")).unwrap();
            assert_eq!(names.count(), 1, "{how}: nothing else is left");
        };
        check("nothing is there");
        std::fs::remove_dir_all(folder.join(".git")).unwrap();
        std::fs::write(folder.join("user/lib.rs"), "wh").unwrap();
        check("no repository of its own");
        // Git writes its index when all files are there.
        std::fs::remove_file(folder.join(".git/index")).unwrap();
        std::fs::remove_dir_all(folder.join("user")).unwrap();
        check("not all files");
        std::fs::remove_file(folder.join("riposte")).unwrap();
        std::fs::remove_dir_all(folder.join(".git")).unwrap();
        check("no tool and no repository");
    }

    #[test]
    fn a_figure_is_profiled_in_the_memory_in_which_it_was_measured_and_kept_by_itself() {
        let key = |memory: &str, protected| Key {
            suite: "xous".into(),
            case: "scalar".into(),
            board: "vexriscv".into(),
            memory: memory.into(),
            protected,
            ..Key::default()
        };
        let slow = "slow SRAM: RAM latency 8,5,7, one port, second-level cache of 128 KiB";
        let block = "block RAM: RAM latency 2,1,2, two ports";
        let places = [
            (slow, true),
            (block, true),
            (block, false),
            ("RAM latency 2,1,2", true),
        ];
        let profiles = places.map(|(memory, protected)| profile_of(&key(memory, protected)));
        let [(slow, _), .., (own, _)] = &profiles;
        assert!(
            slow.ends_with(&["--memory".into(), "slow SRAM".into()]),
            "{slow:?}"
        );
        assert_eq!(own.join(" "), "profile xous/scalar --board vexriscv");
        let files: std::collections::BTreeSet<&String> = profiles.iter().map(|it| &it.1).collect();
        assert_eq!(files.len(), places.len(), "{files:?}");
    }

    #[test]
    fn a_profile_is_read_in_what_the_figure_counts() {
        let part = |who, cycles: Option<f64>| json!({"who": who, "function": "send", "instructions": 7.0, "cycles": cycles});
        let document =
            json!({"schema": 1, "parts": [part("kernel", Some(9.5)), part("client", Some(3.0))]});
        let of = |metric| costs(&document, metric).expect("costs");
        assert_eq!(of("cycles")["kernel: send"], 9.5);
        assert_eq!(of("instructions")["client: send"], 7.0);
        let emulated = json!({"schema": 1, "parts": [part("kernel", None)]});
        assert_eq!(costs(&emulated, "cycles"), None);
        assert_eq!(costs(&json!({}), "cycles"), None);
    }
}
