//! A host at the emulator's network, which gives addresses of both families and has a server of files (TFTP) at each.
#![no_std]

use core::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use check::{equal, holds};
use riposte::{Duration, Instant};
use riposte_network::{Network, NetworkError, State};

/// What the emulator's router tells, and its address there and at the link.
const PREFIX: [u16; 4] = [0xFEC0, 0, 0, 0];
const HOST: Ipv6Addr = Ipv6Addr::new(0xFEC0, 0, 0, 0, 0, 0, 0, 2);
const ROUTER: Ipv6Addr = Ipv6Addr::new(0xFE80, 0, 0, 0, 0, 0, 0, 2);
/// The address of IPv4 that it gives first.
const OWN: Ipv4Addr = Ipv4Addr::new(10, 0, 2, 15);
/// How long something takes at most that happens.
const SOON: Duration = Duration::from_secs(20);

#[riposte::main]
fn main() {
    let network = Network::connect("network").unwrap();
    let is_told = becomes(&network, |it| !it.address_ipv6.is_unspecified());
    holds("a router that is asked tells an address", is_told);
    let state = network.state().unwrap();
    let own = of_device(PREFIX, state.device);
    equal("it is made of the device's", state.address_ipv6, own);
    let link = of_device([0xFE80, 0, 0, 0], state.device);
    equal("and so is that of the link", state.link_local, link);
    equal("the router is the way out", state.gateway_ipv6, ROUTER);
    equal("nothing of it was refused", state.advertisements_refused, 0);
    let has_old = becomes(&network, |it| it.address == IpAddr::V4(OWN));
    holds("an address of IPv4 comes besides", has_old);
    files(&network, HOST.into());
    files(&network, Ipv4Addr::new(10, 0, 2, 2).into());
    let nobody = network.stream_until(SocketAddr::new(HOST.into(), 1), Instant::now() + SOON);
    equal(
        "nobody is there",
        nobody.map(drop),
        Err(NetworkError::Refused),
    );
    riposte::process("ethernet").unwrap().restart();
    files(&network, HOST.into());
    let state = network.state().unwrap();
    equal(
        "the driver's next life has the same address",
        state.address_ipv6,
        own,
    );
    check::done();
}

/// Waits until the network's state is so; whether it has become.
fn becomes(network: &Network, is_so: impl Fn(&State) -> bool) -> bool {
    let until = Instant::now() + SOON;
    while Instant::now() < until {
        if is_so(&network.state().unwrap()) {
            return true;
        }
        let _ = riposte::sleep(Duration::from_millis(10));
    }
    false
}

/// An address that begins so, and has the device's in its other half (EUI-64).
fn of_device([a, b, c, d]: [u16; 4], [e, f, g, h, i, j]: [u8; 6]) -> Ipv6Addr {
    let word = |high, low| u16::from_be_bytes([high, low]);
    let device = [word(e ^ 2, f), word(g, 0xFF), word(0xFE, h), word(i, j)];
    let [e, f, g, h] = device;
    Ipv6Addr::new(a, b, c, d, e, f, g, h)
}

/// The server of files has none of that name, and says so.
fn files(network: &Network, host: IpAddr) {
    let (port, to) = (network.bind(0).unwrap(), SocketAddr::new(host, 69));
    let mut answer = [0; 4];
    let until = Instant::now() + SOON;
    // What is sent while there is no driver is lost.
    while Instant::now() < until {
        port.send_to(to, b"\0\x01none\0octet\0").unwrap();
        let soon = Instant::now() + Duration::from_secs(1);
        if let Ok((_, from)) = port.receive_from_until(&mut answer, soon) {
            equal("a datagram comes back", from, to);
            equal("from a server of files", &answer[..2], &[0, 5]);
            return;
        }
    }
    check::broken("a datagram comes back", "none came");
}
