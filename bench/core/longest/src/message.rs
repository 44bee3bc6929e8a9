//! Messages: chains of those who wait, many who wait for one, and selection.

use riposte::sync::Word;
use riposte::{Channel, Event, Peer, Token};

use crate::crowd::{Crowd, MANY, settle};
use crate::watch::Watch;

/// The processes of the chain.
const LINKS: [&str; 7] = [
    "link-1", "link-2", "link-3", "link-4", "link-5", "link-6", "link-7",
];

/// Whether the spinner serves the end of the chain.
static SERVES: Word = Word::new(0);

pub fn all(watch: Watch) {
    select(watch);
    keep(watch);
    SERVES.store(1);
    send(watch);
    SERVES.store(0);
}

/// Whoever could send with a badge is looked for among all handles.
fn select(watch: Watch) {
    let tail = riposte::channel("tail").unwrap();
    watch.time("receive", "by a badge that nobody has", || {
        let received = tail.receive_from(Peer::Badge(99), &mut []);
        received.map(drop).unwrap_err()
    });
}

/// A server that has received many, and answers one after the other.
fn keep(watch: Watch) {
    let channel = riposte::channel("kept").unwrap();
    for (count, when) in [(1, "1 client"), (MANY, "32 clients")] {
        let crowd = Crowd::start(count, ask);
        let mut tokens: [Option<Token>; MANY] = [const { None }; MANY];
        for token in tokens.iter_mut().take(count) {
            *token = Some(receive(&channel));
        }
        for (number, token) in tokens.into_iter().flatten().enumerate() {
            match number {
                0 => watch.time("reply", when, || token.reply_words([1]).unwrap()),
                _ => token.reply_words([1]).unwrap(),
            }
        }
        crowd.end();
    }
}

fn receive(channel: &Channel) -> Token {
    match channel.receive_words() {
        Ok(Event::Message(message)) => message.into_token(),
        other => panic!("received {other:?}"),
    }
}

fn ask(_: usize) -> u32 {
    riposte::connect("kept").unwrap().send_words([]).unwrap();
    0
}

/// Sends to the first of a chain of servers, each of which waits for the next; the spinner serves the
/// last.
fn send(watch: Watch) {
    for (first, when) in [(6, "a chain of 2 servers"), (0, "a chain of 8 servers")] {
        let crowd = Crowd::start(1, if first == 0 { open_all } else { open_last });
        let link = riposte::connect(LINKS[first]).unwrap();
        watch.time("send", when, || link.send_words([]).unwrap());
        crowd.end();
        settle();
    }
}

fn open_all(_: usize) -> u32 {
    riposte::connect(LINKS[0]).unwrap().send_words([]).unwrap();
    0
}

fn open_last(_: usize) -> u32 {
    riposte::connect(LINKS[6]).unwrap().send_words([]).unwrap();
    0
}

/// Passes each message on to the next one.
pub fn link(name: &str) -> ! {
    let position = LINKS.into_iter().position(|link| link == name).unwrap();
    let own = riposte::channel(LINKS[position]).unwrap();
    let next = riposte::connect(LINKS.get(position + 1).unwrap_or(&"tail")).unwrap();
    loop {
        let token = receive(&own);
        next.send_words([]).unwrap();
        token.reply_words([]).unwrap();
    }
}

/// The least urgent thread: it runs when all others wait, and sees it at once, for it makes no call but
/// while it serves the chain's end. The first of two messages keeps the chain until the call that is
/// measured has led here; the second is that call's.
pub fn spin(watch: Watch) -> ! {
    let tail = riposte::channel("tail").unwrap();
    let mut is_first = true;
    loop {
        watch.witness();
        if SERVES.load() != 0
            && let Ok(Event::Message(message)) = tail.try_receive(&mut [])
        {
            while is_first && !watch.witness() {}
            is_first = !is_first;
            message.reply_words([]).unwrap();
        }
    }
}
