//! Takes a lock and gives it up, again and again. In its system no two threads have memory in common: the kernel
//! has no calls for locks, and none may be needed.
#![no_std]

use riposte::sync::{Mutex, Semaphore};
use riposte::{Duration, Error, Instant};

/// How often: some hundred interrupts come between the instructions that take it or give it up.
const TIMES: u32 = 30_000;

#[riposte::main]
fn main() {
    let count = Mutex::new(0);
    let refusals = (0..TIMES)
        .filter_map(|_| match count.lock() {
            Ok(mut count) => {
                *count += 1;
                None
            }
            Err(error) => Some(error),
        })
        .count();
    check::equal(
        "a lock that nobody has is taken whatever interrupts",
        refusals,
        0,
    );
    check::equal(
        "and is given up",
        count.lock().map(|count| *count),
        Ok(TIMES),
    );
    let held = count.lock();
    check::equal(
        "a lock that the thread itself has is refused",
        count.lock().map(drop),
        Err(Error::Deadlock),
    );
    drop(held);
    let none = Semaphore::new(0);
    let deadline = Instant::now() + Duration::from_millis(1);
    check::equal(
        "who waits for a unit that nobody can give waits until its deadline",
        (none.take_until(deadline), Instant::now() >= deadline),
        (Err(Error::TimedOut), true),
    );
    check::equal(
        "and what it gives itself afterwards is there",
        (none.give(), none.units(), none.try_take()),
        (Ok(()), 1, true),
    );
}
