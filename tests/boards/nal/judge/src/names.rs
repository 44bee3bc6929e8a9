//! Names of hosts.

use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use check::{equal, holds};
use embedded_nal::{AddrType, Dns};
use riposte_network::nal::Stack;
use riposte_network::{Network, NetworkError};

use crate::until_done;

const NOT_YET: nb::Error<NetworkError> = nb::Error::WouldBlock;

/// As the teller numbers its hosts.
fn host(last: u8) -> IpAddr {
    Ipv4Addr::new(10, 1, 0, last).into()
}

pub fn names<S: Dns<Error = NetworkError>>(stack: &mut S) {
    let first = stack.get_host_by_name("silent.test", AddrType::Either);
    equal("no name is known at once", first, Err(NOT_YET));
    let mut found =
        |name, kind: AddrType| until_done(|| stack.get_host_by_name(name, kind.clone()));
    let one = found("one.test", AddrType::Either);
    equal("but soon", one, Ok(host(1)));
    let one = found("one.test", AddrType::IPv4);
    equal("as one of IPv4", one, Ok(host(1)));
    let none = Err(NetworkError::NoSuchName);
    equal(
        "there is none of IPv6 without it",
        found("one.test", AddrType::IPv6),
        none,
    );
    equal(
        "nor one of nobody",
        found("none.test", AddrType::Either),
        none,
    );
    let invalid = Err(NetworkError::Invalid);
    equal(
        "what is no name is none",
        found("a b", AddrType::Either),
        invalid,
    );
    let long = core::str::from_utf8(&[b'a'; 300]).unwrap();
    let too_long = Err(NetworkError::TooLong);
    equal(
        "nor what is too long",
        found(long, AddrType::Either),
        too_long,
    );
    equal(
        "an address is its own name",
        found("10.1.0.9", AddrType::IPv4),
        Ok(host(9)),
    );
    equal("of its family", found("10.1.0.9", AddrType::IPv6), none);
    let six = Ipv6Addr::new(0xFD00, 0, 0, 0, 0, 0, 0, 1).into();
    equal("or of the other", found("fd00::1", AddrType::IPv6), Ok(six));
    // These have to be asked anew, the second one until nobody is left.
    equal(
        "a stranger says nothing",
        found("stranger.test", AddrType::IPv4),
        Ok(host(1)),
    );
    let failed = Err(NetworkError::NameFailed);
    equal(
        "who cannot tell is asked twice",
        found("broken.test", AddrType::IPv4),
        failed,
    );
    let name = stack.get_host_by_address(host(1), &mut [0; 255]);
    let not_supported = Err(nb::Error::Other(NetworkError::NotSupported));
    equal("nobody tells names of addresses", name, not_supported);
}

/// This process may ask for one name at once.
pub fn shares(network: &Network) {
    let (mut one, mut two) = (Stack::new(network), Stack::new(network));
    let mut waits = true;
    for name in ["silent.test", "late.test", "silent.test"] {
        waits &= one.get_host_by_name(name, AddrType::IPv4) == Err(NOT_YET);
    }
    holds("another name ends the question before", waits);
    let more = two.get_host_by_name("one.test", AddrType::IPv4);
    let too_many = Err(nb::Error::Other(NetworkError::TooMany));
    equal("a share is all that it may ask", more, too_many);
    drop(one);
    let found = until_done(|| two.get_host_by_name("one.test", AddrType::IPv4));
    equal("a question ends with who asked it", found, Ok(host(1)));
}
