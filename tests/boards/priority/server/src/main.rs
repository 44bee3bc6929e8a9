//! Serves in the way its priority asks for: the same program is an urgent, a slow and a fixed
//! server.
#![no_std]

use riposte::{Channel, Connection, Deadline, Duration, Event, Message};

/// Order: be away for so many microseconds, then take four messages and say in which order they
/// came.
const COLLECT: u32 = 1;
/// Order: use the processor for so many microseconds.
const WORK: u32 = 2;
/// Order: send to the client's own channel, after the answer.
const GREET: u32 = 4;
/// Order: send to the client's own channel, before the answer.
const CLOSE_CIRCLE: u32 = 3;

#[riposte::main]
fn main() {
    let channel = riposte::own_channel().unwrap();
    let lined_up = riposte::channel("lined-up").ok();
    let back = riposte::connect("back").ok();
    loop {
        if let Ok(Event::Message(message)) = channel.receive_words() {
            obey(channel, lined_up, back.as_ref(), message);
        }
    }
}

fn obey(
    sorted: Channel,
    lined_up: Option<Channel>,
    back: Option<&Connection>,
    message: Message<'_>,
) {
    let [order, argument, which, ..] = message.words();
    let answered = match (order, back) {
        (COLLECT, _) => {
            let channel = lined_up.filter(|_| which == 1).unwrap_or(sorted);
            let order = collect(channel, argument);
            message.reply_words([order])
        }
        (WORK, _) => {
            work(argument);
            message.reply_words([])
        }
        (GREET, Some(back)) => message
            .reply_words([])
            .and_then(|()| back.send_words([]).map(|_| ())),
        (CLOSE_CIRCLE, Some(back)) => {
            let error = back.send_words([]).map_or_else(|error| error as u32, |_| 0);
            message.reply_words([error])
        }
        _ => message.reply_words([]),
    };
    answered.unwrap();
}

/// The numbers of the four clients as decimal digits, the first one first.
fn collect(channel: Channel, microseconds: u32) -> u32 {
    riposte::sleep(Duration::from_micros(microseconds.into())).unwrap();
    let mut order = 0;
    for _ in 0..4 {
        let patience = Deadline::At(riposte::Instant::now() + Duration::from_millis(20));
        if let Ok(Event::Message(message)) = channel.receive_until(&mut [], patience) {
            order = order * 10 + message.words()[1];
            let _ = message.reply_words([]);
        }
    }
    order
}

fn work(microseconds: u32) {
    let end = riposte::Instant::now() + Duration::from_micros(microseconds.into());
    while riposte::Instant::now() < end {}
}
