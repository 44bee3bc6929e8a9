//! Restarts whoever gives no sign of life, and feeds the board's own watchdog, where there is one.
//!
//! A sign of life is a bit, so that nobody ever waits for this process.
#![no_std]

use logger_api::alive;
use riposte::{DeviceWords, Duration, Event, Notice, Peripheral, Timer, println};

/// How often it looks.
const PERIOD: Duration = Duration::from_secs(1);
/// The bit of its own timer.
const TICK: u32 = 1 << 31;
/// Who has to give signs, and by which bit. The most urgent one comes first: who hangs keeps those below from a sign.
const WATCHED: [(&str, u32); 2] = [("sensor", alive::SENSOR), ("store", alive::STORE)];
/// So many looks in a row at which somebody is missing, and the machine is reset.
const PATIENCE: u32 = 5;

#[riposte::main]
fn main() {
    let channel = riposte::own_channel().unwrap();
    let timer = Timer::notifying(&channel, TICK).unwrap();
    timer.every(PERIOD).unwrap();
    let hardware = Hardware::start();
    let (mut seen, mut misses) = (0, 0);
    loop {
        let Ok(Event::Notice(Notice::Bits { bits })) = channel.receive_words() else {
            continue;
        };
        seen |= bits;
        if seen & TICK == 0 {
            continue;
        }
        let missing = WATCHED.iter().find(|(_, bit)| seen & bit == 0);
        misses = missing.map_or(0, |_| misses + 1);
        if let Some((name, _)) = missing {
            println!("watchdog: no sign of life from {name}: it is restarted");
            riposte::process(name).unwrap().restart();
        }
        if misses < PATIENCE {
            hardware.feed();
        }
        seen = 0;
    }
}

/// The watchdog of the board, if there is one: it resets the machine when it is not fed in time.
struct Hardware(Option<DeviceWords<12>>);

impl Hardware {
    /// Register that holds what it counts down from, at 25 MHz.
    const LOAD: usize = 0;
    /// Register that lets it count (bit 0) and reset the machine at the end (bit 1).
    const CONTROL: usize = 8;
    /// It barks at the first end, and bites at the second.
    const CYCLES: u32 = 2 * 25_000_000;

    fn start() -> Hardware {
        let device = Peripheral::take("watchdog").and_then(|device| device.words(0));
        let hardware = Hardware(device.ok());
        hardware.feed();
        if let Some(registers) = hardware.0 {
            registers.write::<{ Hardware::CONTROL }>(0b11);
        }
        hardware
    }

    fn feed(&self) {
        if let Some(registers) = self.0 {
            registers.write::<{ Hardware::LOAD }>(Hardware::CYCLES);
        }
    }
}
