//! What is refused, and changes nothing.

use check::{equal, holds};
use riposte_pipe::protocol::{operation, status};
use riposte_pipe::{PipeError, Pipes};

use crate::reads;

/// Ends that a client can have, if the manifest does not say.
const ENDS: usize = 4;

pub(crate) fn refusals(pipes: &Pipes) {
    for name in ["", "nothing", "a-name-that-is-too-long-for-a-pipe"] {
        let found = pipes.reader(name).map(drop);
        equal("there is no such pipe", found, Err(PipeError::NoSuchPipe));
    }
    let more = [(); ENDS].map(|()| pipes.reader("own").unwrap());
    let found = pipes.reader("own").map(drop);
    equal(
        "a client has so many ends",
        found,
        Err(PipeError::TooManyEnds),
    );
    drop(more);
    hostile();
    let (write, read) = (pipes.writer("own").unwrap(), pipes.reader("own").unwrap());
    let _ = write.write(b"x");
    holds("what is refused changes nothing", reads(&read, b"x"));
}

/// Requests that the library does not make.
fn hostile() {
    let server = riposte::connect("pipes").unwrap();
    let refusal = |words: &[u32]| {
        let mut request = [0; 20];
        let bytes = words.iter().flat_map(|word| word.to_le_bytes());
        request
            .iter_mut()
            .zip(bytes)
            .for_each(|(to, from)| *to = from);
        let reply = server.send(&request[..words.len() * 4], &mut []);
        reply.map(|reply| reply.status)
    };
    for words in [
        &[][..],
        &[operation::READ],
        &[operation::READ, 0],
        &[operation::WATCH, 0],
        &[operation::FIRST - 1, 0],
        &[operation::MAKE_UNNAMED, 1, 0],
        &[operation::READY, 0, 0],
        &[u32::MAX, 0],
    ] {
        equal(
            "what makes no sense is refused",
            refusal(words),
            Ok(status::BAD_REQUEST),
        );
    }
    for never in [
        operation::OPEN_READ,
        operation::CLOSE,
        operation::MAKE,
        operation::MAKE_UNNAMED,
        operation::REMOVE,
        operation::READY,
    ] {
        equal(
            "so is what never waits, without waiting",
            refusal(&[never | operation::TRY, 1]),
            Ok(status::BAD_REQUEST),
        );
    }
    let guessed = (0..100).chain([1 << 16, 1 << 31, u32::MAX]);
    let guessed = guessed.filter(|number| {
        let answers =
            [operation::OPEN_WRITE, operation::REMOVE].map(|what| refusal(&[what, *number]));
        answers != [Ok(status::NO_SUCH_PIPE); 2]
    });
    equal("a number is not met by chance", guessed.count(), 0);
    for capacity in [0, 33, 1 << 31, u32::MAX] {
        equal(
            "a pipe is no larger than its place",
            refusal(&[operation::MAKE_UNNAMED, capacity]),
            Ok(status::BAD_CAPACITY),
        );
    }
    // This process has no end now, others have: in the first places, of those that have been there the first few.
    let mut all = 0;
    let ends = (0..6).flat_map(|generation| (0..6).map(move |place| generation << 8 | place));
    for end in ends.chain([u32::MAX, 1 << 31]) {
        for what in [
            operation::READ,
            operation::WRITE,
            operation::CLOSE,
            operation::READY,
        ] {
            let waits = match what {
                operation::READ | operation::WRITE => operation::TRY,
                _ => 0,
            };
            let request = [what | waits, end, 1];
            let words = if what == operation::READ { 3 } else { 2 };
            all += u32::from(refusal(&request[..words]) != Ok(status::BAD_END));
        }
    }
    equal(
        "an end is its owner's, and no other's number names it",
        all,
        0,
    );
}
