//! What becomes of names when owners, waiting clients or the server end.

use check::{equal, holds};
use riposte::{Deadline, Duration, Error};
use riposte_names::{Changes, NameError, Names};

use crate::{break_names, covered, keeper, list, order};

pub(crate) fn owner(names: &Names) {
    let none = Err(NameError::NoSuchName);
    let old = keeper(names);
    let seen = names.watch(Changes::default(), Deadline::None).unwrap();
    equal(
        "an owner that fails",
        old.send_words([1, 0]).map(drop),
        Err(Error::ServerDied),
    );
    equal(
        "takes its names along, at once",
        covered(names.locate("/dev/thing")),
        none,
    );
    equal("all of them", covered(names.locate("/ram/x")), none);
    equal("from the list, too", list(names, "/", ""), (0, false));
    holds(
        "which whoever watches is told",
        names.watch(seen, Deadline::None).is_ok(),
    );
    equal(
        "its next life is found",
        covered(names.locate_until("/ram", Deadline::None)),
        Ok(4),
    );
    equal(
        "through a new connection",
        old.send_words([0, 0]).map(drop),
        Err(Error::ServerDied),
    );
    let _ = old.close();

    let keeper = riposte::process("keeper").unwrap();
    let old = crate::keeper(names);
    // Nobody runs between the two but the kernel.
    keeper.stop();
    equal("one that is stopped", covered(names.locate("/ram")), none);
    equal(
        "is gone from the list",
        list(names, "/", "/ram"),
        (0, false),
    );
    keeper.restart();
    let again = covered(names.locate("/ram"));
    equal(
        "one that begins has no names until it registers",
        again,
        none,
    );
    equal(
        "then it is found",
        covered(names.locate_until("/ram", Deadline::None)),
        Ok(4),
    );
    equal(
        "in its new life only",
        old.send_words([0, 0]).map(drop),
        Err(Error::ServerDied),
    );
    let _ = old.close();
    for _ in 0..20 {
        keeper.restart();
        let found = names.locate_until("/ram/x", Deadline::None).unwrap();
        let lives = found.connection.send_words([0, 0]).is_ok();
        let _ = found.connection.close();
        if !lives {
            check::broken("what is found lives", "it does not");
        }
    }

    let old = crate::keeper(names);
    old.send_words([5, 0]).unwrap();
    let found = names.locate_until("/dev/late", crate::shortly());
    equal(
        "who waits when an owner ends",
        covered(found),
        Err(NameError::TimedOut),
    );
    let _ = riposte::sleep(Duration::from_millis(5));
    let _ = old.close();
    let keeper = crate::keeper(names);
    keeper.send_words([4, 0]).unwrap();
    let found = names.locate_until("/dev/late", Deadline::None);
    equal("is served by its next life", covered(found), Ok(9));
    let _ = order(&keeper, [6, 0]);
    let _ = keeper.close();
}

pub(crate) fn taken(names: &Names) {
    let taker = riposte::connect("taker").unwrap();
    equal("a name has one owner", order(&taker, [2, 0]), 3);
    equal("nobody else gives it up", order(&taker, [3, 0]), 2);
    let process = riposte::process("keeper").unwrap();
    process.stop();
    equal("until it ends", order(&taker, [2, 0]), 0);
    equal(
        "then another one has it",
        covered(names.locate("/dev/thing")),
        Ok(10),
    );
    process.restart();
    let keeper = keeper(names);
    equal("and keeps it", order(&keeper, [2, 0]), 3);
    equal("until it gives it up", order(&taker, [3, 0]), 0);
    equal("as anybody may have it then", order(&keeper, [2, 0]), 0);
    let _ = keeper.close();
}

pub(crate) fn waiter(names: &Names) {
    let crowd = riposte::process("crowd").unwrap();
    crowd.stop();
    let keeper = keeper(names);
    let found = keeper.send_words([4, 0]);
    equal("whoever waits and dies", found.map(drop), Ok(()));
    let found = names.locate_until("/dev/late", Deadline::None);
    equal("is in nobody's way", covered(found), Ok(9));
    let _ = order(&keeper, [6, 0]);
    // It had found the keeper, and died.
    let _ = keeper.close();
}

pub(crate) fn restart(names: &mut Names) {
    let second = riposte::channel("second").unwrap();
    names.register("/own/kept", second).unwrap();
    let keeper = keeper(names);
    let died = Err(NameError::Kernel(Error::ServerDied));
    break_names();
    let found = names.locate_until("/dev/never", Deadline::None);
    equal(
        "who waits learns that the names server ended",
        covered(found),
        died,
    );
    equal("so does who asks", covered(names.locate("/ram")), died);
    let works = keeper.send_words([0, 0]).is_ok();
    holds("connections that were found work on", works);
    let _ = keeper.close();
    equal("its next life is reached", names.reconnect(), Ok(()));
    let found = names.locate("/own/kept");
    equal(
        "and knows nothing",
        covered(found),
        Err(NameError::NoSuchName),
    );
    let found = names.locate_until("/ram", Deadline::None);
    equal(
        "until owners have registered anew, as they are told to",
        covered(found),
        Ok(4),
    );
    let first = riposte::channel("first").unwrap();
    let told = first.receive_until(&mut [], Deadline::Immediate);
    let bits = match told {
        Ok(riposte::Event::Notice(riposte::Notice::Bits { bits })) => bits,
        _ => 0,
    };
    equal("by a bit of each channel", bits, riposte_names::ANEW);
    equal("this one, too", names.register("/own/kept", second), Ok(()));
    equal("and is found", covered(names.locate("/own/kept")), Ok(9));
    let seen = names.watch(Changes::default(), Deadline::None).unwrap();
    break_names();
    let watched = names.watch(seen, Deadline::None);
    equal(
        "who watches learns of an end, too",
        watched,
        Err(NameError::Kernel(Error::ServerDied)),
    );
    names.reconnect().unwrap();
    for _ in 0..5 {
        riposte::process("names").unwrap().restart();
        names.reconnect().unwrap();
        let _ = names
            .locate_until("/dev/thing", Deadline::None)
            .unwrap()
            .connection
            .close();
    }
    equal(
        "as often as it ends",
        list(names, "/dev", "/dev/thing"),
        (1, true),
    );
}
