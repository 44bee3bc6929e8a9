//! What routers at the wire tell everybody (RFC 4861, RFC 4862, RFC 8106): which addresses there are, who knows the way to all
//! others, and who is asked for names; and when routers are to be asked for it.
//!
//! Whoever is at the wire can say that it is a router. What is kept is bounded, and what there is no place for is counted.

use core::net::Ipv6Addr;

use smoltcp::time::{Duration, Instant};
use smoltcp::wire::{
    EthernetAddress, EthernetFrame, EthernetProtocol, EthernetRepr, HardwareAddress,
    IPV6_LINK_LOCAL_ALL_ROUTERS, Icmpv6Message, Icmpv6Packet, IpProtocol, Ipv6Cidr, Ipv6Packet,
    Ipv6Repr,
};

/// Prefixes that are kept: an address each.
pub const PREFIXES: usize = 2;
/// Routers that are kept, of which the first is used.
const ROUTERS: usize = 2;
/// Servers of names that are kept.
const SERVERS: usize = 2;

/// Bytes of a frame that asks for routers.
pub const SOLICITATION: usize = 14 + 40 + 16;

/// How long after a question the next one is, at first; then twice as long each time, up to the longest (RFC 7559).
const FIRST_PAUSE: Duration = Duration::from_secs(4);
const LONGEST_PAUSE: Duration = Duration::from_secs(3600);
/// An advertisement does not make an address end sooner than this, as anybody can send one (RFC 4862, 5.5.3).
const LEAST_LIFETIME: Duration = Duration::from_secs(2 * 3600);

/// What only those at the wire can have sent: no router lets it through.
pub(crate) const FROM_HERE: u8 = 255;
/// Bytes of an advertisement before its options.
const HEAD: usize = 16;
/// Bytes that a length of options counts.
const UNIT: usize = 8;
/// The options that are read, and a bit of the first: addresses are made of the prefix.
const PREFIX_OPTION: u8 = 3;
const SERVERS_OPTION: u8 = 25;
const IS_FOR_ADDRESSES: u8 = 0x40;
/// Bits of the prefix of an address that has the device's in its other half.
const PREFIX_LENGTH: u8 = 64;

/// Something that is told, and until when it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Told {
    address: Ipv6Addr,
    until: Instant,
}

/// Some of those, the oldest first.
type List<const N: usize> = [Option<Told>; N];

/// What routers have told.
#[derive(Debug)]
pub struct Routers {
    prefixes: List<PREFIXES>,
    routers: List<ROUTERS>,
    servers: List<SERVERS>,
    /// When routers are asked, and how long after that again; nobody is until [`Routers::begin`], and while there is one.
    ask_at: Option<Instant>,
    pause: Duration,
    is_changed: bool,
    refused: u32,
}

impl Default for Routers {
    fn default() -> Routers {
        Routers::new()
    }
}

impl Routers {
    /// Nothing has been told, and nobody is asked yet.
    #[must_use]
    pub const fn new() -> Routers {
        Routers {
            prefixes: [None; PREFIXES],
            routers: [None; ROUTERS],
            servers: [None; SERVERS],
            ask_at: None,
            pause: FIRST_PAUSE,
            is_changed: false,
            refused: 0,
        }
    }

    /// Asks now, and again until a router answers: there is a device, or its link has come back.
    pub fn begin(&mut self, now: Instant) {
        self.ask_at = Some(now);
        self.pause = FIRST_PAUSE;
    }

    /// The addresses of a device, one for each prefix.
    pub fn addresses(&self, device: EthernetAddress) -> impl Iterator<Item = Ipv6Cidr> + '_ {
        let device = HardwareAddress::Ethernet(device);
        let prefixes = self.prefixes.iter().flatten();
        prefixes.filter_map(move |it| {
            let prefix = Ipv6Cidr::new(it.address, PREFIX_LENGTH);
            Ipv6Cidr::from_link_prefix(&prefix, device)
        })
    }

    /// Who knows the way to all others.
    #[must_use]
    pub fn router(&self) -> Option<Ipv6Addr> {
        self.routers.iter().flatten().next().map(|it| it.address)
    }

    /// Who is asked for names.
    pub fn servers(&self) -> impl Iterator<Item = Ipv6Addr> + '_ {
        self.servers.iter().flatten().map(|it| it.address)
    }

    /// Things that were told and not kept: there was no place, or they made no sense.
    #[must_use]
    pub const fn refused(&self) -> u32 {
        self.refused
    }

    /// Looks at a frame that has come, which most times is none of a router.
    pub fn hear(&mut self, now: Instant, frame: &[u8]) {
        let Some((router, packet)) = packet(frame) else {
            return;
        };
        match advertisement(router, packet) {
            Some(advertisement) => self.take(now, router, advertisement),
            None => self.refuse(),
        }
    }

    /// Takes what a router says.
    #[inline(never)]
    fn take(&mut self, now: Instant, router: Ipv6Addr, advertisement: &[u8]) {
        let Some((head, mut rest)) = advertisement.split_first_chunk::<HEAD>() else {
            return self.refuse();
        };
        let [_, _, _, _, _, _, high, low, ..] = *head;
        let lifetime = Duration::from_secs(u16::from_be_bytes([high, low]).into());
        let is_kept = keep(&mut self.routers, router, now, lifetime);
        self.note(is_kept);
        // Each takes bytes of the frame, so that there are as many as have room in it.
        while rest.len() > 1 {
            let Some((kind, option, behind)) = first_option(rest) else {
                return self.refuse();
            };
            rest = behind;
            match kind {
                PREFIX_OPTION => self.take_prefix(now, option),
                SERVERS_OPTION => self.take_servers(now, option),
                _ => {}
            }
        }
        if self.router().is_some() {
            self.ask_at = None;
        }
    }

    fn take_prefix(&mut self, now: Instant, option: &[u8]) {
        let Ok(option) = <&[u8; 32]>::try_from(option) else {
            return self.refuse();
        };
        let (head, prefix) = option.split_at(16);
        let &[_, _, length, flags, a, b, c, d, e, f, g, h, ..] = head else {
            return;
        };
        if flags & IS_FOR_ADDRESSES == 0 {
            return;
        }
        let (valid, preferred) = (
            u32::from_be_bytes([a, b, c, d]),
            u32::from_be_bytes([e, f, g, h]),
        );
        let address = address_of(prefix).map(first_half);
        let Some(address) = address.filter(|_| length == PREFIX_LENGTH && preferred <= valid)
        else {
            return self.refuse();
        };
        let lifetime = Duration::from_secs(valid.into());
        let known = self.prefixes.iter_mut().flatten();
        if let Some(it) = known.into_iter().find(|it| it.address == address) {
            let rest = it.until - now;
            if lifetime > LEAST_LIFETIME || lifetime > rest {
                it.until = now + lifetime;
            } else if rest > LEAST_LIFETIME {
                it.until = now + LEAST_LIFETIME;
            }
            return;
        }
        let is_kept = keep(&mut self.prefixes, address, now, lifetime);
        self.note(is_kept);
    }

    fn take_servers(&mut self, now: Instant, option: &[u8]) {
        let Some((head, addresses)) = option.split_first_chunk::<8>() else {
            return self.refuse();
        };
        let [_, _, _, _, a, b, c, d] = *head;
        let lifetime = Duration::from_secs(u32::from_be_bytes([a, b, c, d]).into());
        for bytes in addresses.chunks(16) {
            let kept = address_of(bytes);
            let kept = kept.map(|it| keep(&mut self.servers, it, now, lifetime));
            self.note(kept.flatten());
        }
    }

    /// What has become of something that was told: none if it was not kept.
    fn note(&mut self, is_changed: Option<bool>) {
        match is_changed {
            Some(is_changed) => self.is_changed |= is_changed,
            None => self.refuse(),
        }
    }

    fn refuse(&mut self) {
        self.refused = self.refused.wrapping_add(1);
    }

    /// Forgets what holds no longer. Whether anything is other than it was when this was asked last.
    pub fn tend(&mut self, now: Instant) -> bool {
        let had_router = self.router().is_some();
        let is_changed = [
            expire(&mut self.prefixes, now),
            expire(&mut self.routers, now),
            expire(&mut self.servers, now),
        ];
        self.is_changed |= is_changed.contains(&true);
        if had_router && self.router().is_none() {
            self.begin(now);
        }
        core::mem::take(&mut self.is_changed)
    }

    /// Whether routers are to be asked now. It counts as done.
    pub fn is_to_ask(&mut self, now: Instant) -> bool {
        if self.ask_at.is_none_or(|at| at > now) {
            return false;
        }
        self.ask_at = Some(now + self.pause);
        self.pause = (self.pause * 2).min(LONGEST_PAUSE);
        true
    }

    /// When [`Routers::tend`] and [`Routers::is_to_ask`] have something to do.
    pub fn ends(&self) -> Option<Instant> {
        let prefixes = self.prefixes.iter().flatten();
        let routers = self.routers.iter().flatten();
        let all = prefixes.chain(routers).chain(self.servers.iter().flatten());
        all.map(|it| it.until).chain(self.ask_at).min()
    }
}

/// The packet in a frame that only somebody at the wire can have sent to this host or to all, if it says that it is a router's.
fn packet(frame: &[u8]) -> Option<(Ipv6Addr, Ipv6Packet<&[u8]>)> {
    let frame = EthernetFrame::new_checked(frame).ok()?;
    if frame.ethertype() != EthernetProtocol::Ipv6 {
        return None;
    }
    let packet = Ipv6Packet::new_checked(frame.payload()).ok()?;
    let is_advertisement = packet.next_header() == IpProtocol::Icmpv6
        && packet.payload().first() == Some(&u8::from(Icmpv6Message::RouterAdvert));
    is_advertisement.then(|| (packet.src_addr(), packet))
}

/// What a router says in it; none if it says it wrongly.
fn advertisement(router: Ipv6Addr, packet: Ipv6Packet<&[u8]>) -> Option<&[u8]> {
    let to = packet.dst_addr();
    let said = Icmpv6Packet::new_checked(packet.payload()).ok()?;
    let is_one = packet.hop_limit() == FROM_HERE
        && router.is_unicast_link_local()
        && said.msg_code() == 0
        && said.verify_checksum(&router, &to);
    is_one.then(|| packet.payload())
}

/// The address that these bytes are, if it can be somebody's beyond this wire or at it.
fn address_of(bytes: &[u8]) -> Option<Ipv6Addr> {
    let address = Ipv6Addr::from(<[u8; 16]>::try_from(bytes).ok()?);
    let is_nobody = address.is_multicast()
        || address.is_unspecified()
        || address.is_loopback()
        || address.to_ipv4_mapped().is_some()
        || address.is_unicast_link_local();
    (!is_nobody).then_some(address)
}

/// An address of which the half for the device is nothing.
fn first_half(address: Ipv6Addr) -> Ipv6Addr {
    let [a, b, c, d, ..] = address.segments();
    Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0)
}

/// Keeps what was told so long; whether that is new. None if there is no place.
fn keep<const N: usize>(
    all: &mut List<N>,
    address: Ipv6Addr,
    now: Instant,
    lifetime: Duration,
) -> Option<bool> {
    let until = now + lifetime;
    let is_it = |it: &Option<Told>| it.is_some_and(|it| it.address == address);
    if let Some(it) = all.iter_mut().find(|it| is_it(it)) {
        *it = Some(Told { address, until });
        // What holds no longer is forgotten when that is looked for.
        return Some(false);
    }
    if lifetime == Duration::ZERO {
        return Some(false);
    }
    let place = all.iter_mut().find(|it| it.is_none())?;
    *place = Some(Told { address, until });
    Some(true)
}

/// Forgets what holds no longer, and moves the others to the front; whether there was any.
fn expire<const N: usize>(all: &mut List<N>, now: Instant) -> bool {
    if all.iter().flatten().all(|it| it.until > now) {
        return false;
    }
    let mut rest = all.iter().flatten().copied().filter(|it| it.until > now);
    *all = [(); N].map(|()| rest.next());
    true
}

/// Writes a frame that asks for routers.
#[inline(never)]
pub fn solicitation(own: Ipv6Addr, device: EthernetAddress, frame: &mut [u8; SOLICITATION]) {
    let routers = EthernetAddress([0x33, 0x33, 0, 0, 0, 2]);
    let to = (IPV6_LINK_LOCAL_ALL_ROUTERS, routers);
    let asks: [&[u8]; _] = [&[133, 0, 0, 0, 0, 0, 0, 0], &[1, 1], &device.0];
    write(&asks, (own, device), to, frame);
}

/// The first of these options: its kind, its bytes, and those behind it. `None` if there is none, or it is none.
pub(crate) fn first_option(options: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let [kind, units, ..] = *options else {
        return None;
    };
    let length = usize::from(units) * UNIT;
    let (option, behind) = options.split_at_checked(length).filter(|_| length > 0)?;
    Some((kind, option, behind))
}

/// What stands before a message that routers are to look at, whoever it is for (RFC 2711).
pub(crate) const ALERT: [u8; 8] = [58, 0, 5, 2, 0, 0, 1, 0];

/// Writes a frame from one host and device to another, as long as what it says of itself: a message of ICMP, whose sum is
/// still 0.
pub(crate) fn write(
    said: &[&[u8]],
    from: (Ipv6Addr, EthernetAddress),
    to: (Ipv6Addr, EthernetAddress),
    frame: &mut [u8],
) {
    write_behind(&[], said, from, to, frame);
}

/// As [`write()`], of a message that routers at the wire are to look at.
pub(crate) fn write_for_routers(
    said: &[&[u8]],
    from: (Ipv6Addr, EthernetAddress),
    to: (Ipv6Addr, EthernetAddress),
    frame: &mut [u8],
) {
    write_behind(&ALERT, said, from, to, frame);
}

#[inline(never)]
fn write_behind(
    alert: &[u8],
    said: &[&[u8]],
    (from, from_device): (Ipv6Addr, EthernetAddress),
    (to, to_device): (Ipv6Addr, EthernetAddress),
    frame: &mut [u8],
) {
    let head = EthernetRepr {
        src_addr: from_device,
        dst_addr: to_device,
        ethertype: EthernetProtocol::Ipv6,
    };
    let (next_header, hop_limit) = match alert {
        [] => (IpProtocol::Icmpv6, FROM_HERE),
        _ => (IpProtocol::HopByHop, 1),
    };
    let packet = Ipv6Repr {
        src_addr: from,
        dst_addr: to,
        next_header,
        payload_len: alert.len() + said.iter().map(|it| it.len()).sum::<usize>(),
        hop_limit,
    };
    let mut frame = EthernetFrame::new_unchecked(frame);
    head.emit(&mut frame);
    let mut bytes = Ipv6Packet::new_unchecked(frame.payload_mut());
    packet.emit(&mut bytes);
    let payload = bytes.payload_mut();
    let said = [alert].into_iter().chain(said.iter().copied()).flatten();
    payload
        .iter_mut()
        .zip(said)
        .for_each(|(to, from)| *to = *from);
    if let Some(message) = payload.get_mut(alert.len()..) {
        Icmpv6Packet::new_unchecked(message).fill_checksum(&from, &to);
    }
}
