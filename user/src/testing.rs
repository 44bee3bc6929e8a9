//! A stand-in for the kernel and a server behind it: what a client sends is handed to a closure
//! as a message, and its answer is the client's reply.

use core::cell::RefCell;
use std::alloc::Layout;
use std::boxed::Box;
use std::rc::Rc;
use std::vec::Vec;

use riposte_abi::call::{OPERATION_SHIFT, number, operation};
use riposte_abi::{Error, MESSAGE_BYTES, Part, info, process_info::kind, register};

use crate::trap::hosted::{address, install, name, read, uninstall, write};
use crate::trap::{Extra, Registers};
use crate::{Answer, Buffer, Connection, Event, Message, Pages, Token, words};

/// The calls that were made.
pub type Calls = Rc<RefCell<Vec<(Registers, Extra)>>>;

/// The badge of the client.
pub const BADGE: u32 = 77;
/// The client's token.
pub const TOKEN: (u32, u32) = (0x0102_0300, 9);

/// Installs a kernel that answers each call with `out`, and returns the calls that are made.
pub fn kernel(out: impl Fn(&Registers) -> Registers + 'static) -> Calls {
    let calls = Calls::default();
    let log = Rc::clone(&calls);
    install(move |registers, extra| {
        log.borrow_mut().push((registers, extra));
        out(&registers)
    });
    calls
}

/// Registers of a call that failed.
pub fn failed(error: Error) -> Registers {
    let mut out = [0; register::COUNT];
    out[register::CALL] = error as u32;
    out[register::INFO] = info::ERROR;
    out
}

/// A token with these parts.
pub fn token((tag, generation): (u32, u32)) -> Token {
    // SAFETY: no test uses memory that it was lent after it has used a token.
    unsafe { Token::from_parts(tag, generation) }
}

/// A connection to `server`, whose receive buffer has `room` bytes. The kernel refuses to lend and
/// to move.
pub fn loopback(
    room: usize,
    server: impl for<'a> FnMut(Message<'a>) -> Answer<'a> + 'static,
) -> Connection {
    loopback_in(0, room, server)
}

/// As [`loopback`], where the receive buffer is full of `old` bytes.
pub fn loopback_in(
    old: u8,
    room: usize,
    server: impl for<'a> FnMut(Message<'a>) -> Answer<'a> + 'static,
) -> Connection {
    loopback_over(|_| Some(Error::CannotLend), old, room, server).0
}

/// A connection to `server`, which has a buffer of `room` bytes, and the calls that it makes
/// while it serves. The kernel opens memory to the server unless `refuse` says why not; of a call
/// with this number or operation.
pub fn loopback_with(
    refuse: impl FnMut(u32) -> Option<Error> + 'static,
    room: usize,
    server: impl for<'a> FnMut(Message<'a>) -> Answer<'a> + 'static,
) -> (Connection, Calls) {
    loopback_over(refuse, 0, room, server)
}

fn loopback_over(
    mut refuse: impl FnMut(u32) -> Option<Error> + 'static,
    old: u8,
    room: usize,
    mut server: impl for<'a> FnMut(Message<'a>) -> Answer<'a> + 'static,
) -> (Connection, Calls) {
    let calls = Calls::default();
    let log = Rc::clone(&calls);
    install(move |registers, extra| {
        let operation = registers[register::CALL] >> OPERATION_SHIFT;
        match (operation, registers[register::CALL]) {
            (0, number::RECLAIM) => {
                log.borrow_mut().push((registers, extra));
                return refuse(number::RECLAIM).map_or([0; register::COUNT], failed);
            }
            // As of any call that has not failed.
            (0, _) => {
                let mut out = registers;
                out[register::CALL] = 0;
                return out;
            }
            (operation::LEND..=operation::MOVE, _) => {
                if let Some(error) = refuse(operation) {
                    return failed(error);
                }
            }
            _ => {}
        }
        let mut buffer = Box::new(Buffer::<8192>::new());
        // Where a buffer begins is nobody's promise: this one's address is as odd as its length.
        let buffer = &mut buffer[room % 8..][..room];
        buffer.fill(old);
        let (sent, received) = deliver(&registers, buffer);
        let Ok(Event::Message(message)) = Event::decode(&received, buffer) else {
            panic!("no message")
        };
        let log = Rc::clone(&log);
        install(move |registers, extra| {
            log.borrow_mut().push((registers, extra));
            [0; register::COUNT]
        });
        let answer = server(message).call.expect("an answer");
        uninstall();
        assert_eq!((answer.info & info::TAG_MASK, answer.generation), TOKEN);
        let mut out = reply(&answer, &registers, extra);
        out[register::CALL] = answer.status.unwrap_or(0);
        out[register::GENERATION] = sent as u32;
        out
    });
    name(kind::CONNECTION, "server", 3);
    (crate::connect("server").unwrap(), calls)
}

/// Gives this thread's tests a region of so many bytes of zeros.
pub fn region(region: &'static str, bytes: usize, writable: bool) {
    let layout = Layout::from_size_align(bytes, bytes).unwrap();
    // SAFETY: it has a size. The memory is never freed.
    let memory = unsafe { std::alloc::alloc_zeroed(layout) };
    for byte in 0..bytes {
        address(memory.wrapping_add(byte));
    }
    let kind = if writable {
        kind::REGION
    } else {
        kind::READ_ONLY_REGION
    };
    name(kind, region, address(memory));
    name(kind::REGION_SIZE, region, bytes as u32);
}

/// Gives this thread's tests so many bytes of pages, filled with something.
pub fn pages(bytes: usize) {
    let layout = Layout::from_size_align(bytes, bytes.next_power_of_two()).unwrap();
    // SAFETY: it has a size. The memory is never freed.
    let memory = unsafe { std::alloc::alloc(layout) };
    // SAFETY: the memory has just been allocated with this size.
    unsafe { memory.write_bytes(0xEE, bytes) };
    // The process adds to the address, which finds the memory only if it was given out.
    for page in (0..bytes).step_by(Pages::LEAST) {
        address(memory.wrapping_add(page));
    }
    name(kind::PAGES, "pages", address(memory));
    name(kind::PAGES_SIZE, "pages", bytes as u32);
}

/// The bytes that the range or the parts hold which the words of a call name.
fn gathered(operation: u32, address: u32, length: u32) -> Vec<u8> {
    // SAFETY: the call under way was given the memory.
    unsafe {
        match operation {
            operation::SEND_VECTOR | operation::REPLY_VECTOR_RECEIVE => {
                let parts = read(address, length * size_of::<Part>() as u32);
                let parts = parts.chunks_exact(8).map(|part| {
                    let [address, length] =
                        [0, 4].map(|at| u32::from_ne_bytes(part[at..at + 4].try_into().unwrap()));
                    read(address, length)
                });
                parts.flatten().collect()
            }
            _ => read(address, length),
        }
    }
}

/// Puts what a client sends into the server's buffer; the bytes accepted and the registers.
fn deliver(registers: &Registers, buffer: &mut [u8]) -> (usize, Registers) {
    let mut out = *registers;
    out[register::CALL] = BADGE;
    out[register::GENERATION] = TOKEN.1;
    let operation = registers[register::CALL] >> 28;
    let mark = match operation {
        operation::LEND => info::LENT,
        operation::LEND_MUT => info::LENT_MUT,
        operation::MOVE => info::MOVED,
        _ => 0,
    };
    let accepted = if mark != 0 {
        out[register::INFO] = mark;
        0
    } else if operation == operation::SEND {
        out[register::INFO] &= info::LENGTH_MASK;
        out[register::INFO] as usize
    } else {
        let bytes = gathered(
            operation,
            registers[register::WORD0],
            registers[register::WORD1],
        );
        let accepted = bytes.len().min(buffer.len());
        buffer[..accepted].copy_from_slice(&bytes[..accepted]);
        out[register::WORD0] = accepted as u32;
        out[register::WORD1] = bytes.len() as u32;
        out[register::INFO] = info::BYTES;
        accepted
    };
    out[register::INFO] |= TOKEN.0;
    (accepted, out)
}

/// Puts a server's answer into the client's buffer or registers.
fn reply(answer: &crate::answer::Call, call: &Registers, extra: Extra) -> Registers {
    let mut out = [0; register::COUNT];
    for (position, word) in register::WORDS.into_iter().zip(answer.words) {
        out[position] = word;
    }
    if matches!(
        answer.operation,
        operation::REPLY_RECEIVE | operation::REPLY_ERROR_RECEIVE
    ) {
        out[register::INFO] = answer.info & info::LENGTH_MASK;
        assert!(out[register::INFO] as usize <= MESSAGE_BYTES);
        let unsent = words::of(&out)
            .into_iter()
            .skip(out[register::INFO].div_ceil(4) as usize);
        assert!(
            unsent.into_iter().all(|word| word == 0),
            "what is not sent must not be visible"
        );
        return out;
    }
    let bytes = gathered(answer.operation, answer.words[0], answer.words[1]);
    let [.., address, capacity, _] = extra;
    let mut rest = bytes.as_slice();
    let mut put = |address, length: u32| {
        let (now, later) = rest.split_at(rest.len().min(length as usize));
        // SAFETY: the call under way was given the memory.
        unsafe { write(address, now) };
        rest = later;
    };
    if call[register::INFO] & info::VECTOR != 0 {
        // SAFETY: as above.
        let parts = unsafe { read(address, capacity * size_of::<Part>() as u32) };
        for part in parts.chunks_exact(8) {
            let [address, length] =
                [0, 4].map(|at| u32::from_ne_bytes(part[at..at + 4].try_into().unwrap()));
            put(address, length);
        }
    } else if capacity > 0 {
        put(address, capacity);
    }
    out[register::WORD0] = (bytes.len() - rest.len()) as u32;
    out[register::WORD1] = bytes.len() as u32;
    out[register::INFO] = info::BYTES;
    out
}
