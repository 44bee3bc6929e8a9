//! Datagrams that pass by the stack: to a neighbour to whom it has just sent one, and from there.
//!
//! A frame of the stack's shows how the next one from the same port to the same address begins. Whoever is at its other end is
//! known then, and a datagram from there for a port here is as good without the stack: it would only compare the same bytes. What is
//! unusual in any way is the stack's, as is everything that is not a datagram; and what it may learn of neighbours ends all ways.
//! So does silence: whoever says nothing may not be there any more, and is the stack's to look for.

use core::net::Ipv4Addr;

use smoltcp::wire::{EthernetAddress, IpAddress, IpEndpoint};
use zerocopy::FromBytes;

use crate::{Number, Refused, Store};

/// How many datagrams go a way at most while none comes back.
const UNHEARD: u8 = 4;

/// Bytes of an Ethernet's head, and of a datagram's own one (UDP).
const ETHERNET: usize = 14;
const UDP: usize = 8;

/// Most bytes in a frame before those of a datagram.
const HEAD: usize = ETHERNET + if crate::families::ARE_BOTH { 40 } else { 20 } + UDP;

/// The ports of those who give addresses, and who ask for one: between them nothing passes by.
const DHCP: (u16, u16) = (67, 68);

/// The way to an address, and back.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    from: IpEndpoint,
    to: IpEndpoint,
    /// How a frame begins: with so many bytes of these.
    head: [u8; HEAD],
    length: usize,
    /// How many more datagrams may go it.
    left: u8,
}

impl Way {
    /// That of a frame that the stack has sent from a port to somebody.
    #[inline(never)]
    pub(crate) fn of(frame: &[u8], port: u16, to: IpEndpoint) -> Option<Way> {
        let packet = Packet::of(frame)?;
        let is_it = packet.to == to && packet.from.port == port;
        // Nobody answers for several.
        let is_one = frame.first().is_some_and(|it| it & 1 == 0);
        let length = frame.len() - packet.bytes.len();
        let mut head = [0; HEAD];
        head.get_mut(..length)?
            .copy_from_slice(frame.get(..length)?);
        (is_it && is_one).then_some(Way {
            from: packet.from,
            to,
            head,
            length,
            left: UNHEARD,
        })
    }

    /// Whether a frame comes from where this way leads to, to where it begins: as far as the Ethernet says so.
    fn leads_back(&self, frame: &[u8]) -> bool {
        let ([to, from], [there, here]) = (ends(frame), ends(&self.head));
        to == here && from == there
    }

    /// Whether a packet does so.
    fn brings(&self, packet: &Packet<'_>) -> bool {
        packet.from.addr == self.to.addr && packet.to.addr == self.from.addr
    }

    /// Writes the frame that brings these bytes there: how long it is.
    #[inline(never)]
    fn write(&self, bytes: &[u8], room: &mut [u8]) -> Option<usize> {
        let whole = self.length + bytes.len();
        let frame = room.get_mut(..whole)?;
        let (head, place) = frame.split_at_mut_checked(self.length)?;
        head.copy_from_slice(self.head.get(..self.length)?);
        place.copy_from_slice(bytes);
        let packet = frame.get_mut(ETHERNET..)?;
        let (ip, all) = packet.split_at_mut_checked(self.length - ETHERNET - UDP)?;
        let length = all.len();
        let addresses = match ip.len() {
            20 => {
                set(ip, 2, (ip.len() + length) as u16);
                set(ip, 10, 0);
                set(ip, 10, !sum(0, ip));
                12
            }
            _ => {
                set(ip, 4, length as u16);
                8
            }
        };
        set(all, 4, length as u16);
        set(all, 6, 0);
        // 0 would be none.
        let check = match !checked(ip.get(addresses..)?, all) {
            0 => FINE,
            check => check,
        };
        set(all, 6, check);
        Some(whole)
    }
}

/// To whom at the wire a frame goes, and from whom.
fn ends(frame: &[u8]) -> [&[u8]; 2] {
    [0, 6].map(|it| frame.get(it..it + 6).unwrap_or_default())
}

/// A datagram in a frame.
struct Packet<'a> {
    from: IpEndpoint,
    to: IpEndpoint,
    bytes: &'a [u8],
}

impl<'a> Packet<'a> {
    /// That of this frame, if it has one and nothing else: whole, without options, and with check sums that are right.
    #[inline(never)]
    fn of(frame: &'a [u8]) -> Option<Packet<'a>> {
        let (head, packet) = frame.split_first_chunk::<ETHERNET>()?;
        let (from, to, all) = match head {
            [.., 8, 0] => ipv4(packet)?,
            #[cfg(feature = "ipv6")]
            [.., 0x86, 0xDD] => six::datagram(packet)?,
            _ => return None,
        };
        let (&[a, b, c, d, e, f, _, _], bytes) = all.split_first_chunk::<UDP>()?;
        let [from_port, to_port, length] = [[a, b], [c, d], [e, f]].map(u16::from_be_bytes);
        if usize::from(length) != all.len() || to_port == 0 || (from_port, to_port) == DHCP {
            return None;
        }
        Some(Packet {
            from: IpEndpoint::new(from, from_port),
            to: IpEndpoint::new(to, to_port),
            bytes,
        })
    }
}

/// Between whom a packet is, and the datagram in it.
fn ipv4(packet: &[u8]) -> Option<(IpAddress, IpAddress, &[u8])> {
    let (head, rest) = packet.split_first_chunk::<20>()?;
    // No options, and all of it: not to be divided, or as if it had not been said.
    let [0x45, _, high, low, _, _, 0 | 0x40, 0, _, UDP_NUMBER, ..] = *head else {
        return None;
    };
    let length = usize::from(u16::from_be_bytes([high, low]));
    let all = rest.get(..length.checked_sub(head.len())?)?;
    let (_, addresses) = head.split_at(12);
    let is_summed = *all.get(6..8)? != [0, 0];
    if sum(0, head) != FINE || is_summed && checked(addresses, all) != FINE {
        return None;
    }
    let [from, to] = [0, 4].map(|it| addresses.get(it..)?.first_chunk::<4>().copied());
    let [from, to] = [from?, to?].map(|it| IpAddress::Ipv4(Ipv4Addr::from(it)));
    Some((from, to, all))
}

#[cfg(feature = "ipv6")]
mod six {
    use core::net::Ipv6Addr;

    use super::{FINE, IpAddress, UDP_NUMBER, checked};

    /// As [`super::ipv4`]: here a datagram always has a check sum.
    pub fn datagram(packet: &[u8]) -> Option<(IpAddress, IpAddress, &[u8])> {
        let (head, rest) = packet.split_first_chunk::<40>()?;
        let [0x60..0x70, _, _, _, high, low, UDP_NUMBER, ..] = *head else {
            return None;
        };
        let all = rest.get(..usize::from(u16::from_be_bytes([high, low])))?;
        let (_, addresses) = head.split_at(8);
        if *all.get(6..8)? == [0, 0] || checked(addresses, all) != FINE {
            return None;
        }
        let [from, to] = [0, 16].map(|it| addresses.get(it..)?.first_chunk::<16>().copied());
        let [from, to] = [from?, to?].map(|it| IpAddress::Ipv6(Ipv6Addr::from(it)));
        Some((from, to, all))
    }
}

const UDP_NUMBER: u8 = 17;

/// The sum of what has its own check sum in it (RFC 1071).
const FINE: u16 = u16::MAX;

/// The sum of a datagram, with those addresses (RFC 768).
fn checked(addresses: &[u8], all: &[u8]) -> u16 {
    let besides = u32::from(UDP_NUMBER) + all.len() as u32;
    let besides = besides + u32::from(sum(0, addresses));
    sum(besides, all)
}

/// So few bytes are summed sooner two by two than it is said which of them are words.
const FEW: usize = 32;

/// The sum of numbers of two bytes, and of what was summed before, as check sums have it.
fn sum(before: u32, bytes: &[u8]) -> u16 {
    if bytes.len() < FEW {
        return folded(before + of_pairs(bytes));
    }
    let lead = bytes.as_ptr().align_offset(size_of::<u32>());
    let (lead, rest) = bytes.split_at(lead.min(bytes.len()));
    let words = <[u32]>::ref_from_prefix_with_elems(rest, rest.len() / size_of::<u32>());
    folded(match words {
        Ok((words, behind)) if lead.len().is_multiple_of(2) => {
            before + of_pairs(lead) + of_words(words) + of_pairs(behind)
        }
        _ => before + of_pairs(bytes),
    })
}

/// That of bytes that may lie anywhere. A frame is not as long that it has no room.
fn of_pairs(bytes: &[u8]) -> u32 {
    let (pairs, rest) = bytes.as_chunks();
    let last = rest.first().map_or(0, |it| u32::from(*it) << 8);
    let pairs = pairs.iter().map(|it| u32::from(u16::from_be_bytes(*it)));
    last + pairs.sum::<u32>()
}

/// That of words, which is the same with the bytes of each number the other way round (RFC 1071, 2).
fn of_words(words: &[u32]) -> u32 {
    let add = |all: u32, it: &u32| {
        let (all, carry) = all.overflowing_add(u32::from_le(*it));
        all + u32::from(carry)
    };
    let (fours, rest) = words.as_chunks::<4>();
    let all = fours.iter().fold(0, |all, four| four.iter().fold(all, add));
    folded(rest.iter().fold(all, add)).swap_bytes().into()
}

fn folded(all: u32) -> u16 {
    let all = (all & 0xFFFF) + (all >> 16);
    ((all & 0xFFFF) + (all >> 16)) as u16
}

/// Writes a number of two bytes.
fn set(bytes: &mut [u8], at: usize, number: u16) {
    if let Some(place) = bytes.get_mut(at..at + 2) {
        place.copy_from_slice(&number.to_be_bytes());
    }
}

impl Store<'_> {
    /// Writes the frame by which a datagram of a port goes to its receiver from this device, if it needs no stack for that: how long
    /// it is.
    ///
    /// # Errors
    /// [`Refused::BadNumber`].
    pub fn frame(
        &mut self,
        (client, number): (u32, Number),
        device: EthernetAddress,
        to: IpEndpoint,
        bytes: &[u8],
        room: &mut [u8],
    ) -> Result<Option<usize>, Refused> {
        let port = self.own_port(client, number)?;
        // None leaves before one that was to be sent earlier.
        let way = port.way.as_mut().filter(|_| port.leaves.is_empty());
        let is_it = |it: &&mut Way| it.left > 0 && it.to == to && ends(&it.head)[1] == device.0;
        let Some(way) = way.filter(is_it) else {
            return Ok(None);
        };
        way.left -= 1;
        Ok(way.write(bytes, room))
    }

    /// Keeps the datagram that a frame has brought, if it is one that needs no stack: else the stack is to be given the frame.
    #[inline(never)]
    pub fn takes(&mut self, frame: &[u8]) -> bool {
        let ports = &mut self.datagrams.ports;
        let mut ways = ports.iter().filter_map(|it| it.way.as_ref());
        if !ways.any(|it| it.leads_back(frame)) {
            return false;
        }
        let Some(packet) = Packet::of(frame) else {
            return false;
        };
        if !ports.iter().any(|it| it.is(packet.to.port)) {
            return false;
        }
        let mut is_known = false;
        for port in ports.iter_mut() {
            if let Some(way) = &mut port.way
                && way.leads_back(frame)
                && way.brings(&packet)
            {
                way.left = UNHEARD;
                is_known = true;
            }
        }
        let port = ports.iter_mut().find(|it| it.is(packet.to.port));
        if let Some(port) = port.filter(|_| is_known) {
            port.take(packet.from, packet.bytes);
        }
        is_known
    }

    /// Whoever is at the other end of a way may be elsewhere, or not be known to the stack.
    pub(crate) fn forget_ways(&mut self) {
        for port in &mut self.datagrams.ports {
            port.way = None;
        }
    }

    /// The stack is given a frame that is no datagram for a port: what it learns of neighbours by it the ways do not know.
    pub fn tells_of_neighbours(&mut self, frame: &[u8]) {
        // All that is said of them over IPv4 is said by ARP.
        if !matches!(frame.get(12..14), Some([8, 0])) {
            self.forget_ways();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::sum;

    /// Pair by pair, each carry at once.
    fn one_by_one(before: u32, bytes: &[u8]) -> u16 {
        let pairs = bytes.chunks(2).map(|pair| match *pair {
            [high, low] => u16::from_be_bytes([high, low]),
            _ => u16::from_be_bytes([pair[0], 0]),
        });
        let fold = |all: u32| (all & 0xFFFF) + (all >> 16);
        let all = pairs.fold(fold(fold(before)), |all, it| fold(all + u32::from(it)));
        all as u16
    }

    #[test]
    fn a_sum_is_the_same_wherever_its_bytes_lie() {
        let mut bytes = [0_u8; 1500];
        let mut seed = 7_u32;
        for byte in &mut bytes {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            // Many that carry.
            *byte = (seed >> 24) as u8 | ((seed >> 16) as u8 & 0xF0);
        }
        for start in 0..9 {
            for length in (0..70).chain(1400..1480) {
                let bytes = &bytes[start..start + length];
                for before in [0, 17, 0xFFFF, 0x1_FFFE] {
                    assert_eq!(
                        sum(before, bytes),
                        one_by_one(before, bytes),
                        "{start} {length}"
                    );
                }
            }
        }
        for length in 0..70 {
            assert_eq!(sum(0, &[0; 70][..length]), 0);
            assert_eq!(
                sum(0, &[0xFF; 140][..length * 2]),
                if length > 0 { 0xFFFF } else { 0 }
            );
        }
    }
}
