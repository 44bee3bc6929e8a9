//! What routers say, and what no router can.

use core::net::Ipv6Addr;
use std::vec::Vec;

use smoltcp::phy::ChecksumCapabilities;
use smoltcp::time::Instant;
use smoltcp::wire::{EthernetAddress, Icmpv6Packet, Icmpv6Repr, Ipv6Packet, Ipv6Repr, NdiscRepr};

use crate::routers::{PREFIXES, Routers, SOLICITATION, solicitation};

const DEVICE: EthernetAddress = EthernetAddress([2, 0, 0, 0, 0, 1]);
const ALL: Ipv6Addr = Ipv6Addr::new(0xFF02, 0, 0, 0, 0, 0, 0, 1);
const HOUR: u32 = 3600;

fn router(number: u16) -> Ipv6Addr {
    Ipv6Addr::new(0xFE80, 0, 0, 0, 0, 0, 0, number)
}

fn prefix(number: u16) -> Ipv6Addr {
    Ipv6Addr::new(0xFD00, number, 0, 0, 0, 0, 0, 0)
}

/// The address of the device with that prefix.
fn own(number: u16) -> Ipv6Addr {
    Ipv6Addr::new(0xFD00, number, 0, 0, 0, 0xFF, 0xFE00, 1)
}

fn at(seconds: u32) -> Instant {
    Instant::from_secs(i64::from(seconds))
}

fn prefix_option(prefix: Ipv6Addr, valid: u32, preferred: u32) -> Vec<u8> {
    let mut option = Vec::from([3, 4, 64, 0xC0]);
    option.extend(valid.to_be_bytes());
    option.extend(preferred.to_be_bytes());
    option.extend([0; 4]);
    option.extend(prefix.octets());
    option
}

fn servers_option(servers: &[Ipv6Addr], seconds: u32) -> Vec<u8> {
    let mut option = Vec::from([25, 1 + 2 * servers.len() as u8, 0, 0]);
    option.extend(seconds.to_be_bytes());
    servers.iter().for_each(|it| option.extend(it.octets()));
    option
}

/// A frame with an advertisement.
fn frame(from: Ipv6Addr, hops: u8, seconds: u16, options: &[u8]) -> Vec<u8> {
    let mut said = Vec::from([134, 0, 0, 0, 64, 0]);
    said.extend(seconds.to_be_bytes());
    said.extend([0; 8]);
    said.extend(options);
    let mut packet = Icmpv6Packet::new_unchecked(&mut said);
    packet.fill_checksum(&from, &ALL);
    let mut frame = Vec::from([0x33, 0x33, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x86, 0xDD]);
    let head = Ipv6Repr {
        src_addr: from,
        dst_addr: ALL,
        next_header: smoltcp::wire::IpProtocol::Icmpv6,
        payload_len: said.len(),
        hop_limit: hops,
    };
    let mut bytes = [0; 40];
    head.emit(&mut Ipv6Packet::new_unchecked(&mut bytes));
    frame.extend(bytes);
    frame.extend(said);
    frame
}

fn advertisement(seconds: u16, options: &[u8]) -> Vec<u8> {
    frame(router(1), 255, seconds, options)
}

fn addresses(routers: &Routers) -> Vec<Ipv6Addr> {
    routers.addresses(DEVICE).map(|it| it.address()).collect()
}

#[test]
fn a_router_tells_addresses_the_way_out_and_who_tells_names() {
    let mut routers = Routers::new();
    let mut options = prefix_option(prefix(1), HOUR, HOUR);
    options.extend(prefix_option(prefix(2), HOUR, HOUR));
    options.extend(servers_option(&[own(7), own(8)], 60));
    routers.hear(at(1), &advertisement(1800, &options));
    assert!(routers.tend(at(1)));
    assert_eq!(addresses(&routers), [own(1), own(2)]);
    assert_eq!(routers.router(), Some(router(1)));
    assert_eq!(routers.servers().collect::<Vec<_>>(), [own(7), own(8)]);
    assert_eq!(routers.refused(), 0);
    // The same again is nothing new, and holds longer.
    routers.hear(at(30), &advertisement(1800, &options));
    assert!(!routers.tend(at(30)));
    assert!(!routers.tend(at(61)));
    assert_eq!(routers.ends(), Some(at(90)));
}

#[test]
fn what_was_told_ends_with_its_time() {
    let mut routers = Routers::new();
    let mut options = prefix_option(prefix(1), 100, 50);
    options.extend(servers_option(&[own(7)], 20));
    routers.hear(at(0), &advertisement(60, &options));
    assert!(routers.tend(at(0)));
    assert_eq!(routers.ends(), Some(at(20)));
    assert!(routers.tend(at(20)));
    assert_eq!(routers.servers().count(), 0);
    assert!(routers.tend(at(60)));
    assert_eq!(routers.router(), None);
    // Somebody is asked again.
    assert!(routers.is_to_ask(at(60)));
    assert!(routers.tend(at(100)));
    assert!(addresses(&routers).is_empty());
}

#[test]
fn nobody_takes_an_address_away_that_holds_for_hours() {
    let mut routers = Routers::new();
    let told = |seconds| advertisement(1800, &prefix_option(prefix(1), seconds, 0));
    routers.hear(at(0), &told(10 * HOUR));
    routers.hear(at(1), &told(0));
    routers.tend(at(2 * HOUR));
    assert_eq!(addresses(&routers), [own(1)]);
    // Two hours after it was said.
    routers.tend(at(2 * HOUR + 1));
    assert!(addresses(&routers).is_empty());
    // What holds for less is not made to end at once, either, and can hold longer.
    routers.hear(at(0), &told(HOUR));
    routers.hear(at(1), &told(0));
    routers.hear(at(2), &told(HOUR));
    routers.tend(at(HOUR));
    assert_eq!(addresses(&routers), [own(1)]);
    routers.tend(at(HOUR + 2));
    assert!(addresses(&routers).is_empty());
}

#[test]
fn routers_are_asked_until_one_answers_and_ever_more_seldom() {
    let mut routers = Routers::new();
    assert!(!routers.is_to_ask(at(1)));
    assert_eq!(routers.ends(), None);
    routers.begin(at(1));
    let mut asked = Vec::new();
    for now in 1..20_000 {
        if routers.is_to_ask(at(now)) {
            asked.push(now);
        }
        // It is never due in the past: nobody would look at anything else any more.
        assert!(routers.ends().is_none_or(|it| it > at(now)));
    }
    let first = [1, 5, 13, 29, 61, 125, 253, 509, 1021, 2045, 4093];
    assert_eq!(asked[..11], first);
    assert!(asked[11..].windows(2).all(|it| it[1] - it[0] == HOUR));
    routers.hear(at(20_000), &advertisement(1800, &[]));
    routers.tend(at(20_000));
    assert_eq!(routers.ends(), Some(at(21_800)));
}

#[test]
fn what_no_router_can_say_is_counted_and_nothing_of_it_kept() {
    let good = prefix_option(prefix(1), HOUR, HOUR);
    let mut wrong_length = good.clone();
    wrong_length[2] = 63;
    let all = [
        frame(router(1), 254, 1800, &good),
        frame(prefix(1), 255, 1800, &good),
        frame(Ipv6Addr::UNSPECIFIED, 255, 1800, &good),
        advertisement(0, &[3, 0, 64, 0xC0]),
        advertisement(0, &[3, 9, 64, 0xC0, 0, 0, 0, 0]),
        advertisement(0, &good[..8]),
        advertisement(0, &wrong_length),
        advertisement(0, &prefix_option(prefix(1), HOUR, HOUR + 1)),
        advertisement(0, &prefix_option(router(0), HOUR, HOUR)),
        advertisement(0, &prefix_option(ALL, HOUR, HOUR)),
        advertisement(0, &prefix_option(Ipv6Addr::UNSPECIFIED, HOUR, HOUR)),
        advertisement(0, &servers_option(&[ALL], HOUR)),
        advertisement(0, &servers_option(&[Ipv6Addr::LOCALHOST], HOUR)),
    ];
    for (place, frame) in all.iter().enumerate() {
        let mut routers = Routers::new();
        routers.hear(at(0), frame);
        assert_eq!(routers.refused(), 1, "{place}");
        assert!(!routers.tend(at(0)), "{place}");
    }
    // Each changed byte of what the sum is of.
    let frame = advertisement(1800, &good);
    for place in 14 + 8..frame.len() {
        let mut wrong = frame.clone();
        wrong[place] ^= 0x10;
        let mut routers = Routers::new();
        routers.hear(at(0), &wrong);
        assert!(!routers.tend(at(0)), "{place}");
    }
    // And each length.
    for length in 0..frame.len() {
        let mut routers = Routers::new();
        routers.hear(at(0), &frame[..length]);
        assert!(!routers.tend(at(0)), "{length}");
    }
}

#[test]
fn a_flood_of_routers_changes_nothing_that_was_told_before() {
    let mut routers = Routers::new();
    let mut options = prefix_option(prefix(1), HOUR, HOUR);
    options.extend(servers_option(&[own(5000)], HOUR));
    routers.hear(at(0), &advertisement(1800, &options));
    for number in 2..=1000 {
        let mut options = prefix_option(prefix(number), HOUR, HOUR);
        options.extend(servers_option(&[own(number)], HOUR));
        routers.hear(at(1), &frame(router(number), 255, 1800, &options));
    }
    routers.tend(at(1));
    assert_eq!(addresses(&routers), [own(1), own(2)]);
    assert_eq!(addresses(&routers).len(), PREFIXES);
    assert_eq!(routers.router(), Some(router(1)));
    assert_eq!(routers.refused(), 3 * 998);
}

#[test]
fn who_asks_for_routers_says_who_it_is() {
    let own = router(9);
    let mut frame = [0; SOLICITATION];
    solicitation(own, DEVICE, &mut frame);
    let packet = Ipv6Packet::new_checked(&frame[14..]).expect("a packet");
    let (from, to) = (packet.src_addr(), packet.dst_addr());
    assert_eq!((from, packet.hop_limit()), (own, 255));
    let said = Icmpv6Packet::new_checked(packet.payload()).expect("of ICMP");
    let sums = ChecksumCapabilities::default();
    let said = Icmpv6Repr::parse(&from, &to, &said, &sums).expect("with its sum");
    let Icmpv6Repr::Ndisc(NdiscRepr::RouterSolicit { lladdr }) = said else {
        panic!("{said:?}");
    };
    assert_eq!(lladdr.map(|it| it.len()), Some(6));
    assert_eq!(frame[..6], [0x33, 0x33, 0, 0, 0, 2]);
}

/// What a router says, in a frame.
pub fn of_router() -> Vec<u8> {
    let mut options = prefix_option(prefix(1), HOUR, HOUR);
    options.extend(servers_option(&[own(7), own(8)], 60));
    advertisement(1800, &options)
}
