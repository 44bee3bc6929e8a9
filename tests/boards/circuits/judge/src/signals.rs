//! Signals to a process of the other node.

use check::equal;
use riposte::signal::Signal;
use riposte::{Connection, Deadline, Duration};
use riposte_names::Names;
use riposte_node::{NodeError, SignalError, send_signal};

use crate::{find, order, tell};

/// How many have come there, and the sum of their words.
fn came(mortal: &Connection) -> [u32; 2] {
    let _ = riposte::sleep(Duration::from_millis(30));
    let reply = mortal.send_words([order::SIGNALS]).unwrap();
    [reply.words[0], reply.words[1]]
}

pub fn all(names: &Names, mortal: &Connection) {
    let server = find(names, "//paris/signal/server");
    let queued = Signal::queued(3).unwrap();
    let send = |signal, word| send_signal(&server, signal, word, Deadline::None);
    let [before, words] = came(mortal);
    equal(
        "a signal goes to a process of another node",
        send(Signal::USER_1, 0),
        Ok(()),
    );
    equal("with a word, too", send(queued, 70), Ok(()));
    equal(
        "and comes there once",
        came(mortal),
        [before + 2, words + 70],
    );
    let _ = tell(mortal, [order::BUSY, 1]);
    let _ = riposte::sleep(Duration::from_millis(20));
    let sent = [1, 2, 3].map(|word| send(queued, word));
    equal(
        "as many wait there as may, and no more",
        sent,
        [Ok(()), Ok(()), Err(SignalError::Full)],
    );
    let _ = tell(mortal, [order::BUSY, 0]);
    equal("and come later", came(mortal), [before + 4, words + 73]);
    let other = find(names, "//paris/signal/wire");
    equal(
        "a process that the other node's manager may not signal is not exported",
        send_signal(&other, Signal::USER_1, 0, Deadline::None),
        Err(SignalError::Node(NodeError::NotExported)),
    );
    equal(
        "nor is anything else a process",
        send_signal(mortal, Signal::queued(8).unwrap(), 0, Deadline::None),
        Err(SignalError::NotSignals),
    );
    for words in [&[][..], &[64, 0], &[0, 0], &[10, 0, 0]] {
        let bytes =
            [0, 1, 2].map(|at: usize| words.get(at).copied().unwrap_or(0_u32).to_le_bytes());
        let reply = server
            .send(&bytes.as_flattened()[..4 * words.len()], &mut [])
            .unwrap();
        let expected = riposte_node::protocol::signal_status::NO_SIGNAL;
        equal("what is no signal is refused", reply.status, expected);
    }
    equal(
        "and none of it has come",
        came(mortal),
        [before + 4, words + 73],
    );
    let _ = server.close();
    let _ = other.close();
    in_c(mortal);
}

fn in_c(mortal: &Connection) {
    let [before, words] = came(mortal);
    let caller = riposte::connect("caller").unwrap();
    equal(
        "a program in C sends them, and learns what became of each",
        caller.send_words([]).unwrap().words[0],
        0b11111,
    );
    equal(
        "and they come there",
        came(mortal),
        [before + 2, words + 70],
    );
}
