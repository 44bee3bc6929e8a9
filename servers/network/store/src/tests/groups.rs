//! Groups of own addresses, of which switches are told.

use core::net::Ipv6Addr;
use std::vec::Vec;

use smoltcp::time::Instant;
use smoltcp::wire::{Icmpv6Packet, Ipv6Cidr, Ipv6Packet};

use super::duplicates::all_sent;
use crate::duplicates::OwnAddresses;

/// Two of one group, and one of another.
const OWN: [Ipv6Cidr; 3] = [of(0xFE80, 1), of(0xFD00, 1), of(0xFD01, 2)];
const ROUTERS: Ipv6Addr = Ipv6Addr::new(0xFF02, 0, 0, 0, 0, 0, 0, 0x16);
/// Where a frame has what is before its packet, its hops, who sends it, what routers are to look at, and what it says.
const HOPS: usize = 21;
const FROM: usize = 22;
const ALERT: usize = 54;
const SAID: usize = 62;

const CHANGED: u8 = 4;
const ASKED: u8 = 2;

const fn of(first: u16, last: u16) -> Ipv6Cidr {
    Ipv6Cidr::new(Ipv6Addr::new(first, 0, 0, 0, 0, 0, 0, last), 64)
}

const fn group(last: u16) -> Ipv6Addr {
    Ipv6Addr::new(0xFF02, 0, 0, 0, 0, 1, 0xFF00, last)
}

fn at(millis: i64) -> Instant {
    Instant::from_millis(millis)
}

pub fn is_report(frame: &[u8]) -> bool {
    frame.get(SAID) == Some(&143) && frame[20] == 0
}

/// From whom a report is, and what it says of which groups.
fn report(frame: &[u8]) -> (Ipv6Addr, Vec<(u8, Ipv6Addr)>) {
    assert_eq!(frame[..6], [0x33, 0x33, 0, 0, 0, 0x16]);
    let packet = Ipv6Packet::new_checked(&frame[14..]).expect("a packet");
    assert_eq!((packet.dst_addr(), packet.hop_limit()), (ROUTERS, 1));
    assert_eq!(packet.total_len() + 14, frame.len());
    // Routers are to look at it.
    assert_eq!(frame[ALERT..SAID], [58, 0, 5, 2, 0, 0, 1, 0]);
    let said = Icmpv6Packet::new_checked(&frame[SAID..]).expect("of ICMP");
    assert!(said.verify_checksum(&packet.src_addr(), &ROUTERS));
    let (head, records) = frame[SAID..].split_at(8);
    assert_eq!((head[0], head[1], head[4..7].iter().sum()), (143, 0, 0_u8));
    assert_eq!(usize::from(head[7]) * 20, records.len());
    let records = records.chunks_exact(20).map(|record| {
        assert_eq!(record[1..4], [0; 3]);
        let group: [u8; 16] = record[4..].try_into().expect("an address");
        (record[0], group.into())
    });
    (packet.src_addr(), records.collect())
}

/// Reports that are to be sent now.
fn reports(own: &mut OwnAddresses, now: i64) -> Vec<(Ipv6Addr, Vec<(u8, Ipv6Addr)>)> {
    let frames = all_sent(own, now);
    let frames = frames.iter().filter(|it| is_report(it));
    frames.map(|it| report(it)).collect()
}

fn host() -> OwnAddresses {
    let mut own = OwnAddresses::new();
    own.want(OWN.into_iter());
    own
}

/// A host that uses all of its addresses and has told their groups.
fn settled() -> OwnAddresses {
    let mut own = host();
    all_sent(&mut own, 0);
    assert!(own.tend(at(1000)));
    all_sent(&mut own, 1000);
    assert_eq!(own.ends(), None);
    own
}

/// A router's question for a group, or for all.
fn question(group: Ipv6Addr) -> Vec<u8> {
    let router = of(0xFE80, 9).address();
    let mut frame = Vec::from([0x33, 0x33, 0, 0, 0, 1, 2, 0, 0, 0, 0, 9, 0x86, 0xDD]);
    frame.extend([0x60, 0, 0, 0, 0, 36, 0, 1]);
    frame.extend(router.octets());
    let to = match group.is_unspecified() {
        true => Ipv6Addr::new(0xFF02, 0, 0, 0, 0, 0, 0, 1),
        false => group,
    };
    frame.extend(to.octets());
    frame.extend([58, 0, 5, 2, 0, 0, 1, 0]);
    frame.extend([130, 0, 0, 0, 0x27, 0x10, 0, 0]);
    frame.extend(group.octets());
    frame.extend([2, 125, 0, 0]);
    summed(frame)
}

fn summed(mut frame: Vec<u8>) -> Vec<u8> {
    let packet = Ipv6Packet::new_unchecked(&frame[14..]);
    let (from, to) = (packet.src_addr(), packet.dst_addr());
    Icmpv6Packet::new_unchecked(&mut frame[SAID..]).fill_checksum(&from, &to);
    frame
}

#[test]
fn groups_are_told_before_their_addresses_are_asked_for_and_a_second_later() {
    let mut own = host();
    let frames = all_sent(&mut own, 500);
    // The questions are behind it.
    assert_eq!(frames.len(), 4);
    let both = [(CHANGED, group(1)), (CHANGED, group(2))].to_vec();
    assert_eq!(report(&frames[0]), (Ipv6Addr::UNSPECIFIED, both.clone()));
    assert!(reports(&mut own, 1499).is_empty());
    own.tend(at(1500));
    assert_eq!(own.ends(), Some(at(1500)));
    let again = reports(&mut own, 1500);
    assert_eq!(again, [(OWN[0].address(), both)]);
    assert_eq!(own.ends(), None);
    assert!(reports(&mut own, 9999).is_empty());
}

#[test]
fn groups_are_told_from_the_address_of_the_link_though_it_is_asked_for_later() {
    let mut own = host();
    // The wire takes one frame, and the others a little later.
    assert!(own.due(at(0)).is_some());
    assert_eq!(all_sent(&mut own, 10).len(), 3);
    // A switch need not believe who has no address.
    let [(nobody, _)] = reports(&mut own, 1000)[..] else {
        panic!("one a second later");
    };
    assert!(nobody.is_unspecified());
    assert!(own.tend(at(1010)));
    assert_eq!(own.ends(), Some(at(2000)));
    let last = reports(&mut own, 2000);
    assert_eq!((last.len(), last[0].0), (1, OWN[0].address()));
    assert_eq!(own.ends(), None);
}

#[test]
fn groups_are_told_anew_when_the_link_comes_back_or_an_address_is_new() {
    let mut own = settled();
    own.begin(false);
    assert_eq!(reports(&mut own, 5000).len(), 1);
    assert_eq!(reports(&mut own, 6000).len(), 1);
    own.want(OWN.into_iter());
    assert!(reports(&mut own, 7000).is_empty());
    own.want([OWN[0], OWN[1], of(0xFD02, 7)].into_iter());
    let told = reports(&mut own, 8000);
    let both = [(CHANGED, group(1)), (CHANGED, group(7))].to_vec();
    assert_eq!(told, [(OWN[0].address(), both)]);
    assert_eq!(reports(&mut own, 9000).len(), 1);
}

#[test]
fn who_asks_for_groups_is_told() {
    for asked in [Ipv6Addr::UNSPECIFIED, group(1), group(2)] {
        let mut own = settled();
        for _ in 0..3 {
            assert_eq!(own.hear(&question(asked)), None);
        }
        assert_eq!(own.ends(), Some(Instant::ZERO));
        let both = [(ASKED, group(1)), (ASKED, group(2))].to_vec();
        assert_eq!(reports(&mut own, 5000), [(OWN[0].address(), both)]);
        assert_eq!(own.ends(), None);
    }
}

#[test]
fn a_question_for_groups_is_answered_wherever_its_padding_is() {
    for alert in [
        [58, 0, 5, 2, 0, 0, 0, 0],
        [58, 0, 1, 0, 5, 2, 0, 0],
        [58, 0, 0, 5, 2, 0, 0, 0],
    ] {
        let mut frame = question(Ipv6Addr::UNSPECIFIED);
        frame[ALERT..SAID].copy_from_slice(&alert);
        let mut own = settled();
        assert_eq!(own.hear(&frame), None);
        assert_eq!(reports(&mut own, 5000).len(), 1, "{alert:?}");
    }
}

#[test]
fn a_question_for_groups_that_no_router_of_the_wire_asks_is_not_answered() {
    let good = question(Ipv6Addr::UNSPECIFIED);
    let changed = |place: usize, byte| {
        let mut frame = good.clone();
        frame[place] = byte;
        frame
    };
    let bad = [
        question(group(3)),
        // From elsewhere, by its hops or its address.
        changed(HOPS, 64),
        summed(changed(FROM, 0x20)),
        // Not for routers, or not for those who ask for groups, another sum, something else, cut off.
        changed(ALERT + 2, 1),
        changed(ALERT + 5, 1),
        changed(ALERT + 1, 9),
        changed(SAID + 2, good[SAID + 2] ^ 1),
        summed(changed(SAID, 131)),
        good[..good.len() - 8].to_vec(),
    ];
    for frame in bad {
        let mut own = settled();
        assert_eq!(own.hear(&frame), None);
        assert_eq!(own.ends(), None, "{frame:?}");
    }
    // A host without an address has no groups.
    let mut own = OwnAddresses::new();
    own.begin(true);
    own.hear(&good);
    assert!(all_sent(&mut own, 0).is_empty());
    assert_eq!(own.ends(), None);
}
