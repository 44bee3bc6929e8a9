//! Round trips of messages in memory: N bytes there and N back.

use core_echo::LARGEST;
use measure::{Case, Counter, Figures, Meter};
use riposte::{Connection, Reply, Status, println};

use crate::words::failed;

/// All sizes, across processes and within one. The largest run less often, in the same time.
pub fn all<C: Counter>(meter: Meter<C>, iterations: u32) {
    let mut buffers = Buffers {
        request: [0; LARGEST],
        answer: [0; LARGEST],
    };
    for (protected, server) in [(true, "bytes"), (false, "local-bytes")] {
        let server = riposte::connect(server).unwrap();
        let mut bench = Bench {
            meter,
            protected,
            server,
            buffers: &mut buffers,
        };
        bench.round_trip::<32>("rt-32B", iterations);
        bench.round_trip::<480>("rt-480B", iterations);
        bench.round_trip::<4096>("rt-4096B", iterations.div_ceil(4));
        bench.round_trip::<LARGEST>("rt-64KiB", iterations.div_ceil(32));
    }
}

struct Buffers {
    request: [u8; LARGEST],
    answer: [u8; LARGEST],
}

struct Bench<'a, C> {
    meter: Meter<C>,
    protected: bool,
    server: Connection,
    buffers: &'a mut Buffers,
}

impl<C: Counter> Bench<'_, C> {
    /// Messages of a length that the program knows when it is compiled, as that of a type would be.
    #[inline(never)]
    fn round_trip<const LENGTH: usize>(&mut self, name: &'static str, iterations: u32) {
        let case = Case {
            name,
            protected: self.protected,
            bytes: LENGTH as u32,
        };
        let request = self.buffers.request.first_chunk_mut::<LENGTH>().unwrap();
        let answer = self.buffers.answer.first_chunk_mut::<LENGTH>().unwrap();
        fill(request);
        answer.fill(0);
        let (figures, reply) = measured(self.meter, iterations, &self.server, request, answer);
        match check(answer, reply) {
            Ok(()) => figures.report(case),
            Err(Wrong::Cut) => println!("@fail {name}: a reply was cut"),
            Err(Wrong::Byte(position)) => println!(
                "@fail {name}: byte {position} came back as {}",
                answer[position]
            ),
        }
    }
}

/// The measured loop stands alone, so that the registers are its own. Returns the last reply, too.
#[inline(never)]
fn measured<C: Counter, const LENGTH: usize>(
    meter: Meter<C>,
    iterations: u32,
    server: &Connection,
    request: &[u8; LENGTH],
    answer: &mut [u8; LENGTH],
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

/// What is wrong with a reply.
enum Wrong {
    Cut,
    Byte(usize),
}

#[inline(never)]
fn fill(request: &mut [u8]) {
    let seed = request.len();
    for (position, byte) in request.iter_mut().enumerate() {
        *byte = pattern(position, seed);
    }
}

/// The server sends back what it got, with one added to the first byte.
#[inline(never)]
fn check(answer: &[u8], reply: Reply) -> Result<(), Wrong> {
    if (reply.len, reply.offered) != (answer.len(), answer.len()) {
        return Err(Wrong::Cut);
    }
    let seed = answer.len();
    let is_wrong =
        |(position, byte): (usize, &u8)| *byte != pattern(position, seed) + u8::from(position == 0);
    match answer.iter().enumerate().position(is_wrong) {
        Some(position) => Err(Wrong::Byte(position)),
        None => Ok(()),
    }
}

/// The byte that is sent at `position`, never 0 or 255.
fn pattern(position: usize, seed: usize) -> u8 {
    (position.wrapping_mul(7).wrapping_add(seed) % 251) as u8 + 1
}
