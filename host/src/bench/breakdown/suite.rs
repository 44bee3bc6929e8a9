//! The breakdowns of a suite's run.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use miette::{IntoDiagnostic, miette};
use serde::Deserialize;
use serde_json::Value;

use super::{Marks, Names, Origin, calls, document, picture, read, typical};

/// A case whose calls are broken down, as the suite's `reference.toml` names it.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Marked {
    /// The case.
    pub case: String,
    /// Upper half of the word in REPORT that begins a call.
    pub begin: u16,
    /// Upper half of the word that ends it. The lower halves are the call's number.
    pub end: u16,
}

/// A case's breakdown.
#[derive(Clone, Debug)]
pub struct Breakdown {
    /// The case.
    pub case: String,
    /// The typical call, for the terminal.
    pub picture: String,
    /// All calls, for programs.
    pub document: Value,
}

/// The breakdowns of those of `cases` that the simulator's log `file` has.
///
/// # Errors
/// A log that cannot be read, or in which marks are missing.
pub fn breakdowns(
    origin: &Origin<'_>,
    cases: &[Marked],
    file: &Path,
    names: &dyn Names,
) -> miette::Result<Vec<Breakdown>> {
    let entries = read(BufReader::new(File::open(file).into_diagnostic()?))?;
    let mut found = Vec::new();
    for Marked { case, begin, end } in cases {
        let marks = Marks {
            begin: *begin,
            end: *end,
        };
        let wrong = |error| miette!("the breakdown of {case}: {error}");
        let calls = calls(&entries, marks).map_err(wrong)?;
        if let Some(call) = typical(&calls) {
            found.push(Breakdown {
                case: case.clone(),
                picture: picture(call, names),
                document: document(origin, case, &calls, names),
            });
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Fake, LOG};
    use super::*;

    fn origin(lab: &crate::lab::Lab) -> Origin<'_> {
        Origin {
            suite: "xous",
            board: lab.board("vexriscv").unwrap(),
        }
    }

    #[test]
    fn each_case_that_ran_is_broken_down() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(&file, LOG.replace("report 700 0x33330000\n", "")).unwrap();
        let marked = |case: &str, begin, end| Marked {
            case: case.into(),
            begin,
            end,
        };
        let cases = [
            marked("scalar", 0x1111, 0x2222),
            marked("memory", 0x3333, 0x4444),
        ];
        let lab = crate::lab::Lab::open().unwrap();
        let found = breakdowns(&origin(&lab), &cases, file.path(), &Fake).unwrap();
        assert_eq!(found.len(), 1);
        assert!(found[0].picture.starts_with("call 0: 300 cycles"));
        assert_eq!(found[0].document["case"], "scalar");
    }

    #[test]
    fn a_missing_mark_names_the_case() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(&file, LOG).unwrap();
        let case = Marked {
            case: "memory".into(),
            begin: 0x3333,
            end: 0x4444,
        };
        let lab = crate::lab::Lab::open().unwrap();
        let error = breakdowns(&origin(&lab), &[case], file.path(), &Fake).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the breakdown of memory: call 0 does not end"
        );
    }
}
