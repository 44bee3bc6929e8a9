//! Routers and neighbours that lie, and frames that are none.

use core::net::Ipv6Addr;

use check::{Random, equal, holds};
use riposte::Connection;
use riposte_network::Network;

use crate::frames::{ALL, Frame, ROUTER, put};
use crate::{FAR, OWN, PREFIX, advertisement, becomes, connects};

/// Frames of neighbours that are not there, and those whose bytes are chance.
const NEIGHBOURS: u16 = 200;
const FRAMES: u32 = 1000;

/// A prefix that nobody has.
fn prefix(number: u16) -> Ipv6Addr {
    Ipv6Addr::new(0xFD77, number, 0, 0, 0, 0, 0, 0)
}

/// A host at the link that says to be a router.
pub fn stranger(number: u16) -> Ipv6Addr {
    Ipv6Addr::new(0xFE80, 0, 0, 0, 0, 0, 0x66, number)
}

fn refused(network: &Network) -> u32 {
    network.state().unwrap().advertisements_refused
}

pub fn hostile(network: &Network, far: &Network, wire: &Connection) {
    lies(network, wire);
    flood(network, wire);
    neighbours(wire);
    noise(wire);
    let state = network.state().unwrap();
    let found = (state.address_ipv6, state.gateway_ipv6);
    equal(
        "the address and the way out are what they were",
        found,
        (OWN, ROUTER),
    );
    holds("and streams go as before", connects(network, far, FAR));
}

/// What no router says, or nobody who is at the wire.
fn lies(network: &Network, wire: &Connection) {
    let elsewhere = Ipv6Addr::new(0xFD00, 0, 0, 0, 0, 0, 0, 9);
    let mut all = [
        Frame::router_with_hops(stranger(1), 1800, 64).prefix(prefix(1), 3600),
        Frame::router(elsewhere, 1800).prefix(prefix(2), 3600),
        // Options without a length, without an end, and of another length.
        Frame::router(ROUTER, 1800).with(&[3, 0, 64, 0xC0, 0, 0, 0, 0]),
        Frame::router(ROUTER, 1800).with(&[3, 9, 64, 0xC0, 0, 0, 0, 0]),
        Frame::router(ROUTER, 1800).with(&[3, 1, 64, 0xC0, 0, 0, 0, 0]),
        Frame::router(ROUTER, 1800).prefix(Ipv6Addr::new(0xFE80, 0, 0, 0, 0, 0, 0, 0), 3600),
        Frame::router(ROUTER, 1800).prefix(ALL, 3600),
        Frame::router(ROUTER, 1800).prefix(Ipv6Addr::UNSPECIFIED, 3600),
        Frame::router(ROUTER, 1800).server(ALL, 3600),
    ];
    let before = refused(network);
    for frame in &mut all {
        put(wire, frame.bytes());
    }
    let expected = before + all.len() as u32;
    let is_refused = becomes(network, |it| it.advertisements_refused == expected);
    holds("what no router can say is refused, and counted", is_refused);
    let mut wrong = Frame::router(stranger(1), 1800).prefix(prefix(3), 3600);
    let bytes = wrong.bytes();
    bytes[60] ^= 1;
    put(wire, bytes);
    let is_refused = becomes(network, |it| it.advertisements_refused == expected + 1);
    holds("and so is what has another sum", is_refused);
    // The address has two hours left, which nobody can take from it.
    put(wire, Frame::router(ROUTER, 1800).prefix(PREFIX, 0).bytes());
    put(wire, Frame::router(ROUTER, 1800).prefix(PREFIX, 1).bytes());
    let until = riposte::Instant::now() + riposte::Duration::from_secs(3);
    let _ = riposte::sleep_until(until);
    let own = network.state().unwrap().address_ipv6;
    equal(
        "nobody takes an address away that holds for hours",
        own,
        OWN,
    );
}

/// More than there is a place for.
fn flood(network: &Network, wire: &Connection) {
    let before = refused(network);
    for number in 1..=20 {
        let frame = Frame::router(stranger(number), 1800).prefix(prefix(number), 3600);
        put(wire, frame.server(prefix(number), 60).bytes());
    }
    // One of each has a place besides the first router's.
    let expected = before + 3 * 19;
    let is_counted = becomes(network, |it| it.advertisements_refused == expected);
    holds("what there is no place for is counted", is_counted);
    put(wire, advertisement().bytes());
}

/// Neighbours that are not there, each at another address.
fn neighbours(wire: &Connection) {
    for number in 0..NEIGHBOURS {
        let target = OWN.octets();
        let mut frame = Frame::new(stranger(number), OWN, 255)
            .with(&[135, 0, 0, 0, 0, 0, 0, 0])
            .with(&target)
            .with(&[1, 1, 2, 0, 0, 7]);
        frame = frame.with(&number.to_be_bytes());
        let bytes = frame.bytes();
        bytes[..6].copy_from_slice(&[2, 0, 0, 0, 0, 1]);
        put(wire, bytes);
    }
}

/// Frames that begin as others do, and are chance from somewhere on.
fn noise(wire: &Connection) {
    let mut random = Random::new(7);
    for number in 0..FRAMES {
        let mut frame = match number % 3 {
            0 => advertisement(),
            1 => Frame::new(ROUTER, ALL, 255)
                .with(&[135, 0, 0, 0])
                .with(&[0; 60]),
            _ => Frame::new(FAR, OWN, 64)
                .with(&[128, 0, 0, 0])
                .with(&[0; 60]),
        };
        let bytes = frame.bytes();
        let changes = 1 + random.below(4);
        for _ in 0..changes {
            let place = 12 + random.below(bytes.len() as u32 - 12) as usize;
            bytes[place] = random.below(256) as u8;
        }
        let length = 14 + random.below(bytes.len() as u32 - 13) as usize;
        put(wire, &bytes[..length]);
    }
}
