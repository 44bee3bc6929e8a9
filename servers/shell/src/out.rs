//! Where a command's output goes.

use core::fmt;

use riposte::{Line, print};

/// Bytes that are sent to the console at once.
const PIECE: usize = 96;

/// The console, a line at a time.
pub struct Out {
    line: Line<PIECE>,
}

impl Out {
    pub const fn console() -> Out {
        Out { line: Line::new() }
    }

    /// Sends what there is.
    pub fn flush(&mut self) {
        if let Ok(text) = core::str::from_utf8(self.line.bytes()) {
            print!("{text}");
        }
        self.line.clear();
    }
}

impl fmt::Write for Out {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for part in text.split_inclusive('\n') {
            if self.line.bytes().len() + part.len() > PIECE {
                self.flush();
            }
            if part.len() > PIECE {
                print!("{part}");
                continue;
            }
            self.line.push(part.as_bytes());
            if part.ends_with('\n') {
                self.flush();
            }
        }
        Ok(())
    }
}

impl Drop for Out {
    fn drop(&mut self) {
        self.flush();
    }
}
