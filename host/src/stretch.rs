//! Stretches: what passes in the kernel between two looks for interrupts, as the emulator executes it.
//!
//! The kernel is never preempted. From a trap, or from a look of its own that finds no interrupt, until its next look or
//! until a thread goes on, an interrupt that comes has to wait: that is a stretch, and its instructions are counted from
//! a trace of every one; on a simulator its cycles. A look is known by its instruction, so that nothing has to be built
//! for the purpose.

mod simulated;

use std::collections::HashMap;
use std::fmt;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use miette::{IntoDiagnostic, miette};
use object::{Object, ObjectSection, ObjectSymbol};

use crate::board::{Architecture, Board, Run};
use crate::build::Image;
use crate::child::{Ends, Running};
use crate::interrupt;
use crate::machine::{POLL, Patience, is_signalled, one_at_a_time};
use crate::symbols::Symbols;

/// More instructions of the kernel than any application takes that is measured so: one that hangs is told from one
/// that is only slow.
const ENDLESS: u64 = 100_000_000;

/// So many of the longest are told of.
const SHOWN: usize = 12;

/// An instruction takes 2^this virtual nanoseconds: time goes fast, so that few instructions are spent waiting for it.
const SHIFT: u32 = 10;

/// What passes between two looks for interrupts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// How many instructions; on a simulator, cycles.
    pub length: usize,
    /// The functions that they are in, each with how many, the most first; on a simulator, from where to where.
    pub within: Vec<(String, usize)>,
}

impl fmt::Display for Stretch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.length)?;
        for (place, count) in self.within.iter().take(8) {
            write!(f, "; {place} {count}")?;
        }
        Ok(())
    }
}

/// Runs an image to its end; returns the longest stretches, the longest one first, each with another end.
///
/// # Errors
/// The board cannot run or trace the image, or the image comes to no end.
pub fn longest(root: &Path, board: &Board, image: &Image) -> miette::Result<Vec<Stretch>> {
    let Run::Emulator(emulator) = &board.run else {
        return simulated::longest(root, board, image);
    };
    let kernel = &image.kernel.file;
    let code = Code::read(kernel, board.arch)?;
    let words = emulator.command(&image.file, SHIFT, "file:/dev/null");
    let (program, arguments) = words
        .split_first()
        .ok_or_else(|| miette!("the board has no run command"))?;
    let mut command = Command::new(program);
    command
        .args(one_at_a_time(program))
        .args(arguments)
        .args(["-d", "exec,nochain", "-dfilter"])
        .arg(format!("{:#x}+{:#x}", code.base, code.halves.len() * 2));
    let mut walk = Walk::new(&code);
    let status = follow(&mut command, Patience::GENEROUS, &mut walk)?;
    if !status.success() {
        return Err(miette!("it ended with {status}"));
    }
    let symbols = Symbols::read(kernel, root)?;
    Ok(walk.longest(&symbols))
}

/// Runs `command` to its end, and follows what it traces of the kernel.
///
/// # Errors
/// It cannot be run, is ended by somebody else, traces nothing of the kernel, or comes to no end: it traces more than any application takes, or
/// nothing of the kernel for longer than `patience` has; or somebody presses Ctrl-C.
fn follow(
    command: &mut Command,
    patience: Patience,
    walk: &mut Walk<'_>,
) -> miette::Result<ExitStatus> {
    let program = command.get_program().to_string_lossy().into_owned();
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    let mut running = Running::start(command, Ends::WhenAsked)
        .map_err(|error| miette!("{program} does not run: {error}"))?;
    let child = &mut running.child;
    let trace = child.stderr.take().expect("standard error is a pipe");
    let heard = AtomicU64::new(0);
    let (read, lost) = std::thread::scope(|scope| {
        let reader = scope.spawn(|| walk.follow(&mut BufReader::new(trace), &heard));
        let lost = watch(&heard, patience, || reader.is_finished());
        // An error means that it has ended already. If the trace is complete, it ends by itself.
        if lost {
            let _ = child.kill();
        }
        let read = reader.join().expect("the reader does not panic");
        if read.is_err() {
            let _ = child.kill();
        }
        (read, lost)
    });
    let status = child.wait().into_diagnostic()?;
    interrupt::check()?;
    if lost {
        return Err(endless());
    }
    read.map(|()| status)
}

/// Waits until `is_over`, as long as what is `heard` changes often enough. Whether patience was lost.
fn watch(heard: &AtomicU64, patience: Patience, is_over: impl Fn() -> bool) -> bool {
    let begun = Instant::now();
    let (mut last, mut changed) = (0, begun);
    while !is_over() {
        std::thread::sleep(POLL);
        let count = heard.load(Ordering::Relaxed);
        if count != last {
            (last, changed) = (count, Instant::now());
        }
        if patience.is_over(begun, changed) {
            return !is_over();
        }
    }
    false
}

fn endless() -> miette::Report {
    miette!("it came to no end")
}

/// A kernel's code.
struct Code {
    base: u32,
    /// Its half words.
    halves: Vec<u16>,
    arch: Architecture,
    /// Where traps enter.
    entries: Vec<u32>,
    /// What the idle thread executes: no part of the kernel.
    idle: std::ops::Range<u32>,
}

impl Code {
    fn read(file: &Path, arch: Architecture) -> miette::Result<Code> {
        let bytes = std::fs::read(file).into_diagnostic()?;
        let elf = object::File::parse(&*bytes).into_diagnostic()?;
        let text = elf
            .section_by_name(".text")
            .ok_or_else(|| miette!("{} has no code", file.display()))?;
        let data = text.data().into_diagnostic()?;
        let half = |pair: &[u8]| u16::from_le_bytes([pair[0], pair[1]]);
        // Those of every kernel, and those of one that gives threads the floating-point unit.
        let (always, names): (usize, &[&str]) = match arch {
            Architecture::Armv7m => (
                3,
                &[
                    "11system_call",
                    "9interrupt",
                    "5fault",
                    "20system_call_with_fpu",
                    "18interrupt_with_fpu",
                ],
            ),
            Architecture::Riscv => (1, &["5entry"]),
        };
        let is_entry = |name: &str| {
            let rest = name.split_once("4trap").map(|(_, rest)| rest);
            names.iter().any(|it| {
                rest.and_then(|rest| rest.strip_prefix(it))
                    .is_some_and(|end| {
                        end.starts_with("17h") || end.is_empty() || end.starts_with('E')
                    })
            })
        };
        let mut code = Code {
            base: text.address() as u32,
            halves: data.chunks_exact(2).map(half).collect(),
            arch,
            entries: Vec::new(),
            idle: 0..0,
        };
        for symbol in elf.symbols() {
            let (name, address) = (symbol.name().unwrap_or(""), symbol.address() as u32 & !1);
            if name == "riposte_idle" {
                code.idle = address..address + symbol.size() as u32;
            } else if is_entry(name) {
                code.entries.push(address);
            }
        }
        if ![always, names.len()].contains(&code.entries.len()) {
            return Err(miette!(
                "{} does not name where traps enter",
                file.display()
            ));
        }
        Ok(code)
    }

    /// Whether the instruction at `address` asks whether an interrupt waits.
    fn is_look(&self, address: u32) -> bool {
        let Some([low, high]) = self.word_at(address) else {
            return false;
        };
        match self.arch {
            // TST or ANDS of a register and 0xFF000: `VECTPENDING` of what ICSR says.
            Architecture::Armv7m => low & 0xFFF0 == 0xF410 && high & 0xF0FF == 0x207F,
            // CSRR of `mip`.
            Architecture::Riscv => {
                (u32::from(high) << 16 | u32::from(low)) & 0xFFFF_F07F == 0x3440_2073
            }
        }
    }

    /// Whether the instruction at `address` is MRET, which lets a thread go on.
    fn is_return(&self, address: u32) -> bool {
        self.arch == Architecture::Riscv && self.word_at(address) == Some([0x0073, 0x3020])
    }

    /// The low and the high half of what lies at `address`.
    fn word_at(&self, address: u32) -> Option<[u16; 2]> {
        let index = (address.wrapping_sub(self.base) / 2) as usize;
        self.halves.get(index..index + 2)?.try_into().ok()
    }
}

/// Follows the kernel from instruction to instruction.
struct Walk<'a> {
    code: &'a Code,
    /// What is known of the instructions met so far.
    kinds: HashMap<u32, Kind>,
    /// The stretch under way; none while a thread runs, or before the first one does.
    stretch: Option<Vec<u32>>,
    /// The longest one that ends at each place.
    longest: HashMap<u32, Vec<u32>>,
}

#[derive(Clone, Copy)]
enum Kind {
    Entry,
    Look,
    Idle,
    Other,
}

impl<'a> Walk<'a> {
    fn new(code: &'a Code) -> Self {
        Walk {
            code,
            kinds: HashMap::new(),
            stretch: None,
            longest: HashMap::new(),
        }
    }

    /// Follows all that is traced. How much that is by now is `heard`.
    fn follow(&mut self, trace: &mut impl BufRead, heard: &AtomicU64) -> miette::Result<()> {
        let (mut line, mut count, mut last) = (Vec::new(), 0, 0);
        loop {
            line.clear();
            if trace.read_until(b'\n', &mut line).into_diagnostic()? == 0 {
                self.end();
                return match count {
                    0 => Err(miette!("the emulator traced nothing of the kernel")),
                    _ => Ok(()),
                };
            }
            let Some(address) = counter(&line) else {
                let said = String::from_utf8_lossy(&line);
                if is_signalled(&said) {
                    return Err(miette!("{}", said.trim_end()));
                }
                continue;
            };
            // One that touches a device may be listed twice: none goes to itself.
            if address != last {
                self.step(address);
                last = address;
            }
            count += 1;
            heard.store(count, Ordering::Relaxed);
            if count > ENDLESS {
                return Err(endless());
            }
        }
    }

    fn step(&mut self, address: u32) {
        let code = self.code;
        let kind = *self.kinds.entry(address).or_insert_with(|| {
            if code.entries.contains(&address) {
                Kind::Entry
            } else if code.idle.contains(&address) {
                Kind::Idle
            } else if code.is_look(address) {
                Kind::Look
            } else {
                Kind::Other
            }
        });
        match kind {
            Kind::Entry => {
                self.end();
                self.stretch = Some(vec![address]);
            }
            Kind::Idle => {
                self.end();
                self.stretch = None;
            }
            Kind::Look => {
                self.end();
                if let Some(stretch) = &mut self.stretch {
                    stretch.clear();
                }
            }
            Kind::Other => {
                if let Some(stretch) = &mut self.stretch {
                    stretch.push(address);
                }
            }
        }
    }

    /// The stretch under way is over.
    fn end(&mut self) {
        let Some(stretch) = &self.stretch else { return };
        let Some(&last) = stretch.last() else { return };
        let longest = self.longest.entry(last).or_default();
        if longest.len() < stretch.len() {
            longest.clone_from(stretch);
        }
    }

    fn longest(self, symbols: &Symbols) -> Vec<Stretch> {
        let mut all: Vec<_> = self.longest.into_values().collect();
        all.sort_by_key(|stretch| std::cmp::Reverse(stretch.len()));
        all.truncate(SHOWN);
        all.iter().map(|it| described(it, symbols)).collect()
    }
}

/// The program counter that a line of the trace names.
fn counter(line: &[u8]) -> Option<u32> {
    let text = std::str::from_utf8(line).ok()?;
    let text = text.strip_prefix("Trace ")?.split_once('[')?.1;
    let number = text.split('/').nth(1)?;
    u32::from_str_radix(number.get(number.len().saturating_sub(8)..)?, 16).ok()
}

fn described(stretch: &[u32], symbols: &Symbols) -> Stretch {
    let mut counts: HashMap<String, usize> = HashMap::new();
    for &address in stretch {
        // The outermost one: what is inlined there counts for it.
        let place = symbols.places(address).into_iter().next_back();
        let name = place.map_or_else(String::new, |place| place.function);
        *counts.entry(name).or_default() += 1;
    }
    let mut within: Vec<_> = counts.into_iter().collect();
    within.sort_by(|(a, first), (b, second)| second.cmp(first).then(a.cmp(b)));
    Stretch {
        length: stretch.len(),
        within,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const SHORT: Duration = Duration::from_millis(300);
    const LONG: Duration = Duration::from_secs(60);
    /// An instruction of the kernel, as it is traced.
    const LINE: &str = "Trace 0: 0x7f0000000000 [00000000/00000100/00000000/00000000]";

    fn followed(script: &str, patience: Patience) -> miette::Result<ExitStatus> {
        let code = Code {
            base: 0,
            halves: Vec::new(),
            arch: Architecture::Armv7m,
            entries: Vec::new(),
            idle: 0..0,
        };
        let mut shell = Command::new("sh");
        shell.args(["-c", script]);
        follow(&mut shell, patience, &mut Walk::new(&code))
    }

    fn check_endless(script: &str, silence: Duration, whole: Duration) {
        let begun = Instant::now();
        let error = followed(script, Patience { silence, whole }).unwrap_err();
        assert_eq!(error.to_string(), "it came to no end");
        assert!(begun.elapsed() < LONG / 2);
    }

    #[test]
    fn an_emulator_that_executes_nothing_of_the_kernel_is_stopped() {
        check_endless("exec sleep 60", SHORT, LONG);
        check_endless(
            "while sleep 0.05; do echo nothing of the kernel >&2; done",
            SHORT,
            LONG,
        );
    }

    #[test]
    fn an_emulator_that_comes_to_no_end_is_stopped() {
        let script = format!("while sleep 0.05; do echo '{LINE}' >&2; done");
        check_endless(&script, LONG, SHORT);
    }

    #[test]
    fn an_emulator_that_ends_is_followed_to_its_end() {
        let patience = Patience {
            silence: LONG,
            whole: LONG,
        };
        let status = followed(&format!("echo '{LINE}' >&2; exit 3"), patience).unwrap();
        assert_eq!(status.code(), Some(3));
        assert!(followed("exit 0", patience).is_err(), "nothing was traced");
    }

    #[test]
    fn an_emulator_that_a_signal_ends_is_not_followed_to_its_end() {
        let signal = "sh: terminating on signal 15 from pid 1 (init)";
        let patience = Patience {
            silence: LONG,
            whole: LONG,
        };
        let script = format!("echo '{LINE}' >&2; echo '{signal}' >&2; exit 0");
        let error = followed(&script, patience).unwrap_err();
        assert_eq!(error.to_string(), signal);
    }
}
