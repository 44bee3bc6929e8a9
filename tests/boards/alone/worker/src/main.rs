//! Takes a lock and gives it up, again and again. In its system no two threads have memory in common: the kernel
//! has no calls for locks, and none may be needed.
#![no_std]

use riposte::Error;
use riposte::sync::Mutex;

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
}
