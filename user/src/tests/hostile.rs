//! What a hostile reader has found: how safe code broke a promise, or Rust's own rules.

use core::cell::Cell;
use core::hint::black_box;
use core::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::boxed::Box;
use std::cell::RefCell;
use std::rc::Rc;
use std::vec::Vec;

use riposte_abi::call::{OPERATION_SHIFT, number, operation};
use riposte_abi::{Error, info, register};

use crate::sync::RwLock;
use crate::testing::{BADGE, TOKEN, failed, pages};
use crate::trap::hosted::{address, begin_thread_as, install, write};
use crate::{Connection, Event, Memory, Message, Pages, ThreadLocal};

/// Addresses that the kernel has moved away: from, to.
type Away = Rc<RefCell<Vec<(u32, u32)>>>;

/// A kernel that opens and moves what it is asked to, says that what is away is in use, and lets a token read
/// `message`.
fn kernel(message: Vec<u8>) -> Away {
    let away = Away::default();
    let gone = Rc::clone(&away);
    install(move |registers, _| {
        let [first, length] = [register::WORD0, register::WORD1].map(|at| registers[at]);
        let mut out = [0; register::COUNT];
        match registers[register::CALL] {
            number::RECLAIM => {
                let is_away = |(from, to): &(u32, u32)| first < *to && *from < first + length;
                if gone.borrow().iter().any(is_away) {
                    return failed(Error::InUse);
                }
            }
            number::READ => {
                let offset = registers[register::WORD2] as usize;
                let bytes = &message[offset..message.len().min(offset + length as usize)];
                // SAFETY: the call under way was given the memory.
                unsafe { write(first, bytes) };
                out[register::WORD0] = bytes.len() as u32;
            }
            call if call >> OPERATION_SHIFT == operation::MOVE => {
                gone.borrow_mut().push((first, first + length));
            }
            _ => {}
        }
        out
    });
    away
}

/// What anybody can send as bytes: the header of a copy of moved memory, and so many bytes of it.
fn copy_of_moved(length: usize) -> Vec<u8> {
    let header = [0x0344_4E4C, length as u32, 0, 0, 0, 0, 0, 0_u32];
    let mut bytes: Vec<u8> = header.iter().flat_map(|word| word.to_le_bytes()).collect();
    bytes.resize(bytes.len() + length, 0x55);
    bytes
}

/// A message that is received into `buffer`, as far as it fits.
fn receive<'a>(bytes: &[u8], buffer: &'a mut [u8]) -> Message<'a> {
    let accepted = bytes.len().min(buffer.len());
    buffer[..accepted].copy_from_slice(&bytes[..accepted]);
    let mut registers = [0; register::COUNT];
    registers[register::CALL] = BADGE;
    registers[register::INFO] = TOKEN.0 | info::BYTES;
    registers[register::GENERATION] = TOKEN.1;
    registers[register::WORD0] = accepted as u32;
    registers[register::WORD1] = bytes.len() as u32;
    match Event::decode(&registers, buffer) {
        Ok(Event::Message(message)) => message,
        other => panic!("no message: {other:?}"),
    }
}

/// Broken: "`give` takes `Pages`, or memory that was itself moved here (it can only be moved on as a whole)"
/// (docs/src/memory.md), and the invariant of `Span` ("the memory is there as long as the span lives").
///
/// A `Moved` that is a *copy* names its bytes to `MOVE` all the same. Where those are 32 bytes, at 32 bytes behind
/// the beginning of a block of this process's own pages (`fetch_memory`), an MPU or PMP can open them: the kernel
/// moves them away from under the block, which is then freed as if it were whole. The next one who allocates
/// it clears it, and the process is stopped. A hostile client of a server that forwards what it is given chooses
/// the length: it sends 64 bytes.
#[test]
fn a_fetched_copy_that_is_given_on_takes_nothing_of_the_pages_with_it() {
    pages(4096);
    let message = copy_of_moved(32);
    let away = kernel(message.clone());
    let received = receive(&message, &mut []);
    let Ok(Memory::Moved(delivery)) = received.fetch_memory() else {
        panic!("a hostile client's copy")
    };
    let (moved, _token) = delivery.into_parts();
    Connection::from_handle(5).give(moved, [0; 3]).unwrap();
    // Safe code gets pages of which a part is another process's.
    if let Some(pages) = Pages::allocate(4096) {
        let (from, to) = (address(pages.as_ptr()), address(pages.as_ptr()) + 4096);
        let gone = away.borrow();
        let overlaps = gone.iter().any(|range| range.0 < to && from < range.1);
        assert!(!overlaps, "these are not the process's: {gone:x?}");
    }
}

/// Broken as above, on every board, with an MMU too: the buffer of the receive lies in pages, so that the copied bytes
/// can be pages themselves. `&mut [u8]` outlives the move, and safe code reads memory that is another process's.
#[test]
fn a_copy_in_the_buffer_of_a_receive_that_is_given_on_takes_nothing_of_the_buffer_with_it() {
    pages(16 << 10);
    let away = kernel(Vec::new());
    let mut buffer = Pages::allocate(16 << 10).unwrap();
    let base = address(buffer.as_ptr());
    let message = copy_of_moved(4096);
    let room = &mut buffer[4096 - Memory::COPY_HEADER..8192];
    address(room.as_ptr());
    let Ok(Memory::Moved(delivery)) = receive(&message, room).into_memory() else {
        panic!("a copy")
    };
    let (moved, _token) = delivery.into_parts();
    Connection::from_handle(5).give(moved, [0; 3]).unwrap();
    let gone = away.borrow();
    let overlaps = gone
        .iter()
        .any(|range| range.0 < base + (16 << 10) && base < range.1);
    assert!(
        !overlaps,
        "`buffer` is still the process's: {gone:x?}, {base:x}"
    );
    assert_eq!(buffer[4096], 0x55);
}

/// Broken: "`Pages::allocate` ... memory that every board can lend and move: cleared" (docs/src/memory.md); the
/// SAFETY comment in `Allocation::allocate` ("the kernel says that they are at home").
///
/// `bring_home` changes `home`, `away` and `first` of a whole block that was given away, though it has claimed only a
/// part of it. Another thread that claims another part, and gives it away before the first one goes on, is
/// forgotten: its unit is marked as at home while it is another process's.
#[test]
fn pages_that_one_thread_gives_away_while_another_brings_home_are_not_given_out() {
    pages(8192);
    kernel(Vec::new());
    let connection = Connection::from_handle(5);
    let both = Pages::allocate(8192).unwrap();
    let base = address(both.as_ptr());
    connection.give(both, [0; 3]).unwrap();

    // The other process has released it. In the midst of the first thread's `RECLAIM`, a more urgent thread runs,
    // which takes the other page, and gives it away.
    let away: Away = Away::default();
    let gone = Rc::clone(&away);
    let first = Cell::new(true);
    let reclaimed = move |address: u32, length: u32, gone: &Away| {
        let is_away = |(from, to): &(u32, u32)| address < *to && *from < address + length;
        gone.borrow().iter().any(is_away)
    };
    let simple = move |gone: Away| {
        move |registers: crate::trap::Registers, _| {
            let [start, length] = [register::WORD0, register::WORD1].map(|at| registers[at]);
            match registers[register::CALL] {
                number::RECLAIM if reclaimed(start, length, &gone) => failed(Error::InUse),
                call if call >> OPERATION_SHIFT == operation::MOVE => {
                    gone.borrow_mut().push((start, start + length));
                    [0; register::COUNT]
                }
                _ => [0; register::COUNT],
            }
        }
    };
    install(move |registers, _| {
        if registers[register::CALL] == number::RECLAIM && first.take() {
            install(simple(Rc::clone(&gone)));
            // Nobody gets a part of a block that is brought home.
            if let Some(second) = Pages::allocate(4096) {
                Connection::from_handle(5).give(second, [0; 3]).unwrap();
            }
        }
        // Both pages were at home when the first thread asked.
        [0; register::COUNT]
    });
    let page = Pages::allocate(4096).unwrap();
    assert_eq!(address(page.as_ptr()), base);
    let others = away.borrow().clone();
    let other = Pages::allocate(4096).map(|page| address(page.as_ptr()));
    let is_away = |start: u32| {
        others
            .iter()
            .any(|(from, to)| (*from..*to).contains(&start))
    };
    assert!(
        !other.is_some_and(is_away),
        "a page that another process has"
    );
    assert_eq!(other.is_none(), is_away(base + 4096));
}

/// A value of a thread that, as it ends, asks for the same thread-local value.
struct Recursive {
    number: u32,
    text: Option<Box<u32>>,
}

static MADE: AtomicU32 = AtomicU32::new(0);
static LOCAL: ThreadLocal<Recursive, 1000> = ThreadLocal::new(|| {
    let number = MADE.fetch_add(1, SeqCst) + 1;
    Recursive {
        number,
        // The next one has none: a reference to the box would be a null one.
        text: (number == 1).then(|| Box::new(1)),
    }
});

std::thread_local! {
    static SEEN: Cell<Option<[u32; 2]>> = const { Cell::new(None) };
    static BOX_SEEN: Cell<Option<[bool; 2]>> = const { Cell::new(None) };
}

impl Drop for Recursive {
    fn drop(&mut self) {
        if self.number != 1 {
            return;
        }
        // Shared references to plain fields: nothing may change them as long as they live.
        let (number, text): (&u32, &Option<Box<u32>>) = (&self.number, &self.text);
        let before = (*black_box(number), black_box(text).is_some());
        LOCAL.with(|other| black_box(other.number));
        let after = (*black_box(number), black_box(text).is_some());
        SEEN.set(Some([before.0, after.0]));
        BOX_SEEN.set(Some([before.1, after.1]));
    }
}

/// Broken: safe code can't break Rust's rules. `Slot::get` drops the old value where it lies, while a further `get` by
/// the value's own `Drop` writes a new value over it: shared references to its fields change under the hands of safe
/// code (here an `Option<Box<_>>` from `Some` to `None`, so that `if let Some(text) = &self.text` is then a null box).
#[test]
fn a_value_of_a_thread_that_asks_for_its_place_as_it_is_dropped_stays_as_it_is_until_then() {
    begin_thread_as(riposte_abi::thread::id(0, 1));
    LOCAL.with(|value| assert_eq!(value.number, 1));
    // The next thread in its place.
    begin_thread_as(riposte_abi::thread::id(0, 2));
    LOCAL.with(|value| assert_ne!(value.number, 1));
    assert_eq!(BOX_SEEN.get(), Some([true, true]), "the box was taken away");
    assert_eq!(
        SEEN.get(),
        Some([1, 1]),
        "a value changed under a reference"
    );
}

/// Broken: a writer has its value alone. `RwLockState::count` adds to the readers without a look at how many there are:
/// the 2^32nd guard that is leaked (`core::mem::forget`, which is safe) makes it 0, and a writer gets in beside all readers.
/// (The loop is left out here: its result is written directly. `RecursiveMutex` looks: `again.checked_add(1)`.)
#[test]
fn no_number_of_leaked_readers_lets_a_writer_in() {
    super::sync::kernel::enter();
    let lock = RwLock::new(7_u32);
    let reader = lock.read().unwrap();
    let words = (&raw const lock).cast::<[AtomicU32; 2]>();
    // SAFETY: the gate and the readers are the first two words of the lock (`repr(C)`).
    let readers = unsafe { &(*words)[1] };
    assert_eq!(readers.load(SeqCst), 2);
    // As after 2^30 - 2 times `core::mem::forget(lock.read().unwrap())`.
    readers.store((1 << 31) - 2, SeqCst);
    core::mem::forget(lock.read());
    let writes = lock.try_write().is_ok();
    assert!(!(writes && *reader == 7), "a writer beside a reader");
    core::mem::forget(reader);
}
