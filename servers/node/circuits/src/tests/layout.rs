//! The bytes of frames as the page says, by a decoder that shares nothing with the code.

use super::world::{KEY, MILLI, SECOND, World};
use crate::wire::PART;
use chacha20::R20;
use chacha20poly1305::aead::{Aead, Payload};
use chacha20poly1305::{ChaCha20Poly1305, KeyInit};
use std::vec::Vec;

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from(bytes[at]) | u16::from(bytes[at + 1]) << 8
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from(u16_at(bytes, at)) | u32::from(u16_at(bytes, at + 2)) << 16
}

fn draw(key: [u8; 32], blocks: &[[u8; 16]]) -> [u8; 32] {
    blocks.iter().fold(key, |key, block| {
        chacha20::hchacha::<R20>(&key.into(), block.into()).into()
    })
}

fn label(what: u8, one: u8, other: u8) -> [u8; 16] {
    let mut all = [0; 16];
    all[..13].copy_from_slice(b"riposte node ");
    all[13] = what;
    all[14] = one;
    all[15] = other;
    all
}

#[test]
fn frames_are_as_the_page_says() {
    let mut world = World::new(1, PART);
    assert_eq!(world.ask(0, 0, 32, SECOND), world.expected(32));
    world.run(SECOND);
    // Two proxies, of which one is ended, and a batch that triggers the one twice and the other once.
    let [(one, _), (two, over)] = [0; 2].map(|_| world.ask_for_proxy(0));
    world.run(SECOND);
    world.end_canned(over);
    world.faults.cut = true;
    world.trigger(0, one);
    world.run(MILLI / 2);
    world.faults.cut = false;
    for place in [one, one, two] {
        world.trigger(0, place);
    }
    world.run(SECOND);
    let frames = &world.seen;
    let kinds: Vec<u8> = frames.iter().map(|(_, it)| it[1]).collect();
    // Hello, welcome, confirm; open, opened, request, reply, taken.
    assert_eq!(kinds[..8], [1, 2, 3, 4, 4, 4, 4, 4]);
    assert!(kinds[8..].iter().all(|it| *it == 4));
    let [hello, welcome, confirm] = [0, 1, 2].map(|at: usize| frames[at].1.as_slice());
    for (frame, from, to) in [(hello, 1, 2), (welcome, 2, 1), (confirm, 1, 2)] {
        assert_eq!(frame.len(), 52);
        assert_eq!([frame[0], frame[2], frame[3]], [1, from, to]);
        let own: [u8; 16] = frame[4..20].try_into().unwrap();
        let other: [u8; 16] = frame[20..36].try_into().unwrap();
        let proof = draw(KEY, &[label(frame[1], from, to), own, other]);
        assert_eq!(frame[36..52], proof[..16]);
    }
    assert_eq!(hello[20..36], [0; 16]);
    assert_eq!(welcome[20..36], hello[4..20]);
    assert_eq!(confirm[4..20], hello[4..20]);
    assert_eq!(confirm[20..36], welcome[4..20]);
    let root = draw(
        KEY,
        &[
            label(0x80, 1, 2),
            hello[4..20].try_into().unwrap(),
            welcome[4..20].try_into().unwrap(),
        ],
    );
    let name = draw(root, &[label(0x82, 0, 0)]);
    let mut inner: Vec<Vec<u8>> = Vec::new();
    let mut numbers = [0_u64; 2];
    for (to, frame) in &frames[3..] {
        let (from, to) = (2 - *to as u8, *to as u8 + 1);
        assert_eq!(frame[..4], [1, 4, from, to]);
        assert_eq!(frame[4..8], name[..4]);
        let number = &mut numbers[usize::from(from - 1)];
        assert_eq!(frame[8..16], number.to_le_bytes());
        let mut nonce = [0; 12];
        nonce[..8].copy_from_slice(&number.to_le_bytes());
        *number += 1;
        let key = draw(root, &[label(0x81, from, to)]);
        let cipher = ChaCha20Poly1305::new(&key.into());
        let payload = Payload {
            msg: &frame[16..],
            aad: &frame[..16],
        };
        inner.push(
            cipher
                .decrypt(&nonce.into(), payload)
                .expect("sealed with the key of this way"),
        );
    }
    let (first, rest) = inner.split_at(5);
    let [open, opened, request, reply, taken] = first else {
        panic!("five frames");
    };
    assert_eq!([open[0], open[2]], [7, 0]);
    assert_eq!(open[24..], *b"/counter");
    assert_eq!([opened[0], opened[2], opened[5]], [8, 0, 0]);
    // What, slot, circuit, part, parts, priority.
    assert_eq!(request[..6], [1, 0, 0, 0, 1, 0]);
    assert_eq!([u32_at(request, 8), u32_at(request, 12)], [1, 32]);
    let left = u32_at(request, 16);
    assert!((900_000..1_000_000).contains(&left), "{left}");
    assert_eq!(u32_at(request, 20), 1);
    assert_eq!(request[24..], world.records[0].bytes);
    assert_eq!(reply[..6], [2, 0, 0, 0, 1, 0]);
    assert_eq!(
        [u32_at(reply, 8), u32_at(reply, 12), u32_at(reply, 20)],
        [1, 32, 0]
    );
    assert_eq!(
        reply[24..],
        super::world::answer_to(&world.records[0].bytes, 32)
    );
    assert_eq!(taken[..2], [9, 0]);
    assert_eq!([u32::from(u16_at(taken, 6)), u32_at(taken, 8)], [1, 1]);
    triggers_are_as_the_page_says(rest);
}

/// Two requests whose replies bring proxies, a batch that goes twice, and another one.
fn triggers_are_as_the_page_says(rest: &[Vec<u8>]) {
    let replies: Vec<&Vec<u8>> = rest.iter().filter(|it| it[0] == 2).collect();
    let numbers: Vec<u32> = replies.iter().map(|it| u32_at(it, 20)).collect();
    for reply in &replies {
        assert_eq!([u16_at(reply, 6), u16::from(reply[5])], [1, 0]);
        assert_eq!(u32_at(reply, 12), 4);
    }
    let [one, two] = numbers[..] else {
        panic!("two proxies: {numbers:?}");
    };
    assert!(one != two && one != 0 && two != 0);
    let batches: Vec<&Vec<u8>> = rest.iter().filter(|it| it[0] >= 10).collect();
    let whats: Vec<u8> = batches.iter().map(|it| it[0]).collect();
    assert_eq!(whats, [10, 10, 11, 10, 11]);
    let entry = |number: u32, times: u8, place: u8| -> Vec<u8> {
        let number = number.to_le_bytes().into_iter();
        number.chain([times, 0, place, 0]).collect()
    };
    for at in [0, 1] {
        assert_eq!(u32_at(batches[at], 8), 1);
        assert_eq!(batches[at][24..], entry(one, 1, 0));
    }
    assert_eq!(
        [u32_at(batches[2], 8), u32::from(u16_at(batches[2], 6))],
        [1, 0]
    );
    assert_eq!(u32_at(batches[3], 8), 2);
    let both: Vec<u8> = [entry(one, 2, 0), entry(two, 1, 1)].concat();
    assert_eq!(batches[3][24..], both);
    // The bit of the second one's place: it is no more.
    assert_eq!(
        [u32_at(batches[4], 8), u32::from(u16_at(batches[4], 6))],
        [2, 2]
    );
    assert_eq!(batches[4].len(), 24);
}
