//! Is told of each fault and compares it with what was to happen.
#![no_std]

mod attacks;

use attacks::{ATTACKS, Attack};
use check::{broken, equal, holds};
use riposte::abi::fault::{Record, action};
use riposte::{Channel, Deadline, Duration, Error, Event, Notice};

/// Time within which an attack must have been stopped.
const PATIENCE: Duration = Duration::from_millis(500);
/// How often the attacker is preempted.
const TICK: Duration = Duration::from_millis(1);

#[riposte::main]
fn main() {
    let results = riposte::channel("results").unwrap();
    match receive(results, PATIENCE) {
        Ok(Event::Message(message)) => {
            let [kept, left, ..] = message.words();
            message.reply_words([]).unwrap();
            equal(
                "floating-point registers survive a yield to a thread that was preempted",
                [kept, left],
                [32, 1],
            );
        }
        other => equal("the keeper ends", other.map(drop), Ok(())),
    }
    attacks();
    check::done();
}

fn attacks() {
    let victim = riposte::connect("victim").unwrap();
    let [address, secret, ..] = victim.send_words([]).unwrap().words;
    for (attack, count) in ATTACKS.iter().zip(1..) {
        let found = order([attack.number, address]).and_then(|()| fault());
        let survived = victim.send_words([]).map(|reply| reply.words[1]);
        match found {
            Err(error) => equal(attack.name, Err(error), Ok(())),
            Ok(_) if survived != Ok(secret) => broken(attack.name, "the victim was touched"),
            Ok(record) => compare(attack, &record, count),
        }
    }
}

/// Tells the next start of the attacker what to do.
fn order(words: [u32; 2]) -> Result<(), Error> {
    let orders = riposte::channel("orders").unwrap();
    loop {
        if let Event::Message(message) = receive(orders, PATIENCE)? {
            return message.reply_words(words);
        }
    }
}

/// Waits for the next fault, and preempts the attacker meanwhile.
fn fault() -> Result<Record, Error> {
    let faults = riposte::channel("faults").unwrap();
    let end = riposte::Instant::now() + PATIENCE;
    loop {
        match receive(faults, TICK) {
            Ok(Event::Notice(Notice::Fault { process })) => return riposte::fault_record(process),
            Err(Error::TimedOut) if riposte::Instant::now() < end => {}
            Err(error) => return Err(error),
            Ok(_) => {}
        }
    }
}

fn receive(channel: Channel, patience: Duration) -> Result<Event<'static>, Error> {
    channel.receive_until(&mut [], Deadline::At(riposte::Instant::now() + patience))
}

fn compare(attack: &Attack, record: &Record, count: u32) {
    let name = attack.name;
    if riposte::name_of_process(record.process) != Some("attacker") || record.count != count {
        broken(name, "another process was blamed");
    } else if record.action != action::RESTARTED {
        broken(name, "it was not restarted");
    } else {
        holds(name, attack.reasons.contains(&record.reason));
    }
}
