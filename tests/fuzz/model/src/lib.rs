//! The kernel as the book says it should be, as plainly as it can be said, and the rounds of the
//! differential fuzzer played on it.
//!
//! Nothing here is the kernel's: lists are searched from the beginning, and priorities are computed from
//! nothing after every step. A round that came out differently on a board is somebody's fault.
#![forbid(unsafe_code)]

pub mod compare;
pub mod describe;
pub mod memory;
pub mod naive;
pub mod round;

pub use describe::{call_of, describe, describe_record};
pub use round::{Played, play};
