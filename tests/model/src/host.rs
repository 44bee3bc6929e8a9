//! The machine under the kernel: memory, extra registers, a clock that stands still.

use std::cell::{Cell, RefCell};

use riposte_abi::{fault::REGISTERS, signal::frame};
use riposte_kernel::{
    Access, CHUNK, Known, Port, Range, Readable, Room, Thread, Upcall, Writable, limits::TRANSLATED,
};

use crate::ProcessId;
use crate::protection::{Protection, can_express};

/// What registers hold that nobody may read.
pub const POISON: u32 = 0x7A;

const RAM: u32 = 0x2000_0000;
const STRIDE: u32 = 0x1_0000;
const RAM_SIZE: u32 = 0x4000;
const SHARED: u32 = 0x3000_0000;
const SHARED_SIZE: u32 = 0x100;
const PAGES_SIZE: u32 = 0x1000;
const POOL: u32 = 0x5000_0000;
/// Pools of a system, and bytes of each at most.
pub(crate) const POOLS: usize = 2;
pub(crate) const POOL_SIZE: u32 = 0x1000;
const CODE: u32 = 0x0010_0000;
const CODE_SIZE: u32 = 0x1000;
const DEVICE: u32 = 0x4000_0000;
const DISPLACEMENT: u32 = 0x0010_0000;

/// What a handler takes below its stack pointer, as on a Cortex-M.
pub const UPCALL_BELOW: u32 = 32;
/// Bytes that the kernel keeps in a handler's frame.
const HEAD_BYTES: u32 = frame::WORDS as u32 * 4;
/// Words that are saved of a thread under its handler: message registers, extra registers, stack pointer.
pub const SAVED_WORDS: usize = 8 + 5 + 1;

/// The data memory of a process: read and write.
#[must_use]
pub fn ram(process: usize) -> Range {
    placed(RAM, process, RAM_SIZE, Access::ReadWrite)
}

/// The pages of a process, which lie behind its data.
#[must_use]
pub fn pages(process: usize) -> Range {
    placed(RAM + RAM_SIZE, process, PAGES_SIZE, Access::ReadWrite)
}

/// The code of a process: read only.
#[must_use]
pub fn code(process: usize) -> Range {
    placed(CODE, process, CODE_SIZE, Access::Read)
}

/// A device of a process: not for the kernel.
#[must_use]
pub fn device(process: usize) -> Range {
    placed(DEVICE, process, 0x100, Access::Device)
}

/// Memory that processes share ([`crate::System::share`]), as one of them sees it: where addresses are
/// translated each at another place.
#[must_use]
pub fn shared(process: usize, access: Access) -> Range {
    let (own, displacement) = if TRANSLATED {
        (process as u32 * STRIDE, DISPLACEMENT)
    } else {
        (0, 0)
    };
    Range::new(SHARED + own, SHARED_SIZE, access).at(SHARED + displacement)
}

/// Where the kernel sees the first block of a pool.
#[must_use]
pub fn pool(number: usize) -> u32 {
    POOL + number as u32 * STRIDE
}

/// A range of a process. Where addresses are translated, the kernel sees it elsewhere: each process's
/// memory displaced by another distance, so that none is found by another one's.
fn placed(memory: u32, process: usize, size: u32, access: Access) -> Range {
    let base = memory + process as u32 * STRIDE;
    let displacement = if TRANSLATED {
        (process as u32 + 1) * DISPLACEMENT
    } else {
        0
    };
    Range::new(base, size, access).at(base + displacement)
}

/// The machine address of what a process sees at `address`. Processes see their memories at
/// different addresses, though they need not.
fn machine(address: u32) -> u32 {
    // Nobody sees a pool where it lies, if addresses are translated.
    if address >= POOL {
        return address;
    }
    if (SHARED..DEVICE).contains(&address) {
        let process = (address - SHARED) / STRIDE;
        return shared(process as usize, Access::ReadWrite).machine(address);
    }
    let memory = if address >= RAM { RAM } else { CODE };
    let process = (address.wrapping_sub(memory) / STRIDE) as usize;
    let range = if memory == RAM {
        ram(process)
    } else {
        code(process)
    };
    range.machine(address)
}

/// An interrupt controller as that of Cortex-M: it keeps what was asked for while a line is masked. A
/// bit a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Lines {
    /// Not masked.
    pub enabled: u32,
    /// Asked for.
    pub pending: u32,
    /// Asked for by the device now.
    pub asserted: u32,
    /// Those that software cannot raise.
    pub mute: u32,
}

impl Lines {
    /// Takes the first line that is to interrupt, and masks it.
    pub(crate) fn take(&mut self) -> Option<usize> {
        let line = (self.enabled & self.pending).trailing_zeros();
        if line == u32::BITS {
            return None;
        }
        self.enabled &= !(1 << line);
        self.pending &= !(1 << line);
        Some(line as usize)
    }
}

/// The machine.
#[derive(Debug)]
pub struct Host {
    ram: RefCell<Vec<Vec<u8>>>,
    code: RefCell<Vec<Vec<u8>>>,
    /// One piece.
    shared: RefCell<Vec<Vec<u8>>>,
    pools: RefCell<Vec<Vec<u8>>>,
    pub(crate) protection: RefCell<Protection>,
    pub(crate) extra: RefCell<Vec<[u32; 5]>>,
    pub(crate) now: Cell<u64>,
    pub(crate) alarm: Cell<u64>,
    /// Chunks that are copied before an interrupt waits; none without it.
    pub(crate) interrupt_after: Cell<Option<u32>>,
    /// The kernel has looked for interrupts in this event, and one waited.
    pub(crate) found_one: Cell<bool>,
    pub(crate) bytes: Cell<u64>,
    /// Words and pieces of user memory that were touched since the kernel last looked for interrupts, and
    /// the most there were.
    looks: Cell<u32>,
    touched: Cell<u32>,
    most_touched: Cell<u32>,
    pub(crate) resets: RefCell<Vec<u8>>,
    /// The thread that is to execute its call again.
    pub(crate) repeats: RefCell<Vec<u8>>,
    pub(crate) shutdown: Cell<Option<u32>>,
    machine_resets: Cell<u32>,
    /// The interrupt controller.
    pub(crate) lines: Cell<Lines>,
    stack_pointers: RefCell<Vec<u32>>,
    /// Threads that began a handler, or ended one, since the machine has looked.
    pub(crate) upcalls: RefCell<Vec<(u8, Option<Upcall>)>>,
    /// Where extra registers are that lie on a thread's stack.
    stacked: RefCell<Vec<Option<u32>>>,
}

impl Host {
    pub(crate) fn new(processes: usize, threads: usize, protection: Protection) -> Self {
        Self {
            ram: RefCell::new(vec![vec![0; (RAM_SIZE + PAGES_SIZE) as usize]; processes]),
            protection: RefCell::new(protection),
            shared: RefCell::new(vec![vec![0; SHARED_SIZE as usize]]),
            // As RAM is before anybody has cleared it.
            pools: RefCell::new(vec![vec![0xD1; POOL_SIZE as usize]; POOLS]),
            code: RefCell::new(vec![vec![0xC0; CODE_SIZE as usize]; processes]),
            extra: RefCell::new(vec![[0; 5]; threads]),
            now: Cell::new(0),
            alarm: Cell::new(u64::MAX),
            interrupt_after: Cell::new(None),
            found_one: Cell::new(false),
            bytes: Cell::new(0),
            looks: Cell::new(0),
            touched: Cell::new(0),
            most_touched: Cell::new(0),
            resets: RefCell::new(Vec::new()),
            repeats: RefCell::default(),
            shutdown: Cell::new(None),
            machine_resets: Cell::new(0),
            lines: Cell::new(Lines::default()),
            stack_pointers: RefCell::new(vec![0; threads]),
            upcalls: RefCell::default(),
            stacked: RefCell::new(vec![None; threads]),
        }
    }

    /// Does something with the bytes at a machine address, all of which lie in one process's memory.
    fn with<R>(&self, machine: u32, length: u32, act: impl FnOnce(&mut [u8]) -> R) -> R {
        if length == 0 {
            return act(&mut []);
        }
        let within = |range: Range| {
            let offset = machine.wrapping_sub(range.machine(range.base));
            range
                .holds(range.base.wrapping_add(offset), length)
                .then_some(offset as usize)
        };
        let processes = self.ram.borrow().len();
        let found = (0..processes).find_map(|process| {
            let in_ram = within(ram(process)).map(|offset| (&self.ram, process, offset));
            let in_pages = || {
                let offset = within(pages(process))?;
                Some((&self.ram, process, offset + RAM_SIZE as usize))
            };
            in_ram
                .or_else(in_pages)
                .or_else(|| {
                    let range = shared(process, Access::ReadWrite);
                    within(range).map(|offset| (&self.shared, 0, offset))
                })
                .or_else(|| within(code(process)).map(|offset| (&self.code, process, offset)))
        });
        let found = found.or_else(|| {
            let within = |number: usize| {
                let whole = Range::new(pool(number), POOL_SIZE, Access::ReadWrite);
                let offset = machine.wrapping_sub(pool(number));
                whole
                    .holds(machine, length)
                    .then_some((&self.pools, number, offset as usize))
            };
            (0..POOLS).find_map(within)
        });
        self.touched.set(self.touched.get() + 1);
        self.most_touched
            .set(self.most_touched.get().max(self.touched.get()));
        let (memory, process, offset) =
            found.expect("the kernel touches only what belongs to a process");
        act(&mut memory.borrow_mut()[process][offset..offset + length as usize])
    }

    fn load(&self, from: Readable) -> Vec<u8> {
        self.with(from.address(), from.length(), |bytes| bytes.to_vec())
    }

    fn save(&self, to: Writable, data: &[u8]) {
        self.with(to.address(), to.length(), |bytes| {
            bytes.copy_from_slice(data);
        });
    }

    /// Bytes of a process's memory, at the address at which it sees them.
    #[must_use]
    pub fn peek(&self, address: u32, length: u32) -> Vec<u8> {
        self.with(machine(address), length, |bytes| bytes.to_vec())
    }

    /// A word of a process's memory.
    #[must_use]
    pub fn peek_word(&self, address: u32) -> u32 {
        u32::from_le_bytes(self.peek(address, 4).try_into().expect("four bytes"))
    }

    /// A process stores a word in its memory.
    pub fn poke_word(&self, address: u32, value: u32) {
        self.poke(address, &value.to_le_bytes());
    }

    /// A process stores bytes in its memory.
    pub fn poke(&self, address: u32, data: &[u8]) {
        self.with(machine(address), data.len() as u32, |bytes| {
            bytes.copy_from_slice(data);
        });
    }

    /// A thread of `process` reads bytes. `None`: it may not.
    #[must_use]
    pub fn try_read(&self, process: ProcessId, address: u32, length: u32) -> Option<Vec<u8>> {
        let places = self.reach(process, address, length, false)?;
        let byte = |place| self.with(place, 1, |bytes| bytes[0]);
        Some(places.into_iter().map(byte).collect())
    }

    /// A thread of `process` writes bytes. False: it may not write all of them; then it has written
    /// none.
    #[must_use]
    pub fn try_write(&self, process: ProcessId, address: u32, data: &[u8]) -> bool {
        let Some(places) = self.reach(process, address, data.len() as u32, true) else {
            return false;
        };
        for (place, byte) in places.into_iter().zip(data) {
            self.with(place, 1, |bytes| bytes[0] = *byte);
        }
        true
    }

    fn reach(
        &self,
        process: ProcessId,
        address: u32,
        length: u32,
        write: bool,
    ) -> Option<Vec<u32>> {
        let protection = self.protection.borrow();
        let reach = |index| protection.reach(process.0, address.wrapping_add(index), write);
        (0..length).map(reach).collect()
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

    /// Whether an interrupt waits that comes before the next instruction of a thread. The clock's waits from the time
    /// that it was asked for until it is asked for another one, also while the kernel serves it (as a machine timer's of
    /// RISC-V).
    pub(crate) fn one_comes(&self) -> bool {
        let lines = self.lines.get();
        self.now.get() >= self.alarm.get() || lines.enabled & lines.pending != 0
    }

    pub(crate) fn change_lines<R>(&self, change: impl FnOnce(&mut Lines) -> R) -> R {
        let mut lines = self.lines.get();
        let result = change(&mut lines);
        self.lines.set(lines);
        result
    }

    /// The kernel looks, mostly after a chunk: whether an interrupt waits now.
    fn is_interrupted(&self) -> bool {
        self.touched.set(0);
        self.looks.set(self.looks.get() + 1);
        let Some(left) = self.interrupt_after.get() else {
            return false;
        };
        self.interrupt_after.set(Some(left.saturating_sub(1)));
        left <= 1
    }

    /// How often the kernel has looked for interrupts so far.
    #[must_use]
    pub fn looks(&self) -> u32 {
        self.looks.get()
    }

    /// Bytes that the kernel has copied from process to process so far.
    #[must_use]
    pub fn copied(&self) -> u64 {
        self.bytes.get()
    }

    /// Counts from now on how often the kernel touches user memory between two looks for interrupts.
    pub fn count_touches(&self) {
        self.touched.set(0);
        self.most_touched.set(0);
    }

    /// The most touches of user memory between two looks since [`Host::count_touches`].
    #[must_use]
    pub fn most_touches(&self) -> u32 {
        self.most_touched.get()
    }

    /// How often the machine was to be reset.
    #[must_use]
    pub fn resets(&self) -> u32 {
        self.machine_resets.get()
    }

    /// The exit code, once the machine is stopped.
    #[must_use]
    pub fn exit_code(&self) -> Option<u32> {
        self.shutdown.get()
    }

    /// A thread that waits asks for bytes elsewhere: on some processors its extra registers are saved
    /// in its own memory, which others may change.
    pub fn set_room(&self, thread: &Thread, address: u32, capacity: u32) {
        let extra = &mut self.extra.borrow_mut()[usize::from(thread.index)];
        extra[2] = address;
        extra[3] = capacity;
    }

    /// From now on the extra registers of a thread lie at this address of its stack, as on a Cortex-M:
    /// whoever has the memory can change them.
    pub fn set_stack(&self, thread: &Thread, address: u32) {
        self.stacked.borrow_mut()[usize::from(thread.index)] = Some(address);
        thread.frame.set((address - 8) as usize);
    }

    /// Where a thread's stack pointer is.
    pub(crate) fn stack_pointers(&self) -> Vec<u32> {
        self.stack_pointers.borrow().clone()
    }

    pub(crate) fn set_stack_pointers(&self, all: &[u32]) {
        self.stack_pointers.borrow_mut().copy_from_slice(all);
    }

    /// Where a thread's stack pointer is when it faults.
    pub fn set_stack_pointer(&self, thread: &Thread, address: u32) {
        self.stack_pointers.borrow_mut()[usize::from(thread.index)] = address;
    }
}

/// The index of the process that all these threads are of.
fn process(threads: &'static [Thread]) -> Option<usize> {
    let first = threads.first().expect("a process has threads");
    let is_main = first.index == first.process.first_thread;
    is_main.then_some(first.process.index.into())
}

impl Port for Host {
    fn copy(&self, from: Readable, to: Writable) -> u32 {
        assert_eq!(from.length(), to.length());
        let mut done = 0;
        while done < from.length() {
            let (source, target) = (from.part(done, CHUNK), to.part(done, CHUNK));
            self.save(target, &self.load(source));
            done += source.length();
            self.bytes
                .set(self.bytes.get() + u64::from(source.length()));
            // Nobody looks after a piece of a chunk.
            if source.length() == CHUNK && self.is_interrupted() && done < from.length() {
                break;
            }
        }
        done
    }

    fn copy_short(&self, from: Readable, to: Writable) {
        assert_eq!(from.length(), to.length());
        assert!(from.length() <= CHUNK);
        self.save(to, &self.load(from));
        let copied = self.bytes.get() + u64::from(from.length());
        self.bytes.set(copied);
    }

    fn fetch(&self, from: Readable, to: &mut [u8]) {
        assert_eq!(from.length() as usize, to.len());
        to.copy_from_slice(&self.load(from));
    }

    fn store(&self, from: &[Cell<u8>], to: Writable) {
        assert_eq!(from.len(), to.length() as usize);
        let bytes: Vec<u8> = from.iter().map(Cell::get).collect();
        self.save(to, &bytes);
    }

    fn extra(&self, thread: &Thread, index: usize) -> u32 {
        self.extra.borrow()[usize::from(thread.index)][index]
    }

    fn room(&self, thread: &Thread) -> Room {
        let index = usize::from(thread.index);
        match self.stacked.borrow()[index] {
            Some(address) => Room::OnStack(address),
            None => {
                let extra = self.extra.borrow()[index];
                Room::Kept(extra[2], extra[3])
            }
        }
    }

    fn registers(&self, thread: &Thread, _known: Known, to: &[Cell<u32>; REGISTERS]) {
        to[13].set(self.stack_pointer(thread));
    }

    fn stack_pointer(&self, thread: &Thread) -> u32 {
        self.stack_pointers.borrow()[usize::from(thread.index)]
    }

    /// A thread of which no test says anything has something on its stack.
    fn stack_below(&self, thread: &Thread) -> u32 {
        match self.stack_pointer(thread) {
            0 => thread.stack_top - 64,
            set => set,
        }
    }

    fn upcall_room(&self, _: &Thread) -> (u32, u32) {
        (UPCALL_BELOW, SAVED_WORDS as u32 * 4)
    }

    fn begin_upcall(&self, thread: &Thread, range: Writable, upcall: &Upcall) {
        let (below, saved) = self.upcall_room(thread);
        assert_eq!(range.length(), below + HEAD_BYTES + saved);
        assert_eq!(upcall.stack_pointer % 16, 0);
        self.save(range.part(0, below), &[0xBE; UPCALL_BELOW as usize]);
        let head = upcall.head.map(u32::to_le_bytes);
        self.save(range.part(below, HEAD_BYTES), head.as_flattened());
        let registers = thread.registers.iter().map(Cell::get);
        let extra = self.extra.borrow()[usize::from(thread.index)];
        let all = registers.chain(extra).chain([self.stack_pointer(thread)]);
        let bytes: Vec<u8> = all.flat_map(u32::to_le_bytes).collect();
        self.save(range.part(below + HEAD_BYTES, saved), &bytes);
        for register in &thread.registers {
            register.set(0);
        }
        self.stack_pointers.borrow_mut()[usize::from(thread.index)] = upcall.stack_pointer;
        let mut upcalls = self.upcalls.borrow_mut();
        upcalls.push((thread.index, Some(*upcall)));
    }

    fn end_upcall(&self, thread: &Thread, range: Readable) -> Option<[u32; frame::WORDS]> {
        let bytes = self.load(range);
        let (words, _) = bytes.as_chunks::<4>();
        let mut words = words.iter().map(|word| u32::from_le_bytes(*word));
        let mut extra = self.extra.borrow_mut();
        let registers = thread.registers.len();
        let head = core::array::from_fn(|_| words.next().expect("the kernel's words"));
        let saved: Vec<u32> = words.collect();
        let stack_pointer = saved[SAVED_WORDS - 1];
        if !stack_pointer.is_multiple_of(4) {
            return None;
        }
        for (cell, word) in thread.registers.iter().zip(&saved) {
            cell.set(*word);
        }
        extra[usize::from(thread.index)].copy_from_slice(&saved[registers..registers + 5]);
        self.stack_pointers.borrow_mut()[usize::from(thread.index)] = stack_pointer;
        self.upcalls.borrow_mut().push((thread.index, None));
        Some(head)
    }

    fn return_target(&self, word: u32) -> Option<u32> {
        (word & 1 == 1).then_some(word & !1)
    }

    fn can_open(&self, range: Writable) -> bool {
        can_express(range)
    }

    fn open(
        &self,
        threads: &'static [Thread],
        number: usize,
        range: Writable,
        writable: bool,
    ) -> u32 {
        let mut protection = self.protection.borrow_mut();
        let piece = (range.address(), range.length(), writable);
        protection.tell(threads, (true, number), Some(piece));
        match process(threads) {
            Some(process) => protection.open(process, number, range, writable),
            None => range.address(),
        }
    }

    fn close(&self, threads: &'static [Thread], number: usize, length: u32) {
        let mut protection = self.protection.borrow_mut();
        protection.tell(threads, (true, number), None);
        if let Some(process) = process(threads) {
            protection.close(process, number, length);
        }
    }

    fn hide(
        &self,
        threads: &'static [Thread],
        number: usize,
        range: Writable,
        address: u32,
        readable: bool,
    ) {
        let mut protection = self.protection.borrow_mut();
        let piece = (range.address(), range.length(), readable);
        protection.tell(threads, (false, number), Some(piece));
        if let Some(process) = process(threads) {
            protection.hide(process, number, range, address, readable);
        }
    }

    fn show(&self, threads: &'static [Thread], number: usize) {
        let mut protection = self.protection.borrow_mut();
        protection.tell(threads, (false, number), None);
        if let Some(process) = process(threads) {
            protection.show(process, number);
        }
    }

    fn clear(&self, to: Writable) -> u32 {
        let mut done = 0;
        while done < to.length() {
            let part = to.part(done, CHUNK);
            self.save(part, &vec![0; part.length() as usize]);
            done += part.length();
            if done < to.length() && self.is_interrupted() {
                break;
            }
        }
        done
    }

    fn mask(&self, line: u16) {
        self.change_lines(|lines| lines.enabled &= !(1 << line));
    }

    fn unmask(&self, line: u16) {
        self.change_lines(|lines| lines.enabled |= 1 << line);
    }

    fn forget(&self, line: u16) {
        self.change_lines(|lines| lines.pending &= lines.asserted | !(1 << line));
    }

    fn pend(&self, line: u16) -> bool {
        let can = self.lines.get().mute >> line & 1 == 0;
        if can {
            self.change_lines(|lines| lines.pending |= 1 << line);
        }
        can
    }

    fn interrupted(&self) -> bool {
        let waits = self.is_interrupted() || self.one_comes();
        self.found_one.set(self.found_one.get() || waits);
        waits
    }

    fn now(&self) -> u64 {
        self.now.get()
    }

    const TICK: u32 = 1;

    fn ticks(&self) -> u32 {
        self.now.get() as u32
    }

    fn set_alarm(&self, at: u64) {
        self.alarm.set(at);
    }

    fn repeat(&self, thread: &Thread) {
        let mut repeats = self.repeats.borrow_mut();
        assert!(!repeats.contains(&thread.index), "once is enough");
        repeats.push(thread.index);
        if let Some(extra) = self.stacked.borrow()[usize::from(thread.index)] {
            // As on a Cortex-M: where it goes on lies behind them, and the kernel asks nobody whose memory that is.
            let next = extra + 16;
            self.poke_word(next, self.peek_word(next).wrapping_sub(2));
        }
    }

    fn reset(&self, thread: &Thread) {
        self.stack_pointers.borrow_mut()[usize::from(thread.index)] = 0;
        self.resets.borrow_mut().push(thread.index);
    }

    fn reset_machine(&self) {
        self.machine_resets.set(self.machine_resets.get() + 1);
    }

    fn shutdown(&self, code: u32) {
        self.shutdown.set(Some(code));
    }
}
