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
    for section in elf.sections() {
        let place = (low_word(section.address()), low_word(section.size()));
        linked.sections.insert(section.name()?.to_owned(), place);
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
    Ok(linked)
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
