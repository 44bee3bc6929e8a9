//! What comes of a request, and of a notice.

use names_store::{CLIENTS, Client, Refused, Right, Tree};
use riposte::abi::process_info::kind;
use riposte::{Answer, ClientId, Error, Message, Notice, Status};
use riposte_names::protocol::{ARGUMENT_SHIFT, LONGEST_NAME, REQUEST, operation, status};

use crate::provider::{Life, Providers};
use crate::waiting::{Path, Waiter, Waiting, Wanted};

/// Names that there can be, and buckets of the table.
const NAMES: usize = 256;
/// See [`NAMES`].
const BUCKETS: usize = 512;

/// Bytes of a request to watch.
const WATCH: usize = REQUEST + 4;

/// The names, what they lead to, and who waits for some.
pub struct Server {
    tree: Tree<NAMES, BUCKETS>,
    providers: Providers,
    waiting: Waiting,
}

impl Server {
    /// Without a name.
    pub const fn new() -> Server {
        Server {
            tree: Tree::new(),
            providers: Providers::new(),
            waiting: Waiting::new(),
        }
    }

    /// Reads what the manifest says.
    pub fn configure(&mut self) {
        for (kind, right) in [
            (kind::REGISTERS, Right::Register),
            (kind::FINDS, Right::Find),
        ] {
            for (badge, pattern) in riposte::manifest_entries(kind) {
                assert!(
                    self.tree.allow(badge, right, pattern),
                    "pattern {pattern} is one too many: there can be 128, of {CLIENTS} processes"
                );
            }
        }
        self.waiting.share_among(self.tree.clients());
        self.providers.configure();
    }

    /// Does what a client asks.
    pub fn serve<'a>(&mut self, message: Message<'a>) -> Answer<'a> {
        let whole = message.accepted() >= REQUEST && message.accepted() == message.offered();
        let client = self.tree.client(message.badge());
        let (Some(client), true) = (client, whole) else {
            let status = if whole {
                status::NOT_ALLOWED
            } else {
                status::BAD_REQUEST
            };
            return message.answer_error(status);
        };
        let [word, ..] = message.words();
        let may_wait = word & operation::TRY == 0;
        match word & !operation::TRY {
            operation::LOCATE => self.locate(message, client, may_wait),
            asked => self.serve_other(message, client, asked, may_wait),
        }
    }

    /// Does what a client asks less often: beside it, locating would take longer.
    #[inline(never)]
    fn serve_other<'a>(
        &mut self,
        message: Message<'a>,
        client: Client,
        asked: u32,
        may_wait: bool,
    ) -> Answer<'a> {
        let argument = (asked >> ARGUMENT_SHIFT) as usize;
        match asked & 0xFFFF {
            operation::WATCH if argument == 0 => self.watch(message, client, may_wait),
            operation::REGISTER if may_wait => self.register(message, client, argument),
            operation::UNREGISTER if may_wait && argument == 0 => {
                let removed = self.tree.unregister(client, behind(&message));
                self.tell_watchers();
                answer(message, removed)
            }
            operation::LIST if may_wait => self.list(message, client, argument),
            _ => message.answer_error(status::BAD_REQUEST),
        }
    }

    /// Ends the names of the dead, and lets go those who do not wait any more.
    // Inlined, up to what it does: an event that is handed on by its address is in memory whatever it is.
    #[inline(always)]
    pub fn hear<'a>(&mut self, notice: &Notice) -> Answer<'a> {
        match notice {
            Notice::ClientDied { badge, .. } => self.end_all_of(*badge),
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
    fn end_all_of(&mut self, badge: u32) {
        if let Some(client) = self.tree.client(badge) {
            self.waiting.remove_dead(client);
        }
        self.end_those_over(badge);
    }

    fn register<'a>(
        &mut self,
        message: Message<'a>,
        client: Client,
        position: usize,
    ) -> Answer<'a> {
        let Some(provider) = self.providers.find(message.badge(), position) else {
            return message.answer_error(status::NOT_ALLOWED);
        };
        // What is left of an earlier life of its owner ends first.
        if self.providers.open(provider) == Life::Over {
            self.tree.end(provider);
        }
        let name = behind(&message);
        let mut registered = self.tree.register(client, provider, name);
        let again = match registered {
            Err(Refused::Taken) => self.ends_if_over(name),
            Err(Refused::TooMany) => {
                self.end_those_over(message.badge());
                true
            }
            _ => false,
        };
        if again {
            registered = self.tree.register(client, provider, name);
        }
        self.hand_to_waiting();
        self.tell_watchers();
        answer(message, registered)
    }

    /// Ends what a name leads to, if its owner has ended and nobody has said so yet. Whether it has.
    fn ends_if_over(&mut self, name: &[u8]) -> bool {
        let provider = self.tree.provider(name);
        let over = provider.filter(|it| self.providers.look(*it) == Life::Over);
        over.map(|provider| self.end(provider)).is_some()
    }

    /// Ends what is left of an owner's earlier lives.
    fn end_those_over(&mut self, owner: u32) {
        for provider in self.providers.of(owner).into_iter().flatten() {
            if self.providers.look(provider) == Life::Over {
                self.end(provider);
            }
        }
    }

    /// Its owner has ended.
    #[inline(never)]
    fn end(&mut self, provider: u8) {
        self.providers.forget(provider);
        self.tree.end(provider);
        self.tell_watchers();
    }

    /// Hands over what the path leads to. Whether its owner lives is the kernel's to say, at that instant.
    fn locate<'a>(&mut self, message: Message<'a>, client: Client, may_wait: bool) -> Answer<'a> {
        loop {
            let found = match self.tree.locate(client, behind(&message)) {
                Ok(found) => found,
                Err(why) => return self.not_found(message, client, why, may_wait),
            };
            if let Some((connection, owner)) = self.providers.connection(found.provider) {
                let words = [found.covered as u32, owner, 0, 0];
                match message.try_reply_handle(words, connection) {
                    Ok(()) | Err(Error::NoSuchClient) => return Answer::later(),
                    Err(error) => {
                        if let Some(status) = refusal(error) {
                            return message.answer_error(status);
                        }
                    }
                }
            }
            self.end(found.provider);
        }
    }

    #[inline(never)]
    fn not_found<'a>(
        &mut self,
        message: Message<'a>,
        client: Client,
        why: Refused,
        may_wait: bool,
    ) -> Answer<'a> {
        let path = behind(&message);
        if why != Refused::NoSuchName {
            return message.answer_error(said(why));
        }
        if !self.tree.may_find(client, path) {
            return message.answer_error(status::NOT_ALLOWED);
        }
        match Path::new(path).filter(|_| may_wait) {
            Some(path) => self.wait(message, client, Wanted::Path(path)),
            None => message.answer_error(status::NO_SUCH_NAME),
        }
    }

    fn list<'a>(&mut self, message: Message<'a>, client: Client, from: usize) -> Answer<'a> {
        while let Some(listed) = self.tree.list(client, behind(&message), from) {
            if self.providers.look(listed.provider) == Life::Over {
                self.end(listed.provider);
                continue;
            }
            let name = listed.name.as_bytes();
            let mut bytes = [0; 4 + LONGEST_NAME];
            let (next, rest) = bytes.split_at_mut(4);
            next.copy_from_slice(&(listed.next as u32).to_le_bytes());
            rest.iter_mut().zip(name).for_each(|(to, from)| *to = *from);
            // One that has left needs no answer.
            let _ = message.reply(bytes.get(..4 + name.len()).unwrap_or_default());
            return Answer::later();
        }
        message.answer_error(status::NO_SUCH_NAME)
    }

    fn watch<'a>(&mut self, message: Message<'a>, client: Client, may_wait: bool) -> Answer<'a> {
        if message.offered() != WATCH {
            return message.answer_error(status::BAD_REQUEST);
        }
        let [_, seen, ..] = message.words();
        match self.tree.changes(client) {
            now if now != seen => message.answer_words([now]),
            _ if may_wait => self.wait(message, client, Wanted::Change(seen)),
            _ => message.answer_error(status::TIMED_OUT),
        }
    }

    fn wait<'a>(&mut self, message: Message<'a>, client: Client, wanted: Wanted) -> Answer<'a> {
        let waiter = Waiter {
            token: message.into_token(),
            client,
            wanted,
        };
        if let Err(waiter) = self.waiting.push(waiter) {
            // Nobody says so of threads that died when their process had closed a connection that an answer brought.
            self.waiting.remove_dead(client);
            if let Err(waiter) = self.waiting.push(waiter) {
                waiter.refuse(status::TOO_MANY_WAIT);
            }
        }
        Answer::later()
    }

    #[inline(never)]
    fn let_go(&mut self, client: ClientId, why: Status) {
        if let Some(waiter) = self.waiting.remove(client) {
            waiter.refuse(why);
        }
    }

    /// Hands over what there is now to those who wait for it.
    fn hand_to_waiting(&mut self) {
        loop {
            let tree = &self.tree;
            let waits = |waiter: &Waiter| match &waiter.wanted {
                Wanted::Path(path) => tree.locate(waiter.client, path.as_bytes()).is_ok(),
                Wanted::Change(_) => false,
            };
            let Some(waiter) = self.waiting.take_if(waits) else {
                return;
            };
            self.hand(waiter);
        }
    }

    /// Hands over what one that has waited wants; if that has just ended, it waits on.
    fn hand(&mut self, waiter: Waiter) {
        let Wanted::Path(path) = &waiter.wanted else {
            return;
        };
        let Ok(found) = self.tree.locate(waiter.client, path.as_bytes()) else {
            return;
        };
        let handed = match self.providers.connection(found.provider) {
            Some((connection, owner)) => {
                let words = [found.covered as u32, owner, 0, 0];
                waiter.token.try_reply_handle(words, connection)
            }
            None => Err(Error::ServerDied),
        };
        match handed.map_err(refusal) {
            Ok(()) => {}
            Err(Some(status)) => waiter.refuse(status),
            Err(None) => {
                self.end(found.provider);
                // It has just left its place.
                let _ = self.waiting.push(waiter);
            }
        }
    }

    fn tell_watchers(&mut self) {
        let tree = &self.tree;
        let is_told = |waiter: &Waiter| match waiter.wanted {
            Wanted::Change(seen) => tree.changes(waiter.client) != seen,
            Wanted::Path(_) => false,
        };
        while let Some(waiter) = self.waiting.take_if(is_told) {
            // One that has left needs no answer.
            let _ = waiter.token.reply_words([tree.changes(waiter.client)]);
        }
    }
}

/// What follows the word of a request.
fn behind<'a>(message: &'a Message<'_>) -> &'a [u8] {
    message.bytes().get(REQUEST..).unwrap_or_default()
}

fn answer<'a>(message: Message<'a>, outcome: Result<(), Refused>) -> Answer<'a> {
    match outcome {
        Ok(()) => message.answer_words([]),
        Err(why) => message.answer_error(said(why)),
    }
}

/// Why a connection could not be handed over; `None` if nobody is at its other end.
fn refusal(error: Error) -> Option<Status> {
    match error {
        Error::ServerDied | Error::BadHandle => None,
        Error::NoHandles => Some(status::NO_HANDLES),
        _ => Some(status::BAD_REQUEST),
    }
}

fn said(why: Refused) -> Status {
    match why {
        Refused::BadName => status::BAD_NAME,
        Refused::NotAllowed => status::NOT_ALLOWED,
        Refused::NoSuchName => status::NO_SUCH_NAME,
        Refused::Taken => status::TAKEN,
        Refused::TooMany => status::TOO_MANY,
    }
}
