//! Where a program's input comes from and its output goes: a file or a pipe, as who has spawned it says, or the console.
//!
//! What it says is the environment: [`INPUT`] and [`OUTPUT`] hold the path of a file, or `|` and the number of a pipe.
//! The program reaches them by its connections `files` and `pipes`.
//!
//! ```no_run
//! use core::fmt::Write;
//! use riposte_stdio::Streams;
//!
//! let streams = Streams::open().unwrap();
//! let mut output = streams.output().unwrap();
//! for argument in streams.arguments().iter() {
//!     writeln!(output, "{argument}").unwrap();
//! }
//! output.finish().unwrap();
//! ```
#![no_std]
#![forbid(unsafe_code)]

mod error;
mod input;
mod output;

pub use error::StreamError;
pub use input::Input;
pub use output::Output;

use riposte::ConnectError;
use riposte::signal::{Mask, Set};
use riposte_files::{FileError, Files, Options};
use riposte_pipe::{PipeError, PipeId, Pipes};
use riposte_process::{Arguments, ProcessError};

/// The name of the input in the environment.
pub const INPUT: &str = "STDIN";
/// The name of the output in the environment.
pub const OUTPUT: &str = "STDOUT";
/// What the number of a pipe stands behind.
pub const PIPE: char = '|';

/// Around a request to a server of files, which does not wait: what a signal cut short would be done all the same, and not
/// known of. Where no process takes signals there is nothing to mask.
fn hold() -> Option<Mask> {
    Mask::block(Set::ALL).ok()
}

/// What a program was given, and the servers of its input and output.
#[derive(Debug)]
pub struct Streams {
    arguments: Arguments,
    files: Result<Files, StreamError>,
    pipes: Result<Pipes, StreamError>,
}

/// Where a stream leads.
enum Place<'a> {
    File(&'a str),
    Pipe(PipeId),
}

impl Streams {
    /// Asks what this program was given. Waits only for the process manager.
    ///
    /// # Errors
    /// As [`Arguments::ask`].
    pub fn open() -> Result<Streams, ProcessError> {
        Ok(Streams {
            arguments: Arguments::ask()?,
            files: Files::connect("files").map_err(|error| match error {
                FileError::Connect(ConnectError::NotInManifest(_)) => StreamError::NoFiles,
                error => error.into(),
            }),
            pipes: Pipes::connect("pipes").map_err(|error| match error {
                PipeError::Connect(ConnectError::NotInManifest(_)) => StreamError::NoPipes,
                error => error.into(),
            }),
        })
    }

    /// The arguments and the environment.
    #[must_use]
    pub fn arguments(&self) -> &Arguments {
        &self.arguments
    }

    fn place(&self, name: &str) -> Result<Option<Place<'_>>, StreamError> {
        let Some(written) = self.arguments.environment(name) else {
            return Ok(None);
        };
        match written.strip_prefix(PIPE) {
            Some(number) => {
                let pipe = number.parse().map_err(|_| StreamError::BadPipe)?;
                Ok(Some(Place::Pipe(pipe)))
            }
            None => Ok(Some(Place::File(written))),
        }
    }

    fn files(&self) -> Result<&Files, StreamError> {
        self.files.as_ref().map_err(|error| *error)
    }

    fn pipes(&self) -> Result<&Pipes, StreamError> {
        self.pipes.as_ref().map_err(|error| *error)
    }

    /// Opens the input: without one, there is nothing to read. Waits only for the server of it.
    ///
    /// # Errors
    /// [`StreamError`].
    pub fn input(&self) -> Result<Input<'_>, StreamError> {
        Ok(match self.place(INPUT)? {
            None => Input::nothing(),
            Some(Place::File(path)) => {
                Input::file(self.files()?.open(path, Options::new().read())?)
            }
            Some(Place::Pipe(pipe)) => Input::pipe(self.pipes()?.reader_of(pipe)?),
        })
    }

    /// Opens the output: without one, it is the console. A file has been made by who has spawned this program; what is
    /// written stands behind what is there. Waits only for the server of it.
    ///
    /// # Errors
    /// [`StreamError`].
    pub fn output(&self) -> Result<Output<'_>, StreamError> {
        Ok(match self.place(OUTPUT)? {
            None => Output::console(),
            Some(Place::File(path)) => {
                Output::file(self.files()?.open(path, Options::new().write().append())?)
            }
            Some(Place::Pipe(pipe)) => {
                Output::pipe(self.pipes()?.writer_of(pipe).map_err(|error| match error {
                    // Whoever was to read has ended, and has taken the pipe along.
                    PipeError::NoSuchPipe => PipeError::NoReader,
                    error => error,
                })?)
            }
        })
    }
}
