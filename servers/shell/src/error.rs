//! Why a command has failed.

use core::fmt;

use riposte::ConnectError;
use riposte::interface::CallError;
use riposte_files::FileError;
use riposte_names::NameError;
use riposte_process::ProcessError;
use riposte_stdio::StreamError;

/// What the person is told.
pub enum Failed<'a> {
    /// The command was written otherwise: how it is.
    Usage(&'static str),
    /// The shell may not: what the manifest needs.
    Missing {
        /// What was looked for.
        what: &'static str,
        /// What to write into the manifest.
        next: &'static str,
    },
    /// The manifest gives the shell what was looked for, whose server does not run just now.
    Away(&'static str),
    /// The files server, about a path.
    File(&'a str, FileError),
    /// Where the output goes.
    Stream(&'a str, StreamError),
    /// The process manager, about a program or a child.
    Process(&'a str, ProcessError),
    /// The names server.
    Name(NameError),
    /// A call of the kernel.
    Kernel(riposte::Error),
    /// By Ctrl-C.
    Interrupted,
    /// It has been said already.
    Told,
}

impl Failed<'_> {
    /// Of a connection that could not be had: `what` was looked for, and the manifest needs `next` if it gives none.
    pub fn connect(error: ConnectError, what: &'static str, next: &'static str) -> Self {
        match error {
            ConnectError::NotInManifest(_) => Failed::Missing { what, next },
            ConnectError::Kernel(riposte::Error::ServerDied) => Failed::Away(what),
            ConnectError::Kernel(error) => Failed::Kernel(error),
        }
    }
}

impl fmt::Display for Failed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failed::Usage(usage) => write!(f, "usage: {usage}"),
            Failed::Missing { what, next } => {
                write!(f, "{what}: in app.toml the shell needs {next}")
            }
            Failed::Away(what) => write!(f, "{what}: the server does not run"),
            Failed::File(path, error) => write!(f, "{path}: {error}"),
            Failed::Stream(path, error) => write!(f, "{path}: {error}"),
            Failed::Process("", error) => error.fmt(f),
            Failed::Process(name, error) => write!(f, "{name}: {error}"),
            Failed::Name(error) => error.fmt(f),
            Failed::Kernel(error) => error.fmt(f),
            Failed::Interrupted => f.write_str("ended by Ctrl-C"),
            Failed::Told => Ok(()),
        }
    }
}

impl From<riposte::Error> for Failed<'_> {
    fn from(error: riposte::Error) -> Self {
        Failed::Kernel(error)
    }
}

/// The rest of what an interface can answer is told where it is called.
impl<E> From<CallError<E>> for Failed<'_> {
    fn from(error: CallError<E>) -> Self {
        match error {
            CallError::Kernel(error) => Failed::Kernel(error),
            _ => Failed::Missing {
                what: "the server refuses it",
                next: "a connection to it with the right badge",
            },
        }
    }
}
