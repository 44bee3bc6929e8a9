//! Which cases a suite has, as far as that is known before it is built.

use std::collections::BTreeSet;
use std::path::Path;

use miette::miette;

use crate::bench::reference::Reference;
use crate::bench::suite::Suite;
use crate::compare::guard;
use crate::lab::Lab;
use crate::suggest;

/// Refuses a case that the suite does not have: none of the guard's, none of its reference figures, and none that one of
/// its sources names.
///
/// # Errors
/// That there is none, and which there are.
pub fn check(lab: &Lab, suite: &Suite, reference: &Reference, case: &str) -> miette::Result<()> {
    let guarded = guard::cases_of(lab, &suite.name)?;
    let compared = reference.cases().map(str::to_owned);
    let known: BTreeSet<String> = guarded.into_iter().chain(compared).collect();
    if known.contains(case) || is_named_below(&suite.folder, &format!("\"{case}\"")) {
        return Ok(());
    }
    let help = suggest::help(case, "cases", known.iter().map(String::as_str));
    Err(miette!(
        help = help,
        "suite `{}` measures no `{case}`",
        suite.name
    ))
}

/// Whether a source in or below `folder` has the text.
fn is_named_below(folder: &Path, text: &str) -> bool {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths = entries.map(|entry| entry.path());
    paths.any(|path| {
        if path.is_dir() {
            return !path.ends_with("target") && is_named_below(&path, text);
        }
        let is_source = path.extension().is_some_and(|it| it == "rs" || it == "c");
        is_source && std::fs::read_to_string(&path).is_ok_and(|it| it.contains(text))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::suite;

    #[test]
    fn a_case_is_known_by_the_guard_by_a_reference_figure_or_by_its_source() {
        let lab = Lab::open().unwrap();
        let suites = suite::all(&lab).unwrap();
        let core = suites.iter().find(|it| it.name == "core").unwrap();
        let reference = Reference::read(core, &lab.boards).unwrap();
        let check = |case: &str| check(&lab, core, &reference, case);
        assert!(check("rt-1w").is_ok());
        assert!(check("longest: clock, always").is_ok(), "of the baseline");
        let error = check("rt-1").unwrap_err();
        assert_eq!(error.to_string(), "suite `core` measures no `rt-1`");
        let help = error.help().unwrap().to_string();
        assert!(help.starts_with("did you mean `rt-1"), "{help}");

        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("src");
        std::fs::create_dir(&source).unwrap();
        std::fs::write(source.join("main.rs"), "report(\"new-one\");").unwrap();
        let fresh = Suite {
            folder: folder.path().into(),
            ..core.clone()
        };
        assert!(super::check(&lab, &fresh, &reference, "new-one").is_ok());
        assert!(super::check(&lab, &fresh, &reference, "new-two").is_err());
    }
}
