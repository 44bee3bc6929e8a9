//! Uses queues, alone and with others that wait and die.
#![no_std]

mod deaths;

use check::{equal, holds};
use riposte::{Deadline, Duration, Status};
use riposte_queue::{Queue, QueueError, Queues};

#[riposte::main]
fn main() {
    let queues = Queues::connect("queues").unwrap();
    shapes(&queues);
    order(&queues);
    waiting(&queues);
    others(&queues);
    deaths::deaths(&queues.open("narrow").unwrap());
    check::done();
}

fn shapes(queues: &Queues) {
    let orders = queues.open("orders").map(|it| (it.capacity(), it.size()));
    equal("a queue of the manifest is as it says", orders, Ok((8, 32)));
    let found = queues.open("nothing").map(drop);
    equal(
        "an unknown queue is refused",
        found,
        Err(QueueError::NoSuchQueue),
    );
    let found = queues.open("a-name-that-is-too-long").map(drop);
    equal("so is a bad name", found, Err(QueueError::NoSuchQueue));
    let made = queues
        .create("own", 3, 16)
        .map(|it| (it.capacity(), it.size()));
    equal("a client makes a queue", made, Ok((3, 16)));
    let again = queues.create("own", 3, 16).map(drop);
    equal("the same again is the same queue", again, Ok(()));
    let other = queues.create("own", 4, 16).map(drop);
    equal(
        "but not with another shape",
        other,
        Err(QueueError::Differs),
    );
    let empty = queues.create("empty", 0, 16).map(drop);
    equal(
        "a queue of nothing is refused",
        empty,
        Err(QueueError::BadRequest),
    );
    let large = queues.create("large", 100, 512).map(drop);
    equal(
        "a queue too large is refused",
        large,
        Err(QueueError::NoRoom),
    );
    equal(
        "what was refused does not count",
        queues.create("second", 1, 1).map(drop),
        Ok(()),
    );
    let third = queues.create("third", 1, 1).map(drop);
    equal(
        "there are no more than `create` says",
        third,
        Err(QueueError::NoRoom),
    );
    let raw = riposte::connect("queues").unwrap();
    let answer = raw.send(&[9; 3], &mut []).map(|reply| reply.status);
    equal("what makes no sense is refused", answer, Ok(Status(7)));
}

fn order(queues: &Queues) {
    let own = queues.open("own").unwrap();
    for (level, message) in [(0, "first"), (2, "urgent"), (0, "")] {
        let sent = own.send_at_until(level, message.as_bytes(), Deadline::None);
        equal("a message is put in", sent, Ok(()));
    }
    equal(
        "no more than it holds",
        own.try_send(b"more"),
        Err(QueueError::TimedOut),
    );
    for message in ["urgent", "first", ""] {
        holds(
            "messages come in order, the urgent ones first",
            takes(&own, message.as_bytes()),
        );
    }
    let found = own.try_receive(&mut [0; 16]);
    equal("an empty queue has none", found, Err(QueueError::TimedOut));
    equal(
        "a longer message is refused",
        own.send(&[0; 17]),
        Err(QueueError::TooLong),
    );
    let short = own.receive(&mut [0; 15]);
    equal("so is a shorter buffer", short, Err(QueueError::TooShort));
    equal(
        "so is a level above 3",
        own.send_at_until(4, b"", Deadline::None),
        Err(QueueError::BadRequest),
    );
}

/// Whether the message that comes first is this one.
fn takes(queue: &Queue<'_>, message: &[u8]) -> bool {
    let mut buffer = [0; 64];
    let length = queue.receive_until(&mut buffer, soon());
    length == Ok(message.len()) && buffer[..message.len()] == *message
}

fn soon() -> Deadline {
    Deadline::At(riposte::Instant::now() + Duration::from_millis(20))
}

fn shortly() -> Deadline {
    Deadline::At(riposte::Instant::now() + Duration::from_millis(1))
}

/// Deadlines of who waits alone.
fn waiting(queues: &Queues) {
    let second = queues.open("second").unwrap();
    let found = second.receive_until(&mut [0; 1], shortly());
    equal(
        "who waits for a message leaves at its deadline",
        found,
        Err(QueueError::TimedOut),
    );
    equal("a message after that stays", second.send(b"1"), Ok(()));
    equal(
        "who waits for room leaves at its deadline",
        second.send_until(b"2", shortly()),
        Err(QueueError::TimedOut),
    );
    holds("the queue has what it had", takes(&second, b"1"));
    let found = second.try_receive(&mut [0; 1]);
    equal(
        "and not what left with its sender",
        found,
        Err(QueueError::TimedOut),
    );
}

/// With a process that waits.
fn others(queues: &Queues) {
    let [orders, answers, narrow] =
        ["orders", "answers", "narrow"].map(|name| queues.open(name).unwrap());
    orders.send(b"ehello").unwrap();
    holds(
        "one waits for a message and gets it",
        takes(&answers, b"hello"),
    );
    orders.send(b"s").unwrap();
    for length in [1, 12, 13, 40, 64] {
        // The sender waits with the next one meanwhile.
        riposte::sleep(Duration::from_millis(1)).unwrap();
        let message = [length; 64];
        holds(
            "one waits for room and gets it",
            takes(&narrow, &message[..length.into()]),
        );
    }
    orders.send(b"w").unwrap();
    holds("another one's deadline passes", takes(&answers, &[1]));
    equal("nobody waits any more", narrow.send(b"kept"), Ok(()));
    holds("and nothing is lost", takes(&narrow, b"kept"));
}
