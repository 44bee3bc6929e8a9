//! A thread that is more urgent than the servers: it stops programs and restarts servers wherever they are.

use core::fmt::Write;
use core::sync::atomic::{AtomicU32, Ordering};

use check::{Digest, Random};
use riposte::Duration;
use riposte::signal::Signal;
use riposte::sync::Word;
use riposte_process::{ProcessError, Processes};

use crate::SERVERS;
use crate::figures::INSTANCES;

/// The seed, as long as it is to go on; 0 if it is not.
static SEED: AtomicU32 = AtomicU32::new(0);
/// It is asleep until there is a seed.
static RESTS: AtomicU32 = AtomicU32::new(1);
/// Whether it restarts servers, too.
static IS_HARSH: AtomicU32 = AtomicU32::new(1);
static RESTARTS: Word = Word::new(0);
static STOPS: Word = Word::new(0);
static DIGEST: AtomicU32 = AtomicU32::new(0);

/// Lets it begin.
pub fn begin(seed: u32) {
    RESTS.store(0, Ordering::Relaxed);
    SEED.store(seed.max(1), Ordering::Relaxed);
}

/// From now on it restarts no servers: what these forget to give back stays away, and is found.
pub fn spare_servers() {
    IS_HARSH.store(0, Ordering::Relaxed);
}

/// Has it stop. How many servers it has restarted and programs it has stopped; and what follows from which.
pub fn end() -> [u32; 3] {
    SEED.store(0, Ordering::Relaxed);
    while RESTS.load(Ordering::Relaxed) == 0 {
        let _ = riposte::sleep(Duration::from_millis(1));
    }
    [
        RESTARTS.load(),
        STOPS.load(),
        DIGEST.load(Ordering::Relaxed),
    ]
}

#[riposte::thread]
fn reaper() -> ! {
    loop {
        let seed = SEED.load(Ordering::Relaxed);
        if seed != 0 {
            reap(seed);
            RESTS.store(1, Ordering::Relaxed);
        }
        let _ = riposte::sleep(Duration::from_millis(1));
    }
}

fn reap(seed: u32) {
    let mut random = Random::new(!seed);
    let mut digest = Digest::new();
    let mut processes = Processes::connect().unwrap();
    while SEED.load(Ordering::Relaxed) != 0 {
        // At any instruction of whoever runs then.
        let pause = u64::from(random.below(1_200_000));
        let _ = riposte::sleep(Duration::from_nanos(pause));
        if random.below(12) == 0 && IS_HARSH.load(Ordering::Relaxed) == 1 {
            restart(&mut random, &mut digest);
        } else {
            stop(&mut random, &mut digest, &mut processes);
        }
    }
    DIGEST.store(digest.value(), Ordering::Relaxed);
}

fn restart(random: &mut Random, digest: &mut Digest) {
    let name = SERVERS[random.below(SERVERS.len() as u32) as usize];
    riposte::process(name).unwrap().restart();
    RESTARTS.add(1);
    let _ = digest.write_str(name);
}

/// Ends a program that is this process's child, or nobody's: its servers may be in the midst of what it asks.
fn stop(random: &mut Random, digest: &mut Digest, processes: &mut Processes) {
    let from = random.below(INSTANCES as u32) as u16;
    let kill = |pid| match Signal::from_number(9) {
        Some(signal) => processes.kill(pid, signal),
        None => Ok(()),
    };
    let mut listed = processes.list(from);
    if listed == Ok(None) {
        listed = processes.list(0);
    }
    let outcome = match listed {
        Ok(Some(listed)) => {
            digest.add(listed.pid.0);
            kill(listed.pid)
        }
        Ok(None) => return,
        Err(why) => Err(why),
    };
    match outcome {
        Ok(()) => {
            STOPS.add(1);
        }
        // It has ended, or is a child of a program.
        Err(ProcessError::NoSuchProcess | ProcessError::NotAllowed) => digest.add(1),
        Err(why) => {
            let _ = write!(digest, "{why:?}");
            let _ = processes.reconnect();
        }
    }
}
