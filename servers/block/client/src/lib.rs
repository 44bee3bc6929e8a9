//! Blocks of a card: the client's part.
//!
//! A server of blocks has a device, and gives each client a part of it, whose blocks are numbered from 0. A process
//! reaches it by the connection that its manifest gives it.
//!
//! ```no_run
//! use riposte_block::{BLOCK, BlockError, Card};
//!
//! fn turn(card: &mut Card) -> Result<(), BlockError> {
//!     let mut block = [0; BLOCK];
//!     card.read(3, &mut block)?;
//!     block.reverse();
//!     card.write(3, &block)
//! }
//! ```
//!
//! A call waits for the server, and for those whom this serves before. If the server ends meanwhile, the call waits for
//! its next life and asks again, so that nothing is lost: to do twice what was done once changes nothing. A server that
//! stays stopped for 100 ms is [`Error::ServerDied`], at once from then on, until it lives again.
//!
//! [`Disk`] is what volumes need of it.
#![no_std]
#![forbid(unsafe_code)]

pub mod protocol;

use core::fmt;
use core::sync::atomic::{AtomicBool, Ordering};

use block_disk::{Disk, Failed};
use protocol::{LARGEST, REQUEST, operation, status};
use riposte::{ConnectError, Connection, Deadline, Duration, Error, Instant, Status};

pub use protocol::BLOCK;

/// How long a client waits before it looks again whether its server has a next life.
const PAUSE: Duration = Duration::from_millis(1);
/// How long it looks.
const PATIENCE: Duration = Duration::from_millis(100);

/// The part of a card that is this process's.
#[derive(Debug)]
pub struct Card {
    connection: Connection,
    blocks: u32,
    writable: bool,
    /// Whether the server had no next life for so long that nobody waits for it any more.
    is_lost: bool,
}

/// Why blocks were not read or written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockError {
    /// The device has failed. Of a write, each block is old or new.
    Io,
    /// Not all of these blocks are this process's.
    NoSuchBlock,
    /// This process may change nothing.
    ReadOnly,
    /// The bytes are not those of whole blocks.
    Invalid,
    /// The server's answer is none.
    Garbled,
    /// The manifest gives this process no such connection, or it could not be opened.
    Connect(ConnectError),
    /// The kernel's.
    Kernel(Error),
    /// The server says something that this library does not know.
    Other(Status),
}

impl fmt::Display for BlockError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            BlockError::Io => "the device has failed",
            BlockError::NoSuchBlock => {
                "not all of these blocks are this process's: `blocks` in the block server's `settings` in app.toml"
            }
            BlockError::ReadOnly => "this process may change nothing: its badge says so in app.toml",
            BlockError::Invalid => "these are no whole blocks",
            BlockError::Garbled => "the block server's answer is none",
            BlockError::Connect(error) => return fmt::Display::fmt(error, f),
            BlockError::Kernel(error) => return fmt::Display::fmt(error, f),
            BlockError::Other(status) => return fmt::Display::fmt(status, f),
        })
    }
}

impl core::error::Error for BlockError {}

impl BlockError {
    fn from_status(found: Status) -> BlockError {
        match found {
            status::IO => BlockError::Io,
            status::NO_SUCH_BLOCK => BlockError::NoSuchBlock,
            status::READ_ONLY => BlockError::ReadOnly,
            status::INVALID => BlockError::Invalid,
            other => BlockError::Other(other),
        }
    }
}

/// Whether a server of blocks that stays stopped is waited for until it lives.
static WAITS: AtomicBool = AtomicBool::new(false);

/// Whether the device has failed since a volume began to be mounted.
static FAILED: AtomicBool = AtomicBool::new(false);

/// Mounts a volume of the card. Meanwhile a server of blocks that stays stopped is waited for until it lives, and not for a
/// moment only.
///
/// # Errors
/// [`BlockError::Io`] if the device has failed meanwhile: what was mounted says nothing then of what is on the card.
pub fn while_mounting<T>(mount: impl FnOnce() -> T) -> Result<T, BlockError> {
    FAILED.store(false, Ordering::Relaxed);
    WAITS.store(true, Ordering::Relaxed);
    let mounted = mount();
    WAITS.store(false, Ordering::Relaxed);
    if FAILED.load(Ordering::Relaxed) {
        return Err(BlockError::Io);
    }
    Ok(mounted)
}

impl Card {
    /// The server to which the manifest gives this process a connection of that name. Waits until the server says what
    /// of its card is this process's.
    ///
    /// # Errors
    /// [`BlockError::Connect`] if the manifest gives it none; [`BlockError::Other`] if nothing of the card is this
    /// process's.
    pub fn connect(name: &'static str) -> Result<Card, BlockError> {
        let connection = loop {
            match riposte::connect(name) {
                Err(ConnectError::Kernel(Error::ServerDied)) => pause(),
                other => break other.map_err(BlockError::Connect)?,
            }
        };
        let mut card = Card {
            connection,
            blocks: 0,
            writable: false,
            is_lost: false,
        };
        let mut shape = [0; 12];
        let length = loop {
            match card.ask(operation::SHAPE, 0, &[], &mut shape) {
                Err(BlockError::Kernel(Error::ServerDied)) => pause(),
                other => break other?,
            }
        };
        let (words, _) = shape.as_chunks::<4>();
        let [blocks, most, writable] = *words else {
            return Err(BlockError::Garbled);
        };
        if length != shape.len() || u32::from_le_bytes(most) < LARGEST as u32 {
            return Err(BlockError::Garbled);
        }
        card.blocks = u32::from_le_bytes(blocks);
        card.writable = u32::from_le_bytes(writable) != 0;
        Ok(card)
    }

    /// How many blocks there are.
    #[must_use]
    pub const fn blocks(&self) -> u32 {
        self.blocks
    }

    /// Whether this process may write them.
    #[must_use]
    pub const fn is_writable(&self) -> bool {
        self.writable
    }

    /// Reads blocks from `first` on: as many as `bytes` has. More than [`LARGEST`] are read in pieces, between which
    /// others may be served.
    ///
    /// # Errors
    /// [`BlockError::NoSuchBlock`], [`BlockError::Io`], [`BlockError::Invalid`] if `bytes` are no whole blocks;
    /// [`BlockError::Kernel`] if the server can't be asked, or stays stopped. What `bytes` hold then is of no meaning.
    pub fn read(&mut self, first: u32, bytes: &mut [u8]) -> Result<(), BlockError> {
        let mut block = first;
        for piece in bytes.chunks_mut(LARGEST * BLOCK) {
            let count = blocks_of(piece)?;
            let operation = operation::READ | count << operation::SHIFT;
            let expected = piece.len();
            if self.ask(operation, block, &[], piece)? != expected {
                return Err(BlockError::Garbled);
            }
            block = block.checked_add(count).ok_or(BlockError::NoSuchBlock)?;
        }
        Ok(())
    }

    /// Writes blocks from `first` on: as many as `bytes` has. When it returns they are where the device keeps them when
    /// its power goes. More than [`LARGEST`] are written in pieces, between which others may be served.
    ///
    /// # Errors
    /// [`BlockError::ReadOnly`]; and as [`Card::read`]. Of several pieces those before the one that failed are written.
    pub fn write(&mut self, first: u32, bytes: &[u8]) -> Result<(), BlockError> {
        let mut block = first;
        for piece in bytes.chunks(LARGEST * BLOCK) {
            let count = blocks_of(piece)?;
            let operation = operation::WRITE | count << operation::SHIFT;
            self.ask(operation, block, piece, &mut [])?;
            block = block.checked_add(count).ok_or(BlockError::NoSuchBlock)?;
        }
        Ok(())
    }

    /// A request, of the server's next life too; the length of its answer.
    fn ask(
        &mut self,
        operation: u32,
        block: u32,
        body: &[u8],
        answer: &mut [u8],
    ) -> Result<usize, BlockError> {
        let ([a, b, c, d], [e, f, g, h]) = (operation.to_le_bytes(), block.to_le_bytes());
        let head: [u8; REQUEST] = [a, b, c, d, e, f, g, h];
        loop {
            let connection = &self.connection;
            match connection.send_pieces_until([&head, body], answer, Deadline::None) {
                Ok(reply) if reply.status == Status::OK => return Ok(reply.len),
                Ok(reply) => {
                    let why = BlockError::from_status(reply.status);
                    if why == BlockError::Io {
                        FAILED.store(true, Ordering::Relaxed);
                    }
                    return Err(why);
                }
                Err(Error::ServerDied) => self.next_life()?,
                Err(error) => return Err(BlockError::Kernel(error)),
            }
        }
    }

    /// Waits until the server has started again.
    fn next_life(&mut self) -> Result<(), BlockError> {
        let end = Instant::now() + PATIENCE;
        let waits = WAITS.load(Ordering::Relaxed);
        loop {
            match self.connection.reconnect() {
                Ok(()) => {
                    self.is_lost = false;
                    return Ok(());
                }
                Err(Error::ServerDied) if waits || !self.is_lost && Instant::now() < end => {
                    pause();
                }
                Err(error) => {
                    self.is_lost = true;
                    return Err(BlockError::Kernel(error));
                }
            }
        }
    }
}

impl Disk for Card {
    fn blocks(&self) -> u32 {
        Card::blocks(self)
    }

    fn is_writable(&self) -> bool {
        Card::is_writable(self)
    }

    fn read(&mut self, first: u32, bytes: &mut [u8]) -> Result<(), Failed> {
        Card::read(self, first, bytes).map_err(|_| Failed)
    }

    fn write(&mut self, first: u32, bytes: &[u8]) -> Result<(), Failed> {
        Card::write(self, first, bytes).map_err(|_| Failed)
    }
}

/// How many blocks these bytes are.
fn blocks_of(bytes: &[u8]) -> Result<u32, BlockError> {
    if bytes.len().is_multiple_of(BLOCK) {
        Ok((bytes.len() / BLOCK) as u32)
    } else {
        Err(BlockError::Invalid)
    }
}

/// Lets a supervisor start the server again. A sleep that fails is none, and only costs time.
fn pause() {
    let _ = riposte::sleep(PAUSE);
}
