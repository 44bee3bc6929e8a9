//! Text on the console, through the console server.

use core::fmt::{self, Write};
use core::sync::atomic::{AtomicU32, Ordering};

use riposte_abi::Error;

use crate::{Connection, Line};

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
        let mut rest = text.as_bytes();
        while !rest.is_empty() {
            let taken = self.line.push(rest);
            rest = rest.get(taken..).unwrap_or_default();
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
            let _ = send(self.line.bytes());
        }
        self.line.clear();
    }
}

/// Sends `text`; a console server that was restarted is found again.
fn send(text: &[u8]) -> Option<()> {
    let handle = HANDLE.load(Ordering::Relaxed);
    if handle != 0 {
        match Connection::from_handle(handle).send(text, &mut []) {
            Err(Error::ServerDied | Error::BadHandle) => {}
            _ => return Some(()),
        }
    }
    let connection = crate::connect("console").ok()?;
    HANDLE.store(connection.handle(), Ordering::Relaxed);
    connection.send(text, &mut []).ok().map(|_| ())
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
/// 256 bytes reach the console as one piece, which no other process's text interrupts.
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
