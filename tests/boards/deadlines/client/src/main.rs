//! Tests time and deadlines from the client's side.
#![no_std]

use core::sync::atomic::{AtomicU32, Ordering};

use check::{equal, holds};
use riposte::{Connection, Deadline, Duration, Error, Event, Instant};

const LATE: u32 = 1;
const RESULT: u32 = 2;
const AWAY: u32 = 3;
const WHEN_TOLD: u32 = 4;

/// Microseconds that the second thread has slept.
static SLEPT: AtomicU32 = AtomicU32::new(0);

#[riposte::main]
fn main() {
    time();
    receiving();
    let server = riposte::connect("plain").unwrap();
    sending(&server);
    waiting_for_the_reply(&server);
    told(&server);
    check::done();
}

/// A deadline so many microseconds from now.
fn within(microseconds: u64) -> Deadline {
    Deadline::At(riposte::Instant::now() + Duration::from_micros(microseconds))
}

/// The microseconds that `work` takes, and what it gives.
fn timed<T>(work: impl FnOnce() -> T) -> (u64, T) {
    let begin = riposte::Instant::now();
    let result = work();
    ((riposte::Instant::now() - begin).as_micros() as u64, result)
}

fn time() {
    let mut last = riposte::Instant::now();
    let mut rising = true;
    for _ in 0..1000 {
        let now = riposte::Instant::now();
        rising &= now > last;
        last = now;
    }
    holds("22 time never goes back", rising);
    let mut exact = true;
    for microseconds in [1, 10, 100, 1000, 30_000, 400_000] {
        let (slept, _) = timed(|| riposte::sleep(Duration::from_micros(microseconds)).unwrap());
        exact &= (microseconds..microseconds + 50).contains(&slept);
    }
    holds("22 a sleep ends when it is to", exact);
    let (slept, _) = timed(|| riposte::sleep_until(Instant::from_nanos(5)).unwrap());
    holds("22 a sleep into the past ends at once", slept < 50);
    riposte::connect("second").unwrap().send_words([]).unwrap();
    riposte::sleep(Duration::from_millis(1)).unwrap();
    riposte::sleep(Duration::from_millis(5)).unwrap();
    let slept = SLEPT.load(Ordering::Relaxed);
    holds(
        "22 several threads sleep side by side",
        (2000..2100).contains(&slept),
    );
}

/// Sleeps when it is asked to, and says for how long.
#[riposte::thread]
fn second() -> ! {
    let asked = riposte::channel("second").unwrap();
    loop {
        if let Ok(Event::Message(message)) = asked.receive_words() {
            message.reply_words([]).unwrap();
            let (slept, _) = timed(|| riposte::sleep(Duration::from_millis(2)).unwrap());
            SLEPT.store(slept as u32, Ordering::Relaxed);
        }
    }
}

fn receiving() {
    let mine = riposte::channel("mine").unwrap();
    let (waited, received) = timed(|| mine.receive_until(&mut [], within(700)).map(|_| ()));
    equal(
        "23 a receive ends at its deadline",
        received,
        Err(Error::TimedOut),
    );
    holds(
        "23 a receive ends at its deadline, not before or much later",
        (700..760).contains(&waited),
    );
    let (waited, received) = timed(|| {
        mine.receive_until(&mut [], Deadline::At(Instant::from_nanos(1)))
            .map(|_| ())
    });
    holds(
        "23 a deadline that has passed ends a receive at once",
        received.is_err() && waited < 60,
    );
}

fn sending(server: &Connection) {
    server.send_words([AWAY, 3000]).unwrap();
    let (waited, sent) = timed(|| server.send_words_until([RESULT], within(900)).map(|_| ()));
    equal(
        "23 a send that nobody receives ends at its deadline",
        sent,
        Err(Error::TimedOut),
    );
    holds(
        "23 a send ends at its deadline, not before or much later",
        (900..960).contains(&waited),
    );
    // Nothing of it has remained in the queue: the next message is the next.
    let next = server.send_words([AWAY, 0]).map(|reply| reply.len);
    equal("23 a send that ended is not received later", next, Ok(0));
}

fn waiting_for_the_reply(server: &Connection) {
    let (waited, sent) = timed(|| {
        server
            .send_words_until([LATE, 3000], within(800))
            .map(|_| ())
    });
    equal(
        "23 a client that waits for the reply leaves at its deadline",
        sent,
        Err(Error::TimedOut),
    );
    holds(
        "23 it leaves at its deadline, not before or much later",
        (800..860).contains(&waited),
    );
    let result = server.send_words([RESULT]).unwrap().words[0];
    equal(
        "23 its token is stale afterwards",
        result,
        Error::NoSuchClient as u32,
    );
    let mut reply = [0; 24];
    let mut request = [0; 24];
    request[0] = LATE as u8;
    request[4..8].copy_from_slice(&3000_u32.to_le_bytes());
    let sent = server
        .send_until(&request, &mut reply, within(800))
        .map(|_| ());
    equal(
        "23 a client of a message in memory leaves at its deadline",
        sent,
        Err(Error::TimedOut),
    );
    let in_time = server
        .send_words_until([LATE, 300], within(2000))
        .map(|_| ());
    equal(
        "23 an answer before the deadline is an answer",
        in_time,
        Ok(()),
    );
    // The deadline of a call that is over touches nobody.
    riposte::sleep(Duration::from_millis(3)).unwrap();
    let later = server.send_words([LATE, 2000]).map(|_| ());
    equal(
        "23 the deadline of a call that is over touches nobody",
        later,
        Ok(()),
    );
}

fn told(server: &Connection) {
    server.send_words([WHEN_TOLD]).unwrap();
    let told = riposte::connect("told").unwrap();
    let (waited, sent) = timed(|| told.send_words_until([1], within(800)));
    equal(
        "23 a client stays until it is answered if the server asked for that",
        sent.map(|reply| reply.words[0]),
        Ok(7),
    );
    holds(
        "23 it stays past its deadline",
        (1300..1500).contains(&waited),
    );
    let result = server.send_words([RESULT]).unwrap().words[0];
    equal("23 the server is told, with the token", result, 1);
}
