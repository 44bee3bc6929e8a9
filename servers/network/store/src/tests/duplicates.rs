//! Addresses that somebody else has, and that others want.

use core::net::Ipv6Addr;
use std::vec;
use std::vec::Vec;

use smoltcp::phy::ChecksumCapabilities;
use smoltcp::time::Instant;
use smoltcp::wire::{
    EthernetAddress, Icmpv6Packet, Icmpv6Repr, Ipv6Cidr, Ipv6Packet, NdiscNeighborFlags, NdiscRepr,
};

use super::families::Chance;
use super::groups;
use crate::duplicates::{OWN, OwnAddresses};

const DEVICE: EthernetAddress = EthernetAddress([2, 0, 0, 0, 0, 1]);
const EVERYBODY: [u8; 6] = [0x33, 0x33, 0, 0, 0, 1];
const LINK: Ipv6Cidr = of(0xFE80, 1);
const GLOBAL: Ipv6Cidr = of(0xFD00, 1);
/// Where a frame has its hops, the kind and code of what it says, and the target.
const HOPS: usize = 21;
const KIND: usize = 54;
const TARGET: usize = 62;

const fn of(first: u16, last: u16) -> Ipv6Cidr {
    Ipv6Cidr::new(Ipv6Addr::new(first, 0, 0, 0, 0, 0, 0, last), 64)
}

fn at(millis: i64) -> Instant {
    Instant::from_millis(millis)
}

/// A host that wants both addresses.
fn host() -> OwnAddresses {
    let mut own = OwnAddresses::new();
    own.want([LINK, GLOBAL].into_iter());
    own
}

/// The frames that are to be sent now.
pub fn all_sent(own: &mut OwnAddresses, now: i64) -> Vec<Vec<u8>> {
    let due = core::iter::from_fn(|| own.due(at(now)));
    due.map(|it| {
        let mut frame = vec![0; it.length()];
        it.emit(DEVICE, &mut frame);
        frame
    })
    .collect()
}

/// Those of them that are about addresses.
fn sent(own: &mut OwnAddresses, now: i64) -> Vec<Vec<u8>> {
    let mut frames = all_sent(own, now);
    frames.retain(|it| !groups::is_report(it));
    frames
}

fn used(own: &OwnAddresses) -> Vec<Ipv6Cidr> {
    own.used().collect()
}

/// A host that uses both.
fn settled() -> OwnAddresses {
    let mut own = host();
    sent(&mut own, 0);
    assert!(own.tend(at(1000)));
    assert_eq!(used(&own), [LINK, GLOBAL]);
    own
}

/// What a frame says, from whom and to whom.
fn said(frame: &[u8]) -> (Ipv6Addr, Ipv6Addr, NdiscRepr<'_>) {
    let packet = Ipv6Packet::new_checked(&frame[14..]).expect("a packet");
    let (from, to) = (packet.src_addr(), packet.dst_addr());
    assert_eq!(packet.hop_limit(), 255);
    assert_eq!(packet.total_len() + 14, frame.len());
    let said = Icmpv6Packet::new_checked(&frame[KIND..]).expect("of ICMP");
    let sums = ChecksumCapabilities::default();
    match Icmpv6Repr::parse(&from, &to, &said, &sums).expect("with its sum") {
        Icmpv6Repr::Ndisc(said) => (from, to, said),
        other => panic!("{other:?}"),
    }
}

/// With the sum that its bytes have.
fn summed(mut frame: Vec<u8>) -> Vec<u8> {
    let packet = Ipv6Packet::new_unchecked(&frame[14..]);
    let (from, to) = (packet.src_addr(), packet.dst_addr());
    Icmpv6Packet::new_unchecked(&mut frame[KIND..]).fill_checksum(&from, &to);
    frame
}

/// The question of another host for the address that `own` asks for first, and its answer that it has it.
fn question_and_answer() -> [Vec<u8>; 2] {
    let question = sent(&mut host(), 0).swap_remove(0);
    let mut other = settled();
    assert_eq!(other.hear(&question), None);
    [question, sent(&mut other, 1000).swap_remove(0)]
}

#[test]
fn an_address_is_used_when_nobody_says_within_a_second_that_it_is_taken() {
    let mut own = host();
    assert!(used(&own).is_empty());
    assert_eq!(own.ends(), Some(Instant::ZERO));
    let frames = sent(&mut own, 500);
    assert_eq!(frames.len(), 2);
    for (frame, address) in frames.iter().zip([LINK, GLOBAL]) {
        let (from, to, said) = said(frame);
        assert_eq!(from, Ipv6Addr::UNSPECIFIED);
        // The group of all that may have it.
        assert_eq!(to, Ipv6Addr::new(0xFF02, 0, 0, 0, 0, 1, 0xFF00, 1));
        assert_eq!(frame[..6], [0x33, 0x33, 0xFF, 0, 0, 1]);
        let expected = NdiscRepr::NeighborSolicit {
            target_addr: address.address(),
            lladdr: None,
        };
        assert_eq!(said, expected);
    }
    // Once.
    assert!(sent(&mut own, 1400).is_empty());
    assert!(!own.tend(at(1499)));
    assert!(used(&own).is_empty());
    assert_eq!(own.ends(), Some(at(1500)));
    assert!(own.tend(at(1500)));
    assert_eq!(used(&own), [LINK, GLOBAL]);
    assert!(own.has_link());
    assert!(sent(&mut own, 1500).is_empty());
    assert_eq!(own.ends(), None);
    assert!(!own.tend(at(1600)));
}

#[test]
fn an_address_that_another_host_has_or_wants_is_not_used() {
    let [question, answer] = question_and_answer();
    for frame in [&question, &answer] {
        for is_asked in [false, true] {
            // Of the link: nothing else is used, either.
            let mut own = host();
            if is_asked {
                assert_eq!(sent(&mut own, 0).len(), 2);
            }
            assert_eq!(own.hear(frame), Some(LINK.address()));
            // It is said once.
            assert_eq!(own.hear(frame), None);
            sent(&mut own, 1);
            own.tend(at(2000));
            assert!(used(&own).is_empty());
            assert!(!own.has_link());
            assert_eq!((own.ends(), own.due(at(3000))), (None, None));
            // Of another one: that alone is not.
            let mut frame = frame.clone();
            frame[TARGET..][..16].copy_from_slice(&GLOBAL.address().octets());
            let mut own = host();
            sent(&mut own, 0);
            assert_eq!(own.hear(&summed(frame)), Some(GLOBAL.address()));
            own.tend(at(1000));
            assert_eq!(used(&own), [LINK]);
        }
    }
}

#[test]
fn of_two_hosts_that_want_an_address_at_once_neither_uses_it() {
    let [mut one, mut other] = [host(), host()];
    let [ones, others] = [sent(&mut one, 0), sent(&mut other, 0)];
    for frame in &others {
        assert!(one.hear(frame).is_some());
    }
    for frame in &ones {
        assert!(other.hear(frame).is_some());
    }
    one.tend(at(1000));
    other.tend(at(1000));
    assert!(used(&one).is_empty() && used(&other).is_empty());
}

#[test]
fn who_wants_an_address_that_is_used_is_answered() {
    let [question, answer] = question_and_answer();
    let (from, to, told) = said(&answer);
    assert_eq!((from, answer.len()), (LINK.address(), 86));
    assert_eq!(to, Ipv6Addr::new(0xFF02, 0, 0, 0, 0, 0, 0, 1));
    assert_eq!(answer[..12], [EVERYBODY, DEVICE.0].concat());
    let NdiscRepr::NeighborAdvert {
        flags,
        target_addr,
        lladdr,
    } = told
    else {
        panic!("{told:?}");
    };
    assert_eq!(flags, NdiscNeighborFlags::OVERRIDE);
    assert_eq!(target_addr, LINK.address());
    assert_eq!(lladdr.expect("a device").as_bytes(), DEVICE.as_bytes());
    // As often as it is asked, but once for all that have asked meanwhile; and it is used on.
    let mut own = settled();
    for _ in 0..3 {
        for _ in 0..100 {
            assert_eq!(own.hear(&question), None);
        }
        assert_eq!(own.ends(), Some(Instant::ZERO));
        assert_eq!(sent(&mut own, 2000), [answer.as_slice()]);
        assert_eq!(own.ends(), None);
    }
    assert_eq!(own.hear(&answer), None);
    assert_eq!(used(&own), [LINK, GLOBAL]);
}

#[test]
fn what_no_neighbour_can_say_of_an_address_changes_nothing() {
    let [question, answer] = question_and_answer();
    let changed = |frame: &[u8], place: usize, byte: u8| {
        let mut frame = frame.to_vec();
        frame[place] = byte;
        summed(frame)
    };
    let mut all = Vec::new();
    for frame in [&question, &answer] {
        // Through a router; another kind, code and target; another sum; the half of it.
        all.push(changed(frame, HOPS, 254));
        all.push(changed(frame, KIND, 133));
        all.push(changed(frame, KIND + 1, 1));
        all.push(changed(frame, TARGET + 15, 9));
        all.push({
            let mut frame = frame.clone();
            frame[KIND + 2] ^= 1;
            frame
        });
        all.extend((0..frame.len()).map(|length| frame[..length].to_vec()));
    }
    // An option without a length.
    all.push(changed(&answer, TARGET + 17, 0));
    // To everybody in place of those who may have the address; with a device; and of a host that looks for a neighbour.
    let mut to_all = question.clone();
    to_all[38..54].copy_from_slice(&Ipv6Addr::new(0xFF02, 0, 0, 0, 0, 0, 0, 1).octets());
    all.push(summed(to_all));
    let mut with_device = question.clone();
    with_device.extend([1, 1, 2, 0, 0, 0, 0, 2]);
    with_device[19] += 8;
    all.push(summed(with_device));
    let mut of_neighbour = question.clone();
    of_neighbour[22..38].copy_from_slice(&of(0xFE80, 2).address().octets());
    all.push(summed(of_neighbour));
    for frame in &all {
        let mut own = host();
        sent(&mut own, 0);
        assert_eq!(own.hear(frame), None, "{frame:?}");
        assert!(own.tend(at(1000)));
        own.hear(frame);
        assert!(sent(&mut own, 1000).is_empty(), "{frame:?}");
    }
}

#[test]
fn an_address_is_asked_for_anew_when_the_link_comes_back() {
    let [question, _] = question_and_answer();
    let mut own = host();
    assert!(own.hear(&question).is_some());
    own.begin(false);
    assert_eq!(sent(&mut own, 5000).len(), 2);
    own.tend(at(6000));
    assert_eq!(used(&own), [LINK, GLOBAL]);
    // What is used is not lost by that, unless the device is another one.
    own.begin(false);
    assert_eq!(used(&own), [LINK, GLOBAL]);
    own.begin(true);
    assert!(used(&own).is_empty());
}

#[test]
fn an_address_keeps_what_is_known_of_it_when_others_come_and_go() {
    let mut own = settled();
    let other = of(0xFD01, 1);
    own.want([LINK, other, GLOBAL].into_iter());
    assert_eq!(used(&own), [LINK, GLOBAL]);
    assert_eq!(sent(&mut own, 2000).len(), 1);
    own.want([LINK, other].into_iter());
    own.tend(at(3000));
    assert_eq!(used(&own), [LINK, other]);
    // What is told again after it was gone is asked for anew; and there are no more than there is room for.
    own.want([LINK, GLOBAL, other, of(0xFD02, 1)].into_iter());
    assert_eq!(used(&own), [LINK, other]);
    assert_eq!(sent(&mut own, 4000).len(), OWN - 2);
}

#[test]
fn frames_of_chance_leave_an_address_what_it_is() {
    let frames = question_and_answer();
    let mut chance = Chance(3);
    let mut own = settled();
    for _ in 0..20_000 {
        let mut frame = frames[chance.below(2)].clone();
        for _ in 0..chance.below(4) {
            let place = chance.below(frame.len());
            frame[place] = chance.below(256) as u8;
        }
        frame.truncate(1 + chance.below(frame.len()));
        own.hear(&frame);
        assert!(sent(&mut own, 2000).len() <= 1);
    }
    assert_eq!(used(&own), [LINK, GLOBAL]);
}
