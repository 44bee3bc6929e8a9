//! The server is ended before each of its stores.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::*;

/// What happens to a disk, one operation after the other. Each leaves either what was there before or what is there
/// after it.
const OPERATIONS: [fn(&mut Disk); 17] = [
    |disk| _ = disk.make_directory(0, b"d"),
    |disk| _ = disk.open_file(0, b"d/a", NEW),
    |disk| append(disk, b"d/a", 100),
    |disk| append(disk, b"d/a", 1000),
    |disk| _ = disk.open_file(1, b"b", NEW),
    |disk| append(disk, b"b", 700),
    |disk| _ = disk.rename(b"b", b"d/c"),
    |disk| append(disk, b"d/a", 400),
    |disk| resize(disk, b"d/a", 300),
    |disk| resize(disk, b"d/a", 1500),
    |disk| _ = disk.rename(b"d/c", b"d/a"),
    |disk| _ = disk.open_file(0, b"d/e", W.and(Options::CREATE)),
    |disk| append(disk, b"d/e", 256),
    |disk| _ = disk.remove(b"d/a"),
    |disk| _ = disk.make_fifo(1, b"fifo"),
    |disk| _ = disk.rename(b"fifo", b"d/e"),
    |disk| _ = disk.remove(b"d/e"),
];

fn append(disk: &mut Disk, path: &[u8], length: usize) {
    let options = W.and(Options::APPEND);
    let file = disk.open_file(2, path, options).expect("it is there");
    write(disk, 2, file, &pattern(length, length)).expect("there is room");
    disk.close(2, file).expect("it is open");
}

fn resize(disk: &mut Disk, path: &[u8], size: u64) {
    let file = disk.open_file(2, path, W).expect("it is there");
    disk.truncate(2, file, size).expect("there is room");
    disk.close(2, file).expect("it is open");
}

/// What is there after each number of operations.
fn stages() -> Vec<Vec<(String, Option<Vec<u8>>)>> {
    let mut disk = disk();
    let mut stages = vec![contents(&mut disk)];
    for operation in OPERATIONS {
        operation(&mut disk);
        (0..3).for_each(|client| disk.leave(client));
        stages.push(contents(&mut disk));
    }
    stages
}

#[test]
fn wherever_the_server_is_ended_each_operation_is_whole_or_has_not_been() {
    let stages = stages();
    let mut ends = 0;
    for stores in 0.. {
        let memory = memory();
        let (mut disk, _) = open_disk(memory.clone());
        memory.ends_after(stores);
        let mut done = 0;
        let life = catch_unwind(AssertUnwindSafe(|| {
            for operation in OPERATIONS {
                operation(&mut disk);
                (0..3).for_each(|client| disk.leave(client));
                done += 1;
            }
        }));
        let (mut next, held) = open_disk(memory.again());
        assert_eq!(held, Held::Disk, "before store {stores}");
        assert_sound(&mut next);
        let found = contents(&mut next);
        let is_whole = found == stages[done] || stages.get(done + 1) == Some(&found);
        assert!(is_whole, "before store {stores}, in operation {done}");
        if life.is_ok() {
            break;
        }
        ends += 1;
    }
    assert!(ends > 200, "{ends}");
}

#[test]
fn wherever_it_is_ended_while_it_recovers_the_next_life_recovers() {
    // In the midst of a rename that replaces a file, a life ends that has an open file without a name.
    let before = |memory: &Mortal| {
        let (mut disk, _) = open_disk(memory.clone());
        let gone = disk.open_file(0, b"gone", NEW).unwrap();
        write(&mut disk, 0, gone, &pattern(1, 600)).unwrap();
        disk.remove(b"gone").unwrap();
        for path in [b"one", b"two"] {
            let file = disk.open_file(1, path, NEW).unwrap();
            write(&mut disk, 1, file, &pattern(2, 600)).unwrap();
            disk.close(1, file).unwrap();
        }
        disk
    };
    for stores in 0..60 {
        for second in 0..80 {
            let memory = memory();
            let mut disk = before(&memory);
            memory.ends_after(stores);
            let _ = catch_unwind(AssertUnwindSafe(|| disk.rename(b"one", b"two")));
            let next = memory.again();
            next.ends_after(second);
            let is_over = catch_unwind(AssertUnwindSafe(|| open_disk(next.clone()))).is_ok();
            let (mut disk, held) = open_disk(memory.again());
            assert_eq!(held, Held::Disk);
            let names = contents(&mut disk).len();
            assert!(names == 1 || names == 2, "{stores} {second}");
            assert_eq!(disk.free_blocks() as usize, 30 - 3 * names);
            assert_sound(&mut disk);
            if is_over {
                break;
            }
        }
    }
}

#[test]
fn a_disk_that_was_being_made_is_made_anew() {
    for stores in 0.. {
        let memory = memory();
        memory.ends_after(stores);
        let is_over = catch_unwind(AssertUnwindSafe(|| open_disk(memory.clone()))).is_ok();
        let (mut disk, held) = open_disk(memory.again());
        assert_ne!(held, Held::Damaged);
        assert_eq!(contents(&mut disk), vec![]);
        assert_sound(&mut disk);
        if is_over {
            break;
        }
    }
}
