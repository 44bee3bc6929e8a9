//! Waits at each server that keeps clients waiting, and is interrupted there.
#![no_std]

use core::fmt::Debug;
use core::sync::atomic::{AtomicU32, Ordering};

use check::equal;
use riposte::signal::{self, Signal};
use riposte::sync::Semaphore;
use riposte::{Deadline, Duration, Error, Instant};
use riposte_names::{NameError, Names};
use riposte_network::{Network, NetworkError};
use riposte_pipe::{PipeError, Pipes};
use riposte_process::{Command, ProcessError, Processes};
use riposte_queue::{QueueError, Queues};

/// The judge is about to wait.
static WAITS: Semaphore = Semaphore::new(0);
/// Signals that were handled.
static HANDLED: AtomicU32 = AtomicU32::new(0);

fn note(_: Signal, _: u32) {
    HANDLED.fetch_add(1, Ordering::Relaxed);
}

#[riposte::thread]
fn second() -> ! {
    loop {
        // It is less urgent, so that the server has the judge's message by then.
        if WAITS.take().is_ok() {
            let _ = signal::raise(Signal::USER_1, 0);
        }
    }
}

/// A wait without a deadline, and one with a far one, end as `interrupted` says, each with its signal.
fn interrupt<T: Debug, E: Debug + PartialEq>(
    name: &str,
    interrupted: E,
    wait: impl Fn(Deadline) -> Result<T, E>,
) {
    for deadline in [
        Deadline::None,
        (Instant::now() + Duration::from_secs(1)).into(),
    ] {
        HANDLED.store(0, Ordering::Relaxed);
        WAITS.give().unwrap();
        let found = wait(deadline).err();
        let handled = HANDLED.load(Ordering::Relaxed);
        equal(name, (found.as_ref(), handled), (Some(&interrupted), 1));
    }
}

#[riposte::main]
fn main() {
    // SAFETY: it uses an atomic alone.
    unsafe { signal::handle(Signal::USER_1, note).unwrap() };
    let pipes = Pipes::connect("pipes").unwrap();
    let reader = pipes.reader("empty").unwrap();
    interrupt(
        "a read of a pipe is interrupted",
        PipeError::Kernel(Error::Interrupted),
        |deadline| reader.read_until(&mut [0; 4], deadline),
    );
    let queues = Queues::connect("queues").unwrap();
    let queue = queues.open("empty").unwrap();
    interrupt(
        "so is a receive from a queue",
        QueueError::Kernel(Error::Interrupted),
        |deadline| queue.receive_until(&mut [0; 4], deadline),
    );
    let names = Names::connect().unwrap();
    interrupt(
        "so is a wait for a name",
        NameError::Kernel(Error::Interrupted),
        |deadline| names.locate_until("/nothing", deadline).map(drop),
    );
    let processes = Processes::connect().unwrap();
    let child = processes.spawn(&Command::new("worker").argument("sleep"));
    let child = child.unwrap();
    interrupt(
        "so is one for the end of a child",
        ProcessError::Kernel(Error::Interrupted),
        |deadline| processes.wait_until(child, deadline),
    );
    let network = Network::connect("network").unwrap();
    let port = network.bind(7).unwrap();
    interrupt(
        "so is one for a datagram",
        NetworkError::Kernel(Error::Interrupted),
        |deadline| port.receive_from_until(&mut [0; 4], deadline),
    );
    check::done();
}
