//! Clients that wait for what is typed.

use riposte::console::protocol::status;
use riposte::{ClientId, Error, Status, Token};
use servers_waiting::crowding;

/// Most that can be kept waiting: `readers` in the `settings` says how many are.
const MOST: usize = 16;
/// How many are, if the manifest does not say.
const USUAL: u32 = 4;

/// Clients that wait, in the order in which they came: the first places are taken.
pub struct Readers {
    waiting: [Option<Reader>; MOST],
    limit: usize,
}

/// A client that waits.
pub struct Reader {
    pub token: Token,
    /// Its connection's.
    pub badge: u32,
    pub wanted: Wanted,
}

/// What a client waits for. (Of plain numbers, so that a free place is all zeros.)
#[derive(Clone, Copy)]
pub struct Wanted {
    /// `LINE` or `KEY` of the protocol.
    pub what: u32,
    /// As many bytes of a line as it takes.
    pub room: u32,
}

impl Reader {
    /// Whether it does not wait any more: its deadline has passed, or it has died.
    fn has_left(&self) -> bool {
        self.token.read(0, &mut []) == Err(Error::NoSuchClient)
    }

    /// Answers it with these bytes. Returns whether it was still there.
    pub fn answer(self, bytes: &[u8]) -> bool {
        self.token.reply(bytes).is_ok()
    }

    /// Answers it with an error. One that has left needs none.
    pub fn refuse(self, status: Status) {
        let _ = self.token.reply_error(status);
    }
}

impl Readers {
    /// Nobody.
    pub const fn new() -> Readers {
        Readers {
            waiting: [const { None }; MOST],
            limit: 0,
        }
    }

    /// Learns from the manifest how many can wait.
    pub fn set_limit(&mut self) {
        let limit = riposte::setting("readers").unwrap_or(USUAL) as usize;
        assert!(limit <= MOST, "`readers` in app.toml is more than 16");
        self.limit = limit;
    }

    /// Puts a client behind the others. If there is no place for it, the last one of the process that has more than its share
    /// leaves, but not for one that would not wait; or else it is refused.
    pub fn push(&mut self, reader: Reader, may_wait: bool) {
        self.forget_left();
        if self.all().count() == self.limit {
            let owners = self.all().map(|other| other.badge);
            let place = crowding(owners, reader.badge).filter(|_| may_wait);
            let Some(removed) = place.and_then(|place| self.take(place)) else {
                return reader.refuse(status::TOO_MANY_READERS);
            };
            removed.refuse(status::TOO_MANY_READERS);
        }
        if let Some(place) = self.waiting.iter_mut().find(|place| place.is_none()) {
            *place = Some(reader);
        }
    }

    fn all(&self) -> impl Iterator<Item = &Reader> + Clone {
        self.waiting.iter().map_while(Option::as_ref)
    }

    /// What the first one waits for, of those who still do.
    pub fn first(&mut self) -> Option<Wanted> {
        self.forget_left();
        self.waiting[0].as_ref().map(|reader| reader.wanted)
    }

    /// Takes the first one.
    pub fn pop(&mut self) -> Option<Reader> {
        self.take(0)
    }

    /// Takes this one, if it still waits.
    pub fn remove(&mut self, client: ClientId) -> Option<Reader> {
        self.take_if(|reader| reader.token.client() == client)
    }

    fn take_if(&mut self, holds: impl Fn(&Reader) -> bool) -> Option<Reader> {
        let place = self.all().position(holds)?;
        self.take(place)
    }

    #[inline(never)]
    fn forget_left(&mut self) {
        while self.take_if(Reader::has_left).is_some() {}
    }

    /// Takes the one in this place; those behind move up.
    #[inline(never)]
    fn take(&mut self, place: usize) -> Option<Reader> {
        let rest = self.waiting.get_mut(place..)?;
        let taken = rest.first_mut()?.take();
        for n in 1..rest.len() {
            rest.swap(n - 1, n);
        }
        taken
    }
}
