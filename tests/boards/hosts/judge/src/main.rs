//! Asks for hosts by their names, well and badly, with answers of every kind, and over the ends of those who ask.
#![no_std]

mod ends;
mod hostile;

use core::net::{IpAddr, Ipv4Addr, SocketAddr};

use check::{equal, holds};
use riposte::{Deadline, Duration, Instant};
use riposte_network::{Network, NetworkError};

/// How long the network server waits for a server of names before it asks the next one.
const SILENCE: Duration = Duration::from_secs(5);

#[riposte::main]
fn main() {
    let mut network = Network::connect("network").unwrap();
    address(&network);
    servers(&network);
    answers(&network);
    wrong_answers(&network);
    numbers(&network);
    waiting(&network);
    hostile::hostile(&network);
    ends::shares(&network);
    ends::other(&network);
    ends::server(&mut network);
    check::done();
}

/// As the teller numbers its hosts.
pub fn host(last: u8) -> IpAddr {
    Ipv4Addr::new(10, 1, 0, last).into()
}

/// What there is to know of a name: its first address.
pub fn first(network: &Network, name: &str) -> Result<IpAddr, NetworkError> {
    network.resolve(name).map(|all| all.first(0).ip())
}

/// How long something takes.
pub fn time<R>(body: impl FnOnce() -> R) -> (R, Duration) {
    let began = Instant::now();
    let result = body();
    (result, Instant::now() - began)
}

/// Waits until the network server has been given an address.
pub fn address(network: &Network) {
    let nobody = IpAddr::V4(Ipv4Addr::UNSPECIFIED);
    while network.state().unwrap().address == nobody {
        let _ = riposte::sleep(Duration::from_millis(10));
    }
}

/// The network names two, and there is none at the first one's address.
fn servers(network: &Network) {
    let (found, took) = time(|| first(network, "one.test"));
    equal("a name is told by the second server", found, Ok(host(1)));
    holds(
        "when the first one has kept silent for five seconds",
        took >= SILENCE && took < SILENCE + Duration::from_secs(2),
    );
    let (found, took) = time(|| first(network, "one.test"));
    equal("a server that answers is asked first", found, Ok(host(1)));
    holds("and answers at once", took < Duration::from_secs(1));
}

fn answers(network: &Network) {
    let many = network.resolve("many.test").unwrap();
    let expected = [1, 2, 3, 4].map(host);
    equal("of many addresses there are four", &*many, &expected[..]);
    let to = SocketAddr::new(host(1), 80);
    equal("the first one has a port", many.first(80), to);
    let alias = first(network, "alias.test");
    equal("a host is found by another name", alias, Ok(host(7)));
    let dot = first(network, "one.test.");
    equal("a name may have a dot at its end", dot, Ok(host(1)));
    let none = first(network, "none.test");
    let no = Err(NetworkError::NoSuchName);
    equal("a name that does not exist is none", none, no);
    let empty = first(network, "empty.test");
    equal("nor is one without an address", empty, no);
    let number = first(network, "10.0.0.77");
    let address = Ipv4Addr::new(10, 0, 0, 77).into();
    equal("an address is its own name", number, Ok(address));
    let short = first(network, "short.test");
    equal("what an answer has room for is told", short, Ok(host(1)));
}

fn wrong_answers(network: &Network) {
    for (name, text) in [
        (
            "number.test",
            "an answer with another number is passed over",
        ),
        ("other.test", "an answer for another name is passed over"),
        ("question.test", "a question is no answer"),
        ("stranger.test", "an answer from elsewhere is passed over"),
        ("cut.test", "half an answer is passed over"),
    ] {
        equal(text, first(network, name), Ok(host(1)));
    }
    let strangers = first(network, "strangers.test");
    let failed = Err(NetworkError::NameFailed);
    equal(
        "strangers end a question, and say nothing",
        strangers,
        failed,
    );
    let (broken, took) = time(|| first(network, "broken.test"));
    equal(
        "a server cannot tell, nor can the other one",
        broken,
        failed,
    );
    holds(
        "each of which has been asked twice",
        took >= SILENCE * 2 && took < SILENCE * 3,
    );
}

/// From where, and with which number, questions come.
fn numbers(network: &Network) {
    let mut seen = [None; 8];
    for place in 0..seen.len() {
        let IpAddr::V4(found) = first(network, "who.test").unwrap() else {
            return;
        };
        let [a, b, c, d] = found.octets();
        let (port, number) = ([a, b], [c, d]);
        let others = seen.iter().flatten();
        let is_new = others
            .into_iter()
            .all(|(other, another)| *other != port && *another != number);
        seen[place] = is_new.then_some((port, number));
    }
    holds(
        "each question has its own number and port",
        seen.iter().all(Option::is_some),
    );
}

fn waiting(network: &Network) {
    let none = network.resolve_until("one.test", Deadline::Immediate);
    equal(
        "no name is known at once",
        none,
        Err(NetworkError::WouldBlock),
    );
    let wait = Duration::from_millis(300);
    let (none, took) = time(|| network.resolve_until("silent.test", Instant::now() + wait));
    equal(
        "nobody waits past the deadline",
        none,
        Err(NetworkError::TimedOut),
    );
    holds("nor less", took >= wait && took < wait * 2);
    let (late, took) = time(|| first(network, "late.test"));
    equal("a question that is lost is asked again", late, Ok(host(1)));
    holds("after a second", took < Duration::from_secs(3));
    let (none, took) = time(|| first(network, "silent.test"));
    equal(
        "if all keep silent the server gives up",
        none,
        Err(NetworkError::NameFailed),
    );
    holds(
        "after five seconds for each of both, twice",
        took >= SILENCE * 4 && took < SILENCE * 5,
    );
    equal(
        "and the next name is found",
        first(network, "one.test"),
        Ok(host(1)),
    );
}
