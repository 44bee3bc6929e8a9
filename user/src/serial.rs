//! Values without a fixed layout (enumerations with contents, text, lists) in memory that is lent or
//! given, in postcard's format. Needs the feature `postcard`.
//!
//! A value with a fixed layout is better [viewed](crate::Pages::view), which costs nothing; here each
//! side takes time in the value's size.
//!
//! ```
//! use riposte::serial::{self, serde};
//!
//! #[derive(serde::Serialize, serde::Deserialize)]
//! #[serde(crate = "riposte::serial::serde")]
//! enum Request<'a> {
//!     Say(&'a str),
//!     Wait { milliseconds: u32 },
//! }
//!
//! fn say(connection: &riposte::Connection, memory: &mut riposte::Pages) {
//!     serial::store(&Request::Say("hello"), memory).unwrap();
//!     connection.lend(memory, [0; 3]).unwrap();
//! }
//!
//! fn hear(lent: riposte::Lent<'_>) -> riposte::Answer<'static> {
//!     lent.with(|bytes| match serial::load(bytes) {
//!         Ok(Request::Say(text)) => riposte::println!("{text}"),
//!         Ok(Request::Wait { .. }) | Err(_) => {}
//!     });
//!     lent.answer_words([])
//! }
//! ```

pub use postcard::Error;
pub use serde;

use serde::{Deserialize, Serialize};

/// Writes `value` to the beginning of `memory`; returns how many bytes it takes. It says itself where
/// it ends.
///
/// # Errors
/// [`Error::SerializeBufferFull`] if `memory` is too short; what was written is then no value.
pub fn store<T: Serialize + ?Sized>(value: &T, memory: &mut [u8]) -> Result<usize, Error> {
    postcard::to_slice(value, memory).map(|bytes| bytes.len())
}

/// The value at the beginning of `memory`. Text and bytes in it are borrowed, not copied.
///
/// # Errors
/// What [`Error`] says, if the bytes are those of no such value.
pub fn load<'a, T: Deserialize<'a>>(memory: &'a [u8]) -> Result<T, Error> {
    postcard::from_bytes(memory)
}
