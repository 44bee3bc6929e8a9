//! Another node: its key, its life, and the session with it.

use crate::key::{Challenge, Keys, PairKey, Replay, is_same};
use crate::pace::{MILLI, Pace};
use crate::proxies::Batches;
use crate::wire::{Buffer, CHALLENGE, FRAME, HANDSHAKE, HEAD, Start, TAG, VERSION, kind};
use crate::{CIRCUITS, NAME, NEAR, WINDOW};

/// How long a session may be silent before frames of none of it make the node ask for another.
const SILENT: u64 = 200 * MILLI;
/// How many frames a node sends again at least, and hears nothing for as long, before it asks for another.
const IN_VAIN: u32 = 3;
/// How long a node waits at least before it says hello again.
const HELLO: u64 = 50 * MILLI;

/// How often it says so at least, even if nobody waits for it.
const HELLOS: u32 = 4;

/// What a node is to know of a peer.
pub struct PeerSettings {
    /// Its number: 1 to 255.
    pub number: u8,
    /// What both have, and nobody else.
    pub key: PairKey,
    /// The lowest priority at which its requests are served, and the highest.
    pub band: (u8, u8),
}

/// A session with a peer.
pub struct Session {
    pub keys: Keys,
    pub own: Challenge,
    pub other: Challenge,
    sent: u64,
    replay: Replay,
    /// Whether the peer is known to have it.
    pub confirmed: bool,
}

/// A circuit that a peer has with this node.
#[derive(Clone, Copy)]
pub struct Incoming {
    pub state: IncomingState,
    name: [u8; NAME],
    length: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IncomingState {
    Closed,
    /// Somebody looks for the name.
    Asked,
    Open,
    /// It cannot be opened.
    Failed(u8),
}

impl Incoming {
    const CLOSED: Incoming = Incoming {
        state: IncomingState::Closed,
        name: [0; NAME],
        length: 0,
    };

    pub fn name(&self) -> &[u8] {
        self.name.get(..self.length.into()).unwrap_or_default()
    }

    pub fn set_name(&mut self, name: &[u8]) {
        self.name = [0; NAME];
        self.length = name.len().min(NAME) as u8;
        self.name
            .iter_mut()
            .zip(name)
            .for_each(|(to, from)| *to = *from);
    }
}

/// What is to be told of one request, outside of its own turn.
#[derive(Clone, Copy)]
pub struct Note {
    pub slot: u8,
    pub count: u32,
    pub outcome: u8,
}

/// Another node.
pub struct Peer {
    pub number: u8,
    pub band: (u8, u8),
    key: PairKey,
    /// This node's challenge to it in the next handshake.
    challenge: Challenge,
    pub session: Option<Session>,
    /// Its challenge in the last session.
    last: Challenge,
    /// The challenge to which it is to be welcomed.
    welcome: Option<Challenge>,
    /// The session is to be confirmed.
    pub confirm: bool,
    /// When it was confirmed again ahead of what is sent again.
    confirmed_again_at: u64,
    /// A session is wanted, and there is none, or none that the peer has.
    pub wanted: bool,
    hello_at: u64,
    hellos: u32,
    /// Another version that it has said it speaks.
    pub version: Option<u8>,
    owes_version: bool,
    /// When something of the session has come.
    pub heard_at: Option<u64>,
    /// How many frames were sent again since.
    in_vain: u32,
    /// How often the last request begun here had used each of its places; none if there was none in its life.
    pub latest: [Option<u32>; NEAR],
    pub incoming: [Incoming; CIRCUITS],
    /// Of which of them is to be told what came of them: a bit each.
    pub owed: u16,
    /// A request that was not begun, or is over.
    pub refusal: Option<Note>,
    /// A reply that nobody waits for any more.
    pub stale: Option<Note>,
    /// What is triggered there, and here.
    pub batches: Batches,
    /// Of messages in one part, and of those in several: they take as much longer as seals do.
    paces: [Pace; 2],
    /// How many parts of messages in several it takes at once.
    pub window: u32,
}

/// What came of a frame of a handshake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shaken {
    /// There is another session; and perhaps the peer has another life.
    Session {
        /// Whether it has.
        new_life: bool,
    },
    Nothing,
    Forged,
}

/// What came of a sealed frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opened {
    /// It is opened, in place.
    Fine,
    Forged,
    Replayed,
    Unknown,
}

/// Whether a number comes behind the latest one, as numbers that begin anew at their end are compared. Any may be the first.
pub fn is_later(number: u32, latest: Option<u32>) -> bool {
    latest.is_none_or(|latest| {
        let ahead = number.wrapping_sub(latest);
        ahead != 0 && ahead < u32::MAX / 2
    })
}

impl Peer {
    pub fn new(settings: PeerSettings, life: u64) -> Peer {
        Peer {
            number: settings.number,
            band: settings.band,
            key: settings.key,
            challenge: Challenge { life, count: 1 },
            session: None,
            last: Challenge::NONE,
            welcome: None,
            confirm: false,
            confirmed_again_at: 0,
            wanted: false,
            hello_at: 0,
            hellos: 0,
            version: None,
            owes_version: false,
            heard_at: None,
            in_vain: 0,
            latest: [None; NEAR],
            incoming: [Incoming::CLOSED; CIRCUITS],
            owed: 0,
            refusal: None,
            stale: None,
            batches: Batches::default(),
            paces: [Pace::default(); 2],
            window: 1,
        }
    }

    /// How long answers to messages of so many parts take.
    pub fn pace(&mut self, parts: usize) -> &mut Pace {
        let [short, long] = &mut self.paces;
        if parts > 1 { long } else { short }
    }

    /// It has said how many parts it takes at once.
    pub fn set_window(&mut self, said: u8) {
        self.window = u32::from(said).clamp(1, WINDOW);
    }

    /// It has said something in another version; or somebody else has, if it speaks with this node.
    pub fn hear_version(&mut self, now: u64, version: u8, kind: u8) {
        if !self.is_silent(now) {
            return;
        }
        self.version = Some(version);
        // Not an answer to an answer.
        self.owes_version |= kind == kind::HELLO;
    }

    /// A frame of a handshake has come for the node `own`.
    pub fn shake(&mut self, now: u64, own: u8, frame: &[u8], start: Start) -> Shaken {
        let Some((theirs, echoed)) = self.proved(own, frame, start.kind) else {
            return Shaken::Forged;
        };
        match start.kind {
            kind::HELLO => {
                self.welcome = Some(theirs);
                Shaken::Nothing
            }
            // Whoever answers this challenge, lives.
            kind::WELCOME | kind::CONFIRM if echoed == self.challenge => {
                self.begin(now, own, theirs, start.kind == kind::CONFIRM)
            }
            _ => Shaken::Nothing,
        }
    }

    /// The sender's challenge and the one that it repeats, if it has the key.
    fn proved(&self, own: u8, frame: &[u8], kind: u8) -> Option<(Challenge, Challenge)> {
        let frame: &[u8; HANDSHAKE] = frame.try_into().ok()?;
        let (_, rest) = frame.split_first_chunk::<4>()?;
        let (theirs, rest) = rest.split_first_chunk::<CHALLENGE>()?;
        let (echoed, proof) = rest.split_first_chunk::<CHALLENGE>()?;
        let [theirs, echoed] = [theirs, echoed].map(Challenge::of);
        let expected = self.key.proof(kind, self.number, own, theirs, echoed);
        is_same(&expected, proof.try_into().ok()?).then_some((theirs, echoed))
    }

    /// Something is sent to it, again if `is_again`: it may not know the session yet, or not any more.
    pub fn sends(&mut self, now: u64, is_again: bool) {
        if is_again {
            self.confirms_first(now);
            self.in_vain = self.in_vain.saturating_add(1);
            if self.in_vain >= IN_VAIN && self.is_silent(now) {
                self.doubt();
            }
        }
    }

    /// Whether the session is to be confirmed again before what is to be sent again now, as it is once at a time: without it, whoever
    /// has not heard of the session would ask for another.
    pub fn confirms_first(&mut self, now: u64) -> bool {
        let unsure = self.session.as_ref().is_some_and(|it| !it.confirmed);
        let first = unsure && self.confirmed_again_at != now;
        if first {
            self.confirmed_again_at = now;
            self.confirm = true;
        }
        first
    }

    /// It does not answer: it may have begun another life, and not know where this node is.
    pub fn doubt(&mut self) {
        self.wanted = true;
    }

    fn begin(&mut self, now: u64, own: u8, theirs: Challenge, confirmed: bool) -> Shaken {
        let ours = self.challenge;
        let was_confirmed = self.session.as_ref().is_some_and(|it| it.confirmed);
        self.session = Some(Session {
            keys: Keys::new(&self.key, (own, ours), (self.number, theirs)),
            own: ours,
            other: theirs,
            sent: 0,
            replay: Replay::default(),
            confirmed,
        });
        // No session has the keys of another.
        self.challenge.count += 1;
        self.confirm = !confirmed;
        self.wanted = false;
        self.hellos = 0;
        self.hello_at = now + HELLO;
        self.version = None;
        self.heard_at = Some(now);
        self.in_vain = 0;
        // Within a life its challenges count, and one that has made a session makes no other.
        let new_life = theirs.life != self.last.life
            || theirs.count < self.last.count
            || theirs.count == self.last.count && was_confirmed;
        self.last = theirs;
        self.paces.iter_mut().for_each(Pace::forget_late);
        if new_life {
            self.latest = [None; NEAR];
            self.incoming = [Incoming::CLOSED; CIRCUITS];
            self.owed = 0;
            self.refusal = None;
            self.stale = None;
            (self.batches.latest, self.batches.owed) = (None, false);
        }
        Shaken::Session { new_life }
    }

    /// Opens a sealed frame in place, whose seal is behind its `end`.
    pub fn open(&mut self, now: u64, frame: &mut Buffer, end: usize) -> Opened {
        let Some(head) = frame.first_chunk::<HEAD>() else {
            return Opened::Forged;
        };
        let [_, _, _, _, a, b, c, d, number @ ..] = *head;
        let name = u32::from_le_bytes([a, b, c, d]);
        let Some(session) = self.session.as_mut().filter(|it| it.keys.name == name) else {
            self.miss(now);
            return Opened::Unknown;
        };
        let number = u64::from_le_bytes(number);
        if !session.replay.is_new(number) {
            return Opened::Replayed;
        }
        if !session.keys.open(number, frame, end) {
            return Opened::Forged;
        }
        session.replay.note(number);
        session.confirmed = true;
        self.confirm = false;
        self.heard_at = Some(now);
        self.in_vain = 0;
        self.version = None;
        Opened::Fine
    }

    /// Something has come of a session that is not this one: the peer may have begun another life, or this node has.
    fn miss(&mut self, now: u64) {
        let Some(session) = &self.session else {
            self.wanted = true;
            return;
        };
        // That one may not have heard of the session yet; or it has another one, and this one is nobody's.
        self.confirm |= !session.confirmed;
        self.wanted |= self.is_silent(now);
    }

    /// Whether nothing has come from it for long.
    fn is_silent(&self, now: u64) -> bool {
        self.heard_at
            .is_none_or(|it| now.saturating_sub(it) > SILENT)
    }

    /// Nobody waits for a session with it: it is asked for one a few times more.
    pub fn rest(&mut self) {
        if self.hellos >= HELLOS {
            self.wanted = false;
            self.hellos = 0;
        }
    }

    /// Whether something of the session has come since then.
    pub fn heard_since(&self, moment: u64) -> bool {
        self.heard_at.is_some_and(|it| it >= moment)
    }

    /// When a frame of a handshake is due.
    pub fn due(&self) -> Option<u64> {
        if self.owes_version || self.welcome.is_some() || self.confirm {
            return Some(0);
        }
        self.wanted.then_some(self.hello_at)
    }

    /// The frame of a handshake that is due, if one is; its length.
    pub fn next_frame(&mut self, now: u64, own: u8, out: &mut [u8; FRAME]) -> Option<usize> {
        if core::mem::take(&mut self.owes_version) {
            let start = self.start(own, kind::OTHER_VERSION).to_bytes();
            out.iter_mut().zip(start).for_each(|(to, from)| *to = from);
            return Some(start.len());
        }
        if let Some(theirs) = self.welcome.take() {
            return Some(self.handshake(own, kind::WELCOME, self.challenge, theirs, out));
        }
        if core::mem::take(&mut self.confirm)
            && let Some(session) = &self.session
        {
            return Some(self.handshake(own, kind::CONFIRM, session.own, session.other, out));
        }
        if !self.wanted || self.hello_at > now {
            return None;
        }
        self.hello_at = now + (HELLO << self.hellos.min(5));
        self.hellos += 1;
        Some(self.handshake(own, kind::HELLO, self.challenge, Challenge::NONE, out))
    }

    fn start(&self, own: u8, kind: u8) -> Start {
        Start {
            version: VERSION,
            kind,
            from: own,
            to: self.number,
        }
    }

    fn handshake(
        &self,
        own: u8,
        kind: u8,
        ours: Challenge,
        theirs: Challenge,
        out: &mut [u8; FRAME],
    ) -> usize {
        let proof = self.key.proof(kind, own, self.number, ours, theirs);
        let start = self.start(own, kind).to_bytes();
        let all = start.into_iter().chain(ours.to_bytes());
        let all = all.chain(theirs.to_bytes()).chain(proof);
        out.iter_mut().zip(all).for_each(|(to, from)| *to = from);
        HANDSHAKE
    }

    /// Seals the `length` bytes that are behind the head of a frame; how long that is then. None without a session.
    pub fn seal(&mut self, own: u8, length: usize, out: &mut Buffer) -> Option<usize> {
        let [a, b, c, d] = self.start(own, kind::SEALED).to_bytes();
        let session = self.session.as_mut()?;
        let number = session.sent;
        // It never comes so far: 584 years of a frame a nanosecond.
        session.sent = number.checked_add(1)?;
        let [e, f, g, h] = session.keys.name.to_le_bytes();
        let [i, j, k, l, m, n, o, p] = number.to_le_bytes();
        *out.first_chunk_mut::<HEAD>()? = [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p];
        let end = HEAD + length;
        let seal = session.keys.seal(number, out, end);
        *out.get_mut(end..)?.first_chunk_mut::<TAG>()? = seal;
        Some(end + TAG)
    }
}
