//! What comes of a request.

use riposte::{Answer, Error, Instant, Message, RegionHandle, RegionRights, Status};
use riposte_shared_memory::protocol::{READER, REQUEST, operation, option, status};
use shared_memory_store::{Name, Object, Objects, Refused, SLOTS_OF_AN_OBJECT};

use crate::makers::{MAKERS, Makers, NAMES};

/// Names of each maker, if the setting `names` does not say.
const USUAL_NAMES: u32 = 4;

/// Handles of an object's region, to be handed over.
struct Handles {
    writable: RegionHandle,
    readable: RegionHandle,
}

/// The objects, and who may make some.
pub struct Server {
    objects: Objects<Handles, NAMES, MAKERS>,
    makers: Makers,
}

impl Server {
    /// Without an object.
    pub const fn new() -> Server {
        Server {
            objects: Objects::new(),
            makers: Makers::new(),
        }
    }

    /// Reads what the manifest says.
    ///
    /// # Panics
    /// If what that says cannot all be had: what to do stands in the message.
    pub fn configure(&mut self) {
        self.makers.configure();
        let count = self.makers.count();
        let most = riposte::setting("names").unwrap_or(USUAL_NAMES) as usize;
        assert!(
            self.objects.share(count, most),
            "{count} processes with {most} names each are too many: {NAMES} are there; `names` in the server's `settings` in app.toml"
        );
        let slots = count * most * SLOTS_OF_AN_OBJECT;
        assert!(
            self.makers.have_slots_for(slots),
            "{count} processes with {most} names each take {slots} slots for handles, and one more: raise `handles` in app.toml"
        );
    }

    /// Does what a client asks.
    pub fn serve<'a>(&mut self, message: Message<'a>) -> Answer<'a> {
        let whole = message.accepted() == message.offered();
        let Some((head, rest)) = message.bytes().split_first_chunk::<REQUEST>() else {
            return message.answer_error(status::INVALID);
        };
        let [a, b, c, d, size @ ..] = *head;
        let (word, size) = (u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes(size));
        let options = word >> operation::SHIFT;
        let operation = word & ((1 << operation::SHIFT) - 1);
        let is_open = operation == operation::OPEN && options & !option::ALL == 0;
        if !whole || !(is_open || options == 0) || !(operation == operation::RESIZE || size == 0) {
            return message.answer_error(status::INVALID);
        }
        let number = rest.try_into().map(u64::from_le_bytes);
        match (operation, Name::new(rest), number) {
            (operation::OPEN, Some(name), _) => self.open(message, name, options),
            (operation::UNLINK, Some(name), _) => {
                let unlinked = self.unlink(message.badge(), name);
                answer(message, unlinked)
            }
            (operation::SIZE, _, Ok(number)) => match self.objects.size(number) {
                Ok(size) => message.answer_words([size]),
                Err(why) => message.answer_error(said(why)),
            },
            (operation::RESIZE, _, Ok(number)) => {
                let resized = self.resize(message.badge(), number, size);
                answer(message, resized)
            }
            _ => message.answer_error(status::INVALID),
        }
    }

    fn open<'a>(&mut self, message: Message<'a>, name: Name, options: u32) -> Answer<'a> {
        let writes = options & option::WRITE != 0;
        if writes && message.badge() >= READER {
            return message.answer_error(status::NOT_ALLOWED);
        }
        let creates = options & option::CREATE != 0;
        let made = match self.objects.find(name) {
            Some(_) if creates && options & option::EXCLUSIVE != 0 => {
                return message.answer_error(status::EXISTS);
            }
            Some(_) => false,
            None if creates => match self.make(message.badge(), name) {
                Ok(()) => true,
                Err(why) => return message.answer_error(why),
            },
            None => return message.answer_error(status::NO_SUCH_NAME),
        };
        let Some(object) = self.objects.find(name) else {
            return message.answer_error(status::NO_SUCH_NAME);
        };
        let handed = hand_over(&message, object, writes);
        if handed.is_err() && made {
            // Nobody has heard of it.
            let _ = self.unlink(message.badge(), name);
        }
        match handed {
            Ok(()) | Err(Error::NoSuchClient) => Answer::later(),
            Err(_) => message.answer_error(status::NO_HANDLES),
        }
    }

    fn make(&mut self, badge: u32, name: Name) -> Result<(), Status> {
        let maker = self.makers.find(badge).filter(|_| badge < READER);
        let maker = maker.ok_or(status::NOT_ALLOWED)?;
        let pool = self.makers.pool(maker).ok_or(status::NOT_ALLOWED)?;
        self.objects.may_make(maker, name).map_err(said)?;
        let (region, room) = pool.make_with_length().map_err(no_region)?;
        let handles = Handles::of(&region);
        let _ = region.close();
        let handles = handles.map_err(no_region)?;
        let now = Instant::now().as_nanos();
        let made = self.objects.make(maker, name, handles, room as u32, now);
        match made {
            Ok(_) => Ok(()),
            Err((why, handles)) => {
                handles.close();
                Err(said(why))
            }
        }
    }

    fn unlink(&mut self, badge: u32, name: Name) -> Result<(), Refused> {
        let maker = self.makers.find(badge).filter(|_| badge < READER);
        self.objects.unlink(maker, name).map(Handles::close)
    }

    fn resize(&mut self, badge: u32, number: u64, size: u32) -> Result<(), Refused> {
        if badge >= READER {
            return Err(Refused::NotMaker);
        }
        self.objects.resize(number, size)
    }
}

impl Handles {
    /// Two handles of the region, of which none can be handed on by who gets it.
    fn of(region: &RegionHandle) -> Result<Handles, Error> {
        let to_read = RegionRights {
            transfer: true,
            ..RegionRights::default()
        };
        let readable = region.copy(to_read)?;
        let to_write = RegionRights {
            write: true,
            ..to_read
        };
        match region.copy(to_write) {
            Ok(writable) => Ok(Handles { writable, readable }),
            Err(error) => {
                let _ = readable.close();
                Err(error)
            }
        }
    }

    fn close(self) {
        let _ = self.writable.close();
        let _ = self.readable.close();
    }
}

fn hand_over(message: &Message<'_>, object: &Object<Handles>, writes: bool) -> Result<(), Error> {
    let (low, high) = (object.number as u32, (object.number >> 32) as u32);
    let region = if writes {
        &object.memory.writable
    } else {
        &object.memory.readable
    };
    message.try_reply_region([low, high, object.size, object.room], region)
}

fn answer<'a>(message: Message<'a>, done: Result<(), Refused>) -> Answer<'a> {
    match done {
        Ok(()) => message.answer_words([]),
        Err(why) => message.answer_error(said(why)),
    }
}

fn no_region(error: Error) -> Status {
    match error {
        Error::NoHandles => status::NO_HANDLES,
        _ => status::NO_ROOM,
    }
}

fn said(why: Refused) -> Status {
    match why {
        Refused::NoSuchName => status::NO_SUCH_NAME,
        Refused::Exists => status::EXISTS,
        Refused::NotMaker => status::NOT_ALLOWED,
        Refused::TooMany => status::NO_ROOM,
        Refused::TooLarge => status::TOO_LARGE,
    }
}
