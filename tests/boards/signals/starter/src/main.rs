//! Sends signals to a thread that has not executed anything yet.
#![no_std]

use core::sync::atomic::{AtomicU32, Ordering};

use check::equal;
use riposte::signal::{self, Signal};
use riposte::sync::Mutex;
use riposte::thread::{self, Settings};

static WHO: AtomicU32 = AtomicU32::new(0);
static HANDLED: Mutex<u32> = Mutex::new(0);

fn who(_: Signal, _: u32) {
    WHO.store(thread::current_thread().number(), Ordering::Relaxed);
    *HANDLED.lock().unwrap() += 1;
}

#[riposte::main]
fn main() {
    // SAFETY: it uses an atomic, and a mutex that is free where a signal comes.
    unsafe { signal::handle(Signal::USER_1, who).unwrap() };
    let spare = riposte::thread_state(riposte::process_index(), 1).unwrap();
    let unused = riposte::stack_unused(riposte::process_index(), 1).unwrap();
    equal(
        "a spare thread's stack is said without its guard",
        (spare.stack, unused),
        (4096, 4096),
    );
    // In two lives of one thread.
    for life in 1..3 {
        let late = thread::spawn(|_| 0, 0, Settings::new(3)).unwrap();
        signal::raise_in(late.thread(), Signal::USER_1, 0).unwrap();
        let id = late.thread().number();
        late.join().unwrap();
        equal(
            "a handler before its thread's first instruction knows whose it is",
            WHO.load(Ordering::Relaxed),
            id,
        );
        equal("and takes locks as that", *HANDLED.lock().unwrap(), life);
    }
}
