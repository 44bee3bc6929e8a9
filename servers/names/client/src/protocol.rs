//! What clients say to the server: a word, and what it is about behind that. The low eight bits of the word are the
//! operation, the high sixteen its argument.

/// Bytes of the word.
pub const REQUEST: usize = 4;
/// Most bytes of a name.
pub const LONGEST_NAME: usize = 32;
/// Most bytes of a path to locate.
pub const LONGEST_PATH: usize = 64;
/// Bits above the operation and its flags.
pub const ARGUMENT_SHIFT: u32 = 16;
/// The notification bit of each channel that can be registered, set when the server has begun anew: what was
/// registered is to be registered again.
pub const ANEW: u32 = 1 << 31;

/// What a request asks for.
pub mod operation {
    /// Gives the name that follows to a channel of the client: the argument is its position among the client's channels.
    pub const REGISTER: u32 = 0;
    /// Gives up the name that follows.
    pub const UNREGISTER: u32 = 1;
    /// A connection to what the path that follows leads to, as soon as there is something. The answer brings it, how
    /// many bytes of the path are the name, and the badge of the process that has registered it.
    pub const LOCATE: u32 = 2;
    /// The first name in the folder that follows, from the place that the argument says on. The answer is the next place
    /// (a word) and the name.
    pub const LIST: u32 = 3;
    /// Waits until the names that the client may find have been changed otherwise than so often (a word that follows).
    /// The answer is how often now.
    pub const WATCH: u32 = 4;
    /// With `LOCATE` or `WATCH`: at once or not at all.
    pub const TRY: u32 = 1 << 8;
}

/// Why a request was not fulfilled.
pub mod status {
    use riposte::Status;

    /// It is no name, or no path (`EINVAL`).
    pub const BAD_NAME: Status = Status(1);
    /// The manifest does not let the client register, or find, anything of that name (`EACCES`).
    pub const NOT_ALLOWED: Status = Status(2);
    /// There is no such name (`ENOENT`).
    pub const NO_SUCH_NAME: Status = Status(3);
    /// Somebody else has the name (`EEXIST`).
    pub const TAKEN: Status = Status(4);
    /// The client has as many names as it may (`EMFILE`).
    pub const TOO_MANY: Status = Status(5);
    /// The time was over before there was such a name, or a change (`ETIMEDOUT`).
    pub const TIMED_OUT: Status = Status(6);
    /// Too many of the client's threads wait.
    pub const TOO_MANY_WAIT: Status = Status(7);
    /// The client has no room for a connection (`EMFILE`).
    pub const NO_HANDLES: Status = Status(8);
    /// It makes no sense (`EINVAL`).
    pub const BAD_REQUEST: Status = Status(9);
    /// A signal waits for the client (`EINTR`).
    pub const INTERRUPTED: Status = Status(10);
}
