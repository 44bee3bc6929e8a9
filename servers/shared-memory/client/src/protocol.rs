//! What clients say to the server: a request of eight bytes, and a name or an object's number behind it. The answer to
//! `OPEN` are four words and a handle of the object's region; that to `SIZE` is a word; everything else is a status.

/// Bytes of a request before a name or a number: the operation and its options, and a size.
pub const REQUEST: usize = 8;
/// Most bytes of a name: none of them is `/` or zero.
pub const NAME: usize = 31;
/// Bytes of an object's number.
pub const NUMBER: usize = 8;

/// Badges from here on are of clients that may change nothing, as those of files.
pub const READER: u32 = 0x8000_0000;

/// What a request is. The bits above the lowest eight are the operation's.
pub mod operation {
    /// Gives a handle of the object whose name follows, with its number (two words, the lower one first), its size, and
    /// the bytes that its memory has. The [`option`](super::option)s are in the bits from 8 on.
    pub const OPEN: u32 = 0;
    /// Takes away the name that follows.
    pub const UNLINK: u32 = 1;
    /// Gives the size of the object whose number follows, as long as that has a name.
    pub const SIZE: u32 = 2;
    /// Says the size of the object whose number follows.
    pub const RESIZE: u32 = 3;
    /// Where options begin.
    pub const SHIFT: u32 = 8;
}

/// How an object is opened.
pub mod option {
    /// To be written, too.
    pub const WRITE: u32 = 1;
    /// It is made if there is none.
    pub const CREATE: u32 = 2;
    /// With `CREATE`: refused if there is one.
    pub const EXCLUSIVE: u32 = 4;
    /// All of them.
    pub const ALL: u32 = WRITE | CREATE | EXCLUSIVE;
}

/// Why a request was not fulfilled: numbers of `errno`.
pub mod status {
    use riposte::Status;

    /// There is no such object, or it has no name any more.
    pub const NO_SUCH_NAME: Status = Status(2);
    /// The client may not do that.
    pub const NOT_ALLOWED: Status = Status(13);
    /// There is an object of that name.
    pub const EXISTS: Status = Status(17);
    /// It makes no sense.
    pub const INVALID: Status = Status(22);
    /// A process has no slot for a handle: the client, or the server.
    pub const NO_HANDLES: Status = Status(24);
    /// It is longer than the object's memory.
    pub const TOO_LARGE: Status = Status(27);
    /// All blocks of the client's pool are in use, or it has as many names as it may.
    pub const NO_ROOM: Status = Status(28);
}

/// A request's first bytes.
#[must_use]
pub const fn head(operation: u32, options: u32, size: u32) -> [u8; REQUEST] {
    let [a, b, c, d] = (operation | options << operation::SHIFT).to_le_bytes();
    let [e, f, g, h] = size.to_le_bytes();
    [a, b, c, d, e, f, g, h]
}
