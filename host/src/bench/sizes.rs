//! Mechanisms that move bytes, measured with messages of several sizes: their figures beside the published ones, the line
//! that fits them best, and which of them is to be faster.
//!
//! A benchmark names the points `MECHANISM-SIZEB`.

use std::fmt::Write as _;

use serde::Deserialize;

use super::measure::{Measurement, Unit};
use super::reference::{Figure, Reference};
use super::report::show;
use crate::table::{Align, Table};

/// A mechanism, and what was published of it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Series {
    /// The mechanism: the first part of the names of its cases.
    pub case: String,
    /// The published times in microseconds, each with its size in bytes.
    #[serde(default)]
    pub points: Vec<(u32, f64)>,
    /// The published fit in microseconds: without a byte, and of each byte.
    pub fit: Option<(f64, f64)>,
    /// Mechanisms that are to cost at least so many times as much as this one, at every size that both have.
    #[serde(default)]
    pub slower: Vec<(String, f64)>,
}

/// The operation and the bytes of a case whose name ends in a size.
pub fn size(case: &str) -> Option<(&str, u32)> {
    let (operation, size) = case.rsplit_once('-')?;
    let (number, factor) = match (size.strip_suffix("KiB"), size.strip_suffix('B')) {
        (Some(number), _) => (number, 1024),
        (None, Some(number)) => (number, 1),
        (None, None) => return None,
    };
    let bytes = number.parse::<u32>().ok()?;
    let bytes = bytes.checked_mul(factor).filter(|it| *it > 0)?;
    Some((operation, bytes))
}

/// The case of a point.
fn name(case: &str, bytes: u32) -> String {
    format!("{case}-{bytes}B")
}

impl Series {
    /// What was published, as figures of single cases.
    pub fn figures(&self) -> impl Iterator<Item = Figure> + '_ {
        self.points.iter().map(|(bytes, time)| Figure {
            case: name(&self.case, *bytes),
            microseconds_min: *time,
            microseconds_max: *time,
            remark: String::new(),
        })
    }

    /// Whether a case is a point of it.
    #[must_use]
    pub fn has(&self, case: &str) -> bool {
        size(case).is_some_and(|(operation, _)| operation == self.case)
    }

    /// What was measured, the smallest first.
    fn measured(&self, measurements: &[Measurement]) -> Vec<(u32, f64)> {
        let own = measurements.iter().filter(|it| self.has(&it.sample.case));
        let point = |it: &Measurement| Some((u32::try_from(it.sample.bytes?).ok()?, it.value));
        let mut all: Vec<(u32, f64)> = own.filter_map(point).collect();
        all.sort_by_key(|(bytes, _)| *bytes);
        all
    }

    /// The published time of a size.
    pub fn published(&self, bytes: u32) -> Option<f64> {
        at(&self.points, bytes)
    }
}

fn at(points: &[(u32, f64)], bytes: u32) -> Option<f64> {
    let found = points.iter().find(|(size, _)| *size == bytes);
    found.map(|(_, value)| *value)
}

/// Whether a measurement is a point of a series.
pub fn is_point(measurement: &Measurement, reference: &Reference) -> bool {
    let mut series = reference.series.iter();
    series.any(|it| it.has(&measurement.sample.case))
}

/// The line that is nearest to all points, by the least squares.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fit {
    /// What no byte costs.
    pub organisation: f64,
    /// What each byte adds.
    pub byte: f64,
    /// How far the farthest point lies from it.
    residual: f64,
}

/// The line through these points, if they are of several sizes.
#[allow(clippy::cast_precision_loss)]
pub fn fit(points: &[(u32, f64)]) -> Option<Fit> {
    let count = points.len() as f64;
    let mean = |value: fn(&(u32, f64)) -> f64| points.iter().map(value).sum::<f64>() / count;
    let (x, y) = (mean(|it| f64::from(it.0)), mean(|it| it.1));
    let spread: f64 = points.iter().map(|it| (f64::from(it.0) - x).powi(2)).sum();
    let both = points.iter().map(|it| (f64::from(it.0) - x) * (it.1 - y));
    if spread == 0.0 {
        return None;
    }
    let byte = both.sum::<f64>() / spread;
    let organisation = y - byte * x;
    let off = |(bytes, value): &(u32, f64)| (value - organisation - byte * f64::from(*bytes)).abs();
    Some(Fit {
        organisation,
        byte,
        residual: points.iter().map(off).fold(0.0, f64::max),
    })
}

/// The tables: one of all sizes, and one of the fits; none if the suite has no series.
pub fn tables(measurements: &[Measurement], reference: &Reference) -> String {
    let all = reference.series.iter();
    let all = all.map(|it| (it, it.measured(measurements)));
    let all: Vec<(&Series, Vec<(u32, f64)>)> =
        all.filter(|(_, points)| !points.is_empty()).collect();
    let Some(unit) = measurements.first().map(|it| &it.unit) else {
        return String::new();
    };
    if all.is_empty() {
        return String::new();
    }
    let megahertz = reference.source.as_ref().map_or(0.0, |it| it.megahertz);
    let mut text = format!(
        "one transfer by its bytes, in {}; behind the stroke the published cycles\n\n",
        unit.name()
    );
    let _ = writeln!(text, "{}", of_sizes(&all, megahertz));
    let _ = writeln!(
        text,
        "organisation + bytes × per byte, by the least squares\n"
    );
    let copy = best_copy(measurements);
    let _ = writeln!(text, "{}", of_fits(&all, megahertz, unit, copy));
    // Instructions are not to be compared with cycles.
    if matches!(unit, Unit::Cycles { .. }) {
        for (series, points) in &all {
            text.push_str(&below(series, points, megahertz));
        }
    }
    for (series, points) in &all {
        for (slower, times) in &series.slower {
            let other = all.iter().find(|(it, _)| it.case == *slower);
            if let Some((_, others)) = other {
                text.push_str(&order(series, points, slower, others, *times));
            }
        }
    }
    text.push('\n');
    text
}

fn of_sizes(all: &[(&Series, Vec<(u32, f64)>)], megahertz: f64) -> Table {
    let sizes = all
        .iter()
        .flat_map(|(_, points)| points.iter().map(|it| it.0));
    let mut sizes: Vec<u32> = sizes.collect();
    sizes.sort_unstable();
    sizes.dedup();
    let headings: Vec<String> = all
        .iter()
        .map(|(it, _)| it.case.replace('-', "\n"))
        .collect();
    let mut columns = vec![("bytes", Align::Right)];
    columns.extend(headings.iter().map(|it| (it.as_str(), Align::Right)));
    let mut table = Table::new(&columns);
    for size in sizes {
        let cell = |(series, points): &(&Series, Vec<(u32, f64)>)| {
            let published = series.published(size);
            let published = published.map_or(String::new(), |it| format!("{:.0}", it * megahertz));
            match at(points, size) {
                Some(own) => format!("{own:.0} / {published}"),
                None if published.is_empty() => String::new(),
                None => format!("- / {published}"),
            }
        };
        let mut row = vec![size.to_string()];
        row.extend(all.iter().map(cell));
        table.row(row);
    }
    table
}

/// Bytes and cost of the largest plain copy that was measured.
fn best_copy(measurements: &[Measurement]) -> Option<f64> {
    let copies = measurements
        .iter()
        .filter(|it| it.sample.case.starts_with("memcpy-"));
    let largest = copies.max_by_key(|it| it.sample.bytes)?;
    Some(f64::from(u32::try_from(largest.sample.bytes?).ok()?) / largest.value)
}

fn of_fits(
    all: &[(&Series, Vec<(u32, f64)>)],
    megahertz: f64,
    unit: &Unit,
    copy: Option<f64>,
) -> Table {
    let name = unit.name();
    let per_unit = format!("bytes a {}\nat the most", name.trim_end_matches('s'));
    let transfers = format!("transfers\nin {megahertz:.0} million {name}");
    let columns = [
        ("mechanism", Align::Left),
        ("organisation", Align::Right),
        ("per byte", Align::Right),
        ("residual", Align::Right),
        ("published\norganisation", Align::Right),
        ("published\nper byte", Align::Right),
        (transfers.as_str(), Align::Right),
        (per_unit.as_str(), Align::Right),
        ("of a plain\ncopy's", Align::Right),
    ];
    let mut table = Table::new(&columns);
    for (series, points) in all {
        let fitted = fit(points);
        let figure = |value: Option<f64>| value.map_or("-".into(), show);
        let fine = |value: Option<f64>| value.map_or("-".into(), |it| format!("{it:.2}"));
        let smallest = points.first().map(|(_, value)| megahertz * 1e6 / value);
        let rate = points
            .last()
            .map(|(bytes, value)| f64::from(*bytes) / value);
        let share = rate.zip(copy).map(|(rate, copy)| 100.0 * rate / copy);
        table.row(vec![
            series.case.clone(),
            figure(fitted.map(|it| it.organisation)),
            fine(fitted.map(|it| it.byte)),
            figure(fitted.map(|it| it.residual)),
            figure(series.fit.map(|it| it.0 * megahertz)),
            fine(series.fit.map(|it| it.1 * megahertz)),
            smallest.map_or("-".into(), |it| format!("{it:.0}")),
            fine(rate),
            share.map_or("-".into(), |it| format!("{it:.0} %")),
        ]);
    }
    table
}

/// Whether each size takes fewer cycles than were published.
fn below(series: &Series, points: &[(u32, f64)], megahertz: f64) -> String {
    let mut compared = 0;
    let mut missed = vec![];
    for (bytes, own) in points {
        if let Some(published) = series.published(*bytes) {
            compared += 1;
            if *own >= published * megahertz {
                missed.push(bytes.to_string());
            }
        }
    }
    match (compared, missed.is_empty()) {
        (0, _) => String::new(),
        (_, true) => format!(
            "{}: below the published cycles at every size\n",
            series.case
        ),
        (_, false) => {
            let missed = missed.join(", ");
            format!(
                "{}: above the published cycles at {missed} bytes\n",
                series.case
            )
        }
    }
}

/// Whether one mechanism costs so much more than another at every size.
fn order(
    series: &Series,
    points: &[(u32, f64)],
    slower: &str,
    others: &[(u32, f64)],
    times: f64,
) -> String {
    let both = points
        .iter()
        .filter_map(|(bytes, own)| Some((bytes, own, at(others, *bytes)?)));
    let both: Vec<_> = both.collect();
    if both.is_empty() {
        return String::new();
    }
    let missed = both.iter().filter(|(_, own, other)| *other < *own * times);
    let missed: Vec<String> = missed.map(|(bytes, ..)| bytes.to_string()).collect();
    let times = match times {
        1.0 => "at least as much as".to_owned(),
        times => format!("at least {} times", show(times)),
    };
    let verdict = match missed.is_empty() {
        true => "met at every size".to_owned(),
        false => format!("missed at {} bytes", missed.join(", ")),
    };
    format!("{slower} cost {times} {}: {verdict}\n", series.case)
}

#[cfg(test)]
mod tests {
    use super::super::measurement;
    use super::*;

    fn measured(case: &str, points: &[(u32, f64)]) -> Vec<Measurement> {
        let point = |(bytes, value): &(u32, f64)| {
            let mut it = measurement(&name(case, *bytes), true, *value);
            it.sample.bytes = Some(u64::from(*bytes));
            it
        };
        points.iter().map(point).collect()
    }

    fn reference() -> Reference {
        let mut reference = Reference::default();
        reference.source = Some(super::super::reference::Publication {
            megahertz: 10.0,
            ..Default::default()
        });
        reference.series = vec![
            Series {
                case: "messages".into(),
                points: vec![(1, 30.0), (100, 31.0)],
                fit: Some((2.0, 0.5)),
                slower: vec![("pipes".into(), 2.0)],
            },
            Series {
                case: "pipes".into(),
                ..Series::default()
            },
        ];
        reference
    }

    #[test]
    fn a_case_whose_name_ends_in_a_size_is_a_point_of_a_curve() {
        assert_eq!(size("rt-32B"), Some(("rt", 32)));
        assert_eq!(size("block-read-32KiB"), Some(("block-read", 32_768)));
        assert_eq!(size("rt-1w"), None);
        assert_eq!(size("rt-0B"), None);
        assert_eq!(size("floor"), None);
    }

    #[test]
    fn points_on_a_line_are_fitted_without_a_residual() {
        let fitted = fit(&[(0, 100.0), (100, 150.0), (1000, 600.0)]).unwrap();
        assert!((fitted.organisation - 100.0).abs() < 1e-9, "{fitted:?}");
        assert!((fitted.byte - 0.5).abs() < 1e-9 && fitted.residual < 1e-9);
        let off = fit(&[(0, 0.0), (1, 4.0), (2, 2.0)]).unwrap();
        assert!((off.residual - 2.0).abs() < 1e-9, "{off:?}");
        assert_eq!(fit(&[(5, 1.0)]), None);
    }

    #[test]
    fn a_size_stands_beside_the_published_cycles_and_is_judged_by_them_if_it_is_in_cycles() {
        let cycles = |points: &[(u32, f64)]| {
            let mut all = measured("messages", points);
            all.iter_mut().for_each(|it| {
                let memory = "RAM latency 2,1,2, two ports".into();
                it.unit = Unit::Cycles { memory };
            });
            tables(&all, &reference())
        };
        let text = cycles(&[(1, 299.0), (100, 310.0)]);
        assert!(text.contains("299 / 300"), "{text}");
        assert!(
            text.contains("messages: above the published cycles at 100 bytes"),
            "{text}"
        );
        let text = cycles(&[(1, 299.0), (100, 309.0)]);
        assert!(
            text.contains("messages: below the published cycles at every size"),
            "{text}"
        );
        let emulated = measured("messages", &[(1, 299.0), (100, 309.0)]);
        let text = tables(&emulated, &reference());
        assert!(!text.contains("the published cycles at"), "{text}");
    }

    #[test]
    fn an_order_is_judged_where_both_were_measured() {
        let mut all = measured("messages", &[(1, 10.0), (100, 20.0), (200, 1.0)]);
        all.extend(measured("pipes", &[(1, 20.0), (100, 39.0)]));
        let text = tables(&all, &reference());
        assert!(
            text.contains("pipes cost at least 2 times messages: missed at 100 bytes"),
            "{text}"
        );
    }

    #[test]
    fn the_case_of_another_mechanism_is_no_point() {
        let series = &reference().series[0];
        assert!(series.has("messages-1B"));
        assert!(!series.has("messages-past-cache-1B") && !series.has("messages"));
    }
}
