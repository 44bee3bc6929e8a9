//! Proxies of this process itself.

use check::{equal, holds};
use riposte::{Deadline, Error, Event, Notice, PartMut, Proxy};

use super::{is_quiet, mine, next_proxy};

/// The longest message.
fn longest() -> [u8; 100] {
    core::array::from_fn(|index| index as u8 ^ 0x5A)
}

pub fn proxies() {
    let (short, long) = (
        Proxy::new(&mine(), b"").unwrap(),
        Proxy::new(&mine(), &longest()).unwrap(),
    );
    for proxy in [&short, &long, &long] {
        proxy.trigger().unwrap();
    }
    let order = [(); 3].map(|()| next_proxy());
    holds("18 each trigger is received once", is_quiet());
    let all = [Some(short.id()), Some(long.id()), Some(long.id())];
    equal("18 a server is told which proxy it is", order, all);
    messages(&long);
    equal(
        "18 a proxy of the process itself is not closed",
        Proxy::from_handle(long.handle()).close(),
        Err(Error::NotPermitted),
    );
    short.destroy().unwrap();
    long.trigger().unwrap();
    long.destroy().unwrap();
    holds("18 what a destroyed proxy has counted is gone", is_quiet());
}

fn messages(long: &Proxy) {
    let mut buffer = [0; 120];
    long.trigger().unwrap();
    match mine().receive(&mut buffer) {
        Ok(Event::Notice(Notice::Proxy { bytes, offered, .. })) => {
            equal(
                "18 a proxy brings its message",
                (bytes, offered),
                (&longest()[..], 100),
            );
        }
        _ => check::broken("18 a proxy brings its message", "no proxy"),
    }
    long.trigger().unwrap();
    match mine().receive(&mut buffer[..7]) {
        Ok(Event::Notice(Notice::Proxy { bytes, offered, .. })) => {
            let expected = (&longest()[..7], 100);
            equal(
                "18 of a message as much comes as fits",
                (bytes, offered),
                expected,
            );
        }
        _ => check::broken("18 of a message as much comes as fits", "no proxy"),
    }
    let (mut first, mut second) = ([0; 60], [0; 60]);
    long.trigger().unwrap();
    let mut parts = [PartMut::new(&mut first), PartMut::new(&mut second)];
    let received = mine().receive_vector_until(&mut parts, Deadline::Immediate);
    let whole = matches!(
        received,
        Ok(Event::Notice(Notice::Proxy { accepted: 100, .. }))
    );
    let same =
        first == longest()[..60] && second[..40] == longest()[60..] && second[40..] == [0; 20];
    holds("18 a message is scattered", whole && same);
}

pub fn limits() {
    equal(
        "18 a message has at most 100 bytes",
        Proxy::new(&mine(), &[0; 101]).map(drop),
        Err(Error::BadArgument),
    );
    let two = [(); 2].map(|()| Proxy::new(&mine(), b"").unwrap());
    equal(
        "18 a process has as many proxies as the manifest says",
        Proxy::new(&mine(), b"").map(drop),
        Err(Error::Exhausted),
    );
    let old = two
        .each_ref()
        .map(|proxy| Proxy::from_handle(proxy.handle()));
    for proxy in two {
        proxy.destroy().unwrap();
    }
    let new = Proxy::new(&mine(), b"").unwrap();
    let refused = old.iter().all(|old| old.trigger() == Err(Error::BadHandle));
    holds(
        "18 a destroyed proxy is not the next one in its place",
        refused && is_quiet(),
    );
    new.destroy().unwrap();
}
