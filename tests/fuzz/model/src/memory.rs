//! The memory of the processes: what a script can name, and nobody's.

use riposte_abi::Error;
use riposte_fuzz_script::Place;
use riposte_fuzz_script::draw::{BUFFER, PRIVATE, SHARED};
use riposte_fuzz_script::plan::{PROCESSES, THREADS, THREADS_EACH};

/// Where the words lie that all processes share.
const SHARED_BASE: u32 = 0x1000_0000;
/// Where the words of the first process lie.
const PRIVATE_BASE: u32 = 0x2100_0000;
/// Where the buffer of the first thread lies.
const BUFFER_BASE: u32 = 0x2200_0000;
/// Where the code of the first process lies.
const CODE_BASE: u32 = 0x3000_0000;
/// From one process or thread to the next.
const STEP: u32 = 0x1_0000;

/// All memory.
pub struct Memory {
    shared: Vec<u8>,
    private: Vec<Vec<u8>>,
    buffers: Vec<Vec<u8>>,
}

impl Default for Memory {
    fn default() -> Self {
        Self {
            shared: vec![0; SHARED as usize * 4],
            private: vec![vec![0; PRIVATE as usize * 4]; PROCESSES],
            buffers: vec![vec![0; BUFFER as usize]; THREADS],
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
        Place::Code | Place::Start => CODE_BASE + process as u32 * STEP,
        Place::At(address) => address,
    }
}

impl Memory {
    /// The memory of a process is as at its start.
    pub fn clear(&mut self, process: usize) {
        self.private[process].fill(0);
        for thread in 0..THREADS_EACH {
            self.buffers[process * THREADS_EACH + thread].fill(0);
        }
    }

    /// Whether all processes see what is at this address.
    #[must_use]
    pub fn is_shared(&self, address: u32) -> bool {
        (address.wrapping_sub(SHARED_BASE) as usize) < self.shared.len()
    }

    /// Whether these bytes are the process's to read, or to write. No bytes are anybody's.
    #[must_use]
    pub fn allows(&self, process: usize, address: u32, length: u32, write: bool) -> bool {
        let own = |base: u32, size: usize| {
            let offset = address.wrapping_sub(base);
            (offset as usize) < size && length as usize <= size - offset as usize
        };
        let code = CODE_BASE + process as u32 * STEP;
        length == 0
            || own(SHARED_BASE, self.shared.len())
            || own(
                PRIVATE_BASE + process as u32 * STEP,
                self.private[process].len(),
            )
            || (0..THREADS_EACH).any(|thread| {
                let thread = process * THREADS_EACH + thread;
                own(BUFFER_BASE + thread as u32 * STEP, BUFFER as usize)
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
            _ => (
                &mut self.buffers[number(BUFFER_BASE)],
                (address - BUFFER_BASE) % STEP,
            ),
        };
        &mut memory[offset as usize..][..length as usize]
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
        let memory = match address.checked_sub(PRIVATE_BASE) {
            Some(offset) => &self.private[(offset / STEP) as usize],
            None => &self.shared,
        };
        let at = (address % STEP) as usize;
        u32::from_le_bytes([memory[at], memory[at + 1], memory[at + 2], memory[at + 3]])
    }
}
