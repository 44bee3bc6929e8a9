//! Uses files on a card, alone and with others, and over the lives of its servers.
#![no_std]

#[path = "../../../files/judge/src/hostile.rs"]
mod hostile;
mod lives;
mod others;

use check::{equal, holds};
use riposte::sync::Mutex;
use riposte_files::{FileError, Files, Kind, Options, SeekFrom};

/// How a file is opened to be read and written, and made if it is not there.
const NEW: Options = Options::new().read().write().create();
/// How a file is opened to be read.
const READ: Options = Options::new().read();
/// More bytes than a request takes: too many for the stack.
const LENGTH: usize = 17_000;
static MEMORY: Mutex<[u8; LENGTH]> = Mutex::new([0; LENGTH]);

#[riposte::main]
fn main() {
    let mut files = Files::connect("sd").unwrap();
    operations(&files);
    refusals(&files);
    hostile::hostile();
    others::others(&files);
    lives::lives(&mut files);
    check::done();
}

/// The bytes that are written.
fn fill(seed: usize, bytes: &mut [u8]) {
    for (n, to) in bytes.iter_mut().enumerate() {
        *to = (seed * 31 + n * 7 + n / 251) as u8;
    }
}

fn is_filled(seed: usize, bytes: &[u8]) -> bool {
    let mut all = bytes.iter().enumerate();
    all.all(|(n, it)| *it == (seed * 31 + n * 7 + n / 251) as u8)
}

fn operations(files: &Files) {
    let Ok(mut memory) = MEMORY.lock() else {
        panic!("another thread has the memory");
    };
    fill(1, &mut memory[..]);
    equal("a directory is made", files.create_dir("logs"), Ok(()));
    let file = files.open("logs/A name that is long.txt", NEW).unwrap();
    equal("a file is written", file.write(&memory[..]), Ok(LENGTH));
    equal(
        "and has its size",
        file.stat().map(|it| it.size),
        Ok(LENGTH as u64),
    );
    equal("its position moves", file.seek(SeekFrom::Start(1)), Ok(1));
    memory.fill(0);
    equal("it is read", file.read(&mut memory[1..]), Ok(LENGTH - 1));
    memory[0] = 31;
    holds("as it was written", is_filled(1, &memory[..]));
    equal("and ends", file.read(&mut memory[..]), Ok(0));
    let twin = file.try_clone().unwrap();
    equal(
        "a duplicate",
        twin.seek(SeekFrom::Current(-2)),
        Ok(LENGTH as u64 - 2),
    );
    let mut few = [0; 8];
    equal("has the same position", file.read(&mut few), Ok(2));
    equal("short writes are written", file.write(b"and on"), Ok(6));
    equal("it is cut", file.truncate(3), Ok(()));
    equal("to its size", twin.stat().map(|it| it.size), Ok(3));
    equal("it is where it is kept", file.sync(), Ok(()));
    drop((file, twin));
    let renamed = files.rename("logs/A name that is long.txt", "short");
    equal("it has another name", renamed, Ok(()));
    let kind = files.stat("short").map(|it| (it.kind, it.size));
    equal("by which it is found", kind, Ok((Kind::File, 3)));
    equal("in any case", files.stat("SHORT").map(|it| it.size), Ok(3));
    let listed = files.read_dir("/").unwrap().filter_map(Result::ok);
    let mut names = 0;
    for entry in listed {
        names += u32::from(matches!(entry.name(), "logs" | "short"));
    }
    equal("the root has both", names, 2);
    equal("what is empty is removed", files.remove("logs"), Ok(()));
    equal("and files", files.remove("short"), Ok(()));
    equal("nothing is left", files.read_dir("/").unwrap().count(), 0);
}

fn refusals(files: &Files) {
    let none = |path| files.open(path, READ).map(drop);
    equal(
        "what is not there is not found",
        none("no"),
        Err(FileError::NotFound),
    );
    let file = files.open("f", NEW).unwrap();
    let removed = files.remove("f");
    equal("what is open is not removed", removed, Err(FileError::Busy));
    equal(
        "a file is no directory",
        none("f/f"),
        Err(FileError::NotDirectory),
    );
    let long = "a-name-that-is-longer-than-any-may-be";
    equal(
        "a long name is none",
        none(long),
        Err(FileError::NameTooLong),
    );
    let name = files.open("a?b", NEW).map(drop);
    equal("nor is what FAT can't have", name, Err(FileError::Invalid));
    let reader = Files::connect("sd-reader").unwrap();
    let refused = reader.open("f", NEW).map(drop);
    equal(
        "who may only read writes nothing",
        refused,
        Err(FileError::ReadOnly),
    );
    equal(
        "and removes nothing",
        reader.remove("f"),
        Err(FileError::ReadOnly),
    );
    let read = reader.open("f", READ).map(drop);
    equal("it reads", read, Ok(()));
    let many = [(); 3].map(|()| files.open("f", READ));
    holds("what it may open it opens", many.iter().all(Result::is_ok));
    let more = files.open("f", READ).map(drop);
    equal("and no more", more, Err(FileError::TooManyOpen));
    drop((file, many));
    equal(
        "a file that nobody has open is removed",
        files.remove("f"),
        Ok(()),
    );
}
