//! What is typed, while commands run, too.
//!
//! A thread of its own reads the keys: so that Ctrl-C ends the command that runs, and reaches the programs in front while
//! the shell waits for them; and what is typed meanwhile is there for the next line.

use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use riposte::console::{ReadError, read_key};
use riposte::signal::Signal;
use riposte::sync::{Queue, Word};
use riposte::thread::{self, Settings, SpawnError};
use riposte::{ConnectError, Duration, Error, Instant, futex, print, println};
use riposte_process::{Pid, Processes};
use shell_line::COMMANDS;

use crate::error::Failed;

/// Keys that are kept.
const KEPT: usize = 128;
const CTRL_C: u8 = 3;
/// Ctrl-\, which ends what does not end by Ctrl-C.
const CTRL_BACKSLASH: u8 = 0x1C;
/// `SIGKILL`.
pub const KILL: Option<Signal> = Signal::from_number(9);
/// How long a key waits for room among those that are kept, while commands are done that were pasted before it.
const PATIENCE: Duration = Duration::from_millis(500);
/// How long the next read waits after one that was refused.
const PAUSE: Duration = Duration::from_millis(10);

static KEYS: Queue<Result<u8, ReadError>, KEPT> = Queue::new();
/// Whether a command runs: Ctrl-C is about it, and not about the next line.
static RUNS: AtomicBool = AtomicBool::new(false);
/// 1 once Ctrl-C was typed since the last command has begun.
static INTERRUPTED: Word = Word::new(0);
/// The programs in front: their PIDs, or 0.
static IN_FRONT: [AtomicU32; COMMANDS] = [const { AtomicU32::new(0) }; COMMANDS];

/// Begins to read.
///
/// # Errors
/// [`SpawnError`] if the manifest gives the shell no thread for it.
pub fn start() -> Result<(), SpawnError> {
    thread::spawn(read, 0, settings()).map(thread::JoinHandle::detach)
}

/// How the shell's other threads run: at its own priority.
pub fn settings() -> Settings {
    let own = thread::priority(thread::current_thread());
    Settings::new(own.unwrap_or(1))
}

/// The next key.
pub fn next() -> Result<u8, ReadError> {
    KEYS.receive().unwrap_or(Err(ReadError::WouldBlock))
}

/// Runs a command: Ctrl-C is about it meanwhile.
pub fn with_command<T>(body: impl FnOnce() -> T) -> T {
    INTERRUPTED.store(0);
    RUNS.store(true, Ordering::Relaxed);
    let done = body();
    RUNS.store(false, Ordering::Relaxed);
    done
}

/// What a command asks between its steps, if they can be many.
///
/// # Errors
/// [`Failed::Interrupted`] once Ctrl-C was typed since it has begun.
pub fn go_on() -> Result<(), Failed<'static>> {
    match INTERRUPTED.load() {
        0 => Ok(()),
        _ => Err(Failed::Interrupted),
    }
}

/// A command waits so long.
///
/// # Errors
/// As [`go_on`], at once; and as the kernel has it.
pub fn sleep(time: Duration) -> Result<(), Failed<'static>> {
    let end = Instant::now() + time;
    loop {
        go_on()?;
        match futex::wait_until(&INTERRUPTED, 0, end) {
            Err(Error::TimedOut) => return Ok(()),
            Ok(()) | Err(Error::WouldBlock) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Does something with these programs in front, beside those that are there already.
pub fn with_in_front<T>(pids: &[Pid], body: impl FnOnce() -> T) -> T {
    let before = IN_FRONT.each_ref().map(|pid| pid.load(Ordering::Relaxed));
    let mut more = pids.iter().filter(|pid| !before.contains(&pid.0));
    for own in IN_FRONT
        .iter()
        .filter(|own| own.load(Ordering::Relaxed) == 0)
    {
        own.store(more.next().map_or(0, |pid| pid.0), Ordering::SeqCst);
    }
    // Ctrl-C found nobody in front if it came since the command has begun.
    if go_on().is_err() {
        signal_those_in_front(Signal::INTERRUPT);
    }
    let done = body();
    for (own, pid) in IN_FRONT.iter().zip(before) {
        own.store(pid, Ordering::Relaxed);
    }
    done
}

/// Whether there are any.
pub fn have_in_front() -> bool {
    IN_FRONT.iter().any(|pid| pid.load(Ordering::Relaxed) != 0)
}

fn read(_: usize) -> u32 {
    let mut is_patient = true;
    loop {
        let key = read_key();
        match key {
            Ok(CTRL_C) if interrupt(Signal::INTERRUPT) => {}
            Ok(CTRL_BACKSLASH) if KILL.is_some_and(interrupt) => {}
            // Behind one that has waited in vain the others don't wait: Ctrl-C may be among them.
            Ok(_) => {
                let patience = if is_patient { PATIENCE } else { Duration::ZERO };
                is_patient = KEYS.send_until(key, Instant::now() + patience).is_ok();
                if !is_patient {
                    print!("\x07");
                }
            }
            // The last thing that it says.
            Err(error) if is_for_good(error) => {
                let _ = KEYS.send(key);
                return 0;
            }
            // Others have all places of readers, or the console's process has not begun anew yet.
            Err(_) => {
                let _ = riposte::sleep(PAUSE);
            }
        }
    }
}

/// Whether no read will ever bring a key: so the manifest has it.
fn is_for_good(error: ReadError) -> bool {
    matches!(
        error,
        ReadError::NoInput | ReadError::Connect(ConnectError::NotInManifest(_))
    )
}

/// Ends the command that runs, and sends the programs in front a signal. Whether one runs.
fn interrupt(signal: Signal) -> bool {
    if !RUNS.load(Ordering::Relaxed) {
        return false;
    }
    // Once more: the programs in front go on whatever they have been sent.
    if INTERRUPTED.load() != 0 && signal == Signal::INTERRUPT && have_in_front() {
        println!("Ctrl-\\ ends what does not end by Ctrl-C");
    }
    INTERRUPTED.store(1);
    // It fails at what is no memory of the process.
    let _ = futex::wake(&INTERRUPTED, 1);
    signal_those_in_front(signal);
    true
}

fn signal_those_in_front(signal: Signal) {
    let pids = IN_FRONT.iter().map(|pid| pid.load(Ordering::SeqCst));
    for pid in pids.filter(|pid| *pid != 0) {
        if let Ok(processes) = Processes::connect() {
            // One that has just ended needs none.
            let _ = processes.kill(Pid(pid), signal);
        }
    }
}
