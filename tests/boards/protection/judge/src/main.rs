//! Is told of each fault and compares it with what was to happen.
#![no_std]

mod attacks;

use attacks::{ATTACKS, Attack};
use check::{broken, equal, holds};
use riposte::abi::fault::{Record, action};
use riposte::{Channel, Deadline, Duration, Error, Event, Notice};

/// Time within which an attack must have been stopped.
const PATIENCE: Duration = Duration::from_millis(200);

#[riposte::main]
fn main() {
    let victim = riposte::connect("victim").unwrap();
    let [address, secret, ..] = victim.send_words([]).unwrap().words;
    for (attack, count) in ATTACKS.iter().zip(1..) {
        let target = attack.target.address(address);
        let found = order(attack.number, target).and_then(|()| fault());
        let survived = victim.send_words([]).map(|reply| reply.words[1]);
        match found {
            Err(error) => equal(attack.name, Err(error), Ok(())),
            Ok(_) if survived != Ok(secret) => broken(attack.name, "the victim was touched"),
            Ok(record) => compare(attack, &record, count),
        }
    }
    check::done();
}

/// Tells the next start of the attacker what to do.
fn order(attack: u32, address: u32) -> Result<(), Error> {
    let orders = riposte::channel("orders").unwrap();
    loop {
        if let Event::Message(message) = receive(orders)? {
            return message.reply_words([attack, address]);
        }
    }
}

/// Waits for the next fault.
fn fault() -> Result<Record, Error> {
    let faults = riposte::channel("faults").unwrap();
    loop {
        if let Event::Notice(Notice::Fault { process }) = receive(faults)? {
            return riposte::fault_record(process);
        }
    }
}

fn receive(channel: Channel) -> Result<Event<'static>, Error> {
    channel.receive_until(&mut [], Deadline::At(riposte::Instant::now() + PATIENCE))
}

fn compare(attack: &Attack, record: &Record, count: u32) {
    if riposte::name_of_process(record.process) != Some("attacker") || record.count != count {
        broken(attack.name, "another process was blamed");
    } else if record.action != action::RESTARTED {
        broken(attack.name, "it was not restarted");
    } else if record.thread != attack.thread {
        broken(attack.name, "another thread was blamed");
    } else if attack.reasons.contains(&record.reason) {
        holds(attack.name, true);
    } else {
        equal(attack.name, record.reason, attack.reasons[0]);
    }
}
