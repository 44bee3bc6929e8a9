//! Looks at an emulated board a last time when its application ends the run.
//!
//! The emulator ends at once when the kernel tells it to, so that there would be nothing left to look at. So the host
//! is its debugger, by the protocol of gdb: the board stops before that, is looked at, and goes on. It stops nowhere
//! else: an emulator that skips what is slept takes a processor that has stopped for its debugger for one that sleeps,
//! and sets its clock to the next timer.

use std::io::Read;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};

use super::memory::Memory;
use super::ring::Reader;
use crate::plan::Region;
use crate::rsp::{self, OK, Packet, Socket};

/// How its answer begins when the board has come to the place; any other reason to stop is somebody else's.
const AT_THE_PLACE: &[u8] = b"T05";

/// Waits for the end of a run, in a thread of its own.
pub(super) struct AtExit<T> {
    socket: Socket,
    seen: Receiver<T>,
}

impl<T: Send + 'static> AtExit<T> {
    /// Looks at the board when it comes to the address `exit`, and has its trace read there.
    pub(super) fn new(
        socket: PathBuf,
        exit: u32,
        trace: Option<Reader>,
        look: impl FnOnce() -> Option<T> + Send + 'static,
    ) -> miette::Result<Self> {
        let (socket, listener) = Socket::bind(socket)?;
        let (sender, seen) = channel();
        std::thread::spawn(move || {
            if let Ok((stream, _)) = listener.accept() {
                // An emulator that has ended otherwise answers no more, and there is nothing to see.
                let _ = debug(stream, exit, trace, look, &sender);
            }
        });
        Ok(AtExit { socket, seen })
    }

    /// The emulator waits until the debugger lets it go.
    pub(super) fn arguments(&self) -> [String; 3] {
        self.socket.arguments()
    }

    /// What was seen, if the emulator has ended that way.
    pub(super) fn seen(&self) -> Option<T> {
        self.seen.try_recv().ok()
    }
}

fn debug<T>(
    stream: UnixStream,
    exit: u32,
    trace: Option<Reader>,
    look: impl FnOnce() -> Option<T>,
    seen: &Sender<T>,
) -> std::io::Result<()> {
    let mut emulator = Stub(stream);
    if emulator.ask(&format!("Z0,{exit:x},2"))? != OK {
        return emulator.ask("D").map(drop);
    }
    if emulator.ask("c")?.starts_with(AT_THE_PLACE) {
        if let Some(trace) = &trace {
            trace.read_to_end(&mut emulator);
        }
        // Who does not want to know any more has gone.
        let _ = look().map(|found| seen.send(found));
        emulator.ask("D")?;
    }
    // The run goes on as long as there is a debugger.
    emulator.0.read_to_end(&mut vec![]).map(drop)
}

/// The emulator's side of the protocol.
struct Stub(UnixStream);

impl Stub {
    /// Sends a request, and waits for its answer.
    fn ask(&mut self, request: &str) -> std::io::Result<Vec<u8>> {
        rsp::write(&mut self.0, request.as_bytes())?;
        loop {
            if let Packet::Said(answer) = rsp::read(&mut self.0)? {
                rsp::acknowledge(&mut self.0)?;
                return Ok(answer);
            }
        }
    }
}

impl Memory for Stub {
    fn read(&mut self, region: Region) -> Option<Vec<u8>> {
        rsp::memory(region, |request| self.ask(request)).ok()?
    }
}
