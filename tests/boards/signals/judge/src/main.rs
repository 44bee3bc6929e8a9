//! Raises signals in itself, sends some to the worker whatever that does, and looks at what becomes of the forger.
#![no_std]

use core::sync::atomic::{AtomicU32, Ordering};

use check::{equal, holds};
use riposte::abi::fault::reason;
use riposte::signal::{self, Mask, Received, Set, Signal};
use riposte::{Channel, Deadline, Duration, Error, Event, Instant, Notice};

const USER: Signal = Signal::USER_1;
const OTHER: Signal = Signal::USER_2;
const QUEUED: Signal = match Signal::queued(8) {
    Some(signal) => signal,
    None => panic!("there are 32"),
};

/// How the worker waits, in the order of its orders, and what its call returns when it is interrupted.
const WAITS: [(&str, u32); 6] = [
    ("while it computes", 0),
    ("while it receives", Error::Interrupted as u32),
    ("while it sleeps", Error::Interrupted as u32),
    (
        "while its message waits to be received",
        Error::Interrupted as u32,
    ),
    ("while it waits at a word", Error::Interrupted as u32),
    ("while its server asks for notices, which then answers", 0),
];

static SEEN: AtomicU32 = AtomicU32::new(0);
static WORDS: AtomicU32 = AtomicU32::new(0);

fn note(signal: Signal, word: u32) {
    SEEN.store(
        SEEN.load(Ordering::Relaxed) << 8 | signal.number(),
        Ordering::Relaxed,
    );
    WORDS.store(WORDS.load(Ordering::Relaxed) << 8 | word, Ordering::Relaxed);
}

fn seen() -> u32 {
    SEEN.swap_now()
}

trait Take {
    fn swap_now(&self) -> u32;
}

impl Take for AtomicU32 {
    fn swap_now(&self) -> u32 {
        let value = self.load(Ordering::Relaxed);
        self.store(0, Ordering::Relaxed);
        value
    }
}

/// Registers that a handler must leave alone, and what it leaves in them: with 20 values at once, some lie on the stack
/// and all registers are in use.
#[inline(never)]
fn compute_around(signal: Signal, seed: u32) -> bool {
    let mut values = [0_u32; 20];
    for (index, value) in (0..).zip(&mut values) {
        *value = seed.wrapping_mul(index + 3);
    }
    let values = core::hint::black_box(values);
    signal::raise(signal, 0).unwrap();
    (0..)
        .zip(values)
        .all(|(index, value)| value == seed.wrapping_mul(index + 3))
}

fn own() {
    // SAFETY: it uses atomics alone.
    unsafe {
        signal::handle(USER, note).unwrap();
        signal::handle(OTHER, note).unwrap();
        signal::handle(QUEUED, note).unwrap();
    }
    signal::raise(USER, 0).unwrap();
    equal(
        "a signal to oneself is handled before the call returns",
        seen(),
        10,
    );
    holds(
        "a handler leaves all registers as they were",
        compute_around(USER, 0x1234_5677),
    );
    let _ = seen();

    let mask = Mask::block(Set::ALL).unwrap();
    signal::raise(OTHER, 0).unwrap();
    signal::raise(USER, 0).unwrap();
    signal::raise(USER, 0).unwrap();
    equal("one that is masked waits", seen(), 0);
    let waiting = signal::pending().unwrap();
    equal(
        "it is said which ones wait",
        waiting,
        Set::of(&[USER, OTHER]),
    );
    drop(mask);
    equal(
        "then each is handled once, the lowest number first",
        seen(),
        10 << 8 | 12,
    );

    let masked = || Mask::block(Set::NONE).unwrap().before();
    let before = masked();
    let [one, other] = [USER, OTHER].map(|it| Mask::block(Set::of(&[it])).unwrap());
    drop(one);
    let left = masked();
    drop(other);
    equal(
        "a mask that is dropped unmasks what it masks, and nothing else",
        [left, masked()],
        [before.with(OTHER), before],
    );

    let mask = Mask::block(Set::ALL).unwrap();
    let _ = WORDS.swap_now();
    for word in 1..5 {
        signal::raise(QUEUED, word).unwrap();
    }
    equal(
        "a queue that is full says so",
        signal::raise(QUEUED, 5),
        Err(Error::Exhausted),
    );
    let first = Received {
        signal: QUEUED,
        word: 1,
    };
    equal(
        "one is taken without a handler",
        signal::wait(Set::of(&[QUEUED])),
        Ok(first),
    );
    for _ in 0..3 {
        signal::suspend(mask.before()).unwrap();
    }
    equal(
        "queued ones bring their words, in order",
        WORDS.swap_now(),
        0x0002_0304,
    );
    let _ = seen();
    let soon = Instant::now() + Duration::from_millis(1);
    let none = signal::wait_until(Set::of(&[USER]), soon);
    equal(
        "a wait for a signal has a deadline",
        none,
        Err(Error::TimedOut),
    );
    let none = signal::suspend_until(mask.before(), Deadline::Immediate);
    equal(
        "so has a wait until one is handled",
        none,
        Err(Error::WouldBlock),
    );
    drop(mask);

    static mut STACK: [u8; 1024] = [0; 1024];
    let stack = &raw mut STACK;
    // SAFETY: nobody else takes it.
    let stack = unsafe { &mut *stack };
    let range = stack.as_ptr_range();
    // SAFETY: the one handler stores words.
    unsafe { signal::use_stack(stack) }.unwrap();
    // SAFETY: it uses an atomic alone.
    unsafe { signal::handle(OTHER, where_am_i).unwrap() };
    signal::raise(OTHER, 0).unwrap();
    let at = seen() as usize;
    holds(
        "a handler runs on the stack that the thread has for it",
        (range.start.addr()..range.end.addr()).contains(&at),
    );
    equal(
        "and is the main thread's there, too",
        WORDS.swap_now(),
        u32::from(true),
    );
}

fn where_am_i(_: Signal, _: u32) {
    let here = 0_u8;
    SEEN.store((&raw const here).addr() as u32, Ordering::Relaxed);
    WORDS.store(riposte::is_main_thread().into(), Ordering::Relaxed);
}

/// The next message, and its words.
fn next(orders: Channel) -> Option<[u32; 5]> {
    let until = Deadline::At(Instant::now() + Duration::from_millis(200));
    match orders.receive_until(&mut [], until) {
        Ok(Event::Message(message)) => {
            let words = message.words();
            message.reply_words([]).unwrap();
            Some(words)
        }
        _ => None,
    }
}

/// The worker is interrupted wherever it is, and says what its call has returned and which signals it has handled.
fn others() {
    let orders = riposte::channel("orders").unwrap();
    let slow = riposte::channel("slow").unwrap();
    let worker = signal::target("worker").unwrap();
    for (position, (what, returns)) in (0..).zip(WAITS) {
        let begun = next(orders);
        let _ = riposte::sleep(Duration::from_millis(1));
        if position == 5 {
            answer_when_asked(slow, worker);
        } else {
            worker.send(QUEUED, 70 + position).unwrap();
        }
        let found = next(orders);
        let expected = [position, returns, QUEUED.number(), 70 + position, 0];
        if begun.is_none() {
            check::broken(what, "the worker is away");
        }
        equal(what, found, Some(expected));
    }
    holds(
        "a signal to a process that the manifest does not name is impossible",
        signal::target("forger").is_err(),
    );
}

/// The worker's message is received: it stays until it is answered, and this process is told that it wants to go on.
fn answer_when_asked(slow: Channel, worker: signal::Target) {
    let Ok(Event::Message(message)) = slow.receive(&mut []) else {
        return;
    };
    worker.send(QUEUED, 75).unwrap();
    let until = Deadline::At(Instant::now() + Duration::from_millis(20));
    let asked = matches!(
        slow.receive_until(&mut [], until),
        Ok(Event::Notice(Notice::Unblock {
            has_signal: true,
            ..
        }))
    );
    holds("its server is asked to let it go", asked);
    message.reply_words([]).unwrap();
}

/// What becomes of the forger: by the number of the attempt.
const FAULTS: [(&str, u32); 6] = [
    (
        "a handler that ends with another frame ends its process",
        reason::SIGNAL_FRAME,
    ),
    (
        "so does a thread that ends a handler and runs none",
        reason::SIGNAL_FRAME,
    ),
    ("so does a frame that leads to memory of others", 0),
    (
        "so does a stack without room for a frame",
        reason::STACK_OVERFLOW,
    ),
    ("so does a handler that overflows its stack", 0),
    (
        "so does a frame that says that one lies where no word can",
        reason::SIGNAL_FRAME,
    ),
];

fn forger() {
    let attempts = riposte::channel("attempts").unwrap();
    let faults = riposte::channel("faults").unwrap();
    let index = (0..).find(|it| riposte::name_of_process(*it) == Some("forger"));
    let index = index.unwrap();
    for (attempt, (what, expected)) in (0..).zip(FAULTS) {
        let before = riposte::fault_record(index).map_or(0, |record| record.count);
        let until = Deadline::At(Instant::now() + Duration::from_millis(200));
        let Ok(Event::Message(message)) = attempts.receive_until(&mut [], until) else {
            check::broken(what, "the forger is away");
            return;
        };
        message.reply_words([attempt]).unwrap();
        let until = Deadline::At(Instant::now() + Duration::from_millis(200));
        let _ = faults.receive_until(&mut [], until);
        let record = riposte::fault_record(index).unwrap();
        let faulted = record.count == before + 1;
        let is_it = expected == 0 || record.reason == expected;
        if faulted && is_it {
            holds(what, true);
        } else {
            equal(what, (record.count - before, record.reason), (1, expected));
        }
    }
}

#[riposte::main]
fn main() {
    own();
    others();
    forger();
    check::done();
}
