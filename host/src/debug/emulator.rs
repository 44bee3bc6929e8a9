//! The emulator's side of the proxy: requests to its stub, and what it answers.

use std::io::Write;
use std::os::unix::net::UnixStream;

use miette::{IntoDiagnostic, WrapErr, miette};

use super::Event;
use crate::plan::Region;
use crate::rsp::{self, BREAK, OK};
use std::collections::VecDeque;
use std::sync::mpsc::Receiver;

/// The memory of the machine, by its own addresses.
pub trait Memory {
    /// What lies there.
    ///
    /// # Errors
    /// If it cannot be read.
    fn read(&mut self, region: Region) -> miette::Result<Vec<u8>>;

    /// A word.
    ///
    /// # Errors
    /// If it cannot be read.
    fn word(&mut self, base: u32) -> miette::Result<u32> {
        let bytes = self.read(Region { base, size: 4 })?;
        let bytes = bytes.try_into().map_err(|_| unreadable(base))?;
        Ok(u32::from_le_bytes(bytes))
    }
}

fn unreadable(base: u32) -> miette::Report {
    miette!("the board's memory at {base:#010x} cannot be read")
}

/// An emulator that stands still, unless it was told to go on.
pub struct Emulator {
    stream: UnixStream,
    events: Receiver<Event>,
    /// What the debugger has said meanwhile.
    deferred: VecDeque<Event>,
}

impl Emulator {
    /// The one at the other end of `stream`. What it says, and what the debugger says, comes as `events`.
    ///
    /// # Errors
    /// If it cannot be debugged.
    pub fn new(stream: UnixStream, events: Receiver<Event>) -> miette::Result<Emulator> {
        let mut emulator = Emulator {
            stream,
            events,
            deferred: VecDeque::new(),
        };
        // Addresses are the machine's: a thread that does not run has an address space of its own.
        if emulator.ask(b"Qqemu.PhyMemMode:1")? != OK {
            return Err(miette!("this QEMU does not show the memory of the machine"));
        }
        // It tells single registers only to who has asked what they are.
        emulator.ask(b"qXfer:features:read:target.xml:0,400")?;
        Ok(emulator)
    }

    /// What it answers to a request.
    ///
    /// # Errors
    /// If it has ended.
    pub fn ask(&mut self, request: &[u8]) -> miette::Result<Vec<u8>> {
        self.tell(request)?;
        loop {
            match self.next()? {
                Event::Emulator(answer) => return Ok(answer),
                Event::EmulatorGone => return Err(miette!("the emulator has ended")),
                other => self.deferred.push_back(other),
            }
        }
    }

    /// As [`Emulator::ask`], whether it has done it.
    ///
    /// # Errors
    /// If it has ended, or has not.
    pub fn order(&mut self, request: &str) -> miette::Result<()> {
        if self.ask(request.as_bytes())? == OK {
            return Ok(());
        }
        Err(miette!("the emulator refuses `{request}`"))
    }

    /// Lets it go on, or do one step.
    ///
    /// # Errors
    /// If it has ended.
    pub fn tell(&mut self, request: &[u8]) -> miette::Result<()> {
        rsp::write(&mut self.stream, request)
            .into_diagnostic()
            .wrap_err("the emulator has ended")
    }

    /// Asks it to stop.
    ///
    /// # Errors
    /// If it has ended.
    pub fn stop(&mut self) -> miette::Result<()> {
        let told = self.stream.write_all(&[BREAK]);
        told.into_diagnostic().wrap_err("the emulator has ended")
    }

    /// What was said next.
    ///
    /// # Errors
    /// If there is nobody any more who could say anything.
    pub fn next(&mut self) -> miette::Result<Event> {
        let event = self.events.recv();
        event.map_err(|_| miette!("the emulator has ended"))
    }

    /// What the debugger said next.
    ///
    /// # Errors
    /// As [`Emulator::next`].
    pub fn request(&mut self) -> miette::Result<Event> {
        match self.deferred.pop_front() {
            Some(event) => Ok(event),
            None => self.next(),
        }
    }

    /// Forgets all that a debugger has said who has gone. It stands still, and says nothing itself.
    pub fn forget(&mut self) {
        self.deferred.clear();
        while self.events.try_recv().is_ok() {}
    }

    /// Keeps what the debugger has said for later.
    pub fn defer(&mut self, event: Event) {
        self.deferred.push_back(event);
    }

    /// Changes memory.
    ///
    /// # Errors
    /// If it cannot be changed.
    pub fn write(&mut self, base: u32, bytes: &[u8]) -> miette::Result<()> {
        let digits = rsp::digits(bytes);
        self.order(&format!("M{base:x},{:x}:{digits}", bytes.len()))
    }
}

impl Memory for Emulator {
    fn read(&mut self, region: Region) -> miette::Result<Vec<u8>> {
        let memory = rsp::memory(region, |request| self.ask(request.as_bytes()))?;
        memory.ok_or_else(|| unreadable(region.base))
    }
}
