//! Clients that do anything, by seeds that stay. Beside a naive model: what the volume has in the end is what the model has.
//! While the block server goes away and comes back: nobody loses what nobody touches. Its files fit together in both.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use block_disk::{BLOCK, Disk, Failed};
use fat_volume::{FatVolume, Held, Look, Looked, Mount};
use files_store::{CLIENTS, File, Kind, NAME, Options, Refused, Whence};

const SEEDS: u64 = 128;
/// Blocks of the cards: on the small ones there is soon no room.
const SIZES: [usize; 5] = [64, 100, 200, 1024, 2048];
/// Files that can be open.
const FILES: usize = 6;
type Volume = FatVolume<'static, Image, FILES>;

const R: Options = Options::READ;
const RW: Options = R.and(Options::WRITE);
const NEW: Options = RW.and(Options::CREATE);
const HOWS: [Options; 8] = [
    R,
    RW,
    NEW,
    Options::WRITE.and(Options::CREATE),
    NEW.and(Options::APPEND),
    NEW.and(Options::TRUNCATE),
    NEW.and(Options::EXCLUSIVE),
    RW.and(Options::APPEND),
];

/// When a card fails next.
#[derive(Clone, Copy, Default)]
struct Outage {
    /// Writes before that.
    writes: usize,
    /// How often it fails then.
    times: usize,
    /// The write amid which it fails is done all the same.
    does: bool,
    /// It has begun.
    is_now: bool,
}

/// A card in memory.
#[derive(Clone, Default)]
struct Image {
    bytes: Rc<RefCell<Vec<u8>>>,
    outage: Rc<Cell<Outage>>,
}

impl Image {
    fn new(blocks: usize) -> Image {
        let image = Image::default();
        image.bytes.borrow_mut().resize(blocks * BLOCK, 0);
        image
    }

    /// Whether it fails now; `is_write`: a write may be where that begins.
    fn fails(&self, is_write: bool) -> bool {
        let mut outage = self.outage.get();
        if !outage.is_now {
            if !is_write || outage.times == 0 {
                return false;
            }
            if let Some(writes) = outage.writes.checked_sub(1) {
                self.outage.set(Outage { writes, ..outage });
                return false;
            }
        }
        outage.is_now = outage.times > 0;
        outage.times = outage.times.saturating_sub(1);
        self.outage.set(outage);
        outage.is_now
    }
}

impl Disk for Image {
    fn blocks(&self) -> u32 {
        (self.bytes.borrow().len() / BLOCK) as u32
    }

    fn is_writable(&self) -> bool {
        true
    }

    fn read(&mut self, first: u32, to: &mut [u8]) -> Result<(), Failed> {
        if self.fails(false) {
            return Err(Failed);
        }
        let start = first as usize * BLOCK;
        to.copy_from_slice(&self.bytes.borrow()[start..start + to.len()]);
        Ok(())
    }

    fn write(&mut self, first: u32, from: &[u8]) -> Result<(), Failed> {
        for (n, block) in from.chunks(BLOCK).enumerate() {
            let was = self.outage.get();
            let fails = self.fails(true);
            if !fails || was.does && !was.is_now {
                let start = (first as usize + n) * BLOCK;
                self.bytes.borrow_mut()[start..start + BLOCK].copy_from_slice(block);
            }
            if fails {
                return Err(Failed);
            }
        }
        Ok(())
    }
}

/// A number that nobody expects.
struct Dice(u64);

impl Dice {
    fn of(seed: u64) -> Dice {
        Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    fn roll(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 20) as usize % below
    }
}

/// What a path leads to. Directories have numbers.
#[derive(Clone, Debug)]
enum Node {
    File(Rc<RefCell<Vec<u8>>>),
    Directory(u32),
}

/// An open file of the model.
#[derive(Clone)]
struct Opened {
    client: usize,
    number: File,
    node: Node,
    position: Rc<Cell<u32>>,
    options: Options,
}

struct Model {
    /// By the whole path, without a `/` at its end; the root is "".
    nodes: BTreeMap<String, Node>,
    open: Vec<Opened>,
    next: u32,
}

impl Model {
    fn parent_is_there(&self, path: &str) -> Result<(), Refused> {
        let mut at = String::new();
        let (parents, _) = path.rsplit_once('/').unwrap();
        for name in parents.split('/').filter(|name| !name.is_empty()) {
            at = format!("{at}/{name}");
            match self.nodes.get(&at) {
                Some(Node::Directory(_)) => {}
                Some(Node::File(_)) => return Err(Refused::NotDirectory),
                None => return Err(Refused::NotFound),
            }
        }
        Ok(())
    }

    fn is_open(&self, node: &Node) -> bool {
        self.open.iter().any(|it| same(&it.node, node))
    }

    fn is_empty(&self, path: &str) -> bool {
        let under = format!("{path}/");
        !self.nodes.keys().any(|it| it.starts_with(&under))
    }
}

fn same(one: &Node, other: &Node) -> bool {
    match (one, other) {
        (Node::File(one), Node::File(other)) => Rc::ptr_eq(one, other),
        (Node::Directory(one), Node::Directory(other)) => one == other,
        _ => false,
    }
}

fn mount(image: &Image) -> (Volume, Held) {
    let scratch = &mut [0; 4096];
    let looked = Looked::at(
        image.clone(),
        Look {
            scratch,
            most: 100_000,
        },
    )
    .expect("it is one");
    let held = looked.held();
    let token = Box::leak(Box::new(Mount::new()));
    (
        FatVolume::mount(looked, token, [FILES; CLIENTS]).unwrap(),
        held,
    )
}

fn path_of(dice: &mut Dice) -> String {
    const NAMES: [&str; 7] = [
        "a",
        "b",
        "A long name.text",
        "d",
        "e",
        "Quite a long name, too",
        "B.TXT",
    ];
    let depth = [1, 1, 1, 2, 2, 3][dice.roll(6)];
    (0..depth)
        .map(|_| format!("/{}", NAMES[dice.roll(NAMES.len())]))
        .collect()
}

fn play(seed: u64, blocks: usize, steps: usize) {
    let image = Image::new(blocks);
    let (mut volume, held) = mount(&image);
    assert_eq!(held, Held::Nothing);
    let mut dice = Dice::of(seed);
    let mut model = Model {
        nodes: BTreeMap::new(),
        open: vec![],
        next: 1,
    };
    for step in 0..steps {
        turn(
            &mut volume,
            &mut model,
            &mut dice,
            &format!("seed {seed}, step {step}"),
        );
    }
    for it in std::mem::take(&mut model.open) {
        volume.close(it.client, it.number).unwrap();
    }
    compare(&mut volume, &model, &format!("seed {seed}, closed"));
    let (mut volume, held) = mount(&image);
    assert_eq!(held, Held::Volume, "seed {seed}");
    compare(&mut volume, &model, &format!("seed {seed}, mounted again"));
}

fn compare(volume: &mut Volume, model: &Model, at: &str) {
    let mut dirs = vec![String::new()];
    let mut seen = 0;
    while let Some(dir) = dirs.pop() {
        let path = if dir.is_empty() { "/" } else { &dir };
        let number = volume.open_file(0, path.as_bytes(), Options::READ).unwrap();
        let mut name = [0; NAME];
        while let Some((stat, length)) = volume.list(0, number, &mut name).unwrap() {
            let path = format!("{dir}/{}", std::str::from_utf8(&name[..length]).unwrap());
            seen += 1;
            match (model.nodes.get(&path), stat.kind) {
                (Some(Node::Directory(_)), Kind::Directory) => dirs.push(path),
                (Some(Node::File(bytes)), Kind::File) => {
                    let file = volume.open_file(0, path.as_bytes(), Options::READ).unwrap();
                    let mut all: Vec<u8> = vec![];
                    let mut piece = [0; 900];
                    loop {
                        match volume.read(0, file, &mut piece) {
                            Ok(0) => break,
                            Ok(count) => all.extend(&piece[..count]),
                            Err(why) => panic!("{at}: {path}: {why:?}"),
                        }
                    }
                    volume.close(0, file).unwrap();
                    assert!(
                        all == *bytes.borrow(),
                        "{at}: {path}: {} {}",
                        all.len(),
                        bytes.borrow().len()
                    );
                }
                other => panic!("{at}: {path}: {other:?}"),
            }
        }
        volume.close(0, number).unwrap();
    }
    assert_eq!(seen, model.nodes.len(), "{at}");
}

fn turn(volume: &mut Volume, model: &mut Model, dice: &mut Dice, at: &str) {
    let client = dice.roll(3);
    match dice.roll(24) {
        0..4 => open(volume, model, dice, client, at),
        4..6 => {
            if model.open.is_empty() {
                return;
            }
            let it = model.open.swap_remove(dice.roll(model.open.len()));
            assert_eq!(volume.close(it.client, it.number), Ok(()), "{at}");
        }
        6..12 => {
            let Some(it) = some(model, dice) else { return };
            let length = [0, 1, 10, 300, 512, 1500][dice.roll(6)];
            let seed = dice.roll(250) as u8;
            let bytes: Vec<u8> = (0..length).map(|n| seed ^ n as u8).collect();
            let result = volume.write(it.client, it.number, &bytes);
            let Node::File(contents) = &it.node else {
                assert_eq!(result, Err(Refused::BadFile), "{at}");
                return;
            };
            if !it.options.has(Options::WRITE) {
                assert_eq!(result, Err(Refused::BadFile), "{at}");
                return;
            }
            match result {
                Ok(count) => {
                    assert!(count <= length && (count > 0 || length == 0), "{at}");
                    if length == 0 {
                        return;
                    }
                    let mut contents = contents.borrow_mut();
                    let start = if it.options.has(Options::APPEND) {
                        contents.len()
                    } else {
                        it.position.get() as usize
                    };
                    if contents.len() < start + count {
                        contents.resize(start + count, 0);
                    }
                    contents[start..start + count].copy_from_slice(&bytes[..count]);
                    it.position.set((start + count) as u32);
                }
                Err(why) => assert_eq!(why, Refused::NoSpace, "{at}"),
            }
        }
        12..15 => {
            let Some(it) = some(model, dice) else { return };
            let length = [1, 10, 300, 512, 1500][dice.roll(5)];
            let mut to = vec![0; length];
            let result = volume.read(it.client, it.number, &mut to);
            match &it.node {
                _ if !it.options.has(Options::READ) => {
                    assert_eq!(result, Err(Refused::BadFile), "{at}")
                }
                Node::Directory(_) => assert_eq!(result, Err(Refused::IsDirectory), "{at}"),
                Node::File(contents) => {
                    let contents = contents.borrow();
                    let rest = contents
                        .get(it.position.get() as usize..)
                        .unwrap_or_default();
                    let rest = &rest[..rest.len().min(length)];
                    assert_eq!(result, Ok(rest.len()), "{at}");
                    assert!(to[..rest.len()] == *rest, "{at}");
                    it.position.set(it.position.get() + rest.len() as u32);
                }
            }
        }
        15 => {
            let Some(it) = some(model, dice) else { return };
            let Node::File(_) = &it.node else { return };
            let to = dice.roll(6000);
            assert_eq!(
                volume.seek(it.client, it.number, to as i64, Whence::Start),
                Ok(to as u32),
                "{at}"
            );
            it.position.set(to as u32);
        }
        16 => {
            let Some(it) = some(model, dice) else { return };
            let to = dice.roll(9000);
            let result = volume.truncate(it.client, it.number, to as u64);
            let Node::File(contents) = &it.node else {
                return;
            };
            if !it.options.has(Options::WRITE) {
                assert_eq!(result, Err(Refused::BadFile), "{at}");
                return;
            }
            match result {
                Ok(()) => contents.borrow_mut().resize(to, 0),
                Err(why) => assert_eq!(why, Refused::NoSpace, "{at}"),
            }
        }
        17 => {
            let path = path_of(dice);
            let result = volume.make_directory(path.as_bytes());
            let expected =
                model
                    .parent_is_there(&path)
                    .and_then(|()| match model.nodes.contains_key(&path) {
                        true => Err(Refused::Exists),
                        false => Ok(()),
                    });
            match (expected, result) {
                (Ok(()), Err(Refused::NoSpace)) => {}
                (expected, result) => {
                    assert_eq!(result, expected, "{at}: {path}");
                    if result.is_ok() {
                        model.next += 1;
                        model.nodes.insert(path, Node::Directory(model.next));
                    }
                }
            }
        }
        18..20 => {
            let path = path_of(dice);
            let result = volume.remove(path.as_bytes());
            let expected =
                model
                    .parent_is_there(&path)
                    .and_then(|()| match model.nodes.get(&path) {
                        None => Err(Refused::NotFound),
                        Some(node) if model.is_open(node) => Err(Refused::Busy),
                        Some(Node::Directory(_)) if !model.is_empty(&path) => {
                            Err(Refused::NotEmpty)
                        }
                        Some(_) => Ok(()),
                    });
            assert_eq!(result, expected, "{at}: {path}");
            if result.is_ok() {
                model.nodes.remove(&path);
            }
        }
        20..23 => rename(volume, model, dice, at),
        _ => {
            let Some(it) = some(model, dice) else { return };
            assert_eq!(volume.sync(it.client, it.number), Ok(()), "{at}");
        }
    }
    if dice.roll(40) == 0 && model.open.len() < FILES - 1 {
        let busy = model.open.iter().filter(|it| it.client == 0).count();
        if busy < FILES - 1 && places(model) < FILES - 1 {
            compare_open(volume, model, at);
        }
    }
}

/// As the model, sizes as those who have opened them see them.
fn compare_open(volume: &mut Volume, model: &Model, at: &str) {
    for (path, node) in &model.nodes {
        let stat = volume.stat_path(path.as_bytes());
        match node {
            Node::Directory(_) => assert_eq!(stat.unwrap().kind, Kind::Directory, "{at}: {path}"),
            Node::File(bytes) => {
                assert_eq!(
                    stat.unwrap().size as usize,
                    bytes.borrow().len(),
                    "{at}: {path}"
                );
            }
        }
    }
    compare(volume, model, at);
}

fn places(model: &Model) -> usize {
    let mut all: Vec<*const Cell<u32>> = model
        .open
        .iter()
        .map(|it| Rc::as_ptr(&it.position))
        .collect();
    all.sort();
    all.dedup();
    all.len()
}

fn some(model: &Model, dice: &mut Dice) -> Option<Opened> {
    if model.open.is_empty() {
        return None;
    }
    Some(model.open[dice.roll(model.open.len())].clone())
}

fn open(volume: &mut Volume, model: &mut Model, dice: &mut Dice, client: usize, at: &str) {
    let path = path_of(dice);
    if dice.roll(8) == 0 && !model.open.is_empty() {
        let it = some(model, dice).unwrap();
        match volume.duplicate(it.client, it.number) {
            Ok(number) => model.open.push(Opened { number, ..it }),
            Err(why) => assert_eq!(why, Refused::TooManyOpen, "{at}"),
        }
        return;
    }
    let options = HOWS[dice.roll(HOWS.len())];
    let result = volume.open_file(client, path.as_bytes(), options);
    let expected = model
        .parent_is_there(&path)
        .and_then(|()| match model.nodes.get(&path) {
            Some(_) if options.has(Options::EXCLUSIVE) => Err(Refused::Exists),
            Some(Node::Directory(_))
                if options.has(Options::WRITE) || options.has(Options::CREATE) =>
            {
                Err(Refused::IsDirectory)
            }
            Some(node) => Ok(node.clone()),
            None if options.has(Options::CREATE) => Ok(Node::File(Rc::default())),
            None => Err(Refused::NotFound),
        });
    match (result, expected) {
        (Err(Refused::TooManyOpen | Refused::NoSpace), _) => {}
        (Ok(number), Ok(node)) => {
            if options.has(Options::TRUNCATE)
                && let Node::File(bytes) = &node
            {
                bytes.borrow_mut().clear();
            }
            model.nodes.insert(path, node.clone());
            model.open.push(Opened {
                client,
                number,
                node,
                position: Rc::default(),
                options,
            });
        }
        (result, expected) => assert_eq!(result.err(), expected.err(), "{at}: {path}"),
    }
}

fn rename(volume: &mut Volume, model: &mut Model, dice: &mut Dice, at: &str) {
    let (from, to) = (path_of(dice), path_of(dice));
    let result = volume.rename(from.as_bytes(), to.as_bytes());
    let expected = (|| {
        model.parent_is_there(&from)?;
        let node = model.nodes.get(&from).ok_or(Refused::NotFound)?.clone();
        model.parent_is_there(&to)?;
        if to == from {
            return Ok(());
        }
        if matches!(node, Node::Directory(_)) && to.starts_with(&format!("{from}/")) {
            return Err(Refused::Invalid);
        }
        match (&node, model.nodes.get(&to)) {
            (_, None) => Ok(()),
            (Node::File(_), Some(Node::Directory(_))) => Err(Refused::IsDirectory),
            (Node::Directory(_), Some(Node::File(_))) => Err(Refused::NotDirectory),
            (_, Some(target)) if model.is_open(target) => Err(Refused::Busy),
            (Node::Directory(_), Some(_)) if !model.is_empty(&to) => Err(Refused::NotEmpty),
            _ => Ok(()),
        }
    })();
    if result == Err(Refused::NoSpace) && expected.is_ok() {
        return;
    }
    // Of what is open that is said first.
    if result != Err(Refused::Busy) || expected.is_ok() {
        assert_eq!(result, expected, "{at}: {from} to {to}");
    }
    if result.is_err() || from == to {
        return;
    }
    let under = format!("{from}/");
    let moved: Vec<String> = model
        .nodes
        .keys()
        .filter(|it| **it == from || it.starts_with(&under))
        .cloned()
        .collect();
    model.nodes.remove(&to);
    for old in moved {
        let node = model.nodes.remove(&old).unwrap();
        model
            .nodes
            .insert(format!("{to}{}", &old[from.len()..]), node);
    }
}

/// Does anything, whatever comes of it.
fn disturb(volume: &mut Volume, dice: &mut Dice, open: &mut Vec<(usize, File)>) {
    let client = dice.roll(3);
    let what = dice.roll(20);
    if what < 4 {
        let how = [R, NEW, NEW.and(Options::APPEND), NEW.and(Options::TRUNCATE)][dice.roll(4)];
        if let Ok(file) = volume.open_file(client, path_of(dice).as_bytes(), how) {
            open.push((client, file));
        }
        return;
    }
    if what >= 14 {
        let path = path_of(dice);
        let _ = match what {
            14 => volume.make_directory(path.as_bytes()),
            15..17 => volume.remove(path.as_bytes()),
            _ => volume.rename(path.as_bytes(), path_of(dice).as_bytes()),
        };
        return;
    }
    if open.is_empty() {
        return;
    }
    let n = dice.roll(open.len());
    let (client, file) = open[n];
    match what {
        4..6 => {
            open.swap_remove(n);
            let _ = volume.close(client, file);
        }
        6..11 => {
            let length = [1, 10, 300, 512, 1500][dice.roll(5)];
            let _ = volume.write(client, file, &vec![0xEE; length]);
        }
        11 => {
            let _ = volume.seek(client, file, dice.roll(6000) as i64, Whence::Start);
        }
        12 => {
            let _ = volume.truncate(client, file, dice.roll(9000) as u64);
        }
        _ => {
            let _ = volume.sync(client, file);
        }
    }
}

/// What nobody touches, and what is in it.
fn bystanders() -> impl Iterator<Item = (&'static str, Vec<u8>)> {
    let paths = [
        "/by",
        "/bystander of a long name",
        "/x/in",
        "/x/inside of x it is",
    ];
    let bytes = |n: usize| (0..n * 1111 + 5).map(|at| (at * 7 + n) as u8).collect();
    (0..).zip(paths).map(move |(n, path)| (path, bytes(n)))
}

fn assert_bystanders(volume: &mut Volume, at: &str) {
    for (path, bytes) in bystanders() {
        let file = volume.open_file(0, path.as_bytes(), R);
        let file = file.unwrap_or_else(|why| panic!("{at}: {path}: {why:?}"));
        let mut all = [0; 5000];
        let count = volume.read(0, file, &mut all).unwrap();
        assert!(all[..count] == bytes, "{at}: {path}");
        volume.close(0, file).unwrap();
    }
}

fn play_with_outages(seed: u64, does: bool) {
    let image = Image::new(SIZES[seed as usize % SIZES.len()]);
    let (mut volume, _) = mount(&image);
    volume.make_directory(b"/x").unwrap();
    for (path, bytes) in bystanders() {
        let file = volume.open_file(0, path.as_bytes(), NEW).unwrap();
        assert_eq!(volume.write(0, file, &bytes), Ok(bytes.len()));
        volume.close(0, file).unwrap();
    }
    let mut dice = Dice::of(seed);
    let mut open = vec![];
    for _ in 0..60 {
        image.outage.set(Outage {
            writes: dice.roll(30),
            times: 1 + dice.roll(6),
            does,
            is_now: false,
        });
        for _ in 0..25 {
            disturb(&mut volume, &mut dice, &mut open);
        }
    }
    image.outage.take();
    for (client, file) in open {
        let _ = volume.close(client, file);
    }
    let at = format!("seed {seed}, {does}");
    assert_bystanders(&mut volume, &at);
    let (mut volume, held) = mount(&image);
    assert_eq!(held, Held::Volume, "{at}");
    assert_bystanders(&mut volume, &at);
}

#[test]
fn what_clients_do_is_done_and_leaves_a_volume_that_fits_together() {
    for seed in 1..=SEEDS {
        play(seed, SIZES[seed as usize % SIZES.len()], 600);
    }
}

#[test]
fn what_they_do_while_the_card_goes_and_comes_damages_nothing() {
    for seed in 1..=SEEDS {
        play_with_outages(seed, false);
        play_with_outages(seed, true);
    }
}
