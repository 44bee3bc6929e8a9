//! Where a command's output goes.

use core::fmt;

use riposte::{Line, print};
use riposte_files::{File, FileError};

/// Bytes that are sent at once.
const PIECE: usize = 96;

/// The console, a line at a time; or a file.
pub struct Out<'a> {
    line: Line<PIECE>,
    file: Option<File<'a>>,
    /// Why the file has not all of it.
    failed: Option<FileError>,
}

impl<'a> Out<'a> {
    pub fn console() -> Out<'a> {
        Out {
            line: Line::new(),
            file: None,
            failed: None,
        }
    }

    pub fn file(file: File<'a>) -> Out<'a> {
        Out {
            file: Some(file),
            ..Out::console()
        }
    }

    /// Bytes, whatever they are. The console shows what is no text as dots.
    pub fn bytes(&mut self, bytes: &[u8]) {
        for byte in bytes {
            if self.line.push(&[*byte]) == 0 {
                self.flush();
                self.line.push(&[*byte]);
            }
            if *byte == b'\n' {
                self.flush();
            }
        }
    }

    /// Sends what there is.
    pub fn flush(&mut self) {
        let bytes = self.line.bytes();
        match &self.file {
            None => show(bytes),
            Some(file) if self.failed.is_none() => self.failed = write_all(file, bytes).err(),
            Some(_) => {}
        }
        self.line.clear();
    }

    /// All of it has been sent; or why not.
    pub fn finish(mut self) -> Result<(), FileError> {
        self.flush();
        self.failed.map_or(Ok(()), Err)
    }
}

impl fmt::Write for Out<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.bytes(text.as_bytes());
        Ok(())
    }
}

/// Writes all, however little the server takes at once.
fn write_all(file: &File<'_>, mut bytes: &[u8]) -> Result<(), FileError> {
    while !bytes.is_empty() {
        match file.write(bytes)? {
            0 => return Err(FileError::NoSpace),
            count => bytes = bytes.get(count..).unwrap_or_default(),
        }
    }
    Ok(())
}

/// Shows bytes on the console: what is no text as dots. A character whose parts come in two pieces is two dots.
fn show(bytes: &[u8]) {
    for chunk in bytes.utf8_chunks() {
        print!("{}", chunk.valid());
        if !chunk.invalid().is_empty() {
            print!(".");
        }
    }
}
