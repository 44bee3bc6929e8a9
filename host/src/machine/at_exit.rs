//! Looks at an emulated board a last time when its application ends the run, or when somebody else has stopped it.
//!
//! The emulator ends at once when the kernel tells it to, so that there would be nothing left to look at. So the host
//! is its debugger, by the protocol of gdb: the board stops before that, is looked at, and goes on. It stops nowhere
//! else to go on from there: an emulator that skips what is slept takes a processor that has stopped for its debugger for
//! one that sleeps, and sets its clock to the next timer.

use std::io::Read;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use super::memory::Memory;
use super::ring::Reader;
use crate::plan::Region;
use crate::rsp::{self, OK, Packet, Socket};

/// How its answer begins when the board has stopped,
const STOPPED: &[u8] = b"T";
/// and when it has come to the place; any other reason to stop is somebody else's.
const AT_THE_PLACE: &[u8] = b"T05";

/// Waits for the end of a run, in a thread of its own.
pub(super) struct AtExit<T> {
    socket: Socket,
    seen: Receiver<T>,
}

impl<T: Send + 'static> AtExit<T> {
    /// Looks at the board when it comes to the address `exit`, and has its trace read there; or, if `always`, wherever
    /// it is stopped.
    pub(super) fn new(
        socket: PathBuf,
        exit: u32,
        always: bool,
        trace: Option<Reader>,
        look: impl FnOnce(&mut Stub) -> Option<T> + Send + 'static,
    ) -> miette::Result<Self> {
        let (socket, listener) = Socket::bind(socket)?;
        let (sender, seen) = channel();
        std::thread::spawn(move || {
            if let Ok((stream, _)) = listener.accept() {
                // An emulator that has ended otherwise answers no more, and there is nothing to see.
                let _ = debug(stream, (exit, always), trace, look, &sender);
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

    /// What is seen of a board that was stopped elsewhere, if it is looked at there.
    pub(super) fn seen_within(&self, patience: Duration) -> Option<T> {
        self.seen.recv_timeout(patience).ok()
    }
}

fn debug<T>(
    stream: UnixStream,
    (exit, always): (u32, bool),
    trace: Option<Reader>,
    look: impl FnOnce(&mut Stub) -> Option<T>,
    seen: &Sender<T>,
) -> std::io::Result<()> {
    let mut emulator = Stub(stream);
    if emulator.ask(&format!("Z0,{exit:x},2"))? != OK {
        return emulator.ask("D").map(drop);
    }
    let stop = emulator.ask("c")?;
    let is_at_exit = stop.starts_with(AT_THE_PLACE);
    if is_at_exit && let Some(trace) = &trace {
        trace.read_to_end(&mut emulator);
    }
    if is_at_exit || always && stop.starts_with(STOPPED) {
        // Who does not want to know any more has gone.
        let _ = look(&mut emulator).map(|found| seen.send(found));
    }
    if is_at_exit {
        emulator.ask("D")?;
    }
    // The run goes on as long as there is a debugger.
    emulator.0.read_to_end(&mut vec![]).map(drop)
}

/// The emulator's side of the protocol.
pub(super) struct Stub(UnixStream);

impl Stub {
    /// The processor's registers, as the emulator orders them.
    pub(super) fn registers(&mut self) -> Option<Vec<u32>> {
        // Who has not asked what they are is told those of old.
        self.ask("qXfer:features:read:target.xml:0,400").ok()?;
        let bytes = rsp::bytes(&self.ask("g").ok()?)?;
        let (words, rest) = bytes.as_chunks::<4>();
        let is_whole = rest.is_empty() && !words.is_empty();
        is_whole.then(|| words.iter().map(|it| u32::from_le_bytes(*it)).collect())
    }

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
