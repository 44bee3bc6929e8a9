//! The client's side.

use core::hint::cold_path;
use core::sync::atomic::{AtomicU32, Ordering};

use riposte::{Connection, GiveError, MemoryReply, Pages, Status};

use crate::memory::Memory;
use crate::queue::{self, Patience};
use crate::{
    CID, Error, MemoryAddress, MemoryMessage, MemoryRange, MemorySize, Message, Result,
    ScalarMessage, connection,
};

type Outcome = core::result::Result<Result, Error>;

/// Memory messages of this process whose memory could not be opened to the server.
static COPIES: AtomicU32 = AtomicU32::new(0);

/// How many memory messages of this process have travelled as copies so far, because the hardware,
/// or the manifest of the server, could not take the memory itself.
#[must_use]
pub fn copied_messages() -> u32 {
    COPIES.load(Ordering::Relaxed)
}

/// Sends `message`. A blocking one waits for the answer; others wait only while the server's queue
/// is full.
///
/// # Errors
/// [`Error::ServerNotFound`] if the server is not there, or dies; [`Error::AccessDenied`] if the
/// manifest gives no connection to the server's courier, for a message that is not blocking;
/// [`Error::OutOfMemory`] if the server has no room for a copy; [`Error::BadAddress`] for a move of
/// memory that is not [`crate::map_memory`]'s.
#[inline(always)]
pub fn send_message(connection: CID, message: Message) -> Outcome {
    match message {
        Message::BlockingScalar(scalar) => ask(connection, &scalar),
        Message::MutableBorrow(mut memory) => lend_mut(connection, &mut memory),
        Message::Borrow(memory) => lend(connection, &memory),
        Message::Scalar(scalar) => post(connection, &scalar, Patience::Waits),
        Message::Move(memory) => give(connection, memory, Patience::Waits),
    }
}

/// As [`send_message`], but a message that would have to wait for room in the server's queue is not
/// sent.
///
/// # Errors
/// [`Error::ServerQueueFull`] then.
#[inline(always)]
pub fn try_send_message(connection: CID, message: Message) -> Outcome {
    match message {
        Message::Scalar(scalar) => post(connection, &scalar, Patience::None),
        Message::Move(memory) => give(connection, memory, Patience::None),
        blocking => send_message(connection, blocking),
    }
}

/// Sends words and waits for words.
#[inline(always)]
fn ask(connection: CID, scalar: &ScalarMessage) -> Outcome {
    let reply = Connection::from_handle(connection).send_words(scalar.words())?;
    let [first, second, third, fourth, fifth] = reply.words.map(|word| word as usize);
    match reply.len {
        8 => Ok(Result::Scalar2(first, second)),
        20 => Ok(Result::Scalar5(first, second, third, fourth, fifth)),
        4 => Ok(Result::Scalar1(first)),
        length => without_words(length),
    }
}

#[cold]
#[inline(never)]
fn without_words(length: usize) -> Outcome {
    match length {
        0 => Ok(Result::Ok),
        _ => Err(Error::InternalError),
    }
}

#[inline(always)]
fn lend_mut(connection: CID, message: &mut MemoryMessage) -> Outcome {
    let words = request(message);
    let memory = message.buf.bytes_mut();
    returned(Connection::from_handle(connection).lend_mut(memory, words)?)
}

#[inline(always)]
fn lend(connection: CID, message: &MemoryMessage) -> Outcome {
    let memory = message.buf.bytes();
    returned(Connection::from_handle(connection).lend(memory, request(message))?)
}

/// The words that travel with memory.
#[inline(always)]
fn request(message: &MemoryMessage) -> [u32; 3] {
    let [offset, valid] = message.words();
    [message.id as u32, offset, valid]
}

/// What a server makes of memory that was lent.
#[inline(always)]
pub(crate) fn returned(reply: MemoryReply) -> Outcome {
    if reply.copied.is_some() || reply.len != 8 {
        cold_path();
        count_copy(reply.copied);
        answered(reply.status)?;
        if reply.len != 8 {
            return Err(Error::InternalError);
        }
    }
    let [offset, valid, ..] = reply.words.map(|word| word as usize);
    Ok(Result::MemoryReturned(
        MemoryAddress::new(offset),
        MemorySize::new(valid),
    ))
}

fn count_copy(copied: Option<usize>) {
    if copied.is_some() {
        // Not exact if two threads send copies at once, which nobody relies on.
        COPIES.store(COPIES.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }
}

/// What a server's library says of a message that it could not take.
fn answered(status: Status) -> core::result::Result<(), Error> {
    match status {
        Status::OK => Ok(()),
        queue::FULL => Err(Error::ServerQueueFull),
        queue::NO_ROOM => Err(Error::OutOfMemory),
        _ => Err(Error::InternalError),
    }
}

/// Leaves words with the server's courier.
fn post(connection: CID, scalar: &ScalarMessage, patience: Patience) -> Outcome {
    let courier = connection::courier(connection)?;
    let reply = match patience {
        Patience::Waits => courier.send_words(scalar.words())?,
        Patience::None => {
            let reply = courier.send(&queue::impatient(scalar.words()), &mut [])?;
            return answered(reply.status).map(|()| Result::Ok);
        }
    };
    answered(reply.status).map(|()| Result::Ok)
}

/// Leaves memory with the server's courier.
fn give(connection: CID, mut message: MemoryMessage, patience: Patience) -> Outcome {
    let courier = connection::courier(connection)?;
    if patience == Patience::None {
        let reply = courier.send(&queue::ROOM, &mut [])?;
        answered(reply.status)?;
    }
    let words = request(&message);
    match message.buf.take() {
        Memory::Pages(pages) => taken(courier.give(pages, words)),
        Memory::Moved(moved) => taken(courier.give(moved, words)),
        other => {
            message.buf = MemoryRange(other);
            Err(Error::BadAddress)
        }
    }
}

/// Leaves pages with the server's courier.
pub(crate) fn give_pages(connection: CID, pages: Pages, words: [u32; 3]) -> Outcome {
    taken(connection::courier(connection)?.give(pages, words))
}

/// What the courier makes of memory that was given to it.
fn taken<M>(given: core::result::Result<MemoryReply, GiveError<M>>) -> Outcome {
    let reply = given.map_err(|GiveError { error, .. }| error)?;
    count_copy(reply.copied);
    answered(reply.status).map(|()| Result::Ok)
}
