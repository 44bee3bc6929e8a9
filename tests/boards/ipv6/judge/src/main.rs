//! Is a router, a stranger, and the clients of two hosts of IPv6 at one wire.
#![no_std]

mod frames;
mod hostile;
mod names;

use core::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use check::{equal, holds};
use frames::{Frame, ROUTER, put};
use riposte::{Connection, Deadline, Duration, Instant};
use riposte_network::{Network, NetworkError, State, Stream};

/// What routers tell: the first half of an address, and who tells names.
pub const PREFIX: Ipv6Addr = Ipv6Addr::new(0xFD00, 0, 0, 0, 0, 0, 0, 0);
/// The address of the manifest.
pub const FAR: Ipv6Addr = Ipv6Addr::new(0xFD00, 0, 0, 0, 0, 0, 0, 2);
/// Those that come of the device's.
pub const OWN: Ipv6Addr = Ipv6Addr::new(0xFD00, 0, 0, 0, 0, 0xFF, 0xFE00, 1);
/// Another one, of which somebody has that host's address.
const TAKEN: Ipv6Addr = Ipv6Addr::new(0xFD01, 0, 0, 0, 0, 0, 0, 0);
const LINK: Ipv6Addr = Ipv6Addr::new(0xFE80, 0, 0, 0, 0, 0xFF, 0xFE00, 1);

/// Bytes that go both ways: more than anybody on the way keeps.
const BYTES: usize = 20_000;
/// How long something takes at most that happens.
const SOON: Duration = Duration::from_secs(10);

#[riposte::main]
fn main() {
    let mut network = Network::connect("network").unwrap();
    let far = Network::connect("far").unwrap();
    let wire = riposte::connect("ethernet").unwrap();
    before(&network, &far);
    told(&network, &wire);
    streams(&network, &far);
    datagrams(&network, &far);
    echoes(&network);
    names::names(&network, &far);
    let in_c = riposte::connect("sockets").unwrap().send_words([]);
    holds("sockets in C have had their turn", in_c.is_ok());
    hostile::hostile(&network, &far, &wire);
    gone(&network, &wire);
    again(&mut network, &far, &wire);
    check::done();
}

/// Waits until the network's state is so; whether it has become.
pub fn becomes(network: &Network, is_so: impl Fn(&State) -> bool) -> bool {
    let until = Instant::now() + SOON;
    while Instant::now() < until {
        if is_so(&network.state().unwrap()) {
            return true;
        }
        let _ = riposte::sleep(Duration::from_millis(1));
    }
    false
}

/// A port of a host.
pub fn at(address: Ipv6Addr, port: u16) -> SocketAddr {
    SocketAddr::new(address.into(), port)
}

/// A router that tells everything.
pub fn advertisement() -> Frame {
    let router = Frame::router(ROUTER, 1800);
    router.prefix(PREFIX, 7200).server(FAR, 1800)
}

fn before(network: &Network, far: &Network) {
    let has_link = becomes(network, |it| it.link_local == LINK);
    holds(
        "a host has the address of its link by the device's",
        has_link,
    );
    let state = network.state().unwrap();
    let nobody = (Ipv6Addr::UNSPECIFIED, Ipv6Addr::UNSPECIFIED);
    let found = (state.address_ipv6, state.gateway_ipv6);
    equal("and no other one before a router has told", found, nobody);
    // Each is asked for before it is used.
    let has_own = becomes(far, |it| it.address_ipv6 == FAR);
    holds("the manifest's address is used", has_own);
    let state = far.state().unwrap();
    let found = (state.address_ipv6, state.prefix_ipv6, state.gateway_ipv6);
    let router = Ipv6Addr::new(0xFD00, 0, 0, 0, 0, 0, 0, 3);
    equal("with its prefix, and a way out", found, (FAR, 64, router));
    let refused = network.stream(at(FAR, 7)).map(drop);
    let unreachable = Err(NetworkError::Unreachable);
    equal(
        "nothing else is reachable without one",
        refused,
        unreachable,
    );
    let port = network.bind(0).unwrap();
    let refused = port.send_to(at(FAR, 7), b"lost");
    equal("nor by a datagram", refused, unreachable);
    // What is for everybody at the link needs none.
    let sent = port.send_to(at(frames::ALL, 7), b"hello");
    equal("the link is", sent, Ok(()));
}

fn told(network: &Network, wire: &Connection) {
    put(wire, advertisement().bytes());
    let is_told = becomes(network, |it| it.address_ipv6 == OWN);
    holds("a router tells a host its address", is_told);
    let state = network.state().unwrap();
    equal("and the way out", state.gateway_ipv6, ROUTER);
    equal("an address has the prefix's length", state.prefix_ipv6, 64);
    equal("nothing of it was refused", state.advertisements_refused, 0);
    let old = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1));
    equal("the address of IPv4 stays", state.address, old);
}

/// The byte at this position of what is sent.
fn byte(position: usize) -> u8 {
    (position * 7 + position / 251) as u8
}

/// Whether all bytes that one side sends come to the other one as they were.
fn goes(from: &Stream<'_>, to: &Stream<'_>) -> bool {
    let (mut sent, mut came, mut same) = (0, 0, true);
    let mut piece = [0; 512];
    while came < BYTES {
        let length = piece.len().min(BYTES - sent);
        for (place, it) in piece.iter_mut().take(length).enumerate() {
            *it = byte(sent + place);
        }
        match from.write_until(&piece[..length], Deadline::Immediate) {
            Ok(taken) => sent += taken,
            Err(NetworkError::WouldBlock) => {}
            Err(_) => return false,
        }
        match to.read_until(&mut piece, Instant::now() + Duration::from_millis(1)) {
            Ok(0) => return false,
            Ok(length) => {
                let bytes = piece.iter().take(length).enumerate();
                same &= bytes.into_iter().all(|(at, it)| *it == byte(came + at));
                came += length;
            }
            Err(NetworkError::TimedOut) => {}
            Err(_) => return false,
        }
    }
    same
}

/// One host connects to the other one, and bytes go both ways.
pub fn connects(from: &Network, to: &Network, address: Ipv6Addr) -> bool {
    let listener = to.listen(17, 1).unwrap();
    let until = Instant::now() + SOON;
    let Ok(stream) = from.stream_until(at(address, 17), until) else {
        return false;
    };
    let Ok((other, _)) = listener.accept_until(until) else {
        return false;
    };
    goes(&stream, &other) && goes(&other, &stream)
}

fn streams(network: &Network, far: &Network) {
    holds("a stream goes over IPv6", connects(network, far, FAR));
    holds("and one from the other side", connects(far, network, OWN));
    let refused = network.stream(at(FAR, 9)).map(drop);
    equal("nobody is there", refused, Err(NetworkError::Refused));
    let listener = far.listen(17, 1).unwrap();
    let stream = network.stream(at(FAR, 17)).unwrap();
    let (_, from) = listener.accept().unwrap();
    equal("the other side is told who comes", from.ip(), OWN.into());
    drop(stream);
    // The same port takes clients of IPv4.
    let old = SocketAddr::new(Ipv4Addr::new(10, 0, 0, 2).into(), 17);
    let stream = network.stream(old);
    holds("a listener takes clients of both families", stream.is_ok());
}

fn datagrams(network: &Network, far: &Network) {
    let (port, other) = (network.bind(0).unwrap(), far.bind(17).unwrap());
    let mut bytes = [0; 1500];
    let until = || Instant::now() + SOON;
    for (name, to, from) in [
        ("a datagram goes over IPv6", FAR, OWN),
        ("and one at the link", ROUTER, LINK),
    ] {
        let sent = port.send_to(at(to, 17), &[5; 1452]);
        let came = sent.and_then(|()| other.receive_from_until(&mut bytes, until()));
        equal(name, came, Ok((1452, at(from, port.port()))));
    }
    let back = other.send_to(at(OWN, port.port()), b"back");
    let came = back.and_then(|()| port.receive_from_until(&mut bytes, until()));
    equal("one comes back", came, Ok((4, at(FAR, 17))));
    let long = port.send_to(at(FAR, 7), &[0; 1453]);
    equal(
        "none is too long for the wire",
        long,
        Err(NetworkError::TooLong),
    );
    let old = SocketAddr::new(Ipv4Addr::new(10, 0, 0, 2).into(), 17);
    let sent = port.send_to(old, b"old");
    let came = sent.and_then(|()| other.receive_from_until(&mut bytes, until()));
    holds(
        "the same port takes datagrams of IPv4",
        came.is_ok_and(|(_, from)| from.is_ipv4()),
    );
}

fn echoes(network: &Network) {
    for (name, host) in [
        ("an echo comes back over IPv6", FAR.into()),
        ("and one at the link", ROUTER.into()),
        ("and one over IPv4", Ipv4Addr::new(10, 0, 0, 2).into()),
    ] {
        holds(name, network.ping(host, 56).is_ok());
    }
    let took = network.ping(FAR.into(), 1452);
    holds("one as long as a datagram", took.is_ok());
    let long = network.ping(FAR.into(), 1453);
    equal("and none longer", long, Err(NetworkError::TooLong));
    let own = network.ping(OWN.into(), 56);
    equal("nobody asks himself", own, Err(NetworkError::Unreachable));
}

/// The router says that it is none any more, and then the next one, which was there since the flood.
fn gone(network: &Network, wire: &Connection) {
    let next = hostile::stranger(1);
    put(wire, Frame::router(ROUTER, 0).bytes());
    let has_next = becomes(network, |it| it.gateway_ipv6 == next);
    holds("another router is used when one is none any more", has_next);
    put(wire, Frame::router(next, 0).bytes());
    let nobody = Ipv6Addr::UNSPECIFIED;
    let is_gone = becomes(network, |it| it.gateway_ipv6 == nobody);
    holds("and none if there is no other", is_gone);
    let state = network.state().unwrap();
    equal("the address stays for its time", state.address_ipv6, OWN);
}

/// The server's next life is told again.
fn again(network: &mut Network, far: &Network, wire: &Connection) {
    riposte::process("network").unwrap().restart();
    equal("the server has another life", network.reconnect(), Ok(()));
    let state = network.state().unwrap();
    let nobody = Ipv6Addr::UNSPECIFIED;
    equal("which was told nothing yet", state.address_ipv6, nobody);
    // Of two addresses somebody says to have the first one: he is told of it before.
    let told = Frame::router(ROUTER, 1800).prefix(TAKEN, 7200);
    put(wire, told.prefix(PREFIX, 7200).bytes());
    let taken = Ipv6Addr::from(u128::from(TAKEN) | u128::from(u128::from(LINK) as u64));
    let claim = Frame::new(ROUTER, frames::ALL, 255).with(&[136, 0, 0, 0, 0x20, 0, 0, 0]);
    put(wire, claim.with(&taken.octets()).bytes());
    let is_told = becomes(network, |it| !it.address_ipv6.is_unspecified());
    holds("and is told as the first one was", is_told);
    let own = network.state().unwrap().address_ipv6;
    equal("an address that another one has is not used", own, OWN);
    holds("and works as that did", connects(network, far, FAR));
}
