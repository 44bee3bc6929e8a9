//! What clients say to a server of files, and what it answers.
//!
//! A request is two words, the operation and the number of an open file (0 where none is meant), and what the
//! operation takes behind them: words, a path, or the bytes that are written. An answer has status 0 and what the
//! operation gives, or a status alone. Numbers have the lowest byte first; those of 64 bits are two words, the lower one
//! first.
//!
//! | operation | takes | gives |
//! | --- | --- | --- |
//! | [`OPEN`](operation::OPEN), with [`option`]s | the path | the number of the open file |
//! | [`CLOSE`](operation::CLOSE) | | |
//! | [`READ`](operation::READ) | how many bytes, at most | the bytes; none at the end |
//! | [`READ`](operation::READ) with [`AT`](operation::AT) | how many bytes, at most; the position, 64 bits | the bytes; none at the end |
//! | [`WRITE`](operation::WRITE) | the bytes | how many of them were written |
//! | [`WRITE`](operation::WRITE) with [`AT`](operation::AT) | the position, 64 bits; the bytes | how many of them were written |
//! | [`WRITE`](operation::WRITE) with [`AT_END`](operation::AT_END) | the bytes | how many of them were written |
//! | [`SEEK`](operation::SEEK), with a [`whence`] | the offset, 64 bits, signed | the position, 64 bits |
//! | [`STAT`](operation::STAT) | | a [`kind`], the size in 64 bits, and what tells it from others that are there |
//! | [`SYNC`](operation::SYNC) | | |
//! | [`TRUNCATE`](operation::TRUNCATE) | the size, 64 bits | |
//! | [`LIST`](operation::LIST) | | as [`STAT`](operation::STAT), and the name; nothing at the end |
//! | [`DUPLICATE`](operation::DUPLICATE) | | the number of the duplicate |
//! | [`STAT_PATH`](operation::STAT_PATH) | the path | as [`STAT`](operation::STAT) |
//! | [`MAKE_DIRECTORY`](operation::MAKE_DIRECTORY) | the path | |
//! | [`REMOVE`](operation::REMOVE) | the path | |
//! | [`RENAME`](operation::RENAME) | a word, the length of the first path; both paths | |
//! | [`MAKE_FIFO`](operation::MAKE_FIFO) | the path | |
//! | [`SPACE`](operation::SPACE) | | bytes of a block; blocks, in all and free; blocks that the client may still use, and entries |
//!
//! The first ten are about what is open, and mean the same for whatever can be: a file, a pipe, a console. A server
//! answers what it has no meaning for with [`NOT_SUPPORTED`](status::NOT_SUPPORTED) or
//! [`NO_SEEK`](status::NO_SEEK). Where a read or a write can wait, [`TRY`](operation::TRY) asks for an answer at once:
//! [`WOULD_BLOCK`](status::WOULD_BLOCK). With files, nothing waits.
//!
//! Nobody relies on the alignment of what is sent, nor on a zero at the end of a path or name; zeros at the end of a path
//! are no part of it, so that a short one goes in whole words. A request that is too short or too long for its operation
//! is [`INVALID`](status::INVALID), and so is one with bits that mean nothing.

/// Bytes of a request before what the operation takes.
pub const REQUEST: usize = 8;
/// The longest path, in bytes.
pub const PATH: usize = 128;
/// The longest name between two `/`, in bytes.
pub const NAME: usize = 32;
/// Most bytes of one read or write. Of a longer one, as many are read or written.
pub const LARGEST: usize = 16_384;
/// Bytes of what [`operation::STAT`] gives.
pub const STAT: usize = 16;

/// Badges from here on are of clients that may change nothing.
pub const READER: u32 = 0x8000_0000;

/// What a request is. The bits above the lowest eight are the operation's.
pub mod operation {
    /// Opens what a path leads to. Its [`option`](super::option)s are in the bits from 8 on.
    pub const OPEN: u32 = 0;
    /// Closes an open file.
    pub const CLOSE: u32 = 1;
    /// Reads on from its position.
    pub const READ: u32 = 2;
    /// Writes on from its position.
    pub const WRITE: u32 = 3;
    /// Moves its position. From [`whence`](super::whence), in the bits from 8 on.
    pub const SEEK: u32 = 4;
    /// What it is.
    pub const STAT: u32 = 5;
    /// Answers when all that was written is where it is kept.
    pub const SYNC: u32 = 6;
    /// Leaves it so many bytes, or adds zeros.
    pub const TRUNCATE: u32 = 7;
    /// The next entry of an open directory.
    pub const LIST: u32 = 8;
    /// Another number for it: both have one position.
    pub const DUPLICATE: u32 = 9;
    /// What a path leads to.
    pub const STAT_PATH: u32 = 10;
    /// Makes an empty directory.
    pub const MAKE_DIRECTORY: u32 = 11;
    /// Removes a file, or an empty directory.
    pub const REMOVE: u32 = 12;
    /// Gives another name, and place.
    pub const RENAME: u32 = 13;
    /// How much is there, and left.
    pub const SPACE: u32 = 14;

    /// Makes a FIFO: a name for a pipe. Only of servers that have pipes: an end of it is opened, read, written and closed by
    /// the requests of `riposte_pipe`, whose numbers lie above these.
    pub const MAKE_FIFO: u32 = 15;

    /// With `READ` or `WRITE`: at once or not at all.
    pub const TRY: u32 = 1 << 8;
    /// With `READ` or `WRITE` of a file: from a position on that the request says. The file's own stays as it is.
    pub const AT: u32 = 1 << 9;
    /// With `WRITE` of a file: from its end on, and its position is behind what was written, as if it had been opened
    /// with [`APPEND`](super::option::APPEND). If nothing was written its position stays as it is.
    pub const AT_END: u32 = 1 << 10;
    /// Where the bits of an operation begin.
    pub const SHIFT: u32 = 8;
}

/// How something is opened.
pub mod option {
    /// To be read; a directory, to be listed.
    pub const READ: u32 = 1;
    /// To be written.
    pub const WRITE: u32 = 2;
    /// Created, if it is not there.
    pub const CREATE: u32 = 4;
    /// With `CREATE`: it must not be there.
    pub const EXCLUSIVE: u32 = 8;
    /// Emptied. Needs `WRITE`.
    pub const TRUNCATE: u32 = 16;
    /// Each write goes to the end. Needs `WRITE`.
    pub const APPEND: u32 = 32;
}

/// From where a position is counted.
pub mod whence {
    /// The beginning.
    pub const START: u32 = 0;
    /// The position.
    pub const CURRENT: u32 = 1;
    /// The end.
    pub const END: u32 = 2;
    /// With one of these: to a position below 2³¹, or to none ([`OVERFLOW`](super::status::OVERFLOW)).
    pub const SMALL: u32 = 4;
}

/// What something is.
pub mod kind {
    /// Bytes that stay.
    pub const FILE: u32 = 1;
    /// A directory.
    pub const DIRECTORY: u32 = 2;
    /// Bytes on their way, from whoever writes to whoever reads.
    pub const PIPE: u32 = 3;
    /// What a person reads and writes.
    pub const CONSOLE: u32 = 4;
    /// With one of these: it was removed, and is there for as long as it is open.
    pub const REMOVED: u32 = 1 << 8;
}

/// Why a request was not fulfilled; nothing has changed. The numbers are those of `errno.h` in the C library.
pub mod status {
    use riposte::Status;

    /// There is nothing of that name (`ENOENT`).
    pub const NOT_FOUND: Status = Status(2);
    /// The device has failed, or what is on it does not fit together (`EIO`). Not of a disk in memory.
    pub const IO: Status = Status(5);
    /// It is a FIFO, which is opened as a pipe is (`ENXIO`).
    pub const IS_FIFO: Status = Status(6);
    /// It is no open file of this client, or not open for that (`EBADF`).
    pub const BAD_FILE: Status = Status(9);
    /// There is nothing to read yet, or no room (`EAGAIN`). Not of files.
    pub const WOULD_BLOCK: Status = Status(11);
    /// It is open (`EBUSY`). Only of volumes whose files can't live without a name: FAT.
    pub const BUSY: Status = Status(16);
    /// There is something of that name (`EEXIST`).
    pub const EXISTS: Status = Status(17);
    /// It is no directory (`ENOTDIR`).
    pub const NOT_DIRECTORY: Status = Status(20);
    /// It is a directory (`EISDIR`).
    pub const IS_DIRECTORY: Status = Status(21);
    /// It makes no sense (`EINVAL`).
    pub const INVALID: Status = Status(22);
    /// The client has as many open files as it may (`EMFILE`).
    pub const TOO_MANY_OPEN: Status = Status(24);
    /// No file can be so long (`EFBIG`).
    pub const TOO_LARGE: Status = Status(27);
    /// The client has as many blocks, or files and directories, as it may (`ENOSPC`).
    pub const NO_SPACE: Status = Status(28);
    /// It has no positions (`ESPIPE`). Not of files.
    pub const NO_SEEK: Status = Status(29);
    /// The client may change nothing, or the file, or the volume, can't be written (`EROFS`).
    pub const READ_ONLY: Status = Status(30);
    /// Nobody is left who could read (`EPIPE`). Not of files.
    pub const NO_READER: Status = Status(32);
    /// The server has no such operation (`ENOSYS`).
    pub const NOT_SUPPORTED: Status = Status(88);
    /// The directory has entries (`ENOTEMPTY`).
    pub const NOT_EMPTY: Status = Status(90);
    /// A name, or a path, is too long (`ENAMETOOLONG`).
    pub const NAME_TOO_LONG: Status = Status(91);
    /// The position is larger than the client can tell (`EOVERFLOW`).
    pub const OVERFLOW: Status = Status(139);
}
