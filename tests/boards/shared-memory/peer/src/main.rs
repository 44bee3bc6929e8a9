//! Does with shared memory objects what the judge says: a word that is the order, one that it needs, and a name. It has one
//! object at a time, and one mapping. Two words come back: the number of the error, 0 for none, and a value.
#![no_std]

use core::mem;

use riposte::sync::{Lock, Semaphore};
use riposte::{Error, Event, Mapping, Shared};
use riposte_shared_memory::{Access, Object, SharedMemory, SharedMemoryError};

/// The orders, as the judge has them.
const CREATE: u32 = 0;
const OPEN_TO_READ: u32 = 1;
const OPEN_TO_WRITE: u32 = 2;
const CLOSE: u32 = 3;
const UNLINK: u32 = 4;
const SIZE: u32 = 5;
const RESIZE: u32 = 6;
const MAP: u32 = 7;
const MAP_TO_READ: u32 = 8;
const UNMAP: u32 = 9;
const PEEK: u32 = 10;
const POKE: u32 = 11;
/// Stores without a look at its rights.
const POKE_ANYWAY: u32 = 12;
/// Makes objects, takes their names away and keeps them, until it may not. The value is how many it has made.
const HOARD: u32 = 13;
/// Makes names until it may not, and then takes them away.
const NAME: u32 = 14;
const DIE: u32 = 15;
/// The name that it has registered again after the server's death: connects anew.
const RECONNECT: u32 = 16;
/// Takes the lock, says so with `ready`, and gives it back when there is a unit of `go`.
const MEET: u32 = 17;
/// Takes the lock for good.
const KEEP: u32 = 18;

/// It has no object, or nothing mapped, for that.
const MISSING: u32 = 1000;
/// A kernel's error of this number above it.
const KERNEL: u32 = 2000;

/// What an object begins with where threads of several processes wait.
#[derive(Shared)]
#[repr(C)]
struct Meeting {
    ready: Semaphore,
    go: Semaphore,
    lock: Lock,
}

struct Own {
    memory: SharedMemory,
    object: Option<Object>,
    mapping: Option<Mapping>,
    hoard: [Option<Object>; 8],
}

#[riposte::main]
fn main() {
    let channel = riposte::own_channel().unwrap();
    let mut own = Own {
        memory: SharedMemory::connect("shared-memory").unwrap(),
        object: None,
        mapping: None,
        hoard: [const { None }; 8],
    };
    loop {
        let mut buffer = [0; 40];
        let Ok(Event::Message(message)) = channel.receive(&mut buffer) else {
            continue;
        };
        let (words, name) = message.bytes().split_at(8);
        let [order, argument] = [&words[..4], &words[4..]].map(|it| {
            let bytes = it.try_into().unwrap_or_default();
            u32::from_le_bytes(bytes)
        });
        let name = core::str::from_utf8(name).unwrap_or_default();
        let answer = match own.obey(order, argument, name) {
            Ok(value) => [0, value],
            Err(error) => [error, 0],
        };
        let _ = message.reply_words(answer);
    }
}

impl Own {
    fn obey(&mut self, order: u32, argument: u32, name: &str) -> Result<u32, u32> {
        match order {
            CREATE => self.keep(self.memory.create(name)),
            OPEN_TO_READ => self.keep(self.memory.open(name, Access::Read)),
            OPEN_TO_WRITE => self.keep(self.memory.open(name, Access::Write)),
            CLOSE => {
                let object = self.object.take().ok_or(MISSING)?;
                object.region.close().map(|()| 0).map_err(kernel)
            }
            UNLINK => self.memory.unlink(name).map(|()| 0).map_err(number),
            SIZE => self.memory.size(self.object()?).map_err(number),
            RESIZE => {
                let resized = self.memory.resize(self.object()?, argument);
                resized.map(|()| 0).map_err(number)
            }
            MAP | MAP_TO_READ => self.map(order == MAP),
            UNMAP => self.mapping.take().map(|_| 0).ok_or(MISSING),
            PEEK => self.mapping()?.load(argument as usize).ok_or(MISSING),
            POKE => {
                let stored = self.mapping()?.store(0, argument);
                stored.map(|()| 0).map_err(|_| MISSING)
            }
            POKE_ANYWAY => {
                let first = self.mapping()?.address() as *mut u32;
                // SAFETY: where this is not allowed it must end the process, which is what the judge looks for.
                unsafe { first.write_volatile(argument) };
                Ok(0)
            }
            HOARD => Ok(self.hoard()),
            NAME => Ok(self.name()),
            RECONNECT => self.memory.reconnect().map(|()| 0).map_err(number),
            MEET => {
                let meeting = self.meeting()?;
                let _held = meeting.lock.lock().map_err(kernel)?;
                meeting.ready.give().map_err(kernel)?;
                meeting.go.take().map(|()| 0).map_err(kernel)
            }
            KEEP => {
                mem::forget(self.meeting()?.lock.lock().map_err(kernel)?);
                Ok(0)
            }
            DIE => panic!("as the judge says"),
            _ => Err(MISSING),
        }
    }

    fn object(&self) -> Result<&Object, u32> {
        self.object.as_ref().ok_or(MISSING)
    }

    fn mapping(&self) -> Result<&Mapping, u32> {
        self.mapping.as_ref().ok_or(MISSING)
    }

    fn meeting(&self) -> Result<&Meeting, u32> {
        self.mapping()?.cast().map_err(|_| MISSING)
    }

    /// The value is the size when it was opened.
    fn keep(&mut self, opened: Result<Object, SharedMemoryError>) -> Result<u32, u32> {
        let object = opened.map_err(number)?;
        let size = object.size;
        if let Some(before) = self.object.replace(object) {
            let _ = before.region.close();
        }
        Ok(size)
    }

    fn map(&mut self, writes: bool) -> Result<u32, u32> {
        let region = &self.object()?.region;
        let mapped = if writes {
            region.map()
        } else {
            region.map_to_read()
        };
        self.mapping = Some(mapped.map_err(kernel)?);
        Ok(0)
    }

    fn hoard(&mut self) -> u32 {
        let mut count = 0;
        for place in &mut self.hoard {
            let Ok(object) = self.memory.create_new("hoard") else {
                break;
            };
            *place = Some(object);
            count += 1;
            let _ = self.memory.unlink("hoard");
        }
        count
    }

    fn name(&self) -> u32 {
        let names = ["name-a", "name-b", "name-c", "name-d", "name-e"];
        let mut count = 0;
        for name in names {
            let Ok(object) = self.memory.create_new(name) else {
                break;
            };
            let _ = object.region.close();
            count += 1;
        }
        for name in names {
            let _ = self.memory.unlink(name);
        }
        count
    }
}

fn kernel(error: Error) -> u32 {
    KERNEL + error as u32
}

/// What C has as errno.
fn number(error: SharedMemoryError) -> u32 {
    match error {
        SharedMemoryError::NoSuchName => 2,
        SharedMemoryError::NotAllowed => 13,
        SharedMemoryError::Exists => 17,
        SharedMemoryError::Invalid => 22,
        SharedMemoryError::NoHandles => 24,
        SharedMemoryError::TooLarge => 27,
        SharedMemoryError::NoRoom => 28,
        SharedMemoryError::Kernel(error) => kernel(error),
        _ => MISSING,
    }
}
