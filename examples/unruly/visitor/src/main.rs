//! Finds the driver by its name, whichever life of it that is, has it crash, and finds the next one.
#![no_std]

use riposte::{Deadline, Duration, Instant, println};
use riposte_names::{NameError, Names};

/// What the driver is asked for, and what it does then.
const WAYS: [(u32, &str); 5] = [
    (1, "panic"),
    (2, "write where it may not"),
    (3, "overflow its stack"),
    (4, "end"),
    (5, "hang"),
];

/// The driver is told to do this. Whether it was there.
fn have_it(names: &Names, way: u32) -> Result<(), NameError> {
    let soon = Deadline::At(Instant::now() + Duration::from_secs(1));
    let driver = names.locate_until("/dev/unruly", soon)?.connection;
    let reading = driver.send_words([0]).map(|answer| answer.words[0]);
    println!("visitor: it reads {reading:?}");
    let error = driver.send_words([way]).map(|_| ());
    println!("visitor: {error:?}");
    let _ = driver.close();
    Ok(())
}

#[riposte::main]
fn main() {
    let names = Names::connect().unwrap();
    for (way, does) in WAYS {
        println!("visitor: it shall {does}");
        have_it(&names, way).unwrap();
    }
    println!("visitor: it shall panic until it is over");
    while have_it(&names, 1).is_ok() {}
    println!("visitor: nobody is there any more");
    riposte::shutdown(0);
}
