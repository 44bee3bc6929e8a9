//! What an emulator says besides its console.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::ChildStderr;
use std::thread::JoinHandle;

use miette::miette;

use super::End;

/// The exit code of an emulator that cannot run, if it says why; else it is the application's.
const REFUSED: i32 = 1;

/// What it says when a signal ends it. It ends with 0 then.
const SIGNALLED: &str = ": terminating on signal ";

/// Whether a line is that of an emulator that a signal ends.
pub(crate) fn is_signalled(line: &str) -> bool {
    line.contains(SIGNALLED)
}

/// What an emulator says on its standard error.
pub(super) struct Complaints {
    reader: JoinHandle<Vec<String>>,
}

impl Complaints {
    /// Hands on what comes, in a thread of its own, and keeps what `program` says of itself.
    pub(super) fn collect(errors: ChildStderr, program: &str) -> Complaints {
        let name = Path::new(program).file_name().unwrap_or_default();
        let prefix = format!("{}: ", name.to_string_lossy());
        let reader = std::thread::spawn(move || {
            let mut own = vec![];
            let lines = BufReader::new(errors).split(b'\n').map_while(Result::ok);
            for line in lines {
                let line = String::from_utf8_lossy(&line).into_owned();
                eprintln!("{line}");
                let told = line.strip_prefix(&prefix);
                if told.is_some_and(|it| !it.starts_with("warning: ")) {
                    own.push(line);
                }
            }
            own
        });
        Complaints { reader }
    }

    /// What the exit code means, by what was said.
    pub(super) fn end(self, code: i32) -> miette::Result<End> {
        let own = self.reader.join().unwrap_or_default();
        let signalled = own.iter().find(|line| is_signalled(line));
        match (code, signalled.or(own.last())) {
            (REFUSED, Some(line)) => Err(miette!("{line}")),
            (_, Some(line)) if is_signalled(line) => Err(miette!("{line}")),
            _ => Ok(End::Exit(code)),
        }
    }
}
