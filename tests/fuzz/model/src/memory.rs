//! The memory of the processes: what a script can name, and nobody's.

use std::cell::RefCell;
use std::rc::Rc;

use riposte_abi::{Error, MAX_PARTS};
use riposte_fuzz_script::Place;
use riposte_fuzz_script::draw::{BUFFER, PRIVATE, SHARED, TABLES};
use riposte_fuzz_script::plan::{BLOCK, BLOCKS, PAGE, PAGES, PROCESSES, THREADS, THREADS_EACH};

/// Where the words lie that all processes share.
const SHARED_BASE: u32 = 0x1000_0000;
/// Where the words of the first process lie.
const PRIVATE_BASE: u32 = 0x2100_0000;
/// Where the buffer of the first thread lies.
const BUFFER_BASE: u32 = 0x2200_0000;
/// Where the tables of parts of the first thread lie.
const TABLE_BASE: u32 = 0x2300_0000;
/// Bytes of a table.
const TABLE: u32 = MAX_PARTS as u32 * 8;
/// Where the pages of the first process lie.
const PAGE_BASE: u32 = 0x2400_0000;
/// Where the first block of the pools lies: at the same place for all who have it mapped.
const BLOCK_BASE: u32 = 0x2500_0000;
/// Where the code of the first process lies.
const CODE_BASE: u32 = 0x3000_0000;
/// From one process or thread to the next.
const STEP: u32 = 0x1_0000;

/// All memory.
pub struct Memory {
    shared: Vec<u8>,
    private: Vec<Vec<u8>>,
    buffers: Vec<Vec<u8>>,
    tables: Vec<Vec<u8>>,
    pages: Vec<Vec<u8>>,
    blocks: Vec<Vec<u8>>,
    /// Which pages are away.
    pub exchange: Exchange,
}

/// Why a process may not touch a page of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Absence {
    /// The message of this thread carries it.
    Sent(usize),
    /// It was moved.
    Away,
    /// It was moved, and given up.
    Back,
}

/// A page that its process may not touch.
#[derive(Clone, Copy, Debug)]
pub struct Gap {
    /// Where it is.
    pub address: u32,
    /// Why.
    pub absence: Absence,
    /// It is only lent to be read: its process may read it, too.
    pub readable: bool,
}

/// A page in a window of another process.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// The process that has it.
    pub holder: usize,
    /// Where it is: at home, too.
    pub address: u32,
    /// The thread whose message brought it, until it is answered.
    pub lender: Option<usize>,
    /// It may be written.
    pub writable: bool,
}

/// A region that a process has mapped.
#[derive(Clone, Copy, Debug)]
pub struct Mapping {
    /// The process.
    pub process: usize,
    /// The block.
    pub block: usize,
    /// It may be written.
    pub writable: bool,
}

/// Where a block lies.
#[must_use]
pub fn address_of_block(block: usize) -> u32 {
    BLOCK_BASE + block as u32 * STEP
}

/// Who has whose pages, and which regions.
#[derive(Clone, Debug, Default)]
pub struct Shares {
    /// What is away.
    pub gaps: Vec<Gap>,
    /// Where it is.
    pub windows: Vec<Window>,
    /// Which regions are mapped.
    pub mapped: Vec<Mapping>,
}

/// What the memory and the kernel both know of pages.
pub type Exchange = Rc<RefCell<Shares>>;

/// The process whose page is at this address.
#[must_use]
pub fn home_of(address: u32) -> usize {
    ((address - PAGE_BASE) / STEP) as usize
}

/// Whether two stretches of memory have a byte in common: address and length.
#[must_use]
pub fn overlap(first: (u32, u32), second: (u32, u32)) -> bool {
    let begins_within = |(inner, length): (u32, u32), (outer, room): (u32, u32)| {
        length != 0 && inner.wrapping_sub(outer) < room
    };
    begins_within(second, first) || begins_within(first, second)
}

/// Bytes of a process, as it names them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bytes {
    /// Where they are, or the table of their parts.
    pub address: u32,
    /// How many, or how many parts.
    pub count: u32,
    /// They lie in several parts.
    pub parts: bool,
}

/// Where bytes lie: the pieces, in order, each with its length.
pub type Pieces = Vec<(u32, u32)>;

/// How many bytes these are.
#[must_use]
pub fn length_of(pieces: &Pieces) -> u32 {
    pieces.iter().map(|(_, length)| length).sum()
}

impl Default for Memory {
    fn default() -> Self {
        Self {
            shared: vec![0; SHARED as usize * 4],
            private: vec![vec![0; PRIVATE as usize * 4]; PROCESSES],
            buffers: vec![vec![0; BUFFER as usize]; THREADS],
            tables: vec![vec![0; TABLES * TABLE as usize]; THREADS],
            pages: PAGES.map(|pages| vec![0; pages * PAGE as usize]).to_vec(),
            blocks: vec![vec![0; BLOCK as usize]; BLOCKS.iter().sum()],
            exchange: Exchange::default(),
        }
    }
}

/// Where a place lies.
#[must_use]
pub fn address(place: Place, process: usize) -> u32 {
    match place {
        Place::Shared(index) => SHARED_BASE + index * 4,
        Place::Private(process, index) => PRIVATE_BASE + process as u32 * STEP + index * 4,
        Place::Buffer(thread, offset) => BUFFER_BASE + thread as u32 * STEP + offset,
        Place::Table(thread, table) => TABLE_BASE + thread as u32 * STEP + table as u32 * TABLE,
        Place::Page(process, offset) => PAGE_BASE + process as u32 * STEP + offset,
        Place::Code | Place::Start | Place::Handler => CODE_BASE + process as u32 * STEP,
        Place::At(address) | Place::Theirs(address) | Place::InRegion(address) => address,
        Place::Behind(address) => address + BLOCK,
    }
}

impl Memory {
    /// The memory of a process is as at its start.
    pub fn clear(&mut self, process: usize) {
        self.private[process].fill(0);
        for thread in 0..THREADS_EACH {
            self.buffers[process * THREADS_EACH + thread].fill(0);
            self.tables[process * THREADS_EACH + thread].fill(0);
        }
    }

    /// Whether all processes see what is at this address.
    #[must_use]
    pub fn is_shared(&self, address: u32) -> bool {
        (address.wrapping_sub(SHARED_BASE) as usize) < self.shared.len()
    }

    /// Whether all these bytes are in the process's pages, away or not.
    #[must_use]
    pub fn in_pages(&self, process: usize, address: u32, length: u32) -> bool {
        let offset = address.wrapping_sub(PAGE_BASE + process as u32 * STEP) as usize;
        let size = self.pages[process].len();
        offset < size && length as usize <= size - offset
    }

    /// What is in the window of a process in which all these bytes are.
    #[must_use]
    pub fn window(&self, process: usize, address: u32, length: u32) -> Option<Window> {
        let holds = |window: &&Window| {
            let offset = address.wrapping_sub(window.address);
            window.holder == process && offset < PAGE && length <= PAGE - offset
        };
        self.exchange.borrow().windows.iter().find(holds).copied()
    }

    /// The region in which all these bytes are, if the process has it mapped.
    #[must_use]
    pub fn mapping(&self, process: usize, address: u32, length: u32) -> Option<Mapping> {
        let holds = |mapping: &&Mapping| {
            let offset = address.wrapping_sub(address_of_block(mapping.block));
            mapping.process == process && offset < BLOCK && length <= BLOCK - offset
        };
        self.exchange.borrow().mapped.iter().find(holds).copied()
    }

    /// Whether these bytes are the process's to read, or to write. No bytes are anybody's.
    #[must_use]
    pub fn allows(&self, process: usize, address: u32, length: u32, write: bool) -> bool {
        if length == 0 {
            return true;
        }
        if self.in_pages(process, address, length) {
            let blocks = |gap: &Gap| {
                overlap((gap.address, PAGE), (address, length)) && (write || !gap.readable)
            };
            return !self.exchange.borrow().gaps.iter().any(blocks);
        }
        if let Some(window) = self.window(process, address, length) {
            return !write || window.writable;
        }
        if let Some(mapping) = self.mapping(process, address, length) {
            return !write || mapping.writable;
        }
        self.allows_for_good(process, address, length, write)
    }

    /// As [`Memory::allows`], of memory that is the process's for good: no pages, no regions, and nothing in windows.
    #[must_use]
    pub fn allows_for_good(&self, process: usize, address: u32, length: u32, write: bool) -> bool {
        let own = |base: u32, size: usize| {
            let offset = address.wrapping_sub(base);
            (offset as usize) < size && length as usize <= size - offset as usize
        };
        let code = CODE_BASE + process as u32 * STEP;
        own(SHARED_BASE, self.shared.len())
            || own(
                PRIVATE_BASE + process as u32 * STEP,
                self.private[process].len(),
            )
            || (0..THREADS_EACH).any(|thread| {
                let thread = process * THREADS_EACH + thread;
                own(BUFFER_BASE + thread as u32 * STEP, BUFFER as usize)
                    || own(TABLE_BASE + thread as u32 * STEP, TABLES * TABLE as usize)
            })
            || !write && own(code, 64)
    }

    /// They are.
    ///
    /// # Errors
    /// [`Error::BadAddress`]: they are not.
    pub fn check(
        &self,
        process: usize,
        address: u32,
        length: u32,
        write: bool,
    ) -> Result<(), Error> {
        match self.allows(process, address, length, write) {
            true => Ok(()),
            false => Err(Error::BadAddress),
        }
    }

    /// Whether a thread of the process can start there.
    #[must_use]
    pub fn is_code(&self, process: usize, address: u32) -> bool {
        address == CODE_BASE + process as u32 * STEP
    }

    fn bytes(&mut self, address: u32, length: u32) -> &mut [u8] {
        let number = |base| ((address - base) / STEP) as usize;
        let (memory, offset) = match address {
            SHARED_BASE..PRIVATE_BASE => (&mut self.shared, address - SHARED_BASE),
            PRIVATE_BASE..BUFFER_BASE => (
                &mut self.private[number(PRIVATE_BASE)],
                (address - PRIVATE_BASE) % STEP,
            ),
            BLOCK_BASE..CODE_BASE => (
                &mut self.blocks[number(BLOCK_BASE)],
                (address - BLOCK_BASE) % STEP,
            ),
            PAGE_BASE..BLOCK_BASE => (
                &mut self.pages[number(PAGE_BASE)],
                (address - PAGE_BASE) % STEP,
            ),
            TABLE_BASE..PAGE_BASE => (
                &mut self.tables[number(TABLE_BASE)],
                (address - TABLE_BASE) % STEP,
            ),
            _ => (
                &mut self.buffers[number(BUFFER_BASE)],
                (address - BUFFER_BASE) % STEP,
            ),
        };
        &mut memory[offset as usize..][..length as usize]
    }

    /// The pieces of these bytes, all of which are the process's to read, or to write.
    ///
    /// # Errors
    /// [`Error::BadAddress`]: some are not, or the table of the parts is not, or lies askew.
    pub fn pieces(&self, process: usize, bytes: Bytes, write: bool) -> Result<Pieces, Error> {
        if !bytes.parts {
            self.check(process, bytes.address, bytes.count, write)?;
            return Ok(vec![(bytes.address, bytes.count)]);
        }
        if bytes.count == 0 {
            return Ok(Vec::new());
        }
        let is_table = bytes.address.is_multiple_of(4) && bytes.count <= MAX_PARTS as u32;
        if !is_table {
            return Err(Error::BadAddress);
        }
        self.check(process, bytes.address, bytes.count * 8, false)?;
        let words = (0..bytes.count).map(|part| bytes.address + part * 8);
        let pieces: Pieces = words.map(|at| (self.peek(at), self.peek(at + 4))).collect();
        for (address, length) in &pieces {
            self.check(process, *address, *length, write)?;
        }
        Ok(pieces)
    }

    /// What lies there: so many bytes from an offset on.
    pub fn gather(&mut self, pieces: &Pieces, offset: u32, length: u32) -> Vec<u8> {
        let mut all = Vec::new();
        for (address, length) in pieces {
            all.extend(self.fetch(*address, *length));
        }
        let rest = all.into_iter().skip(offset as usize);
        rest.take(length as usize).collect()
    }

    /// Puts bytes there, from an offset on. There is room for them.
    pub fn scatter(&mut self, pieces: &Pieces, mut offset: u32, mut bytes: &[u8]) {
        for (address, length) in pieces {
            let skipped = offset.min(*length);
            offset -= skipped;
            let here = bytes.len().min((length - skipped) as usize);
            self.put(address.wrapping_add(skipped), &bytes[..here]);
            bytes = &bytes[here..];
        }
    }

    /// What lies there.
    pub fn fetch(&mut self, address: u32, length: u32) -> Vec<u8> {
        if length == 0 {
            return Vec::new();
        }
        self.bytes(address, length).to_vec()
    }

    /// Puts bytes there.
    pub fn put(&mut self, address: u32, bytes: &[u8]) {
        if !bytes.is_empty() {
            self.bytes(address, bytes.len() as u32)
                .copy_from_slice(bytes);
        }
    }

    /// The word there.
    pub fn word(&mut self, address: u32) -> u32 {
        let bytes = self.fetch(address, 4);
        u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
    }

    /// Changes the word there.
    pub fn set_word(&mut self, address: u32, value: u32) {
        self.put(address, &value.to_le_bytes());
    }

    /// The buffer of a thread, as words.
    #[must_use]
    pub fn buffer(&self, thread: usize) -> Vec<u32> {
        let (words, _) = self.buffers[thread].as_chunks::<4>();
        words.iter().map(|word| u32::from_le_bytes(*word)).collect()
    }

    /// The word there, which is some process's.
    #[must_use]
    pub fn peek(&self, address: u32) -> u32 {
        let number = |base| ((address - base) / STEP) as usize;
        let memory = match address {
            BLOCK_BASE.. => &self.blocks[number(BLOCK_BASE)],
            PAGE_BASE.. => &self.pages[number(PAGE_BASE)],
            TABLE_BASE.. => &self.tables[number(TABLE_BASE)],
            PRIVATE_BASE.. => &self.private[number(PRIVATE_BASE)],
            _ => &self.shared,
        };
        let at = (address % STEP) as usize;
        u32::from_le_bytes([memory[at], memory[at + 1], memory[at + 2], memory[at + 3]])
    }
}
