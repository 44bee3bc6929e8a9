//! The emulator's side of the proxy: requests to its stub, and what it answers.

use std::collections::{BTreeSet, VecDeque};
use std::io::{BufReader, Write};
use std::os::unix::net::UnixStream;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};

use miette::{IntoDiagnostic, WrapErr, miette};

use super::system::System;
use super::target::{Memory, Target, unreadable};
use super::{Event, accepted};
use crate::board::Board;
use crate::build::Image;
use crate::card::Card;
use crate::child::{Ends, Running};
use crate::interrupt;
use crate::lab::Lab;
use crate::machine::{Engine, Owned, Pace};
use crate::plan::Region;
use crate::reaper;
use crate::rsp::{self, BREAK, OK, Packet, Socket};

/// How it says that the board was stopped.
const STOPPED: u8 = b'T';
/// How a command for its monitor begins, and each piece of what that prints.
const MONITOR: &[u8] = b"qRcmd,";
const OUTPUT: u8 = b'O';

/// An emulator that stands still, unless it was told to go on.
pub struct Emulator {
    stream: UnixStream,
    events: Receiver<Event>,
    /// What the debugger has said meanwhile.
    deferred: VecDeque<Event>,
    _running: Owned,
    _socket: Socket,
}

impl Emulator {
    /// Begins a run, and lets it go on to where the first process begins: before, there are no threads. What the debugger
    /// says is to be sent to what is returned beside it.
    ///
    /// # Errors
    /// If it does not run, or cannot be debugged.
    pub fn begin(
        lab: &Lab,
        board: &Board,
        image: &Image,
        card: Option<&Card>,
        system: &System<'_>,
    ) -> miette::Result<(Emulator, Sender<Event>)> {
        let (socket, listener) = Socket::bind(reaper::file("debug"))?;
        let engine = Engine::new(&lab.root, board, &image.file, Pace::Person)?;
        let engine = engine.with_devices(card.into_iter().flat_map(Card::arguments));
        let (program, arguments) = engine.command().split_first().expect("a program");
        let mut command = Command::new(program);
        command
            .args(arguments)
            .args(socket.arguments())
            .stdin(Stdio::null());
        let running = Running::start(&mut command, Ends::WhenAsked).map_err(|error| {
            miette!(
                help = "`./riposte doctor` says what is missing and how to get it",
                "{program} does not run: {error}"
            )
        })?;
        let mut running = Owned(running);
        listener.set_nonblocking(true).into_diagnostic()?;
        let (stream, _) = accepted(
            || listener.accept(),
            || match running.0.child.try_wait() {
                Ok(Some(status)) => {
                    Err(miette!("{program} ended before the board began: {status}"))
                }
                _ => interrupt::check(),
            },
        )?;
        stream.set_nonblocking(false).into_diagnostic()?;
        let (mut emulator, say) = Emulator::new(stream, running, socket)?;
        emulator.prepare()?;
        emulator.start(system)?;
        Ok((emulator, say))
    }

    /// One that is connected.
    fn new(
        stream: UnixStream,
        running: Owned,
        socket: Socket,
    ) -> miette::Result<(Emulator, Sender<Event>)> {
        let (say, events) = channel();
        forward(stream.try_clone().into_diagnostic()?, say.clone());
        let emulator = Emulator {
            stream,
            events,
            deferred: VecDeque::new(),
            _running: running,
            _socket: socket,
        };
        Ok((emulator, say))
    }

    fn prepare(&mut self) -> miette::Result<()> {
        // Addresses are the machine's: a thread that does not run has an address space of its own.
        if self.ask(b"Qqemu.PhyMemMode:1")? != OK {
            return Err(miette!("this QEMU does not show the memory of the machine"));
        }
        // It tells single registers only to who has asked what they are.
        self.ask(b"qXfer:features:read:target.xml:0,400").map(drop)
    }

    fn start(&mut self, system: &System<'_>) -> miette::Result<()> {
        let entries: BTreeSet<u32> = system.entries().collect();
        for entry in &entries {
            self.order(&format!("Z0,{entry:x},2"))?;
        }
        if self.ask(b"c")?.first() != Some(&STOPPED) {
            return Err(miette!("the board has ended before a process began"));
        }
        for entry in &entries {
            self.order(&format!("z0,{entry:x},2"))?;
        }
        Ok(())
    }

    /// Lets it go on, or do one step, or asks it something.
    fn tell(&mut self, request: &[u8]) -> miette::Result<()> {
        rsp::write(&mut self.stream, request)
            .into_diagnostic()
            .wrap_err("the emulator has ended")
    }

    /// Asks it to stop.
    fn stop(&mut self) -> miette::Result<()> {
        let told = self.stream.write_all(&[BREAK]);
        told.into_diagnostic().wrap_err("the emulator has ended")
    }

    /// What was said next.
    fn next(&mut self) -> miette::Result<Event> {
        let event = self.events.recv();
        event.map_err(|_| miette!("the emulator has ended"))
    }

    /// What was said next, while it goes on: what is to stop it may have come when it was asked something, and comes first.
    fn next_while_it_runs(&mut self) -> miette::Result<Event> {
        let stops_it = |it: &Event| matches!(it, Event::Break | Event::DebuggerGone);
        let place = self.deferred.iter().position(stops_it);
        match place.and_then(|it| self.deferred.remove(it)) {
            Some(event) => Ok(event),
            None => self.next(),
        }
    }
}

impl Target for Emulator {
    fn rests(&self) -> Option<&'static str> {
        None
    }

    fn ask(&mut self, request: &[u8]) -> miette::Result<Vec<u8>> {
        self.tell(request)?;
        // A command for its monitor may be answered in pieces, and then by a last word.
        let mut output = vec![];
        loop {
            match self.next()? {
                Event::Emulator(piece)
                    if request.starts_with(MONITOR)
                        && piece != OK
                        && piece.starts_with(&[OUTPUT]) =>
                {
                    output.extend_from_slice(&piece[1..]);
                }
                Event::Emulator(answer) if output.is_empty() || answer != OK => return Ok(answer),
                Event::Emulator(_) => return Ok(output),
                Event::EmulatorGone => {
                    // Whoever can do without the answer hears it next.
                    self.deferred.push_front(Event::EmulatorGone);
                    return Err(miette!("the emulator has ended"));
                }
                other => self.deferred.push_back(other),
            }
        }
    }

    fn write(&mut self, base: u32, bytes: &[u8]) -> miette::Result<()> {
        let mut base = base;
        for part in bytes.chunks(rsp::MOST as usize) {
            let digits = rsp::digits(part);
            self.order(&format!("M{base:x},{:x}:{digits}", part.len()))?;
            base = base.wrapping_add(part.len() as u32);
        }
        Ok(())
    }

    fn resume(&mut self, verb: &[u8]) -> miette::Result<Option<(Vec<u8>, bool)>> {
        self.tell(verb)?;
        let (mut asked, mut gone) = (false, false);
        loop {
            match self.next_while_it_runs()? {
                Event::Emulator(reply) if reply.first() == Some(&STOPPED) => {
                    let reply = if gone { vec![] } else { reply };
                    return Ok(Some((reply, asked)));
                }
                Event::Emulator(reply) if matches!(reply.first(), Some(b'W' | b'X')) => {
                    return Ok(None);
                }
                Event::Emulator(_) => {}
                Event::EmulatorGone => return Ok(None),
                Event::Break => {
                    asked = true;
                    self.stop()?;
                }
                Event::DebuggerGone => {
                    gone = true;
                    self.stop()?;
                }
                request @ Event::Debugger(_) => self.deferred.push_back(request),
            }
        }
    }

    fn request(&mut self) -> miette::Result<Event> {
        match self.deferred.pop_front() {
            Some(event) => Ok(event),
            None => self.next(),
        }
    }

    fn forget(&mut self) {
        self.deferred.clear();
        while self.events.try_recv().is_ok() {}
    }
}

impl Memory for Emulator {
    fn read(&mut self, region: Region) -> miette::Result<Vec<u8>> {
        let memory = rsp::memory(region, |request| self.ask(request.as_bytes()))?;
        memory.ok_or_else(|| unreadable(region.base))
    }
}

/// Hands on what the emulator says.
fn forward(stream: UnixStream, events: Sender<Event>) {
    std::thread::spawn(move || {
        let mut reader = BufReader::new(&stream);
        while let Ok(packet) = rsp::read(&mut reader) {
            let Packet::Said(said) = packet else { continue };
            if rsp::acknowledge(&mut &stream).is_err()
                || events.send(Event::Emulator(said)).is_err()
            {
                break;
            }
        }
        let _ = events.send(Event::EmulatorGone);
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::io::Read;
    use std::time::Duration;

    /// How long a stub that was let go waits for the request that it stop.
    const A_WHILE: Duration = Duration::from_secs(5);

    /// An emulator whose stub is at the far end.
    fn emulator(folder: &std::path::Path) -> (Emulator, Sender<Event>, UnixStream) {
        let (socket, _) = Socket::bind(folder.join("stub")).expect("bound");
        let mut sleep = Command::new("sleep");
        let running = Running::start(sleep.arg("60"), Ends::ByOwner).expect("it runs");
        let (near, far) = UnixStream::pair().expect("a pair");
        let (emulator, say) = Emulator::new(near, Owned(running), socket).expect("connected");
        (emulator, say, far)
    }

    #[test]
    fn what_the_monitor_prints_in_pieces_is_one_answer() {
        for (pieces, answer) in [
            (&["O6869", "O0a", "OK"][..], &b"68690a"[..]),
            (&["OK"], b"OK"),
            (&["E01"], b"E01"),
        ] {
            let folder = tempfile::tempdir().expect("a directory");
            let (mut emulator, _say, mut far) = emulator(folder.path());
            let stub = std::thread::spawn(move || {
                assert!(matches!(rsp::read(&mut far), Ok(Packet::Said(_))));
                for piece in pieces {
                    rsp::write(&mut far, piece.as_bytes()).unwrap();
                }
                far
            });
            assert_eq!(emulator.ask(b"qRcmd,68").unwrap(), answer);
            stub.join().expect("a stub");
        }
    }

    #[test]
    fn who_can_do_without_the_answer_of_an_emulator_that_has_ended_hears_of_its_end() {
        let folder = tempfile::tempdir().expect("a directory");
        let (mut emulator, _say, mut far) = emulator(folder.path());
        let stub = std::thread::spawn(move || {
            assert!(matches!(rsp::read(&mut far), Ok(Packet::Said(_))));
        });
        assert!(emulator.ask(b"m0,4").is_err());
        stub.join().expect("a stub");
        assert!(matches!(emulator.request(), Ok(Event::EmulatorGone)));
    }

    #[test]
    fn memory_is_written_by_requests_that_the_emulator_takes() {
        const MUCH: usize = 0x1000;
        let folder = tempfile::tempdir().expect("a directory");
        let (mut emulator, _say, mut far) = emulator(folder.path());
        let stub = std::thread::spawn(move || {
            let mut written = vec![];
            while written.len() < MUCH {
                let Ok(Packet::Said(said)) = rsp::read(&mut far) else {
                    panic!("it has gone");
                };
                assert!(said.len() < MUCH, "{}", said.len());
                let (place, digits) =
                    said.split_at(said.iter().position(|it| *it == b':').unwrap());
                let bytes = rsp::bytes(&digits[1..]).expect("bytes");
                let due = format!("M{:x},{:x}", 0x8000 + written.len(), bytes.len());
                assert_eq!(String::from_utf8_lossy(place), due);
                written.extend(bytes);
                rsp::write(&mut far, OK).unwrap();
            }
            // Who has answered stays until the answer is acknowledged.
            (written, far)
        });
        let bytes: Vec<u8> = (0..MUCH).map(|it| it as u8).collect();
        emulator.write(0x8000, &bytes).unwrap();
        let (written, _far) = stub.join().expect("a stub");
        assert_eq!(written, bytes);
    }

    #[test]
    fn a_debugger_that_wants_a_stop_while_the_board_is_asked_stops_it_when_it_goes_on() {
        for (said, reply, asked) in [
            (Event::Break, &b"T02"[..], true),
            (Event::DebuggerGone, b"", false),
        ] {
            let folder = tempfile::tempdir().expect("a directory");
            let (mut emulator, say, mut far) = emulator(folder.path());
            let stub = std::thread::spawn(move || {
                assert_eq!(rsp::read(&mut far).unwrap(), Packet::Said(b"p20".to_vec()));
                say.send(said).expect("somebody listens");
                rsp::write(&mut far, b"00010000").unwrap();
                assert_eq!(rsp::read(&mut far).unwrap(), Packet::Said(b"c".to_vec()));
                far.set_read_timeout(Some(A_WHILE)).unwrap();
                let next = BufReader::new(&far)
                    .bytes()
                    .map_while(Result::ok)
                    .find(|it| *it != b'+');
                rsp::write(&mut far, b"T02").unwrap();
                (next, far)
            });
            assert_eq!(emulator.ask(b"p20").unwrap(), b"00010000");
            let stopped = emulator.resume(b"c").unwrap();
            let (heard, _far) = stub.join().expect("a stub");
            assert_eq!(heard, Some(BREAK));
            assert_eq!(stopped, Some((reply.to_vec(), asked)));
        }
    }
}
