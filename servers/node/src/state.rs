//! What all threads of the node manager have in common.

use core::net::SocketAddr;
use core::ops::Range;

use heapless::Vec;
use node_circuits::{
    Alarm, Answer, Blocks, Ends, FAR, FAR_BLOCKS, Failure, NAME, NEAR, NEAR_BLOCKS, Node, Opens,
    PART, PARTS, PEERS, PROXIES, Run,
};
use riposte::abi::MESSAGE_WORDS;
use riposte::sync::{Mutex, MutexGuard, OnceCell};
use riposte::{Error, Part, PartMut, Proxy, ProxyId, Region, Status, ThreadId, Token};
use riposte_node::protocol::RESERVED;
use servers_waiting::crowding;

use crate::exports::Asked;
use crate::links::Links;

/// The node, and what is at its ends.
pub struct State {
    pub node: Node,
    pub program: Program,
    pub addresses: [Option<SocketAddr>; PEERS],
    pub peer_names: [&'static str; PEERS],
    pub links: Links,
    /// What is said in the log of frames that fit no key; nothing if there is none.
    pub alarm: Option<Alarm>,
}

impl State {
    /// What a peer asks for by a circuit.
    pub fn asked(&self, peer: usize, circuit: usize) -> Asked {
        let given = self.node.asked_name(peer, circuit);
        let mut name = [0; NAME];
        name.iter_mut()
            .zip(given)
            .for_each(|(to, from)| *to = *from);
        Asked {
            peer: self.peer_names.get(peer).copied().unwrap_or_default(),
            name,
            length: given.len(),
        }
    }

    /// When something is to be said of frames that fit no key.
    pub fn alarm_due(&self) -> Option<u64> {
        self.alarm?.due(self.node.counted.forged.0)
    }
}

/// Clients that wait, and what is to be done soon.
pub struct Program {
    pub waiters: [Option<Waiter>; NEAR],
    /// Circuits of peers that are to be opened.
    opens: Opens,
    /// Peers of which all circuits are closed.
    closed: [bool; PEERS],
    serves: [bool; FAR],
    cancels: [bool; FAR],
    pub workers: [Option<Worker>; FAR],
    /// Which of them wait for a server.
    pub sends: [bool; FAR],
    /// The proxies that clients trigger, by their places at this node; 0 is none.
    remotes: [u32; PROXIES],
    /// The rights to trigger proxies that peers have; 0 is none.
    rights: [u32; PROXIES],
    /// How often a peer has triggered one that was triggered as often as it can be before it is received.
    pub lost: u32,
}

/// Who serves requests of one place.
pub struct Worker {
    pub thread: ThreadId,
    /// Its own, which is that of the last client.
    pub priority: u8,
}

/// A client that waits.
pub struct Waiter {
    pub token: Token,
    /// Its process, as the circuit knows it.
    pub badge: u32,
    pub circuit: usize,
    pub offered: usize,
    /// What came in registers. Anything else, however short, is still the client's.
    pub words: Option<[u32; MESSAGE_WORDS]>,
}

static STATE: Mutex<State> = Mutex::new(State {
    node: Node::new(0, 0, 0),
    program: Program {
        waiters: [const { None }; NEAR],
        opens: Opens::new(),
        closed: [false; PEERS],
        serves: [false; FAR],
        cancels: [false; FAR],
        workers: [const { None }; FAR],
        sends: [false; FAR],
        remotes: [0; PROXIES],
        rights: [0; PROXIES],
        lost: 0,
    },
    addresses: [None; PEERS],
    peer_names: [""; PEERS],
    links: Links::new(),
    alarm: None,
});

/// Blocks that the manager has of its own, for requests of peers: one part of each and one of its reply, and one more, so that a
/// region of 32 KiB has the rest of a longest one both ways.
const OWN_BLOCKS: usize = 2 * FAR + 1;

static MEMORY: [Mutex<[u8; PART]>; OWN_BLOCKS] = [const { Mutex::new([0; PART]) }; OWN_BLOCKS];
static MORE: OnceCell<More> = OnceCell::new();

/// Blocks in a region that the manifest gives the manager: those for replies, and behind them those for requests of peers, which
/// come before the manager's own: they lie side by side.
struct More {
    region: Region,
    near: usize,
    far: usize,
}

/// Has the node use the manager's own blocks, and those of a region if the manifest gives it one. `room` is the most bytes of a
/// reply that comes.
pub fn find_blocks(node: &mut Node, room: usize) {
    let mut regions = riposte::manifest_entries(riposte::abi::process_info::kind::REGION);
    let region = regions
        .next()
        .and_then(|(_, name)| riposte::region(name).ok());
    let all = region.map_or(0, |it| it.length() / PART);
    let parts = room.div_ceil(PART);
    // A reply of one part is answered from its frame.
    let needed = if parts > 1 { parts } else { 0 };
    assert!(
        needed <= all,
        "`room` = {room} in the node manager's `settings` in app.toml: a [[region]] of at least {} bytes with the manager as its process has to hold it",
        (needed * PART).next_power_of_two()
    );
    let far = (all - needed).min(FAR_BLOCKS - OWN_BLOCKS);
    let near = if needed > 0 {
        (all - far).min(NEAR_BLOCKS)
    } else {
        0
    };
    node.set_blocks(near, OWN_BLOCKS + far);
    if let Some(region) = region {
        let more = MORE.get_or_init(|| More { region, near, far });
        assert!(more.is_ok(), "the blocks are found twice");
    }
}

/// Blocks that lie side by side.
pub enum Side {
    /// One of the manager's own.
    Own(MutexGuard<'static, [u8; PART]>),
    /// Bytes of the region.
    More(Region, Range<usize>),
}

impl Side {
    /// Copies bytes to its beginning.
    pub fn write(&mut self, bytes: &[u8]) {
        match self {
            Side::Own(block) => {
                if let Some(place) = block.get_mut(..bytes.len()) {
                    place.copy_from_slice(bytes);
                }
            }
            // It is all in the region, which is the manager's to write.
            Side::More(region, all) => drop(region.write(all.start, bytes)),
        }
    }

    /// Copies bytes of its beginning.
    pub fn read(&self, to: &mut [u8]) {
        match self {
            Side::Own(block) => {
                if let Some(bytes) = block.get(..to.len()) {
                    to.copy_from_slice(bytes);
                }
            }
            Side::More(region, all) => {
                region.read(all.start, to);
            }
        }
    }

    /// Its first bytes, as a part of a message.
    pub fn part(&self, length: usize) -> Part<'_> {
        let length = length.min(self.length());
        match self {
            Side::Own(block) => Part::new(block.get(..length).unwrap_or_default()),
            Side::More(region, all) => region
                .part(all.start..all.start + length)
                .unwrap_or_else(|| Part::new(&[])),
        }
    }

    /// All of them, for a part of a message.
    fn part_mut(&mut self) -> PartMut<'_> {
        match self {
            Side::Own(block) => PartMut::new(&mut block[..]),
            Side::More(region, all) => region
                .part_mut(all.clone())
                .unwrap_or_else(|| PartMut::new(&mut [])),
        }
    }

    fn length(&self) -> usize {
        match self {
            Side::Own(_) => PART,
            Side::More(_, all) => all.len(),
        }
    }
}

/// The state. Whoever has it takes no other lock but those of blocks, and waits for nothing.
pub fn state() -> MutexGuard<'static, State> {
    take(&STATE)
}

/// As much of a run as lies side by side, and how many blocks that are. Who serves a request has the blocks of the request; all
/// others are of who has the state.
fn side(run: Run) -> Option<(Side, usize)> {
    let more = MORE.get();
    let far_more = more.map_or(0, |it| it.far);
    let far = run.first.checked_sub(NEAR_BLOCKS);
    if let Some(own) = far.and_then(|far| far.checked_sub(far_more)) {
        return Some((Side::Own(take(MEMORY.get(own)?)), 1));
    }
    let more = more?;
    let (place, count) = match far {
        Some(far) => (more.near + far, run.count.min(far_more - far)),
        None => (run.first, run.count),
    };
    let all = place * PART..(place + count) * PART;
    Some((Side::More(more.region, all), count))
}

fn block(number: usize) -> Option<Side> {
    let run = Run {
        first: number,
        count: 1,
    };
    side(run).map(|(block, _)| block)
}

/// The memory of a message, in its order.
pub struct Memory(Vec<Side, PARTS>);

impl Memory {
    /// That of no block.
    pub const fn new() -> Memory {
        Memory(Vec::new())
    }

    /// That of these blocks follows, too.
    pub fn add(&mut self, blocks: Blocks) {
        for mut run in blocks.runs() {
            while run.count > 0
                && let Some((side, count)) = side(run)
            {
                // There are as many at most as a message has parts.
                let _ = self.0.push(side);
                run.first += count;
                run.count -= count;
            }
        }
    }

    /// The first bytes, as parts of a message.
    pub fn parts(&self, length: usize) -> impl Iterator<Item = Part<'_>> {
        let mut before = 0;
        self.0.iter().map(move |side| {
            let part = side.part(length.saturating_sub(before));
            before += side.length();
            part
        })
    }

    /// All of it, for the parts of a message.
    pub fn rooms(&mut self) -> impl Iterator<Item = PartMut<'_>> {
        self.0.iter_mut().map(Side::part_mut)
    }

    /// Copies bytes of the beginning, which are within the first block.
    pub fn read(&self, to: &mut [u8]) {
        if let Some(side) = self.0.first() {
            side.read(to);
        }
    }
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
    /// A circuit of a peer that is to be opened.
    pub fn next_open(&mut self) -> Option<(usize, usize)> {
        self.opens.take()
    }

    /// Whether there is a circuit to be opened or closed.
    pub fn has_circuits_to_look_at(&self) -> bool {
        !self.opens.is_empty() || self.closed.contains(&true)
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

    /// The place of one that waits at a circuit and gives way to one more of this badge there.
    pub fn displaced(&self, circuit: usize, badge: u32) -> Option<usize> {
        let waiters = self.waiters.iter().enumerate();
        let mut at_it = waiters.filter_map(|(place, waiter)| {
            let waiter = waiter.as_ref().filter(|it| it.circuit == circuit)?;
            Some((place, waiter.badge))
        });
        let crowding = crowding(at_it.clone().map(|(_, owner)| owner), badge)?;
        at_it.nth(crowding).map(|(place, _)| place)
    }

    /// Which proxy a client has triggered.
    pub fn remote_of(&self, proxy: ProxyId) -> Option<usize> {
        let is_it = |handle: &u32| *handle != 0 && Proxy::from_handle(*handle).id() == proxy;
        self.remotes.iter().position(is_it)
    }

    /// A peer has the right to trigger this proxy, by this place: what that was is over.
    pub fn keep_right(&mut self, right: usize, proxy: Proxy) {
        self.forget(right);
        self.rights[right] = proxy.handle();
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
        let Some(words) = waiter.words else {
            return waiter.token.read(offset as u32, to) == Ok(to.len());
        };
        let bytes = words.iter().flat_map(|word| word.to_le_bytes());
        let bytes = bytes.take(waiter.offered).skip(offset);
        to.iter_mut().zip(bytes).for_each(|(to, from)| *to = from);
        true
    }

    fn answer(&mut self, near: usize, answer: Answer<'_>) -> bool {
        let Some(waiter) = self.waiters.get_mut(near).and_then(Option::take) else {
            return false;
        };
        // Whoever has left needs no answer.
        let answered = match answer {
            Answer::Failed(why) => waiter.token.reply_error(status_of(why)),
            Answer::Bytes { status, bytes } => {
                waiter.token.reply_with(Status(status), bytes).map(drop)
            }
            Answer::Blocks {
                status,
                blocks,
                length,
            } => reply_blocks(waiter.token, Status(status), blocks, length),
            Answer::Proxy { bytes, proxy } => return self.hand_on(waiter, bytes, proxy),
        };
        answered.is_ok()
    }

    fn keep(&mut self, number: usize, bytes: &[u8]) {
        if let Some(mut block) = block(number) {
            block.write(bytes);
        }
    }

    fn recall(&mut self, number: usize, to: &mut [u8]) {
        if let Some(block) = block(number) {
            block.read(to);
        }
    }

    fn open(&mut self, peer: usize, circuit: usize, _: &[u8]) {
        self.opens.add(peer, circuit);
    }

    fn closed(&mut self, peer: usize) {
        self.closed[peer] = true;
        self.opens.forget(peer);
    }

    fn serve(&mut self, far: usize) {
        self.serves[far] = true;
    }

    fn cancel(&mut self, far: usize) {
        self.cancels[far] = true;
    }

    fn end_proxy(&mut self, proxy: usize) {
        let handle = core::mem::take(&mut self.remotes[proxy]);
        // The client had not taken it, if there is none.
        let _ = Proxy::from_handle(handle).destroy();
    }

    fn trigger(&mut self, right: usize, times: u32) -> bool {
        let proxy = Proxy::from_handle(self.rights[right]);
        for _ in 0..times {
            match proxy.trigger() {
                Ok(()) => {}
                Err(Error::WouldBlock) => self.lost = self.lost.wrapping_add(1),
                // Its owner has ended it, or has ended.
                Err(_) => return false,
            }
        }
        true
    }

    fn forget(&mut self, right: usize) {
        let handle = core::mem::take(&mut self.rights[right]);
        if handle != 0 {
            let _ = Proxy::from_handle(handle).close();
        }
    }
}

impl Program {
    /// Answers a client with a proxy of this node in place of that of the peer. Whether it has taken it.
    fn hand_on(&mut self, waiter: Waiter, bytes: &[u8], proxy: usize) -> bool {
        let circuit = crate::circuit::ALL
            .get(waiter.circuit)
            .and_then(OnceCell::get);
        let made = circuit.map(|it| Proxy::new(&it.channel, &[]));
        let Some(Ok(made)) = made else {
            waiter.refuse(Failure::NotCarried);
            return false;
        };
        let mut words = bytes
            .as_chunks::<4>()
            .0
            .iter()
            .map(|it| u32::from_le_bytes(*it));
        let words = core::array::from_fn(|_| words.next().unwrap_or_default());
        if waiter.token.try_reply_proxy(words, &made).is_ok() {
            self.remotes[proxy] = made.handle();
            return true;
        }
        // The client takes none, or has no room for it.
        let _ = made.destroy();
        waiter.refuse(Failure::NotCarried);
        false
    }
}

fn reply_blocks(token: Token, status: Status, blocks: Blocks, length: usize) -> Result<(), Error> {
    let (mut memory, mut parts) = (Memory::new(), Vec::<_, PARTS>::new());
    memory.add(blocks);
    parts.extend(memory.parts(length));
    token.reply_vector_with(status, &parts).map(drop)
}
