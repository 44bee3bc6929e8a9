//! The console, through its server: what a program [prints](crate::println), and what a person types.
//!
//! [`read_line`] and [`read_key`] wait for what is typed. Who has the connection `console` may read, if the manifest
//! gives the console's process the interrupt of its receiver, `interrupts = ["uart0-receive"]`.
//!
//! Reads are served in the order in which they come, and each line and each key goes to one of them. What becomes of
//! what is typed depends on who reads it: for a line it is echoed, and edited by backspace and Ctrl-U, until Enter ends
//! it (or Ctrl-D, which hands over what there is without an end); for a key it is neither. So it is with what was typed
//! before somebody reads: 256 bytes of it are kept. What is beyond them waits in the receiver, until somebody reads; what
//! that has no room for is lost, counted ([`lost_input`]), and the server says so on the console before the next read.
//!
//! A read whose deadline passes, or whose process dies, takes nothing with it: the next one gets the whole line.

mod plain;
pub mod protocol;
mod read;

use core::fmt::{self, Write};
use core::sync::atomic::{AtomicU32, Ordering};

use riposte_abi::Error;

use crate::{ConnectError, Connection, Line, Reply};

pub use plain::Plain;
pub use read::{
    LONGEST_LINE, ReadError, lost_input, read_bytes_until, read_key, read_key_until, read_line,
    read_line_until, try_read_key, try_read_line,
};

/// Longest text that reaches the console server as one message, in bytes.
const LINE: usize = 256;

/// Handle of the connection `console`, 0 before it is opened.
static HANDLE: AtomicU32 = AtomicU32::new(0);

/// Collects text and sends it: at each line's end, and what is left at the end.
struct Console {
    line: Line<LINE>,
}

impl Write for Console {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let mut rest = text;
        while !rest.is_empty() {
            // No letter lies across two pieces: the console would show neither half.
            let fits = rest.floor_char_boundary(LINE - self.line.bytes().len());
            let (now, later) = rest.split_at_checked(fits).unwrap_or_default();
            self.line.push(now.as_bytes());
            rest = later;
            if !rest.is_empty() {
                self.send();
            }
        }
        Ok(())
    }
}

impl Console {
    fn send(&mut self) {
        if !self.line.bytes().is_empty() {
            // Text that nobody can print is lost; the program goes on.
            let text = self.line.bytes();
            let _ = through_connection(|console| print(console, text));
        }
        self.line.clear();
    }
}

/// Sends `text`, and once more if a signal was handled meanwhile: nobody knows how much of it is printed then. Signals that
/// come faster than the console prints keep nobody here. Not inlined: a program would have it at each place that prints.
#[inline(never)]
fn print(console: &Connection, text: &[u8]) -> Result<Reply, Error> {
    let mut tries = 0;
    loop {
        tries += 1;
        match console.send(text, &mut []) {
            Err(Error::Interrupted) if tries < 2 => {}
            ended => return ended,
        }
    }
}

/// Does it with the connection `console`, and once more if that led to a console server that was restarted.
#[inline(always)]
fn through_connection<T>(
    mut send: impl FnMut(&Connection) -> Result<T, Error>,
) -> Result<T, ConnectError> {
    let handle = HANDLE.load(Ordering::Relaxed);
    if handle != 0 {
        match send(&Connection::from_handle(handle)) {
            Err(Error::ServerDied | Error::BadHandle) => {}
            outcome => return Ok(outcome?),
        }
    }
    let connection = crate::connect("console")?;
    HANDLE.store(connection.handle(), Ordering::Relaxed);
    Ok(send(&connection)?)
}

/// What [`print!`](crate::print) and [`println!`](crate::println) call: prints the arguments and
/// then `end`. Blocks until the console server has taken the text.
pub fn print_arguments(arguments: fmt::Arguments<'_>, end: &str) {
    let mut console = Console { line: Line::new() };
    let _ = console.write_fmt(arguments);
    let _ = console.write_str(end);
    console.send();
}

/// Prints on the console, through the connection `console`; without one, nothing happens. Up to
/// 256 bytes reach the console as one piece, which no other process's text interrupts. A piece during which
/// a signal is handled may be printed twice, the first time in part.
#[macro_export]
macro_rules! print {
    ($($argument:tt)*) => {
        $crate::print_arguments(::core::format_args!($($argument)*), "")
    };
}

/// [`print!`](crate::print) with a line's end.
#[macro_export]
macro_rules! println {
    () => {
        $crate::println!("")
    };
    ($($argument:tt)*) => {
        $crate::print_arguments(::core::format_args!($($argument)*), "\n")
    };
}
