//! Registers and finds names, alone and with others that end.
#![no_std]

mod ends;
mod refusals;

use core::sync::atomic::{AtomicBool, Ordering};

use check::{equal, holds};
use riposte::{Connection, Deadline, Duration, Error, Event, Instant};
use riposte_names::{Changes, Found, NameError, Names};

/// The names server is to be restarted.
static BREAK: AtomicBool = AtomicBool::new(false);

#[riposte::main]
fn main() {
    let mut names = Names::connect().unwrap();
    // The keeper's names come when it begins, and change nothing later.
    for name in ["/dev/thing", "/ram"] {
        let _ = covered(names.locate_until(name, Deadline::None));
    }
    own(&names);
    lists(&names);
    prefixes(&names);
    badges(&names);
    waiting(&names);
    refusals::quotas(&names);
    refusals::handles(&names);
    refusals::refusals(&names);
    ends::owner(&names);
    ends::taken(&names);
    ends::waiter(&names);
    ends::restart(&mut names);
    check::done();
}

#[riposte::thread]
fn echo() -> ! {
    let channel = riposte::channel("second").unwrap();
    let error = channel.serve(&mut [], |event| match event {
        Event::Message(message) => message.answer_words([2]),
        Event::Notice(_) => riposte::Answer::later(),
    });
    panic!("the second channel: {error}");
}

#[riposte::thread]
fn breaker() -> ! {
    loop {
        let _ = riposte::sleep(Duration::from_millis(1));
        if BREAK.load(Ordering::Relaxed) {
            BREAK.store(false, Ordering::Relaxed);
            riposte::process("names").unwrap().restart();
        }
    }
}

pub(crate) fn break_names() {
    BREAK.store(true, Ordering::Relaxed);
}

pub(crate) fn shortly() -> Deadline {
    Deadline::At(Instant::now() + Duration::from_millis(1))
}

/// What was found, to be compared: how many bytes of the path are the name.
pub(crate) fn covered(found: Result<Found, NameError>) -> Result<usize, NameError> {
    found.map(|found| {
        let _ = found.connection.close();
        found.covered
    })
}

/// The answer to an order, of one word.
pub(crate) fn order(to: &Connection, words: [u32; 2]) -> u32 {
    to.send_words(words).unwrap().words[0]
}

/// The keeper, however often it has been restarted.
pub(crate) fn keeper(names: &Names) -> Connection {
    names
        .locate_until("/ram", Deadline::None)
        .unwrap()
        .connection
}

fn own(names: &Names) {
    let none = Err(NameError::NoSuchName);
    let [first, second] = ["first", "second"].map(|name| riposte::channel(name).unwrap());
    equal(
        "what nobody has registered is not there",
        covered(names.locate("/own/a")),
        none,
    );
    equal(
        "a name is registered",
        names.register("/own/a", first),
        Ok(()),
    );
    let found = names
        .locate("/own/a")
        .map(|found| (found.covered, found.owner));
    let badge = riposte::abi::process_badge(riposte::process_index() as u8);
    equal("and found, with whose it is", found, Ok((6, badge)));
    let found = names
        .locate_until("/ram", Deadline::None)
        .map(|found| found.owner);
    let keeper = riposte::abi::process_badge(3);
    equal("as another process's is", found, Ok(keeper));
    equal(
        "each for its channel",
        names.register("/own/b", second),
        Ok(()),
    );
    let found = names.locate("/own/b").unwrap().connection;
    let answer = found.send_words([]).map(|answer| answer.words[0]);
    equal("whose owner answers", answer, Ok(2));
    equal(
        "who finds it can send, and no more",
        found.notify(1),
        Err(Error::NotPermitted),
    );
    let _ = found.close();
    equal(
        "once more is no mistake",
        names.register("/own/a", first),
        Ok(()),
    );
    equal(
        "a name moves to another channel",
        names.register("/own/a", second),
        Ok(()),
    );
    let found = names.locate("/own/a").unwrap().connection;
    let answer = found.send_words([]).map(|answer| answer.words[0]);
    equal("which answers from then on", answer, Ok(2));
    equal("a name is given up", names.unregister("/own/a"), Ok(()));
    equal(
        "and not found any more",
        covered(names.locate("/own/a")),
        none,
    );
    let answer = found.send_words([]).map(|answer| answer.words[0]);
    equal("who has found it keeps the connection", answer, Ok(2));
    let _ = found.close();
    equal(
        "nor given up twice",
        names.unregister("/own/a"),
        Err(NameError::NoSuchName),
    );
    let _ = names.unregister("/own/b");
}

/// How many names there are in a folder; and whether this one is among them.
pub(crate) fn list(names: &Names, folder: &str, name: &str) -> (usize, bool) {
    let (mut count, mut there, mut next) = (0, false, 0);
    while let Some(listed) = names.list(folder, next).unwrap() {
        count += 1;
        there |= listed.name() == name;
        next = listed.next;
    }
    (count, there)
}

fn lists(names: &Names) {
    let second = riposte::channel("second").unwrap();
    let seen = names.watch(Changes::default(), Deadline::None).unwrap();
    equal(
        "nothing has changed",
        names.watch(seen, Deadline::Immediate),
        Err(NameError::TimedOut),
    );
    equal(
        "until the deadline",
        names.watch(seen, shortly()),
        Err(NameError::TimedOut),
    );
    for name in ["/own/a", "/own/a/b", "/own/c"] {
        names.register(name, second).unwrap();
    }
    holds(
        "a change is seen",
        names
            .watch(seen, Deadline::None)
            .is_ok_and(|now| now != seen),
    );
    equal(
        "a folder has its names",
        list(names, "/own", "/own/a/b"),
        (3, true),
    );
    equal(
        "a name is a folder of itself",
        list(names, "/own/a", "/own/a"),
        (2, true),
    );
    equal(
        "an empty one has none",
        list(names, "/own/d", ""),
        (0, false),
    );
    for name in ["/own/a", "/own/a/b", "/own/c"] {
        names.unregister(name).unwrap();
    }
}

fn prefixes(names: &Names) {
    let second = riposte::channel("second").unwrap();
    names.register("/own/a", second).unwrap();
    names.register("/own/a/b/c", second).unwrap();
    for (path, expected) in [
        ("/own/a/b", Ok(6)),
        ("/own/a/b/c", Ok(10)),
        (
            "/own/a/b/c/d/and/more/than/a/name/could/have/of/its/own",
            Ok(10),
        ),
        ("/own/ab", Err(NameError::NoSuchName)),
        ("/own", Err(NameError::NotAllowed)),
    ] {
        equal(
            "a path leads to the longest name above it",
            covered(names.locate(path)),
            expected,
        );
    }
    names.unregister("/own/a").unwrap();
    names.unregister("/own/a/b/c").unwrap();
}

fn badges(names: &Names) {
    let keeper = keeper(names);
    let answer = keeper.send_words([0, 0]).unwrap().words;
    // The judge is the third process of the manifest.
    let own = riposte::abi::process_badge(2);
    equal(
        "who was handed a connection has a badge of its own",
        answer[0],
        own,
    );
    equal("by which the owner knows its name", answer[1], 1);
    let _ = keeper.close();
}

fn waiting(names: &Names) {
    let keeper = keeper(names);
    let late = names.locate_until("/dev/late", shortly());
    equal(
        "who waits for a name leaves at the deadline",
        covered(late),
        Err(NameError::TimedOut),
    );
    keeper.send_words([4, 0]).unwrap();
    let found = names.locate_until("/dev/late/x", Deadline::None);
    equal(
        "or goes on when there is such a name",
        covered(found),
        Ok(9),
    );
    equal("it is there", order(&keeper, [6, 0]), 0);
    let seen = names.watch(Changes::default(), Deadline::None).unwrap();
    keeper.send_words([4, 0]).unwrap();
    let now = names.watch(seen, Deadline::None);
    holds(
        "who waits for a change goes on, too",
        now.is_ok_and(|now| now != seen),
    );
    equal(
        "when the name is there",
        covered(names.locate("/dev/late")),
        Ok(9),
    );
    let _ = order(&keeper, [6, 0]);
    let _ = keeper.close();
}
