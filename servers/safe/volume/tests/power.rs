//! The power goes at every write of a block: what is mounted next is whole, and as what has been answered left it.
//!
//! This is the server's own volume, on a disk that stops at a write. A request of several blocks may stop between any two
//! of them, in whatever order the device takes them.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use block_disk::{BLOCK, Disk, Failed};
use files_store::{
    CLIENTS, File, Held, Kind, Memory, NAME, Options, Refused, Share, Store, Whence,
};
use safe_volume::{HEAD, Words, mount};

const FILES: usize = 8;
type Volume = Store<Words<'static, Card>, FILES>;

const R: Options = Options::READ;
const W: Options = Options::WRITE;
const NEW: Options = R.and(W).and(Options::CREATE);
/// Entries, the root among them.
const ENTRIES: usize = 24;
/// Blocks of the card.
const BLOCKS: usize = 128;

/// In which order a device takes the blocks of one request.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Order {
    Forwards,
    Backwards,
}

/// A card that stops at a write.
#[derive(Clone)]
struct Card {
    bytes: Rc<RefCell<Vec<u8>>>,
    writes: Rc<Cell<usize>>,
    /// The blocks that were written, one after the other.
    written: Rc<RefCell<Vec<usize>>>,
    most: Rc<Cell<usize>>,
    order: Order,
}

impl Card {
    fn new(blocks: usize) -> Card {
        Card::of(vec![0; blocks * BLOCK])
    }

    fn of(bytes: Vec<u8>) -> Card {
        Card {
            bytes: Rc::new(RefCell::new(bytes)),
            writes: Rc::default(),
            written: Rc::default(),
            most: Rc::new(Cell::new(usize::MAX)),
            order: Order::Forwards,
        }
    }

    /// The same blocks, for the next life: it stops after so many writes.
    fn again(&self, most: usize, order: Order) -> Card {
        Card {
            most: Rc::new(Cell::new(most)),
            order,
            ..Card::of(self.bytes.borrow().clone())
        }
    }
}

impl Disk for Card {
    fn blocks(&self) -> u32 {
        (self.bytes.borrow().len() / BLOCK) as u32
    }

    fn is_writable(&self) -> bool {
        true
    }

    fn read(&mut self, first: u32, to: &mut [u8]) -> Result<(), Failed> {
        let start = first as usize * BLOCK;
        to.copy_from_slice(&self.bytes.borrow()[start..start + to.len()]);
        Ok(())
    }

    fn write(&mut self, first: u32, from: &[u8]) -> Result<(), Failed> {
        assert!(from.len().is_multiple_of(BLOCK) && !from.is_empty());
        let count = from.len() / BLOCK;
        for n in 0..count {
            let n = match self.order {
                Order::Forwards => n,
                Order::Backwards => count - 1 - n,
            };
            if self.writes.get() >= self.most.get() {
                return Err(Failed);
            }
            self.writes.set(self.writes.get() + 1);
            self.written.borrow_mut().push(first as usize + n);
            let start = (first as usize + n) * BLOCK;
            let block = &from[n * BLOCK..(n + 1) * BLOCK];
            self.bytes.borrow_mut()[start..start + BLOCK].copy_from_slice(block);
        }
        Ok(())
    }
}

fn shares() -> [Share; CLIENTS] {
    let share = Share {
        files: 4,
        entries: 7,
        blocks: 40,
    };
    let mut shares = [Share::default(); CLIENTS];
    shares[..3].fill(share);
    shares
}

fn open(card: &Card) -> Result<(Volume, Held), Refused> {
    open_with(card, ENTRIES, shares())
}

fn open_with(
    card: &Card,
    entries: usize,
    shares: [Share; CLIENTS],
) -> Result<(Volume, Held), Refused> {
    let head = Box::leak(vec![0; HEAD].into_boxed_slice());
    let head = head.try_into().expect("it is as long");
    let words = Words::open(card.clone(), head, entries)?;
    let (mut volume, held) = mount(words, |words| words, entries, shares)?;
    volume.memory_mut().settle()?;
    Ok((volume, held))
}

fn pattern(seed: usize, length: usize) -> Vec<u8> {
    (0..length)
        .map(|n| (seed * 31 + n * 7 + n / 251) as u8)
        .collect()
}

/// As the server writes what a client sends.
fn write(volume: &mut Volume, client: usize, file: File, bytes: &[u8]) -> Result<usize, Refused> {
    let written = volume.write(client, file, bytes.len(), |memory, offset, piece| {
        let end = offset + piece.len();
        memory.write(piece.start, &bytes[offset..end]);
        true
    });
    volume.memory_mut().settle()?;
    written
}

/// As the server answers a read.
fn read(volume: &mut Volume, client: usize, file: File, length: usize) -> Result<Vec<u8>, Refused> {
    let mut bytes = vec![];
    volume.read(client, file, length, |memory, piece| {
        let mut read = vec![0; piece.len()];
        memory.read(piece.start, &mut read);
        bytes.extend(read);
        true
    })?;
    volume.memory_mut().settle()?;
    Ok(bytes)
}

/// All paths, with the bytes of files.
type Contents = BTreeMap<String, Option<Vec<u8>>>;

fn contents(volume: &mut Volume) -> Contents {
    let mut all = BTreeMap::new();
    let mut directories = vec![String::from("/")];
    while let Some(directory) = directories.pop() {
        let open = volume
            .open_file(2, directory.as_bytes(), R)
            .expect("it is there");
        let mut name = [0; NAME];
        while let Some((stat, length)) = volume.list(2, open, &mut name).expect("it is one") {
            let name = std::str::from_utf8(&name[..length]).expect("it is text");
            let path = format!("{directory}{name}");
            if stat.kind == Kind::Directory {
                directories.push(format!("{path}/"));
                all.insert(path, None);
                continue;
            }
            if stat.kind == Kind::Fifo {
                all.insert(format!("{path}|"), None);
                continue;
            }
            let file = volume
                .open_file(2, path.as_bytes(), R)
                .expect("it is there");
            let bytes = read(volume, 2, file, stat.size as usize).expect("it can be read");
            assert_eq!(bytes.len(), stat.size as usize);
            volume.close(2, file).expect("it is open");
            all.insert(path, Some(bytes));
        }
        volume.close(2, open).expect("it is open");
    }
    all
}

type Done = Result<(), Refused>;

fn append(volume: &mut Volume, client: usize, path: &str, length: usize) -> Done {
    let file = volume.open_file(client, path.as_bytes(), NEW.and(Options::APPEND))?;
    volume.memory_mut().settle()?;
    let written = write(volume, client, file, &pattern(length, length));
    let closed = volume.close(client, file);
    written?;
    closed
}

fn resize(volume: &mut Volume, path: &str, size: u64) -> Done {
    let file = volume.open_file(1, path.as_bytes(), W)?;
    let done = volume.truncate(1, file, size);
    volume.close(1, file)?;
    done
}

/// What happens, one operation after the other. Each leaves what was before, or what is after it.
const OPERATIONS: [fn(&mut Volume) -> Done; 24] = [
    |it| it.make_directory(0, b"d"),
    |it| it.open_file(0, b"d/a", NEW).map(drop),
    |it| append(it, 0, "d/a", 100),
    |it| append(it, 0, "d/a", 1000),
    |it| it.open_file(1, b"b", NEW).map(drop),
    |it| append(it, 1, "b", 700),
    |it| it.rename(b"b", b"d/c"),
    |it| append(it, 1, "d/a", 16_384),
    |it| resize(it, "d/a", 300),
    |it| resize(it, "d/a", 3000),
    |it| it.make_directory(1, b"d/e"),
    |it| it.open_file(1, b"d/e/f", NEW).map(drop),
    |it| append(it, 1, "d/e/f", 512),
    |it| append(it, 0, "d/e/f", 513),
    |it| it.rename(b"d/e/f", b"d/a"),
    |it| it.remove(b"d/e"),
    |it| it.rename(b"d", b"another name, which is long"),
    |it| it.make_fifo(2, b"fifo").map(drop),
    |it| it.rename(b"fifo", b"another name, which is long/a"),
    |it| it.remove(b"another name, which is long/a"),
    |it| it.open_file(2, b"last", NEW).map(drop),
    |it| append(it, 2, "last", 2048),
    |it| it.remove(b"another name, which is long/c"),
    |it| resize(it, "last", 0),
];

fn run(volume: &mut Volume, operation: fn(&mut Volume) -> Done) -> Done {
    let done = operation(volume);
    (0..3).for_each(|client| volume.leave(client));
    volume.memory_mut().settle()?;
    done
}

/// What is there after each number of operations.
fn stages() -> Vec<Contents> {
    let (mut volume, held) = open(&Card::new(BLOCKS)).expect("there is room");
    assert_eq!(held, Held::Nothing);
    let mut stages = vec![contents(&mut volume)];
    for operation in OPERATIONS {
        run(&mut volume, operation).expect("it can be done");
        stages.push(contents(&mut volume));
    }
    stages
}

/// As many blocks and entries are used as there should be: all can be had again.
fn assert_nothing_is_lost(volume: &mut Volume) {
    let all = contents(volume);
    for path in all.keys().rev() {
        let path = path.trim_end_matches('|');
        volume.remove(path.as_bytes()).expect("it is there");
    }
    assert_eq!(volume.free_blocks(), volume.blocks());
    for client in 0..3 {
        assert_eq!(volume.used(client), (0, 0));
    }
}

/// Runs the operations until one fails: how many were done before it, if one did.
fn run_all(volume: &mut Volume) -> Option<usize> {
    OPERATIONS.iter().position(|it| run(volume, *it).is_err())
}

#[test]
fn wherever_the_power_goes_each_operation_is_whole_or_has_not_been() {
    let stages = stages();
    let made = Card::new(BLOCKS);
    open(&made).expect("there is room");
    for order in [Order::Forwards, Order::Backwards] {
        for writes in 0.. {
            let card = made.again(writes, order);
            let (mut volume, _) = open(&card).expect("it is made");
            let done = run_all(&mut volume);
            drop(volume);
            let next = card.again(usize::MAX, order);
            let (mut volume, held) = open(&next).expect("it is whole");
            assert_eq!(held, Held::Disk);
            let found = contents(&mut volume);
            let Some(done) = done else {
                assert!(writes > 80, "{writes}");
                assert_eq!(found, *stages.last().unwrap());
                break;
            };
            let is_whole = stages[done..=done + 1].contains(&found);
            assert!(
                is_whole,
                "{order:?}, at write {writes}, in operation {done}"
            );
            assert_nothing_is_lost(&mut volume);
        }
    }
}

#[test]
fn wherever_it_goes_again_while_the_volume_is_mounted_the_next_one_is_whole() {
    let stages = stages();
    let made = Card::new(BLOCKS);
    open(&made).expect("there is room");
    for writes in 0.. {
        let card = made.again(writes, Order::Forwards);
        let (mut volume, _) = open(&card).expect("it is made");
        let Some(done) = run_all(&mut volume) else {
            break;
        };
        for second in 0.. {
            let next = card.again(second, Order::Forwards);
            let is_over = open(&next).is_ok();
            let last = next.again(usize::MAX, Order::Forwards);
            let (mut volume, held) = open(&last).expect("it is whole");
            assert_eq!(held, Held::Disk);
            let found = contents(&mut volume);
            let is_whole = stages[done..=done + 1].contains(&found);
            assert!(is_whole, "at writes {writes} and {second}");
            if is_over {
                break;
            }
        }
    }
}

#[test]
fn wherever_it_goes_while_a_volume_is_made_it_is_made_anew() {
    for writes in 0.. {
        let card = Card::new(BLOCKS).again(writes, Order::Forwards);
        let is_over = open(&card).is_ok();
        let next = card.again(usize::MAX, Order::Forwards);
        let (mut volume, _) = open(&next).expect("there is room");
        assert_eq!(contents(&mut volume), Contents::new());
        assert_nothing_is_lost(&mut volume);
        if is_over {
            assert!(writes > 2, "{writes}");
            break;
        }
    }
}

/// With few entries all that makes it a volume is in its first block, and the chain of free ones begins there.
#[test]
fn wherever_it_goes_while_a_volume_of_few_entries_is_made_it_is_made_anew() {
    for entries in 2..9 {
        let mut shares = [Share::default(); CLIENTS];
        shares[0] = Share {
            files: 2,
            entries: entries as u32 - 1,
            blocks: 40,
        };
        for writes in 0.. {
            let card = Card::new(BLOCKS).again(writes, Order::Forwards);
            let is_over = open_with(&card, entries, shares).is_ok();
            let next = card.again(usize::MAX, Order::Forwards);
            let opened = open_with(&next, entries, shares);
            assert!(opened.is_ok(), "{entries} entries, at write {writes}");
            if is_over {
                break;
            }
        }
    }
}

/// Bytes that are overwritten are the one thing of which a part can be there.
#[test]
fn a_write_over_what_is_there_leaves_old_or_new_bytes_and_nothing_else() {
    let made = Card::new(BLOCKS);
    let (mut volume, _) = open(&made).expect("there is room");
    append(&mut volume, 0, "kept", 900).unwrap();
    append(&mut volume, 0, "f", 5000).unwrap();
    volume.memory_mut().settle().unwrap();
    let (old, new) = (pattern(5000, 5000), pattern(3, 2000));
    let mut torn = 0;
    for writes in 0.. {
        let card = made.again(writes, Order::Backwards);
        let (mut volume, _) = open(&card).expect("it is made");
        let file = volume.open_file(0, b"f", W).expect("it is there");
        volume.seek(0, file, 700, Whence::Start).unwrap();
        let is_over = write(&mut volume, 0, file, &new).is_ok();
        let (mut volume, _) = open(&card.again(usize::MAX, Order::Forwards)).expect("it is whole");
        let found = contents(&mut volume);
        assert_eq!(found["/kept"], Some(pattern(900, 900)));
        let found = found["/f"].as_ref().expect("it is a file");
        assert_eq!(found.len(), 5000);
        for (n, byte) in found.iter().enumerate() {
            let is_new = (700..2700).contains(&n) && *byte == new[n - 700];
            assert!(is_new || *byte == old[n], "byte {n}");
        }
        torn += usize::from(found[700..2700] != new[..] && *found != old);
        if is_over {
            assert_eq!(found[700..2700], new[..]);
            break;
        }
    }
    assert!(torn > 0);
}

/// A number that nobody expects.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % sides
    }
}

/// A step that is drawn, and what should be there after it if it is done.
fn step(dice: &mut Dice, volume: &mut Volume, model: &mut Contents) -> Done {
    let name = format!("/{}", dice.roll(5));
    let client = dice.roll(3);
    let (what, length) = (dice.roll(5), dice.roll(3000));
    match what {
        0 | 1 => {
            let before = model.get(&name).cloned();
            let file = volume.open_file(client, name.as_bytes(), NEW.and(Options::APPEND))?;
            volume.memory_mut().settle()?;
            // An operation of its own.
            model.entry(name.clone()).or_insert_with(|| Some(vec![]));
            let written = write(volume, client, file, &pattern(length, length));
            volume.close(client, file)?;
            volume.memory_mut().settle()?;
            let written = match written {
                Err(Refused::NoSpace) => return Ok(()),
                other => other?,
            };
            let mut bytes = before.flatten().unwrap_or_default();
            bytes.extend(&pattern(length, length)[..written]);
            model.insert(name, Some(bytes));
        }
        2 => {
            let file = match volume.open_file(client, name.as_bytes(), W) {
                Err(Refused::NotFound) => return Ok(()),
                other => other?,
            };
            let done = volume.truncate(client, file, length as u64);
            volume.close(client, file)?;
            volume.memory_mut().settle()?;
            if done == Err(Refused::NoSpace) {
                return Ok(());
            }
            done?;
            if let Some(Some(bytes)) = model.get_mut(&name) {
                bytes.resize(length, 0);
            }
        }
        3 => {
            let done = volume.remove(name.as_bytes());
            volume.memory_mut().settle()?;
            if done != Err(Refused::NotFound) {
                done?;
                model.remove(&name);
            }
        }
        _ => {
            let to = format!("/{}", dice.roll(5));
            let done = volume.rename(name.as_bytes(), to.as_bytes());
            volume.memory_mut().settle()?;
            if done != Err(Refused::NotFound) {
                done?;
                if let Some(bytes) = model.remove(&name) {
                    model.insert(to, bytes);
                }
            }
        }
    }
    Ok(())
}

/// Random operations, each beside a model, and the power that goes at each write of each.
#[test]
fn whatever_is_done_a_power_that_goes_leaves_what_was_before_or_what_is_after() {
    let mut cuts = 0;
    for seed in 1..6 {
        let mut card = Card::new(BLOCKS);
        open(&card).expect("there is room");
        let mut model = Contents::new();
        let mut dice = Dice(seed * 0x9E37_79B9);
        for number in 0..60 {
            let at = dice.0;
            let before = model.clone();
            // Without a cut first: what comes of it.
            let whole = card.again(usize::MAX, Order::Forwards);
            let (mut volume, _) = open(&whole).expect("it is whole");
            step(&mut dice, &mut volume, &mut model).expect("it can be done");
            assert_eq!(contents(&mut volume), model, "seed {seed}, step {number}");
            for writes in 0..whole.writes.get() {
                let cut = card.again(writes, Order::Backwards);
                let (mut volume, _) = open(&cut).expect("it is whole");
                let mut middle = before.clone();
                let done = step(&mut Dice(at), &mut volume, &mut middle);
                assert!(done.is_err(), "{done:?}");
                let next = cut.again(usize::MAX, Order::Forwards);
                let (mut volume, _) = open(&next).expect("it is whole");
                let found = contents(&mut volume);
                // Where a file had to be made, it may be there, and empty.
                let is_one = found == before || found == model || found == middle;
                assert!(is_one, "seed {seed}, step {number}, write {writes}");
                cuts += 1;
            }
            card = whole;
        }
    }
    assert!(cuts > 1000, "{cuts}");
}

#[test]
fn blocks_are_written_in_the_order_in_which_they_were_changed() {
    let card = Card::new(BLOCKS);
    let (mut volume, _) = open(&card).expect("there is room");
    card.written.borrow_mut().clear();
    let words = volume.memory_mut();
    words.store(200, 1);
    words.store(201, 2);
    words.store(300, 3);
    // In two blocks of the data, and one of them whole.
    words.write(40 * BLOCK + 500, &[1; 12 + BLOCK]);
    words.store(200, 4);
    words.clear(50 * BLOCK..51 * BLOCK);
    words.store(300, 5);
    words.store(200, 6);
    words.settle().unwrap();
    assert_eq!(*card.written.borrow(), [1, 2, 40, 41, 1, 50, 2, 1]);
}

#[test]
fn what_is_no_volume_is_not_written() {
    let mut fat = vec![0; BLOCKS * BLOCK];
    fat[0] = 0xEB;
    let mut table = vec![0; BLOCKS * BLOCK];
    table[510..512].copy_from_slice(&[0x55, 0xAA]);
    let mut partition = vec![0; BLOCKS * BLOCK];
    partition[450] = 0x0C;
    // One whose log, of two words, names a word of the disk, and then one of a file's bytes.
    let volume = Card::new(BLOCKS);
    drop(open(&volume).expect("there is room"));
    let mut log = volume.bytes.borrow().clone();
    for (word, value) in [
        (5, 2),
        (6, 50),
        (7, 1),
        (8, (BLOCKS * BLOCK / 4 - 1) as u32),
        (9, 1),
    ] {
        log[word * 4..word * 4 + 4].copy_from_slice(&u32::to_le_bytes(value));
    }
    // A disk whose table of partitions was lost.
    let mut parted = vec![0; 2100 * BLOCK];
    parted[2048 * BLOCK] = 0xEB;
    // Others begin with zeros: ones in whose third, 65th or 129th block something is.
    let [ext, iso, btrfs] = [2, 64, 128].map(|block| {
        let mut bytes = vec![0; 160 * BLOCK];
        bytes[block * BLOCK..][..BLOCK].copy_from_slice(&pattern(1, BLOCK));
        bytes
    });
    for bytes in [
        fat,
        table,
        log,
        parted,
        partition,
        pattern(1, BLOCKS * BLOCK),
        ext,
        iso,
        btrfs,
    ] {
        let card = Card::of(bytes);
        assert_eq!(open(&card).err(), Some(Refused::Damaged));
        assert_eq!(card.writes.get(), 0);
    }
    assert_eq!(open(&Card::new(3)).err(), Some(Refused::NoSpace));
}

#[test]
fn of_a_large_card_it_uses_what_it_can() {
    let card = Card::new(40_000);
    let (mut volume, _) = open(&card).expect("there is room");
    assert_eq!(volume.blocks(), 4096);
    append(&mut volume, 0, "f", 5000).unwrap();
    volume.memory_mut().settle().unwrap();
    let (mut volume, held) = open(&card).expect("it is whole");
    assert_eq!(held, Held::Disk);
    assert_eq!(contents(&mut volume)["/f"], Some(pattern(5000, 5000)));
    let last = card.written.borrow().iter().copied().max();
    assert!(last < Some(4300), "{last:?}");
}

#[test]
fn a_device_that_has_failed_is_an_error_and_is_written_no_more() {
    let card = Card::new(BLOCKS);
    open(&card).expect("there is room");
    let card = card.again(5, Order::Forwards);
    let (mut volume, _) = open(&card).expect("it is made");
    let failed = append(&mut volume, 0, "f", 3000);
    assert!(failed.is_err() || volume.memory_mut().settle().is_err());
    card.most.set(usize::MAX);
    let writes = card.writes.get();
    volume.memory_mut().store(200, 1);
    volume.memory_mut().write(40 * BLOCK, &[1; BLOCK]);
    assert_eq!(volume.memory_mut().settle(), Err(Refused::Damaged));
    assert_eq!(card.writes.get(), writes);
}

#[test]
fn a_device_that_works_again_has_what_its_next_life_would_find() {
    let stages = stages();
    let made = Card::new(BLOCKS);
    open(&made).expect("there is room");
    for writes in 0.. {
        let card = made.again(writes, Order::Forwards);
        let (mut volume, _) = open(&card).expect("it is made");
        let Some(done) = run_all(&mut volume) else {
            break;
        };
        let file = volume.open_file(0, b"/", R).expect("it is there");
        card.most.set(usize::MAX);
        volume.memory_mut().reopen().expect("it can be read");
        assert_eq!(volume.remount(), Ok(()));
        assert_eq!(volume.memory_mut().settle(), Ok(()));
        assert_eq!(volume.stat(0, file), Err(Refused::BadFile));
        let found = contents(&mut volume);
        let is_whole = stages[done..=done + 1].contains(&found);
        assert!(is_whole, "at write {writes}, in operation {done}");
        assert_nothing_is_lost(&mut volume);
        assert_eq!(volume.memory_mut().settle(), Ok(()));
        let (mut next, _) = open(&card).expect("it is whole");
        assert_eq!(contents(&mut next), Contents::new());
    }
}

/// Each bit of the head is flipped: it is refused, or everything in it can be used.
#[test]
fn a_damaged_volume_is_an_error_and_no_panic() {
    let made = Card::new(BLOCKS);
    let (mut volume, _) = open(&made).expect("there is room");
    for operation in &OPERATIONS[..14] {
        run(&mut volume, *operation).unwrap();
    }
    let head = files_store::head(volume.memory().words(), ENTRIES, BLOCK).unwrap();
    let mut refused = 0;
    for bit in 0..head * 8 {
        let mut bytes = made.bytes.borrow().clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        match open(&Card::of(bytes)) {
            Err(why) => {
                assert_eq!(why, Refused::Damaged);
                refused += 1;
            }
            Ok((mut volume, _)) => drop(contents(&mut volume)),
        }
    }
    assert!(refused > 100, "{refused}");
}
