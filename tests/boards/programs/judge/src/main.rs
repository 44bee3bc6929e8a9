//! Spawns programs, waits for their ends, and tries what is refused.
#![no_std]

mod ends;
mod refusals;

use core::sync::atomic::{AtomicU32, Ordering};

use check::{equal, holds};
use riposte::abi::fault::reason;
use riposte::signal::Signal;
use riposte::{Connection, Deadline, Duration, Instant};
use riposte_process::{Command, End, Ended, Pid, ProcessError, Processes};

/// What the second thread is to do: nothing, wait for any child, or restart the manager.
static ORDER: AtomicU32 = AtomicU32::new(NOTHING);
pub(crate) const NOTHING: u32 = 0;
pub(crate) const WAIT: u32 = 1;
pub(crate) const BREAK: u32 = 2;
/// The child that it has been told of; 0 of none yet, 1 of an error.
pub(crate) static TOLD: AtomicU32 = AtomicU32::new(0);

/// Instances of `worker`.
pub(crate) const WORKERS: u32 = 3;

#[riposte::main]
fn main() {
    let mut processes = Processes::connect().unwrap();
    beginning(&processes);
    lives(&processes);
    given(&processes);
    waiting(&processes);
    refusals::quotas(&processes);
    refusals::rights(&processes);
    refusals::requests();
    ends::signals(&processes);
    ends::orphans(&processes);
    ends::many(&processes);
    ends::restart(&mut processes);
    ends::signal_of_a_restart(&mut processes);
    check::done();
}

#[riposte::thread]
fn second() -> ! {
    loop {
        let _ = riposte::sleep(Duration::from_millis(1));
        let order = ORDER.load(Ordering::Relaxed);
        ORDER.store(NOTHING, Ordering::Relaxed);
        match order {
            WAIT => {
                let told = Processes::connect().unwrap().wait_any();
                TOLD.store(told.map_or(1, |end| end.pid.0), Ordering::Relaxed);
            }
            BREAK => riposte::process("process").unwrap().restart(),
            _ => {}
        }
    }
}

pub(crate) fn order_second(order: u32) {
    ORDER.store(order, Ordering::Relaxed);
}

/// What the rival answers: a code, and a name.
pub(crate) fn order(to: &Connection, order: u32, pid: u32) -> (u32, u32) {
    let [code, name, ..] = to.send_words([order, pid]).unwrap().words;
    (code, name)
}

pub(crate) fn worker(does: &str) -> Command {
    Command::new("worker").argument(does)
}

/// How a child ends.
pub(crate) fn end_of(processes: &Processes, command: &Command) -> Result<Ended, ProcessError> {
    let child = processes.spawn(command)?;
    processes.wait(child).map(|end| end.how)
}

/// How many instances of `worker` are nobody's.
pub(crate) fn free(processes: &Processes) -> u32 {
    let mut next = 0;
    while let Some(program) = processes.programs(next).unwrap() {
        if program.name() == "worker" {
            return program.free;
        }
        next = program.next;
    }
    u32::MAX
}

fn beginning(processes: &Processes) {
    equal(
        "nothing runs before it is spawned",
        processes.list(0),
        Ok(None),
    );
    let mut names = (0, true);
    let mut next = 0;
    while let Some(program) = processes.programs(next).unwrap() {
        let expected = match program.name() {
            "worker" => WORKERS,
            "polite" | "nest" => 1,
            _ => 0,
        };
        names.0 += 1;
        names.1 &= program.instances == expected && program.free == expected;
        next = program.next;
    }
    equal("one sees the programs that one may spawn", names, (3, true));
}

fn lives(processes: &Processes) {
    let exit = |status: &str| end_of(processes, &worker("exit").argument(status));
    let threads = end_of(processes, &worker("thread"));
    equal(
        "a program starts threads from its first life on",
        threads,
        Ok(Ended::Exited(42)),
    );
    let plain = end_of(processes, &Command::new("worker"));
    equal("a program runs and ends", plain, Ok(Ended::Exited(0)));
    equal("its status is told", exit("3"), Ok(Ended::Exited(3)));
    equal(
        "whatever it is",
        exit("4294967295"),
        Ok(Ended::Exited(u32::MAX)),
    );
    let first = end_of(processes, &worker("count"));
    let again = end_of(processes, &worker("count"));
    equal(
        "each life has fresh memory",
        (first, again),
        (Ok(Ended::Exited(7)), Ok(Ended::Exited(7))),
    );
    equal(
        "a panic is told",
        end_of(processes, &worker("panic")),
        Ok(Ended::Faulted(reason::PANIC)),
    );
    let [one, two] = [(); 2].map(|()| {
        let child = processes.spawn(&worker("pid")).unwrap();
        let end = processes.wait(child).unwrap();
        equal("a child knows its name", end.how, Ended::Exited(child.0));
        equal("its parent is told of that one", end.pid, child);
        child
    });
    holds("no other one is called so", one != two);
}

fn given(processes: &Processes) {
    let command = worker("check")
        .argument("two words")
        .argument("")
        .argument("é");
    let command = command
        .environment("HOME", "/ram")
        .environment("EMPTY", "")
        .environment("EQUAL", "a=b")
        .environment("HOME", "/other");
    equal(
        "arguments and environment are what they were",
        end_of(processes, &command),
        Ok(Ended::Exited(0)),
    );
    equal(
        "those of another life are gone",
        end_of(processes, &Command::new("worker")),
        Ok(Ended::Exited(0)),
    );
    let long = core::str::from_utf8(&[b'x'; 248]).unwrap_or_default();
    // The name and two zeros take eight more.
    let longest = Command::new("worker").argument(long);
    equal(
        "as long as there is room",
        end_of(processes, &longest),
        Ok(Ended::Exited(99)),
    );
    let too_long = longest.clone().environment("A", "");
    equal(
        "and no longer",
        processes.spawn(&too_long),
        Err(ProcessError::TooLong),
    );
    for bad in [
        worker("a\0b"),
        worker("a\0b").argument("c"),
        longest.argument("a").argument("b"),
        Command::new("worker").environment("A=B", ""),
    ] {
        equal(
            "what is no text of a list is refused",
            processes.spawn(&bad),
            Err(ProcessError::TooLong),
        );
    }
    equal("what is refused runs nowhere", free(processes), WORKERS);
}

fn waiting(processes: &Processes) {
    let child = processes.spawn(&worker("short")).unwrap();
    let immediate = processes.wait_until(child, Deadline::Immediate);
    equal(
        "one that runs has not ended",
        immediate,
        Err(ProcessError::TimedOut),
    );
    let soon = Instant::now() + Duration::from_micros(200);
    let late = processes.wait_until(child, Deadline::At(soon));
    equal("nor at a deadline", late, Err(ProcessError::TimedOut));
    let end = Ok(End {
        pid: child,
        how: Ended::Exited(0),
    });
    equal("one waits until it has", processes.wait(child), end);
    equal(
        "and is told once",
        processes.wait(child),
        Err(ProcessError::NoSuchChild),
    );
    equal(
        "without a child nobody waits",
        processes.wait_any(),
        Err(ProcessError::NoSuchChild),
    );

    let slow = processes.spawn(&worker("sleep")).unwrap();
    let quick = processes.spawn(&worker("short")).unwrap();
    equal(
        "of several the first that ends is told",
        processes.wait_any().map(|end| end.pid),
        Ok(quick),
    );
    // The second thread takes what this one waits for.
    order_second(WAIT);
    let _ = riposte::sleep(Duration::from_millis(3));
    let other = processes.spawn(&worker("short")).unwrap();
    let own = processes.wait(other);
    equal(
        "whoever waits for it first is told",
        TOLD.load(Ordering::Relaxed),
        other.0,
    );
    equal(
        "and another one that it is no more",
        own,
        Err(ProcessError::NoSuchChild),
    );
    let _ = processes.kill(slow, Signal::TERMINATE);
    let _ = processes.wait(slow);
    equal(
        "a name that there never was",
        processes.wait(Pid(u32::MAX)),
        Err(ProcessError::NoSuchChild),
    );
}
