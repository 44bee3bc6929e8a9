//! Loans of a process with several threads: the lender.

use check::{equal, holds};
use lend_orders::{order, task};
use riposte::Error;
use riposte::abi::fault::reason::MEMORY;

use crate::bench::{Bench, is_fault};

/// The second thread, in the order of [`task`].
const SECOND: u32 = 1;

/// What the lender's other thread may do meanwhile, and afterwards.
pub fn loans(bench: &mut Bench) {
    let found = bench.make([task::LEND, order::DO_COMPARE, task::SEED, 0, 0]);
    equal(
        "12 pages can be lent while others run",
        found.map(first_two),
        Some([0, 1]),
    );
    for form in [task::LEND, task::LEND_MUT] {
        let found = bench.make([task::OTHER_MEMORY + form, order::DO_COMPARE, 0, 0, 0]);
        let name = "13 with several threads only pages can be lent";
        equal(
            name,
            found.map(|said| said[0]),
            Some(Error::CannotLend as u32),
        );
    }
    bench.order([task::LEND, order::DO_HOLD, 0, 0, task::SECOND_READS]);
    holds("13 the lender waits", !bench.lender_stirs());
    let resumed = bench.ask(order::RESUME, 0);
    let seen = bench.said().map(|said| said[2]);
    let expected = (Ok([1, 0]), Some(check::memory::pattern(task::SEED, 0)));
    equal(
        "13 the lender's other thread may read what is lent",
        (resumed, seen),
        expected,
    );
    for (form, part, name) in [
        (
            task::LEND,
            task::SECOND_WRITES,
            "13 the lender's other thread can't write what is lent",
        ),
        (
            task::LEND_MUT,
            task::SECOND_READS,
            "13 the lender's other thread can't read what is lent mutably",
        ),
        (
            task::LEND_MUT,
            task::SECOND_WRITES,
            "13 the lender's other thread can't write what is lent mutably",
        ),
    ] {
        bench.order([form, order::DO_HOLD, 0, 0, part]);
        let stopped = is_fault(bench.fault(), "lender", SECOND, &[MEMORY]);
        let held = bench.ask(order::HELD_IS_FILLED, task::SEED);
        equal(name, (stopped, held), (true, Ok([1, 0])));
        holds(
            "13 a lender that died is not started while others have its memory",
            !bench.lender_stirs(),
        );
        let resumed = bench.ask(order::RESUME, 0);
        let expected = Ok([1, Error::NoSuchClient as u32]);
        equal(
            "24 the token of a lender that died is stale",
            resumed,
            expected,
        );
        holds(
            "13 it is started when its memory is back",
            bench.lender_stirs(),
        );
        let again = bench.make([task::REST, 0, 0, 0, task::SECOND_WRITES]);
        let name = "13 its threads then have their memory";
        equal(name, again.map(|said| said[2]), Some(0xBAD));
    }
    let answered = bench.make([task::LEND_MUT, order::DO_FILL, 0x44, 0, 0]);
    let touched = bench.make([task::REST, 0, 0, 0, task::SECOND_READS]);
    let expected = (Some([0, 1]), Some(check::memory::pattern(0x44, 0)));
    let found = (answered.map(first_two), touched.map(|said| said[2]));
    equal(
        "13 after the reply the other thread reads what the server wrote",
        found,
        expected,
    );
}

fn first_two([first, second, _]: [u32; 3]) -> [u32; 2] {
    [first, second]
}

/// A message that waits to be received: the sender's threads have parted with the memory, and the
/// server does not have it.
pub fn before_it_is_received(bench: &mut Bench) {
    bench.order([task::LEND_MUT, order::DO_COMPARE, task::SEED, 0, 0]);
    let asked = nap_and_load(bench, bench.at_the_server(bench.lenders_page));
    let stopped = is_fault(bench.fault(), "server", 0, &[MEMORY]);
    let told = bench.said().map(|said| said[0]);
    let name = "13 before it is received the server has nothing";
    let expected = (Err(Error::ServerDied), true, Some(Error::ServerDied as u32));
    equal(name, (asked, stopped, told), expected);
    let kept = bench.make([task::IS_FILLED, 0, 0, 0, 0]);
    equal(
        "13 it is the lender's when the server dies",
        kept.map(|said| said[1]),
        Some(1),
    );

    bench.order([
        task::LEND_MUT,
        order::DO_COMPARE,
        task::SEED,
        0,
        task::SECOND_READS,
    ]);
    let asked = nap_and_load(bench, 0);
    let stopped = is_fault(bench.fault(), "lender", SECOND, &[MEMORY]);
    let name = "13 before it is received the other thread can't touch it";
    equal(name, (asked, stopped), (Ok(()), true));
    holds(
        "13 a lender that died before is started at once",
        bench.lender_stirs(),
    );

    bench.order([task::LEND_MUT, order::DO_COMPARE, task::SEED, 100, 0]);
    let asked = nap_and_load(bench, 0);
    let told = bench.said().map(|said| said[0]);
    let expected = (Ok(()), Some(Error::TimedOut as u32));
    equal(
        "23 a lender leaves at its deadline before it is received",
        (asked, told),
        expected,
    );
    let again = bench.make([task::REST, 0, 0, 0, task::SECOND_WRITES]);
    let name = "13 after that its other thread has the memory";
    equal(name, again.map(|said| said[2]), Some(0xBAD));
    let name = "13 after that the server has nothing";
    let asked = bench
        .ask(order::LOAD, bench.at_the_server(bench.lenders_page))
        .map(drop);
    let stopped = is_fault(bench.fault(), "server", 0, &[MEMORY]);
    equal(name, (asked, stopped), (Err(Error::ServerDied), true));
}

/// The server sleeps while the lender sends, then reads what is at `address`, if it is not 0.
fn nap_and_load(bench: &Bench, address: u32) -> Result<(), Error> {
    const NAP: u32 = 500;
    crate::bench::ask(&bench.server, [order::NAP_AND_LOAD, address, NAP]).map(drop)
}

/// The server dies while it has memory of a process with several threads.
pub fn death(bench: &mut Bench) {
    for form in [task::LEND, task::LEND_MUT] {
        let told = bench
            .make([form, order::DO_DIE, 0, 0, 0])
            .map(|said| said[0]);
        let died = bench.fault().is_some();
        let expected = (Some(Error::ServerDied as u32), true);
        equal(
            "24 a lender is told that the server died",
            (told, died),
            expected,
        );
        let again = bench.make([task::REST, 0, 0, 0, task::SECOND_WRITES]);
        let name = "13 what was lent to a server that died is the other thread's again";
        equal(name, again.map(|said| said[2]), Some(0xBAD));
    }
}
