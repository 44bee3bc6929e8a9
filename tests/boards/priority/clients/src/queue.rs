//! Rule 11: queues are in priority order, first in first out within a priority; a channel may
//! ask for arrival order.

use check::equal;

use crate::phase::{LINED_UP, SORTED, open, wait};

/// The server's order to collect.
const COLLECT: u32 = 1;
/// Microseconds that the server is away: all clients have sent by then.
const AWAY: u32 = 5000;

pub fn judge() {
    // The clients come in the order of their numbers. 1 is the least urgent, 3 the most.
    let server = riposte::connect("sorted").unwrap();
    open(SORTED);
    let order = server.send_words([COLLECT, AWAY, 0]).unwrap().words[0];
    equal(
        "11 queues are in priority order, first in first out within one",
        order,
        3241,
    );
    open(LINED_UP);
    let order = server.send_words([COLLECT, AWAY, 1]).unwrap().words[0];
    equal("11 a channel may ask for arrival order", order, 1234);
}

/// Sends as client `number`, in its turn.
pub fn client(number: u32) {
    for (phase, channel) in [(SORTED, "sorted"), (LINED_UP, "lined-up")] {
        let server = riposte::connect(channel).unwrap();
        wait(phase, u64::from(number) * 300);
        server.send_words([0, number]).unwrap();
    }
}
