//! What files cost: opened and closed, read and written in a few bytes and in many.
#![no_std]

use measure::{Benchmark, Case, Counter, Meter, measure};
use riposte::println;
use riposte_files::{File, FileError, Files, Options, SeekFrom};

/// Bytes of a long read or write.
const LONG: usize = 4096;
/// Bytes of a short one.
const SHORT: usize = 32;

#[riposte::main]
fn main() {
    measure::<Costs>();
}

struct Costs;

impl Benchmark for Costs {
    fn run<C: Counter>(meter: Meter<C>) {
        let iterations = riposte::setting("iterations").unwrap();
        let files = Files::connect("files").unwrap();
        let options = Options::new().read().write();
        let file = files.open("data", options.create()).unwrap();
        let mut bytes = [7; LONG];
        assert_eq!(file.write(&bytes), Ok(LONG));
        let rewind = |file: &File<'_>| file.seek(SeekFrom::Start(0)).map(drop);
        case(meter, "file-open-close", 0, iterations, || {
            files.open("data", options).map(drop)
        });
        case(meter, "file-seek", 0, iterations, || rewind(&file));
        for (read, write, length) in [
            ("file-read-32B", "file-write-32B", SHORT),
            ("file-read-4096B", "file-write-4096B", LONG),
        ] {
            // Each begins at the start: what that takes is a case of its own.
            case(meter, read, length, iterations, || {
                rewind(&file)?;
                is_all(file.read(&mut bytes[..length])?, length)
            });
            case(meter, write, length, iterations, || {
                rewind(&file)?;
                is_all(file.write(&bytes[..length])?, length)
            });
        }
        println!("@done");
        let error = riposte::shutdown(0);
        panic!("shutdown: {error}");
    }
}

fn is_all(count: usize, length: usize) -> Result<(), FileError> {
    if count == length {
        Ok(())
    } else {
        Err(FileError::Garbled)
    }
}

#[inline(always)]
fn case<C: Counter>(
    meter: Meter<C>,
    name: &'static str,
    bytes: usize,
    iterations: u32,
    mut work: impl FnMut() -> Result<(), FileError>,
) {
    let figures = meter.measure(iterations, || {
        if let Err(why) = work() {
            failed(why);
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
fn failed(why: FileError) -> ! {
    panic!("{why}")
}
