//! Echoes that clients ask for (`ping`): the question of ICMP (RFC 792, RFC 4443) to a host, and its answer.
//!
//! The stack has sockets for this, each of which holds a question for as long as its host is not found, and all that wait behind
//! it; so questions are frames of their own here, and each looks for the next host on its way by itself (ARP, or RFC 4861). Of each
//! place there is one question. What comes is believed if it has been asked: by the right host, of the right one, with both numbers and
//! all its bytes.

use smoltcp::phy::ChecksumCapabilities;
use smoltcp::time::{Duration, Instant};
use smoltcp::wire::{
    ArpOperation, ArpPacket, ArpRepr, EthernetAddress, EthernetFrame, EthernetProtocol,
    EthernetRepr, Icmpv4Message, Icmpv4Packet, IpAddress, IpProtocol, Ipv4Address, Ipv4Packet,
    Ipv4Repr,
};

use crate::{Count, LONGEST, Refused, Share, Store};

#[cfg(feature = "ipv6")]
mod six;
#[cfg(feature = "ipv6")]
pub(crate) use six::{solicited, sought};

/// Echoes that all clients may wait for at once.
pub const PINGS: usize = 4;

/// How long an answer may take, with all that is on the way to the question.
const SILENCE: Duration = Duration::from_secs(10);
/// How long after it was looked for the next host on the way is looked for again.
const PAUSE: Duration = Duration::from_secs(1);
/// Hops that a question may take.
const HOPS: u8 = 64;

/// Bytes before a packet, and of each head in it.
const FRAME_HEAD: usize = 14;
const IPV4_HEAD: usize = 20;
/// Bytes of a question before its own: kind, sum and numbers.
const ECHO_HEAD: usize = 8;
/// Bytes of a frame that looks for a host of IPv4.
const ARP: usize = FRAME_HEAD + 28;
const QUESTION_KIND: u8 = 8;
const ANSWER_KIND: u8 = 0;

/// What a client knows an echo by that it waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ping {
    place: usize,
    count: Count,
}

/// The way to a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Route {
    /// The own address.
    pub from: IpAddress,
    /// The host's.
    pub to: IpAddress,
    /// That of the next one on the way, which is at the wire.
    pub next: IpAddress,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// The next host on the way is to be looked for at this time; it has been already if `is_asked`.
    Looks {
        at: Instant,
        is_asked: bool,
    },
    /// The question is to be sent there.
    Asks(EthernetAddress),
    /// It was sent then.
    Waits(Instant),
    Over(Result<Duration, Refused>),
}

#[derive(Debug)]
struct Place {
    /// 0 is nobody.
    owner: u32,
    count: Count,
    route: Route,
    /// Bytes behind its numbers.
    length: usize,
    sequence: u16,
    state: State,
    until: Instant,
}

/// All echoes.
#[derive(Debug)]
pub(crate) struct Pings {
    places: [Place; PINGS],
    /// How many of the places somebody has: each frame asks.
    under_way: usize,
    /// What tells these questions from those of others.
    ident: u16,
    /// The number of the last one.
    sequence: u16,
}

/// A frame that is to be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Due {
    route: Route,
    /// None looks for the next host.
    to: Option<EthernetAddress>,
    ident: u16,
    sequence: u16,
    length: usize,
}

impl Pings {
    /// None. `seed` has the numbers with which they begin.
    pub(crate) const fn new(seed: u32) -> Pings {
        const NOWHERE: IpAddress = IpAddress::Ipv4(Ipv4Address::UNSPECIFIED);
        Pings {
            places: [const {
                Place {
                    owner: 0,
                    count: Count::new(),
                    route: Route {
                        from: NOWHERE,
                        to: NOWHERE,
                        next: NOWHERE,
                    },
                    length: 0,
                    sequence: 0,
                    state: State::Over(Err(Refused::Silent)),
                    until: Instant::ZERO,
                }
            }; PINGS],
            under_way: 0,
            ident: (seed >> 16) as u16,
            sequence: seed as u16,
        }
    }

    fn own(&mut self) -> impl Iterator<Item = &mut Place> {
        self.places.iter_mut().filter(|it| it.owner != 0)
    }
}

/// The byte at this position of a question.
fn byte(position: usize) -> u8 {
    position as u8
}

impl Store<'_> {
    /// Asks a host for an echo of so many bytes.
    ///
    /// # Errors
    /// [`Refused::TooLong`], [`Refused::TooMany`].
    #[inline(never)]
    pub fn ping(
        &mut self,
        client: u32,
        share: Share,
        route: Route,
        length: usize,
        now: Instant,
    ) -> Result<Ping, Refused> {
        if length > longest(route.to) {
            return Err(Refused::TooLong);
        }
        let pings = &mut self.pings;
        let own = pings.places.iter().filter(|it| it.owner == client).count();
        let free = pings.places.iter().position(|it| it.owner == 0);
        let place = free.filter(|_| own < share.pings).ok_or(Refused::TooMany)?;
        pings.under_way += 1;
        pings.sequence = pings.sequence.wrapping_add(1);
        let sequence = pings.sequence;
        let it = &mut pings.places[place];
        it.count.next();
        *it = Place {
            owner: client,
            count: it.count,
            route,
            length,
            sequence,
            state: State::Looks {
                at: now,
                is_asked: false,
            },
            until: now + SILENCE,
        };
        Ok(Ping {
            place,
            count: it.count,
        })
    }

    /// How long the echo took, there and back. It is over then, and with each error but [`Refused::NotYet`].
    ///
    /// # Errors
    /// [`Refused::NotYet`]; [`Refused::Unreachable`] if somebody on the way says so; [`Refused::Silent`];
    /// [`Refused::BadNumber`] if it is none of this client's.
    #[inline(never)]
    pub fn pinged(&mut self, client: u32, ping: Ping) -> Result<Duration, Refused> {
        let it = self.pings.places.get(ping.place);
        let it = it.filter(|it| it.owner == client && it.count == ping.count);
        match it.ok_or(Refused::BadNumber)?.state {
            State::Over(result) => {
                self.forget_ping(client, ping);
                result
            }
            _ => Err(Refused::NotYet),
        }
    }

    /// Ends an echo of whoever does not wait any more.
    #[inline(never)]
    pub fn forget_ping(&mut self, client: u32, ping: Ping) {
        let it = self.pings.places.get_mut(ping.place);
        if let Some(it) = it.filter(|it| it.owner == client && it.count == ping.count) {
            it.owner = 0;
            it.count.next();
            self.pings.under_way -= 1;
        }
    }

    #[inline(never)]
    pub(crate) fn abandon_pings(&mut self, client: u32) {
        let mut ended = 0;
        for it in self.pings.own().filter(|it| it.owner == client) {
            it.owner = 0;
            it.count.next();
            ended += 1;
        }
        self.pings.under_way -= ended;
    }

    /// Whether somebody waits for an echo.
    pub const fn is_pinging(&self) -> bool {
        self.pings.under_way > 0
    }

    /// When [`Store::due_ping`] or [`Store::tend_pings`] has something to do.
    #[inline(never)]
    pub fn ping_ends(&self) -> Option<Instant> {
        let own = self.pings.places.iter().filter(|it| it.owner != 0);
        let ends = own.filter_map(|it| match it.state {
            State::Looks { at, .. } => Some(at.min(it.until)),
            State::Asks(_) => Some(Instant::ZERO),
            State::Waits(_) => Some(it.until),
            State::Over(_) => None,
        });
        ends.min()
    }

    /// Ends those whose time is over.
    #[inline(never)]
    pub fn tend_pings(&mut self, now: Instant) {
        for it in self.pings.own().filter(|it| it.until <= now) {
            if !matches!(it.state, State::Over(_)) {
                it.state = State::Over(Err(Refused::Silent));
            }
        }
    }

    /// A frame that is to be sent now. It counts as sent.
    #[inline(never)]
    pub fn due_ping(&mut self, now: Instant) -> Option<Due> {
        let ident = self.pings.ident;
        self.pings.own().find_map(|it| {
            let to = match it.state {
                State::Looks { at, .. } if at <= now => {
                    it.state = State::Looks {
                        at: now + PAUSE,
                        is_asked: true,
                    };
                    None
                }
                State::Asks(hardware) => {
                    it.state = State::Waits(now);
                    Some(hardware)
                }
                _ => return None,
            };
            Some(Due {
                route: it.route,
                to,
                ident,
                sequence: it.sequence,
                length: it.length,
            })
        })
    }

    /// Whether what comes may be an answer to a question or a search.
    pub const fn is_listening(&self) -> bool {
        self.is_pinging() || self.is_looking()
    }

    /// Looks at a frame that has come to this device, which most times is nobody's answer.
    #[inline(never)]
    pub fn hear(&mut self, now: Instant, device: EthernetAddress, frame: &[u8]) {
        let Ok(frame) = EthernetFrame::new_checked(frame) else {
            return;
        };
        let to = frame.dst_addr();
        // What is for others the stack does not take.
        if to != device && to.is_unicast() {
            return;
        }
        let heard = match frame.ethertype() {
            EthernetProtocol::Arp => found(frame.payload()),
            EthernetProtocol::Ipv4 => {
                answer(frame.payload(), &mut |said| self.pings.take(now, said))
            }
            #[cfg(feature = "ipv6")]
            EthernetProtocol::Ipv6 => {
                six::answer(frame.payload(), &mut |said| self.pings.take(now, said))
            }
            _ => None,
        };
        if let Some(found) = heard {
            self.searches.find(&found, now);
            self.pings.find(&found);
        }
    }
}

/// Somebody at the wire says whose the device with an address is.
pub(crate) struct Neighbour {
    pub address: IpAddress,
    pub hardware: EthernetAddress,
    /// Who says it.
    pub from: IpAddress,
    /// To whom.
    pub to: IpAddress,
}

/// What a packet of ICMP says of a question: of whose, to whom, with which numbers.
struct Said<'a> {
    from: IpAddress,
    to: IpAddress,
    ident: u16,
    sequence: u16,
    /// The bytes that came back; none if it has not arrived.
    echo: Option<&'a [u8]>,
}

impl Pings {
    #[inline(never)]
    fn find(&mut self, found: &Neighbour) {
        for it in self.own() {
            let is_asked = matches!(it.state, State::Looks { is_asked: true, .. });
            if is_asked && it.route.next == found.address && it.route.from == found.to {
                it.state = State::Asks(found.hardware);
            }
        }
    }

    #[inline(never)]
    fn take(&mut self, now: Instant, said: Said<'_>) {
        if said.ident != self.ident {
            return;
        }
        for it in self.own() {
            let State::Waits(sent) = it.state else {
                continue;
            };
            let is_its = it.sequence == said.sequence
                && it.route.from == said.from
                && it.route.to == said.to;
            if !is_its {
                continue;
            }
            match said.echo {
                None => it.state = State::Over(Err(Refused::Unreachable)),
                Some(echo) if echo.len() == it.length && is_whole(echo) => {
                    it.state = State::Over(Ok(now - sent));
                }
                Some(_) => {}
            }
        }
    }
}

fn is_whole(echo: &[u8]) -> bool {
    let mut bytes = echo.iter().enumerate();
    bytes.all(|(position, it)| *it == byte(position))
}

/// Most bytes of an echo of that host.
const fn longest(to: IpAddress) -> usize {
    match to {
        // As much as of a datagram, whose head is as long.
        IpAddress::Ipv4(_) => LONGEST,
        #[cfg(feature = "ipv6")]
        IpAddress::Ipv6(_) => crate::LONGEST_IPV6,
    }
}

/// A host of IPv4 that has been found.
#[inline(never)]
fn found(packet: &[u8]) -> Option<Neighbour> {
    let packet = ArpPacket::new_checked(packet).ok()?;
    let ArpRepr::EthernetIpv4 {
        operation: ArpOperation::Reply,
        source_hardware_addr: hardware,
        source_protocol_addr,
        target_protocol_addr,
        ..
    } = ArpRepr::parse(&packet).ok()?
    else {
        return None;
    };
    hardware.is_unicast().then_some(Neighbour {
        address: source_protocol_addr.into(),
        hardware,
        from: source_protocol_addr.into(),
        to: target_protocol_addr.into(),
    })
}

/// What a packet of IPv4 says of a question, if it does.
#[inline(never)]
fn answer(packet: &[u8], take: &mut dyn FnMut(Said<'_>)) -> Option<Neighbour> {
    let packet = Ipv4Packet::new_checked(packet).ok()?;
    let is_whole = !packet.more_frags() && packet.frag_offset() == 0;
    if packet.next_header() != IpProtocol::Icmp || !is_whole || !packet.verify_checksum() {
        return None;
    }
    let (from, to) = (packet.src_addr(), packet.dst_addr());
    let said = Icmpv4Packet::new_checked(packet.payload()).ok()?;
    if !said.verify_checksum() {
        return None;
    }
    match said.msg_type() {
        Icmpv4Message::EchoReply => {
            take(echo(packet.payload(), ANSWER_KIND, to.into(), from.into())?)
        }
        Icmpv4Message::DstUnreachable => take(quoted(packet.payload())?),
        _ => {}
    }
    None
}

/// An answer, to the first of these from the second.
fn echo(answer: &[u8], kind: u8, from: IpAddress, to: IpAddress) -> Option<Said<'_>> {
    let (ident, sequence) = numbers(answer, kind)?;
    Some(Said {
        from,
        to,
        ident,
        sequence,
        echo: Some(answer.get(ECHO_HEAD..)?),
    })
}

/// The question that an error is about, of which it has the beginning.
fn quoted(error: &[u8]) -> Option<Said<'static>> {
    let quoted = error.get(ECHO_HEAD..)?;
    let [
        first,
        _,
        _,
        _,
        _,
        _,
        _,
        _,
        _,
        protocol,
        _,
        _,
        a,
        b,
        c,
        d,
        e,
        f,
        g,
        h,
    ] = *quoted.first_chunk::<IPV4_HEAD>()?;
    let head = usize::from(first & 0xF) * 4;
    if first >> 4 != 4 || head < IPV4_HEAD || protocol != u8::from(IpProtocol::Icmp) {
        return None;
    }
    let (ident, sequence) = numbers(quoted.get(head..)?, QUESTION_KIND)?;
    Some(Said {
        from: Ipv4Address::new(a, b, c, d).into(),
        to: Ipv4Address::new(e, f, g, h).into(),
        ident,
        sequence,
        echo: None,
    })
}

/// The numbers of a question or its answer, of which these are the first bytes.
fn numbers(question: &[u8], kind: u8) -> Option<(u16, u16)> {
    let [found, 0, _, _, a, b, c, d, ..] = *question else {
        return None;
    };
    (found == kind).then(|| (u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d])))
}

impl Due {
    /// Looks for a neighbour.
    pub(crate) const fn search(from: IpAddress, next: IpAddress) -> Due {
        let to = next;
        Due {
            route: Route { from, to, next },
            to: None,
            ident: 0,
            sequence: 0,
            length: 0,
        }
    }

    /// Bytes of the frame.
    #[must_use]
    pub const fn length(&self) -> usize {
        match (self.to, self.route.to) {
            (None, IpAddress::Ipv4(_)) => ARP,
            (Some(_), IpAddress::Ipv4(_)) => FRAME_HEAD + IPV4_HEAD + ECHO_HEAD + self.length,
            #[cfg(feature = "ipv6")]
            (to, IpAddress::Ipv6(_)) => six::length(to.is_some(), self.length),
        }
    }

    /// Writes the frame, of that many bytes, from this device.
    #[inline(never)]
    pub fn emit(&self, device: EthernetAddress, frame: &mut [u8]) {
        // It is as long as was asked for, or nothing of it is sent.
        if frame.len() != self.length() {
            return;
        }
        let mut frame = EthernetFrame::new_unchecked(frame);
        match (self.route.from, self.route.to, self.route.next) {
            (IpAddress::Ipv4(from), IpAddress::Ipv4(to), IpAddress::Ipv4(next)) => {
                EthernetRepr {
                    src_addr: device,
                    dst_addr: self.to.unwrap_or(EthernetAddress::BROADCAST),
                    ethertype: match self.to {
                        Some(_) => EthernetProtocol::Ipv4,
                        None => EthernetProtocol::Arp,
                    },
                }
                .emit(&mut frame);
                match self.to {
                    Some(_) => self.emit_question(from, to, frame.payload_mut()),
                    None => emit_search(device, from, next, frame.payload_mut()),
                }
            }
            #[cfg(feature = "ipv6")]
            (IpAddress::Ipv6(from), IpAddress::Ipv6(to), IpAddress::Ipv6(next)) => {
                six::emit(self, device, (from, to, next), &mut frame);
            }
            // All are of one family.
            #[cfg(feature = "ipv6")]
            _ => {}
        }
    }

    #[inline(never)]
    fn emit_question(&self, from: Ipv4Address, to: Ipv4Address, packet: &mut [u8]) {
        let head = Ipv4Repr {
            src_addr: from,
            dst_addr: to,
            next_header: IpProtocol::Icmp,
            payload_len: ECHO_HEAD + self.length,
            hop_limit: HOPS,
        };
        let mut packet = Ipv4Packet::new_unchecked(packet);
        head.emit(&mut packet, &ChecksumCapabilities::default());
        let question = packet.payload_mut();
        self.write_question(QUESTION_KIND, question);
        Icmpv4Packet::new_unchecked(question).fill_checksum();
    }

    /// Writes a question but for its sum, which is 0.
    fn write_question(&self, kind: u8, question: &mut [u8]) {
        let ([a, b], [c, d]) = (self.ident.to_be_bytes(), self.sequence.to_be_bytes());
        let Some((head, bytes)) = question.split_first_chunk_mut::<ECHO_HEAD>() else {
            return;
        };
        *head = [kind, 0, 0, 0, a, b, c, d];
        for (position, it) in bytes.iter_mut().enumerate() {
            *it = byte(position);
        }
    }
}

/// Looks for a host of IPv4.
fn emit_search(device: EthernetAddress, from: Ipv4Address, to: Ipv4Address, packet: &mut [u8]) {
    let asks = ArpRepr::EthernetIpv4 {
        operation: ArpOperation::Request,
        source_hardware_addr: device,
        source_protocol_addr: from,
        target_hardware_addr: EthernetAddress::BROADCAST,
        target_protocol_addr: to,
    };
    asks.emit(&mut ArpPacket::new_unchecked(packet));
}
