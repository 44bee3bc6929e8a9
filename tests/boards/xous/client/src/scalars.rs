//! Messages of words.

use check::{equal, holds};
use num_traits::ToPrimitive;
use test_xous_api::Opcode;
use xous::{CID, Error, Message, Result, send_message, try_send_message};

fn ask(server: CID, opcode: Opcode, args: [usize; 4]) -> core::result::Result<Result, Error> {
    let [a, b, c, d] = args;
    let id = opcode.to_usize().unwrap();
    send_message(server, Message::new_blocking_scalar(id, a, b, c, d))
}

fn note(number: usize) -> Message {
    Message::new_scalar(Opcode::Note.to_usize().unwrap(), number, 0, 0, 0)
}

/// How many numbers came, and whether they were a row.
pub fn noted(server: CID) -> core::result::Result<Result, Error> {
    ask(server, Opcode::Noted, [0; 4])
}

/// Words there and back; often enough for each way in which the server receives.
pub fn blocking(server: CID) {
    let mut right = [true; 3];
    for turn in 0..20 {
        let args = [turn, 2, 30, 400];
        right[0] &= ask(server, Opcode::One, args) == Ok(Result::Scalar1(turn + 432));
        right[1] &= ask(server, Opcode::Two, args) == Ok(Result::Scalar2(turn + 2, 430));
        let five = Opcode::Five.to_usize().unwrap() + 1;
        let expected = Result::Scalar5(five, turn + 1, 3, 31, 401);
        right[2] &= ask(server, Opcode::Five, args) == Ok(expected);
    }
    holds("a blocking scalar is answered with one word", right[0]);
    holds("a blocking scalar is answered with two words", right[1]);
    holds("a blocking scalar is answered with five words", right[2]);
}

/// Words that nobody waits to see answered.
pub fn queued(server: CID) {
    let sent = (0..10).map(|number| send_message(server, note(number)));
    holds(
        "a scalar does not wait for a server that is busy",
        sent.into_iter().all(|result| result == Ok(Result::Ok)),
    );
    equal(
        "scalars come in the order in which they were sent, before a later blocking one",
        noted(server),
        Ok(Result::Scalar2(10, 1)),
    );
    let mut right = true;
    for number in 0..100 {
        right &= send_message(server, note(number)) == Ok(Result::Ok);
        if number % 7 == 0 {
            right &= ask(server, Opcode::One, [1, 2, 3, 4]) == Ok(Result::Scalar1(10));
        }
    }
    holds("scalars and blocking scalars mix", right);
    equal(
        "none is lost among blocking ones",
        noted(server),
        Ok(Result::Scalar2(100, 1)),
    );
}

/// Words behind one for which the server answers a message that it has kept.
pub fn kept(patient: CID) {
    let right = match ask(patient, Opcode::Several, [0; 4]) {
        Ok(Result::Scalar5(answered, in_order, theirs, ..)) => [answered, in_order, theirs],
        _ => [0; 3],
    };
    holds(
        "a scalar that is queued while a kept message is answered waits for no other message",
        right[0] == 1,
    );
    holds("it comes before a later blocking one", right[1] == 1);
    holds(
        "a kept message is answered with what the server leaves in it",
        right[2] == 1,
    );
}

/// More words than the queue holds.
pub fn full(server: CID) {
    let mut held = 0;
    while try_send_message(server, note(held)) == Ok(Result::Ok) {
        held += 1;
    }
    equal("a queue holds 32 messages", held, 32);
    equal(
        "a full queue is reported",
        try_send_message(server, note(held)),
        Err(Error::ServerQueueFull),
    );
    equal(
        "a sender that is patient waits for room",
        send_message(server, note(held)),
        Ok(Result::Ok),
    );
    for number in held + 1..held + 80 {
        send_message(server, note(number)).unwrap();
    }
    equal(
        "nothing is lost or out of order when senders wait for room",
        noted(server),
        Ok(Result::Scalar2(held + 80, 1)),
    );
}

/// A server without a courier takes blocking messages only.
pub fn without_courier(server: CID) {
    equal(
        "a scalar to a server without a courier is refused",
        send_message(server, note(0)),
        Err(Error::AccessDenied),
    );
}
