//! The operations, each with whoever takes part in it.

use measure::{Case, Counter, Figures, Meter, SAMPLES};
use riposte::sync::{Semaphore, Word};
use riposte::thread::{self, Settings};
use riposte::{Channel, Duration, Event, Notice, Timer, println};

/// Of the smallest system, with the idle thread and its process: what every other one has too.
pub const THREADS: u32 = 8;
pub const CHANNELS: u32 = 4;
pub const PROCESSES: u32 = 4;

/// Priority of the driver's main thread.
const OWN_PRIORITY: u8 = 10;

/// In what system an operation is measured.
#[derive(Clone, Copy)]
pub struct Size {
    pub number: u32,
    /// Of what there are so many.
    pub what: &'static str,
}

/// Measures each.
pub fn all<C: Counter>(meter: Meter<C>, size: Size) {
    let iterations = riposte::setting("iterations").unwrap();
    report("rt-1w", true, size, round_trip(meter, iterations));
    report("yield", false, size, yields(meter, iterations));
    report("sem-pingpong", false, size, ping_pong(meter, iterations));
    report("notification", false, size, notification(meter, iterations));
    report("queued", true, size, queued(meter, iterations));
    report("spawn-join", false, size, spawn_join(meter, iterations));
    report("timer", false, size, timer(meter, iterations));
}

fn report(name: &'static str, protected: bool, size: Size, figures: Figures) {
    let case = Case {
        name,
        protected,
        bytes: 0,
    };
    figures.report_at(case, size.number, size.what);
}

/// Fails if `what` happened some other number of times than it was measured.
fn expect(what: &str, times: u32, iterations: u32) {
    let expected = iterations + SAMPLES + 1;
    if times != expected {
        println!("@fail {what}: {times} times, expected {expected}");
    }
}

/// One word there and back, as `rt-1w`.
fn round_trip<C: Counter>(meter: Meter<C>, iterations: u32) -> Figures {
    let server = riposte::connect("words").unwrap();
    let mut word = 0;
    let figures = meter.measure(iterations, || match server.send_words([word]) {
        Ok(reply) => word = reply.words[0],
        Err(error) => panic!("send: {error}"),
    });
    expect("rt-1w", word, iterations);
    figures
}

/// How often another thread ran.
static TURNS: Word = Word::new(0);
/// Whether who yields is to end.
static OVER: Word = Word::new(0);

fn count() {
    TURNS.store(TURNS.load() + 1);
}

/// Two threads let each other run.
fn yields<C: Counter>(meter: Meter<C>, iterations: u32) -> Figures {
    OVER.store(0);
    let other = thread::spawn(yield_back, 0, Settings::new(OWN_PRIORITY)).unwrap();
    let before = TURNS.load();
    let mut figures = meter.measure(iterations, riposte::yield_now);
    expect("yield", TURNS.load() - before, iterations);
    OVER.store(1);
    other.join().unwrap();
    figures.operations = 2;
    figures.min_ticks /= 2;
    figures.max_ticks /= 2;
    figures
}

fn yield_back(_: usize) -> u32 {
    while OVER.load() == 0 {
        count();
        riposte::yield_now();
    }
    0
}

static PING: Semaphore = Semaphore::new(0);
static PONG: Semaphore = Semaphore::new(0);

/// Two semaphores between two threads, there and back, as `sem-pingpong`.
fn ping_pong<C: Counter>(meter: Meter<C>, iterations: u32) -> Figures {
    let before = TURNS.load();
    let figures = meter.measure(iterations, || {
        let _ = PING.give();
        let _ = PONG.take();
    });
    expect("sem-pingpong", TURNS.load() - before, iterations);
    figures
}

/// The other thread.
pub fn pong() -> ! {
    loop {
        let _ = PING.take();
        count();
        let _ = PONG.give();
    }
}

/// A bit of a channel, which a more urgent thread receives before the call returns.
fn notification<C: Counter>(meter: Meter<C>, iterations: u32) -> Figures {
    let channel = riposte::channel("notices").unwrap();
    let before = TURNS.load();
    let figures = meter.measure(iterations, || channel.notify(1).unwrap());
    expect("notification", TURNS.load() - before, iterations);
    figures
}

/// The more urgent thread.
pub fn notified() -> ! {
    let channel = riposte::channel("notices").unwrap();
    loop {
        match channel.receive(&mut []) {
            Ok(Event::Notice(Notice::Bits { bits: 1 })) => count(),
            other => panic!("received {other:?}"),
        }
    }
}

/// Receives the first of all that wait at a channel and answers it; it sends again, and waits behind
/// the others, before the answer's call returns.
fn queued<C: Counter>(meter: Meter<C>, iterations: u32) -> Figures {
    let gate = riposte::channel("gate").unwrap();
    meter.measure(iterations, || let_in(&gate, 0))
}

/// Receives one, and answers with this word.
fn let_in(gate: &Channel, word: u32) {
    match gate.receive_words() {
        Ok(Event::Message(message)) => message.reply_words([word]).unwrap(),
        other => panic!("received {other:?}"),
    }
}

/// One of those that wait.
///
/// # Panics
/// It is let in for the last time: only processes of their own are.
pub fn send() -> ! {
    let gate = riposte::connect("gate").unwrap();
    while gate.send_words([]).unwrap().words[0] == 0 {}
    panic!("let in for the last time")
}

/// Calls `measure` with all processes, of which `most` wait to be received, and then with fewer and
/// fewer: the others end.
pub fn members(most: u32, mut measure: impl FnMut(u32)) {
    let gate = riposte::channel("gate").unwrap();
    let mut left = most;
    for number in [most + PROCESSES, 128, 64, 32, 16, 8] {
        while left > number - PROCESSES {
            // The server's own thread waits among them, and goes on.
            match gate.receive_words() {
                Ok(Event::Message(message)) if message.badge() != 1 => {
                    left -= 1;
                    message.reply_words([1]).unwrap();
                }
                Ok(Event::Message(message)) => message.reply_words([0]).unwrap(),
                other => panic!("received {other:?}"),
            }
        }
        measure(number);
    }
}

/// Starts a thread, which ends at once, and waits for its end.
fn spawn_join<C: Counter>(meter: Meter<C>, iterations: u32) -> Figures {
    let before = TURNS.load();
    let figures = meter.measure(iterations, || {
        let other = thread::spawn(end, 0, Settings::new(OWN_PRIORITY)).unwrap();
        other.join().unwrap();
    });
    expect("spawn-join", TURNS.load() - before, iterations);
    figures
}

fn end(_: usize) -> u32 {
    count();
    0
}

/// Sets a timer to a time before all other deadlines, and stops it.
fn timer<C: Counter>(meter: Meter<C>, iterations: u32) -> Figures {
    let notices = riposte::channel("notices").unwrap();
    let timer = Timer::notifying(&notices, 1).unwrap();
    let soon = riposte::Instant::now() + Duration::from_secs(100_000);
    let figures = meter.measure(iterations, || {
        timer.at(soon).unwrap();
        assert!(timer.cancel().unwrap());
    });
    timer.destroy().unwrap();
    figures
}
