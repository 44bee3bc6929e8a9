//! What blocks of a card cost, and files on it: 32 KiB, by the block server itself, from FAT, and from the volume that
//! outlives the power.
#![no_std]

use measure::{Benchmark, Case, Counter, Meter, measure};
use riposte::println;
use riposte::sync::Mutex;
use riposte_block::Card;
use riposte_files::{FileError, Files, Options, SeekFrom};

/// Bytes that are read and written in all: as many as one request of blocks can have.
const ALL: usize = 32 * 1024;
/// Bytes of one request of files.
const PIECE: usize = 4096;
/// Bytes of a short one.
const SHORT: usize = 32;

/// They.
static BYTES: Mutex<[u8; ALL]> = Mutex::new([7; ALL]);

#[riposte::main]
fn main() {
    measure::<Costs>();
}

struct Costs;

impl Benchmark for Costs {
    fn run<C: Counter>(meter: Meter<C>) {
        let iterations = riposte::setting("iterations").unwrap();
        let Ok(mut bytes) = BYTES.lock() else {
            panic!("another thread has the bytes");
        };
        // The others make their volumes first.
        let (sd, safe) = (
            Files::connect("sd").unwrap(),
            Files::connect("safe").unwrap(),
        );
        assert!(sd.space().is_ok() && safe.space().is_ok());
        let mut card = Card::connect("block").unwrap();
        let piece = &mut bytes[..PIECE];
        case(meter, "block-read-4096B", PIECE, iterations, || {
            card.read(0, piece)
        });
        case(meter, "block-write-4096B", PIECE, iterations, || {
            card.write(0, piece)
        });
        case(meter, "block-read-32KiB", ALL, iterations, || {
            card.read(0, &mut bytes[..])
        });
        case(meter, "block-write-32KiB", ALL, iterations, || {
            card.write(0, &bytes[..])
        });
        let fat = [
            "fat-read-32KiB",
            "fat-write-32KiB",
            "fat-read-32B",
            "fat-write-32B",
        ];
        volume(meter, &sd, fat, &mut bytes[..], iterations);
        let cases = [
            "safe-read-32KiB",
            "safe-write-32KiB",
            "safe-read-32B",
            "safe-write-32B",
        ];
        volume(meter, &safe, cases, &mut bytes[..], iterations);
        println!("@done");
        let error = riposte::shutdown(0);
        panic!("shutdown: {error}");
    }
}

/// All of a file, from the beginning, and a few bytes there.
fn volume<C: Counter>(
    meter: Meter<C>,
    files: &Files,
    [read, write, read_few, write_few]: [&'static str; 4],
    bytes: &mut [u8],
    iterations: u32,
) {
    let options = Options::new().read().write().create();
    let file = files.open("data", options).unwrap();
    assert_eq!(file.write(bytes), Ok(ALL));
    file.sync().unwrap();
    let rewind = || file.seek(SeekFrom::Start(0)).map(drop);
    case(meter, read, ALL, iterations, || {
        rewind()?;
        is_all(file.read(bytes)?, ALL)
    });
    case(meter, write, ALL, iterations, || {
        rewind()?;
        is_all(file.write(bytes)?, ALL)
    });
    let few = &mut bytes[..SHORT];
    case(meter, read_few, SHORT, iterations, || {
        rewind()?;
        is_all(file.read(few)?, SHORT)
    });
    case(meter, write_few, SHORT, iterations, || {
        rewind()?;
        is_all(file.write(few)?, SHORT)
    });
}

fn is_all(count: usize, length: usize) -> Result<(), FileError> {
    if count == length {
        Ok(())
    } else {
        Err(FileError::Garbled)
    }
}

#[inline(always)]
fn case<C: Counter, E: core::fmt::Display>(
    meter: Meter<C>,
    name: &'static str,
    bytes: usize,
    iterations: u32,
    mut work: impl FnMut() -> Result<(), E>,
) {
    let figures = meter.measure(iterations, || {
        if let Err(why) = work() {
            failed(&why);
        }
    });
    figures.report(Case {
        name,
        protected: true,
        bytes: bytes as u32,
    });
}

#[cold]
#[inline(never)]
fn failed(why: &dyn core::fmt::Display) -> ! {
    panic!("{why}")
}
