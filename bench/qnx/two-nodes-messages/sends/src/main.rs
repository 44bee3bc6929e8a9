//! Sends the publication's sizes to a server on another node and gets them back, as to one on its own. The host types a line
//! before each batch, and counts what both nodes execute until the next one.
#![no_std]
#![forbid(unsafe_code)]

use node_circuits::{PART, WINDOW};
use qnx_batches::{Parts, SIZES};
use riposte::sync::Mutex;
use riposte::{Connection, Deadline, Duration};
use riposte_names::Names;
use riposte_node::NodeError;

const LONGEST: usize = SIZES[SIZES.len() - 1];

/// Of as many parts as may be on the way, half are acknowledged at a time: until then the first of a half is as good as not taken.
const PARTS: Parts = Parts {
    bytes: PART,
    ahead: (WINDOW - WINDOW / 2 + 1) as usize,
};

/// What is sent, and what comes back.
static BYTES: Mutex<[[u8; LONGEST]; 2]> = Mutex::new([[0; LONGEST]; 2]);

#[riposte::main]
fn main() {
    qnx_batches::conduct(measure);
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
    qnx_batches::all("messages", &SIZES, Some(PARTS), |size| {
        there_and_back(&echo, &bytes[..size], back)
    })
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
