//! The client's side.

use riposte::{Connection, WordsReply};

use crate::{CID, Error, Message, Result, ScalarMessage};

/// Sends `message`. A blocking one waits for the answer; others wait only while the server's queue
/// is full.
///
/// # Errors
/// [`Error::ServerNotFound`] if the server is not there, or dies.
#[inline(always)]
pub fn send_message(connection: CID, message: Message) -> core::result::Result<Result, Error> {
    match message {
        Message::BlockingScalar(scalar) => ask(connection, &scalar),
        _ => todo!(),
    }
}

/// As [`send_message`], but a message that would have to wait for room in the server's queue is not
/// sent.
///
/// # Errors
/// [`Error::ServerQueueFull`] then.
#[inline(always)]
pub fn try_send_message(connection: CID, message: Message) -> core::result::Result<Result, Error> {
    match message {
        Message::BlockingScalar(scalar) => ask(connection, &scalar),
        _ => todo!(),
    }
}

/// Sends words and waits for words.
#[inline(always)]
fn ask(connection: CID, scalar: &ScalarMessage) -> core::result::Result<Result, Error> {
    let reply = Connection::from_handle(connection).send_words(scalar.words())?;
    match reply.len {
        8 => Ok(Result::Scalar2(
            reply.words[0] as usize,
            reply.words[1] as usize,
        )),
        _ => other_answer(&reply),
    }
}

/// The answers that programs ask for less often.
#[inline(always)]
fn other_answer(reply: &WordsReply) -> core::result::Result<Result, Error> {
    let [first, second, third, fourth, fifth] = reply.words.map(|word| word as usize);
    match reply.len {
        0 => Ok(Result::Ok),
        4 => Ok(Result::Scalar1(first)),
        20 => Ok(Result::Scalar5(first, second, third, fourth, fifth)),
        _ => Err(Error::InternalError),
    }
}
