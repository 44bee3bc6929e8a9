//! Tests interrupts: the main thread raises them, a more urgent thread handles some.
#![no_std]

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use check::{equal, holds};
use riposte::abi::call::{self, number, operation};
use riposte::abi::{info, register};
use riposte::{Channel, ConnectError, Deadline, Error, Event, Interrupt, Notice, Registers};

/// Bits that the handler has got, and how often.
static BITS: AtomicU32 = AtomicU32::new(0);
static TIMES: AtomicU32 = AtomicU32::new(0);
/// Handle of the interrupt that the handler has attached.
static HANDLE: AtomicU32 = AtomicU32::new(0);

/// Turns of the test with the handler.
const TURNS: u32 = 1000;

#[riposte::thread]
fn handler() -> ! {
    let channel = riposte::channel("handled").unwrap();
    // The main thread tests on its own first.
    while bits_of(channel.receive(&mut [])) != Some(1) {}
    let interrupt = Interrupt::attach("software", &channel, 4).expect("it is free");
    HANDLE.store(interrupt.handle(), Relaxed);
    loop {
        let bits = interrupt.wait().expect("bits");
        // Nobody else writes.
        BITS.store(BITS.load(Relaxed) | bits, Relaxed);
        TIMES.store(TIMES.load(Relaxed) + 1, Relaxed);
    }
}

fn bits_of(event: Result<Event, Error>) -> Option<u32> {
    match event {
        Ok(Event::Notice(Notice::Bits { bits })) => Some(bits),
        _ => None,
    }
}

/// The bits that are there now.
fn waiting(channel: &Channel) -> Option<u32> {
    bits_of(channel.receive_until(&mut [], Deadline::Immediate))
}

#[riposte::main]
fn main() {
    let channel = riposte::channel("events").unwrap();
    let interrupt = Interrupt::attach("software", &channel, 5).expect("it is free");
    masked(&interrupt, &channel);
    refused(&interrupt, &channel);
    drop(interrupt);
    detached(&channel);
    raced(&channel);
    handled();
    others();
    check::done();
}

fn masked(interrupt: &Interrupt, channel: &Channel) {
    interrupt.pend().unwrap();
    equal(
        "an interrupt is masked until it is first acknowledged",
        waiting(channel),
        None,
    );
    interrupt.acknowledge().unwrap();
    equal("then it comes, with its bits", waiting(channel), Some(5));
    for _ in 0..3 {
        interrupt.pend().unwrap();
    }
    equal(
        "it stays masked until it is acknowledged",
        waiting(channel),
        None,
    );
    interrupt.acknowledge().unwrap();
    equal("what came meanwhile comes once", waiting(channel), Some(5));
    interrupt.acknowledge().unwrap();
    equal("and not again", waiting(channel), None);
    interrupt.mask().unwrap();
    interrupt.pend().unwrap();
    equal("a driver can mask it", waiting(channel), None);
    equal(
        "acknowledging and waiting are one call",
        interrupt.wait().ok(),
        Some(5),
    );
    interrupt.pend().unwrap();
    let event = interrupt.acknowledge_and_receive(&mut []);
    equal("for a server with clients, too", bits_of(event), Some(5));
    equal(
        "bits come together",
        together(interrupt, channel),
        Some(0x45),
    );
}

fn together(interrupt: &Interrupt, channel: &Channel) -> Option<u32> {
    interrupt.acknowledge().unwrap();
    interrupt.pend().unwrap();
    channel.notify(0x40).unwrap();
    waiting(channel)
}

/// The error of a call, 0 if it has none.
fn error(call: u32, info: u32, words: [u32; 5]) -> u32 {
    let mut registers: Registers = [0; register::COUNT];
    registers[register::CALL] = call;
    registers[register::INFO] = info;
    for (place, word) in register::WORDS.into_iter().zip(words) {
        registers[place] = word;
    }
    // SAFETY: no call here names memory that is this process's to write.
    let out = unsafe { riposte::raw_call(registers, [0; 5]) };
    if out[register::INFO] & info::ERROR == 0 {
        0
    } else {
        out[register::CALL]
    }
}

fn refused(interrupt: &Interrupt, channel: &Channel) {
    let handle = interrupt.handle();
    let attach = |position, channel, bits| {
        error(number::INTERRUPT_ATTACH, 0, [position, channel, bits, 0, 0])
    };
    let own = channel.handle();
    equal(
        "only what the manifest gives, on an own channel, with bits, once",
        [
            attach(1, own, 1),
            attach(0, own + 0x100, 1),
            attach(0, own, 0),
            attach(0, own, 1),
        ],
        [
            Error::NotPermitted as u32,
            Error::BadHandle as u32,
            Error::BadArgument as u32,
            Error::InUse as u32,
        ],
    );
    let wrong = [handle + 0x100, handle ^ 1, own, 0, u32::MAX];
    let calls = number::INTERRUPT_DETACH..=number::INTERRUPT_PEND;
    let mut stale = true;
    for handle in wrong {
        for call in calls.clone() {
            stale &= error(call, 0, [handle, 0, 0, 0, 0]) == Error::BadHandle as u32;
        }
        let receive = call::word(operation::RECEIVE, own);
        let found = error(receive, info::ACKNOWLEDGE, [0, 0, 0, handle, 0]);
        stale &= found == Error::BadHandle as u32;
    }
    holds("other handles are none of interrupts", stale);
    let mut sent = true;
    for operation in operation::SEND..=operation::MOVE {
        sent &= error(call::word(operation, handle), 0, [0; 5]) != 0;
    }
    holds("nothing can be sent to an interrupt", sent);
    holds(
        "it cannot be closed as a connection",
        error(number::CLOSE, 0, [handle, 0, 0, 0, 0]) != 0,
    );
    interrupt.acknowledge().unwrap();
    interrupt.pend().unwrap();
    equal("it is still attached", waiting(channel), Some(5));
}

fn detached(channel: &Channel) {
    let first = Interrupt::attach("software", channel, 1).expect("it was detached");
    let stale = first.handle();
    first.acknowledge().unwrap();
    drop(first);
    let pended = error(number::INTERRUPT_PEND, 0, [stale, 0, 0, 0, 0]);
    equal("its handle is stale then", pended, Error::BadHandle as u32);
    let second = Interrupt::attach("software", channel, 2).expect("it was detached");
    let pended = error(number::INTERRUPT_PEND, 0, [stale, 0, 0, 0, 0]);
    equal("and stays so", pended, Error::BadHandle as u32);
    second.pend().unwrap();
    drop(second);
    let third = Interrupt::attach("software", channel, 2).expect("it was detached");
    third.acknowledge().unwrap();
    equal(
        "what was raised before is forgotten",
        waiting(channel),
        None,
    );
    let unknown = Interrupt::attach("spare", channel, 1);
    holds(
        "one that the manifest gives to another process is not found",
        matches!(unknown, Err(ConnectError::NotInManifest(_))),
    );
}

/// A message is not lost by who waits for interrupts.
fn raced(channel: &Channel) {
    let interrupt = Interrupt::attach("software", channel, 1).expect("it was detached");
    match interrupt.wait().map_err(|rare| rare.event()) {
        Err(Ok(Event::Message(message))) => {
            equal(
                "a message comes among interrupts",
                message.words(),
                [9, 0, 0, 0, 0],
            );
            let _ = message.reply_words([]);
        }
        _ => check::broken("a message comes among interrupts", "something else came"),
    }
}

fn handled() {
    riposte::channel("handled").unwrap().notify(1).unwrap();
    let handle = HANDLE.load(Relaxed);
    let mut prompt = true;
    for turn in 1..=TURNS {
        let raised = error(number::INTERRUPT_PEND, 0, [handle, 0, 0, 0, 0]);
        prompt &= raised == 0 && TIMES.load(Relaxed) == turn;
    }
    holds(
        "a more urgent handler runs before who raised it goes on",
        prompt,
    );
    equal("and gets its bits", BITS.load(Relaxed), 4);
}

fn others() {
    let reports = riposte::channel("reports").unwrap();
    for _ in 0..3 {
        let Ok(Event::Message(report)) = reports.receive(&mut []) else {
            return check::broken("everybody reports", "something else came");
        };
        let [first, second, ..] = report.words();
        match report.badge() {
            1 => equal(
                "nothing is left of an interrupt of a process that died",
                [first, second],
                [1, 1],
            ),
            _ => equal(
                "a process without interrupts gets none",
                [first, second],
                [Error::NotPermitted as u32, Error::BadHandle as u32],
            ),
        }
        let _ = report.reply_words([]);
    }
}
