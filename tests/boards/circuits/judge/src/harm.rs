//! A wire that does harm.

use check::{equal, holds};
use riposte::{Connection, Duration, Instant, Text};
use riposte_log::{LONGEST, Reader};
use riposte_node::NodeError;

use crate::{order, tell};

/// Messages of each kind of harm.
const MESSAGES: u32 = 60;

/// What both nodes have counted: frames sent again, come again, and changed.
fn counted() -> [u32; 3] {
    let states = ["rome", "paris"].map(|name| {
        let mut manager = riposte::connect(name).unwrap();
        let _ = manager.reconnect();
        riposte_node::state(&manager).unwrap()
    });
    states.iter().fold([0; 3], |[again, replayed, forged], it| {
        [again + it.again, replayed + it.replayed, forged + it.forged]
    })
}

/// What the log has of frames that were changed: a line of each node when the first one came, and then one a minute at most.
fn logged(began: Instant) {
    let minutes = (Instant::now() - began).as_secs() / 60;
    let mut log = Reader::new(riposte::connect("log").unwrap());
    let mut lines = 0;
    let mut bytes = [0; LONGEST];
    while let Ok(Some(_)) = log.try_next(&mut Text::new(&mut bytes)) {
        lines += 1;
    }
    riposte::println!("{lines} lines in the log, in {minutes} minutes");
    holds("frames that fit no key are in the log", lines > 0);
    holds("a line of each node a minute", lines <= 2 * (minutes + 1));
}

pub fn wires(mortal: &Connection) {
    let began = Instant::now();
    let wire = riposte::connect("wire").unwrap();
    let harm = |words: [u32; 5]| {
        wire.send_words(words).unwrap();
    };
    let total = |mortal: &Connection| loop {
        // The question is asked again: it changes nothing.
        let reply = mortal.send_words([order::TOTAL]).unwrap();
        if NodeError::of(reply.status).is_none() {
            return [reply.words[0], reply.words[1]];
        }
    };
    let mut number = 0;
    for (seed, what, words) in [
        (1, "frames that are lost", [20, 0, 0, 0]),
        (2, "frames that come twice", [0, 50, 0, 0]),
        (3, "frames that overtake each other", [0, 20, 50, 0]),
        (4, "frames that are changed", [0, 0, 0, 20]),
        (5, "all of these", [15, 15, 15, 15]),
    ] {
        let [before, _] = total(mortal);
        let [a, b, c, d] = words;
        let counted_before = counted();
        harm([a, b, c, d, seed]);
        let mut answered = 0;
        for _ in 0..MESSAGES {
            number += 1;
            answered += u32::from(tell(mortal, [order::ADD, number]).is_ok());
        }
        harm([0, 0, 0, 0, 1]);
        let _ = riposte::sleep(Duration::from_millis(1100));
        let [after, doubled] = total(mortal);
        equal(what, doubled, 0);
        let served = after - before;
        let counted = counted();
        let [again, replayed, forged] = [0, 1, 2].map(|at| counted[at] - counted_before[at]);
        holds(
            "as is seen by what the nodes count",
            (a == 0 || again > 0) && (b == 0 || replayed > 0) && (d == 0 || forged > 0),
        );
        riposte::println!("sent again {again}, come again {replayed}, changed {forged}");
        riposte::println!("{what}: {answered} of {MESSAGES} answered, {served} served");
        holds("have each message served once at most", served <= MESSAGES);
        holds(
            "and most of them answered",
            answered >= MESSAGES * 3 / 4 && answered <= served,
        );
    }
    logged(began);
    harm([100, 0, 0, 0, 1]);
    let found = tell(mortal, [order::ADD, 2000]);
    equal(
        "a wire that is cut has the node gone",
        found,
        Err(NodeError::NodeGone),
    );
    harm([0, 0, 0, 0, 1]);
    equal(
        "and there when it is whole",
        tell(mortal, [order::SLOW, 2]),
        Ok(2),
    );
    equal(
        "a driver without frames is asked for some only when it has had something to say",
        wire.send_words([0, 0, 0, 0, 1]).unwrap().words[0],
        0,
    );
}
