//! What each thread of a test has counted, and whether the scheduler was fair to them.

use super::measure::{Measurement, Unit};
use super::reference::{Count, Publication, Reference};
use super::report::show;
use crate::board::Board;

/// Seconds of the window that the suite Thread-Metric has.
const WINDOW: f64 = 30.0;

/// A line for each test whose threads counted, and one for each that was published.
pub fn lines(board: &Board, measurements: &[Measurement], reference: &Reference) -> String {
    let counted = measurements
        .iter()
        .filter(|it| !it.sample.counters.is_empty());
    let mut text: String = counted.map(|it| line(board, it)).collect();
    let published = reference.count.iter().filter(|it| it.threads.len() > 1);
    for count in published {
        let system = count.system.as_deref().unwrap_or("published");
        let (case, seconds) = (&count.case, count.seconds);
        let threads = threads(&count.threads);
        text += &format!("counters, {case}, {system}, {seconds} s: {threads}\n");
    }
    text
}

fn line(board: &Board, measurement: &Measurement) -> String {
    let sample = &measurement.sample;
    let place = if sample.protected {
        "each thread in a process"
    } else {
        "one process"
    };
    let (case, count, counters) = (&sample.case, sample.iterations, threads(&sample.counters));
    let window = measurement.value * sample.iterations as f64;
    let unit = measurement.unit.name();
    let scaled = scaled(board, measurement);
    format!(
        "counters, {case}, {place}: {count} in {} {unit}{scaled}: {counters}\n",
        show(window.round())
    )
}

/// What the count would be in the suite's own window, where a cycle has a length.
fn scaled(board: &Board, measurement: &Measurement) -> String {
    if measurement.unit == Unit::Instructions {
        return String::new();
    }
    let hertz = board.clock.hertz as f64;
    let count = (hertz * WINDOW / measurement.value).round();
    let megahertz = show(hertz / 1e6);
    format!(", {} in {WINDOW} s at {megahertz} MHz", show(count))
}

/// The counters, and whether they differ by 1 at most.
fn threads(counters: &[u64]) -> String {
    let words: Vec<String> = counters.iter().map(u64::to_string).collect();
    let verdict = match counters {
        [] | [_] => "",
        _ if is_deterministic(counters) => ", deterministic",
        _ => ", not deterministic",
    };
    words.join(" ") + verdict
}

fn is_deterministic(counters: &[u64]) -> bool {
    let [least, most] = [counters.iter().min(), counters.iter().max()];
    least
        .zip(most)
        .is_none_or(|(least, most)| most - least <= 1)
}

/// A published count.
pub fn published(count: &Count, publication: &Publication) -> String {
    let system = count.system.as_deref().unwrap_or(&publication.system);
    format!("{} in {} s {system}", count.count, count.seconds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::report::tests::measurement;

    #[test]
    fn threads_whose_counters_differ_by_more_than_one_are_not_deterministic() {
        assert_eq!(threads(&[7, 8, 7]), "7 8 7, deterministic");
        assert_eq!(threads(&[7, 8, 9]), "7 8 9, not deterministic");
        assert_eq!(threads(&[7]), "7");
    }

    #[test]
    fn only_a_count_of_cycles_is_scaled_to_seconds() {
        let lab = crate::lab::Lab::open().unwrap();
        let mut counted = measurement("cooperative", false, 200.0);
        counted.sample.counters = vec![500, 500];
        let emulated = line(lab.board("mps2-an386").unwrap(), &counted);
        assert!(!emulated.contains(" s at "), "{emulated}");
        counted.unit = Unit::Cycles {
            memory: String::new(),
        };
        let simulated = line(lab.board("ibex").unwrap(), &counted);
        let words = "1000 in 200000 cycles, 15000000 in 30 s at 100 MHz: 500 500";
        assert!(simulated.contains(words), "{simulated}");
    }
}
