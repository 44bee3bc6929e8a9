//! The client task of the published REXIS benchmark: asks the SD-server task for 32 bytes of a
//! character, and checks them. The published figure is the time between setting a pin before the
//! send and clearing it after; here the board's timer is read in those two places.
#![no_std]

use measure::{Benchmark, Case, Counter, Figures, Meter};
use rexis::{Pid, REXIS_MessageSend, REXIS_TaskPid};
use riposte::println;

/// Bytes of a reply, as published.
const REQLEN: usize = 32;
/// The command that the server knows.
const CMD_READ: u8 = 1;
/// Operations before those that count.
const WARM_UP: u32 = 8;

struct Rexis;

impl Benchmark for Rexis {
    fn run<C: Counter>(meter: Meter<C>) {
        let iterations = riposte::setting("iterations").unwrap();
        // The server is more urgent than the client: it waits when the client sends.
        case(meter, iterations, "send-reply-32B", "sd-server-waiting");
        // The same, but the server replies and receives in one call.
        case(
            meter,
            iterations,
            "send-reply-32B-joined",
            "sd-server-joined",
        );
        // It is less urgent: its reply lets the client run, which sends again before it receives.
        case(meter, iterations, "client-first-32B", "sd-server-late");
    }
}

#[riposte::main]
fn main() {
    measure::measure::<Rexis>();
    println!("@done");
    let error = riposte::shutdown(0);
    panic!("shutdown: {error}");
}

#[inline(never)]
fn case<C: Counter>(meter: Meter<C>, iterations: u32, name: &'static str, server: &'static str) {
    let sd_server_task_pid = REXIS_TaskPid(server).unwrap();
    for _ in 0..WARM_UP {
        send(meter, &sd_server_task_pid, b'w');
    }
    let reading = meter.reading();
    let mut figures = Figures {
        iterations,
        operations: 1,
        ticks: 0,
        loop_ticks: reading * iterations,
        min_ticks: u32::MAX,
        max_ticks: 0,
    };
    meter.begin();
    for iteration in 0..iterations {
        let mych = b'A' + (iteration % 26) as u8;
        let (ticks, reqbuf) = send(meter, &sd_server_task_pid, mych);
        if reqbuf != [mych; REQLEN] {
            println!("@fail {name}: got {reqbuf:?} instead of {mych}s");
            return;
        }
        figures.ticks += ticks;
        figures.sample(ticks, reading);
    }
    meter.end();
    figures.report(Case {
        name,
        protected: true,
        bytes: REQLEN as u32,
    });
}

/// One operation as published: its ticks and the bytes that came back.
#[inline(always)]
fn send<C: Counter>(meter: Meter<C>, sd_server_task_pid: &Pid, mych: u8) -> (u32, [u8; REQLEN]) {
    let cmdbuf = [CMD_READ, mych];
    let mut reqbuf = [0; REQLEN];
    let mut answered = false;
    let ticks = meter.time(|| {
        answered = REXIS_MessageSend(sd_server_task_pid, &cmdbuf, 2, &mut reqbuf, REQLEN);
    });
    assert!(answered, "the server is gone");
    (ticks, reqbuf)
}
