//! What a shell is told when it completes a word: commands, options and values, and the names of what there is in this
//! checkout.

use std::ffi::OsStr;
use std::path::Path;

use clap::CommandFactory;
use clap_complete::CompleteEnv;
use clap_complete::engine::{CompletionCandidate, PathCompleter, ValueCompleter};
use clap_complete::env::{Bash, EnvCompleter, Fish, Zsh};
use miette::IntoDiagnostic;

use crate::bench::suite;
use crate::cli::{Cli, Shell};
use crate::compare::guard;
use crate::lab::Lab;

/// A shell that sets this variable asks for words; `./riposte` builds nothing then.
const ASKS: &str = "RIPOSTE_COMPLETE";

/// The script that has a shell ask this checkout's `./riposte`.
///
/// # Errors
/// None that is known: it is written into memory.
pub fn script(shell: Shell, root: &Path) -> miette::Result<String> {
    let completer: &dyn EnvCompleter = match shell {
        Shell::Bash => &Bash,
        Shell::Zsh => &Zsh,
        Shell::Fish => &Fish,
    };
    let command = root.join("riposte");
    let mut text = vec![];
    // A shell looks for the last name of a path.
    completer
        .write_registration(
            ASKS,
            "riposte",
            "riposte",
            &command.to_string_lossy(),
            &mut text,
        )
        .into_diagnostic()?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// Answers a shell that asks for words; ends the tool then.
pub fn answer() {
    CompleteEnv::with_factory(Cli::command).var(ASKS).complete();
}

/// Applications, groups of nodes, and folders.
#[must_use]
pub fn applications(begun: &OsStr) -> Vec<CompletionCandidate> {
    let mut all = named(begun, |lab| Some(lab.names()));
    all.extend(PathCompleter::dir().complete(begun));
    all
}

/// Boards.
#[must_use]
pub fn boards(begun: &OsStr) -> Vec<CompletionCandidate> {
    named(begun, |lab| {
        Some(lab.boards.iter().map(|it| it.name.clone()).collect())
    })
}

/// Suites.
#[must_use]
pub fn suites(begun: &OsStr) -> Vec<CompletionCandidate> {
    named(begun, |lab| {
        let suites = suite::all(lab).ok()?;
        Some(suites.into_iter().map(|it| it.name).collect())
    })
}

/// Cases, behind their suites: those of the baseline.
#[must_use]
pub fn cases(begun: &OsStr) -> Vec<CompletionCandidate> {
    named(begun, |lab| guard::cases(lab).ok())
}

/// Those of the names that go on from what is begun; none if the checkout cannot be read.
fn named(
    begun: &OsStr,
    names: impl FnOnce(&Lab) -> Option<Vec<String>>,
) -> Vec<CompletionCandidate> {
    let names = Lab::open().ok().and_then(|lab| names(&lab));
    let begun = begun.to_string_lossy();
    let names = names.into_iter().flatten();
    let names = names.filter(|name| name.starts_with(&*begun));
    names.map(CompletionCandidate::new).collect()
}
