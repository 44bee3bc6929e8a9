//! The writers' node: reads the pipe and sends what is there.

use riposte::{Connection, Duration, Error, Instant};
use riposte_node::NodeError;
use riposte_pipe::{PipeError, Pipes};

use crate::{HEAD, PIECE, SILENCE, WORD, operation};

/// How long it waits before it says something again.
const PAUSE: Duration = Duration::from_millis(50);

/// The stream has ended before its time.
struct Over;

/// Sends one stream after the other, for ever.
pub fn run(pipes: &Pipes, name: &str) -> ! {
    let mut link = Link {
        there: riposte::connect("there").unwrap(),
        stream: 0,
        number: 0,
    };
    loop {
        // The end is closed when this returns, so that writers learn that nobody reads.
        if stream(pipes, name, &mut link).is_err() {
            let _ = riposte::sleep(PAUSE);
        }
    }
}

fn stream(pipes: &Pipes, name: &str, link: &mut Link) -> Result<(), Over> {
    let mut frame = [0; HEAD + PIECE];
    // Nothing is read before the other end is there: writers wait.
    while link.begin(&mut frame).is_err() {
        let _ = riposte::sleep(PAUSE);
    }
    let reader = match pipes.reader(name) {
        Ok(reader) => reader,
        Err(error) => panic!("the pipe {name}: {error}"),
    };
    loop {
        match reader.read_until(&mut frame[HEAD..], Instant::now() + WORD) {
            Ok(0) => return link.ask(operation::END, &mut frame, 0).map(drop),
            Ok(length) => link.send(&mut frame, length)?,
            Err(PipeError::TimedOut) => drop(link.ask(operation::PIECE, &mut frame, 0)?),
            Err(error) => panic!("the pipe {name}: {error}"),
        }
    }
}

/// The circuit to the other end, and what has been said by it.
struct Link {
    there: Connection,
    stream: u32,
    number: u32,
}

impl Link {
    fn begin(&mut self, frame: &mut [u8; HEAD + PIECE]) -> Result<(), Over> {
        self.stream = 0;
        // Another stream, of another life too, begins with another one.
        self.number = (Instant::now().as_nanos() / 1000) as u32;
        self.stream = self.ask(operation::BEGIN, frame, 0)?;
        self.number = 0;
        Ok(())
    }

    /// Sends the first bytes of a piece, until all are in the pipe there.
    fn send(&mut self, frame: &mut [u8; HEAD + PIECE], length: usize) -> Result<(), Over> {
        let mut left = length;
        while left > 0 {
            let taken = self.ask(operation::PIECE, frame, left)? as usize;
            if taken > left {
                return Err(Over);
            }
            frame.copy_within(HEAD + taken..HEAD + left, HEAD);
            left -= taken;
        }
        Ok(())
    }

    /// Says something with these bytes, again and again as long as it is not known whether it has come: with the same number.
    fn ask(
        &mut self,
        what: u32,
        frame: &mut [u8; HEAD + PIECE],
        length: usize,
    ) -> Result<u32, Over> {
        self.number = self.number.wrapping_add(1);
        let head = [what, self.stream, self.number].map(u32::to_le_bytes);
        frame[..HEAD].copy_from_slice(head.as_flattened());
        let end = Instant::now() + SILENCE;
        loop {
            let mut answer = [0; 4];
            match self
                .there
                .send_until(&frame[..HEAD + length], &mut answer, end)
            {
                Ok(reply) if reply.status.is_ok() => return Ok(u32::from_le_bytes(answer)),
                Ok(reply) if NodeError::of(reply.status).is_none() => return Err(Over),
                Err(Error::ServerDied) => drop(self.there.reconnect()),
                Ok(_) | Err(_) => {}
            }
            if Instant::now() >= end {
                return Err(Over);
            }
            let _ = riposte::sleep(PAUSE);
        }
    }
}
