//! Calls, each cut into the stretches in which nothing but one mode ran.

use miette::miette;

use super::log::{Entry, Privilege};

/// The upper halves of the words with which a program marks a call; the lower half counts calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Marks {
    /// Before it.
    pub begin: u16,
    /// After it.
    pub end: u16,
}

/// A part of a call in one mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// Its first cycle.
    pub begin: u64,
    /// The first cycle after it.
    pub end: u64,
    /// Its privilege.
    pub privilege: Privilege,
    /// satp in it.
    pub space: u32,
    /// Its first instruction; none where the call begins within.
    pub entered: Option<u32>,
    /// Its last instruction that retired; none where the call ends within.
    pub left: Option<u32>,
}

impl Stretch {
    /// How long it took.
    #[must_use]
    pub fn cycles(&self) -> u64 {
        self.end - self.begin
    }
}

/// A call, from the store of its first mark to that of its second.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// Which one: the lower half of its marks.
    pub number: u16,
    /// What it consists of, without a gap.
    pub stretches: Vec<Stretch>,
    /// The words that were stored in REPORT from its first mark to its last, and when.
    pub reports: Vec<Report>,
}

/// A word that a program stored in REPORT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Report {
    /// When.
    pub cycle: u64,
    /// The word.
    pub value: u32,
}

impl Call {
    /// How long it took.
    #[must_use]
    pub fn cycles(&self) -> u64 {
        self.stretches.iter().map(Stretch::cycles).sum()
    }
}

/// The calls between marks; other reports are somebody else's.
///
/// # Errors
/// A mark without its partner, or a call before the log knows any mode.
pub fn calls(entries: &[Entry], marks: Marks) -> miette::Result<Vec<Call>> {
    let mut open: Option<Call> = None;
    let mut mode: Option<Stretch> = None;
    let mut calls = Vec::new();
    for entry in entries {
        match *entry {
            Entry::Mode { .. } => {
                let next = stretch(entry);
                if let (Some(before), Some(call)) = (mode, &mut open) {
                    call.stretches.push(ended(before, entry));
                }
                mode = next;
            }
            Entry::Report { cycle, value } => {
                let [mark, number] = halves(value);
                if let Some(call) = &mut open {
                    call.reports.push(Report { cycle, value });
                }
                if mark == marks.begin {
                    let before = mode.ok_or_else(|| miette!("a call begins in no mode"))?;
                    if let Some(call) = open {
                        return Err(miette!("call {} does not end", call.number));
                    }
                    mode = Some(Stretch {
                        begin: cycle,
                        entered: None,
                        ..before
                    });
                    open = Some(Call {
                        number,
                        stretches: Vec::new(),
                        reports: vec![Report { cycle, value }],
                    });
                } else if mark == marks.end {
                    let call = open.take().filter(|call| call.number == number);
                    let mut call =
                        call.ok_or_else(|| miette!("call {number} ends, but never began"))?;
                    call.stretches
                        .extend(mode.map(|it| Stretch { end: cycle, ..it }));
                    calls.push(call);
                }
            }
        }
    }
    match open {
        Some(call) => Err(miette!("call {} does not end", call.number)),
        None => Ok(calls),
    }
}

/// The mode that begins with `entry`.
fn stretch(entry: &Entry) -> Option<Stretch> {
    match *entry {
        Entry::Mode {
            cycle,
            privilege,
            space,
            to,
            ..
        } => Some(Stretch {
            begin: cycle,
            end: cycle,
            privilege,
            space,
            entered: Some(to),
            left: None,
        }),
        Entry::Report { .. } => None,
    }
}

/// `stretch`, which ends where the mode of `entry` begins.
fn ended(stretch: Stretch, entry: &Entry) -> Stretch {
    match *entry {
        Entry::Mode { cycle, from, .. } => Stretch {
            end: cycle,
            left: Some(from),
            ..stretch
        },
        Entry::Report { .. } => stretch,
    }
}

fn halves(value: u32) -> [u16; 2] {
    [(value >> 16) as u16, value as u16]
}

/// The call that stands for all: the earliest one that took the median.
#[must_use]
pub fn typical(calls: &[Call]) -> Option<&Call> {
    let mut by_length: Vec<&Call> = calls.iter().collect();
    by_length.sort_by_key(|call| call.cycles());
    let median = by_length.get(calls.len() / 2)?.cycles();
    calls.iter().find(|call| call.cycles() == median)
}

#[cfg(test)]
mod tests {
    use super::super::log::read;
    use super::super::tests::{LOG, MARKS, recorded};
    use super::*;

    #[test]
    fn a_call_is_cut_at_each_change_of_mode_without_a_gap() {
        let calls = recorded();
        assert_eq!(calls.iter().map(|it| it.number).collect::<Vec<_>>(), [0, 1]);
        let first = &calls[0];
        assert_eq!(first.cycles(), 300);
        let cycles: Vec<u64> = first.stretches.iter().map(Stretch::cycles).collect();
        assert_eq!(cycles, [20, 80, 20, 40, 90, 20, 30]);
        for pair in first.stretches.windows(2) {
            assert_eq!(pair[0].end, pair[1].begin);
        }
        let server = first.stretches[3];
        assert_eq!(
            (server.privilege, server.space),
            (Privilege::User, 0x8000_0002)
        );
        assert_eq!(
            (server.entered, server.left),
            (Some(0x10800), Some(0x10820))
        );
    }

    #[test]
    fn where_a_call_begins_and_ends_within_a_mode_nothing_was_entered_or_left() {
        let stretches = &recorded()[0].stretches;
        assert_eq!((stretches[0].begin, stretches[0].entered), (100, None));
        let last = stretches.last().unwrap();
        assert_eq!((last.end, last.left), (400, None));
    }

    #[test]
    fn a_mark_without_its_partner_is_an_error() {
        let entries = read(LOG.as_bytes()).unwrap();
        let without = |value: u32| -> Vec<Entry> {
            let kept = entries.iter().copied();
            kept.filter(|it| !matches!(it, Entry::Report { value: it, .. } if *it == value))
                .collect()
        };
        for (value, complaint) in [
            (0x2222_0000, "call 0 does not end"),
            (0x2222_0001, "call 1 does not end"),
            (0x1111_0001, "call 1 ends, but never began"),
        ] {
            let error = calls(&without(value), MARKS).unwrap_err().to_string();
            assert_eq!(error, complaint);
        }
    }

    #[test]
    fn the_typical_call_is_the_first_that_took_the_median() {
        let mut many = vec![recorded()[0].clone()];
        for number in 1..4 {
            many.push(Call {
                number,
                ..recorded()[1].clone()
            });
        }
        assert_eq!(typical(&many).unwrap().number, 1);
        assert_eq!(typical(&[]), None);
    }
}
