//! Counts what passed and failed.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use crate::checks::{self, Stage};
use crate::interrupt;
use crate::progress;

/// The verdicts so far.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    passed: u64,
    failed: u64,
    tests: Vec<Counted>,
    /// The stage that is counted.
    #[serde(skip)]
    stage: String,
}

/// A test, or some that were run elsewhere.
#[derive(Debug, PartialEq, Eq, Serialize)]
struct Counted {
    stage: String,
    name: String,
    passed: u64,
    failed: u64,
    /// How many of what it has counted.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    counts: BTreeMap<String, u64>,
    /// Why those failed that did.
    why: Option<String>,
}

impl Tally {
    /// What is counted from now on is of this stage.
    pub fn begin(&mut self, stage: &str) {
        stage.clone_into(&mut self.stage);
    }

    /// Counts one test, and says so. A failure's `why` is repeated at the end. What fails when somebody has
    /// pressed Ctrl-C fails for it, and does not count.
    pub fn count(&mut self, name: &str, verdict: Result<(), String>) {
        self.count_of(name, &[], verdict);
    }

    /// As [`count`](Tally::count), of a test that has itself counted so many of something: the page tells of those.
    pub fn count_of(&mut self, name: &str, counts: &[(&str, u64)], verdict: Result<(), String>) {
        match verdict {
            Err(_) if interrupt::asked() => (),
            Ok(()) => {
                progress::say(&format!("ok      {name}"));
                self.note(name, (1, 0), counts, None);
            }
            Err(why) => {
                progress::say(&format!("FAILED  {name}"));
                self.note(name, (0, 1), counts, Some(why));
            }
        }
    }

    /// Counts tests that were run elsewhere.
    pub fn add(&mut self, name: &str, passed: u64, failed: u64, why: &str) {
        let word = if failed == 0 { "ok    " } else { "FAILED" };
        progress::say(&format!("{word}  {name}: {passed} passed, {failed} failed"));
        let why = (failed > 0).then(|| format!("\n{why}"));
        self.note(name, (passed, failed), &[], why);
    }

    /// Keeps what tests that were run elsewhere have counted.
    pub fn tell(&mut self, name: &str, counts: &[(&str, u64)]) {
        self.note(name, (0, 0), counts, None);
    }

    fn note(
        &mut self,
        name: &str,
        (passed, failed): (u64, u64),
        counts: &[(&str, u64)],
        why: Option<String>,
    ) {
        self.passed += passed;
        self.failed += failed;
        self.tests.push(Counted {
            stage: self.stage.clone(),
            name: name.into(),
            passed,
            failed,
            counts: counts
                .iter()
                .map(|(what, count)| ((*what).into(), *count))
                .collect(),
            why,
        });
    }

    /// Prints why each failure failed.
    pub fn show_failures(&self) {
        for it in &self.tests {
            if let Some(why) = &it.why {
                let failure = format!("{}: {why}", it.name);
                progress::say(&format!("\nFAILED {}", failure.trim_end()));
            }
        }
    }

    /// What each stage came to, and what its tests have counted; it was this commit, and so much was tested.
    #[must_use]
    pub fn stages(&self, commit: &str, date: &str, depth: &str) -> Vec<Stage> {
        let mut stages: Vec<Stage> = Vec::new();
        for it in &self.tests {
            let index = stages.iter().position(|stage| stage.stage == it.stage);
            let index = index.unwrap_or_else(|| {
                stages.push(Stage {
                    stage: it.stage.clone(),
                    commit: commit.into(),
                    date: date.into(),
                    depth: depth.into(),
                    ..Stage::default()
                });
                stages.len() - 1
            });
            let stage = &mut stages[index];
            stage.passed += it.passed;
            stage.failed += it.failed;
            if !it.counts.is_empty() {
                stage.counted.push(checks::Counted {
                    name: it.name.clone(),
                    failed: it.failed > 0,
                    counts: it.counts.clone(),
                });
            }
        }
        stages
    }

    /// Whether something passed and nothing failed.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.failed == 0 && self.passed > 0
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed", self.passed, self.failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_sums_all_tests() {
        let mut tally = Tally::default();
        tally.count("a", Ok(()));
        tally.add("crate", 20, 1, "why");
        tally.count("b", Err("why".into()));
        assert_eq!(tally.to_string(), "21 passed, 2 failed");
        assert!(!tally.is_clean());
    }

    #[test]
    fn each_test_is_told_with_its_stage_and_why_it_failed() {
        let mut tally = Tally::default();
        tally.begin("first");
        tally.count("a", Ok(()));
        tally.begin("second");
        tally.add("crate", 20, 1, "why");
        let data = serde_json::to_value(&tally).unwrap();
        let expected = serde_json::json!({
            "passed": 21,
            "failed": 1,
            "tests": [
                { "stage": "first", "name": "a", "passed": 1, "failed": 0, "why": null },
                { "stage": "second", "name": "crate", "passed": 20, "failed": 1, "why": "\nwhy" },
            ],
        });
        assert_eq!(data, expected);
    }

    #[test]
    fn what_tests_have_counted_is_kept_by_stage_and_failures_with_it() {
        let mut tally = Tally::default();
        tally.begin("fuzzer");
        tally.count_of("on a", &[("calls", 7)], Ok(()));
        tally.count_of("on b", &[("calls", 0)], Err("why".into()));
        tally.begin("host tests");
        tally.add("crate", 20, 1, "why");
        tally.tell("pool", &[("states", 40)]);
        let [fuzzer, host] = tally
            .stages("c0ffee", "today", "normal")
            .try_into()
            .unwrap();
        assert_eq!((fuzzer.passed, fuzzer.failed), (1, 1));
        assert_eq!(
            (fuzzer.commit.as_str(), fuzzer.depth.as_str()),
            ("c0ffee", "normal")
        );
        let calls = |at: usize| (fuzzer.counted[at].of("calls"), fuzzer.counted[at].failed);
        assert_eq!([calls(0), calls(1)], [(Some(7), false), (Some(0), true)]);
        assert_eq!((host.passed, host.failed, host.counted.len()), (20, 1, 1));
        assert_eq!(host.counted[0].of("states"), Some(40));
        assert_eq!(
            tally.to_string(),
            "21 passed, 2 failed",
            "counts are no tests"
        );
    }

    #[test]
    fn nothing_tested_is_not_success() {
        assert!(!Tally::default().is_clean());
    }
}
