//! What is refused, and changes nothing.

use check::{equal, holds};
use riposte::{Connection, Deadline, Status};
use riposte_names::protocol::{LONGEST_PATH, operation, status};
use riposte_names::{NameError, Names};

use crate::{covered, keeper, list, order, shortly};

/// Names that each of the three has that may register some.
const SHARE: usize = 256 / 3;

fn name(number: usize, room: &mut [u8; 8]) -> &str {
    *room = *b"/own/000";
    for (place, unit) in [(5, 100), (6, 10), (7, 1)] {
        room[place] = b'0' + (number / unit % 10) as u8;
    }
    core::str::from_utf8(room).unwrap()
}

pub(crate) fn quotas(names: &Names) {
    let second = riposte::channel("second").unwrap();
    let mut room = [0; 8];
    let taken = (0..SHARE).filter(|n| names.register(name(*n, &mut room), second).is_ok());
    equal("a process has so many names", taken.count(), SHARE);
    let more = names.register("/own/more", second);
    equal("and no more", more, Err(NameError::TooMany));
    equal(
        "all are there",
        list(names, "/own", "/own/084"),
        (SHARE, true),
    );
    let keeper = keeper(names);
    equal("which leaves others theirs", order(&keeper, [2, 1]), 0);
    equal("who find them", covered(names.locate("/dev/other")), Ok(10));
    let _ = order(&keeper, [3, 1]);
    let _ = keeper.close();
    let gone = (0..SHARE).filter(|n| names.unregister(name(*n, &mut room)).is_ok());
    equal("all are given up", gone.count(), SHARE);
    equal("and nothing is left", list(names, "/own", ""), (0, false));

    let crowd = riposte::connect("crowd").unwrap();
    equal(
        "four threads of a process may wait",
        order(&crowd, [0, 0]),
        1,
    );
    let found = covered(names.locate_until("/dev/late", shortly()));
    equal(
        "which leaves others theirs",
        found,
        Err(NameError::TimedOut),
    );
    riposte::process("crowd").unwrap().restart();
    let crowd = riposte::connect("crowd").unwrap();
    equal("and ends with the process", order(&crowd, [0, 0]), 1);
}

pub(crate) fn handles(names: &Names) {
    let mut found: [Option<Connection>; 64] = [const { None }; 64];
    let mut refused = None;
    for place in &mut found {
        match names.locate("/ram") {
            Ok(located) => *place = Some(located.connection),
            Err(error) => {
                refused = Some(error);
                break;
            }
        }
    }
    equal(
        "a process that closes none has no room",
        refused,
        Some(NameError::NoHandles),
    );
    let waited = names.locate_until("/ram", shortly()).err();
    equal(
        "and does not wait for it",
        waited,
        Some(NameError::NoHandles),
    );
    let works = found
        .iter()
        .flatten()
        .all(|it| it.send_words([0, 0]).is_ok());
    holds("those that it has work", works);
    for connection in found.into_iter().flatten() {
        let _ = connection.close();
    }
    equal("until it closes some", covered(names.locate("/ram")), Ok(4));
}

pub(crate) fn refusals(names: &Names) {
    let second = riposte::channel("second").unwrap();
    for name in [
        "", "/", "own/a", "/own/", "/own//a", "/own/a\0", "/own/a b", "/own/*",
    ] {
        equal(
            "what is no name is not registered",
            names.register(name, second),
            Err(NameError::BadName),
        );
    }
    let long = "/own/a-name-of-thirty-three-bytes";
    equal(
        "nor one that is too long",
        names.register(long, second),
        Err(NameError::BadName),
    );
    let longest = "/own/a-name-of-thirty-two-bytes-";
    equal("the longest is", names.register(longest, second), Ok(()));
    equal("and found", covered(names.locate(longest)), Ok(32));
    let _ = names.unregister(longest);
    for name in ["/dev/x", "/ram", "/own", "/"] {
        let expected = if name == "/" {
            NameError::BadName
        } else {
            NameError::NotAllowed
        };
        equal(
            "nor what the manifest does not say",
            names.register(name, second),
            Err(expected),
        );
    }
    equal(
        "what is another's is not given up",
        names.unregister("/dev/thing"),
        Err(NameError::NoSuchName),
    );
    equal("and stays", covered(names.locate("/dev/thing")), Ok(10));
    for path in ["", "dev/thing", "/dev/thing\0", "/dev/thing/\0"] {
        equal(
            "what is no path leads nowhere",
            covered(names.locate(path)),
            Err(NameError::BadName),
        );
    }
    let long = core::str::from_utf8(&[b'/'; LONGEST_PATH + 1]).unwrap();
    equal(
        "nor one that is too long",
        covered(names.locate(long)),
        Err(NameError::BadName),
    );
    for path in ["/", "/console", "/devices", "//dev/thing"] {
        let found = covered(names.locate_until(path, Deadline::None));
        equal(
            "who could never find it does not wait",
            found,
            Err(NameError::NotAllowed),
        );
    }
    let keeper = keeper(names);
    equal(
        "the keeper may not have names of others",
        order(&keeper, [2, 2]),
        1,
    );
    let _ = keeper.close();
    hostile();
    equal(
        "what is refused changes nothing",
        list(names, "/", "/dev/thing"),
        (2, true),
    );
}

/// Requests that the library does not make.
fn hostile() {
    let server = riposte::connect("names").unwrap();
    let send = |request: &[u8]| server.send(request, &mut []).map(|reply| reply.status);
    let bad = Ok(status::BAD_REQUEST);
    for request in [
        &[][..],
        &[2],
        &[2, 0, 0],
        &[5, 0, 0, 0],
        &[255; 4],
        &[2, 2, 0, 0],
        &[0, 4, 0, 0, b'/'],
    ] {
        equal("what makes no sense is refused", send(request), bad);
    }
    for operation in [operation::REGISTER, operation::UNREGISTER, operation::LIST] {
        let [a, _, c, d] = operation.to_le_bytes();
        equal(
            "so is what never waits, without waiting",
            send(&[a, 1, c, d, b'/']),
            bad,
        );
    }
    for operation in [operation::UNREGISTER, operation::LOCATE, operation::WATCH] {
        let [a, b, ..] = operation.to_le_bytes();
        equal(
            "and what takes no argument, with one",
            send(&[a, b, 1, 0, b'/']),
            bad,
        );
    }
    let forged = server.send_bytes_for_handle_until(&[2; 200], Deadline::None);
    let forged = forged.map(|(reply, _)| reply.status);
    equal("a request that is too long", forged, bad);
    let mut request = [0; 14];
    request[0] = operation::LOCATE as u8;
    request[4..].copy_from_slice(b"/dev/thing");
    equal("who takes no connection gets none", send(&request), bad);
    request[0] = operation::REGISTER as u8;
    for position in [2, 3, 255] {
        request[2] = position;
        request[4..].copy_from_slice(b"/own/thing");
        let found = send(&request);
        equal(
            "nobody registers channels that it has not",
            found,
            Ok(status::NOT_ALLOWED),
        );
    }
    for length in [0, 3, 5, 16] {
        let mut request = [0; 20];
        request[0] = operation::WATCH as u8;
        equal(
            "a watch of another length",
            send(&request[..4 + length]),
            bad,
        );
    }
    let list = [operation::LIST as u8, 0, 255, 255, b'/'];
    equal("a list from beyond", send(&list), Ok(status::NO_SUCH_NAME));
    equal(
        "it answers as ever",
        send(&[operation::LIST as u8, 0, 0, 0, b'/']),
        Ok(Status::OK),
    );
}
