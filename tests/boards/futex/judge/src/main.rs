//! What the kernel promises of words and locks, with four threads of one process.
//!
//! The main thread (10) lets the urgent (14) and the slow (6) one do something by a number in their
//! orders; each sleeps at its orders until then. The middle one (12) only burns time, when told to.
#![no_std]

mod words;

use check::{equal, holds};
use riposte::abi::lock::{OWNER_DIED, OWNER_MASK, WAITERS};
use riposte::futex::{self, Locked};
use riposte::sync::Word;
use riposte::{Deadline, Duration, Error, Instant};

/// What a thread is to do next; it makes it 0 when it has.
struct Orders(Word);

const NOTHING: u32 = 0;
const WAIT: u32 = 1;
const LOCK: u32 = 2;
const HOLD: u32 = 3;
const BURN: u32 = 4;

static URGENT: Orders = Orders(Word::new(NOTHING));
static MIDDLE: Orders = Orders(Word::new(NOTHING));
static SLOW: Orders = Orders(Word::new(NOTHING));

/// The word at which threads wait, and the lock.
static WORD: Word = Word::new(0);
static LOCK_WORD: Word = Word::new(0);
/// The order in which things happened: a digit each.
static LOG: Word = Word::new(0);

fn log(digit: u32) {
    LOG.store(LOG.load() * 10 + digit);
}

fn logged() -> u32 {
    let digits = LOG.load();
    LOG.store(0);
    digits
}

impl Orders {
    fn give(&self, order: u32) {
        self.0.store(order);
        futex::wake(&self.0, 1).expect("an own word");
    }

    fn next(&self) -> u32 {
        self.0.store(NOTHING);
        while self.0.load() == NOTHING {
            let _ = futex::wait(&self.0, NOTHING);
        }
        self.0.load()
    }

    /// Carries out orders, and logs `digit` when one is done.
    fn obey(&self, digit: u32) -> ! {
        loop {
            match self.next() {
                WAIT => futex::wait(&WORD, 0).expect("it is woken"),
                LOCK => {
                    let locked = futex::lock(&LOCK_WORD);
                    holds(
                        "a lock that is handed on is consistent",
                        locked == Ok(Locked::Consistent),
                    );
                    log(digit);
                    futex::unlock(&LOCK_WORD).expect("its own lock");
                }
                HOLD => {
                    let _ = futex::lock(&LOCK_WORD).expect("a free lock");
                    // Somebody more urgent waits for it meanwhile.
                    URGENT.give(LOCK);
                    MIDDLE.give(BURN);
                    log(digit);
                    futex::unlock(&LOCK_WORD).expect("its own lock");
                }
                _ => burn(Duration::from_millis(2)),
            }
            log(digit);
        }
    }
}

fn burn(time: Duration) {
    let until = Instant::now() + time;
    while Instant::now() < until {}
}

/// Lets everybody else run for a while.
fn rest() {
    riposte::sleep(Duration::from_millis(20)).expect("nobody ends a sleep");
}

#[riposte::thread]
fn urgent() -> ! {
    URGENT.obey(1)
}

#[riposte::thread]
fn middle() -> ! {
    MIDDLE.obey(2)
}

#[riposte::thread]
fn slow() -> ! {
    SLOW.obey(3)
}

#[riposte::main]
fn main() {
    rest();
    words::refused();
    wakes();
    deadlines();
    requeues();
    locks();
    inheritance();
    check::done();
}

fn wakes() {
    logged();
    SLOW.give(WAIT);
    rest();
    URGENT.give(WAIT);
    equal("nobody is woken before", logged(), 0);
    equal("one is woken", futex::wake(&WORD, 1), Ok(1));
    equal("the most urgent one, which runs at once", logged(), 1);
    URGENT.give(WAIT);
    equal("all are woken", futex::wake(&WORD, u32::MAX), Ok(2));
    rest();
    equal("in order of priority", logged(), 13);
    equal("nobody is left", futex::wake(&WORD, 1), Ok(0));
}

fn deadlines() {
    let begin = Instant::now();
    let until = begin + Duration::from_millis(3);
    equal(
        "a wait ends with its deadline",
        futex::wait_until(&WORD, 0, Deadline::At(until)),
        Err(Error::TimedOut),
    );
    holds("and not before", Instant::now() >= until);
    equal(
        "a wait that must not block does not",
        futex::wait_until(&WORD, 0, Deadline::Immediate),
        Err(Error::WouldBlock),
    );
}

fn requeues() {
    static OTHER: Word = Word::new(0);
    logged();
    SLOW.give(WAIT);
    rest();
    MIDDLE.give(WAIT);
    URGENT.give(WAIT);
    let requeued = futex::requeue(&WORD, 0, 1, &OTHER, 1).map(|all| (all.woken, all.moved));
    equal("one is woken, one moved", requeued, Ok((1, 1)));
    equal(
        "the one that was moved waits there",
        futex::wake(&OTHER, 9),
        Ok(1),
    );
    equal("the last one has stayed", futex::wake(&WORD, 9), Ok(1));
    rest();
    equal("the more urgent ones first", logged(), 123);
}

fn locks() {
    logged();
    equal(
        "a free lock is had at once",
        futex::try_lock(&LOCK_WORD),
        Ok(Locked::Consistent),
    );
    let own = LOCK_WORD.load();
    holds(
        "its word names the owner",
        own & OWNER_MASK == own && own != 0,
    );
    equal(
        "nobody waits for itself",
        futex::lock(&LOCK_WORD),
        Err(Error::Deadlock),
    );
    SLOW.give(LOCK);
    rest();
    URGENT.give(LOCK);
    holds(
        "the word says that somebody waits",
        LOCK_WORD.load() == own | WAITERS,
    );
    equal("nobody has it meanwhile", logged(), 0);
    equal("the owner gives it up", futex::unlock(&LOCK_WORD), Ok(()));
    equal("the most urgent one gets it first", logged(), 11);
    equal(
        "what is not one's own is not given up",
        futex::unlock(&LOCK_WORD),
        Err(Error::NotPermitted),
    );
    rest();
    equal("then the other one", logged(), 33);
    equal("then it is free", LOCK_WORD.load(), 0);
    // Garbage names nobody who lives.
    LOCK_WORD.store(0x1234_5678 & OWNER_MASK);
    equal(
        "what nobody owns is had",
        futex::lock(&LOCK_WORD),
        Ok(Locked::OwnerDied),
    );
    equal(
        "and said to be in disorder",
        LOCK_WORD.load(),
        own | OWNER_DIED,
    );
    LOCK_WORD.store(own);
    equal(
        "until somebody says otherwise",
        futex::unlock(&LOCK_WORD),
        Ok(()),
    );
    equal("then it is as ever", LOCK_WORD.load(), 0);
}

fn inheritance() {
    logged();
    SLOW.give(HOLD);
    rest();
    // The slow one (3) gives the lock up before the middle one (2) has burnt its time: it holds what
    // the urgent one (1) waits for.
    equal(
        "who holds a lock runs as who waits for it",
        logged() / 100,
        311,
    );
}
