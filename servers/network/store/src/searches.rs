//! Searches for neighbours at the wire, one for each who may need it.
//!
//! The stack looks for one neighbour a second, whoever needs it: who is not there, and is wanted again and again, keeps it from
//! looking for others. So when it has kept something back, all whose neighbours it may be are looked for here, each by itself; it
//! hears the answers as if it had asked. Each stream has a search of its own, and so has each datagram, once a second, and
//! three times in a row at most.

use core::ops::Range;

use smoltcp::time::{Duration, Instant};
use smoltcp::wire::{ArpOperation, ArpPacket, EthernetFrame, EthernetProtocol, IpAddress};

use crate::pings::{Due, Neighbour, Route};
use crate::tcp::Left;
use crate::udp::FIRST_SEARCH;
use crate::{KEPT, PORTS, STREAMS, Store, lease};

/// Searches that there may be at once.
pub const SEARCHES: usize = FIRST_SEARCH + PORTS * KEPT;

/// How long after it was looked for somebody is looked for again.
const PAUSE: Duration = Duration::from_secs(1);
/// How long after it was found nobody is looked for again: the stack knows it for a minute.
const KNOWN: Duration = Duration::from_secs(5);
/// How often somebody is looked for until it counts as not there.
const TRIES: u8 = 3;

/// What the stack did with the room that it had for frames of sockets.
#[derive(Clone, Copy, Debug, Default)]
pub struct Egress {
    /// How many frames it asked for room for, and did not send.
    kept_back: u32,
    /// Whom it has looked for in place of that.
    sought: Option<IpAddress>,
    /// Whether there was no room for one.
    is_full: bool,
    left: Left,
    /// Whether it has asked for an address.
    asks_for_address: bool,
}

impl Egress {
    /// It has room for a frame.
    pub const fn offer(&mut self) {
        self.kept_back = self.kept_back.saturating_add(1);
    }

    /// It has none.
    pub const fn refuse(&mut self) {
        self.is_full = true;
    }

    pub(crate) const fn is_full(self) -> bool {
        self.is_full
    }

    pub(crate) const fn asks_for_address(self) -> bool {
        self.asks_for_address
    }

    pub(crate) const fn left(self) -> Left {
        self.left
    }

    pub(crate) const fn sought(self) -> Option<IpAddress> {
        self.sought
    }

    /// It has sent this one.
    // The stack's code for each kind of frame has its own call of it.
    #[inline(never)]
    pub fn sent(&mut self, frame: &[u8]) {
        self.kept_back = self.kept_back.saturating_sub(1);
        if let Some(sought) = sought(frame) {
            self.sought = Some(sought);
        }
        self.left.note(frame);
        self.asks_for_address |= lease::asks(frame);
    }
}

/// Whom a frame looks for.
fn sought(frame: &[u8]) -> Option<IpAddress> {
    let frame = EthernetFrame::new_checked(frame).ok()?;
    match frame.ethertype() {
        EthernetProtocol::Arp => {
            let packet = ArpPacket::new_checked(frame.payload()).ok()?;
            let target = packet.target_protocol_addr().first_chunk::<4>().copied()?;
            let is_search = packet.operation() == ArpOperation::Request;
            is_search.then(|| IpAddress::Ipv4(target.into()))
        }
        #[cfg(feature = "ipv6")]
        EthernetProtocol::Ipv6 => crate::pings::sought(frame.payload()),
        _ => None,
    }
}

const NOBODY: IpAddress = IpAddress::v4(0, 0, 0, 0);

/// What one stream or datagram waits for.
#[derive(Clone, Copy, Debug)]
struct Search {
    /// From which own address, and the next host on the way: [`NOBODY`] if there is none.
    from: IpAddress,
    next: IpAddress,
    /// How often it was looked for.
    tries: u8,
    is_under_way: bool,
    /// Not looked for before then.
    at: Instant,
}

impl Search {
    const NONE: Search = Search {
        from: NOBODY,
        next: NOBODY,
        tries: 0,
        is_under_way: false,
        at: Instant::ZERO,
    };

    /// It is for this neighbour from now on, and to begin, if it was for another one.
    fn aim(&mut self, from: IpAddress, next: IpAddress, now: Instant) {
        if (self.from, self.next) != (from, next) {
            *self = Search {
                from,
                next,
                at: now,
                ..Search::NONE
            };
        }
    }

    /// It was sent, if that is of use.
    fn count(&mut self, now: Instant) {
        if self.is_under_way && self.tries < TRIES {
            self.tries += 1;
            self.at = now + PAUSE;
        }
    }

    fn is_to_be_sent(&self, now: Instant) -> bool {
        self.is_under_way && self.tries < TRIES && self.at <= now
    }
}

/// All of them: those of streams, of the servers of names, and of what ports are to send, each port's oldest datagram first. All zeros
/// at first, and too much for a stack.
#[derive(Debug)]
pub struct Searches {
    all: [Search; SEARCHES],
    /// Whether any is under way: each frame asks.
    are_under_way: bool,
}

impl Searches {
    /// None.
    #[must_use]
    pub const fn new() -> Searches {
        Searches {
            all: [Search::NONE; SEARCHES],
            are_under_way: false,
        }
    }

    /// Whether somebody is looked for.
    pub(crate) fn is_under_way(&self, place: usize) -> bool {
        self.all.get(place).is_some_and(|it| it.is_under_way)
    }

    /// Forgets the first of these, which others follow.
    pub(crate) fn remove(&mut self, places: Range<usize>) {
        let Some(places) = self.all.get_mut(places) else {
            return;
        };
        if let Some(last) = places.len().checked_sub(1) {
            places.copy_within(1.., 0);
            places[last] = Search::NONE;
        }
    }

    /// Looks for the neighbour of a datagram that the stack has kept back. If it was found, and the stack did not believe it, the
    /// search goes on as if it had not been: it ends in any case.
    pub(crate) fn look(&mut self, place: usize, route: Route, is_sought: bool, now: Instant) {
        let Some(it) = self.all.get_mut(place) else {
            return;
        };
        it.aim(route.from, route.next, now);
        it.is_under_way = true;
        if is_sought {
            it.count(now);
        }
        self.are_under_way = true;
    }

    /// Begins to look for whoever is next on this way, if it is not looked for already, and has not just been. If it `is_sought` that
    /// counts.
    fn begin(&mut self, place: usize, route: Option<Route>, is_sought: bool, now: Instant) {
        let Some(it) = self.all.get_mut(place) else {
            return;
        };
        let (from, next) = route.map_or((NOBODY, NOBODY), |it| (it.from, it.next));
        it.aim(from, next, now);
        if route.is_some() && !it.is_under_way && it.at <= now {
            it.tries = 0;
            it.is_under_way = true;
            self.are_under_way = true;
        }
        if is_sought {
            it.count(now);
        }
    }

    /// Somebody has been found.
    pub(crate) fn find(&mut self, found: &Neighbour, now: Instant) {
        // The stack believes those alone who speak for themselves.
        if found.from != found.address {
            return;
        }
        for (place, it) in self.all.iter_mut().enumerate() {
            let is_it = it.next == found.address && it.from == found.to;
            if is_it && it.is_under_way && it.tries > 0 {
                it.is_under_way = false;
                // A datagram is sent now, or waits for the next search.
                if place < FIRST_SEARCH {
                    it.at = now + KNOWN;
                }
            }
        }
    }

    /// Whoever was looked for in vain: the search has ended.
    fn end(&mut self, place: usize, now: Instant) {
        if let Some(it) = self.all.get_mut(place) {
            it.at = now + PAUSE;
            it.is_under_way = false;
        }
    }
}

impl Default for Searches {
    fn default() -> Searches {
        Searches::new()
    }
}

impl Store<'_> {
    /// Begins to look for all neighbours that streams, questions and the datagram that was offered may need, if the stack has kept
    /// something back; and goes on to look for whom it has looked for itself. `left` is the last frame that it has sent; `route` says
    /// the way to a host.
    pub fn look_for_neighbours(
        &mut self,
        now: Instant,
        egress: Egress,
        left: &[u8],
        route: impl Fn(IpAddress) -> Option<Route>,
    ) {
        let datagrams = u32::from(self.settle_datagram(now, egress, left, &route));
        let kept_back = egress.kept_back.saturating_sub(datagrams);
        if kept_back > 0 || egress.sought.is_some() {
            self.begin_searches(now, kept_back > 0, egress.sought, &route);
        }
    }

    #[inline(never)]
    fn begin_searches(
        &mut self,
        now: Instant,
        is_kept_back: bool,
        sought: Option<IpAddress>,
        route: &dyn Fn(IpAddress) -> Option<Route>,
    ) {
        for place in 0..FIRST_SEARCH {
            let way = self.wanted(place).and_then(route);
            let is_sought = way.is_some_and(|it| sought == Some(it.next));
            if is_sought || is_kept_back {
                self.searches.begin(place, way, is_sought, now);
            }
        }
    }

    /// Whom the stream or question with this search sends something, or may.
    fn wanted(&self, place: usize) -> Option<IpAddress> {
        match place.checked_sub(STREAMS) {
            None => self.stream_goes_to(place),
            Some(place) => self.asked_server(place),
        }
    }

    /// Forgets who was found, and from where others are looked for: to be called when own addresses have changed, as the stack
    /// forgets all neighbours then.
    #[inline(never)]
    pub fn forget_neighbours(&mut self) {
        self.forget_ways();
        for it in &mut self.searches.all {
            if !core::mem::take(&mut it.is_under_way) {
                it.at = Instant::ZERO;
            }
        }
    }

    /// Whether neighbours are looked for.
    pub const fn is_looking(&self) -> bool {
        self.searches.are_under_way
    }

    /// A search that is to be sent now. It counts as sent, for all of the same neighbour that are to be sent, too.
    #[inline(never)]
    pub fn due_search(&mut self, now: Instant) -> Option<Due> {
        if !self.is_looking() {
            return None;
        }
        let all = &mut self.searches.all;
        let Search { from, next, .. } = *all.iter().find(|it| it.is_to_be_sent(now))?;
        let due = all.iter_mut().filter(|it| it.is_to_be_sent(now));
        let same = due.filter(|it| (it.from, it.next) == (from, next));
        same.for_each(|it| it.count(now));
        Some(Due::search(from, next))
    }

    /// Ends searches for those who are not there. A port forgets what it was to send them.
    #[inline(never)]
    pub fn tend_searches(&mut self, now: Instant) {
        if !self.is_looking() {
            return;
        }
        for place in 0..SEARCHES {
            let it = self.searches.all.get(place);
            let it = it.filter(|it| it.is_under_way && it.tries >= TRIES && it.at <= now);
            if it.is_some() {
                self.searches.end(place, now);
                self.forget_host(place);
            }
        }
        self.searches.are_under_way = self.searches.all.iter().any(|it| it.is_under_way);
    }

    /// When [`Store::due_search`] or [`Store::tend_searches`] has something to do.
    #[inline(never)]
    pub fn search_ends(&self) -> Option<Instant> {
        if !self.is_looking() {
            return None;
        }
        let all = self.searches.all.iter();
        all.filter(|it| it.is_under_way).map(|it| it.at).min()
    }
}
