//! What the tests have counted, kept for the page: `./riposte test` leaves it in the target folder, and a result file takes
//! it along.
//!
//! Stages run one by one, at different commits: each says of itself which commit it was, and when.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The layout of the file that this reads and writes.
const SCHEMA: u64 = 1;

/// A stage of `./riposte test`, as it last went.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stage {
    /// Its name.
    pub stage: String,
    /// The commit that was tested, with `-dirty` behind it if files differ from it.
    pub commit: String,
    /// When, in UTC.
    pub date: String,
    /// How much was tested: `quick`, `normal` or `full`.
    pub depth: String,
    /// Tests that passed.
    pub passed: u64,
    /// Tests that failed.
    pub failed: u64,
    /// What of it has been counted.
    #[serde(default)]
    pub counted: Vec<Counted>,
}

/// What a test has counted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counted {
    /// The test.
    pub name: String,
    /// Whether it failed: then its counts are what it came to.
    #[serde(default)]
    pub failed: bool,
    /// How many of what.
    pub counts: BTreeMap<String, u64>,
}

impl Counted {
    /// How many of something, if that was counted.
    #[must_use]
    pub fn of(&self, what: &str) -> Option<u64> {
        self.counts.get(what).copied()
    }
}

fn file(root: &Path) -> PathBuf {
    root.join("target/checks.json")
}

/// What the tests of this checkout have counted; nothing if none has been run.
#[must_use]
pub fn of(root: &Path) -> Vec<Stage> {
    let text = std::fs::read_to_string(file(root)).ok();
    let document: Option<Value> = text.and_then(|text| serde_json::from_str(&text).ok());
    document.map_or_else(Vec::new, |it| read(&it["stages"]).0)
}

/// The stages of a document, and how many of it could not be read.
#[must_use]
pub fn read(stages: &Value) -> (Vec<Stage>, usize) {
    let all = stages.as_array().map_or(&[][..], Vec::as_slice);
    let read: Vec<Stage> = all
        .iter()
        .filter_map(|it| Stage::deserialize(it).ok())
        .collect();
    let unread = all.len() - read.len();
    (read, unread)
}

/// Keeps what these stages came to, in the place of what was kept of them before.
///
/// # Errors
/// If the file cannot be written.
pub fn keep(root: &Path, stages: Vec<Stage>) -> std::io::Result<()> {
    let all = with(of(root), stages);
    let document = json!({ "schema": SCHEMA, "stages": all });
    std::fs::create_dir_all(root.join("target"))?;
    crate::whole::write(&file(root), format!("{document:#}\n"))
}

/// `kept`, with `later` in the place of those of the same name.
fn with(mut kept: Vec<Stage>, later: Vec<Stage>) -> Vec<Stage> {
    kept.retain(|it| later.iter().all(|other| other.stage != it.stage));
    kept.extend(later);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stage(name: &str, commit: &str) -> Stage {
        Stage {
            stage: name.into(),
            commit: commit.into(),
            passed: 1,
            ..Stage::default()
        }
    }

    #[test]
    fn a_stage_that_runs_again_takes_the_place_of_what_was_kept_and_no_other() {
        let root = tempfile::tempdir().unwrap();
        assert_eq!(of(root.path()), []);
        keep(
            root.path(),
            vec![stage("fuzzer", "a"), stage("bounds", "a")],
        )
        .unwrap();
        keep(root.path(), vec![stage("fuzzer", "b")]).unwrap();
        assert_eq!(
            of(root.path()),
            [stage("bounds", "a"), stage("fuzzer", "b")]
        );
        let left = std::fs::read_dir(root.path().join("target")).unwrap();
        assert_eq!(left.count(), 1);
    }

    #[test]
    fn a_stage_that_cannot_be_read_is_counted_and_the_rest_is_read() {
        let document = json!([stage("fuzzer", "a"), { "stage": "bounds" }, 7]);
        assert_eq!(read(&document), (vec![stage("fuzzer", "a")], 2));
        assert_eq!(read(&json!("none")), (vec![], 0));
    }

    #[test]
    fn a_file_that_was_cut_short_counts_as_none_and_is_written_anew() {
        let root = tempfile::tempdir().unwrap();
        keep(root.path(), vec![stage("fuzzer", "a")]).unwrap();
        std::fs::write(file(root.path()), "{\"stages\": [").unwrap();
        assert_eq!(of(root.path()), []);
        keep(root.path(), vec![stage("bounds", "b")]).unwrap();
        assert_eq!(of(root.path()), [stage("bounds", "b")]);
    }
}
