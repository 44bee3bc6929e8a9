//! Keeps the readings: the newest of them, and what there is to say of all.
#![no_std]

use logger_api::{Empty, Reading, Store, StoreServer, Summary, alive};
use riposte::{Answer, Buffer, Duration, Event, Timer};

/// The bit of its timer.
const TICK: u32 = 1;
/// How often it gives a sign of life.
const PERIOD: Duration = Duration::from_millis(250);

/// How many readings it keeps.
const NEWEST: usize = 64;

/// What is known of the readings.
struct Kept {
    count: u32,
    lowest: i32,
    highest: i32,
    sum: i64,
    /// The newest of them: number `n` is at `n` modulo the length.
    newest: [Reading; NEWEST],
}

impl Kept {
    /// The newest readings, the newest one first.
    fn backwards(&self) -> impl Iterator<Item = Reading> {
        let numbers = self.count.saturating_sub(NEWEST as u32)..self.count;
        numbers
            .rev()
            .map(|number| self.newest[number as usize % NEWEST])
    }
}

impl Store for Kept {
    fn add(&mut self, reading: Reading) {
        self.newest[self.count as usize % NEWEST] = reading;
        self.count += 1;
        self.sum += i64::from(reading.value);
        self.lowest = self.lowest.min(reading.value);
        self.highest = self.highest.max(reading.value);
    }

    fn summary(&self) -> Result<Summary, Empty> {
        let mean = self.sum.checked_div(self.count.into()).ok_or(Empty)?;
        Ok(Summary {
            count: self.count,
            lowest: self.lowest,
            highest: self.highest,
            mean: mean as i32,
        })
    }

    fn newest(&self, room: &mut [Reading]) -> usize {
        let both = room.iter_mut().zip(self.backwards());
        both.map(|(place, reading)| *place = reading).count()
    }

    fn crash(&mut self) {
        panic!("somebody asked for it");
    }
}

#[riposte::main]
fn main() {
    let channel = riposte::own_channel().unwrap();
    let watchdog = riposte::connect("watchdog").unwrap();
    let timer = Timer::notifying(&channel, TICK).unwrap();
    timer.every(PERIOD).unwrap();
    let mut kept = Kept {
        count: 0,
        lowest: i32::MAX,
        highest: i32::MIN,
        sum: 0,
        newest: [Reading { at: 0, value: 0 }; NEWEST],
    };
    // A request, and as many of the newest readings as go into one answer.
    let mut buffer = Buffer::<{ StoreServer::BUFFER + 8 * size_of::<Reading>() }>::new();
    let error = channel.serve(&mut buffer, |event| match event {
        Event::Message(message) => StoreServer::dispatch(&mut kept, message),
        Event::Notice(_) => {
            // Without a watchdog nobody needs a sign.
            let _ = watchdog.notify(alive::STORE);
            Answer::later()
        }
    });
    panic!("the store's channel: {error}");
}
