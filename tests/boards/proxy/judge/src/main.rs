//! Tests proxies, notification bits and timers.
#![no_std]

mod across;
mod own;
mod timers;

use riposte::{Channel, Deadline, Duration, Error, Event, Instant, Notice, ProxyId};

#[riposte::main]
fn main() {
    own::proxies();
    own::limits();
    timers::once();
    timers::periodic();
    timers::bits();
    across::triggers();
    across::bits();
    across::death();
    check::done();
}

/// The channel of this process.
fn mine() -> Channel {
    riposte::channel("mine").unwrap()
}

/// What is received within some milliseconds, if it is a proxy: which one.
fn next_proxy() -> Option<ProxyId> {
    let mut buffer = [0; 4];
    let within = Deadline::At(riposte::Instant::now() + Duration::from_millis(20));
    match mine().receive_until(&mut buffer, within) {
        Ok(Event::Notice(Notice::Proxy { proxy, .. })) => Some(proxy),
        _ => None,
    }
}

/// Whether nothing waits to be received.
fn is_quiet() -> bool {
    matches!(mine().try_receive(&mut []), Err(Error::WouldBlock))
}

/// The moment so many microseconds from now.
fn moment(microseconds: u64) -> Instant {
    riposte::Instant::now() + Duration::from_micros(microseconds)
}
