//! The end of everything that the programs have left running, and of what they have left on the disk.

use core::fmt::Write;

use riposte::signal::Signal;
use riposte::{Deadline, Duration, Text};
use riposte_files::{Files, Kind};
use riposte_process::ProcessError;

use crate::Soak;

/// Ends all programs, and waits for them.
pub fn end_all(soak: &mut Soak) {
    let kill = Signal::from_number(9).unwrap();
    let mut runs = true;
    while runs {
        runs = false;
        let mut next = 0;
        while let Some(listed) = soak.processes.list(next).unwrap() {
            runs = true;
            next = listed.next;
            match soak.processes.kill(listed.pid, kill) {
                // It has ended, or is another one's, who is ended, too.
                Ok(()) | Err(ProcessError::NoSuchProcess | ProcessError::NotAllowed) => {}
                Err(why) => check::broken("all programs can be ended", error_name(why)),
            }
        }
        soak.wait(Deadline::Immediate);
        let _ = riposte::sleep(Duration::from_micros(100));
    }
}

fn error_name(why: ProcessError) -> &'static str {
    match why {
        ProcessError::Kernel(_) => "the process manager has ended",
        _ => "one is refused",
    }
}

/// Removes all files and directories, however they are nested: each has been renamed.
pub fn files() {
    let files = Files::connect("files").unwrap();
    while remove_one(&files) {}
}

/// Removes a file, or a directory that is empty. Whether there was one.
fn remove_one(files: &Files) -> bool {
    let mut room = [0; 128];
    let mut path = Text::new(&mut room);
    loop {
        let folder = if path.as_str().is_empty() {
            "/"
        } else {
            path.as_str()
        };
        let first = files.read_dir(folder).unwrap().next();
        let Some(entry) = first.transpose().unwrap() else {
            break;
        };
        write!(path, "/{}", entry.name()).unwrap();
        if entry.stat.kind == Kind::File {
            break;
        }
    }
    let is_one = !path.as_str().is_empty();
    if is_one {
        files.remove(path.as_str()).unwrap();
    }
    is_one
}
