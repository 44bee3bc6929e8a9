//! Where a program's input comes from.

use riposte::Error;
use riposte_files::File;
use riposte_pipe::{PipeError, Reader};

use crate::{StreamError, hold};

/// A file, a pipe, or nothing.
#[derive(Debug)]
pub struct Input<'a>(From<'a>);

#[derive(Debug)]
enum From<'a> {
    Nothing,
    File(File<'a>),
    Pipe(Reader<'a>),
}

impl<'a> Input<'a> {
    /// There is nothing to read.
    #[must_use]
    pub fn nothing() -> Input<'a> {
        Input(From::Nothing)
    }

    /// From a file.
    #[must_use]
    pub fn file(file: File<'a>) -> Input<'a> {
        Input(From::File(file))
    }

    /// From a pipe.
    #[must_use]
    pub fn pipe(reader: Reader<'a>) -> Input<'a> {
        Input(From::Pipe(reader))
    }

    /// Reads bytes, at most as many as there is room for; none at the end. Waits for a pipe's writer, on behind signals that
    /// are handled meanwhile.
    ///
    /// # Errors
    /// [`StreamError::File`], [`StreamError::Pipe`].
    pub fn read(&self, bytes: &mut [u8]) -> Result<usize, StreamError> {
        Ok(match &self.0 {
            From::Nothing => 0,
            From::File(file) => {
                let _held = hold();
                file.read(bytes)?
            }
            From::Pipe(reader) => loop {
                match reader.read(bytes) {
                    // Nothing was taken.
                    Err(PipeError::Kernel(Error::Interrupted)) => {}
                    outcome => break outcome?,
                }
            },
        })
    }
}

impl embedded_io::ErrorType for Input<'_> {
    type Error = StreamError;
}

impl embedded_io::Read for Input<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> Result<usize, StreamError> {
        Input::read(self, bytes)
    }
}
