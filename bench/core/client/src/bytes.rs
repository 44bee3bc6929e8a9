//! Round trips of messages in memory: N bytes there and N back.

use core_echo::LARGEST;
use measure::{Case, Counter, Figures, Meter};
use riposte::{Connection, Reply, Status, println};

use crate::words::failed;

/// The cases and their sizes in bytes. The largest runs less often, in the same time.
const CASES: [(&str, usize, u32); 4] = [
    ("rt-32B", 32, 1),
    ("rt-480B", 480, 1),
    ("rt-4096B", 4096, 4),
    ("rt-64KiB", LARGEST, 32),
];

/// All sizes, across processes and within one.
pub fn all<C: Counter>(meter: Meter<C>, iterations: u32) {
    let mut request = [0_u8; LARGEST];
    let mut answer = [0_u8; LARGEST];
    for (name, length, share) in CASES {
        for (protected, server) in [(true, "bytes"), (false, "local-bytes")] {
            let case = Case {
                name,
                protected,
                bytes: length as u32,
            };
            let (request, answer) = (&mut request[..length], &mut answer[..length]);
            round_trip(
                meter,
                case,
                server,
                iterations.div_ceil(share),
                request,
                answer,
            );
        }
    }
}

#[inline(never)]
fn round_trip<C: Counter>(
    meter: Meter<C>,
    case: Case,
    server: &'static str,
    iterations: u32,
    request: &mut [u8],
    answer: &mut [u8],
) {
    let server = riposte::connect(server).unwrap();
    for (position, byte) in request.iter_mut().enumerate() {
        *byte = pattern(position, case.bytes);
    }
    answer.fill(0);
    let (figures, reply) = measured(meter, iterations, &server, request, answer);
    let whole = (reply.len, reply.offered) == (answer.len(), answer.len());
    // The server adds one to the first byte.
    let wrong = answer.iter().enumerate().find(|(position, byte)| {
        **byte != pattern(*position, case.bytes) + u8::from(*position == 0)
    });
    match wrong {
        None if whole => figures.report(case),
        None => println!("@fail {}: a reply was cut", case.name),
        Some((position, byte)) => {
            println!("@fail {}: byte {position} came back as {byte}", case.name);
        }
    }
}

/// The measured loop stands alone, so that the registers are its own. Returns the last reply, too.
#[inline(never)]
fn measured<C: Counter>(
    meter: Meter<C>,
    iterations: u32,
    server: &Connection,
    request: &[u8],
    answer: &mut [u8],
) -> (Figures, Reply) {
    let mut last = Reply {
        status: Status::OK,
        len: 0,
        offered: 0,
        accepted: 0,
    };
    let figures = meter.measure(iterations, || match server.send(request, answer) {
        Ok(reply) => last = reply,
        Err(error) => failed(error),
    });
    (figures, last)
}

/// The byte that is sent at `position`, never 0 or 255.
fn pattern(position: usize, seed: u32) -> u8 {
    (position.wrapping_mul(7).wrapping_add(seed as usize) % 251) as u8 + 1
}
