//! Finds two servers by their names: one again after it has failed, the other by a path below its name.
#![no_std]

use riposte::{Deadline, println};
use riposte_names::{Changes, Names};

#[riposte::main]
fn main() {
    let names = Names::connect().unwrap();
    // Whoever starts first: this waits until there is such a name.
    let mut thermometer = names
        .locate_until("/dev/thermometer", Deadline::None)
        .unwrap();
    for _ in 0..5 {
        match thermometer.connection.send_words([]) {
            Ok(answer) => println!("{} degrees", answer.words[0]),
            Err(error) => {
                println!("the thermometer: {error}");
                let _ = thermometer.connection.close();
                // Its next life registers anew.
                thermometer = names
                    .locate_until("/dev/thermometer", Deadline::None)
                    .unwrap();
            }
        }
    }
    let path = "/ram/notes/today";
    let shelf = names.locate_until(path, Deadline::None).unwrap();
    let rest = &path[shelf.covered..];
    let answer = shelf.connection.send(rest.as_bytes(), &mut []).unwrap();
    println!(
        "{} is served {rest}: {} bytes of answer",
        &path[..shelf.covered],
        answer.offered
    );
    let mut next = 0;
    while let Some(listed) = names.list("/", next).unwrap() {
        println!("there is {}", listed.name());
        next = listed.next;
    }
    let seen = names.watch(Changes::default(), Deadline::None).unwrap();
    println!("the names: {:?}", names.watch(seen, Deadline::Immediate));
    riposte::shutdown(0);
}
