//! What a pin shows agrees with what a counter counts.

use miette::miette;

use super::{Depth, Tally};
use crate::bench::measure::Measurement;
use crate::board::Board;
use crate::lab::Lab;
use crate::workers;
use crate::{bench, explain};

/// What the name of a case that was measured by a pin has behind that of the same by the counter.
const BY_PIN: &str = "-gpio";
/// The suite that measures in both ways.
const SUITE: &str = "rexis";
/// Its application that measures by the pin; it names the boards on which the two are comparable.
const PIN: &str = "bench/rexis/gpio";
/// The two are different programs: where the operation begins and where it ends, the core may fetch an instruction
/// across the border of a word, which takes a cycle more, in one of them only.
const ALIGNMENT: f64 = 2.0;

/// Compares what the suite measures on each board that measures by the pin, of which some is `measured`
/// already. Both methods subtract what they take themselves: the counter two readings with nothing in between, the
/// pin an empty pulse. The core does the operation between in the same cycles, so that nothing is left to differ but
/// [`ALIGNMENT`].
pub fn agrees(
    lab: &Lab,
    depth: Depth,
    measured: &[Measurement],
    tally: &mut Tally,
) -> miette::Result<()> {
    if depth == Depth::Quick {
        return Ok(());
    }
    let pin = lab.application(PIN)?;
    let mut boards = bench::boards(lab, SUITE)?;
    boards.retain(|board| pin.boards.iter().any(|name| name.value == board.name));
    tally.count(
        &format!("suite {SUITE} is measured by a pin"),
        if boards.is_empty() {
            Err(format!("{PIN}/app.toml names no board of the suite"))
        } else {
            Ok(())
        },
    );
    workers::in_order(
        &boards,
        |board| compare(lab, board, measured).map_err(|report| explain::text(&report)),
        |board, verdict| {
            let name = format!("suite {SUITE} on {}, pin and counter agree", board.name);
            tally.count(&name, verdict);
        },
    );
    Ok(())
}

fn compare(lab: &Lab, board: &Board, measured: &[Measurement]) -> miette::Result<()> {
    let here = |it: &&Measurement| it.suite == SUITE && it.board == board.name;
    let mut all: Vec<Measurement> = measured.iter().filter(here).cloned().collect();
    if all.is_empty() {
        all = bench::measure_quietly(lab, SUITE, board)?;
    }
    disagreement(&all).map_or(Ok(()), Err)
}

fn disagreement(all: &[Measurement]) -> Option<miette::Report> {
    let figures = |it: &Measurement| (it.value, it.min, it.max);
    let spread = |it: &Measurement| Some((it.max? - it.min?, it.value - it.min? as f64));
    let agree = |pin: &Measurement, counter: &Measurement| {
        spread(pin) == spread(counter) && (pin.value - counter.value).abs() <= ALIGNMENT
    };
    let mut compared = 0;
    for pin in all {
        let Some(case) = pin.sample.case.strip_suffix(BY_PIN) else {
            continue;
        };
        let Some(counter) = all.iter().find(|it| it.sample.case == case) else {
            return Some(miette!("{case} was measured by the pin only"));
        };
        if !agree(pin, counter) {
            let (pin, counter) = (figures(pin), figures(counter));
            return Some(miette!(
                "{case}: {pin:?} by the pin, {counter:?} by the counter"
            ));
        }
        compared += 1;
    }
    (compared == 0).then(|| miette!("nothing was measured by the pin"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::measurement;

    #[test]
    fn more_difference_than_that_of_two_fetches_is_found() {
        let counter = measurement("send", true, 800.0);
        let pin = |value| measurement("send-gpio", true, value);
        for agrees in [798.0, 800.0, 802.0] {
            assert!(disagreement(&[counter.clone(), pin(agrees)]).is_none());
        }
        let error = disagreement(&[counter.clone(), pin(803.0)]).unwrap();
        assert!(error.to_string().starts_with("send: (803.0"), "{error}");
        let nothing = disagreement(&[counter]).unwrap().to_string();
        assert_eq!(nothing, "nothing was measured by the pin");
    }
}
