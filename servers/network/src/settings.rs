//! What the manifest says.

use core::net::Ipv4Addr;

use network_store::{NAMES, PINGS, PORTS, STREAMS, Share};
use riposte_network::protocol::READER;
use smoltcp::wire::{IpAddress, Ipv4Cidr};

/// How many a client may have, if the manifest does not say.
const USUAL: Share = Share {
    streams: 2,
    ports: 1,
    names: 1,
    pings: 0,
};

/// What a client may have that has no sockets.
const NONE: Share = Share {
    streams: 0,
    ports: 0,
    names: 0,
    pings: 0,
};

/// The address, and the way to all others; none if it is to be asked for.
pub fn address() -> Option<(Ipv4Cidr, Option<Ipv4Addr>)> {
    let address = Ipv4Addr::from(riposte::setting("address").ok()?);
    let prefix = riposte::setting("prefix").unwrap_or(24);
    let gateway = riposte::setting("gateway").ok().map(Ipv4Addr::from);
    let is_host = |it: Ipv4Addr| IpAddress::Ipv4(it).is_unicast();
    assert!(
        prefix <= 32 && is_host(address) && gateway.is_none_or(is_host),
        "`address` or `gateway` in the network server's `settings` in app.toml is no host's, or `prefix` more than 32"
    );
    Some((Ipv4Cidr::new(address, prefix as u8), gateway))
}

/// Who is asked for names; nobody if the manifest does not say, and the network may.
pub fn name_servers() -> impl Iterator<Item = IpAddress> {
    let all = ["dns", "dns-2"].into_iter();
    let all = all.filter_map(|it| {
        riposte::setting(it)
            .ok()
            .map(|it| IpAddress::Ipv4(it.into()))
    });
    #[cfg(feature = "ipv6")]
    let all = all.chain(ipv6::name_server().map(IpAddress::Ipv6));
    all
}

/// What the manifest says of IPv6.
#[cfg(feature = "ipv6")]
pub mod ipv6 {
    use core::net::Ipv6Addr;

    use smoltcp::wire::{IpAddress, Ipv6Cidr};

    /// The address, and the way to all others; none if routers are to tell.
    pub fn address() -> Option<(Ipv6Cidr, Option<Ipv6Addr>)> {
        let address = of([
            "address-ipv6-0",
            "address-ipv6-1",
            "address-ipv6-2",
            "address-ipv6-3",
        ])?;
        let prefix = riposte::setting("prefix-ipv6").unwrap_or(64);
        let gateway = of([
            "gateway-ipv6-0",
            "gateway-ipv6-1",
            "gateway-ipv6-2",
            "gateway-ipv6-3",
        ]);
        let is_host = |it: Ipv6Addr| IpAddress::Ipv6(it).is_unicast();
        assert!(
            prefix <= 128 && is_host(address) && gateway.is_none_or(is_host),
            "`address-ipv6` or `gateway-ipv6` in the network server's `settings` in app.toml is no host's, or `prefix-ipv6` more than 128"
        );
        Some((Ipv6Cidr::new(address, prefix as u8), gateway))
    }

    /// Who is asked for names.
    pub fn name_server() -> Option<Ipv6Addr> {
        of(["dns-ipv6-0", "dns-ipv6-1", "dns-ipv6-2", "dns-ipv6-3"])
    }

    /// The address that is four settings: of a text the tool makes them.
    fn of(names: [&'static str; 4]) -> Option<Ipv6Addr> {
        let words = names.map(riposte::setting);
        let [Ok(a), Ok(b), Ok(c), Ok(d)] = words else {
            return None;
        };
        let [a, b, c, d] = [a, b, c, d].map(u128::from);
        Some(Ipv6Addr::from(a << 96 | b << 64 | c << 32 | d))
    }
}

/// Where the numbers begin that others are not to know beforehand: those of streams, of ports and of names. Without a connection
/// `entropy` it is the time at which the server started.
pub fn seed() -> u64 {
    match riposte_entropy::number() {
        Ok(Some(number)) => number,
        Ok(None) => riposte::Instant::now().as_nanos(),
        Err(error) => panic!("what nobody is to guess: {error}"),
    }
}

/// Makes sure that who is asked for names can be a host, and that everybody finds what the manifest allows it, whatever the
/// others have. What that is together.
pub fn check() -> Share {
    assert!(
        name_servers().all(|it| it.is_unicast()),
        "`dns`, `dns-2` or `dns-ipv6` in the network server's `settings` in app.toml is no host's"
    );
    let mut all = NONE;
    for (badge, name) in riposte::clients() {
        let share = share(badge, name);
        all.streams = all.streams.saturating_add(share.streams);
        all.ports = all.ports.saturating_add(share.ports);
        all.names = all.names.saturating_add(share.names);
        all.pings = all.pings.saturating_add(share.pings);
    }
    assert!(
        all.streams <= STREAMS && all.ports <= PORTS && all.names <= NAMES && all.pings <= PINGS,
        "the clients may have {} streams of {STREAMS}, {} ports of {PORTS}, {} names of {NAMES} and {} pings of {PINGS} at once: `streams`, `ports`, `names` and `pings` in the network server's `settings` in app.toml",
        all.streams,
        all.ports,
        all.names,
        all.pings
    );
    all
}

/// How many sockets the client with this badge may have.
pub fn share_of(badge: u32) -> Share {
    match riposte::client_name(badge) {
        Some(name) => share(badge, name),
        None => NONE,
    }
}

fn share(badge: u32, name: &str) -> Share {
    if badge >= READER {
        return NONE;
    }
    Share {
        streams: of("streams", name).unwrap_or(USUAL.streams),
        ports: of("ports", name).unwrap_or(USUAL.ports),
        names: of("names", name).unwrap_or(USUAL.names),
        pings: of("pings", name).unwrap_or(USUAL.pings),
    }
}

/// The setting `WHAT-NAME`, or else `WHAT`.
fn of(what: &'static str, name: &str) -> Option<usize> {
    let is_own = |setting: &str| {
        let rest = setting.strip_prefix(what);
        rest.and_then(|it| it.strip_prefix('-')) == Some(name)
    };
    let own = riposte::settings().find(|(setting, _)| is_own(setting));
    let found = own.map(|(_, value)| value);
    let found = found.or_else(|| riposte::setting(what).ok());
    found.map(|it| it as usize)
}
