//! Waits in all ways, and says how each wait ended, and which signal it has handled.
#![no_std]

use core::sync::atomic::{AtomicU32, Ordering};

use riposte::signal::{self, Mask, Set, Signal};
use riposte::sync::Word;
use riposte::{Connection, Duration, Error};

static SIGNAL: AtomicU32 = AtomicU32::new(0);
static WORD: AtomicU32 = AtomicU32::new(0);
static NEVER: Word = Word::new(0);

fn note(signal: Signal, word: u32) {
    SIGNAL.store(signal.number(), Ordering::Relaxed);
    WORD.store(word, Ordering::Relaxed);
}

fn status<T>(outcome: Result<T, Error>) -> u32 {
    outcome.map_or_else(|error| error as u32, |_| 0)
}

/// Computes until it is interrupted. The sum is right only if nothing that it computes with has changed.
fn compute() -> u32 {
    let (mut sum, mut count) = (0_u32, 0_u32);
    let mut product = 1.0_f32;
    while SIGNAL.load(Ordering::Relaxed) == 0 {
        count += 1;
        sum = sum.wrapping_add(count);
        product *= -1.0;
    }
    let expected = count.wrapping_mul(count.wrapping_add(1));
    let sign = if count % 2 == 0 { 1.0 } else { -1.0 };
    u32::from(sum.wrapping_mul(2) != expected || product != sign)
}

fn wait(position: u32, orders: &Connection, slow: &Connection) -> u32 {
    match position {
        0 => compute(),
        1 => status(riposte::channel("own").unwrap().receive(&mut [])),
        2 => status(riposte::sleep(Duration::from_millis(500))),
        3 => status(orders.send_words([])),
        4 => status(riposte::futex::wait(&NEVER, 0)),
        _ => status(slow.send_words([])),
    }
}

/// As many signals wait as can, and the first or the last of them is handled before the others are taken.
fn fill_the_queue(handled: Signal) {
    let numbers = (0..32).filter_map(Signal::queued);
    let all = numbers.clone().fold(Set::of(&[]), Set::with);
    let others = numbers.filter(|it| *it != handled);
    for first in [true, false] {
        let mask = Mask::block(all).unwrap();
        if first {
            signal::raise(handled, 1).unwrap();
        }
        for other in others.clone() {
            signal::raise(other, 1).unwrap();
        }
        if !first {
            signal::raise(handled, 1).unwrap();
        }
        let _ = signal::suspend(mask.before());
        for _ in others.clone() {
            signal::wait(all).unwrap();
        }
    }
}

#[riposte::main]
fn main() {
    let orders = riposte::connect("orders").unwrap();
    let slow = riposte::connect("slow").unwrap();
    let queued = Signal::queued(8).unwrap();
    // SAFETY: it uses atomics alone.
    unsafe { signal::handle(queued, note).unwrap() };
    fill_the_queue(queued);
    for position in 0..6 {
        SIGNAL.store(0, Ordering::Relaxed);
        orders.send_words([position]).unwrap();
        let status = wait(position, &orders, &slow);
        let found = [SIGNAL.load(Ordering::Relaxed), WORD.load(Ordering::Relaxed)];
        let [signal, word] = found;
        orders.send_words([position, status, signal, word]).unwrap();
    }
    loop {
        let _ = riposte::sleep(Duration::from_millis(1000));
    }
}
