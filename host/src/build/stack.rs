//! How deep a stack can get, the kernel's or a thread's: the longest way through the calls of its machine code.
//!
//! What a function takes of the stack, and whom it calls, is read from the instructions of the linked file,
//! so that assembly counts as what a compiler made does. Where a choice has to be made, more is counted: all
//! that a function takes anywhere is taken at each of its calls, and a call through a pointer may lead to any
//! function whose address is somewhere. What cannot be bounded, such as recursion, is refused.

mod riscv;
mod thumb;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;

use miette::{IntoDiagnostic, WrapErr, miette};
use object::read::elf::ElfFile32;
use object::{Architecture, Endianness, Object, ObjectSection, ObjectSymbol, SymbolKind};

use crate::board::{self, Board};
use crate::symbols;

/// What one instruction does that counts for the stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    /// Takes so many bytes.
    Take(u32),
    /// Calls the function at this address.
    Call(u32),
    /// Goes on at this address.
    Jump(u32),
    /// Calls what a register says.
    CallAnything,
    /// Goes on where a register says: in a table of this function, or in any function.
    JumpAnywhere,
    /// Goes on where a word of the table at this address says.
    JumpBy(u32),
    /// Makes this address.
    Address(u32),
    /// Takes what a register says.
    TakeAnything,
    /// Goes on where it was called: of no effect.
    Return,
    /// Goes on with a process.
    Leave,
}

impl Effect {
    /// Whether the next instruction of the code is another one than that behind it, or comes later.
    fn goes_elsewhere(self) -> bool {
        match self {
            Effect::Call(_)
            | Effect::CallAnything
            | Effect::Jump(_)
            | Effect::JumpAnywhere
            | Effect::JumpBy(_)
            | Effect::Return
            | Effect::Leave => true,
            Effect::Take(_) | Effect::Address(_) | Effect::TakeAnything => false,
        }
    }
}

/// What the instructions of a function do.
#[derive(Debug, Default)]
struct Function {
    name: String,
    start: u32,
    end: u32,
    frame: u32,
    calls: BTreeSet<u32>,
    /// It calls whatever a register says.
    calls_anything: bool,
    /// It leads out of the kernel.
    leaves: bool,
    /// Where it takes what a register says, if it does.
    takes_anything: Option<u32>,
}

/// The functions of the kernel or of a program, by their addresses.
#[derive(Debug, Default)]
struct Program {
    functions: BTreeMap<u32, Function>,
    /// Functions whose address is somewhere: what a pointer may lead to.
    pointed_at: BTreeSet<u32>,
}

/// Bytes that an Arm processor itself puts on a stack when something interrupts who uses it, with the floating-point
/// registers, and to align it.
pub const EXCEPTION: u32 = 104 + 4;

/// Called when the kernel itself faults, however deep it is.
const KERNEL_FAULT: &str = "riposte_kernel_fault";

/// The way that takes the most of a stack.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Depth {
    /// Bytes of it; in the kernel with those of a fault of its own at its end.
    pub bytes: u32,
    /// The functions of the way, and what each takes; without the fault.
    pub way: Vec<(String, u32)>,
}

impl Depth {
    /// The same behind a call of `function`.
    fn enter(&mut self, function: &Function) {
        self.bytes += function.frame;
        self.way.insert(0, (function.name.clone(), function.frame));
    }
}

/// Reads a linked file, and for what it is made.
fn linked(file: &Path, of: Of) -> miette::Result<(Program, Architecture)> {
    let bytes = std::fs::read(file)
        .into_diagnostic()
        .wrap_err_with(|| format!("cannot read {}", file.display()))?;
    let elf = ElfFile32::<Endianness>::parse(&*bytes)
        .map_err(|error| miette!("{}: {error}", file.display()))?;
    let program = Program::read(&elf, of).wrap_err_with(|| file.display().to_string())?;
    Ok((program, elf.architecture()))
}

/// Bounds the stack of the kernel `file`.
///
/// # Errors
/// The file cannot be read; or there is recursion, or something that takes as much as a register says.
pub fn depth(file: &Path) -> miette::Result<Depth> {
    let (program, architecture) = linked(file, Of::Kernel)?;
    let unbounded = |why: Unbounded| miette!("the kernel's stack has no bound: {why}");
    let mut depth = program.deepest().map_err(unbounded)?;
    let fault = program
        .functions
        .values()
        .find(|it| it.name == KERNEL_FAULT);
    if let Some(fault) = fault {
        let further = program
            .below(fault.start, &mut Walk::default())
            .map_err(unbounded)?;
        depth.bytes += further.bytes;
        if architecture == Architecture::Arm {
            depth.bytes += EXCEPTION;
        }
    }
    Ok(depth)
}

/// Why a stack has no bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unbounded {
    /// The functions of a circle, of which the last is the first; and those of them that call what a register says.
    Recursion(Vec<String>, BTreeSet<String>),
    /// A function that takes as much as a register says, and where.
    Register(String, u32),
}

impl fmt::Display for Unbounded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unbounded::Recursion(circle, indirect) => {
                write!(f, "there is recursion, {}", circle.join(" -> "))?;
                match indirect.is_empty() {
                    true => Ok(()),
                    false => {
                        let indirect: Vec<&str> = indirect.iter().map(|it| &**it).collect();
                        write!(
                            f,
                            " (if the calls through pointers of {} lead there)",
                            indirect.join(", ")
                        )
                    }
                }
            }
            Unbounded::Register(function, address) => {
                write!(
                    f,
                    "`{function}` takes as much of it as a register says, at {address:#x}"
                )
            }
        }
    }
}

/// What is known of the stack of a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Bound {
    /// The deepest way.
    Way(Depth),
    /// There is none; and the deepest way of calls by name, each function once.
    None(Unbounded, Depth),
}

/// The stacks of a linked program.
pub struct Stacks(Program);

impl Stacks {
    /// Reads a program.
    ///
    /// # Errors
    /// If it is no ELF file.
    pub fn read(file: &Path) -> miette::Result<Stacks> {
        Ok(Stacks(linked(file, Of::Process)?.0))
    }

    /// How deep a thread gets that begins at `entry`; nothing if no function does.
    #[must_use]
    pub fn from(&self, entry: u32) -> Option<Bound> {
        // Its lowest bit may say that it is Thumb code.
        let program = &self.0;
        let start = [entry, entry & !1];
        let start = start
            .into_iter()
            .find(|it| program.functions.contains_key(it))?;
        Some(program.bound(&BTreeSet::from([start])))
    }

    /// How deep a thread gets that begins at any function that a pointer leads to.
    #[must_use]
    pub fn from_any(&self) -> Bound {
        self.0.bound(&self.0.pointed_at)
    }
}

/// Whose code is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Of {
    /// The kernel, whose way out is a jump through memory.
    Kernel,
    /// A process, where such a jump goes on in it.
    Process,
}

/// Bytes of stack that a kernel has on `board` if it is so deep.
#[must_use]
pub fn size(board: &Board, bytes: u32) -> u32 {
    // The stack pointer is aligned to 8 bytes; on RISC-V one instruction makes the stack's end, as it is a
    // multiple of a page.
    let unit = match board.arch {
        board::Architecture::Armv7m => 8,
        board::Architecture::Riscv => 4096,
    };
    bytes.next_multiple_of(unit)
}

/// How deep it is below each function that has been looked at, and the way to the one that is.
#[derive(Default)]
struct Walk {
    known: BTreeMap<u32, Depth>,
    open: Vec<u32>,
}

impl Program {
    fn read(elf: &ElfFile32<'_, Endianness>, of: Of) -> miette::Result<Program> {
        let is_arm = elf.architecture() == Architecture::Arm;
        let mut program = Program::default();
        for symbol in elf.symbols().filter(|it| it.kind() == SymbolKind::Text) {
            // The lowest bit of an address says that it is Thumb code.
            let start = word(symbol.address()) & !u32::from(is_arm);
            let function = program.functions.entry(start).or_default();
            let end = start + word(symbol.size());
            if end >= function.end {
                *function = Function {
                    name: name(symbol.name().unwrap_or_default()),
                    start,
                    end,
                    ..Function::default()
                };
            }
        }
        program.close_gaps();
        let data = Data::of(elf);
        let starts = program.functions.keys().copied().collect();
        let mut tables = BTreeMap::new();
        let mut pointed_at = program.tables(elf, is_arm, &mut tables);
        let reached = tables.values().copied().collect();
        for section in elf
            .sections()
            .filter(|it| it.kind() == object::SectionKind::Text)
        {
            let code = Code {
                base: word(section.address()),
                bytes: section.data().into_diagnostic()?,
                data: &data,
                starts: &starts,
                reached: &reached,
            };
            program.follow(&code, (is_arm, of), &tables, &mut pointed_at);
        }
        // Who leads out of the kernel does not return to whom calls it: nobody does.
        pointed_at.retain(|start| !program.functions[start].leaves);
        program.pointed_at = pointed_at;
        Ok(program)
    }

    /// A function of assembly may not say how long it is: it ends where the next one begins.
    fn close_gaps(&mut self) {
        let starts: Vec<u32> = self.functions.keys().copied().collect();
        for pair in starts.windows(2) {
            if let Some(function) = self.functions.get_mut(&pair[0])
                && (function.end == function.start || function.end > pair[1])
            {
                function.end = pair[1];
            }
        }
    }

    /// The function that holds an address.
    fn at(&self, address: u32) -> Option<&Function> {
        let (_, function) = self.functions.range(..=address).next_back()?;
        (address < function.end.max(function.start + 1)).then_some(function)
    }

    /// The functions that words outside the vectors point at. Where words lie that point into one goes into `tables`,
    /// and to what they point.
    fn tables(
        &self,
        elf: &ElfFile32<'_, Endianness>,
        is_arm: bool,
        tables: &mut BTreeMap<u32, u32>,
    ) -> BTreeSet<u32> {
        let mut pointed_at = BTreeSet::new();
        let vectors = [".vectors", ".vector_table"];
        let sections = elf.sections();
        let sections = sections.filter(|it| !vectors.contains(&it.name().unwrap_or_default()));
        for section in sections.filter(|it| it.address() != 0) {
            let data = section.data().unwrap_or_default();
            let addresses = (word(section.address())..).step_by(4);
            for (&bytes, address) in data.as_chunks::<4>().0.iter().zip(addresses) {
                let value = u32::from_le_bytes(bytes);
                let is_code = !is_arm || value & 1 != 0;
                let Some(function) = self.at(value & !u32::from(is_arm)).filter(|_| is_code) else {
                    continue;
                };
                if value & !u32::from(is_arm) == function.start {
                    pointed_at.insert(function.start);
                } else {
                    tables.insert(address, value & !u32::from(is_arm));
                }
            }
        }
        pointed_at
    }

    /// What the functions of a section do.
    fn follow(
        &mut self,
        code: &Code<'_>,
        (is_arm, of): (bool, Of),
        tables: &BTreeMap<u32, u32>,
        pointed_at: &mut BTreeSet<u32>,
    ) {
        let effects = if is_arm {
            thumb::effects(code)
        } else {
            riscv::effects(code)
        };
        // The function into which a word of a table points.
        let of_table = |(table, to): (&u32, &u32)| Some((*table, self.at(*to)?.start));
        let of_table: BTreeMap<u32, u32> = tables.iter().filter_map(of_table).collect();
        // Where a function can jump by a register without leaving: an address within itself, or that of a table of such.
        let goes_within = |&(address, effect): &(u32, Effect)| {
            let (function, made) = match effect {
                Effect::Address(made) | Effect::JumpBy(made) => (self.at(address)?, made),
                _ => return None,
            };
            let target = made & !u32::from(is_arm);
            let is_within = target > function.start && target < function.end;
            let is_table = of_table.get(&made) == Some(&function.start);
            (is_within || is_table).then_some(target)
        };
        let is_by = |effect| matches!(effect, Effect::JumpBy(_));
        let by = effects.iter().filter(|(_, effect)| is_by(*effect));
        let by: BTreeSet<u32> = by.filter_map(goes_within).collect();
        // One jump more is of each that no jump is known to be of; what jumps beyond those goes on in any function.
        let mut others = BTreeMap::<u32, BTreeSet<u32>>::new();
        for it in effects.iter().filter(|(_, effect)| !is_by(*effect)) {
            if let (Some(target), Some(function)) = (goes_within(it), self.at(it.0))
                && !by.contains(&target)
            {
                others.entry(function.start).or_default().insert(target);
            }
        }
        for (address, effect) in effects {
            let Some(start) = self.at(address).map(|function| function.start) else {
                continue;
            };
            let target = match effect {
                Effect::Call(target) | Effect::Jump(target) => self.at(target).map(|it| it.start),
                Effect::Address(target) => {
                    let target = target & !u32::from(is_arm);
                    pointed_at.extend(self.functions.get(&target).map(|it| it.start));
                    continue;
                }
                _ => None,
            };
            let Some(function) = self.functions.get_mut(&start) else {
                continue;
            };
            match effect {
                Effect::Take(bytes) => function.frame += bytes,
                Effect::Call(_) | Effect::Jump(_) if target.is_none() => {
                    // No function is there: what was read of the code is not what it does.
                    function.calls_anything = true;
                }
                Effect::Call(_) => function.calls.extend(target),
                Effect::Jump(_) if target != Some(start) => function.calls.extend(target),
                Effect::Leave if of == Of::Kernel => function.leaves = true,
                Effect::CallAnything => function.calls_anything = true,
                Effect::JumpBy(table) if of_table.get(&table) == Some(&start) => {}
                Effect::JumpAnywhere | Effect::JumpBy(_) | Effect::Leave => {
                    let within = others.get_mut(&start).and_then(BTreeSet::pop_first);
                    function.calls_anything |= within.is_none();
                }
                Effect::TakeAnything => function.takes_anything = Some(address),
                Effect::Jump(_) | Effect::Address(_) | Effect::Return => {}
            }
        }
    }

    /// How deep it gets below any of `starts`.
    fn bound(&self, starts: &BTreeSet<u32>) -> Bound {
        match self.deepest_of(starts.iter(), &mut Walk::default()) {
            Ok(depth) => Bound::Way(depth),
            Err(why) => {
                let mut known = BTreeMap::new();
                let ways = starts.iter().map(|it| self.by_name(*it, &mut known));
                let longest = ways.max_by_key(|it| it.bytes);
                Bound::None(why, longest.unwrap_or_default())
            }
        }
    }

    /// The deepest way of calls by name, where no function is entered again: at least so much can be needed.
    fn by_name(&self, start: u32, known: &mut BTreeMap<u32, Depth>) -> Depth {
        if let Some(known) = known.get(&start) {
            return known.clone();
        }
        // Until it is known, whoever calls it again counts nothing.
        known.insert(start, Depth::default());
        let function = &self.functions[&start];
        let below = function.calls.iter().map(|it| self.by_name(*it, known));
        let mut depth = below.max_by_key(|it| it.bytes).unwrap_or_default();
        depth.enter(function);
        known.insert(start, depth.clone());
        depth
    }

    /// The deepest way of all, wherever it begins.
    fn deepest(&self) -> Result<Depth, Unbounded> {
        self.deepest_of(self.functions.keys(), &mut Walk::default())
    }

    /// The deepest way that begins at one of these functions.
    fn deepest_of<'a>(
        &self,
        starts: impl Iterator<Item = &'a u32>,
        walk: &mut Walk,
    ) -> Result<Depth, Unbounded> {
        let mut deepest = Depth::default();
        for start in starts {
            let depth = self.below(*start, walk)?;
            if depth.bytes > deepest.bytes {
                deepest = depth;
            }
        }
        Ok(deepest)
    }

    /// How deep it gets in a function and what that calls.
    fn below(&self, start: u32, walk: &mut Walk) -> Result<Depth, Unbounded> {
        if let Some(known) = walk.known.get(&start) {
            return Ok(known.clone());
        }
        let function = &self.functions[&start];
        if let Some(first) = walk.open.iter().position(|open| *open == start) {
            let circle = walk.open[first..].iter().chain([&start]);
            let circle: Vec<u32> = circle.copied().collect();
            let through_pointers = circle.windows(2).filter_map(|pair| {
                let caller = &self.functions[&pair[0]];
                (!caller.calls.contains(&pair[1])).then(|| caller.name.clone())
            });
            return Err(Unbounded::Recursion(
                circle
                    .iter()
                    .map(|it| self.functions[it].name.clone())
                    .collect(),
                through_pointers.collect(),
            ));
        }
        if let Some(address) = function.takes_anything {
            return Err(Unbounded::Register(function.name.clone(), address));
        }
        walk.open.push(start);
        let anything = function.calls_anything.then_some(&self.pointed_at);
        let callees = function.calls.iter().chain(anything.into_iter().flatten());
        let mut deepest = self.deepest_of(callees, walk)?;
        walk.open.pop();
        deepest.enter(function);
        walk.known.insert(start, deepest.clone());
        Ok(deepest)
    }
}

/// The instructions of a section.
struct Code<'a> {
    base: u32,
    bytes: &'a [u8],
    data: &'a Data,
    /// Where functions begin.
    starts: &'a BTreeSet<u32>,
    /// Where else they are entered by words: the places of tables.
    reached: &'a BTreeSet<u32>,
}

impl Code<'_> {
    fn begins(&self, address: u32) -> bool {
        self.starts.contains(&address)
    }

    /// The 16 bits at an address.
    fn half(&self, address: u32) -> Option<u16> {
        let at = address.checked_sub(self.base)? as usize;
        let bytes = self.bytes.get(at..at + 2)?;
        Some(u16::from_le_bytes([bytes[0], bytes[1]]))
    }
}

/// What is data among the code, as an Arm file says it.
#[derive(Default)]
struct Data(BTreeMap<u32, bool>);

impl Data {
    fn of(elf: &ElfFile32<'_, Endianness>) -> Data {
        let marks = elf.symbols().filter_map(|symbol| {
            let name = symbol.name().ok()?;
            let kind = name
                .get(..2)
                .filter(|_| name.len() == 2 || name.as_bytes()[2] == b'.')?;
            matches!(kind, "$t" | "$d").then_some((word(symbol.address()), kind == "$d"))
        });
        Data(marks.collect())
    }

    fn holds(&self, address: u32) -> bool {
        let mark = self.0.range(..=address).next_back();
        mark.is_some_and(|(_, is_data)| *is_data)
    }
}

/// A path without the decoration of its symbol, as far as a person needs it.
fn name(symbol: &str) -> String {
    let mut rest = symbol.strip_prefix("_ZN").unwrap_or("");
    let mut parts = vec![];
    while let Some(digits) = rest
        .find(|it: char| !it.is_ascii_digit())
        .filter(|it| *it > 0)
    {
        let length: usize = rest[..digits].parse().unwrap_or(0);
        // A person may call a function so.
        let part = rest
            .get(digits..)
            .and_then(|rest| rest.split_at_checked(length));
        let Some((part, behind)) = part else {
            break;
        };
        parts.push(part);
        rest = behind;
    }
    // A part with a `$` is the type of an `impl`, and the last one is a hash.
    parts.pop_if(|last| last.len() == 17 && last.starts_with('h'));
    parts.retain(|part| !part.contains('$'));
    // One part alone says nothing without the type that it is of.
    match parts.len() {
        0 | 1 => symbols::demangled(symbol),
        _ => parts.join("::"),
    }
}

fn word(value: u64) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_symbol_that_only_looks_decorated_is_a_name() {
        for symbol in ["_ZN18446744073709551615x", "_ZN9é", "_ZN1é", "_ZN0"] {
            assert_eq!(name(symbol), symbols::demangled(symbol));
        }
    }

    /// A program of these functions: their bytes, and whom each calls.
    fn program(functions: &[(&str, u32, &[u32])]) -> Program {
        let function = |(index, (name, frame, calls)): (usize, &(&str, u32, &[u32]))| {
            let start = index as u32 * 0x10;
            let function = Function {
                name: (*name).into(),
                start,
                end: start + 0x10,
                frame: *frame,
                calls: calls.iter().map(|it| it * 0x10).collect(),
                ..Function::default()
            };
            (start, function)
        };
        Program {
            functions: functions.iter().enumerate().map(function).collect(),
            pointed_at: BTreeSet::new(),
        }
    }

    #[test]
    fn the_deepest_way_counts_wherever_it_begins() {
        let program = program(&[
            ("entry", 8, &[1, 2]),
            ("wide", 100, &[]),
            ("narrow", 10, &[3]),
            ("deep", 120, &[]),
            ("other", 50, &[1]),
        ]);
        let deepest = program.deepest().expect("a bound");
        let names: Vec<_> = deepest.way.iter().map(|(name, _)| &**name).collect();
        assert_eq!((deepest.bytes, &*names), (150, &["other", "wide"][..]));
    }

    #[test]
    fn recursion_is_refused_with_the_functions_that_it_goes_through() {
        let program = program(&[("entry", 8, &[1]), ("even", 8, &[2]), ("odd", 8, &[1])]);
        let why = program.deepest().expect_err("no bound").to_string();
        let said = "there is recursion, even -> odd -> even";
        assert_eq!(why, said);
    }

    #[test]
    fn a_call_through_a_pointer_may_lead_to_whatever_is_pointed_at() {
        let mut program = program(&[
            ("entry", 8, &[]),
            ("handler", 100, &[]),
            ("plain", 200, &[]),
        ]);
        program.pointed_at.insert(0x10);
        program.functions.get_mut(&0).expect("entry").calls_anything = true;
        let mut walk = Walk::default();
        assert_eq!(program.below(0, &mut walk).expect("a bound").bytes, 108);
    }

    #[test]
    fn where_there_is_no_bound_the_calls_by_name_say_what_can_be_needed_at_least() {
        let mut program = program(&[
            ("entry", 8, &[1, 2]),
            ("even", 16, &[2]),
            ("odd", 32, &[1]),
            ("plain", 500, &[]),
            ("any", 4, &[]),
        ]);
        let bound = |start| program.bound(&BTreeSet::from([start]));
        let Bound::None(_, least) = bound(0) else {
            panic!("bounded")
        };
        assert_eq!(least.bytes, 8 + 16 + 32);
        assert!(matches!(bound(0x30), Bound::Way(it) if it.bytes == 500));
        // A circle through a pointer names who calls it.
        program.pointed_at.insert(0x40);
        program
            .functions
            .get_mut(&0x40)
            .expect("any")
            .calls_anything = true;
        let Bound::None(why, _) = program.bound(&BTreeSet::from([0x40])) else {
            panic!("bounded")
        };
        assert_eq!(
            why.to_string(),
            "there is recursion, any -> any (if the calls through pointers of any lead there)"
        );
    }

    #[test]
    fn what_takes_as_a_register_says_has_no_bound() {
        let mut program = program(&[("entry", 8, &[1]), ("alloca", 8, &[])]);
        program
            .functions
            .get_mut(&0x10)
            .expect("alloca")
            .takes_anything = Some(0x14);
        let Bound::None(why, least) = program.bound(&BTreeSet::from([0])) else {
            panic!("bounded")
        };
        assert_eq!(
            (why.to_string(), least.bytes),
            (
                "`alloca` takes as much of it as a register says, at 0x14".into(),
                16
            )
        );
    }

    /// What is made of a function at 0x1000 that is entered elsewhere, too, by a table.
    fn read<T>(halves: &[u16], reached: u32, make: impl FnOnce(&Code<'_>) -> T) -> T {
        let bytes: Vec<u8> = halves.iter().flat_map(|half| half.to_le_bytes()).collect();
        make(&Code {
            base: 0x1000,
            bytes: &bytes,
            data: &Data::default(),
            starts: &BTreeSet::from([0x1000]),
            reached: &BTreeSet::from([reached]),
        })
    }

    fn effects(is_arm: bool, halves: &[u16]) -> Vec<Effect> {
        let found = read(
            halves,
            0x100A,
            match is_arm {
                true => thumb::effects,
                false => riscv::effects,
            },
        );
        found.into_iter().map(|(_, effect)| effect).collect()
    }

    /// As the assembler writes them.
    #[test]
    fn what_thumb_code_takes_and_whom_it_calls_is_read() {
        use Effect::{Call, CallAnything, Jump, JumpAnywhere, Leave, Take, TakeAnything};
        for (halves, effect) in [
            (&[0xB5F0][..], Take(20)),         // push {r4-r7, lr}
            (&[0xE92D, 0x0F00], Take(16)),     // stmdb sp!, {r8-r11}
            (&[0xB08B], Take(44)),             // sub sp, #44
            (&[0xF5AD, 0x7D17], Take(604)),    // sub.w sp, sp, #604
            (&[0xF2AD, 0x4D04], Take(1028)),   // subw sp, sp, #1028
            (&[0xF84D, 0xBD04], Take(4)),      // str fp, [sp, #-4]!
            (&[0xED2D, 0x8B02], Take(8)),      // vpush {d8}
            (&[0xEBAD, 0x0D00], TakeAnything), // sub.w sp, sp, r0
            (&[0xF000, 0xF802], Call(0x1008)), // bl . + 8
            (&[0xF7FF, 0xFFFE], Call(0x1000)), // bl .
            (&[0xF000, 0xB802], Jump(0x1008)), // b.w . + 8
            (&[0xE002], Jump(0x1008)),         // b . + 8
            (&[0xD0FE], Jump(0x1000)),         // beq .
            (&[0xF43F, 0xAFFE], Jump(0x1000)), // beq.w .
            (&[0x4798], CallAnything),         // blx r3
            (&[0x4718], JumpAnywhere),         // bx r3
            (&[0xF8D0, 0xF05C], Leave),        // ldr.w pc, [r0, #92]
            (
                &[0xF240, 0x1334, 0xF2C2, 0x0300],
                Effect::Address(0x2000_0134),
            ),
        ] {
            assert_eq!(effects(true, halves), [effect], "{halves:x?}");
        }
        // bx lr; pop {r4, pc}; ldr.w pc, [sp], #4; mov r7, sp; add sp, #44; bkpt
        let nothing = [0x4770, 0xBD10, 0xF85D, 0xFB04, 0x466F, 0xB00B, 0xBEAB];
        assert_eq!(effects(true, &nothing), []);
    }

    #[test]
    fn what_risc_v_code_takes_and_whom_it_calls_is_read() {
        use Effect::{Call, CallAnything, Jump, JumpAnywhere, Leave, Take, TakeAnything};
        for (halves, effect) in [
            (&[0x1141][..], Take(16)),                         // c.addi sp, -16
            (&[0x7179], Take(48)),                             // c.addi16sp sp, -48
            (&[0x0113, 0xDA01], Take(608)),                    // addi sp, sp, -608
            (&[0x0133, 0x4051], TakeAnything),                 // sub sp, sp, t0
            (&[0x2021], Call(0x1008)),                         // c.jal . + 8
            (&[0xA021], Jump(0x1008)),                         // c.j . + 8
            (&[0x00EF, 0x0080], Call(0x1008)),                 // jal . + 8
            (&[0x006F, 0x0080], Jump(0x1008)),                 // j . + 8
            (&[0xF0EF, 0xFFDF], Call(0x0FFC)),                 // jal . - 4
            (&[0x9582], CallAnything),                         // c.jalr a1
            (&[0x8582], JumpAnywhere),                         // c.jr a1
            (&[0x0097, 0x0000, 0x80E7, 0x04E0], Call(0x104E)), // auipc ra; jalr 78(ra)
            (&[0x0317, 0x0000, 0x0067, 0x1903], Jump(0x1190)), // auipc t1; jr 400(t1)
            (&[0x0073, 0x3020], Leave),                        // mret
        ] {
            assert_eq!(effects(false, halves), [effect], "{halves:x?}");
        }
        // ret; jr t0; addi16sp sp, 48; mv a0, a1; add a0, a0, a1
        let nothing = [0x8082, 0x8282, 0x6145, 0x852E, 0x952E];
        assert_eq!(effects(false, &nothing), []);
    }

    /// `lui a1, 2; c.add a0, a1; c.lw a0, 0(a0); c.jr a0`: to where a word of the table at 0x2000 says.
    const BY_TABLE: [u16; 5] = [0x25B7, 0, 0x952E, 0x4108, 0x8502];
    /// `c.lw a5, 0(a0); c.jr a5`
    const BY_POINTER: [u16; 2] = [0x411C, 0x8782];

    #[test]
    fn what_a_register_held_before_is_no_place_to_jump_to() {
        use Effect::{CallAnything, Jump, JumpAnywhere, JumpBy};
        for (halves, last) in [
            // lui a5, 2; sw a0, 4(a5); c.lw a5, 0(a0); c.jr a5; and c.jalr
            (
                &[0x27B7, 0, 0xC3C8, 0x411C, 0x8782][..],
                &[JumpAnywhere][..],
            ),
            (&[0x27B7, 0, 0xC3C8, 0x411C, 0x9782], &[CallAnything]),
            // lui a5, 2; c.and a5, a0; c.jr a5
            (&[0x27B7, 0, 0x8FE9, 0x8782], &[JumpAnywhere]),
            // lui a5, 2; c.jr a5
            (&[0x27B7, 0, 0x8782], &[Jump(0x2000)]),
            // c.beqz a0, .+8; lui a5, 2; c.nop; c.jr a5, which is reached with another a5
            (
                &[0xC501, 0x27B7, 0, 0x0001, 0x8782],
                &[Jump(0x1008), JumpAnywhere],
            ),
            // lui a1, 2; ret; c.jr a1, in another arm
            (&[0x25B7, 0, 0x8082, 0x8582], &[JumpAnywhere]),
            // lui a1, 2; c.nop, three times; c.jr a1, where a table leads, too
            (&[0x25B7, 0, 1, 1, 1, 0x8582], &[JumpAnywhere]),
            (&BY_TABLE, &[JumpBy(0x2000)]),
        ] {
            assert_eq!(effects(false, halves), last, "{halves:x?}");
        }
    }

    /// A table is a `match` in one function, which may end with a call through a pointer as well.
    #[test]
    fn a_jump_by_a_pointer_counts_beside_one_by_a_table() {
        let calls_anything = |halves: &[u16]| {
            let mut program = Program::default();
            let function = Function {
                start: 0x1000,
                end: 0x1000 + halves.len() as u32 * 2,
                ..Function::default()
            };
            program.functions.insert(0x1000, function);
            let tables = BTreeMap::from([(0x2000, 0x1002)]);
            let of = (false, Of::Process);
            read(halves, 0x1002, |code| {
                program.follow(code, of, &tables, &mut BTreeSet::new());
            });
            program.functions[&0x1000].calls_anything
        };
        assert!(!calls_anything(&BY_TABLE));
        assert!(!calls_anything(&[BY_TABLE, BY_TABLE].concat()));
        assert!(calls_anything(&[&BY_TABLE[..], &BY_POINTER].concat()));
        assert!(calls_anything(&BY_POINTER));
        // lui a5, 2; c.jr a5: no function is there
        assert!(calls_anything(&[0x27B7, 0, 0x8782]));
        // One whose table was found before: lui a1, 2; addi a1, a1, 0; c.j .+2; c.add, c.lw, c.jr
        let elsewhere = [0x25B7, 0, 0x8593, 0x0005, 0xA009, 0x952E, 0x4108, 0x8502];
        assert!(!calls_anything(&elsewhere));
        assert!(calls_anything(&[&elsewhere[..], &BY_POINTER].concat()));
    }

    #[test]
    fn a_symbol_is_named_as_a_person_calls_it() {
        let path = "_ZN14riposte_kernel8priority48_$LT$impl$u20$x$GT$7refresh17h14b8bae668affc4cE";
        assert_eq!(
            name("_ZN4core3fmt5write17h14b8bae668affc4cE"),
            "core::fmt::write"
        );
        assert!(
            name(path).starts_with("riposte_kernel::priority"),
            "{}",
            name(path)
        );
        assert_eq!(name("riposte_call"), "riposte_call");
        let of_a_trait =
            "_ZN45_$LT$foo..Bar$u20$as$u20$core..fmt..Debug$GT$3fmt17h14b8bae668affc4cE";
        assert_eq!(name(of_a_trait), "<foo::Bar as core::fmt::Debug>::fmt");
    }
}
