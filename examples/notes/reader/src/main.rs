//! Reads the notes when they are there, and once more after a restart of the files server.
#![no_std]

use core::fmt::Write;

use riposte::{Duration, Line, println};
use riposte_files::{FileError, Files, Options};

/// How many notes there will be.
const NOTES: usize = 3;

#[riposte::main]
fn main() {
    let mut files = Files::connect("files").unwrap();
    while count(&files) < NOTES {
        let _ = riposte::sleep(Duration::from_millis(1));
    }
    show(&files).unwrap();
    println!("reader: what if the files server starts again?");
    riposte::process("files").unwrap().restart();
    files.reconnect().unwrap();
    let shown = show(&files).unwrap();
    let error = riposte::shutdown(u32::from(shown != NOTES));
    panic!("shutdown: {error}");
}

/// How many notes there are.
fn count(files: &Files) -> usize {
    // As long as the writer has not begun, there is no such directory.
    files.read_dir("notes").map_or(0, Iterator::count)
}

/// Prints all notes; how many there were.
fn show(files: &Files) -> Result<usize, FileError> {
    let mut shown = 0;
    for entry in files.read_dir("notes")? {
        let entry = entry?;
        let mut path = Line::<40>::new();
        let _ = write!(path, "notes/{}", entry.name());
        let path = core::str::from_utf8(path.bytes()).unwrap_or_default();
        let mut room = [0; 32];
        let length = files.open(path, Options::new().read())?.read(&mut room)?;
        let text = core::str::from_utf8(&room[..length]).unwrap_or_default();
        println!("reader: {path}: {text}");
        shown += 1;
    }
    Ok(shown)
}
