//! What the library promises of threads that wait for each other.

#[cfg(feature = "heap")]
mod heap;
mod kernel;
mod mutex;
mod passing;
mod semaphore;
mod word;
