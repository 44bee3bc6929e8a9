//! A figure that is not what it was.

use std::collections::BTreeMap;

use crate::report::short;
use crate::results::Key;

/// A figure before and after.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// Which.
    pub key: Key,
    /// What it was.
    pub before: f64,
    /// What it is.
    pub after: f64,
}

impl Change {
    /// By how much it rose, in percent of what it was. From nothing to something is without end.
    #[must_use]
    pub fn percent(&self) -> f64 {
        match self.before {
            0.0 => f64::INFINITY,
            before => 100.0 * (self.after - before) / before,
        }
    }

    /// The row of a table.
    #[must_use]
    pub fn row(&self) -> Vec<String> {
        let unit = &self.key.metric;
        vec![
            self.key.to_string(),
            short(self.before),
            format!("{} {unit}", short(self.after)),
            format!("{:+.1} %", self.percent()),
        ]
    }
}

/// All figures that both have and that are not the same, those first that changed most; and how many are the same.
#[must_use]
pub fn changes(before: &BTreeMap<Key, f64>, after: &BTreeMap<Key, f64>) -> (Vec<Change>, usize) {
    let mut changes = vec![];
    let mut same = 0;
    for (key, &old) in before {
        match after.get(key) {
            Some(&new) if new == old => same += 1,
            Some(&new) => changes.push(Change {
                key: key.clone(),
                before: old,
                after: new,
            }),
            None => {}
        }
    }
    changes.sort_by(|a, b| b.percent().abs().total_cmp(&a.percent().abs()));
    (changes, same)
}
