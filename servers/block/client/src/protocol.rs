//! What clients say to a server of blocks, and what it answers.
//!
//! A request is two words, the operation with a number of blocks above it and the first block, and for a write the
//! blocks' bytes behind them. Blocks are numbered from 0, the first one that is the client's. An answer has status 0 and
//! what the operation gives, or a status alone. Words have the lowest byte first.
//!
//! | operation | takes | gives |
//! | --- | --- | --- |
//! | [`READ`](operation::READ), with a count | the first block | the blocks' bytes |
//! | [`WRITE`](operation::WRITE), with a count | the first block; the bytes of all | |
//! | [`SHAPE`](operation::SHAPE) | 0 | how many blocks are the client's, the [most](LARGEST) of one request, 1 if it may write and else 0 |
//!
//! A request is done whole or refused, and what is refused has changed nothing: but a device that fails in the midst of a
//! write, or a power that goes, leaves each block old or new. A write that is answered is where the device keeps it when
//! its power goes. Reading and writing again what may have been done is harmless, so that a client whose server ended
//! asks its next life the same.

/// Bytes of a block.
pub const BLOCK: usize = block_disk::BLOCK;
/// Bytes of a request before the blocks that are written.
pub const REQUEST: usize = 8;
/// Most blocks of one request.
pub const LARGEST: usize = 64;

/// Badges from here on are of clients that may change nothing.
pub const READER: u32 = 0x8000_0000;

/// What a request is. The bits above the lowest eight are a number of blocks.
pub mod operation {
    /// Reads blocks.
    pub const READ: u32 = 0;
    /// Writes blocks.
    pub const WRITE: u32 = 1;
    /// How many blocks there are.
    pub const SHAPE: u32 = 2;

    /// Where the number of blocks begins.
    pub const SHIFT: u32 = 8;
}

/// Why a request was not fulfilled. The numbers are those of `errno.h` in the C library.
pub mod status {
    use riposte::Status;

    /// The device has failed (`EIO`).
    pub const IO: Status = Status(5);
    /// Not all of these blocks are there for this client (`ENXIO`).
    pub const NO_SUCH_BLOCK: Status = Status(6);
    /// It makes no sense: a count of 0 or above [`LARGEST`](super::LARGEST), bytes that are not those of so many blocks
    /// (`EINVAL`).
    pub const INVALID: Status = Status(22);
    /// The client may change nothing (`EROFS`).
    pub const READ_ONLY: Status = Status(30);
    /// The server has no such operation (`ENOSYS`).
    pub const NOT_SUPPORTED: Status = Status(88);
}
