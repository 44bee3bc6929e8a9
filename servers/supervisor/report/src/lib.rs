//! What is printed of a process that the kernel has stopped: one line `@fault` with its record as JSON, which the host
//! turns into a report with names and places, and one line for people without a host.
//!
//! For those who are told of faults: they have the grant `supervisor`, and a connection `console`.
#![no_std]
#![forbid(unsafe_code)]

mod json;
mod summary;

use riposte::abi::fault::Record;
use riposte::{Connection, Error, Line, println};

/// Longest record as JSON, in bytes.
const LONGEST: usize = 1280 + MOST_THREADS as usize * 10;
/// Most threads of a process whose stacks it tells of.
const MOST_THREADS: u32 = 16;

/// Prints the record of a process: `by` says so.
pub fn print(by: &str, console: &mut Connection, record: &Record) {
    let mut line = Line::<LONGEST>::new();
    // A line has room for the longest record.
    let _ = json::write(&mut line, record, stacks(record.process));
    tell(console, line.bytes());
    let name = riposte::name_of_process(record.process).unwrap_or("?");
    println!(
        "{by}: process `{name}` {}, {}",
        summary::Reason(record),
        summary::action(record.action)
    );
}

/// Bytes that each thread of the process has never used of its stack.
fn stacks(process: u32) -> impl Iterator<Item = u32> {
    (0..MOST_THREADS).map_while(move |thread| riposte::stack_unused(process, thread).ok())
}

/// Whole, so that nobody prints in between. Without a console there is nobody to tell.
fn tell(console: &mut Connection, line: &[u8]) {
    if let Err(Error::ServerDied) = console.send(line, &mut [])
        && let Ok(again) = riposte::connect("console")
    {
        // It has been restarted.
        *console = again;
        let _ = console.send(line, &mut []);
    }
}
