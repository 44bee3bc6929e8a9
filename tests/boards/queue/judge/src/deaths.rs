//! Clients that die while they wait at a queue. Each has two threads, which say that they have begun: the
//! main one goes on to the queue, the other one ends the process as soon as it is answered.

use check::{equal, holds};
use riposte::{Deadline, Duration, Event, Token};
use riposte_queue::{Queue, QueueError};

use crate::takes;

/// Badges of the sender and the receiver.
const SENDER: u32 = 1;
const RECEIVER: u32 = 2;

/// The tokens of both processes' threads: main, then the other one.
type Begun = [[Option<Token>; 2]; 2];

/// A sender that dies takes its message along, a receiver that dies gets none.
pub fn deaths(narrow: &Queue<'_>) {
    let mut begun = listen();
    narrow.send(b"alive").unwrap();
    run(&mut begun, SENDER);
    holds(
        "a queue has what it had before a sender died",
        takes(narrow, b"alive"),
    );
    let found = narrow.try_receive(&mut [0; 64]);
    equal(
        "and not what the dead one wanted to send",
        found,
        Err(QueueError::TimedOut),
    );
    run(&mut begun, RECEIVER);
    equal("after a receiver died", narrow.send(b"kept"), Ok(()));
    holds("a message is not lost to the dead", takes(narrow, b"kept"));
}

/// Hears from all four threads.
fn listen() -> Begun {
    let begin = riposte::channel("begin").unwrap();
    let mut begun = Begun::default();
    for _ in 0..4 {
        let end = Deadline::At(riposte::Instant::now() + Duration::from_millis(50));
        if let Ok(Event::Message(message)) = begin.receive_until(&mut [], end) {
            let [thread, ..] = message.words();
            let process = message.badge() as usize - 1;
            begun[process][thread as usize] = Some(message.into_token());
        }
    }
    begun
}

/// Lets a process go to the queue and wait there, then ends it.
fn run(begun: &mut Begun, badge: u32) {
    for token in &mut begun[badge as usize - 1] {
        let answered = token.take().map(|token| token.reply_words([]));
        equal("a thread of the mortal has begun", answered, Some(Ok(())));
        riposte::sleep(Duration::from_millis(2)).unwrap();
    }
    let faults = riposte::channel("faults").unwrap();
    let end = Deadline::At(riposte::Instant::now() + Duration::from_millis(20));
    holds("it died", faults.receive_until(&mut [], end).is_ok());
}
