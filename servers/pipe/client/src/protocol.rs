//! What clients say to the server: a request of eight bytes, the operation and a number, and a name, bytes or another
//! number behind it. At a server of files that has pipes, too, a name is the path of a FIFO. The answer to `OPEN` is the
//! end's number, that to `MAKE_UNNAMED` the pipe's, that to `WRITE`, `READY`, `LOOK` and `LINKS` a number, that to `READ`
//! the bytes; everything else is a status.

/// Bytes of a request.
pub const REQUEST: usize = 8;
/// Most bytes that a pipe holds, and of one write.
pub const LARGEST: usize = 4096;

/// Most ends that a request to watch them names.
pub const MOST_WATCHED: usize = 16;

/// What a request is.
pub mod operation {
    /// The lowest number: those below are what one asks of files, of a server that has both.
    pub const FIRST: u32 = 32;
    /// Opens the end for reading of the pipe whose name follows; if none does, of the one of that number.
    pub const OPEN_READ: u32 = FIRST;
    /// Opens the end for writing of that pipe.
    pub const OPEN_WRITE: u32 = FIRST + 1;
    /// Closes an end.
    pub const CLOSE: u32 = FIRST + 2;
    /// Reads as many bytes as there are, as soon as there are some; at most as many as the word that follows says.
    pub const READ: u32 = FIRST + 3;
    /// Writes the bytes that follow, as soon as there is room.
    pub const WRITE: u32 = FIRST + 4;
    /// Makes a pipe of the name that follows, for so many bytes.
    pub const MAKE: u32 = FIRST + 5;
    /// Makes a pipe without a name, for so many bytes.
    pub const MAKE_UNNAMED: u32 = FIRST + 6;
    /// Removes the pipe whose name follows; if none does, the one of that number.
    pub const REMOVE: u32 = FIRST + 7;
    /// How many bytes can be read or written at an end now: what `READ` or `WRITE` with `TRY` would say.
    pub const READY: u32 = FIRST + 8;
    /// Waits until one of the ends whose numbers follow is as `READY` does not refuse with `TIMED_OUT`: at most
    /// [`MOST_WATCHED`](super::MOST_WATCHED).
    pub const WATCH: u32 = FIRST + 9;
    /// Waits until there is, or has been, somebody at the other side of an end's pipe.
    pub const MEET: u32 = FIRST + 10;
    /// How many bytes the pipe holds whose name follows; if none does, the one of that number.
    pub const LOOK: u32 = FIRST + 11;
    /// A child is to open the pipe without a name of that number, if it has not yet: for reading if the word that follows
    /// is 0, for writing if it is 1. Behind that is its PID. Until it opens the pipe or ends, that side has not ended. For
    /// the pipe's maker.
    pub const EXPECT: u32 = FIRST + 12;
    /// How many names, or numbers, the pipe of an end has: 1, or 0 once it was removed.
    pub const LINKS: u32 = FIRST + 13;
    /// With `READ`, `WRITE`, `WATCH` or `MEET`: at once or not at all. With `OPEN_WRITE`: only if somebody is there to read.
    pub const TRY: u32 = 1 << 8;
}

/// Why a request was not fulfilled.
pub mod status {
    use riposte::Status;

    /// There is no such pipe (`ENOENT`).
    pub const NO_SUCH_PIPE: Status = Status(1);
    /// The client has as many ends as it may (`EMFILE`).
    pub const TOO_MANY_ENDS: Status = Status(2);
    /// It is no end of this client, or none on this side (`EBADF`).
    pub const BAD_END: Status = Status(3);
    /// Nobody is left who could read (`EPIPE`).
    pub const NO_READER: Status = Status(4);
    /// The time was over before there was a byte, or room (`ETIMEDOUT`).
    pub const TIMED_OUT: Status = Status(5);
    /// Too many of the client's threads wait.
    pub const TOO_MANY_WAIT: Status = Status(6);
    /// It makes no sense (`EINVAL`).
    pub const BAD_REQUEST: Status = Status(7);
    /// There is a pipe of that name (`EEXIST`).
    pub const TAKEN: Status = Status(8);
    /// The client has made as many pipes as it may (`EMFILE`).
    pub const TOO_MANY_PIPES: Status = Status(9);
    /// Another client has made the pipe, or the manifest has (`EPERM`).
    pub const NOT_YOURS: Status = Status(10);
    /// A pipe's name has 1 to 16 bytes (`EINVAL`).
    pub const BAD_NAME: Status = Status(11);
    /// A pipe of no bytes, or of more than one that a client makes can hold (`EINVAL`).
    pub const BAD_CAPACITY: Status = Status(12);
    /// Nobody is at the other side (`ENXIO`).
    pub const NOBODY: Status = Status(13);
    /// A signal waits for the client (`EINTR`).
    pub const INTERRUPTED: Status = Status(14);
}
