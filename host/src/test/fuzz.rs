//! Random programs on the shipped kernel and on the naive model.

use super::{Depth, Tally};
use crate::board::Board;
use crate::explain;
use crate::fuzz::{Fuzzer, Rounds, Verdict};
use crate::lab::Lab;
use crate::workers;

/// One for each processor family and kind of memory protection.
const BOARDS: [&str; 3] = ["mps2-an386", "virt-rv32", "virt-rv32-mmu"];
/// Rounds of a boot: some 150 calls each.
const ROUNDS: u32 = 300;
/// Boots of a board, and rounds of each, where everything is to be tested: ten million calls, and more.
const FULL: (u32, u32) = (26, 4_500);
/// How far the seeds of two boots lie apart.
const APART: u32 = 1_000_000;

/// Compares the calls of all boots, and says how many they were.
///
/// # Errors
/// If the application cannot be read, or the model does not build.
pub fn calls(lab: &Lab, depth: Depth, tally: &mut Tally) -> miette::Result<()> {
    let fuzzer = Fuzzer::new(lab)?;
    let boots = boots(depth, fuzzer.found()?);
    let rounds = boots.iter().map(|it| u64::from(it.count)).sum();
    let boards = match depth {
        Depth::Quick => &BOARDS[..1],
        _ => &BOARDS[..],
    };
    let boards = boards.iter().map(|name| lab.board(name));
    let boards = boards.collect::<miette::Result<Vec<&Board>>>()?;
    workers::in_order(
        &boards,
        |board| {
            let mut compared = 0;
            for rounds in &boots {
                match fuzzer.compare(board, *rounds) {
                    Ok(Ok(calls)) => compared += calls,
                    Ok(verdict) => return verdict,
                    Err(report) => return Err(explain::text(&report)),
                }
            }
            Ok(compared)
        },
        |board, verdict: Verdict| match verdict {
            Ok(calls) => tally.count_of(
                &format!(
                    "fuzzer on {}: {calls} calls, each as the model says",
                    board.name
                ),
                &[("calls", calls), ("rounds", rounds)],
                Ok(()),
            ),
            Err(why) => {
                let none = [("calls", 0), ("rounds", 0)];
                tally.count_of(&format!("fuzzer on {}", board.name), &none, Err(why));
            }
        },
    );
    Ok(())
}

/// What is played: what was found once, unless it comes anyway, and then what is new.
fn boots(depth: Depth, mut played: Vec<Rounds>) -> Vec<Rounds> {
    let (boots, count) = match depth {
        Depth::Quick => (0, 0),
        Depth::Normal => (1, ROUNDS),
        Depth::Full => FULL,
    };
    let new = (1..=boots).map(|boot| Rounds {
        seed: boot * APART,
        count,
    });
    let new: Vec<Rounds> = new.collect();
    played.retain(|found| {
        let mut new = new.iter();
        !new.any(|new| (new.seed..new.seed + new.count).contains(&found.seed))
    });
    played.extend(new);
    played
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_boots_play_the_same_rounds() {
        let lab = Lab::open().unwrap();
        let found = Fuzzer::new(&lab).unwrap().found().unwrap();
        assert!(!found.is_empty());
        for depth in [Depth::Quick, Depth::Normal, Depth::Full] {
            let mut boots = boots(depth, found.clone());
            boots.sort_by_key(|rounds| rounds.seed);
            for pair in boots.windows(2) {
                assert!(pair[0].seed + pair[0].count <= pair[1].seed, "{pair:?}");
            }
            let is_played = |seed| {
                boots
                    .iter()
                    .any(|it| (it.seed..it.seed + it.count).contains(&seed))
            };
            assert!(found.iter().all(|it| is_played(it.seed)));
        }
    }
}
