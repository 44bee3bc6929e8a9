//! Pools of receivers that wait for each other: of each one serves, and waits at the next pool.

use check::equal;
use riposte::sync::Word;
use riposte::thread::{self, Settings};
use riposte::{Channel, Duration, Error, Event, Instant, futex};

use crate::driver::{order, settle};
use crate::lender::POOLS;

pub const NAMES: [&str; 8] = [
    "pool-1", "pool-2", "pool-3", "pool-4", "pool-5", "pool-6", "pool-7", "pool-8",
];

/// Receivers of a pool: as many as may be.
const RECEIVERS: usize = 8;

static NEVER: Word = Word::new(0);

pub fn all(orders: &Channel) {
    for number in 0..RECEIVERS * NAMES.len() {
        thread::spawn(receiver, number, Settings::new(9))
            .unwrap()
            .detach();
    }
    settle();
    order(orders, POOLS, NAMES.len() as u32);
    settle();
    let first = riposte::connect(NAMES[0]).unwrap();
    let soon = Instant::now()
        .checked_add(Duration::from_millis(100))
        .unwrap();
    equal(
        "rule_05_a_chain_of_pools_is_followed_to_its_end",
        first.send_words_until([0], soon).map(drop),
        Err(Error::TimedOut),
    );
}

/// The first one of each pool serves a client and then waits at the next pool; the others have received once.
fn receiver(number: usize) -> u32 {
    let (pool, place) = (number / RECEIVERS, number % RECEIVERS);
    let own = riposte::channel(NAMES[pool]).unwrap();
    let soon = Instant::now()
        .checked_add(Duration::from_millis(200))
        .unwrap();
    let _ = own.receive_until(&mut [], soon);
    if place == 0 {
        riposte::sleep(Duration::from_millis(300)).unwrap();
        let Ok(Event::Message(message)) = own.receive(&mut []) else {
            panic!("no message");
        };
        let _never_answered = message.into_token();
        if let Some(next) = NAMES.get(pool + 1) {
            let _ = riposte::connect(next).unwrap().send_words([0]);
        }
    }
    let _ = futex::wait(&NEVER, 0);
    0
}
