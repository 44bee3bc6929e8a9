//! Asks for sockets, and leaves at every moment before it has them: those that it can have afterwards are as many as before.
#![no_std]

use core::net::{Ipv4Addr, SocketAddr};

use riposte::{Connection, Duration, Error, Instant};
use riposte_network::protocol::{REQUEST, operation};
use riposte_network::{Network, NetworkError, address};

/// Requests that are left before one is waited for to its end.
const ENOUGH: usize = 20;
/// Ports that this process may have, by the manifest.
const PORTS: usize = 2;

#[riposte::main]
fn main() {
    let network = Network::connect("network").unwrap();
    let connection = riposte::connect("network").unwrap();
    let host = SocketAddr::new(Ipv4Addr::new(10, 0, 0, 2).into(), 9);

    let left = leaves(&connection, operation::BIND, 0, &[]);
    check::holds(
        "a client leaves at each moment while a port is made for it",
        left > ENOUGH,
    );
    let ports = [0; PORTS].map(|port| network.bind(port));
    check::holds(
        "and none is left behind, of which nobody has the number",
        ports.iter().all(Result::is_ok),
    );
    drop(ports);

    let left = leaves(&connection, operation::LISTEN, 80, &1_u32.to_le_bytes());
    check::holds(
        "a client leaves at each moment while a listener is made for it",
        left > ENOUGH,
    );
    check::equal(
        "and its port is free",
        network.listen(80, 1).map(drop),
        Ok(()),
    );

    let left = leaves(&connection, operation::CONNECT, 0, &address::to_bytes(host));
    check::holds(
        "a client leaves at each moment while a stream is made for it",
        left > ENOUGH,
    );
    let found = network.stream(host).map(drop);
    check::equal("and it can have one", found, Err(NetworkError::Refused));
    check::done();
}

/// Asks with one deadline after the other, until the answer comes before it, often: how often it did not.
fn leaves(connection: &Connection, what: u32, about: u32, more: &[u8]) -> usize {
    let [a, b, c, d] = what.to_le_bytes();
    let [e, f, g, h] = about.to_le_bytes();
    let head: [u8; REQUEST] = [a, b, c, d, e, f, g, h];
    let (mut left, mut answered, mut after) = (0, 0, 0);
    while answered < ENOUGH {
        after += 1;
        let deadline = Instant::now() + Duration::from_micros(after);
        let mut answer = [0; 12];
        match connection.send_pieces_until([&head, more], &mut answer, deadline) {
            Err(Error::TimedOut) => left += 1,
            Err(error) => panic!("{error}"),
            Ok(reply) if reply.status == riposte::Status::OK => {
                answered += 1;
                let [a, b, c, d, ..] = answer;
                close(connection, [a, b, c, d]);
            }
            // What was left behind takes its share.
            Ok(_) => answered += 1,
        }
    }
    left
}

fn close(connection: &Connection, number: [u8; 4]) {
    let head = [operation::CLOSE.to_le_bytes(), number];
    let closed = connection.send(head.as_flattened(), &mut []);
    assert!(closed.is_ok());
}
