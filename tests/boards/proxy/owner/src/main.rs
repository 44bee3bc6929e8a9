//! Owns a proxy of the manifest and one that it makes, counts what it receives, and dies when it is told
//! to.
#![no_std]

use riposte::{Channel, Duration, Event, Message, Notice, Proxy, Timer};

/// Orders, the first word of a message.
const COUNT: u32 = 1;
const GIVE: u32 = 2;
const PULSE: u32 = 3;
const DIE: u32 = 4;

struct Counts {
    ticks: u32,
    given: u32,
    bits: u32,
    strange: u32,
}

#[riposte::main]
fn main() {
    let orders = riposte::channel("orders").unwrap();
    let tick = riposte::proxy("tick").unwrap();
    let given = Proxy::new(&orders, b"given").unwrap();
    let mut counts = Counts {
        ticks: 0,
        given: 0,
        bits: 0,
        strange: 0,
    };
    let mut buffer = [0; 16];
    loop {
        match orders.receive(&mut buffer) {
            Ok(Event::Message(message)) => obey(message, &orders, &given, &counts),
            Ok(Event::Notice(Notice::Proxy { proxy, bytes, .. })) => {
                if proxy == tick.id() && bytes == b"tick" {
                    counts.ticks += 1;
                } else if proxy == given.id() && bytes == b"given" {
                    counts.given += 1;
                } else {
                    counts.strange += 1;
                }
            }
            Ok(Event::Notice(Notice::Bits { bits })) => counts.bits |= bits,
            Ok(Event::Notice(_)) | Err(_) => counts.strange += 1,
        }
    }
}

fn obey(message: Message<'_>, orders: &Channel, given: &Proxy, counts: &Counts) {
    let Counts {
        ticks,
        given: times,
        bits,
        strange,
    } = *counts;
    let order = message.words()[0];
    let answered = match order {
        GIVE => message.reply_proxy([1, 2, 3, 4], given),
        _ => message.reply_words([ticks, times, bits, strange]),
    };
    answered.unwrap();
    match order {
        PULSE => {
            let pulse = riposte::proxy("judge-pulse").unwrap();
            let timer = Timer::triggering(&pulse).unwrap();
            timer.every(Duration::from_micros(300)).unwrap();
        }
        DIE => {
            // What is triggered meanwhile is not received any more.
            riposte::sleep(Duration::from_millis(3)).unwrap();
            orders.notify(0).expect("nothing to be notified of");
        }
        COUNT | GIVE => {}
        _ => panic!("no such order: {order}"),
    }
}
