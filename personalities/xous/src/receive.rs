//! The server's side.

use core::mem;

use riposte::{Answer, Channel, Event};

use crate::{Error, Message, MessageEnvelope, MessageSender, SID, ScalarMessage};

type Outcome<T> = core::result::Result<T, Error>;

/// Waits for a message to this process's server. Blocks.
///
/// # Errors
/// [`Error::ServerNotFound`] if the server is not this process's.
pub fn receive_message(server: SID) -> Outcome<MessageEnvelope> {
    let channel = server.own_channel()?;
    exchange(channel, Answer::later())
}

/// Takes a message if there is one. Never blocks.
///
/// # Errors
/// As [`receive_message`].
pub fn try_receive_message(server: SID) -> Outcome<Option<MessageEnvelope>> {
    let channel = server.own_channel()?;
    match channel.creceive(&mut [])? {
        Some(event) => take(event).map(Some),
        None => Ok(None),
    }
}

/// Answers the message in `msg`, if that is blocking, with what the server's code has left in it,
/// and waits for the next one, in one system call: words are answered with all five. Blocks.
///
/// # Errors
/// As [`receive_message`]; there is then no message.
#[inline(always)]
pub fn reply_and_receive_next(server: SID, msg: &mut Option<MessageEnvelope>) -> Outcome<()> {
    reply_and_receive_next_legacy(server, msg, &mut 0)
}

/// As [`reply_and_receive_next`]; words are answered with as many as `return_type` says: 1 is
/// `arg1`, 2 is `arg1` and `arg2`, 0 is all five. It is 0 again afterwards. Blocks.
///
/// # Errors
/// As [`reply_and_receive_next`].
#[inline(always)]
pub fn reply_and_receive_next_legacy(
    server: SID,
    msg: &mut Option<MessageEnvelope>,
    return_type: &mut usize,
) -> Outcome<()> {
    let channel = server.own_channel()?;
    let return_type = mem::take(return_type);
    let answer = match msg.take() {
        Some(MessageEnvelope {
            sender,
            body: Message::BlockingScalar(scalar),
        }) => answer(sender, &scalar, return_type),
        _ => Answer::later(),
    };
    *msg = Some(exchange(channel, answer)?);
    Ok(())
}

/// The answer that a message of words has become.
#[inline(always)]
fn answer<'a>(sender: MessageSender, scalar: &ScalarMessage, return_type: usize) -> Answer<'a> {
    let [id, arg1, arg2, arg3, arg4] = scalar.words();
    match return_type {
        2 => Answer::words(sender.token(), [arg1, arg2]),
        1 => Answer::words(sender.token(), [arg1]),
        _ => Answer::words(sender.token(), [id, arg1, arg2, arg3, arg4]),
    }
}

/// Gives `answer` and waits for a message.
#[inline(always)]
fn exchange(channel: Channel, answer: Answer<'_>) -> Outcome<MessageEnvelope> {
    let mut received = channel.reply_receive(answer, &mut []);
    loop {
        match received {
            Ok(event) => return take(event),
            // The client left before its answer: that is no matter of the server's.
            Err(riposte::Error::NoSuchClient) => received = channel.receive_words(),
            Err(error) => return Err(error.into()),
        }
    }
}

#[inline(always)]
fn take(event: Event<'_>) -> Outcome<MessageEnvelope> {
    match event {
        Event::Message(message) => {
            let body = Message::BlockingScalar(ScalarMessage::from_words(message.words()));
            let sender = MessageSender::of(message.into_token());
            Ok(MessageEnvelope { sender, body })
        }
        Event::Notice(_) => Err(Error::InternalError),
    }
}

/// Answers with one word. Never blocks.
///
/// # Errors
/// [`Error::ProcessNotFound`] if the client no longer waits.
pub fn return_scalar(sender: MessageSender, arg1: usize) -> Outcome<()> {
    Ok(sender.token().reply_words([arg1 as u32])?)
}

/// Answers with two words. Never blocks.
///
/// # Errors
/// As [`return_scalar`].
pub fn return_scalar2(sender: MessageSender, arg1: usize, arg2: usize) -> Outcome<()> {
    Ok(sender
        .token()
        .reply_words([arg1, arg2].map(|arg| arg as u32))?)
}

/// Answers with five words. Never blocks.
///
/// # Errors
/// As [`return_scalar`].
pub fn return_scalar5(
    sender: MessageSender,
    arg1: usize,
    arg2: usize,
    arg3: usize,
    arg4: usize,
    arg5: usize,
) -> Outcome<()> {
    let words = [arg1, arg2, arg3, arg4, arg5].map(|arg| arg as u32);
    Ok(sender.token().reply_words(words)?)
}
