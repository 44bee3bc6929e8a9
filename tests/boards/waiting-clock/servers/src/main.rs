//! Where the clock's interrupt waits until the clock is asked for another time (a machine timer of RISC-V), it waits
//! all the while that the kernel serves it. "An interrupt waits" says nothing about the next one then.
#![no_std]

use core::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

use check::holds;
use riposte::thread::{self, Policy, Settings};
use riposte::{Deadline, Duration, Error, Instant};

const NAMES: [&str; 14] = [
    "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13",
];

static RETURNED: AtomicBool = AtomicBool::new(false);
static RETURNED_IN_TIME: AtomicBool = AtomicBool::new(false);
static TURNS: AtomicU32 = AtomicU32::new(0);
static STOP: AtomicBool = AtomicBool::new(false);

fn rest() -> ! {
    loop {
        let _ = riposte::sleep(Duration::from_millis(100_000));
    }
}

/// Takes a message and sends to the next channel before it answers.
fn serve(channel: usize) -> u32 {
    let own = riposte::channel(NAMES[channel]).unwrap();
    let next = riposte::connect(NAMES[channel + 1]).unwrap();
    let _message = own.receive_words();
    let _ = next.send_words([]);
    rest()
}

/// The last server of a chain of four: it computes for a long time, and asks the kernel for nothing.
fn compute(channel: usize) -> u32 {
    let own = riposte::channel(NAMES[channel]).unwrap();
    let _message = own.receive_words();
    for _ in 0..200_000 {
        TURNS.fetch_add(1, Relaxed);
    }
    RETURNED_IN_TIME.store(RETURNED.load(Relaxed), Relaxed);
    rest()
}

/// The last server of a long chain: it counts.
fn count(channel: usize) -> u32 {
    let own = riposte::channel(NAMES[channel]).unwrap();
    let _message = own.receive_words();
    while !STOP.load(Relaxed) {
        TURNS.fetch_add(1, Relaxed);
    }
    rest()
}

fn send(channel: usize) -> u32 {
    let _ = riposte::connect(NAMES[channel]).unwrap().send_words([]);
    rest()
}

fn idle(_: usize) -> u32 {
    rest()
}

fn nap(_: usize) -> u32 {
    let _ = riposte::sleep(Duration::from_millis(10));
    rest()
}

fn begin(body: fn(usize) -> u32, argument: usize, settings: Settings) {
    thread::spawn(body, argument, settings).unwrap().detach();
}

#[riposte::main]
fn main() {
    // A chain of four servers, none of which is as urgent as the client. The last one computes.
    for channel in 0..3 {
        begin(serve, channel, Settings::new(3));
    }
    begin(compute, 3, Settings::new(3));
    let _ = riposte::sleep(Duration::from_millis(5));
    let begun = Instant::now();
    let until = begun + Duration::from_millis(2);
    let sent = riposte::connect(NAMES[0])
        .unwrap()
        .send_words_until([1], Deadline::At(until));
    RETURNED.store(true, Relaxed);
    holds(
        "23 the deadline of a client passes",
        matches!(sent, Err(Error::TimedOut)),
    );
    let _ = riposte::sleep(Duration::from_millis(200));
    holds(
        "16 servers keep no priority of a client that has left, and it goes on when its deadline passes",
        RETURNED_IN_TIME.load(Relaxed),
    );

    // A chain of ten servers. Somebody takes turns, so that time slices are planned.
    begin(idle, 0, Settings::new(2).policy(Policy::RoundRobin));
    for channel in 4..13 {
        begin(serve, channel, Settings::new(6));
    }
    begin(count, 13, Settings::new(6));
    let _ = riposte::sleep(Duration::from_millis(5));
    begin(nap, 0, Settings::new(2));
    let _ = riposte::sleep(Duration::from_millis(1));
    begin(send, 4, Settings::new(6));
    let turns = |milliseconds| {
        let before = TURNS.load(Relaxed);
        let _ = riposte::sleep(Duration::from_millis(milliseconds));
        TURNS.load(Relaxed) - before
    };
    // Here nobody interrupts it.
    let _ = turns(2);
    let undisturbed = turns(2);
    // Here the clock interrupts it once, in the middle, for a thread that is less urgent.
    let _ = riposte::sleep(Duration::from_millis(2));
    let disturbed = turns(20);
    riposte::println!("{undisturbed} turns in 2 ms, {disturbed} in 20 ms");
    STOP.store(true, Relaxed);
    holds(
        "35 an interrupt of the clock takes no thread's time for ever",
        disturbed > 8 * undisturbed,
    );
    check::done();
}
