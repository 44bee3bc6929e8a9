//! Lends keys: each to one client, and to those who wait for it in the order in which they came.
//!
//! It never waits for a client. What it keeps is small, and nobody can make it larger.
#![no_std]

use keys_api::{KEYS, operation, status};
use riposte::{Answer, ClientId, Error, Event, Message, Notice, Status, Token};
use riposte_names::ANEW;

/// Clients that can wait, each with one thread.
const WAITERS: usize = 8;

/// A client that waits for a key.
struct Waiter {
    token: Token,
    badge: u32,
    key: usize,
}

/// Who has which key, and who waits for some.
struct Keeper {
    holders: [Option<u32>; KEYS as usize],
    waiters: [Option<Waiter>; WAITERS],
}

impl Keeper {
    fn serve<'a>(&mut self, message: Message<'a>) -> Answer<'a> {
        let [operation, key, ..] = message.words();
        let badge = message.badge();
        let holder = self.holders.get_mut(key as usize);
        let is_whole = message.offered() == 8;
        let Some(holder) = holder.filter(|_| is_whole) else {
            return message.answer_error(status::NO_SUCH_KEY);
        };
        match (operation, *holder) {
            (operation::BORROW, None) => {
                *holder = Some(badge);
                message.answer_words([])
            }
            (operation::BORROW, Some(own)) if own == badge => message.answer_error(status::YOURS),
            (operation::BORROW, Some(_)) => self.wait(message, key as usize),
            (operation::GIVE_BACK, Some(own)) if own == badge => {
                self.take_back(key as usize);
                message.answer_words([])
            }
            (operation::GIVE_BACK, _) => message.answer_error(status::NOT_YOURS),
            _ => message.answer_error(status::NO_SUCH_KEY),
        }
    }

    /// Keeps the client's token in place of an answer.
    fn wait<'a>(&mut self, message: Message<'a>, key: usize) -> Answer<'a> {
        let badge = message.badge();
        let waits = self.waiters.iter().flatten().any(|it| it.badge == badge);
        let free = self.waiters.iter_mut().find(|place| place.is_none());
        match free.filter(|_| !waits) {
            Some(place) => {
                let token = message.into_token();
                *place = Some(Waiter { token, badge, key });
                Answer::later()
            }
            None => message.answer_error(status::TOO_MANY_WAIT),
        }
    }

    /// Somebody has the key no longer. The first who waits for it gets it, if that one is still there.
    fn take_back(&mut self, key: usize) {
        self.holders[key] = None;
        while let Some(waiter) = self.take_waiter(|it| it.key == key) {
            if waiter.token.reply_words([]).is_ok() {
                self.holders[key] = Some(waiter.badge);
                return;
            }
        }
    }

    fn take_waiter(&mut self, is_it: impl Fn(&Waiter) -> bool) -> Option<Waiter> {
        let mut places = self.waiters.iter();
        let place = places.position(|place| place.as_ref().is_some_and(&is_it))?;
        // The others move up.
        self.waiters[place..].rotate_left(1);
        self.waiters[WAITERS - 1].take()
    }

    fn hear<'a>(&mut self, notice: &Notice) -> Answer<'a> {
        match notice {
            // A client has ended: what it had is free, and it waits no longer.
            Notice::ClientDied { badge, .. } => {
                let is_its = |it: &Waiter| {
                    it.badge == *badge && it.token.read(0, &mut []) == Err(Error::NoSuchClient)
                };
                while self.take_waiter(is_its).is_some() {}
                for key in 0..KEYS as usize {
                    if self.holders[key] == Some(*badge) {
                        self.take_back(key);
                    }
                }
            }
            // The deadline of one that waits has come, or a signal.
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

    fn let_go(&mut self, client: ClientId, why: Status) {
        if let Some(waiter) = self.take_waiter(|it| it.token.client() == client) {
            let _ = waiter.token.reply_error(why);
        }
    }
}

#[riposte::main]
fn main() {
    let channel = riposte::channel("keys").unwrap();
    riposte_names::register("/keys", channel).unwrap();
    let mut keeper = Keeper {
        holders: [None; KEYS as usize],
        waiters: [const { None }; WAITERS],
    };
    let error = channel.serve(&mut [], |event| match event {
        Event::Message(message) => keeper.serve(message),
        // The names server has begun anew, and knows nobody.
        Event::Notice(Notice::Bits { bits }) if bits & ANEW != 0 => {
            riposte_names::register("/keys", channel).unwrap();
            Answer::later()
        }
        Event::Notice(notice) => keeper.hear(&notice),
    });
    panic!("the channel of keys: {error}");
}
