//! Another client, which uses up what there is, and dies.

use check::equal;
use riposte::{Connection, Error};
use riposte_files::{FileError, Files};

use crate::{NEW, READ};

/// What the other one does.
pub(crate) mod order {
    pub(crate) const EXHAUST: u32 = 0;
    pub(crate) const DIE: u32 = 1;
    pub(crate) const WRITE: u32 = 2;
}

pub(crate) fn tell(other: &Connection, order: u32) -> Result<u32, Error> {
    other.send_words([order]).map(|reply| reply.words[0])
}

pub(crate) fn others(files: &Files) {
    let mut other = riposte::connect("other").unwrap();
    let before = files.space().unwrap();
    let mine = files.open("mine", NEW).unwrap();
    equal("a file is written", mine.write(&[1; 700]), Ok(700));
    let done = tell(&other, order::EXHAUST);
    equal("another has used up what there is", done, Ok(1));
    let full = mine.write(&[2; 4000]);
    let free = files.space().map(|it| it.free);
    equal("nothing is free", free, Ok(0));
    // What is left of its last cluster is its own.
    let most = before.block as usize - 700 % before.block as usize;
    equal("a write is as long as there is room", full, Ok(most));
    let full = mine.write(&[2; 1]);
    equal("and else none", full, Err(FileError::NoSpace));
    let more = [(); 3].map(|()| files.open("mine", READ));
    equal(
        "what this one may open it opens",
        more.iter().filter(|it| it.is_ok()).count(),
        3,
    );
    drop(more);
    equal("it dies", tell(&other, order::DIE), Err(Error::ServerDied));
    other.reconnect().unwrap();
    equal("what it had open is closed", files.remove("large"), Ok(()));
    equal("and there is room again", mine.write(&[2; 4000]), Ok(4000));
    drop(mine);
    equal("a file is removed", files.remove("mine"), Ok(()));
    equal("and all is as it was", files.space(), Ok(before));
}
