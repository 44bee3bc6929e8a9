//! Asks for readings and prints them.
#![no_std]

use riposte::interface::CallError;
use riposte::println;
use thermometer_api::{NoSuchPlace, ThermometerClient};

#[riposte::main]
fn main() {
    let thermometer = ThermometerClient::new(riposte::connect("thermometer").unwrap());
    if let Err(error) = show(&thermometer) {
        println!("display: {error:?}");
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
    println!(
        "inside, newest first: {:?}",
        &thermometer.history(0)?.readings[..3]
    );
    match thermometer.name(1, b"behind the old barn") {
        Ok(length) => println!("the name was cut to {length} bytes"),
        Err(error) => println!("no name: {error:?}"),
    }
    match thermometer.read(7) {
        Err(CallError::Application(NoSuchPlace)) => println!("there is no place 7"),
        other => println!("place 7: {other:?}"),
    }
    Ok(())
}
