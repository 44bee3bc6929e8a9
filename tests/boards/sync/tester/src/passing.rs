//! What threads pass on to each other arrives whole, once and in order.

use core::num::NonZeroU32;

use riposte::sync::{ByteQueue, Mailbox, Pool, PoolBox, Queue, Semaphore};

use crate::phase::{self, name};

/// What each sender sends.
const TIMES: u32 = 200;
const SENDERS: usize = 2;

type Block = PoolBox<'static, [u32; 4], 2>;

static ITEMS: Queue<(u32, u32), 3> = Queue::new();
static MESSAGES: ByteQueue<7> = ByteQueue::new();
static MAILBOX: Mailbox = Mailbox::new();
static BLOCKS: Pool<[u32; 4], 2> = Pool::new();
static FILLED: Queue<Block, 2> = Queue::new();
static DONE: Semaphore = Semaphore::new(0);

/// What has come of each sender.
struct Come([u32; SENDERS + 1]);

impl Come {
    /// Whether this is the next one of that sender.
    fn next(&mut self, sender: u32, number: u32) -> bool {
        let Some(next) = self.0.get_mut(sender as usize) else {
            return false;
        };
        *next += 1;
        *next == number
    }
}

fn all(what: &str, mut next: impl FnMut(&mut Come) -> bool) {
    let mut come = Come([0; SENDERS + 1]);
    let right = (0..TIMES * SENDERS as u32)
        .filter(|_| next(&mut come))
        .count();
    check::equal(what, right, TIMES as usize * SENDERS);
}

pub fn judge() {
    phase::open(name::PASSING);
    all("each item of a queue arrives once and in order", |come| {
        let (sender, number) = ITEMS.receive().expect("it is sent");
        come.next(sender, number)
    });
    all(
        "each message of a byte queue arrives whole and in order",
        |come| {
            let mut buffer = [0; 24];
            let received = MESSAGES.receive(&mut buffer).expect("it is sent");
            let (sender, number) = (u32::from(buffer[0]), u32::from(buffer[1]));
            let filled = buffer[2..received.length]
                .iter()
                .all(|byte| *byte == buffer[1]);
            let length = received.length == length_of(number) && received.copied == received.length;
            filled && length && come.next(sender, number)
        },
    );
    all("each word of a mailbox arrives once and in order", |come| {
        let word = MAILBOX.fetch().expect("it is posted").get();
        come.next(word >> 16, word & 0xFFFF)
    });
    all("each block of a pool arrives with what is in it", |come| {
        let block = FILLED.receive().expect("it is sent");
        let [sender, number, sum, _] = *block;
        sum == sender + number && come.next(sender, number)
    });
    for _ in 0..SENDERS {
        DONE.take().expect("it is given");
    }
}

/// Bytes of a message.
fn length_of(number: u32) -> usize {
    2 + number as usize % 23
}

pub fn sender(own: u32) {
    phase::wait(name::PASSING);
    for number in 1..=TIMES {
        ITEMS.send((own, number)).expect("there will be room");
    }
    for number in 1..=TIMES {
        let mut bytes = [number as u8; 24];
        bytes[0] = own as u8;
        let message = &bytes[..length_of(number)];
        MESSAGES.send(message).expect("there will be room");
    }
    for number in 1..=TIMES {
        let word = NonZeroU32::new(own << 16 | number).expect("it has bits");
        MAILBOX.post(word).expect("there will be room");
    }
    for number in 1..=TIMES {
        let block = BLOCKS.allocate([own, number, own + number, 0]);
        let sent = FILLED.send(block.expect("one will be free"));
        sent.expect("there will be room");
    }
    DONE.give().expect("far from its limit");
}
