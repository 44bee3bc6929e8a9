//! Writes notes, each of which is there whole or not at all: it gets its name when it is done.
#![no_std]

use core::fmt::Write;

use riposte::{Duration, Line};
use riposte_files::{FileError, Files, Options};

#[riposte::main]
fn main() {
    let files = Files::connect("files").unwrap();
    match files.create_dir("notes") {
        // A life of this process before has made it.
        Ok(()) | Err(FileError::Exists) => {}
        Err(why) => panic!("{why}"),
    }
    for (number, degrees) in (1..).zip([21, 24, 29]) {
        note(&files, number, degrees).unwrap();
        let _ = riposte::sleep(Duration::from_millis(1));
    }
}

fn note(files: &Files, number: u32, degrees: u32) -> Result<(), FileError> {
    let draft = files.open("draft", Options::new().write().create().truncate())?;
    let mut text = Line::<32>::new();
    let _ = write!(text, "{degrees} degrees");
    draft.write(text.bytes())?;
    let mut path = Line::<32>::new();
    let _ = write!(path, "notes/{number}");
    files.rename(
        "draft",
        core::str::from_utf8(path.bytes()).unwrap_or_default(),
    )
}
