//! Rounds on the model alone.

use riposte_fuzz_model::play;

#[test]
fn every_round_comes_to_an_end_and_makes_calls() {
    let mut calls = 0;
    for round in 0..300 {
        calls += play(7, round).records.len();
    }
    assert!(calls > 20_000, "{calls} calls");
}
