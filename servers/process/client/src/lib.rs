//! Programs that come and go: the client's part.
//!
//! A program of the manifest (`[[program]]`) runs when somebody spawns it who may (`spawns`), as its child: with
//! arguments and an environment, until it ends, which its parent waits for.
//!
//! ```no_run
//! use riposte_process::{Command, Ended, ProcessError, Processes};
//!
//! fn count() -> Result<(), ProcessError> {
//!     let processes = Processes::connect()?;
//!     let child = processes.spawn(&Command::new("count").argument("5"))?;
//!     let end = processes.wait(child)?;
//!     assert_eq!(end.how, Ended::Exited(0));
//!     Ok(())
//! }
//! ```
//!
//! and in the program `count`
//!
//! ```no_run
//! use riposte_process::Arguments;
//!
//! let arguments = Arguments::ask().unwrap();
//! let times: u32 = arguments.get(1).and_then(|text| text.parse().ok()).unwrap_or(1);
//! (0..times).for_each(|number| riposte::println!("{number}"));
//! ```
#![no_std]
#![forbid(unsafe_code)]

mod command;
mod error;
mod listed;
pub mod protocol;

use core::fmt;
use core::str::FromStr;

pub use command::{Arguments, Command};
pub use error::ProcessError;
pub use listed::{Listed, Program};

use protocol::{ARGUMENT_SHIFT, BLOCK, REQUEST, operation, status};
use riposte::abi::fault::reason;
use riposte::signal::Signal;
use riposte::{Connection, Deadline, Status};

/// Name of the connection to the process manager.
const CONNECTION: &str = "process";

/// A connection to the process manager.
#[derive(Debug)]
pub struct Processes {
    connection: Connection,
}

/// Names a program that runs, or has run: no other one is called so later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pid(pub u32);

impl fmt::Display for Pid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for Pid {
    type Err = core::num::ParseIntError;

    fn from_str(text: &str) -> Result<Pid, Self::Err> {
        text.parse().map(Pid)
    }
}

/// The end of a child.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    /// Which child.
    pub pid: Pid,
    /// How it ended.
    pub how: Ended,
}

/// How a program has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// By itself, with this status; 0 if its main function returned.
    Exited(u32),
    /// It was ended because of this signal, or by who may end it without one.
    Killed(Option<Signal>),
    /// It faulted or panicked: why, by [`riposte::abi::fault::reason`].
    Faulted(u32),
}

impl Ended {
    /// Whether it ended as it should: by itself, with status 0.
    #[must_use]
    pub fn is_success(self) -> bool {
        self == Ended::Exited(0)
    }

    fn new([why, status, signal]: [u32; 3]) -> Ended {
        match why {
            reason::EXIT => Ended::Exited(status),
            reason::CONTROLLED => Ended::Killed(Signal::from_number(signal)),
            _ => Ended::Faulted(why),
        }
    }
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ended::Exited(status) => write!(f, "ended with status {}", status.cast_signed()),
            Ended::Killed(Some(signal)) => write!(f, "was ended by signal {}", signal.number()),
            Ended::Killed(None) => f.write_str("was ended"),
            Ended::Faulted(reason::PANIC) => f.write_str("panicked"),
            Ended::Faulted(reason::STACK_OVERFLOW) => f.write_str("overflowed its stack"),
            Ended::Faulted(_) => f.write_str("faulted"),
        }
    }
}

impl Processes {
    /// The process manager of the manifest. Never blocks.
    ///
    /// # Errors
    /// [`ProcessError::Connect`] if this process neither spawns anything nor was spawned.
    pub fn connect() -> Result<Processes, ProcessError> {
        let connection = riposte::connect(CONNECTION).map_err(ProcessError::Connect)?;
        Ok(Processes { connection })
    }

    /// Connects again, to a process manager that has started anew: what this process had spawned is nobody's child.
    /// Never blocks.
    ///
    /// # Errors
    /// [`ProcessError::Kernel`].
    pub fn reconnect(&mut self) -> Result<(), ProcessError> {
        self.connection.reconnect().map_err(ProcessError::Kernel)
    }

    /// Waits until a child has ended, and forgets it.
    ///
    /// # Errors
    /// [`ProcessError::NoSuchChild`] if there is none of that name; [`ProcessError::TooManyWait`];
    /// [`ProcessError::Kernel`] if the process manager can't be asked.
    pub fn wait(&self, child: Pid) -> Result<End, ProcessError> {
        self.wait_until(child, Deadline::None)
    }

    /// As [`Processes::wait`], until a deadline.
    ///
    /// # Errors
    /// [`ProcessError::TimedOut`]; and as [`Processes::wait`].
    pub fn wait_until(
        &self,
        child: Pid,
        deadline: impl Into<Deadline>,
    ) -> Result<End, ProcessError> {
        self.wait_for(child.0, deadline.into())
    }

    /// Waits until any child has ended, and forgets it.
    ///
    /// # Errors
    /// [`ProcessError::NoSuchChild`] if there is none; else as [`Processes::wait`].
    pub fn wait_any(&self) -> Result<End, ProcessError> {
        self.wait_any_until(Deadline::None)
    }

    /// As [`Processes::wait_any`], until a deadline.
    ///
    /// # Errors
    /// [`ProcessError::TimedOut`]; and as [`Processes::wait_any`].
    pub fn wait_any_until(&self, deadline: impl Into<Deadline>) -> Result<End, ProcessError> {
        self.wait_for(0, deadline.into())
    }

    /// `Immediate` is said to the process manager, which would else be asked too late.
    fn wait_for(&self, wanted: u32, deadline: Deadline) -> Result<End, ProcessError> {
        let (flag, deadline) = match deadline {
            Deadline::Immediate => (operation::TRY, Deadline::None),
            deadline => (0, deadline),
        };
        let request = [operation::WAIT | flag, wanted];
        let reply = self.connection.send_words_until(request, deadline);
        let reply = reply.map_err(ProcessError::from_kernel)?;
        if reply.status != Status::OK {
            return Err(ProcessError::from_status(reply.status));
        }
        let [pid, how @ .., _] = reply.words;
        Ok(End {
            pid: Pid(pid),
            how: Ended::new(how),
        })
    }

    /// Sends a signal to a program that this process has spawned; or to one that has no parent, if this process may spawn
    /// it. One that takes no signals is ended by each of them, and any by number 9. Waits only for the process manager.
    ///
    /// # Errors
    /// [`ProcessError::NoSuchProcess`] if it does not run, [`ProcessError::NotAllowed`] if it is another one's child,
    /// [`ProcessError::TooManySignals`]; [`ProcessError::Kernel`] if the process manager can't be asked.
    pub fn kill(&self, pid: Pid, signal: Signal) -> Result<(), ProcessError> {
        let number = signal.number() as usize;
        self.call(operation::KILL, number, pid.0, &[], &mut [], Deadline::None)?;
        Ok(())
    }

    /// Whether a program runs to which this process could send a [signal](Processes::kill). Waits only for the process
    /// manager.
    ///
    /// # Errors
    /// [`ProcessError::NotAllowed`] if it is another one's child; [`ProcessError::Kernel`] if the process manager can't be
    /// asked.
    pub fn is_running(&self, pid: Pid) -> Result<bool, ProcessError> {
        let reply = self.connection.send_words([operation::KILL, pid.0]);
        let reply = reply.map_err(ProcessError::from_kernel)?;
        match reply.status {
            Status::OK => Ok(true),
            status::NO_SUCH_PROCESS => Ok(false),
            status => Err(ProcessError::from_status(status)),
        }
    }

    fn call(
        &self,
        word: u32,
        argument: usize,
        second: u32,
        bytes: &[u8],
        answer: &mut [u8],
        deadline: Deadline,
    ) -> Result<usize, ProcessError> {
        let mut request = [0; REQUEST + BLOCK];
        let word = word | (argument as u32) << ARGUMENT_SHIFT;
        let request = lay_out(&mut request, [word, second], bytes)?;
        let reply = self.connection.send_until(request, answer, deadline);
        let reply = reply.map_err(ProcessError::from_kernel)?;
        match reply.status {
            Status::OK => Ok(reply.len),
            status => Err(ProcessError::from_status(status)),
        }
    }
}

/// The request, in `room`.
fn lay_out<'a>(
    room: &'a mut [u8],
    [first, second]: [u32; 2],
    bytes: &[u8],
) -> Result<&'a [u8], ProcessError> {
    let length = REQUEST + bytes.len();
    let request = room.get_mut(..length).ok_or(ProcessError::TooLong)?;
    let (words, rest) = request.split_at_mut(REQUEST);
    let (low, high) = words.split_at_mut(REQUEST / 2);
    low.copy_from_slice(&first.to_le_bytes());
    high.copy_from_slice(&second.to_le_bytes());
    rest.copy_from_slice(bytes);
    Ok(request)
}
