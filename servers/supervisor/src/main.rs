//! The supervisor: is told of faults and prints their records.
//!
//! What it was told of and had not received is gone with it. So when it begins anew it tells of every process that is
//! stopped or held, whether it has done so before or not.
//!
//! In the manifest it owns the channel that `[supervisor]` names, has the grant `supervisor`, and
//! a connection `console`.
#![no_std]

use riposte::abi::fault::{action, reason};
use riposte::{Answer, Connection, Event, Notice, Status, println};

/// The answer to whoever sends a message here: there is nothing to ask for.
const NO_SUCH_REQUEST: Status = Status(1);

#[riposte::main]
fn main() {
    let faults = riposte::own_channel().unwrap();
    let mut console = riposte::connect("console").unwrap();
    if begins_anew() {
        tell_again(&mut console);
    }
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

#[inline(never)]
fn begins_anew() -> bool {
    riposte::fault_record(riposte::process_index()).is_ok_and(|own| own.count != 0)
}

/// Tells of every process that does not run, but for those that have ended by themselves.
fn tell_again(console: &mut Connection) {
    for (process, is_gone) in (0..).zip((0..).map_while(is_gone)) {
        if is_gone {
            report(console, process);
        }
    }
}

/// Whether the process has been stopped, if there is one of this index. (Apart, for the stack's sake: a record is large.)
#[inline(never)]
fn is_gone(process: u32) -> Option<bool> {
    let record = riposte::fault_record(process).ok()?;
    let by_itself = record.reason == reason::EXIT && record.action == action::STOPPED;
    Some(record.count != 0 && record.action != action::RESTARTED && !by_itself)
}

/// Prints what the kernel knows of the fault.
#[inline(never)]
fn report(console: &mut Connection, process: u32) {
    match riposte::fault_record(process) {
        Ok(record) => supervisor_report::print("supervisor", console, &record),
        Err(error) => println!("supervisor: process {process} faulted, no record: {error}"),
    }
}
