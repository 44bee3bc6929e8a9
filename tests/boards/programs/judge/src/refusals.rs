//! What is refused, and changes nothing.

use check::{equal, holds};
use riposte::signal::Signal;
use riposte_process::protocol::{BLOCK, REQUEST, operation, status};
use riposte_process::{Arguments, Command, Pid, ProcessError, Processes};

use crate::{WORKERS, free, order, worker};

/// What the rival says.
const NOT_ALLOWED: u32 = 2;
const TOO_MANY_CHILDREN: u32 = 4;
const NO_SUCH_CHILD: u32 = 5;

/// Spawns sleepers until one is refused; what has been spawned.
fn fill(processes: &Processes) -> ([Option<Pid>; 8], Option<ProcessError>) {
    let mut all = [None; 8];
    for place in &mut all {
        match processes.spawn(&worker("sleep")) {
            Ok(pid) => *place = Some(pid),
            Err(error) => return (all, Some(error)),
        }
    }
    (all, None)
}

fn end_all(processes: &Processes, all: [Option<Pid>; 8]) {
    for pid in all.into_iter().flatten() {
        let _ = processes.kill(pid, Signal::TERMINATE);
        let _ = processes.wait(pid);
    }
}

pub fn quotas(processes: &Processes) {
    let rival = riposte::connect("rival").unwrap();
    let (all, refused) = fill(processes);
    let count = all.iter().flatten().count() as u32;
    equal(
        "a program has so many instances",
        (count, refused),
        (WORKERS, Some(ProcessError::NoInstance)),
    );
    equal(
        "another program is not in the way",
        crate::end_of(processes, &Command::new("polite")).map(|_| ()),
        Ok(()),
    );
    end_all(processes, all);
    equal("what has ended is free", free(processes), WORKERS);

    let (first, pid) = order(&rival, 0, 0);
    equal("a process has its own children", first, 0);
    equal(
        "and so many at once",
        order(&rival, 0, 0).0,
        TOO_MANY_CHILDREN,
    );
    let own = processes.spawn(&worker("exit")).unwrap();
    let _ = processes.wait(own);
    holds("which others do not feel", own != Pid(pid));
    equal("it ends its own", order(&rival, 3, pid).0, 0);
    // Until it has waited, the child that has ended counts.
    equal(
        "one that it has not waited for counts",
        order(&rival, 0, 0).0,
        TOO_MANY_CHILDREN,
    );
    equal("it waits for its own", order(&rival, 2, pid), (0, pid));
    let (again, next) = order(&rival, 0, 0);
    equal("and may have another one", again, 0);
    order(&rival, 3, next);
    order(&rival, 2, next);
}

pub fn rights(processes: &Processes) {
    let rival = riposte::connect("rival").unwrap();
    equal(
        "what is not in the image is not spawned",
        processes.spawn(&Command::new("work")).map(|_| ()),
        Err(ProcessError::NoSuchProgram),
    );
    equal(
        "nor the program of another name",
        processes.spawn(&Command::new("")).map(|_| ()),
        Err(ProcessError::NoSuchProgram),
    );
    equal(
        "what one may not, one does not spawn",
        processes.spawn(&Command::new("secret")).map(|_| ()),
        Err(ProcessError::NotAllowed),
    );
    equal(
        "a pattern means what begins so",
        order(&rival, 1, 0).0,
        NOT_ALLOWED,
    );
    let child = processes.spawn(&worker("sleep")).unwrap();
    equal(
        "another one's child is not ended",
        order(&rival, 3, child.0).0,
        NOT_ALLOWED,
    );
    equal("nor waited for", order(&rival, 2, child.0).0, NO_SUCH_CHILD);
    equal(
        "but seen by who may spawn it",
        order(&rival, 4, 0),
        (0, child.0),
    );
    let polite = processes
        .spawn(&Command::new("polite").argument("signal"))
        .unwrap();
    let _ = processes.kill(child, Signal::TERMINATE);
    let _ = processes.wait(child);
    equal("and not by others", order(&rival, 4, 0), (0, 0));
    let _ = processes.kill(polite, Signal::TERMINATE);
    let _ = processes.wait(polite);
    equal(
        "who was not spawned was given nothing",
        Arguments::ask().map(|_| ()),
        Err(ProcessError::NoProgram),
    );
}

/// Requests that the library does not make.
pub fn requests() {
    let process = riposte::connect("process").unwrap();
    let send = |first: u32, second: u32, bytes: &[u8]| {
        let mut request = [0; REQUEST + BLOCK + 1];
        let length = REQUEST + bytes.len();
        request[..4].copy_from_slice(&first.to_le_bytes());
        request[4..REQUEST].copy_from_slice(&second.to_le_bytes());
        request[REQUEST..length].copy_from_slice(bytes);
        process
            .send(&request[..length], &mut [])
            .map(|reply| reply.status)
    };
    let bad = Ok(status::BAD_REQUEST);
    const ONE: u32 = 1 << 16;
    for (first, bytes) in [
        (operation::SPAWN, &b"worker\0"[..]),
        (operation::SPAWN | ONE, b"worker"),
        (operation::SPAWN | ONE, b""),
        (operation::SPAWN | (2 * ONE), b"worker\0"),
        (operation::SPAWN | 0xFFFF_0000, b"worker\0"),
        (operation::SPAWN | operation::TRY | ONE, b"worker\0"),
        (operation::SPAWN | ONE, &[b'x'; BLOCK]),
        (operation::SPAWN | ONE, &[0; BLOCK + 1]),
        (operation::WAIT, b"\0"),
        (operation::WAIT | operation::DETACHED, b""),
        (operation::KILL, b"\0"),
        (operation::KILL | (64 * ONE), b""),
        (operation::ARGUMENTS, b"\0"),
        (operation::PARENT, b"\0"),
        (7, b""),
        (0xFF, b""),
        (0x8000, b""),
    ] {
        equal("what makes no sense is refused", send(first, 1, bytes), bad);
    }
    let asked = send(operation::KILL, 1, b"");
    let nobody = Ok(status::NO_SUCH_PROCESS);
    equal("no signal asks whether a program runs", asked, nobody);
    let short = process.send(&[0; 4], &mut []).map(|reply| reply.status);
    equal("and what is too short", short, bad);
    equal(
        "a list ends",
        send(operation::LIST | 0xFFFF_0000, 0, b""),
        Ok(status::OVER),
    );
    equal(
        "so does that of programs",
        send(operation::PROGRAMS | 0xFFFF_0000, 0, b""),
        Ok(status::OVER),
    );
    equal(
        "no name is that of a child",
        send(operation::KILL | (15 * ONE), 0, b""),
        Ok(status::NO_SUCH_PROCESS),
    );
    equal(
        "zeros name nothing",
        send(operation::SPAWN | ONE, 0, &[0; BLOCK]),
        Ok(status::NO_SUCH_PROGRAM),
    );
}
