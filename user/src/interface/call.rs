//! A server's side of a call: from the request to its arguments, and from the result to the answer.

use zerocopy::FromBytes;

use super::{Value, Writer, aligned, refusal};
use crate::{Answer, Message, Status, Token};

/// A client that waits for the answer to its request, and the buffer for that.
#[doc(hidden)]
pub struct Call<'a> {
    token: Token,
    buffer: &'a mut [u8],
}

/// The slices and texts of a request.
#[doc(hidden)]
pub struct Taken<'a> {
    bytes: &'a [u8],
    position: usize,
}

/// Room in a server's buffer for what goes into a client's.
#[doc(hidden)]
pub struct Room<'a, T> {
    /// The reply: its values, then the room.
    reply: &'a mut [u8],
    head: usize,
    /// The bytes of the room as its elements.
    view: fn(&mut [u8]) -> &mut [T],
}

impl<'a> Call<'a> {
    /// The call, when all arguments of `message` have been taken out of it.
    #[inline(always)]
    pub fn of(message: Message<'a>) -> Self {
        let (token, buffer) = message.into_parts();
        Call { token, buffer }
    }

    /// The call, and what follows the `size` bytes of the request's values, aligned to `alignment`.
    ///
    /// # Errors
    /// The refusal of a request that doesn't fit in the buffer.
    pub fn with_tail(
        message: Message<'a>,
        size: usize,
        alignment: usize,
    ) -> Result<(Self, Taken<'a>), Answer<'a>> {
        let length = message.accepted();
        let (token, buffer, kept) = message.into_whole_buffer();
        if kept < length {
            return Err(Answer::error(token, refusal::TOO_LONG));
        }
        let begin = aligned(size, alignment);
        if length < begin {
            return Err(Answer::error(token, refusal::MALFORMED));
        }
        // Before the elements stand the values, which have been taken: at least as many bytes as these.
        let shift = buffer.as_ptr().addr() % alignment;
        buffer.copy_within(begin..length, begin - shift);
        let (request, buffer) = buffer.split_at_mut(length);
        let request: &'a [u8] = request;
        let bytes = request.get(begin - shift..length - shift);
        Ok((
            Call { token, buffer },
            Taken {
                bytes: bytes.unwrap_or_default(),
                position: 0,
            },
        ))
    }

    /// Room for so many elements as the client has room for, or as fit behind the `head` bytes of the
    /// reply's values: zeros.
    pub fn room<T: Value>(&mut self, head: usize, wanted: u32) -> Option<Room<'a, T>> {
        let buffer = core::mem::take(&mut self.buffer);
        let skipped = (buffer.as_ptr().addr() + head).wrapping_neg() % align_of::<T>();
        let reply = buffer.get_mut(skipped..)?;
        let room = reply.len().checked_sub(head)?;
        let elements = (room / size_of::<T>().max(1)).min(wanted as usize);
        let reply = reply.get_mut(..head + elements * size_of::<T>())?;
        // What stands there is of other clients.
        reply.fill(0);
        Some(Room {
            reply,
            head,
            view: |room| <[T]>::mut_from_bytes(room).unwrap_or_default(),
        })
    }

    /// Whether an answer of `size` bytes fits.
    #[inline(always)]
    pub fn holds(&self, size: usize) -> bool {
        size <= self.buffer.len()
    }

    /// Refuses it with an error status.
    #[inline(always)]
    pub fn refuse(self, status: Status) -> Answer<'a> {
        Answer::error(self.token, status)
    }

    /// Answers with words.
    #[inline(always)]
    pub fn answer_words<const N: usize>(self, words: [u32; N]) -> Answer<'a>
    where
        [u32; N]: crate::MessageWords,
    {
        Answer::words(self.token, words)
    }

    /// Answers with `size` bytes, which `put` writes, and which it [holds](Self::holds).
    #[inline(always)]
    pub fn answer(self, size: usize, put: impl FnOnce(Writer<'_>)) -> Answer<'a> {
        let Some(reply) = self.buffer.get_mut(..size) else {
            return Answer::error(self.token, refusal::TOO_LONG);
        };
        put(Writer::new(reply));
        Answer::bytes(self.token, reply)
    }

    /// Answers with the values that `put` writes, and the first `count` elements of the room.
    #[inline(always)]
    pub fn answer_room<T>(
        self,
        room: Room<'a, T>,
        count: usize,
        put: impl FnOnce(Writer<'_>),
    ) -> Answer<'a> {
        let filled = count.checked_mul(size_of::<T>());
        let length = filled.and_then(|filled| filled.checked_add(room.head));
        // A server that says more than there is room for says what it would take.
        let Some(reply) = length.and_then(|length| room.reply.get_mut(..length)) else {
            return Answer::error(self.token, refusal::TOO_LONG);
        };
        put(Writer::new(reply));
        Answer::bytes(self.token, reply)
    }
}

impl<'a> Taken<'a> {
    /// The next slice, of so many elements; none if the request is too short for it.
    pub fn take<T: Value>(&mut self, count: u32) -> Option<&'a [T]> {
        let begin = aligned(self.position, align_of::<T>());
        let length = size_of::<T>().checked_mul(count as usize)?;
        let end = begin.checked_add(length)?;
        let elements = <[T]>::ref_from_bytes(self.bytes.get(begin..end)?).ok()?;
        self.position = end;
        Some(elements)
    }

    /// The next text; none if the request is too short for it, or it is no UTF-8.
    pub fn take_text(&mut self, length: u32) -> Option<&'a str> {
        core::str::from_utf8(self.take::<u8>(length)?).ok()
    }

    /// Whether that is all.
    pub fn is_empty(&self) -> bool {
        self.position == self.bytes.len()
    }
}

impl<T> Room<'_, T> {
    /// The elements, all of zeros.
    #[inline(always)]
    pub fn elements(&mut self) -> &mut [T] {
        (self.view)(self.reply.get_mut(self.head..).unwrap_or_default())
    }
}
