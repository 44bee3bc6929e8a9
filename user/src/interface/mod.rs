//! What the code that [`macro@crate::interface`] generates stands on.

mod cursor;
mod exchange;
mod failure;
mod scalar;

pub use cursor::{Reader, Writer};
pub use exchange::{answer_value, exchange, take_value, take_word, take_words};
pub use failure::{ApplicationError, CallError, refusal};
pub use scalar::Scalar;
