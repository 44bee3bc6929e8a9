//! What all threads of the node manager have in common.

use core::net::SocketAddr;

use node_circuits::{Answer, BLOCKS, CIRCUITS, Ends, FAR, Failure, NAME, NEAR, Node, PART, PEERS};
use riposte::abi::{MESSAGE_BYTES, MESSAGE_WORDS};
use riposte::sync::{Mutex, MutexGuard};
use riposte::{Connection, Error, Part, Status, ThreadId, Token};
use riposte_node::protocol::RESERVED;

/// A name, and how many bytes it has.
type Name = ([u8; NAME], u8);

/// Most connections to servers that are open at once.
const LINKS: usize = 32;

/// The node, and what is at its ends.
pub struct State {
    pub node: Node,
    pub program: Program,
    pub addresses: [Option<SocketAddr>; PEERS],
    pub peer_names: [&'static str; PEERS],
    pub links: Links,
}

/// Clients that wait, and what is to be done soon.
pub struct Program {
    pub waiters: [Option<Waiter>; NEAR],
    /// Circuits of peers that are to be opened, and their names.
    opens: [[Option<Name>; CIRCUITS]; PEERS],
    has_opens: bool,
    /// Peers of which all circuits are closed.
    closed: [bool; PEERS],
    serves: [bool; FAR],
    cancels: [bool; FAR],
    pub workers: [Option<ThreadId>; FAR],
    /// Which of them wait for a server.
    pub sends: [bool; FAR],
}

/// A client that waits.
pub struct Waiter {
    pub token: Token,
    pub circuit: usize,
    pub offered: usize,
    /// What came in registers. Anything longer is still the client's.
    pub words: [u32; MESSAGE_WORDS],
}

static STATE: Mutex<State> = Mutex::new(State {
    node: Node::new(0, 0, 0),
    program: Program {
        waiters: [const { None }; NEAR],
        opens: [[None; CIRCUITS]; PEERS],
        has_opens: false,
        closed: [false; PEERS],
        serves: [false; FAR],
        cancels: [false; FAR],
        workers: [None; FAR],
        sends: [false; FAR],
    },
    addresses: [None; PEERS],
    peer_names: [""; PEERS],
    links: Links {
        all: [const { None }; LINKS],
    },
});

static MEMORY: [Mutex<[u8; PART]>; BLOCKS] = [const { Mutex::new([0; PART]) }; BLOCKS];

/// The state. Whoever has it takes no other lock but those of blocks, and waits for nothing.
pub fn state() -> MutexGuard<'static, State> {
    take(&STATE)
}

/// A block. Who serves a request has those of the request; all others are of who has the state.
pub fn block(number: u8) -> Option<MutexGuard<'static, [u8; PART]>> {
    MEMORY.get(usize::from(number)).map(take)
}

/// Takes a lock; a signal that comes meanwhile changes nothing.
pub fn take<T>(mutex: &'static Mutex<T>) -> MutexGuard<'static, T> {
    loop {
        match mutex.lock() {
            Ok(guard) => return guard,
            Err(Error::Interrupted) => {}
            Err(error) => panic!("a lock of the node manager: {error}"),
        }
    }
}

/// The status that tells a client why there is no answer.
pub fn status_of(failure: Failure) -> Status {
    Status(RESERVED + failure as u32)
}

impl Waiter {
    /// Answers it with an error. One that has left needs none.
    pub fn refuse(self, why: Failure) {
        let _ = self.token.reply_error(status_of(why));
    }
}

impl Program {
    /// A circuit of a peer that is to be opened, with its name.
    pub fn next_open(&mut self) -> Option<(usize, usize, [u8; NAME], usize)> {
        if !self.has_opens {
            return None;
        }
        for (peer, circuits) in self.opens.iter_mut().enumerate() {
            for (circuit, place) in circuits.iter_mut().enumerate() {
                // It is looked at before it is taken: taking copies the name's place, whether there is one or not.
                if place.is_some()
                    && let Some((name, length)) = place.take()
                {
                    return Some((peer, circuit, name, length.into()));
                }
            }
        }
        self.has_opens = false;
        None
    }

    /// Whether there is a circuit to be opened or closed.
    pub fn has_circuits_to_look_at(&self) -> bool {
        self.has_opens || self.closed.contains(&true)
    }

    /// A peer of which all circuits are closed.
    pub fn next_closed(&mut self) -> Option<usize> {
        let peer = self.closed.iter().position(|it| *it)?;
        self.closed[peer] = false;
        Some(peer)
    }

    /// A request that is to be served.
    pub fn next_serve(&mut self) -> Option<usize> {
        let far = self.serves.iter().position(|it| *it)?;
        self.serves[far] = false;
        Some(far)
    }

    /// A request that nobody waits for any more.
    pub fn next_cancel(&mut self) -> Option<usize> {
        let far = self.cancels.iter().position(|it| *it)?;
        self.cancels[far] = false;
        Some(far)
    }
}

impl Ends for Program {
    fn read(&mut self, near: usize, offset: usize, to: &mut [u8]) -> bool {
        let Some(Some(waiter)) = self.waiters.get(near) else {
            return false;
        };
        if waiter.offered > MESSAGE_BYTES {
            return waiter.token.read(offset as u32, to) == Ok(to.len());
        }
        let bytes = waiter.words.iter().flat_map(|word| word.to_le_bytes());
        let bytes = bytes.take(waiter.offered).skip(offset);
        to.iter_mut().zip(bytes).for_each(|(to, from)| *to = from);
        true
    }

    fn answer(&mut self, near: usize, answer: Answer<'_>) {
        let Some(waiter) = self.waiters.get_mut(near).and_then(Option::take) else {
            return;
        };
        // Whoever has left needs no answer.
        let _ = match answer {
            Answer::Failed(why) => waiter.token.reply_error(status_of(why)),
            Answer::Bytes { status, bytes } => {
                waiter.token.reply_with(Status(status), bytes).map(drop)
            }
            Answer::Blocks {
                status,
                blocks,
                length,
            } => reply_blocks(waiter.token, Status(status), blocks, length),
        };
    }

    fn keep(&mut self, number: u8, bytes: &[u8]) {
        if let Some(mut block) = block(number)
            && let Some(place) = block.get_mut(..bytes.len())
        {
            place.copy_from_slice(bytes);
        }
    }

    fn recall(&mut self, number: u8, to: &mut [u8]) {
        if let Some(block) = block(number)
            && let Some(bytes) = block.get(..to.len())
        {
            to.copy_from_slice(bytes);
        }
    }

    fn open(&mut self, peer: usize, circuit: usize, name: &[u8]) {
        let mut bytes = [0; NAME];
        bytes
            .iter_mut()
            .zip(name)
            .for_each(|(to, from)| *to = *from);
        if let Some(place) = self.opens.get_mut(peer).and_then(|it| it.get_mut(circuit)) {
            *place = Some((bytes, name.len() as u8));
            self.has_opens = true;
        }
    }

    fn closed(&mut self, peer: usize) {
        self.closed[peer] = true;
        self.opens[peer] = [None; CIRCUITS];
    }

    fn serve(&mut self, far: usize) {
        self.serves[far] = true;
    }

    fn cancel(&mut self, far: usize) {
        self.cancels[far] = true;
    }
}

fn reply_blocks(token: Token, status: Status, blocks: &[u8], length: usize) -> Result<(), Error> {
    let held: [Option<MutexGuard<'static, [u8; PART]>>; node_circuits::PARTS] =
        core::array::from_fn(|at| blocks.get(at).and_then(|it| block(*it)));
    let empty: &[u8] = &[];
    let parts: [Part<'_>; node_circuits::PARTS] = core::array::from_fn(|at| {
        let bytes = held[at].as_ref().map_or(empty, |it| it.as_slice());
        let rest = length.saturating_sub(at * PART).min(bytes.len());
        Part::new(bytes.get(..rest).unwrap_or_default())
    });
    let parts = parts.get(..blocks.len()).unwrap_or_default();
    token.reply_vector_with(status, parts).map(drop)
}

/// Connections to servers, by the circuits of peers that lead to them.
pub struct Links {
    all: [Option<Link>; LINKS],
}

struct Link {
    connection: Connection,
    peer: usize,
    circuit: usize,
    users: usize,
    /// Not any more: the circuit is closed, or leads elsewhere.
    is_over: bool,
}

impl Links {
    /// A circuit leads to this from now on. Gives it back if there is no room.
    pub fn add(
        &mut self,
        peer: usize,
        circuit: usize,
        connection: Connection,
    ) -> Result<(), Connection> {
        self.end(peer, Some(circuit));
        match self.all.iter_mut().find(|it| it.is_none()) {
            Some(place) => {
                *place = Some(Link {
                    connection,
                    peer,
                    circuit,
                    users: 0,
                    is_over: false,
                });
                Ok(())
            }
            None => Err(connection),
        }
    }

    /// A circuit of a peer is closed, or all of them. Whoever uses what it led to goes on.
    pub fn end(&mut self, peer: usize, circuit: Option<usize>) {
        for place in &mut self.all {
            if let Some(link) = place
                && link.peer == peer
                && circuit.is_none_or(|it| it == link.circuit)
            {
                link.is_over = true;
                close_if_unused(place);
            }
        }
    }

    /// Uses what a circuit leads to: until [`Links::leave`], it stays open.
    pub fn enter(&mut self, peer: usize, circuit: usize) -> Option<(usize, Connection)> {
        let is_it =
            |link: &&mut Link| link.peer == peer && link.circuit == circuit && !link.is_over;
        let mut links = self.all.iter_mut().enumerate();
        links.find_map(|(place, link)| {
            let link = link.as_mut().filter(is_it)?;
            link.users += 1;
            Some((place, Connection::from_handle(link.connection.handle())))
        })
    }

    /// Does not use it any more.
    pub fn leave(&mut self, place: usize) {
        if let Some(place) = self.all.get_mut(place)
            && let Some(link) = place
        {
            link.users -= 1;
            close_if_unused(place);
        }
    }
}

fn close_if_unused(place: &mut Option<Link>) {
    if place.as_ref().is_some_and(|it| it.is_over && it.users == 0)
        && let Some(link) = place.take()
    {
        let _ = link.connection.close();
    }
}
