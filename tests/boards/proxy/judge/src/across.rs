//! Proxies and notification bits of another process, which is more urgent, and its death.

use check::{equal, holds};
use riposte::{Connection, Duration, Error};

use super::{is_quiet, next_proxy};

const COUNT: u32 = 1;
const GIVE: u32 = 2;
const PULSE: u32 = 3;
const DIE: u32 = 4;

fn owner() -> Connection {
    riposte::connect("orders").unwrap()
}

/// What the owner has counted: ticks, times of the proxy that it has given, bits, and strange things.
fn counts() -> Option<[u32; 4]> {
    let reply = owner().send_words([COUNT]).ok()?;
    let [ticks, given, bits, strange, _] = reply.words;
    Some([ticks, given, bits, strange])
}

pub fn triggers() {
    let tick = riposte::proxy("tick").unwrap();
    for _ in 0..3 {
        tick.trigger().unwrap();
    }
    equal(
        "18 a proxy of the manifest is triggered by who may",
        counts(),
        Some([3, 0, 0, 0]),
    );
    let (reply, given) = owner().send_for_proxy([GIVE]).unwrap();
    let given = given.unwrap();
    equal(
        "18 a reply brings a proxy",
        reply.words[..4] == [1, 2, 3, 4],
        true,
    );
    given.trigger().unwrap();
    given.trigger().unwrap();
    equal(
        "18 a proxy that a reply has brought is triggered",
        counts(),
        Some([3, 2, 0, 0]),
    );
    let again = riposte::Proxy::from_handle(given.handle());
    given.close().unwrap();
    equal(
        "18 a proxy that was closed is none",
        again.trigger(),
        Err(Error::BadHandle),
    );
    let send = Connection::from_handle(tick.handle());
    equal(
        "18 a proxy is no connection",
        send.send_words([]).map(drop),
        Err(Error::BadHandle),
    );
}

pub fn bits() {
    owner().notify(4).unwrap();
    owner().notify(1).unwrap();
    equal(
        "19 bits are set through a connection that allows it",
        counts(),
        Some([3, 2, 5, 0]),
    );
    equal(
        "19 a connection that does not allow it sets no bits",
        riposte::connect("console").unwrap().notify(1),
        Err(Error::NotPermitted),
    );
    equal(
        "19 at least one bit is set",
        owner().notify(0),
        Err(Error::BadArgument),
    );
}

pub fn death() {
    let mut tick = riposte::proxy("tick").unwrap();
    let (_, given) = owner().send_for_proxy([GIVE]).unwrap();
    let given = given.unwrap();
    owner().send_words([PULSE]).unwrap();
    holds(
        "22 a timer triggers another process's proxy",
        next_proxy().is_some(),
    );
    owner().send_words([DIE]).unwrap();
    tick.trigger().unwrap();
    given.trigger().unwrap();
    riposte::sleep(Duration::from_millis(6)).unwrap();
    equal(
        "24 a proxy dies with its owner",
        tick.trigger(),
        Err(Error::ServerDied),
    );
    equal(
        "24 so does one that it has handed over",
        given.trigger(),
        Err(Error::ServerDied),
    );
    equal(
        "24 a proxy of the manifest is opened again",
        tick.reconnect(),
        Ok(()),
    );
    tick.trigger().unwrap();
    equal(
        "24 uncollected triggers die with their owner",
        fresh(),
        Some([1, 0, 0, 0]),
    );
    equal(
        "24 a proxy that was handed over is not the next life's",
        given.trigger(),
        Err(Error::ServerDied),
    );
    equal("24 a broken proxy is closed", given.close(), Ok(()));
    while next_without_waiting() {}
    riposte::sleep(Duration::from_millis(2)).unwrap();
    holds("24 a timer dies with its process", is_quiet());
}

/// What the owner has counted in its new life.
fn fresh() -> Option<[u32; 4]> {
    let mut orders = owner();
    if orders.send_words([COUNT]).is_err() {
        orders.reconnect().ok()?;
    }
    counts()
}

fn next_without_waiting() -> bool {
    super::mine().try_receive(&mut []).is_ok()
}
