//! Messages between nodes, without messages and sockets: what the node manager keeps of its circuits, its requests, and those
//! of others. Time and frames are arguments, so that two of them talk on the host in a time of their own.
//!
//! A node has *peers*, each with a key that both have. A *circuit* leads to a name that a peer exports. A *request* takes one of
//! the places of its client's node; its number is the place and how often that has been used, so that the server's node begins
//! none twice. What the bytes of messages are kept in is its user's ([`Ends`]).
//!
//! `docs/src/nodes.md` has the protocol.
#![no_std]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

mod alarm;
mod blocks;
mod far;
mod key;
mod near;
mod node;
mod opens;
mod pace;
mod parts;
mod peer;
mod proxies;
mod seal;
#[cfg(test)]
mod tests;
pub mod wire;

use core::num::Wrapping;

pub use alarm::Alarm;
pub use blocks::{Blocks, Run};
pub use far::Job;
pub use key::{KEY, PairKey};
pub use node::{Frame, Heard, Node};
pub use opens::Opens;
pub use peer::PeerSettings;
pub use proxies::PROXIES;
pub use wire::{Buffer, FRAME, PART};

/// Most peers of a node.
pub const PEERS: usize = 4;
/// Most circuits of a node, and most that each peer has with it.
pub const CIRCUITS: usize = 16;
const _: () = assert!(CIRCUITS <= u16::BITS as usize, "a peer has a bit for each");
/// Most requests of a node's clients that are on the way at once.
pub const NEAR: usize = 16;
/// Most requests of all peers that are served at once.
pub const FAR: usize = 4;
/// Most parts of a message.
pub const PARTS: usize = 16;
/// Most bytes of a message.
pub const LONGEST: usize = PARTS * PART;
/// Most parts of messages in several that are on the way to a node at once, beside the first one of each.
pub const WINDOW: u32 = 8;
/// Most bytes of a name.
pub const NAME: usize = 32;
/// Most milliseconds that a request may take: it says in a word how many microseconds are left of them, and ends at the other
/// node when they are over.
pub const PATIENCE: u32 = u32::MAX / 1000;
/// Most blocks of [`PART`] bytes for replies in parts that come to this node's clients: the first ones.
pub const NEAR_BLOCKS: usize = PARTS;
/// Most blocks for requests of peers and the replies to them, behind those; each peer has an equal share.
pub const FAR_BLOCKS: usize = 47;
/// All blocks.
pub const BLOCKS: usize = NEAR_BLOCKS + FAR_BLOCKS;

/// What came of a request, if not an answer of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Failure {
    /// Nothing has come from the node since the request was made, or it has begun a new life: the request was served once or
    /// not at all.
    NodeGone = 1,
    /// The server has ended before it answered.
    ServerDied = 2,
    /// There was no answer before the deadline: the request was served once or not at all.
    TimedOut = 3,
    /// The node exports no such name to this one, or nobody has registered it there.
    NotExported = 4,
    /// The message is longer than the other node takes, or the reply than this one does.
    TooLong = 5,
    /// The node speaks another version of the protocol.
    WrongVersion = 6,
    /// The server has answered with a status that is set aside for nodes.
    Reserved = 7,
    /// The answer brings a connection, which does not go across.
    NotCarried = 10,
}

impl Failure {
    /// The one with this number.
    #[must_use]
    pub const fn from_number(number: u8) -> Option<Failure> {
        Some(match number {
            1 => Failure::NodeGone,
            2 => Failure::ServerDied,
            3 => Failure::TimedOut,
            4 => Failure::NotExported,
            5 => Failure::TooLong,
            6 => Failure::WrongVersion,
            7 => Failure::Reserved,
            10 => Failure::NotCarried,
            _ => return None,
        })
    }
}

/// In place of a [`Failure`]: there is none.
pub(crate) const FINE: u8 = 0;
/// The node serves as many requests of this peer as it does: it may be asked again.
pub(crate) const BUSY: u8 = 16;
/// The node does not know the circuit: it may be opened again.
pub(crate) const NOT_OPEN: u8 = 17;
/// What was cancelled has not been answered, and will not be.
pub(crate) const OVER: u8 = 18;

/// An answer, as a client gets it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer<'a> {
    /// The server's, in one piece.
    Bytes {
        /// The server's status.
        status: u32,
        /// The reply.
        bytes: &'a [u8],
    },
    /// The server's, in blocks that are full but for the last.
    Blocks {
        /// The server's status.
        status: u32,
        /// The blocks.
        blocks: Blocks,
        /// Bytes of the reply.
        length: usize,
    },
    /// The server's, which brings the right to trigger a proxy.
    Proxy {
        /// The reply.
        bytes: &'a [u8],
        /// The place of the proxy at this node: [`Node::trigger`] is to be called each time that the client triggers it, until
        /// [`Ends::end_proxy`].
        proxy: usize,
    },
    /// None.
    Failed(Failure),
}

/// What is at a node's ends: clients, servers, and the memory of messages.
pub trait Ends {
    /// Copies bytes of the message of the client whose request has this place, from `offset` on. Whether all were there.
    fn read(&mut self, near: usize, offset: usize, to: &mut [u8]) -> bool;
    /// Answers the client whose request has this place. What is shown is used before this returns. Whether it has taken the
    /// answer: a proxy that it has not taken is nobody's.
    fn answer(&mut self, near: usize, answer: Answer<'_>) -> bool;
    /// Copies bytes to a block.
    fn keep(&mut self, block: usize, bytes: &[u8]);
    /// Copies bytes of a block.
    fn recall(&mut self, block: usize, to: &mut [u8]);
    /// A peer opens a circuit: [`Node::opened`] is to be called, soon.
    fn open(&mut self, peer: usize, circuit: usize, name: &[u8]);
    /// All circuits of this peer are closed: it has begun a new life.
    fn closed(&mut self, peer: usize);
    /// A request of a peer is to be served: [`Node::job`] says which, and [`Node::served`] is to be called.
    fn serve(&mut self, far: usize);
    /// Nobody waits for a request any more that is being served. [`Node::served`] is to be called all the same.
    fn cancel(&mut self, far: usize);
    /// Nobody can trigger the peer's proxy any more that has this place.
    fn end_proxy(&mut self, proxy: usize);
    /// Triggers the proxy of this node to which a right has this place, so often. Whether it is still there.
    fn trigger(&mut self, right: usize, times: u32) -> bool;
    /// The right that has this place is not needed any more.
    fn forget(&mut self, right: usize);
}

/// What has been counted of frames that were not what they should be. At its end a count begins anew: anybody can bring one there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counted {
    /// Frames that came and belonged to a session.
    pub received: Wrapping<u32>,
    /// Frames that were made.
    pub sent: Wrapping<u32>,
    /// Those of nobody who is known, or that are too short or too long.
    pub strange: Wrapping<u32>,
    /// Those with a seal or a proof that does not fit.
    pub forged: Wrapping<u32>,
    /// Those whose number had come before.
    pub replayed: Wrapping<u32>,
    /// Those of a session that is not this one.
    pub unknown: Wrapping<u32>,
    /// Those of another version.
    pub versions: Wrapping<u32>,
    /// Those that were sent again.
    pub again: Wrapping<u32>,
    /// Parts of messages that were sent, each once.
    pub parts: Wrapping<u32>,
    /// Frames that only said which parts had come.
    pub acknowledgements: Wrapping<u32>,
    /// Parts and batches that came and had come before: they were sent again for nothing.
    pub doubled: Wrapping<u32>,
    /// How often peers have triggered proxies of this node.
    pub triggered: Wrapping<u32>,
    /// How often clients have triggered peers' proxies of which it is not known that it came there.
    pub lost: Wrapping<u32>,
}

impl Counted {
    /// Nothing yet.
    pub(crate) const NOTHING: Counted = {
        let none = Wrapping(0);
        Counted {
            received: none,
            sent: none,
            strange: none,
            forged: none,
            replayed: none,
            unknown: none,
            versions: none,
            again: none,
            parts: none,
            acknowledgements: none,
            doubled: none,
            triggered: none,
            lost: none,
        }
    };
}
