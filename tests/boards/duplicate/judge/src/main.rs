//! Is the clients of two hosts that are given one address.
#![no_std]

use core::net::{Ipv6Addr, SocketAddr};

use check::{equal, holds};
use riposte::{Duration, Instant};
use riposte_network::{Network, NetworkError, State};

const NAMES: [&str; 2] = ["network", "far"];
/// The address of both, and those of their links.
const OWN: Ipv6Addr = Ipv6Addr::new(0xFD00, 0, 0, 0, 0, 0, 0, 2);
const LINKS: [Ipv6Addr; 2] = [
    Ipv6Addr::new(0xFE80, 0, 0, 0, 0, 0xFF, 0xFE00, 1),
    Ipv6Addr::new(0xFE80, 0, 0, 0, 0, 0xFF, 0xFE00, 2),
];
const NOBODY: Ipv6Addr = Ipv6Addr::UNSPECIFIED;
/// How long something takes at most that happens.
const SOON: Duration = Duration::from_secs(10);

#[riposte::main]
fn main() {
    let mut hosts = NAMES.map(|name| Network::connect(name).unwrap());
    let has_first = at_once(&hosts);
    // Neither may have it, if each has heard that the other one asks.
    let user = usize::from(!has_first);
    if hosts.iter().all(|it| own(it) == NOBODY) {
        restart(&mut hosts, user);
    }
    defended(&mut hosts, user);
    again(&mut hosts, user);
    check::done();
}

fn own(host: &Network) -> Ipv6Addr {
    host.state().unwrap().address_ipv6
}

/// Waits until a host has the address of its link. Another one that it has asked for at the same time it uses then, too, or
/// never.
fn has_link(hosts: &[Network; 2], which: usize) {
    let link = LINKS[which];
    let has_link = becomes(&hosts[which], |it| it.link_local == link);
    holds("a host has the address of its link", has_link);
}

/// Another life of a host, up to when its addresses are used.
fn restart(hosts: &mut [Network; 2], which: usize) {
    riposte::process(NAMES[which]).unwrap().restart();
    let again = hosts[which].reconnect();
    equal("a host has another life", again, Ok(()));
    has_link(hosts, which);
}

/// Whether they reach each other by the addresses of their links.
fn reach(hosts: &[Network; 2]) -> bool {
    let listener = hosts[0].listen(17, 1).unwrap();
    let until = Instant::now() + SOON;
    let stream = hosts[1].stream_until(SocketAddr::new(LINKS[0].into(), 17), until);
    let came = listener.accept_until(until);
    stream.is_ok() && came.is_ok()
}

/// Both have begun at the same time. Whether the first one uses the address.
fn at_once(hosts: &[Network; 2]) -> bool {
    has_link(hosts, 0);
    has_link(hosts, 1);
    let all = [own(&hosts[0]), own(&hosts[1])];
    holds("two never use one address", all != [OWN, OWN]);
    holds("the link works without it", reach(hosts));
    let old = SocketAddr::new([10, 0, 0, 2].into(), 9);
    let refused = hosts[0].stream(old).map(drop);
    equal("and so does IPv4", refused, Err(NetworkError::Refused));
    all[0] == OWN
}

/// The other one asks again, and is answered.
fn defended(hosts: &mut [Network; 2], user: usize) {
    equal("one uses the address", own(&hosts[user]), OWN);
    restart(hosts, 1 - user);
    let other = own(&hosts[1 - user]);
    equal("an address in use is no other one's", other, NOBODY);
    equal("nor is it given up", own(&hosts[user]), OWN);
    holds("and both reach each other", reach(hosts));
}

/// Who had it asks again: whoever was refused does not say that it has it.
fn again(hosts: &mut [Network; 2], user: usize) {
    restart(hosts, user);
    equal("its next life uses it again", own(&hosts[user]), OWN);
    let other = own(&hosts[1 - user]);
    equal("and the other one does not", other, NOBODY);
}

/// Waits until a host's state is so; whether it has become.
fn becomes(host: &Network, is_so: impl Fn(&State) -> bool) -> bool {
    let until = Instant::now() + SOON;
    while Instant::now() < until {
        if is_so(&host.state().unwrap()) {
            return true;
        }
        let _ = riposte::sleep(Duration::from_millis(1));
    }
    false
}
