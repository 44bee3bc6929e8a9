//! What costs from C what it costs from Rust.

use crate::bench::measure::Measurement;

/// What the name of a case that was measured from C has behind that of the same from Rust.
const FROM_C: &str = "-c";
/// How much more it may be, as a part of it, or in instructions or cycles.
const PART: f64 = 0.02;
const ABSOLUTE: f64 = 1.0;

/// Cases that are known to cost more (README, "Limits"), and by which part: no more than that.
const KNOWN: [(&str, f64); 7] = [
    ("rt-1w", 0.04),
    ("rt-5w", 0.04),
    ("rt-32B", 0.05),
    ("rt-480B", 0.04),
    ("sem-pingpong", 0.03),
    ("mutex-uncontended", 0.37),
    ("queue-self-word", 0.06),
];

/// Compares each case from C with that from Rust.
///
/// # Errors
/// All that cost more.
pub fn compare(all: &[Measurement]) -> miette::Result<()> {
    let mut more = vec![];
    for c in all {
        let Some(case) = c.sample.case.strip_suffix(FROM_C) else {
            continue;
        };
        let is_twin =
            |it: &&Measurement| it.sample.case == case && it.sample.protected == c.sample.protected;
        let Some(rust) = all.iter().find(is_twin) else {
            more.push(format!("{case} was measured from C only"));
            continue;
        };
        let known = KNOWN.iter().find(|(name, _)| *name == case);
        let part = known.map_or(PART, |(_, part)| *part);
        let most = (rust.value * (1.0 + part)).max(rust.value + ABSOLUTE);
        if c.value > most {
            more.push(format!(
                "{case}: {} from C, {} from Rust",
                c.value, rust.value
            ));
        }
    }
    match more.is_empty() {
        true => Ok(()),
        false => Err(miette::miette!("{}", more.join("; "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::measurement;

    #[test]
    fn what_costs_more_from_c_is_found() {
        let rust = measurement("send", true, 100.0);
        let c = |value| measurement("send-c", true, value);
        assert!(compare(&[rust.clone(), c(102.0)]).is_ok());
        assert!(compare(&[rust.clone(), c(90.0)]).is_ok());
        let error = compare(&[rust.clone(), c(103.0)]).unwrap_err().to_string();
        assert_eq!(error, "send: 103 from C, 100 from Rust");
        let few = measurement("send", true, 10.0);
        assert!(compare(&[few, c(11.0)]).is_ok());
        assert!(compare(&[c(1.0)]).is_err());
    }
}
