//! Does with regions of a pool what the judge says, and more than it may.
#![no_std]

use core::sync::atomic::{AtomicU32, Ordering};

use pool_orders::{
    CLOSE, FETCH, GIVE, MAKE, MAP, MISSING, ONWARD, PEEK, POKE, RECEIVE, TRANSFER, UNMAP, WAIT,
    WATCH, WATCHED, WRITE,
};
use riposte::sync::Word;
use riposte::{Error, Event, Mapping, Message, RegionHandle, RegionRights};

/// Bytes that the kernel is to write.
const BYTES: usize = 16;

/// The address that the other thread reads; none if it is 0.
static ADDRESS: AtomicU32 = AtomicU32::new(0);
/// How often it has.
static READ: AtomicU32 = AtomicU32::new(0);

/// What this process has.
#[derive(Default)]
struct Own {
    handle: Option<RegionHandle>,
    mapping: Option<Mapping>,
}

#[riposte::main]
fn main() {
    let channel = riposte::own_channel().unwrap();
    let mut own = Own::default();
    loop {
        let mut buffer = [0; 3 * 4];
        if let Ok(Event::Message(message)) = channel.receive(&mut buffer) {
            own.obey(message);
        }
    }
}

#[riposte::thread]
fn watcher() -> ! {
    loop {
        let address = ADDRESS.load(Ordering::Relaxed);
        if address != 0 {
            peek(address);
            // Nobody else counts.
            READ.store(
                READ.load(Ordering::Relaxed).wrapping_add(1),
                Ordering::Relaxed,
            );
        }
    }
}

impl Own {
    fn obey(&mut self, message: Message<'_>) {
        let mut words = [0; 3];
        for (word, bytes) in words.iter_mut().zip(message.bytes().as_chunks::<4>().0) {
            *word = u32::from_le_bytes(*bytes);
        }
        let [order, first, second] = words;
        match order {
            GIVE => return self.give(message, first),
            FETCH => {
                let _ = message.reply_words([0, 0]);
                let gifts = riposte::connect("gifts").unwrap();
                self.handle = gifts.send_for_region([0]).ok().and_then(|(_, it)| it);
                return;
            }
            _ => {}
        }
        let result = match order {
            RECEIVE => receive(&message, first),
            _ => self.perform(order, first, second),
        };
        let answer = match result {
            Ok(value) => [0, value],
            Err(error) => [error, 0],
        };
        let _ = message.reply_words(answer);
    }

    /// The value, or the number of the error.
    fn perform(&mut self, order: u32, first: u32, second: u32) -> Result<u32, u32> {
        let number = |error: Error| error as u32;
        match order {
            MAKE => {
                let pool = riposte::pool("frames").map_err(|_| MISSING)?;
                self.handle = Some(pool.make().map_err(number)?);
            }
            MAP => {
                let handle = self.handle.as_ref().ok_or(MISSING)?;
                let mapped = match first {
                    WRITE => handle.map(),
                    _ => handle.map_to_read(),
                };
                let mapping = mapped.map_err(number)?;
                let address = mapping.address();
                self.mapping = Some(mapping);
                return Ok(address);
            }
            UNMAP => drop(self.mapping.take().ok_or(MISSING)?),
            CLOSE => self.handle.take().ok_or(MISSING)?.close().map_err(number)?,
            PEEK => return Ok(peek(first)),
            POKE => poke(first, second),
            WATCH => ADDRESS.store(first, Ordering::Relaxed),
            WATCHED => return Ok(READ.load(Ordering::Relaxed)),
            WAIT => {
                let mapping = self.mapping.as_ref().ok_or(MISSING)?;
                let word = mapping.cast::<Word>().map_err(|_| MISSING)?;
                riposte::futex::wait(word, first).map_err(number)?;
            }
            _ => return Err(MISSING),
        }
        Ok(0)
    }

    fn give(&self, message: Message<'_>, rights: u32) {
        let rights = RegionRights {
            write: rights & WRITE != 0,
            transfer: rights & TRANSFER != 0,
            onward: rights & ONWARD != 0,
        };
        let token = message.into_token();
        let copied = self.handle.as_ref().map(|handle| handle.copy(rights));
        let Some(Ok(copy)) = copied else {
            let _ = token.reply_words([MISSING, 0]);
            return;
        };
        if let Err(error) = token.try_reply_region([0; 4], &copy) {
            let _ = token.reply_words([error as u32, 0]);
        }
        let _ = copy.close();
    }
}

fn peek(address: u32) -> u32 {
    // SAFETY: where this is not allowed it must end the process, which is what the judge looks for.
    unsafe { (address as *const u32).read_volatile() }
}

fn poke(address: u32, value: u32) {
    // SAFETY: as in `peek`.
    unsafe { (address as *mut u32).write_volatile(value) };
}

/// The kernel writes the beginning of the message there.
fn receive(message: &Message<'_>, address: u32) -> Result<u32, u32> {
    // SAFETY: only the kernel uses it, and refuses what this process must not have written.
    let to = unsafe { core::slice::from_raw_parts_mut(address as *mut u8, BYTES) };
    let read = message.read(0, to).map_err(|error| error as u32)?;
    Ok(read as u32)
}
