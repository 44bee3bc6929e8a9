//! Sends the publication's sizes to a server on another node and gets them back, as to one on its own. The host types a line
//! before each batch, and counts what both nodes execute until the next one.
#![no_std]
#![forbid(unsafe_code)]

use riposte::sync::Mutex;
use riposte::{Connection, Deadline, Duration, console, println};
use riposte_names::Names;
use riposte_node::NodeError;

/// The bytes of a transfer, as they were published; but for the longest, 22,528, which a node has no memory for both ways.
const SIZES: [usize; 17] = [
    1, 32, 100, 128, 512, 1024, 2048, 2560, 3072, 3584, 4096, 5120, 6144, 8192, 10_240, 12_288,
    LONGEST,
];
const LONGEST: usize = 15_369;
/// How often there and back, batch by batch: what the last two differ by is free of what begins and ends a batch.
const TURNS: [u32; 3] = [1, 3, 9];

/// What is sent, and what comes back.
static BYTES: Mutex<[[u8; LONGEST]; 2]> = Mutex::new([[0; LONGEST]; 2]);

#[riposte::main]
fn main() {
    match measure() {
        Ok(()) => println!("@done"),
        Err(why) => println!("@fail {why}"),
    }
    wait();
    let _ = riposte::shutdown(0);
}

/// Waits for the host.
fn wait() {
    let mut line = [0; 8];
    if let Err(error) = console::read_line(&mut line) {
        println!("@fail {error}");
    }
}

fn measure() -> Result<(), &'static str> {
    let mut all = BYTES.lock().map_err(|_| "another thread has the bytes")?;
    let [bytes, back] = &mut *all;
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = (at * 7) as u8;
    }
    let names = Names::connect().unwrap();
    let found = names.locate_until("//far/echo", Deadline::None);
    let echo = found.map_err(|_| "there is no such name")?.connection;
    wait_for_the_other(&echo)?;
    for size in SIZES {
        for turns in TURNS {
            println!("@batch messages {size} {turns}");
            wait();
            for _ in 0..turns {
                there_and_back(&echo, &bytes[..size], back)?;
            }
        }
    }
    Ok(())
}

/// Until the other node runs, and its server has registered its name.
fn wait_for_the_other(echo: &Connection) -> Result<(), &'static str> {
    for _ in 0..100 {
        let reply = echo.send(&[0], &mut [0; 1]);
        if reply.is_ok_and(|reply| NodeError::of(reply.status).is_none()) {
            // What comes late is none of what is measured.
            return riposte::sleep(Duration::from_secs(1)).map_err(|_| "there is no time");
        }
        riposte::sleep(Duration::from_millis(100)).map_err(|_| "there is no time")?;
    }
    Err("the other node does not answer")
}

fn there_and_back(
    echo: &Connection,
    bytes: &[u8],
    back: &mut [u8; LONGEST],
) -> Result<(), &'static str> {
    let reply = echo.send(bytes, back).map_err(|_| "it is not sent")?;
    if NodeError::of(reply.status).is_some() {
        return Err("it does not come back");
    }
    if back.get(..reply.len) != Some(bytes) {
        return Err("something else comes back");
    }
    Ok(())
}
