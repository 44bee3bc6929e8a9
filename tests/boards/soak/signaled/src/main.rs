//! Who takes signals, and sends itself some.
#![no_std]

use riposte::Error;
use riposte::signal::{self, Mask, Set, Signal};
use riposte::sync::Word;
use soak_test_cast::{Story, run, soon, until_refused};

#[riposte::main]
fn main() {
    run(play, || [count(), 0, 0, 0])
}

/// Signals that the handler has seen.
static SEEN: Word = Word::new(0);

fn note(signal: Signal, _: u32) {
    SEEN.add(signal.number());
}

fn end(_: Signal, word: u32) {
    riposte::exit(word + 15);
}

fn play(story: &mut Story) {
    let (first, second) = (Signal::queued(0), Signal::queued(1));
    let (Some(first), Some(second)) = (first, second) else {
        return;
    };
    // SAFETY: both handlers use a word or nothing.
    unsafe {
        let _ = signal::handle(Signal::USER_1, note);
        let _ = signal::handle(first, note);
        if story.draw(2) == 0 {
            let _ = signal::handle(Signal::TERMINATE, end);
        }
    }
    for _ in 0..story.draw(12) {
        step(story, [first, second]);
    }
    story.tell(SEEN.load());
}

fn step(story: &mut Story, [first, second]: [Signal; 2]) {
    let is_full = |error: &Error| *error == Error::Exhausted;
    let is_late = |error: &Error| matches!(error, Error::TimedOut | Error::Interrupted);
    match story.draw(5) {
        0 => {
            story.meets(signal::raise(Signal::USER_1, 0), is_full);
        }
        1 => {
            // One of them waits until somebody waits for it.
            let raised = signal::raise(second, story.draw(9));
            story.meets(raised, is_full);
        }
        2 => {
            let mask = Mask::block(Set::of(&[first]));
            story.meets(signal::raise(first, 3), is_full);
            story.tell(SEEN.load());
            drop(mask);
        }
        3 => {
            let suspended = signal::suspend_until(Set::NONE, soon(story.draw(300)));
            story.meets(suspended, is_late);
        }
        _ => {
            let taken = signal::wait_until(Set::of(&[second]), soon(story.draw(300)));
            if let Some(taken) = story.meets(taken, is_late) {
                story.tell(taken.word);
            }
        }
    }
}

/// Signals that wait with a word.
fn count() -> u32 {
    let queued = Signal::queued(2).unwrap();
    let _mask = Mask::block(Set::of(&[queued])).unwrap();
    until_refused(|n| signal::raise(queued, n).is_ok())
}
