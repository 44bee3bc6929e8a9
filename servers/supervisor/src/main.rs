//! The supervisor: is told of faults and prints their records.
//!
//! In the manifest it owns the channel that `[supervisor]` names, has the grant `supervisor`, and
//! a connection `console`. Each fault becomes one line `@fault` with the record as JSON, which
//! the host turns into a report with names and places, and one line for people without a host.
#![no_std]

mod json;
mod summary;

use riposte::abi::fault::Record;
use riposte::{Answer, Connection, Error, Event, Line, Notice, Status, println};

/// Longest record as JSON, in bytes.
const LONGEST: usize = 1280 + MOST_THREADS as usize * 10;
/// Most threads of a process whose stacks it tells of.
const MOST_THREADS: u32 = 16;
/// The answer to whoever sends a message here: there is nothing to ask for.
const NO_SUCH_REQUEST: Status = Status(1);

#[riposte::main]
fn main() {
    let faults = riposte::own_channel().unwrap();
    let mut console = riposte::connect("console").unwrap();
    let error = faults.serve(&mut [], |event| match event {
        Event::Notice(Notice::Fault { process }) => {
            report(&mut console, process);
            Answer::later()
        }
        Event::Notice(_) => Answer::later(),
        Event::Message(message) => message.answer_error(NO_SUCH_REQUEST),
    });
    panic!("the supervisor's channel: {error}");
}

/// Prints what the kernel knows of the fault.
fn report(console: &mut Connection, process: u32) {
    match riposte::fault_record(process) {
        Ok(record) => {
            let mut line = Line::<LONGEST>::new();
            // A line has room for the longest record.
            let _ = json::write(&mut line, &record, stacks(process));
            tell(console, line.bytes());
            summarise(&record);
        }
        Err(error) => println!("supervisor: process {process} faulted, no record: {error}"),
    }
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

fn summarise(record: &Record) {
    let name = riposte::name_of_process(record.process).unwrap_or("?");
    println!(
        "supervisor: process `{name}` {}, {}",
        summary::Reason(record),
        summary::action(record.action)
    );
}
