//! Which functions account for what a figure rose or fell by.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::bench::profile::Costs;
use crate::report::short;

/// As many are named.
const NAMED: usize = 5;

/// What is less of an operation is none of its own.
const LEAST: f64 = 0.1;

/// A function that takes more or less of an operation than it did.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Moved {
    /// Whose it is, and its path.
    pub name: String,
    /// What it took; 0 if nothing is known of it.
    pub before: f64,
    /// What it takes; 0 if it does not run.
    pub after: f64,
}

/// What accounts for a figure.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Accounted {
    /// The figure, or the run in which its case is.
    pub figure: String,
    /// What is counted.
    pub metric: String,
    /// The functions, what moved most first.
    pub moved: Vec<Moved>,
}

/// The few functions that moved most in the direction in which the figure did. A function of which nothing is known before
/// may have taken as much as `unknown`: what is not beyond that has not moved.
#[must_use]
pub fn accounting(before: &Costs, unknown: f64, after: &Costs, rose: bool) -> Vec<Moved> {
    let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let of = |costs: &Costs, name| costs.get(name).copied().unwrap_or_default();
    let mut all: Vec<Moved> = names
        .into_iter()
        .map(|name| Moved {
            name: name.clone(),
            before: of(before, name),
            after: of(after, name),
        })
        .collect();
    let along = |it: &Moved| match (before.contains_key(&it.name), rose) {
        (false, true) => it.after - unknown,
        (_, true) => it.after - it.before,
        (_, false) => it.before - it.after,
    };
    all.retain(|it| along(it) >= LEAST);
    all.sort_by(|a, b| along(b).total_cmp(&along(a)));
    all.truncate(NAMED);
    all
}

/// What is less than a tenth is the loop's own end.
fn tenths(cost: f64) -> String {
    short((cost * 10.0).round() / 10.0)
}

impl Accounted {
    /// What is to be said of it: a line for each function. `nothing` says what it means if nothing is known of one
    /// before.
    #[must_use]
    pub fn text(&self, nothing: &str) -> String {
        let Accounted {
            figure,
            metric,
            moved,
        } = self;
        if moved.is_empty() {
            return format!("\n{figure}: no function takes more or less {metric} than before");
        }
        let line = |it: &Moved| {
            let before = match it.before {
                0.0 => nothing.to_owned(),
                before => tenths(before),
            };
            format!("\n  {}: {before}, now {}", it.name, tenths(it.after))
        };
        let lines: String = moved.iter().map(line).collect();
        format!("\n{figure}, by function, in {metric}:{lines}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn costs(all: &[(&str, f64)]) -> Costs {
        all.iter().map(|(name, it)| ((*name).into(), *it)).collect()
    }

    #[test]
    fn what_moved_most_with_the_whole_comes_first_and_what_stayed_is_not_told() {
        let before = costs(&[("a", 10.0), ("b", 100.0), ("c", 50.0), ("d", 7.0)]);
        let after = costs(&[("a", 12.0), ("b", 95.0), ("d", 7.01), ("e", 90.0)]);
        let accounted = |before, after, rose| Accounted {
            figure: "core/x on ibex".into(),
            metric: "cycles".into(),
            moved: accounting(before, 0.0, after, rose),
        };
        assert_eq!(
            accounted(&before, &after, true).text("none"),
            "\ncore/x on ibex, by function, in cycles:\n  e: none, now 90\n  a: 10, now 12"
        );
        assert_eq!(
            accounted(&after, &before, false).text("none"),
            "\ncore/x on ibex, by function, in cycles:\n  e: 90, now 0\n  a: 12, now 10"
        );
        assert_eq!(
            accounted(&before, &before, true).text("none"),
            "\ncore/x on ibex: no function takes more or less cycles than before"
        );
    }

    #[test]
    fn no_more_are_named_than_a_person_reads() {
        let many: Costs = (1..50)
            .map(|it| (format!("f{it}"), f64::from(it)))
            .collect();
        let moved = accounting(&Costs::new(), 0.0, &many, true);
        assert_eq!(moved.len(), NAMED);
        assert_eq!(moved[0].name, "f49");
    }

    #[test]
    fn what_was_too_little_to_be_kept_and_may_be_as_it_was_is_not_named() {
        let before = costs(&[("kept", 100.0)]);
        let after = costs(&[("kept", 104.0), ("little", 9.9), ("new", 15.0)]);
        let moved = accounting(&before, 10.0, &after, true);
        let names: Vec<&str> = moved.iter().map(|it| &*it.name).collect();
        assert_eq!(names, ["new", "kept"]);
    }
}
