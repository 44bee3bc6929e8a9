//! Where two threads meet: memory of their process, or a region that both processes see.

use riposte::Shared;
use riposte::sync::{Lock, Queue, Semaphore, Word};

/// Places of each queue.
pub const PLACES: usize = 4;

/// What the cases need.
#[derive(Shared)]
#[repr(C)]
pub struct Place {
    /// The main thread's turn to wake the other one, and
    pub ping: Semaphore,
    /// the other one's.
    pub pong: Semaphore,
    /// What both threads want.
    pub lock: Lock,
    /// Lets the rival begin.
    pub begin: Semaphore,
    /// Queues that only the main thread uses.
    pub words: Queue<u32, PLACES>,
    pub items: Queue<[u32; 8], PLACES>,
    /// How often the other thread did its part. It alone writes it.
    pub turns: Word,
}

/// Where threads of one process meet.
pub static OWN: Place = Place {
    ping: Semaphore::new(0),
    pong: Semaphore::new(0),
    lock: Lock::new(),
    begin: Semaphore::new(0),
    words: Queue::new(),
    items: Queue::new(),
    turns: Word::new(0),
};

/// Where the processes meet.
pub fn shared() -> &'static Place {
    riposte::region("place").unwrap().cast().unwrap()
}

/// Where the calling process's threads beside the main one meet others.
pub fn of_this_process() -> &'static Place {
    if riposte::process_name() == "driver" {
        &OWN
    } else {
        shared()
    }
}

impl Place {
    /// Counts a turn of the thread beside the main one.
    #[inline(always)]
    pub fn count(&self) {
        self.turns.store(self.turns.load() + 1);
    }
}
