//! What is typed at the console.

use core::fmt;
use core::sync::atomic::Ordering;

use riposte_abi::Error;
use zerocopy::IntoBytes;

use super::protocol::{self, status};
use crate::{ConnectError, Deadline, Status};

/// Bytes of the longest line, with its end. What is typed beyond is not taken: the terminal beeps.
pub const LONGEST_LINE: usize = 256;

/// Why nothing was read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum ReadError {
    /// The manifest does not give the console's process the interrupt of its receiver.
    NoInput,
    /// The console's server keeps as many readers waiting as `readers` in its `settings` says (4 if it does not).
    TooManyReaders,
    /// The buffer has no room for a byte.
    NoRoom,
    /// Nothing is there that could be read without waiting.
    WouldBlock,
    /// There was nothing until the deadline.
    TimedOut,
    /// The line is not UTF-8. It is lost.
    NotText,
    /// The manifest gives this process no connection `console`, or the kernel refused to send there:
    /// [`Error::ServerDied`] if the console's process has ended.
    Connect(ConnectError),
    /// The server says something that this library does not know.
    Other(Status),
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ReadError::NoInput => {
                "the console takes no input: add interrupts = [\"uart0-receive\"] to its process in app.toml"
            }
            ReadError::TooManyReaders => {
                "as many readers wait as the console keeps: raise `readers` in the `settings` of its process in app.toml"
            }
            ReadError::NoRoom => "the buffer has no room for a byte",
            ReadError::WouldBlock => "nothing was typed yet",
            ReadError::TimedOut => "nothing was typed until the deadline",
            ReadError::NotText => "what was typed is not UTF-8",
            ReadError::Connect(error) => return fmt::Display::fmt(error, f),
            ReadError::Other(status) => return fmt::Display::fmt(status, f),
        })
    }
}

impl fmt::Debug for ReadError {
    /// As `Display`: it is what a failed `expect` puts into the fault report.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl core::error::Error for ReadError {}

impl ReadError {
    fn of(error: ConnectError) -> ReadError {
        match error {
            ConnectError::Kernel(Error::TimedOut) => ReadError::TimedOut,
            error => ReadError::Connect(error),
        }
    }

    fn from_status(found: Status) -> ReadError {
        match found {
            status::NO_INPUT => ReadError::NoInput,
            status::TOO_MANY_READERS => ReadError::TooManyReaders,
            status::NOTHING => ReadError::WouldBlock,
            other => ReadError::Other(other),
        }
    }
}

/// Waits for a line and returns it, with its end `\n`. What does not fit into `buffer` comes with the next read
/// (a buffer of [`LONGEST_LINE`] bytes takes every line), and no character comes in parts. Nothing at all is the end of
/// the input, which a person types as Ctrl-D. Blocks.
///
/// ```no_run
/// use riposte::{console, print, println};
///
/// let mut buffer = [0; console::LONGEST_LINE];
/// print!("name? ");
/// match console::read_line(&mut buffer) {
///     Ok(line) => println!("hello {}", line.trim()),
///     Err(error) => println!("{error}"),
/// }
/// ```
///
/// # Errors
/// [`ReadError`], but for [`ReadError::WouldBlock`] and [`ReadError::TimedOut`].
pub fn read_line(buffer: &mut [u8]) -> Result<&str, ReadError> {
    read_line_until(buffer, Deadline::None)
}

/// As [`read_line`], if the line has been typed already. Blocks only until the console's server has looked.
///
/// # Errors
/// [`ReadError::WouldBlock`] if it has not, or if others wait for it; and as [`read_line`].
pub fn try_read_line(buffer: &mut [u8]) -> Result<&str, ReadError> {
    read_line_until(buffer, Deadline::Immediate)
}

/// As [`read_line`], until `deadline`. What was typed of the line by then is still there for the next read.
///
/// # Errors
/// [`ReadError::TimedOut`] at the deadline; [`ReadError::WouldBlock`] if it is [`Deadline::Immediate`]; and as
/// [`read_line`].
pub fn read_line_until(
    buffer: &mut [u8],
    deadline: impl Into<Deadline>,
) -> Result<&str, ReadError> {
    let length = read_bytes_until(buffer, deadline)?;
    let line = buffer.get(..length).unwrap_or_default();
    core::str::from_utf8(line).map_err(|_| ReadError::NotText)
}

/// As [`read_line_until`], of any bytes. Returns how many they are.
///
/// # Errors
/// As [`read_line_until`], but for [`ReadError::NotText`].
pub fn read_bytes_until(
    buffer: &mut [u8],
    deadline: impl Into<Deadline>,
) -> Result<usize, ReadError> {
    ask(protocol::LINE, buffer, deadline.into())
}

/// Waits for a byte that is typed and returns it as it comes: nothing is edited or echoed, and a key that is no
/// letter of ASCII is several bytes. Blocks.
///
/// # Errors
/// As [`read_line`].
pub fn read_key() -> Result<u8, ReadError> {
    read_key_until(Deadline::None)
}

/// As [`read_key`], if one has been typed already. Blocks only until the console's server has looked.
///
/// # Errors
/// As [`try_read_line`].
pub fn try_read_key() -> Result<u8, ReadError> {
    read_key_until(Deadline::Immediate)
}

/// As [`read_key`], until `deadline`.
///
/// # Errors
/// As [`read_line_until`].
pub fn read_key_until(deadline: impl Into<Deadline>) -> Result<u8, ReadError> {
    let mut key = [0];
    ask(protocol::KEY, &mut key, deadline.into())?;
    Ok(key[0])
}

/// How many bytes were typed and lost since the console's server has begun: because nobody read them in time, because
/// their line was too long, or because the receiver was not emptied in time (each time counts as one). Blocks only
/// for the server's answer.
///
/// # Errors
/// As [`read_line`].
pub fn lost_input() -> Result<u32, ReadError> {
    let mut count = [0; 4];
    ask(protocol::LOST, &mut count, Deadline::None)?;
    Ok(u32::from_le_bytes(count))
}

fn ask(what: u32, buffer: &mut [u8], deadline: Deadline) -> Result<usize, ReadError> {
    // Else nothing would look like the end of the input.
    if buffer.is_empty() {
        return Err(ReadError::NoRoom);
    }
    // It is the server who does not wait.
    let (what, deadline) = match deadline {
        Deadline::Immediate => (what | protocol::TRY, Deadline::None),
        deadline => (what, deadline),
    };
    let request = [protocol::REQUEST, what, buffer.len() as u32];
    let reply = loop {
        let asked = super::HANDLE.load(Ordering::Relaxed);
        let reply = super::through_connection(|console| {
            console.send_until(request.as_bytes(), buffer, deadline)
        });
        let has_died = matches!(
            reply,
            Err(ConnectError::Kernel(Error::ServerDied | Error::BadHandle))
        );
        // A server that died has had another life, which was asked, too: there may be one more.
        if !has_died || super::HANDLE.load(Ordering::Relaxed) == asked {
            break reply.map_err(ReadError::of)?;
        }
    };
    if reply.status.is_ok() {
        Ok(reply.len)
    } else {
        Err(ReadError::from_status(reply.status))
    }
}
