//! The lender does what the driver's replies say.

use check::memory::{self, Form, Message};
use riposte::sync::Word;
use riposte::thread::{self, Settings};
use riposte::{Connection, Duration, Instant, Part, PartMut, futex};

use crate::{SPARES, faults};

/// What a reply says first.
pub const LEND: u32 = 1;
pub const LEND_SHORTLY: u32 = 2;
pub const MOVE: u32 = 3;
pub const RECLAIM: u32 = 4;
pub const LEND_AND_EXIT: u32 = 5;
pub const VECTOR: u32 = 6;
pub const POOLS: u32 = 7;
pub const GIFT: u32 = 8;
pub const PANIC: u32 = 9;
pub const FAULT: u32 = 10;

/// What is lent and moved.
pub const LENGTH: u32 = 128 * 1024;
/// Most parts of a message.
pub const PARTS: usize = 16;
/// Bytes of a part.
pub const PART: usize = 6;

static NEVER: Word = Word::new(0);

pub fn run() {
    let orders = riposte::connect("orders").unwrap();
    let (pages, _) = riposte::Pages::place().unwrap();
    let carry = |form| Message::new(form, (pages, LENGTH), [0; 3]).send(&orders);
    let mut outcome = 0;
    loop {
        let Ok(reply) = orders.send_words([outcome]) else {
            return;
        };
        let [order, argument, ..] = reply.words;
        outcome = match order {
            LEND => u32::from(carry(Form::LendMut).is_ok()),
            LEND_SHORTLY => u32::from(lend_shortly(&orders, pages).is_err()),
            MOVE => u32::from(carry(Form::Move).is_ok()),
            RECLAIM => u32::from(memory::reclaim((pages, LENGTH)).is_ok()),
            LEND_AND_EXIT => {
                crew(SPARES - 1);
                thread::spawn(exit_soon, 0, Settings::new(5))
                    .unwrap()
                    .detach();
                u32::from(carry(Form::LendMut).is_ok())
            }
            VECTOR => vector(&orders),
            POOLS => pools(argument),
            GIFT => u32::from(orders.send_for_handle([0]).is_ok()),
            PANIC => faults::panic_at_length(),
            FAULT => faults::touch_the_kernel(),
            _ => 0,
        };
    }
}

/// So many threads wait for ever.
pub fn crew(count: usize) {
    for _ in 0..count {
        thread::spawn(wait, 0, Settings::new(9)).unwrap().detach();
    }
}

fn wait(_: usize) -> u32 {
    let _ = futex::wait(&NEVER, 0);
    0
}

fn exit_soon(_: usize) -> u32 {
    riposte::sleep(Duration::from_millis(100)).unwrap();
    riposte::exit(0)
}

/// Nobody receives it in time.
fn lend_shortly(orders: &Connection, pages: u32) -> Result<[u32; 5], riposte::Error> {
    let deadline = Instant::now().checked_add(Duration::from_millis(50));
    let message = Message::new(Form::LendMut, (pages, LENGTH), [0; 3]);
    Message {
        deadline,
        ..message
    }
    .send(orders)
}

/// A message of many parts, and as many for the reply.
fn vector(orders: &Connection) -> u32 {
    let bytes = [[1; PART]; PARTS];
    let mut room = [[0; PART]; PARTS];
    let parts: [Part; PARTS] = core::array::from_fn(|part| Part::new(&bytes[part]));
    let mut rooms = room.each_mut().map(|part| PartMut::new(part));
    let reply = orders.send_vector(&parts, &mut rooms);
    reply.map_or(0, |reply| reply.len as u32)
}

/// Sends a message to each of so many pools, which nobody answers.
fn pools(count: u32) -> u32 {
    for number in 0..count {
        thread::spawn(send_to_pool, number as usize, Settings::new(9))
            .unwrap()
            .detach();
    }
    count
}

fn send_to_pool(number: usize) -> u32 {
    let pool = riposte::connect(crate::pools::NAMES[number]).unwrap();
    let _ = pool.send_words([0]);
    0
}
