//! Writes records to a file, as fast as it goes, and begins anew when it may have no more.
#![no_std]

use riposte::Duration;
use riposte_files::{FileError, Files, Options};

/// Bytes of a record, all of which are its number.
const RECORD: usize = 100;

#[riposte::main]
fn main() {
    let mut files = Files::connect("files").unwrap();
    // Until then the others count what they have.
    while files.stat("begin").is_err() {
        let _ = riposte::sleep(Duration::from_millis(1));
        let _ = files.reconnect();
    }
    loop {
        let ended = write(&files);
        // The server was ended in the middle of it, or before it began.
        assert!(
            matches!(ended, Err(FileError::Kernel(riposte::Error::ServerDied))),
            "{ended:?}"
        );
        let _ = files.reconnect();
    }
}

/// Writes until the server ends. A record that was there before comes once more if it was the last one.
fn write(files: &Files) -> Result<(), FileError> {
    let options = Options::new().read().write().create().append();
    let file = files.open("scribe", options)?;
    let mut record = [0; RECORD];
    loop {
        match file.write(&record) {
            Ok(RECORD) => record = record.map(|byte| byte.wrapping_add(1)),
            // There was not room for all of it, or for nothing.
            Ok(_) | Err(FileError::NoSpace) => file.truncate(0)?,
            Err(why) => return Err(why),
        }
    }
}
