//! What is refused, and changes nothing.

use check::{equal, holds};
use riposte_files::{FileError, Files, Options, SeekFrom};

use crate::{BLOCKS, NEW, reads};

const READ: Options = Options::new().read();
const WRITE: Options = Options::new().write();

pub(crate) fn refusals(files: &Files) {
    let before = files.space().unwrap();
    let file = files.open("kept", NEW).unwrap();
    let _ = file.write(b"as it was");
    files.create_dir("d").unwrap();
    options(files);
    paths(files);
    let reader = files.open("kept", READ).unwrap();
    let writer = files.open("kept", WRITE).unwrap();
    equal("who reads", reader.write(b"x"), Err(FileError::BadFile));
    equal("only reads", reader.truncate(0), Err(FileError::BadFile));
    let refused = writer.read(&mut [0; 4]);
    equal("who writes only writes", refused, Err(FileError::BadFile));
    for to in [
        SeekFrom::Start(1 << 32),
        SeekFrom::Start(u64::MAX),
        SeekFrom::Current(-1),
        SeekFrom::Current(i64::MIN),
        SeekFrom::End(-10),
        SeekFrom::End(i64::MAX),
    ] {
        let refused = reader.seek(to);
        equal("no such position", refused, Err(FileError::Invalid));
    }
    equal(
        "the end is the end",
        reader.seek(SeekFrom::End(99)),
        Ok(108),
    );
    equal("behind it is nothing", reader.read(&mut [0; 4]), Ok(0));
    let _ = reader.seek(SeekFrom::Start(u64::from(u32::MAX)));
    equal("nor there", reader.read(&mut [0; 4]), Ok(0));
    let _ = writer.seek(SeekFrom::Start(u64::from(u32::MAX)));
    let refused = writer.write(b"x");
    equal("what wraps is too large", refused, Err(FileError::TooLarge));
    let refused = writer.truncate(u64::MAX);
    equal("so is that", refused, Err(FileError::TooLarge));
    holds("nothing has changed", {
        let _ = file.seek(SeekFrom::Start(0));
        reads(&file, b"as it was")
    });
    shares(files, writer, reader);
    may_change_nothing(files);
    drop(file);
    files.remove("kept").unwrap();
    files.remove("d").unwrap();
    equal("all comes back", files.space(), Ok(before));
}

fn options(files: &Files) {
    let refused = |path, options| files.open(path, options).map(drop);
    let exclusive = Options::new().write().create_new();
    let new = Options::new();
    for (path, options, why) in [
        ("none", READ, FileError::NotFound),
        ("kept", exclusive, FileError::Exists),
        ("d", exclusive, FileError::Exists),
        ("d", NEW, FileError::IsDirectory),
        ("d", WRITE, FileError::IsDirectory),
        ("new/", NEW, FileError::IsDirectory),
        ("kept", new, FileError::Invalid),
        ("kept", new.create(), FileError::Invalid),
        ("kept", READ.truncate(), FileError::Invalid),
        ("kept", READ.append(), FileError::Invalid),
    ] {
        equal("it is not opened", refused(path, options), Err(why));
    }
}

fn paths(files: &Files) {
    let long = core::str::from_utf8(&[b'/'; 129]).unwrap();
    let longer = core::str::from_utf8(&[b'x'; 700]).unwrap();
    for (path, why) in [
        ("", FileError::NotFound),
        ("none/x", FileError::NotFound),
        ("kept/", FileError::NotDirectory),
        ("kept/x", FileError::NotDirectory),
        ("d/\0x", FileError::Invalid),
        (
            "d/a-name-of-thirty-three-characters",
            FileError::NameTooLong,
        ),
        (long, FileError::NameTooLong),
        (longer, FileError::NameTooLong),
    ] {
        equal("nothing is there", files.stat(path).map(drop), Err(why));
        equal("nothing is made there", files.create_dir(path), Err(why));
        equal("nor removed", files.remove(path), Err(why));
        equal("nor moved there", files.rename("kept", path), Err(why));
    }
    for (from, to, why) in [
        ("d", "d/e", FileError::Invalid),
        ("/", "x", FileError::Invalid),
        ("d", "kept", FileError::NotDirectory),
        ("kept", "d", FileError::IsDirectory),
        ("none", "x", FileError::NotFound),
    ] {
        equal("nothing is moved", files.rename(from, to), Err(why));
    }
    equal("the root stays", files.remove("/"), Err(FileError::Invalid));
    let refused = files.read_dir("kept").map(drop);
    equal(
        "a file has no entries",
        refused,
        Err(FileError::NotDirectory),
    );
    let list = files.open("d", READ).unwrap();
    let refused = list.read(&mut [0; 4]);
    equal("a directory no bytes", refused, Err(FileError::IsDirectory));
}

/// This process has used up what it may have.
fn shares(files: &Files, first: riposte_files::File<'_>, second: riposte_files::File<'_>) {
    let last = first.try_clone().unwrap();
    let refused = files.open("kept", READ).map(drop);
    equal("so many are open", refused, Err(FileError::TooManyOpen));
    let refused = first.try_clone().map(drop);
    equal("with duplicates", refused, Err(FileError::TooManyOpen));
    let refused = files.open("new", NEW).map(drop);
    equal("nothing is made then", refused, Err(FileError::TooManyOpen));
    drop((last, second));
    let _ = first.seek(SeekFrom::Start(0));
    let mut written = 0;
    let full = loop {
        match first.write(&[b'x'; 1500]) {
            Ok(count) => written += count,
            Err(why) => break why,
        }
    };
    equal(
        "a file takes what its writer may have, and then nothing",
        (written, full),
        (BLOCKS as usize * block(files), FileError::NoSpace),
    );
    let found = files.space().map(|it| it.left);
    equal("nothing is left", found, Ok(0));
    drop(first);
}

fn may_change_nothing(files: &Files) {
    let reader = Files::connect("files-reader").unwrap();
    let file = reader.open("kept", READ).unwrap();
    holds("who may only read, reads", file.read(&mut [0; 9]) == Ok(9));
    let not = Err(FileError::ReadOnly);
    let appends = Options::new().write().append();
    for options in [WRITE, NEW, appends, READ.create()] {
        let refused = reader.open("kept", options).map(drop);
        equal("and opens nothing else", refused, not);
    }
    equal("makes nothing", reader.create_dir("x"), not);
    equal("removes nothing", reader.remove("kept"), not);
    equal("and moves nothing", reader.rename("kept", "x"), not);
    drop(file);
    let stat = files.stat("kept").map(|it| it.size);
    equal(
        "it is as it was",
        stat,
        Ok(u64::from(BLOCKS) * block(files) as u64),
    );
}

/// Bytes of a block.
fn block(files: &Files) -> usize {
    files.space().map_or(0, |it| it.block as usize)
}
