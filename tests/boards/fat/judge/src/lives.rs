//! The servers end, wherever they are, and start again.

use check::{equal, holds};
use riposte::{Duration, Error, Process};
use riposte_files::{File, FileError, Files, SeekFrom};

use crate::others::{order, tell};
use crate::{NEW, READ, fill, is_filled};

/// How often each is ended.
const LIVES: u64 = 12;

pub(crate) fn lives(files: &mut Files) {
    let (block, sd) = (
        riposte::process("block").unwrap(),
        riposte::process("sd").unwrap(),
    );
    let other = riposte::connect("other").unwrap();
    let mut memory = [0; 1000];
    fill(3, &mut memory);
    let file = files.open("kept", NEW).unwrap();
    let _ = file.write(&memory);
    equal("it is where it is kept", file.sync(), Ok(()));
    equal("another writes", tell(&other, order::WRITE), Ok(1));
    let mut kept = true;
    for life in 0..LIVES {
        // Others run meanwhile.
        let _ = riposte::sleep(Duration::from_micros(700 + 137 * life));
        block.restart();
        kept &= file.stat().is_ok() && is_there(files);
    }
    holds("of the block server's end no file learns", kept);
    stopped(files, &file, block);
    sd.restart();
    let died = Err(FileError::Kernel(Error::ServerDied));
    equal(
        "the end of the files' server is told",
        file.stat().map(drop),
        died,
    );
    drop(file);
    let mut kept = true;
    for life in 0..LIVES {
        files.reconnect().unwrap();
        kept &= is_there(files);
        let _ = riposte::sleep(Duration::from_micros(900 + 171 * life));
        sd.restart();
    }
    holds("wherever it is ended, what was kept is there", kept);
    files.reconnect().unwrap();
    let _ = files.remove("scribe");
    equal("and goes when it is removed", files.remove("kept"), Ok(()));
}

/// The block server is stopped, and nothing starts it for a while.
fn stopped(files: &Files, file: &File, block: Process) {
    let begun = file.seek(SeekFrom::Start(0)).is_ok();
    block.stop();
    let io = Err(FileError::Io);
    // The server has one block of the card, of what was asked for last, whoever asked: not both of these.
    let asked = [
        file.read(&mut [0; 1]).map(drop),
        files.open("kept", READ).map(drop),
    ];
    holds(
        "a card that stays away is told",
        begun && asked.contains(&io),
    );
    equal("of everything", files.remove("kept"), io);
    equal("that is asked", files.create_dir("new"), io);
    block.restart();
    holds("what was kept is there when it is back", is_there(files));
    equal("it makes", files.create_dir("new"), Ok(()));
    equal("and removes", files.remove("new"), Ok(()));
}

fn is_there(files: &Files) -> bool {
    let mut memory = [0; 1001];
    let Ok(file) = files.open("kept", READ) else {
        return false;
    };
    file.read(&mut memory) == Ok(1000) && is_filled(3, &memory[..1000])
}
