use super::*;
use crate::disk::ROOT;

#[test]
fn what_is_written_is_read_across_blocks() {
    let mut disk = disk();
    let file = disk.open_file(0, b"a", NEW).unwrap();
    let bytes = pattern(1, 1000);
    assert_eq!(write(&mut disk, 0, file, &bytes[..300]), Ok(300));
    assert_eq!(write(&mut disk, 0, file, &bytes[300..]), Ok(700));
    assert_eq!(read(&mut disk, 0, file, 10), Ok(vec![]));
    assert_eq!(disk.seek(0, file, 250, Whence::Start), Ok(250));
    assert_eq!(read(&mut disk, 0, file, 400), Ok(bytes[250..650].to_vec()));
    assert_eq!(read(&mut disk, 0, file, 4000), Ok(bytes[650..].to_vec()));
    assert_eq!(disk.seek(0, file, -1, Whence::End), Ok(999));
    assert_eq!(write(&mut disk, 0, file, b"xy"), Ok(2));
    assert_eq!(disk.stat(0, file).unwrap().size, 1001);
    assert_sound(&mut disk);
}

#[test]
fn a_write_behind_the_end_leaves_zeros_whatever_was_there() {
    let mut disk = disk();
    let file = disk.open_file(0, b"a", NEW).unwrap();
    write(&mut disk, 0, file, &pattern(3, 900)).unwrap();
    disk.truncate(0, file, 10).unwrap();
    disk.seek(0, file, 700, Whence::Start).unwrap();
    assert_eq!(write(&mut disk, 0, file, b"!"), Ok(1));
    disk.seek(0, file, 10, Whence::Start).unwrap();
    let mut expected = vec![0; 690];
    expected.push(b'!');
    assert_eq!(read(&mut disk, 0, file, 4000), Ok(expected));
    disk.truncate(0, file, 5).unwrap();
    disk.truncate(0, file, 600).unwrap();
    disk.seek(0, file, 5, Whence::Start).unwrap();
    assert_eq!(read(&mut disk, 0, file, 4000), Ok(vec![0; 595]));
}

#[test]
fn duplicates_share_a_position_and_others_do_not() {
    let mut disk = disk();
    let file = disk.open_file(0, b"a", NEW).unwrap();
    write(&mut disk, 0, file, b"abcdef").unwrap();
    let twin = disk.duplicate(0, file).unwrap();
    let other = disk.open_file(0, b"a", R).unwrap();
    disk.seek(0, twin, 2, Whence::Start).unwrap();
    assert_eq!(read(&mut disk, 0, file, 2), Ok(b"cd".to_vec()));
    assert_eq!(read(&mut disk, 0, other, 2), Ok(b"ab".to_vec()));
    disk.close(0, file).unwrap();
    assert_eq!(read(&mut disk, 0, twin, 2), Ok(b"ef".to_vec()));
    assert_eq!(disk.close(0, file), Err(Refused::BadFile));
}

#[test]
fn who_appends_writes_at_the_end_wherever_it_is() {
    let mut disk = disk();
    let file = disk.open_file(0, b"log", NEW.and(Options::APPEND)).unwrap();
    let other = disk.open_file(1, b"log", W.and(Options::APPEND)).unwrap();
    write(&mut disk, 0, file, b"one ").unwrap();
    write(&mut disk, 1, other, b"two ").unwrap();
    disk.seek(0, file, 0, Whence::Start).unwrap();
    write(&mut disk, 0, file, b"three").unwrap();
    disk.seek(0, file, 0, Whence::Start).unwrap();
    assert_eq!(read(&mut disk, 0, file, 99), Ok(b"one two three".to_vec()));
}

#[test]
fn options_are_kept() {
    let mut disk = disk();
    assert_eq!(disk.open_file(0, b"a", R), Err(Refused::NotFound));
    let file = disk
        .open_file(0, b"a", NEW.and(Options::EXCLUSIVE))
        .unwrap();
    let again = disk.open_file(0, b"a", NEW.and(Options::EXCLUSIVE));
    assert_eq!(again, Err(Refused::Exists));
    write(&mut disk, 0, file, &pattern(0, 600)).unwrap();
    let reader = disk.open_file(0, b"/a", R).unwrap();
    assert_eq!(write(&mut disk, 0, reader, b"x"), Err(Refused::BadFile));
    assert_eq!(disk.truncate(0, reader, 0), Err(Refused::BadFile));
    let writer = disk.open_file(0, b"a", W.and(Options::TRUNCATE)).unwrap();
    assert_eq!(read(&mut disk, 0, writer, 1), Err(Refused::BadFile));
    assert_eq!(disk.stat(0, file).unwrap().size, 0);
    assert_eq!(disk.used(0), (1, 0));
    for senseless in [0, 4, 64 | 3, 16 | 1, 32 | 1, 8 | 3, u32::MAX] {
        let refused = disk.open_file(1, b"b", Options(senseless));
        assert_eq!(refused, Err(Refused::Invalid), "{senseless}");
    }
}

#[test]
fn paths_lead_through_directories() {
    let mut disk = disk();
    disk.make_directory(0, b"a").unwrap();
    disk.make_directory(0, b"/a/b/").unwrap();
    let file = disk.open_file(0, b"a/b/../b/./c", NEW).unwrap();
    write(&mut disk, 0, file, b"deep").unwrap();
    assert_eq!(disk.stat_path(b"//a//b//c").unwrap().size, 4);
    assert_eq!(disk.stat_path(b"../../a/b").unwrap().kind, Kind::Directory);
    assert_eq!(disk.stat_path(b"/").unwrap().kind, Kind::Directory);
    for (path, refused) in [
        (&b""[..], Refused::NotFound),
        (b"x/y", Refused::NotFound),
        (b"a/x", Refused::NotFound),
        (b"a/b/c/", Refused::NotDirectory),
        (b"a/b/c/d", Refused::NotDirectory),
        (b"a/b/c/..", Refused::NotDirectory),
        (b"a\0", Refused::Invalid),
        (b"a/\xFF", Refused::Invalid),
        (b"a-name-of-thirty-three-characters", Refused::NameTooLong),
        (&[b'/'; PATH + 1], Refused::NameTooLong),
    ] {
        assert_eq!(disk.stat_path(path).map(drop), Err(refused), "{path:?}");
    }
    assert_eq!(disk.open_file(0, b"new/", NEW), Err(Refused::IsDirectory));
    assert_eq!(disk.open_file(0, b"a", RW), Err(Refused::IsDirectory));
    assert_eq!(disk.make_directory(0, b"a/b"), Err(Refused::Exists));
    let directory = disk.open_file(0, b"a", R).unwrap();
    let refused = read(&mut disk, 0, directory, 1);
    assert_eq!(refused, Err(Refused::IsDirectory));
    let refused = disk.list(0, file, &mut [0; NAME]);
    assert_eq!(refused, Err(Refused::NotDirectory));
}

#[test]
fn a_name_may_be_as_long_as_it_may() {
    let mut disk = disk();
    let name = [b'n'; NAME];
    disk.open_file(0, &name, NEW).unwrap();
    disk.open_file(0, &name[1..], NEW).unwrap();
    assert_eq!(contents(&mut disk).len(), 2);
    let deep = [&[b'/'; PATH - NAME][..], &name].concat();
    assert!(disk.stat_path(&deep).is_ok());
}

#[test]
fn a_directory_shows_each_entry_once_while_others_come_and_go() {
    let mut disk = disk();
    for name in [b"a", b"b", b"c", b"d"] {
        disk.make_directory(0, name).unwrap();
    }
    let root = disk.open_file(0, b"/", R).unwrap();
    let mut name = [0; NAME];
    let mut seen = Vec::new();
    while let Some((_, length)) = disk.list(0, root, &mut name).unwrap() {
        seen.push(name[..length].to_vec());
        let _ = disk.remove(b"a");
        let _ = disk.make_directory(1, b"e");
    }
    for kept in [b"b", b"c", b"d"] {
        assert_eq!(seen.iter().filter(|it| *it == kept).count(), 1);
    }
    assert_eq!(disk.seek(0, root, 0, Whence::Start), Ok(0));
    assert!(disk.list(0, root, &mut name).unwrap().is_some());
    assert_eq!(disk.seek(0, root, 1, Whence::Start), Err(Refused::Invalid));
}

#[test]
fn a_file_that_is_open_lives_until_it_is_closed() {
    let mut disk = disk();
    let file = disk.open_file(0, b"a", NEW).unwrap();
    write(&mut disk, 0, file, &pattern(2, 600)).unwrap();
    let other = disk.open_file(1, b"a", RW).unwrap();
    disk.remove(b"a").unwrap();
    assert_eq!(disk.stat_path(b"a"), Err(Refused::NotFound));
    let again = disk.open_file(0, b"a", NEW).unwrap();
    assert_eq!(disk.stat(0, again).unwrap().size, 0);
    disk.close(0, file).unwrap();
    assert_eq!(read(&mut disk, 1, other, 999), Ok(pattern(2, 600)));
    assert_eq!(disk.free_blocks(), 27);
    disk.leave(1);
    assert_eq!(disk.free_blocks(), 30);
    assert_eq!(disk.used(0), (1, 0));
    assert_sound(&mut disk);
}

#[test]
fn removing_takes_files_and_empty_directories() {
    let mut disk = disk();
    disk.make_directory(0, b"a").unwrap();
    disk.make_directory(0, b"a/b").unwrap();
    assert_eq!(disk.remove(b"a"), Err(Refused::NotEmpty));
    assert_eq!(disk.remove(b"/"), Err(Refused::Invalid));
    for path in [&b"a/b/."[..], b"a/b/./", b"a/b/..", b"a/b/../", b"."] {
        assert_eq!(disk.remove(path), Err(Refused::Invalid));
        assert_eq!(disk.rename(path, b"x"), Err(Refused::Invalid));
        disk.make_directory(0, b"x").unwrap();
        assert_eq!(disk.rename(b"x", path), Err(Refused::Invalid));
        disk.remove(b"x").unwrap();
    }
    assert_eq!(disk.remove(b"a/no/."), Err(Refused::NotFound));
    disk.remove(b"a/b").unwrap();
    disk.remove(b"a/").unwrap();
    assert_eq!(disk.remove(b"a"), Err(Refused::NotFound));
    assert_eq!(disk.used(0), (0, 0));
}

#[test]
fn renaming_moves_and_replaces() {
    let mut disk = disk();
    disk.make_directory(0, b"a").unwrap();
    disk.make_directory(0, b"a/b").unwrap();
    disk.make_directory(0, b"empty").unwrap();
    let one = disk.open_file(0, b"one", NEW).unwrap();
    write(&mut disk, 0, one, &pattern(1, 300)).unwrap();
    let two = disk.open_file(1, b"two", NEW).unwrap();
    write(&mut disk, 1, two, &pattern(2, 900)).unwrap();
    disk.close(0, one).unwrap();
    disk.close(1, two).unwrap();
    for (from, to, refused) in [
        (&b"a"[..], &b"a/c"[..], Refused::Invalid),
        (b"a", b"a/b/c", Refused::Invalid),
        (b"a/b", b"a", Refused::NotEmpty),
        (b"empty", b"a", Refused::NotEmpty),
        (b"a", b"one", Refused::NotDirectory),
        (b"one", b"a", Refused::IsDirectory),
        (b"one", b"x/", Refused::NotDirectory),
        (b"one", b"x/y", Refused::NotFound),
        (b"none", b"x", Refused::NotFound),
        (b"/", b"x", Refused::Invalid),
        (b"empty", b"/", Refused::Invalid),
    ] {
        assert_eq!(disk.rename(from, to), Err(refused), "{from:?} {to:?}");
    }
    disk.rename(b"one", b"one").unwrap();
    disk.rename(b"one", b"a/two").unwrap();
    disk.rename(b"a/two", b"two").unwrap();
    assert_eq!(disk.free_blocks(), 28);
    assert_eq!((disk.used(0), disk.used(1)), ((4, 2), (0, 0)));
    disk.rename(b"a/b", b"empty").unwrap();
    disk.rename(b"empty", b"a/a/").unwrap();
    let names: Vec<_> = contents(&mut disk).into_iter().map(|it| it.0).collect();
    assert_eq!(names, ["/a", "/a/a", "/two"]);
    assert_sound(&mut disk);
}

#[test]
fn a_file_that_is_replaced_while_it_is_open_lives_until_it_is_closed() {
    let mut disk = disk();
    let old = disk.open_file(0, b"old", NEW).unwrap();
    write(&mut disk, 0, old, b"old").unwrap();
    disk.open_file(0, b"new", NEW).unwrap();
    disk.rename(b"new", b"old").unwrap();
    disk.seek(0, old, 0, Whence::Start).unwrap();
    assert_eq!(read(&mut disk, 0, old, 9), Ok(b"old".to_vec()));
    disk.leave(0);
    assert_eq!(disk.used(0), (1, 0));
    assert_sound(&mut disk);
}

#[test]
fn a_full_share_takes_what_it_can_then_nothing_and_leaves_the_others_theirs() {
    let mut disk = disk();
    let file = disk.open_file(0, b"a", NEW).unwrap();
    let bytes = pattern(0, 3000);
    assert_eq!(write(&mut disk, 0, file, &bytes), Ok(10 * BLOCK));
    assert_eq!(write(&mut disk, 0, file, b"x"), Err(Refused::NoSpace));
    assert_eq!(disk.truncate(0, file, 2561), Err(Refused::NoSpace));
    assert_eq!(disk.truncate(0, file, 1 << 20), Err(Refused::TooLarge));
    assert_eq!(disk.truncate(0, file, 1 << 40), Err(Refused::TooLarge));
    // In the blocks that are there, it may write on.
    disk.seek(0, file, 0, Whence::Start).unwrap();
    assert_eq!(write(&mut disk, 0, file, b"still"), Ok(5));
    // Another client adds to the file from its own share, and keeps that.
    let other = disk.open_file(1, b"a", W.and(Options::APPEND)).unwrap();
    assert_eq!(write(&mut disk, 1, other, &bytes), Ok(10 * BLOCK));
    assert_eq!((disk.used(0), disk.used(1)), ((1, 10), (0, 10)));
    let third = disk.open_file(2, b"b", NEW).unwrap();
    assert_eq!(write(&mut disk, 2, third, &bytes), Ok(10 * BLOCK));
    assert_eq!(disk.free_blocks(), 0);
    disk.truncate(0, file, 2600).unwrap();
    assert_eq!((disk.used(0), disk.used(1)), ((1, 10), (0, 1)));
    assert_sound(&mut disk);
}

#[test]
fn a_write_whose_gap_does_not_fit_changes_nothing() {
    let mut disk = disk();
    let file = disk.open_file(0, b"a", NEW).unwrap();
    write(&mut disk, 0, file, b"abc").unwrap();
    disk.seek(0, file, 11 * BLOCK as i64, Whence::Start)
        .unwrap();
    assert_eq!(write(&mut disk, 0, file, b"x"), Err(Refused::NoSpace));
    for far in [30 * BLOCK as i64, u32::MAX.into()] {
        disk.seek(0, file, far, Whence::Start).unwrap();
        assert_eq!(write(&mut disk, 0, file, b"x"), Err(Refused::TooLarge));
        assert_eq!(read(&mut disk, 0, file, 9), Ok(vec![]));
    }
    for (offset, whence) in [
        (-1, Whence::Start),
        (1 << 32, Whence::Start),
        (1, Whence::Current),
        (i64::MAX, Whence::Current),
        (i64::MIN, Whence::End),
        (-4, Whence::End),
    ] {
        let refused = disk.seek(0, file, offset, whence);
        assert_eq!(refused, Err(Refused::Invalid), "{offset} {whence:?}");
    }
    assert_eq!(disk.stat(0, file).unwrap().size, 3);
    assert_eq!(disk.used(0), (1, 1));
}

#[test]
fn a_client_that_leaves_in_the_middle_has_added_nothing() {
    let mut disk = disk();
    let file = disk.open_file(0, b"a", NEW).unwrap();
    write(&mut disk, 0, file, b"abc").unwrap();
    // Free blocks that do not follow each other: a write of several comes in pieces.
    let other = disk.open_file(1, b"b", NEW).unwrap();
    write(&mut disk, 1, other, b"x").unwrap();
    let mut pieces = 0;
    let gone = disk.write(0, file, 900, |_, _, _| {
        pieces += 1;
        pieces == 1
    });
    assert_eq!((gone, pieces), (Err(Refused::Gone), 2));
    assert_eq!(disk.stat(0, file).unwrap().size, 3);
    assert_eq!(disk.free_blocks(), 28);
    assert_eq!(write(&mut disk, 0, file, b"def"), Ok(3));
    disk.seek(0, file, 0, Whence::Start).unwrap();
    assert_eq!(read(&mut disk, 0, file, 9), Ok(b"abcdef".to_vec()));
    assert_sound(&mut disk);
}

#[test]
fn a_client_has_so_many_open_files_and_entries_and_the_others_have_theirs() {
    let mut disk = disk();
    let files: Vec<_> = (0..4)
        .map(|_| disk.open_file(0, b"/", R).unwrap())
        .collect();
    assert_eq!(disk.open_file(0, b"a", NEW), Err(Refused::TooManyOpen));
    assert_eq!(disk.duplicate(0, files[0]), Err(Refused::TooManyOpen));
    assert_eq!(disk.used(0), (0, 0));
    disk.leave(0);
    for n in 0..6 {
        disk.make_directory(0, &[b'a' + n]).unwrap();
    }
    assert_eq!(disk.make_directory(0, b"g"), Err(Refused::NoSpace));
    assert_eq!(disk.open_file(0, b"g", NEW), Err(Refused::NoSpace));
    for client in 1..3 {
        for n in 0..6 {
            let path = [b'a' + n, b'/', b'0' + client as u8];
            disk.make_directory(client, &path).unwrap();
        }
    }
    assert_eq!(disk.make_directory(1, b"g"), Err(Refused::NoSpace));
    assert_sound(&mut disk);
}

#[test]
fn a_number_is_its_clients_and_of_one_life() {
    let mut disk = disk();
    let file = disk.open_file(0, b"a", NEW).unwrap();
    let other = disk.open_file(1, b"a", R).unwrap();
    for (client, number) in [(0, other), (1, file), (0, File(u32::MAX)), (0, File(0))] {
        assert_eq!(disk.close(client, number), Err(Refused::BadFile));
        assert_eq!(disk.duplicate(client, number), Err(Refused::BadFile));
        assert_eq!(disk.stat(client, number), Err(Refused::BadFile));
        assert_eq!(read(&mut disk, client, number, 1), Err(Refused::BadFile));
    }
    disk.close(0, file).unwrap();
    let next = disk.open_file(0, b"a", R).unwrap();
    assert_ne!(file, next);
    assert_eq!(disk.stat(0, file), Err(Refused::BadFile));
}

#[test]
fn memory_that_is_too_small_is_refused_with_what_would_do() {
    let shares = [SHARE; CLIENTS];
    let Err(TooSmall(bytes)) = Store::<_, 4>::open(Mortal::new(8), 19, shares) else {
        panic!("eight words are no disk");
    };
    let disk = Store::<_, 4>::open(Mortal::new(bytes / 4), 19, shares);
    assert_eq!(disk.ok().map(|(disk, _)| disk.blocks()), Some(1));
}

#[test]
fn a_disk_outlives_its_server_without_what_had_no_name() {
    let memory = memory();
    let (mut disk, _) = open_disk(memory.clone());
    disk.make_directory(1, b"d").unwrap();
    let file = disk.open_file(0, b"d/kept", NEW).unwrap();
    write(&mut disk, 0, file, &pattern(5, 700)).unwrap();
    let gone = disk.open_file(0, b"gone", NEW).unwrap();
    write(&mut disk, 0, gone, &pattern(6, 700)).unwrap();
    disk.remove(b"gone").unwrap();
    let (mut disk, held) = open_disk(memory.again());
    assert_eq!(held, Held::Disk);
    let expected = vec![
        ("/d".into(), None),
        ("/d/kept".into(), Some(pattern(5, 700))),
    ];
    assert_eq!(contents(&mut disk), expected);
    assert_eq!((disk.used(0), disk.used(1)), ((1, 3), (1, 0)));
    assert_eq!(disk.free_blocks(), 27);
    assert_eq!(disk.stat(0, file), Err(Refused::BadFile));
}

#[test]
fn a_fifo_is_a_name_that_is_not_opened_here() {
    let memory = memory();
    let (mut disk, _) = open_disk(memory.clone());
    disk.make_directory(1, b"d").unwrap();
    let entry = disk.make_fifo(1, b"d/fifo").unwrap();
    let stat = disk.stat_path(b"/d/fifo").unwrap();
    let expected = (Kind::Fifo, 0, entry, false);
    assert_eq!(
        (stat.kind, stat.size, stat.entry, stat.is_removed),
        expected
    );
    assert_eq!(disk.make_fifo(0, b"d/fifo"), Err(Refused::Exists));
    assert_eq!(disk.make_fifo(0, b"d"), Err(Refused::Exists));
    assert_eq!(disk.make_fifo(0, b"new/"), Err(Refused::NotFound));
    assert_eq!(disk.make_fifo(0, b"d/fifo/x"), Err(Refused::NotDirectory));
    let truncated = Options::WRITE.and(Options::TRUNCATE);
    for options in [Options::READ, NEW, truncated] {
        let opened = disk.open_file(0, b"d/fifo", options);
        assert_eq!(opened, Err(Refused::IsFifo));
    }
    let exclusive = NEW.and(Options::EXCLUSIVE);
    assert_eq!(
        disk.open_file(0, b"d/fifo", exclusive),
        Err(Refused::Exists)
    );
    assert_eq!(
        disk.open_file(0, b"d/fifo/", Options::READ),
        Err(Refused::NotDirectory)
    );
    for _ in 0..disk.share(0).files {
        disk.open_file(0, b"/", Options::READ).unwrap();
    }
    let opened = disk.open_file(0, b"d/fifo", Options::READ);
    assert_eq!(opened, Err(Refused::IsFifo), "it takes no open file");
    assert_eq!(
        disk.open_file(0, b"new", NEW),
        Err(Refused::TooManyOpen),
        "and nothing is made"
    );
    assert_eq!(disk.stat_path(b"new"), Err(Refused::NotFound));
    disk.leave(0);
    assert_eq!(disk.used(1), (2, 0), "it has no block");
    assert_eq!(disk.remove(b"d"), Err(Refused::NotEmpty));
    // As a file it gives way to a file, and takes the place of one.
    disk.rename(b"d/fifo", b"elsewhere").unwrap();
    let file = disk.open_file(0, b"file", NEW).unwrap();
    disk.close(0, file).unwrap();
    assert_eq!(disk.rename(b"elsewhere", b"d"), Err(Refused::IsDirectory));
    disk.rename(b"elsewhere", b"file").unwrap();
    let (mut disk, held) = open_disk(memory.again());
    assert_eq!(held, Held::Disk);
    let kept = disk.stat_path(b"file").unwrap();
    assert_eq!((kept.kind, kept.entry), (Kind::Fifo, entry));
    disk.remove(b"file").unwrap();
    assert_eq!(disk.stat_path(b"file"), Err(Refused::NotFound));
    assert_eq!((disk.used(0), disk.used(1)), ((0, 0), (1, 0)));
}

#[test]
fn a_fifo_counts_for_its_maker() {
    let (mut disk, _) = open_disk(memory());
    let most = disk.share(0).entries;
    for n in 0..most {
        disk.make_fifo(0, format!("f{n}").as_bytes()).unwrap();
    }
    assert_eq!(disk.make_fifo(0, b"more"), Err(Refused::NoSpace));
    assert!(disk.make_fifo(1, b"another's").is_ok());
}

#[test]
fn a_disk_that_does_not_fit_together_is_not_believed() {
    let memory = memory();
    let (mut disk, _) = open_disk(memory.clone());
    disk.make_directory(0, b"d").unwrap();
    let file = disk.open_file(0, b"d/f", NEW).unwrap();
    write(&mut disk, 0, file, &pattern(5, 700)).unwrap();
    // A bit makes the other's name of it.
    disk.make_directory(0, b"d/g").unwrap();
    disk.make_fifo(0, b"fifo").unwrap();
    let whole: Vec<u32> = memory.words.iter().map(Cell::get).collect();
    let before = contents(&mut disk);
    let blocks = disk.disk.layout.bytes(0) / 4;
    // Every bit of what is not a file's bytes. A disk that is believed is one that can be used.
    for word in 0..blocks {
        for bit in 0..32 {
            let memory = memory.again();
            memory
                .words
                .iter()
                .zip(&whole)
                .for_each(|(to, from)| to.set(*from));
            memory.words[word].set(whole[word] ^ 1 << bit);
            let (mut disk, held) = open_disk(memory);
            match held {
                Held::Disk => {
                    let _ = contents(&mut disk);
                }
                Held::Nothing | Held::Damaged => {
                    assert_eq!(contents(&mut disk), vec![], "bit {bit} of word {word}");
                    assert_eq!(disk.free_blocks(), 30);
                }
            }
            assert_sound(&mut disk);
            if word > 3 && held == Held::Nothing {
                panic!("bit {bit} of word {word} is not the shape's");
            }
        }
    }
    assert_eq!(before.len(), 4);
}

#[test]
fn a_disk_without_a_root_is_none() {
    let memory = memory();
    let (disk, _) = open_disk(memory.clone());
    let state = disk.disk.layout.field(ROOT, layout::Field::State);
    memory.words[state].set(0);
    let (mut disk, held) = open_disk(memory.again());
    assert_eq!(held, Held::Damaged);
    disk.open_file(0, b"/", R).unwrap();
}

#[test]
fn two_files_do_not_have_one_block() {
    let memory = memory();
    let (mut disk, _) = open_disk(memory.clone());
    for path in [b"a", b"b"] {
        let file = disk.open_file(0, path, NEW).unwrap();
        write(&mut disk, 0, file, b"bytes").unwrap();
    }
    let layout = disk.disk.layout;
    for field in [layout::Field::First, layout::Field::Last] {
        let block = memory.words[layout.field(1, field)].get();
        memory.words[layout.field(2, field)].set(block);
    }
    assert_eq!(open_disk(memory.again()).1, Held::Damaged);
}
