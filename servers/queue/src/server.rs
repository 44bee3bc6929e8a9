//! What comes of a request, and of a notice.

use queue_store::{LEVELS, Name, Refused, Side, Store, Waiter};
use riposte::{Answer, Message, Notice, Status};
use riposte_queue::protocol::{LARGEST, Request, operation, status};
use servers_waiting::crowding;

use crate::client::Client;
use crate::makers::Makers;

/// Queues that there can be.
const QUEUES: usize = 16;
/// Clients that can wait at once.
const CLIENTS: usize = 32;
/// Bytes of all messages, with four more for each.
const BYTES: usize = 8192;

/// What the names of settings that are queues begin with.
const QUEUE: &str = "queue-";

/// The queues, and who waits at them.
pub struct Server {
    store: Store<Client, QUEUES, CLIENTS, BYTES>,
    makers: Makers<QUEUES>,
}

impl Server {
    /// Without a queue.
    pub const fn new() -> Server {
        Server {
            store: Store::new(),
            makers: Makers::new(),
        }
    }

    /// Makes the queues that the manifest's settings say, and keeps room for those that clients may make.
    pub fn configure(&mut self) {
        for (name, value) in riposte::settings() {
            if let Some(queue) = name.strip_prefix(QUEUE) {
                let (capacity, size) = ((value >> 16) as u16, value as u16);
                let made = create(&mut self.store, queue.as_bytes(), capacity, size);
                assert!(made.is_ok(), "setting {name}: this queue can't be made");
            }
        }
        let (queues, bytes) = self.store.left();
        self.makers.share(queues, bytes);
    }

    /// Does what a client asks.
    pub fn serve<'a>(&mut self, message: Message<'a>) -> Answer<'a> {
        let Some((request, _)) = Request::decode(message.bytes()) else {
            return message.answer_error(status::BAD_REQUEST);
        };
        if usize::from(request.level) >= LEVELS {
            return message.answer_error(status::BAD_REQUEST);
        }
        match request.operation {
            operation::OPEN => self.open(message),
            operation::CREATE => self.create(message, request.numbers),
            operation::SEND | operation::TRY_SEND => self.send(message, request),
            operation::RECEIVE | operation::TRY_RECEIVE => self.receive(message, request),
            _ => message.answer_error(status::BAD_REQUEST),
        }
    }

    /// Lets go those who do not wait any more.
    pub fn hear<'a>(&mut self, notice: &Notice) -> Answer<'a> {
        match notice {
            Notice::ClientDied { badge, .. } => {
                // Behind the same connection there can be its process's next life.
                let is_dead = |client: &Client| client.badge() == *badge && client.has_left();
                while self.store.leave(|waiter| is_dead(&waiter.client)).is_some() {}
            }
            Notice::Unblock {
                client, has_signal, ..
            } => {
                let why = if *has_signal {
                    status::INTERRUPTED
                } else {
                    status::TIMED_OUT
                };
                if let Some(left) = self.store.leave(|waiter| waiter.client.is(*client)) {
                    left.client.refuse(why);
                }
            }
            _ => {}
        }
        Answer::later()
    }

    fn open<'a>(&mut self, message: Message<'a>) -> Answer<'a> {
        let name = Request::decode(message.bytes()).and_then(|(_, name)| Name::new(name));
        match name.and_then(|name| self.store.find(name)) {
            Some(queue) => self.opened(message, queue),
            None => message.answer_error(status::NO_SUCH_QUEUE),
        }
    }

    fn create<'a>(&mut self, message: Message<'a>, [capacity, size]: [u16; 2]) -> Answer<'a> {
        let name = Request::decode(message.bytes()).map(|(_, name)| name);
        let name = name.unwrap_or_default();
        let exists = Name::new(name).is_some_and(|name| self.store.find(name).is_some());
        let badge = message.badge();
        if !exists
            && !self
                .makers
                .may_make(badge, queue_store::bytes(capacity, size))
        {
            return message.answer_error(status::NO_ROOM);
        }
        match create(&mut self.store, name, capacity, size) {
            Ok(queue) => {
                if !exists {
                    self.makers.made(badge);
                }
                self.opened(message, queue)
            }
            Err(why) => message.answer_error(why),
        }
    }

    fn opened<'a>(&self, message: Message<'a>, queue: usize) -> Answer<'a> {
        let (capacity, size) = self.store.shape(queue).unwrap_or_default();
        let first = queue as u32 | u32::from(capacity) << 16;
        message.answer_words([first, size.into()])
    }

    /// Hands the message to the one who waits for it, keeps it, or lets its client wait.
    fn send<'a>(&mut self, message: Message<'a>, request: Request) -> Answer<'a> {
        let queue = usize::from(request.numbers[0]);
        let Some((_, size)) = self.store.shape(queue) else {
            return message.answer_error(status::NO_SUCH_QUEUE);
        };
        let whole = message.offered() == message.accepted();
        let bytes = Request::decode(message.bytes()).map_or(&[][..], |(_, bytes)| bytes);
        if !whole || bytes.len() > usize::from(size) {
            return message.answer_error(status::TOO_LONG);
        }
        // One that has left is passed over.
        while let Some(receiver) = self.store.next(queue, Side::Receive) {
            if receiver.client.answer(bytes).is_ok() {
                return message.answer_words([]);
            }
        }
        if self.store.has_room(queue) {
            self.store.push(queue, request.level.into(), bytes);
            return message.answer_words([]);
        }
        self.wait(message, request, Side::Send)
    }

    /// Gives the message that comes first, or lets the client wait for one.
    fn receive<'a>(&mut self, message: Message<'a>, request: Request) -> Answer<'a> {
        let queue = usize::from(request.numbers[0]);
        if self.store.shape(queue).is_none() {
            return message.answer_error(status::NO_SUCH_QUEUE);
        }
        let Some(first) = self.store.first(queue) else {
            return self.wait(message, request, Side::Receive);
        };
        // To one that has left, nothing is given.
        if message.reply(first).is_ok() {
            self.store.pop(queue);
            self.refill(queue);
        }
        Answer::later()
    }

    /// There is room for a message of those who wait with one.
    fn refill(&mut self, queue: usize) {
        // A hostile client can name more bytes by now than it did at first.
        let (_, size) = self.store.shape(queue).unwrap_or_default();
        let mut buffer = [0; LARGEST];
        let buffer = &mut buffer[..usize::from(size)];
        while let Some(sender) = self.store.next(queue, Side::Send) {
            let Ok(length) = sender.client.message(buffer) else {
                // One that has not left wanted less to be read than it had said.
                sender.client.refuse(status::BAD_REQUEST);
                continue;
            };
            self.store.push(queue, sender.level, &buffer[..length]);
            // It is in the queue now, whether its client still hears of that or not.
            let _ = sender.client.answer(&[]);
            return;
        }
    }

    fn wait<'a>(&mut self, message: Message<'a>, request: Request, side: Side) -> Answer<'a> {
        if matches!(
            request.operation,
            operation::TRY_SEND | operation::TRY_RECEIVE
        ) {
            return message.answer_error(status::TIMED_OUT);
        }
        let waiter = Waiter {
            client: Client::new(message),
            side,
            level: request.level.into(),
        };
        let queue = usize::from(request.numbers[0]);
        let Err(waiter) = self.store.wait(queue, waiter) else {
            return Answer::later();
        };
        // Of one that dies after it has closed a connection that an answer brought no notice comes.
        while self.store.leave(|it| it.client.has_left()).is_some() {}
        let Err(waiter) = self.store.wait(queue, waiter) else {
            return Answer::later();
        };
        let refused = match self.displace(waiter.client.badge()) {
            Some(displaced) => self.store.wait(queue, waiter).err().or(Some(displaced)),
            None => Some(waiter),
        };
        if let Some(waiter) = refused {
            waiter.client.refuse(status::TOO_MANY_WAIT);
        }
        Answer::later()
    }

    /// Takes one that waits of the client that has most, if one of this badge is to have its place.
    fn displace(&mut self, badge: u32) -> Option<Waiter<Client>> {
        let crowding = {
            let mut badges = self.store.clients().map(Client::badge);
            badges.nth(crowding(badges.clone(), badge)?)?
        };
        self.store.leave(|it| it.client.badge() == crowding)
    }
}

fn create(
    store: &mut Store<Client, QUEUES, CLIENTS, BYTES>,
    name: &[u8],
    capacity: u16,
    size: u16,
) -> Result<usize, Status> {
    let name = Name::new(name).ok_or(status::BAD_REQUEST)?;
    if usize::from(size) > LARGEST {
        return Err(status::NO_ROOM);
    }
    store
        .create(name, capacity, size)
        .map_err(|refused| match refused {
            Refused::Differs => status::DIFFERS,
            Refused::Shape => status::BAD_REQUEST,
            Refused::NoRoom => status::NO_ROOM,
        })
}
