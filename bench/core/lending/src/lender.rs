//! The client: measures, and checks that nothing was copied and nothing got lost.

use measure::{Benchmark, Case, Counter, Figures, Meter, SAMPLES};
use riposte::{Connection, Error, MemoryReply, Pages, println};

/// Bytes of each message.
const BYTES: usize = 4096;

/// What the last byte holds.
const LAST: u8 = 200;

/// What is sent and comes back where no memory is carried, in the same image.
const WORDS: [u32; 5] = [1, 2, 3, 4, 5];

/// All cases.
pub struct Lending;

impl Benchmark for Lending {
    fn run<C: Counter>(meter: Meter<C>) {
        measure(meter);
    }
}

fn measure<C: Counter>(meter: Meter<C>) {
    let iterations = riposte::setting("iterations").unwrap();
    let borrower = riposte::connect("borrower").unwrap();
    let mut pages = Pages::allocate(BYTES).unwrap();
    pages[BYTES - 1] = LAST;
    report_words(words(meter, iterations, &borrower));
    report(
        "lend",
        lend(meter, iterations, &borrower, &pages),
        LAST.into(),
    );
    let rounds = iterations + SAMPLES + 1;
    let before_last = u32::from((rounds - 1) as u8);
    let expected = before_last + u32::from(LAST);
    report(
        "lend-mut",
        lend_mut(meter, iterations, &borrower, &mut pages),
        expected,
    );
    if u32::from(pages[0]) != (before_last + 1) & 0xFF {
        println!("@fail lend-mut: the first byte is {}", pages[0]);
    }
    drop(pages);
    report("move", give(meter, iterations, &borrower), 0);
    println!("@done");
    let error = riposte::shutdown(0);
    panic!("shutdown: {error}");
}

/// What is kept of a reply, to be checked.
#[derive(Clone, Copy, Default)]
struct Last {
    word: u32,
    copied: bool,
}

/// Reports a case whose last reply must have brought this word.
fn report(name: &'static str, (figures, last): (Figures, Last), expected: u32) {
    if last.copied {
        println!("@fail {name}: the memory was copied");
    } else if last.word != expected {
        println!("@fail {name}: {} came back for {expected}", last.word);
    } else {
        figures.report(Case {
            name,
            protected: true,
            bytes: BYTES as u32,
        });
    }
}

/// Reports the call that carries nothing.
fn report_words((figures, words): (Figures, [u32; 5])) {
    if words != WORDS {
        println!("@fail words: {words:?} came back");
        return;
    }
    figures.report(Case {
        name: "words",
        protected: true,
        bytes: size_of_val(&WORDS) as u32,
    });
}

/// The measured loops stand alone, so that the registers are their own.
#[inline(never)]
fn words<C: Counter>(meter: Meter<C>, iterations: u32, to: &Connection) -> (Figures, [u32; 5]) {
    let mut last = [0; 5];
    let figures = meter.measure(iterations, || match to.send_words(WORDS) {
        Ok(reply) => last = reply.words,
        Err(error) => failed(error),
    });
    (figures, last)
}

#[inline(never)]
fn lend<C: Counter>(
    meter: Meter<C>,
    iterations: u32,
    to: &Connection,
    memory: &[u8],
) -> (Figures, Last) {
    last_of(meter, iterations, || to.lend(memory, [0; 3]))
}

#[inline(never)]
fn lend_mut<C: Counter>(
    meter: Meter<C>,
    iterations: u32,
    to: &Connection,
    memory: &mut [u8],
) -> (Figures, Last) {
    last_of(meter, iterations, || to.lend_mut(memory, [0; 3]))
}

/// Takes the memory back each time, cleared, and gives it away again. The borrower releases it.
#[inline(never)]
fn give<C: Counter>(meter: Meter<C>, iterations: u32, to: &Connection) -> (Figures, Last) {
    last_of(meter, iterations, || {
        let pages = Pages::allocate(BYTES).ok_or(Error::InUse)?;
        to.give(pages, [0; 3]).map_err(|failure| failure.error)
    })
}

#[inline(always)]
fn last_of<C: Counter>(
    meter: Meter<C>,
    iterations: u32,
    mut send: impl FnMut() -> Result<MemoryReply, Error>,
) -> (Figures, Last) {
    let mut last = Last::default();
    let figures = meter.measure(iterations, || match send() {
        Ok(reply) => {
            last = Last {
                word: reply.words[0],
                copied: reply.copied.is_some(),
            };
        }
        Err(error) => failed(error),
    });
    (figures, last)
}

#[cold]
#[inline(never)]
fn failed(error: Error) -> ! {
    panic!("send: {error}")
}
