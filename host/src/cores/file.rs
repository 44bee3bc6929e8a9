//! The file of a core: an ELF core with the memory of the machine, the registers of its processor, and a note that says
//! which system it was.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use miette::{IntoDiagnostic, WrapErr, miette};
use object::LittleEndian;
use object::elf::{
    ELFCLASS32, ELFDATA2LSB, ELFMAG, EM_ARM, EM_RISCV, ET_CORE, EV_CURRENT, FileHeader32,
    NT_PRSTATUS, PF_R, PF_W, PF_X, PT_LOAD, PT_NOTE, ProgramHeader32,
};
use object::read::elf::{FileHeader as _, ProgramHeader as _};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::board::Architecture;
use crate::plan::Region;

/// The number of this layout of the file.
pub const LAYOUT: u64 = 1;
/// A core is read whole: of a larger file there is none.
const MOST: u64 = 1 << 30;

/// The note of ours, and its number, which is nobody else's.
const OURS: &str = "RIPOSTE";
const ORIGIN: u32 = 0x5250_0001;
/// The note with the processor's registers is that of Linux, which gdb reads: these bytes stand before them, of which all
/// are zero but the number of the thread, and these behind.
const STATUS: &str = "CORE";
const BEFORE: usize = 72;
const NUMBER: usize = 24;
const BEHIND: usize = 4;

/// Bytes of the file's header, and of a segment's.
const HEADER: usize = size_of::<FileHeader32<LittleEndian>>();
const SEGMENT: usize = size_of::<ProgramHeader32<LittleEndian>>();
/// What names, contents of notes, and segments are aligned to.
const ALIGN: usize = 4;
/// The flags of a program for Arm: the fifth edition of the binary interface.
const EABI_5: u32 = 0x0500_0000;

/// The help of what is no core.
const WRITE_ONE: &str = "./riposte core APP --output FILE writes a core";

/// Which system it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// [`LAYOUT`].
    pub layout: u64,
    /// The folder of the application, below the repository if it is there.
    pub application: String,
    /// The board.
    pub board: String,
    /// SHA-256 of the raw image.
    pub image: String,
    /// Why it was stopped, in words.
    pub stopped: String,
}

/// A system that has stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Core {
    /// Which it was.
    pub origin: Origin,
    /// The registers of the processor, as gdb orders them.
    pub registers: Vec<u32>,
    /// Pieces of the machine's memory, each behind its address.
    pub memory: Vec<(u32, Vec<u8>)>,
}

/// How a processor family stands in the file.
struct Family {
    machine: u16,
    flags: u32,
    /// How many registers a board tells, and
    told: usize,
    /// how many words the note has for them.
    words: usize,
}

impl Family {
    fn of(architecture: Architecture) -> Family {
        match architecture {
            Architecture::Armv7m => Family {
                machine: EM_ARM.0,
                flags: EABI_5,
                told: 17,
                words: 18,
            },
            Architecture::Riscv => Family {
                machine: EM_RISCV.0,
                flags: 0,
                told: 33,
                words: 32,
            },
        }
    }

    fn of_machine(machine: u16) -> Option<Family> {
        let all = [Architecture::Armv7m, Architecture::Riscv].map(Family::of);
        all.into_iter().find(|it| it.machine == machine)
    }

    /// The words of the note. That of RISC-V has the program counter in the place of the zero register.
    fn note(&self, registers: &[u32]) -> Vec<u32> {
        let mut words = registers.to_vec();
        if self.machine == EM_RISCV.0 {
            words.rotate_right(1);
            words.remove(1);
        }
        words.resize(self.words, 0);
        words
    }

    /// The registers of these words.
    fn registers(&self, mut words: Vec<u32>) -> Vec<u32> {
        if self.machine == EM_RISCV.0 {
            words.insert(1, 0);
            words.rotate_left(1);
        }
        words.truncate(self.told);
        words
    }
}

impl Core {
    /// The bytes of its file.
    ///
    /// # Errors
    /// If the registers are not those of the processor family.
    pub fn bytes(&self, architecture: Architecture) -> miette::Result<Vec<u8>> {
        let family = Family::of(architecture);
        if self.registers.len() != family.told {
            return Err(miette!(
                "the board tells {} registers, and {} are known: no core can be written",
                self.registers.len(),
                family.told
            ));
        }
        let notes = self.notes(&family)?;
        let mut segments = vec![(PT_NOTE.0, 0, PF_R.0, &*notes)];
        for (base, bytes) in &self.memory {
            segments.push((PT_LOAD.0, *base, PF_R.0 | PF_W.0 | PF_X.0, bytes));
        }
        let mut file = header(&family, segments.len() as u16);
        let mut offset = HEADER + SEGMENT * segments.len();
        for (kind, base, flags, bytes) in &segments {
            let (at, size) = (offset as u32, bytes.len() as u32);
            // That which is no memory takes none.
            let size_there = if *kind == PT_LOAD.0 { size } else { 0 };
            for word in [
                *kind,
                at,
                *base,
                *base,
                size,
                size_there,
                *flags,
                ALIGN as u32,
            ] {
                file.extend(word.to_le_bytes());
            }
            offset += bytes.len().next_multiple_of(ALIGN);
        }
        for (.., bytes) in &segments {
            file.extend_from_slice(bytes);
            file.resize(file.len().next_multiple_of(ALIGN), 0);
        }
        Ok(file)
    }

    fn notes(&self, family: &Family) -> miette::Result<Vec<u8>> {
        let mut status = vec![0; BEFORE];
        status[NUMBER] = 1;
        for word in family.note(&self.registers) {
            status.extend(word.to_le_bytes());
        }
        status.extend([0; BEHIND]);
        let origin = serde_json::to_vec(&self.origin).into_diagnostic()?;
        let mut notes = note(STATUS, NT_PRSTATUS.0, &status);
        notes.extend(note(OURS, ORIGIN, &origin));
        Ok(notes)
    }

    /// Reads the file of one.
    ///
    /// # Errors
    /// If it is none, has been cut short, or has another layout.
    pub fn read(path: &Path) -> miette::Result<Core> {
        let bytes = contents(path)?;
        parse(&bytes).map_err(|wrong| wrong.report(path))
    }

    /// Whether it is of a board of this family.
    pub fn is_of(&self, architecture: Architecture) -> bool {
        self.registers.len() == Family::of(architecture).told
    }

    /// What lay in a piece of the machine's memory, if that was kept.
    pub fn piece(&self, region: Region) -> Option<&[u8]> {
        piece(&self.memory, region)
    }
}

/// What lies there, if it is within one of these pieces of memory, each behind its address.
pub fn piece(memory: &[(u32, Vec<u8>)], Region { base, size }: Region) -> Option<&[u8]> {
    memory.iter().find_map(|(first, bytes)| {
        let from = base.checked_sub(*first)? as usize;
        bytes.get(from..)?.get(..size as usize)
    })
}

fn header(family: &Family, segments: u16) -> Vec<u8> {
    let mut file = ELFMAG.to_vec();
    file.extend([ELFCLASS32.0, ELFDATA2LSB.0, EV_CURRENT.0]);
    file.resize(16, 0);
    let half = |file: &mut Vec<u8>, it: u16| file.extend(it.to_le_bytes());
    let word = |file: &mut Vec<u8>, it: u32| file.extend(it.to_le_bytes());
    half(&mut file, ET_CORE.0);
    half(&mut file, family.machine);
    // Its version, no entry, the segments' headers behind this one, and no sections.
    for it in [EV_CURRENT.0.into(), 0, HEADER as u32, 0, family.flags] {
        word(&mut file, it);
    }
    for it in [HEADER as u16, SEGMENT as u16, segments, 0, 0, 0] {
        half(&mut file, it);
    }
    file
}

fn note(name: &str, kind: u32, contents: &[u8]) -> Vec<u8> {
    let mut note = Vec::new();
    for word in [name.len() as u32 + 1, contents.len() as u32, kind] {
        note.extend(word.to_le_bytes());
    }
    note.extend(name.bytes().chain([0]));
    note.resize(note.len().next_multiple_of(ALIGN), 0);
    note.extend(contents);
    note.resize(note.len().next_multiple_of(ALIGN), 0);
    note
}

/// What keeps a file from being a core that can be opened.
#[derive(Debug, PartialEq, Eq)]
enum Wrong {
    /// It is something else.
    Foreign(&'static str),
    /// It has fewer bytes than it says.
    Short { is: u64, has_to_be: u64 },
    /// It has this layout.
    Layout(u64),
    /// It contradicts itself.
    Damaged(&'static str),
}

impl Wrong {
    fn report(&self, path: &Path) -> miette::Report {
        let file = path.display();
        match self {
            Wrong::Foreign(why) => miette!(
                help = WRITE_ONE,
                "{file} is no core of a system of Riposte: {why}"
            ),
            Wrong::Short { is, has_to_be } => miette!(
                help = format!("copy it again, or write it anew: {WRITE_ONE}"),
                "{file} has been cut short: it has {is} of {has_to_be} bytes"
            ),
            Wrong::Layout(layout) => miette!(
                help =
                    "open it with the revision of Riposte that it was written by, or write it anew",
                "{file} has layout {layout}, and this reads layout {LAYOUT}"
            ),
            Wrong::Damaged(why) => miette!(
                help = format!("copy it again, or write it anew: {WRITE_ONE}"),
                "{file} is damaged: {why}"
            ),
        }
    }
}

/// A file that may be a core.
fn contents(path: &Path) -> miette::Result<Vec<u8>> {
    let cannot = || format!("cannot read {}", path.display());
    let about = fs::metadata(path).map_err(|error| {
        let help = "`./riposte core APP` writes one";
        miette!(help = help, "{}: {error}", cannot())
    })?;
    if !about.is_file() {
        return Err(Wrong::Foreign("it is no file").report(path));
    }
    if about.len() > MOST {
        return Err(Wrong::Foreign("it is larger than any").report(path));
    }
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MOST).read_to_end(&mut bytes));
    read.into_diagnostic().wrap_err_with(cannot)?;
    Ok(bytes)
}

fn parse(bytes: &[u8]) -> Result<Core, Wrong> {
    let begins = bytes.starts_with(&ELFMAG);
    if !begins {
        return Err(Wrong::Foreign("it is no ELF file"));
    }
    if bytes.len() < HEADER {
        return Err(short(bytes, HEADER as u64));
    }
    let other = |_| Wrong::Foreign("it is an ELF file for other processors");
    let header = FileHeader32::<LittleEndian>::parse(bytes).map_err(other)?;
    let endian = header.endian().map_err(other)?;
    if header.e_type(endian) != ET_CORE {
        return Err(Wrong::Foreign("it is an ELF file, and no core"));
    }
    let family = Family::of_machine(header.e_machine(endian).0)
        .ok_or(Wrong::Foreign("it is a core of another processor"))?;
    let count = u64::from(header.e_phnum(endian));
    let end = u64::from(header.e_phoff(endian)) + count * SEGMENT as u64;
    if end > bytes.len() as u64 {
        return Err(short(bytes, end));
    }
    let segments = header
        .program_headers(endian, bytes)
        .map_err(|_| Wrong::Damaged("it has no segments"))?;
    let ends = segments.iter().map(|it| {
        let (offset, size) = it.file_range(endian);
        offset + size
    });
    let end = ends.max().unwrap_or(0);
    if end > bytes.len() as u64 {
        return Err(short(bytes, end));
    }
    let (mut origin, mut status, mut memory) = (None, None, vec![]);
    for segment in segments {
        let contents = segment.data(endian, bytes).unwrap_or_default();
        if segment.p_type(endian) == PT_LOAD {
            memory.push((segment.p_paddr(endian), contents.to_vec()));
        }
        let damaged = |_| Wrong::Damaged("its notes are none");
        let Some(mut notes) = segment.notes(endian, bytes).map_err(damaged)? else {
            continue;
        };
        while let Some(note) = notes.next().map_err(damaged)? {
            let kind = note.n_type(endian).0;
            if note.name() == OURS.as_bytes() && kind == ORIGIN {
                origin = Some(note.desc());
            } else if note.name() == STATUS.as_bytes() && kind == NT_PRSTATUS.0 {
                status = Some(note.desc());
            }
        }
    }
    let origin = origin.ok_or(Wrong::Foreign("it is a core of another system"))?;
    let status = status.and_then(|it| it.get(BEFORE..)?.get(..family.words * 4));
    let status = status.ok_or(Wrong::Damaged("it does not tell the registers"))?;
    let words = status
        .as_chunks::<4>()
        .0
        .iter()
        .copied()
        .map(u32::from_le_bytes);
    Ok(Core {
        origin: read_origin(origin)?,
        registers: family.registers(words.collect()),
        memory,
    })
}

fn short(bytes: &[u8], has_to_be: u64) -> Wrong {
    Wrong::Short {
        is: bytes.len() as u64,
        has_to_be,
    }
}

fn read_origin(text: &[u8]) -> Result<Origin, Wrong> {
    const DAMAGED: Wrong = Wrong::Damaged("it does not tell which system it was");
    // Whatever else another layout says.
    let value: Value = serde_json::from_slice(text).map_err(|_| DAMAGED)?;
    match value["layout"].as_u64() {
        Some(LAYOUT) => serde_json::from_value(value).map_err(|_| DAMAGED),
        Some(layout) => Err(Wrong::Layout(layout)),
        None => Err(DAMAGED),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn core(registers: u32) -> Core {
        Core {
            origin: Origin {
                layout: LAYOUT,
                application: "examples/hello".into(),
                board: "a-board".into(),
                image: "12ab".into(),
                stopped: "Ctrl-C".into(),
            },
            registers: (0..registers).map(|it| it * 0x101).collect(),
            memory: vec![(0, vec![1, 2, 3]), (0x2000_0000, vec![7; 16])],
        }
    }

    fn file() -> Vec<u8> {
        core(17).bytes(Architecture::Armv7m).unwrap()
    }

    #[test]
    fn a_core_is_read_as_it_was_written() {
        for (architecture, registers) in [(Architecture::Armv7m, 17), (Architecture::Riscv, 33)] {
            let core = core(registers);
            let read = parse(&core.bytes(architecture).unwrap()).unwrap();
            assert_eq!(read, core);
            assert!(read.is_of(architecture));
        }
        assert!(core(16).bytes(Architecture::Armv7m).is_err());
    }

    #[test]
    fn memory_is_found_by_its_address_and_within_one_piece() {
        let core = core(17);
        let piece = |base, size| core.piece(Region { base, size });
        assert_eq!(piece(1, 2), Some(&[2, 3][..]));
        assert_eq!(piece(0x2000_000C, 4), Some(&[7; 4][..]));
        assert_eq!(piece(0x2000_000D, 4), None);
        assert_eq!(piece(0x1FFF_FFFF, 2), None);
        assert_eq!(piece(u32::MAX, 4), None);
    }

    #[test]
    fn a_core_that_was_cut_short_anywhere_is_refused() {
        let file = file();
        for length in 0..file.len() - 1 {
            let wrong = parse(&file[..length]).unwrap_err();
            let is_foreign = length < ELFMAG.len();
            assert_eq!(
                matches!(wrong, Wrong::Foreign(_)),
                is_foreign,
                "{length}: {wrong:?}"
            );
            assert_eq!(
                matches!(wrong, Wrong::Short { .. }),
                !is_foreign,
                "{length}: {wrong:?}"
            );
        }
    }

    #[test]
    fn whatever_byte_is_another_the_reader_comes_to_an_end() {
        let whole = file();
        for at in 0..whole.len() {
            for value in [0, 1, 0x7F, 0xFF] {
                let mut file = whole.clone();
                file[at] = value;
                // Memory and registers may be any; all else is refused or means nothing.
                let _ = parse(&file);
            }
        }
    }

    #[test]
    fn what_is_another_file_or_of_another_layout_is_said() {
        let with = |at: usize, value: u8| {
            let mut file = file();
            file[at] = value;
            parse(&file).unwrap_err()
        };
        assert_eq!(with(0, b'X'), Wrong::Foreign("it is no ELF file"));
        assert_eq!(
            with(4, 2),
            Wrong::Foreign("it is an ELF file for other processors")
        );
        assert_eq!(
            with(16, 2),
            Wrong::Foreign("it is an ELF file, and no core")
        );
        assert_eq!(
            with(18, 3),
            Wrong::Foreign("it is a core of another processor")
        );
        let all = file();
        let name = all.windows(7).position(|it| it == OURS.as_bytes()).unwrap();
        assert_eq!(
            with(name, b'r'),
            Wrong::Foreign("it is a core of another system")
        );
        let status = all.windows(5).position(|it| it == b"CORE\0").unwrap();
        assert_eq!(
            with(status, b'c'),
            Wrong::Damaged("it does not tell the registers")
        );
        let mut core = core(17);
        core.origin.layout = 2;
        let newer = core.bytes(Architecture::Armv7m).unwrap();
        assert_eq!(parse(&newer).unwrap_err(), Wrong::Layout(2));
        let text = Wrong::Layout(2).report(Path::new("a.core")).to_string();
        assert_eq!(text, "a.core has layout 2, and this reads layout 1");
    }
}
