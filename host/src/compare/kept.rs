//! What the functions of each guarded case take, as it is kept in the tree beside the figures.

use std::collections::BTreeMap;
use std::path::Path;

use miette::{IntoDiagnostic, WrapErr};

use super::profiled::{AllCounted, WHOLE_RUN, key};
use crate::bench::growing;
use crate::bench::measure::Measurement;
use crate::bench::profile::Costs;
use crate::results::Key;

/// The file, below the root.
pub const FILE: &str = "bench/functions.toml";
/// What is less than this part of an operation is not kept.
const LEAST: f64 = 0.01;
/// The same of a whole run, of which one call is little.
const LEAST_OF_RUN: f64 = 0.0002;
/// Behind the name of a case within one process.
const WITHIN: &str = " (within)";

/// What is kept.
#[derive(Debug, Default, PartialEq)]
pub struct Kept {
    /// By what was counted.
    pub counted: BTreeMap<Key, Costs>,
}

/// As TOML, what has a table, a name in it and a value: sorted, so that little moves where little changes.
#[must_use]
pub fn tables(mut rows: Vec<(String, String, String)>) -> String {
    rows.sort();
    let mut text = String::new();
    let mut table = String::new();
    for (heading, name, value) in rows {
        if heading != table {
            text += &format!("\n[{heading}]\n");
            table = heading;
        }
        text += &format!("{name:?} = {value}\n");
    }
    text
}

impl Kept {
    /// Takes the place of what was kept of the same cases.
    pub fn renew(&mut self, counted: AllCounted) {
        for it in counted.into_values() {
            let whole: f64 = it.costs.values().sum();
            let least = least(&it.of);
            let costs = it.costs.into_iter();
            let costs = costs.map(|(name, cost)| (name, hundredths(cost)));
            let costs = costs.filter(|(_, cost)| *cost > 0.0 && *cost >= least * whole);
            self.counted.insert(it.of, costs.collect());
        }
    }

    /// The most that a function took of which nothing is kept, by what all together take now.
    #[must_use]
    pub fn unknown(of: &Key, now: &Costs) -> f64 {
        least(of) * now.values().sum::<f64>()
    }

    /// The file: for each suite, board and function a table, in which each case has what it takes of one operation.
    #[must_use]
    pub fn written(&self) -> String {
        let mut text = String::from(
            "# What each function takes of an operation of a case: ./riposte test determinism names by it what accounts for a\n\
             # figure of bench/baseline.toml that rose. Less than 1 % of an operation is left out, and of a series all but the largest\n\
             # system. Written with the baseline.\n",
        );
        let mut rows: Vec<(String, String, String)> = vec![];
        for (key, costs) in &self.counted {
            for (name, cost) in costs {
                let table = format!("{}.{}.{}.{name:?}", key.suite, key.board, key.metric);
                let within = if key.protected { "" } else { WITHIN };
                rows.push((table, format!("{}{within}", key.case), cost.to_string()));
            }
        }
        text += &tables(rows);
        text
    }

    /// Reads the file again; nothing is kept if there is none.
    ///
    /// # Errors
    /// A file that is no TOML.
    pub fn read(file: &Path) -> miette::Result<Kept> {
        let mut kept = Kept::default();
        let Ok(text) = std::fs::read_to_string(file) else {
            return Ok(kept);
        };
        let document: toml::Table = text
            .parse()
            .into_diagnostic()
            .wrap_err_with(|| format!("{} is wrong", file.display()))?;
        for (suite, boards) in &document {
            for (board, metrics) in inner(boards) {
                for (metric, functions) in inner(metrics) {
                    for (function, cases) in inner(functions) {
                        for (case, cost) in inner(cases) {
                            let (case, protected) = match case.strip_suffix(WITHIN) {
                                Some(case) => (case, false),
                                None => (case.as_str(), true),
                            };
                            let key = Key {
                                suite: suite.clone(),
                                case: case.into(),
                                board: board.clone(),
                                protected,
                                metric: metric.clone(),
                                ..Key::default()
                            };
                            let costs = kept.counted.entry(key).or_default();
                            if let Some(cost) = number(cost) {
                                costs.insert(function.clone(), cost);
                            }
                        }
                    }
                }
            }
        }
        Ok(kept)
    }
}

/// The part below which nothing is kept.
fn least(of: &Key) -> f64 {
    if of.case.starts_with(WHOLE_RUN) {
        LEAST_OF_RUN
    } else {
        LEAST
    }
}

/// Those of which functions are kept: of a series, which runs the same functions in larger and larger systems, the
/// largest alone.
#[must_use]
pub fn of_which(measured: &[Measurement]) -> Vec<&Measurement> {
    let point = |it: &Measurement| {
        let (operation, number, what) = growing(&it.sample.case)?;
        let key = Key {
            case: format!("{operation}@{what}"),
            ..key(it)
        };
        Some((key, number))
    };
    let mut largest: BTreeMap<Key, u32> = BTreeMap::new();
    for (key, number) in measured.iter().filter_map(point) {
        let most = largest.entry(key).or_default();
        *most = number.max(*most);
    }
    let is_kept = |it: &&Measurement| {
        point(it).is_none_or(|(key, number)| largest.get(&key) == Some(&number))
    };
    measured.iter().filter(is_kept).collect()
}

/// What is in a table.
fn inner(value: &toml::Value) -> impl Iterator<Item = (&String, &toml::Value)> {
    value.as_table().into_iter().flatten()
}

/// A number of a TOML file, with or without a point.
#[must_use]
pub fn number(value: &toml::Value) -> Option<f64> {
    #[allow(clippy::cast_precision_loss, reason = "figures are far below 2^53")]
    let whole = value.as_integer().map(|it| it as f64);
    value.as_float().or(whole)
}

/// What a hundredth of an instruction is in a thousand operations is the measurement's own.
fn hundredths(cost: f64) -> f64 {
    (cost * 100.0).round() / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::profiled::Counted;

    #[test]
    fn what_is_written_is_read_again_but_for_what_is_little_of_an_operation() {
        let key = |case: &str, protected| Key {
            suite: "core".into(),
            case: case.into(),
            board: "ibex".into(),
            protected,
            metric: "cycles".into(),
            ..Key::default()
        };
        let costs = |all: &[(&str, f64)]| -> Costs {
            all.iter().map(|(name, it)| ((*name).into(), *it)).collect()
        };
        let counted = |of: Key, all| {
            (
                of.clone(),
                Counted {
                    of,
                    costs: costs(all),
                },
            )
        };
        let mut kept = Kept::default();
        let odd = "kernel: <core::iter::Map<I,F> as \"x\">::next";
        kept.renew(AllCounted::from([
            counted(
                key("rt-1w", true),
                &[(odd, 60.004), ("client: a", 39.5), ("client: b", 0.9)],
            ),
            counted(key("rt-1w", false), &[(odd, 50.0)]),
            counted(
                key("whole run of longest", true),
                &[(odd, 10000.0), ("client: a", 3.0), ("client: b", 1.0)],
            ),
        ]));
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("functions.toml");
        std::fs::write(&file, kept.written()).unwrap();
        let read = Kept::read(&file).unwrap();
        assert_eq!(read, kept);
        assert_eq!(
            read.counted[&key("rt-1w", true)],
            costs(&[(odd, 60.0), ("client: a", 39.5)])
        );
        assert_eq!(read.counted[&key("whole run of longest", true)].len(), 2);
        assert_eq!(
            Kept::read(&folder.path().join("none")).unwrap(),
            Kept::default()
        );
    }

    #[test]
    fn of_a_series_the_largest_system_alone_is_kept() {
        let cases = [
            "a@1-threads",
            "a@16-threads",
            "a@4-threads",
            "a@8-channels",
            "b",
        ];
        let measured = cases.map(|case| crate::bench::measurement(case, true, 1.0));
        let kept: Vec<&str> = of_which(&measured)
            .iter()
            .map(|it| &*it.sample.case)
            .collect();
        assert_eq!(kept, ["a@16-threads", "a@8-channels", "b"]);
    }
}
