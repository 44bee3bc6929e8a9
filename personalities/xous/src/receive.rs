//! The server's side.

use core::hint::cold_path;
use core::mem;

use riposte::{Answer, Channel, Event, Memory, Rare, Words};

use crate::memory::Memory as Held;
use crate::queue::{self, Item};
use crate::{
    Error, MemoryAddress, MemoryMessage, MemoryRange, MemorySize, Message, MessageEnvelope,
    MessageSender, SID, ScalarMessage,
};

type Outcome<T> = core::result::Result<T, Error>;

/// Waits for a message to this process's server. Blocks.
///
/// # Errors
/// [`Error::ServerNotFound`] if the server is not this process's.
pub fn receive_message(server: SID) -> Outcome<MessageEnvelope> {
    let mut msg = None;
    wait(server.own_channel()?, &mut msg)?;
    msg.ok_or(Error::InternalError)
}

/// Takes a message if there is one. Never blocks.
///
/// # Errors
/// As [`receive_message`].
pub fn try_receive_message(server: SID) -> Outcome<Option<MessageEnvelope>> {
    let channel = server.own_channel()?;
    let mut msg = None;
    while !take_queued(channel, &mut msg) {
        match channel.try_receive(&mut []) {
            Ok(Event::Message(message)) => {
                if accept(message, &mut msg) {
                    break;
                }
            }
            Ok(Event::Notice(_)) => {
                if take_noticed(channel, &mut msg) {
                    break;
                }
            }
            Err(riposte::Error::WouldBlock) => break,
            Err(error) => return Err(error.into()),
        }
    }
    Ok(msg)
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
    let Some(MessageEnvelope {
        sender,
        body: Message::BlockingScalar(scalar),
    }) = msg
    else {
        return answer_memory(channel, msg);
    };
    // What was queued meanwhile has set a notification bit, so that this does not wait for it.
    match channel.reply_and_expect_words(words(*sender, scalar, return_type)) {
        // One message of words after the other stays where it is.
        Ok(Words { words, token, .. }) => {
            *scalar = ScalarMessage::from_words(words);
            *sender = MessageSender::of_words(token);
            Ok(())
        }
        Err(rare) => take(channel, rare, msg),
    }
}

/// The same for a message that is no blocking one of words.
#[inline(never)]
fn answer_memory(channel: Channel, msg: &mut Option<MessageEnvelope>) -> Outcome<()> {
    let received = match msg {
        Some(MessageEnvelope {
            body: Message::MutableBorrow(memory) | Message::Borrow(memory),
            ..
        }) => {
            let words = memory.words();
            let answer = memory.buf.answer(words);
            // The memory is on its way back, so that there is nothing to drop.
            mem::forget(msg.take());
            channel.reply_and_expect_words(answer)
        }
        // Nobody waits, so that there may be more of that kind in the queue.
        _ => return wait(channel, msg),
    };
    match received {
        Ok(words) => {
            *msg = Some(scalar(words));
            Ok(())
        }
        // Memory mostly follows memory.
        Err(rare) => match rare.opened() {
            Ok(memory) => match carried(memory) {
                Some(envelope) => {
                    *msg = Some(envelope);
                    Ok(())
                }
                None => wait(channel, msg),
            },
            Err(rare) => go_on(channel, rare.event(), msg),
        },
    }
}

/// Puts what comes next in the place of a message of words, which was answered.
#[cold]
#[inline(never)]
fn take(channel: Channel, received: Rare, msg: &mut Option<MessageEnvelope>) -> Outcome<()> {
    go_on(channel, received.event(), msg)
}

/// The answer that a message of words has become.
#[inline(always)]
fn words<'a>(sender: MessageSender, scalar: &ScalarMessage, return_type: usize) -> Answer<'a> {
    let [id, arg1, arg2, arg3, arg4] = scalar.words();
    match return_type {
        2 => Answer::words(sender.token(), [arg1, arg2]),
        1 => Answer::words(sender.token(), [arg1]),
        _ => Answer::words(sender.token(), [id, arg1, arg2, arg3, arg4]),
    }
}

/// Puts the next message of the queue, or else of the channel, into `msg`.
fn wait(channel: Channel, msg: &mut Option<MessageEnvelope>) -> Outcome<()> {
    if take_queued(channel, msg) {
        return Ok(());
    }
    go_on(channel, channel.receive_words(), msg)
}

/// Receives until there is a message, and puts it into `msg`. Otherwise there is none.
fn go_on(
    channel: Channel,
    mut received: core::result::Result<Event<'_>, riposte::Error>,
    msg: &mut Option<MessageEnvelope>,
) -> Outcome<()> {
    *msg = None;
    loop {
        match received {
            Ok(Event::Message(message)) => {
                if accept(message, msg) {
                    return Ok(());
                }
            }
            Ok(Event::Notice(_)) => {
                if take_noticed(channel, msg) {
                    return Ok(());
                }
            }
            // The client left before its answer, or a signal was handled: that is no matter of the server's.
            Err(riposte::Error::NoSuchClient | riposte::Error::Interrupted) => {}
            Err(error) => return Err(error.into()),
        }
        received = channel.receive_words();
    }
}

/// A blocking message of words.
#[inline(always)]
fn scalar(Words { words, token, .. }: Words) -> MessageEnvelope {
    MessageEnvelope {
        body: Message::BlockingScalar(ScalarMessage::from_words(words)),
        sender: MessageSender::of_words(token),
    }
}

/// Puts what a client sent into `msg`. Whether it did: not if this process has no room for it, which
/// the client is told.
#[inline(always)]
fn accept(message: riposte::Message<'_>, msg: &mut Option<MessageEnvelope>) -> bool {
    if message.is_words() {
        let words = message.words();
        let sender = MessageSender::of_words(message.into_token());
        let body = Message::BlockingScalar(ScalarMessage::from_words(words));
        *msg = Some(MessageEnvelope { sender, body });
        return true;
    }
    match message.fetch_memory() {
        Ok(memory) => match carried(memory) {
            Some(envelope) => {
                *msg = Some(envelope);
                true
            }
            None => false,
        },
        Err(message) => {
            let _ = message.reply_error(queue::NO_ROOM);
            false
        }
    }
}

/// A message of memory. None for what was lent to another thread than the main one, and has gone back:
/// a range shows references to its bytes, which must not outlive the thread that has received it.
#[inline(always)]
fn carried(memory: Memory<'static>) -> Option<MessageEnvelope> {
    let is_main = riposte::is_main_thread();
    let body = match memory {
        Memory::LentMut(lent) if !is_main => {
            cold_path();
            let _ = lent.reply_error(queue::NO_ROOM);
            return None;
        }
        Memory::Lent(lent) if !is_main => {
            cold_path();
            let _ = lent.reply_error(queue::NO_ROOM);
            return None;
        }
        Memory::LentMut(lent) => {
            let words = lent.words();
            Message::MutableBorrow(memory_message(Held::LentMut(lent), words))
        }
        Memory::Lent(lent) => {
            let words = lent.words();
            Message::Borrow(memory_message(Held::Lent(lent), words))
        }
        Memory::Moved(delivery) => {
            let words = delivery.words();
            let (moved, token) = delivery.into_parts();
            // It comes here from a client that knows no courier; a client that has left has moved
            // it all the same.
            let _ = token.reply_words([]);
            Message::Move(memory_message(Held::Moved(moved), words))
        }
    };
    Some(MessageEnvelope {
        sender: MessageSender::NOBODY,
        body,
    })
}

#[inline(always)]
fn memory_message(held: Held, words: [u32; 3]) -> MemoryMessage {
    let [id, offset, valid] = words.map(|word| word as usize);
    MemoryMessage {
        id,
        buf: MemoryRange(held),
        offset: MemoryAddress::new(offset),
        valid: MemorySize::new(valid),
    }
}

/// Puts the next message of the server's queue into `msg`. Whether there was one.
fn take_queued(channel: Channel, msg: &mut Option<MessageEnvelope>) -> bool {
    let Some(item) = queue::next(channel) else {
        return false;
    };
    let body = match item {
        Item::Words(words) => Message::Scalar(ScalarMessage::from_words(words)),
        Item::Memory(moved, words) => Message::Move(memory_message(Held::Moved(moved), words)),
    };
    *msg = Some(MessageEnvelope {
        sender: MessageSender::NOBODY,
        body,
    });
    true
}

/// The same behind a notice, so that there is another one of what is left.
fn take_noticed(channel: Channel, msg: &mut Option<MessageEnvelope>) -> bool {
    let any = take_queued(channel, msg);
    queue::tell_again(channel);
    any
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

/// Gives memory that was lent back to its client, whatever `sender` is. Never blocks. (In Xous the
/// range is copied; here it is what stands for the client.)
///
/// # Errors
/// [`Error::ProcessNotFound`] if nobody waits for it any more.
pub fn return_memory(sender: MessageSender, memory: &mut MemoryRange) -> Outcome<()> {
    return_memory_offset_valid(sender, memory, None, None)
}

/// As [`return_memory`], with what the client finds in
/// [`MemoryReturned`](crate::Result::MemoryReturned).
///
/// # Errors
/// As [`return_memory`].
pub fn return_memory_offset_valid(
    _sender: MessageSender,
    memory: &mut MemoryRange,
    offset: Option<MemoryAddress>,
    valid: Option<MemorySize>,
) -> Outcome<()> {
    memory.give_back([offset, valid].map(|word| word.map_or(0, |word| word.get() as u32)))
}
