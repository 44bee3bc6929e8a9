//! Who registers names, finds others', asks and answers, and has timers and proxies.
#![no_std]

use riposte::{Channel, Deadline, Duration, Error, Event, Proxy, Timer};
use riposte_names::{Changes, NameError, Names};
use soak_test_cast::{Story, late, own_name, run, soon, until_refused, waiters};

#[riposte::main]
fn main() {
    run(play, count)
}

const NAMES: [&str; 8] = [
    "/soak/a",
    "/soak/b",
    "/soak/c",
    "/soak/a/d",
    "/soak/a/e",
    "/soak/f",
    "/soak/g",
    "/soak/h",
];

fn may_be(error: &NameError) -> bool {
    matches!(
        error,
        NameError::NoSuchName
            | NameError::Taken
            | NameError::TimedOut
            | NameError::NoHandles
            | NameError::Kernel(Error::ServerDied)
    )
}

/// What may come of a message to another one, who may end, or serve nobody, or ask this one.
fn may_answer(error: &Error) -> bool {
    matches!(error, Error::TimedOut | Error::ServerDied | Error::Deadlock)
}

fn play(story: &mut Story) {
    let Ok(names) = Names::connect() else {
        return;
    };
    let channel = riposte::own_channel().unwrap();
    let mut seen = Changes::default();
    for _ in 0..story.draw(16) {
        step(story, &names, channel, &mut seen);
    }
    if story.draw(4) == 0 {
        // Nobody has that name: it ends while it waits.
        let found = names.locate_until("/soak/never", Deadline::None);
        story.meets(found, may_be);
    }
}

fn step(story: &mut Story, names: &Names, channel: Channel, seen: &mut Changes) {
    let name = NAMES[story.draw(NAMES.len() as u32) as usize];
    match story.draw(8) {
        0 | 1 => {
            story.meets(names.register(name, channel), may_be);
        }
        2 => {
            story.meets(names.unregister(name), may_be);
        }
        3 | 4 => {
            let found = names.locate_until(name, soon(story.draw(300)));
            if let Some(found) = story.meets(found, may_be) {
                story.tell(found.covered as u32);
                let to = found.connection;
                let answer = to.send_words_until([1, 2], soon(story.draw(300)));
                story.meets(answer, may_answer);
                if story.draw(2) == 0 {
                    story.meets(to.close(), |_| false);
                }
            }
        }
        5 => {
            let changed = names.watch(*seen, soon(story.draw(300)));
            *seen = story.meets(changed, may_be).unwrap_or_default();
        }
        6 => serve(story, channel),
        _ => arm(story, &channel),
    }
}

/// Answers one message, or leaves its client waiting.
fn serve(story: &mut Story, channel: Channel) {
    let mut room = [0; 8];
    let event = channel.receive_until(&mut room, soon(story.draw(400)));
    match story.meets(event, |error| *error == Error::TimedOut) {
        Some(Event::Message(message)) => {
            story.tell(message.words()[1]);
            if story.draw(3) == 0 {
                let _ = message.into_token();
            } else {
                let answered = message.reply_words([story.draw(9)]);
                story.meets(answered, |error| *error == Error::NoSuchClient);
            }
        }
        Some(Event::Notice(_)) => story.tell(3),
        None => {}
    }
}

/// Starts a timer that goes on until its process ends, and triggers a proxy.
fn arm(story: &mut Story, channel: &Channel) {
    let is_full = |error: &Error| *error == Error::Exhausted || *error == Error::NoHandles;
    if let Some(timer) = story.meets(Timer::notifying(channel, 2), is_full) {
        let started = timer.every(Duration::from_micros(2000 + u64::from(story.draw(500))));
        story.meets(started, |_| false);
    }
    if let Some(proxy) = story.meets(Proxy::new(channel, b"soak"), is_full) {
        story.meets(proxy.trigger(), |_| false);
    }
}

/// Names, connections that are found, proxies and timers, and threads that wait.
fn count() -> [u32; 4] {
    let names = Names::connect().unwrap();
    let channel = riposte::own_channel().unwrap();
    let wait = || {
        let found = names.locate_until("/soak/never", late());
        found.err() == Some(NameError::TimedOut)
    };
    let waiting = waiters(wait);
    let mut room = [0; 32];
    let registered = until_refused(|n| {
        let name = own_name(&mut room, "/soak/", n);
        names.register(name.as_str(), channel).is_ok()
    });
    let proxies = until_refused(|_| Proxy::new(&channel, b"soak").is_ok());
    let timers = until_refused(|_| Timer::notifying(&channel, 1).is_ok());
    let own = own_name(&mut room, "/soak/", 0);
    let found = until_refused(|_| names.locate(own.as_str()).is_ok());
    [registered, found, proxies << 3 | timers, waiting]
}
