//! Processes that run programs, and what they are given.

use process_store::{End, INSTANCES};
use riposte::abi::fault::Record;
use riposte::signal::{Signal, Target};
use riposte::{Doing, Error, Process};
use riposte_process::protocol::{BEFORE_BLOCK, BLOCK};

/// A process that runs a program at times.
#[derive(Clone, Copy)]
pub struct Instance {
    /// Its index in the manifest.
    pub index: u8,
    process: Process,
    /// If it takes signals.
    target: Option<Target>,
}

/// The answers to the children that ask what they were given, by their places. They are zeros at first, and so take no
/// flash: nothing else stands beside them.
pub struct Given([Answer; INSTANCES]);

#[derive(Clone, Copy)]
struct Answer {
    bytes: [u8; BEFORE_BLOCK + BLOCK],
    length: usize,
}

impl Given {
    /// Nothing.
    pub const fn new() -> Given {
        const NOTHING: Answer = Answer {
            bytes: [0; BEFORE_BLOCK + BLOCK],
            length: 0,
        };
        Given([NOTHING; INSTANCES])
    }

    /// The child in this place is given `block` with so many arguments.
    pub fn put(&mut self, place: usize, pid: u32, arguments: u32, block: &[u8]) {
        let Some(answer) = self.0.get_mut(place) else {
            return;
        };
        answer.length = 0;
        for part in [&pid.to_le_bytes(), &arguments.to_le_bytes(), block] {
            let room = answer.bytes.iter_mut().skip(answer.length);
            room.zip(part).for_each(|(to, from)| *to = *from);
            answer.length += part.len();
        }
    }

    /// What the child in this place was given.
    pub fn get(&self, place: usize) -> &[u8] {
        let answer = self.0.get(place);
        answer
            .and_then(|it| it.bytes.get(..it.length))
            .unwrap_or_default()
    }
}

/// What comes of a signal.
pub enum Sent {
    /// It has been sent.
    Yes,
    /// The program takes none: it has been ended.
    Ended,
}

impl Instance {
    /// The process with this index.
    pub fn new(index: u8) -> Option<Instance> {
        let name = riposte::name_of_process(index.into())?;
        Some(Instance {
            index,
            process: riposte::process(name).ok()?,
            target: riposte::signal::target(name).ok(),
        })
    }

    /// How often it has ended, and what is known of its last end.
    pub fn record(&self) -> Record {
        riposte::fault_record(self.index.into()).unwrap_or(Record::EMPTY)
    }

    /// Whether it runs.
    pub fn runs(&self) -> bool {
        let state = riposte::thread_state(self.index.into(), 0);
        state.is_ok_and(|state| state.doing != Doing::Stopped)
    }

    /// Starts it.
    pub fn start(&self) {
        self.process.restart();
    }

    /// It does not start, if another life of this manager has asked for that.
    pub fn stop(&self) {
        self.process.stop();
    }

    /// Sends it a signal, if it takes some and that is not 9; else ends it.
    pub fn signal(&self, signal: Signal) -> Result<Sent, Error> {
        /// `SIGKILL`.
        const KILL: u32 = 9;
        match self.target.filter(|_| signal.number() != KILL) {
            Some(target) => target.send(signal, 0).map(|()| Sent::Yes),
            None => {
                self.process.stop();
                Ok(Sent::Ended)
            }
        }
    }
}

/// All of them, as the store knows their places.
pub struct Instances([Option<Instance>; INSTANCES]);

impl Instances {
    /// None.
    pub const fn new() -> Instances {
        Instances([const { None }; INSTANCES])
    }

    /// That in a place.
    pub fn get(&self, place: usize) -> Option<&Instance> {
        self.0.get(place)?.as_ref()
    }

    /// Puts one into a place.
    pub fn put(&mut self, place: usize, instance: Instance) {
        if let Some(free) = self.0.get_mut(place) {
            *free = Some(instance);
        }
    }
}

/// The end of which a record tells.
pub fn end_of(record: &Record) -> End {
    End {
        reason: record.reason,
        status: record.address,
        signal: 0,
    }
}
