//! Series: what an operation costs in larger and larger systems, and whether it stays the same.
//!
//! A benchmark names the points of a series `OPERATION@NUMBER-WHAT`.

use std::fmt::Write as _;

use miette::miette;

use super::measure::Measurement;
use super::reference::{Growth, Reference};
use super::report::{show, tenth};
use crate::table::{Align, Table};

/// By so much, in percent of what it is in the smallest system, a figure may be higher and counts as the
/// same.
const TOLERANCE: f64 = 2.0;

/// What an operation costs while there is more and more of something.
#[derive(Debug, PartialEq)]
struct Series<'a> {
    operation: &'a str,
    what: &'a str,
    /// How much there is, and the figure then; the least first.
    points: Vec<(u32, f64)>,
}

/// Operation, number and what there are so many of, if it is a point of a series.
pub fn point(case: &str) -> Option<(&str, u32, &str)> {
    let (operation, size) = case.split_once('@')?;
    let (number, what) = size.split_once('-')?;
    Some((operation, number.parse().ok()?, what))
}

/// Whether it is a point of a series.
pub fn is_point(measurement: &Measurement) -> bool {
    point(&measurement.sample.case).is_some()
}

fn series(measurements: &[Measurement]) -> Vec<Series<'_>> {
    let mut all: Vec<Series> = vec![];
    for measurement in measurements {
        let Some((operation, number, what)) = point(&measurement.sample.case) else {
            continue;
        };
        let same = |it: &Series| it.operation == operation && it.what == what;
        let index = all.iter().position(same).unwrap_or_else(|| {
            all.push(Series {
                operation,
                what,
                points: vec![],
            });
            all.len() - 1
        });
        all[index].points.push((number, measurement.value));
    }
    for it in &mut all {
        it.points.sort_by_key(|(number, _)| *number);
    }
    all
}

impl Series<'_> {
    fn first(&self) -> (u32, f64) {
        self.points[0]
    }

    /// By how much, in percent, the highest figure is above that of the smallest system.
    fn percent(&self) -> f64 {
        let highest = self.points.iter().map(|(_, value)| *value);
        let highest = highest.fold(0.0, f64::max);
        tenth(100.0 * (highest / self.first().1 - 1.0))
    }

    /// The most that a doubling adds, from the smallest system on.
    fn a_doubling(&self) -> f64 {
        let (least, first) = self.first();
        let later = self.points[1..].iter();
        let added = later.map(|(number, value)| {
            (value - first) / (f64::from(*number) / f64::from(least)).log2()
        });
        added.fold(0.0, f64::max)
    }

    /// Whether it is as it is to be, and in words.
    fn verdict(&self, allowed: &[Growth]) -> (bool, String) {
        match allowed.iter().find(|it| it.case == self.operation) {
            _ if self.percent() <= TOLERANCE => (true, "flat".into()),
            Some(Growth { a_doubling, .. }) => {
                let added = self.a_doubling();
                let met = added <= *a_doubling;
                let word = if met { "met" } else { "missed" };
                let added = show(added);
                let most = show(*a_doubling);
                (met, format!("+{added} a doubling, ≤ {most} {word}"))
            }
            None => (false, format!("grows by {} %", show(self.percent()))),
        }
    }
}

/// A table for each of what there is more and more of: a line for each operation.
pub fn tables(measurements: &[Measurement], reference: &Reference) -> String {
    let all = series(measurements);
    let mut kinds: Vec<&str> = vec![];
    for it in &all {
        if !kinds.contains(&it.what) {
            kinds.push(it.what);
        }
    }
    let mut text = String::new();
    for what in kinds {
        let of_kind: Vec<_> = all.iter().filter(|it| it.what == what).collect();
        let _ = writeln!(text, "in a system of so many {what}\n");
        let _ = writeln!(text, "{}", table(&of_kind, &reference.growth));
    }
    text
}

fn table(all: &[&Series<'_>], allowed: &[Growth]) -> Table {
    let points = all.iter().flat_map(|it| &it.points);
    let mut sizes: Vec<u32> = points.map(|(number, _)| *number).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let headings: Vec<String> = sizes.iter().map(u32::to_string).collect();
    let mut columns = vec![("case", Align::Left)];
    columns.extend(headings.iter().map(|it| (it.as_str(), Align::Right)));
    columns.push(("", Align::Left));
    let mut table = Table::new(&columns);
    for it in all {
        let figure = |size: &u32| {
            let at = it.points.iter().find(|(number, _)| number == size);
            at.map_or("-".into(), |(_, value)| show(*value))
        };
        let mut row = vec![it.operation.to_owned()];
        row.extend(sizes.iter().map(figure));
        row.push(it.verdict(allowed).1);
        table.row(row);
    }
    table
}

/// Whether nothing grows that may not.
///
/// # Errors
/// All that does.
pub fn check(measurements: &[Measurement], reference: &Reference) -> miette::Result<()> {
    let all = series(measurements);
    let verdicts = all.iter().map(|it| (it, it.verdict(&reference.growth)));
    let wrong: Vec<String> = verdicts
        .filter(|(_, (right, _))| !right)
        .map(|(it, (_, words))| format!("{} with {}: {words}", it.operation, it.what))
        .collect();
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(miette!("{}", wrong.join("; "))),
    }
}

#[cfg(test)]
mod tests {
    use super::super::measurement;
    use super::*;

    fn reference() -> Reference {
        let growth = Growth {
            case: "timer".into(),
            a_doubling: 50.0,
        };
        Reference {
            growth: vec![growth],
            ..Reference::default()
        }
    }

    fn measured(operation: &str, values: [f64; 3]) -> Vec<Measurement> {
        let points = [8, 256, 16].into_iter().zip(values);
        points
            .map(|(number, value)| {
                measurement(&format!("{operation}@{number}-threads"), true, value)
            })
            .collect()
    }

    #[test]
    fn points_of_one_operation_are_one_row_in_order_of_size() {
        let mut all = measured("rt-1w", [100.0, 102.0, 99.0]);
        all.push(measurement("rt-1w", true, 100.0));
        let text = tables(&all, &reference());
        assert!(text.contains("so many threads"), "{text}");
        let row = text.lines().find(|line| line.starts_with("rt-1w")).unwrap();
        let words: Vec<_> = row.split_whitespace().collect();
        assert_eq!(words, ["rt-1w", "100", "99", "102", "flat"]);
    }

    #[test]
    fn what_grows_by_more_than_two_percent_is_not_flat() {
        let all = measured("rt-1w", [100.0, 102.1, 100.0]);
        let wrong = check(&all, &reference()).unwrap_err().to_string();
        assert_eq!(wrong, "rt-1w with threads: grows by 2.1 %");
        assert!(check(&measured("rt-1w", [100.0, 102.0, 95.0]), &reference()).is_ok());
    }

    #[test]
    fn what_may_grow_with_the_logarithm_is_held_to_its_step() {
        assert!(check(&measured("timer", [100.0, 350.0, 150.0]), &reference()).is_ok());
        let wrong = check(&measured("timer", [100.0, 350.0, 151.0]), &reference());
        let wrong = wrong.unwrap_err().to_string();
        assert_eq!(wrong, "timer with threads: +51 a doubling, ≤ 50 missed");
    }
}
