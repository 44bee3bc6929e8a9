//! Memory that is moved: away, on, and home.

use check::memory::{Form, Message};
use check::{equal, holds};
use lend_orders::{order, task};
use riposte::abi::fault::reason::MEMORY;
use riposte::{Duration, Error};

use crate::bench::{Bench, SEED, ask, is_fault, page};

const MAIN: u32 = 0;
const MOVE: [u32; 5] = [task::MOVE, order::DO_KEEP, 0, 0, 0];
const READ: [u32; 5] = [task::READ, 0, 0, 0, 0];
const RECLAIM: [u32; 5] = [task::RECLAIM, 0, 0, 0, 0];

/// It is the receiver's, whatever becomes of the mover, and comes home empty.
pub fn home(bench: &mut Bench) {
    equal(
        "12 with nothing away there is nothing to reclaim",
        reclaim(bench),
        Some(0),
    );
    let moved = bench.make(MOVE).map(|said| said[0]);
    let arrived = bench
        .ask(order::KEPT_IS_FILLED, task::SEED)
        .map(|words| words[0]);
    let name = "14 moved memory arrives as the mover left it";
    equal(name, (moved, arrived), (Some(0), Ok(1)));
    equal(
        "12 what is away can't be reclaimed",
        reclaim(bench),
        Some(Error::InUse as u32),
    );
    let second = task::SECOND_PAGE + task::LEND_MUT;
    let without_gap = bench
        .make([second, order::DO_COMPARE, 0, 0, 0])
        .map(|said| said[0]);
    let name = "12 without a free gap nothing can be lent";
    equal(name, without_gap, Some(Error::CannotLend as u32));
    mover_is_stopped(bench, "13 the mover has no longer what it moved");
    let writable = bench.ask(order::FILL_KEPT, 0x99);
    let filled = bench.ask(order::KEPT_IS_FILLED, 0x99).map(|words| words[0]);
    let name = "24 moved memory outlives its mover";
    equal(name, (writable, filled), (Ok([1, 0]), Ok(1)));
    equal(
        "24 what was away stays so for a restarted mover",
        reclaim(bench),
        Some(Error::InUse as u32),
    );
    let lent_on = bench.ask(order::LEND_KEPT_ON, 0).map(|words| words[0]);
    let name = "12 what is in a window can't be lent on";
    equal(name, lent_on, Ok(Error::CannotLend as u32));

    let [released, address] = bench.ask(order::RELEASE, 0).unwrap_or([u32::MAX; 2]);
    equal("12 the holder gives it up", released, 0);
    let again = bench.ask(order::RELEASE, 0).map(|words| words[0]);
    equal("12 it does so once", again, Ok(Error::BadAddress as u32));
    let asked = bench.ask(order::LOAD, address).map(drop);
    let stopped = is_fault(bench.fault(), "server", MAIN, &[MEMORY]);
    let name = "13 the holder has no longer what it gave up";
    equal(name, (asked, stopped), (Err(Error::ServerDied), true));
    mover_is_stopped(
        bench,
        "14 the mover can't read what came home before it is cleared",
    );
    let found = bench.make(RECLAIM);
    equal("14 what came home is cleared", found, Some([0, 1, 0]));
    equal(
        "12 the mover reads what it has reclaimed",
        bench.make(READ),
        Some([0, 0, 0]),
    );
    let found = bench.make([task::LEND, order::DO_COMPARE, task::SEED, 0, 0]);
    equal(
        "12 it can be lent again",
        found.map(|said| said[0]),
        Some(0),
    );
}

/// Takes the first page back into use: the error.
fn reclaim(bench: &mut Bench) -> Option<u32> {
    bench.make(RECLAIM).map(|said| said[0])
}

/// The lender reads its first page, and is stopped for it.
fn mover_is_stopped(bench: &mut Bench, name: &str) {
    bench.order(READ);
    let stopped = is_fault(bench.fault(), "lender", MAIN, &[MEMORY]);
    equal(name, (stopped, bench.lender_stirs()), (true, true));
}

/// From window to window, as a whole.
pub fn on(bench: &mut Bench) {
    let moved = bench.make(MOVE).map(|said| said[0]);
    let passed = bench.ask(order::PASS_ON, 0);
    let words = ask(&bench.keeper, [order::KEPT_IS_FILLED, task::SEED, 0]);
    let arrived = words.map(|words| words[0]);
    let [_, address] = passed.unwrap_or_default();
    let expected = (Some(0), Ok([0, address]), Ok(1));
    equal(
        "12 moved memory can be moved on",
        (moved, passed, arrived),
        expected,
    );
    let full = Message::new(Form::Lend, page(), order::order(order::DO_COMPARE, SEED));
    let full = full.send(&bench.keeper).map(drop);
    equal(
        "12 without a free window nothing is lent",
        full,
        Err(Error::CannotLend),
    );
    let asked = bench.ask(order::LOAD, address).map(drop);
    let stopped = is_fault(bench.fault(), "server", MAIN, &[MEMORY]);
    let name = "13 who moved it on has it no longer";
    equal(name, (asked, stopped), (Err(Error::ServerDied), true));
    equal(
        "12 what was moved on is away",
        reclaim(bench),
        Some(Error::InUse as u32),
    );
    let died = ask(&bench.keeper, [order::DIE, 0, 0]).map(drop);
    let told = bench.fault().is_some();
    let name = "24 what was moved to a process that dies goes home";
    equal(name, (died, told), (Err(Error::ServerDied), true));
    equal(
        "14 it is cleared then too",
        bench.make(RECLAIM),
        Some([0, 1, 0]),
    );
    let found = ask(&bench.keeper, [order::LAST, 0, 0]);
    holds("24 the restarted keeper has nothing", found == Ok([0, 0]));
}

/// What a call takes from its own caller is gone when it returns.
pub fn at_once(bench: &mut Bench) {
    let moved = bench.make(MOVE).map(|said| said[0]);
    let asked = bench.ask(order::RELEASE_AND_LOAD, 0).map(drop);
    let stopped = is_fault(bench.fault(), "server", MAIN, &[MEMORY]);
    let name = "13 what a thread gives up is gone when the call returns";
    let expected = (Some(0), Err(Error::ServerDied), true);
    equal(name, (moved, asked, stopped), expected);
    equal(
        "14 what is reclaimed is there when the call returns",
        bench.make(RECLAIM),
        Some([0, 1, 0]),
    );
}

/// Interrupts are served while memory is cleared: the judge sleeps for a moment, and does not
/// oversleep by as much as the clearing takes.
pub fn in_between(bench: &mut Bench) {
    away_and_back(bench);
    let took = bench.make(RECLAIM_ALL).map_or(0, |said| said[1]);
    let usual = oversleep(0);
    let mut longest = 0;
    let mut cleared = took > 0;
    for moment in 1..=10 {
        away_and_back(bench);
        bench.order(RECLAIM_ALL);
        longest = longest.max(oversleep(moment * 300));
        cleared &= bench.said().is_some_and(|said| said[0] == 0 && said[1] > 0);
    }
    holds(
        "14 what is cleared with interrupts in between is all cleared",
        cleared,
    );
    let name = "14 interrupts are served while memory is cleared";
    if longest < usual + took / 2 {
        holds(name, true);
    } else {
        equal(name, [longest, usual, took], [usual, usual, took]);
    }
}

const RECLAIM_ALL: [u32; 5] = [task::RECLAIM_ALL, 0, 0, 0, 0];

/// All pages of the lender travel to the server, which writes them, and come home.
fn away_and_back(bench: &mut Bench) {
    bench.make([task::MOVE_ALL, order::DO_KEEP, 0, 0, 0]);
    let filled = bench.ask(order::FILL_KEPT, 0x2B);
    let released = bench.ask(order::RELEASE, 0).map(|words| words[0]);
    if (filled, released) != (Ok([1, 0]), Ok(0)) {
        equal(
            "12 all pages can be moved at once",
            (filled, released),
            (Ok([1, 0]), Ok(0)),
        );
    }
}

/// Sleeps, and by how many nanoseconds for too long.
fn oversleep(nanoseconds: u64) -> u32 {
    let until = riposte::Instant::now() + Duration::from_nanos(nanoseconds);
    riposte::sleep_until(until).unwrap();
    (riposte::Instant::now() - until).as_nanos() as u32
}

/// A move that does not arrive leaves the memory where it was.
pub fn failures(bench: &mut Bench) {
    bench.order([task::MOVE, order::DO_KEEP, 0, 100, 0]);
    let asked = ask(&bench.server, [order::NAP_AND_LOAD, 0, 500]).map(drop);
    let told = bench.said().map(|said| said[0]);
    let kept = bench
        .make([task::IS_FILLED, 0, 0, 0, 0])
        .map(|said| said[1]);
    let expected = (Ok(()), Some(Error::TimedOut as u32), Some(1));
    equal(
        "12 a move that times out leaves the memory",
        (asked, told, kept),
        expected,
    );
    bench.order([task::MOVE, order::DO_KEEP, 0, 0, 0]);
    let asked = ask(&bench.server, [order::NAP_AND_LOAD, 1 << 31, 500]).map(drop);
    let died = bench.fault().is_some();
    let told = bench.said().map(|said| said[0]);
    let kept = bench
        .make([task::IS_FILLED, 0, 0, 0, 0])
        .map(|said| said[1]);
    let found = (asked, died, told, kept);
    let expected = (
        Err(Error::ServerDied),
        true,
        Some(Error::ServerDied as u32),
        Some(1),
    );
    equal(
        "12 a move to a server that dies first leaves the memory",
        found,
        expected,
    );
    bench.order([task::MOVE, order::DO_DIE, 0, 0, 0]);
    let told = bench.said().map(|said| said[0]);
    let died = bench.fault().is_some();
    let back = bench.make(RECLAIM);
    let name = "12 a move to a server that dies with it comes home";
    let expected = (Some(Error::ServerDied as u32), true, Some([0, 1, 0]));
    equal(name, (told, died, back), expected);
}
