//! Listens to a person.
#![no_std]

use core::fmt;

use logger_api::{Empty, Reading, SensorClient, StoreClient};
use riposte::console::{self, LONGEST_LINE};
use riposte::interface::CallError;
use riposte::{ConnectError, print, println};

const HELP: &str = "\
show         what the store has
newest       the newest readings
period MS    takes a reading every so many milliseconds, 1 to 500
hang         the sensor hangs, and the watchdog restarts it
crash        the store crashes, and is restarted
quit         the machine stops";

#[riposte::main]
fn main() {
    let mut buffer = [0; LONGEST_LINE];
    println!("logger: `help` says what can be typed");
    loop {
        print!("> ");
        match console::read_line(&mut buffer) {
            // Ctrl-D.
            Ok("") => return,
            Ok(line) => obey(line),
            Err(error) => {
                println!("shell: {error}");
                return;
            }
        }
    }
}

fn obey(line: &str) {
    let mut words = line.split_whitespace();
    let (order, argument) = (words.next(), words.next().map(str::parse));
    let done = match (order, argument) {
        (None, _) => Ok(()),
        (Some("show"), None) => show(),
        (Some("newest"), None) => newest(),
        (Some("period"), Some(Ok(milliseconds))) => set_period(milliseconds),
        (Some("hang"), None) => hang(),
        (Some("crash"), None) => crash(),
        (Some("quit"), None) => {
            println!("shutdown: {}", riposte::shutdown(0));
            Ok(())
        }
        _ => {
            println!("{HELP}");
            Ok(())
        }
    };
    if let Err(failed) = done {
        println!("shell: no answer: {failed}");
    }
}

/// Why the other one does not answer.
enum Failed {
    Connection(ConnectError),
    Call(CallError),
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failed::Connection(error) => error.fmt(f),
            Failed::Call(error) => error.fmt(f),
        }
    }
}

impl From<ConnectError> for Failed {
    fn from(error: ConnectError) -> Failed {
        Failed::Connection(error)
    }
}

impl From<CallError> for Failed {
    fn from(error: CallError) -> Failed {
        Failed::Call(error)
    }
}

/// Connected anew each time: it may be another life by now.
fn store() -> Result<StoreClient, ConnectError> {
    riposte::connect("store").map(StoreClient::new)
}

fn sensor() -> Result<SensorClient, ConnectError> {
    riposte::connect("sensor").map(SensorClient::new)
}

fn show() -> Result<(), Failed> {
    match store()?.summary() {
        Ok(it) => println!(
            "{} readings, from {} to {}, {} on average",
            it.count,
            Degrees(it.lowest),
            Degrees(it.highest),
            Degrees(it.mean)
        ),
        Err(CallError::Application(Empty)) => println!("no readings yet"),
        Err(error) => println!("shell: no answer: {error:?}"),
    }
    Ok(())
}

fn newest() -> Result<(), Failed> {
    let mut room = [Reading { at: 0, value: 0 }; 8];
    let count = store()?.newest(&mut room)?;
    for reading in room.iter().take(count) {
        println!("{:8} ms  {}", reading.at, Degrees(reading.value));
    }
    Ok(())
}

fn set_period(milliseconds: u32) -> Result<(), Failed> {
    let before = sensor()?.set_period(milliseconds)?;
    println!("it was {before} ms");
    Ok(())
}

fn hang() -> Result<(), Failed> {
    sensor()?.hang()?;
    println!("the sensor hangs");
    Ok(())
}

fn crash() -> Result<(), Failed> {
    store()?.crash()?;
    Ok(())
}

/// Hundredths of a degree Celsius.
struct Degrees(i32);

impl fmt::Display for Degrees {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let hundredths = self.0.unsigned_abs();
        write!(f, "{sign}{}.{:02} °C", hundredths / 100, hundredths % 100)
    }
}
