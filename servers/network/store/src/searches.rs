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
use crate::udp::FIRST_SEARCH;
use crate::{KEPT, PORTS, STREAMS, Store};

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

    /// It has sent this one.
    pub fn sent(&mut self, frame: &[u8]) {
        self.kept_back = self.kept_back.saturating_sub(1);
        if let Some(sought) = sought(frame) {
            self.sought = Some(sought);
        }
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
    /// How often it was looked for; none if it is not looked for now.
    tries: Option<u8>,
    /// Not looked for before then.
    at: Instant,
}

impl Search {
    const NONE: Search = Search {
        from: NOBODY,
        next: NOBODY,
        tries: None,
        at: Instant::ZERO,
    };
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
        self.all.get(place).is_some_and(|it| it.tries.is_some())
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

    /// Begins to look for the neighbour of a datagram that the stack has kept back.
    pub(crate) fn begin_anew(&mut self, place: usize, route: Route, egress: Egress, now: Instant) {
        let Some(it) = self.all.get_mut(place) else {
            return;
        };
        let is_sought = egress.sought == Some(route.next);
        // Whoever was found, and is not known, is not looked for again at once.
        let pauses = is_sought || it.at > now;
        *it = Search {
            from: route.from,
            next: route.next,
            tries: Some(u8::from(is_sought)),
            at: if pauses { now + PAUSE } else { now },
        };
        self.are_under_way = true;
    }

    /// Begins to look for whoever is next on this way, if it is not looked for already, and has not just been. If it `is_sought` that
    /// counts.
    fn begin(&mut self, place: usize, route: Option<Route>, is_sought: bool, now: Instant) {
        let Some(it) = self.all.get_mut(place) else {
            return;
        };
        let (from, next) = route.map_or((NOBODY, NOBODY), |it| (it.from, it.next));
        if (it.from, it.next) != (from, next) {
            *it = Search {
                from,
                next,
                tries: None,
                at: now,
            };
        }
        if route.is_some() && it.tries.is_none() && it.at <= now {
            it.tries = Some(0);
            self.are_under_way = true;
        }
        if let Some(tries) = it.tries.filter(|it| is_sought && *it < TRIES) {
            it.tries = Some(tries + 1);
            it.at = now + PAUSE;
        }
    }

    /// Somebody has been found.
    pub(crate) fn find(&mut self, found: &Neighbour, now: Instant) {
        // The stack believes those alone who speak for themselves.
        if found.from != found.address {
            return;
        }
        for it in &mut self.all {
            let is_it = it.next == found.address && it.from == found.to;
            if is_it && it.tries.is_some_and(|it| it > 0) {
                it.tries = None;
                it.at = now + KNOWN;
            }
        }
    }

    /// Whoever was looked for in vain: the search has ended.
    fn end(&mut self, place: usize, now: Instant) {
        if let Some(it) = self.all.get_mut(place) {
            it.at = now + PAUSE;
            it.tries = None;
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
    /// something back; and goes on to look for whom it has looked for itself. `route` says the way to a host.
    pub fn look_for_neighbours(
        &mut self,
        now: Instant,
        egress: Egress,
        route: impl Fn(IpAddress) -> Option<Route>,
    ) {
        let datagrams = u32::from(self.settle_datagram(now, egress, &route));
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

    /// Whether neighbours are looked for.
    pub const fn is_looking(&self) -> bool {
        self.searches.are_under_way
    }

    /// A search that is to be sent now. It counts as sent, for all who look for the same neighbour.
    #[inline(never)]
    pub fn due_search(&mut self, now: Instant) -> Option<Due> {
        if !self.is_looking() {
            return None;
        }
        let all = &mut self.searches.all;
        let is_due = |it: &&Search| it.at <= now && it.tries.is_some_and(|it| it < TRIES);
        let Search { from, next, .. } = *all.iter().find(is_due)?;
        for it in all
            .iter_mut()
            .filter(|it| it.from == from && it.next == next)
        {
            if let Some(tries) = it.tries.filter(|it| *it < TRIES) {
                it.tries = Some(tries + 1);
                it.at = now + PAUSE;
            }
        }
        Some(Due::search(from, next))
    }

    /// Ends searches for those who are not there. A port forgets what it was to send them.
    #[inline(never)]
    pub fn tend_searches(&mut self, now: Instant) {
        if !self.is_looking() {
            return;
        }
        for place in 0..SEARCHES {
            let it = self.searches.all.get(place).filter(|it| it.at <= now);
            if it.and_then(|it| it.tries).is_none_or(|it| it < TRIES) {
                continue;
            }
            self.searches.end(place, now);
            self.forget_host(place);
        }
        self.searches.are_under_way = self.searches.all.iter().any(|it| it.tries.is_some());
    }

    /// When [`Store::due_search`] or [`Store::tend_searches`] has something to do.
    #[inline(never)]
    pub fn search_ends(&self) -> Option<Instant> {
        if !self.is_looking() {
            return None;
        }
        let all = self.searches.all.iter();
        all.filter(|it| it.tries.is_some()).map(|it| it.at).min()
    }
}
