//! Says back what it is told, over IPv4 and IPv6; and whoever sends it a port in a datagram, of which the first byte is `c`, has it
//! come there with a stream.
#![no_std]

use core::net::SocketAddr;

use riposte::{Deadline, Duration, Instant};
use riposte_network::{Network, Stream};

/// The port of all of it.
const PORT: u16 = 7;
/// How long it waits for somebody who has come.
const LONG: Duration = Duration::from_secs(5);

#[riposte::main]
fn main() {
    let network = Network::connect("network").unwrap();
    let listener = network.listen(PORT, 1).unwrap();
    let port = network.bind(PORT).unwrap();
    let mut bytes = [0; 64];
    loop {
        if let Ok((stream, _)) = listener.accept_until(Deadline::Immediate) {
            back(&stream);
        }
        if let Ok((length, from)) = port.receive_from_until(&mut bytes, Deadline::Immediate) {
            match bytes {
                [b'c', low, high, ..] if length == 3 => {
                    come(
                        &network,
                        SocketAddr::new(from.ip(), u16::from_le_bytes([low, high])),
                    );
                }
                _ => port.send_to(from, &bytes[..length.min(64)]).unwrap(),
            }
        }
        let _ = riposte::sleep(Duration::from_micros(500));
    }
}

/// Says back what comes until the end.
fn back(stream: &Stream<'_>) {
    let mut bytes = [0; 64];
    while let Ok(length @ 1..) = stream.read_until(&mut bytes, Instant::now() + LONG) {
        if stream.write_all(&bytes[..length]).is_err() {
            break;
        }
    }
}

/// Goes there with a stream and says so, if somebody waits for it.
fn come(network: &Network, to: SocketAddr) {
    if let Ok(stream) = network.stream_until(to, Instant::now() + LONG) {
        // Whoever sends it away at once needs nothing of it.
        let _ = stream.write_all(b"here");
        let _ = stream.read_until(&mut [0; 1], Instant::now() + LONG);
    }
}
