//! The volume beside the host's own programs for FAT: what it makes they find whole and read, what they make it reads.
//! It takes `fsck.fat` (dosfstools), and `mformat`, `mcopy`, `mtype` and `mdir` (mtools).

use std::cell::{Cell, RefCell};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;

use block_disk::{BLOCK, Disk, Failed};
use fat_volume::{FatVolume, Held, Look, Looked, Mount};
use files_store::{CLIENTS, Kind, NAME, Options, Refused, Whence};

/// Blocks that a mount may read to look whether the files fit together.
const MOST: u32 = 10_000;
/// Files that can be open.
const FILES: usize = 8;
type Volume<'m> = FatVolume<'m, Image, FILES>;

const R: Options = Options::READ;
const RW: Options = R.and(Options::WRITE);
const NEW: Options = RW.and(Options::CREATE);

/// A card in memory, which fails after so many writes.
#[derive(Clone)]
struct Image {
    bytes: Rc<RefCell<Vec<u8>>>,
    writes_left: Rc<Cell<usize>>,
    /// The first write that fails is done: only that is not said.
    does_first: Rc<Cell<bool>>,
    writable: bool,
}

impl Image {
    fn new(blocks: usize) -> Image {
        Image::of(vec![0; blocks * BLOCK])
    }

    fn of(bytes: Vec<u8>) -> Image {
        Image {
            bytes: Rc::new(RefCell::new(bytes)),
            writes_left: Rc::new(Cell::new(usize::MAX)),
            does_first: Rc::default(),
            writable: true,
        }
    }

    fn save(&self, name: &str) -> PathBuf {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::write(&path, &*self.bytes.borrow()).expect("there is a disk");
        path
    }
}

impl Disk for Image {
    fn blocks(&self) -> u32 {
        (self.bytes.borrow().len() / BLOCK) as u32
    }

    fn is_writable(&self) -> bool {
        self.writable
    }

    fn read(&mut self, first: u32, to: &mut [u8]) -> Result<(), Failed> {
        let start = first as usize * BLOCK;
        to.copy_from_slice(&self.bytes.borrow()[start..start + to.len()]);
        Ok(())
    }

    fn write(&mut self, first: u32, from: &[u8]) -> Result<(), Failed> {
        for (n, block) in from.chunks(BLOCK).enumerate() {
            let left = self.writes_left.get().checked_sub(1);
            if left.is_some() || self.does_first.take() {
                let start = (first as usize + n) * BLOCK;
                self.bytes.borrow_mut()[start..start + BLOCK].copy_from_slice(block);
            }
            self.writes_left.set(left.ok_or(Failed)?);
        }
        Ok(())
    }
}

fn mount(image: &Image, token: &'static mut Mount) -> (Volume<'static>, Held) {
    try_mount(image, token).expect("it has a volume")
}

fn try_mount(image: &Image, token: &'static mut Mount) -> Result<(Volume<'static>, Held), Refused> {
    mount_with(image, token, [FILES; CLIENTS], MOST)
}

fn mount_with(
    image: &Image,
    token: &'static mut Mount,
    files: [usize; CLIENTS],
    most: u32,
) -> Result<(Volume<'static>, Held), Refused> {
    let scratch = &mut [0; 4096];
    let looked = Looked::at(image.clone(), Look { scratch, most })?;
    let held = looked.held();
    Ok((FatVolume::mount(looked, token, files)?, held))
}

fn token() -> &'static mut Mount {
    Box::leak(Box::default())
}

/// What a program says, if it is content.
fn run(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output();
    let output =
        output.unwrap_or_else(|why| panic!("{program}: {why}: apt-get install dosfstools mtools"));
    let said = format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(output.status.success(), "{program} {arguments:?}: {said}");
    said
}

/// The host's own check finds nothing to mend.
fn assert_sound(image: &Image, name: &str) -> PathBuf {
    let path = image.save(name);
    run("fsck.fat", &["-n", "-v", path.to_str().unwrap()]);
    path
}

fn pattern(seed: usize, length: usize) -> Vec<u8> {
    (0..length)
        .map(|n| (seed * 31 + n * 7 + n / 251) as u8)
        .collect()
}

fn write_file(volume: &mut Volume, path: &str, bytes: &[u8]) {
    let file = volume.open_file(0, path.as_bytes(), NEW.and(Options::TRUNCATE));
    let file = file.unwrap_or_else(|why| panic!("{path}: {why:?}"));
    let mut done = 0;
    while done < bytes.len() {
        done += volume
            .write(0, file, &bytes[done..])
            .expect("there is room");
    }
    volume.close(0, file).expect("it is open");
}

fn read_file(volume: &mut Volume, path: &str) -> Result<Vec<u8>, Refused> {
    let file = volume.open_file(0, path.as_bytes(), R)?;
    let mut bytes = vec![];
    loop {
        let mut piece = [0; 700];
        let count = volume.read(0, file, &mut piece)?;
        if count == 0 {
            volume.close(0, file)?;
            return Ok(bytes);
        }
        bytes.extend(&piece[..count]);
    }
}

fn names(volume: &mut Volume, path: &str) -> Vec<String> {
    let directory = volume
        .open_file(1, path.as_bytes(), R)
        .expect("it is there");
    let mut names = vec![];
    let mut name = [0; NAME];
    while let Some((_, length)) = volume.list(1, directory, &mut name).expect("it is one") {
        names.push(String::from_utf8(name[..length].to_vec()).expect("it is text"));
    }
    volume.close(1, directory).expect("it is open");
    names.sort();
    names
}

#[test]
fn an_empty_card_gets_a_volume_which_the_host_finds_whole() {
    // FAT of each kind.
    for (blocks, kind) in [
        (256, "FAT12"),
        (1024, "FAT12"),
        (4096, "FAT12"),
        (16_383, "FAT12"),
        (16_384, "FAT12"),
        (65_536, "FAT16"),
        (1_200_000, "FAT32"),
    ] {
        let image = Image::new(blocks);
        let (mut volume, held) = mount(&image, token());
        assert_eq!(held, Held::Nothing);
        write_file(
            &mut volume,
            "/a file with a long name.text",
            &pattern(1, 5000),
        );
        let path = assert_sound(&image, &format!("empty-{blocks}"));
        let said = run("fsck.fat", &["-n", "-v", path.to_str().unwrap()]);
        let bits = kind.trim_start_matches("FAT");
        assert!(
            said.contains(&format!("{bits} bit entries")),
            "{kind}: {said}"
        );
        let (mut volume, held) = mount(&image, token());
        assert_eq!(held, Held::Volume);
        assert_eq!(names(&mut volume, "/"), ["a file with a long name.text"]);
    }
}

#[test]
fn what_it_writes_the_host_reads() {
    let image = Image::new(2048);
    let (mut volume, _) = mount(&image, token());
    volume.make_directory(b"/logs").unwrap();
    write_file(&mut volume, "/logs/today", &pattern(1, 12_345));
    write_file(&mut volume, "/draft", b"the last one");
    volume
        .rename(b"/draft", b"/logs/Temperatures of 2026.csv")
        .unwrap();
    write_file(&mut volume, "/logs/gone", &pattern(2, 3000));
    volume.remove(b"/logs/gone").unwrap();
    let file = volume.open_file(0, b"/logs/today", RW).unwrap();
    volume.truncate(0, file, 700).unwrap();
    volume.truncate(0, file, 1500).unwrap();
    volume.close(0, file).unwrap();
    let path = assert_sound(&image, "written");
    let path = path.to_str().unwrap();
    let listed = run("mdir", &["-i", path, "-b", "-/", "::"]);
    let mut listed: Vec<_> = listed.lines().collect();
    listed.sort_unstable();
    assert_eq!(
        listed,
        [
            "::/logs/",
            "::/logs/Temperatures of 2026.csv",
            "::/logs/today"
        ]
    );
    assert_eq!(
        run("mtype", &["-i", path, "::/logs/Temperatures of 2026.csv"]),
        "the last one"
    );
    let copy = image.save("copy-of-today");
    run(
        "mcopy",
        &[
            "-n",
            "-o",
            "-i",
            path,
            "::/logs/today",
            copy.to_str().unwrap(),
        ],
    );
    let mut expected = pattern(1, 700);
    expected.resize(1500, 0);
    assert_eq!(std::fs::read(copy).unwrap(), expected);
}

#[test]
fn what_the_host_makes_it_reads() {
    for (kind, blocks, options) in [
        ("12", 4096, &["-C"][..]),
        ("16", 40_000, &["-C"][..]),
        ("32", 140_000, &["-C", "-F", "-c", "1"][..]),
    ] {
        let path = Image::new(0).save(&format!("made-{kind}"));
        let path = path.to_str().unwrap();
        std::fs::remove_file(path).unwrap();
        let size = blocks.to_string();
        let image = ["-i", path, "-T", &size, "-h", "2", "-s", "1"];
        run("mformat", &[options, &image, &["::"]].concat());
        let source = Image::of(pattern(5, 9000)).save(&format!("source-{kind}"));
        run("mmd", &["-i", path, "::/Readings"]);
        let source = source.to_str().unwrap();
        run(
            "mcopy",
            &["-i", path, source, "::/Readings/One long name.bin"],
        );
        let image = Image::of(std::fs::read(path).unwrap());
        let (mut volume, held) = mount(&image, token());
        assert_eq!(held, Held::Volume);
        // Names are found whatever their case is.
        let found = read_file(&mut volume, "/readings/ONE LONG NAME.BIN");
        assert_eq!(found, Ok(pattern(5, 9000)), "{kind}");
        write_file(&mut volume, "/Readings/two", &pattern(6, 4000));
        assert_sound(&image, &format!("made-{kind}-on"));
    }
}

#[test]
fn a_volume_in_a_partition_is_found() {
    let mut card = vec![0; 5000 * BLOCK];
    let inner = Image::new(4000);
    let (mut volume, _) = mount(&inner, token());
    write_file(&mut volume, "/inside", &pattern(3, 1000));
    card[100 * BLOCK..4100 * BLOCK].copy_from_slice(&inner.bytes.borrow());
    card[446 + 4] = 0x06;
    card[446 + 8..446 + 12].copy_from_slice(&100_u32.to_le_bytes());
    card[446 + 12..446 + 16].copy_from_slice(&4000_u32.to_le_bytes());
    card[510..512].copy_from_slice(&[0x55, 0xAA]);
    let image = Image::of(card.clone());
    let (mut volume, held) = mount(&image, token());
    assert_eq!(held, Held::Volume);
    assert_eq!(read_file(&mut volume, "/inside"), Ok(pattern(3, 1000)));
    // A partition that is not all on the card is none.
    card[446 + 12..446 + 16].copy_from_slice(&4_901_u32.to_le_bytes());
    let refused = try_mount(&Image::of(card), token());
    assert_eq!(refused.err(), Some(Refused::Damaged));
}

#[test]
fn a_full_volume_takes_what_there_is_room_for_and_stays_whole() {
    let image = Image::new(300);
    let (mut volume, _) = mount(&image, token());
    write_file(&mut volume, "/kept", &pattern(1, 2000));
    let file = volume.open_file(0, b"/large", NEW).unwrap();
    let mut written = 0;
    let full = loop {
        match volume.write(0, file, &pattern(2, 4000)) {
            Ok(count) => written += count,
            Err(why) => break why,
        }
    };
    assert_eq!(full, Refused::NoSpace);
    assert_eq!(volume.space().unwrap().free, 0);
    assert!(written > 100_000, "{written}");
    assert_eq!(volume.stat(0, file).unwrap().size as usize, written);
    volume.close(0, file).unwrap();
    assert_sound(&image, "full");
    assert_eq!(
        read_file(&mut volume, "/large").map(|it| it.len()),
        Ok(written)
    );
    assert_eq!(read_file(&mut volume, "/kept"), Ok(pattern(1, 2000)));
    assert_eq!(volume.make_directory(b"/no"), Err(Refused::NoSpace));
    volume.remove(b"/large").unwrap();
    write_file(&mut volume, "/again", &pattern(3, 60_000));
    assert_sound(&image, "full-no-more");
}

#[test]
fn open_files_are_as_posix_has_them() {
    let image = Image::new(2048);
    let (mut volume, _) = mount(&image, token());
    let one = volume.open_file(0, b"/f", NEW).unwrap();
    let two = volume.open_file(1, b"/F", RW.and(Options::APPEND)).unwrap();
    assert_eq!(volume.write(0, one, b"hello"), Ok(5));
    assert_eq!(volume.write(1, two, b", world"), Ok(7));
    assert_eq!(volume.seek(0, one, 0, Whence::End), Ok(12));
    let twin = volume.duplicate(0, one).unwrap();
    assert_eq!(volume.seek(0, twin, 7, Whence::Start), Ok(7));
    let mut bytes = [0; 8];
    assert_eq!(volume.read(0, one, &mut bytes), Ok(5));
    assert_eq!(&bytes[..5], b"world");
    assert_eq!(volume.read(0, twin, &mut bytes), Ok(0));
    // A write behind the end leaves zeros between.
    assert_eq!(volume.seek(0, one, 20, Whence::Start), Ok(20));
    assert_eq!(volume.write(0, one, b"!"), Ok(1));
    assert_eq!(volume.stat(1, two).unwrap().size, 21);
    assert_eq!(
        volume.read(1, one, &mut bytes),
        Err(Refused::BadFile),
        "another client's"
    );
    assert_eq!(volume.remove(b"/f"), Err(Refused::Busy));
    write_file(&mut volume, "/g", b"other");
    assert_eq!(volume.rename(b"/g", b"/f"), Err(Refused::Busy));
    volume.leave(1);
    for file in [one, twin] {
        volume.close(0, file).unwrap();
    }
    assert_eq!(volume.close(0, twin), Err(Refused::BadFile));
    assert_eq!(volume.rename(b"/g", b"/f"), Ok(()));
    assert_eq!(read_file(&mut volume, "/f"), Ok(b"other".to_vec()));
    assert_sound(&image, "posix");
}

#[test]
fn what_makes_no_sense_is_refused_and_changes_nothing() {
    let image = Image::new(2048);
    let (mut volume, _) = mount(&image, token());
    volume.make_directory(b"/d").unwrap();
    write_file(&mut volume, "/f", b"bytes");
    let before = image.bytes.borrow().clone();
    let long = "n".repeat(NAME + 1);
    let deep = "d/".repeat(65);
    for (path, why) in [
        ("", Refused::NotFound),
        ("/no", Refused::NotFound),
        ("/no/no", Refused::NotFound),
        ("/f/no", Refused::NotDirectory),
        ("/f/", Refused::NotDirectory),
        (long.as_str(), Refused::NameTooLong),
        (deep.as_str(), Refused::NameTooLong),
    ] {
        assert_eq!(
            volume.open_file(0, path.as_bytes(), R).err(),
            Some(why),
            "{path}"
        );
        assert_eq!(volume.stat_path(path.as_bytes()).err(), Some(why), "{path}");
        assert_eq!(volume.remove(path.as_bytes()), Err(why), "{path}");
    }
    for (path, options, why) in [
        ("/d", RW, Refused::IsDirectory),
        ("/d", NEW, Refused::IsDirectory),
        ("/f", NEW.and(Options::EXCLUSIVE), Refused::Exists),
        ("/new/", NEW, Refused::IsDirectory),
        ("/a*b", NEW, Refused::Invalid),
        ("/f", Options(0), Refused::Invalid),
        ("/f", R.and(Options::APPEND), Refused::Invalid),
        ("/f", Options(64), Refused::Invalid),
    ] {
        assert_eq!(
            volume.open_file(0, path.as_bytes(), options).err(),
            Some(why),
            "{path}"
        );
    }
    assert_eq!(
        volume.open_file(0, b"/\xFF", NEW).err(),
        Some(Refused::Invalid)
    );
    assert_eq!(volume.make_directory(b"/d"), Err(Refused::Exists));
    assert_eq!(volume.make_directory(b"/"), Err(Refused::Exists));
    assert_eq!(volume.remove(b"/"), Err(Refused::Invalid));
    for path in [&b"/d/."[..], b"/d/./", b"/d/..", b"/d/../"] {
        assert_eq!(volume.remove(path), Err(Refused::Invalid));
        assert_eq!(volume.rename(path, b"/x"), Err(Refused::Invalid));
        assert_eq!(volume.rename(b"/d", path), Err(Refused::Invalid));
    }
    assert_eq!(volume.rename(b"/d", b"/d/e"), Err(Refused::Invalid));
    assert_eq!(volume.rename(b"/d", b"/f"), Err(Refused::NotDirectory));
    assert_eq!(volume.rename(b"/f/", b"/g"), Err(Refused::NotDirectory));
    assert_eq!(volume.rename(b"/f", b"/d"), Err(Refused::IsDirectory));
    assert_eq!(*image.bytes.borrow(), before);
    assert_eq!(
        volume.stat_path(b"/d/../d/.").unwrap().kind,
        Kind::Directory
    );
    write_file(&mut volume, "/d/e", b"");
    assert_eq!(volume.remove(b"/d"), Err(Refused::NotEmpty));
}

#[test]
fn what_fat_says_is_read_only_is_not_written() {
    let image = Image::new(2048);
    let (mut volume, _) = mount(&image, token());
    write_file(&mut volume, "/f", b"bytes");
    let path = image.save("read-only");
    let path = path.to_str().unwrap();
    run("mattrib", &["-i", path, "+r", "::/f"]);
    let image = Image::of(std::fs::read(path).unwrap());
    let (mut volume, _) = mount(&image, token());
    let before = image.bytes.borrow().clone();
    let write = Options::WRITE;
    for options in [write, RW, NEW, write.and(Options::TRUNCATE)] {
        let refused = volume.open_file(0, b"/f", options).err();
        assert_eq!(refused, Some(Refused::ReadOnly), "{options:?}");
    }
    assert_eq!(read_file(&mut volume, "/f"), Ok(b"bytes".to_vec()));
    assert_eq!(*image.bytes.borrow(), before);
}

#[test]
fn what_could_not_be_opened_is_not_open() {
    // One of FAT16 says in its tables whether it is being written.
    let image = Image::new(65_536);
    let (mut volume, _) = mount(&image, token());
    write_file(&mut volume, "/f", b"bytes");
    write_file(&mut volume, "/g", b"bytes");
    let before = image.bytes.borrow().clone();
    for (path, options) in [
        ("/f", NEW.and(Options::TRUNCATE)),
        ("/a new one with a long name", NEW),
        ("/a new one with a long name", R.and(Options::CREATE)),
    ] {
        for writes in 0.. {
            let image = Image::of(before.clone());
            let (mut volume, _) = mount(&image, token());
            image.writes_left.set(writes);
            let opened = volume.open_file(0, path.as_bytes(), options);
            image.writes_left.set(usize::MAX);
            if opened.is_ok() {
                break;
            }
            for _ in 0..FILES {
                let opened = volume.open_file(0, b"/g", R);
                assert!(opened.is_ok(), "{path}, at write {writes}: {opened:?}");
            }
        }
    }
}

#[test]
fn what_could_not_be_closed_is_free_when_the_card_works_again_whoever_writes() {
    let image = Image::new(65_536);
    let (mut volume, _) = mount(&image, token());
    let log = volume.open_file(1, b"/log", NEW).unwrap();
    let lost = volume.open_file(0, b"/lost", NEW).unwrap();
    volume.write(0, lost, b"bytes").unwrap();
    image.writes_left.set(0);
    assert!(volume.close(0, lost).is_err(), "nothing can be written");
    image.writes_left.set(usize::MAX);
    write_file(&mut volume, "/other", b"bytes");
    volume.remove(b"/lost").unwrap();
    volume.close(1, log).unwrap();
}

/// What was to be the first cluster of an empty file is free again when the card works again.
#[test]
fn what_is_opened_after_the_card_has_failed_is_not_what_was_undone() {
    let image = Image::new(64);
    let (mut volume, _) = mount(&image, token());
    write_file(&mut volume, "/f", b"");
    let before = image.bytes.borrow().clone();
    for writes in 0.. {
        let image = Image::of(before.clone());
        let (mut volume, _) = mount(&image, token());
        let file = volume.open_file(0, b"/f", RW).unwrap();
        image.writes_left.set(writes);
        let written = volume.write(0, file, &pattern(1, BLOCK));
        let _ = volume.close(0, file);
        image.writes_left.set(usize::MAX);
        if written.is_ok() {
            break;
        }
        write_file(&mut volume, "/f", &pattern(2, BLOCK));
        // It takes all that is free.
        let other = volume.open_file(1, b"/g", NEW).unwrap();
        while volume.write(1, other, &[3; BLOCK]).is_ok() {}
        volume.close(1, other).unwrap();
        assert_eq!(
            read_file(&mut volume, "/f"),
            Ok(pattern(2, BLOCK)),
            "{writes}"
        );
        let (_, held) = mount(&image, token());
        assert_eq!(held, Held::Volume, "{writes}");
    }
}

/// A write that was done may have failed all the same: its block server ended before it said so.
#[test]
fn what_is_open_while_the_card_fails_to_empty_it_is_empty_or_what_it_was() {
    type Change = fn(&mut Volume, files_store::File) -> Result<(), Refused>;
    let changes: [(&str, Change); 2] = [
        ("opened", |volume, _| {
            let opened = volume.open_file(0, b"/f", NEW.and(Options::TRUNCATE));
            opened.and_then(|file| volume.close(0, file))
        }),
        ("cut", |volume, file| volume.truncate(1, file, 0)),
    ];
    for (how, change) in changes {
        for writes in 0.. {
            let image = Image::new(64);
            let (mut volume, _) = mount(&image, token());
            write_file(&mut volume, "/f", &pattern(1, 2 * BLOCK));
            let file = volume.open_file(1, b"/f", RW).unwrap();
            image.writes_left.set(writes);
            image.does_first.set(true);
            let changed = change(&mut volume, file);
            image.writes_left.set(usize::MAX);
            if changed.is_ok() {
                break;
            }
            // It takes all that is free.
            let other = volume.open_file(2, b"/g", NEW).unwrap();
            while volume.write(2, other, &[3; BLOCK]).is_ok() {}
            volume.remove(b"/g").unwrap_err();
            let written = volume.write(1, file, &pattern(2, BLOCK));
            volume.close(1, file).unwrap();
            volume.close(2, other).unwrap();
            let at = format!("{how}, {writes}");
            match read_file(&mut volume, "/f") {
                Ok(bytes) if bytes.is_empty() => assert_eq!(written, Err(Refused::NoSpace), "{at}"),
                bytes => assert_eq!(
                    bytes,
                    Ok([pattern(2, BLOCK), pattern(1, 2 * BLOCK)[BLOCK..].to_vec()].concat()),
                    "{at}"
                ),
            }
            let bytes = read_file(&mut volume, "/g").unwrap();
            assert!(bytes.iter().all(|byte| *byte == 3), "{at}");
            let (_, held) = mount(&image, token());
            assert_eq!(held, Held::Volume, "{at}");
        }
    }
}

#[test]
fn a_client_that_has_what_it_may_leaves_the_others_theirs() {
    let image = Image::new(2048);
    let mut files = [0; CLIENTS];
    files[..2].copy_from_slice(&[5, 3]);
    let (mut volume, _) = mount_with(&image, token(), files, MOST).unwrap();
    for _ in 0..5 {
        volume.open_file(0, b"/f", NEW).unwrap();
    }
    assert_eq!(
        volume.open_file(0, b"/f", R).err(),
        Some(Refused::TooManyOpen)
    );
    for _ in 0..3 {
        volume.open_file(1, b"/", R).unwrap();
    }
    volume.leave(0);
    volume.leave(1);
    volume.remove(b"/f").unwrap();
}

#[test]
fn a_card_that_is_no_volume_is_not_written() {
    let garbage = Image::of(pattern(9, 2048 * BLOCK));
    let before = garbage.bytes.borrow().clone();
    let refused = try_mount(&garbage, token());
    assert_eq!(refused.err(), Some(Refused::Damaged));
    assert_eq!(*garbage.bytes.borrow(), before);
    let mut blank = Image::new(2048);
    blank.writable = false;
    let refused = try_mount(&blank, token());
    assert_eq!(refused.err(), Some(Refused::ReadOnly));
    let small = try_mount(&Image::new(4), token());
    assert_eq!(small.err(), Some(Refused::NoSpace));
}

/// Nothing that a card can hold ends the server.
#[test]
fn a_damaged_volume_is_an_error_and_no_panic() {
    let image = Image::new(300);
    let (mut volume, _) = mount(&image, token());
    volume.make_directory(b"/d").unwrap();
    write_file(&mut volume, "/d/f", &pattern(1, 3000));
    write_file(&mut volume, "/g", &pattern(1, 3000));
    let sound = image.bytes.borrow().clone();
    // The boot block, the tables, the root, and the directory.
    for byte in (0..64)
        .chain(510..560)
        .chain(1024..1060)
        .chain(1536..1680)
        .chain(17_408..17_600)
    {
        for flip in [0x01, 0x80, 0xFF] {
            let mut bytes = sound.clone();
            bytes[byte] ^= flip;
            let image = Image::of(bytes);
            let Ok((mut volume, _)) = try_mount(&image, token()) else {
                continue;
            };
            let _ = read_file(&mut volume, "/d/f");
            let _ = read_file(&mut volume, "/g");
            if let Ok(file) = volume.open_file(0, b"/d/new", NEW) {
                let _ = volume.write(0, file, &pattern(2, 2000));
                let _ = volume.close(0, file);
            }
            let _ = volume.remove(b"/g");
            let _ = volume.space();
        }
    }
}

/// The same card loses its power again and again, each time one write later.
#[test]
fn wherever_the_power_goes_while_a_volume_is_made_it_is_made_anew() {
    for blocks in [64, 300, 65_536, 1_200_000] {
        let image = Image::new(blocks);
        for writes in 0.. {
            assert!(writes < 5000, "{blocks} blocks: never again a volume");
            image.writes_left.set(writes);
            let mounted = try_mount(&image, token());
            if let Ok((_, held)) = mounted {
                assert_eq!(held, Held::Nothing, "{blocks} blocks, at write {writes}");
                break;
            }
        }
        image.writes_left.set(usize::MAX);
        let (mut volume, held) = mount(&image, token());
        assert_eq!(held, Held::Volume);
        write_file(&mut volume, "/f", &pattern(1, 5000));
        assert_sound(&image, &format!("made-anew-{blocks}"));
    }
}

/// FAT promises nothing for a power that goes; but what was not being written is there, and the host can mend the rest.
#[test]
fn wherever_the_power_goes_other_files_are_there() {
    let image = Image::new(300);
    let (mut volume, _) = mount(&image, token());
    write_file(&mut volume, "/kept", &pattern(1, 3000));
    let before = image.bytes.borrow().clone();
    let writes = cut_at_each_write(&before, change, |volume, held, writes| {
        // Of a rename that was cut short both names are there.
        let names = [&b"/d/a name that is long"[..], b"/short"];
        let both = names.iter().all(|name| volume.stat_path(name).is_ok());
        assert_eq!(held == Held::Damaged, both, "{writes}");
        assert_eq!(read_file(volume, "/kept"), Ok(pattern(1, 3000)), "{writes}");
    });
    assert!(writes > 20, "{writes}");
}

/// Looks at what is mounted again where the power has gone after each number of writes of a change, up to all of them: how many
/// these are.
fn cut_at_each_write(
    before: &[u8],
    change: impl Fn(&mut Volume) -> Result<(), Refused>,
    look: impl Fn(&mut Volume, Held, usize),
) -> usize {
    let mut writes = 0;
    loop {
        let image = Image::of(before.to_vec());
        let (mut volume, _) = mount(&image, token());
        image.writes_left.set(writes);
        let is_over = change(&mut volume).is_ok();
        image.writes_left.set(usize::MAX);
        let (mut volume, held) = mount(&image, token());
        look(&mut volume, held, writes);
        if is_over {
            return writes;
        }
        writes += 1;
    }
}

fn change(volume: &mut Volume) -> Result<(), Refused> {
    volume.make_directory(b"/d")?;
    let file = volume.open_file(0, b"/d/a name that is long", NEW)?;
    volume.write(0, file, &pattern(2, 3000))?;
    volume.close(0, file)?;
    volume.rename(b"/d/a name that is long", b"/short")?;
    volume.remove(b"/short")?;
    volume.remove(b"/d")
}

/// FAT would give its place to another one.
#[test]
fn an_open_directory_is_not_removed_and_never_another_one() {
    let image = Image::new(300);
    let (mut volume, _) = mount(&image, token());
    volume.make_directory(b"/d").expect("there is room");
    volume.make_directory(b"/other").expect("there is room");
    let open = volume.open_file(0, b"/d", R).expect("it is there");
    assert_eq!(volume.remove(b"/d"), Err(Refused::Busy));
    assert_eq!(volume.rename(b"/other", b"/d"), Err(Refused::Busy));
    assert_eq!(volume.rename(b"/d", b"/d"), Ok(()));
    assert!(matches!(volume.list(0, open, &mut [0; NAME]), Ok(None)));
    volume.close(0, open).expect("it is open");
    assert_eq!(volume.remove(b"/d"), Ok(()));
}

/// Where the entries with this short name lie.
fn entries_of(bytes: &[u8], name: &[u8; 11]) -> Vec<usize> {
    let all = (0..bytes.len()).step_by(32);
    all.filter(|at| bytes[*at..].starts_with(name)).collect()
}

fn entry_of(bytes: &[u8], name: &[u8; 11]) -> usize {
    *entries_of(bytes, name).first().expect("there is one")
}

/// Where the tables of a volume with FAT12 or FAT16 begin.
fn tables(bytes: &[u8]) -> Vec<usize> {
    let word = |at: usize| usize::from(u16::from_le_bytes([bytes[at], bytes[at + 1]]));
    let (reserved, length) = (word(14), word(22));
    let all = 0..usize::from(bytes[16]);
    all.map(|table| (reserved + table * length) * BLOCK)
        .collect()
}

fn first_cluster(bytes: &[u8], name: &[u8; 11]) -> u16 {
    let entry = entry_of(bytes, name);
    u16::from_le_bytes([bytes[entry + 26], bytes[entry + 27]])
}

fn set_first_cluster(bytes: &mut [u8], name: &[u8; 11], cluster: u16) {
    let entry = entry_of(bytes, name);
    bytes[entry + 26..entry + 28].copy_from_slice(&cluster.to_le_bytes());
}

/// Sets what both tables of a volume with FAT12 say of a cluster.
fn set_link(bytes: &mut [u8], cluster: u16, to: u16) {
    for table in tables(bytes) {
        let at = table + usize::from(cluster) * 3 / 2;
        let old = u16::from_le_bytes([bytes[at], bytes[at + 1]]);
        let new = match cluster % 2 {
            0 => old & 0xF000 | to,
            _ => old & 0x000F | to << 4,
        };
        bytes[at..at + 2].copy_from_slice(&new.to_le_bytes());
    }
}

const KEPT: &[u8; 11] = b"KEPT       ";
const G: &[u8; 11] = b"G          ";

/// A volume with `/kept` and `/g`, of six clusters each, and `/d` with `/d/sub` and `/d/f` in it.
fn with_files() -> Vec<u8> {
    let image = Image::new(300);
    let (mut volume, _) = mount(&image, token());
    write_file(&mut volume, "/kept", &pattern(1, 3000));
    write_file(&mut volume, "/g", &pattern(2, 3000));
    volume.make_directory(b"/d").unwrap();
    volume.make_directory(b"/d/sub").unwrap();
    write_file(&mut volume, "/d/f", b"");
    drop(volume);
    image.bytes.take()
}

/// Whatever writes is refused, and says so; and nothing has been written.
fn assert_only_read(image: &Image, volume: &mut Volume) {
    let before = image.bytes.borrow().clone();
    let refused = Some(Refused::ReadOnly);
    for options in [RW, NEW, R.and(Options::CREATE), NEW.and(Options::TRUNCATE)] {
        for path in ["/kept", "/new", "/g"] {
            if path != "/new" || options.has(Options::CREATE) {
                let opened = volume.open_file(0, path.as_bytes(), options);
                assert_eq!(opened.err(), refused, "{path}");
            }
        }
    }
    assert_eq!(volume.make_directory(b"/new").err(), refused);
    assert_eq!(volume.remove(b"/g").err(), refused);
    assert_eq!(volume.rename(b"/g", b"/new").err(), refused);
    // Perhaps there is no way to it.
    for refused in [volume.remove(b"/d/sub"), volume.rename(b"/d/sub", b"/new")] {
        assert!(matches!(refused, Err(Refused::ReadOnly | Refused::Damaged)));
    }
    assert_eq!(*image.bytes.borrow(), before);
}

#[test]
fn a_volume_whose_files_do_not_fit_together_is_read_and_not_written() {
    type Damage = fn(&mut [u8]);
    let damages: [(&str, Damage); 7] = [
        ("two files have one chain", |bytes| {
            let cluster = first_cluster(bytes, KEPT);
            set_first_cluster(bytes, G, cluster);
        }),
        ("a chain ends in a free cluster", |bytes| {
            set_link(bytes, first_cluster(bytes, G) + 1, 0);
        }),
        ("a chain is too short", |bytes| {
            set_link(bytes, first_cluster(bytes, G), 0xFFF);
        }),
        ("a chain is a circle", |bytes| {
            let first = first_cluster(bytes, G);
            set_link(bytes, first + 2, first);
        }),
        ("a file begins nowhere", |bytes| {
            set_first_cluster(bytes, G, 0xABC);
        }),
        ("a directory is not where it says", |bytes| {
            let sub = usize::from(first_cluster(bytes, b"SUB        "));
            let dots = entries_of(bytes, b"..         ");
            let last = *dots.last().expect("that of /d/sub");
            bytes[last + 26] = sub as u8;
        }),
        ("a directory does not say which it is", |bytes| {
            let entry = entry_of(bytes, b".          ");
            bytes[entry] ^= 1;
        }),
    ];
    for (what, damage) in damages {
        let mut bytes = with_files();
        damage(&mut bytes);
        let image = Image::of(bytes);
        let (mut volume, held) = mount(&image, token());
        assert_eq!(held, Held::Damaged, "{what}");
        assert_eq!(
            read_file(&mut volume, "/kept"),
            Ok(pattern(1, 3000)),
            "{what}"
        );
        assert_only_read(&image, &mut volume);
    }
}

/// Behind the end of a directory there is nothing, whatever lies there.
#[test]
fn what_lies_behind_the_end_of_a_directory_becomes_no_file() {
    for directory in ["", "/d/sub"] {
        let image = Image::of(with_files());
        let (mut volume, _) = mount(&image, token());
        write_file(&mut volume, &format!("{directory}/last"), b"");
        drop(volume);
        let mut bytes = image.bytes.take();
        let (kept, last) = (entry_of(&bytes, KEPT), entry_of(&bytes, b"LAST       "));
        let mut ghost = bytes[kept..kept + 32].to_vec();
        ghost[..11].copy_from_slice(b"GHOST      ");
        // The slot between stays the directory's end.
        bytes[last + 64..last + 96].copy_from_slice(&ghost);
        let image = Image::of(bytes);
        let (mut volume, held) = mount(&image, token());
        if let Ok(file) = volume.open_file(0, format!("{directory}/new").as_bytes(), NEW) {
            volume.close(0, file).unwrap();
        }
        let _ = volume.remove(format!("{directory}/ghost").as_bytes());
        assert_eq!(read_file(&mut volume, "/kept"), Ok(pattern(1, 3000)));
        assert_eq!(held, Held::Damaged, "{directory}");
        assert_only_read(&image, &mut volume);
        // Without bytes it is harmless: `fsck.fat` leaves it so.
        let mut bytes = image.bytes.take();
        bytes[last + 64 + 26..last + 96].fill(0);
        let image = Image::of(bytes);
        let (mut volume, held) = mount(&image, token());
        assert_eq!(held, Held::Volume, "{directory}");
        write_file(&mut volume, &format!("{directory}/new"), b"bytes");
        assert_sound(&image, "behind-the-end");
    }
}

/// What a power cut leaves, and costs nothing but space.
#[test]
fn a_volume_on_which_space_is_lost_is_written() {
    let mut bytes = with_files();
    let entry = entry_of(&bytes, G);
    // Its chain is longer than it; and a chain is nobody's.
    bytes[entry + 28..entry + 30].copy_from_slice(&700_u16.to_le_bytes());
    set_link(&mut bytes, 100, 0xFFF);
    let image = Image::of(bytes);
    let (mut volume, held) = mount(&image, token());
    assert_eq!(held, Held::Volume);
    write_file(&mut volume, "/new", b"bytes");
}

/// There is a limit to how long a mount looks.
#[test]
fn a_volume_too_large_to_look_at_is_written_and_said_to_be_unseen() {
    let image = Image::of(with_files());
    let (mut volume, held) = mount_with(&image, token(), [FILES; CLIENTS], 8).unwrap();
    assert_eq!(held, Held::Unseen);
    write_file(&mut volume, "/new", b"bytes");
}

/// However little may be read after it was found.
#[test]
fn damage_that_was_found_stays_found() {
    let mut bytes = with_files();
    let first = first_cluster(&bytes, KEPT);
    set_link(&mut bytes, first, 0xFFF);
    let image = Image::of(bytes);
    // All of it takes some 20 blocks; it is found in the first of the root.
    for most in 5..30 {
        let (_, held) = mount_with(&image, token(), [FILES; CLIENTS], most).unwrap();
        assert_eq!(held, Held::Damaged, "{most}");
    }
}

#[test]
fn a_rename_cut_short_loses_neither_file() {
    let image = Image::new(300);
    let (mut volume, _) = mount(&image, token());
    write_file(&mut volume, "/log", &pattern(1, 3000));
    write_file(&mut volume, "/new", &pattern(2, 3000));
    let before = image.bytes.borrow().clone();
    for writes in 0.. {
        let image = Image::of(before.clone());
        let (mut volume, _) = mount(&image, token());
        image.writes_left.set(writes);
        let is_over = volume.rename(b"/new", b"/log").is_ok();
        image.writes_left.set(usize::MAX);
        let (mut volume, _) = mount(&image, token());
        let was = read_file(&mut volume, "/log").expect("it is there");
        let options = NEW.and(Options::TRUNCATE);
        match volume.open_file(0, b"/new", options) {
            Ok(new) => {
                volume.write(0, new, &pattern(3, 3000)).unwrap();
                volume.close(0, new).unwrap();
                assert_eq!(read_file(&mut volume, "/log"), Ok(was), "{writes}");
                volume.rename(b"/new", b"/log").unwrap();
                assert_eq!(read_file(&mut volume, "/log"), Ok(pattern(3, 3000)));
            }
            Err(why) => assert_eq!(why, Refused::ReadOnly, "{writes}"),
        }
        if is_over {
            assert!(writes > 10, "{writes}");
            break;
        }
    }
}

/// An entry of FAT12 that lies in two blocks is two writes.
#[test]
fn wherever_the_power_goes_while_a_chain_changes_the_volume_is_written_again() {
    type Change = fn(&mut Volume) -> Result<(), Refused>;
    let changes: [(&str, Change); 4] = [
        ("it grows", |volume| append(volume, "/log", b"more")),
        ("it grows by more", |volume| {
            append(volume, "/log", &pattern(2, 3 * BLOCK))
        }),
        ("another one grows", |volume| {
            volume.make_directory(b"/d")?;
            append(volume, "/d/other", &pattern(2, 3 * BLOCK))
        }),
        ("it is cut and removed", |volume| {
            append(volume, "/log", &pattern(2, 32 * BLOCK))?;
            let log = volume.open_file(0, b"/log", RW)?;
            let size = volume.stat(0, log)?.size;
            volume.truncate(0, log, u64::from(size) - 32 * BLOCK as u64)?;
            volume.close(0, log)?;
            volume.remove(b"/log")
        }),
    ];
    // Clusters of one block: those with such entries are 341 and 682.
    for ((what, change), clusters) in changes.iter().flat_map(|it| [(it, 340), (it, 681)]) {
        let image = Image::new(900);
        let (mut volume, _) = mount(&image, token());
        write_file(&mut volume, "/log", &pattern(1, clusters * BLOCK));
        drop(volume);
        let before = image.bytes.borrow().clone();
        cut_at_each_write(&before, change, |volume, held, writes| {
            assert_eq!(held, Held::Volume, "{what}, {clusters}, {writes}");
            if let Ok(was) = read_file(volume, "/log") {
                assert!(
                    was.starts_with(&pattern(1, clusters * BLOCK)),
                    "{what}, {clusters}, {writes}"
                );
            }
            write_file(volume, "/other", b"bytes");
        });
    }
}

/// Adds to the end of a file.
fn append(volume: &mut Volume, path: &str, bytes: &[u8]) -> Result<(), Refused> {
    let file = volume.open_file(0, path.as_bytes(), NEW.and(Options::APPEND))?;
    let written = volume.write(0, file, bytes);
    volume.close(0, file)?;
    written.map(drop)
}

/// What the second table has of an entry is no better if all does not fit together with it.
#[test]
fn an_entry_is_mended_if_all_fits_together_then_and_else_left() {
    let image = Image::new(900);
    let (mut volume, _) = mount(&image, token());
    write_file(&mut volume, "/g", &pattern(2, 3000));
    write_file(&mut volume, "/log", &pattern(1, 400 * BLOCK));
    drop(volume);
    let mut bytes = image.bytes.take();
    // The first part of the entry of cluster 341.
    let entry = tables(&bytes)[0] + 511;
    bytes[entry] ^= 0xF0;
    let mended = Image::of(bytes.clone());
    assert_eq!(mount(&mended, token()).1, Held::Volume);
    assert_eq!(mended.bytes.borrow()[entry], bytes[entry] ^ 0xF0);
    let mut guarded = Image::of(bytes.clone());
    guarded.writable = false;
    assert_eq!(mount(&guarded, token()).1, Held::Damaged);
    let first = first_cluster(&bytes, G);
    set_link(&mut bytes, first, 0xFFF);
    let image = Image::of(bytes.clone());
    assert_eq!(mount(&image, token()).1, Held::Damaged);
    assert!(*image.bytes.borrow() == bytes);
}

/// Its own first bytes are the directory in which it is.
#[test]
fn a_file_that_cannot_be_closed_stops_no_other_client() {
    let image = Image::of(with_files());
    let (mut volume, _) = mount(&image, token());
    {
        let bytes = &mut *image.bytes.borrow_mut();
        let directory = first_cluster(bytes, b"D          ");
        set_first_cluster(bytes, b"F          ", directory);
        let entry = entry_of(bytes, b"F          ");
        bytes[entry + 28..entry + 30].copy_from_slice(&512_u16.to_le_bytes());
    }
    let other = volume.open_file(1, b"/new", NEW).unwrap();
    let file = volume.open_file(0, b"/d/f", RW).unwrap();
    volume.write(0, file, &[0; 512]).unwrap();
    assert!(volume.close(0, file).is_err());
    assert_eq!(volume.write(1, other, b"bytes"), Err(Refused::ReadOnly));
    assert_eq!(volume.truncate(1, other, 7), Err(Refused::ReadOnly));
    assert_eq!(volume.close(1, other), Ok(()));
    assert_eq!(read_file(&mut volume, "/kept"), Ok(pattern(1, 3000)));
    assert_only_read(&image, &mut volume);
}

/// FAT16 says in its second entry whether it is whole.
#[test]
fn a_volume_on_which_damage_was_met_does_not_say_that_it_is_whole() {
    let image = Image::new(65_536);
    let (mut volume, _) = mount(&image, token());
    write_file(&mut volume, "/g", &pattern(2, 30_000));
    let file = volume.open_file(0, b"/new", NEW).unwrap();
    volume.write(0, file, b"bytes").unwrap();
    let is_whole = || {
        let bytes = image.bytes.borrow();
        bytes[tables(&bytes)[0] + 3] & 0x80 != 0
    };
    assert!(!is_whole());
    {
        let bytes = &mut *image.bytes.borrow_mut();
        let cluster = usize::from(first_cluster(bytes, G));
        for table in tables(bytes) {
            bytes[table + 2 * cluster..][..2].fill(0);
        }
    }
    assert!(volume.remove(b"/g").is_err());
    assert_eq!(volume.sync(0, file), Ok(()));
    assert_eq!(volume.close(0, file), Ok(()));
    assert_eq!(read_file(&mut volume, "/new"), Ok(b"bytes".to_vec()));
    assert!(!is_whole());
}

/// While it is mounted: what is refused has changed nothing, and says what it is.
#[test]
fn damage_that_comes_while_it_is_mounted_is_no_other_error_and_no_second_name() {
    let image = Image::of(with_files());
    let (mut volume, _) = mount(&image, token());
    let sound = image.bytes.borrow().clone();
    // `..` of `/d/sub` leads nowhere.
    let of_sub = *entries_of(&sound, b"..         ").last().unwrap();
    image.bytes.borrow_mut()[of_sub] ^= 1;
    assert_eq!(volume.rename(b"/d/sub", b"/moved"), Err(Refused::Damaged));
    assert_eq!(volume.stat_path(b"/moved"), Err(Refused::NotFound));
    // `.` of `/d` is not there.
    let (mut volume, _) = {
        image.bytes.borrow_mut().copy_from_slice(&sound);
        mount(&image, token())
    };
    let of_d = entry_of(&sound, b".          ");
    image.bytes.borrow_mut()[of_d] ^= 1;
    assert_eq!(volume.stat_path(b"/d/f"), Err(Refused::Damaged));
    // `..` of `/d` leads to itself.
    let (mut volume, _) = {
        image.bytes.borrow_mut().copy_from_slice(&sound);
        mount(&image, token())
    };
    volume.make_directory(b"/empty").unwrap();
    let of_d = entry_of(&sound, b"..         ");
    let cluster = first_cluster(&sound, b"D          ");
    image.bytes.borrow_mut()[of_d + 26..of_d + 28].copy_from_slice(&cluster.to_le_bytes());
    assert_eq!(volume.rename(b"/empty", b"/d/e"), Err(Refused::Damaged));
}

#[test]
fn a_card_that_has_lost_its_first_blocks_is_not_written() {
    let volume_of = |blocks| {
        let image = Image::new(blocks);
        let (mut volume, _) = mount(&image, token());
        write_file(&mut volume, "/inside", &pattern(3, 1000));
        drop(volume);
        image.bytes.take()
    };
    let mut parted = vec![0; 7000 * BLOCK];
    parted[2048 * BLOCK..6048 * BLOCK].copy_from_slice(&volume_of(4000));
    let mut early = vec![0; 7000 * BLOCK];
    early[63 * BLOCK..4063 * BLOCK].copy_from_slice(&volume_of(4000));
    let mut large = volume_of(1_200_000);
    large[..8 * BLOCK].fill(0);
    let mut larger = large.clone();
    larger[..200 * BLOCK].fill(0);
    for card in [parted, early, large, larger] {
        let image = Image::of(card.clone());
        let refused = try_mount(&image, token());
        assert_eq!(refused.err(), Some(Refused::Damaged));
        assert!(*image.bytes.borrow() == card);
    }
}

#[test]
fn a_name_is_found_whatever_the_case_of_its_ascii_letters_and_of_no_others() {
    let image = Image::new(300);
    let (mut volume, _) = mount(&image, token());
    write_file(&mut volume, "/grün", b"bytes");
    assert_eq!(read_file(&mut volume, "/GRüN"), Ok(b"bytes".to_vec()));
    assert_eq!(read_file(&mut volume, "/GRÜN"), Err(Refused::NotFound));
    assert_sound(&image, "ascii-letters");
}

/// What a card says is a name, and is none, is no name that somebody acts by.
#[test]
fn the_names_that_are_shown_are_text_and_name_one_entry() {
    let image = Image::new(300);
    let (mut volume, _) = mount(&image, token());
    write_file(&mut volume, "/abcdefghijk.long", b"");
    drop(volume);
    let sound = image.bytes.take();
    let entry = sound
        .chunks(32)
        .position(|it| it[11] == 0x0F && it[0] & 0x1F == 1)
        .expect("the first part of its name")
        * 32;
    // Five characters of it lie there, six from byte 14 on, and two from byte 28 on.
    let put = |name: &[u16]| {
        let mut bytes = sound.clone();
        for (entry, is_last) in [(entry, true), (entry - 32, false)] {
            let mut units = name
                .iter()
                .copied()
                .chain([0])
                .chain(std::iter::repeat(0xFFFF));
            if is_last {
                bytes[entry] = 0x41;
                for at in (1..11)
                    .chain(14..26)
                    .chain(28..32)
                    .step_by(2)
                    .collect::<Vec<_>>()
                {
                    bytes[at + entry..at + entry + 2]
                        .copy_from_slice(&units.next().unwrap().to_le_bytes());
                }
            } else {
                bytes[entry] = 0xE5;
            }
        }
        bytes
    };
    let text = |name: &str| name.encode_utf16().collect::<Vec<_>>();
    let mut cards = ["..", ".", "a/b", "\x1b[2Jx", "a\u{7F}b"]
        .map(|it| put(&text(it)))
        .to_vec();
    // Half of a character is none: what would be shown for it could be another file's name.
    cards.push(put(&[0x61, 0xD800, 0x62]));
    let mut short = put(&text("x/y"));
    short[entry + 32..entry + 43].copy_from_slice(&[
        0xE9, 0xFF, 0x2F, 0x41, 0x42, 0x20, 0x20, 0x20, 0x54, 0x80, 0x20,
    ]);
    cards.push(short);
    for card in cards {
        let image = Image::of(card);
        let (mut volume, _) = mount(&image, token());
        for name in names(&mut volume, "/") {
            assert!(!["", ".", ".."].contains(&name.as_str()), "{name:?}");
            let is_odd = |it: char| it.is_control() || matches!(it, '/' | '\u{FFFD}');
            assert!(!name.contains(is_odd), "{name:?}");
        }
    }
}
