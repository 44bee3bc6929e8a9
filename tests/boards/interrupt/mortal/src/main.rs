//! Attaches its interrupt, and dies while it is raised and not told. In its next life nothing is left
//! of that.
#![no_std]

use riposte::{Deadline, Error, Interrupt, Notice};

#[riposte::main]
fn main() {
    let judge = riposte::connect("reports").unwrap();
    let channel = riposte::channel("own").unwrap();
    let interrupt = Interrupt::attach("spare", &channel, 2).expect("nobody else has it");
    interrupt.acknowledge().unwrap();
    let stale = channel.receive_until(&mut [], Deadline::Immediate).err();
    interrupt.pend().unwrap();
    let event = channel.receive_until(&mut [], Deadline::Immediate);
    let told = matches!(event, Ok(riposte::Event::Notice(Notice::Bits { bits: 2 })));
    // It is masked now: this one is kept.
    interrupt.pend().unwrap();
    let clean = stale == Some(Error::WouldBlock);
    judge
        .send_words([u32::from(clean), u32::from(told)])
        .unwrap();
    panic!("as ordered");
}
