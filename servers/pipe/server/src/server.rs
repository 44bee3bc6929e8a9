//! What comes of a request, and of a notice.

use pipe_store::{End, For, Key, MOST_WAITING, Name, Refused, Side, Store};
use process_store::Pid;
use riposte::{Answer, ClientId, Instant, Message, Notice, Part, Status, Token};
use riposte_pipe::protocol::{LARGEST, MOST_WATCHED, REQUEST, operation, status};

use crate::clients::Clients;
use crate::settings;
use crate::waiting::{Waiter, Waiting, take};

/// Bytes of a request to read: how many, behind it.
const READ: usize = REQUEST + 4;
/// Bytes of a request that says who is to come: to which side, and which child, behind it.
const EXPECT: usize = REQUEST + 8;
/// Pipes that there can be.
const PIPES: usize = 32;
/// Ends that there can be.
const ENDS: usize = 32;
/// What opens the end for writing only if somebody reads.
const OPEN_IF_READ: u32 = operation::OPEN_WRITE | operation::TRY;
/// Bytes of all pipes: two of the longest.
const BYTES: usize = 2 * LARGEST;

/// The pipes, and who waits at them.
pub struct Server {
    store: Store<PIPES, ENDS, BYTES>,
    clients: Clients,
    waiting: Waiting,
    /// Ends that a client can have.
    ends: usize,
    /// Threads of a client that can wait.
    threads: usize,
}

impl Server {
    /// Without a pipe.
    #[must_use]
    pub const fn new() -> Server {
        Server {
            store: Store::new(),
            clients: Clients::new(),
            waiting: Waiting::new(),
            ends: 0,
            threads: 0,
        }
    }

    /// Adds the pipes that the manifest's settings say, and sets places aside for those that clients may make.
    ///
    /// # Panics
    /// If there are no clients, or what the settings say is not to be had: what to do stands in the message.
    #[inline(never)]
    pub fn configure(&mut self) {
        for (name, capacity) in settings::pipes() {
            let capacity = capacity as usize;
            let pipe = Name::new(name.as_bytes()).filter(|_| capacity <= LARGEST);
            let added = pipe.is_some_and(|pipe| self.store.add(pipe, capacity).is_ok());
            assert!(
                added,
                "the pipe {name} can't be made: `pipe-{name}` in the server's `settings` in app.toml"
            );
        }
        // So that nobody's use leaves others without.
        let each = settings::of_each(ENDS, MOST_WAITING);
        let (places, slot) = settings::places(self.store.left());
        // Another life has other numbers, by the time that has passed.
        let key = Instant::now().as_nanos();
        let set_aside = slot <= LARGEST && self.store.set_aside(places, slot, key).is_ok();
        assert!(
            set_aside,
            "{places} pipes of {slot} bytes that clients may make are too many: `pipes` and `capacity` in the server's `settings` in app.toml"
        );
        (self.ends, self.threads) = (each.ends, each.threads);
        self.clients.configure();
        for (badge, _) in riposte::clients() {
            self.store.introduce(badge, self.clients.same(badge));
        }
    }

    /// Does what a client asks.
    pub fn serve<'a>(&mut self, message: Message<'a>) -> Answer<'a> {
        if message.accepted() < REQUEST {
            return message.answer_error(status::BAD_REQUEST);
        }
        let [request, number, ..] = message.words();
        let may_wait = request & operation::TRY == 0;
        match request & !operation::TRY {
            operation::READ if message.offered() == READ => {
                self.read(message, End(number), may_wait)
            }
            operation::WRITE => self.write(message, End(number), may_wait),
            asked => self.serve_other(message, asked, number, may_wait),
        }
    }

    /// Does what a client asks less often: beside it, reading and writing would take longer.
    #[inline(never)]
    fn serve_other<'a>(
        &mut self,
        message: Message<'a>,
        asked: u32,
        number: u32,
        may_wait: bool,
    ) -> Answer<'a> {
        let badge = message.badge();
        let end = End(number);
        match asked {
            operation::OPEN_READ if may_wait => self.open(message, Side::Read),
            operation::OPEN_WRITE if may_wait => self.open(message, Side::Write),
            operation::OPEN_WRITE => self.open_if_read(message),
            operation::WATCH => self.watch(message, may_wait),
            operation::MEET if message.offered() == REQUEST => self.meet(message, end, may_wait),
            operation::EXPECT if may_wait && message.offered() == EXPECT => {
                let done = self.expect(&message, number);
                answer(message, done)
            }
            operation::LOOK if may_wait => {
                let capacity = key(&message).and_then(|key| self.store.capacity(key));
                answer_number(message, capacity.map(|it| it as u32))
            }
            operation::CLOSE if may_wait => answer(message, self.close(badge, end)),
            operation::MAKE if may_wait => self.make(message, number as usize),
            operation::MAKE_UNNAMED | operation::READY | operation::LINKS
                if !may_wait || message.offered() != REQUEST =>
            {
                message.answer_error(status::BAD_REQUEST)
            }
            operation::MAKE_UNNAMED => {
                let most = settings::share_of(badge);
                let made = self.store.make_unnamed(badge, number as usize, most);
                answer_number(message, made)
            }
            operation::REMOVE if may_wait => {
                let removed = self.remove(badge, key(&message));
                answer(message, removed)
            }
            operation::LINKS => answer_number(message, self.store.links(badge, end)),
            operation::READY => {
                let ready = self.ready(badge, end);
                answer_number(message, ready)
            }
            _ => message.answer_error(status::BAD_REQUEST),
        }
    }

    /// Closes the ends of the dead, and lets go those who do not wait any more.
    // Inlined, up to what it does: an event that is handed on by its address is in memory whatever it is.
    #[inline(always)]
    pub fn hear<'a>(&mut self, notice: &Notice) -> Answer<'a> {
        match notice {
            Notice::ClientDied { badge, ends } => {
                let is_new = self.clients.has_ended(*badge, *ends);
                self.close_all_of(*badge, is_new);
            }
            Notice::Unblock {
                client, has_signal, ..
            } => {
                let why = if *has_signal {
                    status::INTERRUPTED
                } else {
                    status::TIMED_OUT
                };
                self.let_go(*client, why);
            }
            _ => {}
        }
        Answer::later()
    }

    #[inline(never)]
    fn close_all_of(&mut self, badge: u32, is_new: bool) {
        while let Some(pipe) = self.store.abandon(badge) {
            self.go_on(pipe);
        }
        while let Some(end) = self.store.end_of(badge) {
            let _ = self.close(badge, end);
        }
        // Once for each end: behind that its process's next life may be expected.
        while is_new && let Some(pipe) = self.store.give_up(badge) {
            self.go_on(pipe);
        }
        self.wake();
    }

    fn make<'a>(&mut self, message: Message<'a>, capacity: usize) -> Answer<'a> {
        let Some(name) = name(&message) else {
            return message.answer_error(status::BAD_NAME);
        };
        let (badge, most) = (message.badge(), settings::share_of(message.badge()));
        answer(message, self.store.make(badge, name, capacity, most))
    }

    fn open<'a>(&mut self, message: Message<'a>, side: Side) -> Answer<'a> {
        let opened =
            key(&message).and_then(|key| self.store.open(message.badge(), key, side, self.ends));
        self.has_opened(message, opened)
    }

    fn has_opened<'a>(&mut self, message: Message<'a>, opened: Result<End, Refused>) -> Answer<'a> {
        if opened.is_ok() {
            self.wake();
        }
        answer_number(message, opened.map(|End(number)| number))
    }

    /// A client opens an end of the pipe of a FIFO, which is this node of a tree of files, and was made by the client with this
    /// badge: what `OPEN_READ` and `OPEN_WRITE` ask, with the path of a FIFO.
    pub fn open_node<'a>(&mut self, message: Message<'a>, node: u32, maker: u32) -> Answer<'a> {
        let [request, ..] = message.words();
        let side = match request {
            operation::OPEN_READ => Side::Read,
            operation::OPEN_WRITE => Side::Write,
            OPEN_IF_READ if self.store.is_read(Key::Node(node)) == Ok(true) => Side::Write,
            OPEN_IF_READ => return message.answer_error(status::NOBODY),
            _ => return message.answer_error(status::BAD_REQUEST),
        };
        let (badge, most) = (message.badge(), settings::share_of(maker));
        let fifo = (node, maker);
        let opened = self.store.open_node(badge, fifo, side, self.ends, most);
        self.has_opened(message, opened)
    }

    /// A FIFO has lost its name: nobody opens its pipe any more, and who waits for somebody to do so goes on.
    pub fn remove_node(&mut self, node: u32) {
        if let Some(pipe) = self.store.remove_node(node) {
            self.go_on(pipe);
        }
    }

    /// Bytes that the pipe of a FIFO holds.
    #[must_use]
    pub fn capacity_of_nodes(&self) -> usize {
        self.store.slot()
    }

    /// A child of a pipe's maker is to open it, as long as it runs.
    fn expect(&mut self, message: &Message<'_>, number: u32) -> Result<(), Refused> {
        let [_, _, side, pid, _] = message.words();
        let side = match side {
            0 => Side::Read,
            1 => Side::Write,
            _ => return Err(Refused::BadPipe),
        };
        let child = self.clients.running(Pid(pid));
        let key = Key::Number(number);
        let pipe = self.store.expect(message.badge(), key, side, child)?;
        self.go_on(pipe);
        Ok(())
    }

    /// Opens the end for writing, if somebody reads.
    fn open_if_read<'a>(&mut self, message: Message<'a>) -> Answer<'a> {
        match key(&message).and_then(|key| self.store.is_read(key)) {
            Ok(true) => self.open(message, Side::Write),
            Ok(false) => message.answer_error(status::NOBODY),
            Err(why) => message.answer_error(said(why)),
        }
    }

    /// A client waits until one of several ends is ready.
    fn watch<'a>(&mut self, message: Message<'a>, may_wait: bool) -> Answer<'a> {
        let length = message.offered() - REQUEST;
        if length == 0 || !length.is_multiple_of(4) || length > MOST_WATCHED * 4 {
            return message.answer_error(status::BAD_REQUEST);
        }
        let waiter = Waiter::new(message, For::Watch);
        self.wait_unless_done(waiter, may_wait)
    }

    /// A client waits for somebody at the other side of an end's pipe.
    fn meet<'a>(&mut self, message: Message<'a>, end: End, may_wait: bool) -> Answer<'a> {
        let waiter = Waiter::new(message, For::Meeting(end));
        self.wait_unless_done(waiter, may_wait)
    }

    fn wait_unless_done<'a>(&mut self, waiter: Waiter, may_wait: bool) -> Answer<'a> {
        match self.is_done(&waiter) {
            Err(Refused::NotYet) if may_wait => self.push(waiter),
            outcome => finish(waiter, outcome),
        }
        Answer::later()
    }

    /// Whether what a client waits for that takes no bytes has come.
    fn is_done(&self, waiter: &Waiter) -> Result<(), Refused> {
        match waiter.what {
            For::Bytes { .. } => Err(Refused::NotYet),
            For::Meeting(end) => self.store.met(waiter.badge, end),
            For::Watch => {
                let mut numbers = [0; MOST_WATCHED * 4];
                // One that has left waits no more: it needs no answer, and gets none.
                let Ok(length) = waiter.bytes(&mut numbers) else {
                    return Ok(());
                };
                let numbers = numbers.get(..length).unwrap_or_default();
                let (numbers, _) = numbers.as_chunks::<4>();
                let mut ends = numbers.iter().map(|it| End(u32::from_le_bytes(*it)));
                let waits = |end| self.ready(waiter.badge, end) == Err(Refused::NotYet);
                if ends.all(waits) {
                    Err(Refused::NotYet)
                } else {
                    Ok(())
                }
            }
        }
    }

    /// Those go on that wait for a change, and not for bytes.
    fn wake(&mut self) {
        let mut place = 0;
        while let Some(waiter) = self.waiting.at(place) {
            match self.is_done(waiter) {
                Err(Refused::NotYet) => place += 1,
                outcome => {
                    if let Some(waiter) = self.waiting.take_at(place) {
                        finish(waiter, outcome);
                    }
                }
            }
        }
    }

    /// Closes an end. Who waits there, of the same client, waits no longer: the pipe may become another one.
    fn close(&mut self, badge: u32, end: End) -> Result<(), Refused> {
        let pipe = self.store.close(badge, end)?;
        while let Some(waiter) = self.waiting.remove_at(badge, end) {
            waiter.refuse(status::BAD_END);
        }
        self.go_on(pipe);
        Ok(())
    }

    fn remove(&mut self, badge: u32, key: Result<Key, Refused>) -> Result<(), Refused> {
        let pipe = self.store.remove(badge, key?)?;
        self.go_on(pipe);
        Ok(())
    }

    /// How many bytes a client could read or write at an end without waiting.
    fn ready(&self, badge: u32, end: End) -> Result<u32, Refused> {
        let (pipe, side, bytes) = self.store.ready(badge, end)?;
        match self.waiting.first(pipe, side) {
            Some(_) => Err(Refused::NotYet),
            None => Ok(bytes as u32),
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
            let [_, _, room, ..] = message.words();
            // By its token: to one that has left nothing is given, and nothing is lost.
            let taken = give(
                message.into_token(),
                bytes,
                self.store.second(pipe),
                room as usize,
            );
            self.store.take(pipe, taken);
            self.go_on(pipe);
            return Answer::later();
        }
        self.wait(message, end, pipe, Side::Read, may_wait)
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
                    return self.write_now(message, pipe, room);
                }
                Err(Refused::NotYet) => {}
                Err(why) => return message.answer_error(said(why)),
            }
        }
        self.wait(message, end, pipe, Side::Write, may_wait)
    }

    /// So many bytes of a write go into a pipe: from where the message was received, or, where not all of them were, from
    /// the client.
    fn write_now<'a>(&mut self, message: Message<'a>, pipe: usize, room: usize) -> Answer<'a> {
        let came = message.bytes().get(REQUEST..).unwrap_or_default();
        if let Some(bytes) = came.get(..room) {
            let left = self.hand_over(pipe, bytes);
            if !left.is_empty() {
                self.store.push(pipe, left);
            }
            self.go_on(pipe);
            return message.answer_words([room as u32]);
        }
        let client = message.into_token();
        let written = take(&client, self.store.free(pipe, room));
        self.store.put(pipe, written);
        self.go_on(pipe);
        Answer::words(client, [written as u32])
    }

    /// Those who wait to read have found the pipe empty: as much of what comes as they take reaches them without a way
    /// through it. Returns what is left.
    fn hand_over<'a>(&mut self, pipe: usize, mut bytes: &'a [u8]) -> &'a [u8] {
        while !bytes.is_empty()
            && let Some(reader) = self.waiting.pop(pipe, Side::Read)
        {
            let room = reader.room();
            let taken = reader.answer(bytes.get(..room).unwrap_or(bytes));
            bytes = bytes.get(taken..).unwrap_or_default();
        }
        bytes
    }

    /// A client comes behind those who wait for the same.
    fn wait<'a>(
        &mut self,
        message: Message<'a>,
        end: End,
        pipe: usize,
        side: Side,
        may_wait: bool,
    ) -> Answer<'a> {
        if !may_wait {
            return message.answer_error(status::TIMED_OUT);
        }
        self.push(Waiter::new(message, For::Bytes { end, pipe, side }));
        Answer::later()
    }

    fn push(&mut self, waiter: Waiter) {
        if let Err(waiter) = self.waiting.push(waiter, self.threads) {
            waiter.refuse(status::TOO_MANY_WAIT);
        }
    }

    #[inline(never)]
    fn let_go(&mut self, client: ClientId, why: Status) {
        if let Some(waiter) = self.waiting.take(|waiter| waiter.token.client() == client) {
            let what = waiter.what;
            waiter.refuse(why);
            if let For::Bytes { pipe, .. } = what {
                // Whoever came behind it may want less.
                self.go_on(pipe);
            }
        }
    }

    /// Those who wait at a pipe go on as far as they can: each byte that goes in or out, and each end that is closed,
    /// may be what another one waits for.
    #[inline(always)]
    fn go_on(&mut self, pipe: usize) {
        if !self.waiting.is_empty() {
            self.let_all_go_on(pipe);
        }
    }

    #[inline(never)]
    fn let_all_go_on(&mut self, pipe: usize) {
        while self.reads(pipe) || self.writes(pipe) {}
        self.wake();
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
                let written = writer.write_to(self.store.free(pipe, room));
                self.store.put(pipe, written);
                Ok(written as u32)
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
        let room = reader.room();
        // To one that has left, nothing is given.
        let taken = give(reader.token, bytes, self.store.second(pipe), room);
        self.store.take(pipe, taken);
        true
    }
}

impl Default for Server {
    fn default() -> Self {
        Server::new()
    }
}

/// Gives a client the bytes of two pieces, as far as it has room; how many it has taken.
fn give(client: Token, first: &[u8], second: &[u8], room: usize) -> usize {
    if room <= first.len() || second.is_empty() {
        return client
            .reply(first.get(..room).unwrap_or(first))
            .unwrap_or(0);
    }
    let left = room - first.len();
    let parts = [
        Part::new(first),
        Part::new(second.get(..left).unwrap_or(second)),
    ];
    client.reply_vector(&parts).unwrap_or(0)
}

/// Tells a client that waited for a change.
fn finish(waiter: Waiter, outcome: Result<(), Refused>) {
    match outcome {
        Ok(()) => {
            waiter.answer(&[]);
        }
        Err(why) => waiter.refuse(said(why)),
    }
}

/// The name that follows a request, if it can be one.
fn name(message: &Message<'_>) -> Option<Name> {
    let name = message.bytes().get(REQUEST..).and_then(Name::new);
    name.filter(|_| message.accepted() == message.offered())
}

/// Which pipe a request means: by the name that follows, or by its number.
fn key(message: &Message<'_>) -> Result<Key, Refused> {
    let [_, number, ..] = message.words();
    match name(message) {
        Some(name) => Ok(Key::Name(name)),
        None if message.offered() == REQUEST => Ok(Key::Number(number)),
        None => Err(Refused::NoSuchPipe),
    }
}

fn answer<'a>(message: Message<'a>, done: Result<(), Refused>) -> Answer<'a> {
    match done {
        Ok(()) => message.answer_words([]),
        Err(why) => message.answer_error(said(why)),
    }
}

fn answer_number<'a>(message: Message<'a>, found: Result<u32, Refused>) -> Answer<'a> {
    match found {
        Ok(number) => message.answer_words([number]),
        Err(why) => message.answer_error(said(why)),
    }
}

fn said(why: Refused) -> Status {
    match why {
        Refused::NoSuchPipe => status::NO_SUCH_PIPE,
        Refused::TooManyEnds => status::TOO_MANY_ENDS,
        Refused::BadEnd => status::BAD_END,
        Refused::NoReader => status::NO_READER,
        Refused::NotYet => status::TIMED_OUT,
        Refused::Taken => status::TAKEN,
        Refused::TooManyPipes => status::TOO_MANY_PIPES,
        Refused::NotYours => status::NOT_YOURS,
        Refused::BadCapacity => status::BAD_CAPACITY,
        Refused::BadPipe => status::BAD_REQUEST,
    }
}
