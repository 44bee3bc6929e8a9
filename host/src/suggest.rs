//! "Did you mean …?"

/// Where a list of all names would be too long: most names that are given.
const FEW: usize = 3;

/// From how many names on a list of all hides the one that was meant.
const MANY: usize = 40;

/// Those of `known` that `written` was probably meant to be, the likeliest first.
fn like<'a>(written: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let mut like: Vec<_> = known
        .into_iter()
        .map(|name| (strsim::jaro_winkler(written, name), name))
        .filter(|(likeness, name)| *likeness > 0.75 || is_swapped(written, name))
        .collect();
    like.sort_by(|a, b| b.0.total_cmp(&a.0));
    like.into_iter().map(|(_, name)| name).collect()
}

/// Whether two letters that stand side by side changed places, which in a short name is much of it.
fn is_swapped(written: &str, name: &str) -> bool {
    strsim::osa_distance(written, name) == 1 && strsim::levenshtein(written, name) == 2
}

/// The one of `known` that `written` was probably meant to be.
pub fn closest<'a>(written: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    like(written, known).into_iter().next()
}

/// A question for the few of `known` that `written` was probably meant to be, if there are any.
pub fn question<'a>(written: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let mut like = like(written, known);
    like.truncate(FEW);
    let (last, others) = like.split_last()?;
    Some(match others {
        [] => format!("did you mean `{last}`?"),
        _ => format!("did you mean `{}` or `{last}`?", others.join("`, `")),
    })
}

/// A help line: the closest of `known`, and all of them. `what` is their plural. Of many names that are known the few
/// closest, if there are any, and how many there are.
pub fn help<'a>(written: &str, what: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    if known.len() >= MANY
        && let Some(question) = question(written, known.iter().copied())
    {
        return format!("{question} There are {} {what}", known.len());
    }
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
    use super::{closest, help, question};

    #[test]
    fn of_many_names_the_few_likeliest_are_said_and_all_only_if_none_is_like_it() {
        let names: Vec<String> = (0..super::MANY).map(|it| format!("rt-{it}w")).collect();
        let says = |written| help(written, "cases", names.iter().map(String::as_str));
        assert_eq!(
            says("rt1w"),
            "did you mean `rt-1w`, `rt-10w` or `rt-11w`? There are 40 cases"
        );
        let all = says("zzz");
        assert!(all.ends_with(&names.join(", ")), "{all}");
    }

    #[test]
    fn a_slip_finds_the_name_that_was_meant() {
        for (slip, meant) in [
            ("priorty", "priority"),
            ("stak", "stack"),
            ("onfault", "on_fault"),
            ("rma", "ram"),
        ] {
            assert_eq!(
                closest(slip, ["policy", "on_fault", "priority", "ram", "stack"]),
                Some(meant)
            );
        }
    }

    #[test]
    fn of_many_names_only_the_few_likeliest_are_asked_for() {
        let known = ["consul", "consulate", "console", "consoles", "hello"];
        assert_eq!(
            question("console", known).unwrap(),
            "did you mean `console`, `consoles` or `consul`?"
        );
        assert_eq!(question("helo", known).unwrap(), "did you mean `hello`?");
        assert_eq!(question("xyzzy", known), None);
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
