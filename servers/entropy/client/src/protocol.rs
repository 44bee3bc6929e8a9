//! What clients say to the entropy server, and what it answers.
//!
//! A request is two words, the operation and a number of bytes, with the lowest byte first. An answer has status 0 and the
//! bytes, or a status alone.
//!
//! | operation | takes | gives |
//! | --- | --- | --- |
//! | [`FILL`](operation::FILL) | how many bytes, 1 to [`LARGEST`] | so many, which nobody has got before and the server does not keep |

/// Bytes of a request.
pub const REQUEST: usize = 8;
/// Most bytes of one answer.
pub const LARGEST: usize = 64;

/// What a request is.
pub mod operation {
    /// Random bytes.
    pub const FILL: u32 = 0;
}

/// Why a request was not fulfilled. The numbers are those of `errno.h` in the C library.
pub mod status {
    use riposte::Status;

    /// The device gives nothing (`EIO`).
    pub const IO: Status = Status(5);
    /// It makes no sense: 0 bytes or more than [`LARGEST`](super::LARGEST), or no request of two words (`EINVAL`).
    pub const INVALID: Status = Status(22);
    /// The server has no such operation (`ENOSYS`).
    pub const NOT_SUPPORTED: Status = Status(88);
}
