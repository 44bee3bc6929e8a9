//! What the manifest says.

use core::net::Ipv4Addr;

use network_store::{NAMES, PORTS, STREAMS, Share};
use riposte_network::protocol::READER;
use smoltcp::wire::Ipv4Cidr;

/// How many a client may have, if the manifest does not say.
const USUAL: Share = Share {
    streams: 2,
    ports: 1,
    names: 1,
};

/// What a client may have that has no sockets.
const NONE: Share = Share {
    streams: 0,
    ports: 0,
    names: 0,
};

/// The address, and the way to all others; none if it is to be asked for.
pub fn address() -> Option<(Ipv4Cidr, Option<Ipv4Addr>)> {
    let address = Ipv4Addr::from(riposte::setting("address").ok()?);
    let prefix = riposte::setting("prefix").unwrap_or(24);
    assert!(
        prefix <= 32,
        "`prefix` in the network server's `settings` in app.toml: at most 32"
    );
    let gateway = riposte::setting("gateway").ok().map(Ipv4Addr::from);
    Some((Ipv4Cidr::new(address, prefix as u8), gateway))
}

/// Who is asked for names; nobody if the manifest does not say, and the network may.
pub fn name_servers() -> impl Iterator<Item = Ipv4Addr> {
    let all = ["dns", "dns-2"].into_iter();
    all.filter_map(|it| riposte::setting(it).ok().map(Ipv4Addr::from))
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

/// Makes sure that everybody finds what the manifest allows it, whatever the others have. What that is together.
pub fn check() -> Share {
    let mut all = NONE;
    for (badge, name) in riposte::clients() {
        let share = share(badge, name);
        all.streams = all.streams.saturating_add(share.streams);
        all.ports = all.ports.saturating_add(share.ports);
        all.names = all.names.saturating_add(share.names);
    }
    assert!(
        all.streams <= STREAMS && all.ports <= PORTS && all.names <= NAMES,
        "the clients may have {} streams of {STREAMS}, {} ports of {PORTS} and {} names of {NAMES} at once: `streams`, `ports` and `names` in the network server's `settings` in app.toml",
        all.streams,
        all.ports,
        all.names
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
