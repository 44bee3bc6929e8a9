//! Stands in the console's place: answers late, so that other threads of its client run meanwhile, and counts what
//! comes.
#![no_std]

use check::{equal, holds};
use riposte::{Channel, Duration, Event, Message};

/// How long it makes its client wait.
const WHILE: Duration = Duration::from_millis(2);
/// Bytes of the longest text.
const LONGEST: usize = 256;
/// Bytes of a request for what is typed. Text of the client is no text of so many bytes.
const REQUEST: usize = 12;
/// What is "typed".
const TYPED: &[u8] = b"xy\n";

#[riposte::main]
fn main() {
    let channel = riposte::channel("slow").unwrap();
    let mut counts = [0; 256];
    // The last one of those that a function prints all of at once, and how often it was another one than before.
    let (mut last, mut changes) = (b'c', 0);
    let mut cut = 0;
    while counts[usize::from(b'.')] == 0 {
        let mut text = [0; LONGEST + 1];
        let Event::Message(message) = channel.receive(&mut text).unwrap() else {
            continue;
        };
        if message.offered() == REQUEST && message.bytes()[0] == 0xFF {
            give(channel, message);
            continue;
        }
        if message.offered() > LONGEST {
            check::broken("no text is longer than what is kept", "one is");
        }
        cut += usize::from(core::str::from_utf8(message.bytes()).is_err());
        for letter in message.bytes() {
            counts[usize::from(*letter)] += 1;
            if matches!(letter, b'c' | b'd') {
                changes += usize::from(*letter != last);
                last = *letter;
            }
        }
        riposte::sleep(WHILE).unwrap();
        message.reply_words([]).unwrap();
    }
    let of = |letter: u8| counts[usize::from(letter)];
    equal(
        "what two threads print at once comes whole",
        (of(b'a'), of(b'b')),
        (300, 300),
    );
    equal(
        "what two threads read at once comes to one of them each",
        (of(b'x'), of(b'y')),
        (1, 1),
    );
    equal(
        "what one function prints comes in one piece, whoever prints meanwhile",
        (of(b'c'), of(b'd'), changes),
        (300, 300, 1),
    );
    let euros = counts["€".as_bytes()[0] as usize];
    equal(
        "no letter of several bytes comes in two pieces, of a stream, of write and of dprintf",
        (euros, cut),
        (300, 0),
    );
    equal(
        "and nothing else comes",
        counts.iter().sum::<usize>(),
        600 + 600 + 2 + 2 + 3 * euros,
    );
    check::done();
}

/// Answers a request for a line, while which nothing else is to come.
fn give(channel: Channel, message: Message<'_>) {
    let token = message.into_token();
    riposte::sleep(WHILE).unwrap();
    let mut other = [0; REQUEST];
    let second = channel.try_receive(&mut other);
    holds("one thread at a time asks for a line", second.is_err());
    token.reply(TYPED).unwrap();
}
