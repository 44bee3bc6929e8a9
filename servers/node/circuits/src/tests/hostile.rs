//! Who has no key, or sends what others have sent.

use core::num::Wrapping;
use std::vec::Vec;

use super::world::{Draw, KEY, MILLI, SECOND, Told, World, hear, node};
use crate::wire::{Body, FRAME, PART, kind, what};
use crate::{Counted, Ends, FINE, Failure, Heard};

#[test]
fn who_has_another_key_has_no_session() {
    let mut world = World::new(1, PART);
    let mut key = KEY;
    key[31] ^= 1;
    world.nodes[1] = node(2, 1, 200, PART, key);
    assert_eq!(world.ask(0, 0, 32, SECOND), Told::Failed(Failure::NodeGone));
    assert!(world.nodes[1].counted.forged.0 > 0);
}

#[test]
fn a_node_of_another_version_is_told_of() {
    let mut world = World::new(1, PART);
    world.faults.cut = true;
    let record = world.send(0, 0, 32, SECOND).unwrap();
    world.put(0, std::vec![2, 5, 2, 1]);
    world.run(2 * SECOND);
    let told = world.records[record].told.clone().unwrap().1;
    assert_eq!(told, Told::Failed(Failure::WrongVersion));
}

#[test]
fn what_anybody_says_of_another_version_is_forgotten_when_the_node_is_heard() {
    for pause in [0, SECOND] {
        let mut world = World::new(1, PART);
        assert_eq!(world.ask(0, 0, 32, SECOND), world.expected(32));
        world.run(pause);
        world.put(0, std::vec![9, 5, 2, 1]);
        world.run(MILLI);
        assert_eq!(world.ask(0, 0, 32, SECOND), world.expected(32));
        world.run(SECOND);
        world.faults.cut = true;
        let told = world.ask(0, 0, 32, SECOND);
        assert_eq!(told, Told::Failed(Failure::NodeGone), "{pause}");
    }
}

#[test]
fn a_node_says_its_version_to_one_of_another() {
    let mut world = World::new(1, PART);
    world.put(1, std::vec![9, 1, 1, 2, 0, 0]);
    world.run(MILLI);
    assert!(world.seen.contains(&(0, std::vec![1, 5, 2, 1])));
}

#[test]
fn replayed_frames_change_nothing() {
    let mut world = World::new(1, PART);
    for _ in 0..20 {
        assert_eq!(world.ask(0, 0, 32, SECOND), world.expected(32));
    }
    let old = world.seen.clone();
    world.run(SECOND);
    // Each one again, in several orders; a record that were served twice would be told of.
    for round in 0..3 {
        for (to, frame) in old.iter().skip(round) {
            world.put(*to, frame.clone());
            world.run(MILLI / 10);
        }
    }
    assert!(world.nodes[0].counted.replayed.0 + world.nodes[1].counted.replayed.0 > 40);
    assert_eq!(world.ask(0, 0, 32, SECOND), world.expected(32));
    world.run(SECOND);
    assert!(world.is_idle());
}

#[test]
fn only_a_frame_that_was_made_just_now_says_where_a_peer_is() {
    let mut world = World::new(1, PART);
    world.send(0, 0, 32, SECOND).unwrap();
    world.run(SECOND);
    let is_fresh = |heard: &&Heard| **heard == Heard::Fresh { peer: 0 };
    let fresh = world.heard.iter().filter(is_fresh).count();
    // Two frames of a handshake, and what is sealed.
    assert!(fresh >= 5, "{fresh}");
    let old = world.seen.clone();
    for (to, frame) in old {
        let now = world.now;
        let (node, program) = (&mut world.nodes[to], &mut world.programs[to]);
        let heard = hear(node, now, &frame, program);
        let is_hello = frame[1] == 1;
        let expected = if is_hello {
            Heard::Asked { peer: 0 }
        } else {
            Heard::Nobody
        };
        assert_eq!(heard, expected, "{frame:?}");
    }
}

/// Anybody can send what is counted, also to a gateway, which is made with checks of overflows.
#[test]
fn counts_that_are_at_their_end_end_no_node() {
    let mut world = World::new(1, 4 * PART);
    assert_eq!(world.ask(0, 0, 32, SECOND), world.expected(32));
    world.run(SECOND);
    let old = world.seen.clone();
    let last = Wrapping(u32::MAX);
    for node in &mut world.nodes {
        node.counted = Counted {
            received: last,
            sent: last,
            strange: last,
            forged: last,
            replayed: last,
            unknown: last,
            versions: last,
            again: last,
            parts: last,
            acknowledgements: last,
            doubled: last,
            triggered: last,
            lost: last,
        };
    }
    for (to, frame) in old {
        let mut forged = frame.clone();
        forged[20] ^= 1;
        for frame in [std::vec![], std::vec![9, 5, 2, 1], forged, frame] {
            world.put(to, frame);
        }
    }
    world.run(SECOND);
    world.faults.doubled = 50;
    world.faults.lost = 20;
    for _ in 0..10 {
        let told = world.ask(0, 0, 4 * PART, 5 * SECOND);
        assert_eq!(told, world.expected(4 * PART));
    }
    let counted = world.nodes[0].counted;
    let all = [
        counted.sent,
        counted.received,
        counted.strange,
        counted.forged,
        counted.replayed,
        counted.versions,
        counted.again,
    ];
    assert!(all.iter().all(|it| it.0 < 1000), "{counted:?}");
}

#[test]
fn what_was_sent_in_another_life_changes_nothing() {
    let mut world = World::new(1, PART);
    assert_eq!(world.ask(0, 0, 32, SECOND), world.expected(32));
    let old = world.seen.clone();
    world.reboot(1);
    assert_eq!(
        world.ask(0, 0, 32, 5 * SECOND),
        Told::Failed(Failure::NodeGone)
    );
    assert_eq!(world.ask(0, 0, 32, 5 * SECOND), world.expected(32));
    for (to, frame) in old {
        world.put(to, frame);
        world.run(MILLI);
    }
    assert_eq!(world.ask(0, 0, 32, 5 * SECOND), world.expected(32));
}

#[test]
fn what_is_longer_than_a_frame_is_none() {
    let mut world = World::new(1, PART);
    assert_eq!(world.ask(0, 0, 32, SECOND), world.expected(32));
    let is_sealed = |(_, frame): &&(usize, Vec<u8>)| frame[1] == kind::SEALED;
    let (to, mut frame) = world.seen.iter().find(is_sealed).unwrap().clone();
    let (node, program) = (&mut world.nodes[to], &mut world.programs[to]);
    let before = node.counted;
    frame.resize(FRAME + 1, 0);
    assert_eq!(hear(node, world.now, &frame, program), Heard::Nobody);
    assert_eq!(node.counted.strange, before.strange + Wrapping(1));
    assert_eq!(node.counted.forged, before.forged);
}

#[test]
fn forged_and_truncated_frames_change_nothing() {
    let mut world = World::new(1, PART);
    assert_eq!(world.ask(0, 0, 32, SECOND), world.expected(32));
    let mut draw = Draw::new(5);
    let sent = world.nodes[1].counted.received.0;
    let seen = world.seen.clone();
    for _ in 0..20_000 {
        let (to, mut frame) = seen[draw.below(seen.len() as u64) as usize].clone();
        for _ in 0..=draw.below(3) {
            let place = draw.below(frame.len() as u64) as usize;
            frame[place] = draw.next() as u8;
        }
        if draw.chance(30) {
            frame.truncate(draw.below(frame.len() as u64) as usize);
        }
        if seen.contains(&(to, frame.clone())) {
            continue;
        }
        let program = &mut world.programs[to];
        hear(&mut world.nodes[to], world.now, &frame, program);
    }
    assert_eq!(world.nodes[1].counted.received.0, sent);
    assert_eq!(world.ask(0, 0, 32, SECOND), world.expected(32));
    world.run(5 * SECOND);
    assert!(world.is_idle());
}

/// Ends that nobody is at.
struct Nothing;

impl Ends for Nothing {
    fn read(&mut self, _: usize, _: usize, to: &mut [u8]) -> bool {
        to.fill(0);
        true
    }
    fn answer(&mut self, _: usize, _: crate::Answer<'_>) -> bool {
        true
    }
    fn keep(&mut self, _: usize, _: &[u8]) {}
    fn recall(&mut self, _: usize, _: &mut [u8]) {}
    fn open(&mut self, _: usize, _: usize, _: &[u8]) {}
    fn closed(&mut self, _: usize) {}
    fn serve(&mut self, _: usize) {}
    fn cancel(&mut self, _: usize) {}
    fn end_proxy(&mut self, _: usize) {}
    fn trigger(&mut self, _: usize, times: u32) -> bool {
        assert!(times <= 16, "without bound");
        true
    }
    fn forget(&mut self, _: usize) {}
}

#[test]
fn a_reply_that_becomes_shorter_gives_back_what_it_had_taken() {
    let mut world = World::new(1, 8 * PART);
    assert_eq!(world.ask(0, 0, 32, SECOND), world.expected(32));
    let now = world.now;
    let node = &mut world.nodes[0];
    let place = node.begin(now, 0, 32, 3, now + SECOND).expect("a place");
    let mut out = crate::Buffer::new();
    while node.next_frame(now, &mut out, &mut Nothing).is_ok() {}
    for (parts, length) in [(8, 8 * PART), (1, 32)] {
        for count in 1..4 {
            let body = Body {
                what: what::REPLY,
                slot: place as u8,
                circuit: 0,
                part: 0,
                parts,
                level: FINE,
                mask: 0,
                count,
                length: length as u32,
                time: 0,
                value: 0,
            };
            let bytes = std::vec![7; length.min(PART)];
            node.take_from_peer(now, 0, body, &bytes, &mut Nothing);
        }
    }
    world.run(10 * SECOND);
    assert!(world.nodes[0].is_idle(), "blocks that nobody has");
}

#[test]
fn a_new_life_hears_whatever_number_comes_first() {
    for count in [1, 2, u32::MAX / 2, 1 << 31, u32::MAX] {
        let mut world = World::new(1, PART);
        let (_, which) = world.ask_for_proxy(0);
        let now = world.now;
        let request = Body {
            what: what::REQUEST,
            slot: 5,
            parts: 1,
            count,
            time: 1000,
            value: 1,
            ..Body::default()
        };
        let batch = Body {
            what: what::TRIGGER,
            count,
            ..Body::default()
        };
        world.canned[which].triggered.push(now);
        let (node, program) = (&mut world.nodes[1], &mut world.programs[1]);
        node.take_from_peer(now, 0, request, &[], program);
        let begun = (0..crate::FAR).filter(|far| node.job(*far).is_some());
        assert_eq!(begun.count(), 1, "{count}");
        // The number of the first proxy, once.
        node.take_from_peer(now, 0, batch, &[16, 0, 0, 0, 1, 0, 0, 0], program);
        assert_eq!(node.counted.triggered.0, 1, "{count}");
    }
}

/// What a node that has the key may say, whatever it is, the other one must bear.
#[test]
fn no_frame_of_a_peer_harms_the_node() {
    let mut draw = Draw::new(9);
    for seed in 0..200 {
        let mut world = World::new(seed, 8 * PART);
        assert_eq!(world.ask(0, 0, 32, SECOND), world.expected(32));
        let node = &mut world.nodes[0];
        let mut now = world.now;
        for _ in 0..300 {
            now += draw.below(10 * MILLI);
            if draw.chance(20) {
                let _ = node.begin(now, 0, draw.below(9000) as usize, 3, now + SECOND);
            }
            let lengths = [
                0,
                1,
                100,
                PART as u64,
                1409,
                5000,
                22_528,
                u64::from(u32::MAX),
            ];
            let pick = lengths[draw.below(8) as usize] as u32;
            let body = Body {
                what: draw.below(13) as u8,
                slot: draw.below(18) as u8,
                circuit: draw.below(3) as u8,
                part: draw.below(5) as u8,
                parts: (pick.div_ceil(PART as u32)).max(1) as u8 ^ u8::from(draw.chance(5)),
                level: draw.below(20) as u8,
                mask: draw.next() as u16,
                count: draw.below(4) as u32,
                length: pick,
                time: draw.below(100_000) as u32,
                value: draw.below(18) as u32,
            };
            let rest = (pick as usize)
                .saturating_sub(usize::from(body.part) * PART)
                .min(PART);
            let bytes = std::vec![7; rest];
            node.take_from_peer(now, 0, body, &bytes, &mut Nothing);
            if draw.chance(30) {
                node.opened(0, 0, None);
            }
            if draw.chance(10) {
                let _ = node.brought(draw.below(4) as usize);
            }
            node.trigger(now, draw.below(18) as usize);
            if draw.chance(30) {
                node.served(draw.below(4) as usize, Ok((0, draw.below(9000) as usize)));
            }
            let mut out = crate::Buffer::new();
            let mut frames = 0;
            while node.next_frame(now, &mut out, &mut Nothing).is_ok() {
                frames += 1;
                assert!(frames < 300, "frames without end");
            }
        }
        for _ in 0..8 {
            now += 200 * SECOND;
            (0..crate::FAR).for_each(|far| node.served(far, Ok((0, 0))));
            let mut out = crate::Buffer::new();
            for _ in 0..300 {
                if node.next_frame(now, &mut out, &mut Nothing).is_err() {
                    break;
                }
            }
        }
        assert!(node.is_idle(), "seed {seed}: something is left");
    }
}
