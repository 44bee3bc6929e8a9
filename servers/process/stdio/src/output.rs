//! Where a program's output goes.

use core::fmt;

use riposte::{Error, Line, print};
use riposte_files::{File, FileError};
use riposte_pipe::{PipeError, Writer};

use crate::{StreamError, hold};

/// Bytes that are sent at once.
const PIECE: usize = 96;

/// The console, a line at a time; a file; or a pipe. What is written last is sent by [`Output::finish`], or when it is
/// dropped.
pub struct Output<'a> {
    line: Line<PIECE>,
    to: To<'a>,
    /// Why not all of it was sent.
    failed: Option<StreamError>,
}

#[derive(Debug)]
enum To<'a> {
    Console,
    File(File<'a>),
    Pipe(Writer<'a>),
}

impl<'a> Output<'a> {
    fn new(to: To<'a>) -> Output<'a> {
        Output {
            line: Line::new(),
            to,
            failed: None,
        }
    }

    /// To the console.
    #[must_use]
    pub fn console() -> Output<'a> {
        Output::new(To::Console)
    }

    /// To a file.
    #[must_use]
    pub fn file(file: File<'a>) -> Output<'a> {
        Output::new(To::File(file))
    }

    /// To a pipe.
    #[must_use]
    pub fn pipe(writer: Writer<'a>) -> Output<'a> {
        Output::new(To::Pipe(writer))
    }

    /// Bytes, whatever they are. The console shows what is no text as dots.
    pub fn bytes(&mut self, bytes: &[u8]) {
        for byte in bytes {
            if self.line.push(&[*byte]) == 0 {
                self.flush_characters();
                self.line.push(&[*byte]);
            }
            if *byte == b'\n' {
                self.flush();
            }
        }
    }

    /// Sends what there is, but for the beginning of a character whose rest is to come.
    fn flush_characters(&mut self) {
        let bytes = self.line.bytes();
        let whole = match core::str::from_utf8(bytes) {
            Err(end) if end.error_len().is_none() => end.valid_up_to(),
            _ => bytes.len(),
        };
        let mut beginning = Line::<4>::new();
        beginning.push(bytes.get(whole..).unwrap_or_default());
        self.send(whole);
        self.line.push(beginning.bytes());
    }

    /// Sends what there is.
    pub fn flush(&mut self) {
        self.send(self.line.bytes().len());
    }

    /// Sends the first bytes of what there is, and forgets all.
    fn send(&mut self, length: usize) {
        let bytes = self.line.bytes().get(..length).unwrap_or_default();
        if self.failed.is_none() {
            self.failed = self.to.send(bytes).err();
        }
        self.line.clear();
    }

    /// Why not all of it was sent, if so. Nothing more is, then.
    #[must_use]
    pub fn failed(&self) -> Option<StreamError> {
        self.failed
    }

    /// Sends the rest.
    ///
    /// # Errors
    /// What [`Output::failed`] says.
    pub fn finish(mut self) -> Result<(), StreamError> {
        self.flush();
        self.failed.map_or(Ok(()), Err)
    }
}

impl To<'_> {
    /// Sends all, however little is taken at once.
    fn send(&self, mut bytes: &[u8]) -> Result<(), StreamError> {
        while !bytes.is_empty() {
            let count = match self {
                To::Console => {
                    show(bytes);
                    bytes.len()
                }
                To::File(file) => {
                    let _held = hold();
                    file.write(bytes)?
                }
                To::Pipe(writer) => match writer.write(bytes) {
                    // A signal was handled, and nothing was written: as at the console, the text goes on.
                    Err(PipeError::Kernel(Error::Interrupted)) => continue,
                    outcome => outcome?,
                },
            };
            if count == 0 {
                return Err(FileError::NoSpace.into());
            }
            bytes = bytes.get(count..).unwrap_or_default();
        }
        Ok(())
    }
}

impl fmt::Debug for Output<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Output").field(&self.to).finish()
    }
}

impl Drop for Output<'_> {
    fn drop(&mut self) {
        self.flush();
    }
}

impl fmt::Write for Output<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.bytes(text.as_bytes());
        self.failed.map_or(Ok(()), |_| Err(fmt::Error))
    }
}

impl embedded_io::ErrorType for Output<'_> {
    type Error = StreamError;
}

impl embedded_io::Write for Output<'_> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, StreamError> {
        self.bytes(bytes);
        self.failed.map_or(Ok(bytes.len()), Err)
    }

    fn flush(&mut self) -> Result<(), StreamError> {
        Output::flush(self);
        self.failed.map_or(Ok(()), Err)
    }
}

/// Shows bytes on the console: what is no text as dots.
fn show(bytes: &[u8]) {
    for chunk in bytes.utf8_chunks() {
        print!("{}", chunk.valid());
        if !chunk.invalid().is_empty() {
            print!(".");
        }
    }
}
