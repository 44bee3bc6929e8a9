//! What the library promises of threads that wait for each other.

#[cfg(feature = "heap")]
mod heap;
pub(crate) mod kernel;
mod mutex;
mod passing;
mod semaphore;
mod word;
