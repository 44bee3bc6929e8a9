//! Own addresses of IPv6, each of which is used only when nobody else at the wire has it (RFC 4862, 5.4).
//!
//! Whoever has it already, or asks the same at the same time, keeps this host from it; an address in use is defended
//! by an answer to all. Whoever is at the wire can say that it has an address: so it is said once who is refused, and asked anew when the link has
//! come back.

use core::net::Ipv6Addr;

use smoltcp::time::{Duration, Instant};
use smoltcp::wire::{
    EthernetAddress, EthernetFrame, EthernetProtocol, IPV6_LINK_LOCAL_ALL_NODES, Icmpv6Message,
    Icmpv6Packet, IpProtocol, Ipv6Cidr, Ipv6Packet,
};

use crate::groups::{self, BECOMES_WANTED, Groups, IS_WANTED};
use crate::pings::solicited;
use crate::routers::{FROM_HERE, PREFIXES, first_option, write};

/// Own addresses: that of the link, and one of the manifest or of each prefix.
pub const OWN: usize = 1 + PREFIXES;

/// How long after it was asked nobody may have said that the address is taken (RetransTimer), for the one question that is asked
/// (DupAddrDetectTransmits).
const SILENCE: Duration = Duration::from_secs(1);
/// How often it is told which groups the addresses have (Robustness Variable), [`SILENCE`] after each other: a frame can be lost.
const TOLD: u8 = 2;
/// Bytes of a frame before what it says, and of what asks or answers before its options.
const HEAD: usize = 14 + 40;
const SAID: usize = 24;
/// Bytes of the option that has the device.
const OPTION: usize = 8;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Nobody was asked yet.
    Waits,
    /// It is not anybody else's if nobody says so until then.
    Asked(Instant),
    Used,
    /// Somebody else has it.
    Taken,
}

#[derive(Clone, Copy, Debug)]
struct Own {
    address: Ipv6Cidr,
    state: State,
    /// Somebody wants to have it, and is to be told that it is used.
    is_asked_for: bool,
}

/// All own addresses.
#[derive(Debug)]
pub struct OwnAddresses {
    all: [Option<Own>; OWN],
    /// How often their groups are to be told yet, and not before when.
    to_tell: u8,
    told: Instant,
    /// A router wants to know them.
    are_groups_asked_for: bool,
}

impl Default for OwnAddresses {
    fn default() -> OwnAddresses {
        OwnAddresses::new()
    }
}

/// A frame that is to be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OwnDue(Due);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Due {
    /// Asks for who uses an address.
    Question(Ipv6Addr),
    /// Tells all that it is used.
    Answer(Ipv6Addr),
    /// Tells routers this of groups, from an address.
    Groups(u8, Groups, Ipv6Addr),
}

impl OwnAddresses {
    /// None.
    #[must_use]
    pub const fn new() -> OwnAddresses {
        OwnAddresses {
            all: [None; OWN],
            to_tell: 0,
            told: Instant::ZERO,
            are_groups_asked_for: false,
        }
    }

    /// Their groups, to which they belong before they are used.
    fn groups(&self) -> Groups {
        let all = self.all.iter().flatten();
        Groups::of(all.map(|it| it.address.address()))
    }

    fn tell_groups(&mut self) {
        self.to_tell = TOLD;
        self.told = Instant::ZERO;
    }

    /// There is a device, or its link has come back: what was not used is asked for anew; and what was, if the device `is_other`
    /// than before.
    #[inline(never)]
    pub fn begin(&mut self, is_other: bool) {
        for it in self.all.iter_mut().flatten() {
            if is_other || it.state != State::Used {
                it.state = State::Waits;
            }
        }
        self.tell_groups();
    }

    /// Which addresses there are to be, that of the link first. Those that were there before stay what they are.
    #[inline(never)]
    pub fn want(&mut self, wanted: impl Iterator<Item = Ipv6Cidr>) {
        let old = self.all;
        let mut wanted = wanted.map(|address| {
            let mut old = old.iter().flatten();
            old.find(|it| it.address == address)
                .copied()
                .unwrap_or(Own {
                    address,
                    state: State::Waits,
                    is_asked_for: false,
                })
        });
        self.all = [(); OWN].map(|()| wanted.next());
        let is_new = |it: &Own| old.iter().flatten().all(|old| old.address != it.address);
        if self.all.iter().flatten().any(is_new) {
            self.tell_groups();
        }
    }

    /// Whether somebody else has the address of the link. It is made of the device's: so are others, and none is used (RFC 4862,
    /// 5.4.5).
    #[inline(never)]
    fn is_link_taken(&self) -> bool {
        let mut all = self.all.iter().flatten();
        all.any(|it| it.state == State::Taken && it.address.address().is_unicast_link_local())
    }

    /// Those that are used.
    pub fn used(&self) -> impl Iterator<Item = Ipv6Cidr> + '_ {
        let all = self.all.iter().flatten();
        let all = all.filter(|it| it.state == State::Used && !self.is_link_taken());
        all.map(|it| it.address)
    }

    /// Whether the address of the link is used: routers can be asked.
    #[inline(never)]
    #[must_use]
    pub fn has_link(&self) -> bool {
        self.used().any(|it| it.address().is_unicast_link_local())
    }

    /// Looks at a frame that has come; which of the addresses is somebody else's, if it says so of one that was not used yet.
    #[inline(never)]
    pub fn hear(&mut self, frame: &[u8]) -> Option<Ipv6Addr> {
        if let Some(question) = groups::question(frame) {
            self.are_groups_asked_for |= self.groups().are_asked_for(question);
            return None;
        }
        let Heard { target, is_asked } = heard(frame)?;
        let mut all = self.all.iter_mut().flatten();
        let it = all.find(|it| it.address.address() == target)?;
        match it.state {
            State::Waits | State::Asked(_) => {
                it.state = State::Taken;
                return Some(target);
            }
            State::Used => it.is_asked_for |= is_asked,
            State::Taken => {}
        }
        None
    }

    /// Uses those of which nobody has said anything. Whether there are any.
    #[inline(never)]
    pub fn tend(&mut self, now: Instant) -> bool {
        let mut is_changed = false;
        for it in self.all.iter_mut().flatten() {
            if matches!(it.state, State::Asked(until) if until <= now) {
                it.state = State::Used;
                is_changed = true;
                // What came from no address before nobody need believe (RFC 3590, 4).
                if it.address.address().is_unicast_link_local() {
                    self.to_tell = self.to_tell.max(1);
                }
            }
        }
        is_changed
    }

    /// A frame that is to be sent now. It counts as sent.
    #[inline(never)]
    pub fn due(&mut self, now: Instant) -> Option<OwnDue> {
        if !self.has_groups() {
            return None;
        }
        // Before the addresses are asked for: else nobody may hear of it who has one.
        if let Some(kind) = self.due_report(now) {
            let mut used = self.used().map(|it| it.address());
            let from = used.find(Ipv6Addr::is_unicast_link_local);
            let from = from.unwrap_or(Ipv6Addr::UNSPECIFIED);
            return Some(OwnDue(Due::Groups(kind, self.groups(), from)));
        }
        self.all.iter_mut().flatten().find_map(|it| {
            let address = it.address.address();
            match it.state {
                State::Waits => {
                    it.state = State::Asked(now + SILENCE);
                    Some(OwnDue(Due::Question(address)))
                }
                State::Used if it.is_asked_for => {
                    it.is_asked_for = false;
                    Some(OwnDue(Due::Answer(address)))
                }
                _ => None,
            }
        })
    }

    /// Whether there is an address that may be used.
    fn has_groups(&self) -> bool {
        !self.is_link_taken() && self.all.iter().any(Option::is_some)
    }

    /// What of the groups is to be told now, if anything is. It counts as told.
    fn due_report(&mut self, now: Instant) -> Option<u8> {
        if self.to_tell > 0 && self.told <= now {
            self.to_tell -= 1;
            self.told = now + SILENCE;
            return Some(BECOMES_WANTED);
        }
        core::mem::take(&mut self.are_groups_asked_for).then_some(IS_WANTED)
    }

    /// When [`OwnAddresses::due`] or [`OwnAddresses::tend`] has something to do.
    #[inline(never)]
    #[must_use]
    pub fn ends(&self) -> Option<Instant> {
        if !self.has_groups() {
            return None;
        }
        let told = (self.to_tell > 0).then_some(self.told);
        let asked_for = self.are_groups_asked_for.then_some(Instant::ZERO);
        let all = self.all.iter().flatten();
        let ends = all.filter_map(|it| match it.state {
            State::Asked(until) => Some(until),
            State::Waits => Some(Instant::ZERO),
            State::Used if it.is_asked_for => Some(Instant::ZERO),
            State::Used | State::Taken => None,
        });
        ends.chain(told).chain(asked_for).min()
    }
}

impl OwnDue {
    /// Bytes of the frame.
    #[must_use]
    pub fn length(&self) -> usize {
        match self.0 {
            // Who has no address yet does not say which device it is.
            Due::Question(_) => HEAD + SAID,
            Due::Answer(_) => HEAD + SAID + OPTION,
            Due::Groups(_, groups, _) => groups.length(),
        }
    }

    /// Writes the frame, of that many bytes, from this device.
    #[inline(never)]
    pub fn emit(&self, device: EthernetAddress, frame: &mut [u8]) {
        // It is as long as was asked for, or nothing of it is sent.
        if frame.len() != self.length() {
            return;
        }
        match self.0 {
            Due::Question(address) => {
                let target = address.octets();
                let said: [&[u8]; _] = [&[135, 0, 0, 0, 0, 0, 0, 0], &target];
                let from = (Ipv6Addr::UNSPECIFIED, device);
                write(&said, from, solicited(address), frame);
            }
            Due::Answer(address) => {
                let target = address.octets();
                let to = (IPV6_LINK_LOCAL_ALL_NODES, ALL);
                // Whatever was known before is not so any more: the bit says that.
                let head = [136, 0, 0, 0, 0x20, 0, 0, 0];
                let said: [&[u8]; _] = [&head, &target, &[2, 1], &device.0];
                write(&said, (address, device), to, frame);
            }
            Due::Groups(kind, groups, from) => groups.emit(kind, (from, device), frame),
        }
    }
}

/// The devices of everybody.
const ALL: EthernetAddress = EthernetAddress([0x33, 0x33, 0, 0, 0, 1]);

/// What somebody else says of an address.
struct Heard {
    target: Ipv6Addr,
    /// Whether it asks for it, and does not say that it has it.
    is_asked: bool,
}

/// What a frame says of an address, if it can be said so.
#[inline(never)]
fn heard(frame: &[u8]) -> Option<Heard> {
    let frame = EthernetFrame::new_checked(frame).ok()?;
    // Of devices with the same address each other one's frames are heard so, too.
    if frame.ethertype() != EthernetProtocol::Ipv6 {
        return None;
    }
    let packet = Ipv6Packet::new_checked(frame.payload()).ok()?;
    if packet.next_header() != IpProtocol::Icmpv6 || packet.hop_limit() != FROM_HERE {
        return None;
    }
    let (from, to) = (packet.src_addr(), packet.dst_addr());
    let said = Icmpv6Packet::new_checked(packet.payload()).ok()?;
    let is_whole = packet.payload().len() >= SAID && said.msg_code() == 0;
    if !is_whole || !said.verify_checksum(&from, &to) {
        return None;
    }
    let target = said.target_addr();
    let is_asked = match said.msg_type() {
        // Whoever has an address already looks for a neighbour.
        Icmpv6Message::NeighborSolicit if from.is_unspecified() => true,
        Icmpv6Message::NeighborAdvert => false,
        _ => return None,
    };
    let has_device = has_device(packet.payload().get(SAID..)?)?;
    // Who wants an address asks those who may have it, and has no device that could be answered (RFC 4861, 7.1.1).
    let is_right = !is_asked || (to == solicited(target).0 && !has_device);
    is_right.then_some(Heard { target, is_asked })
}

/// Whether options say which device is whose; none if they are none.
fn has_device(mut options: &[u8]) -> Option<bool> {
    const SOURCE_DEVICE: u8 = 1;
    let mut has_device = false;
    while let Some((kind, _, behind)) = first_option(options) {
        options = behind;
        has_device |= kind == SOURCE_DEVICE;
    }
    options.is_empty().then_some(has_device)
}
