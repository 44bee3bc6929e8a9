//! Programs that the tool starts: each has a process group of its own, so that it ends with all that it has
//! started when the tool is asked to end, and by nobody else's Ctrl-C.

use std::collections::BTreeMap;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

use crate::interrupt;

/// The groups of all that runs.
static GROUPS: Mutex<BTreeMap<u32, Ends>> = Mutex::new(BTreeMap::new());

/// What ends a program that does not end by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ends {
    /// The first Ctrl-C: its work is no longer wanted.
    WhenAsked,
    /// Its owner, who may have a question left; a second Ctrl-C at the latest.
    ByOwner,
}

/// A program that runs. Whoever waits for it first reads its outputs to the end.
#[derive(Debug)]
pub struct Running {
    /// The program.
    pub child: Child,
    group: u32,
}

impl Running {
    /// Starts the program.
    ///
    /// # Errors
    /// If it does not start.
    pub fn start(command: &mut Command, ends: Ends) -> io::Result<Running> {
        let mut groups = groups();
        let child = command.process_group(0).spawn()?;
        let group = child.id();
        groups.insert(group, ends);
        if ends == Ends::WhenAsked && interrupt::asked() {
            signal(group, Signal::SIGTERM);
        }
        Ok(Running { child, group })
    }

    /// Sends a signal to it and all that it has started.
    pub fn signal(&self, what: Signal) {
        signal(self.group, what);
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        groups().remove(&self.group);
    }
}

/// Runs the program to its end, with nothing to read, and returns what it printed.
///
/// # Errors
/// If it does not run.
pub fn output(command: &mut Command) -> io::Result<Output> {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut running = Running::start(command, Ends::WhenAsked)?;
    let errors = running.child.stderr.take().map(read_aside);
    let stdout = running.child.stdout.take().map_or(Ok(vec![]), read)?;
    let stderr = errors.map_or(Ok(vec![]), |it| it.join().expect("it only reads"))?;
    let status = running.child.wait()?;
    Ok(Output {
        status,
        stdout,
        stderr,
    })
}

/// Ends what ends when somebody asks; everything at once, if somebody asks again.
pub(crate) fn end(again: bool) {
    for (group, ends) in groups().iter() {
        match (again, ends) {
            (true, _) => signal(*group, Signal::SIGKILL),
            (false, Ends::WhenAsked) => signal(*group, Signal::SIGTERM),
            (false, Ends::ByOwner) => (),
        }
    }
}

fn groups() -> MutexGuard<'static, BTreeMap<u32, Ends>> {
    // The map is whole whatever happens to those who look at it.
    GROUPS.lock().unwrap_or_else(PoisonError::into_inner)
}

fn signal(group: u32, what: Signal) {
    if let Ok(group) = i32::try_from(group) {
        // An error means that it has ended already.
        let _ = killpg(Pid::from_raw(group), what);
    }
}

fn read(mut from: impl io::Read) -> io::Result<Vec<u8>> {
    let mut bytes = vec![];
    from.read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn read_aside(
    from: impl io::Read + Send + 'static,
) -> std::thread::JoinHandle<io::Result<Vec<u8>>> {
    std::thread::spawn(move || read(from))
}
