//! The server ends, wherever it is, and starts again.

use check::{equal, holds};
use riposte::{Duration, Error, Process};
use riposte_files::{FileError, Files, Options, SeekFrom};

use crate::{NEW, fill, is_filled};

/// How often it is ended.
const LIVES: u64 = 12;

pub(crate) fn lives(files: &mut Files) {
    let server = riposte::process("files").unwrap();
    // The one that has the card, if there is one: of its end nobody learns.
    let block = riposte::process("block");
    let mut memory = [0; 1000];
    fill(3, 0, &mut memory);
    files.create_dir("kept").unwrap();
    let file = files.open("kept/file", NEW).unwrap();
    let _ = file.write(&memory);
    files.remove("kept/file").unwrap();
    let left = files.space().unwrap().left;
    let again = files.open("kept/file", NEW).unwrap();
    let _ = again.write(&memory);
    server.restart();
    let died = Err(FileError::Kernel(Error::ServerDied));
    equal("a server's end is told", file.stat().map(drop), died);
    drop((file, again));
    equal("its next life is found", files.reconnect(), Ok(()));
    let now = files.space().unwrap().left;
    equal("what had no name went with its last life", now, left);
    holds("what had one is there", is_there(files));
    equal("another one begins", files.create_dir("begin"), Ok(()));
    // It looks from time to time.
    let _ = riposte::sleep(Duration::from_millis(2));
    let (mut whole, mut kept, mut records) = (true, true, 0);
    for life in 0..LIVES {
        // Others run meanwhile.
        let _ = riposte::sleep(Duration::from_micros(400 + 37 * life));
        if let Ok(block) = block {
            block.restart();
            kept &= is_there(files);
            let _ = riposte::sleep(Duration::from_micros(6000 + 530 * life));
        }
        server.restart();
        files.reconnect().unwrap();
        kept &= is_there(files);
        match records_of_scribe(files) {
            Some(count) => records += count,
            None => whole = false,
        }
    }
    holds("wherever a server is ended, what it kept is there", kept);
    holds("and each write is whole, or has not been", whole);
    holds("of those there were some", records > 0);
    if let Ok(block) = block {
        stopped(files, block);
    }
    let file = files.open("kept/file", Options::new().write()).unwrap();
    let _ = file.seek(SeekFrom::End(0));
    equal("it goes on", file.write(b"on"), Ok(2));
    drop(file);
    for path in ["kept/file", "kept", "begin"] {
        equal("and removes", files.remove(path), Ok(()));
    }
}

/// The one that has the card is stopped, and nothing starts it for a while.
fn stopped(files: &Files, block: Process) {
    let file = files.open("kept/file", NEW).unwrap();
    block.stop();
    let io = Err(FileError::Io);
    equal(
        "a card that stays away is told",
        file.write(b"x").map(drop),
        io,
    );
    equal("of everything", file.stat().map(drop), io);
    equal("that is asked", files.stat("kept").map(drop), io);
    equal("or made", files.create_dir("new"), io);
    block.restart();
    holds("what was kept is there when it is back", is_there(files));
    let bad = Err(FileError::BadFile);
    equal("and nothing is open", file.stat().map(drop), bad);
    equal("it makes", files.create_dir("new"), Ok(()));
    equal("and removes", files.remove("new"), Ok(()));
}

fn is_there(files: &Files) -> bool {
    let mut memory = [0; 1001];
    let Ok(file) = files.open("kept/file", Options::new().read()) else {
        return false;
    };
    file.read(&mut memory) == Ok(1000) && is_filled(3, 0, &memory[..1000])
}

/// How many records the scribe's file has, if each is whole and follows the one before, or is that once more.
fn records_of_scribe(files: &Files) -> Option<usize> {
    let most = 6 * files.space().ok()?.block as usize;
    let mut memory = [0; 6 * 512 + 1];
    let Ok(file) = files.open("scribe", Options::new().read()) else {
        // It has not come to it yet.
        return Some(0);
    };
    let length = file.read(&mut memory).ok()?;
    let mut last = None;
    for record in memory[..length].chunks(100) {
        let (first, rest) = record.split_first()?;
        // The last one may be all that there was room for.
        let is_whole = record.len() == 100 || length == most;
        if !is_whole || rest.iter().any(|byte| byte != first) {
            return None;
        }
        if let Some(last) = last
            && *first != last
            && *first != last.wrapping_add(1)
            && *first != 0
        {
            return None;
        }
        last = Some(*first);
    }
    Some(length / 100)
}
