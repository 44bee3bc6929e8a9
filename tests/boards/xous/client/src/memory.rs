//! Messages of memory.

use check::{equal, holds};
use num_traits::ToPrimitive;
use test_xous_api::{Opcode, Request, Response};
use xous::ipc::{Buffer, String};
use xous::{
    CID, Error, MemoryAddress, MemoryRange, MemorySize, Message, PAGE_SIZE, Result,
    copied_messages, send_message, try_send_message,
};

use crate::scalars::noted;

#[repr(C, align(4096))]
struct Page([u8; PAGE_SIZE]);

fn range(page: &mut Page) -> MemoryRange {
    // SAFETY: the caller waits for the answer before it touches the page again.
    unsafe { MemoryRange::new(page.0.as_mut_ptr().expose_provenance(), PAGE_SIZE) }.unwrap()
}

fn id(opcode: Opcode) -> usize {
    opcode.to_usize().unwrap()
}

fn sum(server: CID, page: &mut Page) -> core::result::Result<Result, Error> {
    let (offset, valid) = (MemoryAddress::new(7), MemorySize::new(8));
    let message = Message::new_lend(id(Opcode::Sum), range(page), offset, valid);
    send_message(server, message)
}

fn increment(server: CID, page: &mut Page) -> core::result::Result<Result, Error> {
    let (offset, valid) = (MemoryAddress::new(7), None);
    let message = Message::new_lend_mut(id(Opcode::Increment), range(page), offset, valid);
    send_message(server, message)
}

const SUMMED: core::result::Result<Result, Error> = Ok(Result::MemoryReturned(
    MemoryAddress::new(7),
    MemorySize::new(2 * PAGE_SIZE),
));
const INCREMENTED: core::result::Result<Result, Error> =
    Ok(Result::MemoryReturned(None, MemorySize::new(7)));

/// A page of this process, opened to the server; often enough for each way to receive.
pub fn lent(server: CID) {
    let mut page = Page([2; PAGE_SIZE]);
    let mut right = [true; 2];
    for turn in 0..20 {
        page.0.fill(2);
        right[0] &= sum(server, &mut page) == SUMMED;
        page.0.fill(turn);
        right[1] &= increment(server, &mut page) == INCREMENTED
            && page.0.iter().all(|byte| *byte == turn + 1);
    }
    holds(
        "lent memory is read, and comes back with two words",
        right[0],
    );
    holds(
        "mutably lent memory is written, and comes back with two words",
        right[1],
    );
    equal("no page was copied", copied_messages(), 0);
}

/// Pages that become the server's.
pub fn moved(server: CID) {
    let mut right = true;
    for turn in 0..20 {
        let mut memory = xous::map_memory(PAGE_SIZE).unwrap();
        right &= memory.as_slice::<u8>().iter().all(|byte| *byte == 0);
        for (number, byte) in memory.as_slice_mut::<u8>()[..100].iter_mut().enumerate() {
            *byte = number as u8;
        }
        let message = Message::new_move(id(Opcode::Numbers), memory, None, MemorySize::new(100));
        let sent = if turn % 2 == 0 {
            send_message(server, message)
        } else {
            try_send_message(server, message)
        };
        right &= sent == Ok(Result::Ok);
        right &= noted(server) == Ok(Result::Scalar2(100, 1));
    }
    holds(
        "moved memory arrives, and comes home cleared when it is given up",
        right,
    );
    equal("no page was copied", copied_messages(), 0);
    let mut page = Page([0; PAGE_SIZE]);
    let message = Message::new_move(id(Opcode::Numbers), range(&mut page), None, None);
    equal(
        "memory that is not made of pages cannot be moved",
        send_message(server, message),
        Err(Error::BadAddress),
    );
    let memory = xous::map_memory(PAGE_SIZE).unwrap();
    equal("pages are given up", xous::unmap_memory(memory), Ok(()));
}

/// Values in pages.
pub fn values(server: CID) {
    let opcode = Opcode::Value.to_u32().unwrap();
    let mut right = true;
    for turn in 0..20 {
        let request = Request {
            text: String::from_str("text"),
            numbers: [turn, 2, 3, u32::MAX / 2],
        };
        let mut buffer = Buffer::into_buf(request).unwrap();
        buffer.lend_mut(server, opcode).unwrap();
        let response = buffer.to_original::<Response, _>();
        let sum = turn + 5 + u32::MAX / 2;
        right &= response == Ok(Response::Text(String::from_str("text"), sum));
    }
    holds("a value in a buffer is replaced by another", right);
    let request = Request {
        text: String::new(),
        numbers: [0; 4],
    };
    let mut buffer = Buffer::into_buf(request).unwrap();
    buffer.lend_mut(server, opcode).unwrap();
    let response = buffer.to_original::<Response, _>();
    equal(
        "a value is what the server answered",
        response,
        Ok(Response::Nothing),
    );
    holds(
        "bytes that are no value of a type are none",
        Buffer::into_buf(7_u32)
            .unwrap()
            .to_original::<Request, _>()
            .is_err(),
    );
}

/// A server without windows.
pub fn copied(server: CID) {
    let mut page = Page([2; PAGE_SIZE]);
    equal("memory is read as a copy", sum(server, &mut page), SUMMED);
    equal("a copy is told", copied_messages(), 1);
    let result = increment(server, &mut page);
    equal("memory is written as a copy", result, INCREMENTED);
    holds("the copy came back", page.0.iter().all(|byte| *byte == 3));
    equal("a copy is told", copied_messages(), 2);
    let valid = MemorySize::new(PAGE_SIZE);
    let message = Message::new_lend_mut(id(Opcode::GetVersion), range(&mut page), None, valid);
    let result = send_message(server, message);
    let valid = match result {
        Ok(Result::MemoryReturned(_, valid)) => valid.map_or(0, |valid| valid.get()),
        _ => 0,
    };
    equal(
        "the second form of the published server answers",
        core::str::from_utf8(&page.0[..valid]),
        Ok("v0.9.11-152-g277d014f\nWed, 18 Jan 2023 19:19:24 +0800"),
    );
}
