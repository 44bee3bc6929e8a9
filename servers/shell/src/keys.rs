//! What is typed, while commands run, too.
//!
//! A thread of its own reads the keys: so that Ctrl-C reaches the programs in front while the shell waits for them, and
//! what is typed meanwhile is there for the next line.

use core::sync::atomic::{AtomicU32, Ordering};

use riposte::console::{ReadError, read_key};
use riposte::print;
use riposte::signal::Signal;
use riposte::sync::Queue;
use riposte::thread::{self, Settings, SpawnError};
use riposte_process::{Pid, Processes};
use shell_line::COMMANDS;

/// Keys that are kept.
const KEPT: usize = 128;
const CTRL_C: u8 = 3;

static KEYS: Queue<Result<u8, ReadError>, KEPT> = Queue::new();
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

/// Does something with these programs in front, beside those that are there already.
pub fn with_in_front<T>(pids: &[Pid], body: impl FnOnce() -> T) -> T {
    let before = IN_FRONT.each_ref().map(|pid| pid.load(Ordering::Relaxed));
    let mut more = pids.iter().filter(|pid| !before.contains(&pid.0));
    for own in IN_FRONT
        .iter()
        .filter(|own| own.load(Ordering::Relaxed) == 0)
    {
        own.store(more.next().map_or(0, |pid| pid.0), Ordering::Relaxed);
    }
    let done = body();
    for (own, pid) in IN_FRONT.iter().zip(before) {
        own.store(pid, Ordering::Relaxed);
    }
    done
}

fn read(_: usize) -> u32 {
    loop {
        let key = read_key();
        if key == Ok(CTRL_C) && interrupt() {
            continue;
        }
        // The last thing that it says.
        let is_over = key.is_err();
        if is_over {
            let _ = KEYS.send(key);
            return 0;
        }
        if KEYS.try_send(key).is_err() {
            print!("\x07");
        }
    }
}

/// Sends those in front a signal. Whether there are some.
fn interrupt() -> bool {
    let pids = IN_FRONT.iter().map(|pid| pid.load(Ordering::Relaxed));
    let mut any = false;
    for pid in pids.filter(|pid| *pid != 0) {
        any = true;
        if let Ok(processes) = Processes::connect() {
            // One that has just ended needs none.
            let _ = processes.kill(Pid(pid), Signal::INTERRUPT);
        }
    }
    any
}
