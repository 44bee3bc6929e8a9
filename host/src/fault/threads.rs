//! Where the kernel keeps what each thread goes on with, by its debug information.

use std::path::Path;

use addr2line::gimli::{
    self, AttributeValue, DebuggingInformationEntry, DwTag, Dwarf, EndianSlice, LittleEndian, Unit,
};
use object::{Object, ObjectSection};

use crate::board::Architecture;
use crate::build::elf::Linked;
use crate::machine::{Counter, Threads};
use crate::plan::Region;

type Slice<'a> = EndianSlice<'a, LittleEndian>;

/// The structure of the kernel, and those of its members that say where a thread goes on.
const STRUCTURE: &str = "Thread";
const FRAME: &str = "frame";
const RESUME: &str = "resume";
/// The function with which each board ends a run.
const EXIT: &str = "riposte_exit";
/// Where a Cortex-M keeps the program counter in the frame that it pushes.
const COUNTER_IN_FRAME: u32 = 24;

/// Where the threads that have these stacks lie in the memory of a kernel, if it says.
pub(super) fn threads(
    kernel: &Linked,
    architecture: Architecture,
    stacks: Vec<Region>,
) -> Option<Threads> {
    let count = stacks.len();
    let (base, all) = kernel.static_at("THREADS")?;
    // The last one is the kernel's own.
    let size = all / u32::try_from(count + 1).ok()?;
    let [frame, resume] = offsets(&kernel.file)?;
    let counter = match architecture {
        Architecture::Armv7m => Counter::Behind(frame, COUNTER_IN_FRAME),
        Architecture::Riscv => Counter::At(resume),
    };
    let bases = (0..count as u32).map(|index| base + index * size);
    Some(Threads {
        bases: bases.collect(),
        counter,
        stacks,
        // The lowest bit tells the instruction set.
        exit: kernel.symbol(EXIT).map(|address| address & !1),
    })
}

/// The offsets of [`FRAME`] and [`RESUME`].
fn offsets(kernel: &Path) -> Option<[u32; 2]> {
    let bytes = std::fs::read(kernel).ok()?;
    let elf = object::File::parse(&*bytes).ok()?;
    let section = |id: gimli::SectionId| {
        let data = elf.section_by_name(id.name()).and_then(|it| it.data().ok());
        Ok::<_, gimli::Error>(Slice::new(data.unwrap_or_default(), LittleEndian))
    };
    let dwarf = Dwarf::load(section).ok()?;
    let mut units = dwarf.units();
    while let Ok(Some(header)) = units.next() {
        let Ok(unit) = dwarf.unit(header) else {
            continue;
        };
        if let Some(found) = offsets_in(&dwarf, &unit) {
            return Some(found);
        }
    }
    None
}

fn offsets_in(dwarf: &Dwarf<Slice<'_>>, unit: &Unit<Slice<'_>>) -> Option<[u32; 2]> {
    let mut tree = unit.entries_tree(None).ok()?;
    let root = tree.root().ok()?;
    search(dwarf, unit, root)
}

/// Looks through namespaces, of which there are few, and not into functions.
fn search(
    dwarf: &Dwarf<Slice<'_>>,
    unit: &Unit<Slice<'_>>,
    node: gimli::EntriesTreeNode<'_, '_, Slice<'_>>,
) -> Option<[u32; 2]> {
    let mut children = node.children();
    while let Ok(Some(child)) = children.next() {
        let (tag, name) = {
            let entry = child.entry();
            (entry.tag(), name_of(dwarf, unit, entry))
        };
        let found = if tag == gimli::DW_TAG_namespace {
            search(dwarf, unit, child)
        } else if is(
            tag,
            name.as_deref(),
            gimli::DW_TAG_structure_type,
            STRUCTURE,
        ) {
            members(dwarf, unit, child)
        } else {
            None
        };
        if found.is_some() {
            return found;
        }
    }
    None
}

/// Those of a structure, if it has both.
fn members(
    dwarf: &Dwarf<Slice<'_>>,
    unit: &Unit<Slice<'_>>,
    node: gimli::EntriesTreeNode<'_, '_, Slice<'_>>,
) -> Option<[u32; 2]> {
    let mut found = [None; 2];
    let mut children = node.children();
    while let Ok(Some(child)) = children.next() {
        let entry = child.entry();
        let name = name_of(dwarf, unit, entry);
        for (wanted, place) in [FRAME, RESUME].iter().zip(&mut found) {
            if is(entry.tag(), name.as_deref(), gimli::DW_TAG_member, wanted) {
                let offset = entry.attr_value(gimli::DW_AT_data_member_location);
                *place = offset.and_then(|it| u32::try_from(it.udata_value()?).ok());
            }
        }
    }
    Some([found[0]?, found[1]?])
}

fn is(tag: DwTag, name: Option<&str>, wanted: DwTag, called: &str) -> bool {
    tag == wanted && name == Some(called)
}

fn name_of(
    dwarf: &Dwarf<Slice<'_>>,
    unit: &Unit<Slice<'_>>,
    entry: &DebuggingInformationEntry<Slice<'_>>,
) -> Option<String> {
    let name: AttributeValue<Slice<'_>> = entry.attr_value(gimli::DW_AT_name)?;
    let name = dwarf.attr_string(unit, name).ok()?;
    Some(name.to_string_lossy().into_owned())
}
