//! Threads that wait for each other: within a process, and between processes that share memory.

mod word;

pub use word::Word;
