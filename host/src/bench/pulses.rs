//! Times that a program shows on a pin, as a logic analyser would read them: the pulses of a pin in
//! a simulator's waveform, and what a benchmark says that they are.

use std::io::BufRead;

use miette::{IntoDiagnostic, WrapErr, miette};
use serde::Deserialize;

use super::measure::Sample;

/// The pin that benchmarks set, and the module of the waveform that it is in.
const PIN: [&str; 2] = ["board", "gpio0"];

/// What a benchmark prints behind `@pulses`: what the next pulses of the pin were.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Series {
    /// Name of the case.
    pub case: String,
    /// Whether the case crosses two isolated processes.
    pub protected: bool,
    /// Bytes of payload that one operation moves.
    pub bytes: u64,
    /// Pulses with nothing in them, which come first: what setting and clearing the pin takes.
    pub empty: usize,
    /// Pulses with an operation in each, which come next and don't count.
    #[serde(default)]
    pub warm_up: usize,
    /// Pulses with an operation in each.
    pub operations: usize,
}

/// Lengths in cycles of the pin's pulses, in order, from a waveform whose unit is a cycle. The pin
/// begins low; a pulse that does not end is none.
///
/// # Errors
/// What is not well-formed, or a waveform without the pin.
pub fn read(waveform: impl BufRead) -> miette::Result<Vec<u64>> {
    let mut parser = vcd::Parser::new(waveform);
    let wrong = || "the waveform cannot be read";
    let header = parser
        .parse_header()
        .into_diagnostic()
        .wrap_err_with(wrong)?;
    let pin = header
        .find_var(&PIN)
        .ok_or_else(|| miette!("the waveform has no signal {}", PIN.join(".")))?
        .code;
    let (mut now, mut rise, mut lengths) = (0, None, Vec::new());
    for command in parser {
        match command.into_diagnostic().wrap_err_with(wrong)? {
            vcd::Command::Timestamp(time) => now = time,
            vcd::Command::ChangeScalar(code, vcd::Value::V1) if code == pin => rise = Some(now),
            vcd::Command::ChangeScalar(code, vcd::Value::V0) if code == pin => {
                lengths.extend(rise.take().map(|rise| now - rise));
            }
            _ => {}
        }
    }
    Ok(lengths)
}

/// The samples of all series, whose pulses follow each other in `lengths`. From each operation's
/// pulse the shortest empty one is subtracted: the first one has cold caches, the operations that count do not.
///
/// # Errors
/// If there are more or fewer pulses than were announced, or an operation takes no time.
pub fn samples(all: &[Series], lengths: &[u64]) -> miette::Result<Vec<Sample>> {
    let announced: usize = all.iter().map(Series::pulses).sum();
    if announced != lengths.len() {
        let found = lengths.len();
        return Err(miette!(
            "{announced} pulses are announced, but the pin has {found}"
        ));
    }
    let mut rest = lengths;
    all.iter()
        .map(|series| {
            let (own, behind) = rest.split_at(series.pulses());
            rest = behind;
            let (empty, own) = own.split_at(series.empty);
            series.sample(empty, &own[series.warm_up..])
        })
        .collect()
}

impl Series {
    fn pulses(&self) -> usize {
        self.empty + self.warm_up + self.operations
    }

    fn sample(&self, empty: &[u64], operations: &[u64]) -> miette::Result<Sample> {
        let pulse = empty.iter().copied().min().unwrap_or_default();
        let net = |length: &u64| length.checked_sub(pulse).filter(|it| *it > 0);
        let net: Option<Vec<u64>> = operations.iter().map(net).collect();
        let net = net.filter(|it| !it.is_empty()).ok_or_else(|| {
            let case = &self.case;
            miette!("case {case}: a pulse is no longer than an empty one, of {pulse} cycles")
        })?;
        let count = operations.len() as u64;
        Ok(Sample {
            case: self.case.clone(),
            protected: self.protected,
            iterations: count,
            operations: 1,
            ticks: operations.iter().sum(),
            loop_ticks: pulse * count,
            min_ticks: net.iter().copied().min(),
            counters: Vec::new(),
            max_ticks: net.iter().copied().max(),
            bytes: Some(self.bytes),
            method: Some(format!(
                "gpio: pulses of {} in the waveform, an empty one of {pulse} cycles subtracted",
                PIN[1]
            )),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As the simulator writes it, with other signals beside the pin.
    const WAVEFORM: &str = "\
$comment one unit is one cycle $end
$timescale 10 ns $end
$scope module board $end
$var wire 1 A gpio0 $end
$var wire 1 B gpio1 $end
$var reg 32 s satp [31:0] $end
$upscope $end
$enddefinitions $end
#0
$dumpvars
0A
0B
b00000000000000000000000000000000 s
$end
#100
1A
1B
#104
0A
#105
b10000000000000000000000000000000 s
#110
1A
#114
0A
0B
#200
1A
#530
0A
#600
1A
#931
0A
#940
1A
#999
";

    fn series(empty: usize, operations: usize) -> Series {
        Series {
            case: "send-reply-32B-gpio".into(),
            protected: true,
            bytes: 32,
            empty,
            warm_up: 0,
            operations,
        }
    }

    #[test]
    fn the_first_operations_only_warm_up() {
        let warm = Series {
            warm_up: 1,
            ..series(1, 1)
        };
        let samples = samples(&[warm], &[4, 90, 50]).unwrap();
        assert_eq!(
            (samples[0].min_ticks, samples[0].max_ticks),
            (Some(46), Some(46))
        );
    }

    #[test]
    fn no_operation_that_is_warm_is_made_shorter_by_an_empty_pulse_that_was_cold() {
        let samples = samples(&[series(2, 1)], &[30, 4, 330]).unwrap();
        assert_eq!(samples[0].min_ticks, Some(326));
    }

    #[test]
    fn the_pulses_of_the_pin_come_back_from_the_waveform() {
        assert_eq!(read(WAVEFORM.as_bytes()).unwrap(), [4, 4, 330, 331]);
    }

    #[test]
    fn an_empty_pulse_is_subtracted_from_each() {
        let samples = samples(&[series(2, 2)], &[4, 4, 330, 331]).unwrap();
        let sample = &samples[0];
        assert_eq!(
            (sample.iterations, sample.ticks, sample.loop_ticks),
            (2, 661, 8)
        );
        assert_eq!((sample.min_ticks, sample.max_ticks), (Some(326), Some(327)));
        assert!(sample.method.as_ref().unwrap().starts_with("gpio: "));
    }

    #[test]
    fn series_follow_each_other() {
        let samples = samples(&[series(1, 1), series(1, 2)], &[4, 50, 5, 60, 61]).unwrap();
        assert_eq!(samples[0].min_ticks, Some(46));
        assert_eq!(
            (samples[1].min_ticks, samples[1].max_ticks),
            (Some(55), Some(56))
        );
    }

    #[test]
    fn pulses_that_nobody_announced_are_an_error() {
        let error = samples(&[series(1, 1)], &[4, 50, 51])
            .unwrap_err()
            .to_string();
        assert_eq!(error, "2 pulses are announced, but the pin has 3");
    }

    #[test]
    fn an_operation_that_takes_no_time_is_an_error() {
        let error = samples(&[series(1, 2)], &[4, 50, 4])
            .unwrap_err()
            .to_string();
        assert!(error.contains("no longer than an empty one"), "{error}");
    }

    #[test]
    fn a_waveform_without_the_pin_or_cut_off_is_an_error() {
        let without = WAVEFORM.replace("gpio0", "gpio9");
        let error = read(without.as_bytes()).unwrap_err().to_string();
        assert_eq!(error, "the waveform has no signal board.gpio0");
        assert!(read(&WAVEFORM.as_bytes()[..120]).is_err());
    }
}
