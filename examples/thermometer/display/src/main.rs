//! Asks for readings and prints them.
#![no_std]

use riposte::interface::CallError;
use riposte::{Duration, Error, Instant, Text, println};
use thermometer_api::{NoSuchPlace, ThermometerClient};

#[riposte::main]
fn main() {
    let mut thermometer = ThermometerClient::new(riposte::connect("thermometer").unwrap());
    if let Err(error) = show(&thermometer) {
        println!("display: {error:?}");
    }
    match patiently(&mut thermometer) {
        Ok(reading) => println!("once more: {reading}"),
        Err(error) => println!("no reading: {error:?}"),
    }
    let error = riposte::shutdown(0);
    println!("shutdown: {error}");
}

fn show(thermometer: &ThermometerClient) -> Result<(), CallError<NoSuchPlace>> {
    for _ in 0..3 {
        println!(
            "inside {}, outside {}",
            thermometer.read(0)?,
            thermometer.read(1)?
        );
    }
    let (coldest, warmest) = thermometer.extremes(0)?;
    println!("inside, from {coldest} to {warmest}");

    let mut room = [0; 2];
    let count = thermometer.newest(1, &mut room)?;
    println!("outside, newest first: {:?}", &room[..count]);

    if !thermometer.set_name(1, "behind the old barn")? {
        println!("too long a name");
    }
    let mut room = [0; 32];
    let mut name = Text::new(&mut room);
    thermometer.name(1, &mut name)?;
    println!("place 1 is {}", name.as_str());

    match thermometer.read(7) {
        Err(CallError::Application(NoSuchPlace)) => println!("there is no place 7"),
        other => println!("place 7: {other:?}"),
    }
    Ok(())
}

/// A reading, from the sensor's next life if this one ends.
fn patiently(thermometer: &mut ThermometerClient) -> Result<i32, CallError<NoSuchPlace>> {
    let deadline = Instant::now() + Duration::from_millis(50);
    loop {
        match thermometer.read_until(0, deadline) {
            Err(CallError::Kernel(Error::ServerDied)) => thermometer.reconnect()?,
            other => return other,
        }
    }
}
