//! What a board says, beside what the model does.

use riposte_fuzz_model::compare::{self, Compared};
use riposte_fuzz_model::play;

const SEED: u32 = 7;

/// What a board says of its first rounds, if it does what the model does.
fn rounds(count: u32) -> Vec<String> {
    let line = |round| {
        let played = play(SEED, round);
        format!(
            "@round {round} 0 {:x} {}",
            played.hash,
            played.records.len()
        )
    };
    (0..count).map(line).collect()
}

/// What a board says of the calls of a round, if it does what the model does.
fn calls(round: u32) -> Vec<String> {
    let records = play(SEED, round).records.into_iter();
    records.map(|it| format!("@record {it:x?}")).collect()
}

#[test]
fn a_board_that_does_what_the_model_does_agrees_in_every_call() {
    let calls = (0..3).map(|round| play(SEED, round).records.len() as u64);
    let expected = Compared {
        calls: calls.sum(),
        differs: None,
    };
    assert_eq!(compare::rounds(SEED, rounds(3).into_iter()), expected);
}

#[test]
fn a_round_of_other_results_fewer_calls_or_no_sense_differs() {
    let wrong = [
        |line: &str| line.replace(" 0 ", " 0 1"),
        |line: &str| line[..line.len() - 1].into(),
        |line: &str| line.replace("@round", "@rund"),
    ];
    for wrong in wrong {
        let mut lines = rounds(3);
        lines[1] = wrong(&lines[1]);
        let compared = compare::rounds(SEED, lines.into_iter());
        assert_eq!(compared.differs, Some(1));
        assert_eq!(compared.calls, play(SEED, 0).records.len() as u64);
    }
}

#[test]
fn the_first_call_that_differs_is_shown_on_both_sides() {
    let said = compare::difference(SEED, 2, calls(2).into_iter());
    assert!(said.contains("on the second time they agree"), "{said}");
    let mut other = calls(2);
    other[20] = other[21].clone();
    let said = compare::difference(SEED, 2, other.into_iter());
    let lines: Vec<&str> = said.lines().collect();
    let differs = "    20  the model: ";
    let index = lines.iter().position(|line| line.starts_with(differs));
    let board = lines[index.expect("the call that differs") + 2];
    assert!(board.starts_with("        the board: "), "{said}");
}

#[test]
fn a_board_that_stops_early_waits() {
    let mut early = calls(2);
    early.truncate(20);
    let said = compare::difference(SEED, 2, early.into_iter());
    assert!(said.contains("the board: all wait"), "{said}");
}
