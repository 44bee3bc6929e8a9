//! Builds the programs of an application, all in one cargo run.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use miette::{IntoDiagnostic, WrapErr, miette};
use serde::Deserialize;

use crate::child::{Ends, Running};
use crate::interrupt;

/// What cargo says of each artifact, one JSON object a line.
#[derive(Deserialize)]
struct Message {
    reason: String,
    #[serde(default)]
    manifest_path: PathBuf,
    #[serde(default)]
    filenames: Vec<PathBuf>,
    #[serde(default)]
    executable: Option<PathBuf>,
}

/// What a cargo run made.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Artifacts {
    /// Static libraries, by their package's `Cargo.toml`.
    pub archives: BTreeMap<PathBuf, PathBuf>,
    /// Executables, by their package's `Cargo.toml`.
    pub executables: BTreeMap<PathBuf, PathBuf>,
}

impl Artifacts {
    fn take(&mut self, line: &str) {
        let Ok(message) = serde_json::from_str::<Message>(line) else {
            return;
        };
        if message.reason != "compiler-artifact" {
            return;
        }
        if let Some(executable) = message.executable {
            self.executables.insert(message.manifest_path, executable);
        } else if let Some(archive) = message
            .filenames
            .into_iter()
            .find(|file| file.extension().is_some_and(|extension| extension == "a"))
        {
            self.archives.insert(message.manifest_path, archive);
        }
    }
}

/// Runs a prepared `cargo build` or `cargo rustc`; `what` is named if it fails. The compiler's
/// complaints go to the standard error.
///
/// # Errors
/// If cargo does not run or the build fails.
pub fn run(command: &mut Command, what: &str) -> miette::Result<Artifacts> {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut running = Running::start(command, Ends::WhenAsked)
        .into_diagnostic()
        .wrap_err("cargo does not run; `./riposte doctor` says what is missing")?;
    let child = &mut running.child;
    let complaints = collect_complaints(child);
    let mut artifacts = Artifacts::default();
    let output = child.stdout.take().expect("standard output is a pipe");
    for line in BufReader::new(output).lines().map_while(Result::ok) {
        artifacts.take(&line);
    }
    let status = child.wait().into_diagnostic()?;
    let complaints = complaints.join().unwrap_or_default();
    interrupt::check()?;
    if !status.success() {
        return Err(miette!("{what} does not build:\n{}", complaints.trim_end()));
    }
    Ok(artifacts)
}

/// Reads what the compiler says. Warnings of a build that succeeds are clippy's to tell.
fn collect_complaints(child: &mut Child) -> std::thread::JoinHandle<String> {
    let errors = child.stderr.take().expect("standard error is a pipe");
    std::thread::spawn(move || {
        let lines = BufReader::new(errors).lines().map_while(Result::ok);
        lines.map(|line| line + "\n").collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_static_library_is_found_by_its_package() {
        let mut artifacts = Artifacts::default();
        artifacts.take(
            r#"{"reason":"compiler-artifact","package_id":"p","manifest_path":"/a/Cargo.toml",
                "filenames":["/t/liba.a"],"executable":null}"#,
        );
        artifacts.take("warning: this is no message");
        let archive = artifacts.archives.get(&PathBuf::from("/a/Cargo.toml"));
        assert_eq!(archive, Some(&PathBuf::from("/t/liba.a")));
        assert!(artifacts.executables.is_empty());
    }
}
