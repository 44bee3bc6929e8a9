//! `count [TO [MILLISECONDS]]`: counts, a number a line, and waits before each but the first.
#![no_std]

use core::fmt::Write;

use riposte::Duration;
use riposte_stdio::Streams;

#[riposte::main]
fn main() {
    let streams = Streams::open().unwrap();
    let number = |place, usual| match streams.arguments().get(place) {
        Some(text) => text.parse().ok(),
        None => Some(usual),
    };
    let (Some(to), Some(wait)) = (number(1, 3), number(2, 0)) else {
        riposte::println!("usage: count [TO [MILLISECONDS]]");
        riposte::exit(2);
    };
    let Ok(mut output) = streams.output() else {
        riposte::exit(1);
    };
    for number in 1..=to {
        if number > 1 && wait > 0 {
            let _ = riposte::sleep(Duration::from_millis(wait));
        }
        // Nobody reads any more.
        if writeln!(output, "{number}").is_err() {
            riposte::exit(1);
        }
    }
    riposte::exit(u32::from(output.finish().is_err()));
}
