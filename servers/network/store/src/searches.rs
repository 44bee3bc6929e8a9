//! Searches for neighbours at the wire, one for each who may need it.
//!
//! The stack looks for one neighbour a second, whoever needs it: who is not there, and is wanted again and again, keeps it from
//! looking for others. So when it has kept something back, all whose neighbours it may be are looked for here, each by itself; it
//! hears the answers as if it had asked. Each socket has a search of its own (a port for datagrams some), once a second, and
//! three times in a row at most.

use smoltcp::time::{Duration, Instant};
use smoltcp::wire::{ArpOperation, ArpPacket, EthernetFrame, EthernetProtocol, IpAddress};

use crate::names::SERVERS;
use crate::pings::{Due, Neighbour, Route};
use crate::{PORTS, STREAMS, Store};

/// How many hosts' datagrams a port keeps at once.
pub const WHOM: usize = 4;
/// Searches that there may be at once.
pub const SEARCHES: usize = STREAMS + SERVERS + PORTS * WHOM;

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
}

impl Egress {
    /// It has room for a frame.
    pub const fn offer(&mut self) {
        self.kept_back = self.kept_back.saturating_add(1);
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

/// What one socket looks for.
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

/// All of them: those of streams, of the servers of names, and of ports. All zeros at first, and too much for a stack.
#[derive(Debug)]
pub struct Searches {
    all: [Search; SEARCHES],
    /// To whom each port may have datagrams that were not sent yet: [`NOBODY`] if there are none. Each keeps its place: its search has the
    /// same one.
    whom: [[IpAddress; WHOM]; PORTS],
    /// Whether any is under way: each frame asks.
    are_under_way: bool,
}

impl Searches {
    /// None.
    #[must_use]
    pub const fn new() -> Searches {
        const NONE: Search = Search {
            from: NOBODY,
            next: NOBODY,
            tries: None,
            at: Instant::ZERO,
        };
        Searches {
            all: [NONE; SEARCHES],
            whom: [[NOBODY; WHOM]; PORTS],
            are_under_way: false,
        }
    }

    /// Takes note of whom a port sends a datagram. Whether there is a place: if all before it `are_sent` there are all.
    pub(crate) fn note(&mut self, port: usize, to: IpAddress, are_sent: bool) -> bool {
        let Some(whom) = self.whom.get_mut(port) else {
            return false;
        };
        if whom.contains(&to) {
            return true;
        }
        if are_sent && !whom.contains(&NOBODY) {
            // Who is looked for keeps its place: an empty datagram to it counts as sent, and may not be.
            for (it, search) in whom.iter_mut().zip(own(&self.all, port)) {
                if search.tries.is_none() {
                    *it = NOBODY;
                }
            }
        }
        let place = whom.iter_mut().find(|it| **it == NOBODY);
        place.map(|it| *it = to).is_some()
    }

    /// Whether [`Searches::note`] has a place for anybody.
    pub(crate) fn has_place(&self, port: usize, are_sent: bool) -> bool {
        let whom = self.whom.get(port).into_iter().flatten();
        let mut places = whom.zip(own(&self.all, port));
        places.any(|(it, search)| *it == NOBODY || are_sent && search.tries.is_none())
    }

    /// A port has nothing to send, and looks for nobody: what it looked for is not to end for its next owner.
    pub(crate) fn forget(&mut self, port: usize) {
        if let Some(whom) = self.whom.get_mut(port) {
            *whom = [NOBODY; WHOM];
        }
        let own = self.all.iter_mut().skip(first_of(port));
        own.take(WHOM).for_each(|it| it.tries = None);
    }

    /// One of those to whom a port may have datagrams that were not sent yet.
    fn port_sends_to(&self, port: usize, which: usize) -> Option<IpAddress> {
        let whom = self.whom.get(port)?.get(which).copied();
        whom.filter(|it| *it != NOBODY)
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

    /// Begins a search for whom there is no way to: nothing is sent, and it ends as others do.
    fn fail(&mut self, place: usize, now: Instant) {
        let it = self.all.get_mut(place);
        if let Some(it) = it.filter(|it| it.next != NOBODY || it.tries.is_none()) {
            *it = Search {
                from: NOBODY,
                next: NOBODY,
                tries: Some(TRIES),
                at: now + PAUSE * u32::from(TRIES),
            };
            self.are_under_way = true;
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

/// The first search of a port.
const fn first_of(port: usize) -> usize {
    STREAMS + SERVERS + port * WHOM
}

/// The searches of a port.
fn own(all: &[Search], port: usize) -> impl Iterator<Item = &Search> {
    all.iter().skip(first_of(port)).take(WHOM)
}

impl Default for Searches {
    fn default() -> Searches {
        Searches::new()
    }
}

impl Store<'_> {
    /// Begins to look for all neighbours that streams, questions and ports may need, if the stack has kept something back; and
    /// goes on to look for whom it has looked for itself. `route` says the way to a host.
    pub fn look_for_neighbours(
        &mut self,
        now: Instant,
        egress: Egress,
        route: impl Fn(IpAddress) -> Option<Route>,
    ) {
        if egress.kept_back > 0 || egress.sought.is_some() {
            self.begin_searches(now, egress, &route);
        }
    }

    #[inline(never)]
    fn begin_searches(
        &mut self,
        now: Instant,
        egress: Egress,
        route: &dyn Fn(IpAddress) -> Option<Route>,
    ) {
        self.forget_sent();
        for place in 0..SEARCHES {
            let to = self.wanted(place);
            let way = to.and_then(route);
            // The own machine, or one to which nothing leads, is looked for in vain.
            let is_nowhere = way.is_none() && to.is_some_and(|it| it.is_unicast());
            if is_nowhere && (to == egress.sought || egress.kept_back > 0) {
                self.searches.fail(place, now);
                continue;
            }
            let is_sought = way.is_some_and(|it| egress.sought == Some(it.next));
            if is_sought || egress.kept_back > 0 {
                self.searches.begin(place, way, is_sought, now);
            }
        }
    }

    /// Whom the socket with this search sends something, or may.
    fn wanted(&self, place: usize) -> Option<IpAddress> {
        let Some(place) = place.checked_sub(STREAMS) else {
            return self.stream_goes_to(place);
        };
        match place.checked_sub(SERVERS) {
            None => self.asked_server(place),
            Some(place) => self.searches.port_sends_to(place / WHOM, place % WHOM),
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

    /// Ends searches for those who are not there. A port forgets what it was to send them, and all behind it.
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
            if let Some(port) = place.checked_sub(STREAMS + SERVERS) {
                self.give_up_sending(port / WHOM);
            }
            self.searches.end(place, now);
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
