//! Programs that are ended, parents that end, and a manager that begins anew.

use check::{equal, holds};
use riposte::signal::{self, Set, Signal};
use riposte::{Deadline, Duration, Error, Instant};
use riposte_process::{Command, Ended, Pid, ProcessError, Processes};

use crate::{BREAK, WORKERS, end_of, free, order, order_second, worker};

const KILL: Option<Signal> = Signal::from_number(9);

pub fn signals(processes: &Processes) {
    let ended = |command: &Command, signal: Signal| {
        let child = processes.spawn(command).unwrap();
        let _ = riposte::sleep(Duration::from_millis(2));
        equal(
            "a child takes a signal",
            processes.kill(child, signal),
            Ok(()),
        );
        let end = processes.wait(child).map(|end| end.how);
        (child, end)
    };
    let (child, end) = ended(&worker("sleep"), Signal::INTERRUPT);
    equal(
        "one without signals is ended by it",
        end,
        Ok(Ended::Killed(Some(Signal::INTERRUPT))),
    );
    equal(
        "and no more there",
        processes.kill(child, Signal::INTERRUPT),
        Err(ProcessError::NoSuchProcess),
    );
    let polite = Command::new("polite").argument("signal");
    let (_, end) = ended(&polite, Signal::TERMINATE);
    equal("one with signals takes it", end, Ok(Ended::Exited(15)));
    let (_, end) = ended(&polite, KILL.unwrap());
    equal("but for number 9", end, Ok(Ended::Killed(KILL)));
    // It has not begun when it is ended.
    let child = processes.spawn(&worker("sleep")).unwrap();
    let _ = processes.kill(child, Signal::TERMINATE);
    let end = processes.wait(child).map(|end| end.how);
    equal(
        "one that has just been spawned is ended, too",
        end,
        Ok(Ended::Killed(Some(Signal::TERMINATE))),
    );
}

/// Whose child this is; nothing if it does not run.
fn parent_of(processes: &Processes, pid: Pid) -> Option<Option<u32>> {
    let mut next = 0;
    while let Some(listed) = processes.list(next).unwrap() {
        if listed.pid == pid {
            return Some(listed.parent);
        }
        next = listed.next;
    }
    None
}

pub fn orphans(processes: &Processes) {
    let rival = riposte::connect("rival").unwrap();
    let (_, pid) = order(&rival, 0, 0);
    let child = Pid(pid);
    holds(
        "a child has its parent",
        parent_of(processes, child).flatten().is_some(),
    );
    equal(
        "and is not others' to end",
        processes.kill(child, Signal::TERMINATE),
        Err(ProcessError::NotAllowed),
    );
    riposte::process("rival").unwrap().restart();
    let _ = riposte::sleep(Duration::from_millis(2));
    equal(
        "it outlives its parent",
        parent_of(processes, child),
        Some(None),
    );
    equal(
        "whoever may spawn it ends it then",
        processes.kill(child, Signal::TERMINATE),
        Ok(()),
    );
    let _ = riposte::sleep(Duration::from_millis(2));
    equal("nobody is left of it", free(processes), WORKERS);

    let mut rival = rival;
    rival.reconnect().unwrap();
    let (_, pid) = order(&rival, 0, 0);
    order(&rival, 3, pid);
    let _ = riposte::sleep(Duration::from_millis(2));
    equal(
        "one that has ended waits for its parent",
        free(processes),
        WORKERS - 1,
    );
    riposte::process("rival").unwrap().restart();
    let _ = riposte::sleep(Duration::from_millis(2));
    equal("and goes with it", free(processes), WORKERS);

    let nest = Command::new("nest").argument("nest");
    let orphan = match end_of(processes, &nest) {
        Ok(Ended::Exited(pid)) => Pid(pid),
        other => {
            equal("a program has children", other, Ok(Ended::Exited(1)));
            Pid(0)
        }
    };
    equal("which outlive it", parent_of(processes, orphan), Some(None));
    let _ = processes.kill(orphan, Signal::TERMINATE);
    let _ = riposte::sleep(Duration::from_millis(2));

    let alone = processes.spawn(&worker("short").detached()).unwrap();
    equal(
        "nobody waits for one that is nobody's",
        processes.wait(alone),
        Err(ProcessError::NoSuchChild),
    );
    let _ = riposte::sleep(Duration::from_millis(5));
    equal("its place is free when it ends", free(processes), WORKERS);
}

pub fn many(processes: &Processes) {
    let good = (0..50).filter(|_| end_of(processes, &worker("count")) == Ok(Ended::Exited(7)));
    equal("so it goes on and on", good.count(), 50);
    equal(
        "and nothing is left",
        (free(processes), processes.list(0)),
        (WORKERS, Ok(None)),
    );
}

pub fn restart(processes: &mut Processes) {
    let child = processes.spawn(&worker("sleep")).unwrap();
    let asks = processes.spawn(&worker("ask")).unwrap();
    order_second(BREAK);
    equal(
        "who waits learns that the manager has ended",
        processes.wait(child),
        Err(ProcessError::Kernel(Error::ServerDied)),
    );
    processes.reconnect().unwrap();
    equal(
        "a program outlives it under its name",
        parent_of(processes, child),
        Some(None),
    );
    equal(
        "as nobody's child",
        processes.wait(child),
        Err(ProcessError::NoSuchChild),
    );
    equal("its place is taken", free(processes), WORKERS - 2);
    let _ = riposte::sleep(Duration::from_millis(10));
    equal(
        "what it was given is not known any more",
        parent_of(processes, asks),
        Some(None),
    );
    let _ = processes.kill(asks, Signal::TERMINATE);
    equal(
        "it can be ended",
        processes.kill(child, Signal::TERMINATE),
        Ok(()),
    );
    let next = processes.spawn(&worker("exit")).unwrap();
    let _ = processes.wait(next);
    holds("no other one is called so", next != child);
    let _ = riposte::sleep(Duration::from_millis(2));
    equal(
        "nothing is left of it",
        (free(processes), processes.list(0)),
        (WORKERS, Ok(None)),
    );
    equal(
        "and what is spawned now ends as ever",
        end_of(processes, &worker("exit").argument("5")),
        Ok(Ended::Exited(5)),
    );
}

/// Nobody learns of the ends of children that are nobody's: so a parent is told to look.
pub fn signal_of_a_restart(processes: &mut Processes) {
    let children = Set::of(&[Signal::CHILD]);
    // That of all children so far.
    let _ = signal::wait_until(children, Deadline::Immediate);
    let _ = processes.spawn(&worker("short"));
    riposte::process("process").unwrap().restart();
    let soon = Instant::now() + Duration::from_millis(100);
    let told = signal::wait_until(children, soon).map(|it| it.signal);
    equal(
        "who waits for a child's signal gets it when the manager begins anew",
        told,
        Ok(Signal::CHILD),
    );
    let _ = processes.reconnect();
    equal(
        "and finds that it has none any more",
        processes.wait_any().map(|end| end.how),
        Err(ProcessError::NoSuchChild),
    );
    let _ = riposte::sleep(Duration::from_millis(5));
    equal(
        "whose end is told to nobody",
        signal::wait_until(children, Deadline::Immediate).map(|it| it.signal),
        Err(Error::WouldBlock),
    );
}
