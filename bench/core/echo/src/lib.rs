//! The servers of the core benchmark. Each is a thread of its own, so that it has no more to
//! decide than a server of one fixed message; each runs in a process of its own (protected) and
//! in the client's (unprotected).
#![no_std]

use core::hint::black_box;
use core::sync::atomic::{AtomicU32, Ordering};

use riposte::{Answer, Channel, Error, Event, Message, MessageWords, Rare, Token, Words};

/// Largest message, in bytes.
pub const LARGEST: usize = 64 * 1024;

/// Messages without words that were answered: nothing in them could show it.
static EMPTY_MESSAGES: AtomicU32 = AtomicU32::new(0);

/// Answers `N` words with `N` words, the first of which is one more than it was.
#[inline(always)]
fn answer<const N: usize>(mut words: [u32; 5]) -> [u32; N] {
    words[0] = words[0].wrapping_add(1);
    core::array::from_fn(|position| words[position])
}

/// Serves messages of `N` words for ever.
pub fn serve_words<const N: usize>(channel: Channel) -> !
where
    [u32; N]: MessageWords,
{
    let mut served = 0_u32;
    // The address stays in a register, where a constant would be built anew each time.
    let answered = black_box(&EMPTY_MESSAGES);
    let mut message = expect_words(channel.reply_and_expect_words(Answer::later()));
    loop {
        if N == 0 {
            served = served.wrapping_add(1);
            answered.store(served, Ordering::Relaxed);
        }
        let words: [u32; N] = answer(message.words);
        message = expect_words(channel.reply_words_and_expect_words(message.token, words));
    }
}

/// Serves messages in memory for ever: answers with the same bytes, of which the first is one
/// more than it was.
pub fn serve_bytes(channel: Channel) -> ! {
    let mut buffer = [0; LARGEST];
    let (mut token, mut length) = expect_bytes(channel.receive(&mut buffer));
    loop {
        buffer[0] = buffer[0].wrapping_add(1);
        (token, length) =
            expect_bytes(channel.reply_in_place_and_receive(token, length, &mut buffer));
    }
}

/// Answers each message of one word with the number of messages without words that this process
/// has answered, then gives the processor away as often as the word says; the next message is
/// answered with the time at which that was done (nanoseconds, low and high word).
pub fn serve_yield(channel: Channel) -> ! {
    let mut message = expect_words(channel.reply_and_expect_words(Answer::later()));
    loop {
        let [times, ..] = message.words;
        message
            .token
            .reply_words([EMPTY_MESSAGES.load(Ordering::Relaxed)])
            .unwrap();
        for _ in 0..times {
            riposte::yield_now();
        }
        let done = riposte::Instant::now().as_nanos();
        let asked = expect_words(channel.reply_and_expect_words(Answer::later()));
        let answer = [done as u32, (done >> 32) as u32];
        message = expect_words(channel.reply_words_and_expect_words(asked.token, answer));
    }
}

#[inline(always)]
fn expect_words(received: Result<Words, Rare>) -> Words {
    received.unwrap_or_else(|rare| unexpected(rare.event().err()))
}

#[inline(always)]
fn expect(event: Result<Event<'_>, Error>) -> Message<'_> {
    match event {
        Ok(Event::Message(message)) => message,
        Ok(Event::Notice(_)) => unexpected(None),
        Err(error) => unexpected(Some(error)),
    }
}

/// The token and the length of a message in memory.
#[inline(always)]
fn expect_bytes(event: Result<Event<'_>, Error>) -> (Token, usize) {
    let message = expect(event);
    if message.is_in_registers() {
        unexpected(None);
    }
    let length = message.accepted();
    (message.into_token(), length)
}

#[cold]
#[inline(never)]
fn unexpected(error: Option<Error>) -> ! {
    panic!("no message: {error:?}")
}
