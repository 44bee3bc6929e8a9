//! Counts what passed and failed.

use std::fmt;

use crate::interrupt;
use crate::progress;

/// The verdicts so far.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Tally {
    passed: u64,
    failed: u64,
    failures: Vec<String>,
}

impl Tally {
    /// Counts one test, and says so. A failure's `why` is repeated at the end. What fails when somebody has
    /// pressed Ctrl-C fails for it, and does not count.
    pub fn count(&mut self, name: &str, verdict: Result<(), String>) {
        match verdict {
            Err(_) if interrupt::asked() => (),
            Ok(()) => {
                self.passed += 1;
                progress::say(&format!("ok      {name}"));
            }
            Err(why) => {
                self.failed += 1;
                progress::say(&format!("FAILED  {name}"));
                self.failures.push(format!("{name}: {why}"));
            }
        }
    }

    /// Counts tests that were run elsewhere.
    pub fn add(&mut self, name: &str, passed: u64, failed: u64, why: &str) {
        self.passed += passed;
        self.failed += failed;
        let word = if failed == 0 { "ok    " } else { "FAILED" };
        progress::say(&format!("{word}  {name}: {passed} passed, {failed} failed"));
        if failed > 0 {
            self.failures.push(format!("{name}:\n{why}"));
        }
    }

    /// Prints why each failure failed.
    pub fn show_failures(&self) {
        for failure in &self.failures {
            println!("\nFAILED {}", failure.trim_end());
        }
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
    fn nothing_tested_is_not_success() {
        assert!(!Tally::default().is_clean());
    }
}
