//! Spawns, ends and restarts at random, and counts before and after how much of each thing there is.
#![no_std]

mod figures;
mod reaper;
mod tidy;

use core::fmt::Write;

use check::{Digest, Random, holds};
use riposte::abi::fault::reason;
use riposte::signal::Signal;
use riposte::{Deadline, Duration, Error, Instant, Text, println};
use riposte_process::{Command, End, Ended, Pid, ProcessError, Processes};

/// The programs, in the manifest's order.
pub(crate) const PROGRAMS: [&str; 8] = [
    "piper", "namer", "filer", "signaled", "writer", "reader", "parent", "leaf",
];
/// The servers, in the manifest's order.
pub(crate) const SERVERS: [&str; 6] = ["console", "process", "names", "logs", "pipes", "files"];

/// The high half of a status that says that something came of a call which must not.
const BROKEN: u32 = 0xBAD0;
/// What a program says that was told to panic.
const TOLD_TO: &[u8] = b"it was told to";

/// What has happened.
pub(crate) struct Soak {
    pub random: Random,
    pub digest: Digest,
    pub processes: Processes,
    /// Children that this has spawned and not waited for.
    children: [Option<Pid>; 32],
    /// How many have been spawned.
    spawned: u32,
    /// How many have ended in each way: by themselves, by a fault, by others.
    ended: [u32; 3],
    /// How often something went wrong.
    wrong: u32,
}

#[riposte::main]
fn main() {
    let seed = riposte::setting("seed").unwrap();
    let steps = riposte::setting("steps").unwrap();
    let mut soak = Soak {
        random: Random::new(seed),
        digest: Digest::new(),
        processes: Processes::connect().unwrap(),
        children: [None; 32],
        spawned: 0,
        ended: [0; 3],
        wrong: 0,
    };
    let before = figures::count(&mut soak);
    figures::say(&before);
    reaper::begin(seed);
    for step in 0..steps {
        if step == steps / 2 {
            reaper::spare_servers();
        }
        soak.step();
        if step % 100 == 0 {
            println!("after {step} steps: {:08x}", soak.digest.value());
        }
    }
    let [restarts, stops, ends] = reaper::end();
    tidy::end_all(&mut soak);
    tidy::files();
    let spawned = soak.spawned;
    let [exited, faulted, killed] = soak.ended;
    println!(
        "{spawned} spawned: {exited} exited, {faulted} faulted, {killed} were ended; {restarts} servers restarted, {stops} processes stopped in the midst"
    );
    println!("digest {:08x}", soak.digest.value() ^ ends);
    println!("time {}", Instant::now().as_nanos());
    holds("nothing went wrong", soak.wrong == 0);
    holds(
        "programs ended in each way",
        soak.ended.iter().all(|it| *it > 0),
    );
    holds("servers were restarted", restarts > 0);
    figures::servers_have_ended(restarts);
    let after = figures::count(&mut soak);
    figures::compare(&before, &after);
    check::done();
}

impl Soak {
    fn step(&mut self) {
        match self.random.below(16) {
            0..8 => self.spawn(),
            8..11 => self.kill(),
            _ => self.wait(Deadline::Immediate),
        }
        // So that the others run.
        let pause = u64::from(self.random.below(600));
        let _ = riposte::sleep(Duration::from_micros(pause));
    }

    fn spawn(&mut self) {
        let program = PROGRAMS[self.random.below(PROGRAMS.len() as u32) as usize];
        let mut room = [0; 12];
        let mut number = Text::new(&mut room);
        let _ = write!(number, "{}", self.random.word());
        let mut command = Command::new(program).argument(number.as_str());
        let is_detached = self.random.below(8) == 0;
        if is_detached {
            command = command.detached();
        }
        let spawned = self.processes.spawn(&command);
        let spawned = self.meets(spawned, |error| {
            matches!(
                error,
                ProcessError::NoInstance | ProcessError::TooManyChildren
            )
        });
        if let Some(pid) = spawned {
            self.spawned += 1;
            self.digest.add(pid.0);
            let free = self.children.iter_mut().find(|child| child.is_none());
            if let Some(free) = free.filter(|_| !is_detached) {
                *free = Some(pid);
            }
        }
    }

    fn kill(&mut self) {
        let child = self.random.below(32) as usize;
        let signal = [9, 15, 10, 32][self.random.below(4) as usize];
        if let (Some(child), Some(signal)) = (self.children[child], Signal::from_number(signal)) {
            let killed = self.processes.kill(child, signal);
            self.meets(killed, |error| {
                matches!(
                    error,
                    ProcessError::NoSuchProcess | ProcessError::TooManySignals
                )
            });
        }
    }

    /// Waits for the end of any child.
    pub fn wait(&mut self, deadline: Deadline) {
        let end = self.processes.wait_any_until(deadline);
        let end = self.meets(end, |error| {
            matches!(error, ProcessError::NoSuchChild | ProcessError::TimedOut)
        });
        if let Some(end) = end {
            self.has_ended(end);
        }
    }

    fn has_ended(&mut self, End { pid, how }: End) {
        for child in &mut self.children {
            if *child == Some(pid) {
                *child = None;
            }
        }
        self.digest.add(pid.0);
        let _ = write!(self.digest, "{how:?}");
        match how {
            Ended::Exited(status) => {
                self.ended[0] += 1;
                if status >> 16 == BROKEN {
                    self.goes_wrong(pid, format_args!("line {}", status & 0xFFFF));
                }
            }
            Ended::Faulted(why) => {
                self.ended[1] += 1;
                if !is_meant(pid, why) {
                    self.goes_wrong(pid, format_args!("fault {why}"));
                }
            }
            Ended::Killed(_) => self.ended[2] += 1,
        }
    }

    fn goes_wrong(&mut self, pid: Pid, what: core::fmt::Arguments<'_>) {
        self.wrong += 1;
        let process = riposte::name_of_process(process_of(pid)).unwrap_or_default();
        println!("{process}: {what}");
    }

    /// The outcome of a request, which is told. A process manager that has ended is found again.
    fn meets<T>(
        &mut self,
        outcome: Result<T, ProcessError>,
        may_be: impl Fn(&ProcessError) -> bool,
    ) -> Option<T> {
        match outcome {
            Ok(value) => Some(value),
            Err(error) => {
                let _ = write!(self.digest, "{error:?}");
                // The other thread may have reconnected before.
                let is_old = matches!(
                    error,
                    ProcessError::Kernel(Error::ServerDied | Error::BadHandle)
                );
                if is_old && self.processes.reconnect().is_ok() {
                    self.children = [None; 32];
                } else if !may_be(&error) {
                    self.wrong += 1;
                    println!("judge: {error:?}");
                }
                None
            }
        }
    }
}

/// The process in which a child runs.
fn process_of(pid: Pid) -> u32 {
    (pid.0 - 1) & 0xFF
}

/// Whether a program has faulted as it was told to. The record is that of its last life until somebody spawns it again.
fn is_meant(pid: Pid, why: u32) -> bool {
    let record = riposte::fault_record(process_of(pid));
    let said = |text: &[u8]| text.windows(TOLD_TO.len()).any(|it| it == TOLD_TO);
    why == reason::STACK_OVERFLOW
        || why == reason::PANIC && record.is_ok_and(|record| said(&record.text))
}
