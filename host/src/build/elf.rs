//! What the image builder reads from a linked program.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use miette::{IntoDiagnostic, WrapErr, miette};
use object::Architecture::Riscv32;
use object::elf::SHT_RISCV_ATTRIBUTES;
use object::read::elf::{ElfFile32, ProgramHeader, SectionHeader};
use object::{Endianness, Object, ObjectSection, ObjectSymbol, SymbolKind};

/// Bytes and the address to which they are loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Load address of the first byte.
    pub address: u32,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// The thread-local storage of a program: what each of its threads has one of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Storage {
    /// Bytes.
    pub size: u32,
    /// What its address is a multiple of, a power of two.
    pub align: u32,
}

impl Default for Storage {
    fn default() -> Self {
        Storage::NONE
    }
}

impl Storage {
    /// Nothing.
    pub const NONE: Storage = Storage { size: 0, align: 4 };

    /// Bytes from one thread's to the next one's.
    #[must_use]
    pub fn stride(self) -> u32 {
        self.size.next_multiple_of(self.align)
    }
}

/// A linked ELF file, reduced to what an image needs.
#[derive(Clone, Debug, Default)]
pub struct Linked {
    /// The file.
    pub file: PathBuf,
    /// What is loaded, in the order of the file.
    pub pieces: Vec<Piece>,
    /// The instruction set of all that was linked, as a RISC-V file states it.
    pub instructions: Option<String>,
    /// What each thread of it needs for itself.
    pub storage: Storage,
    sections: HashMap<String, (u32, u32)>,
    /// What the address of each section is a multiple of.
    alignments: HashMap<String, u32>,
    symbols: HashMap<String, u32>,
    /// Names, addresses and sizes of statics.
    objects: Vec<(String, (u32, u32))>,
}

impl Linked {
    /// Reads a 32-bit little-endian ELF file.
    ///
    /// # Errors
    /// If the file cannot be read or is no such file.
    pub fn read(file: &Path) -> miette::Result<Linked> {
        let bytes = std::fs::read(file)
            .into_diagnostic()
            .wrap_err_with(|| format!("cannot read {}", file.display()))?;
        parse(file, &bytes).map_err(|error| miette!("{}: {error}", file.display()))
    }

    /// Address and size of a section; both 0 if there is none.
    #[must_use]
    pub fn section(&self, name: &str) -> (u32, u32) {
        self.sections.get(name).copied().unwrap_or_default()
    }

    /// How many bytes more these sections, one behind the other, can take at whatever multiple of `unit` than here, where
    /// the first begins at a multiple of all their alignments.
    #[must_use]
    pub fn slack(&self, sections: &[&str], unit: u32) -> u32 {
        let alignments = sections
            .iter()
            .filter_map(|name| self.alignments.get(*name));
        alignments.max().map_or(0, |most| most.saturating_sub(unit))
    }

    /// Value of a symbol.
    #[must_use]
    pub fn symbol(&self, name: &str) -> Option<u32> {
        self.symbols.get(name).copied()
    }

    /// Bytes of the static called `name`, in whatever module; 0 if there is none.
    #[must_use]
    pub fn object(&self, name: &str) -> u32 {
        self.static_at(name).map_or(0, |(_, size)| size)
    }

    /// Address and size of the static called `name`, in whatever module.
    #[must_use]
    pub fn static_at(&self, name: &str) -> Option<(u32, u32)> {
        // A path ends with its last name, behind that name's length, and perhaps a hash.
        let part = format!("{}{name}", name.len());
        let found = self.objects.iter().find(|(symbol, _)| {
            let rest = symbol.split_once(&part).map(|(_, rest)| rest);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with("17h"))
        });
        found.map(|(_, place)| *place)
    }

    /// Has the first values of its data packed where they are loaded: those of the `segments`, each with its address.
    fn pack_data(&mut self, segments: &[(u32, &[u8])]) {
        let symbols = ["__data_load", "__data_start", "__data_end"];
        let [Some(load), Some(start), Some(end)] = symbols.map(|name| self.symbol(name)) else {
            return;
        };
        let byte = |address: u32| {
            let held = |(base, data): &(u32, &[u8])| {
                data.get(address.checked_sub(*base)? as usize).copied()
            };
            segments.iter().find_map(held).unwrap_or_default()
        };
        let words = (start..end).step_by(4);
        let words = words.map(|at| [byte(at), byte(at + 1), byte(at + 2), byte(at + 3)]);
        let bytes = packed(&words.collect::<Vec<_>>());
        self.pieces.retain(|piece| piece.address != load);
        let address = load;
        self.pieces.push(Piece { address, bytes });
    }

    /// First load address behind everything that is loaded, or `base` if nothing is.
    #[must_use]
    pub fn load_end(&self, base: u32) -> u32 {
        self.pieces
            .iter()
            .map(|piece| piece.address + u32::try_from(piece.bytes.len()).unwrap_or(u32::MAX))
            .max()
            .unwrap_or(base)
    }
}

fn parse(file: &Path, bytes: &[u8]) -> object::Result<Linked> {
    let elf = ElfFile32::<Endianness>::parse(bytes)?;
    let endian = elf.endian();
    let mut linked = Linked {
        file: file.into(),
        instructions: instructions(&elf, bytes)?,
        ..Linked::default()
    };
    for header in elf.elf_program_headers() {
        if header.p_type(endian) == object::elf::PT_LOAD && header.p_filesz(endian) > 0 {
            let data = header.data(endian, bytes).unwrap_or_default().to_vec();
            linked.pieces.push(Piece {
                address: header.p_paddr(endian),
                bytes: data,
            });
        }
        if header.p_type(endian) == object::elf::PT_TLS && header.p_memsz(endian) > 0 {
            linked.storage = Storage {
                size: header.p_memsz(endian),
                align: header.p_align(endian).max(4),
            };
        }
    }
    let mut segments = Vec::new();
    for header in elf.elf_program_headers() {
        if header.p_type(endian) == object::elf::PT_LOAD {
            let data = header.data(endian, bytes).unwrap_or_default();
            segments.push((header.p_vaddr(endian), data));
        }
    }
    for section in elf.sections() {
        let place = (low_word(section.address()), low_word(section.size()));
        let name = section.name()?.to_owned();
        let alignment = low_word(section.align());
        linked.alignments.insert(name.clone(), alignment);
        linked.sections.insert(name, place);
    }
    for symbol in elf.symbols().filter(|symbol| symbol.is_global()) {
        linked
            .symbols
            .insert(symbol.name()?.to_owned(), low_word(symbol.address()));
    }
    let objects = elf
        .symbols()
        .filter(|it| it.kind() == SymbolKind::Data && it.size() > 0);
    for symbol in objects {
        let place = (low_word(symbol.address()), low_word(symbol.size()));
        linked.objects.push((symbol.name()?.to_owned(), place));
    }
    linked.pack_data(&segments);
    Ok(linked)
}

/// The first values of data, as [`riposte_abi::data`] says: what is zero is counted, what is not is there.
fn packed(words: &[[u8; 4]]) -> Vec<u8> {
    const MOST: usize = u16::MAX as usize;
    let mut bytes = Vec::new();
    let mut rest = words;
    while rest.iter().any(|word| *word != [0; 4]) {
        let zeros = rest.iter().take_while(|word| **word == [0; 4]).count();
        let zeros = zeros.min(MOST);
        let (_, after) = rest.split_at(zeros);
        // Another count takes as much as a zero does. After the most zeros there may be more.
        let ends = |at: &usize| after[*at..].iter().take(2).all(|word| *word == [0; 4]);
        let length = (1..after.len().min(MOST)).find(ends);
        let (these, others) = after.split_at(length.unwrap_or(after.len().min(MOST)));
        bytes.extend(((zeros as u32) << 16 | these.len() as u32).to_le_bytes());
        bytes.extend(these.iter().flatten());
        rest = others;
    }
    bytes.extend([0; 4]);
    bytes
}

/// Value of the attribute `Tag_RISCV_arch`: the linker makes it the union of all objects'.
fn instructions(elf: &ElfFile32<'_, Endianness>, bytes: &[u8]) -> object::Result<Option<String>> {
    const ARCHITECTURE: u64 = 5;
    let sections = elf.elf_section_table();
    let Some(section) = sections.iter().find(|section| {
        section.sh_type(elf.endian()) == SHT_RISCV_ATTRIBUTES && elf.architecture() == Riscv32
    }) else {
        return Ok(None);
    };
    let mut vendors = section.attributes(elf.endian(), bytes)?.subsections()?;
    while let Some(vendor) = vendors.next()? {
        let mut parts = vendor.subsubsections();
        while let Some(part) = parts.next()? {
            let mut attributes = part.attributes();
            while let Some(tag) = attributes.read_tag()? {
                // An odd tag's value is a string.
                if tag % 2 == 0 {
                    attributes.read_integer()?;
                    continue;
                }
                let text = attributes.read_string()?;
                if tag == ARCHITECTURE {
                    return Ok(Some(String::from_utf8_lossy(text).into_owned()));
                }
            }
        }
    }
    Ok(None)
}

/// A 32-bit file holds no larger value.
fn low_word(value: u64) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the code of [`riposte_abi::data`] makes of packed words, in room for so many.
    fn placed(bytes: &[u8], room: usize) -> Vec<u32> {
        let words = bytes.chunks_exact(4);
        let mut words = words.map(|it| u32::from_le_bytes(it.try_into().expect("four bytes")));
        let (mut data, mut at) = (vec![0; room], 0);
        loop {
            let count = words.next().expect("a count");
            if count == 0 {
                assert_eq!(words.next(), None);
                return data;
            }
            at += (count >> 16) as usize;
            for _ in 0..count & 0xFFFF {
                data[at] = words.next().expect("a word");
                at += 1;
            }
        }
    }

    #[test]
    fn packed_data_are_what_they_were_and_zeros_take_nothing() {
        let most = u16::MAX as usize;
        for (data, packed_words) in [
            (vec![], 1),
            (vec![0; 9], 1),
            (vec![7], 3),
            (vec![0, 0, 7, 0, 8, 0, 0, 9, 0], 1 + 3 + 2 + 1),
            ([vec![0; most + 5], vec![1, 2]].concat(), 1 + 2 + 3),
            (
                [vec![3; most + 2], vec![0; 2]].concat(),
                1 + most + 1 + 2 + 1,
            ),
        ] {
            let words: Vec<[u8; 4]> = data.iter().map(|it: &u32| it.to_le_bytes()).collect();
            let bytes = packed(&words);
            assert_eq!(placed(&bytes, data.len()), data);
            assert_eq!(bytes.len(), packed_words * 4, "{} words", data.len());
        }
    }
}
