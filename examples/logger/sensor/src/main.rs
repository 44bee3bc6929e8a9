//! Takes a reading again and again, and hands it to the store.
#![no_std]

use logger_api::{Reading, Sensor, SensorServer, StoreClient, alive};
use riposte::interface::CallError;
use riposte::{Answer, Channel, Duration, Error, Event, Instant, Timer, println};

/// The bit of its timer.
const TICK: u32 = 1;
/// The longest period: the watchdog looks once in a second.
const LONGEST: u32 = 500;
/// How long the store may take for a reading.
const PATIENCE: Duration = Duration::from_millis(100);

struct Thermometer {
    timer: Timer,
    period: u32,
    readings: u32,
    hangs: bool,
}

impl Thermometer {
    fn start(channel: &Channel) -> Thermometer {
        let mut thermometer = Thermometer {
            timer: Timer::notifying(channel, TICK).unwrap(),
            period: 0,
            readings: 0,
            hangs: false,
        };
        thermometer.set_period(riposte::setting("period-ms").unwrap());
        thermometer
    }

    /// No real device here: it gets warmer, and cold again.
    fn take(&mut self) -> Reading {
        self.readings += 1;
        let steps = self.readings.cast_signed() % 64;
        Reading {
            at: Instant::now().duration_since(Instant::START).as_millis() as u32,
            value: 1900 + 25 * (steps - 32).abs(),
        }
    }
}

impl Sensor for Thermometer {
    fn set_period(&mut self, milliseconds: u32) -> u32 {
        let before = self.period;
        self.period = milliseconds.clamp(1, LONGEST);
        let period = Duration::from_millis(self.period.into());
        self.timer.every(period).unwrap();
        before
    }

    fn hang(&mut self) {
        self.hangs = true;
    }
}

#[riposte::main]
fn main() {
    let channel = riposte::own_channel().unwrap();
    let watchdog = riposte::connect("watchdog").unwrap();
    let mut store = StoreClient::new(riposte::connect("store").unwrap());
    let mut thermometer = Thermometer::start(&channel);
    let error = channel.serve(&mut [0; SensorServer::BUFFER], |event| match event {
        Event::Message(message) => SensorServer::dispatch(&mut thermometer, message),
        Event::Notice(_) => {
            if thermometer.hangs {
                loop {
                    // Not `spin_loop`: QEMU takes its time for each of those on Cortex-M.
                    core::hint::black_box(());
                }
            }
            hand_over(&mut store, thermometer.take());
            // Without a watchdog nobody needs a sign.
            let _ = watchdog.notify(alive::SENSOR);
            Answer::later()
        }
    });
    panic!("the sensor's channel: {error}");
}

/// Hands a reading to the store. One that it does not take is lost, as its next life has lost all that were before.
fn hand_over(store: &mut StoreClient, reading: Reading) {
    let deadline = Instant::now() + PATIENCE;
    let Err(error) = store.add_until(reading, deadline) else {
        return;
    };
    println!("sensor: the store has not taken a reading: {error}");
    if error == CallError::Kernel(Error::ServerDied) && store.reconnect().is_err() {
        println!("sensor: there is no store any more");
    }
}
