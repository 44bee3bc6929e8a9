//! The longest paths: how long each system call takes at most, and what makes it so long.
//!
//! A benchmark names such a case `longest: CALL, WHEN`.

use std::fmt::Write as _;

use super::measure::Measurement;
use super::report::show;
use crate::table::{Align, Table};

/// The call, and what makes it long, if it is such a case.
pub fn path(case: &str) -> Option<(&str, &str)> {
    case.strip_prefix("longest: ")?.split_once(", ")
}

/// Whether it is one of the longest paths.
pub fn is_path(measurement: &Measurement) -> bool {
    path(&measurement.sample.case).is_some()
}

/// The table of them; nothing if there are none.
pub fn table(measurements: &[Measurement]) -> String {
    let mut table = Table::new(&[
        ("call", Align::Left),
        ("when", Align::Left),
        ("longest", Align::Right),
    ]);
    let mut text = String::new();
    for measurement in measurements {
        if let Some((call, when)) = path(&measurement.sample.case) {
            table.row(vec![call.into(), when.into(), show(measurement.value)]);
            text = "the longest path of each call, until whoever runs next runs\n\n".into();
        }
    }
    if !text.is_empty() {
        let _ = writeln!(text, "{table}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::measurement;
    use super::*;

    #[test]
    fn each_path_is_a_row_of_its_call_and_of_what_makes_it_long() {
        let all = [
            measurement("rt-1w", true, 119.0),
            measurement("longest: futex-wake, 32 waiters", true, 10391.0),
        ];
        let text = table(&all);
        let rows: Vec<_> = text
            .lines()
            .filter(|line| line.ends_with("10391"))
            .collect();
        assert_eq!(rows, ["futex-wake  32 waiters    10391"], "{text}");
    }

    #[test]
    fn without_such_cases_there_is_no_table() {
        assert_eq!(table(&[measurement("rt-1w", true, 119.0)]), "");
    }
}
