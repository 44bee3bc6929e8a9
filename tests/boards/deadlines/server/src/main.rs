//! Answers late, or never: word 0 of a message says when. Serves two channels: one by which it is
//! told that a client wants to leave, and one by which it is not.
#![no_std]

use riposte::{Channel, Deadline, Duration, Event, Message, Notice};

/// Order: answer after so many microseconds, then say by the order `RESULT` what became of it.
const LATE: u32 = 1;
/// Order: what became of the late answer, as an error's number.
const RESULT: u32 = 2;
/// Order: be away for so many microseconds after the answer.
const AWAY: u32 = 3;
/// Order: answer when the notice comes that the client wants to leave.
const WHEN_TOLD: u32 = 4;

#[riposte::main]
fn main() {
    let plain = riposte::channel("plain").unwrap();
    let told = riposte::channel("told").unwrap();
    let mut result = 0;
    loop {
        if let Ok(Event::Message(message)) = plain.receive_words() {
            result = obey(told, message, result);
        }
    }
}

fn obey(told: Channel, message: Message<'_>, result: u32) -> u32 {
    let [order, argument, ..] = message.words();
    match order {
        LATE => {
            pause(argument);
            message
                .reply_words([])
                .map_or_else(|error| error as u32, |()| 0)
        }
        AWAY => {
            message.reply_words([]).unwrap();
            pause(argument);
            0
        }
        WHEN_TOLD => {
            message.reply_words([]).unwrap();
            when_told(told)
        }
        RESULT => {
            message.reply_words([result]).unwrap();
            result
        }
        _ => result,
    }
}

/// Takes a message and keeps it until the notice comes; 1 if the notice named its client.
fn when_told(told: Channel) -> u32 {
    let patience = || Deadline::At(riposte::Instant::now() + Duration::from_millis(50));
    let Ok(Event::Message(message)) = told.receive_until(&mut [], patience()) else {
        return 90;
    };
    let badge = message.badge();
    let token = message.into_token();
    let Ok(Event::Notice(Notice::Unblock {
        badge: named,
        client,
        has_signal: false,
    })) = told.receive_until(&mut [], patience())
    else {
        return 91;
    };
    let same = named == badge && client == token.client();
    // The client stays until it is answered.
    pause(500);
    match token.reply_words([7]) {
        Ok(()) => u32::from(same),
        Err(error) => error as u32,
    }
}

fn pause(microseconds: u32) {
    riposte::sleep(Duration::from_micros(microseconds.into())).unwrap();
}
