//! "Did you mean …?"

/// The one of `known` that `written` was probably meant to be.
pub fn closest<'a>(written: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known
        .into_iter()
        .map(|name| (strsim::jaro_winkler(written, name), name))
        .filter(|(likeness, _)| *likeness > 0.75)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, name)| name)
}

/// A help line: the closest of `known`, and all of them. `what` is their plural.
pub fn help<'a>(written: &str, what: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    let all = if known.is_empty() {
        format!("there are no {what} here")
    } else {
        format!("the {what} are: {}", known.join(", "))
    };
    match closest(written, known) {
        Some(name) => format!("did you mean `{name}`? {}", capitalised(&all)),
        None => all,
    }
}

fn capitalised(sentence: &str) -> String {
    let mut letters = sentence.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::{closest, help};

    #[test]
    fn a_slip_finds_the_name_that_was_meant() {
        for (slip, meant) in [
            ("priorty", "priority"),
            ("stak", "stack"),
            ("onfault", "on_fault"),
        ] {
            assert_eq!(
                closest(slip, ["policy", "on_fault", "priority", "ram", "stack"]),
                Some(meant)
            );
        }
    }

    #[test]
    fn what_is_like_nothing_gets_only_the_list() {
        assert_eq!(
            help("xyzzy", "keys", ["stack", "ram"]),
            "the keys are: stack, ram"
        );
        assert_eq!(help("xyzzy", "boards", []), "there are no boards here");
    }
}
