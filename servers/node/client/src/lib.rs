//! Messages to processes on other machines: what is said of them beyond what the server says.
//!
//! A connection to a circuit is used as any other: the manifest gives it, or the names server for a name such as
//! `//rome/counter`. Only that another node may be gone is new; the answer's status says it.
//!
//! ```no_run
//! # use riposte_names::Names;
//! use riposte_node::NodeError;
//!
//! let names = Names::connect().unwrap();
//! let counter = names
//!     .locate_until("//rome/counter", riposte::Deadline::None)
//!     .unwrap()
//!     .connection;
//! let reply = counter.send_words([1]).unwrap();
//! match NodeError::of(reply.status) {
//!     None => riposte::println!("{}", reply.words[0]),
//!     Some(error) => riposte::println!("{error}"),
//! }
//! ```
#![no_std]
#![forbid(unsafe_code)]

pub mod protocol;

use core::fmt;

use protocol::{STATE_WORDS, operation, signal_status, status};
use riposte::signal::Signal;
use riposte::{ConnectError, Connection, Deadline, Error, Status};

/// Why a message to another node was not answered by its server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeError {
    /// Nothing has come from the node until the deadline, or it has begun a new life. The message was served once or not at
    /// all.
    NodeGone,
    /// The server has ended before it answered. The message was served once or not at all.
    ServerDied,
    /// There was no answer before the deadline. The message was served once or not at all.
    TimedOut,
    /// The node does not export that name to this one, or nobody has registered it there.
    NotExported,
    /// The message is longer than the other node takes, or the reply than this one does.
    TooLong,
    /// The node speaks another version of the protocol.
    WrongVersion,
    /// The server has answered with a status that is set aside for nodes.
    Reserved,
    /// As many messages of this circuit are on the way as may be.
    TooManyWait,
    /// The server has answered, and what the answer brings does not come: it is a connection, or a proxy for which this node's
    /// manager has no room.
    NotCarried,
    /// A signal has come, and was handled. The message was served once or not at all.
    Interrupted,
}

impl NodeError {
    /// What the status of an answer that came by a circuit says, if the server did not say it.
    #[must_use]
    pub fn of(found: Status) -> Option<NodeError> {
        Some(match found {
            status::NODE_GONE => NodeError::NodeGone,
            status::SERVER_DIED => NodeError::ServerDied,
            status::TIMED_OUT => NodeError::TimedOut,
            status::NOT_EXPORTED => NodeError::NotExported,
            status::TOO_LONG => NodeError::TooLong,
            status::WRONG_VERSION => NodeError::WrongVersion,
            status::RESERVED => NodeError::Reserved,
            status::TOO_MANY_WAIT => NodeError::TooManyWait,
            status::NOT_CARRIED => NodeError::NotCarried,
            status::INTERRUPTED => NodeError::Interrupted,
            _ => return None,
        })
    }
}

impl fmt::Display for NodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NodeError::NodeGone => {
                "the node is gone: is it on, and do address, port and key in both nodes' `settings` agree?"
            }
            NodeError::ServerDied => "the server on the other node has ended",
            NodeError::TimedOut => "there was no answer before the deadline",
            NodeError::NotExported => {
                "the other node exports no such name to this one: `finds` and `NODE-exports` of its node manager in app.toml"
            }
            NodeError::TooLong => {
                "it is too long: `room` in the node manager's `settings` says how long a reply may be"
            }
            NodeError::WrongVersion => "the other node speaks another version of the protocol",
            NodeError::Reserved => "the server's status is one that is set aside for nodes",
            NodeError::TooManyWait => "as many messages of this circuit are on the way as may be",
            NodeError::NotCarried => {
                "what the answer brings does not come: of what goes across there are proxies alone, and `proxies` of the node manager's process says how many"
            }
            NodeError::Interrupted => "a signal came before the answer",
        })
    }
}

impl core::error::Error for NodeError {}

/// Why a signal was not sent to a process of another node, or perhaps not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignalError {
    /// It cannot be asked for.
    Kernel(Error),
    /// What the node says: [`NodeError::ServerDied`] if the process does not run.
    Node(NodeError),
    /// As many signals with a word wait for the process as may (`signal_queue`).
    Full,
    /// The circuit leads to something else.
    NotSignals,
}

impl fmt::Display for SignalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SignalError::Kernel(error) => write!(f, "{error}"),
            SignalError::Node(error) => write!(f, "{error}"),
            SignalError::Full => f.write_str("as many signals wait for the process as may: `signal_queue` in its node's app.toml"),
            SignalError::NotSignals => f.write_str("the circuit leads to no process: its channel is called NODE-signal-PROCESS"),
        }
    }
}

impl core::error::Error for SignalError {}

/// Sends a signal, with a word if it is a queued one, to the process of another node to which this circuit leads
/// (`//node/signal/process`). Waits until it is sent, or `deadline`, or as long as the manifest gives a message. After an error it was
/// sent once or not at all.
///
/// # Errors
/// [`SignalError`].
pub fn send_signal(
    circuit: &Connection,
    signal: Signal,
    word: u32,
    deadline: impl Into<Deadline>,
) -> Result<(), SignalError> {
    let reply = circuit.send_words_until([signal.number(), word], deadline);
    let status = reply.map_err(SignalError::Kernel)?.status;
    match (status, NodeError::of(status)) {
        (Status::OK, _) => Ok(()),
        (signal_status::FULL, _) => Err(SignalError::Full),
        (_, Some(error)) => Err(SignalError::Node(error)),
        _ => Err(SignalError::NotSignals),
    }
}

/// What a node manager has counted since it began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// Frames that it has made.
    pub sent: u32,
    /// Frames that came and belonged to a session.
    pub received: u32,
    /// Those that it has sent again.
    pub again: u32,
    /// Parts of messages that it has sent, each counted once.
    pub parts: u32,
    /// Frames that it has sent only to say which parts had come.
    pub acknowledgements: u32,
    /// Parts that came and had come before: the other node has sent them again for nothing.
    pub doubled: u32,
    /// Frames with a seal or a proof that does not fit.
    pub forged: u32,
    /// Those that had come before.
    pub replayed: u32,
    /// Those of another session.
    pub unknown: u32,
    /// Those of nobody who is known, or of no sense.
    pub strange: u32,
    /// Those of another version.
    pub versions: u32,
    /// How often other nodes have triggered proxies of this one.
    pub triggered: u32,
    /// How often clients of this node have triggered proxies of others of which it is not known that it came there; and how often
    /// others have triggered one of this node that was triggered 65,535 times and not received.
    pub lost: u32,
    /// Whether no request is on the way, either way.
    pub is_idle: bool,
}

/// What the node manager behind this connection has counted. Waits only for it.
///
/// # Errors
/// [`ConnectError::Kernel`] if it cannot be asked, or its answer is none.
pub fn state(manager: &Connection) -> Result<State, ConnectError> {
    let mut bytes = [0; 4 * STATE_WORDS];
    let reply = manager.send(&operation::STATE.to_le_bytes(), &mut bytes)?;
    if reply.status != Status::OK || reply.len != bytes.len() {
        return Err(ConnectError::Kernel(Error::BadArgument));
    }
    let mut words = bytes
        .as_chunks::<4>()
        .0
        .iter()
        .map(|it| u32::from_le_bytes(*it));
    let mut next = || words.next().unwrap_or_default();
    Ok(State {
        sent: next(),
        received: next(),
        again: next(),
        parts: next(),
        acknowledgements: next(),
        doubled: next(),
        forged: next(),
        replayed: next(),
        unknown: next(),
        strange: next(),
        versions: next(),
        triggered: next(),
        lost: next(),
        is_idle: next() != 0,
    })
}
