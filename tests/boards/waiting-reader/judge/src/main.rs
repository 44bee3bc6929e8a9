//! How late a thread comes that is less urgent than a reader, and more urgent than who prints.
#![no_std]

use riposte::{Connection, Duration, Instant, println};

#[riposte::main]
fn main() {
    let noisy = riposte::connect("noisy").unwrap();
    let reader = riposte::connect("reader").unwrap();
    let _ = riposte::sleep(Duration::from_millis(1));
    let alone = latest(&noisy);
    reader.send_words([]).unwrap();
    let _ = riposte::sleep(Duration::from_millis(1));
    let while_somebody_reads = latest(&noisy);
    println!("late by at most {alone:?}, while somebody reads {while_somebody_reads:?}");
    check::holds(
        "who prints less urgently delays nobody, whoever reads",
        while_somebody_reads < alone * 4,
    );
    check::done();
}

fn latest(noisy: &Connection) -> Duration {
    noisy.send_words([]).unwrap();
    let mut latest = Duration::ZERO;
    for _ in 0..200 {
        let moment = Instant::now() + Duration::from_micros(20);
        let _ = riposte::sleep_until(moment);
        latest = latest.max(Instant::now() - moment);
    }
    let _ = riposte::sleep(Duration::from_millis(20));
    latest
}
