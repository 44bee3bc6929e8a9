//! A node: what comes, and what is to be sent.

mod triggers;

use core::mem::take;

use crate::far::{self, Far, Job};
use crate::near::{self, Near};
use crate::pace::MILLI;
use crate::parts::{Coming, Leaving};
use crate::peer::{Incoming, IncomingState, Note, Opened, Peer, PeerSettings, Shaken, is_later};
use crate::proxies::{Remote, Table};
use crate::wire::{
    BODY, BRINGS, Body, Buffer, HANDSHAKE, HEAD, PART, Start, TAG, VERSION, kind, part_length,
    parts_of, what,
};
use crate::{
    Answer, BUSY, Blocks, CIRCUITS, Counted, Ends, FAR, FAR_BLOCKS, FINE, Failure, LONGEST, NAME,
    NEAR, NEAR_BLOCKS, NOT_OPEN, OVER, PARTS, PEERS, WINDOW,
};

/// How long a node waits before it asks again what the other one had no room for.
const BUSY_PAUSE: u64 = 5 * MILLI;

/// How long something that was triggered may take, if nobody says.
const PATIENCE: u64 = 5000 * MILLI;

/// A circuit of this node.
struct Circuit {
    peer: usize,
    name: [u8; NAME],
    length: usize,
    is_open: bool,
    open_at: u64,
    again: u32,
}

/// A frame that is to be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// To which peer.
    pub peer: usize,
    /// Its bytes.
    pub length: usize,
}

/// Whose a frame was that has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heard {
    /// Nobody's who is known, or not a new one.
    Nobody,
    /// It asks for a session, and has the peer's key: an old one does, too, whoever sends it again.
    Asked {
        /// The peer.
        peer: usize,
    },
    /// The peer's, and made just now: it is where that came from.
    Fresh {
        /// The peer.
        peer: usize,
    },
}

/// A node.
pub struct Node {
    own: u8,
    life: u64,
    peers: [Option<Peer>; PEERS],
    circuits: [Option<Circuit>; CIRCUITS],
    near: [Near; NEAR],
    /// How many places of each have ever been used: the first ones.
    near_used: usize,
    far: [Far; FAR],
    far_used: usize,
    /// Blocks that nobody has.
    near_free: Blocks,
    far_free: Blocks,
    /// All of both.
    blocks: [usize; 2],
    /// Most requests of peers that are served at once.
    serves: usize,
    /// Most parts of a reply that a client takes.
    room: usize,
    /// How many parts of messages in several this node takes at once.
    window: u32,
    /// Proxies of peers that this node's clients trigger, and the numbers of this node's that peers may trigger.
    remotes: Table<Remote>,
    rights: Table<u32>,
    /// How long it may take until something that was triggered has come, in nanoseconds.
    patience: u64,
    /// What [`Node::look`] has found, as long as nothing has changed since: what changes something takes it away.
    looked: Option<Look>,
    /// What was not what it should be.
    pub counted: Counted,
}

impl Node {
    /// The node with this number, 1 to 255, in this life, which is another number in each; without peers. Its clients take
    /// replies of up to `room` bytes, at most [`LONGEST`].
    #[must_use]
    pub const fn new(own: u8, life: u64, room: usize) -> Node {
        let room = if room > LONGEST { LONGEST } else { room };
        Node {
            own,
            life,
            peers: [const { None }; PEERS],
            circuits: [const { None }; CIRCUITS],
            near: [Near::FREE; NEAR],
            near_used: 0,
            far: [Far::FREE; FAR],
            far_used: 0,
            near_free: Blocks::of(0, NEAR_BLOCKS),
            far_free: Blocks::of(NEAR_BLOCKS, FAR_BLOCKS),
            blocks: [NEAR_BLOCKS, FAR_BLOCKS],
            serves: FAR,
            room: parts_of(room),
            window: 1,
            remotes: Table::new(Remote::NONE),
            rights: Table::new(0),
            patience: PATIENCE,
            looked: None,
            counted: Counted::NOTHING,
        }
    }

    /// As [`Node::new`], in place.
    pub fn configure(&mut self, own: u8, life: u64, room: usize) {
        self.own = own;
        self.life = life;
        self.room = parts_of(room.min(LONGEST));
    }

    /// Uses the first `near` blocks of [`NEAR_BLOCKS`], and the first `far` of the [`FAR_BLOCKS`] behind those. It uses all until
    /// then. To be called before anything else comes or is begun.
    pub fn set_blocks(&mut self, near: usize, far: usize) {
        self.blocks = [near.min(NEAR_BLOCKS), far.min(FAR_BLOCKS)];
        let [near, far] = self.blocks;
        self.near_free = Blocks::of(0, near);
        self.far_free = Blocks::of(NEAR_BLOCKS, far);
    }

    /// Serves so many requests of peers at once at most, of the first places of [`FAR`]. It serves as many as those until then.
    pub fn set_serves(&mut self, most: usize) {
        self.serves = most.min(FAR);
    }

    /// Has peers send so many parts of messages in several at once, 1 to [`WINDOW`]: as many as are kept until the node takes
    /// them. It is 1 until then.
    pub fn set_window(&mut self, parts: usize) {
        self.window = (parts as u32).clamp(1, WINDOW);
    }

    /// It has another peer: its position; none if there is no room.
    pub fn add_peer(&mut self, settings: PeerSettings) -> Option<usize> {
        self.looked = None;
        let position = self.peers.iter().position(Option::is_none)?;
        self.peers[position] = Some(Peer::new(settings, self.life));
        Some(position)
    }

    /// It has another circuit, to what the peer exports by this name: its position; none if there is no room, or the name is
    /// too long.
    pub fn add_circuit(&mut self, peer: usize, name: &[u8]) -> Option<usize> {
        self.looked = None;
        let position = self.circuits.iter().position(Option::is_none)?;
        let mut bytes = [0; NAME];
        bytes.get_mut(..name.len())?.copy_from_slice(name);
        self.circuits[position] = Some(Circuit {
            peer,
            name: bytes,
            length: name.len(),
            is_open: false,
            open_at: 0,
            again: 0,
        });
        Some(position)
    }

    /// How many requests of a peer are served at once at most if one by this circuit is to be, and in how many blocks. The last
    /// place is for no circuit of which a server still has what its client has left.
    fn share(&self, peer: usize, circuit: usize) -> (usize, usize) {
        let peers = self.peers.iter().flatten().count().max(1);
        let [_, blocks] = self.blocks;
        let has_left = |it: &Far| it.is_over && it.peer == peer && it.circuit == circuit;
        let most = (self.serves / peers).max(1) - usize::from(self.far.iter().any(has_left));
        (most, blocks / peers)
    }

    /// How many requests of a circuit of this node are on the way at once at most.
    fn share_of_circuit(&self) -> usize {
        (NEAR / self.circuits.iter().flatten().count().max(1)).max(1)
    }

    /// Begins a request of a client: its place. It ends with [`Ends::answer`], or with [`Node::abandon`].
    ///
    /// # Errors
    /// [`Failure::TooLong`]; no failure if as many clients of the circuit wait as is its share of all places.
    pub fn begin(
        &mut self,
        now: u64,
        circuit: usize,
        length: usize,
        priority: u8,
        deadline: u64,
    ) -> Result<usize, Option<Failure>> {
        self.looked = None;
        let Some(Some(it)) = self.circuits.get(circuit) else {
            return Err(Some(Failure::NotExported));
        };
        if length > LONGEST {
            return Err(Some(Failure::TooLong));
        }
        // Behind those that have been used one is as good as another.
        let places = self.near.iter().take(self.near_used + 1);
        let own = places.clone().filter(|near| near.is_wanted());
        if own.filter(|near| near.circuit == circuit).count() >= self.share_of_circuit() {
            return Err(None);
        }
        let places = places.enumerate();
        let best = places.filter_map(|(place, near)| Some((near.rank_for(it.peer)?, place)));
        let (_, place) = best.min().ok_or(None)?;
        let (to, is_open) = ([it.peer, circuit], it.is_open);
        self.near_used = self.near_used.max(place + 1);
        let near = &mut self.near[place];
        near.begin(to, length, priority, [now, deadline]);
        near.set_open(is_open);
        self.want(to[0]);
        Ok(place)
    }

    /// The client whose request has this place waits no more, and is not answered: what it may be told.
    pub fn abandon(&mut self, now: u64, place: usize) -> Failure {
        self.looked = None;
        let Some(near) = self.near.get(place).filter(|near| near.is_wanted()) else {
            return Failure::TimedOut;
        };
        let why = self.why_late(near);
        let near = &mut self.near[place];
        self.near_free.put(take(&mut near.blocks));
        if near.is_sent() {
            near.cancel(now);
        } else {
            near.free();
        }
        why
    }

    /// Why there was no answer in time.
    fn why_late(&self, near: &Near) -> Failure {
        let Some(peer) = self.peer(near.peer) else {
            return Failure::NodeGone;
        };
        if peer.heard_since(near.begun) {
            Failure::TimedOut
        } else if peer.version.is_some() {
            Failure::WrongVersion
        } else {
            Failure::NodeGone
        }
    }

    /// The name that a peer has last given a circuit; empty if it has none there.
    #[must_use]
    pub fn asked_name(&self, peer: usize, circuit: usize) -> &[u8] {
        let incoming = self.peer(peer).and_then(|it| it.incoming.get(circuit));
        let asked = incoming.filter(|it| it.state != IncomingState::Closed);
        asked.map(Incoming::name).unwrap_or_default()
    }

    /// What came of a circuit that a peer opens: nothing, if it is open.
    pub fn opened(&mut self, peer: usize, circuit: usize, failure: Option<Failure>) {
        self.looked = None;
        if let Some(Some(peer)) = self.peers.get_mut(peer)
            && let Some(incoming) = peer.incoming.get_mut(circuit)
            && incoming.state == IncomingState::Asked
        {
            incoming.state = match failure {
                None => IncomingState::Open,
                Some(failure) => IncomingState::Failed(failure as u8),
            };
            peer.owed |= 1 << circuit;
        }
    }

    /// The request of a peer that is to be served; none if nobody waits for it any more: then [`Node::served`] is to be called
    /// all the same.
    #[must_use]
    pub fn job(&self, place: usize) -> Option<Job> {
        let far = self.far.get(place)?;
        if far.stage != far::Stage::Serving || far.is_over {
            return None;
        }
        let (low, high) = self.peer(far.peer)?.band;
        Some(Job::of(far, far.priority.clamp(low, high.max(low))))
    }

    /// The server of a peer's circuit has ended: the peer opens it anew, and finds the server's next life.
    pub fn lost(&mut self, peer: usize, circuit: usize) {
        self.looked = None;
        if let Some(Some(peer)) = self.peers.get_mut(peer)
            && let Some(incoming) = peer.incoming.get_mut(circuit)
        {
            incoming.state = IncomingState::Closed;
        }
    }

    /// Whether a request that is being served has nobody who waits for it any more.
    #[must_use]
    pub fn is_cancelled(&self, place: usize) -> bool {
        self.far
            .get(place)
            .is_some_and(|far| far.stage == far::Stage::Serving && far.is_over)
    }

    /// What came of a request that was served: the server's status and how many bytes it had for a reply, of which those are in
    /// the blocks for it that have room.
    pub fn served(&mut self, place: usize, result: Result<(u32, usize), Failure>) {
        self.looked = None;
        let Some(far) = self.far.get_mut(place) else {
            return;
        };
        if far.stage != far::Stage::Serving {
            return;
        }
        if far.is_over {
            self.free_far(place);
            return;
        }
        let result = match result {
            Ok((_, length)) if length > far.reply.count() * PART => Err(Failure::TooLong),
            result => result,
        };
        far.stage = far::Stage::Replying;
        (far.outcome, far.status, far.length) = match result {
            Ok((status, length)) => (FINE, status, length),
            Err(failure) => (failure as u8, 0, 0),
        };
        far.leaving = Leaving::new(far.length);
    }

    fn free_far(&mut self, place: usize) {
        if let Some(far) = self.far.get_mut(place) {
            self.far_free.put(take(&mut far.request));
            self.far_free.put(take(&mut far.reply));
            (far.stage, far.is_over) = (far::Stage::Free, false);
        }
    }

    fn peer(&self, position: usize) -> Option<&Peer> {
        self.peers.get(position)?.as_ref()
    }

    /// There is something for a peer.
    fn want(&mut self, position: usize) {
        if let Some(Some(peer)) = self.peers.get_mut(position)
            && peer.session.is_none()
        {
            peer.wanted = true;
        }
    }

    /// A frame has come, of so many bytes, which is changed: whose it was.
    pub fn hear(
        &mut self,
        now: u64,
        buffer: &mut Buffer,
        length: usize,
        ends: &mut impl Ends,
    ) -> Heard {
        self.looked = None;
        let frame = buffer.get(..length).unwrap_or_default();
        let start = Start::of(frame).filter(|start| start.to == self.own);
        let Some(start) = start else {
            self.counted.strange += 1;
            return Heard::Nobody;
        };
        let is_from = |peer: &Option<Peer>| peer.as_ref().is_some_and(|it| it.number == start.from);
        let Some(position) = self.peers.iter().position(is_from) else {
            self.counted.strange += 1;
            return Heard::Nobody;
        };
        let Some(Some(peer)) = self.peers.get_mut(position) else {
            return Heard::Nobody;
        };
        if start.version != VERSION || start.kind == kind::OTHER_VERSION {
            self.counted.versions += 1;
            if start.version != VERSION {
                peer.hear_version(now, start.version, start.kind);
            }
            return Heard::Nobody;
        }
        match start.kind {
            kind::HELLO | kind::WELCOME | kind::CONFIRM if frame.len() == HANDSHAKE => {
                match peer.shake(now, self.own, frame, start) {
                    Shaken::Session { new_life } => {
                        self.begin_session(now, position, new_life, ends);
                        return Heard::Fresh { peer: position };
                    }
                    Shaken::Forged => self.counted.forged += 1,
                    Shaken::Nothing if start.kind == kind::HELLO => {
                        return Heard::Asked { peer: position };
                    }
                    Shaken::Nothing => {}
                }
            }
            kind::SEALED if length >= HEAD + BODY + TAG => {
                let end = length - TAG;
                match peer.open(now, buffer, end) {
                    Opened::Fine => {
                        self.counted.received += 1;
                        let inside = buffer.get(HEAD..end).and_then(Body::of);
                        if let Some((body, bytes)) = inside {
                            self.take(now, position, body, bytes, ends);
                        }
                        return Heard::Fresh { peer: position };
                    }
                    Opened::Forged => self.counted.forged += 1,
                    Opened::Replayed => self.counted.replayed += 1,
                    Opened::Unknown => self.counted.unknown += 1,
                }
            }
            _ => self.counted.strange += 1,
        }
        Heard::Nobody
    }

    /// There is another session with a peer.
    fn begin_session(&mut self, now: u64, peer: usize, new_life: bool, ends: &mut impl Ends) {
        for place in 0..NEAR {
            let near = self.near[place];
            if near.peer != peer || near.stage == near::Stage::Free {
                continue;
            }
            if !new_life {
                self.near[place].hurry(now);
            } else if near.is_wanted() && !near.is_sent() {
                self.near[place].set_open(false);
            } else {
                // It was served once, or not at all.
                self.fail(place, Failure::NodeGone, ends);
                self.near[place].free();
            }
        }
        if !new_life {
            for far in self.far.iter_mut().filter(|far| far.peer == peer) {
                if far.stage == far::Stage::Replying {
                    far.leaving.hold(now);
                }
            }
            return;
        }
        for circuit in self.circuits.iter_mut().flatten() {
            if circuit.peer == peer {
                circuit.is_open = false;
                circuit.open_at = now;
            }
        }
        for place in 0..FAR {
            if self.far[place].peer == peer {
                self.end_far(place, ends);
            }
        }
        self.end_proxies(peer, ends);
        ends.closed(peer);
    }

    /// Nobody waits for a request of a peer any more.
    fn end_far(&mut self, place: usize, ends: &mut impl Ends) {
        let far = &mut self.far[place];
        match far.stage {
            far::Stage::Free => {}
            far::Stage::Serving if far.is_over => {}
            far::Stage::Serving => {
                far.is_over = true;
                ends.cancel(place);
            }
            far::Stage::Gathering | far::Stage::Replying => self.free_far(place),
        }
    }

    /// A client is told why there is no answer, if it waits.
    fn fail(&mut self, place: usize, why: Failure, ends: &mut impl Ends) {
        let near = &mut self.near[place];
        self.near_free.put(take(&mut near.blocks));
        if near.is_wanted() {
            ends.answer(place, Answer::Failed(why));
        }
    }

    #[cfg(test)]
    pub(crate) fn take_from_peer(
        &mut self,
        now: u64,
        peer: usize,
        body: Body,
        bytes: &[u8],
        ends: &mut impl Ends,
    ) {
        self.looked = None;
        self.take(now, peer, body, bytes, ends);
    }

    fn take(&mut self, now: u64, peer: usize, body: Body, bytes: &[u8], ends: &mut impl Ends) {
        match body.what {
            what::REQUEST => self.take_request(now, peer, body, bytes, ends),
            what::REPLY => self.take_reply(now, peer, body, bytes, ends),
            what::ACKNOWLEDGE => self.take_acknowledgement(now, peer, body),
            what::TAKEN => self.take_taken(now, peer, body),
            what::CANCEL => self.take_cancel(peer, body, ends),
            what::REFUSE => self.take_refusal(now, peer, body, ends),
            what::ASK => self.take_question(now, peer, body),
            what::OPEN => self.take_open(peer, body, bytes, ends),
            what::OPENED => self.take_opened(now, peer, body, ends),
            what::TRIGGER => self.take_batch(peer, body, bytes, ends),
            what::TRIGGERED => self.take_triggered(now, peer, body, ends),
            _ => self.counted.strange += 1,
        }
    }
}

// What comes for requests of this node's clients.
impl Node {
    /// The place of this request of a client of this node.
    fn own(&self, peer: usize, body: &Body) -> Option<usize> {
        let place = usize::from(body.slot);
        let near = self.near.get(place)?;
        let is_it =
            near.peer == peer && near.count == body.count && near.stage != near::Stage::Free;
        is_it.then_some(place)
    }

    fn take_acknowledgement(&mut self, now: u64, peer: usize, body: Body) {
        let Some(place) = self.own(peer, &body) else {
            return;
        };
        let near = &mut self.near[place];
        let Some(Some(peer)) = self.peers.get_mut(peer) else {
            return;
        };
        match near.stage {
            near::Stage::Sending => {
                let pace = peer.pace(near.leaving.count());
                near.leaving.acknowledged(body.mask, body.time, now, pace);
                if near.leaving.is_all() {
                    near.wait(now);
                }
            }
            near::Stage::Waiting => near.heard(now),
            _ => {}
        }
    }

    fn take_reply(
        &mut self,
        now: u64,
        peer: usize,
        body: Body,
        bytes: &[u8],
        ends: &mut impl Ends,
    ) {
        let wanted = self.own(peer, &body).filter(|place| {
            let near = &self.near[*place];
            near.is_wanted() && near.is_sent()
        });
        let Some(place) = wanted else {
            self.take_late_reply(now, peer, &body);
            return;
        };
        let Some((length, part, parts)) = body.piece(bytes) else {
            self.counted.strange += 1;
            return;
        };
        let near = &mut self.near[place];
        if let (near::Stage::Sending, Some(Some(peer))) = (near.stage, self.peers.get_mut(peer)) {
            let pace = peer.pace(near.leaving.count());
            near.leaving.acknowledged(u16::MAX, body.time, now, pace);
        }
        near.heard(now);
        if body.level != FINE || parts > self.room {
            let why = match body.level {
                FINE => Failure::TooLong,
                level => Failure::from_number(level).unwrap_or(Failure::Reserved),
            };
            self.fail(place, why, ends);
            self.over(now, place, parts);
            return;
        }
        if parts == 1 {
            if body.mask & BRINGS != 0 {
                self.take_proxy(place, body.value, bytes, ends);
            } else {
                let status = body.value;
                ends.answer(place, Answer::Bytes { status, bytes });
            }
            self.over(now, place, parts);
            return;
        }
        if near.stage != near::Stage::Receiving {
            // Nobody has them: the other node sends the part again.
            let Some(blocks) = self.near_free.take(parts) else {
                near.wait(now);
                return;
            };
            near.blocks = blocks;
            near.coming = Coming::new(length);
            near.stage = near::Stage::Receiving;
        }
        if near.coming.length != length {
            self.counted.strange += 1;
            return;
        }
        let is_new = near.coming.note(part, now, self.window);
        self.counted.doubled += u32::from(!is_new);
        if is_new && let Some(block) = near.blocks.at(part) {
            ends.keep(block, bytes);
        }
        if near.coming.is_all() {
            let answer = Answer::Blocks {
                status: body.value,
                blocks: near.blocks,
                length,
            };
            ends.answer(place, answer);
            self.near_free.put(take(&mut near.blocks));
            near.done();
        }
    }

    /// The client has its answer: the other node is to be told, before long.
    fn over(&mut self, now: u64, place: usize, parts: usize) {
        let near = &mut self.near[place];
        // Of a reply that was longer before.
        self.near_free.put(take(&mut near.blocks));
        near.coming = Coming::new(parts * PART);
        (0..parts).for_each(|part| {
            near.coming.note(part, now, self.window);
        });
        near.done();
    }

    /// A reply that nobody waits for: the other node is to be told at once.
    fn take_late_reply(&mut self, now: u64, peer: usize, body: &Body) {
        if let Some(place) = self.own(peer, body)
            && self.near[place].stage == near::Stage::Done
        {
            self.near[place].coming.tell_now(now);
        } else if let Some(Some(peer)) = self.peers.get_mut(peer) {
            peer.stale = Some(Note {
                slot: body.slot,
                count: body.count,
                outcome: FINE,
            });
        }
    }

    fn take_refusal(&mut self, now: u64, peer: usize, body: Body, ends: &mut impl Ends) {
        let Some(place) = self.own(peer, &body) else {
            return;
        };
        let near = &mut self.near[place];
        match (near.stage, body.level) {
            (near::Stage::Cancelling, _) => near.free(),
            (near::Stage::Sending, BUSY) => near.leaving.hold(now + BUSY_PAUSE),
            (near::Stage::Sending, NOT_OPEN) => {
                let circuit = near.circuit;
                near.set_open(false);
                if let Some(Some(circuit)) = self.circuits.get_mut(circuit) {
                    circuit.is_open = false;
                    circuit.open_at = now;
                }
            }
            (near::Stage::Sending | near::Stage::Waiting, level)
                if level != BUSY && level != NOT_OPEN =>
            {
                let why = Failure::from_number(level).unwrap_or(Failure::TimedOut);
                self.fail(place, why, ends);
                self.near[place].free();
            }
            _ => {}
        }
    }

    fn take_opened(&mut self, now: u64, peer: usize, body: Body, ends: &mut impl Ends) {
        let position = usize::from(body.circuit);
        let Some(Some(circuit)) = self.circuits.get_mut(position) else {
            return;
        };
        if circuit.peer != peer || circuit.is_open {
            return;
        }
        if let Some(Some(peer)) = self.peers.get_mut(peer) {
            peer.set_window(body.parts);
        }
        circuit.is_open = body.level == FINE;
        circuit.again = 0;
        circuit.open_at = now;
        for place in 0..NEAR {
            let near = &mut self.near[place];
            if near.stage != near::Stage::Opening || near.circuit != position {
                continue;
            }
            if body.level == FINE {
                near.set_open(true);
                continue;
            }
            let why = match near.is_sent() {
                true => Failure::ServerDied,
                false => Failure::from_number(body.level).unwrap_or(Failure::NotExported),
            };
            self.fail(place, why, ends);
            self.near[place].free();
        }
    }
}

// What comes of requests of peers.
impl Node {
    /// The place of this request of a peer.
    fn theirs(&self, peer: usize, body: &Body) -> Option<usize> {
        self.far
            .iter()
            .position(|far| far.is(peer, body.slot, body.count))
    }

    /// Whether this request of a peer is later than all that have come of its place.
    fn is_new(&self, peer: usize, body: &Body) -> bool {
        let peer = self.peer(peer);
        let latest = peer.and_then(|it| it.latest.get(usize::from(body.slot)));
        latest.is_some_and(|latest| is_later(body.count, *latest))
    }

    /// It has come, and is begun now or never.
    fn note(&mut self, peer: usize, body: &Body) {
        if let Some(Some(peer)) = self.peers.get_mut(peer)
            && let Some(latest) = peer.latest.get_mut(usize::from(body.slot))
        {
            *latest = Some(body.count);
        }
    }

    fn refuse(&mut self, peer: usize, body: &Body, outcome: u8) {
        if let Some(Some(peer)) = self.peers.get_mut(peer) {
            peer.refusal = Some(Note {
                slot: body.slot,
                count: body.count,
                outcome,
            });
        }
    }

    fn take_request(
        &mut self,
        now: u64,
        peer: usize,
        body: Body,
        bytes: &[u8],
        ends: &mut impl Ends,
    ) {
        let has_room = (1..=PARTS as u32).contains(&body.value);
        let Some((length, part, _)) = body.piece(bytes).filter(|_| has_room) else {
            self.counted.strange += 1;
            return;
        };
        let place = match self.theirs(peer, &body) {
            Some(place) => place,
            None if !self.is_new(peer, &body) => return,
            None => match self.begin_far(now, peer, &body, ends) {
                Ok(place) => place,
                // It was not begun, and is looked at anew if it comes again.
                Err(outcome) => {
                    self.refuse(peer, &body, outcome);
                    return;
                }
            },
        };
        let far = &mut self.far[place];
        match far.stage {
            far::Stage::Gathering if far.coming.length == length => {
                let is_new = far.coming.note(part, now, self.window);
                self.counted.doubled += u32::from(!is_new);
                if is_new && let Some(block) = far.request.at(part) {
                    ends.keep(block, bytes);
                }
                if far.coming.is_all() {
                    far.stage = far::Stage::Serving;
                    ends.serve(place);
                }
            }
            far::Stage::Serving => {
                self.counted.doubled += 1;
                far.coming.tell_now(now);
            }
            // The peer has not got the reply, which says the same.
            far::Stage::Replying => far.leaving.hurry(now),
            _ => self.counted.strange += 1,
        }
    }

    /// Finds room for a request of a peer.
    fn begin_far(
        &mut self,
        now: u64,
        peer: usize,
        body: &Body,
        ends: &mut impl Ends,
    ) -> Result<usize, u8> {
        let circuit = usize::from(body.circuit);
        let incoming = self.peer(peer).and_then(|it| it.incoming.get(circuit));
        if incoming.is_none_or(|it| it.state != IncomingState::Open) {
            return Err(NOT_OPEN);
        }
        // Whoever uses the place again has got the reply to what was there, or does not want it.
        for place in 0..FAR {
            let far = &self.far[place];
            if far.stage != far::Stage::Free && far.peer == peer && far.slot == body.slot {
                self.end_far(place, ends);
            }
        }
        let of_request = usize::from(body.parts);
        let (most, most_blocks) = self.share(peer, circuit);
        // A reply may be as long as there is memory for at all: whether it is longer is not known yet.
        let of_reply = most_blocks
            .saturating_sub(of_request)
            .min(body.value as usize);
        if of_reply == 0 {
            return Err(Failure::TooLong as u8);
        }
        let needed = of_request + of_reply;
        let own = self
            .far
            .iter()
            .filter(|it| it.stage != far::Stage::Free && it.peer == peer);
        let (count, used) = own.fold((0, 0), |(count, used), it| {
            (count + 1, used + it.request.count() + it.reply.count())
        });
        let mut places = self.far.iter().take(self.serves);
        let free = places.position(|it| it.stage == far::Stage::Free);
        let place = free
            .filter(|_| count < most && used + needed <= most_blocks)
            .ok_or(BUSY)?;
        let mut blocks = self.far_free.take(needed).ok_or(BUSY)?;
        let request = blocks.take(of_request).ok_or(BUSY)?;
        self.note(peer, body);
        self.far_used = self.far_used.max(place + 1);
        self.far[place] = Far {
            stage: far::Stage::Gathering,
            peer,
            circuit,
            slot: body.slot,
            count: body.count,
            priority: body.level,
            deadline: now.saturating_add(u64::from(body.time) * 1000),
            coming: Coming::new(body.length as usize),
            request,
            reply: blocks,
            ..Far::FREE
        };
        Ok(place)
    }

    fn take_taken(&mut self, now: u64, peer: usize, body: Body) {
        let Some(place) = self.theirs(peer, &body) else {
            return;
        };
        let far = &mut self.far[place];
        if far.stage != far::Stage::Replying {
            return;
        }
        if let Some(Some(peer)) = self.peers.get_mut(peer) {
            let pace = peer.pace(far.leaving.count());
            far.leaving.acknowledged(body.mask, body.time, now, pace);
        }
        if far.leaving.is_all() {
            self.free_far(place);
        }
    }

    fn take_cancel(&mut self, peer: usize, body: Body, ends: &mut impl Ends) {
        if let Some(place) = self.theirs(peer, &body) {
            self.end_far(place, ends);
        } else if self.is_new(peer, &body) {
            // What of it still comes is not begun.
            self.note(peer, &body);
        }
        self.refuse(peer, &body, OVER);
    }

    fn take_question(&mut self, now: u64, peer: usize, body: Body) {
        let Some(place) = self.theirs(peer, &body) else {
            if !self.is_new(peer, &body) {
                self.refuse(peer, &body, OVER);
            }
            return;
        };
        let far = &mut self.far[place];
        match far.stage {
            far::Stage::Gathering | far::Stage::Serving => far.coming.tell_now(now),
            far::Stage::Replying => {
                if let Some(Some(peer)) = self.peers.get_mut(peer) {
                    let pace = peer.pace(far.leaving.count());
                    far.leaving.acknowledged(body.mask, body.time, now, pace);
                }
                far.leaving.hurry(now);
            }
            far::Stage::Free => {}
        }
    }

    fn take_open(&mut self, position: usize, body: Body, name: &[u8], ends: &mut impl Ends) {
        let Some(Some(peer)) = self.peers.get_mut(position) else {
            return;
        };
        peer.set_window(body.parts);
        let circuit = usize::from(body.circuit);
        let Some(incoming) = peer
            .incoming
            .get_mut(circuit)
            .filter(|_| name.len() <= NAME)
        else {
            self.counted.strange += 1;
            return;
        };
        if incoming.name() == name {
            match incoming.state {
                IncomingState::Open => {
                    peer.owed |= 1 << circuit;
                    return;
                }
                IncomingState::Asked => return,
                IncomingState::Closed | IncomingState::Failed(_) => {}
            }
        }
        incoming.set_name(name);
        incoming.state = IncomingState::Asked;
        peer.owed &= !(1 << circuit);
        ends.open(position, circuit, name);
    }
}

/// What is to be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Due {
    Shake,
    Stale,
    Refusal,
    Trigger,
    Triggered,
    Opened(usize),
    Open(usize),
    Near(usize, near::Action),
    Acknowledge(usize),
    Reply(usize, usize),
}

/// What is to be done first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Look {
    /// What is to be sent first, when, and to whom.
    first: Option<(u64, usize, Due)>,
    /// The first deadline.
    ends: Option<u64>,
    /// When it is.
    due: Option<u64>,
}

impl Look {
    const NOTHING: Look = Look {
        first: None,
        ends: None,
        due: None,
    };

    /// Whether something is past its deadline at this time, or a session may be asked for that nobody waits for.
    fn expires(&self, now: u64) -> bool {
        self.ends.is_some_and(|it| it <= now) || matches!(self.first, Some((_, _, Due::Shake)))
    }
}

// What is to be sent, and when.
impl Node {
    /// When [`Node::next_frame`] is to be called next, if nothing comes and nothing is begun or served before; none if there is
    /// nothing to be done then.
    pub fn due(&mut self) -> Option<u64> {
        self.look().due
    }

    #[inline(always)]
    fn look(&mut self) -> &Look {
        debug_assert!(
            self.looked
                .as_ref()
                .is_none_or(|it| *it == self.look_anew()),
            "a change was not noted"
        );
        if self.looked.is_none() {
            self.looked = Some(self.look_anew());
        }
        self.looked.get_or_insert(Look::NOTHING)
    }

    /// Ends what is past its deadline.
    fn expire(&mut self, now: u64, ends: &mut impl Ends) {
        for place in 0..NEAR {
            let near = &self.near[place];
            if near.deadline > now {
                continue;
            }
            if near.is_wanted() {
                let why = self.why_late(near);
                if let (Failure::NodeGone, Some(Some(peer))) = (why, self.peers.get_mut(near.peer))
                {
                    peer.doubt();
                }
                self.fail(place, why, ends);
                self.near[place].free();
            } else if near.stage == near::Stage::Cancelling {
                self.near[place].free();
            }
        }
        for place in 0..FAR {
            if self.far[place].stage != far::Stage::Free && self.far[place].deadline <= now {
                self.end_far(place, ends);
            }
        }
        self.expire_batches(now);
        for (position, peer) in self.peers.iter_mut().enumerate() {
            let has_some = |near: &Near| near.peer == position && near.stage != near::Stage::Free;
            if let Some(peer) = peer
                && peer.batches.out.is_none()
                && !self.near.iter().any(has_some)
            {
                peer.rest();
            }
        }
    }

    /// Whether one more part of this message may be on the way to its peer: all messages in several parts share what it takes at
    /// once.
    fn has_room(&self, peer: usize, of: &Leaving) -> bool {
        if of.count() == 1 {
            return true;
        }
        let near = self.near.iter().filter(|near| {
            near.peer == peer && near.stage == near::Stage::Sending && near.leaving.count() > 1
        });
        let far = self.far.iter().filter(|far| {
            far.peer == peer && far.stage == far::Stage::Replying && far.leaving.count() > 1
        });
        let all = near.map(|it| &it.leaving).chain(far.map(|it| &it.leaving));
        let on_the_way: u32 = all.map(Leaving::on_the_way).sum();
        self.peer(peer).is_some_and(|it| on_the_way < it.window)
    }

    #[inline(never)]
    fn look_anew(&self) -> Look {
        let (mut first, mut ends) = (None, None);
        let mut offer = |at: u64, peer: usize, due: Due| {
            if first.is_none_or(|(other, _, _)| at < other) {
                first = Some((at, peer, due));
            }
        };
        let mut end = |at: u64| ends = Some(ends.map_or(at, |it: u64| it.min(at)));
        for (position, peer) in self.peers.iter().enumerate() {
            let Some(peer) = peer else {
                continue;
            };
            if let Some(at) = peer.due() {
                offer(at, position, Due::Shake);
            }
            if let Some(out) = peer.batches.out {
                end(out.deadline);
            }
            if peer.session.is_none() {
                continue;
            }
            if peer.refusal.is_some() {
                offer(0, position, Due::Refusal);
            }
            if peer.stale.is_some() {
                offer(0, position, Due::Stale);
            }
            if peer.batches.owed {
                offer(0, position, Due::Triggered);
            }
            if let Some(out) = peer.batches.out {
                offer(out.at, position, Due::Trigger);
            }
            if peer.owed != 0 {
                let circuit = peer.owed.trailing_zeros() as usize;
                offer(0, position, Due::Opened(circuit));
            }
        }
        let has_session = |peer: usize| self.peer(peer).is_some_and(|it| it.session.is_some());
        for (place, near) in self.near.iter().enumerate().take(self.near_used) {
            if near.stage == near::Stage::Free {
                continue;
            }
            if near.stage != near::Stage::Done {
                end(near.deadline);
            }
            if !has_session(near.peer) {
                continue;
            }
            if near.stage == near::Stage::Opening {
                if let Some(Some(circuit)) = self.circuits.get(near.circuit) {
                    offer(circuit.open_at, near.peer, Due::Open(near.circuit));
                }
            } else if let Some((at, action)) = near.next(self.has_room(near.peer, &near.leaving)) {
                offer(at, near.peer, Due::Near(place, action));
            }
        }
        for (place, far) in self.far.iter().enumerate().take(self.far_used) {
            if far.is_over || far.stage == far::Stage::Free {
                continue;
            }
            end(far.deadline);
            if !has_session(far.peer) {
                continue;
            }
            match far.stage {
                far::Stage::Free => {}
                far::Stage::Gathering | far::Stage::Serving => {
                    if let Some(at) = far.coming.tell_at() {
                        offer(at, far.peer, Due::Acknowledge(place));
                    }
                }
                far::Stage::Replying => {
                    let has_room = self.has_room(far.peer, &far.leaving);
                    if let Some((at, part)) = far.leaving.next(has_room) {
                        offer(at, far.peer, Due::Reply(place, part));
                    }
                }
            }
        }
        let at = first.map(|(at, _, _)| at);
        Look {
            first,
            ends,
            due: at.into_iter().chain(ends).min(),
        }
    }

    /// The next frame that is to be sent now. To be called until there is none.
    ///
    /// # Errors
    /// There is none: what [`Node::due`] says.
    pub fn next_frame(
        &mut self,
        now: u64,
        out: &mut Buffer,
        ends: &mut impl Ends,
    ) -> Result<Frame, Option<u64>> {
        if self.look().expires(now) {
            self.looked = None;
            self.expire(now, ends);
        }
        // Each turn makes a frame, or ends a request whose client has left, or a batch of which nothing is left.
        for _ in 0..=NEAR + PEERS {
            let look = self.look();
            let Some((_, peer, due)) = look.first.filter(|(at, _, _)| *at <= now) else {
                return Err(look.due);
            };
            self.looked = None;
            if let Some(length) = self.make(now, peer, due, out, ends) {
                self.counted.sent += 1;
                return Ok(Frame { peer, length });
            }
        }
        Err(self.due())
    }

    fn make(
        &mut self,
        now: u64,
        position: usize,
        due: Due,
        out: &mut Buffer,
        ends: &mut impl Ends,
    ) -> Option<usize> {
        let own = self.own;
        let mut bytes = 0;
        if let Due::Trigger = due {
            bytes = self.write_batch(position, out);
            if bytes == 0 {
                self.end_batch(now, position);
                return None;
            }
        }
        let Some(Some(peer)) = self.peers.get_mut(position) else {
            return None;
        };
        let note = |what: u8, note: Note| Body {
            what,
            slot: note.slot,
            count: note.count,
            level: note.outcome,
            mask: u16::MAX,
            ..Body::default()
        };
        let body = match due {
            Due::Shake => return peer.next_frame(now, own, out),
            Due::Stale => {
                self.counted.acknowledgements += 1;
                note(what::TAKEN, peer.stale.take()?)
            }
            Due::Refusal => note(what::REFUSE, peer.refusal.take()?),
            Due::Trigger => {
                let (count, pace) = (peer.batches.count, *peer.pace(1));
                let is_again = peer.batches.sent(now, &pace);
                self.counted.again += u32::from(is_again);
                peer.sends(now, is_again);
                Node::batch_body(what::TRIGGER, count, 0)
            }
            Due::Triggered => {
                peer.batches.owed = false;
                Node::batch_body(what::TRIGGERED, peer.batches.latest?, peer.batches.gone)
            }
            Due::Opened(circuit) => {
                peer.owed &= !(1 << circuit);
                let incoming = peer.incoming.get(circuit)?;
                Body {
                    what: what::OPENED,
                    circuit: circuit as u8,
                    parts: self.window as u8,
                    level: match incoming.state {
                        IncomingState::Failed(why) => why,
                        _ => FINE,
                    },
                    ..Body::default()
                }
            }
            Due::Open(position) => {
                let circuit = self.circuits.get_mut(position)?.as_mut()?;
                if circuit.again > 0 && peer.confirms_first(now) {
                    return peer.next_frame(now, own, out);
                }
                circuit.open_at = now + peer.pace(1).wait_after(circuit.again);
                peer.sends(now, circuit.again > 0);
                self.counted.again += u32::from(circuit.again > 0);
                circuit.again += 1;
                bytes = circuit.length;
                let name = circuit.name.get(..bytes)?;
                out.get_mut(HEAD + BODY..HEAD + BODY + bytes)?
                    .copy_from_slice(name);
                Body {
                    what: what::OPEN,
                    circuit: position as u8,
                    parts: self.window as u8,
                    ..Body::default()
                }
            }
            Due::Near(place, action) => {
                let near = &mut self.near[place];
                let mut body = Body {
                    slot: place as u8,
                    circuit: near.circuit as u8,
                    count: near.count,
                    mask: near.coming.got,
                    ..Body::default()
                };
                match action {
                    near::Action::Send(part) => {
                        if near.leaving.has_sent(part) && peer.confirms_first(now) {
                            return peer.next_frame(now, own, out);
                        }
                        bytes = part_length(near.length, part);
                        let to = out.get_mut(HEAD + BODY..HEAD + BODY + bytes)?;
                        if !ends.read(place, part * PART, to) {
                            // The client has left, or has parted with the message's memory.
                            let why = self.abandon(now, place);
                            ends.answer(place, Answer::Failed(why));
                            return None;
                        }
                        let left = near.deadline.saturating_sub(now) / 1000;
                        body = Body {
                            what: what::REQUEST,
                            part: part as u8,
                            parts: near.leaving.count() as u8,
                            level: near.priority,
                            mask: 0,
                            length: near.length as u32,
                            time: u32::try_from(left).unwrap_or(u32::MAX),
                            value: self.room as u32,
                            ..body
                        };
                        let pace = peer.pace(near.leaving.count());
                        let is_again = near.leaving.sent(part, now, pace);
                        self.counted.parts += u32::from(!is_again);
                        self.counted.again += u32::from(is_again);
                        peer.sends(now, is_again);
                    }
                    near::Action::Taken => {
                        self.counted.acknowledgements += 1;
                        body.what = what::TAKEN;
                        body.time = near.coming.told(now);
                        if near.stage == near::Stage::Done {
                            near.free();
                        }
                    }
                    near::Action::Ask => {
                        body.what = what::ASK;
                        let is_again = near.asked(now, peer.pace(1));
                        peer.sends(now, is_again);
                    }
                    near::Action::Cancel => {
                        body.what = what::CANCEL;
                        let is_again = near.asked(now, peer.pace(1));
                        peer.sends(now, is_again);
                    }
                }
                body
            }
            Due::Acknowledge(place) => {
                self.counted.acknowledgements += 1;
                let far = &mut self.far[place];
                Body {
                    what: what::ACKNOWLEDGE,
                    slot: far.slot,
                    circuit: far.circuit as u8,
                    count: far.count,
                    mask: far.coming.got,
                    time: far.coming.told(now),
                    ..Body::default()
                }
            }
            Due::Reply(place, part) => {
                let far = &mut self.far[place];
                bytes = part_length(far.length, part);
                let to = out.get_mut(HEAD + BODY..HEAD + BODY + bytes)?;
                if let (Some(block), true) = (far.reply.at(part), bytes > 0) {
                    ends.recall(block, to);
                }
                let pace = peer.pace(far.leaving.count());
                let is_again = far.leaving.sent(part, now, pace);
                self.counted.parts += u32::from(!is_again);
                self.counted.again += u32::from(is_again);
                Body {
                    what: what::REPLY,
                    slot: far.slot,
                    circuit: far.circuit as u8,
                    part: part as u8,
                    parts: far.leaving.count() as u8,
                    level: far.outcome,
                    mask: if far.proxy != 0 { BRINGS } else { 0 },
                    count: far.count,
                    length: far.length as u32,
                    time: far.coming.held(now),
                    value: if far.proxy != 0 {
                        far.proxy
                    } else {
                        far.status
                    },
                }
            }
        };
        *out.get_mut(HEAD..)?.first_chunk_mut::<BODY>()? = body.to_bytes();
        peer.seal(own, BODY + bytes, out)
    }

    /// Whether nothing of any request is left: no place and no block is taken.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.near.iter().all(|it| it.stage == near::Stage::Free)
            && self.far.iter().all(|it| it.stage == far::Stage::Free)
            && self
                .peers
                .iter()
                .flatten()
                .all(|it| it.batches.out.is_none())
            && [self.near_free, self.far_free].map(Blocks::count) == self.blocks
    }
}
