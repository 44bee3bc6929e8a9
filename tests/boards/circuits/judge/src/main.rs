//! Sends messages to another node, and judges what comes back.
#![no_std]

mod ends;
mod harm;
mod proxies;
mod signals;
mod sizes;

use check::{equal, holds};
use riposte::{Connection, Deadline, Duration, Instant};
use riposte_names::Names;
use riposte_node::NodeError;

/// What the server is told.
pub(crate) mod order {
    pub const WAIT: u32 = 1;
    pub const DIE: u32 = 2;
    pub const PRIORITY: u32 = 3;
    pub const UNBLOCKED: u32 = 4;
    pub const ADD: u32 = 5;
    pub const TOTAL: u32 = 6;
    pub const LONG: u32 = 7;
    pub const SLOW: u32 = 8;
    pub const RESERVED: u32 = 9;
    pub const PROXY: u32 = 10;
    pub const RECEIVED: u32 = 11;
    pub const END_PROXY: u32 = 12;
    pub const CONNECTION: u32 = 13;
    pub const SIGNALS: u32 = 14;
    pub const BUSY: u32 = 15;
}

#[riposte::main]
fn main() {
    let mut names = Names::connect().unwrap();
    let echo = find(&names, "//paris/echo");
    let mortal = find(&names, "//paris/mortal");
    // The server registers its names when everybody more urgent waits.
    let _ = riposte::sleep(Duration::from_millis(100));
    sizes::all(&echo, &mortal);
    refusals(&names, &mortal);
    priorities(&mortal);
    ends::deadline(&mortal);
    ends::interrupted(&names, &mortal);
    ends::client(&mortal);
    ends::server(&mortal);
    ends::names(&mut names, &mortal);
    harm::wires(&mortal);
    signals::all(&names, &mortal);
    proxies::all(&mortal);
    let proxy = proxies::find(&mortal, 0);
    ends::far_node(&mortal);
    proxies::is_over("a proxy ends with its node's manager", &proxy);
    let proxy = proxies::find(&mortal, 0);
    let mortal = ends::own_node(&names, mortal);
    proxies::is_over("and with that of one's own node", &proxy);
    resources(&mortal);
    check::done();
}

pub(crate) fn find(names: &Names, name: &str) -> Connection {
    let found = names.locate_until(name, Deadline::None).unwrap();
    assert_eq!(found.covered, name.len());
    found.connection
}

/// What comes of an order: its first word, or why there is none.
pub(crate) fn tell(to: &Connection, words: [u32; 2]) -> Result<u32, NodeError> {
    let reply = to.send_words(words).unwrap();
    match NodeError::of(reply.status) {
        None => Ok(reply.words[0]),
        Some(error) => Err(error),
    }
}

fn refusals(names: &Names, mortal: &Connection) {
    for (name, what) in [
        (
            "//paris/secret",
            "what is not exported to this node is refused",
        ),
        (
            "//paris/nothing",
            "what nobody has registered there is refused",
        ),
    ] {
        let found = tell(&find(names, name), [0, 0]);
        equal(what, found, Err(NodeError::NotExported));
    }
    let begin = Instant::now();
    let gone = tell(&find(names, "//new-york/echo"), [0, 0]);
    equal(
        "a node that is not there is gone",
        gone,
        Err(NodeError::NodeGone),
    );
    let took = begin.elapsed();
    holds(
        "at the deadline of the manifest",
        took >= Duration::from_millis(1000) && took < Duration::from_millis(1050),
    );
    let found = tell(mortal, [order::RESERVED, 0]);
    equal(
        "a server cannot speak for the node",
        found,
        Err(NodeError::Reserved),
    );
    let found = mortal.send_words([99]).unwrap().status;
    equal(
        "its other statuses come as they are",
        found,
        riposte::Status(1),
    );
}

fn priorities(mortal: &Connection) {
    let own = riposte::current_thread();
    for (priority, served) in [(8, 8), (10, 10), (5, 5), (2, 4), (14, 11)] {
        let _ = riposte::thread::set_priority(own, priority);
        equal(
            "a client is served at its priority, within the band of its node",
            tell(mortal, [order::PRIORITY, 0]),
            Ok(served),
        );
    }
    let _ = riposte::thread::set_priority(own, 8);
}

/// All places are free in the end.
fn resources(mortal: &Connection) {
    equal("the node goes on", tell(mortal, [order::SLOW, 1]), Ok(1));
    let _ = riposte::sleep(Duration::from_millis(1500));
    for name in ["rome", "paris"] {
        let mut manager = riposte::connect(name).unwrap();
        let _ = manager.reconnect();
        let state = riposte_node::state(&manager).unwrap();
        holds("nothing is left of any message", state.is_idle);
        riposte::println!("{name}: {state:?}");
    }
}
