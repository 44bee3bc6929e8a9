//! Semaphores of words that threads wait at.

use measure::{Case, Counter, Meter};
use riposte::sync::Word;
use riposte::{Deadline, futex, println};

/// A counting semaphore: how often it can be taken.
struct Semaphore {
    count: Word,
    waiters: Word,
}

impl Semaphore {
    const fn new() -> Self {
        Self {
            count: Word::new(0),
            waiters: Word::new(0),
        }
    }

    #[inline(always)]
    fn take(&self) {
        while self.count.update(|count| count.checked_sub(1)).is_err() {
            self.waiters.store(1);
            let _ = futex::wait(&self.count, 0, Deadline::None);
        }
    }

    #[inline(always)]
    fn give(&self) {
        self.count.add(1);
        if self.waiters.load() != 0 {
            let _ = futex::wake(&self.count, 1);
        }
    }
}

static PING: Semaphore = Semaphore::new();
static PONG: Semaphore = Semaphore::new();
static TURNS: Word = Word::new(0);

/// `sem-pingpong`: two threads of one process let each other run by two semaphores.
pub fn semaphores<C: Counter>(meter: Meter<C>, iterations: u32) {
    let before = TURNS.load();
    let figures = meter.measure(iterations, || {
        PING.give();
        PONG.take();
    });
    if TURNS.load() - before < iterations {
        return println!("@fail sem-pingpong: the other thread did not run in between");
    }
    figures.report(Case {
        name: "sem-pingpong",
        protected: true,
        bytes: 0,
    });
}

#[riposte::thread]
fn pong() -> ! {
    loop {
        PING.take();
        TURNS.store(TURNS.load() + 1);
        PONG.give();
    }
}
