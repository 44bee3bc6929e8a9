//! Loans of a process with one thread: the judge itself.

use check::memory::{self, Form, Message};
use check::{equal, holds};
use lend_orders::order;
use riposte::abi::fault::reason::{EXECUTE, MEMORY};
use riposte::{Connection, Duration, Error};

use crate::bench::{Bench, PAGE, SEED, area, is_fault, page};

/// What cannot be carried is refused, and nothing has changed.
pub fn refusals(bench: &Bench) {
    let (start, length) = page();
    let server = &bench.server;
    let region = riposte::region("common").unwrap();
    let cases: [(&str, &Connection, (u32, u32), Error); 10] = [
        (
            "that begins in the middle of a page",
            server,
            (start + 32, length),
            Error::CannotLend,
        ),
        (
            "that ends in the middle of a page",
            server,
            (start, length + 32),
            Error::CannotLend,
        ),
        (
            "larger than a window",
            &bench.keeper,
            (area(), 2 * PAGE),
            Error::CannotLend,
        ),
        (
            "at a channel without unblock notices",
            &bench.plain,
            page(),
            Error::CannotLend,
        ),
        (
            "at a server without windows",
            &bench.console,
            page(),
            Error::CannotLend,
        ),
        (
            "that is constant",
            server,
            (constant(), PAGE),
            Error::CannotLend,
        ),
        (
            "that other processes may write",
            server,
            (region.address(), PAGE),
            Error::CannotLend,
        ),
        (
            "of others",
            server,
            (check::machine::kernel_data(start), PAGE),
            Error::BadAddress,
        ),
        (
            "at the end of the address space",
            server,
            (0xFFFF_F000, PAGE),
            Error::BadAddress,
        ),
        ("without a byte", server, (start, 0), Error::BadArgument),
    ];
    for (what, server, memory, error) in cases {
        for form in [Form::Lend, Form::LendMut] {
            let message = Message::new(form, memory, order::order(order::DO_COMPARE, SEED));
            check_refusal(what, message.send(server), error);
        }
    }
    let message = Message::new(Form::Move, page(), order::order(order::DO_KEEP, 0));
    let result = message.send(server).map(drop);
    equal(
        "12 what is not of the pages can't be moved",
        result,
        Err(Error::CannotLend),
    );
    let message = Message {
        reply: (start + 64, 64),
        ..Message::new(Form::Lend, page(), order::order(order::DO_COMPARE, SEED))
    };
    let result = message.send(server).map(drop);
    equal(
        "13 a reply can't go to what is lent",
        result,
        Err(Error::BadArgument),
    );
    holds(
        "12 what was refused has changed nothing",
        memory::is_filled(page(), SEED),
    );
    equal(
        "12 nothing was moved here to be given up",
        memory::release(start),
        Err(Error::BadAddress),
    );
}

fn check_refusal(what: &str, found: Result<[u32; 5], Error>, error: Error) {
    if found.map(drop) == Err(error) {
        riposte::println!("@pass 12 memory {what} is refused");
    } else {
        equal(what, found.map(drop), Err(error));
    }
}

/// The beginning of a page of the program's code and constants.
fn constant() -> u32 {
    refusals as fn(&Bench) as usize as u32 & !(PAGE - 1)
}

/// What is carried is there, and comes back.
pub fn loans(bench: &mut Bench) {
    for (form, name) in [
        (
            Form::Lend,
            "12 lent memory can be read, where the client has it",
        ),
        (
            Form::LendMut,
            "12 mutably lent memory can be read, where the client has it",
        ),
    ] {
        let found = bench.send(form, order::DO_COMPARE, SEED);
        bench.window = found.map_or(0, |words| words[2]);
        let found = found.map(|words| [words[0], words[1]]);
        equal(name, found, Ok([1, form.mark()]));
    }
    let found = bench.send(Form::LendMut, order::DO_FILL, 0x77).map(drop);
    let written = found == Ok(()) && memory::is_filled(page(), 0x77);
    holds(
        "12 mutably lent memory can be written by the server",
        written,
    );
    memory::fill(page(), SEED);
    let found = bench.send(Form::Lend, order::DO_COMPARE, SEED);
    equal(
        "13 the client writes again once it is answered",
        found.map(|words| words[0]),
        Ok(1),
    );
    let around = memory::is_zero((area(), PAGE)) && memory::is_zero((area() + 2 * PAGE, 2 * PAGE));
    holds("12 nothing around lent memory has changed", around);
}

/// Something that the server may not do, and is stopped for.
struct Attempt {
    name: &'static str,
    form: Form,
    order: u32,
    offset: u32,
    reason: u32,
}

const fn attempt(name: &'static str, form: Form, order: u32, offset: u32, reason: u32) -> Attempt {
    Attempt {
        name,
        form,
        order,
        offset,
        reason,
    }
}

const BEFORE: u32 = 0_u32.wrapping_sub(4);

const ATTEMPTS: [Attempt; 15] = [
    attempt(
        "12 lent memory can't be written",
        Form::Lend,
        order::DO_WRITE_AT,
        0,
        MEMORY,
    ),
    attempt(
        "12 nor can its last word",
        Form::Lend,
        order::DO_WRITE_AT,
        PAGE - 4,
        MEMORY,
    ),
    attempt(
        "12 lent memory can't be executed",
        Form::Lend,
        order::DO_EXECUTE,
        0,
        EXECUTE,
    ),
    attempt(
        "12 mutably lent memory can't be executed",
        Form::LendMut,
        order::DO_EXECUTE,
        0,
        EXECUTE,
    ),
    attempt(
        "12 what is before lent memory can't be read",
        Form::Lend,
        order::DO_READ_AT,
        BEFORE,
        MEMORY,
    ),
    attempt(
        "12 what is behind lent memory can't be read",
        Form::Lend,
        order::DO_READ_AT,
        PAGE,
        MEMORY,
    ),
    attempt(
        "12 what is before mutably lent memory can't be read",
        Form::LendMut,
        order::DO_READ_AT,
        BEFORE,
        MEMORY,
    ),
    attempt(
        "12 what is behind mutably lent memory can't be read",
        Form::LendMut,
        order::DO_READ_AT,
        PAGE,
        MEMORY,
    ),
    attempt(
        "12 what is before mutably lent memory can't be written",
        Form::LendMut,
        order::DO_WRITE_AT,
        BEFORE,
        MEMORY,
    ),
    attempt(
        "12 what is behind mutably lent memory can't be written",
        Form::LendMut,
        order::DO_WRITE_AT,
        PAGE,
        MEMORY,
    ),
    attempt(
        "13 lent memory is gone once the client is answered",
        Form::Lend,
        order::DO_READ_LATER,
        0,
        MEMORY,
    ),
    attempt(
        "13 the end of lent memory is gone once the client is answered",
        Form::Lend,
        order::DO_READ_LATER,
        PAGE - 4,
        MEMORY,
    ),
    attempt(
        "13 mutably lent memory can't be read once the client is answered",
        Form::LendMut,
        order::DO_READ_LATER,
        0,
        MEMORY,
    ),
    attempt(
        "13 mutably lent memory can't be written once the client is answered",
        Form::LendMut,
        order::DO_WRITE_LATER,
        0,
        MEMORY,
    ),
    attempt(
        "13 the end of mutably lent memory is gone once the client is answered",
        Form::LendMut,
        order::DO_WRITE_LATER,
        PAGE - 4,
        MEMORY,
    ),
];

/// The server does what it may not: it is stopped, its client is told, and has its memory as it was.
pub fn attempts(bench: &mut Bench) {
    for attempt in &ATTEMPTS {
        let sent = bench
            .send(attempt.form, attempt.order, attempt.offset)
            .map(drop);
        let later = matches!(attempt.order, order::DO_READ_LATER | order::DO_WRITE_LATER);
        let expected = if later {
            Ok(())
        } else {
            Err(Error::ServerDied)
        };
        let record = bench.fault();
        let untouched = memory::is_filled(page(), SEED);
        // It is the client's to write.
        memory::fill(page(), SEED);
        if sent == expected && untouched {
            holds(
                attempt.name,
                is_fault(record, "server", 0, &[attempt.reason]),
            );
        } else {
            equal(attempt.name, (sent, untouched), (expected, true));
        }
    }
    let found = bench.send(Form::Lend, order::DO_COMPARE, SEED);
    equal(
        "24 the restarted server can be lent memory",
        found.map(|words| words[0]),
        Ok(1),
    );
    let asked = bench
        .ask(order::LOAD, bench.at_the_server(page().0))
        .map(drop);
    let stopped = is_fault(bench.fault(), "server", 0, &[MEMORY]);
    let name = "13 between messages nothing is where it was lent";
    equal(name, (asked, stopped), (Err(Error::ServerDied), true));
}

/// The deadline passes while the server has the memory.
pub fn deadline(bench: &Bench) {
    let before = riposte::Instant::now();
    let until = before + Duration::from_millis(1);
    let message = Message {
        deadline: Some(until),
        ..Message::new(Form::LendMut, page(), order::order(order::DO_HOLD, 0))
    };
    let found = message.send(&bench.server).map(|words| words[0]);
    let waited = riposte::Instant::now() >= until;
    equal(
        "23 a lender stays until the server answers",
        (found, waited),
        (Ok(order::OWN), true),
    );
    let written = memory::is_filled(page(), order::OWN);
    holds("23 a lender's memory is the server's until then", written);
    memory::fill(page(), SEED);
}

/// The server dies while it has the memory.
pub fn death(bench: &mut Bench) {
    for form in [Form::Lend, Form::LendMut] {
        let found = bench.send(form, order::DO_DIE, 0).map(drop);
        let died = bench.fault().is_some();
        let name = "13 memory that was lent to a server that dies is back";
        let kept = memory::is_filled(page(), SEED);
        memory::fill(page(), SEED);
        equal(
            name,
            (found, died, kept),
            (Err(Error::ServerDied), true, true),
        );
    }
    let asked = bench
        .ask(order::LOAD, bench.at_the_server(page().0))
        .map(drop);
    let stopped = is_fault(bench.fault(), "server", 0, &[MEMORY]);
    let name = "13 a server that is started again has nothing of what it was lent";
    equal(name, (asked, stopped), (Err(Error::ServerDied), true));
}
