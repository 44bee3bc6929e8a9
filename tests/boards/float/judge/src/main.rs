//! Interrupts the workers, sends them signals, looks for their numbers in its own registers, leaves its own there,
//! and collects what the workers saw.
#![no_std]

use core::arch::asm;

use check::{equal, holds};
use riposte::signal::{self, Signal};
use riposte::{Deadline, Duration, Event};

/// What the workers' numbers begin with.
const SIGNS: [u32; 2] = [0xAA, 0xBB];

#[riposte::main]
fn main() {
    let results = riposte::channel("results").unwrap();
    let targets = ["worker-a", "worker-b"].map(|name| signal::target(name).unwrap());
    let mut seen = 0;
    let mut looks = 0;
    let mut kept = [false; 2];
    let mut kept_status = [false; 2];
    let mut handled = 0;
    let mut ended = 0;
    while ended < 2 && looks < 4000 {
        let soon = Deadline::At(riposte::Instant::now() + Duration::from_micros(137));
        let received = results.receive_until(&mut [], soon);
        let found = look_and_leave(0xCC00_0000 | looks);
        looks += 1;
        // Some come while the other one runs, some in the course of its handler.
        if looks % 7 == 0 {
            let _ = targets[looks as usize % 2].send(Signal::USER_1, 0);
        }
        seen += found
            .iter()
            .filter(|number| SIGNS.contains(&(*number >> 24)))
            .count();
        if let Ok(Event::Message(message)) = received {
            let [sign, whole, status, signals, _] = message.words();
            let which = usize::from(sign == SIGNS[1]);
            handled += signals;
            (kept[which], kept_status[which]) = (whole == 1, status == 1);
            ended += 1;
            message.reply_words([]).unwrap();
        }
    }
    equal(
        "floating-point registers survive preemption and handlers",
        kept,
        [true; 2],
    );
    equal(
        "rounding and comparisons survive preemption and handlers",
        kept_status,
        [true; 2],
    );
    equal("nobody sees another's floating-point registers", seen, 0);
    holds(
        "the workers were interrupted often",
        looks > 100 && handled > 50,
    );
    check::done();
}

/// What s0 to s31 hold; leaves `number` in all of them.
fn look_and_leave(number: u32) -> [u32; 32] {
    let mut found = [0; 32];
    let numbers = [number; 32];
    // SAFETY: reads and writes the two arrays; the registers are listed.
    unsafe {
        asm!(
            "vstmia {found}!, {{s0-s31}}",
            "vldmia {numbers}!, {{s0-s31}}",
            numbers = inout(reg) numbers.as_ptr() => _,
            found = inout(reg) found.as_mut_ptr() => _,
            out("d0") _, out("d1") _, out("d2") _, out("d3") _,
            out("d4") _, out("d5") _, out("d6") _, out("d7") _,
            out("d8") _, out("d9") _, out("d10") _, out("d11") _,
            out("d12") _, out("d13") _, out("d14") _, out("d15") _,
        );
    }
    found
}
