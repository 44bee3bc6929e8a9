//! Proxies across nodes: those of other nodes that this node's clients trigger, and those of this node that peers may trigger.
//!
//! A trigger needs no answer, and yet is to come once at most. So what is triggered of a peer's proxies goes in *batches*, one at
//! a time: its number is one more than the last one's, and it is sent again until the peer says that it has come, or its time is
//! over. What is triggered meanwhile is counted, and goes with the next one.

use crate::pace::Pace;

/// Most proxies of other nodes that clients of a node can trigger, and most of a node's that others can.
pub const PROXIES: usize = 16;
/// How often a batch triggers a proxy at most: a node does all of it at once.
pub const TIMES: u32 = 16;
/// Most triggers of a proxy that have not gone yet, as the kernel keeps of one that were not received.
pub const MOST: u32 = 65_535;
/// Bytes of a batch for each proxy: its number, how often, and its place.
pub const ENTRY: usize = 8;

/// Who has a place: a circuit of a peer, since then.
#[derive(Clone, Copy)]
struct Holder {
    peer: u8,
    circuit: u8,
    born: u32,
}

/// Places that peers and their circuits share.
struct Places {
    all: [Option<Holder>; PROXIES],
    /// Of the places so many are used.
    most: usize,
    births: u32,
}

impl Places {
    /// A place for one more of this peer and circuit: a free one, or else the oldest of the circuit that has most, of the peer
    /// that has most. So who has many loses some of its own alone. None if no places are used.
    fn add(&mut self, peer: usize, circuit: usize) -> Option<usize> {
        self.births = self.births.wrapping_add(1);
        let new = Holder {
            peer: peer as u8,
            circuit: circuit as u8,
            born: self.births,
        };
        let mut used = self.all.iter().take(self.most);
        let place = used.position(Option::is_none);
        let place = place.or_else(|| self.worst(new))?;
        self.all[place] = Some(new);
        Some(place)
    }

    /// The place that is taken from its holder for `new`.
    #[inline(never)]
    fn worst(&self, new: Holder) -> Option<usize> {
        let mut worst = None;
        for (place, it) in self.all.iter().enumerate() {
            let Some(it) = it else {
                continue;
            };
            let (mut of_peer, mut of_circuit) = (0, 0);
            for other in self.all.iter().flatten() {
                let is_same = other.peer == it.peer;
                of_peer += u8::from(is_same);
                of_circuit += u8::from(is_same && other.circuit == it.circuit);
            }
            // Its own first, if others have no more.
            let is_own = it.peer == new.peer;
            let is_own_circuit = is_own && it.circuit == new.circuit;
            let age = new.born.wrapping_sub(it.born);
            let rank = (of_peer, is_own, of_circuit, is_own_circuit, age);
            if worst.is_none_or(|(_, other)| rank > other) {
                worst = Some((place, rank));
            }
        }
        worst.map(|(place, _)| place)
    }

    fn is_of(&self, peer: usize, place: usize) -> bool {
        let holder = self.all.get(place).copied().flatten();
        holder.is_some_and(|it| usize::from(it.peer) == peer)
    }
}

/// What somebody holds by circuits.
pub struct Table<T> {
    places: Places,
    values: [T; PROXIES],
}

impl<T: Copy> Table<T> {
    pub const fn new(nothing: T) -> Table<T> {
        Table {
            places: Places {
                all: [None; PROXIES],
                most: PROXIES,
                births: 0,
            },
            values: [nothing; PROXIES],
        }
    }

    /// Uses so many places, from now on.
    pub fn set_most(&mut self, most: usize) {
        self.places.most = most.min(PROXIES);
    }

    /// Gives a place to one more of this peer and circuit; and what had it before, if none is free. None if no places are used.
    pub fn add(&mut self, peer: usize, circuit: usize, value: T) -> Option<(usize, Option<T>)> {
        let is_full = self
            .places
            .all
            .iter()
            .take(self.places.most)
            .all(Option::is_some);
        let place = self.places.add(peer, circuit)?;
        let before = is_full.then_some(self.values[place]);
        self.values[place] = value;
        Some((place, before))
    }

    /// What has this place, of this peer.
    pub fn get(&mut self, peer: usize, place: usize) -> Option<&mut T> {
        let is_there = self.places.is_of(peer, place);
        self.values.get_mut(place).filter(|_| is_there)
    }

    /// Whose it is that has this place.
    pub fn peer_of(&self, place: usize) -> Option<usize> {
        let holder = self.places.all.get(place)?.as_ref()?;
        Some(holder.peer.into())
    }

    /// Nothing has this place any more.
    pub fn remove(&mut self, place: usize) {
        if let Some(place) = self.places.all.get_mut(place) {
            *place = None;
        }
    }

    /// The places of this peer's, and what has them.
    pub fn of(&self, peer: usize) -> impl Iterator<Item = (usize, &T)> {
        let all = self.values.iter().enumerate();
        all.filter(move |(place, _)| self.places.is_of(peer, *place))
    }

    /// How many there have been.
    pub fn births(&self) -> u32 {
        self.places.births
    }
}

/// A peer's proxy that clients of this node trigger.
#[derive(Clone, Copy)]
pub struct Remote {
    /// Its number at that node.
    pub number: u32,
    /// Triggers that have not gone, and those in the batch that is on the way.
    pub waiting: u32,
    pub sent: u32,
}

impl Remote {
    pub const NONE: Remote = Remote {
        number: 0,
        waiting: 0,
        sent: 0,
    };
}

/// The number of the proxy that has been given this place as the one that makes `births`: it does not come again, nor is it 0.
pub const fn number_of(place: usize, births: u32) -> u32 {
    let number = births << 4 | place as u32;
    if number == 0 { 1 << 4 } else { number }
}

/// The place of a number.
pub const fn place_of(number: u32) -> usize {
    number as usize % PROXIES
}

/// What goes to a peer of triggers, and what has come from it.
#[derive(Clone, Copy, Default)]
pub struct Batches {
    /// The number of the last batch that was made.
    pub count: u32,
    /// It is on the way: when it is sent again, how often it was, and until when.
    pub out: Option<Out>,
    /// The last batch that came in the peer's life, if one did, and which of its proxies, by their bits, are no more.
    pub latest: Option<u32>,
    pub gone: u16,
    /// That is to be told.
    pub owed: bool,
}

/// A batch that is on the way.
#[derive(Clone, Copy)]
pub struct Out {
    pub at: u64,
    pub tries: u32,
    pub deadline: u64,
}

impl Batches {
    /// One is made, which is given up at its deadline.
    pub fn make(&mut self, now: u64, deadline: u64) {
        self.count = self.count.wrapping_add(1);
        self.out = Some(Out {
            at: now,
            tries: 0,
            deadline,
        });
    }

    /// It is sent; whether it was before.
    pub fn sent(&mut self, now: u64, pace: &Pace) -> bool {
        let Some(out) = &mut self.out else {
            return false;
        };
        out.tries += 1;
        out.at = now + pace.wait_after(out.tries - 1);
        out.tries > 1
    }
}
