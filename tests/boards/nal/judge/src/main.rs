//! Uses the network by the traits of `embedded-nal`, as a library does that knows nothing of it but those; the other side uses
//! sockets as they are.
#![no_std]

mod datagrams;
mod names;
mod streams;

use core::net::{IpAddr, Ipv4Addr, SocketAddr};

use check::{equal, holds};
use embedded_nal::{TcpClientStack, TcpError, TcpErrorKind};
use riposte::{Duration, Instant};
use riposte_network::nal::Stack;
use riposte_network::{Network, NetworkError};

/// How long something takes at most that happens.
const SOON: Duration = Duration::from_secs(10);
/// How long a call takes at most: it waits for nobody at the wire.
const AT_ONCE: Duration = Duration::from_millis(20);

#[riposte::main]
fn main() {
    let mut network = Network::connect("network").unwrap();
    let far = Network::connect("far").unwrap();
    all(&network, &far);
    life(&mut network, &far);
    check::done();
}

/// Everything that the traits have.
fn all(network: &Network, far: &Network) {
    let mut stack = Stack::new(network);
    streams::client(&mut stack, far);
    streams::refused(&mut stack, far);
    streams::server(&mut stack, far);
    datagrams::client(&mut stack, far);
    datagrams::server(&mut stack, far);
    names::names(&mut stack);
    drop(stack);
    names::shares(network);
}

/// A port of a host at the wire.
pub fn at(host: u8, port: u16) -> SocketAddr {
    SocketAddr::new(IpAddr::V4(Ipv4Addr::new(10, 0, 0, host)), port)
}

/// What comes of something that is tried until it is done, in time.
pub fn until_done<T>(
    mut attempt: impl FnMut() -> nb::Result<T, NetworkError>,
) -> Result<T, NetworkError> {
    let until = Instant::now() + SOON;
    loop {
        let began = Instant::now();
        let done = attempt();
        if Instant::now() - began > AT_ONCE {
            return Err(NetworkError::TimedOut);
        }
        match done {
            Ok(done) => return Ok(done),
            Err(nb::Error::Other(error)) => return Err(error),
            Err(nb::Error::WouldBlock) if Instant::now() > until => {
                return Err(NetworkError::TimedOut);
            }
            Err(nb::Error::WouldBlock) => {
                let _ = riposte::sleep(Duration::from_millis(1));
            }
        }
    }
}

/// The server is ended: sockets say so, and those of its next life work.
fn life(network: &mut Network, far: &Network) {
    // The first one is never accepted.
    let listener = far.listen(17, 2).unwrap();
    let mut stack = Stack::new(network);
    let mut socket = TcpClientStack::socket(&mut stack).unwrap();
    let connected = until_done(|| TcpClientStack::connect(&mut stack, &mut socket, at(2, 17)));
    equal("there is a connection", connected, Ok(()));
    riposte::process("network").unwrap().restart();
    let ended = TcpClientStack::send(&mut stack, &mut socket, b"lost");
    let died = Err(nb::Error::Other(NetworkError::ServerDied));
    equal("a socket ends with the server", ended, died);
    let kind = NetworkError::ServerDied.kind();
    equal("as one that is closed", kind, TcpErrorKind::PipeClosed);
    let mut other = TcpClientStack::socket(&mut stack).unwrap();
    let connected = TcpClientStack::connect(&mut stack, &mut other, at(2, 17));
    equal("nor is there another one", connected, died.map(drop));
    drop((socket, other));
    drop(stack);
    equal("the server has another life", network.reconnect(), Ok(()));
    let mut stack = Stack::new(network);
    let mut socket = TcpClientStack::socket(&mut stack).unwrap();
    let connected = until_done(|| TcpClientStack::connect(&mut stack, &mut socket, at(2, 17)));
    equal("in which sockets are connected", connected, Ok(()));
    drop(listener);
    holds(
        "and closed",
        TcpClientStack::close(&mut stack, socket).is_ok(),
    );
}
