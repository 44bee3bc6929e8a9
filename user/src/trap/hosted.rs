//! A stand-in for the kernel where there is none: each test thread installs what a call does.
//!
//! Calls name memory with 32 bits, so [`address`] remembers which pointer it has given out, and
//! [`read`] and [`write`] find it again.

extern crate std;

use core::cell::RefCell;
use std::boxed::Box;
use std::collections::{BTreeMap, HashMap};
use std::vec::Vec;

use riposte_abi::call::number;
use riposte_abi::{info, register};

use super::pages::Allocation;
use super::{Entry, Extra, Range, Registers};
use crate::PartMut;
use crate::words::pad;

/// What a call does: from the message registers and the extra ones to the message registers.
pub type Kernel = Box<dyn FnMut(Registers, Extra) -> Registers>;

std::thread_local! {
    static KERNEL: RefCell<Option<Kernel>> = const { RefCell::new(None) };
    static POINTERS: RefCell<HashMap<u32, usize>> = RefCell::new(HashMap::new());
    static ENTRIES: RefCell<Vec<Entry>> = const { RefCell::new(Vec::new()) };
    static DEVICE: RefCell<BTreeMap<u32, u32>> = const { RefCell::new(BTreeMap::new()) };
    static ALLOCATION: &'static Allocation = Box::leak(Box::new(Allocation::new()));
}

/// Makes `kernel` answer the calls of this thread.
#[cfg(test)]
pub fn install(kernel: impl FnMut(Registers, Extra) -> Registers + 'static) {
    KERNEL.with(|slot| *slot.borrow_mut() = Some(Box::new(kernel)));
}

/// Makes no kernel answer the calls of this thread, until the call under way is over.
#[cfg(test)]
pub fn uninstall() {
    KERNEL.with(|slot| slot.borrow_mut().take());
}

/// Adds a name to this thread's process-info table.
#[cfg(test)]
pub fn name(kind: u32, name: &'static str, value: u32) {
    ENTRIES.with(|entries| entries.borrow_mut().push(Entry { kind, value, name }));
}

/// There is no kernel that could call it.
pub fn signal_entry() -> u32 {
    0
}

/// The host tells its threads apart itself.
pub fn stack_is_free() -> bool {
    true
}

/// The bytes that a call names.
///
/// # Safety
/// The range must be one that the call under way was given.
#[must_use]
#[cfg(test)]
pub unsafe fn read(address: u32, length: u32) -> Vec<u8> {
    // SAFETY: the caller's promise; `address` kept the whole pointer.
    unsafe { core::slice::from_raw_parts(pointer(address), length as usize) }.to_vec()
}

/// Writes the bytes that a call names.
///
/// # Safety
/// The range must be a buffer that the call under way was given, at least as long as `bytes`.
#[cfg(test)]
pub unsafe fn write(address: u32, bytes: &[u8]) {
    // SAFETY: the caller's promise.
    unsafe { core::ptr::copy_nonoverlapping(bytes.as_ptr(), pointer(address), bytes.len()) }
}

/// The memory that a call named with this address.
pub fn pointer(address: u32) -> *mut u8 {
    let whole = POINTERS.with(|pointers| pointers.borrow().get(&address).copied());
    core::ptr::with_exposed_provenance_mut(whole.expect("an address that was never given out"))
}

/// The 32 bits by which a call names memory.
pub fn address<T>(pointer: *const T) -> u32 {
    let whole = pointer.expose_provenance();
    let short = whole as u32;
    POINTERS.with(|pointers| pointers.borrow_mut().insert(short, whole));
    short
}

/// Any call.
pub fn call(registers: Registers, extra: Extra) -> Registers {
    KERNEL.with(|slot| {
        let mut kernel = slot.borrow_mut().take().expect("no kernel is installed");
        let out = kernel(registers, extra);
        slot.borrow_mut().get_or_insert(kernel);
        out
    })
}

fn registers(call: u32, info: u32, generation: u32, words: [u32; 5]) -> Registers {
    let mut registers = [0; register::COUNT];
    registers[register::CALL] = call;
    registers[register::INFO] = info;
    registers[register::GENERATION] = generation;
    for (position, word) in register::WORDS.into_iter().zip(words) {
        registers[position] = word;
    }
    registers
}

/// Sends words, with no reply buffer.
pub fn send_words<const N: usize>(word: u32, words: [u32; N]) -> Registers {
    call(registers(word, N as u32 * 4, 0, pad(words)), [0; 5])
}

/// Answers with words and waits for the next message, without a buffer.
pub fn reply_words_receive<const N: usize>(
    word: u32,
    tag: u32,
    generation: u32,
    words: [u32; N],
) -> Registers {
    let info = tag | (N as u32 * 4);
    call(registers(word, info, generation, pad(words)), [0; 5])
}

/// Sends bytes.
pub fn send_bytes(word: u32, message: Range, reply: Range) -> Registers {
    let words = [message.address, message.length, 0, 0, 0];
    send(word, 0, words, reply)
}

/// Answers with bytes and waits for the next message.
pub fn reply_bytes_receive(
    word: u32,
    tag: u32,
    generation: u32,
    answer: Range,
    buffer: Range,
) -> Registers {
    let words = [answer.address, answer.length, 0, 0, 0];
    reply_receive(word, tag, generation, words, buffer, None)
}

/// Sends words, a range or parts.
pub fn send(word: u32, info: u32, words: [u32; 5], reply: Range) -> Registers {
    call(
        registers(word, info, 0, words),
        [0, 0, reply.address, reply.length, 0],
    )
}

/// Waits for a message.
pub fn receive(word: u32, buffer: Range) -> Registers {
    call(
        registers(word, 0, 0, [0; 5]),
        [0, 0, buffer.address, buffer.length, 0],
    )
}

/// Acknowledges an interrupt and waits for a message.
pub fn acknowledge_and_receive(word: u32, interrupt: u32, buffer: Range) -> Registers {
    send(word, info::ACKNOWLEDGE, [0, 0, 0, interrupt, 0], buffer)
}

/// Answers and waits for the next message.
pub fn reply_receive(
    word: u32,
    info: u32,
    generation: u32,
    words: [u32; 5],
    buffer: Range,
    status: Option<u32>,
) -> Registers {
    call(
        registers(word, info, generation, words),
        [0, 0, buffer.address, buffer.length, status.unwrap_or(0)],
    )
}

/// A call about one object, with one more number: `CALL`, 0 unless it has failed, and the first two words.
pub fn about(number: u32, object: u32, value: u32) -> (u32, [u32; 2]) {
    let out = call(registers(number, 0, 0, pad([object, value])), [0; 5]);
    (
        out[register::CALL],
        [out[register::WORD0], out[register::WORD1]],
    )
}

/// A call with a moment.
pub fn timed(
    word: u32,
    info: u32,
    words: [u32; 5],
    [low, high]: [u32; 2],
    buffer: Range,
) -> Registers {
    call(
        registers(word, info, 0, words),
        [low, high, buffer.address, buffer.length, 0],
    )
}

/// The call that does nothing.
pub fn null() {
    call(registers(number::NULL, 0, 0, [0; 5]), [0; 5]);
}

/// Lets the next ready thread of the same priority run.
pub fn yield_now() {
    call(registers(number::YIELD, 0, 0, [0; 5]), [0; 5]);
}

/// What this thread's tests named.
pub fn entries() -> impl Iterator<Item = Entry> {
    ENTRIES.with(|entries| entries.borrow().clone()).into_iter()
}

/// Whether the main thread asks: a test has one for each process.
pub fn is_main_thread() -> bool {
    true
}

/// The name of the process.
pub fn process_name() -> &'static str {
    "hosted"
}

/// The index of the process.
pub fn process_index() -> u32 {
    0
}

/// Reads a device register: what was last written there.
pub fn load(address: u32) -> u32 {
    DEVICE.with(|device| device.borrow().get(&address).copied().unwrap_or(0))
}

/// Writes a device register.
pub fn store(address: u32, value: u32) {
    DEVICE.with(|device| device.borrow_mut().insert(address, value));
}

/// Writes `bytes` to the beginning of `part`, as far as they fit.
pub fn fill(part: &mut PartMut<'_>, bytes: &[u8]) {
    let range = part.range();
    let length = bytes.len().min(range.length as usize);
    // SAFETY: the part stands for a slice that is borrowed mutably as long as the part lives.
    unsafe { core::ptr::copy_nonoverlapping(bytes.as_ptr(), pointer(range.address), length) }
}

/// Who has which part of the pages of this thread's tests.
pub fn allocation() -> &'static Allocation {
    ALLOCATION.with(|allocation| *allocation)
}

/// Instructions that were executed: nobody counts them here.
pub fn instructions() -> Option<u32> {
    None
}

/// Copies blocks of 32 bytes.
///
/// # Safety
/// `from` is valid for reads and `to` for writes of `count` blocks, and they don't overlap.
pub unsafe fn copy_blocks(to: *mut [u32; 8], from: *const [u32; 8], count: usize) {
    // SAFETY: the caller's promise.
    unsafe { to.copy_from_nonoverlapping(from, count) };
}

std::thread_local! {
    static THREAD: core::cell::Cell<u32> = const { core::cell::Cell::new(riposte_abi::thread::id(0, 1)) };
}

/// The id of the running thread: the first one's, unless the test says otherwise.
pub fn thread_id() -> u32 {
    THREAD.get()
}

/// The running thread has this id.
#[cfg(test)]
pub fn begin_thread_as(id: u32) {
    THREAD.set(id);
}

std::thread_local! {
    static INDEX: usize = {
        static NEXT: core::sync::atomic::AtomicUsize = core::sync::atomic::AtomicUsize::new(0);
        NEXT.fetch_add(1, core::sync::atomic::Ordering::Relaxed)
    };
}

/// The index of the running thread: no two of the host's have the same, as what belongs to a thread is found
/// by it.
pub fn thread_index() -> usize {
    INDEX.with(|index| *index)
}

/// The running thread has this index and this id.
///
/// # Safety
/// None here.
pub unsafe fn begin_thread(_: usize, _: u32) {}

/// Where a thread begins that the program starts: here none does.
///
/// # Safety
/// Nobody calls it.
pub unsafe fn start_thread(argument: u32, _: u32, _: u32, _: usize) -> ! {
    // SAFETY: nothing lives on this stack.
    unsafe { crate::thread::exit(argument) }
}
