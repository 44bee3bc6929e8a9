//! Threads that are there, and wait.

use riposte::sync::{Semaphore, Word};
use riposte::thread::{Settings, spawn};
use riposte::{Deadline, Duration, Event, Status};

use crate::operation::{self, THREADS};

/// What they wait for, and never get.
static NEVER: Semaphore = Semaphore::new(0);
/// How many wait.
static WAITING: Word = Word::new(0);

/// The processes that have them.
const CROWDS: [&str; 4] = ["crowd-1", "crowd-2", "crowd-3", "crowd-4"];

/// The priority of those that wait to be received.
const SENDERS: u8 = 11;

/// Calls `measure` with more and more threads in so many processes.
///
/// # Panics
/// They cannot be started.
pub fn series(crowds: u32, mut measure: impl FnMut(u32)) {
    for threads in [16, 32, 64, 128, 256] {
        let each = (threads - THREADS - crowds) / crowds;
        for crowd in CROWDS {
            let connection = riposte::connect(crowd).unwrap();
            let reply = connection.send_words([each]).unwrap();
            assert_eq!(reply.status, Status::OK);
        }
        measure(threads);
    }
}

/// Starts threads until there are as many as each message says, and answers when they wait.
pub fn serve(name: &str) -> ! {
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

/// Starts threads until so many wait: half of them at all priorities up to this one's.
fn start(count: u32) {
    for number in WAITING.load()..count {
        let priority = match number % 4 {
            3 => SENDERS,
            _ => 1 + (number % 10) as u8,
        };
        let settings = Settings::new(priority);
        spawn(wait, number as usize, settings).unwrap().detach();
    }
    // Less urgent ones run while this one sleeps.
    while WAITING.load() < count {
        riposte::sleep(Duration::from_millis(20)).unwrap();
    }
}

/// One in four to be received, the others for a semaphore, two of three with a deadline that is far
/// away.
fn wait(number: usize) -> u32 {
    WAITING.add(1);
    let deadline = match number % 4 {
        3 => operation::send(),
        0 => Deadline::None,
        _ => Deadline::At(riposte::Instant::now() + Duration::from_secs(1_000_000)),
    };
    let ended = NEVER.take_until(deadline);
    panic!("thread {number} waited: {ended:?}")
}
