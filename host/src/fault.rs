//! A fault record from the board, turned into a report that a person can act on.

mod backtrace;
mod hint;
mod memory;
mod record;

use std::fmt::Write as _;
use std::path::Path;

use riposte_abi::fault::{action, reason};

use crate::board::Board;
use crate::build::Image;
use crate::symbols::Symbols;

pub use memory::{Owner, Part};
pub use record::Record;

/// What is known of the running system: enough to explain any address in it.
pub struct Scene<'a> {
    board: &'a Board,
    image: &'a Image,
    programs: Vec<Option<Symbols>>,
    kernel: Option<Symbols>,
}

impl<'a> Scene<'a> {
    /// Reads the symbols of the kernel and of every process. Those of a file that has none are
    /// left out of the reports.
    #[must_use]
    pub fn new(root: &Path, board: &'a Board, image: &'a Image) -> Scene<'a> {
        let read = |file: &Path| Symbols::read(file, root).ok();
        Scene {
            board,
            image,
            programs: image
                .programs
                .iter()
                .map(|program| read(&program.file))
                .collect(),
            kernel: read(&image.kernel.file),
        }
    }

    /// The report on one `@fault` line's JSON, or the line itself if it is no record.
    #[must_use]
    pub fn report(&self, json: &str) -> String {
        match record::parse(json) {
            Some(record) if record.process < self.image.plan.processes.len() => {
                self.explain(&record)
            }
            _ => format!("@fault {json}"),
        }
    }

    /// Where the board stands, in words.
    #[must_use]
    pub fn place(&self, address: u32) -> String {
        let owner = memory::owner(&self.image.plan, &self.image.layout, self.board, address);
        let symbols = match owner {
            Owner::Kernel(_) => self.kernel.as_ref(),
            Owner::Process(index, _) => self.programs[index].as_ref(),
            _ => None,
        };
        let place = symbols.and_then(|it| it.places(address).into_iter().next());
        let owner = self.describe(&owner);
        place.map_or_else(
            || format!("{address:#010x} ({owner})"),
            |place| format!("{address:#010x} ({owner}), in {place}"),
        )
    }

    fn explain(&self, record: &Record) -> String {
        let process = &self.image.plan.processes[record.process];
        let thread = process
            .threads
            .get(record.thread)
            .map_or("?", |thread| &thread.name);
        let owner = record.address.map(|address| {
            memory::owner(&self.image.plan, &self.image.layout, self.board, address)
        });
        let mut text = format!("process `{}` {}\n", process.name, what_happened(record));
        let places = self.backtrace(record);
        let mut line = |name: &str, value: &str| {
            let _ = writeln!(text, "  {name:<9} {value}");
        };
        line("thread", thread);
        if let Some(place) = places.first() {
            line("in", place);
        }
        if let (Some(address), Some(owner)) = (record.address, &owner) {
            line(
                "touched",
                &format!("{address:#010x}: {}", self.describe(owner)),
            );
        }
        line("hint", &hint::hint(record, process, owner.as_ref(), self));
        line("then", &what_followed(record));
        for (depth, place) in places.iter().enumerate() {
            line(
                if depth == 0 { "backtrace" } else { "" },
                &format!("{depth:>2} {place}"),
            );
        }
        registers(&mut text, record);
        text
    }

    fn backtrace(&self, record: &Record) -> Vec<String> {
        let addresses = backtrace::addresses(record, &self.image.programs[record.process]);
        let calls = addresses
            .into_iter()
            .flat_map(|address| self.call(record.process, address));
        calls.collect()
    }

    /// The functions that `address` is in, innermost first. Inlined ones of Rust's own library are
    /// left out where they say nothing of the program.
    fn call(&self, process: usize, address: u32) -> Vec<String> {
        let symbols = self.programs[process].as_ref();
        let mut places = symbols.map(|it| it.places(address)).unwrap_or_default();
        if places.iter().any(|place| !place.is_library()) {
            places.retain(|place| !place.is_library());
        }
        if places.is_empty() {
            return vec![self.place(address)];
        }
        places
            .iter()
            .map(|place| format!("{address:#010x} {place}"))
            .collect()
    }

    fn describe(&self, owner: &Owner) -> String {
        memory::describe(owner, &self.image.plan)
    }
}

fn what_happened(record: &Record) -> String {
    match record.reason {
        reason::MEMORY => "touched memory that is not its own".into(),
        reason::STACK_OVERFLOW => "overflowed its stack".into(),
        reason::EXECUTE => "jumped to what is not its code".into(),
        reason::ILLEGAL => "ran an illegal instruction".into(),
        reason::ARITHMETIC => "made an unaligned access or divided by zero".into(),
        reason::BUS => "caused a bus error".into(),
        reason::PANIC => format!("panicked: {}", record.text),
        reason::BREAKPOINT => "met a breakpoint with no debugger there".into(),
        reason::EXIT => format!("ended with status {}", record.address.unwrap_or_default()),
        other => format!("was stopped for reason {other}"),
    }
}

fn what_followed(record: &Record) -> String {
    let what = match record.action {
        action::RESTARTED => "restarted",
        action::STOPPED => "stays stopped",
        action::HELD => "held as it was, for a debugger",
        action::LIMIT => "stays stopped: it has reached its restart_limit",
        _ => "unknown",
    };
    match record.count {
        0 | 1 => what.into(),
        count => format!("{what} (its {count} faults so far)"),
    }
}

fn registers(text: &mut String, record: &Record) {
    let names = (0..13).map(|n| format!("r{n}"));
    let names = names.chain(["sp", "lr", "pc", "xpsr"].map(str::to_owned));
    let words: Vec<String> = names
        .zip(&record.registers)
        .map(|(name, value)| format!("{name:>4} {value:08x}"))
        .collect();
    for (row, words) in words.chunks(5).enumerate() {
        let name = if row == 0 { "registers" } else { "" };
        let _ = writeln!(text, "  {name:<9} {}", words.join("  ").trim_start());
    }
}
