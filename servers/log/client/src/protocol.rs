//! The interfaces of the log server.

use riposte::interface::ApplicationError;
use riposte::zerocopy::{FromBytes, Immutable, IntoBytes};
use riposte::{Text, interface};

/// Badges from here on are of those who may read the log, by [`LogReader`]; all others write it, by [`Log`].
pub const READER: u32 = 0x8000_0000;
/// Most bytes of a record's text.
pub const LONGEST: usize = 160;

/// What a process has to say.
#[interface]
pub trait Log {
    /// Keeps a record: the server adds the time and whose it is. Of a text that is longer than [`LONGEST`], the
    /// beginning is kept. The caller's oldest records leave as far as this one needs room, and nobody else's.
    fn write(&mut self, level: u32, text: &str) -> Result<(), NoSuchLevel>;
}

/// What all processes have said.
#[interface]
pub trait LogReader {
    /// The oldest record that is kept of those from sequence `from` on, and its text, as far as there is room.
    fn read(&mut self, from: u64, text: &mut Text) -> Result<Record, ReadError>;

    /// Waits until [`LogReader::read`] has a record from `from` on. The server keeps eight such clients waiting, and
    /// refuses the next one, or in its place one of the process that has most.
    fn wait(&mut self, from: u64) -> Result<(), ReadError>;

    /// The name of the process whose records have this number.
    fn name(&mut self, client: u32, name: &mut Text) -> Result<(), NoSuchClient>;
}

/// A record but for its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoBytes, FromBytes, Immutable)]
#[zerocopy(crate = "riposte::zerocopy")]
#[repr(C)]
pub struct Record {
    /// Its position among all records since the system's start, from 0 on. One that is no more than the last one's
    /// follows after others that are not kept any more.
    pub sequence: u64,
    /// When it was written: nanoseconds since the system's start.
    pub time: u64,
    /// How urgent it is: 1 (error), 2 (warning), 3 (information), 4 (debug), 5 (trace).
    pub level: u32,
    /// Whose it is, for [`LogReader::name`].
    pub client: u32,
}

/// Levels are 1 to 5.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ApplicationError)]
pub struct NoSuchLevel;

/// Why there is nothing to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ApplicationError)]
pub enum ReadError {
    /// There is no such record yet.
    NoRecord,
    /// The server keeps as many readers waiting as it can, and this process has its share of them.
    TooManyWait,
}

/// No process has this number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ApplicationError)]
pub struct NoSuchClient;
