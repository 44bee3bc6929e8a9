//! Stretches on a cycle-accurate simulator: the cycles from one look for interrupts to the next.
//!
//! The simulator says in which cycle each of a few instructions retires: those at which traps enter, those that
//! look, and those with which a thread goes on.

use std::collections::HashMap;
use std::path::Path;

use miette::{IntoDiagnostic, WrapErr, miette};

use super::{Code, SHOWN, Stretch};
use crate::board::Board;
use crate::build::Image;
use crate::machine::{self, End, Engine, Machine, Next, Pace};
use crate::symbols::Symbols;

/// Where the simulator writes.
const LOG: &str = "looks.log";

/// Entries of a vector table.
const VECTORS: u32 = 32;

/// What an instruction is to a stretch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A trap enters: a stretch begins.
    Entry,
    /// A look: one ends, and another one begins.
    Look,
    /// A thread goes on: it ends.
    Exit,
}

/// As [`super::longest`], in cycles.
pub fn longest(root: &Path, board: &Board, image: &Image) -> miette::Result<Vec<Stretch>> {
    let kernel = &image.kernel.file;
    let code = Code::read(kernel, board.arch)?;
    let points = points(&code, board.traps.vectored);
    let log = image.place(LOG);
    let engine = Engine::new(root, board, &image.file, Pace::Run)?;
    let engine = engine.with_probes(points.keys().copied(), &log);
    match machine::run(&Machine::unattended(engine), |_| Next::Continue)? {
        End::Exit(0) => {}
        end => return Err(miette!("it did not come to its end: {end:?}")),
    }
    let text = std::fs::read_to_string(&log)
        .into_diagnostic()
        .wrap_err_with(|| format!("cannot read {}", log.display()))?;
    let symbols = Symbols::read(kernel, root)?;
    let name = |address| {
        let place = symbols.places(address).into_iter().next_back();
        place.map_or_else(String::new, |place| place.function)
    };
    let stretches = measured(&points, text.lines());
    let described = stretches.into_iter().map(|((from, to), cycles)| Stretch {
        length: cycles as usize,
        within: vec![(
            format!("from {} to {}", name(from), name(to)),
            cycles as usize,
        )],
    });
    let mut all: Vec<_> = described.collect();
    all.sort_by_key(|stretch| std::cmp::Reverse(stretch.length));
    all.truncate(SHOWN);
    Ok(all)
}

/// The instructions that the simulator is to tell of.
fn points(code: &Code, vectored: bool) -> HashMap<u32, Kind> {
    let mut points = HashMap::new();
    let halves = (0..code.halves.len() as u32).map(|index| code.base + index * 2);
    for address in halves {
        if code.is_look(address) {
            points.insert(address, Kind::Look);
        } else if code.is_return(address) {
            points.insert(address, Kind::Exit);
        }
    }
    for &entry in &code.entries {
        let vectors = if vectored { VECTORS } else { 1 };
        points.extend((0..vectors).map(|vector| (entry + vector * 4, Kind::Entry)));
    }
    points
}

/// The most cycles from each instruction to each other one, by the simulator's lines.
fn measured<'a>(
    points: &HashMap<u32, Kind>,
    lines: impl Iterator<Item = &'a str>,
) -> HashMap<(u32, u32), u64> {
    let mut longest = HashMap::new();
    let mut begun: Option<(u64, u32)> = None;
    for (cycle, address) in lines.filter_map(probed) {
        let Some(kind) = points.get(&address) else {
            continue;
        };
        // An entry that follows no exit is no instruction of the way in, but the table's that lies there.
        if *kind == Kind::Entry && begun.is_some() {
            continue;
        }
        if let Some((since, from)) = begun {
            let cycles = longest.entry((from, address)).or_default();
            *cycles = (cycle - since).max(*cycles);
        }
        begun = (*kind != Kind::Exit).then_some((cycle, address));
    }
    longest
}

/// The cycle and the address that a line tells of.
fn probed(line: &str) -> Option<(u64, u32)> {
    let mut words = line.strip_prefix("probe ")?.split(' ');
    let cycle = words.next()?.parse().ok()?;
    let address = u32::from_str_radix(words.next()?.strip_prefix("at_")?, 16).ok()?;
    Some((cycle, address))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stretch_goes_from_an_entry_or_a_look_to_a_look_or_an_exit() {
        let points = [
            (0x10, Kind::Entry),
            (0x14, Kind::Entry),
            (0x20, Kind::Look),
            (0x30, Kind::Exit),
        ];
        let log = "probe 5 at_10 satp=0x00000000\n\
                   probe 6 at_14 satp=0x00000000\n\
                   report 7 0x0000002a\n\
                   probe 15 at_20 satp=0x00000000\n\
                   probe 22 at_20 satp=0x00000000\n\
                   probe 23 at_20 satp=0x00000000\n\
                   probe 30 at_30 satp=0x00000000\n\
                   probe 90 at_14 satp=0x00000000\n\
                   probe 93 at_30 satp=0x00000000\n";
        let mut found: Vec<_> = measured(&points.into(), log.lines()).into_iter().collect();
        found.sort();
        let expected = [
            ((0x10, 0x20), 10),
            ((0x14, 0x30), 3),
            ((0x20, 0x20), 7),
            ((0x20, 0x30), 7),
        ];
        assert_eq!(found, expected);
    }
}
