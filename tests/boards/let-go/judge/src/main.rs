//! Waits at each server that keeps clients waiting, and is interrupted there.
#![no_std]

use core::fmt::Debug;
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use check::equal;
use riposte::signal::{self, Signal};
use riposte::sync::{Mutex, Semaphore};
use riposte::{Deadline, Duration, Error, Instant, ThreadId};
use riposte_files::{Files, Options};
use riposte_names::{NameError, Names};
use riposte_network::{Network, NetworkError};
use riposte_pipe::{PipeError, Pipes, Reader};
use riposte_process::{Command, ProcessError, Processes};
use riposte_queue::{QueueError, Queues};
use riposte_stdio::{Input, Output};

/// The judge is about to wait.
static WAITS: Semaphore = Semaphore::new(0);
/// Signals that were handled.
static HANDLED: AtomicU32 = AtomicU32::new(0);

fn note(_: Signal, _: u32) {
    HANDLED.fetch_add(1, Ordering::Relaxed);
}

/// The pipe is to be read, or written, when the signal has come.
static DRAINS: AtomicBool = AtomicBool::new(false);
static FILLS: AtomicBool = AtomicBool::new(false);

#[riposte::thread]
fn second() -> ! {
    loop {
        // It is less urgent, so that the server has the judge's message by then.
        if WAITS.take().is_ok() {
            // The judge may go on before this thread does.
            let drains = DRAINS.load(Ordering::Relaxed);
            let fills = FILLS.load(Ordering::Relaxed);
            let _ = signal::raise(Signal::USER_1, 0);
            if drains {
                let pipes = Pipes::connect("pipes").unwrap();
                let _ = pipes.reader("empty").unwrap().read(&mut [0; 8]);
            }
            if fills {
                let pipes = Pipes::connect("pipes").unwrap();
                let _ = pipes.writer("empty").unwrap().write(b"come");
            }
        }
    }
}

/// There is to be much for the server of pipes to do.
static BUSY: Semaphore = Semaphore::new(0);
static IS_DONE: AtomicBool = AtomicBool::new(false);
/// A signal is to be raised in the judge, after so many nanoseconds; and it has been.
static RAISE: Semaphore = Semaphore::new(0);
static AFTER: AtomicU32 = AtomicU32::new(0);
static RAISED: Semaphore = Semaphore::new(0);
static JUDGE: Mutex<Option<ThreadId>> = Mutex::new(None);

#[riposte::thread]
fn busy() -> ! {
    let _ = BUSY.take();
    let pipes = Pipes::connect("pipes").unwrap();
    let reader = pipes.reader("much").unwrap();
    let writer = pipes.writer("much").unwrap();
    let mut much = [0; 256];
    while !IS_DONE.load(Ordering::Relaxed) {
        assert_eq!(writer.write(&much), Ok(256));
        assert_eq!(reader.read(&mut much), Ok(256));
    }
    drop((reader, writer));
    loop {
        let _ = BUSY.take();
    }
}

#[riposte::thread]
fn raiser() -> ! {
    loop {
        let _ = RAISE.take();
        let _ = riposte::sleep(Duration::from_nanos(AFTER.load(Ordering::Relaxed).into()));
        if let Ok(judge) = JUDGE.lock()
            && let Some(judge) = *judge
        {
            let _ = signal::raise_in(judge, Signal::USER_1, 0);
        }
        let _ = RAISED.give();
    }
}

/// A signal is raised in the judge so many nanoseconds from now.
fn raise_after(nanoseconds: u32) {
    AFTER.store(nanoseconds, Ordering::Relaxed);
    RAISE.give().unwrap();
}

/// Waits until it has been, whatever interrupts that.
fn await_raised() {
    while RAISED.take().is_err() {}
}

/// Of four ends that the process may have it has one, and the busy thread two.
fn close_amid_signals(pipes: &Pipes) {
    *JUDGE.lock().unwrap() = Some(riposte::current_thread());
    HANDLED.store(0, Ordering::Relaxed);
    BUSY.give().unwrap();
    let turns = 200;
    let mut opened = 0;
    for turn in 0..turns {
        // The server is somewhere in a request of the less urgent thread's.
        riposte::sleep(Duration::from_micros(100 + u64::from(turn % 7) * 3)).unwrap();
        let end = pipes.writer("empty");
        opened += u32::from(end.is_ok());
        riposte::sleep(Duration::from_micros(100 + u64::from(turn % 11) * 2)).unwrap();
        raise_after(turn * 200);
        drop(end);
        await_raised();
    }
    IS_DONE.store(true, Ordering::Relaxed);
    let handled = HANDLED.load(Ordering::Relaxed);
    equal(
        "an end that is dropped amid a signal is closed",
        (opened, handled),
        (turns, turns),
    );
}

/// What is printed waits for room in a pipe when a signal comes.
fn print_amid_a_signal(pipes: &Pipes, reader: &Reader<'_>) {
    let writer = pipes.writer("empty").unwrap();
    assert_eq!(writer.write(&[b'.'; 8]), Ok(8));
    let mut output = Output::pipe(writer);
    DRAINS.store(true, Ordering::Relaxed);
    WAITS.give().unwrap();
    output.bytes(b"whole\n");
    DRAINS.store(false, Ordering::Relaxed);
    let (handled, mut line) = (HANDLED.swap(0, Ordering::Relaxed), [0; 8]);
    equal(
        "what is printed goes on when a signal was handled",
        (handled, output.failed().is_none()),
        (1, true),
    );
    let count = reader.read(&mut line);
    equal("and comes", (count, &line[..6]), (Ok(6), &b"whole\n"[..]));
}

/// A signal comes somewhere in what is done to print lines into a file.
fn print_into_a_file_amid_signals() {
    let files = Files::connect("files").unwrap();
    let file = files
        .open("/printed", Options::new().read().write().create())
        .unwrap();
    let mut output = Output::file(file);
    let (turns, mut printed) = (50, 0);
    for turn in 0..turns {
        raise_after(100_000 + turn * 3_000);
        while HANDLED.load(Ordering::Relaxed) == turn && printed < 10_000 {
            output.bytes(b"\n");
            printed += 1;
        }
        await_raised();
    }
    let handled = HANDLED.swap(0, Ordering::Relaxed);
    equal(
        "what is printed into a file goes on when a signal was handled",
        (handled, output.failed().is_none()),
        (turns, true),
    );
    let size = files.stat("/printed").map(|it| it.size);
    equal("and is there once", size, Ok(printed));
}

/// A signal comes somewhere in what is done to read a file.
fn read_a_file_amid_signals() {
    let files = Files::connect("files").unwrap();
    let options = Options::new().read().write().create();
    let file = files.open("/numbers", options).unwrap();
    let count = 2_000u32;
    for number in 0..count {
        assert_eq!(file.write(&number.to_le_bytes()), Ok(4));
    }
    let (turns, mut read, mut differ) = (50, 0, 0);
    for turn in 0..turns {
        raise_after(100_000 + turn * 3_000);
        while HANDLED.load(Ordering::Relaxed) == turn {
            let input = Input::file(files.open("/numbers", Options::new().read()).unwrap());
            for number in 0..count {
                if HANDLED.load(Ordering::Relaxed) != turn {
                    break;
                }
                let mut bytes = [0; 4];
                let outcome = input.read(&mut bytes);
                differ += u32::from((outcome, bytes) != (Ok(4), number.to_le_bytes()));
                read += 1;
            }
        }
        await_raised();
    }
    let handled = HANDLED.swap(0, Ordering::Relaxed);
    equal(
        "what is read of a file goes on when a signal was handled, and is all there",
        (handled, differ, read > turns),
        (turns, 0, true),
    );
}

/// What is read waits for bytes in a pipe when a signal comes, and for those that come then.
fn read_amid_a_signal(pipes: &Pipes) {
    let input = Input::pipe(pipes.reader("empty").unwrap());
    // As long as somebody may write it has not ended.
    let _writer = pipes.writer("empty").unwrap();
    FILLS.store(true, Ordering::Relaxed);
    WAITS.give().unwrap();
    let mut bytes = [0; 8];
    let outcome = input.read(&mut bytes);
    FILLS.store(false, Ordering::Relaxed);
    let handled = HANDLED.swap(0, Ordering::Relaxed);
    equal(
        "what is read of a pipe goes on when a signal was handled",
        (handled, outcome, &bytes[..4]),
        (1, Ok(4), &b"come"[..]),
    );
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
    close_amid_signals(&pipes);
    HANDLED.store(0, Ordering::Relaxed);
    print_amid_a_signal(&pipes, &reader);
    read_amid_a_signal(&pipes);
    print_into_a_file_amid_signals();
    read_a_file_amid_signals();
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
