//! Uses the network, well and badly, over the lives of its server, of the driver, and of another client.
#![no_std]

mod frames;
mod hostile;

use core::net::{IpAddr, Ipv4Addr, SocketAddr};

use check::{equal, holds};
use riposte::{Deadline, Duration, Error, Instant};
use riposte_network::{BEFORE, Network, NetworkError, Port, Stream};

/// Who says back what he is told, and who makes the network.
pub const ECHO: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::new(10, 0, 2, 100)), 7);
/// Who makes the network, and the way out.
pub const ROUTER: Ipv4Addr = Ipv4Addr::new(10, 0, 2, 2);
/// Bytes that go both ways: more than anybody on the way keeps.
const BYTES: usize = 40_000;
/// Longer than anything takes that happens at all: time here is that of this machine, whatever else it does.
pub const SOON: Duration = Duration::from_secs(20);
/// How often somebody is ended.
const LIVES: u32 = 4;

#[riposte::main]
fn main() {
    let mut network = Network::connect("network").unwrap();
    let state = network.state().unwrap();
    let own = IpAddr::V4(Ipv4Addr::new(10, 0, 2, 15));
    equal("it has the manifest's address", state.address, own);
    holds("and a link", state.is_up);
    streams(&network);
    datagrams(&network);
    waiting(&network);
    echoes(&network);
    hostile::hostile(&network);
    frames::frames();
    others(&network);
    driver(&network);
    server(&mut network);
    driver_without_server(&mut network);
    check::done();
}

/// The byte at this position of what is sent.
fn byte(position: usize) -> u8 {
    (position * 7 + position / 251) as u8
}

/// Sends bytes of a stream and gets them back, calling `between` now and then; whether they were the same, and all.
fn goes_round(stream: &Stream<'_>, mut between: impl FnMut(usize)) -> Result<bool, NetworkError> {
    let (mut sent, mut back, mut same) = (0, 0, true);
    let mut piece = [0; 512];
    while back < BYTES {
        let length = piece.len().min(BYTES - sent);
        for (place, to) in piece.iter_mut().take(length).enumerate() {
            *to = byte(sent + place);
        }
        // No more than there is room for: who waits for that cannot read.
        match stream.write_until(&piece[..length], Deadline::Immediate) {
            Ok(taken) => sent += taken,
            Err(NetworkError::WouldBlock) => {}
            Err(error) => return Err(error),
        }
        if sent > back {
            match stream.read_until(&mut piece, Deadline::Immediate) {
                Ok(0) => return Ok(false),
                Ok(length) => {
                    let bytes = piece.iter().take(length).enumerate();
                    same &= bytes
                        .into_iter()
                        .all(|(place, it)| *it == byte(back + place));
                    back += length;
                }
                // Some come, as all that is missing was sent: that one waits for.
                Err(NetworkError::WouldBlock) => {
                    let length = stream.read(&mut piece)?;
                    let bytes = piece.iter().take(length).enumerate();
                    same &= bytes
                        .into_iter()
                        .all(|(place, it)| *it == byte(back + place));
                    back += length;
                }
                Err(error) => return Err(error),
            }
        }
        between(back);
    }
    Ok(same)
}

/// Writes to who says back what is not read: so he takes no more at last.
fn writes_without_end(stream: &Stream<'_>) -> Result<(), NetworkError> {
    for _ in 0..10_000 {
        stream.write_all_until(&[0; 512], Instant::now() + Duration::from_secs(1))?;
    }
    Ok(())
}

fn streams(network: &Network) {
    let stream = network.stream(ECHO).unwrap();
    equal(
        "what is sent comes back",
        goes_round(&stream, |_| {}),
        Ok(true),
    );
    equal("a stream's side is ended", stream.finish(), Ok(()));
    let refused = stream.write(b"more");
    equal("and takes no more", refused, Err(NetworkError::Ended));
    equal("the other side ends, too", stream.read(&mut [0; 8]), Ok(0));
    drop(stream);
    let stream = network.stream(ECHO).unwrap();
    equal(
        "whoever takes no more is waited for until the deadline",
        writes_without_end(&stream),
        Err(NetworkError::TimedOut),
    );
    drop(stream);
    let nobody = SocketAddr::new(ROUTER.into(), 1);
    let refused = network.stream(nobody).map(drop);
    equal("nobody is there", refused, Err(NetworkError::Refused));
    for own in OWN {
        let none = network.stream(SocketAddr::new(own.into(), 9)).map(drop);
        let unreachable = Err(NetworkError::Unreachable);
        equal("nobody else is this machine", none, unreachable);
    }
}

/// Of this machine alone, though there is a way to all others.
const OWN: [Ipv4Addr; 2] = [Ipv4Addr::LOCALHOST, Ipv4Addr::new(127, 255, 255, 254)];

/// The router has a server of files (TFTP), which has none and says so.
fn datagrams(network: &Network) {
    let port = network.bind(0).unwrap();
    holds("a port is one of those for anybody", port.port() >= 49_152);
    let files = SocketAddr::new(ROUTER.into(), 69);
    let sent = port.send_to(files, b"\0\x01none\0octet\0");
    equal("a datagram is sent", sent, Ok(()));
    for own in OWN {
        let none = port.send_to(SocketAddr::new(own.into(), 9), b"x");
        let unreachable = Err(NetworkError::Unreachable);
        equal("and none to this machine", none, unreachable);
    }
    let mut answer = [0; 4];
    let (length, from) = port.receive_from(&mut answer).unwrap();
    equal("another one comes", from, files);
    equal("and says that there is no such file", &answer[..2], &[0, 5]);
    holds(
        "all of which it tells, and gives what there is room for",
        length > 4,
    );
    let long = port.send_to(files, &[0; 1473]);
    equal("none is too long", long, Err(NetworkError::TooLong));
    in_one_piece(&port, files);
    let again = network.bind(port.port()).map(drop);
    equal("a port is one client's", again, Err(NetworkError::InUse));
}

/// The same, each with what goes before it.
fn in_one_piece(port: &Port<'_>, files: SocketAddr) {
    let asked = b"\0\x01none\0octet\0";
    let mut whole = [9; BEFORE + 64];
    whole[BEFORE..BEFORE + asked.len()].copy_from_slice(asked);
    let sent = port.send_behind_until(files, &mut whole[..BEFORE + asked.len()], Deadline::None);
    equal(
        "one goes in one piece with what goes before it",
        sent,
        Ok(()),
    );
    let came = port.receive_behind_until(&mut whole[..BEFORE + 4], Deadline::None);
    let (length, from) = came.unwrap();
    equal("and so does one come", from, files);
    equal("behind that", &whole[BEFORE..BEFORE + 2], &[0, 5]);
    holds("all of which it tells, too", length > 4);
    equal("and nothing behind its room", whole[BEFORE + 4], asked[4]);
    let few = Err(NetworkError::Kernel(Error::BadArgument));
    let sent = port.send_behind_until(files, &mut whole[..BEFORE - 1], Deadline::None);
    equal("not without room for it", sent, few);
    let came = port.receive_behind_until(&mut whole[..BEFORE - 1], Deadline::Immediate);
    equal("either way", came.map(drop), few);
    let none = port.receive_behind_until(&mut whole[..BEFORE], Deadline::Immediate);
    equal(
        "and none comes twice",
        none.map(drop),
        Err(NetworkError::WouldBlock),
    );
    let mut long = [0; BEFORE + 1473];
    let long = port.send_behind_until(files, &mut long, Deadline::None);
    equal("none is too long so", long, Err(NetworkError::TooLong));
}

fn waiting(network: &Network) {
    let listener = network.listen(80, 2).unwrap();
    let none = listener.accept_until(Deadline::Immediate).map(drop);
    equal("nobody comes at once", none, Err(NetworkError::WouldBlock));
    let none = listener.accept_until(Instant::now() + Duration::from_millis(2));
    let none = none.map(drop);
    equal("nor in time", none, Err(NetworkError::TimedOut));
    let again = network.listen(80, 1).map(drop);
    equal("a port has one listener", again, Err(NetworkError::InUse));
    let none = network.resolve("host.test");
    let nobody = Err(NetworkError::Unreachable);
    equal("there is no server of names", none, nobody);
    let far = SocketAddr::new(Ipv4Addr::new(10, 0, 2, 77).into(), 9);
    let gone = network.stream_until(far, Instant::now() + Duration::from_millis(2));
    let gone = gone.map(drop);
    equal("nobody answers in time", gone, Err(NetworkError::TimedOut));
    drop(listener);
    let listener = network.listen(80, 3).map(drop);
    equal("who waits no more leaves nothing behind", listener, Ok(()));
}

/// The router sends back what it is sent, and nobody else does.
fn echoes(network: &Network) {
    for length in [0, 56, 1400] {
        let took = network.ping(ROUTER.into(), length);
        holds("an echo comes back", took.is_ok());
    }
    let long = network.ping(ROUTER.into(), 1473);
    equal("none is too long", long, Err(NetworkError::TooLong));
    let nobody = Ipv4Addr::new(10, 0, 2, 77).into();
    let wait = Duration::from_millis(50);
    let (began, none) = (
        Instant::now(),
        network.ping_until(nobody, 56, Instant::now() + wait),
    );
    equal(
        "nobody sends one in time",
        none,
        Err(NetworkError::TimedOut),
    );
    holds("which is waited for", Instant::now() - began >= wait);
    let none = network.ping_until(ROUTER.into(), 56, Deadline::Immediate);
    equal("none comes at once", none, Err(NetworkError::WouldBlock));
    let unreachable = Err(NetworkError::Unreachable);
    for host in [
        [10, 0, 2, 15],
        [10, 0, 2, 255],
        [255, 255, 255, 255],
        [224, 0, 0, 1],
        [0, 0, 0, 0],
        [127, 0, 0, 1],
        [127, 255, 255, 254],
    ] {
        let none = network.ping(Ipv4Addr::from(host).into(), 56);
        equal("who is not one other host sends none", none, unreachable);
    }
    let none = network.ping("fd00::2".parse().unwrap(), 56);
    equal("nor does one of another family", none, unreachable);
    let took = network.ping(ROUTER.into(), 56);
    holds("and the next one comes back", took.is_ok());
}

/// Another client takes all that it may have, and dies: its next life has as much, and this one never has less.
fn others(network: &Network) {
    let process = riposte::process("other").unwrap();
    let mut other = riposte::connect("other").unwrap();
    let mut all = true;
    for _ in 0..LIVES {
        let said = other.send_words([0]).map(|reply| reply.words);
        all &= matches!(said, Ok([3, 1, ..]));
        let listener = network.listen(80, 1).map(drop);
        all &= listener == Err(NetworkError::InUse);
        let own = [(); 3].map(|()| network.stream(ECHO));
        all &= own.iter().all(Result::is_ok);
        all &= matches!(network.stream(ECHO), Err(NetworkError::TooMany));
        drop(own);
        process.restart();
        while other.reconnect().is_err() {
            let _ = riposte::sleep(Duration::from_micros(100));
        }
    }
    holds(
        "each has its share, and a client that dies leaves it to its next life",
        all,
    );
}

/// The driver is ended in the middle of what goes both ways.
fn driver(network: &Network) {
    let process = riposte::process("ethernet").unwrap();
    let stream = network.stream(ECHO).unwrap();
    let mut lives = 0;
    let before = network.state().unwrap().restarts;
    let round = goes_round(&stream, |back| {
        let due = (back * (LIVES as usize + 1) / BYTES) as u32;
        if lives < due.min(LIVES) {
            process.restart();
            lives += 1;
        }
    });
    equal(
        "wherever the driver is ended, no stream is",
        round,
        Ok(true),
    );
    let restarts = network.state().unwrap().restarts - before;
    equal("and each of its lives is noticed", restarts, LIVES);
}

/// The driver begins anew while there is no server.
fn driver_without_server(network: &mut Network) {
    let [server, driver] = ["network", "ethernet"].map(|name| riposte::process(name).unwrap());
    server.stop();
    driver.restart();
    let _ = riposte::sleep(Duration::from_millis(10));
    server.restart();
    equal("a server begins anew", network.reconnect(), Ok(()));
    let stream = network.stream_until(ECHO, Instant::now() + SOON);
    holds(
        "and is told of frames by a driver that began while there was none",
        stream.is_ok(),
    );
}

/// The server is ended: its clients learn of it, and its next life serves them.
fn server(network: &mut Network) {
    let process = riposte::process("network").unwrap();
    for _ in 0..LIVES {
        let stream = network.stream(ECHO).unwrap();
        process.restart();
        let ended = stream.write(b"lost");
        equal(
            "a stream ends with the server",
            ended,
            Err(NetworkError::ServerDied),
        );
        drop(stream);
        equal("which has another life", network.reconnect(), Ok(()));
    }
    let stream = network.stream(ECHO).unwrap();
    equal("in which it works", goes_round(&stream, |_| {}), Ok(true));
}
