//! Compares what a board says with the model, for `./riposte fuzz`, which starts it.
//!
//! * `riposte-fuzz-model rounds SEED` reads the lines in which a board says its rounds, until one differs or they
//!   end; it prints how many calls agree, and behind that which round differs, if one does
//! * `riposte-fuzz-model calls SEED ROUND` reads the lines in which a board says the calls of a round, and prints
//!   where they differ
//! * `riposte-fuzz-model found` prints the seeds of boots that once showed a fault, each with the number of its rounds
#![forbid(unsafe_code)]

use std::process::ExitCode;

use riposte_fuzz_model::compare;

/// Seeds of boots that once showed a fault, and their rounds: see `found.md`.
const FOUND: &[(u32, u32)] = &include!("../../found.in");

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let Some(answer) = obey(&arguments) else {
        eprintln!("usage: riposte-fuzz-model rounds SEED | calls SEED ROUND | found");
        return ExitCode::FAILURE;
    };
    println!("{answer}");
    ExitCode::SUCCESS
}

/// What the command is answered with; `None` if it is none.
fn obey(arguments: &[&str]) -> Option<String> {
    let lines = std::io::stdin().lines().map_while(Result::ok);
    match *arguments {
        ["rounds", seed] => {
            let compared = compare::rounds(seed.parse().ok()?, lines);
            let differs = compared.differs.map(|round| format!(" {round}"));
            Some(format!("{}{}", compared.calls, differs.unwrap_or_default()))
        }
        ["calls", seed, round] => {
            let (seed, round) = (seed.parse().ok()?, round.parse().ok()?);
            Some(compare::difference(seed, round, lines))
        }
        ["found"] => {
            let lines = FOUND.iter().map(|(seed, count)| format!("{seed} {count}"));
            Some(lines.collect::<Vec<_>>().join("\n"))
        }
        _ => None,
    }
}
