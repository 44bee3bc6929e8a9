//! Reads the log when the sensor has died for good, and after a restart of the log server itself.
#![no_std]

use riposte::{Duration, Instant, Text, println};
use riposte_log::Reader;

/// Lives of the sensor, each of which ends with an error: it is restarted three times.
const LIVES: usize = 4;
/// How long the doctor waits for the next word, at most.
const PATIENCE: Duration = Duration::from_millis(200);

#[riposte::main]
fn main() {
    let errors = read(|_, _| {});
    println!("doctor: {errors} errors, and no more; what if the log itself starts again?");
    riposte::process("logs").unwrap().restart();
    read(|name, text| println!("doctor: {name} said: {text}"));
    let error = riposte::shutdown(u32::from(errors != LIVES));
    panic!("shutdown: {error}");
}

/// Reads all that was said, until nobody says more. Returns how many errors there were.
fn read(mut show: impl FnMut(&str, &str)) -> usize {
    let mut log = Reader::new(riposte::connect("log").unwrap());
    let mut errors = 0;
    let (mut room, mut name) = ([0; riposte_log::LONGEST], [0; 16]);
    let mut text = Text::new(&mut room);
    while let Ok(entry) = log.next_until(&mut text, Instant::now() + PATIENCE) {
        let mut name = Text::new(&mut name);
        let _ = log.name(&entry.record, &mut name);
        show(name.as_str(), text.as_str());
        errors += usize::from(entry.record.level == 1);
    }
    errors
}
