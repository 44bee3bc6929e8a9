//! What a board says of its rounds and calls, compared with the model.

use riposte_fuzz_script::record::WORDS;

use crate::{Played, call_of, describe, describe_record, play};

/// Calls that are shown before the one that differs.
const BEFORE: usize = 12;
/// What the board says after it.
const AFTER: usize = 8;

/// What a comparison of rounds came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Compared {
    /// Calls of the rounds that agree.
    pub calls: u64,
    /// The first round that does not.
    pub differs: Option<u32>,
}

/// What a board says of a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Round {
    hash: u32,
    calls: u32,
}

/// Compares the rounds of a boot whose first seed is `first`, in order, until one differs. Each of `lines` is what
/// the board says of one: `@round`, its number, its seed, its hash and its calls.
#[must_use]
pub fn rounds(first: u32, lines: impl Iterator<Item = String>) -> Compared {
    let mut calls = 0;
    for (round, line) in (0..).zip(lines) {
        let played = play(first, round);
        let expected = Round {
            hash: played.hash,
            calls: played.records.len() as u32,
        };
        if parse_round(&line) != Some(expected) {
            return Compared {
                calls,
                differs: Some(round),
            };
        }
        calls += u64::from(expected.calls);
    }
    Compared {
        calls,
        differs: None,
    }
}

fn parse_round(line: &str) -> Option<Round> {
    let mut words = line.strip_prefix("@round ")?.split(' ').skip(2);
    let hash = u32::from_str_radix(words.next()?, 16).ok()?;
    let calls = words.next()?.parse().ok()?;
    Some(Round { hash, calls })
}

/// Where the calls of a round differ. Each of `lines` is what the board says of one: `@record`, and its words.
#[must_use]
pub fn difference(first: u32, round: u32, lines: impl Iterator<Item = String>) -> String {
    let records: Vec<_> = lines.map(|line| parse_record(&line)).collect();
    first_difference(&play(first, round), &records)
}

fn parse_record(line: &str) -> Vec<u32> {
    let words = line.trim_start_matches("@record ");
    let words = words.trim_matches(['[', ']']).split(", ");
    words
        .filter_map(|word| u32::from_str_radix(word, 16).ok())
        .collect()
}

/// The calls up to the first that differs.
fn first_difference(played: &Played, records: &[Vec<u32>]) -> String {
    let same = played
        .records
        .iter()
        .zip(records)
        .take_while(|(model, board)| model[..] == board[..])
        .count();
    let mut lines = Vec::new();
    for index in same.saturating_sub(BEFORE)..same {
        let call = describe(&played.steps[index], &played.records[index]);
        lines.push(format!("  {index:4}  {call}"));
    }
    match (played.records.get(same), records.get(same)) {
        (None, None) => lines.push("on the second time they agree: time told them apart".into()),
        (model, board) => {
            if let Some(record) = model {
                let call = describe(&played.steps[same], record);
                lines.push(format!("  {same:4}  the model: {call}"));
            } else {
                lines.push(format!("  {same:4}  the model: all wait"));
            }
            match board {
                Some(record) => lines.push(format!("        the board: {}", said(record))),
                None => lines.push("        the board: all wait".into()),
            }
            let more = records.iter().skip(same + 1).take(AFTER);
            lines.extend(more.map(|record| format!("              then: {}", said(record))));
        }
    }
    let waiting = if played.records.len() == same {
        &played.waiting[..]
    } else {
        &[]
    };
    for (thread, step) in waiting {
        lines.push(format!(
            "        at the end of the model's, thread {thread} waits in {}",
            call_of(step)
        ));
    }
    lines.join("\n")
}

fn said(record: &[u32]) -> String {
    match <&[u32; WORDS]>::try_from(record) {
        Ok(record) => describe_record(record),
        Err(_) => format!("{record:x?}"),
    }
}
