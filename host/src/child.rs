//! Programs that the tool starts: each has a process group of its own, so that it ends with all that it has
//! started when the tool is asked to end, and by nobody else's Ctrl-C; but for one that shares the terminal. A tool that is
//! killed leaves none of them.

use std::collections::BTreeMap;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::{interrupt, reaper};

/// All that runs, as a signal is sent to it: a group has its number with a minus, as everywhere in POSIX.
static ALL: Mutex<BTreeMap<Pid, Ends>> = Mutex::new(BTreeMap::new());

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
    signalled: Pid,
}

impl Running {
    /// Starts the program.
    ///
    /// # Errors
    /// If it does not start.
    pub fn start(command: &mut Command, ends: Ends) -> io::Result<Running> {
        Running::begin(command.process_group(0), ends, |id| -id)
    }

    /// Starts the program in the tool's own group, so that it shares the terminal.
    ///
    /// # Errors
    /// If it does not start.
    pub fn start_in_terminal(command: &mut Command, ends: Ends) -> io::Result<Running> {
        Running::begin(command, ends, |id| id)
    }

    fn begin(
        command: &mut Command,
        ends: Ends,
        signalled: impl FnOnce(i32) -> i32,
    ) -> io::Result<Running> {
        let mut all = all();
        let child = command.spawn()?;
        let signalled = Pid::from_raw(signalled(child.id().cast_signed()));
        all.insert(signalled, ends);
        tell(&all);
        if ends == Ends::WhenAsked && interrupt::asked() {
            signal(signalled, Signal::SIGTERM);
        }
        Ok(Running { child, signalled })
    }

    /// Sends a signal to it and all that it has started; to one that shares the terminal, only to it.
    pub fn signal(&self, what: Signal) {
        signal(self.signalled, what);
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let mut all = all();
        all.remove(&self.signalled);
        tell(&all);
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
    for (whom, ends) in all().iter() {
        match (again, ends) {
            (true, _) => signal(*whom, Signal::SIGKILL),
            (false, Ends::WhenAsked) => signal(*whom, Signal::SIGTERM),
            (false, Ends::ByOwner) => (),
        }
    }
}

fn all() -> MutexGuard<'static, BTreeMap<Pid, Ends>> {
    // The map is whole whatever happens to those who look at it.
    ALL.lock().unwrap_or_else(PoisonError::into_inner)
}

fn tell(all: &BTreeMap<Pid, Ends>) {
    reaper::tell(all.keys().map(|it| it.as_raw()));
}

fn signal(whom: Pid, what: Signal) {
    // An error means that it has ended already.
    let _ = kill(whom, what);
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
