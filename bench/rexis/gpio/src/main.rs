//! The client task of the published REXIS benchmark as it was published: a pin is set before the send
//! and cleared after it. The host reads the pulses from the board's waveform.
#![no_std]

use rexis::{REXIS_MessageSend, REXIS_TaskPid};
use riposte::{Peripheral, println};

/// Bytes of a reply, as published.
const REQLEN: usize = 32;
/// The command that the server knows.
const CMD_READ: u8 = 1;
/// Operations before those that count.
const WARM_UP: u32 = 8;
/// Pulses with nothing in them: what setting and clearing the pin takes.
const EMPTY: u32 = 8;

/// The pin: the first of the board's GPIO.
#[derive(Clone, Copy)]
struct Pin {
    gpio: Peripheral,
}

impl Pin {
    /// Registers that set and clear the pins whose bits are 1 (`sim/README.md`).
    const SET: u32 = 0x4;
    const CLEAR: u32 = 0x8;

    #[inline(always)]
    fn pulse(self, work: impl FnOnce()) {
        self.gpio.write(Pin::SET, 1);
        work();
        self.gpio.write(Pin::CLEAR, 1);
    }

    /// A pulse with nothing in it.
    #[inline(never)]
    fn empty(self) {
        self.pulse(|| {});
    }
}

#[riposte::main]
fn main() {
    let gpio = riposte::peripheral("gpio0").unwrap();
    assert_eq!(gpio.kind(), "sim-gpio", "no pin that the waveform shows");
    let iterations = riposte::setting("iterations").unwrap();
    // The server is more urgent than the client: it waits when the client sends.
    case(
        Pin { gpio },
        iterations,
        "send-reply-32B-gpio",
        "sd-server-waiting",
    );
    // It is less urgent: its reply lets the client run, which sends again before it receives.
    case(
        Pin { gpio },
        iterations,
        "client-first-32B-gpio",
        "sd-server-late",
    );
    println!("@done");
    let error = riposte::shutdown(0);
    panic!("shutdown: {error}");
}

#[inline(never)]
fn case(pin: Pin, iterations: u32, name: &'static str, server: &'static str) {
    let sd_server_task_pid = REXIS_TaskPid(server).unwrap();
    for _ in 0..EMPTY {
        pin.empty();
    }
    for iteration in 0..WARM_UP + iterations {
        let mych = b'A' + (iteration % 26) as u8;
        let cmdbuf = [CMD_READ, mych];
        let mut reqbuf = [0; REQLEN];
        let mut answered = false;
        pin.pulse(|| {
            answered = REXIS_MessageSend(&sd_server_task_pid, &cmdbuf, 2, &mut reqbuf, REQLEN);
        });
        if !answered || reqbuf != [mych; REQLEN] {
            println!("@fail {name}: got {reqbuf:?} instead of {mych}s");
            return;
        }
    }
    println!(
        "@pulses {{\"case\":\"{name}\",\"protected\":true,\"bytes\":{REQLEN},\"empty\":{EMPTY},\
         \"warm_up\":{WARM_UP},\"operations\":{iterations}}}"
    );
}
