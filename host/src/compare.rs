//! `./riposte compare`: what became of each figure from one measurement to another, and the guard that lets none
//! grow unseen.

mod change;
mod functions;
pub mod guard;
mod kept;
mod profiled;
mod revision;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use change::{Change, changes};
use functions::{Accounted, accounting};
pub use guard::{Measured, elsewhere, guard, kept};
pub use kept::number;
use serde::Serialize;

use crate::bench;
use crate::board::{Board, Run};
use crate::cli;
use crate::explain;
use crate::interrupt;
use crate::json;
use crate::lab::Lab;
use crate::results::{self, Key, Results};
use crate::table::{Align, Table};

/// As many of the rows that did not pass the threshold are shown.
const SHOWN: usize = 20;
/// As many of the figures that changed most are profiled at both revisions.
const PROFILED: usize = 3;

/// Prints what changed between two result files or revisions; the exit code is 1 if a figure rose by more than the
/// threshold, or if nobody can say that none did: some are not there any more, or a file is not whole.
///
/// # Errors
/// What is neither a result file nor a revision, or a revision that does not build.
pub fn compare(lab: &Lab, asked: &cli::Compare) -> miette::Result<i32> {
    // All of it is known before anything is measured.
    for suite in &asked.suites {
        bench::find(&bench::all(lab)?, suite)?;
    }
    for board in &asked.boards {
        lab.board(board)?;
    }
    let [before, after] = both([&asked.before, &asked.after].map(|it| Side::of(lab, it)))?;
    let [old, new] = [&before, &after].map(|it| it.results(lab, asked));
    let (old, new) = (old?, new?);
    let mut report = Report::of(&old, &new, &runners(lab), asked.threshold)?;
    report.may_miss = asked.allow_missing;
    report.name_functions(lab, &before, &after);
    interrupt::check()?;
    let remarks = |name: &str, side: &Results| -> Vec<String> {
        let remarks = side.remarks.iter();
        remarks.map(|it| format!("{name}: {it}")).collect()
    };
    report.remarks = [remarks(&asked.before, &old), remarks(&asked.after, &new)].concat();
    if asked.json {
        json::print(&report.data())?;
    } else {
        for remark in &report.remarks {
            println!("{remark}");
        }
        print!("{}", report.text());
    }
    Ok(i32::from(report.is_worse() || !report.is_whole()))
}

/// The tool that runs each board, as result files name it.
fn runners(lab: &Lab) -> Runners {
    let runner = |board: &Board| {
        let tool = match &board.run {
            Run::Emulator(_) => board.emulator()?.to_owned(),
            Run::Simulator(simulator) => simulator.core.package(&lab.root)?.0,
        };
        Some((board.name.clone(), tool))
    };
    lab.boards.iter().filter_map(runner).collect()
}

/// By the names of boards, the tool that runs each.
type Runners = BTreeMap<String, String>;

/// One of the two.
enum Side<'a> {
    /// What a result file says.
    File(Results),
    /// A revision, and its commit.
    Revision(&'a str, String),
}

impl<'a> Side<'a> {
    fn of(lab: &Lab, named: &'a str) -> miette::Result<Side<'a>> {
        let file = Path::new(named);
        if file.is_file() {
            return results::read(file).map(Side::File);
        }
        Ok(Side::Revision(named, revision::commit(lab, named)?))
    }

    /// What was measured, or is now.
    fn results(&self, lab: &Lab, asked: &cli::Compare) -> miette::Result<Results> {
        match self {
            Side::File(results) => Ok(results.clone()),
            Side::Revision(named, commit) => revision::measured(lab, named, commit, asked),
        }
    }
}

/// Both, or what is wrong with each.
fn both<T>(sides: [miette::Result<T>; 2]) -> miette::Result<[T; 2]> {
    match sides {
        [Ok(before), Ok(after)] => Ok([before, after]),
        [Err(before), Err(after)] => {
            let [before, after] = [before, after].map(|it| explain::line(&it));
            Err(miette::miette!("{before}; {after}"))
        }
        [Err(error), Ok(_)] | [Ok(_), Err(error)] => Err(error),
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
    /// Whether figures may be gone.
    may_miss: bool,
    /// Whether one of the files has figures that could not be read.
    is_partial: bool,
    /// What of the configurations differs, by which nothing is a regression.
    differing: Differing,
    threshold: f64,
    /// What the files say of themselves.
    remarks: Vec<String>,
    /// Of revisions, the functions that account for what changed most.
    functions: Vec<Accounted>,
    /// Why they are not known of what changed, if they are not.
    unaccounted: Vec<String>,
}

/// The same as data.
#[derive(Serialize)]
struct Data<'a> {
    threshold: f64,
    is_worse: bool,
    is_whole: bool,
    same: usize,
    changes: Vec<Row>,
    gone: Vec<String>,
    new: Vec<String>,
    differing: &'a [String],
    remarks: &'a [String],
    functions: &'a [Accounted],
    unaccounted: &'a [String],
}

/// A figure that changed.
#[derive(Serialize)]
struct Row {
    figure: String,
    metric: String,
    before: f64,
    after: f64,
    /// By how much it rose; nothing if it was 0.
    percent: Option<f64>,
}

impl Report {
    /// # Errors
    /// If they have no figure in common: that none rose would say nothing.
    fn of(
        before: &Results,
        after: &Results,
        runners: &Runners,
        threshold: f64,
    ) -> miette::Result<Report> {
        let index = |results: &Results| -> BTreeMap<Key, f64> {
            let entries = results.entries.iter();
            entries.map(|it| (it.key(), it.value)).collect()
        };
        let (old, new) = (index(before), index(after));
        let (changes, same) = changes(&old, &new);
        if changes.is_empty() && same == 0 {
            return Err(miette::miette!(
                help = "measure the same suites, on the same boards with the same memory",
                "the two have no figure in common: nothing is compared"
            ));
        }
        let missing = |from: &BTreeMap<Key, f64>, of: &BTreeMap<Key, f64>| -> Vec<Key> {
            // What was counted beside a figure goes with it.
            let keys = of
                .keys()
                .filter(|key| key.apart.is_empty() && !from.contains_key(key));
            keys.cloned().collect()
        };
        Ok(Report {
            changes,
            same,
            gone: missing(&new, &old),
            new: missing(&old, &new),
            may_miss: false,
            is_partial: before.is_partial || after.is_partial,
            differing: Differing::of(before, after, runners),
            threshold,
            remarks: vec![],
            functions: vec![],
            unaccounted: vec![],
        })
    }

    /// Finds what accounts for the figures that changed most, by profiling their cases at both revisions.
    fn name_functions(&mut self, lab: &Lab, before: &Side<'_>, after: &Side<'_>) {
        let beyond = |it: &&Change| it.percent().abs() > self.threshold && it.key.is_cost();
        let beyond: Vec<&Change> = self.changes.iter().filter(beyond).collect();
        if beyond.is_empty() {
            return;
        }
        let (Side::Revision(old, before), Side::Revision(new, after)) = (before, after) else {
            let why = "which functions account for it, no result file says: compare the revisions";
            self.unaccounted = vec![why.into()];
            return;
        };
        for change in beyond.into_iter().take(PROFILED) {
            let costs = revision::profiled(lab, old, before, &change.key)
                .and_then(|costs| Ok((costs, revision::profiled(lab, new, after, &change.key)?)));
            match costs {
                Ok((before, after)) => self.functions.push(Accounted {
                    figure: change.key.to_string(),
                    metric: change.key.metric.clone(),
                    moved: accounting(&before, 0.0, &after, change.percent() > 0.0),
                }),
                Err(_) if interrupt::asked() => return,
                Err(report) => {
                    let why = explain::text(&report);
                    self.unaccounted.push(format!(
                        "which functions account for {} is not known: {why}",
                        change.key
                    ));
                }
            }
        }
    }

    fn data(&self) -> Data<'_> {
        let names = |keys: &[Key]| keys.iter().map(Key::to_string).collect();
        let row = |it: &Change| Row {
            figure: it.key.to_string(),
            metric: it.key.metric.clone(),
            before: it.before,
            after: it.after,
            percent: Some(it.percent()).filter(|it| it.is_finite()),
        };
        Data {
            threshold: self.threshold,
            is_worse: self.is_worse(),
            is_whole: self.is_whole(),
            same: self.same,
            changes: self.changes.iter().map(row).collect(),
            gone: names(&self.gone),
            new: names(&self.new),
            differing: &self.differing.lines,
            remarks: &self.remarks,
            functions: &self.functions,
            unaccounted: &self.unaccounted,
        }
    }

    /// Whether a figure rose by more than the threshold, in the same configuration.
    fn is_worse(&self) -> bool {
        let rose = |it: &Change| it.percent() > self.threshold;
        let mut comparable = self.changes.iter();
        comparable.any(|it| rose(it) && !self.differing.figures.contains(&it.key))
    }

    /// Whether all figures of before are there, unless some may be gone, and none could not be read.
    fn is_whole(&self) -> bool {
        !self.is_partial && (self.may_miss || self.gone.is_empty())
    }

    fn text(&self) -> String {
        let mut text = String::new();
        for line in &self.differing.lines {
            text += &format!("{line}\n");
        }
        if !self.differing.lines.is_empty() {
            text += "what rests on that is no regression: only figures of one configuration are\n";
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
        if self.is_partial {
            text += "a file is not whole: of what cannot be read nobody knows whether it rose, which is a failure\n";
        } else if !self.is_whole() {
            text += "what is measured no more may have risen, which is a failure; --allow-missing takes it as it is\n";
        }
        for accounted in &self.functions {
            text += &format!("{}\n", accounted.text("none").trim_start());
        }
        for why in &self.unaccounted {
            text += &format!("{why}\n");
        }
        let rose = self.changes.iter().filter(|it| it.percent() > 0.0).count();
        let fell = self.changes.len() - rose;
        text + &format!(
            "{} the same, {rose} rose, {fell} fell; the threshold is {} %\n",
            self.same, self.threshold
        )
    }
}

/// The tool that each figure rests on; all others are of some boards.
const COMPILER: &str = "rustc";

/// What is not the same.
struct Differing {
    /// In words.
    lines: Vec<String>,
    /// Figures that are not of one configuration, or rest on a tool that is another one.
    figures: BTreeSet<Key>,
}

impl Differing {
    /// Of what both have measured: a board that only one of them has, and its tools, say nothing of the others.
    fn of(before: &Results, after: &Results, runners: &Runners) -> Differing {
        let mut lines = vec![];
        let mut others = BTreeSet::new();
        let tools: BTreeSet<&String> = before.tools.keys().chain(after.tools.keys()).collect();
        for tool in tools {
            let [old, new] = [before, after].map(|it| it.tools.get(tool));
            if old != new && (old.is_some() && new.is_some() || tool == COMPILER) {
                let [old, new] = [old, new].map(|it| it.map_or("none", String::as_str));
                lines.push(format!("{tool}: {old} before, {new} after"));
                others.insert(tool.as_str());
            }
        }
        let is_by_another = |key: &Key| {
            let runner = runners.get(&key.board).filter(|_| !key.is_size());
            others.contains(COMPILER) || runner.is_some_and(|it| others.contains(it.as_str()))
        };
        let built = |results: &Results| -> BTreeMap<Key, String> {
            let entries = results.entries.iter();
            let config = |config: &str| config.split("; ").next().unwrap_or_default().to_owned();
            entries.map(|it| (it.key(), config(&it.config))).collect()
        };
        let old = built(before);
        let mut figures = BTreeSet::new();
        let mut pairs: BTreeMap<(String, String), usize> = BTreeMap::new();
        for (key, now) in built(after) {
            let Some(before) = old.get(&key) else {
                continue;
            };
            let is_other = *before != now;
            if is_other {
                *pairs.entry((before.clone(), now)).or_default() += 1;
            }
            if is_other || is_by_another(&key) {
                figures.insert(key);
            }
        }
        for ((before, after), count) in pairs {
            lines.push(format!(
                "configuration of {count} figures: {before} before, {after} after"
            ));
        }
        Differing { lines, figures }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::{Entry, tests::entry};

    fn of(entries: &[(&str, f64)]) -> Results {
        Results {
            entries: entries
                .iter()
                .map(|(case, value)| entry(case, *value))
                .collect(),
            ..Results::default()
        }
    }

    fn compared(before: &Results, after: &Results, threshold: f64) -> Report {
        Report::of(before, after, &Runners::new(), threshold).expect("they have figures in common")
    }

    #[test]
    fn what_has_no_figure_in_common_is_not_compared() {
        let [before, after] = ["a", "b"].map(|case| of(&[(case, 100.0)]));
        let why = Report::of(&before, &after, &Runners::new(), 1.0)
            .err()
            .expect("refused");
        assert!(explain::line(&why).contains("no figure in common"));
    }

    #[test]
    fn what_rose_comes_first_and_decides() {
        let before = of(&[("a", 100.0), ("b", 100.0), ("c", 100.0), ("d", 1.0)]);
        let after = of(&[("a", 100.0), ("b", 103.0), ("c", 90.0), ("e", 1.0)]);
        let report = compared(&before, &after, 2.0);
        assert!(report.is_worse());
        assert!(
            !compared(&before, &after, 3.0).is_worse(),
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
        let mut before = of(&[("a", 100.0)]);
        let mut after = of(&[("a", 200.0)]);
        after.entries[0].config = "tracing on".into();
        after.tools.insert("rustc".into(), "2".into());
        let report = compared(&before, &after, 1.0);
        assert!(!report.is_worse());
        let text = report.text();
        assert!(text.contains("rustc: none before, 2 after"), "{text}");
        let told = "configuration of 1 figures: as it ships before, tracing on after";
        assert!(text.contains(told), "{text}");
        assert!(text.contains("is no regression"), "{text}");
        // A figure that was measured as before is one.
        before.entries.push(entry("b", 100.0));
        after.entries.push(entry("b", 102.0));
        assert!(
            !compared(&before, &after, 1.0).is_worse(),
            "another compiler"
        );
        after.tools.clear();
        assert!(compared(&before, &after, 1.0).is_worse(), "{text}");
    }

    #[test]
    fn what_only_one_has_measured_hides_no_regression() {
        let mut before = of(&[("a", 100.0)]);
        let mut after = of(&[("a", 200.0)]);
        for (side, tool) in [(&mut before, "qemu-system-arm"), (&mut after, "a-core")] {
            side.tools.insert("rustc".into(), "1".into());
            side.tools.insert(tool.into(), "7".into());
        }
        after.entries.push(Entry {
            config: "tracing on".into(),
            ..entry("b", 1.0)
        });
        assert!(compared(&before, &after, 1.0).is_worse());
    }
}
