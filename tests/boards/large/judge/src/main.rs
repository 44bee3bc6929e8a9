//! Looks at a system with as many priorities, regions and handles as there can be.
#![no_std]

use check::{equal, holds};
use riposte::abi::fault::{Record, reason};
use riposte::{Error, Event, Notice};

/// Orders for the processes that may have devices.
const READ: u32 = 0;
const OVERFLOW: u32 = 1;
const NOTHING: u32 = 2;

#[riposte::main]
fn main() {
    let numbers: [u32; 6] = core::array::from_fn(|_| next_number());
    equal(
        "rule_15_the_most_urgent_of_256_priorities_runs_first",
        numbers,
        [239, 128, 64, 32, 31, 2],
    );

    let wide = riposte::connect("wide").unwrap();
    let narrow = riposte::connect("narrow").unwrap();
    let [device, ..] = wide.send_words([NOTHING, 0]).unwrap().words;
    holds(
        "a_process_with_five_regions_reads_its_device",
        wide.send_words([READ, device]).is_ok(),
    );
    equal(
        "the_regions_of_a_wide_process_are_gone_when_a_narrow_one_runs",
        (narrow.send_words([READ, device]).map(drop), fault().reason),
        (Err(Error::ServerDied), reason::MEMORY),
    );
    holds(
        "a_wide_process_goes_on",
        wide.send_words([OVERFLOW, 0]).is_ok(),
    );
    let overflow = fault();
    equal(
        "rule_27_a_guard_in_the_fifth_region_stops_an_overflow",
        (overflow.reason, wide.send_words([NOTHING, 0]).map(drop)),
        (reason::STACK_OVERFLOW, Err(Error::ServerDied)),
    );
    holds(
        "rule_27_what_overflows_by_one_frame_has_a_trace",
        overflow.trace[0] != 0,
    );
    check::done();
}

fn next_number() -> u32 {
    let row = riposte::channel("row").unwrap();
    match row.receive_words() {
        Ok(Event::Message(message)) => {
            let [number, ..] = message.words();
            message.reply_words([]).unwrap();
            number
        }
        other => panic!("no message: {other:?}"),
    }
}

fn fault() -> Record {
    let faults = riposte::channel("faults").unwrap();
    match faults.receive_words() {
        Ok(Event::Notice(Notice::Fault { process })) => riposte::fault_record(process).unwrap(),
        other => panic!("no fault: {other:?}"),
    }
}
