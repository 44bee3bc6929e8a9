//! Calls whose arguments or results don't fit in the message words.

use zerocopy::IntoBytes;

use super::{ApplicationError, CallError, Reader, Scalar, Value};
use crate::{Connection, Deadline, Error, Part, PartMut, Reply, Status, trap};

/// Parts of a request: its values, then slices with gaps between them.
const PARTS: usize = 16;
/// What gaps consist of.
const GAP: [u8; 8] = [0; 8];

/// A slice or a text of a request.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct Tail<'a> {
    bytes: &'a [u8],
    alignment: usize,
}

impl<'a> Tail<'a> {
    /// This slice.
    #[inline(always)]
    pub fn of<T: Value>(elements: &'a [T]) -> Self {
        const {
            assert!(
                align_of::<T>() <= GAP.len(),
                "the alignment of an element is at most 8"
            )
        };
        Tail {
            bytes: elements.as_bytes(),
            alignment: align_of::<T>(),
        }
    }
}

/// `size`, rounded up to a multiple of `alignment`.
#[doc(hidden)]
#[must_use]
pub const fn aligned(size: usize, alignment: usize) -> usize {
    size.next_multiple_of(alignment)
}

/// The greatest of them.
#[doc(hidden)]
#[must_use]
pub const fn greatest(all: &[usize]) -> usize {
    let mut greatest = 0;
    let mut position = 0;
    while position < all.len() {
        if all[position] > greatest {
            greatest = all[position];
        }
        position += 1;
    }
    greatest
}

/// A length as it travels: no memory of a board is longer.
#[doc(hidden)]
#[must_use]
pub fn count(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

/// Sends a request with what follows its values, at most seven slices, and takes the reply's values and what follows
/// them.
///
/// # Errors
/// As [`Connection::send_until`].
#[doc(hidden)]
pub fn exchange<const N: usize>(
    connection: &Connection,
    request: &[u8],
    tails: [Tail<'_>; N],
    head: &mut [u8],
    room: Option<&mut [u8]>,
    deadline: Deadline,
) -> Result<Reply, Error> {
    let mut pieces: [&[u8]; PARTS] = [&[]; PARTS];
    let mut length = request.len();
    pieces[0] = request;
    for (pair, tail) in pieces[1..].chunks_exact_mut(2).zip(tails) {
        let gap = aligned(length, tail.alignment) - length;
        pair[0] = &GAP[..gap];
        pair[1] = tail.bytes;
        length += gap + tail.bytes.len();
    }
    let count = 1 + 2 * N;
    let mut joined = trap::ROOM;
    match (trap::join(&pieces[..count], &mut joined), room) {
        (Some(request), None) => connection.send_until(request, head, deadline),
        (Some(request), Some(room)) => {
            let mut replies = [PartMut::new(head), PartMut::new(room)];
            connection.send_scattered_until(request, &mut replies, deadline)
        }
        (None, room) => {
            let parts = pieces.map(Part::new);
            let mut replies = [PartMut::new(head), PartMut::new(room.unwrap_or_default())];
            connection.send_vector_until(&parts[..count], &mut replies, deadline)
        }
    }
}

/// The client's room as bytes.
#[doc(hidden)]
pub fn room_of<T: Value>(room: &mut [T]) -> &mut [u8] {
    room.as_mut_bytes()
}

/// Refuses the error status of a reply.
///
/// # Errors
/// The error with this status.
#[doc(hidden)]
#[inline(always)]
pub fn check<E: ApplicationError>(status: Status) -> Result<(), CallError<E>> {
    CallError::check(status)
}

/// Whether a reply has `size` bytes.
///
/// # Errors
/// [`CallError::MALFORMED`] if it has not.
#[doc(hidden)]
pub fn whole<E>(reply: &Reply, size: usize) -> Result<(), CallError<E>> {
    if reply.offered == size && reply.len == size {
        Ok(())
    } else {
        Err(CallError::MALFORMED)
    }
}

/// Whether a reply has `head` bytes and then `count` elements, and all of them are in the client's room.
///
/// # Errors
/// [`CallError::MALFORMED`] if it has not.
#[doc(hidden)]
pub fn filled<T, E>(reply: &Reply, head: usize, count: usize) -> Result<(), CallError<E>> {
    let elements = count.checked_mul(size_of::<T>());
    match elements.and_then(|elements| elements.checked_add(head)) {
        Some(size) => whole(reply, size),
        None => Err(CallError::MALFORMED),
    }
}

/// The next argument of a request, or the result of a reply, if it is a scalar of one word.
#[doc(hidden)]
pub fn take_word<T: Scalar>(reader: &mut Reader<'_>) -> Option<T> {
    Some(T::from_words([reader.take()?, 0]))
}

/// The same for a scalar of two words.
#[doc(hidden)]
pub fn take_words<T: Scalar>(reader: &mut Reader<'_>) -> Option<T> {
    Some(T::from_words([reader.take()?, reader.take()?]))
}

/// The same for a value that travels as its bytes.
#[doc(hidden)]
pub fn take_value<T: Value>(reader: &mut Reader<'_>) -> Option<T> {
    reader.take()
}
