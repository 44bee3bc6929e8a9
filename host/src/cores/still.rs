//! A core as the debugger's proxy sees it: a board that stands still for good.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use miette::miette;

use super::file::Core;
use crate::debug::{Event, Memory, Target, refusal, unreadable};
use crate::interrupt;
use crate::plan::Region;
use crate::rsp::{self, OK};

/// Why it stands still.
const WHY: &str = "a core is what a system was: it does not go on, and cannot be changed";

/// How often it looks whether a person wants an end.
const TURN: Duration = Duration::from_millis(20);

/// The board of a core.
pub struct Still {
    core: Core,
    events: Receiver<Event>,
}

impl Still {
    /// That of a core. What the debugger says is to be sent to what is returned beside it.
    pub fn new(core: Core) -> (Still, Sender<Event>) {
        let (say, events) = channel();
        (Still { core, events }, say)
    }

    /// A register by its number; as the emulator, it knows those that it tells at once.
    fn register(&self, number: &str) -> Option<u32> {
        let number = usize::from_str_radix(number, 16).ok()?;
        self.core.registers.get(number).copied()
    }
}

impl Target for Still {
    fn rests(&self) -> Option<&'static str> {
        Some(WHY)
    }

    fn ask(&mut self, request: &[u8]) -> miette::Result<Vec<u8>> {
        let text = String::from_utf8_lossy(request);
        let digits = |value: &u32| rsp::digits(&value.to_le_bytes());
        let verb = text.chars().next();
        Ok(match verb {
            Some('g') => self
                .core
                .registers
                .iter()
                .map(digits)
                .collect::<String>()
                .into(),
            Some('p') => match self.register(&text[1..]) {
                Some(value) => digits(&value).into(),
                None => "x".repeat(8).into(),
            },
            // Nobody comes by.
            Some('Z' | 'z') => OK.to_vec(),
            Some('G' | 'P') => refusal(WHY),
            // Not understood, by the protocol.
            _ => vec![],
        })
    }

    fn write(&mut self, base: u32, _: &[u8]) -> miette::Result<()> {
        Err(miette!("{WHY}: nothing is written to {base:#010x}"))
    }

    fn resume(&mut self, _: &[u8]) -> miette::Result<Option<(Vec<u8>, bool)>> {
        Err(miette!("{WHY}"))
    }

    fn request(&mut self) -> miette::Result<Event> {
        loop {
            match self.events.recv_timeout(TURN) {
                Ok(event) => return Ok(event),
                Err(RecvTimeoutError::Timeout) => interrupt::check()?,
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(miette!("there is no debugger any more"));
                }
            }
        }
    }

    fn forget(&mut self) {
        while self.events.try_recv().is_ok() {}
    }
}

impl Memory for Still {
    fn read(&mut self, region: Region) -> miette::Result<Vec<u8>> {
        let piece = self.core.piece(region);
        piece
            .map(<[u8]>::to_vec)
            .ok_or_else(|| unreadable(region.base))
    }
}
