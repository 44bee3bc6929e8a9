//! Who waits for whom: rules 1, 2, 6 and 9.

use check::{equal, holds};
use riposte::abi::Error;
use riposte::{Connection, Deadline};

pub fn all() {
    let orders = riposte::connect("orders").unwrap();
    // The server sleeps before it receives again: the send comes first.
    orders.send(b"z", &mut []).unwrap();
    let before = riposte::Instant::now();
    let mut reply = [0; 30];
    let echoed = orders.send(b"e first", &mut reply).unwrap();
    let waited = riposte::Instant::now() - before;
    equal(
        "1 a send before the receive is answered like one after it",
        &reply[..echoed.len],
        b"e first",
    );
    holds(
        "1 a send before the receive waits for it",
        waited.as_micros() > 1000,
    );
    orders.send(b"z", &mut []).unwrap();
    let refused = orders.send_until(b"e", &mut [], Deadline::Immediate);
    equal(
        "23 a send that is not to block says so if no server waits",
        refused.map(|_| ()),
        Err(Error::WouldBlock),
    );

    let idle = riposte::channel("idle").unwrap();
    holds(
        "2 try_receive returns at once when nothing is queued",
        matches!(idle.try_receive(&mut []), Err(Error::WouldBlock)),
    );

    let helped = orders.send(b"h", &mut reply).unwrap();
    equal(
        "6 any thread of the receiving process may reply",
        &reply[..helped.len],
        b"helped",
    );
    equal(
        "6 any thread of the receiving process may reply (the server's view)",
        ask(&orders),
        1,
    );

    orders.send(b"o", &mut []).unwrap();
    let other = riposte::connect("other-orders").unwrap();
    let badge = other.send_words([0]).unwrap().words[0];
    equal(
        "9 a selective receive takes the named connection",
        badge,
        18,
    );
    equal(
        "9 a selective receive of a peer that is not there is an error",
        ask(&orders),
        1,
    );
}

/// What the server found out about the last order.
pub fn ask(orders: &Connection) -> u32 {
    orders.send_words([u32::from(b'?')]).unwrap().words[0]
}
