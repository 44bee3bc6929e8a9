//! Round trips of messages in registers.

use measure::{Case, Counter, Figures, Meter, SAMPLES};
use riposte::{Connection, Error, MessageWords, println};

/// `rt-0w`: a message that only synchronises.
pub fn empty<C: Counter>(meter: Meter<C>, iterations: u32) {
    for (protected, name, counter) in [
        (true, "words-0", "yielder"),
        (false, "local-words-0", "local-yielder"),
    ] {
        let server = riposte::connect(name).unwrap();
        let counter = riposte::connect(counter).unwrap();
        let answered = || {
            let answered = counter.send_words([0]).unwrap().words[0];
            // It yields no times, and then waits to be asked when that was done.
            counter.send_words([]).unwrap();
            answered
        };
        let before = answered();
        let figures = measure_empty(meter, iterations, &server);
        let case = Case {
            name: "rt-0w",
            protected,
            bytes: 0,
        };
        if answered().wrapping_sub(before) == iterations + SAMPLES + 1 {
            figures.report(case);
        } else {
            println!(
                "@fail {}: the server answered {} messages",
                case.name,
                answered()
            );
        }
    }
}

/// `rt-1w`: one word there and one back.
pub fn one<C: Counter>(meter: Meter<C>, iterations: u32) {
    for (protected, name) in [(true, "words-1"), (false, "local-words-1")] {
        let server = riposte::connect(name).unwrap();
        let (figures, [word]) = measure_words(meter, iterations, &server, [0]);
        // The server adds one to the word each time.
        let case = Case {
            name: "rt-1w",
            protected,
            bytes: 4,
        };
        if word == iterations + SAMPLES + 1 {
            figures.report(case);
        } else {
            println!("@fail {}: wrong word {word}", case.name);
        }
    }
}

/// `rt-5w`: five words there and five back.
pub fn five<C: Counter>(meter: Meter<C>, iterations: u32) {
    for (protected, name) in [(true, "words-5"), (false, "local-words-5")] {
        let server = riposte::connect(name).unwrap();
        let first = [0, 1, 22, 333, 4444];
        let (figures, five) = measure_words(meter, iterations, &server, first);
        let case = Case {
            name: "rt-5w",
            protected,
            bytes: 20,
        };
        if five == [iterations + SAMPLES + 1, 1, 22, 333, 4444] {
            figures.report(case);
        } else {
            println!("@fail {}: wrong words {five:?}", case.name);
        }
    }
}

/// The measured loops stand alone, so that the registers are theirs.
#[inline(never)]
fn measure_empty<C: Counter>(meter: Meter<C>, iterations: u32, server: &Connection) -> Figures {
    meter.measure(iterations, || {
        if let Err(error) = server.send_words([]) {
            failed(error);
        }
    })
}

/// Sends each time what came back the time before; returns what came back last, too.
#[inline(never)]
fn measure_words<C: Counter, const N: usize>(
    meter: Meter<C>,
    iterations: u32,
    server: &Connection,
    mut words: [u32; N],
) -> (Figures, [u32; N])
where
    [u32; N]: MessageWords,
{
    let figures = meter.measure(iterations, || match server.send_words(words) {
        Ok(reply) => words = core::array::from_fn(|position| reply.words[position]),
        Err(error) => failed(error),
    });
    (figures, words)
}

#[cold]
#[inline(never)]
pub fn failed(error: Error) -> ! {
    panic!("send: {error}")
}
