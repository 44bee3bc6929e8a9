//! From timer ticks to instructions, or to cycles.

use crate::board::{Board, Clock};
use crate::machine::Pace;

/// What `ticks` of the timer are on `board` when it measures at this pace: instructions on an
/// emulator; on a simulator a tick is a cycle.
#[must_use]
pub fn figure(board: &Board, pace: Pace, ticks: u64) -> u64 {
    match board.simulator() {
        Some(_) => ticks,
        None => instructions(&board.clock, pace.shift(&board.clock), ticks),
    }
}

/// Instructions between two ticks of the timer, if there is more than one: fewer do not show.
#[must_use]
pub fn grain(board: &Board, pace: Pace) -> Option<u64> {
    Some(figure(board, pace, 1)).filter(|instructions| *instructions > 1)
}

/// Instructions that take `ticks` at 2^`shift` virtual nanoseconds each. A tick more or less, as
/// the timer's grid has it, does not change the result while an instruction takes two ticks.
fn instructions(clock: &Clock, shift: u32, ticks: u64) -> u64 {
    let nanoseconds = u128::from(ticks) * 1_000_000_000;
    let instruction = u128::from(clock.hertz) << shift;
    u64::try_from((nanoseconds + instruction / 2) / instruction).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLOCK: Clock = Clock {
        counters: true,
        hertz: 25_000_000,
        run_shift: 0,
        bench_shift: 10,
        event: 1,
    };

    #[test]
    fn a_thousand_and_twenty_four_nanoseconds_are_one_instruction() {
        assert_eq!(instructions(&CLOCK, 10, 128), 5);
        assert_eq!(instructions(&CLOCK, 0, 1), 40);
    }

    #[test]
    fn a_timer_that_is_coarser_than_an_instruction_is_noticed() {
        let lab = crate::lab::Lab::open().unwrap();
        let grain = |name, pace| grain(lab.board(name).unwrap(), pace);
        assert_eq!(grain("mps2-an386", Pace::Clock), Some(40));
        assert_eq!(grain("mps2-an386", Pace::Bench), None);
        for name in ["virt-rv32", "ibex"] {
            assert_eq!(grain(name, Pace::Clock), None);
        }
    }

    #[test]
    fn every_count_of_instructions_comes_back_whatever_the_phase_of_the_timer() {
        for count in 0..5000_u64 {
            for phase in [0, 13, 39] {
                let ticks = (count * 1024 + phase) / 40 - phase / 40;
                assert_eq!(instructions(&CLOCK, 10, ticks), count);
                assert_eq!(instructions(&CLOCK, 10, ticks + 1), count);
            }
        }
    }
}
