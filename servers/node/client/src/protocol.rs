//! What clients say to the node manager, and what it says in place of a server.

/// What a request to the manager's own channel asks for: its only word.
pub mod operation {
    /// What it has counted: as many words as [`super::STATE_WORDS`].
    pub const STATE: u32 = 0;
}

/// What the name of a circuit begins with that leads to a process of another node, for signals to it: its name follows, with a
/// `/` for each `-`. A request there is two words, the signal's number and the word that it brings.
pub const SIGNALS: &str = "/signal/";

/// What the name of a circuit begins with that leads to the process of another node which has registered the name that follows,
/// with its `/`: for signals to it, as [`SIGNALS`].
pub const KILL: &str = "/kill";

/// Why a signal was not sent.
pub mod signal_status {
    use super::RESERVED as FIRST;
    use riposte::Status;

    /// As many with a word wait for the process as may.
    pub const FULL: Status = Status(FIRST + 11);
    /// There is no such signal.
    pub const NO_SIGNAL: Status = Status(FIRST + 12);
}

/// Words of the manager's state.
pub const STATE_WORDS: usize = 14;

/// Statuses from here on are set aside for nodes.
pub const RESERVED: u32 = 0xFFFF_FF00;

/// Why a message was not answered by its server.
pub mod status {
    use super::RESERVED as FIRST;
    use riposte::Status;

    /// Nothing has come from the node, or it has begun a new life (`EHOSTDOWN`).
    pub const NODE_GONE: Status = Status(FIRST + 1);
    /// The server has ended.
    pub const SERVER_DIED: Status = Status(FIRST + 2);
    /// There was no answer before the deadline (`ETIMEDOUT`).
    pub const TIMED_OUT: Status = Status(FIRST + 3);
    /// The node exports no such name (`ENOENT`).
    pub const NOT_EXPORTED: Status = Status(FIRST + 4);
    /// The message or the reply is too long (`EMSGSIZE`).
    pub const TOO_LONG: Status = Status(FIRST + 5);
    /// The node speaks another version.
    pub const WRONG_VERSION: Status = Status(FIRST + 6);
    /// The server's status is one of these.
    pub const RESERVED: Status = Status(FIRST + 7);
    /// As many messages of the circuit are on the way as may be.
    pub const TOO_MANY_WAIT: Status = Status(FIRST + 8);
    /// The manager does not know the request.
    pub const NOT_SUPPORTED: Status = Status(FIRST + 9);
    /// What the answer brings does not go across.
    pub const NOT_CARRIED: Status = Status(FIRST + 10);
    /// A signal waits for the client (`EINTR`).
    pub const INTERRUPTED: Status = Status(FIRST + 13);
}
