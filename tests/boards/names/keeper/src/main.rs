//! Registers names, does what it is told, and ends when it is told. Orders are words: what to do, and a number.
#![no_std]

use riposte::{Answer, Channel, Duration, Event, Message, Notice};
use riposte_names::{ANEW, NameError, Names};

/// What came of an order.
fn code(outcome: Result<(), NameError>) -> u32 {
    match outcome {
        Ok(()) => 0,
        Err(NameError::NotAllowed) => 1,
        Err(NameError::NoSuchName) => 2,
        Err(NameError::Taken) => 3,
        Err(NameError::TooMany) => 4,
        Err(_) => 5,
    }
}

struct Keeper {
    names: Names,
    channel: Channel,
    /// The badge of the last client that died.
    died: u32,
}

impl Keeper {
    fn register(&self, name: &str) -> Result<(), NameError> {
        self.names.register(name, self.channel)
    }

    /// Those that it has as long as it lives. Another one may have them.
    fn register_all(&self) {
        for name in ["/dev/thing", "/ram"] {
            let _ = self.register(name);
        }
    }

    fn obey<'a>(&mut self, message: Message<'a>) -> Answer<'a> {
        let badge = message.badge();
        let [order, number, ..] = message.words();
        match order {
            // Who asks?
            0 => {
                let is_judge = riposte::client_name(badge) == Some("judge");
                message.answer_words([badge, is_judge.into(), self.died])
            }
            1 => panic!("it was told to"),
            2 => {
                let name = ["/dev/thing", "/dev/other", "/own/x", "/ram"][number as usize % 4];
                message.answer_words([code(self.register(name))])
            }
            3 => {
                let name = ["/dev/thing", "/dev/other", "/own/x", "/ram"][number as usize % 4];
                message.answer_words([code(self.names.unregister(name))])
            }
            // It answers at once, and registers later.
            4 => {
                let _ = message.reply_words([]);
                let _ = riposte::sleep(Duration::from_millis(2));
                let _ = self.register("/dev/late");
                Answer::later()
            }
            // It answers at once, and ends later.
            5 => {
                let _ = message.reply_words([]);
                let _ = riposte::sleep(Duration::from_millis(2));
                panic!("it was told to");
            }
            _ => message.answer_words([code(self.names.unregister("/dev/late"))]),
        }
    }
}

#[riposte::main]
fn main() {
    let channel = riposte::own_channel().unwrap();
    let names = Names::connect().unwrap();
    let mut keeper = Keeper {
        names,
        channel,
        died: 0,
    };
    if riposte::process_name() == "keeper" {
        keeper.register_all();
    }
    let error = channel.serve(&mut [], |event| match event {
        Event::Message(message) => keeper.obey(message),
        Event::Notice(Notice::Bits { bits }) if bits & ANEW != 0 => {
            keeper.names.reconnect().unwrap();
            if riposte::process_name() == "keeper" {
                keeper.register_all();
            }
            Answer::later()
        }
        Event::Notice(Notice::ClientDied { badge, .. }) => {
            keeper.died = badge;
            Answer::later()
        }
        Event::Notice(_) => Answer::later(),
    });
    panic!("the keeper's channel: {error}");
}
