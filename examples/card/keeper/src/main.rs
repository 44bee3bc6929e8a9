//! Counts how often it has been started, and writes readings where a computer finds them.
#![no_std]

use core::fmt::Write;

use riposte::{Line, println};
use riposte_files::{FileError, Files, Options};

const NEW: Options = Options::new().read().write().create();

#[riposte::main]
fn main() {
    let (sd, safe) = (
        Files::connect("sd").unwrap(),
        Files::connect("safe").unwrap(),
    );
    let starts = count(&safe).unwrap();
    println!("keeper: start number {starts}");
    write(&sd, starts).unwrap();
    for entry in sd.read_dir("/readings").unwrap() {
        let entry = entry.unwrap();
        println!(
            "keeper: /readings/{}: {} bytes",
            entry.name(),
            entry.stat.size
        );
    }
    let error = riposte::shutdown(0);
    panic!("shutdown: {error}");
}

/// Counts one start more: wherever the power goes, what is there is the number before or the one after.
fn count(safe: &Files) -> Result<u32, FileError> {
    let mut number = [0; 4];
    match safe.open("starts", Options::new().read()) {
        Ok(file) => assert_eq!(file.read(&mut number)?, number.len(), "`starts` is cut off"),
        // The first start. Any other error says nothing of how many there were.
        Err(FileError::NotFound) => {}
        Err(why) => return Err(why),
    }
    let starts = u32::from_le_bytes(number) + 1;
    let draft = safe.open("draft", NEW.truncate())?;
    draft.write(&starts.to_le_bytes())?;
    drop(draft);
    safe.rename("draft", "starts")?;
    Ok(starts)
}

/// A file for each start, with a long name as computers like them.
fn write(sd: &Files, start: u32) -> Result<(), FileError> {
    match sd.create_dir("/readings") {
        Ok(()) | Err(FileError::Exists) => {}
        Err(why) => return Err(why),
    }
    let mut path = Line::<48>::new();
    let _ = write!(path, "/readings/Start {start}.csv");
    let path = core::str::from_utf8(path.bytes()).unwrap_or_default();
    let file = sd.open(path, NEW.truncate())?;
    for (hour, degrees) in [21, 24, 29].into_iter().enumerate() {
        let mut line = Line::<32>::new();
        let _ = writeln!(line, "{hour},{degrees}");
        file.write(line.bytes())?;
    }
    file.sync()
}
