//! What files do.

use check::{equal, holds};
use embedded_io::{Read, Seek, Write};
use riposte::sync::Mutex;
use riposte::{Duration, Instant};
use riposte_files::{FileError, Files, Kind, Options, SeekFrom, Space};

use crate::{NEW, fill, is_filled, reads};

/// More than a request takes: too much for the stack.
const LENGTH: usize = 17_000;
static MEMORY: Mutex<[u8; LENGTH]> = Mutex::new([0; LENGTH]);

pub(crate) fn operations(files: &Files) {
    let before = files.space().unwrap();
    bytes(files);
    long(files);
    positions(files);
    directories(files);
    traits(files);
    deadlines(files);
    let Space { left, entries, .. } = files.space().unwrap();
    equal(
        "what is removed comes back",
        (left, entries),
        (before.left, before.entries),
    );
}

fn bytes(files: &Files) {
    let file = files.open("note", NEW).unwrap();
    equal("a new file is empty", file.read(&mut [0; 4]), Ok(0));
    equal("bytes are written", file.write(b"twelve bytes"), Ok(12));
    equal("more than registers hold", file.write(&[b'.'; 40]), Ok(40));
    equal(
        "it has a position",
        file.seek(SeekFrom::Current(-45)),
        Ok(7),
    );
    let mut five = [0; 5];
    equal("from there it is read", file.read(&mut five), Ok(5));
    holds("as it was written", five == *b"bytes");
    let stat = file.stat().unwrap();
    equal(
        "what it is can be asked",
        (stat.kind, stat.size),
        (Kind::File, 52),
    );
    equal("by its name, too", files.stat("/note"), Ok(stat));
    equal("it can be cut", file.truncate(6), Ok(()));
    equal("and lengthened", file.truncate(8), Ok(()));
    equal("it is where it is kept", file.sync(), Ok(()));
    file.seek(SeekFrom::Start(0)).unwrap();
    holds("what was added is zero", reads(&file, b"twelve\0\0"));
    drop(file);
    equal("it is removed", files.remove("note"), Ok(()));
    let found = files.open("note", Options::new().read()).map(drop);
    equal("and is not there", found, Err(FileError::NotFound));
}

/// More than a request takes, across blocks that do not follow each other.
fn long(files: &Files) {
    let holes = [("a", 300), ("b", 300), ("c", 700)];
    for (name, length) in holes {
        let file = files.open(name, NEW).unwrap();
        let _ = file.write(&[b'#'; 700][..length]);
    }
    files.remove("b").unwrap();
    let Ok(mut memory) = MEMORY.lock() else {
        panic!("another thread has the memory");
    };
    fill(1, 0, &mut memory[..]);
    let file = files.open("long", NEW).unwrap();
    let first = file.write(&memory[..1001]);
    let second = file.write(&memory[1001..]);
    equal(
        "many bytes are written",
        (first, second),
        (Ok(1001), Ok(LENGTH - 1001)),
    );
    memory.fill(0);
    let _ = file.seek(SeekFrom::Start(1));
    equal("and read", file.read(&mut memory[..]), Ok(LENGTH - 1));
    holds("as they were", is_filled(1, 1, &memory[..LENGTH - 1]));
    let mut same = true;
    for (from, length) in [(0, 64), (250, 65), (255, 2), (1000, 300), (16_383, 600)] {
        let _ = file.seek(SeekFrom::Start(from));
        let bytes = &mut memory[3..3 + length];
        same &= file.read(bytes) == Ok(length) && is_filled(1, from as usize, bytes);
    }
    holds("from anywhere to anywhere", same);
    fill(2, 77, &mut memory[..900]);
    let _ = file.seek(SeekFrom::Start(77));
    let written = file.write(&memory[..900]);
    memory.fill(0);
    let _ = file.seek(SeekFrom::Start(0));
    let read = file.read(&mut memory[..]);
    equal(
        "over what was there",
        (written, read),
        (Ok(900), Ok(LENGTH)),
    );
    let (start, rest) = memory.split_at(77);
    let (middle, end) = rest.split_at(900);
    holds(
        "and beside it nothing",
        is_filled(1, 0, start) && is_filled(2, 77, middle) && is_filled(1, 977, end),
    );
    drop(file);
    for name in ["a", "c", "long"] {
        files.remove(name).unwrap();
    }
}

fn positions(files: &Files) {
    let file = files.open("p", NEW).unwrap();
    let _ = file.write(b"abcdef");
    let twin = file.try_clone().unwrap();
    let other = files.open("p", Options::new().read()).unwrap();
    let _ = twin.seek(SeekFrom::Start(4));
    holds("duplicates share a position", reads(&file, b"ef"));
    drop(file);
    let _ = twin.seek(SeekFrom::End(-1));
    holds("and need not each other", reads(&twin, b"f"));
    holds("others have their own", reads(&other, b"abcdef"));
    let end = files.open("p", Options::new().write().append()).unwrap();
    let _ = twin.write(b"g");
    equal("who appends", end.write(b"h"), Ok(1));
    let _ = twin.seek(SeekFrom::Start(6));
    holds("writes at the end, wherever it is", reads(&twin, b"gh"));
    let _ = twin.seek(SeekFrom::Start(10));
    let _ = twin.write(b"!");
    let _ = twin.seek(SeekFrom::Start(8));
    holds("behind the end, zeros come between", reads(&twin, b"\0\0!"));
    let empty = files.open("p", Options::new().write().truncate()).unwrap();
    equal("it is emptied", empty.stat().map(|it| it.size), Ok(0));
    equal("while it is open, it is removed", files.remove("p"), Ok(()));
    let _ = empty.write(b"still there");
    let _ = twin.seek(SeekFrom::Start(0));
    holds("and lives on", reads(&twin, b"still there"));
}

fn directories(files: &Files) {
    equal("a directory is made", files.create_dir("d"), Ok(()));
    files.create_dir("d/e").unwrap();
    drop(files.open("d/f", NEW).unwrap());
    let mut seen = [false; 2];
    for entry in files.read_dir("/d/").unwrap() {
        let entry = entry.unwrap();
        match (entry.name(), entry.stat.kind) {
            ("e", Kind::Directory) => seen[0] = true,
            ("f", Kind::File) => seen[1] = true,
            _ => seen = [false; 2],
        }
    }
    holds("its entries are shown", seen == [true; 2]);
    let list = files.read_dir("d").unwrap();
    let count = || list.next_entry().is_ok_and(|entry| entry.is_some());
    let first = [count(), count(), count()];
    list.rewind().unwrap();
    equal(
        "and shown again",
        (first, count()),
        ([true, true, false], true),
    );
    drop(list);
    let refused = files.remove("d");
    equal("who has entries stays", refused, Err(FileError::NotEmpty));
    equal("a file is moved", files.rename("d/f", "d/e/g"), Ok(()));
    equal("a directory too", files.rename("d/e", "top"), Ok(()));
    let found = files.stat("top/g").map(|it| it.kind);
    equal("with what is in it", found, Ok(Kind::File));
    drop(files.open("h", NEW).unwrap());
    let _ = files.open("h", NEW).unwrap().write(b"new");
    files.rename("h", "top/g").unwrap();
    let file = files.open("top/g", Options::new().read()).unwrap();
    holds("a file replaces another", reads(&file, b"new"));
    drop(file);
    for path in ["top/g", "top", "d"] {
        equal("all of it is removed", files.remove(path), Ok(()));
    }
}

/// Functions that know `embedded-io` and nothing of files.
fn traits(files: &Files) {
    fn copy(mut to: impl Write + Read + Seek) -> bool {
        let mut bytes = [0; 11];
        to.write_all(b"by a trait!").is_ok()
            && to.flush().is_ok()
            && to.rewind().is_ok()
            && to.read_exact(&mut bytes).is_ok()
            && bytes == *b"by a trait!"
            && to.stream_position().is_ok_and(|it| it == 11)
    }
    let file = files.open("t", NEW).unwrap();
    holds("a file is what embedded-io reads and writes", copy(file));
    files.remove("t").unwrap();
}

fn deadlines(files: &Files) {
    // A card takes the time of the machine that stands for the board, which may be late.
    let soon = Instant::now() + Duration::from_secs(5);
    let file = files.open_until("u", NEW, soon).unwrap();
    let written = file.write_until(b"abc", soon);
    let moved = file.seek_until(SeekFrom::Start(1), soon);
    let mut bytes = [0; 4];
    let read = file.read_until(&mut bytes, soon);
    let done = (written, moved, read);
    equal("with a deadline, too", done, (Ok(3), Ok(1), Ok(2)));
    let cut = file.truncate_until(1, soon).and(file.sync_until(soon));
    let twin = file.try_clone_until(soon).map(drop);
    let stat = file.stat_until(soon).map(|it| it.size);
    equal("all of it", (cut, twin, stat), (Ok(()), Ok(()), Ok(1)));
    let moved = files
        .create_dir_until("v", soon)
        .and(files.rename_until("u", "v/u", soon))
        .and(files.stat_until("v/u", soon).map(|it| it.size));
    let listed = files
        .read_dir_until("v", soon)
        .and_then(|it| it.next_entry_until(soon))
        .map(|it| it.is_some());
    equal("directories", (moved, listed), (Ok(1), Ok(true)));
    let removed = files.remove_until("v/u", soon);
    let space = files.space_until(soon).is_ok();
    equal("and the rest", (removed, space), (Ok(()), true));
    files.remove("v").unwrap();
    let past = Instant::from_nanos(1);
    // The scribe's request may have waited while the card was written for the one before, and whoever is asked without time
    // while another is served is not asked at all. What needs no card is answered behind it, and nobody comes between.
    assert_eq!(files.stat("/").map(|it| it.kind), Ok(Kind::Directory));
    let found = files.stat_until("/", past).map(|it| it.kind);
    // Where the server is told of deadlines, it answers all the same.
    let expected = if crate::hostile::has_fifos() {
        Ok(Kind::Directory)
    } else {
        Err(FileError::TimedOut)
    };
    equal("a deadline that has passed", found, expected);
}
