//! The volume beside the host's own programs for FAT: what it makes they find whole and read, what they make it reads.
//! It takes `fsck.fat` (dosfstools), and `mformat`, `mcopy`, `mtype` and `mdir` (mtools).

use std::cell::{Cell, RefCell};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;

use block_disk::{BLOCK, Disk, Failed};
use fat_volume::{FatVolume, Held, Mount};
use files_store::{CLIENTS, Kind, NAME, Options, Refused, Whence};

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
            let left = self.writes_left.get().checked_sub(1).ok_or(Failed)?;
            self.writes_left.set(left);
            let start = (first as usize + n) * BLOCK;
            self.bytes.borrow_mut()[start..start + BLOCK].copy_from_slice(block);
        }
        Ok(())
    }
}

fn mount(image: &Image, token: &'static mut Mount) -> (Volume<'static>, Held) {
    FatVolume::mount(image.clone(), token, [FILES; CLIENTS]).expect("it has a volume")
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
    let refused = FatVolume::<_, FILES>::mount(Image::of(card), token(), [FILES; CLIENTS]);
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

#[test]
fn a_client_that_has_what_it_may_leaves_the_others_theirs() {
    let image = Image::new(2048);
    let mut files = [0; CLIENTS];
    files[..2].copy_from_slice(&[5, 3]);
    let (mut volume, _) = FatVolume::<_, FILES>::mount(image, token(), files).unwrap();
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
    let refused = Volume::mount(garbage.clone(), token(), [FILES; CLIENTS]);
    assert_eq!(refused.err(), Some(Refused::Damaged));
    assert_eq!(*garbage.bytes.borrow(), before);
    let mut blank = Image::new(2048);
    blank.writable = false;
    let refused = Volume::mount(blank, token(), [FILES; CLIENTS]);
    assert_eq!(refused.err(), Some(Refused::ReadOnly));
    let small = Volume::mount(Image::new(4), token(), [FILES; CLIENTS]);
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
            let Ok((mut volume, _)) = Volume::mount(image, token(), [FILES; CLIENTS]) else {
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
            let mounted = Volume::mount(image.clone(), token(), [FILES; CLIENTS]);
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
    for writes in 0.. {
        let image = Image::of(before.clone());
        let (mut volume, _) = mount(&image, token());
        image.writes_left.set(writes);
        let is_over = change(&mut volume).is_ok();
        image.writes_left.set(usize::MAX);
        let (mut volume, _) = mount(&image, token());
        assert_eq!(
            read_file(&mut volume, "/kept"),
            Ok(pattern(1, 3000)),
            "{writes}"
        );
        if is_over {
            assert!(writes > 20, "{writes}");
            break;
        }
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
