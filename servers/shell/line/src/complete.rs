//! What could follow of a word.

/// What all names that begin with a word have in common behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completion<'a> {
    /// There is no such name.
    None,
    /// One begins so: this is its rest.
    One(&'a str),
    /// Several begin so, and go on alike so far.
    Several(&'a str),
}

/// Looks for the names that begin with `word`.
pub fn complete<'a>(word: &str, names: impl Iterator<Item = &'a str>) -> Completion<'a> {
    names
        .filter_map(|name| name.strip_prefix(word))
        .fold(Completion::None, |found, rest| match found {
            Completion::None => Completion::One(rest),
            Completion::One(other) | Completion::Several(other) => {
                Completion::Several(common(other, rest))
            }
        })
}

/// The beginning of `one` that the other one has, too.
fn common<'a>(one: &'a str, other: &str) -> &'a str {
    let pairs = one.char_indices().zip(other.chars());
    let differs = pairs
        .filter(|((_, letter), with)| letter != with)
        .map(|((place, _), _)| place)
        .next();
    let end = differs.unwrap_or(one.len().min(other.len()));
    &one[..end]
}
