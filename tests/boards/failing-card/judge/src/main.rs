//! Uses files on a card whose device fails while their volumes are mounted.
#![no_std]

use check::equal;
use riposte_files::{FileError, Files, Options};

#[riposte::main]
fn main() {
    equal(
        "a FAT volume is found when the device works again",
        outlives("fat"),
        Ok(*b"kept"),
    );
    equal(
        "and so is one that outlives the power",
        outlives("safe"),
        Ok(*b"kept"),
    );
    check::done();
}

/// The first mount has failed already, as has one after what is written here. What is there then.
fn outlives(name: &'static str) -> Result<[u8; 4], FileError> {
    let mut files = Files::connect(name)?;
    let file = files.open("kept", Options::new().write().create())?;
    file.write(b"kept")?;
    file.sync()?;
    drop(file);
    riposte::process(name).unwrap().restart();
    files.reconnect()?;
    let file = files.open("kept", Options::new().read())?;
    let mut bytes = [0; 4];
    file.read(&mut bytes)?;
    Ok(bytes)
}
