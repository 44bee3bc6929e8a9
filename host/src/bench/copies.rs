//! What a message of 4 KiB costs beside a plain copy of as much.

use super::measure::Measurement;
use super::report::show;

/// A message of 4 KiB is to take no more, each way, than so many plain copies and an empty message.
const COPIES: f64 = 1.15;

/// The line that compares them; none where one of the cases was not measured.
pub fn line(measurements: &[Measurement]) -> Option<String> {
    let of = |case: &str, protected| {
        let found = measurements
            .iter()
            .find(|it| it.sample.case == case && it.sample.protected == protected);
        found.map(|it| it.value)
    };
    let [message, empty] = [of("rt-4096B", true)? / 2.0, of("rt-0w", true)? / 2.0];
    let copy = of("best-copy-4096B", false)?;
    let most = COPIES * copy + empty;
    let verdict = if message <= most {
        "met".to_owned()
    } else {
        format!("missed by {}", show(message - most))
    };
    Some(format!(
        "a message of 4 KiB, each way: {}, target ≤ {}, which is {COPIES} × the board's best copy ({}) \
         + an empty message ({}): {verdict}\n",
        show(message),
        show(most),
        show(copy),
        show(empty)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::report::tests::measurement;

    fn measured(message: f64) -> Vec<Measurement> {
        vec![
            measurement("rt-4096B", true, message),
            measurement("rt-4096B", false, 1.0),
            measurement("rt-0w", true, 200.0),
            measurement("best-copy-4096B", false, 2000.0),
        ]
    }

    #[test]
    fn a_message_is_judged_by_a_copy_and_an_empty_message() {
        let met = line(&measured(4800.0)).unwrap();
        assert!(
            met.starts_with("a message of 4 KiB, each way: 2400, target ≤ 2400,"),
            "{met}"
        );
        assert!(
            met.ends_with("(2000) + an empty message (100): met\n"),
            "{met}"
        );
        let missed = line(&measured(4900.0)).unwrap();
        assert!(missed.ends_with(": missed by 50\n"), "{missed}");
    }

    #[test]
    fn without_all_three_cases_nothing_is_said() {
        assert_eq!(line(&measured(1.0)[..3]), None);
    }
}
