//! Pipes between processes: the client's part.
//!
//! A pipe carries a stream of bytes from whoever writes it to whoever reads it, by way of the pipe server. Who reads
//! waits for a byte, who writes waits for room: as long as the deadline allows. When the last writer has closed its
//! end, or has died, readers find the end; when the last reader has, writers learn that nobody reads.
//!
//! ```no_run
//! use riposte_pipe::{PipeError, Pipes};
//!
//! fn relay() -> Result<(), PipeError> {
//!     let pipes = Pipes::connect("pipes")?;
//!     let samples = pipes.writer("samples")?;
//!     samples.write(b"21 degrees")?;      // here, in one process
//!
//!     let samples = pipes.reader("samples")?;
//!     let mut text = [0; 64];
//!     let length = samples.read(&mut text)?;      // in another
//!     assert!(length <= text.len());
//!     Ok(())
//! }
//! ```
#![no_std]
#![forbid(unsafe_code)]

mod error;
mod id;
pub mod protocol;

pub use error::PipeError;
pub use id::{NoPipeId, PipeId};

use protocol::{LARGEST, MOST_WATCHED, REQUEST, operation};
use riposte::abi::MESSAGE_BYTES;
use riposte::{Connection, Deadline, Error, Reply, Status};

/// A connection to a pipe server.
#[derive(Debug)]
pub struct Pipes {
    connection: Connection,
}

/// The end of a pipe where bytes come out. It is closed when it is dropped.
#[derive(Debug)]
pub struct Reader<'a> {
    end: End<'a>,
}

/// The end of a pipe where bytes go in. It is closed when it is dropped.
#[derive(Debug)]
pub struct Writer<'a> {
    end: End<'a>,
}

/// An end, to be [watched](Pipes::watch) among others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EndId(u32);

#[derive(Debug)]
struct End<'a> {
    pipes: &'a Pipes,
    number: u32,
}

impl Pipes {
    /// The server to which the manifest gives this process a connection of that name. Never blocks.
    ///
    /// # Errors
    /// [`PipeError::Connect`].
    pub fn connect(name: &'static str) -> Result<Pipes, PipeError> {
        let connection = riposte::connect(name).map_err(PipeError::Connect)?;
        Ok(Pipes { connection })
    }

    /// Connects again, to a server that has started anew: its pipes are empty, and nobody has an end.
    ///
    /// # Errors
    /// [`PipeError::Kernel`].
    pub fn reconnect(&mut self) -> Result<(), PipeError> {
        self.connection.reconnect().map_err(PipeError::Kernel)
    }

    /// Makes a pipe of that name, which holds up to `capacity` bytes, until it is removed: by [`Pipes::remove`], or with
    /// this process. It counts for this process until then, and until all its ends are closed. Waits only for the server.
    ///
    /// # Errors
    /// [`PipeError::Taken`], [`PipeError::TooManyPipes`], [`PipeError::BadName`], [`PipeError::BadCapacity`];
    /// [`PipeError::Kernel`] if the server can't be asked.
    pub fn make(&self, name: &str, capacity: usize) -> Result<(), PipeError> {
        let capacity = u32::try_from(capacity).unwrap_or(u32::MAX);
        self.ask([operation::MAKE, capacity], name, &mut [])
            .map(drop)
    }

    /// Makes a pipe without a name, for whoever is told its number. What is written stays until somebody has read it.
    /// When both ends have been opened, and all are closed, it is gone; before that it is removed by
    /// [`Pipes::remove_unnamed`], or with this process. Waits only for the server.
    ///
    /// # Errors
    /// [`PipeError::TooManyPipes`], [`PipeError::BadCapacity`]; [`PipeError::Kernel`] if the server can't be asked.
    pub fn make_unnamed(&self, capacity: usize) -> Result<PipeId, PipeError> {
        let capacity = u32::try_from(capacity).unwrap_or(u32::MAX);
        let mut number = [0; 4];
        let length = self.ask([operation::MAKE_UNNAMED, capacity], "", &mut number)?;
        word(length, number).map(PipeId::from_number)
    }

    /// Removes a pipe that this process has made: nobody can open it any more. Who has an end keeps it; who waits for
    /// the first one at the other side learns that nobody comes. Waits only for the server.
    ///
    /// # Errors
    /// [`PipeError::NoSuchPipe`], [`PipeError::NotYours`]; [`PipeError::Kernel`] if the server can't be asked.
    pub fn remove(&self, name: &str) -> Result<(), PipeError> {
        self.ask([operation::REMOVE, 0], name, &mut []).map(drop)
    }

    /// As [`Pipes::remove`], a pipe without a name.
    ///
    /// # Errors
    /// As [`Pipes::remove`]; [`PipeError::NoSuchPipe`] also if it is gone because both its sides are.
    pub fn remove_unnamed(&self, id: PipeId) -> Result<(), PipeError> {
        self.ask([operation::REMOVE, id.number()], "", &mut [])
            .map(drop)
    }

    /// An end of the pipe of that name, for reading. Waits only for the server.
    ///
    /// # Errors
    /// [`PipeError::NoSuchPipe`], [`PipeError::TooManyEnds`]; [`PipeError::Kernel`] if the server can't be asked.
    pub fn reader(&self, name: &str) -> Result<Reader<'_>, PipeError> {
        let end = self.open([operation::OPEN_READ, 0], name)?;
        Ok(Reader { end })
    }

    /// An end of the pipe of that number, for reading. Waits only for the server.
    ///
    /// # Errors
    /// As [`Pipes::reader`].
    pub fn reader_of(&self, id: PipeId) -> Result<Reader<'_>, PipeError> {
        let end = self.open([operation::OPEN_READ, id.number()], "")?;
        Ok(Reader { end })
    }

    /// An end of the pipe of that name, for writing. Waits only for the server.
    ///
    /// # Errors
    /// As [`Pipes::reader`].
    pub fn writer(&self, name: &str) -> Result<Writer<'_>, PipeError> {
        let end = self.open([operation::OPEN_WRITE, 0], name)?;
        Ok(Writer { end })
    }

    /// An end of the pipe of that number, for writing. Waits only for the server.
    ///
    /// # Errors
    /// As [`Pipes::reader`].
    pub fn writer_of(&self, id: PipeId) -> Result<Writer<'_>, PipeError> {
        let end = self.open([operation::OPEN_WRITE, id.number()], "")?;
        Ok(Writer { end })
    }

    /// Says that a child, by its PID, is to open this pipe, which this process has made, for reading: until it has, or has
    /// ended, its readers have not all gone. Said once it is spawned, whatever has become of it: of one that has opened the
    /// pipe already it says nothing new, one that has ended is taken for one that has come and gone. Waits only for the server.
    ///
    /// # Errors
    /// [`PipeError::NoSuchPipe`], [`PipeError::NotYours`]; [`PipeError::Kernel`] if the server can't be asked.
    pub fn expect_reader(&self, id: PipeId, child: u32) -> Result<(), PipeError> {
        self.expect(id, 0, child)
    }

    /// As [`Pipes::expect_reader`], for writing.
    ///
    /// # Errors
    /// As [`Pipes::expect_reader`].
    pub fn expect_writer(&self, id: PipeId, child: u32) -> Result<(), PipeError> {
        self.expect(id, 1, child)
    }

    fn expect(&self, id: PipeId, side: u32, child: u32) -> Result<(), PipeError> {
        let request = [operation::EXPECT, id.number()];
        let bytes = (u64::from(child) << 32 | u64::from(side)).to_le_bytes();
        self.call(request, &bytes, &mut [], Deadline::None)
            .map(drop)
    }

    /// How many bytes the pipe of that name holds. Waits only for the server.
    ///
    /// # Errors
    /// [`PipeError::NoSuchPipe`]; [`PipeError::Kernel`] if the server can't be asked.
    pub fn capacity(&self, name: &str) -> Result<usize, PipeError> {
        let mut capacity = [0; 4];
        let length = self.ask([operation::LOOK, 0], name, &mut capacity)?;
        Ok(word(length, capacity)? as usize)
    }

    /// As [`Pipes::writer`], if somebody is there to read.
    ///
    /// # Errors
    /// [`PipeError::Nobody`]; and as [`Pipes::reader`].
    pub fn try_writer(&self, name: &str) -> Result<Writer<'_>, PipeError> {
        let end = self.open([operation::OPEN_WRITE | operation::TRY, 0], name)?;
        Ok(Writer { end })
    }

    /// Waits until at one of these ends something could be read or written without waiting, or an error is what one
    /// would be told: [`Reader::ready`] and [`Writer::ready`] say which.
    ///
    /// # Errors
    /// [`PipeError::TimedOut`], [`PipeError::TooManyWait`]; [`PipeError::BadRequest`] for more than
    /// [`MOST_WATCHED`](protocol::MOST_WATCHED), or none; [`PipeError::Kernel`] if the server can't be asked.
    pub fn watch(&self, ends: &[EndId], deadline: impl Into<Deadline>) -> Result<(), PipeError> {
        let mut bytes = [0; MOST_WATCHED * 4];
        let length = ends.len() * 4;
        let room = bytes.get_mut(..length).ok_or(PipeError::BadRequest)?;
        let (places, _) = room.as_chunks_mut::<4>();
        for (place, EndId(number)) in places.iter_mut().zip(ends) {
            *place = number.to_le_bytes();
        }
        let (operation, deadline) = or_try(operation::WATCH, deadline.into());
        self.call([operation, 0], room, &mut [], deadline).map(drop)
    }

    fn open(&self, request: [u32; 2], name: &str) -> Result<End<'_>, PipeError> {
        let mut number = [0; 4];
        let length = self.ask(request, name, &mut number)?;
        Ok(End {
            pipes: self,
            number: word(length, number)?,
        })
    }

    /// Sends a request about a pipe, which never waits.
    fn ask(&self, request: [u32; 2], name: &str, answer: &mut [u8]) -> Result<usize, PipeError> {
        self.call(request, name.as_bytes(), answer, Deadline::None)
    }

    /// Sends a request with `bytes` behind it; the length of the answer. What fits goes in registers.
    // Inlined: a request whose length is known is put together in a few instructions.
    #[inline(always)]
    fn call(
        &self,
        [operation, end]: [u32; 2],
        bytes: &[u8],
        answer: &mut [u8],
        deadline: Deadline,
    ) -> Result<usize, PipeError> {
        let mut rest = [[0; 4]; (MESSAGE_BYTES - REQUEST) / 4];
        let reply = match rest.as_flattened_mut().get_mut(..bytes.len()) {
            Some(room) => {
                room.copy_from_slice(bytes);
                let [third, fourth, fifth] = rest.map(u32::from_le_bytes);
                let words = [operation, end, third, fourth, fifth];
                let request = (words, REQUEST + bytes.len());
                self.connection.send_packed_until(request, answer, deadline)
            }
            None => {
                let header = [operation.to_le_bytes(), end.to_le_bytes()];
                let pieces = [header.as_flattened(), bytes];
                self.connection.send_pieces_until(pieces, answer, deadline)
            }
        };
        let Reply { status, len, .. } = reply.map_err(PipeError::from_kernel)?;
        match status {
            Status::OK => Ok(len),
            status => Err(PipeError::from_status(status)),
        }
    }
}

impl End<'_> {
    #[inline(always)]
    fn call(
        &self,
        operation: u32,
        bytes: &[u8],
        answer: &mut [u8],
        deadline: Deadline,
    ) -> Result<usize, PipeError> {
        let (operation, deadline) = or_try(operation, deadline);
        let request = [operation, self.number];
        self.pipes.call(request, bytes, answer, deadline)
    }

    fn meet(&self, deadline: Deadline) -> Result<(), PipeError> {
        self.call(operation::MEET, &[], &mut [], deadline).map(drop)
    }

    fn ready(&self) -> Result<usize, PipeError> {
        let mut count = [0; 4];
        let length = self.call(operation::READY, &[], &mut count, Deadline::None)?;
        Ok(word(length, count)? as usize)
    }
}

impl Drop for End<'_> {
    fn drop(&mut self) {
        // A signal may have ended the call before the server had it. One that has ended has no ends either.
        let interrupted = Err(PipeError::Kernel(Error::Interrupted));
        while self.call(operation::CLOSE, &[], &mut [], Deadline::None) == interrupted {}
    }
}

impl Reader<'_> {
    /// Names this end among those that are [watched](Pipes::watch).
    #[must_use]
    pub fn id(&self) -> EndId {
        EndId(self.end.number)
    }

    /// Waits until there is, or has been, a writer.
    ///
    /// # Errors
    /// [`PipeError::TimedOut`], [`PipeError::TooManyWait`]; [`PipeError::Kernel`] if the server can't be asked.
    pub fn meet(&self, deadline: impl Into<Deadline>) -> Result<(), PipeError> {
        self.end.meet(deadline.into())
    }

    /// Reads as many bytes as there are, at most as many as `bytes` has; returns how many. 0 is the end: the last
    /// writer has gone. Blocks until there is a byte, or the end.
    ///
    /// # Errors
    /// [`PipeError::TooManyWait`] if as many threads of this process wait as may, [`PipeError::BadEnd`] also if the end is
    /// closed meanwhile; [`PipeError::Kernel`] if the server can't be asked.
    pub fn read(&self, bytes: &mut [u8]) -> Result<usize, PipeError> {
        self.read_until(bytes, Deadline::None)
    }

    /// As [`Reader::read`], of what is there. Blocks only for the server's answer.
    ///
    /// # Errors
    /// [`PipeError::TimedOut`] if there is nothing; and as [`Reader::read`].
    pub fn try_read(&self, bytes: &mut [u8]) -> Result<usize, PipeError> {
        self.read_until(bytes, Deadline::Immediate)
    }

    /// How many bytes [`Reader::try_read`] would find; 0 is the end. Waits only for the server.
    ///
    /// # Errors
    /// [`PipeError::TimedOut`] if there is nothing, or if others wait for it already; and as [`Reader::read`].
    pub fn ready(&self) -> Result<usize, PipeError> {
        self.end.ready()
    }

    /// As [`Reader::read`], until a deadline.
    ///
    /// # Errors
    /// [`PipeError::TimedOut`]; and as [`Reader::read`].
    pub fn read_until(
        &self,
        bytes: &mut [u8],
        deadline: impl Into<Deadline>,
    ) -> Result<usize, PipeError> {
        if bytes.is_empty() {
            return Ok(0);
        }
        let room = u32::try_from(bytes.len()).unwrap_or(u32::MAX).to_le_bytes();
        self.end
            .call(operation::READ, &room, bytes, deadline.into())
    }
}

impl Writer<'_> {
    /// Names this end among those that are [watched](Pipes::watch).
    #[must_use]
    pub fn id(&self) -> EndId {
        EndId(self.end.number)
    }

    /// Waits until there is, or has been, a reader.
    ///
    /// # Errors
    /// [`PipeError::TimedOut`], [`PipeError::TooManyWait`]; [`PipeError::Kernel`] if the server can't be asked.
    pub fn meet(&self, deadline: impl Into<Deadline>) -> Result<(), PipeError> {
        self.end.meet(deadline.into())
    }

    /// Writes bytes; returns how many. Those that the pipe could hold go in together, with no other's in between;
    /// of more than that, as many as there is room for. Blocks until there is room.
    ///
    /// # Errors
    /// [`PipeError::NoReader`] if there was a reader, and none is left; and as [`Reader::read`]. Nothing was written.
    pub fn write(&self, bytes: &[u8]) -> Result<usize, PipeError> {
        self.write_until(bytes, Deadline::None)
    }

    /// As [`Writer::write`], if there is room. Blocks only for the server's answer.
    ///
    /// # Errors
    /// [`PipeError::TimedOut`] if there is none; and as [`Writer::write`].
    pub fn try_write(&self, bytes: &[u8]) -> Result<usize, PipeError> {
        self.write_until(bytes, Deadline::Immediate)
    }

    /// How many bytes [`Writer::try_write`] would write at most. Waits only for the server.
    ///
    /// # Errors
    /// [`PipeError::TimedOut`] if there is no room, or if others wait for it already; and as [`Writer::write`].
    pub fn ready(&self) -> Result<usize, PipeError> {
        self.end.ready()
    }

    /// As [`Writer::write`], until a deadline.
    ///
    /// # Errors
    /// [`PipeError::TimedOut`]; and as [`Writer::write`].
    pub fn write_until(
        &self,
        bytes: &[u8],
        deadline: impl Into<Deadline>,
    ) -> Result<usize, PipeError> {
        // More than any pipe holds goes in parts anyway.
        let bytes = &bytes[..bytes.len().min(LARGEST + 1)];
        let mut written = [0; 4];
        let deadline = deadline.into();
        let length = self
            .end
            .call(operation::WRITE, bytes, &mut written, deadline)?;
        let count = word(length, written)? as usize;
        // Those who write all go by it.
        if count > bytes.len() || count == 0 && !bytes.is_empty() {
            return Err(PipeError::Garbled);
        }
        Ok(count)
    }
}

/// Who does not want to wait says so to the server, and waits for its answer: a deadline that has passed would end the
/// call before the server could look.
#[inline(always)]
fn or_try(operation: u32, deadline: Deadline) -> (u32, Deadline) {
    match deadline {
        Deadline::Immediate => (operation | operation::TRY, Deadline::None),
        deadline => (operation, deadline),
    }
}

/// The word that is an answer of this length.
fn word(length: usize, answer: [u8; 4]) -> Result<u32, PipeError> {
    match length {
        4 => Ok(u32::from_le_bytes(answer)),
        _ => Err(PipeError::Garbled),
    }
}

impl embedded_io::ErrorType for Reader<'_> {
    type Error = PipeError;
}

impl embedded_io::Read for Reader<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> Result<usize, PipeError> {
        Reader::read(self, bytes)
    }
}

impl embedded_io::ReadReady for Reader<'_> {
    fn read_ready(&mut self) -> Result<bool, PipeError> {
        is_ready(self.ready())
    }
}

impl embedded_io::ErrorType for Writer<'_> {
    type Error = PipeError;
}

impl embedded_io::Write for Writer<'_> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, PipeError> {
        Writer::write(self, bytes)
    }

    fn flush(&mut self) -> Result<(), PipeError> {
        Ok(())
    }
}

impl embedded_io::WriteReady for Writer<'_> {
    fn write_ready(&mut self) -> Result<bool, PipeError> {
        is_ready(self.ready())
    }
}

/// Whether the next call would not wait: an error is one, too.
fn is_ready(found: Result<usize, PipeError>) -> Result<bool, PipeError> {
    match found {
        Ok(_) | Err(PipeError::NoReader) => Ok(true),
        Err(PipeError::TimedOut) => Ok(false),
        Err(why) => Err(why),
    }
}
