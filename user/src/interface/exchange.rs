//! Calls whose arguments or results don't fit in the message words.

use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::{Reader, Scalar, refusal};
use crate::{Answer, Connection, Error, Message, Part, PartMut, Reply};

/// Sends a request, with bytes of any length behind it if the method takes some.
///
/// # Errors
/// As [`Connection::send`].
#[doc(hidden)]
pub fn exchange(
    connection: &Connection,
    request: &[u8],
    tail: Option<&[u8]>,
    reply: &mut [u8],
) -> Result<Reply, Error> {
    match tail {
        None => connection.send(request, reply),
        Some(tail) => connection.send_vector(
            &[Part::new(request), Part::new(tail)],
            &mut [PartMut::new(reply)],
        ),
    }
}

/// The answer with the bytes of `value`, which stand in the message's buffer until it is given.
#[doc(hidden)]
pub fn answer_value<'a, T: IntoBytes + Immutable>(message: Message<'a>, value: &T) -> Answer<'a> {
    let (token, buffer) = message.into_parts();
    match value.write_to_prefix(buffer) {
        Ok(()) => {
            let buffer: &'a [u8] = buffer;
            Answer::bytes(token, buffer.get(..size_of::<T>()).unwrap_or_default())
        }
        Err(_) => Answer::error(token, refusal::TOO_LONG),
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
pub fn take_value<T: FromBytes>(reader: &mut Reader<'_>) -> Option<T> {
    reader.take()
}
