//! What the store promises, one by one, beside a naive model, and ended before each of its stores.

mod crash;
mod model;
mod promises;

use std::cell::{Cell, RefCell};
use std::panic::resume_unwind;
use std::rc::Rc;

use super::*;

/// Memory whose owner is ended before one of its stores.
#[derive(Clone)]
pub struct Mortal {
    words: Rc<[Cell<u32>]>,
    stores_left: Rc<RefCell<usize>>,
}

impl Mortal {
    fn new(words: usize) -> Mortal {
        Mortal {
            words: (0..words).map(|_| Cell::new(0)).collect(),
            stores_left: Rc::new(RefCell::new(usize::MAX)),
        }
    }

    /// The same words, for the next life.
    fn again(&self) -> Mortal {
        Mortal {
            words: Rc::clone(&self.words),
            stores_left: Rc::new(RefCell::new(usize::MAX)),
        }
    }

    fn ends_after(&self, stores: usize) {
        *self.stores_left.borrow_mut() = stores;
    }

    fn step(&self) {
        let mut left = self.stores_left.borrow_mut();
        match left.checked_sub(1) {
            Some(rest) => *left = rest,
            None => {
                drop(left);
                resume_unwind(Box::new("ended"))
            }
        }
    }

    fn byte(&self, position: usize) -> u8 {
        self.words[position / 4].get().to_le_bytes()[position % 4]
    }

    fn set_byte(&self, position: usize, value: u8) {
        let mut bytes = self.words[position / 4].get().to_le_bytes();
        bytes[position % 4] = value;
        self.words[position / 4].set(u32::from_le_bytes(bytes));
    }
}

impl Memory for Mortal {
    const BLOCK: usize = BLOCK;

    fn words(&self) -> usize {
        self.words.len()
    }

    fn load(&self, position: usize) -> u32 {
        self.words[position].get()
    }

    fn store(&mut self, position: usize, value: u32) {
        self.step();
        self.words[position].set(value);
    }

    fn clear(&mut self, bytes: Range<usize>) {
        self.step();
        bytes.for_each(|byte| self.set_byte(byte, 0));
    }
}

/// Bytes of a block.
const BLOCK: usize = 256;

/// Open files that there can be.
const FILES: usize = 12;
type Disk = Store<Mortal, FILES>;

const R: Options = Options::READ;
const W: Options = Options::WRITE;
const RW: Options = R.and(W);
const NEW: Options = RW.and(Options::CREATE);

const SHARE: Share = Share {
    files: 4,
    entries: 6,
    blocks: 10,
};

/// A disk of 30 blocks for three clients.
fn memory() -> Mortal {
    Mortal::new(Layout::least(19, BLOCK) + 29 * (BLOCK / 4 + 1))
}

fn open_disk(memory: Mortal) -> (Disk, Held) {
    let mut shares = [Share::default(); CLIENTS];
    shares[..3].fill(SHARE);
    Store::open(memory, 19, shares).expect("there is room")
}

fn disk() -> Disk {
    let (disk, held) = open_disk(memory());
    assert_eq!(held, Held::Nothing);
    disk
}

fn read(disk: &mut Disk, client: usize, file: File, length: usize) -> Result<Vec<u8>, Refused> {
    let mut bytes = Vec::new();
    let run = |memory: &Mortal, piece: Range<usize>| {
        bytes.extend(piece.map(|byte| memory.byte(byte)));
        true
    };
    let shown = disk.read(client, file, length, run)?;
    assert_eq!(shown, bytes.len());
    Ok(bytes)
}

fn write(disk: &mut Disk, client: usize, file: File, bytes: &[u8]) -> Result<usize, Refused> {
    disk.write(client, file, bytes.len(), |memory, offset, piece| {
        memory.step();
        let bytes = &bytes[offset..offset + piece.len()];
        piece
            .zip(bytes)
            .for_each(|(to, from)| memory.set_byte(to, *from));
        true
    })
}

/// Bytes that differ from place to place.
fn pattern(seed: usize, length: usize) -> Vec<u8> {
    (0..length)
        .map(|n| ((seed + 1) * 31 + n * 7 + n / 251) as u8)
        .collect()
}

/// What is there, in all directories: paths, and the bytes of files; behind that of a FIFO is a `|`.
fn contents(disk: &mut Disk) -> Vec<(String, Option<Vec<u8>>)> {
    let mut found = Vec::new();
    let mut directories = vec![String::new()];
    while let Some(directory) = directories.pop() {
        let path = if directory.is_empty() {
            "/"
        } else {
            &directory
        };
        let open = disk.open_file(0, path.as_bytes(), R).expect("it is there");
        let mut name = [0; NAME];
        while let Some((stat, length)) = disk.list(0, open, &mut name).expect("it is open") {
            let name = std::str::from_utf8(&name[..length]).expect("it went in");
            let path = format!("{directory}/{name}");
            if stat.kind == Kind::Directory {
                directories.push(path.clone());
                found.push((path, None));
            } else if stat.kind == Kind::Fifo {
                found.push((format!("{path}|"), None));
            } else {
                let file = disk.open_file(0, path.as_bytes(), R).expect("it is there");
                let bytes = read(disk, 0, file, usize::MAX).expect("it is open");
                assert_eq!(bytes.len(), stat.size as usize);
                disk.close(0, file).expect("it is open");
                found.push((path, Some(bytes)));
            }
        }
        disk.close(0, open).expect("it is open");
    }
    found.sort();
    found
}

/// Everything fits together, and nothing is counted twice.
fn assert_sound(disk: &mut Disk) {
    let counted = (disk.disk.blocks, disk.disk.entries);
    assert!(disk.disk.is_sound());
    assert_eq!((disk.disk.blocks, disk.disk.entries), counted);
}
