//! What comes of a request, and of a notice.

use pipe_store::{End, Name, Refused, Side, Store};
use riposte::{Answer, ClientId, Message, Notice, Status};
use riposte_pipe::protocol::{LARGEST, REQUEST, operation, status};

use crate::waiting::{MOST, OF_ONE, Waiter, Waiting, room};

/// Bytes of a request to read: how many, behind it.
const READ: usize = REQUEST + 4;
/// Pipes that there can be.
const PIPES: usize = 16;
/// Ends that there can be.
const ENDS: usize = 32;
/// Bytes of all pipes.
const BYTES: usize = 4096;

/// What the names of settings that are pipes begin with.
const PIPE: &str = "pipe-";
/// How many ends a client can have, if the setting `ends` does not say.
const USUAL_ENDS: u32 = 4;

/// The pipes, and who waits at them.
pub struct Server {
    store: Store<PIPES, ENDS, BYTES>,
    waiting: Waiting,
    /// Ends that a client can have.
    ends: usize,
}

impl Server {
    /// Without a pipe.
    pub const fn new() -> Server {
        Server {
            store: Store::new(),
            waiting: Waiting::new(),
            ends: 0,
        }
    }

    /// Makes the pipes that the manifest's settings say.
    pub fn configure(&mut self) {
        for (name, value) in riposte::settings() {
            if let Some(pipe) = name.strip_prefix(PIPE) {
                let capacity = value as usize;
                let pipe = Name::new(pipe.as_bytes()).filter(|_| capacity <= LARGEST);
                let made = pipe.is_some_and(|pipe| self.store.make(pipe, capacity).is_ok());
                assert!(made, "setting {name}: this pipe can't be made");
            }
        }
        let clients = riposte::clients().count();
        let ends = riposte::setting("ends").unwrap_or(USUAL_ENDS) as usize;
        assert!(
            clients > 0,
            "nobody has a pipe: the server's [[channel]] in app.toml needs `client_names = true`, and a [[connection]]"
        );
        // So that nobody's use leaves others without.
        assert!(
            clients <= MOST / OF_ONE && ends <= ENDS / clients,
            "{clients} clients with {ends} ends each are too many: `ends` in the server's `settings` in app.toml"
        );
        self.ends = ends;
    }

    /// Does what a client asks.
    pub fn serve<'a>(&mut self, message: Message<'a>) -> Answer<'a> {
        if message.accepted() < REQUEST {
            return message.answer_error(status::BAD_REQUEST);
        }
        let badge = message.badge();
        let [request, end, ..] = message.words();
        let end = End(end);
        let may_wait = request & operation::TRY == 0;
        match request & !operation::TRY {
            operation::OPEN_READ if may_wait => self.open(message, Side::Read),
            operation::OPEN_WRITE if may_wait => self.open(message, Side::Write),
            operation::CLOSE if may_wait => match self.store.close(badge, end) {
                Ok(pipe) => {
                    self.go_on(pipe);
                    message.answer_words([])
                }
                Err(why) => message.answer_error(said(why)),
            },
            operation::READ if message.offered() != READ => {
                message.answer_error(status::BAD_REQUEST)
            }
            operation::READ => self.read(message, end, may_wait),
            operation::WRITE => self.write(message, end, may_wait),
            _ => message.answer_error(status::BAD_REQUEST),
        }
    }

    /// Closes the ends of the dead, and lets go those who do not wait any more.
    pub fn hear<'a>(&mut self, notice: &Notice) -> Answer<'a> {
        match notice {
            Notice::ClientDied { badge } => {
                while self.waiting.remove_dead(*badge).is_some() {}
                while let Some(pipe) = self.store.leave(*badge) {
                    self.go_on(pipe);
                }
            }
            Notice::Unblock { client, .. } => self.time_out(*client),
            _ => {}
        }
        Answer::later()
    }

    fn open<'a>(&mut self, message: Message<'a>, side: Side) -> Answer<'a> {
        let name = message.bytes().get(REQUEST..).and_then(Name::new);
        let whole = message.accepted() == message.offered();
        let opened = match name.filter(|_| whole) {
            Some(name) => self.store.open(message.badge(), name, side, self.ends),
            None => Err(Refused::NoSuchPipe),
        };
        match opened {
            Ok(End(number)) => message.answer_words([number]),
            Err(why) => message.answer_error(said(why)),
        }
    }

    /// A client reads: at once, if there is something and nobody has waited for it longer.
    fn read<'a>(&mut self, message: Message<'a>, end: End, may_wait: bool) -> Answer<'a> {
        let pipe = match self.store.pipe(message.badge(), end, Side::Read) {
            Ok(pipe) => pipe,
            Err(why) => return message.answer_error(said(why)),
        };
        if self.waiting.first(pipe, Side::Read).is_none()
            && let Ok(bytes) = self.store.first(pipe)
        {
            let bytes = bytes.get(..room(&message.words())).unwrap_or(bytes);
            // By its token: to one that has left nothing is given, and nothing is lost.
            let taken = message.reply(bytes).unwrap_or(0);
            self.store.take(pipe, taken);
            self.go_on(pipe);
            return Answer::later();
        }
        self.wait(message, pipe, Side::Read, may_wait)
    }

    /// A client writes: at once, if there is room and nobody has waited for it longer.
    fn write<'a>(&mut self, message: Message<'a>, end: End, may_wait: bool) -> Answer<'a> {
        let pipe = match self.store.pipe(message.badge(), end, Side::Write) {
            Ok(pipe) => pipe,
            Err(why) => return message.answer_error(said(why)),
        };
        if self.waiting.first(pipe, Side::Write).is_none() {
            match self.store.room(pipe, message.offered() - REQUEST) {
                Ok(room) => {
                    let bytes = message.bytes().get(REQUEST..).unwrap_or_default();
                    let bytes = bytes.get(..room).unwrap_or(bytes);
                    let written = bytes.len() as u32;
                    self.store.push(pipe, bytes);
                    self.go_on(pipe);
                    return message.answer_words([written]);
                }
                Err(Refused::NotYet) => {}
                Err(why) => return message.answer_error(said(why)),
            }
        }
        self.wait(message, pipe, Side::Write, may_wait)
    }

    /// A client comes behind those who wait for the same.
    fn wait<'a>(
        &mut self,
        message: Message<'a>,
        pipe: usize,
        side: Side,
        may_wait: bool,
    ) -> Answer<'a> {
        if !may_wait {
            return message.answer_error(status::TIMED_OUT);
        }
        if let Err(waiter) = self.waiting.push(Waiter::new(message, pipe, side)) {
            waiter.refuse(status::TOO_MANY_WAIT);
        }
        Answer::later()
    }

    fn time_out(&mut self, client: ClientId) {
        if let Some(late) = self.waiting.remove(client) {
            let pipe = late.pipe;
            late.refuse(status::TIMED_OUT);
            // Whoever came behind it may want less.
            self.go_on(pipe);
        }
    }

    /// Those who wait at a pipe go on as far as they can: each byte that goes in or out, and each end that is closed,
    /// may be what another one waits for.
    fn go_on(&mut self, pipe: usize) {
        while self.reads(pipe) || self.writes(pipe) {}
    }

    /// Whether the first one that wants to write goes on.
    fn writes(&mut self, pipe: usize) -> bool {
        let Some(writer) = self.waiting.first(pipe, Side::Write) else {
            return false;
        };
        let outcome = match self.store.room(pipe, writer.length()) {
            Err(Refused::NotYet) => return false,
            Err(why) => Err(why),
            Ok(room) => {
                let mut buffer = [0; LARGEST];
                let buffer = buffer.get_mut(..room).unwrap_or_default();
                // One that has left writes nothing.
                let length = writer.bytes(buffer).unwrap_or(0);
                let bytes = buffer.get(..length).unwrap_or_default();
                self.store.push(pipe, bytes);
                Ok(length as u32)
            }
        };
        if let Some(writer) = self.waiting.pop(pipe, Side::Write) {
            match outcome {
                Ok(length) => {
                    writer.answer(&length.to_le_bytes());
                }
                Err(why) => writer.refuse(said(why)),
            }
        }
        true
    }

    /// Whether the first one that wants to read goes on.
    fn reads(&mut self, pipe: usize) -> bool {
        let Ok(bytes) = self.store.first(pipe) else {
            return false;
        };
        let Some(reader) = self.waiting.pop(pipe, Side::Read) else {
            return false;
        };
        let bytes = bytes.get(..reader.room()).unwrap_or(bytes);
        // To one that has left, nothing is given.
        let taken = reader.answer(bytes);
        self.store.take(pipe, taken);
        true
    }
}

fn said(why: Refused) -> Status {
    match why {
        Refused::NoSuchPipe => status::NO_SUCH_PIPE,
        Refused::TooManyEnds => status::TOO_MANY_ENDS,
        Refused::BadEnd => status::BAD_END,
        Refused::NoReader => status::NO_READER,
        Refused::NotYet => status::TIMED_OUT,
        Refused::BadPipe => status::BAD_REQUEST,
    }
}
