//! Does with files on a card what the judge orders, dies of some of it, and else writes.
#![no_std]

use riposte::Event;
use riposte_files::{FileError, Files, Options};

const NEW: Options = Options::new().read().write().create();

#[riposte::main]
fn main() {
    let mut files = Files::connect("sd").unwrap();
    let channel = riposte::own_channel().unwrap();
    loop {
        let mut buffer = [0; 16];
        let Ok(Event::Message(message)) = channel.receive(&mut buffer) else {
            continue;
        };
        match message.words() {
            [0, ..] => {
                let file = files.open("large", NEW).unwrap();
                let full = loop {
                    if let Err(why) = file.write(&[1; 1000]) {
                        break why;
                    }
                };
                // It stays open, over the end of this life.
                core::mem::forget(file);
                let _ = message.reply_words([u32::from(full == FileError::NoSpace)]);
            }
            [2, ..] => {
                let _ = message.reply_words([1]);
                write(&mut files);
            }
            _ => panic!("this is the end"),
        }
    }
}

/// Writes, cuts and removes for ever, as fast as it goes.
fn write(files: &mut Files) -> ! {
    loop {
        if let Err(FileError::Kernel(_)) = once(files) {
            let _ = files.reconnect();
        }
    }
}

fn once(files: &Files) -> Result<(), FileError> {
    let file = files.open("scribe", NEW.append())?;
    for _ in 0..5 {
        file.write(&[5; 900])?;
    }
    file.truncate(100)?;
    drop(file);
    files.remove("scribe")
}
