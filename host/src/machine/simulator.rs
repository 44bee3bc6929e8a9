//! The simulators of `sim/`: how one is built, and what one says besides its console.

use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{ChildStderr, Command};
use std::thread::JoinHandle;

use miette::{IntoDiagnostic, WrapErr, miette};

use super::memory::{Memory, Whole};
use super::ring::Reader;
use super::{Contents, End, Kept, Standing, Tables, space};
use crate::board::Core;
use crate::child;
use crate::interrupt;
use crate::plan::Region;
use crate::progress::Step;

/// Exit codes of a simulator itself, if it says why; else they are the program's.
const REFUSED: i32 = 64;
const STOPPED: i32 = 124;

/// Where its RAM begins.
const RAM: u32 = 0x8000_0000;

/// How each line begins that a simulator says of itself.
const PREFIX: &str = "riposte-";

/// The program that simulates `core`. It is built if there is none of these sources yet.
///
/// # Errors
/// What `sim/build` misses or cannot do, in its own line.
pub(super) fn program(root: &Path, core: Core) -> miette::Result<PathBuf> {
    let _step = Step::begin(format!(
        "building the simulator of {} (once, about half a minute)",
        core.name()
    ));
    let mut command = Command::new(root.join("sim/build"));
    command
        .arg(core.name())
        .env("CARGO_TARGET_DIR", root.join("target"));
    let output = child::output(&mut command)
        .into_diagnostic()
        .wrap_err("sim/build does not run")?;
    interrupt::check()?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).trim().into());
    }
    let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    let last = said.lines().last().unwrap_or_default().to_owned();
    Err(miette!(
        help = "`./riposte doctor` says what is missing and how to get it",
        "there is no simulator of {}: {last}",
        core.name()
    ))
}

/// The files in which a simulator leaves its RAM and its registers.
pub(super) struct Saved {
    memory: PathBuf,
    registers: PathBuf,
}

impl Saved {
    /// In files that are named after what is in them.
    pub(super) fn at(file: impl Fn(&str) -> PathBuf) -> Saved {
        Saved {
            memory: file("memory"),
            registers: file("registers"),
        }
    }

    pub(super) fn arguments(&self) -> [OsString; 4] {
        let [memory, registers] = [&self.memory, &self.registers].map(|it| it.clone().into());
        ["--memory".into(), memory, "--registers".into(), registers]
    }

    /// Its RAM, if the simulator has ended.
    fn memory(&self) -> Option<Whole> {
        let bytes = std::fs::read(&self.memory).ok()?;
        Some(Whole { base: RAM, bytes })
    }

    /// Has a trace read to its end, if the simulator has ended.
    pub(super) fn read_trace(&self, trace: &Reader) -> Option<()> {
        trace.read_to_end(&mut self.memory()?)
    }

    /// What the kernel's tables hold, if the simulator has ended.
    pub(super) fn look(&self, tables: &Tables) -> Option<Contents> {
        Some(tables.look(&mut self.memory()?))
    }

    /// What is kept of it, if there is something to keep and the simulator has ended.
    pub(super) fn keep(&self, regions: &[Region]) -> Option<Kept> {
        if regions.is_empty() {
            return None;
        }
        let mut memory = self.memory()?;
        let mut read = |region: &Region| Some((region.base, memory.read(*region)?));
        let memory = regions.iter().map(&mut read).collect::<Option<_>>()?;
        let registers = std::fs::read(&self.registers).ok()?;
        let words = registers.as_chunks::<4>().0.iter();
        Some(Kept {
            registers: words.map(|it| u32::from_le_bytes(*it)).collect(),
            memory,
        })
    }
}

impl Drop for Saved {
    fn drop(&mut self) {
        for file in [&self.memory, &self.registers] {
            // There is none if the simulator was killed.
            let _ = std::fs::remove_file(file);
        }
    }
}

/// What a simulator says on its standard error.
pub(super) struct Complaints {
    reader: JoinHandle<String>,
}

impl Complaints {
    /// Collects what comes, in a thread of its own.
    pub(super) fn collect(mut errors: ChildStderr) -> Complaints {
        let reader = std::thread::spawn(move || {
            let mut bytes = Vec::new();
            // What came before an error is what there is.
            let _ = errors.read_to_end(&mut bytes);
            String::from_utf8_lossy(&bytes).into_owned()
        });
        Complaints { reader }
    }

    /// Where it stood, if it has said so before it ended.
    pub(super) fn standing(self) -> Option<Standing> {
        let text = self.reader.join().ok()?;
        text.lines().find_map(standing)
    }

    /// What the exit code means, by what was said. Warnings are handed on.
    pub(super) fn end(self, code: i32) -> miette::Result<End> {
        let text = self.reader.join().unwrap_or_default();
        let mut own = None;
        for line in text.lines() {
            if line.starts_with(PREFIX) && !line.contains(": warning: ") {
                own = Some(line);
            } else {
                eprintln!("{line}");
            }
        }
        match (code, own) {
            (REFUSED, Some(line)) => Err(miette!("{line}")),
            (STOPPED, Some(line)) => Ok(End::Endless(standing(line))),
            _ => Ok(End::Exit(code)),
        }
    }
}

/// From `…: stopped after N cycles (WHY) at pc 0x…, user mode, satp 0x…`.
fn standing(line: &str) -> Option<Standing> {
    let word = |before: &str| {
        let rest = line.split(before).nth(1)?;
        rest.split([' ', ',']).next()
    };
    let number = |before| u32::from_str_radix(word(before)?, 16).ok();
    Some(Standing {
        counter: number("at pc 0x")?,
        space: space(number("satp 0x")?),
        cycles: word("stopped after ")?.parse().ok(),
    })
}
