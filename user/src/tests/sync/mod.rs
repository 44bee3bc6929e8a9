//! What the library promises of threads that wait for each other.

mod kernel;
mod mutex;
mod passing;
mod semaphore;
mod word;
