//! Echoes: true answers, forged ones, and none.

use core::net::Ipv6Addr;

use super::*;

/// What tells its questions from others', as the store's seed has it.
const IDENT: [u8; 2] = [0x12, 0x34];
/// Where numbers begin in a frame: of a question of IPv4, and of IPv6.
const NUMBERS: usize = 14 + 20 + 4;
const NUMBERS_IPV6: usize = 14 + 40 + 4;
/// The own device.
const DEVICE: EthernetAddress = EthernetAddress([2, 0, 0, 0, 0, 1]);

fn route(to: u8) -> Route {
    let [from, to] = [1, to].map(|last| IpAddress::v4(10, 0, 0, last));
    Route { from, to, next: to }
}

fn route_ipv6() -> Route {
    let [from, to] = [1, 2].map(|last| Ipv6Addr::new(0xFD00, 0, 0, 0, 0, 0, 0, last).into());
    Route { from, to, next: to }
}

fn at_millis(millis: i64) -> Instant {
    Instant::from_millis(millis)
}

/// Runs a test with a store alone, of which the first machine is.
fn alone(test: impl FnOnce(&mut Store<'_>)) {
    world(|world| test(&mut world.nodes[0].store));
}

/// The frame that is to be sent now.
fn due(store: &mut Store<'_>, now: Instant) -> Option<Vec<u8>> {
    let due = store.due_ping(now)?;
    let mut frame = vec![0; due.length()];
    due.emit(DEVICE, &mut frame);
    Some(frame)
}

/// The sum of a message of ICMP as it is to be.
fn sum(bytes: &[u8], begin: u32) -> [u8; 2] {
    let words = bytes.chunks(2);
    let word = |it: &[u8]| u32::from_be_bytes([0, 0, it[0], it.get(1).copied().unwrap_or(0)]);
    let mut sum: u32 = begin + words.map(word).sum::<u32>();
    while sum > 0xFFFF {
        sum = (sum & 0xFFFF) + (sum >> 16);
    }
    (!sum as u16).to_be_bytes()
}

/// With the sum that its bytes have.
pub fn summed(mut frame: Vec<u8>) -> Vec<u8> {
    let is_ipv6 = frame[12..14] == [0x86, 0xDD];
    let (said, begin) = if is_ipv6 {
        let addresses = frame[22..54].chunks(2);
        let words = addresses.map(|it| u32::from(it[0]) << 8 | u32::from(it[1]));
        (54, words.sum::<u32>() + frame.len() as u32 - 54 + 58)
    } else {
        frame[24..26].fill(0);
        let head = sum(&frame[14..34], 0);
        frame[24..26].copy_from_slice(&head);
        (34, 0)
    };
    frame[said + 2..said + 4].fill(0);
    let found = sum(&frame[said..], begin);
    frame[said + 2..said + 4].copy_from_slice(&found);
    frame
}

/// The answer to a frame that looks for a host.
fn found(search: &[u8], last: u8) -> Vec<u8> {
    let mut frame = search.to_vec();
    let hardware = [2, 0, 0, 0, 0, last];
    if search[12..14] == [8, 6] {
        frame[21] = 2;
        frame.copy_within(22..32, 32);
        frame[22..28].copy_from_slice(&hardware);
        frame[28..32].copy_from_slice(&[10, 0, 0, last]);
        return frame;
    }
    let own: [u8; 16] = search[22..38].try_into().expect("an address");
    let target: [u8; 16] = search[62..78].try_into().expect("an address");
    frame[22..38].copy_from_slice(&target);
    frame[38..54].copy_from_slice(&own);
    frame[54] = 136;
    frame[58] = 0x60;
    frame[78] = 2;
    frame[80..86].copy_from_slice(&hardware);
    summed(frame)
}

/// The answer to a question.
pub fn echo(question: &[u8]) -> Vec<u8> {
    let mut frame = question.to_vec();
    frame.copy_within(6..12, 0);
    if question[12..14] == [8, 0] {
        frame.copy_within(26..30, 30);
        frame[26..30].copy_from_slice(&question[30..34]);
        frame[34] = 0;
    } else {
        frame[22..38].copy_from_slice(&question[38..54]);
        frame[38..54].copy_from_slice(&question[22..38]);
        frame[54] = 129;
    }
    summed(frame)
}

/// Asks for an echo until its question is sent: what it is, and the frame.
fn asked(store: &mut Store<'_>, route: Route, length: usize) -> (Ping, Vec<u8>) {
    let ping = store.ping(ONE, SHARE, route, length, at_millis(0));
    let ping = ping.expect("there is a place");
    let search = due(store, at_millis(0)).expect("somebody is looked for");
    store.hear(at_millis(0), DEVICE, &found(&search, 2));
    let question = due(store, at_millis(0)).expect("and asked");
    assert_eq!(due(store, at_millis(0)), None);
    (ping, question)
}

#[test]
fn an_echo_comes_back_from_whoever_is_there() {
    world(|world| {
        for length in [0, 1, 56, LONGEST] {
            let now = world.now;
            let store = &mut world.nodes[0].store;
            let ping = store.ping(ONE, SHARE, route(2), length, now);
            let ping = ping.expect("there is a place");
            assert_eq!(store.pinged(ONE, ping), Err(Refused::NotYet));
            world.settle();
            let store = &mut world.nodes[0].store;
            assert!(store.pinged(ONE, ping).is_ok(), "{length} bytes");
            assert_eq!(store.pinged(ONE, ping), Err(Refused::BadNumber));
            assert!(!store.is_pinging());
        }
        let now = world.now;
        let store = &mut world.nodes[0].store;
        let long = store.ping(ONE, SHARE, route(2), LONGEST + 1, now);
        assert_eq!(long, Err(Refused::TooLong));
    });
}

#[test]
fn an_echo_takes_as_long_as_its_answer() {
    for route in [route(2), route_ipv6()] {
        alone(|store| {
            let (ping, question) = asked(store, route, 56);
            store.hear(at_millis(37), DEVICE, &echo(&question));
            assert_eq!(store.pinged(ONE, ping), Ok(Duration::from_millis(37)));
        });
    }
}

#[test]
fn a_forged_or_unasked_answer_of_an_echo_changes_nothing() {
    for (route, numbers) in [(route(2), NUMBERS), (route_ipv6(), NUMBERS_IPV6)] {
        alone(|store| {
            let ping = store
                .ping(ONE, SHARE, route, 56, at_millis(0))
                .expect("one");
            // Nobody has looked for anybody yet.
            let mut other = due(store, at_millis(0)).expect("a search");
            let before = found(&other, 2);
            store.forget_ping(ONE, ping);
            let ping = store
                .ping(ONE, SHARE, route, 56, at_millis(0))
                .expect("one");
            store.hear(at_millis(0), DEVICE, &before);
            let search = due(store, at_millis(0)).expect("a search");
            assert_eq!(search, other);
            // Somebody else says who he is; and says it to somebody else; and is nobody's device.
            let last = if numbers == NUMBERS { 41 } else { 77 };
            other[last] = 9;
            let mut all = vec![found(&summed_if_ipv6(other), 9)];
            let mut to_other = found(&search, 2);
            to_other[if numbers == NUMBERS { 41 } else { 53 }] = 9;
            all.push(summed_if_ipv6(to_other));
            let mut group = found(&search, 2);
            group[if numbers == NUMBERS { 22 } else { 80 }] |= 1;
            all.push(summed_if_ipv6(group));
            // It is for another device, or not whole, which the stack does not take.
            let mut for_other = found(&search, 2);
            for_other[..6].copy_from_slice(&[2, 0, 0, 0, 0, 9]);
            all.push(for_other);
            if numbers == NUMBERS_IPV6 {
                let mut longer = found(&search, 2);
                longer.extend([14, 0, 0, 0, 0, 0, 0, 0]);
                longer[19] += 8;
                all.push(summed(longer));
            }
            for frame in &all {
                store.hear(at_millis(1), DEVICE, frame);
                assert_eq!(due(store, at_millis(1)), None);
            }
            store.hear(at_millis(1), DEVICE, &found(&search, 2));
            let question = due(store, at_millis(1)).expect("a question");
            assert_eq!(question[numbers..numbers + 2], IDENT);
            let good = echo(&question);
            let addresses = if numbers == NUMBERS {
                [29, 33]
            } else {
                [37, 53]
            };
            let changed = [numbers, numbers + 1, numbers + 2, numbers + 3]
                .into_iter()
                .chain(addresses)
                .chain([numbers + 4, good.len() - 1]);
            for place in changed {
                let mut frame = good.clone();
                frame[place] ^= 1;
                store.hear(at_millis(2), DEVICE, &summed(frame));
            }
            let mut shorter = good.clone();
            shorter.truncate(good.len() - 1);
            let length = if numbers == NUMBERS { 17 } else { 19 };
            shorter[length] -= 1;
            store.hear(at_millis(2), DEVICE, &summed(shorter));
            // Its own question, which somebody sends back; a wrong sum; the half of it.
            store.hear(at_millis(2), DEVICE, &question);
            let mut wrong = good.clone();
            wrong[numbers - 2] ^= 1;
            store.hear(at_millis(2), DEVICE, &wrong);
            for length in 0..good.len() {
                store.hear(at_millis(2), DEVICE, &good[..length]);
            }
            assert_eq!(store.pinged(ONE, ping), Err(Refused::NotYet));
            store.hear(at_millis(3), DEVICE, &good);
            assert_eq!(store.pinged(ONE, ping), Ok(Duration::from_millis(2)));
            // What comes again is nobody's.
            store.hear(at_millis(4), DEVICE, &good);
            assert!(!store.is_pinging());
        });
    }
}

fn summed_if_ipv6(frame: Vec<u8>) -> Vec<u8> {
    match frame[12..14] == [8, 6] {
        true => frame,
        false => summed(frame),
    }
}

#[test]
fn somebody_on_the_way_says_that_there_is_none() {
    alone(|store| {
        for (is_its, expected) in [(false, Refused::NotYet), (true, Refused::Unreachable)] {
            let (ping, question) = asked(store, route(2), 56);
            let mut frame = [&DEVICE.0, &question[6..14]].concat();
            // Of a router, with the head of the question and eight bytes of it.
            frame.extend([
                0x45, 0, 0, 56, 0, 0, 0, 0, 64, 1, 0, 0, 10, 0, 0, 3, 10, 0, 0, 1,
            ]);
            frame.extend([3, 1, 0, 0, 0, 0, 0, 0]);
            frame.extend(&question[14..42]);
            let last = frame.len() - 1;
            frame[last] ^= u8::from(!is_its);
            store.hear(at_millis(5), DEVICE, &summed(frame));
            assert_eq!(store.pinged(ONE, ping), Err(expected));
            store.forget_ping(ONE, ping);
            let (ping, question) = asked(store, route_ipv6(), 56);
            let mut frame = [&DEVICE.0, &question[6..14 + 8]].concat();
            frame[18..20].copy_from_slice(&(48_u16 + 56 + 8).to_be_bytes());
            frame.extend(Ipv6Addr::new(0xFD00, 0, 0, 0, 0, 0, 0, 3).octets());
            frame.extend(&question[22..38]);
            frame.extend([1, 0, 0, 0, 0, 0, 0, 0]);
            frame.extend(&question[14..]);
            let number = 54 + 8 + 40 + 7;
            frame[number] ^= u8::from(!is_its);
            store.hear(at_millis(5), DEVICE, &summed(frame));
            assert_eq!(store.pinged(ONE, ping), Err(expected));
            store.forget_ping(ONE, ping);
        }
    });
}

#[test]
fn nobody_waits_for_an_echo_for_ever_nor_keeps_others_waiting() {
    world(|world| {
        let now = world.now;
        let store = &mut world.nodes[0].store;
        let nobody = store.ping(ONE, SHARE, route(77), 56, now).expect("one");
        let other = store.ping(OTHER, SHARE, route(2), 56, now).expect("one");
        world.settle();
        let store = &mut world.nodes[0].store;
        assert!(store.pinged(OTHER, other).is_ok());
        let mut searches = 0;
        for _ in 0..96 {
            world.pass(Duration::from_millis(100));
            searches += usize::from(world.nodes[0].store.ping_ends().is_some());
        }
        let store = &mut world.nodes[0].store;
        assert_eq!(store.pinged(ONE, nobody), Err(Refused::NotYet));
        assert_eq!(searches, 96);
        world.pass(Duration::from_millis(300));
        let store = &mut world.nodes[0].store;
        assert_eq!(store.pinged(ONE, nobody), Err(Refused::Silent));
        assert_eq!(store.ping_ends(), None);
    });
    // Once a second somebody is looked for, and no more.
    alone(|store| {
        let nobody = store.ping(ONE, SHARE, route(77), 56, at_millis(0));
        assert!(nobody.is_ok());
        let asked = (0..9_900).filter(|it| due(store, at_millis(*it)).is_some());
        assert_eq!(asked.count(), 10);
    });
}

#[test]
fn who_may_ask_for_echoes_finds_a_place_and_leaves_nothing() {
    alone(|store| {
        let (one, _) = asked(store, route(2), 56);
        let more = store.ping(ONE, SHARE, route(2), 56, at_millis(0));
        assert_eq!(more, Err(Refused::TooMany));
        assert_eq!(store.pinged(OTHER, one), Err(Refused::BadNumber));
        store.forget_ping(OTHER, one);
        assert_eq!(store.pinged(ONE, one), Err(Refused::NotYet));
        let none = Share { pings: 0, ..SHARE };
        let refused = store.ping(OTHER, none, route(2), 56, at_millis(0));
        assert_eq!(refused, Err(Refused::TooMany));
        for _ in 0..3 * PINGS {
            store.abandon(ONE);
            assert!(!store.is_pinging());
            let (again, question) = asked(store, route(2), 56);
            assert_eq!(store.pinged(ONE, one), Err(Refused::BadNumber));
            assert_ne!(again, one);
            store.abandon(ONE);
            store.hear(at_millis(1), DEVICE, &echo(&question));
            let greedy =
                (0..PINGS).map(|_| store.ping(GREEDY, share_of(GREEDY), route(2), 0, at_millis(0)));
            assert!(greedy.collect::<Vec<_>>().iter().all(Result::is_ok));
            store.abandon(GREEDY);
        }
    });
}
