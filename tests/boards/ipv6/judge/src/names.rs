//! Names of hosts with addresses of either family, or both.

use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use check::equal;
use riposte::{Part, PartMut};
use riposte_network::protocol::{ADDRESS, ADDRESSES, families, operation, status};
use riposte_network::{Network, NetworkError};

/// As the teller numbers its hosts.
fn six(last: u16) -> IpAddr {
    Ipv6Addr::new(0xFD01, 0, 0, 0, 0, 0, 0, last).into()
}

fn four(last: u8) -> IpAddr {
    Ipv4Addr::new(10, 1, 0, last).into()
}

/// The router has told who tells names: no manifest has.
pub fn names(network: &Network, far: &Network) {
    let found = network.resolve("one.test");
    let both = [six(1), four(1)];
    equal(
        "a host has both addresses, that of IPv6 first",
        found.as_deref(),
        Ok(&both[..]),
    );
    let found = network.resolve("four.test");
    equal(
        "one of IPv4 alone is found",
        found.as_deref(),
        Ok(&[four(4)][..]),
    );
    let found = network.resolve("six.test");
    equal("and one of IPv6 alone", found.as_deref(), Ok(&[six(6)][..]));
    let found = network.resolve("many.test");
    let many = [six(1), six(2), four(1), four(2)];
    equal(
        "of many addresses there are two of each",
        found.as_deref(),
        Ok(&many[..]),
    );
    let found = network.resolve("empty.test").map(drop);
    equal(
        "one without any is none",
        found,
        Err(NetworkError::NoSuchName),
    );
    let found = network.resolve("fd00::5").map(|it| it.first(80).ip());
    let own = IpAddr::V6(Ipv6Addr::new(0xFD00, 0, 0, 0, 0, 0, 0, 5));
    equal("nobody is asked for an address", found, Ok(own));
    let found = far.resolve("one.test").map(drop);
    let nobody = Err(NetworkError::Unreachable);
    equal("nobody tells whom the manifest says nothing", found, nobody);
    for (name, wanted, expected) in [
        (
            "those of IPv4 alone are told who wants them",
            families::IPV4,
            1,
        ),
        ("and those of IPv6", families::IPV6, 1),
        ("or both", families::BOTH, 2),
    ] {
        equal(name, count(wanted), Ok(expected));
    }
    equal("there is no other family", count(3), Err(status::INVALID));
}

/// How many addresses a host with one of each family has, of those that are wanted.
fn count(wanted: u32) -> Result<usize, riposte::Status> {
    let server = riposte::connect("network").unwrap();
    let mut head = [0; 8];
    head[..4].copy_from_slice(&operation::RESOLVE.to_le_bytes());
    head[4..].copy_from_slice(&wanted.to_le_bytes());
    let mut bytes = [0; ADDRESSES * ADDRESS];
    let parts = [Part::new(&head), Part::new(b"one.test")];
    let reply = server.send_vector(&parts, &mut [PartMut::new(&mut bytes)]);
    let reply = reply.unwrap();
    match reply.status {
        riposte::Status::OK => Ok(reply.len / ADDRESS),
        why => Err(why),
    }
}
