//! Clients that wait for what is typed.

use riposte::{ClientId, Error, Status, Token};

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

    /// Puts a client behind the others.
    ///
    /// # Errors
    /// The client, if as many wait as can.
    pub fn push(&mut self, reader: Reader) -> Result<(), Reader> {
        self.remove_if(Reader::has_left);
        let mut places = self.waiting.iter_mut().take(self.limit);
        match places.find(|place| place.is_none()) {
            Some(place) => {
                *place = Some(reader);
                Ok(())
            }
            None => Err(reader),
        }
    }

    /// What the first one waits for, of those who still do.
    pub fn first(&mut self) -> Option<Wanted> {
        self.remove_if(Reader::has_left);
        self.waiting[0].as_ref().map(|reader| reader.wanted)
    }

    /// Takes the first one.
    pub fn pop(&mut self) -> Option<Reader> {
        let first = self.waiting[0].as_ref()?.token.client();
        self.remove(first)
    }

    /// Takes this one, if it still waits.
    pub fn remove(&mut self, client: ClientId) -> Option<Reader> {
        self.remove_if(|reader| reader.token.client() == client)
    }

    /// Takes those of whom it holds. Returns the last of them.
    fn remove_if(&mut self, holds: impl Fn(&Reader) -> bool) -> Option<Reader> {
        let mut removed = None;
        let mut free = 0;
        for place in 0..MOST {
            match &self.waiting[place] {
                None => break,
                Some(reader) if holds(reader) => removed = self.waiting[place].take(),
                Some(_) => {
                    let (before, from) = self.waiting.split_at_mut(place);
                    // Places before it are free if any of those that were there has been taken.
                    if let (Some(to), Some(from)) = (before.get_mut(free), from.first_mut()) {
                        *to = from.take();
                    }
                    free += 1;
                }
            }
        }
        removed
    }
}
