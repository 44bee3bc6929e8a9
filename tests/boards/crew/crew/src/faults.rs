//! Processes of many threads panic and fault, and are restarted, or held.

use check::{equal, holds, machine};
use riposte::abi::fault::{TEXT_BYTES, action, reason};
use riposte::{Channel, Event, Notice};

use crate::driver::{next, order, settle};
use crate::keeper;
use crate::lender::{FAULT, PANIC};

pub fn all(orders: &Channel) {
    order(orders, PANIC, 0);
    let (reason, action, length) = record();
    equal("rule_24_a_panic_is_told", reason, reason::PANIC);
    equal("rule_27_it_is_restarted", action, action::RESTARTED);
    equal("rule_24_with_all_of_its_text", length, TEXT_BYTES);
    order(orders, FAULT, 0);
    let (reason, action, _) = record();
    equal("rule_24_a_fault_is_told", reason, reason::MEMORY);
    equal("rule_27_it_is_restarted_again", action, action::RESTARTED);
    next(orders).reply_words([0, 0]).unwrap();
    let store = riposte::connect("store").unwrap();
    store.send_words([0, 0, keeper::FAULT]).unwrap();
    let (reason, action, _) = record();
    equal("rule_24_a_held_one_is_told_of", reason, reason::MEMORY);
    equal("rule_27_it_is_held", action, action::HELD);
    control();
}

/// A process of 65 threads is restarted while it is held, and one while it waits; that one is stopped, and started.
fn control() {
    let expected = |action| (reason::CONTROLLED, action, 0);
    let [keeper, lender] = ["keeper", "lender"].map(|name| riposte::process(name).unwrap());
    keeper.restart();
    equal(
        "a_held_one_is_restarted",
        record(),
        expected(action::RESTARTED),
    );
    settle();
    lender.restart();
    equal(
        "one_that_waits_is_restarted",
        record(),
        expected(action::RESTARTED),
    );
    lender.stop();
    equal(
        "one_that_has_not_begun_is_stopped",
        record(),
        expected(action::STOPPED),
    );
    lender.restart();
    settle();
}

/// The next fault: its reason, what was done, and how long its text is.
fn record() -> (u32, u32, usize) {
    let faults = riposte::channel("faults").unwrap();
    loop {
        if let Event::Notice(Notice::Fault { process }) = faults.receive(&mut []).unwrap() {
            let record = riposte::fault_record(process).unwrap();
            let known = record.registers.iter().any(|word| *word != 0);
            holds("rule_24_its_registers_are_told", known);
            return (record.reason, record.action, record.text_length as usize);
        }
    }
}

/// Longer than what is kept of it.
pub fn panic_at_length() -> ! {
    panic!("{:1$}", "at length", 2 * TEXT_BYTES)
}

pub fn touch_the_kernel() -> ! {
    let _ = check::memory::load(machine::kernel_data(0));
    unreachable!("the kernel's memory was read")
}
