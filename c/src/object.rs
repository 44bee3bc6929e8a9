//! Objects that both languages use: C's types are the Rust library's, by the same words.

use riposte::{Deadline, Error, Instant};

use crate::call::OK;
use crate::types::{riposte_deadline_t, riposte_error_t};

/// A type of C that is laid out as one of the Rust library, which is words alone.
pub trait Object: Sized {
    /// That type.
    type Rust;

    /// Says while compiling if the sizes differ. (The order of the words is written down in both.)
    const ALIKE: () = assert!(
        size_of::<Self>() == size_of::<Self::Rust>()
            && align_of::<Self>() == align_of::<Self::Rust>()
    );
}

/// The object as the Rust library knows it.
///
/// # Safety
/// It is one: static, or in a region, or on a stack that outlives every use of it.
pub unsafe fn object<'a, T: Object>(object: *const T) -> &'a T::Rust {
    let () = T::ALIKE;
    // SAFETY: the caller's promise. Of words that threads change, all is in atomic ones.
    unsafe { &*object.cast() }
}

/// A deadline as the Rust library knows it.
pub fn until(deadline: riposte_deadline_t) -> Deadline {
    match deadline {
        u64::MAX => Deadline::None,
        0 => Deadline::Immediate,
        moment => Deadline::At(Instant::from_nanos(moment)),
    }
}

/// How it went.
pub fn result<T>(result: Result<T, Error>) -> riposte_error_t {
    result.map_or_else(|error| error as u32, |_| OK)
}
