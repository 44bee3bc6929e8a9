//! What the code that [`macro@crate::interface`] generates stands on.

mod call;
mod cursor;
mod exchange;
mod failure;
mod scalar;
mod value;

pub use call::{Call, Room, Taken};
pub use cursor::{Reader, Writer};
pub use exchange::{
    Tail, aligned, check, count, exchange, filled, greatest, room_of, take_value, take_word,
    take_words, whole,
};
pub use failure::{ApplicationError, CallError, refusal};
pub use riposte_macros::ApplicationError;
pub use scalar::Scalar;
pub use value::Value;
