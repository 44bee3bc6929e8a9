//! A serialised value in pages.

use core::ops::{Deref, DerefMut};

use riposte::serial::{self, serde};
use riposte::{Connection, Pages};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::{CID, Error, MemoryAddress, MemoryMessage, MemorySize, PAGE_SIZE, Result};

/// A value that can be brought back from a buffer. (In Xous the buffer holds the value's archived
/// form, hence the name; here it holds what serde makes of it.)
pub trait Original: Sized {
    /// What lies in the buffer for it.
    type Archived;

    /// It, if the bytes are one.
    fn original(bytes: &[u8]) -> Option<Self>;
}

impl<T: DeserializeOwned> Original for T {
    type Archived = T;

    #[inline]
    fn original(bytes: &[u8]) -> Option<T> {
        serial::load(bytes).ok()
    }
}

/// Pages with a serialised value, to be lent to a server or moved there; or a server's view of such.
/// It dereferences to the bytes of the value.
///
/// The value is in postcard's format. How many bytes it has travels as the message's `offset`, as in
/// Xous.
#[derive(Debug)]
pub struct Buffer<'buf> {
    memory: Memory<'buf>,
    used: usize,
}

#[derive(Debug)]
enum Memory<'buf> {
    Own(Pages),
    Message(&'buf MemoryMessage),
    MessageMut(&'buf mut MemoryMessage),
}

#[allow(clippy::result_unit_err, reason = "the errors in Xous")]
impl<'buf> Buffer<'buf> {
    /// Pages with room for `len` bytes, cleared.
    ///
    /// # Panics
    /// The manifest's `pages` of this process have no such room.
    #[must_use]
    pub fn new(len: usize) -> Self {
        let pages = Pages::allocate(len.max(PAGE_SIZE));
        Buffer {
            memory: Memory::Own(pages.expect("xous_ipc: out of pages")),
            used: 0,
        }
    }

    /// A buffer of its own with `value`.
    ///
    /// # Errors
    /// The value can't be serialised.
    ///
    /// # Panics
    /// As [`Buffer::new`].
    #[inline]
    pub fn into_buf<T: Serialize>(value: T) -> core::result::Result<Self, ()> {
        // A number of 16 bits takes 3 bytes at most, and no other one more in proportion.
        let mut buffer = Buffer::new(size_of::<T>().div_ceil(2) * 3);
        buffer.used = serial::store(&value, buffer.bytes_mut()).map_err(drop)?;
        Ok(buffer)
    }

    /// A server's view of memory that was lent for reading, or moved.
    ///
    /// # Safety
    /// None here. (In Xous the message must live as long as the buffer, which the compiler checks.)
    #[inline]
    #[must_use]
    pub unsafe fn from_memory_message(message: &'buf MemoryMessage) -> Self {
        let used = message.offset.map_or(0, MemoryAddress::get);
        Buffer {
            memory: Memory::Message(message),
            used,
        }
    }

    /// A server's view of memory that was lent for writing, or moved.
    ///
    /// # Safety
    /// None here; see [`Buffer::from_memory_message`].
    #[inline]
    #[must_use]
    pub unsafe fn from_memory_message_mut(message: &'buf mut MemoryMessage) -> Self {
        let used = message.offset.map_or(0, MemoryAddress::get);
        Buffer {
            memory: Memory::MessageMut(message),
            used,
        }
    }

    /// Lends the buffer for reading and writing, with a message about `id`, until the server answers.
    /// Blocks.
    ///
    /// # Errors
    /// As [`crate::send_message`]; [`Error::BadAddress`] for a server's view of memory that it may
    /// only read.
    #[inline]
    pub fn lend_mut(&mut self, connection: CID, id: u32) -> core::result::Result<Result, Error> {
        let words = self.request(id);
        let connection = Connection::from_handle(connection);
        if let Memory::Message(_) = self.memory {
            return Err(Error::BadAddress);
        }
        let result = crate::send::returned(connection.lend_mut(self.bytes_mut(), words)?);
        if let Ok(Result::MemoryReturned(offset, _)) = result {
            self.used = offset.map_or(0, MemoryAddress::get);
        }
        result
    }

    /// Lends the buffer for reading, with a message about `id`, until the server answers. Blocks.
    ///
    /// # Errors
    /// As [`crate::send_message`].
    #[inline]
    pub fn lend(&self, connection: CID, id: u32) -> core::result::Result<Result, Error> {
        let connection = Connection::from_handle(connection);
        crate::send::returned(connection.lend(self.bytes(), self.request(id))?)
    }

    /// Moves the buffer to the server, with a message about `id`. Blocks only while the server's
    /// queue is full.
    ///
    /// # Errors
    /// As [`crate::send_message`], and the buffer is freed; [`Error::BadAddress`] for a server's view.
    pub fn send(self, connection: CID, id: u32) -> core::result::Result<Result, Error> {
        let words = self.request(id);
        match self.memory {
            Memory::Own(pages) => crate::send::give_pages(connection, pages, words),
            _ => Err(Error::BadAddress),
        }
    }

    /// Puts `value` in the place of what was there, in a server's view of memory that is lent for
    /// writing: the client gets it with the answer.
    ///
    /// # Errors
    /// The buffer can't be written, or is too small.
    #[inline]
    pub fn replace<T: Serialize>(&mut self, value: T) -> core::result::Result<(), &'static str> {
        let Memory::MessageMut(message) = &mut self.memory else {
            return Err("the buffer is not made of a message that may be written");
        };
        self.used = serial::store(&value, message.buf.bytes_mut())
            .map_err(|_| "the value does not fit into the buffer")?;
        message.offset = MemoryAddress::new(self.used);
        Ok(())
    }

    /// The value that is there.
    ///
    /// # Errors
    /// The bytes are no such value.
    #[inline]
    pub fn to_original<T, U>(&self) -> core::result::Result<T, ()>
    where
        T: Original<Archived = U>,
    {
        T::original(self).ok_or(())
    }

    /// How many bytes the value takes.
    #[must_use]
    pub fn used(&self) -> usize {
        self.used
    }

    /// The words of a message about `id`.
    #[inline(always)]
    fn request(&self, id: u32) -> [u32; 3] {
        let valid = MemorySize::new(self.bytes().len()).map_or(0, MemorySize::get);
        [id, self.used as u32, valid as u32]
    }

    #[inline(always)]
    fn bytes(&self) -> &[u8] {
        match &self.memory {
            Memory::Own(pages) => pages,
            Memory::Message(message) => message.buf.bytes(),
            Memory::MessageMut(message) => message.buf.bytes(),
        }
    }

    #[inline(always)]
    fn bytes_mut(&mut self) -> &mut [u8] {
        match &mut self.memory {
            Memory::Own(pages) => pages,
            Memory::Message(_) => &mut [],
            Memory::MessageMut(message) => message.buf.bytes_mut(),
        }
    }
}

impl Deref for Buffer<'_> {
    type Target = [u8];

    /// The bytes of the value; none if the sender says that there are more than it sent.
    #[inline]
    fn deref(&self) -> &[u8] {
        self.bytes().get(..self.used).unwrap_or_default()
    }
}

impl DerefMut for Buffer<'_> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u8] {
        let used = self.used;
        self.bytes_mut().get_mut(..used).unwrap_or_default()
    }
}
