//! A chain of channels with two receivers each, one of which serves a client and waits at the next channel. It
//! grows beyond `kernel.depth`, since each receiver begins to wait while nobody else waits behind it.
#![no_std]

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use check::{equal, holds};
use riposte::thread::{self, Settings};
use riposte::{Deadline, Duration, Error};

const LAYERS: usize = 12;
static NAMES: [&str; LAYERS] = [
    "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11",
];

/// How many receivers serve a client, and how many of them wait at the next channel.
static SERVING: AtomicU32 = AtomicU32::new(0);
/// Turns of the least urgent thread, which runs while everybody else waits.
static IDLE_TURNS: AtomicU32 = AtomicU32::new(0);

fn rest() -> ! {
    loop {
        let _ = riposte::sleep(Duration::from_millis(100_000));
    }
}

/// Takes a message of the layer's client and waits at the next layer's channel.
fn serve(layer: usize) -> u32 {
    let channel = riposte::channel(NAMES[layer]).unwrap();
    let _message = channel.receive_words();
    SERVING.fetch_add(1, Relaxed);
    if let Some(next) = NAMES.get(layer + 1) {
        // All serve by then. The first layer goes first, so that each link is behind the chain's end.
        let _ = riposte::sleep(Duration::from_millis(20 + 2 * layer as u64));
        SERVING.fetch_add(1, Relaxed);
        let _ = riposte::connect(next).unwrap().send_words([]);
    }
    rest()
}

/// Is the other receiver of a layer, and serves nobody.
fn visit(layer: usize) -> u32 {
    let channel = riposte::channel(NAMES[layer]).unwrap();
    let soon = riposte::clock() + Duration::from_millis(1);
    let _ = channel.receive_until(&mut [], Deadline::At(soon));
    rest()
}

fn send(layer: usize) -> u32 {
    let _ = riposte::connect(NAMES[layer]).unwrap().send_words([]);
    rest()
}

fn idle(_: usize) -> u32 {
    loop {
        IDLE_TURNS.fetch_add(1, Relaxed);
    }
}

fn begin(body: fn(usize) -> u32, argument: usize, priority: u8) {
    let started = thread::spawn(body, argument, Settings::new(priority)).unwrap();
    started.detach();
}

#[riposte::main]
fn main() {
    for layer in 0..LAYERS {
        begin(visit, layer, 5);
    }
    let _ = riposte::sleep(Duration::from_millis(20));
    for layer in 0..LAYERS {
        begin(serve, layer, 5);
        begin(send, layer, 4);
    }
    let _ = riposte::sleep(Duration::from_millis(10));
    equal(
        "26 every layer serves a client",
        SERVING.load(Relaxed),
        LAYERS as u32,
    );
    let first = riposte::connect(NAMES[0]).unwrap();
    let send = |milliseconds| {
        let until = riposte::clock() + Duration::from_millis(milliseconds);
        first.send_words_until([1], Deadline::At(until)).err()
    };
    // The chain grows while this thread waits at its beginning, and lends its priority to all of it.
    holds(
        "16 a priority leaves a chain that has grown",
        matches!(send(100), Some(Error::TimedOut)),
    );
    equal(
        "26 each link waits",
        SERVING.load(Relaxed),
        2 * LAYERS as u32 - 1,
    );
    holds(
        "26 nobody begins to wait at a chain that is too long",
        matches!(send(5), Some(Error::Deadlock)),
    );
    begin(idle, 0, 2);
    let _ = riposte::sleep(Duration::from_millis(5));
    let turns = IDLE_TURNS.load(Relaxed);
    holds("16 nobody keeps a priority or spins", turns > 0);
    check::done();
}
