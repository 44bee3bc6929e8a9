//! Who makes, opens, writes and removes files.
#![no_std]

use riposte::Error;
use riposte_files::{File, FileError, Files, Options, SeekFrom};
use soak_test_cast::{Story, own_name, run, until_refused};

#[riposte::main]
fn main() {
    run(play, count)
}

/// Bytes of a block of the disk.
const BLOCK: usize = 256;
/// The directory is first.
const PATHS: [&str; 8] = ["d", "d/a", "d/b", "c", "e", "f", "g", "h"];

fn may_be(error: &FileError) -> bool {
    matches!(
        error,
        FileError::NotFound
            | FileError::Exists
            | FileError::NotEmpty
            | FileError::IsDirectory
            | FileError::NotDirectory
            | FileError::NoSpace
            | FileError::TooManyOpen
            | FileError::Invalid
            | FileError::BadFile
            | FileError::Kernel(Error::ServerDied)
    )
}

fn play(story: &mut Story) {
    let Ok(files) = Files::connect("files") else {
        return;
    };
    let mut open = [const { None }; 5];
    for _ in 0..story.draw(20) {
        step(story, &files, &mut open);
    }
    if story.draw(3) > 0 {
        // It ends with them.
        core::mem::forget(open);
    }
}

fn step<'a>(story: &mut Story, files: &'a Files, open: &mut [Option<File<'a>>; 5]) {
    let path = PATHS[story.draw(PATHS.len() as u32) as usize];
    let place = story.draw(5) as usize;
    match story.draw(9) {
        0 => {
            story.meets(files.create_dir(PATHS[0]), may_be);
        }
        1 | 2 => {
            let options = Options::new().read().write().create();
            open[place] = story.meets(files.open(path, options), may_be);
        }
        3 | 4 => {
            let length = story.draw(700) as usize;
            if let Some(file) = &open[place] {
                let written = story.meets(file.write(&[0x5A; 700][..length]), may_be);
                story.tell(written.unwrap_or(0) as u32);
            }
        }
        5 => {
            let position = story.draw(300).into();
            if let Some(file) = &open[place] {
                story.meets(file.seek(SeekFrom::Start(position)), may_be);
                let mut bytes = [0; 64];
                let read = story.meets(file.read(&mut bytes), may_be);
                story.tell(read.unwrap_or(0) as u32);
            }
        }
        6 => {
            story.meets(files.remove(path), may_be);
        }
        7 => {
            let to = PATHS[story.draw(PATHS.len() as u32) as usize];
            story.meets(files.rename(path, to), may_be);
        }
        _ => {
            let size = story.draw(500).into();
            if let Some(file) = &open[place] {
                story.meets(file.truncate(size), may_be);
            }
        }
    }
}

/// Files, blocks and open files; and those that the server says are left when they are removed.
fn count() -> [u32; 4] {
    let files = Files::connect("files").unwrap();
    let mut room = [0; 32];
    let make = Options::new().read().write().create();
    let made = until_refused(|n| {
        files
            .open(own_name(&mut room, "", n).as_str(), make)
            .is_ok()
    });
    let mut path = [0; 32];
    let path = own_name(&mut path, "", 0);
    let file = files.open(path.as_str(), make).unwrap();
    let blocks = until_refused(|_| file.write(&[1; BLOCK]) == Ok(BLOCK));
    let mut all = [const { None }; 8];
    let more = until_refused(|n| {
        let place = &mut all[n as usize];
        *place = files.open(path.as_str(), make).ok();
        place.is_some()
    });
    drop(all);
    drop(file);
    for n in 0..made {
        files.remove(own_name(&mut room, "", n).as_str()).unwrap();
    }
    let space = files.space().unwrap();
    [made, blocks, more + 1, space.left + space.entries]
}
