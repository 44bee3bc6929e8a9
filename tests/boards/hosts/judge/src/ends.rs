//! What each may ask at once, and the ends of those who ask.

use check::{equal, holds};
use riposte::thread::{self, Settings};
use riposte::{Duration, Instant};
use riposte_network::{Network, NetworkError};

use crate::{address, first, host};

/// How often somebody is ended: in all, more questions than there are.
const LIVES: u32 = 6;

/// Asks for what nobody tells, for a second.
fn ask(_: usize) -> u32 {
    let network = Network::connect("network").unwrap();
    let _ = network.resolve_until("silent.test", Instant::now() + Duration::from_secs(1));
    0
}

/// This process may ask for one name at once.
pub fn shares(network: &Network) {
    let asking = thread::spawn(ask, 0, Settings::new(10)).unwrap();
    let _ = riposte::sleep(Duration::from_millis(50));
    let more = network.resolve("one.test");
    equal(
        "a share is all that it may ask",
        more,
        Err(NetworkError::TooMany),
    );
    let _ = asking.join();
    equal("and is free again", first(network, "one.test"), Ok(host(1)));
}

/// Another client asks all that it may, and dies: its questions with it.
pub fn other(network: &Network) {
    let process = riposte::process("other").unwrap();
    let mut other = riposte::connect("other").unwrap();
    let (mut may_ask, mut found) = (true, true);
    for _ in 0..LIVES {
        let said = other.send_words([0]).map(|reply| reply.words);
        may_ask &= matches!(said, Ok([1, ..]));
        found &= first(network, "one.test") == Ok(host(1));
        process.restart();
        while other.reconnect().is_err() {
            let _ = riposte::sleep(Duration::from_micros(100));
        }
    }
    holds("who asks all that it may keeps nobody from asking", found);
    holds(
        "a client that dies leaves its share to its next life",
        may_ask,
    );
}

/// The server is ended while it is asked.
pub fn server(network: &mut Network) {
    let asking = thread::spawn(ask, 0, Settings::new(10)).unwrap();
    let _ = riposte::sleep(Duration::from_millis(50));
    riposte::process("network").unwrap().restart();
    let _ = asking.join();
    let ended = first(network, "one.test");
    equal(
        "who asks learns of the server's end",
        ended,
        Err(NetworkError::ServerDied),
    );
    equal("which has another life", network.reconnect(), Ok(()));
    address(network);
    equal(
        "and tells names in it",
        first(network, "one.test"),
        Ok(host(1)),
    );
}
