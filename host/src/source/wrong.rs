//! Texts that are wrong in one place, for tests.

use miette::Report;

use super::Refusals;

/// What stands there, what is written instead, and how the refusal ends.
pub type Mistake<'a> = (&'a str, &'a str, &'a str);

/// Each of `all`, written into the text that is `right`, is refused in `file`.
pub fn is_refused<T>(
    file: &str,
    right: &str,
    parse: impl Fn(&str) -> miette::Result<T>,
    all: &[Mistake<'_>],
) {
    for (there, instead, message) in all {
        let text = right.replace(there, instead);
        assert_ne!(text, right, "{there}");
        let error = parse(&text)
            .err()
            .unwrap_or_else(|| panic!("{instead} is taken"));
        let refusals = all_of(&error);
        let found = refusals
            .iter()
            .any(|it| it.starts_with(&format!("{file}:")) && it.ends_with(message));
        assert!(found, "{message}: {refusals:?}");
    }
}

/// The refusals of a file, each with its place.
pub fn all_of(error: &Report) -> Vec<String> {
    let refusals = Refusals::all(error);
    refusals.iter().map(|it| format!("{it:?}")).collect()
}
