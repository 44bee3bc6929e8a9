//! Runs one emulated board, and streams its console.
//!
//! Virtual time is counted in instructions, so no verdict ever depends on the speed of this
//! machine. The only wall clock here is a generous limit on silence, for a system that neither
//! ends nor prints.

mod console;
mod monitor;

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use miette::miette;

use crate::interrupt;
use console::Lines;
use monitor::Monitor;

/// How often the runner looks whether it was interrupted, and shows an unfinished line.
const POLL: Duration = Duration::from_millis(100);

/// How long to wait, in the time of this machine, for a board that comes to no end. It is generous:
/// it never decides about a board that is only slow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// Without a word.
    pub silence: Duration,
    /// In all.
    pub whole: Duration,
}

impl Patience {
    /// For tests and benchmarks, which take seconds.
    pub const GENEROUS: Patience = Patience {
        silence: Duration::from_secs(120),
        whole: Duration::from_secs(900),
    };

    fn is_over(self, begun: Instant, heard: Instant) -> bool {
        heard.elapsed() > self.silence || begun.elapsed() > self.whole
    }
}

/// What to run, and how.
pub struct Machine {
    /// The emulator and its arguments.
    pub command: Vec<String>,
    /// Where the emulator logs exceptions and marker stores, if it is to.
    pub log: Option<PathBuf>,
    /// Whether this terminal's input goes to the console.
    pub interactive: bool,
    /// How long to wait for its end; `None` is for ever.
    pub patience: Option<Patience>,
}

/// Something that the console said.
pub enum Said<'a> {
    /// A line, without its end.
    Line(&'a str),
    /// The beginning of a line whose end has not come yet. It does not come again.
    Unfinished(&'a str),
}

/// What the observer of the console wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// The run goes on.
    Continue,
    /// The run ends here.
    Stop,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// The application stopped the machine with this code.
    Exit(i32),
    /// The observer asked for it.
    Stopped,
    /// Somebody pressed Ctrl-C.
    Interrupted,
    /// It came to no end; the program counter, if the emulator told it.
    Endless {
        /// Where the board stood.
        at: Option<u32>,
    },
}

/// Runs the machine to its end.
///
/// # Errors
/// If the emulator is missing or cannot be started.
pub fn run(machine: &Machine, mut observe: impl FnMut(Said<'_>) -> Next) -> miette::Result<End> {
    let monitor = Monitor::new();
    let mut child = Owned(start(machine, &monitor)?);
    let output = child.0.stdout.take().expect("standard output is a pipe");
    let bytes = console::read(output);
    let watch = Watch {
        machine,
        monitor: &monitor,
    };
    match watch.stream(&bytes, &mut observe) {
        Some(end) => Ok(end),
        None => child.exit_code().map(End::Exit),
    }
}

/// A child that does not outlive its owner.
struct Owned(Child);

impl Owned {
    fn exit_code(&mut self) -> miette::Result<i32> {
        let status = self
            .0
            .wait()
            .map_err(|error| miette!("lost the emulator: {error}"))?;
        status
            .code()
            .ok_or_else(|| miette!("the emulator was killed: {status}"))
    }
}

impl Owned {
    fn wait_a_moment(&mut self) {
        for _ in 0..10 {
            if !matches!(self.0.try_wait(), Ok(None)) {
                return;
            }
            std::thread::sleep(POLL);
        }
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        if interrupt::asked() {
            // It heard Ctrl-C too, and gives the terminal back in order.
            self.wait_a_moment();
        }
        // An error means that it has ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn start(machine: &Machine, monitor: &Monitor) -> miette::Result<Child> {
    let (emulator, arguments) = machine
        .command
        .split_first()
        .ok_or_else(|| miette!("the board has no run command"))?;
    let mut command = Command::new(emulator);
    command.args(arguments).args(monitor.arguments());
    if let Some(log) = &machine.log {
        command
            .args(["-d", "int,guest_errors,unimp", "-D"])
            .arg(log);
    }
    let input = if machine.interactive {
        Stdio::inherit()
    } else {
        Stdio::null()
    };
    command.stdin(input).stdout(Stdio::piped());
    command.spawn().map_err(|error| {
        miette!(
            help = "`./riposte doctor` says what is missing and how to get it",
            "{emulator} does not run: {error}"
        )
    })
}

struct Watch<'a> {
    machine: &'a Machine,
    monitor: &'a Monitor,
}

impl Watch<'_> {
    /// Hands on what the console says until it closes (`None`) or the run is to end.
    fn stream(
        &self,
        bytes: &Receiver<Vec<u8>>,
        observe: &mut impl FnMut(Said<'_>) -> Next,
    ) -> Option<End> {
        let mut lines = Lines::default();
        let begun = Instant::now();
        let mut heard = begun;
        loop {
            match bytes.recv_timeout(POLL) {
                Ok(chunk) => {
                    heard = Instant::now();
                    if lines.push(&chunk, observe) == Next::Stop {
                        return Some(End::Stopped);
                    }
                }
                Err(RecvTimeoutError::Timeout) => {
                    if self.machine.interactive {
                        lines.show_unfinished(observe);
                    }
                }
                Err(RecvTimeoutError::Disconnected) => {
                    lines.finish(observe);
                    return interrupt::asked().then_some(End::Interrupted);
                }
            }
            if interrupt::asked() {
                return Some(End::Interrupted);
            }
            let patience = self.machine.patience;
            if patience.is_some_and(|patience| patience.is_over(begun, heard)) {
                return Some(End::Endless {
                    at: self.monitor.program_counter(),
                });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, patience: Option<Patience>) -> Machine {
        // The monitor's arguments become the script's, which ignores them.
        let command = ["sh", "-c", script].map(str::to_owned).to_vec();
        Machine {
            command,
            log: None,
            interactive: false,
            patience,
        }
    }

    #[test]
    fn lines_are_streamed_and_the_exit_code_is_the_boards() {
        let mut lines = Vec::new();
        let end = run(&shell("echo one; printf two; exit 7", None), |said| {
            if let Said::Line(line) = said {
                lines.push(line.to_owned());
            }
            Next::Continue
        });
        assert_eq!(end.unwrap(), End::Exit(7));
        assert_eq!(lines, ["one", "two"]);
    }

    #[test]
    fn an_observer_ends_the_run() {
        let end = run(&shell("echo stop; exec sleep 60", None), |_| Next::Stop);
        assert_eq!(end.unwrap(), End::Stopped);
    }

    #[test]
    fn a_board_that_says_nothing_or_never_ends_is_stopped() {
        let (short, long) = (Duration::from_millis(200), Duration::from_secs(60));
        let patience = |silence, whole| Some(Patience { silence, whole });
        for (script, patience) in [
            ("exec sleep 60", patience(short, long)),
            ("while sleep 0.05; do echo on; done", patience(long, short)),
        ] {
            let end = run(&shell(script, patience), |_| Next::Continue);
            assert_eq!(end.unwrap(), End::Endless { at: None });
        }
    }

    #[test]
    fn a_missing_emulator_is_named() {
        let machine = Machine {
            command: vec!["no-such-qemu".into()],
            ..shell("", None)
        };
        let error = run(&machine, |_| Next::Continue).unwrap_err();
        assert!(error.to_string().contains("no-such-qemu"), "{error}");
    }
}
