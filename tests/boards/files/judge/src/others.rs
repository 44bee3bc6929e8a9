//! Another client, which uses up all that it may, and dies.

use check::{equal, holds};
use riposte::{Connection, Duration, Error, Instant};
use riposte_files::{FileError, Files, Options, SeekFrom};

use crate::{BLOCKS, NEW};

pub(crate) mod order {
    pub const EXHAUST: u32 = 0;
    pub const GONE: u32 = 1;
    pub const OPEN: u32 = 2;
    pub const REMOVE: u32 = 3;
    pub const WRITE: u32 = 4;
    pub const DIE: u32 = 5;
}

pub(crate) fn tell(other: &Connection, order: u32) -> Result<u32, Error> {
    other.send_words([order]).map(|reply| reply.words[0])
}

pub(crate) fn others(files: &Files) {
    let mut other = riposte::connect("other").unwrap();
    let before = files.space().unwrap();
    let block = before.block as usize;
    let done = tell(&other, order::EXHAUST);
    equal("another has used up all that it may", done, Ok(1));
    let after = files.space().unwrap();
    equal("of its own", before.free - after.free, 12);
    equal(
        "and this one has what it had",
        (after.left, after.entries),
        (before.left, before.entries),
    );
    all_is_there(files, block as u64);
    let large = files.open("large", NEW.append()).unwrap();
    equal(
        "what it adds is its own",
        large.write(&[2; 512][..block]),
        Ok(block),
    );
    let found = files.space().map(|it| before.left - it.left);
    equal("wherever that is", found, Ok(1));
    drop(large);
    die(&mut other);
    equal(
        "who dies leaves its files",
        files.stat("large").map(|it| it.size),
        Ok(13 * u64::from(before.block)),
    );
    let done = tell(&other, order::REMOVE);
    equal("what is its own it removes", done, Ok(1));
    let space = files.space();
    equal("and all is as it was", space, Ok(before));
    let done = tell(&other, order::EXHAUST);
    equal("so that it may have as much again", done, Ok(1));
    equal("and remove it", tell(&other, order::REMOVE), Ok(1));
    equal("a file without a name", tell(&other, order::GONE), Ok(1));
    let found = files.stat("gone").map(drop);
    equal("is not found", found, Err(FileError::NotFound));
    let held = before.free - files.space().unwrap().free;
    equal("but there", held, 600_u32.div_ceil(before.block));
    equal("another number", tell(&other, order::OPEN), Ok(1));
    die(&mut other);
    equal(
        "it goes with its last client",
        files.space().map(|it| it.free),
        Ok(before.free),
    );
    equal(
        "what has a name stays",
        files.stat("others").map(|it| it.size),
        Ok(0),
    );
    equal("until it is removed", tell(&other, order::REMOVE), Ok(1));
    let found = files.stat("others").map(drop);
    equal("by anybody", found, Err(FileError::NotFound));
}

/// Whenever the time of a request is over, what is opened for nobody does not stay open.
pub(crate) fn late(files: &Files) {
    let file = files.open("late", NEW).unwrap();
    let (mut opened, mut timed_out) = (0, 0);
    for micros in 0..400 {
        let end = Instant::now() + Duration::from_micros(micros);
        for done in [
            files.open_until("late", NEW, end).map(drop),
            file.try_clone_until(end).map(drop),
        ] {
            match done {
                Ok(()) => opened += 1,
                Err(FileError::TimedOut) => timed_out += 1,
                other => equal("it is opened, or late", other, Ok(())),
            }
        }
    }
    holds("some are in time, some late", opened > 0 && timed_out > 0);
    let others = [(); 3].map(|()| files.open("late", NEW));
    holds(
        "of those that were late none is open",
        others.iter().all(Result::is_ok),
    );
    drop((file, others));
    equal("and it goes", files.remove("late"), Ok(()));
}

/// Everything that this process may have can be had.
fn all_is_there(files: &Files, block: u64) {
    let file = files.open("mine", NEW).unwrap();
    let _ = file.seek(SeekFrom::Start(u64::from(BLOCKS) * block - 1));
    equal("every block can be had", file.write(b"x"), Ok(1));
    let more = [(); 3].map(|()| files.open("mine", Options::new().read()));
    holds("every open file", more.iter().all(Result::is_ok));
    drop((more, file));
    let names = ["1", "2", "3", "4", "5", "6", "7"];
    // The other one has those names.
    files.create_dir("own").unwrap();
    let mut path = *b"own/_";
    let mut made = true;
    for name in &names[..6] {
        path[4] = name.as_bytes()[0];
        let path = core::str::from_utf8(&path).unwrap();
        made &= files.create_dir(path).is_ok();
    }
    holds("and every entry", made);
    for name in &names[..6] {
        path[4] = name.as_bytes()[0];
        let _ = files.remove(core::str::from_utf8(&path).unwrap());
    }
    for path in ["own", "mine"] {
        files.remove(path).unwrap();
    }
}

pub(crate) fn die(other: &mut Connection) {
    equal("it dies", tell(other, order::DIE), Err(Error::ServerDied));
    other.reconnect().unwrap();
}
