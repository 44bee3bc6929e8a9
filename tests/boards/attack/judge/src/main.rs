//! Is told of each fault and compares it with what was to happen.
#![no_std]

mod attacks;

use attacks::{ATTACKS, FIRST};
use check::attack::{Attack, HELD, Places, Target};
use check::{broken, equal, holds, machine};
use riposte::abi::fault::{Record, action, reason};
use riposte::{Channel, Connection, Deadline, Duration, Error, Event, Notice, println};

/// Time within which an attack must have been stopped.
const PATIENCE: Duration = Duration::from_millis(200);

#[riposte::main]
fn main() {
    let mut judge = Judge::new();
    judge.order_all(&FIRST);
    judge.places.end = judge.last;
    for attack in machine::ATTACKS.iter().chain(ATTACKS) {
        judge.order_all(attack);
    }
    check::done();
}

/// Orders attacks, one after the other.
struct Judge {
    victim: Connection,
    places: Places,
    secret: u32,
    /// Attacks so far.
    count: u32,
    /// What the last one touched.
    last: u32,
}

impl Judge {
    fn new() -> Judge {
        let victim = riposte::connect("victim").unwrap();
        let [data, secret, code, ..] = victim.send_words([]).unwrap().words;
        Judge {
            victim,
            places: Places { data, code, end: 0 },
            secret,
            count: 0,
            last: 0,
        }
    }

    /// The promise of `attack` holds if it does for every target and value; the first that breaks it
    /// is told.
    fn order_all(&mut self, attack: &Attack) {
        for target in attack.targets {
            for value in attack.values {
                if !self.order(attack, *target, *value) {
                    println!("# with {target:x?} and {value:#x}");
                    return;
                }
            }
        }
        holds(attack.name, true);
    }

    /// Whether one attack ends as it is to end; says so if not.
    fn order(&mut self, attack: &Attack, target: Target, value: u32) -> bool {
        let [place, kernel_data, kernel_code] =
            [target, Target::KernelData(0), Target::KernelCode(0)]
                .map(|target| target.address(self.places));
        self.count += 1;
        let found =
            order([attack.number, place, value, kernel_data, kernel_code]).and_then(|()| fault());
        let survived = self.victim.send_words([]).map(|reply| reply.words[1]);
        match found {
            Err(error) => equal(attack.name, Err(error), Ok(())),
            Ok(_) if survived != Ok(self.secret) => {
                broken(attack.name, "the victim was touched");
            }
            Ok(record) => {
                self.last = record.address;
                return compare(attack, &record, self.count);
            }
        }
        false
    }
}

/// Tells the next start of the attacker what to do.
fn order(words: [u32; 5]) -> Result<(), Error> {
    let orders = riposte::channel("orders").unwrap();
    loop {
        if let Event::Message(message) = receive(orders)? {
            return message.reply_words(words);
        }
    }
}

/// Waits for the next fault. The keeper's are ordered.
fn fault() -> Result<Record, Error> {
    let faults = riposte::channel("faults").unwrap();
    loop {
        if let Event::Notice(Notice::Fault { process }) = receive(faults)?
            && riposte::name_of_process(process) != Some("keeper")
        {
            return riposte::fault_record(process);
        }
    }
}

fn receive(channel: Channel) -> Result<Event<'static>, Error> {
    channel.receive_until(&mut [], Deadline::At(riposte::Instant::now() + PATIENCE))
}

/// Whether the record says what it is to say; says so if not.
fn compare(attack: &Attack, record: &Record, count: u32) -> bool {
    if riposte::name_of_process(record.process) != Some("attacker") || record.count != count {
        broken(attack.name, "another process was blamed");
    } else if record.action != action::RESTARTED {
        broken(attack.name, "it was not restarted");
    } else if record.thread != 0 {
        broken(attack.name, "another thread was blamed");
    } else if !attack.reasons.contains(&record.reason) {
        equal(attack.name, record.reason, attack.reasons[0]);
    } else if record.reason == reason::EXIT && record.address != HELD {
        broken(attack.name, "the attacker has gained something");
    } else {
        return true;
    }
    false
}
