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
        &[5, 0],
        &[u32::MAX, 0],
    ] {
        equal(
            "what makes no sense is refused",
            refusal(words),
            Ok(status::BAD_REQUEST),
        );
    }
    let tried = refusal(&[operation::CLOSE | operation::TRY, 0]);
    equal(
        "so is what never waits, without waiting",
        tried,
        Ok(status::BAD_REQUEST),
    );
    // This process has no end now, others have: in the first places, of those that have been there the first few.
    let mut all = 0;
    let ends = (0..6).flat_map(|generation| (0..6).map(move |place| generation << 8 | place));
    for end in ends.chain([u32::MAX, 1 << 31]) {
        for what in [operation::READ, operation::WRITE, operation::CLOSE] {
            let waits = if what == operation::CLOSE {
                0
            } else {
                operation::TRY
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
