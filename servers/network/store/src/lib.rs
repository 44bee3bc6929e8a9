//! Sockets of clients: who has which, and how many of them. The network server keeps them so; what is here knows no
//! messages, and is tested on the host.
//!
//! A client is named by a number that is never 0. What it has it names by a number of its own, which holds a count, so
//! that one that was closed names nothing for a very long time.
#![no_std]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

mod answer;
#[cfg(feature = "ipv6")]
mod duplicates;
mod families;
#[cfg(feature = "ipv6")]
mod groups;
mod lease;
mod name;
mod names;
mod number;
mod pings;
#[cfg(feature = "ipv6")]
mod routers;
mod searches;
mod tcp;
#[cfg(test)]
mod tests;
mod udp;

pub use answer::Heard;
#[cfg(feature = "ipv6")]
pub use duplicates::{OWN, OwnAddresses, OwnDue};
use families::is_from_nowhere;
pub use families::{Families, is_host, is_own};
pub use lease::Lease;
pub use name::LONGEST_NAME;
pub use names::{ADDRESSES, Asked, Found, NAMES, Names, Queries, Question, SERVERS};
pub use number::Number;
use number::{Count, Kind};
use pings::Pings;
pub use pings::{Due, PINGS, Ping, Route};
#[cfg(feature = "ipv6")]
pub use routers::{PREFIXES, Routers, SOLICITATION, solicitation};
pub use searches::{Egress, SEARCHES, Searches};
use smoltcp::iface::{SocketHandle, SocketSet, SocketStorage};
use smoltcp::socket::udp as udp_socket;
use smoltcp::time::Instant;
use tcp::Crowd;
pub use tcp::{STREAMS, Streams};
pub use udp::{Datagrams, PORTS};
use udp::{PortMemory, SOCKETS};

/// Bytes that a stream keeps of what has come, and of what is to be sent: a segment of an Ethernet, and the half of one.
pub const STREAM: usize = 2048;
/// Bytes of datagrams that leave which a port keeps, if all are given out: one of the longest that an Ethernet takes whole, and a
/// little; twice as many of what comes. Those of ports that nobody is given are the others'.
pub const DATAGRAM: usize = 1536;
/// Most datagrams that leave which it keeps then, and half of those that come.
pub const KEPT: usize = 4;
/// Most bytes of one.
pub const LONGEST: usize = 1472;
/// Most bytes of one over IPv6.
pub const LONGEST_IPV6: usize = 1452;
/// Most places that wait for clients of a port at once.
pub const BACKLOG: usize = 4;

/// Ports that are given to who asks for none: those that are set aside for this.
const FIRST_PORT: u16 = 49_152;

/// Why something was not done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// It is no socket of this client, or none of this kind.
    BadNumber,
    /// The client has as many as it may.
    TooMany,
    /// Somebody else has the port.
    InUse,
    /// It makes no sense.
    Invalid,
    /// It has no address, or there is no way to that one.
    Unreachable,
    /// Nobody is there: the other side has said so, or has said nothing.
    Refused,
    /// The other side has ended the connection, or has not answered for a long time.
    Reset,
    /// What was to be sent after the end.
    Ended,
    /// It is longer than a datagram, or a name, can be.
    TooLong,
    /// There is no host of that name, or it has no address.
    NoSuchName,
    /// The servers of names keep silent, or cannot tell.
    NameFailed,
    /// Nobody has answered in time.
    Silent,
    /// Not yet: it may be asked again when something has happened.
    NotYet,
}

/// What a socket would not make its client wait for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ready {
    /// There is something to be read or accepted, or the end, or an error.
    pub read: bool,
    /// There is room for something that is written, or an error.
    pub write: bool,
    /// Both sides have ended it.
    pub ended: bool,
    /// There is no connection (any more).
    pub failed: bool,
}

impl Ready {
    const FAILED: Ready = Ready {
        read: true,
        write: true,
        ended: false,
        failed: true,
    };
}

/// How many sockets a client may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// Streams, those among them that wait for clients, and that are being closed.
    pub streams: usize,
    /// Ports for datagrams.
    pub ports: usize,
    /// Names that are asked for at once.
    pub names: usize,
    /// Echoes that are waited for at once.
    pub pings: usize,
}

/// The bytes of all sockets. It is large, and all zeros at first.
#[derive(Debug)]
pub struct Memory {
    streams: [[[u8; STREAM]; 2]; STREAMS],
    ports: PortMemory,
    crowd: Crowd,
}

impl Memory {
    /// Nothing in it.
    #[must_use]
    pub const fn new() -> Memory {
        Memory {
            streams: [[[0; STREAM]; 2]; STREAMS],
            ports: PortMemory::new(),
            crowd: Crowd::new(),
        }
    }
}

impl Default for Memory {
    fn default() -> Memory {
        Memory::new()
    }
}

/// Places for all sockets in the stack's own table, and for what it notes of datagrams and of the last answer with an address.
pub struct Places<'a> {
    sockets: [SocketStorage<'a>; STREAMS + SOCKETS + 2],
    heads: [udp_socket::PacketMetadata; SOCKETS],
    answer: [u8; lease::ANSWER],
}

impl Places<'_> {
    /// All of them free.
    #[must_use]
    pub const fn new() -> Self {
        Places {
            sockets: [SocketStorage::EMPTY; _],
            heads: [udp_socket::PacketMetadata::EMPTY; _],
            answer: [0; _],
        }
    }
}

impl Default for Places<'_> {
    fn default() -> Self {
        Places::new()
    }
}

/// All sockets, and whose they are.
pub struct Store<'a> {
    /// The stack's.
    pub sockets: SocketSet<'a>,
    /// The one that asks for an address.
    pub dhcp: SocketHandle,
    /// What the network has told last.
    lease: Lease,
    /// How long an answer with an address may come, if one was asked for.
    asked_until: Option<Instant>,
    streams: Streams,
    crowd: &'a mut Crowd,
    datagrams: Datagrams<'a>,
    names: Names,
    pings: Pings,
    searches: &'a mut Searches,
    next_port: u16,
}

impl<'a> Store<'a> {
    /// Whether the stack is not to be given this frame, which would end it or have it believe what is not; of an address
    /// that it is given or loses, if it asks for one.
    #[must_use]
    pub fn refuses(&mut self, frame: &[u8], asks_for_address: bool, now: Instant) -> bool {
        is_from_nowhere(frame)
            || asks_for_address && self.is_no_answer(frame, now)
            || self.is_harmful(frame)
    }

    /// Without an owner for any. `all` is what all clients together may have; `seed` says with which port it begins to give some,
    /// and `echoes` with which numbers it begins to ask for those.
    pub fn new(
        memory: &'a mut Memory,
        queries: &'a mut Queries,
        searches: &'a mut Searches,
        places: &'a mut Places<'a>,
        all: Share,
        seed: u32,
        echoes: u32,
    ) -> Store<'a> {
        let mut sockets = SocketSet::new(&mut places.sockets[..]);
        let streams = Streams::new(&mut memory.streams, all.streams, &mut sockets);
        let datagrams = Datagrams::new(
            &mut memory.ports,
            &mut places.heads,
            all.ports,
            &mut sockets,
        );
        let names = Names::new(queries, &mut sockets);
        let dhcp = sockets.add(lease::socket(&mut places.answer));
        let mut store = Store {
            sockets,
            dhcp,
            lease: Lease::default(),
            asked_until: None,
            streams,
            crowd: &mut memory.crowd,
            datagrams,
            names,
            pings: Pings::new(echoes),
            searches,
            next_port: FIRST_PORT + (seed % u32::from(u16::MAX - FIRST_PORT)) as u16,
        };
        // Behind all others, so that none has the place of one of these.
        store.remove_unused_streams();
        store.remove_unused_ports();
        store
    }

    /// Closes a socket. Of a stream the other side gets what was sent, if it still takes it; who listens does not any
    /// more, and those who came and were not taken are sent away. A question is over.
    ///
    /// # Errors
    /// [`Refused::BadNumber`].
    pub fn close(&mut self, client: u32, number: Number) -> Result<(), Refused> {
        match number.kind() {
            Kind::Question => self.close_question(client, number),
            Kind::Stream => self.close_stream(client, number),
            Kind::Listener => self.close_listener(client, number),
            Kind::Port => self.close_port(client, number),
        }
    }

    /// What a socket is ready for.
    ///
    /// # Errors
    /// [`Refused::BadNumber`].
    pub fn ready(&mut self, client: u32, number: Number) -> Result<Ready, Refused> {
        match number.kind() {
            Kind::Question => self.question_ready(client, number),
            Kind::Stream => self.stream_ready(client, number),
            Kind::Listener => self.listener_ready(client, number),
            Kind::Port => self.port_ready(client, number),
        }
    }

    /// A client has ended: what it had is free, and the other sides are told.
    pub fn abandon(&mut self, client: u32) {
        self.abandon_streams(client);
        self.abandon_ports(client);
        self.abandon_questions(client);
        self.abandon_pings(client);
    }

    /// Makes those listen again who have been left alone, and frees what has been closed: to be called when the stack has done
    /// something.
    pub fn tend(&mut self, now: Instant) {
        self.tend_streams(Some(now));
    }

    /// A port that nobody has.
    fn free_port(&mut self) -> Result<u16, Refused> {
        let all = u16::MAX - FIRST_PORT;
        for _ in 0..all {
            let port = self.next_port;
            self.next_port = FIRST_PORT + (port - FIRST_PORT + 1) % all;
            if !self.has_stream_port(port) && !self.has_port(port) {
                return Ok(port);
            }
        }
        Err(Refused::InUse)
    }
}
