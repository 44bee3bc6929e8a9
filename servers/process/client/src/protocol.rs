//! What clients say to the process manager: a word, a second one, and bytes behind them. The low eight bits of the first
//! word are the operation, the next eight its flags, the high sixteen its argument.

/// Bytes of the two words.
pub const REQUEST: usize = 8;
/// Most bytes of a program's name, its arguments and its environment, each with a zero behind it.
pub const BLOCK: usize = 256;
/// Most bytes of a program's name.
pub const LONGEST_NAME: usize = 32;
/// Bits above the operation and its flags.
pub const ARGUMENT_SHIFT: u32 = 16;
/// Bytes before the block in the answer to [`operation::ARGUMENTS`]: the child's name, and how many arguments there are.
pub const BEFORE_BLOCK: usize = 8;
/// Words before the name in the answer to [`operation::LIST`]: where the list goes on, the name, the parent's process
/// and 1 (0 if it has none), and whether it has ended.
pub const LISTED: usize = 16;
/// Words before the name in the answer to [`operation::PROGRAMS`]: where the list goes on, the number of instances, and
/// how many of them are nobody's.
pub const PROGRAM: usize = 12;

/// What a request asks for.
pub mod operation {
    /// Starts a program: its name, arguments and environment follow, each with a zero behind it; the argument is how many
    /// of them are arguments, with the name. The answer is the child's name, a word.
    pub const SPAWN: u32 = 0;
    /// Waits for the end of the child that the second word names, or of any if that is 0. The answer is its name, why it
    /// has ended, the status, and the signal, each a word.
    pub const WAIT: u32 = 1;
    /// Sends the signal that the argument says to the program that the second word names. 9 ends it,
    /// 0 only asks whether it runs.
    pub const KILL: u32 = 2;
    /// The first program that runs, from the place on that the argument says.
    pub const LIST: u32 = 3;
    /// The first program that there is, from the place on that the argument says.
    pub const PROGRAMS: u32 = 4;
    /// Which child the client is, and what it was given.
    pub const ARGUMENTS: u32 = 5;
    /// Who has spawned the client, a word: its name if it is a child itself, else its number in the system and 1; 0 if it
    /// has ended.
    pub const PARENT: u32 = 6;
    /// With `WAIT`: at once or not at all.
    pub const TRY: u32 = 1 << 8;
    /// With `SPAWN`: the program is nobody's child.
    pub const DETACHED: u32 = 1 << 9;
}

/// Why a request was not fulfilled.
pub mod status {
    use riposte::Status;

    /// There is no such program (`ENOENT`).
    pub const NO_SUCH_PROGRAM: Status = Status(1);
    /// The manifest does not let the client do that (`EPERM`).
    pub const NOT_ALLOWED: Status = Status(2);
    /// All instances of the program are in use (`EAGAIN`).
    pub const NO_INSTANCE: Status = Status(3);
    /// The client has as many children as it may (`EAGAIN`).
    pub const TOO_MANY_CHILDREN: Status = Status(4);
    /// The client has no such child (`ECHILD`).
    pub const NO_SUCH_CHILD: Status = Status(5);
    /// No such program runs (`ESRCH`).
    pub const NO_SUCH_PROCESS: Status = Status(6);
    /// It had not ended when the time was over (`ETIMEDOUT`).
    pub const TIMED_OUT: Status = Status(7);
    /// Too many of the client's threads wait.
    pub const TOO_MANY_WAIT: Status = Status(8);
    /// As many signals wait in it as can.
    pub const TOO_MANY_SIGNALS: Status = Status(9);
    /// The client was not spawned, or by another life of the server.
    pub const NO_PROGRAM: Status = Status(10);
    /// The list is over.
    pub const OVER: Status = Status(11);
    /// It makes no sense (`EINVAL`).
    pub const BAD_REQUEST: Status = Status(12);
    /// A signal waits for the client (`EINTR`).
    pub const INTERRUPTED: Status = Status(13);
}
