//! Why a command has failed.

use core::fmt;

use riposte::interface::CallError;

/// What the person is told.
pub enum Failed {
    /// The command was written otherwise: how it is.
    Usage(&'static str),
    /// There is no process of this kind that the shell may ask: what the manifest needs.
    Missing {
        /// What was looked for.
        what: &'static str,
        /// What to write into the manifest.
        next: &'static str,
    },
    /// A call of the kernel.
    Kernel(riposte::Error),
    /// It has been said already.
    Told,
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failed::Usage(usage) => write!(f, "usage: {usage}"),
            Failed::Missing { what, next } => {
                write!(f, "{what}: in app.toml the shell needs {next}")
            }
            Failed::Kernel(error) => error.fmt(f),
            Failed::Told => Ok(()),
        }
    }
}

impl From<riposte::Error> for Failed {
    fn from(error: riposte::Error) -> Failed {
        Failed::Kernel(error)
    }
}

/// The rest of what an interface can answer is told where it is called.
impl<E> From<CallError<E>> for Failed {
    fn from(error: CallError<E>) -> Failed {
        match error {
            CallError::Kernel(error) => Failed::Kernel(error),
            _ => Failed::Missing {
                what: "the server refuses it",
                next: "a connection to it with the right badge",
            },
        }
    }
}
