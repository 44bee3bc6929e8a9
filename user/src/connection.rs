//! Connections: a client's right to send.

use core::hint::cold_path;

use riposte_abi::call::{self, number, operation};
use riposte_abi::{Error, MESSAGE_BYTES, info, register};

use crate::trap::{self, Range, Registers};
use crate::{Deadline, Part, PartMut, Proxy, RegionHandle, Status, failure, part, words};

/// A client's right to send to one channel.
#[derive(Debug, PartialEq, Eq)]
pub struct Connection {
    handle: u32,
    /// The manifest's slot; none for a connection that a reply brought.
    slot: Option<u32>,
}

/// What came back from a server, in the client's buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reply {
    /// What the server says.
    pub status: Status,
    /// Bytes of the reply that are in the buffer.
    pub len: usize,
    /// Bytes that the server offered: more than `len` if the buffer was too short.
    pub offered: usize,
    /// Bytes of the request that the server accepted at once.
    pub accepted: usize,
}

/// What came back from a server, in registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WordsReply {
    /// What the server says.
    pub status: Status,
    /// The reply's words; zero where the server sent nothing.
    pub words: [u32; 5],
    /// Bytes of the reply that are in `words`.
    pub len: usize,
    /// Bytes that the server offered: more than `len` if it answered with more than registers
    /// hold.
    pub offered: usize,
}

impl Connection {
    /// Opens the manifest's connection with this slot; [`crate::connect`] finds it by its name. An open one keeps its
    /// handle. Never blocks.
    ///
    /// # Errors
    /// [`Error::ServerDied`] if its server is dead; [`Error::BadHandle`] if there is no such slot.
    pub fn open(slot: u32) -> Result<Connection, Error> {
        Ok(Connection {
            handle: connect(slot)?,
            slot: Some(slot),
        })
    }

    /// A connection from its raw handle, as a transfer or another language keeps it.
    #[must_use]
    pub const fn from_handle(handle: u32) -> Connection {
        Connection { handle, slot: None }
    }

    /// The handle, for calls that this library doesn't wrap.
    #[inline(always)]
    #[must_use]
    pub const fn handle(&self) -> u32 {
        self.handle
    }

    /// Opens the connection again after [`Error::ServerDied`]: the name then finds the restarted
    /// server. Never blocks.
    ///
    /// # Errors
    /// [`Error::ServerDied`] if the server is not there again; [`Error::BadHandle`] for a
    /// connection that does not come from the manifest.
    pub fn reconnect(&mut self) -> Result<(), Error> {
        self.handle = connect(self.slot.ok_or(Error::BadHandle)?)?;
        Ok(())
    }

    /// Gives the connection up. The manifest's name for it can be opened again.
    ///
    /// # Errors
    /// [`Error::BadHandle`] if it was closed already.
    pub fn close(self) -> Result<(), Error> {
        close(self.handle)
    }

    /// Sets notification bits of the channel, as [`crate::Channel::notify`] does. Never blocks.
    ///
    /// # Errors
    /// [`Error::NotPermitted`] if the manifest does not give the connection the right `notify`;
    /// [`Error::BadArgument`] if `bits` is 0; [`Error::ServerDied`] if the server is dead.
    pub fn notify(&self, bits: u32) -> Result<(), Error> {
        failure::ask(number::NOTIFY, self.handle, bits).map(drop)
    }

    /// Sends `N` (at most five) words and waits for the answer, also in words. Blocks.
    ///
    /// # Errors
    /// [`Error::ServerDied`] if the server dies or is dead; [`Error::Deadlock`] if the server
    /// waits for this thread; [`Error::Interrupted`] if a signal was handled meanwhile: the server may have had the
    /// request.
    #[inline(always)]
    pub fn send_words<const N: usize>(&self, words: [u32; N]) -> Result<WordsReply, Error>
    where
        [u32; N]: crate::MessageWords,
    {
        let call = call::word(operation::SEND, self.handle);
        let out = trap::send_words(call, words);
        WordsReply::decode(&out)
    }

    /// As [`Connection::send_words`], if a server waits for a message. Blocks only for its answer.
    ///
    /// # Errors
    /// [`Error::WouldBlock`] if no server waits; and as [`Connection::send_words`].
    pub fn try_send_words<const N: usize>(&self, words: [u32; N]) -> Result<WordsReply, Error>
    where
        [u32; N]: crate::MessageWords,
    {
        self.send_words_until(words, Deadline::Immediate)
    }

    /// As [`Connection::send_words`], until `deadline`.
    ///
    /// # Errors
    /// [`Error::TimedOut`] at the deadline; [`Error::WouldBlock`] if no server waits and it was
    /// [`Deadline::Immediate`]; and as [`Connection::send_words`].
    pub fn send_words_until<const N: usize>(
        &self,
        words: [u32; N],
        deadline: impl Into<Deadline>,
    ) -> Result<WordsReply, Error>
    where
        [u32; N]: crate::MessageWords,
    {
        let (words, deadline) = (words::pad(words), deadline.into());
        let out = self.call(operation::SEND, N as u32 * 4, words, Range::NONE, deadline)?;
        WordsReply::decode(&out)
    }

    /// Sends the bytes `request` and waits for the answer, of which `reply` takes as much as
    /// fits. Blocks.
    ///
    /// # Errors
    /// As [`Connection::send_words`].
    #[inline(always)]
    pub fn send(&self, request: &[u8], reply: &mut [u8]) -> Result<Reply, Error> {
        let range = Range::of_mut(reply);
        let out = match words::pack(request) {
            Some(words) => {
                let call = call::word(operation::SEND, self.handle);
                trap::send(call, request.len() as u32, words, range)
            }
            None => {
                let call = call::word(operation::SEND_BYTES, self.handle);
                trap::send_bytes(call, Range::of(request), range)
            }
        };
        Reply::decode(&failure::check(out)?, request.len(), reply)
    }

    /// As [`Connection::send`], if a server waits for a message. Blocks only for its answer.
    ///
    /// # Errors
    /// [`Error::WouldBlock`] if no server waits; and as [`Connection::send`].
    pub fn try_send(&self, request: &[u8], reply: &mut [u8]) -> Result<Reply, Error> {
        self.send_until(request, reply, Deadline::Immediate)
    }

    /// As [`Connection::send`], until `deadline`.
    ///
    /// # Errors
    /// As [`Connection::send_words_until`].
    pub fn send_until(
        &self,
        request: &[u8],
        reply: &mut [u8],
        deadline: impl Into<Deadline>,
    ) -> Result<Reply, Error> {
        let deadline = deadline.into();
        if deadline == Deadline::None {
            return self.send(request, reply);
        }
        let range = Range::of_mut(reply);
        let (operation, info, words) = encode(request);
        let out = self.call(operation, info, words, range, deadline)?;
        Reply::decode(&out, request.len(), reply)
    }

    /// As [`Connection::send_until`], of a request of `length` bytes (at most 20) that stands in `words` already. What is
    /// behind them is zero: the server sees it.
    ///
    /// # Errors
    /// [`Error::BadArgument`] of more bytes; else as [`Connection::send_until`].
    #[inline(always)]
    pub fn send_packed_until(
        &self,
        (words, length): ([u32; 5], usize),
        reply: &mut [u8],
        deadline: Deadline,
    ) -> Result<Reply, Error> {
        let range = Range::of_mut(reply);
        let out = self.call(operation::SEND, packed(length)?, words, range, deadline)?;
        Reply::decode(&out, length, reply)
    }

    /// Sends the bytes of `request`'s parts in order, and scatters the answer over `reply`'s; at
    /// most 16 parts each, of any shape. Blocks.
    ///
    /// # Errors
    /// [`Error::BadArgument`] for too many parts; else as [`Connection::send`].
    pub fn send_vector(
        &self,
        request: &[Part<'_>],
        reply: &mut [PartMut<'_>],
    ) -> Result<Reply, Error> {
        self.send_vector_until(request, reply, Deadline::None)
    }

    /// As [`Connection::send_vector`], until `deadline`.
    ///
    /// # Errors
    /// [`Error::BadArgument`] for too many parts; else as [`Connection::send_until`].
    pub fn send_vector_until(
        &self,
        request: &[Part<'_>],
        reply: &mut [PartMut<'_>],
        deadline: impl Into<Deadline>,
    ) -> Result<Reply, Error> {
        let (operation, words) =
            part::gather(request, operation::SEND_BYTES, operation::SEND_VECTOR);
        let (found, _) = self.call_scattered(operation, 0, words, reply, deadline.into())?;
        Ok(found)
    }

    /// As [`Connection::send_until`], of a request that lies in several pieces. A few bytes are put together before they are
    /// sent, which is less work than for the kernel to look at each piece.
    ///
    /// # Errors
    /// [`Error::BadArgument`] for more than 16 pieces of more than a few bytes; else as [`Connection::send_until`].
    #[inline]
    pub fn send_pieces_until<const N: usize>(
        &self,
        pieces: [&[u8]; N],
        reply: &mut [u8],
        deadline: impl Into<Deadline>,
    ) -> Result<Reply, Error> {
        let (deadline, mut room) = (deadline.into(), trap::ROOM);
        match trap::join(&pieces, &mut room) {
            Some(request) => self.send_until(request, reply, deadline),
            None => {
                let parts = pieces.map(Part::new);
                self.send_vector_until(&parts, &mut [PartMut::new(reply)], deadline)
            }
        }
    }

    /// As [`Connection::send_until`], and scatters the answer over at most 16 parts.
    ///
    /// # Errors
    /// [`Error::BadArgument`] for too many parts; else as [`Connection::send_until`].
    pub fn send_scattered_until(
        &self,
        request: &[u8],
        reply: &mut [PartMut<'_>],
        deadline: impl Into<Deadline>,
    ) -> Result<Reply, Error> {
        let (operation, info, words) = encode(request);
        let (found, _) = self.call_scattered(operation, info, words, reply, deadline.into())?;
        Ok(found.of_short(request))
    }

    /// As [`Connection::send_scattered_until`], and takes what the answer brings: the handle of a connection or a proxy, which
    /// is this process's from then on.
    ///
    /// # Errors
    /// [`Error::NoHandles`] if this process has no room for it; else as [`Connection::send_scattered_until`].
    pub fn send_scattered_for_handle_until(
        &self,
        request: &[u8],
        reply: &mut [PartMut<'_>],
        deadline: impl Into<Deadline>,
    ) -> Result<(Reply, Option<u32>), Error> {
        let (operation, info, words) = encode(request);
        let info = info | info::ACCEPT_HANDLE;
        let (found, handle) =
            self.call_scattered(operation, info, words, reply, deadline.into())?;
        Ok((found.of_short(request), handle))
    }

    /// As [`Connection::send_vector_until`], and takes what the answer brings.
    ///
    /// # Errors
    /// As [`Connection::send_scattered_for_handle_until`].
    pub fn send_vector_for_handle_until(
        &self,
        request: &[Part<'_>],
        reply: &mut [PartMut<'_>],
        deadline: impl Into<Deadline>,
    ) -> Result<(Reply, Option<u32>), Error> {
        let (operation, words) =
            part::gather(request, operation::SEND_BYTES, operation::SEND_VECTOR);
        self.call_scattered(
            operation,
            info::ACCEPT_HANDLE,
            words,
            reply,
            deadline.into(),
        )
    }

    fn call_scattered(
        &self,
        operation: u32,
        flags: u32,
        words: [u32; 5],
        reply: &mut [PartMut<'_>],
        deadline: Deadline,
    ) -> Result<(Reply, Option<u32>), Error> {
        let (flag, range) = part::scatter(reply);
        let out = self.call(operation, flags | flag, words, range, deadline)?;
        let status = Status(out[register::CALL]);
        let accepted = out[register::GENERATION] as usize;
        let info = out[register::INFO];
        let (len, offered) = if info & info::BYTES != 0 {
            (out[register::WORD0] as usize, out[register::WORD1] as usize)
        } else {
            let offered = (info & info::LENGTH_MASK) as usize;
            (part::fill(reply, &words::of(&out), offered), offered)
        };
        let handle = info & info::HANDLE != 0;
        let handle = handle.then_some(out[register::WORD4]);
        let found = Reply {
            status,
            len,
            offered,
            accepted,
        };
        Ok((found, handle))
    }

    /// Sends words and takes the connection that the answer brings, with the answer's first four
    /// words. Blocks.
    ///
    /// # Errors
    /// [`Error::NoHandles`] if this process has no room for it; else as [`Connection::send_words`].
    pub fn send_for_handle<const N: usize>(
        &self,
        words: [u32; N],
    ) -> Result<(WordsReply, Option<Connection>), Error>
    where
        [u32; N]: crate::MessageWords,
    {
        self.send_for_handle_until(words, Deadline::None)
    }

    /// As [`Connection::send_for_handle`], until `deadline`.
    ///
    /// # Errors
    /// [`Error::NoHandles`] if this process has no room for it; else as
    /// [`Connection::send_words_until`].
    pub fn send_for_handle_until<const N: usize>(
        &self,
        words: [u32; N],
        deadline: impl Into<Deadline>,
    ) -> Result<(WordsReply, Option<Connection>), Error>
    where
        [u32; N]: crate::MessageWords,
    {
        let (words, deadline) = (words::pad(words), deadline.into());
        let (reply, handle) =
            self.call_for_handle((operation::SEND, N as u32 * 4, words), deadline)?;
        Ok((reply, handle.map(Connection::from_handle)))
    }

    /// As [`Connection::send_for_handle`], if what the answer brings is a [`Proxy`].
    ///
    /// # Errors
    /// As [`Connection::send_for_handle`].
    pub fn send_for_proxy<const N: usize>(
        &self,
        words: [u32; N],
    ) -> Result<(WordsReply, Option<Proxy>), Error>
    where
        [u32; N]: crate::MessageWords,
    {
        self.send_for_proxy_until(words, Deadline::None)
    }

    /// As [`Connection::send_for_proxy`], until `deadline`.
    ///
    /// # Errors
    /// As [`Connection::send_for_handle_until`].
    pub fn send_for_proxy_until<const N: usize>(
        &self,
        words: [u32; N],
        deadline: impl Into<Deadline>,
    ) -> Result<(WordsReply, Option<Proxy>), Error>
    where
        [u32; N]: crate::MessageWords,
    {
        let (words, deadline) = (words::pad(words), deadline.into());
        let (reply, handle) =
            self.call_for_handle((operation::SEND, N as u32 * 4, words), deadline)?;
        Ok((reply, handle.map(Proxy::from_handle)))
    }

    /// As [`Connection::send_for_handle`], if what the answer brings is a region.
    ///
    /// # Errors
    /// As [`Connection::send_for_handle`].
    pub fn send_for_region<const N: usize>(
        &self,
        words: [u32; N],
    ) -> Result<(WordsReply, Option<RegionHandle>), Error>
    where
        [u32; N]: crate::MessageWords,
    {
        self.send_for_region_until(words, Deadline::None)
    }

    /// As [`Connection::send_for_region`], until `deadline`.
    ///
    /// # Errors
    /// As [`Connection::send_for_handle_until`].
    pub fn send_for_region_until<const N: usize>(
        &self,
        words: [u32; N],
        deadline: impl Into<Deadline>,
    ) -> Result<(WordsReply, Option<RegionHandle>), Error>
    where
        [u32; N]: crate::MessageWords,
    {
        let (words, deadline) = (words::pad(words), deadline.into());
        let (reply, handle) =
            self.call_for_handle((operation::SEND, N as u32 * 4, words), deadline)?;
        Ok((reply, handle.map(RegionHandle::from_handle)))
    }

    /// As [`Connection::send_for_handle_until`], with the bytes `request`.
    ///
    /// # Errors
    /// As [`Connection::send_for_handle_until`].
    pub fn send_bytes_for_handle_until(
        &self,
        request: &[u8],
        deadline: impl Into<Deadline>,
    ) -> Result<(WordsReply, Option<Connection>), Error> {
        let (reply, handle) = self.call_for_handle(encode(request), deadline.into())?;
        Ok((reply, handle.map(Connection::from_handle)))
    }

    /// As [`Connection::send_for_handle_until`], of a request as [`Connection::send_packed_until`] takes.
    ///
    /// # Errors
    /// [`Error::BadArgument`] of more than 20 bytes; else as [`Connection::send_for_handle_until`].
    #[inline(always)]
    pub fn send_packed_for_handle_until(
        &self,
        (words, length): ([u32; 5], usize),
        deadline: Deadline,
    ) -> Result<(WordsReply, Option<Connection>), Error> {
        let request = (operation::SEND, packed(length)?, words);
        let (reply, handle) = self.call_for_handle(request, deadline)?;
        Ok((reply, handle.map(Connection::from_handle)))
    }

    /// As [`Connection::send_bytes_for_handle_until`], if what the answer brings is a region.
    ///
    /// # Errors
    /// As [`Connection::send_for_handle_until`].
    pub fn send_bytes_for_region_until(
        &self,
        request: &[u8],
        deadline: impl Into<Deadline>,
    ) -> Result<(WordsReply, Option<RegionHandle>), Error> {
        let (reply, handle) = self.call_for_handle(encode(request), deadline.into())?;
        Ok((reply, handle.map(RegionHandle::from_handle)))
    }

    fn call_for_handle(
        &self,
        (operation, length, words): (u32, u32, [u32; 5]),
        deadline: Deadline,
    ) -> Result<(WordsReply, Option<u32>), Error> {
        let info = length | info::ACCEPT_HANDLE;
        let out = self.call(operation, info, words, Range::NONE, deadline)?;
        let brought = out[register::INFO] & info::HANDLE != 0;
        let handle = brought.then_some(out[register::WORD4]);
        Ok((WordsReply::decode(&out)?, handle))
    }

    /// Sends words of any meaning, with no reply buffer: the registers as they come back.
    #[inline(always)]
    pub(crate) fn exchange_words(
        &self,
        operation: u32,
        words: [u32; 5],
        deadline: Deadline,
    ) -> Registers {
        if deadline == Deadline::None {
            trap::send(call::word(operation, self.handle), 0, words, Range::NONE)
        } else {
            self.exchange(operation, 0, words, Range::NONE, deadline)
        }
    }

    fn call(
        &self,
        operation: u32,
        info: u32,
        words: [u32; 5],
        reply: Range,
        deadline: Deadline,
    ) -> Result<Registers, Error> {
        failure::check(self.exchange(operation, info, words, reply, deadline))
    }

    fn exchange(
        &self,
        operation: u32,
        info: u32,
        words: [u32; 5],
        reply: Range,
        deadline: Deadline,
    ) -> Registers {
        // The stub is that of all messages, and shorter than one that takes a deadline.
        if deadline == Deadline::None {
            return trap::send(call::word(operation, self.handle), info, words, reply);
        }
        let (flag, moment) = deadline.encode();
        let call = call::word(operation, self.handle);
        trap::timed(call, info | flag, words, moment, reply)
    }
}

/// Gives up a handle, of whatever it is.
pub(crate) fn close(handle: u32) -> Result<(), Error> {
    failure::ask(number::CLOSE, handle, 0).map(drop)
}

pub(crate) fn connect(slot: u32) -> Result<u32, Error> {
    failure::ask(number::CONNECT, slot, 0)
}

/// How many bytes the words hold: a greater number would be flags.
#[inline(always)]
fn packed(length: usize) -> Result<u32, Error> {
    if length > MESSAGE_BYTES {
        return Err(Error::BadArgument);
    }
    Ok(length as u32)
}

/// Operation, length and words that carry `request`: in registers if it fits there.
#[inline(always)]
fn encode(request: &[u8]) -> (u32, u32, [u32; 5]) {
    match words::pack(request) {
        Some(words) => (operation::SEND, request.len() as u32, words),
        None => (operation::SEND_BYTES, 0, words::range(Range::of(request))),
    }
}

impl Reply {
    /// As the answer to a request that may have gone in registers: all of that is accepted.
    fn of_short(mut self, request: &[u8]) -> Reply {
        if request.len() <= MESSAGE_BYTES {
            self.accepted = request.len();
        }
        self
    }

    #[inline(always)]
    fn decode(out: &Registers, sent: usize, buffer: &mut [u8]) -> Result<Reply, Error> {
        let info = out[register::INFO];
        let (len, offered) = if info & info::BYTES != 0 {
            (out[register::WORD0] as usize, out[register::WORD1] as usize)
        } else {
            let offered = (info & info::LENGTH_MASK) as usize;
            (words::unpack(&words::of(out), offered, buffer), offered)
        };
        let accepted = if sent > MESSAGE_BYTES {
            out[register::GENERATION] as usize
        } else {
            sent
        };
        Ok(Reply {
            status: Status(out[register::CALL]),
            len,
            offered,
            accepted,
        })
    }
}

impl WordsReply {
    #[inline(always)]
    pub(crate) fn decode(out: &Registers) -> Result<WordsReply, Error> {
        let info = out[register::INFO];
        if info & (info::ERROR | info::BYTES) != 0 {
            cold_path();
            failure::check_word(info, out[register::CALL])?;
            // More bytes than registers hold, and no buffer for them.
            return Ok(WordsReply {
                status: Status(out[register::CALL]),
                words: [0; 5],
                len: 0,
                offered: out[register::WORD1] as usize,
            });
        }
        Ok(WordsReply::short(out))
    }

    #[inline(always)]
    fn short(out: &Registers) -> WordsReply {
        let len = (out[register::INFO] & info::LENGTH_MASK) as usize;
        WordsReply {
            status: Status(out[register::CALL]),
            words: words::of(out),
            len,
            offered: len,
        }
    }
}
