//! A fault record from the board, turned into a report that a person can act on.

mod backtrace;
mod hint;
mod memory;
mod record;
mod registers;
mod tables;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use riposte_abi::fault::{action, reason};

use crate::board::Board;
use crate::build::Image;
use crate::layout::Layouts;
use crate::machine::{Seen, Standing, Suspended, Tables};
use crate::plan::PlanProcess;
use crate::plan::{Mapped, Region};
use crate::stacks::{self, Stacks};
use crate::symbols::{Place, Symbols};

/// The function in which every thread of a process begins.
const FIRST: &str = "_riposte_start";

pub use memory::{Owner, Part};
pub use record::Record;

/// What is known of the running system: enough to explain any address in it.
pub struct Scene<'a> {
    board: &'a Board,
    image: &'a Image,
    programs: Vec<Option<Symbols>>,
    kernel: Option<Symbols>,
}

/// The JSON of a fault record on a line of the console, and what stands before it: what somebody types meanwhile.
#[must_use]
pub fn record_of(line: &str) -> Option<(&str, &str)> {
    let at = line.find("@fault {")?;
    Some((&line[..at], &line[at + "@fault ".len()..]))
}

/// The faults that the console has told of.
#[derive(Debug, Default)]
pub struct Reported(BTreeMap<usize, Record>);

impl Reported {
    /// Takes note of one, if a line of the console tells of it.
    pub fn note(&mut self, line: &str) {
        let record = record_of(line).and_then(|(_, json)| record::parse(json));
        if let Some(record) = record {
            self.0.insert(record.process, record);
        }
    }

    /// Whether it has told of this one, and of nothing else in its place: whoever prints can write such a line. Of an earlier
    /// one of the process the kernel keeps nothing.
    fn has(&self, record: &Record) -> bool {
        let told = self.0.get(&record.process);
        told.is_some_and(|it| it.is(record))
    }

    /// The processes of which it has told last what the kernel, which has kept these records, does not know of.
    fn false_ones<'a>(&'a self, kept: &'a [Option<Record>]) -> impl Iterator<Item = usize> + 'a {
        let told = self.0.values().filter(|it| it.process < kept.len());
        let is_false = |it: &&Record| match &kept[it.process] {
            // What was told may be an earlier one.
            Some(kept) => it.count >= kept.count && !it.is(kept),
            None => true,
        };
        told.filter(is_false).map(|it| it.process)
    }
}

/// The index of the process that is held where it fell, if a line of the console tells of that.
#[must_use]
pub fn held(line: &str) -> Option<usize> {
    let (_, json) = record_of(line)?;
    let record = record::parse(json)?;
    (record.action == action::HELD).then_some(record.process)
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

    /// A line of the console, with the report in the place of what tells of a fault.
    #[must_use]
    pub fn explained(&self, line: &str) -> String {
        let Some((before, json)) = record_of(line) else {
            return line.to_owned();
        };
        let end = if before.is_empty() { "" } else { "\n" };
        format!("{before}{end}{}", self.report(json))
    }

    /// Whose an address is, as the process `viewer` or else the kernel knows it, if it is a process's.
    #[must_use]
    pub fn process(&self, viewer: Option<usize>, address: u32) -> Option<&str> {
        match self.owner(viewer, address) {
            Owner::Process(index, _) => Some(&self.image.plan.processes[index].name),
            _ => None,
        }
    }

    /// The function at an address, as the process `viewer` or else the kernel knows it.
    #[must_use]
    pub fn function(&self, viewer: Option<usize>, address: u32) -> Option<String> {
        let place = self.innermost(&self.owner(viewer, address), address)?;
        Some(place.function)
    }

    /// The functions at an address, as the process `viewer` or else the kernel knows them: the one of that name in the
    /// program first, then those that the compiler has put into it there. Empty if none is known.
    #[must_use]
    pub fn functions(&self, viewer: Option<usize>, address: u32) -> Vec<String> {
        let places = self.places(&self.owner(viewer, address), address);
        places.into_iter().rev().map(|it| it.function).collect()
    }

    fn innermost(&self, owner: &Owner, address: u32) -> Option<Place> {
        self.places(owner, address).into_iter().next()
    }

    /// The innermost one first.
    fn places(&self, owner: &Owner, address: u32) -> Vec<Place> {
        let symbols = match *owner {
            Owner::Kernel(_) => self.kernel.as_ref(),
            Owner::Process(index, _) => self.programs[index].as_ref(),
            _ => None,
        };
        telling(symbols.map(|it| it.places(address)).unwrap_or_default())
    }

    /// What is at an address, in words, as the process `viewer` or else the kernel knows it.
    #[must_use]
    pub fn place(&self, viewer: Option<usize>, address: u32) -> String {
        let owner = self.owner(viewer, address);
        let place = self.innermost(&owner, address);
        let owner = self.describe(&owner);
        place.map_or_else(
            || format!("{address:#010x} ({owner})"),
            |place| format!("{address:#010x} ({owner}), in {place}"),
        )
    }

    /// That a board came to no end, and where it stood.
    #[must_use]
    pub fn endless(&self, standing: Option<Standing>) -> String {
        let Some(Standing {
            counter,
            space,
            cycles,
        }) = standing
        else {
            return "it comes to no end".into();
        };
        let place = self.place(space, counter);
        match cycles {
            Some(cycles) => format!("it was stopped after {cycles} cycles; it stands at {place}"),
            None => format!("it comes to no end; it stands at {place}"),
        }
    }

    /// That a board was stopped by a person, and where it stood.
    #[must_use]
    pub fn interrupted(&self, standing: Option<&Standing>) -> String {
        standing.map_or("interrupted".into(), |standing| {
            let place = self.place(standing.space, standing.counter);
            format!("interrupted; it stands at {place}")
        })
    }

    /// Where the kernel keeps the threads and the processes, if it says.
    #[must_use]
    pub fn tables(&self) -> Option<Tables> {
        let stacks = self.image.plan.processes.iter().flat_map(|process| {
            let Mapped { seen, machine } = process.ram;
            let threads = 0..process.threads.len();
            let stacks = threads.filter_map(|it| stacks::usable(process, it, self.guard()));
            stacks.map(move |stack| Region {
                base: stack.base - seen.base + machine,
                ..stack
            })
        });
        let processes = self.image.plan.processes.len();
        let stacks = stacks.collect();
        tables::tables(&self.image.kernel, self.board.arch, stacks, processes)
    }

    /// The reports on the faults of processes that are not among the `reported` ones, by what the kernel has kept of them; and
    /// of which of those it knows nothing.
    #[must_use]
    pub fn unreported(&self, seen: &Seen, reported: &Reported) -> String {
        let processes = &seen.tables.processes;
        if processes.is_empty() {
            return String::new();
        }
        let Some(members) = record::Members::new(&Layouts::read(&self.image.kernel.file)) else {
            return String::new();
        };
        let kept = processes.iter().enumerate();
        let kept = kept.map(|(index, bytes)| members.read(index, bytes.as_ref()?));
        let kept: Vec<Option<Record>> = kept.collect();
        // A kernel begins anew when its machine is reset, and could not be read where that has failed.
        let is_all = seen.resets == 0 && processes.iter().all(Option::is_some);
        let false_ones = reported.false_ones(&kept).filter(|_| is_all);
        let warnings = false_ones.map(|index| {
            let name = &self.image.plan.processes[index].name;
            format!(
                "riposte: the console told of a fault of `{name}` of which the kernel knows nothing: whoever prints can \
                 write such a line\n"
            )
        });
        let untold = (kept.iter().flatten())
            .filter(|record| record.is_a_fault() && !reported.has(record))
            .map(|record| self.explain(record));
        warnings.chain(untold).collect()
    }

    /// Takes note in `stacks` of what a fault record tells of them, if a line of the console is one.
    pub fn note_stacks(&self, line: &str, stacks: &mut Stacks) {
        let json = record_of(line).map(|(_, json)| json);
        let Some(record) = json.and_then(record::parse) else {
            return;
        };
        for (thread, unused) in record.stacks_unused.iter().enumerate() {
            stacks.note(
                &self.image.plan,
                self.guard(),
                record.process,
                thread,
                *unused,
            );
        }
    }

    /// The same of the threads of a board that has ended.
    pub fn note_stacks_of(&self, threads: &[Suspended], stacks: &mut Stacks) {
        for ((process, thread), it) in self.indices().zip(threads) {
            if let Some(unused) = it.unused {
                stacks.note(&self.image.plan, self.guard(), process, thread, unused);
            }
        }
    }

    fn guard(&self) -> u32 {
        self.board.protection.guard
    }

    /// A line for each thread, where it was suspended last, and what it has used of its stack.
    #[must_use]
    pub fn suspended(&self, threads: &[Suspended]) -> String {
        let mut text = String::new();
        for ((process, thread), it) in self.indices().zip(threads) {
            let begins = |counter| {
                let symbols = self.programs[process].as_ref();
                symbols.is_some_and(|symbols| symbols.begins(FIRST, counter))
            };
            let place = match it.counter {
                Some(counter) if begins(counter) => "has not run since it began".into(),
                Some(counter) => {
                    format!("was suspended last at {}", self.own_place(process, counter))
                }
                None => "was suspended last at an unknown place".into(),
            };
            let process = &self.image.plan.processes[process];
            let used = it
                .unused
                .and_then(|unused| stacks::used(process, thread, unused, self.guard()));
            let stack = used.map_or(String::new(), |(used, size)| {
                format!("; it has used {used} of {size} bytes of its stack")
            });
            let (thread, process) = (&process.threads[thread].name, &process.name);
            let _ = writeln!(text, "  thread `{thread}` of `{process}` {place}{stack}");
        }
        text
    }

    /// All threads, in the kernel's order: their process, and their index in it.
    fn indices(&self) -> impl Iterator<Item = (usize, usize)> {
        let processes = self.image.plan.processes.iter().enumerate();
        processes.flat_map(|(process, it)| {
            let threads = 0..it.threads.len();
            threads.map(move |thread| (process, thread))
        })
    }

    /// An address of a process in the reader's own words: of what is inlined there, not what the library has to do
    /// with it.
    fn own_place(&self, process: usize, address: u32) -> String {
        let symbols = self.programs[process].as_ref();
        let places = telling(symbols.map(|it| it.places(address)).unwrap_or_default());
        let own = places
            .iter()
            .find(|it| !it.function.starts_with("riposte::"));
        own.or(places.first())
            .map_or(format!("{address:#010x}"), ToString::to_string)
    }

    fn explain(&self, record: &Record) -> String {
        let process = &self.image.plan.processes[record.process];
        let record = &self.with_overflow(record, process);
        let thread = process
            .threads
            .get(record.thread)
            .map_or("?", |thread| &thread.name);
        let viewer = Some(record.process);
        let controlled = record.reason == reason::CONTROLLED;
        let address = record.address.filter(|_| !controlled);
        let owner = address.map(|address| self.owner(viewer, address));
        let places = self.backtrace(record);
        let what = match record.reason {
            _ if controlled => self.what_was_done(record),
            reason::PANIC => format!("panicked: {}", with_whole_path(&record.text, &places)),
            _ => what_happened(record),
        };
        let mut text = format!("process `{}` {what}\n", process.name);
        let mut line = |name: &str, value: &str| {
            let _ = writeln!(text, "  {name:<9} {value}");
        };
        line("thread", thread);
        if record.unfinished {
            line(
                "but",
                "the board stood still before the kernel had taken all of this",
            );
        }
        // It ended by itself: nothing was touched, and where it stood says nothing.
        if record.reason == reason::EXIT {
            line("then", &what_followed_an_exit(record, &process.name));
            self.stacks(&mut text, record, process);
            return text;
        }
        match places.first() {
            Some(place) if self.is_lost(record) => {
                line("in", &format!("what was called at {place}"));
            }
            Some(place) => line("in", place),
            None => {}
        }
        if let (Some(address), Some(owner)) = (address, &owner) {
            line(
                "touched",
                &format!("{address:#010x}: {}", self.describe(owner)),
            );
        }
        if !controlled {
            if let Some(hint) = hint::hint(record, process, owner.as_ref(), self) {
                line("hint", &hint);
            }
            line("then", &what_followed(record));
        }
        self.stacks(&mut text, record, process);
        let mut line = |name: &str, value: &str| {
            let _ = writeln!(text, "  {name:<9} {value}");
        };
        for (depth, place) in places.iter().enumerate() {
            line(
                if depth == 0 { "backtrace" } else { "" },
                &format!("{depth:>2} {place}"),
            );
        }
        self.registers(&mut text, record);
        text
    }

    /// What its threads have used of their stacks at most.
    fn stacks(&self, text: &mut String, record: &Record, process: &PlanProcess) {
        let told = record.stacks_unused.iter().enumerate();
        let told = told.filter_map(|(index, unused)| {
            let (used, size) = stacks::used(process, index, *unused, self.guard())?;
            // A spare one that was never started.
            (used > 0).then_some(())?;
            Some(format!("{} {used} of {size}", process.threads[index].name))
        });
        let told: Vec<String> = told.collect();
        if !told.is_empty() {
            let told = told.join(", ");
            let _ = writeln!(text, "  {:<9} {told} bytes used at most", "stack");
        }
    }

    /// What another process did to it.
    fn what_was_done(&self, record: &Record) -> String {
        let by = record
            .address
            .and_then(|index| self.image.plan.processes.get(index as usize));
        let by = by.map_or("another process", |by| &by.name);
        let what = match record.action {
            action::RESTARTED => "restarted",
            _ => "stopped",
        };
        format!("was {what} by `{by}`; its main thread stood here")
    }

    /// The record, in which an access between the end of a stack and a stack pointer below that is an overflow: the
    /// kernel calls it so only close to the stack.
    fn with_overflow(&self, record: &Record, process: &PlanProcess) -> Record {
        let [pointer, ..] = registers::family(self.board.arch).pointers();
        let thread = process.threads.get(record.thread);
        let below = thread.map_or(0..0, |thread| record.register(pointer)..thread.stack.base);
        let mut record = record.clone();
        if record.reason == reason::MEMORY && record.address.is_some_and(|it| below.contains(&it)) {
            record.reason = reason::STACK_OVERFLOW;
        }
        record
    }

    /// Whether the processor has not saved where it was, for want of stack.
    fn is_lost(&self, record: &Record) -> bool {
        let [.., counter] = registers::family(self.board.arch).pointers();
        record.reason == reason::STACK_OVERFLOW && record.register(counter) == 0
    }

    fn backtrace(&self, record: &Record) -> Vec<String> {
        let program = &self.image.programs[record.process];
        let addresses = backtrace::addresses(record, program, registers::family(self.board.arch));
        let calls = addresses
            .into_iter()
            .flat_map(|address| self.call(record.process, address));
        calls.collect()
    }

    /// The functions that `address` is in, innermost first.
    fn call(&self, process: usize, address: u32) -> Vec<String> {
        let symbols = self.programs[process].as_ref();
        let places = telling(symbols.map(|it| it.places(address)).unwrap_or_default());
        if places.is_empty() {
            return vec![self.place(Some(process), address)];
        }
        places
            .iter()
            .map(|place| format!("{address:#010x} {place}"))
            .collect()
    }

    fn registers(&self, text: &mut String, record: &Record) {
        let names = registers::family(self.board.arch).names();
        let words: Vec<String> = names
            .iter()
            .zip(&record.registers)
            .map(|(name, value)| format!("{name:>4} {value:08x}"))
            .collect();
        for (row, words) in words.chunks(5).enumerate() {
            let name = if row == 0 { "registers" } else { "" };
            let _ = writeln!(text, "  {name:<9} {}", words.join("  ").trim_start());
        }
    }

    fn owner(&self, viewer: Option<usize>, address: u32) -> Owner {
        let Image { plan, layout, .. } = self.image;
        memory::owner(plan, layout, self.board, viewer, address)
    }

    fn describe(&self, owner: &Owner) -> String {
        memory::describe(owner, &self.image.plan)
    }
}

/// Without the inlined functions of Rust's own library, unless there are no others.
fn telling(mut places: Vec<Place>) -> Vec<Place> {
    if places.iter().any(|place| !place.is_library()) {
        places.retain(|place| !place.is_library());
    }
    places
}

/// What a panic says, `FILE:LINE: …`, with the file as the backtrace names it: the compiler knows it from the workspace, the
/// reader from here.
fn with_whole_path(text: &str, places: &[String]) -> String {
    let found = || {
        let (file, rest) = text.split_once(':')?;
        let files = places.iter().filter_map(|it| it.rsplit_once(" at "));
        let mut files = files.filter_map(|(_, at)| at.rsplit_once(':'));
        let (whole, _) = files.find(|(it, _)| !file.is_empty() && Path::new(it).ends_with(file))?;
        Some(format!("{whole}:{rest}"))
    };
    found().unwrap_or_else(|| text.into())
}

fn what_happened(record: &Record) -> String {
    match record.reason {
        reason::MEMORY => "touched memory that is not its own".into(),
        reason::STACK_OVERFLOW => "overflowed its stack".into(),
        reason::EXECUTE => "jumped to what is not its code".into(),
        reason::ILLEGAL => "ran an illegal instruction".into(),
        reason::ARITHMETIC => "made an unaligned access or divided by zero".into(),
        reason::BUS => "caused a bus error".into(),
        reason::BREAKPOINT => "met a breakpoint with no debugger there".into(),
        reason::SIGNAL_FRAME => {
            "ended a signal's handler with a frame that is not that one's".into()
        }
        reason::EXIT => format!("ended with {}", status(record.address.unwrap_or_default())),
        other => format!("was stopped for reason {other}"),
    }
}

/// An exit status, as C's `int` if that makes it a small negative number.
fn status(status: u32) -> String {
    match status.cast_signed() {
        small @ -255..0 => format!("status {small}"),
        _ => format!("status {status}"),
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

fn what_followed_an_exit(record: &Record, process: &str) -> String {
    let what = match record.action {
        action::RESTARTED => "restarted, as on_exit says".into(),
        action::STOPPED => format!(
            "stays ended; on_exit = \"restart\" at [[process]] `{process}` in app.toml starts it again"
        ),
        action::LIMIT => "stays ended: it has reached its restart_limit".into(),
        _ => "unknown".to_owned(),
    };
    match record.count {
        0 | 1 => what,
        count => format!("{what} (it has stopped {count} times so far)"),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::board::Protection;
    use crate::lab::Lab;
    use crate::plan::Region;
    use crate::plan::{
        Grants, Layout, Mapped, OnExit, OnFault, Placement, Plan, PlanLending, PlanMapping,
        PlanRegion, PlanThread,
    };

    const fn region(base: u32, size: u32) -> Region {
        Region { base, size }
    }

    fn process(name: &str, flash: Region, ram: Region) -> PlanProcess {
        let thread = |name: &str, base, size| PlanThread {
            name: name.into(),
            entry: flash.base,
            stack: region(base, size),
            priority: 1,
            policy: crate::plan::Policy::Fifo,
            spare: false,
            storage: 0,
        };
        PlanProcess {
            name: name.into(),
            flash: Mapped::plain(flash),
            ram: Mapped::plain(ram),
            lending: PlanLending::default(),
            peripherals: Vec::new(),
            regions: Vec::new(),
            quotas: Vec::new(),
            threads: vec![
                thread("main", ram.base, 1024),
                thread("worker", ram.base + 1024, 512),
            ],
            interrupts: Vec::new(),
            connections: Vec::new(),
            objects: crate::plan::Objects::default(),
            on_fault: OnFault::Restart,
            on_exit: OnExit::Stop,
            restart: crate::plan::Restart::default(),
            signals: crate::plan::Signalling::default(),
            grants: Grants::default(),
            priority_limit: None,
            spare_stack: 0,
            fpu: false,
            info: flash.base,
            text: (flash.base, flash.base + 256),
            restartable: (0, 0),
        }
    }

    /// A region.
    fn common() -> Mapped {
        Mapped::plain(region(0x2002_0000, 0x1000))
    }

    /// That of two processes, `vault` and `thief`, of two threads each.
    pub(crate) fn image(board: &Board) -> Image {
        let processes = vec![
            process(
                "vault",
                region(0x1_0000, 0x1000),
                region(0x2001_0000, 0x1000),
            ),
            process(
                "thief",
                region(0x1_1000, 0x1000),
                region(0x2001_1000, 0x1000),
            ),
        ];
        let place = |it: &PlanProcess| Placement {
            devices: it.peripherals.clone(),
            flash: it.flash,
            text: it.flash.seen,
            ram: it.ram,
            stacks: it.threads.iter().map(|thread| thread.stack).collect(),
            data: region(it.ram.seen.base + 1536, 2560),
            pages: Region::default(),
        };
        let layout = Layout {
            kernel_flash: region(0, 0x220),
            kernel_text: region(0x2_0000, 0x1_0000),
            kernel_ram: region(0x2000_0000, 0x1_0000),
            processes: processes.iter().map(place).collect(),
            regions: vec![common()],
            pools: vec![],
        };
        let plan = Plan {
            application: "test".into(),
            board: board.name.clone(),
            levels: 32,
            handles: 8,
            depth: 8,
            slice_ns: 1_000_000,
            supervisor: None,
            manager: None,
            first_program: 0,
            processes,
            channels: Vec::new(),
            proxies: Vec::new(),
            regions: vec![PlanRegion {
                name: "common".into(),
                memory: common(),
            }],
            pools: vec![],
            trace: 0,
            floor: false,
        };
        Image::pretended(plan, layout)
    }

    /// The report on a fault of `thief` at `address`.
    fn report(reason: u32, address: u32, stack_pointer: u32) -> String {
        report_of(reason, address, stack_pointer, |_| {})
    }

    /// The report, if `change` is made to `thief`.
    fn report_of(
        reason: u32,
        address: u32,
        stack_pointer: u32,
        change: impl Fn(&mut PlanProcess),
    ) -> String {
        let lab = Lab::open().unwrap();
        let board = lab.board("mps2-an386").unwrap();
        let mut image = image(board);
        change(&mut image.plan.processes[1]);
        let mut registers = [0_u32; riposte_abi::fault::REGISTERS];
        registers[13] = stack_pointer;
        let json = format!(
            r#"{{"count":3,"process":1,"thread":1,"reason":{reason},"action":1,
                "address":{address},"address_valid":1,"registers":{registers:?},"trace":[],
                "text":"no more paper"}}"#
        );
        Scene::new(&lab.root, board, &image).report(&json)
    }

    #[test]
    fn a_report_says_who_where_whose_memory_and_what_to_do() {
        let stack = 0x2001_1600;
        for (address, said) in [
            (
                0x2001_0010,
                [
                    "the stack of thread `main` of process `vault`",
                    "send `vault`",
                ],
            ),
            (
                0x2000_0000,
                ["the kernel's data", "nothing of the kernel's"],
            ),
            (
                0x4001_0000,
                [
                    "device `gpio0`, which no process has",
                    "peripherals = [\"gpio0\"]",
                ],
            ),
            (
                0x0000_0010,
                ["the kernel's code or constants", "a null pointer"],
            ),
            (
                0x0001_1010,
                ["code or constants of process `thief`", "cannot be written"],
            ),
            (
                0x6000_0000,
                ["nothing: no memory and no device", "wild pointer"],
            ),
            (
                0xE000_ED00,
                ["the processor's own registers", "only the kernel"],
            ),
        ] {
            let report = report(reason::MEMORY, address, stack);
            for words in said
                .iter()
                .chain(&["process `thief` touched", "thread    worker"])
            {
                assert!(
                    report.contains(words),
                    "{address:#x}: no `{words}` in\n{report}"
                );
            }
            assert!(
                report.contains("restarted (its 3 faults so far)"),
                "{report}"
            );
        }
    }

    #[test]
    fn an_exit_with_a_status_is_no_fault_and_says_what_happens_now() {
        for (action, said) in [
            (
                action::RESTARTED,
                "restarted, as on_exit says (it has stopped 3 times so far)",
            ),
            (
                action::STOPPED,
                "stays ended; on_exit = \"restart\" at [[process]] `thief` in app.toml starts it \
                 again (it has stopped 3 times so far)",
            ),
            (
                action::LIMIT,
                "stays ended: it has reached its restart_limit (it has stopped 3 times so far)",
            ),
        ] {
            let json = format!(
                r#"{{"count":3,"process":1,"thread":0,"reason":9,"action":{action},
                    "address":1,"address_valid":1,"registers":[0,0],"trace":[],"text":""}}"#
            );
            let lab = Lab::open().unwrap();
            let board = lab.board("mps2-an386").unwrap();
            let report = Scene::new(&lab.root, board, &image(board)).report(&json);
            assert_eq!(
                report,
                format!(
                    "process `thief` ended with status 1\n  thread    main\n  then      {said}\n"
                )
            );
        }
    }

    #[test]
    fn a_negative_exit_status_is_shown_as_the_program_wrote_it() {
        assert_eq!(status(u32::MAX), "status -1");
        assert_eq!(status(2), "status 2");
    }

    #[test]
    fn a_process_that_lends_is_told_what_can_be_the_matter() {
        let lending = |thief: &mut PlanProcess| {
            thief.lending = PlanLending {
                windows: 1,
                pages: region(0x2001_1C00, 0x400),
                ..PlanLending::default()
            };
        };
        for (address, said) in [
            (0x2001_1C10, "it is lent, or was moved"),
            (0x2001_0800, "lent memory is there until the answer"),
        ] {
            let report = report_of(reason::MEMORY, address, 0x2001_1600, lending);
            assert!(report.contains(said), "no {said} in:\n{report}");
        }
    }

    #[test]
    fn a_fault_in_a_region_is_told_by_its_name_and_what_the_process_may_do() {
        let reads = |thief: &mut PlanProcess| {
            thief.regions = vec![PlanMapping {
                region: 0,
                memory: common(),
                writable: false,
            }];
        };
        let at = (reason::MEMORY, 0x2002_0010, 0x2001_1600);
        let report = report_of(at.0, at.1, at.2, reads);
        assert!(report.contains("region `common`"), "{report}");
        let said = "it may only be read: give `thief` access";
        assert!(report.contains(said), "{report}");
        let report = report_of(at.0, at.1, at.2, |_| {});
        let said = "add `thief` to the `processes` of [[region]] `common`";
        assert!(report.contains(said), "{report}");
    }

    #[test]
    fn an_overflow_is_told_by_guard_or_by_what_lies_below() {
        let guard = 0x2001_1000 + 1024 + Protection::smallest_guard() / 2;
        for address in [0x2001_0FF8, guard] {
            let report = report(reason::MEMORY, address, 0x2001_1200);
            assert!(report.contains("raise `stack` of thread"), "{report}");
        }
    }

    #[test]
    fn a_panic_is_told_with_its_message() {
        let report = report(reason::PANIC, 0, 0x2001_1600);
        assert!(
            report.contains("process `thief` panicked: no more paper"),
            "{report}"
        );
        // That is the hint.
        assert!(!report.contains("  hint "), "{report}");
    }

    #[test]
    fn a_panic_and_the_backtrace_name_a_file_alike() {
        let places = [
            "0x00000010 core::panicking::panic at library/core/src/panicking.rs:3",
            "0x00000020 store::main at station/store/src/main.rs:53",
        ];
        let places = places.map(str::to_owned);
        for (text, shown) in [
            (
                "store/src/main.rs:31: no: at all",
                "station/store/src/main.rs:31: no: at all",
            ),
            ("or/src/main.rs:31: no", "or/src/main.rs:31: no"),
            (": no", ": no"),
            ("no", "no"),
        ] {
            assert_eq!(with_whole_path(text, &places), shown);
        }
    }

    #[test]
    fn the_use_of_stacks_is_told_without_guards_and_without_threads_that_never_ran() {
        let lab = Lab::open().unwrap();
        let board = lab.board("mps2-an386").unwrap();
        let guard = board.protection.guard;
        let image = image(board);
        let scene = Scene::new(&lab.root, board, &image);
        let record = |unused: [u32; 2]| {
            let [main, worker] = unused;
            format!(
                r#"@fault {{"count":1,"process":1,"thread":0,"reason":9,"action":2,
                    "stacks_unused":["{main:#x}","{worker:#x}"],"text":""}}"#
            )
        };
        let room = 512 - guard;
        let report = scene.explained(&record([1000, room]));
        assert!(
            report.contains("  stack     main 24 of 1024 bytes used at most\n"),
            "{report}"
        );
        let report = scene.explained(&record([0, 0]));
        let said = format!("  stack     main 1024 of 1024, worker {room} of {room} bytes used");
        assert!(report.contains(&said), "{report}");
        let mut stacks = Stacks::default();
        for unused in [[1000, room], [900, 400], [1000, room]] {
            scene.note_stacks(&record(unused), &mut stacks);
        }
        let lines = stacks.lines();
        assert!(
            lines.starts_with("  thread `main` of `thief`: 124 of 1024\n"),
            "{lines}"
        );
        assert!(
            lines.contains(&format!("`worker` of `thief`: {} of {room}\n", room - 400)),
            "{lines}"
        );
        // More than there is: no record of this image.
        scene.note_stacks(&record([5000, u32::MAX]), &mut stacks);
        assert_eq!(stacks.lines(), lines);
    }

    #[test]
    fn a_line_keeps_back_the_report_of_a_fault_only_with_all_that_the_kernel_has_kept_of_it() {
        let line = |count: u32, register: u32| {
            format!(
                r#"@fault {{"count":{count},"process":1,"thread":0,"reason":1,"action":2,"address":"0x8",
                    "address_valid":1,"registers":["{register:#x}"],"trace":["0x101","0x0"],
                    "stacks_unused":["0x10"],"text":"a?\n"}}"#
            )
        };
        let kept = Record {
            count: 2,
            process: 1,
            reason: reason::MEMORY,
            action: action::STOPPED,
            address: Some(8),
            registers: vec![7],
            trace: vec![0x101],
            text: "a?\n".into(),
            ..Record::default()
        };
        let none_kept = [None, None];
        let all_kept = [None, Some(kept.clone())];
        // What was told; whether it is that fault; and whether the kernel knows of it, or might have.
        for (line, is_it, may_be) in [
            (line(2, 7), true, true),
            (line(2, 6), false, false),
            (line(1, 6), false, true),
            (line(3, 7), false, false),
        ] {
            let mut reported = Reported::default();
            reported.note(&line);
            assert_eq!(reported.has(&kept), is_it, "{line}");
            assert_eq!(
                reported.false_ones(&all_kept).count() == 0,
                may_be,
                "{line}"
            );
            assert_eq!(reported.false_ones(&none_kept).collect::<Vec<_>>(), [1]);
        }
    }

    #[test]
    fn a_line_that_is_no_record_is_passed_through() {
        let lab = Lab::open().unwrap();
        let board = lab.board("mps2-an386").unwrap();
        let image = image(board);
        let scene = Scene::new(&lab.root, board, &image);
        assert_eq!(scene.report("{}"), "@fault {}");
        assert_eq!(scene.explained("w@fault {}"), "w\n@fault {}");
        assert_eq!(scene.explained("a @fault"), "a @fault");
        assert_eq!(
            scene.report(r#"{"process":7,"reason":1}"#),
            r#"@fault {"process":7,"reason":1}"#
        );
    }
}
