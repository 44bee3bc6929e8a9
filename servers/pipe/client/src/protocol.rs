//! What clients say to the server: a request of eight bytes, and a name, bytes or a number behind it. The answer to `OPEN` is the
//! end's number, that to `WRITE` how many bytes were taken, that to `READ` the bytes; everything else is a status.

/// Bytes of a request.
pub const REQUEST: usize = 8;
/// Most bytes that a pipe holds, and of one write.
pub const LARGEST: usize = 512;

/// What a request is.
pub mod operation {
    /// Opens the end for reading of the pipe whose name follows.
    pub const OPEN_READ: u32 = 0;
    /// Opens the end for writing of the pipe whose name follows.
    pub const OPEN_WRITE: u32 = 1;
    /// Closes an end.
    pub const CLOSE: u32 = 2;
    /// Reads as many bytes as there are, as soon as there are some; at most as many as the word that follows says.
    pub const READ: u32 = 3;
    /// Writes the bytes that follow, as soon as there is room.
    pub const WRITE: u32 = 4;
    /// With `READ` or `WRITE`: at once or not at all.
    pub const TRY: u32 = 1 << 8;
}

/// Why a request was not fulfilled.
pub mod status {
    use riposte::Status;

    /// There is no such pipe.
    pub const NO_SUCH_PIPE: Status = Status(1);
    /// The client has as many ends as it may.
    pub const TOO_MANY_ENDS: Status = Status(2);
    /// It is no end of this client, or none on this side.
    pub const BAD_END: Status = Status(3);
    /// Nobody is left who could read.
    pub const NO_READER: Status = Status(4);
    /// The time was over before there was a byte, or room.
    pub const TIMED_OUT: Status = Status(5);
    /// Too many of the client's threads wait.
    pub const TOO_MANY_WAIT: Status = Status(6);
    /// It makes no sense.
    pub const BAD_REQUEST: Status = Status(7);
}
