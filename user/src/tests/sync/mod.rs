//! What the library promises of threads that wait for each other.

mod word;
