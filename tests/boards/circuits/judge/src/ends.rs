//! Deadlines that pass, and ends of everybody.

use core::sync::atomic::{AtomicU32, Ordering};

use check::{equal, holds};
use riposte::signal::{self, Signal};
use riposte::sync::OnceCell;
use riposte::thread::{self, Settings};
use riposte::{Connection, Deadline, Duration, Error, Instant, ThreadId};
use riposte_names::Names;
use riposte_node::NodeError;

use crate::{find, order, tell};

/// What is to be restarted shortly: 1 rome, 2 paris.
static BREAKS: AtomicU32 = AtomicU32::new(0);

/// How many clients the server was told wait no more, and how many still wait.
fn unblocked(mortal: &Connection) -> [u32; 2] {
    let reply = mortal.send_words([order::UNBLOCKED]).unwrap();
    [reply.words[0], reply.words[1]]
}

pub fn deadline(mortal: &Connection) {
    let before = unblocked(mortal);
    equal("nobody waits there", before, [0, 0]);
    let begin = Instant::now();
    let deadline = Deadline::At(begin + Duration::from_millis(100));
    let reply = mortal.send_words_until([order::WAIT], deadline).unwrap();
    let took = begin.elapsed();
    equal(
        "a client's deadline is kept",
        NodeError::of(reply.status),
        Some(NodeError::TimedOut),
    );
    holds(
        "to the millisecond",
        took >= Duration::from_millis(100) && took < Duration::from_millis(110),
    );
    let _ = riposte::sleep(Duration::from_millis(20));
    equal("and told to the server", unblocked(mortal), [1, 0]);
    let begin = Instant::now();
    equal(
        "without one, the manifest's ends it",
        tell(mortal, [order::WAIT, 0]),
        Err(NodeError::TimedOut),
    );
    let took = begin.elapsed();
    holds(
        "when it is over",
        took >= Duration::from_millis(1000) && took < Duration::from_millis(1050),
    );
    let _ = riposte::sleep(Duration::from_millis(20));
    equal("and told to the server, too", unblocked(mortal), [2, 0]);
}

static MAIN: OnceCell<ThreadId> = OnceCell::new();
/// The main thread's signals that it has handled.
static HANDLED: AtomicU32 = AtomicU32::new(0);

fn interrupt_main(_: usize) -> u32 {
    let _ = riposte::sleep(Duration::from_millis(50));
    let main = MAIN.get().copied();
    let _ = main.map(|main| signal::raise_in(main, Signal::USER_1, 0));
    0
}

pub fn interrupted(names: &Names, mortal: &Connection) {
    fn note(_: Signal, _: u32) {
        HANDLED.fetch_add(1, Ordering::Relaxed);
    }
    let _ = MAIN.get_or_init(riposte::current_thread);
    // SAFETY: it touches nothing but an atomic.
    unsafe { signal::handle(Signal::USER_1, note) }.unwrap();
    let nowhere = find(names, "//new-york/echo");
    let [before, _] = unblocked(mortal);
    for (handled, to, what) in [
        (1, mortal, "a signal ends a wait for another node"),
        (2, &nowhere, "and for one that is not there"),
    ] {
        let begin = Instant::now();
        let sender = thread::spawn(interrupt_main, 0, Settings::new(14)).unwrap();
        equal(
            what,
            tell(to, [order::WAIT, 0]),
            Err(NodeError::Interrupted),
        );
        equal(
            "after its handler",
            HANDLED.load(Ordering::Relaxed),
            handled,
        );
        holds("at once", begin.elapsed() < Duration::from_millis(60));
        let _ = sender.join();
    }
    let _ = nowhere.close();
    let _ = riposte::sleep(Duration::from_millis(20));
    equal(
        "and is told to the server",
        unblocked(mortal),
        [before + 1, 0],
    );
}

pub fn client(mortal: &Connection) {
    let leaver = riposte::process("leaver").unwrap();
    // It has waited since the beginning, and given up by the manifest's deadline: now it begins anew.
    leaver.restart();
    let _ = riposte::sleep(Duration::from_millis(100));
    equal(
        "a process with as many messages on the way as may be leaves another one its share",
        tell(mortal, [order::SLOW, 2]),
        Ok(2),
    );
    let _ = riposte::sleep(Duration::from_millis(20));
    let [before, waits] = unblocked(mortal);
    equal("a client waits", waits, 1);
    leaver.stop();
    let _ = riposte::sleep(Duration::from_millis(100));
    equal(
        "its end is told to the server",
        unblocked(mortal),
        [before + 1, 0],
    );
}

pub fn server(mortal: &Connection) {
    equal(
        "a server that dies is told of",
        tell(mortal, [order::DIE, 0]),
        Err(NodeError::ServerDied),
    );
    let _ = riposte::sleep(Duration::from_millis(50));
    equal(
        "its next life is found",
        tell(mortal, [order::SLOW, 3]),
        Ok(3),
    );
}

pub fn names(names: &mut Names, mortal: &Connection) {
    riposte::process("names").unwrap().restart();
    let _ = riposte::sleep(Duration::from_millis(50));
    equal(
        "circuits do not end with the names server",
        tell(mortal, [order::SLOW, 4]),
        Ok(4),
    );
    names.reconnect().unwrap();
    let again = find(names, "//paris/mortal");
    equal(
        "and are registered in its next life",
        tell(&again, [order::SLOW, 5]),
        Ok(5),
    );
    let _ = again.close();
}

fn restart_shortly(_: usize) -> u32 {
    let _ = riposte::sleep(Duration::from_millis(50));
    let name = if BREAKS.load(Ordering::Relaxed) == 1 {
        "rome"
    } else {
        "paris"
    };
    riposte::process(name).unwrap().restart();
    0
}

fn breaks(node: u32) -> thread::JoinHandle {
    BREAKS.store(node, Ordering::Relaxed);
    thread::spawn(restart_shortly, 0, Settings::new(14)).unwrap()
}

pub fn far_node(mortal: &Connection) {
    let breaker = breaks(2);
    let begin = Instant::now();
    let found = tell(mortal, [order::WAIT, 0]);
    equal(
        "a node that begins anew in the middle is gone",
        found,
        Err(NodeError::NodeGone),
    );
    holds(
        "before the deadline",
        begin.elapsed() < Duration::from_millis(900),
    );
    let _ = breaker.join();
    equal("and there again", tell(mortal, [order::SLOW, 6]), Ok(6));
    let [_, waits] = unblocked(mortal);
    equal("its server waits for nobody", waits, 0);
}

pub fn own_node(names: &Names, mortal: Connection) -> Connection {
    let breaker = breaks(1);
    let found = mortal.send_words([order::WAIT]);
    equal(
        "the end of the own node manager is a server's",
        found,
        Err(Error::ServerDied),
    );
    let _ = breaker.join();
    let _ = mortal.close();
    let again = find(names, "//paris/mortal");
    equal(
        "its next life is found by its names",
        tell(&again, [order::SLOW, 7]),
        Ok(7),
    );
    let _ = riposte::sleep(Duration::from_millis(100));
    let [_, waits] = unblocked(&again);
    equal("and what the last one had begun has ended there", waits, 0);
    again
}
