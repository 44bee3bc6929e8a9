//! Does what the orders in its queue say: the first byte is the order.
#![no_std]

use riposte::{Deadline, Duration};
use riposte_queue::{QueueError, Queues};

#[riposte::main]
fn main() {
    let queues = Queues::connect("queues").unwrap();
    let orders = queues.open("orders").unwrap();
    let answers = queues.open("answers").unwrap();
    let narrow = queues.open("narrow").unwrap();
    loop {
        let mut order = [0; 32];
        let length = orders.receive(&mut order).unwrap();
        match order[..length].split_first() {
            // Sends the rest back.
            Some((b'e', rest)) => answers.send(rest).unwrap(),
            // Sends messages of growing length to a queue that holds one.
            Some((b's', _)) => {
                for length in [1, 12, 13, 40, 64] {
                    narrow.send(&[length; 64][..length.into()]).unwrap();
                }
            }
            // Waits for a while for a message that does not come.
            Some((b'w', _)) => {
                let end = Deadline::At(riposte::Instant::now() + Duration::from_millis(3));
                let found = narrow.receive_until(&mut [0; 64], end);
                let timed_out = u8::from(found == Err(QueueError::TimedOut));
                answers.send(&[timed_out]).unwrap();
            }
            _ => panic!("an unknown order"),
        }
    }
}
