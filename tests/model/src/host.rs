//! The machine under the kernel: memory, extra registers, a clock that stands still.

use std::cell::{Cell, RefCell};

use riposte_abi::fault::REGISTERS;
use riposte_kernel::{Access, CHUNK, Port, Range, Readable, Thread, Writable};

/// What registers hold that nobody may read.
pub const POISON: u32 = 0x7A;

const RAM: u32 = 0x2000_0000;
const STRIDE: u32 = 0x1_0000;
const RAM_SIZE: u32 = 0x4000;
const CODE: u32 = 0x0010_0000;
const CODE_SIZE: u32 = 0x1000;
const DEVICE: u32 = 0x4000_0000;

/// The data memory of a process: read and write.
#[must_use]
pub fn ram(process: usize) -> Range {
    Range {
        base: RAM + process as u32 * STRIDE,
        size: RAM_SIZE,
        access: Access::ReadWrite,
    }
}

/// The code of a process: read only.
#[must_use]
pub fn code(process: usize) -> Range {
    Range {
        base: CODE + process as u32 * STRIDE,
        size: CODE_SIZE,
        access: Access::Read,
    }
}

/// A device of a process: not for the kernel.
#[must_use]
pub fn device(process: usize) -> Range {
    Range {
        base: DEVICE + process as u32 * STRIDE,
        size: 0x100,
        access: Access::Device,
    }
}

/// The machine.
#[derive(Debug)]
pub struct Host {
    ram: RefCell<Vec<Vec<u8>>>,
    code: RefCell<Vec<Vec<u8>>>,
    pub(crate) extra: RefCell<Vec<[u32; 5]>>,
    pub(crate) now: Cell<u64>,
    pub(crate) alarm: Cell<u64>,
    /// Chunks that are copied before an interrupt waits; none without it.
    pub(crate) interrupt_after: Cell<Option<u32>>,
    pub(crate) bytes: Cell<u64>,
    pub(crate) resets: RefCell<Vec<u8>>,
    pub(crate) shutdown: Cell<Option<u32>>,
    stack_pointers: RefCell<Vec<u32>>,
}

impl Host {
    pub(crate) fn new(processes: usize, threads: usize) -> Self {
        Self {
            ram: RefCell::new(vec![vec![0; RAM_SIZE as usize]; processes]),
            code: RefCell::new(vec![vec![0xC0; CODE_SIZE as usize]; processes]),
            extra: RefCell::new(vec![[0; 5]; threads]),
            now: Cell::new(0),
            alarm: Cell::new(u64::MAX),
            interrupt_after: Cell::new(None),
            bytes: Cell::new(0),
            resets: RefCell::new(Vec::new()),
            shutdown: Cell::new(None),
            stack_pointers: RefCell::new(vec![0; threads]),
        }
    }

    /// Does something with the bytes of a range, all of which lie in one process's memory.
    fn with<R>(&self, address: u32, length: u32, act: impl FnOnce(&mut [u8]) -> R) -> R {
        if length == 0 {
            return act(&mut []);
        }
        let (memory, base) = if address >= RAM {
            (&self.ram, RAM)
        } else {
            (&self.code, CODE)
        };
        let process = (address - base) / STRIDE;
        let offset = ((address - base) % STRIDE) as usize;
        let mut memory = memory.borrow_mut();
        let process = memory
            .get_mut(process as usize)
            .expect("the kernel touches only what belongs to a process");
        act(&mut process[offset..offset + length as usize])
    }

    /// Bytes of a process's memory.
    #[must_use]
    pub fn peek(&self, address: u32, length: u32) -> Vec<u8> {
        self.with(address, length, |bytes| bytes.to_vec())
    }

    /// A process stores bytes in its memory.
    pub fn poke(&self, address: u32, data: &[u8]) {
        self.with(address, data.len() as u32, |bytes| {
            bytes.copy_from_slice(data);
        });
    }

    /// A process lays out parts in its memory.
    pub fn poke_parts(&self, address: u32, parts: &[(u32, u32)]) {
        let bytes: Vec<u8> = parts
            .iter()
            .flat_map(|(address, length)| [address.to_le_bytes(), length.to_le_bytes()])
            .flatten()
            .collect();
        self.poke(address, &bytes);
    }

    /// An interrupt waits as soon as this many further chunks are copied, until the call that
    /// copies them is left.
    pub fn interrupt_after(&self, chunks: u32) {
        self.interrupt_after.set(Some(chunks));
    }

    /// Bytes that the kernel has copied from process to process so far.
    #[must_use]
    pub fn copied(&self) -> u64 {
        self.bytes.get()
    }

    /// The exit code, once the machine is stopped.
    #[must_use]
    pub fn exit_code(&self) -> Option<u32> {
        self.shutdown.get()
    }

    /// Where a thread's stack pointer is when it faults.
    pub fn set_stack_pointer(&self, thread: &Thread, address: u32) {
        self.stack_pointers.borrow_mut()[usize::from(thread.index)] = address;
    }
}

impl Port for Host {
    fn copy(&self, from: Readable, to: Writable) -> u32 {
        assert_eq!(from.length(), to.length());
        let mut done = 0;
        while done < from.length() {
            let (source, target) = (from.part(done, CHUNK), to.part(done, CHUNK));
            let bytes = self.peek(source.address(), source.length());
            self.poke(target.address(), &bytes);
            done += source.length();
            self.bytes
                .set(self.bytes.get() + u64::from(source.length()));
            if let Some(left) = self.interrupt_after.get() {
                self.interrupt_after.set(Some(left.saturating_sub(1)));
                if left <= 1 && done < from.length() {
                    break;
                }
            }
        }
        done
    }

    fn copy_short(&self, from: Readable, to: Writable) {
        assert_eq!(from.length(), to.length());
        assert!(from.length() <= CHUNK);
        let bytes = self.peek(from.address(), from.length());
        self.poke(to.address(), &bytes);
        let copied = self.bytes.get() + u64::from(from.length());
        self.bytes.set(copied);
    }

    fn fetch(&self, from: Readable, to: &mut [u8]) {
        assert_eq!(from.length() as usize, to.len());
        to.copy_from_slice(&self.peek(from.address(), from.length()));
    }

    fn store(&self, from: &[u8], to: Writable) {
        assert_eq!(from.len(), to.length() as usize);
        self.poke(to.address(), from);
    }

    fn extra(&self, thread: &Thread, index: usize) -> u32 {
        self.extra.borrow()[usize::from(thread.index)][index]
    }

    fn registers(&self, thread: &Thread) -> [u32; REGISTERS] {
        let mut registers = [0; REGISTERS];
        registers[13] = self.stack_pointer(thread);
        registers
    }

    fn stack_pointer(&self, thread: &Thread) -> u32 {
        self.stack_pointers.borrow()[usize::from(thread.index)]
    }

    fn return_target(&self, word: u32) -> Option<u32> {
        (word & 1 == 1).then_some(word & !1)
    }

    fn now(&self) -> u64 {
        self.now.get()
    }

    fn set_alarm(&self, at: u64) {
        self.alarm.set(at);
    }

    fn reset(&self, thread: &Thread) {
        self.resets.borrow_mut().push(thread.index);
    }

    fn shutdown(&self, code: u32) {
        self.shutdown.set(Some(code));
    }
}
