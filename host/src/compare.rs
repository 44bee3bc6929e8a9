//! `./riposte compare`: what became of each figure from one measurement to another, and the guard that lets none
//! grow unseen.

mod change;
mod guard;
mod revision;

use std::collections::BTreeMap;
use std::path::Path;

use change::{Change, changes};
pub use guard::guard;

use crate::cli;
use crate::lab::Lab;
use crate::results::{self, Key, Results};
use crate::table::{Align, Table};

/// As many of the rows that did not pass the threshold are shown.
const SHOWN: usize = 20;

/// Prints what changed between two result files or revisions; the exit code is 1 if a figure rose by more than the
/// threshold.
///
/// # Errors
/// What is neither a result file nor a revision, or a revision that does not build.
pub fn compare(lab: &Lab, asked: &cli::Compare) -> miette::Result<i32> {
    // Both are known before anything is measured.
    let [before, after] = [&asked.before, &asked.after].map(|it| Side::of(lab, it));
    let (before, after) = (before?, after?);
    let before = before.results(lab, &asked.suites)?;
    let after = after.results(lab, &asked.suites)?;
    for (name, side) in [(&asked.before, &before), (&asked.after, &after)] {
        for remark in &side.remarks {
            println!("{name}: {remark}");
        }
    }
    let report = Report::of(&before, &after, asked.threshold);
    print!("{}", report.text());
    Ok(i32::from(report.is_worse()))
}

/// One of the two.
enum Side<'a> {
    File(&'a Path),
    /// A revision, and its commit.
    Revision(&'a str, String),
}

impl<'a> Side<'a> {
    fn of(lab: &Lab, named: &'a str) -> miette::Result<Side<'a>> {
        let file = Path::new(named);
        if file.is_file() {
            return Ok(Side::File(file));
        }
        Ok(Side::Revision(named, revision::commit(lab, named)?))
    }

    /// What was measured, or is now.
    fn results(&self, lab: &Lab, suites: &[String]) -> miette::Result<Results> {
        match self {
            Side::File(file) => results::read(file),
            Side::Revision(named, commit) => revision::measured(lab, named, commit, suites),
        }
    }
}

/// What there is to say of two measurements.
struct Report {
    changes: Vec<Change>,
    /// Figures that both have, and that are the same.
    same: usize,
    /// What one of them has measured alone.
    gone: Vec<Key>,
    new: Vec<Key>,
    /// What of the configurations differs, by which nothing is a regression.
    differing: Vec<String>,
    threshold: f64,
}

impl Report {
    fn of(before: &Results, after: &Results, threshold: f64) -> Report {
        let index = |results: &Results| -> BTreeMap<Key, f64> {
            let entries = results.entries.iter();
            entries.map(|it| (it.key(), it.value)).collect()
        };
        let (old, new) = (index(before), index(after));
        let (changes, same) = changes(&old, &new);
        let missing = |from: &BTreeMap<Key, f64>, of: &BTreeMap<Key, f64>| -> Vec<Key> {
            // What was counted beside a figure goes with it.
            let keys = of
                .keys()
                .filter(|key| key.apart.is_empty() && !from.contains_key(key));
            keys.cloned().collect()
        };
        Report {
            changes,
            same,
            gone: missing(&new, &old),
            new: missing(&old, &new),
            differing: differing(before, after),
            threshold,
        }
    }

    /// Whether a figure rose by more than the threshold, in the same configuration.
    fn is_worse(&self) -> bool {
        self.differing.is_empty() && self.changes.iter().any(|it| it.percent() > self.threshold)
    }

    fn text(&self) -> String {
        let mut text = String::new();
        for line in &self.differing {
            text += &format!("{line}\n");
        }
        if !self.differing.is_empty() {
            text += "what differs so is no regression: only figures of one configuration are\n";
        }
        let beyond = |it: &&Change| it.percent().abs() > self.threshold;
        let passed = self.changes.iter().filter(beyond).count();
        let mut table = Table::new(&[
            ("figure", Align::Left),
            ("before", Align::Right),
            ("after", Align::Right),
            ("change", Align::Right),
        ]);
        for it in self.changes.iter().take(passed + SHOWN) {
            table.row(it.row());
        }
        if !self.changes.is_empty() {
            text += &table.to_string();
        }
        if let Some(hidden) = self.changes.len().checked_sub(passed + SHOWN)
            && hidden > 0
        {
            text += &format!("and {hidden} that changed by less\n");
        }
        let list = |what: &str, keys: &[Key]| {
            let lines: Vec<String> = keys.iter().map(|key| format!("  {key}\n")).collect();
            match lines.len().checked_sub(SHOWN) {
                _ if lines.is_empty() => String::new(),
                Some(hidden @ 1..) => {
                    format!("{what}:\n{}  and {hidden} more\n", lines[..SHOWN].concat())
                }
                _ => format!("{what}:\n{}", lines.concat()),
            }
        };
        text += &list("measured before only", &self.gone);
        text += &list("measured after only", &self.new);
        let rose = self.changes.iter().filter(|it| it.percent() > 0.0).count();
        let fell = self.changes.len() - rose;
        text + &format!(
            "{} the same, {rose} rose, {fell} fell; the threshold is {} %\n",
            self.same, self.threshold
        )
    }
}

/// Tools and configurations that are not the same, in words.
fn differing(before: &Results, after: &Results) -> Vec<String> {
    let mut lines = vec![];
    let tools: std::collections::BTreeSet<&String> =
        before.tools.keys().chain(after.tools.keys()).collect();
    for tool in tools {
        let [old, new] =
            [before, after].map(|it| it.tools.get(tool).map_or("none", String::as_str));
        if old != new {
            lines.push(format!("{tool}: {old} before, {new} after"));
        }
    }
    let configurations = |results: &Results| {
        let entries = results.entries.iter();
        let built = entries.map(|it| it.config.split("; ").next().unwrap_or_default().to_owned());
        built.collect::<std::collections::BTreeSet<String>>()
    };
    let [old, new] = [before, after].map(configurations);
    for only in old.difference(&new) {
        lines.push(format!("configuration before: {only}"));
    }
    for only in new.difference(&old) {
        lines.push(format!("configuration after: {only}"));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::tests::entry;

    fn of(entries: &[(&str, f64)]) -> Results {
        Results {
            entries: entries
                .iter()
                .map(|(case, value)| entry(case, *value))
                .collect(),
            ..Results::default()
        }
    }

    #[test]
    fn what_rose_comes_first_and_decides() {
        let before = of(&[("a", 100.0), ("b", 100.0), ("c", 100.0), ("d", 1.0)]);
        let after = of(&[("a", 100.0), ("b", 103.0), ("c", 90.0), ("e", 1.0)]);
        let report = Report::of(&before, &after, 2.0);
        assert!(report.is_worse());
        assert!(
            !Report::of(&before, &after, 3.0).is_worse(),
            "not above the threshold"
        );
        let text = report.text();
        let [c, b] = ["core/c", "core/b"].map(|name| text.find(name).expect(name));
        assert!(c < b, "sorted by effect: {text}");
        assert!(
            text.contains("measured before only:\n  core/d on virt-rv32"),
            "{text}"
        );
        assert!(
            text.contains("measured after only:\n  core/e on virt-rv32"),
            "{text}"
        );
        assert!(
            text.ends_with("1 the same, 1 rose, 1 fell; the threshold is 2 %\n"),
            "{text}"
        );
    }

    #[test]
    fn what_was_measured_otherwise_is_told_and_is_no_regression() {
        let before = of(&[("a", 100.0)]);
        let mut after = of(&[("a", 200.0)]);
        after.entries[0].config = "tracing on".into();
        after.tools.insert("rustc".into(), "2".into());
        let report = Report::of(&before, &after, 1.0);
        assert!(!report.is_worse());
        let text = report.text();
        assert!(text.contains("rustc: none before, 2 after"), "{text}");
        assert!(text.contains("configuration after: tracing on"), "{text}");
        assert!(text.contains("is no regression"), "{text}");
    }
}
