//! Channels: where a server receives.

use riposte_abi::call::{self, operation};
use riposte_abi::{Error, info};

use crate::trap::{self, Range};
use crate::words::pad;
use crate::{Answer, Deadline, Event, PartMut, Rare, Token, Words, failure, part};

/// Where a server receives its clients' messages. Several threads may receive from one channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Channel {
    handle: u32,
}

/// Whom a selective receive waits for.
#[derive(Debug)]
pub enum Peer<'a> {
    /// The client connection with this badge.
    Badge(u32),
    /// The client thread that this token names.
    Client(&'a Token),
}

impl Channel {
    /// The channel with this handle, as [`crate::channel`] finds it.
    #[must_use]
    pub const fn from_handle(handle: u32) -> Channel {
        Channel { handle }
    }

    /// The handle, for calls that this library doesn't wrap.
    #[must_use]
    pub const fn handle(self) -> u32 {
        self.handle
    }

    /// Sets notification bits: whoever receives here gets all that were set since the last time, with
    /// one [`crate::Notice::Bits`], and before any message. The cheapest wake-up of another thread
    /// of this process; for other processes there is [`crate::Connection::notify`]. Never blocks.
    ///
    /// # Errors
    /// [`Error::BadArgument`] if `bits` is 0; [`Error::BadHandle`] if the channel is not one.
    pub fn notify(&self, bits: u32) -> Result<(), Error> {
        failure::ask(call::number::NOTIFY, self.handle, bits).map(drop)
    }

    /// Waits for a message or a notice. What doesn't fit in registers is copied to `buffer`, up
    /// to its length; the rest stays with the client for [`crate::Message::read`]. Blocks.
    ///
    /// # Errors
    /// [`Error::BadHandle`] if the channel is not one; [`Error::BadAddress`] if `buffer` is not the process's to
    /// write by the time at which bytes come for it, and they stay; [`Error::Interrupted`] if a signal was handled
    /// meanwhile.
    #[inline(always)]
    pub fn receive<'a>(&self, buffer: &'a mut [u8]) -> Result<Event<'a>, Error> {
        let word = call::word(operation::RECEIVE, self.handle);
        let out = trap::receive(word, Range::of_mut(buffer));
        Event::decode(&out, buffer)
    }

    /// As [`Channel::receive`], of what is there already. Never blocks.
    ///
    /// # Errors
    /// [`Error::WouldBlock`] if nothing is there; and as [`Channel::receive`].
    pub fn try_receive<'a>(&self, buffer: &'a mut [u8]) -> Result<Event<'a>, Error> {
        self.receive_until(buffer, Deadline::Immediate)
    }

    /// As [`Channel::receive`], until `deadline`.
    ///
    /// # Errors
    /// [`Error::TimedOut`] at the deadline; [`Error::WouldBlock`] if nothing is there and it was
    /// [`Deadline::Immediate`]; and as [`Channel::receive`].
    pub fn receive_until<'a>(
        &self,
        buffer: &'a mut [u8],
        deadline: impl Into<Deadline>,
    ) -> Result<Event<'a>, Error> {
        let range = Range::of_mut(buffer);
        let out = self.receive_from_range(None, range, 0, deadline.into());
        Event::decode(&out, buffer)
    }

    /// Waits for a message of one peer; others stay queued, and so do notices: that of a client's death may wait behind
    /// a message of its next life. Blocks.
    ///
    /// # Errors
    /// [`Error::PeerDied`] if the peer is gone, or goes; a client's next life is another one, but has its badge. And as
    /// [`Channel::receive`].
    pub fn receive_from<'a>(
        &self,
        peer: Peer<'_>,
        buffer: &'a mut [u8],
    ) -> Result<Event<'a>, Error> {
        self.receive_from_until(peer, buffer, Deadline::None)
    }

    /// As [`Channel::receive_from`], until `deadline`.
    ///
    /// # Errors
    /// [`Error::TimedOut`] and [`Error::WouldBlock`] as [`Channel::receive_until`]; and as
    /// [`Channel::receive_from`].
    pub fn receive_from_until<'a>(
        &self,
        peer: Peer<'_>,
        buffer: &'a mut [u8],
        deadline: impl Into<Deadline>,
    ) -> Result<Event<'a>, Error> {
        let range = Range::of_mut(buffer);
        let out = self.receive_from_range(Some(peer), range, 0, deadline.into());
        Event::decode(&out, buffer)
    }

    /// As [`Channel::receive`], into up to 16 parts, in which the message lies then, however it came:
    /// [`crate::Message::bytes`] shows nothing, [`crate::Message::accepted`] says how much it is.
    ///
    /// # Errors
    /// [`Error::BadArgument`] for too many parts; else as [`Channel::receive`].
    pub fn receive_vector(&self, parts: &mut [PartMut<'_>]) -> Result<Event<'static>, Error> {
        self.receive_vector_until(parts, Deadline::None)
    }

    /// As [`Channel::receive_vector`], until `deadline`.
    ///
    /// # Errors
    /// [`Error::TimedOut`] and [`Error::WouldBlock`] as [`Channel::receive_until`]; and as
    /// [`Channel::receive_vector`].
    pub fn receive_vector_until(
        &self,
        parts: &mut [PartMut<'_>],
        deadline: impl Into<Deadline>,
    ) -> Result<Event<'static>, Error> {
        let (flag, range) = part::scatter(parts);
        let out = self.receive_from_range(None, range, flag, deadline.into());
        Event::decode_parts(&out, parts)
    }

    fn receive_from_range(
        &self,
        peer: Option<Peer<'_>>,
        range: Range,
        flags: u32,
        deadline: Deadline,
    ) -> trap::Registers {
        let (flag, moment) = deadline.encode();
        let call = call::word(operation::RECEIVE, self.handle);
        let (select, words) = match peer {
            None => (0, [0; 3]),
            Some(Peer::Badge(badge)) => (info::SELECT, [info::select::BADGE, badge, 0]),
            Some(Peer::Client(token)) => {
                let [tag, generation] = [token.tag(), token.generation()];
                (info::SELECT, [info::select::TOKEN, tag, generation])
            }
        };
        trap::timed(call, flags | flag | select, pad(words), moment, range)
    }

    /// Gives `answer` and waits for the next message, in one system call; see
    /// [`Channel::receive`]. Blocks.
    ///
    /// # Errors
    /// [`Error::NoSuchClient`] if the client no longer waits: then nothing was received either; and as
    /// [`Channel::receive`], the client being answered.
    #[inline(always)]
    pub fn reply_and_receive<'a>(
        &self,
        answer: Answer<'_>,
        buffer: &'a mut [u8],
    ) -> Result<Event<'a>, Error> {
        let out = self.exchange(answer, Range::of_mut(buffer));
        Event::decode(&out, buffer)
    }

    /// Waits for a message that fits in registers; longer ones are accepted with no bytes. Blocks.
    ///
    /// # Errors
    /// As [`Channel::receive`].
    #[inline(always)]
    pub fn receive_words(&self) -> Result<Event<'static>, Error> {
        self.receive(&mut [])
    }

    /// Answers with status 0 and the first `length` bytes of `buffer` (all of it if it is shorter),
    /// then waits for the next message in the same buffer: the shortest form of
    /// [`Channel::reply_and_receive`] for a server that works in place. Blocks.
    ///
    /// # Errors
    /// As [`Channel::reply_and_receive`].
    #[inline(always)]
    pub fn reply_in_place_and_receive<'a>(
        &self,
        token: Token,
        length: usize,
        buffer: &'a mut [u8],
    ) -> Result<Event<'a>, Error> {
        let word = call::word(operation::REPLY_BYTES_RECEIVE, self.handle);
        let range = Range::of_mut(buffer);
        let mut answer = range;
        if length < buffer.len() {
            answer.length = length as u32;
        }
        let out = trap::reply_bytes_receive(word, token.tag(), token.generation(), answer, range);
        Event::decode(&out, buffer)
    }

    /// Gives `answer` and waits for the next message, which is expected to be words: the shortest form of
    /// [`Channel::reply_and_receive`] for a server that gets anything else less often. Blocks.
    ///
    /// # Errors
    /// [`crate::Rare`] is what else was received, or the error.
    #[inline(always)]
    pub fn reply_and_expect_words(&self, answer: Answer<'_>) -> Result<Words, Rare> {
        Words::decode(self.exchange(answer, Range::NONE))
    }

    /// As [`Channel::reply_and_expect_words`], with status 0 and `N` (at most five) words: the shortest form of all.
    ///
    /// # Errors
    /// As [`Channel::reply_and_expect_words`].
    #[inline(always)]
    pub fn reply_words_and_expect_words<const N: usize>(
        &self,
        token: Token,
        words: [u32; N],
    ) -> Result<Words, Rare>
    where
        [u32; N]: crate::MessageWords,
    {
        let word = call::word(operation::REPLY_RECEIVE, self.handle);
        Words::decode(trap::reply_words_receive(
            word,
            token.tag(),
            token.generation(),
            words,
        ))
    }

    #[inline(always)]
    fn exchange(&self, answer: Answer<'_>, buffer: Range) -> trap::Registers {
        match answer.call {
            Some(answer) => trap::reply_receive(
                call::word(answer.operation, self.handle),
                answer.info,
                answer.generation,
                answer.words,
                buffer,
                answer.status,
            ),
            None => trap::receive(call::word(operation::RECEIVE, self.handle), buffer),
        }
    }

    /// Serves for ever: hands each event to `handle` and gives its answer together with the next
    /// receive. A client that left before its answer is no error, nor is a signal that was handled. Blocks.
    ///
    /// Returns only when the channel can't be received from, with the reason.
    #[inline(always)]
    pub fn serve<F>(&self, buffer: &mut [u8], mut handle: F) -> Error
    where
        F: for<'a> FnMut(Event<'a>) -> Answer<'a>,
    {
        let range = Range::of_mut(buffer);
        let receive = call::word(operation::RECEIVE, self.handle);
        let mut registers = trap::receive(receive, range);
        loop {
            registers = match Event::decode(&registers, buffer) {
                Ok(event) => self.exchange(handle(event), range),
                Err(Error::NoSuchClient | Error::Interrupted) => trap::receive(receive, range),
                Err(error) => return error,
            };
        }
    }
}
