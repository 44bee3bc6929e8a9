//! Restarts and stops the other two, and looks at when they say that they live.
#![no_std]

use check::{equal, holds};
use riposte::abi::fault::{action, reason};
use riposte::{Channel, Deadline, Duration, Event, Instant};

const HUNG: u32 = 1;
const CRASHER: u32 = 2;

/// No memory, and nothing else either, on any board.
const NOWHERE: u32 = 0x3000_0000;
/// What nobody but this process has.
const SECRET: u32 = 0x5EC2_E75A;

const DELAY: Duration = Duration::from_millis(2);
/// Longer than a process takes to say that it lives, and than its longest delay.
const LONG: Duration = Duration::from_millis(30);

/// When the next process says that it lives, and which one; `None` if none does for long.
fn next(lives: Channel) -> Option<(u32, Instant)> {
    let until = Deadline::At(Instant::now() + LONG);
    match lives.receive_until(&mut [], until) {
        Ok(Event::Message(message)) => {
            let [who, ..] = message.words();
            let now = Instant::now();
            message.reply_words([]).unwrap();
            Some((who, now))
        }
        _ => None,
    }
}

/// Whether this one is the next to say that it lives.
fn lives_again(lives: Channel, expected: u32) -> bool {
    next(lives).is_some_and(|(who, _)| who == expected)
}

fn index_of(name: &str) -> u32 {
    (0..)
        .find(|index| riposte::name_of_process(*index) == Some(name))
        .unwrap()
}

#[riposte::main]
fn main() {
    let lives = riposte::channel("lives").unwrap();
    let hung = riposte::process("hung").unwrap();
    let crasher = riposte::process("crasher").unwrap();

    holds(
        "each restart comes later than the one before",
        crashes(lives),
    );
    holds(
        "a process at its limit stays stopped",
        next(lives).is_none_or(|(who, _)| who == HUNG),
    );
    crasher.restart();
    holds(
        "a restart by right has restarts counted from zero",
        crashes(lives),
    );
    crasher.stop();

    hung.restart();
    holds(
        "a process that hangs is restarted by who controls it",
        lives_again(lives, HUNG),
    );
    let record = riposte::fault_record(index_of("hung")).unwrap();
    let who = (record.reason, record.address, record.action);
    let expected = (reason::CONTROLLED, index_of("judge"), action::RESTARTED);
    equal("its record says by whom", who, expected);

    let _ = riposte::sleep(Duration::from_millis(1));
    hung.stop();
    equal(
        "a process that hangs is stopped by who controls it",
        next(lives),
        None,
    );
    let record = riposte::fault_record(index_of("hung")).unwrap();
    holds(
        "its record has a trace of where it hung",
        record.registers.iter().any(|it| *it != 0),
    );
    hung.stop();
    hung.restart();
    holds(
        "a process that is stopped is restarted",
        lives_again(lives, HUNG),
    );

    held_without_a_stack();

    let missing = riposte::process("console").is_err();
    holds(
        "nobody controls a process that its manifest does not give it",
        missing,
    );
    check::done();
}

/// Who is held may have lost its stack before the processor could store anything there: the kernel does not look for it.
fn held_without_a_stack() {
    let lost = riposte::process("lost").unwrap();
    let index = index_of("lost");
    let secrets = [SECRET; 16];
    lead(NOWHERE);
    let is_held = || riposte::fault_record(index).is_ok_and(|it| it.action == action::HELD);
    holds("who leads its stack nowhere is held", is_held());
    lost.restart();
    lead(secrets.as_ptr_range().end as u32 - 32);
    holds("and restarted by who controls it", is_held());
    lost.stop();
    let _ = riposte::sleep(LONG);
    let record = riposte::fault_record(index).unwrap();
    let is_told = record.registers.contains(&SECRET);
    holds(
        "its record has nothing of what others have",
        record.action == action::STOPPED && !is_told,
    );
    core::hint::black_box(secrets);
}

/// Tells who asks for its way where to go, and waits until it is there.
fn lead(stack: u32) {
    let until = Deadline::At(Instant::now() + LONG);
    let ways = riposte::channel("ways").unwrap();
    if let Ok(Event::Message(message)) = ways.receive_until(&mut [], until) {
        message.reply_words([stack]).unwrap();
    }
    let _ = riposte::sleep(LONG);
}

/// Whether the crasher begins four times, each time later, as its delay says.
fn crashes(lives: Channel) -> bool {
    let mut before: Option<Instant> = None;
    let mut delay = DELAY;
    for _ in 0..4 {
        let began = loop {
            match next(lives) {
                Some((CRASHER, time)) => break time,
                Some(_) => {}
                None => return false,
            }
        };
        if let Some(before) = before.replace(began) {
            let took = began - before;
            if took < delay || took >= delay * 2 {
                return false;
            }
            delay *= 2;
        }
    }
    true
}
