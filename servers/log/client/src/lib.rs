//! The log: the client's part.
//!
//! A process says what it has to say by the macros of the crate `log`, which this one exports; the log server keeps
//! it, with the time and whose it is, over the restarts of everybody.
//!
//! ```no_run
//! use riposte_log::log::{LevelFilter, info, warn};
//!
//! fn main() {
//!     riposte_log::init("log", LevelFilter::Info).unwrap();
//!     info!("ready");
//!     warn!("{} samples were late", 3);
//! }
//! ```
#![no_std]
#![deny(unsafe_code)]

#[allow(unsafe_code, reason = "processors without atomic instructions")]
mod install;
mod logger;
mod protocol;
mod reader;

pub use log;
pub use logger::init;
pub use protocol::{
    LONGEST, Log, LogClient, LogReader, LogReaderClient, LogReaderServer, LogServer, NoSuchClient,
    NoSuchLevel, READER, ReadError, Record,
};
pub use reader::{Entry, Reader};

/// Why there is no logger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InitError {
    /// There is no such connection.
    Connect(riposte::ConnectError),
    /// The process has a logger already.
    HasLogger,
    /// A thread has ended while it was at it.
    Lock(riposte::Error),
}
