//! What a run logs of its measured loops, read while it runs: it would be gigabytes.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, PipeReader};
use std::os::fd::AsRawFd;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use miette::{IntoDiagnostic, miette};

use crate::bench::log::{self, Mark};
use crate::board::Board;

/// What was spent at an instruction, or in a function.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spent {
    /// How many instructions.
    pub instructions: u64,
    /// Cycles, on a simulator.
    pub cycles: u64,
    /// Of those, what the core waited.
    pub waited: Waited,
}

/// Cycles in which no instruction retired, and why, as far as a simulator knows it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Waited {
    /// For an instruction: its memory, or a line of the cache.
    pub fetch: u64,
    /// For data.
    pub data: u64,
    /// For the page tables.
    pub translation: u64,
}

impl std::ops::AddAssign for Spent {
    fn add_assign(&mut self, other: Spent) {
        self.instructions += other.instructions;
        self.cycles += other.cycles;
        self.waited.fetch += other.waited.fetch;
        self.waited.data += other.waited.data;
        self.waited.translation += other.waited.translation;
    }
}

/// An instruction: satp and address.
pub type Place = (u32, u32);
/// What was spent in a measured loop.
pub type Window = HashMap<Place, Spent>;

/// What was logged in all.
#[derive(Default)]
pub struct Logged {
    /// Between each two marks.
    pub windows: Vec<Window>,
    /// From the beginning to the end, if an emulator has logged no mark at all.
    pub whole: Option<Window>,
}

/// Reads what a run logs.
pub struct Reader {
    /// Kept open until the run is over.
    writer: std::io::PipeWriter,
    windows: JoinHandle<Windows>,
    marked: Arc<AtomicBool>,
}

impl Reader {
    /// Begins to read what a run on `board` logs.
    ///
    /// # Errors
    /// If there is no pipe to be had.
    pub fn begin(board: &Board) -> miette::Result<Reader> {
        let (reader, writer) = std::io::pipe().into_diagnostic()?;
        let simulated = board.simulator().is_some();
        let marked = Arc::new(AtomicBool::new(false));
        let windows = Windows {
            marked: marked.clone(),
            ..Windows::default()
        };
        let windows = std::thread::spawn(move || {
            let lines = BufReader::with_capacity(1 << 16, reader);
            if simulated {
                windows.of_simulator(lines)
            } else {
                windows.of_emulator(lines)
            }
        });
        Ok(Reader {
            writer,
            windows,
            marked,
        })
    }

    /// The file that a child may open to write there.
    pub fn place(&self) -> PathBuf {
        format!(
            "/proc/{}/fd/{}",
            std::process::id(),
            self.writer.as_raw_fd()
        )
        .into()
    }

    /// Whether a mark has come. What a run says of a loop that it marks comes long after its mark.
    pub fn has_marks(&self) -> bool {
        self.marked.load(Ordering::Relaxed)
    }

    /// What was logged in all, once the run is over.
    ///
    /// # Errors
    /// If it could not be read.
    pub fn finish(self) -> miette::Result<Logged> {
        drop(self.writer);
        let windows = self.windows.join();
        let windows = windows.map_err(|_| miette!("the log of the run could not be read"))?;
        Ok(Logged {
            windows: windows.closed,
            whole: Some(windows.before).filter(|it| !it.is_empty()),
        })
    }
}

/// How an emulator whose time is counted in instructions says that the one it has logged was not executed, and will be
/// logged again: it touches a device, which is to see the exact time; or something comes before it.
const BEGINS_ANEW: [&[u8]; 2] = [
    b"cpu_io_recompile: rewound execution of TB to ",
    b"Stopped execution of TB chain before ",
];

/// The windows so far.
#[derive(Default)]
struct Windows {
    /// What came before any mark; nothing, once there was one.
    before: Window,
    open: Option<Window>,
    closed: Vec<Window>,
    /// The instruction that an emulator has logged last, since the last mark.
    last: Option<u32>,
    marked: Arc<AtomicBool>,
}

impl Windows {
    /// The windows in an emulator's log: `Trace 0: HOST [BASE/PC/FLAGS/...]` is one instruction.
    fn of_emulator(mut self, mut lines: BufReader<PipeReader>) -> Windows {
        let mut line = vec![];
        while let Ok(1..) = lines.read_until(b'\n', &mut line) {
            self.emulated(line.trim_ascii_end());
            line.clear();
        }
        self
    }

    fn of_simulator(mut self, lines: BufReader<PipeReader>) -> Windows {
        for line in lines.lines().map_while(Result::ok) {
            self.simulated(&line);
        }
        self
    }

    fn emulated(&mut self, line: &[u8]) {
        if line.starts_with(b"Trace ") {
            self.last = traced(line);
            if let Some(spent) = self.spent() {
                spent.instructions += 1;
            }
            return;
        }
        if BEGINS_ANEW.iter().any(|it| line.starts_with(it)) {
            if let Some(spent) = self.spent() {
                spent.instructions -= 1;
            }
            self.last = None;
            return;
        }
        let text = String::from_utf8_lossy(line);
        match log::mark(&text) {
            Some(Mark::Begin) => {
                self.before.clear();
                self.marked.store(true, Ordering::Relaxed);
                self.open = Some(Window::new());
                self.last = None;
            }
            Some(Mark::End) => {
                self.closed.extend(self.open.take());
                self.last = None;
            }
            None => {}
        }
    }

    /// What was spent at the instruction that was logged last, if it counts.
    fn spent(&mut self) -> Option<&mut Spent> {
        let is_before = self.closed.is_empty() && !self.marked.load(Ordering::Relaxed);
        let window = match &mut self.open {
            None if is_before => &mut self.before,
            open => open.as_mut()?,
        };
        Some(window.entry((0, self.last?)).or_default())
    }

    fn simulated(&mut self, line: &str) {
        if line == "window" {
            self.closed.push(Window::new());
        }
        let Some(spent) = line.strip_prefix("spent ") else {
            return;
        };
        let mut words = spent.split(' ');
        let mut hex = |prefix: &str| {
            let digits = words.next()?.strip_prefix(prefix)?;
            u32::from_str_radix(digits, 16).ok()
        };
        let place = hex("satp=0x").zip(hex("pc=0x"));
        let numbers: Option<Vec<u64>> = words.map(|it| it.parse().ok()).collect();
        let (Some(window), Some(place), Some(numbers)) = (self.closed.last_mut(), place, numbers)
        else {
            return;
        };
        if let [instructions, cycles, fetch, data, translation] = numbers[..] {
            let waited = Waited {
                fetch,
                data,
                translation,
            };
            window.insert(
                place,
                Spent {
                    instructions,
                    cycles,
                    waited,
                },
            );
        }
    }
}

/// The address of a traced instruction.
fn traced(line: &[u8]) -> Option<u32> {
    let inside = &line[line.iter().position(|it| *it == b'[')? + 1..];
    let digits = inside.split(|it| *it == b'/').nth(1)?;
    let text = std::str::from_utf8(digits).ok()?;
    // Addresses of these boards have 32 bits.
    u64::from_str_radix(text, 16)
        .ok()
        .and_then(|it| u32::try_from(it).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    const EMULATED: &str = "\
Trace 0: 0x7fe9d02a2c80 [00800409/0001afc2/00000110/ff020201] 
CMSDK APB timer write: bad offset 0x800
Trace 0: 0x7fe9d02a2c80 [00800409/0001afc2/00000110/ff020201] 
...taking pending nonsecure exception 11
Trace 0: 0x7fe9d02a2dc0 [0000000000000000/000000000001afc4/00000110/ff020201] 
Trace 0: 0x7fe9d02a2c80 [00800409/0001afc2/00000110/ff020201] 
CMSDK APB timer write: bad offset 0x804
Trace 0: 0x7fe9d02a2c80 [00800409/0001afc2/00000110/ff020201] 
";

    fn emulated(lines: impl Iterator<Item = &'static str>) -> Windows {
        let mut windows = Windows::default();
        lines.for_each(|line| windows.emulated(line.trim_end().as_bytes()));
        windows
    }

    #[test]
    fn an_emulators_instructions_count_between_the_marks_only() {
        let windows = emulated(EMULATED.lines());
        let [window] = windows.closed.as_slice() else {
            panic!("one window");
        };
        let times = |address| window[&(0, address)].instructions;
        assert_eq!((window.len(), times(0x1_afc2), times(0x1_afc4)), (2, 2, 1));
        assert!(windows.before.is_empty());
    }

    /// With time counted in instructions: it began each of the two twice.
    const BEGUN_ANEW: &str = "\
CMSDK APB timer write: bad offset 0x800
Trace 0: 0x7fe9d02a2c80 [00800409/0001afc2/00000110/ff020201] 
cpu_io_recompile: rewound execution of TB to 0001afc2
Trace 0: 0x7fe9d02a2c80 [00800409/0001afc2/00000110/ff020201] 
Trace 0: 0x7fe9d02a2dc0 [00800409/0001afc4/00000110/ff020201] 
Stopped execution of TB chain before 0x7fe9d02a2dc0 [0001afc4] 
...taking pending nonsecure exception 15
Trace 0: 0x7fe9d02a2dc0 [00800409/0001afc4/00000110/ff020201] 
CMSDK APB timer write: bad offset 0x804
";

    #[test]
    fn an_instruction_that_an_emulator_begins_anew_counts_once() {
        let marked = emulated(BEGUN_ANEW.lines()).closed;
        let whole = emulated(BEGUN_ANEW.lines().filter(|it| !it.starts_with("CMSDK"))).before;
        for window in [&marked[0], &whole] {
            let times = |address| window[&(0, address)].instructions;
            assert_eq!((times(0x1_afc2), times(0x1_afc4)), (1, 1));
        }
    }

    #[test]
    fn what_was_begun_anew_outside_of_the_marks_takes_nothing_away_within_them() {
        let anew = ["Stopped execution of TB chain before 0x7fe9d02a2c80 [0001afc2] "];
        let lines = EMULATED.lines();
        let (first, rest): (Vec<_>, Vec<_>) =
            (lines.clone().take(1).collect(), lines.skip(1).collect());
        let windows = emulated(
            anew.iter()
                .copied()
                .chain(first)
                .chain(anew)
                .chain(rest)
                .chain(anew),
        );
        let times = |address| windows.closed[0][&(0, address)].instructions;
        assert_eq!((times(0x1_afc2), times(0x1_afc4)), (2, 1));
    }

    #[test]
    fn without_any_mark_the_whole_run_counts() {
        let windows = emulated(EMULATED.lines().filter(|it| !it.starts_with("CMSDK")));
        assert!(windows.closed.is_empty());
        assert_eq!(windows.before[&(0, 0x1_afc2)].instructions, 4);
    }

    #[test]
    fn a_simulators_windows_are_read_as_they_are() {
        let mut windows = Windows::default();
        let log = "\
report 90 0x00000001
window
spent satp=0x80000001 pc=0x00010000 10 25 6 5 4
window
spent satp=0x00000000 pc=0x80000000 1 2 0 0 0
spent satp=0x00000000 pc=0x80000004 1 2
";
        log.lines().for_each(|line| windows.simulated(line));
        let spent = windows.closed[0][&(0x8000_0001, 0x1_0000)];
        assert_eq!((spent.instructions, spent.cycles), (10, 25));
        let Waited {
            fetch,
            data,
            translation,
        } = spent.waited;
        assert_eq!((fetch, data, translation), (6, 5, 4));
        assert_eq!(windows.closed[1].len(), 1, "half a line is none");
        assert_eq!(windows.closed.len(), 2);
    }
}
