//! Threads that the server keeps waiting, when the client says so: they are a process of their own, since in a
//! process of several threads a stack is not opened to a server.
#![no_std]

use core::sync::atomic::{AtomicBool, Ordering};

use num_traits::ToPrimitive;
use riposte::Duration;
use riposte::thread::{self, Settings};
use test_xous_api::Opcode;
use xous::{CID, Error, Message, Result, SID, send_message};

/// Which thread was kept, and is answered by now.
static ANSWERED: [AtomicBool; 3] = [const { AtomicBool::new(false) }; 3];

#[riposte::main]
fn main() {
    let sid = xous::create_server().unwrap();
    let numbers = xous::connect(SID::from_name("numbers")).unwrap();
    loop {
        let msg = xous::receive_message(sid).unwrap();
        let right = several(numbers).map(usize::from);
        xous::return_scalar5(msg.sender, right[0], right[1], right[2], 0, 0).unwrap();
    }
}

/// Often enough for each way in which the server receives. Whether all were answered though nothing else came; what
/// was queued behind came before a later message; and each answer was its thread's.
fn several(numbers: CID) -> [bool; 3] {
    let mut right = [true; 3];
    for _ in 0..20 {
        let threads = [0, 1, 2].map(|place| {
            ANSWERED[place].store(false, Ordering::Relaxed);
            // Less urgent than this one, so that the server is, too, while they wait for it.
            let settings = Settings::new(9);
            thread::spawn(wait, place, settings).unwrap()
        });
        pause();
        for _ in &threads {
            send(numbers, Opcode::Release, 0);
        }
        send(numbers, Opcode::Note, 0);
        send(numbers, Opcode::Note, 1);
        pause();
        right[0] &= ANSWERED.iter().all(|it| it.load(Ordering::Relaxed));
        right[1] &= ask(numbers, Opcode::Noted) == Ok(Result::Scalar2(2, 1));
        if !right[0] {
            break;
        }
        right[2] &= threads.iter().all(|thread| thread.join() == Ok(1));
    }
    right
}

fn wait(place: usize) -> u32 {
    let numbers = xous::connect(SID::from_name("numbers")).unwrap();
    let result = ask(numbers, Opcode::Keep);
    ANSWERED[place].store(true, Ordering::Relaxed);
    u32::from(result == Ok(Result::Scalar1(7)))
}

/// The server has done by then what it does of itself.
fn pause() {
    riposte::sleep(Duration::from_millis(5)).unwrap();
}

fn ask(numbers: CID, opcode: Opcode) -> core::result::Result<Result, Error> {
    let id = opcode.to_usize().unwrap();
    send_message(numbers, Message::new_blocking_scalar(id, 7, 0, 0, 0))
}

fn send(numbers: CID, opcode: Opcode, number: usize) {
    let id = opcode.to_usize().unwrap();
    send_message(numbers, Message::new_scalar(id, number, 0, 0, 0)).unwrap();
}
