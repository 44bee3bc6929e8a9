//! Sees clients and servers die.
#![no_std]

use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use check::{broken, equal, holds};
use riposte::{Connection, Deadline, Duration, Error, Event, Notice, Token};

const DIE: u32 = 1;
const END: u32 = 2;
/// The badge of the client that dies.
const MORTAL: u32 = 5;

/// Whether the second thread is to send.
static GO: AtomicBool = AtomicBool::new(false);
/// The error that the second thread got, or 0.
static ERROR: AtomicU32 = AtomicU32::new(0);

#[riposte::main]
fn main() {
    clients();
    servers();
    check::done();
}

fn within(milliseconds: u64) -> Deadline {
    Deadline::At(riposte::Instant::now() + Duration::from_millis(milliseconds))
}

/// A client dies while it waits for the reply, and in its second life before it is received.
fn clients() {
    let trap = riposte::channel("trap").unwrap();
    let mut buffer = [0; 10];
    let Ok(Event::Message(message)) = trap.receive_until(&mut buffer, within(20)) else {
        return broken(
            "25 a server learns of a client's death",
            "the client did not send",
        );
    };
    let (tag, generation) = message.into_token().into_parts();
    // SAFETY: nothing is lent to this process.
    let token = || unsafe { Token::from_parts(tag, generation) };
    equal(
        "7 the message of a client that waits can be read",
        token().read(50, &mut [0; 8]),
        Ok(8),
    );
    equal(
        "25 a server learns of a client's death, with the badge",
        notice(),
        Some(MORTAL),
    );
    equal(
        "24 a dead client's token is stale",
        token().reply(b"late"),
        Err(Error::NoSuchClient),
    );
    let read = token().read(0, &mut [0; 8]);
    equal(
        "24 a dead client's message can't be read",
        read,
        Err(Error::NoSuchClient),
    );
    // The second life ends before anybody receives.
    riposte::sleep(Duration::from_millis(10)).unwrap();
    equal(
        "25 a server learns of the death of a client that was queued",
        notice(),
        Some(MORTAL),
    );
    holds(
        "24 a dead client leaves the queue",
        matches!(trap.try_receive(&mut []), Err(Error::WouldBlock)),
    );
}

/// The badge of the client whose death the next notice tells.
fn notice() -> Option<u32> {
    let trap = riposte::channel("trap").unwrap();
    match trap.receive_until(&mut [], within(20)) {
        Ok(Event::Notice(Notice::ClientDied { badge, .. })) => Some(badge),
        _ => None,
    }
}

fn servers() {
    let mut server = riposte::connect("orders").unwrap();
    let old = Connection::from_handle(server.handle());
    equal("a server counts from one", count(&server), Ok(1));
    GO.store(true, Ordering::Relaxed);
    let died = server.send_words([DIE]).map(|_| ());
    equal(
        "24 a server's death wakes the client that waits for its reply",
        died,
        Err(Error::ServerDied),
    );
    riposte::sleep(Duration::from_millis(1)).unwrap();
    let second = ERROR.load(Ordering::Relaxed);
    equal(
        "24 a server's death wakes the clients that are queued",
        second,
        Error::ServerDied as u32,
    );
    let stale = count(&server);
    holds(
        "24 a connection to the dead server is stale",
        stale.is_err(),
    );
    equal(
        "24 a restarted server is found by its name",
        server.reconnect(),
        Ok(()),
    );
    equal("24 a restarted server begins anew", count(&server), Ok(1));
    let mut with_old_handle = Ok(0);
    for _ in 0..2 {
        with_old_handle = count(&old);
    }
    holds(
        "24 an old handle never finds the new server",
        with_old_handle.is_err(),
    );

    let mut reply = [0; 64];
    let died = server.send(&[END as u8, 0, 0, 0], &mut reply).map(|_| ());
    equal(
        "24 a server that ends wakes its client too",
        died,
        Err(Error::ServerDied),
    );
    equal(
        "24 a server that ended is not restarted unless the manifest says so",
        server.reconnect(),
        Err(Error::ServerDied),
    );
}

fn count(server: &Connection) -> Result<u32, Error> {
    server.send_words([0]).map(|reply| reply.words[0])
}

/// Sends while the server is busy with another client.
#[riposte::thread]
fn second() -> ! {
    loop {
        if GO.load(Ordering::Relaxed) {
            GO.store(false, Ordering::Relaxed);
            riposte::sleep(Duration::from_micros(300)).unwrap();
            let sent = riposte::connect("orders").map(|server| count(&server));
            if let Ok(Err(error)) = sent {
                ERROR.store(error as u32, Ordering::Relaxed);
            }
        }
        riposte::sleep(Duration::from_micros(50)).unwrap();
    }
}
