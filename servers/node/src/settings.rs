//! What the manifest says: of this node, and of the others that it knows.

use core::net::{IpAddr, Ipv4Addr, SocketAddr};

use node_circuits::{FAR, KEY, LONGEST, PART, PairKey, PeerSettings};
use riposte::{Duration, thread};

/// The port of a node, if the manifest does not say.
const PORT: u16 = 7201;
/// How long a message may take, if the manifest does not say, in milliseconds.
const PATIENCE: u32 = 5000;

/// The names of the other nodes: of each there is a setting `NAME-address`.
pub fn peers() -> impl Iterator<Item = &'static str> {
    riposte::settings().filter_map(|(name, _)| name.strip_suffix("-address"))
}

/// This node's number.
pub fn number() -> u8 {
    number_of(riposte::setting("number").ok(), "number")
}

/// The port of this node.
pub fn port() -> u16 {
    port_of(riposte::setting("port").ok())
}

/// Most bytes of a reply that comes to clients of this node.
pub fn room() -> usize {
    within("room", PART, LONGEST)
}

/// Most requests of other nodes that are served at once: as many threads do so.
pub fn serves() -> usize {
    within("serves", FAR, FAR)
}

/// A number of the settings, `most` at most; `usual` if it is not there.
fn within(name: &'static str, usual: usize, most: usize) -> usize {
    let number = riposte::setting(name).map_or(usual, |it| it as usize);
    assert!(
        number <= most,
        "`{name}` in the node manager's `settings` in app.toml: at most {most}"
    );
    number
}

/// How long a message may take at most.
pub fn patience() -> Duration {
    let most = node_circuits::PATIENCE;
    let millis = riposte::setting("patience").unwrap_or(PATIENCE);
    assert!(
        (1..=most).contains(&millis),
        "`patience` in the node manager's `settings` in app.toml: 1 to {most} milliseconds"
    );
    Duration::from_millis(millis.into())
}

/// The life of this node that begins now: a random number, or without a connection `entropy` the count of its starts, if
/// something keeps one, and the time. The time alone may come again, and with it all that was sent then: only if the manifest
/// takes that.
pub fn life() -> u64 {
    match riposte_entropy::number() {
        Ok(Some(number)) => number,
        Ok(None) => {
            let starts = riposte::setting("life").ok();
            assert!(
                starts.is_some() || riposte::setting("no-entropy") == Ok(1),
                "the node manager has no connection `entropy`: what it was sent before a restart could be sent to it again behind that, and would be served; \
                 if that is no harm, say `no-entropy = 1` in its `settings` in app.toml"
            );
            let micros = riposte::Instant::now().as_nanos() / 1000;
            // For 12 days, and for 16 million starts.
            u64::from(starts.unwrap_or(0)) << 40 | micros & ((1 << 40) - 1)
        }
        Err(error) => panic!("the life of this node: {error}"),
    }
}

/// Where another node is.
pub fn address(peer: &str) -> SocketAddr {
    let address = Ipv4Addr::from(of(peer, "address").unwrap_or_default());
    SocketAddr::new(IpAddr::V4(address), port_of(of(peer, "port")))
}

/// What is to be known of another node.
pub fn peer(peer: &str) -> PeerSettings {
    let mut key = [0; KEY];
    for (word, bytes) in key.as_chunks_mut::<4>().0.iter_mut().enumerate() {
        let Some(value) = of_word(peer, word) else {
            panic!(
                "no `{peer}-key-{word}` in the node manager's `settings` in app.toml: a key has eight words, the same at both nodes"
            );
        };
        *bytes = value.to_le_bytes();
    }
    let priority = |what: &str| {
        let value = of(peer, what).map_or(Ok(1), u8::try_from);
        // A worker that cannot have it would serve at that of the request before.
        let Some(priority) = value.ok().filter(|it| may_have(*it)) else {
            panic!(
                "`{peer}-{what}` in the node manager's `settings` in app.toml: a priority of its own threads, 1 to its `priority_limit`"
            );
        };
        priority
    };
    PeerSettings {
        number: number_of(of(peer, "number"), "NODE-number"),
        key: PairKey(key),
        band: (priority("lowest"), priority("highest")),
    }
}

/// Whether a thread of this process may have such a priority. The calling one is raised for that, and never less urgent
/// meanwhile: nobody whom it precedes is to begin before it.
fn may_have(priority: u8) -> bool {
    let own = riposte::current_thread();
    let before = thread::priority(own).unwrap_or(1);
    let raised = thread::set_priority(own, priority.max(before));
    priority > 0 && raised.is_ok() && thread::set_priority(own, before).is_ok()
}

/// Whether a name is exported to another node: all that this process may find, or what begins with this part.
pub fn is_exported(peer: &str, name: &str) -> bool {
    let first = name.trim_start_matches('/').split('/').next();
    if serves() == 0 {
        return false;
    }
    let all = of(peer, "exports").is_some_and(|it| it != 0);
    all || first.is_some_and(|part| {
        let is_it = |setting: &str| {
            let rest = setting.strip_prefix(peer);
            let rest = rest.and_then(|it| it.strip_prefix("-exports-"));
            rest == Some(part)
        };
        riposte::settings().any(|(setting, value)| is_it(setting) && value != 0)
    })
}

fn number_of(value: Option<u32>, what: &str) -> u8 {
    let number = value.and_then(|it| u8::try_from(it).ok());
    let Some(number) = number.filter(|it| *it > 0) else {
        panic!(
            "`{what}` in the node manager's `settings` in app.toml: a node's number is 1 to 255"
        );
    };
    number
}

fn port_of(value: Option<u32>) -> u16 {
    match value.map_or(Ok(PORT), u16::try_from) {
        Ok(port) if port > 0 => port,
        _ => panic!("a port in the node manager's `settings` in app.toml: 1 to 65535"),
    }
}

/// The setting `PEER-WHAT`.
fn of(peer: &str, what: &str) -> Option<u32> {
    let is_it = |setting: &str| {
        let rest = setting.strip_prefix(peer);
        rest.and_then(|it| it.strip_prefix('-')) == Some(what)
    };
    let found = riposte::settings().find(|(setting, _)| is_it(setting));
    found.map(|(_, value)| value)
}

/// The setting `PEER-key-WORD`.
fn of_word(peer: &str, word: usize) -> Option<u32> {
    const WORDS: [&str; KEY / 4] = [
        "key-0", "key-1", "key-2", "key-3", "key-4", "key-5", "key-6", "key-7",
    ];
    of(peer, WORDS.get(word)?)
}
