//! What was meant by a word that is none of those that there are.

/// Bytes of the longest word that is looked at.
const LONGEST: usize = 24;

/// The name that is nearest to `word`, of those that may be meant: the first one at the least [`distance`].
pub fn nearest<'a>(word: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    names
        .filter_map(|name| Some((distance(word, name)?, name)))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// How many letters there are to put in, take out, change, or change with their neighbour, if `name` may be meant by
/// `word`: two at most, and less than it has.
#[must_use]
pub fn distance(word: &str, name: &str) -> Option<usize> {
    let letters = letters(word.as_bytes(), name.as_bytes())?;
    (letters <= 2 && letters < name.len()).then_some(letters)
}

/// How many letters make one of the other; `None` if one is very long.
fn letters(one: &[u8], other: &[u8]) -> Option<usize> {
    if one.len() > LONGEST || other.len() > LONGEST {
        return None;
    }
    let mut before_last = [0; LONGEST + 1];
    let mut last: [usize; LONGEST + 1] = core::array::from_fn(|place| place);
    for (row, letter) in one.iter().enumerate() {
        let mut this = [row + 1; LONGEST + 1];
        for (column, with) in other.iter().enumerate() {
            let changed = last[column] + usize::from(letter != with);
            this[column + 1] = changed.min(last[column + 1] + 1).min(this[column] + 1);
            let exchanged =
                row > 0 && column > 0 && one[row - 1] == *with && other[column - 1] == *letter;
            if exchanged {
                this[column + 1] = this[column + 1].min(before_last[column - 1] + 1);
            }
        }
        (before_last, last) = (last, this);
    }
    Some(last[other.len()])
}
