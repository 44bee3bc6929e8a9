//! What was meant by a word that is none of those that there are.

/// Bytes of the longest word that is looked at.
const LONGEST: usize = 24;

/// The name that is nearest to `word`: with the fewest letters to put in, take out, change, or change with their
/// neighbour, two at most, and less than it has.
pub fn nearest<'a>(word: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    names
        .filter_map(|name| Some((distance(word.as_bytes(), name.as_bytes())?, name)))
        .filter(|(distance, name)| *distance <= 2 && *distance < name.len())
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// How many letters make one of the other; `None` if one is very long.
fn distance(one: &[u8], other: &[u8]) -> Option<usize> {
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
