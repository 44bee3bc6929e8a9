//! Does with a message what the client asks for: its first byte is the order.
#![no_std]

mod misuse;

use riposte::{
    Channel, Deadline, Duration, Event, Message, Part, PartMut, Peer, Status, Token, println,
};

/// Bytes that a message is received with; a longer one is cut.
const BUFFER: usize = 64;

#[riposte::main]
fn main() {
    let orders = riposte::channel("orders").unwrap();
    let mut last = 0;
    loop {
        let mut buffer = [0; BUFFER];
        if let Event::Message(message) = orders.receive(&mut buffer).unwrap() {
            last = obey(orders, message, last);
        }
    }
}

/// Does what the message says and returns what the order `?` answers afterwards.
fn obey(orders: Channel, message: Message<'_>, last: u32) -> u32 {
    let [_, argument, ..] = message.words();
    let order = message.bytes().first().copied().unwrap_or(b'e');
    match order {
        b'e' => echo(message),
        b'?' => {
            message.reply_words([last]).unwrap();
            last
        }
        b'l' => {
            let lengths = [
                message.accepted() as u32,
                message.offered() as u32,
                message.badge(),
            ];
            message.reply_words(lengths).unwrap();
            0
        }
        b's' => message
            .into_token()
            .reply_with(Status(argument), b"abc")
            .map_or(99, |_| 0),
        b'x' => message.reply_error(Status(argument)).map_or(99, |()| 0),
        b'z' => {
            message.reply_words([]).unwrap();
            riposte::sleep(Duration::from_millis(2)).unwrap();
            0
        }
        b'r' => {
            read(&message).map_or_else(|| 99, |sum| message.reply_words([sum]).map_or(98, |()| 0))
        }
        b'w' => write(message),
        b'L' => back(message),
        b'v' => vector(orders, message),
        b'h' => {
            let (tag, generation) = message.into_token().into_parts();
            let helper = riposte::connect("help").unwrap();
            helper
                .send_words([tag, generation])
                .map_or(99, |reply| reply.words[0])
        }
        b'o' => select(orders, message),
        _ => misuse::obey(order, message),
    }
}

fn echo(message: Message<'_>) -> u32 {
    let (token, bytes) = message.into_buffer();
    token.reply(bytes).map_or(99, |accepted| accepted as u32)
}

/// The sum of the whole message, read in odd pieces; none if a count is wrong.
fn read(message: &Message<'_>) -> Option<u32> {
    let offered = message.offered();
    let mut sum = 0;
    let mut offset = 0;
    while offset < offered {
        let mut part = [0; 7];
        let copied = message.read(offset as u32, &mut part).ok()?;
        if copied != part.len().min(offered - offset) {
            return None;
        }
        sum += part[..copied]
            .iter()
            .map(|byte| u32::from(*byte))
            .sum::<u32>();
        offset += copied;
    }
    // Behind the end there is nothing, and it is no error.
    (message.read(offered as u32 + 100, &mut [0; 4]) == Ok(0)).then_some(sum)
}

#[repr(align(4))]
struct Around([u8; 1120]);

/// Reads the whole message to where its second byte says, and writes it back. 1 if nothing around it was touched.
fn back(message: Message<'_>) -> u32 {
    let mut around = Around([0xEE; 1120]);
    let first = 8 + usize::from(message.bytes()[1]);
    let last = first + message.offered();
    let read = message.read(0, &mut around.0[first..last]);
    let written = message.write(0, &around.0[first..last]);
    message.reply_words([]).unwrap();
    let mut rest = around.0[..first].iter().chain(&around.0[last..]);
    let all = Ok(last - first);
    u32::from(read == all && written == all && rest.all(|byte| *byte == 0xEE))
}

/// Writes at both ends of the client's buffer of 40 bytes, and answers with no bytes.
fn write(message: Message<'_>) -> u32 {
    let first = message.write(2, b"begin");
    let last = message.write(38, b"end");
    let behind = message.write(40, b"nothing");
    message.reply_words([]).unwrap();
    u32::from((first, last, behind) == (Ok(5), Ok(2), Ok(0)))
}

/// Takes the next message in parts and answers it in other parts.
fn vector(orders: Channel, message: Message<'_>) -> u32 {
    message.reply_words([]).unwrap();
    let (mut left, mut middle, mut right) = ([0; 5], [0; 1], [0; 50]);
    let event = orders.receive_vector(&mut [
        PartMut::new(&mut left),
        PartMut::new(&mut middle),
        PartMut::new(&mut right),
    ]);
    let Ok(Event::Message(message)) = event else {
        return 99;
    };
    let accepted = message.accepted();
    let token = message.into_token();
    // The parts in the opposite order.
    let answer = [
        Part::new(&right[..accepted - 6]),
        Part::new(&middle),
        Part::new(&left),
    ];
    token
        .reply_vector(&answer)
        .map_or(98, |accepted| accepted as u32)
}

/// Waits for one badge while a message of another one is there already.
fn select(orders: Channel, message: Message<'_>) -> u32 {
    message.reply_words([]).unwrap();
    let mut buffer = [0; BUFFER];
    let Ok(Event::Message(first)) = orders.receive_from(Peer::Badge(18), &mut buffer) else {
        return 99;
    };
    let badge = first.badge();
    first.reply_words([badge]).unwrap();
    // A badge that no connection has: nobody can ever come.
    let nobody = orders.receive_from_until(Peer::Badge(1234), &mut buffer, Deadline::Immediate);
    u32::from(badge == 18 && nobody.is_err())
}

#[riposte::thread]
fn helper() -> ! {
    let help = riposte::channel("help").unwrap();
    loop {
        let Ok(Event::Message(message)) = help.receive_words() else {
            continue;
        };
        let [tag, generation, ..] = message.words();
        // SAFETY: nothing is lent to this process.
        let token = unsafe { Token::from_parts(tag, generation) };
        let answered = token.reply(b"helped");
        if let Err(error) = message.reply_words([u32::from(answered == Ok(6))]) {
            println!("helper: {error}");
        }
    }
}
