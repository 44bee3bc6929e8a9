//! Reply tokens: the right to answer one waiting client, once.

use riposte_abi::call::{self, number, operation};
use riposte_abi::{Error, info, register};

use crate::trap::{self, Range, Registers};
use crate::{Connection, Status, failure, words};

/// Says which waiting client is meant, without the right to answer it: see [`Token::client`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ClientId {
    tag: u32,
    generation: u32,
}

/// Names one waiting client. Answering takes the token, so that nobody is answered twice; a token
/// whose client has left in the meantime is refused by the kernel.
///
/// A token that is dropped leaves its client waiting until the client's deadline, or until this
/// process ends.
#[must_use = "the client waits until its token is used"]
#[derive(Debug, PartialEq, Eq)]
pub struct Token {
    /// The tag, with something else in the low bits.
    info: u32,
    generation: u32,
}

impl Token {
    #[inline(always)]
    pub(crate) fn from_registers(registers: &Registers) -> Token {
        Token {
            info: registers[register::INFO],
            generation: registers[register::GENERATION],
        }
    }

    /// A token with these parts, which the kernel refuses unless they are those of a client that
    /// waits. For languages and tests that keep tokens as numbers.
    ///
    /// # Safety
    /// If the client waits for memory that it lends, nothing of what this process was lent is used
    /// once the token is.
    pub const unsafe fn from_parts(tag: u32, generation: u32) -> Token {
        Token {
            info: tag,
            generation,
        }
    }

    /// The token with which an answer that was not given was to be given.
    pub(crate) const fn of_answer(info: u32, generation: u32) -> Token {
        Token {
            info: info & info::TAG_MASK,
            generation,
        }
    }

    /// The tag and the generation; [`Token::from_parts`] makes the token of them again.
    #[must_use]
    pub const fn into_parts(self) -> (u32, u32) {
        (self.tag(), self.generation)
    }

    /// Which client it is, for comparing.
    #[must_use]
    pub const fn client(&self) -> ClientId {
        ClientId {
            tag: self.tag(),
            generation: self.generation,
        }
    }

    /// What the kernel wrote in place of a message's length.
    #[inline(always)]
    pub(crate) const fn mark(&self) -> u32 {
        self.info & info::LENGTH_MASK
    }

    /// Whether the message brought moved memory that nobody has opened.
    #[inline(always)]
    pub(crate) const fn says_moved(&self) -> bool {
        self.mark() == info::MOVED
    }

    /// What the kernel wrote in place of a message's length, once; 0 afterwards.
    pub(crate) fn take_mark(&mut self) -> u32 {
        let mark = self.mark();
        self.info &= !info::LENGTH_MASK;
        mark
    }

    #[inline(always)]
    pub(crate) const fn tag(&self) -> u32 {
        self.info & info::TAG_MASK
    }

    #[inline(always)]
    pub(crate) const fn generation(&self) -> u32 {
        self.generation
    }

    /// Answers with status 0 and `bytes`; returns how many the client accepted. Never blocks.
    ///
    /// # Errors
    /// [`Error::NoSuchClient`] if the client no longer waits.
    #[inline(always)]
    pub fn reply(self, bytes: &[u8]) -> Result<usize, Error> {
        self.reply_with(Status::OK, bytes)
    }

    /// Answers with a status and `bytes`; returns how many the client accepted. Never blocks.
    ///
    /// # Errors
    /// [`Error::NoSuchClient`] if the client no longer waits.
    #[inline(always)]
    pub fn reply_with(self, status: Status, bytes: &[u8]) -> Result<usize, Error> {
        match words::pack(bytes) {
            Some(words) => self.answer(number::REPLY, bytes.len() as u32, status, words),
            None => self.answer(
                number::REPLY_BYTES,
                0,
                status,
                words::range(Range::of(bytes)),
            ),
        }
    }

    /// Answers with status 0 and `N` (at most five) words. Never blocks.
    ///
    /// # Errors
    /// [`Error::NoSuchClient`] if the client no longer waits.
    #[inline(always)]
    pub fn reply_words<const N: usize>(self, words: [u32; N]) -> Result<(), Error>
    where
        [u32; N]: crate::MessageWords,
    {
        self.answer(number::REPLY, N as u32 * 4, Status::OK, words::pad(words))
            .map(|_| ())
    }

    /// Answers with status 0 and the bytes of `parts` (at most 16), in order; returns how many the
    /// client accepted. Never blocks.
    ///
    /// # Errors
    /// [`Error::NoSuchClient`] if the client no longer waits.
    pub fn reply_vector(self, parts: &[crate::Part<'_>]) -> Result<usize, Error> {
        self.reply_vector_with(Status::OK, parts)
    }

    /// As [`Token::reply_vector`], with a status.
    ///
    /// # Errors
    /// As [`Token::reply_vector`].
    pub fn reply_vector_with(
        self,
        status: Status,
        parts: &[crate::Part<'_>],
    ) -> Result<usize, Error> {
        let (number, words) = crate::part::gather(parts, number::REPLY_BYTES, number::REPLY_VECTOR);
        self.answer(number, 0, status, words)
    }

    /// Answers with status 0 and the bytes of `pieces`, in order; returns how many the client accepted. A few bytes are put
    /// together before, which is less work than for the kernel to look at each piece. Never blocks.
    ///
    /// # Errors
    /// [`Error::NoSuchClient`] if the client no longer waits; [`Error::BadArgument`] for more than 16 pieces of more than
    /// a few bytes.
    pub fn reply_pieces<const N: usize>(self, pieces: [&[u8]; N]) -> Result<usize, Error> {
        let mut room = trap::ROOM;
        match trap::join(&pieces, &mut room) {
            Some(bytes) => self.reply(bytes),
            None => self.reply_vector(&pieces.map(crate::Part::new)),
        }
    }

    /// Answers with an error status and no bytes. Never blocks.
    ///
    /// # Errors
    /// [`Error::NoSuchClient`] if the client no longer waits.
    pub fn reply_error(self, status: Status) -> Result<(), Error> {
        self.answer(number::REPLY_ERROR, 0, status, [0; 5])
            .map(|_| ())
    }

    /// Answers with four words and hands the client `connection`, which must have the right
    /// `transfer`; this process keeps its own handle. Never blocks.
    ///
    /// # Errors
    /// [`Error::NoSuchClient`] if the client no longer waits, [`Error::NotPermitted`] if the
    /// connection may not be handed on or the client takes none, [`Error::NoHandles`] if the client
    /// has no room for it.
    pub fn reply_handle(self, words: [u32; 4], connection: &Connection) -> Result<(), Error> {
        self.hand_over(words, connection.handle())
    }

    /// As [`Token::reply_handle`], and keeps the token: if the connection can't be handed over, for another answer; if it
    /// was, it names nobody any more.
    ///
    /// # Errors
    /// As [`Token::reply_handle`]; [`Error::ServerDied`] if nobody is left at the connection's other end.
    pub fn try_reply_handle(&self, words: [u32; 4], connection: &Connection) -> Result<(), Error> {
        Token::of_answer(self.tag(), self.generation).reply_handle(words, connection)
    }

    /// Answers with four words and lets the client trigger `proxy`: one of this process, or one that
    /// may be handed on. The client takes it by [`Connection::send_for_proxy`]. Never blocks.
    ///
    /// # Errors
    /// [`Error::ServerDied`] if the proxy is gone; else as [`Token::reply_handle`].
    pub fn reply_proxy(self, words: [u32; 4], proxy: &crate::Proxy) -> Result<(), Error> {
        self.hand_over(words, proxy.handle())
    }

    /// As [`Token::reply_proxy`], and keeps the token: if the proxy can't be handed over, for another answer; if it was, it
    /// names nobody any more.
    ///
    /// # Errors
    /// As [`Token::reply_proxy`].
    pub fn try_reply_proxy(&self, words: [u32; 4], proxy: &crate::Proxy) -> Result<(), Error> {
        Token::of_answer(self.tag(), self.generation).reply_proxy(words, proxy)
    }

    /// Answers with four words and gives the client a handle of the region, which may be written as this one may, and
    /// handed on if that is `onward`; this one must have the right `transfer`, and this process keeps it. The client takes it by
    /// [`Connection::send_for_region`]. Never blocks.
    ///
    /// # Errors
    /// As [`Token::reply_handle`].
    pub fn reply_region(self, words: [u32; 4], region: &crate::RegionHandle) -> Result<(), Error> {
        self.hand_over(words, region.handle())
    }

    /// As [`Token::reply_region`], and keeps the token: if the region can't be handed over, for another answer; if it was, it
    /// names nobody any more.
    ///
    /// # Errors
    /// As [`Token::reply_region`].
    pub fn try_reply_region(
        &self,
        words: [u32; 4],
        region: &crate::RegionHandle,
    ) -> Result<(), Error> {
        Token::of_answer(self.tag(), self.generation).reply_region(words, region)
    }

    /// Hands the client on to the server of `connection`, which answers it in this one's place, as if it had sent its message
    /// there: with the connection's badge, in the form in which it has sent it. Of a message in registers these `words` are
    /// what that server gets, at most 20 bytes; of any other they are not looked at. The client's priority and deadline go
    /// with it. Keeps the token: if the client can't be handed on, for an answer; if it was, it names nobody any more. Never
    /// blocks.
    ///
    /// # Errors
    /// Nothing has changed: [`Error::NoSuchClient`] if the client no longer waits, [`Error::NotPermitted`] without the grant
    /// `relay` ([`Error::BadCall`] in an application in which nobody has it), [`Error::CannotLend`] if it has lent or given memory, [`Error::BadArgument`] of more than 20 bytes,
    /// [`Error::ServerDied`] and [`Error::BadHandle`] of the connection, [`Error::Deadlock`] if that server waits for the
    /// client.
    pub fn try_relay(&self, connection: &Connection, words: &[u8]) -> Result<(), Error> {
        let length = words.len() as u32;
        let words = words::pack(words).ok_or(Error::BadArgument)?;
        let call = call::word(operation::RELAY, connection.handle());
        let token = Token::of_answer(self.tag(), self.generation);
        token.answer(call, length, Status::OK, words).map(drop)
    }

    fn hand_over(self, words: [u32; 4], handle: u32) -> Result<(), Error> {
        let [a, b, c, d] = words;
        let words = [a, b, c, d, handle];
        self.answer(number::REPLY_HANDLE, 16, Status::OK, words)
            .map(drop)
    }

    /// Copies bytes of the waiting client's message, from `offset` on, and returns how many:
    /// fewer than `buffer` takes at the message's end. Never blocks, never unblocks the client.
    ///
    /// # Errors
    /// [`Error::NoSuchClient`] if the client no longer waits.
    pub fn read(&self, offset: u32, buffer: &mut [u8]) -> Result<usize, Error> {
        self.transfer(number::READ, offset, Range::of_mut(buffer))
    }

    /// As [`Token::read`], to where `part` says: so bytes reach a region without a way round.
    ///
    /// # Errors
    /// As [`Token::read`].
    pub fn read_part(&self, offset: u32, part: &mut crate::PartMut<'_>) -> Result<usize, Error> {
        let riposte_abi::Part { address, length } = part.range();
        self.transfer(number::READ, offset, Range { address, length })
    }

    /// Copies `bytes` into the waiting client's reply buffer, at `offset`, and returns how many
    /// fitted. Never blocks, never unblocks the client.
    ///
    /// # Errors
    /// [`Error::NoSuchClient`] if the client no longer waits.
    pub fn write(&self, offset: u32, bytes: &[u8]) -> Result<usize, Error> {
        self.transfer(number::WRITE, offset, Range::of(bytes))
    }

    fn transfer(&self, call: u32, offset: u32, range: Range) -> Result<usize, Error> {
        let words = [range.address, range.length, offset, 0, 0];
        let out = trap::about_client(call, self.tag(), self.generation, words);
        failure::check(out).map(|out| out[register::WORD0] as usize)
    }

    #[inline(always)]
    fn answer(self, call: u32, info: u32, status: Status, words: [u32; 5]) -> Result<usize, Error> {
        let (flag, status) = if status.is_ok() {
            (0, None)
        } else {
            (info::STATUS, Some(status.0))
        };
        // The stub is that of all calls that carry a token.
        let info = self.tag() | info | flag;
        let out = trap::reply_receive(call, info, self.generation, words, Range::NONE, status);
        failure::check(out).map(|out| out[register::WORD0] as usize)
    }
}
