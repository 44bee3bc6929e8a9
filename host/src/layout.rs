//! Where the members of a program's structures lie, by its debug information.

use std::collections::HashMap;
use std::path::Path;

use addr2line::gimli::{
    self, AttributeValue, DebuggingInformationEntry, Dwarf, EndianSlice, EntriesTreeNode,
    LittleEndian, Unit, UnitOffset,
};
use object::{Object, ObjectSection};

type Slice<'a> = EndianSlice<'a, LittleEndian>;

/// The structures of a program.
#[derive(Debug, Default)]
pub struct Layouts {
    units: Vec<Types>,
}

/// The types of a unit, by their offset in it.
type Types = HashMap<usize, Type>;

#[derive(Debug)]
enum Type {
    Structure(Structure),
    /// Elements of a type, and whether there is one.
    Array(usize, bool),
}

#[derive(Debug, Default)]
struct Structure {
    name: String,
    members: Vec<Member>,
    variants: Option<Variants>,
}

#[derive(Debug)]
struct Member {
    name: String,
    offset: u32,
    of: usize,
}

/// What tells the variants of an enumeration apart: a number of some bytes at an offset, and the name of each variant
/// with its number; without one, of all that are not numbered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Variants {
    /// Where the number is.
    pub offset: u32,
    cases: Vec<(Option<u64>, String)>,
    bytes: usize,
}

impl Variants {
    /// The variant that begins with these bytes.
    #[must_use]
    pub fn of(&self, bytes: &[u8]) -> Option<&str> {
        let bytes = bytes.get(self.offset as usize..)?.get(..self.bytes)?;
        let number = bytes
            .iter()
            .rev()
            .fold(0, |number, byte| number << 8 | u64::from(*byte));
        let named = |wanted| self.cases.iter().find(move |(number, _)| *number == wanted);
        let (_, name) = named(Some(number)).or_else(|| named(None))?;
        Some(name)
    }
}

impl Layouts {
    /// Reads those of an ELF file; none if it has no debug information.
    #[must_use]
    pub fn read(elf: &Path) -> Layouts {
        parse(elf).unwrap_or_default()
    }

    /// The offset of what `path` leads to in the structure `name`, through one element of arrays and through cells.
    #[must_use]
    pub fn offset(&self, name: &str, path: &[&str]) -> Option<u32> {
        self.find(name, path).map(|(_, offset, _)| offset)
    }

    /// The same of an enumeration, with its variants.
    #[must_use]
    pub fn variants(&self, name: &str, path: &[&str]) -> Option<(u32, Variants)> {
        let (types, mut offset, mut of) = self.find(name, path)?;
        loop {
            let structure = types.structure(of)?;
            if let Some(variants) = &structure.variants {
                return Some((offset, variants.clone()));
            }
            let inner = structure.only()?;
            (offset, of) = (offset + inner.offset, inner.of);
        }
    }

    fn find(&self, name: &str, path: &[&str]) -> Option<(&Types, u32, usize)> {
        self.units.iter().find_map(|types| {
            types.iter().find_map(|(at, it)| match it {
                Type::Structure(it) if it.name == name => {
                    let (offset, of) = types.follow(*at, path)?;
                    Some((types, offset, of))
                }
                _ => None,
            })
        })
    }
}

impl Structure {
    /// What a cell holds.
    fn only(&self) -> Option<&Member> {
        self.members.first().filter(|_| self.members.len() == 1)
    }
}

trait Follow {
    fn structure(&self, at: usize) -> Option<&Structure>;
    fn follow(&self, from: usize, path: &[&str]) -> Option<(u32, usize)>;
}

impl Follow for Types {
    fn structure(&self, at: usize) -> Option<&Structure> {
        match self.get(&at)? {
            Type::Structure(it) => Some(it),
            Type::Array(of, true) => self.structure(*of),
            Type::Array(_, false) => None,
        }
    }

    fn follow(&self, from: usize, path: &[&str]) -> Option<(u32, usize)> {
        let Some((name, rest)) = path.split_first() else {
            // Nothing lies in an array without elements.
            let is_empty = matches!(self.get(&from), Some(Type::Array(_, false)));
            return (!is_empty).then_some((0, from));
        };
        let structure = self.structure(from)?;
        if let Some(member) = structure.members.iter().find(|it| it.name == *name) {
            let (offset, of) = self.follow(member.of, rest)?;
            return Some((member.offset + offset, of));
        }
        let inner = structure.only()?;
        let (offset, of) = self.follow(inner.of, path)?;
        Some((inner.offset + offset, of))
    }
}

fn parse(elf: &Path) -> Option<Layouts> {
    let bytes = std::fs::read(elf).ok()?;
    let elf = object::File::parse(&*bytes).ok()?;
    let section = |id: gimli::SectionId| {
        let data = elf.section_by_name(id.name()).and_then(|it| it.data().ok());
        Ok::<_, gimli::Error>(Slice::new(data.unwrap_or_default(), LittleEndian))
    };
    let dwarf = Dwarf::load(section).ok()?;
    let mut layouts = Layouts::default();
    let mut units = dwarf.units();
    while let Ok(Some(header)) = units.next() {
        let Ok(unit) = dwarf.unit(header) else {
            continue;
        };
        let mut reader = Reader {
            dwarf: &dwarf,
            unit: &unit,
            types: Types::new(),
        };
        let mut tree = unit.entries_tree(None).ok()?;
        reader.scope(tree.root().ok()?);
        layouts.units.push(reader.types);
    }
    Some(layouts)
}

struct Reader<'d, 'u> {
    dwarf: &'u Dwarf<Slice<'d>>,
    unit: &'u Unit<Slice<'d>>,
    types: Types,
}

type Entry<'d> = DebuggingInformationEntry<Slice<'d>>;

impl<'d> Reader<'d, '_> {
    /// Looks through namespaces and structures, in which there are more types, and not into functions.
    fn scope(&mut self, node: EntriesTreeNode<'_, '_, Slice<'d>>) {
        let mut children = node.children();
        while let Ok(Some(child)) = children.next() {
            match child.entry().tag() {
                gimli::DW_TAG_namespace => self.scope(child),
                gimli::DW_TAG_structure_type => {
                    self.structure(child);
                }
                gimli::DW_TAG_array_type => self.array(child),
                _ => {}
            }
        }
    }

    fn structure(&mut self, node: EntriesTreeNode<'_, '_, Slice<'d>>) {
        let at = node.entry().offset().0;
        let mut structure = Structure {
            name: self.name(node.entry()),
            ..Structure::default()
        };
        let mut children = node.children();
        while let Ok(Some(child)) = children.next() {
            match child.entry().tag() {
                gimli::DW_TAG_member => structure.members.extend(self.member(child.entry())),
                gimli::DW_TAG_variant_part => structure.variants = self.variants(child),
                gimli::DW_TAG_structure_type => self.structure(child),
                _ => {}
            }
        }
        self.types.insert(at, Type::Structure(structure));
    }

    fn member(&self, entry: &Entry<'d>) -> Option<Member> {
        let offset = entry.attr_value(gimli::DW_AT_data_member_location)?;
        Some(Member {
            name: self.name(entry),
            offset: u32::try_from(offset.udata_value()?).ok()?,
            of: of(entry)?,
        })
    }

    fn variants(&mut self, node: EntriesTreeNode<'_, '_, Slice<'d>>) -> Option<Variants> {
        let mut variants = Variants::default();
        let mut children = node.children();
        while let Ok(Some(child)) = children.next() {
            match child.entry().tag() {
                gimli::DW_TAG_member => {
                    let member = self.member(child.entry())?;
                    variants.offset = member.offset;
                    let number = self.unit.entry(UnitOffset(member.of)).ok()?;
                    let bytes = number.attr_value(gimli::DW_AT_byte_size)?;
                    variants.bytes = usize::try_from(bytes.udata_value()?).ok()?;
                }
                gimli::DW_TAG_variant => {
                    let number = child.entry().attr_value(gimli::DW_AT_discr_value);
                    let number = number.and_then(|it| it.udata_value());
                    let mut members = child.children();
                    while let Ok(Some(member)) = members.next() {
                        variants.cases.push((number, self.name(member.entry())));
                    }
                }
                _ => {}
            }
        }
        Some(variants)
    }

    fn array(&mut self, node: EntriesTreeNode<'_, '_, Slice<'d>>) {
        let at = node.entry().offset().0;
        let Some(element) = of(node.entry()) else {
            return;
        };
        let mut count = None;
        let mut children = node.children();
        while let Ok(Some(child)) = children.next() {
            let value = child.entry().attr_value(gimli::DW_AT_count);
            count = count.or(value.and_then(|it| it.udata_value()));
        }
        self.types
            .insert(at, Type::Array(element, count != Some(0)));
    }

    fn name(&self, entry: &Entry<'d>) -> String {
        let name = entry.attr_value(gimli::DW_AT_name);
        let name = name.and_then(|it| self.dwarf.attr_string(self.unit, it).ok());
        name.map_or(String::new(), |it| it.to_string_lossy().into_owned())
    }
}

/// The type of an entry.
fn of(entry: &Entry<'_>) -> Option<usize> {
    match entry.attr_value(gimli::DW_AT_type)? {
        AttributeValue::UnitRef(offset) => Some(offset.0),
        _ => None,
    }
}
