//! A revision of the project, measured by its own tool.

use std::path::{Path, PathBuf};
use std::process::Command;

use miette::{IntoDiagnostic, WrapErr, miette};

use crate::lab::Lab;
use crate::results::{self, Results};
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

/// Where the images of a commit are that was measured, by board.
#[must_use]
pub fn images(lab: &Lab, commit: &str) -> PathBuf {
    folder_of(lab, commit).join("target/images")
}

/// Measures the suites at a revision, or the headlines if none is named. What was measured once is kept.
///
/// # Errors
/// If it does not build, or does not measure.
pub fn measured(
    lab: &Lab,
    named: &str,
    commit: &str,
    suites: &[String],
) -> miette::Result<Results> {
    let folder = folder_of(lab, commit);
    let of = match suites {
        [] => "headlines".to_owned(),
        suites => suites.join("+"),
    };
    let file = folder.with_extension(format!("{of}.json"));
    if !file.is_file() {
        checked_out(lab, &folder, commit)?;
        progress::complain(&format!(
            "riposte: measuring {named} ({}), which takes minutes ...",
            &commit[..10]
        ));
        // A file that is there was written whole.
        let fresh = file.with_extension("fresh");
        let mut command = Command::new(folder.join("riposte"));
        command
            .arg("bench")
            .args(suites)
            .arg("--json")
            .arg(&fresh)
            .current_dir(&folder);
        let done = child::output(&mut command)
            .into_diagnostic()
            .wrap_err_with(|| format!("`{named}` cannot be measured"))?;
        if !fresh.is_file() {
            let said = String::from_utf8_lossy(&done.stderr).into_owned();
            return Err(miette!(help = said, "`{named}` was not measured"));
        }
        std::fs::rename(&fresh, &file).into_diagnostic()?;
    }
    results::read(&file)
}

/// Makes sure that the revision's tree is in `folder`.
fn checked_out(lab: &Lab, folder: &Path, commit: &str) -> miette::Result<()> {
    if folder.join("riposte").is_file() {
        return Ok(());
    }
    let place = folder.to_string_lossy();
    if !folder.is_dir() {
        git(
            &lab.root,
            &["clone", "--quiet", "--no-checkout", ".", &place],
        )?;
    }
    git(folder, &["checkout", "--quiet", "--detach", commit]).map(drop)
}
