//! Why a stream could not be opened, read or written.

use core::fmt;

use riposte_files::FileError;
use riposte_pipe::PipeError;

/// Why a stream could not be opened, read or written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamError {
    /// The files server's.
    File(FileError),
    /// The pipe server's.
    Pipe(PipeError),
    /// The manifest gives this process no connection `files`.
    NoFiles,
    /// The manifest gives this process no connection `pipes`.
    NoPipes,
    /// What the environment says is not the number of a pipe.
    BadPipe,
}

impl From<FileError> for StreamError {
    fn from(error: FileError) -> StreamError {
        StreamError::File(error)
    }
}

impl From<PipeError> for StreamError {
    fn from(error: PipeError) -> StreamError {
        StreamError::Pipe(error)
    }
}

impl fmt::Display for StreamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StreamError::File(error) => error.fmt(f),
            StreamError::Pipe(error) => error.fmt(f),
            StreamError::NoFiles => f.write_str(
                "the program has no files: in app.toml it needs a [[connection]] `files` to a files server",
            ),
            StreamError::NoPipes => f.write_str(
                "the program has no pipes: in app.toml it needs a [[connection]] `pipes` to a pipe server",
            ),
            StreamError::BadPipe => f.write_str("there is no pipe of that number"),
        }
    }
}

impl core::error::Error for StreamError {}

impl embedded_io::Error for StreamError {
    fn kind(&self) -> embedded_io::ErrorKind {
        match self {
            StreamError::File(error) => error.kind(),
            StreamError::Pipe(error) => error.kind(),
            _ => embedded_io::ErrorKind::NotFound,
        }
    }
}
