//! One of very many processes. It waits at the gate, and does what the reply says, again and again.
#![no_std]

use riposte::{Error, Instant};

/// What a reply says first.
const DEADLINE: u32 = 1;
const GIFT: u32 = 2;
const EXIT: u32 = 3;

#[riposte::main]
fn main() {
    let Ok(gate) = riposte::connect("gate") else {
        return;
    };
    let mut outcome = 0;
    loop {
        let Ok(reply) = gate.send_words([outcome]) else {
            return;
        };
        let [order, low, high, ..] = reply.words;
        outcome = match order {
            DEADLINE => {
                let at = Instant::from_nanos(u64::from(low) | u64::from(high) << 32);
                let waited = gate.send_words_until([0], at);
                u32::from(matches!(waited, Err(Error::TimedOut)))
            }
            GIFT => {
                let given = gate.send_for_handle([0]);
                u32::from(matches!(given, Ok((_, Some(_)))))
            }
            EXIT => return,
            _ => 0,
        };
    }
}
