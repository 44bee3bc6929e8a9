//! How deep the kernel's stack can get: the longest way through the calls of its machine code.
//!
//! What a function takes of the stack, and whom it calls, is read from the instructions of the linked file,
//! so that assembly counts as what a compiler made does. Where a choice has to be made, more is counted: all
//! that a function takes anywhere is taken at each of its calls, and a call through a pointer may lead to any
//! function whose address is somewhere. What cannot be bounded, such as recursion, is refused.

mod riscv;
mod thumb;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use miette::{IntoDiagnostic, WrapErr, miette};
use object::read::elf::ElfFile32;
use object::{Architecture, Endianness, Object, ObjectSection, ObjectSymbol, SymbolKind};

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
    /// Makes this address.
    Address(u32),
    /// Takes what a register says.
    TakeAnything,
    /// Goes on with a process.
    Leave,
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
}

/// The kernel's functions, by their addresses.
#[derive(Debug, Default)]
struct Program {
    functions: BTreeMap<u32, Function>,
    /// Functions whose address is somewhere: what a pointer may lead to.
    pointed_at: BTreeSet<u32>,
}

/// Bytes that the processor itself puts on the kernel's stack when a fault of the kernel interrupts it, with
/// the floating-point registers, and to align it.
const EXCEPTION: u32 = 104 + 4;

/// Called when the kernel itself faults, however deep it is.
const KERNEL_FAULT: &str = "riposte_kernel_fault";

/// The way that takes the most of the kernel's stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Depth {
    /// Bytes of it, with those of a fault of the kernel itself at its end.
    pub bytes: u32,
    /// The functions of the way, and what each takes; without the fault.
    pub way: Vec<(String, u32)>,
}

/// Bounds the stack of the kernel `file`.
///
/// # Errors
/// The file cannot be read; or there is recursion, or something that takes as much as a register says.
pub fn depth(file: &Path) -> miette::Result<Depth> {
    let bytes = std::fs::read(file)
        .into_diagnostic()
        .wrap_err_with(|| format!("cannot read {}", file.display()))?;
    let elf = ElfFile32::<Endianness>::parse(&*bytes)
        .map_err(|error| miette!("{}: {error}", file.display()))?;
    let program = Program::read(&elf).wrap_err_with(|| file.display().to_string())?;
    let mut depth = program.deepest()?;
    let fault = program
        .functions
        .values()
        .find(|it| it.name == KERNEL_FAULT);
    if let Some(fault) = fault {
        let further = program.below(fault.start, &mut Walk::default())?;
        depth.bytes += further.bytes;
        if elf.architecture() == Architecture::Arm {
            depth.bytes += EXCEPTION;
        }
    }
    Ok(depth)
}

/// How deep it is below each function that has been looked at, and the way to the one that is.
#[derive(Default)]
struct Walk {
    known: BTreeMap<u32, Depth>,
    open: Vec<u32>,
}

impl Program {
    fn read(elf: &ElfFile32<'_, Endianness>) -> miette::Result<Program> {
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
        let mut tables = BTreeSet::new();
        let mut pointed_at = program.tables(elf, is_arm, &mut tables);
        for section in elf
            .sections()
            .filter(|it| it.kind() == object::SectionKind::Text)
        {
            let code = Code {
                base: word(section.address()),
                bytes: section.data().into_diagnostic()?,
                data: &data,
            };
            program.follow(&code, is_arm, &tables, &mut pointed_at)?;
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

    /// The functions that words outside the vectors point at; those that words point into are put into
    /// `tables`.
    fn tables(
        &self,
        elf: &ElfFile32<'_, Endianness>,
        is_arm: bool,
        tables: &mut BTreeSet<u32>,
    ) -> BTreeSet<u32> {
        let mut pointed_at = BTreeSet::new();
        let vectors = [".vectors", ".vector_table"];
        let sections = elf.sections();
        let sections = sections.filter(|it| !vectors.contains(&it.name().unwrap_or_default()));
        for section in sections.filter(|it| it.address() != 0) {
            let data = section.data().unwrap_or_default();
            for &bytes in data.as_chunks::<4>().0 {
                let value = u32::from_le_bytes(bytes);
                let is_code = !is_arm || value & 1 != 0;
                let Some(function) = self.at(value & !u32::from(is_arm)).filter(|_| is_code) else {
                    continue;
                };
                if value & !u32::from(is_arm) == function.start {
                    pointed_at.insert(function.start);
                } else {
                    tables.insert(function.start);
                }
            }
        }
        pointed_at
    }

    /// What the functions of a section do.
    fn follow(
        &mut self,
        code: &Code<'_>,
        is_arm: bool,
        tables: &BTreeSet<u32>,
        pointed_at: &mut BTreeSet<u32>,
    ) -> miette::Result<()> {
        let effects = if is_arm {
            thumb::effects(code)
        } else {
            riscv::effects(code)
        };
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
                Effect::Call(_) => function.calls.extend(target),
                Effect::Jump(_) if target != Some(start) => function.calls.extend(target),
                Effect::Leave => function.leaves = true,
                Effect::CallAnything => function.calls_anything = true,
                // Tables of a `match` are the only ones that point into a function.
                Effect::JumpAnywhere if !tables.contains(&start) => function.calls_anything = true,
                Effect::TakeAnything => {
                    return Err(miette!(
                        "`{}` takes as much of the kernel's stack as a register says, at {address:#x}",
                        function.name
                    ));
                }
                Effect::Jump(_) | Effect::JumpAnywhere | Effect::Address(_) => {}
            }
        }
        Ok(())
    }

    /// The deepest way of all, wherever it begins.
    fn deepest(&self) -> miette::Result<Depth> {
        let mut walk = Walk::default();
        let mut deepest = Depth {
            bytes: 0,
            way: vec![],
        };
        for start in self.functions.keys() {
            let depth = self.below(*start, &mut walk)?;
            if depth.bytes > deepest.bytes {
                deepest = depth;
            }
        }
        Ok(deepest)
    }

    /// How deep it gets in a function and what that calls.
    fn below(&self, start: u32, walk: &mut Walk) -> miette::Result<Depth> {
        if let Some(known) = walk.known.get(&start) {
            return Ok(known.clone());
        }
        let function = &self.functions[&start];
        if let Some(first) = walk.open.iter().position(|open| *open == start) {
            let names = walk.open[first..].iter().chain([&start]);
            let names: Vec<&str> = names.map(|it| &*self.functions[it].name).collect();
            return Err(miette!(
                "the kernel's stack has no bound: there is recursion, {}",
                names.join(" -> ")
            ));
        }
        walk.open.push(start);
        let anything = function.calls_anything.then_some(&self.pointed_at);
        let mut deepest = Depth {
            bytes: 0,
            way: vec![],
        };
        for callee in function.calls.iter().chain(anything.into_iter().flatten()) {
            let depth = self.below(*callee, walk)?;
            if depth.bytes > deepest.bytes {
                deepest = depth;
            }
        }
        walk.open.pop();
        deepest.bytes += function.frame;
        deepest
            .way
            .insert(0, (function.name.clone(), function.frame));
        walk.known.insert(start, deepest.clone());
        Ok(deepest)
    }
}

/// The instructions of a section.
struct Code<'a> {
    base: u32,
    bytes: &'a [u8],
    data: &'a Data,
}

impl Code<'_> {
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
        let Some(part) = rest.get(digits..digits + length) else {
            break;
        };
        parts.push(part);
        rest = &rest[digits + length..];
    }
    // A part with a `$` is the type of an `impl`, and the last one is a hash.
    parts.pop_if(|last| last.len() == 17 && last.starts_with('h'));
    parts.retain(|part| !part.contains('$'));
    if parts.is_empty() {
        return symbol.to_owned();
    }
    parts.join("::")
}

fn word(value: u64) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn look() {
        for board in [
            "mps2-an386",
            "mps2-an385",
            "virt-rv32",
            "virt-rv32-mmu",
            "ibex",
            "vexriscv",
        ] {
            let file = format!("../target/images/{board}/tests-boards-budget/kernel.elf");
            match depth(Path::new(&file)) {
                Ok(depth) => println!("{board}: {} {:?}", depth.bytes, depth.way),
                Err(error) => println!("{board}: {error:?}"),
            }
        }
    }
}
