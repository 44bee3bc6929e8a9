//! The supervisor: is told of faults and prints their records.
//!
//! In the manifest it owns the channel that `[supervisor]` names, has the grant `supervisor`, and
//! a connection `console`.
#![no_std]

use riposte::{Answer, Connection, Event, Notice, Status, println};

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
        Ok(record) => supervisor_report::print("supervisor", console, &record),
        Err(error) => println!("supervisor: process {process} faulted, no record: {error}"),
    }
}
