//! Queues of messages of different lengths.

use super::event::Event;
use super::ring::{MOST, Ring};
use super::{Lock, Word};
use crate::{Deadline, Error};

/// A queue of messages of bytes, first in, first out, by copy. A message takes a word more than its
/// bytes, which are rounded up to words, of the queue's `WORDS`. Who sends waits for room, who receives
/// waits for a message, each in order of priority. But room is for whoever it is enough for: senders of short
/// messages, however little urgent, can keep one of a long message waiting for as long as they go on.
///
/// What is said of [`super::Queue`] holds here, too: no system call while nobody waits; a message is
/// there whole or not at all; in memory that processes share, what a stranger writes can make it fail
/// with [`Error::BadArgument`], or give other bytes. All zeros is an empty queue.
///
/// ```no_run
/// use riposte::sync::ByteQueue;
///
/// static LINES: ByteQueue<256> = ByteQueue::new();
///
/// fn log(text: &str) -> Result<(), riposte::Error> {
///     LINES.send(text.as_bytes())
/// }
///
/// fn next(buffer: &mut [u8; 80]) -> Result<&[u8], riposte::Error> {
///     let message = LINES.receive(buffer)?;
///     Ok(&buffer[..message.copied])
/// }
/// ```
#[derive(Debug)]
#[repr(C)]
pub struct ByteQueue<const WORDS: usize> {
    state: ByteQueueState,
    words: [Word; WORDS],
}

/// What threads change of a queue beside its words: the same for any number of them, also for the C
/// library.
#[doc(hidden)]
#[derive(Debug)]
#[repr(C)]
pub struct ByteQueueState {
    lock: Lock,
    ring: Ring,
    sent: Event,
    received: Event,
}

/// A message that was received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Received {
    /// Bytes of it that are in the buffer.
    pub copied: usize,
    /// Bytes that it had.
    pub length: usize,
}

impl<const WORDS: usize> ByteQueue<WORDS> {
    /// Bytes of the longest message.
    pub const LONGEST: usize = {
        assert!(WORDS > 0 && WORDS <= MOST, "a queue has 1 to 65,535 words");
        longest(WORDS)
    };

    /// An empty queue.
    #[must_use]
    pub const fn new() -> ByteQueue<WORDS> {
        let _ = Self::LONGEST;
        ByteQueue {
            state: ByteQueueState::new(),
            words: [const { Word::new(0) }; WORDS],
        }
    }

    /// Sends a message if there is room. It may wait for another thread that copies, for 10 ms at most; never for
    /// room.
    ///
    /// # Errors
    /// [`Error::WouldBlock`] if there is none, or another thread copies too long; [`Error::BadArgument`] if there
    /// never is.
    pub fn try_send(&self, message: &[u8]) -> Result<(), Error> {
        self.state.put(&self.words, message, Deadline::Immediate)
    }

    /// Sends a message, and blocks until there is room.
    ///
    /// # Errors
    /// [`Error::BadArgument`] if there never is; what ended the wait early, such as
    /// [`Error::Interrupted`].
    pub fn send(&self, message: &[u8]) -> Result<(), Error> {
        self.send_until(message, Deadline::None)
    }

    /// As [`ByteQueue::send`], until `deadline`; for another thread's copy some 20 ms if it is
    /// [`Deadline::Immediate`].
    ///
    /// # Errors
    /// [`Error::TimedOut`]; [`Error::WouldBlock`] if it is [`Deadline::Immediate`]; and as
    /// [`ByteQueue::send`].
    pub fn send_until(&self, message: &[u8], deadline: impl Into<Deadline>) -> Result<(), Error> {
        let deadline = deadline.into();
        self.state.send_until(&self.words, message, deadline)
    }

    /// Receives the first message, if there is one, or as much of it as fits into the buffer; the rest
    /// is lost. It may wait for another thread that copies, for 10 ms at most; never for a message.
    ///
    /// # Errors
    /// [`Error::WouldBlock`] if there is none, or another thread copies too long.
    pub fn try_receive(&self, buffer: &mut [u8]) -> Result<Received, Error> {
        self.state.take(&self.words, buffer, Deadline::Immediate)
    }

    /// Receives the first message, or as much of it as fits into the buffer, and blocks until there is
    /// one; the rest is lost.
    ///
    /// # Errors
    /// What ended the wait early, such as [`Error::Interrupted`].
    pub fn receive(&self, buffer: &mut [u8]) -> Result<Received, Error> {
        self.receive_until(buffer, Deadline::None)
    }

    /// As [`ByteQueue::receive`], until `deadline`; for another thread's copy some 20 ms if it is
    /// [`Deadline::Immediate`].
    ///
    /// # Errors
    /// [`Error::TimedOut`]; [`Error::WouldBlock`] if it is [`Deadline::Immediate`]; and as
    /// [`ByteQueue::receive`].
    pub fn receive_until(
        &self,
        buffer: &mut [u8],
        deadline: impl Into<Deadline>,
    ) -> Result<Received, Error> {
        let deadline = deadline.into();
        self.state.receive_until(&self.words, buffer, deadline)
    }
}

impl ByteQueueState {
    const fn new() -> ByteQueueState {
        ByteQueueState {
            lock: Lock::new(),
            ring: Ring::new(),
            sent: Event::new(),
            received: Event::new(),
        }
    }

    fn put(&self, words: &[Word], message: &[u8], deadline: Deadline) -> Result<(), Error> {
        let all = words.len() as u32;
        if message.len() > longest(words.len()) {
            return Err(Error::BadArgument);
        }
        let needed = needed(message.len() as u32);
        let held = self.lock.hold_shortly(deadline)?;
        let full = self.ring.full();
        if full.count() + needed > all {
            return Err(full.refusal(all));
        }
        let mut places = places(words, full.end(all));
        let length = [message.len() as u32];
        let chunks = message.chunks(4).map(word_of);
        for (place, word) in (&mut places).zip(length.into_iter().chain(chunks)) {
            place.store(word);
        }
        self.ring.set(full.put(needed));
        drop(held);
        self.sent.signal(1);
        Ok(())
    }

    fn take(
        &self,
        words: &[Word],
        buffer: &mut [u8],
        deadline: Deadline,
    ) -> Result<Received, Error> {
        let all = words.len() as u32;
        let held = self.lock.hold_shortly(deadline)?;
        let full = self.ring.full();
        let mut places = places(words, full.first(all));
        let Some(first) = places.next().filter(|_| full.count() > 0) else {
            return Err(full.refusal(all));
        };
        let length = first.load();
        if length > longest(words.len()) as u32 {
            return Err(Error::BadArgument);
        }
        let Some(rest) = full.take(all, needed(length)) else {
            return Err(Error::BadArgument);
        };
        let copied = buffer.len().min(length as usize);
        for (chunk, place) in buffer[..copied].chunks_mut(4).zip(places) {
            let bytes = place.load().to_le_bytes();
            chunk.copy_from_slice(&bytes[..chunk.len()]);
        }
        self.ring.set(rest);
        drop(held);
        // Room for one message can be room for several shorter ones.
        self.received.signal(u32::MAX);
        Ok(Received {
            copied,
            length: length as usize,
        })
    }

    /// As [`ByteQueue::send_until`], of a queue with these words: 1 to 65,535.
    ///
    /// # Errors
    /// As [`ByteQueue::send_until`].
    pub fn send_until(
        &self,
        words: &[Word],
        message: &[u8],
        deadline: Deadline,
    ) -> Result<(), Error> {
        match self.put(words, message, deadline) {
            Err(Error::WouldBlock) => {
                let put = || {
                    let put = self.put(words, message, deadline);
                    put.inspect_err(|_| self.sent.remind())
                };
                self.received.until_done(put, deadline)
            }
            result => result,
        }
    }

    /// As [`ByteQueue::receive_until`], of a queue with these words: 1 to 65,535.
    ///
    /// # Errors
    /// As [`ByteQueue::receive_until`].
    pub fn receive_until(
        &self,
        words: &[Word],
        buffer: &mut [u8],
        deadline: Deadline,
    ) -> Result<Received, Error> {
        match self.take(words, buffer, deadline) {
            Err(Error::WouldBlock) => {
                let take = || {
                    let taken = self.take(words, buffer, deadline);
                    taken.inspect_err(|_| self.received.remind())
                };
                self.sent.until_done(take, deadline)
            }
            result => result,
        }
    }
}

/// All words, in a circle from `first` on.
fn places(words: &[Word], first: u32) -> impl Iterator<Item = &Word> {
    let (before, behind) = words.split_at(first as usize % words.len());
    behind.iter().chain(before)
}

/// Bytes of the longest message of so many words.
const fn longest(words: usize) -> usize {
    (words - 1) * 4
}

impl<const WORDS: usize> Default for ByteQueue<WORDS> {
    fn default() -> Self {
        ByteQueue::new()
    }
}

/// Words that a message of so many bytes takes.
fn needed(bytes: u32) -> u32 {
    1 + bytes.div_ceil(4)
}

/// Up to four bytes.
fn word_of(bytes: &[u8]) -> u32 {
    let mut word = [0; 4];
    word[..bytes.len()].copy_from_slice(bytes);
    u32::from_le_bytes(word)
}
