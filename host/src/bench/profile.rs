//! `./riposte profile`: where the instructions, or the cycles, of an operation go: by process, privilege and function.
//!
//! The measured loop runs as it does in `bench`, between its two marks. An emulator logs the address of each
//! instruction; a simulator counts, for each instruction, how often it retired and the cycles since the one before.

use std::collections::BTreeMap;
use std::collections::HashMap;
use std::io::{BufRead, BufReader, PipeReader};
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;

use miette::{IntoDiagnostic, miette};
use serde_json::{Value, json};

use super::flame::Frame;
use super::log::Mark;
use super::measure::{self, Sample};
use super::reference::Reference;
use super::report::show;
use super::suite::{self, Suite};
use super::{find, log};
use crate::board::Board;
use crate::build::Image;
use crate::cli;
use crate::fault::Scene;
use crate::lab::Lab;
use crate::machine::space;
use crate::progress::Step;
use crate::suggest;
use crate::table::{Align, Table};

/// As many functions have a row of their own.
const ROWS: usize = 40;
/// Whose the kernel's code is.
const KERNEL: &str = "kernel";

/// What was spent at an instruction, or in a function.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Spent {
    instructions: u64,
    cycles: u64,
}

/// An instruction: satp and address.
type Place = (u32, u32);
/// What was spent in a measured loop.
type Window = HashMap<Place, Spent>;

/// Prints where the cost of a case goes; the result is the exit code.
///
/// # Errors
/// A suite, case or board that there is not; a board whose processes cannot be told apart; a benchmark that fails.
pub fn profile(lab: &Lab, asked: &cli::Profile) -> miette::Result<i32> {
    let Some((name, case)) = asked.case.split_once('/') else {
        return Err(miette!(
            help = "name both, as in core/rt-1w",
            "`{}` is no SUITE/CASE",
            asked.case
        ));
    };
    let suites = suite::all(lab)?;
    let suite = find(&suites, name)?;
    let reference = Reference::read(suite, &lab.boards)?;
    let board = board(lab, suite, asked.board.as_deref())?;
    let board = &reference.memories(board).swap_remove(0);
    let mut cases: Vec<String> = vec![];
    let on =
        |it: &&crate::manifest::Application| it.boards.iter().any(|name| name.value == board.name);
    let found = |it: &Sample| it.case == case && it.protected != asked.within;
    for application in suite.applications.iter().filter(on) {
        let image = lab.build(application, board)?;
        let run = |log: Option<&Path>| measure::once(lab, suite, application, board, &image, log);
        // An emulator takes many times as long to log each instruction: only where the case is.
        if board.simulator().is_none() {
            let _step = Step::begin(format!("looking for {case} in {}", application.name));
            let samples = run(None)?;
            if !samples.iter().any(found) {
                cases.extend(samples.into_iter().map(|it| it.case));
                continue;
            }
        }
        let what = format!("profiling {} on {}", application.name, board.name);
        let step = Step::begin(what);
        let reader = Reader::begin(board)?;
        let samples = run(Some(&reader.place()));
        let (samples, windows) = (samples?, reader.windows()?);
        drop(step);
        let all: Vec<(Sample, Window)> = samples.into_iter().zip(windows).collect();
        if let Some((sample, window)) = all.iter().find(|it| found(&it.0)) {
            let profile = Profile::of(lab, board, &image, sample, window);
            print!("{}", profile.text(suite, board));
            if let Some(file) = &asked.json {
                write(file, &format!("{:#}\n", profile.document(suite, board)))?;
            }
            if let Some(file) = &asked.flame {
                write(file, &profile.flame(suite, board))?;
            }
            return Ok(0);
        }
        cases.extend(all.into_iter().map(|it| it.0.case));
    }
    cases.sort();
    cases.dedup();
    let help = suggest::help(case, "cases", cases.iter().map(String::as_str));
    Err(miette!(
        help = help,
        "suite `{name}` measures no `{case}` on {}",
        board.name
    ))
}

fn write(file: &Path, text: &str) -> miette::Result<()> {
    std::fs::write(file, text)
        .map_err(|error| miette!("cannot write the profile {}: {error}", file.display()))?;
    println!("profile: {}", file.display());
    Ok(())
}

/// The board that is asked for, or the suite's first.
fn board<'a>(lab: &'a Lab, suite: &Suite, asked: Option<&str>) -> miette::Result<&'a Board> {
    let asked: Vec<String> = asked.map(str::to_owned).into_iter().collect();
    let boards = suite.boards(lab, &asked)?;
    let board = boards
        .first()
        .ok_or_else(|| miette!("suite `{}` has no board", suite.name))?;
    if board.simulator().is_none() && board.protection.translates() {
        return Err(miette!(
            help = "profile on vexriscv, whose simulator says in which address space each ran; or on virt-rv32",
            "on {} the addresses of processes are the same, and the emulator does not say whose they are",
            board.name
        ));
    }
    Ok(board)
}

/// Reads what a run logs, while it runs: it would be gigabytes.
struct Reader {
    /// Kept open until the run is over.
    writer: std::io::PipeWriter,
    windows: JoinHandle<Vec<Window>>,
}

impl Reader {
    fn begin(board: &Board) -> miette::Result<Reader> {
        let (reader, writer) = std::io::pipe().into_diagnostic()?;
        let simulated = board.simulator().is_some();
        let windows = std::thread::spawn(move || {
            let lines = BufReader::with_capacity(1 << 16, reader);
            if simulated {
                simulated_windows(lines)
            } else {
                emulated_windows(lines)
            }
        });
        Ok(Reader { writer, windows })
    }

    /// The file that a child may open to write there.
    fn place(&self) -> PathBuf {
        format!(
            "/proc/{}/fd/{}",
            std::process::id(),
            self.writer.as_raw_fd()
        )
        .into()
    }

    /// What was logged in all, once the run is over.
    fn windows(self) -> miette::Result<Vec<Window>> {
        drop(self.writer);
        let windows = self.windows.join();
        windows.map_err(|_| miette!("the log of the run could not be read"))
    }
}

/// The windows in an emulator's log: `Trace 0: HOST [BASE/PC/FLAGS/...]` is one instruction.
fn emulated_windows(mut lines: BufReader<PipeReader>) -> Vec<Window> {
    let mut line = vec![];
    let mut windows = Windows::default();
    while let Ok(1..) = lines.read_until(b'\n', &mut line) {
        windows.emulated(line.trim_ascii_end());
        line.clear();
    }
    windows.closed
}

fn simulated_windows(lines: BufReader<PipeReader>) -> Vec<Window> {
    let mut windows = Windows::default();
    for line in lines.lines().map_while(Result::ok) {
        windows.simulated(&line);
    }
    windows.closed
}

/// The windows so far.
#[derive(Default)]
struct Windows {
    open: Option<Window>,
    closed: Vec<Window>,
}

impl Windows {
    fn emulated(&mut self, line: &[u8]) {
        if line.starts_with(b"Trace ") {
            if let (Some(window), Some(address)) = (&mut self.open, traced(line)) {
                window.entry((0, address)).or_default().instructions += 1;
            }
            return;
        }
        let text = String::from_utf8_lossy(line);
        match log::mark(&text) {
            Some(Mark::Begin) => self.open = Some(Window::new()),
            Some(Mark::End) => self.closed.extend(self.open.take()),
            None => {}
        }
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
        let mut number = || words.next()?.parse().ok();
        let spent = number().zip(number());
        if let (Some(window), Some(place), Some((instructions, cycles))) =
            (self.closed.last_mut(), place, spent)
        {
            window.insert(
                place,
                Spent {
                    instructions,
                    cycles,
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

/// Whose code it is, and its function.
type Part = (String, String);

/// What was spent in the operations of a case.
struct Profile {
    case: String,
    operations: u64,
    parts: Vec<(Part, Spent)>,
    /// Whose it is, its function, and those that the compiler has put into that one.
    stacks: Vec<(Vec<String>, Spent)>,
    in_cycles: bool,
}

impl Profile {
    fn of(lab: &Lab, board: &Board, image: &Image, sample: &Sample, window: &Window) -> Profile {
        let scene = Scene::new(&lab.root, board, image);
        let mut parts: BTreeMap<Part, Spent> = BTreeMap::new();
        let mut stacks: BTreeMap<Vec<String>, Spent> = BTreeMap::new();
        for ((satp, address), spent) in window {
            let space = space(*satp);
            let who = scene.process(space, *address).unwrap_or(KERNEL).to_owned();
            let mut functions = scene.functions(space, *address);
            if functions.is_empty() {
                functions.push("without a name".into());
            }
            let function = functions.last().cloned().unwrap_or_default();
            let stack = [vec![who.clone()], functions].concat();
            let part = parts.entry((who, function)).or_default();
            let place = stacks.entry(stack).or_default();
            for sum in [part, place] {
                sum.instructions += spent.instructions;
                sum.cycles += spent.cycles;
            }
        }
        let mut profile = Profile {
            case: sample.case.clone(),
            operations: sample.iterations * sample.operations,
            parts: parts.into_iter().collect(),
            stacks: stacks.into_iter().collect(),
            in_cycles: board.simulator().is_some(),
        };
        let cost: Vec<u64> = profile.parts.iter().map(|it| profile.cost(&it.1)).collect();
        let mut order: Vec<usize> = (0..cost.len()).collect();
        order.sort_by_key(|index| std::cmp::Reverse(cost[*index]));
        profile.parts = order
            .into_iter()
            .map(|index| profile.parts[index].clone())
            .collect();
        profile
    }

    /// What the board counts.
    fn cost(&self, spent: &Spent) -> u64 {
        if self.in_cycles {
            spent.cycles
        } else {
            spent.instructions
        }
    }

    /// Of one operation.
    #[allow(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
    fn each(&self, count: u64) -> f64 {
        count as f64 / self.operations as f64
    }

    fn whole(&self) -> u64 {
        self.parts.iter().map(|it| self.cost(&it.1)).sum()
    }

    /// What each process and the kernel took, most first.
    fn by_process(&self) -> Vec<(&str, Spent)> {
        let mut all: Vec<(&str, Spent)> = vec![];
        for ((who, _), spent) in &self.parts {
            let index = all.iter().position(|it| it.0 == who).unwrap_or_else(|| {
                all.push((who, Spent::default()));
                all.len() - 1
            });
            all[index].1.instructions += spent.instructions;
            all[index].1.cycles += spent.cycles;
        }
        all.sort_by_key(|it| std::cmp::Reverse(self.cost(&it.1)));
        all
    }

    fn unit(&self) -> &'static str {
        if self.in_cycles {
            "cycles"
        } else {
            "instructions"
        }
    }

    fn row(&self, who: &str, what: &str, spent: &Spent) -> Vec<String> {
        let part =
            100.0 * self.each(self.cost(spent)) / self.each(self.whole()).max(f64::MIN_POSITIVE);
        let mut row = vec![who.to_owned(), what.to_owned()];
        row.push(show(self.each(self.cost(spent))));
        row.push(format!("{part:.1} %"));
        if self.in_cycles {
            row.push(show(self.each(spent.instructions)));
        }
        row
    }

    fn text(&self, suite: &Suite, board: &Board) -> String {
        let table = |what: &str| {
            let mut columns = vec![
                ("who", Align::Left),
                (what, Align::Left),
                (self.unit(), Align::Right),
                ("share", Align::Right),
            ];
            if self.in_cycles {
                columns.push(("instructions", Align::Right));
            }
            Table::new(&columns)
        };
        let mut processes = table("privilege");
        for (who, spent) in self.by_process() {
            let privilege = if who == KERNEL { "kernel" } else { "user" };
            processes.row(self.row(who, privilege, &spent));
        }
        let mut functions = table("function");
        for ((who, function), spent) in self.parts.iter().take(ROWS) {
            functions.row(self.row(who, function, spent));
        }
        let rest = self.parts.iter().skip(ROWS);
        let rest = rest.fold((0, Spent::default()), |(count, mut all), (_, spent)| {
            all.instructions += spent.instructions;
            all.cycles += spent.cycles;
            (count + 1, all)
        });
        if rest.0 > 0 {
            functions.row(self.row("", &format!("{} functions more", rest.0), &rest.1));
        }
        format!(
            "{}/{} on {}: {} {} of an operation, with its turn of the loop; {} operations\n\n{processes}\n{functions}",
            suite.name,
            self.case,
            super::report::place(board),
            show(self.each(self.whole())),
            self.unit(),
            self.operations,
        )
    }

    fn flame(&self, suite: &Suite, board: &Board) -> String {
        let place = super::report::place(board);
        let mut whole = Frame::whole(&format!("{}/{} on {place}", suite.name, self.case));
        for (stack, spent) in &self.stacks {
            whole.add(stack, self.each(self.cost(spent)));
        }
        whole.picture(self.unit())
    }

    fn document(&self, suite: &Suite, board: &Board) -> Value {
        let part = |((who, function), spent): &(Part, Spent)| {
            json!({
                "who": who, "function": function, "instructions": self.each(spent.instructions),
                "cycles": self.in_cycles.then(|| self.each(spent.cycles)),
            })
        };
        json!({
            "schema": 1, "suite": suite.name, "case": self.case, "board": board.name, "operations": self.operations,
            "parts": self.parts.iter().map(part).collect::<Vec<Value>>(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_emulators_instructions_count_between_the_marks_only() {
        let mut windows = Windows::default();
        let log = "\
Trace 0: 0x7fe9d02a2c80 [00800409/0001afc2/00000110/ff020201] 
CMSDK APB timer write: bad offset 0x800
Trace 0: 0x7fe9d02a2c80 [00800409/0001afc2/00000110/ff020201] 
...taking pending nonsecure exception 11
Trace 0: 0x7fe9d02a2dc0 [0000000000000000/000000000001afc4/00000110/ff020201] 
Trace 0: 0x7fe9d02a2c80 [00800409/0001afc2/00000110/ff020201] 
CMSDK APB timer write: bad offset 0x804
Trace 0: 0x7fe9d02a2c80 [00800409/0001afc2/00000110/ff020201] 
";
        log.lines()
            .for_each(|line| windows.emulated(line.trim_end().as_bytes()));
        let [window] = windows.closed.as_slice() else {
            panic!("one window");
        };
        let times = |address| window[&(0, address)].instructions;
        assert_eq!((window.len(), times(0x1_afc2), times(0x1_afc4)), (2, 2, 1));
    }

    #[test]
    fn a_simulators_windows_are_read_as_they_are() {
        let mut windows = Windows::default();
        let log = "\
report 90 0x00000001
window
spent satp=0x80000001 pc=0x00010000 10 25
window
spent satp=0x00000000 pc=0x80000000 1 2
";
        log.lines().for_each(|line| windows.simulated(line));
        let spent = windows.closed[0][&(0x8000_0001, 0x1_0000)];
        assert_eq!((spent.instructions, spent.cycles), (10, 25));
        assert_eq!(windows.closed.len(), 2);
    }
}
