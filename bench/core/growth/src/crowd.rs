//! Threads that are there, and wait.

use riposte::sync::{Semaphore, Word};
use riposte::thread::{Settings, spawn};
use riposte::{Deadline, Duration, Event, Status};

/// What they wait for, and never get.
static NEVER: Semaphore = Semaphore::new(0);
/// How many wait.
static WAITING: Word = Word::new(0);

/// The processes that have them.
const CROWDS: [&str; 4] = ["crowd-1", "crowd-2", "crowd-3", "crowd-4"];

/// Lets the processes start threads until there are so many.
///
/// # Panics
/// They can't.
pub fn grow_to(count: u32) {
    for crowd in CROWDS {
        let connection = riposte::connect(crowd).unwrap();
        let reply = connection
            .send_words([count / CROWDS.len() as u32])
            .unwrap();
        assert_eq!(reply.status, Status::OK);
    }
}

/// Starts threads until there are as many as each message says, and answers when they wait.
pub fn serve() -> ! {
    let name = riposte::process_name();
    let own = CROWDS.into_iter().find(|crowd| *crowd == name).unwrap();
    let channel = riposte::channel(own).unwrap();
    loop {
        let Ok(Event::Message(message)) = channel.receive(&mut []) else {
            continue;
        };
        let [count, ..] = message.words();
        start(count);
        message.reply_words([count]).unwrap();
    }
}

/// Starts threads until so many wait, at all priorities up to this one's.
fn start(count: u32) {
    for number in WAITING.load()..count {
        let settings = Settings::new(1 + (number % 10) as u8);
        spawn(wait, number as usize, settings).unwrap().detach();
    }
    // Less urgent ones run while this one sleeps.
    while WAITING.load() < count {
        riposte::sleep(Duration::from_millis(20)).unwrap();
    }
}

/// Every other one with a deadline, far away.
fn wait(number: usize) -> u32 {
    WAITING.add(1);
    let deadline = match number % 2 {
        0 => Deadline::None,
        _ => Deadline::At(riposte::clock() + Duration::from_secs(1_000_000)),
    };
    let ended = NEVER.take_until(deadline);
    panic!("thread {number} waited: {ended:?}")
}
