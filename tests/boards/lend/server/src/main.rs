//! Does with memory what it is told to, also what it may not.
#![no_std]

use check::machine;
use check::memory::{self, Form, Message, Received};
use lend_orders::{code, order};
use riposte::abi::{info, notice};
use riposte::{Duration, Error, Token};

/// A message that is not answered yet.
struct Held {
    token: Token,
    memory: (u32, u32),
    mutable: bool,
}

/// What this process has.
#[derive(Default)]
struct Server {
    held: Option<Held>,
    /// What was moved here.
    kept: (u32, u32),
    /// Where memory was opened last.
    last: u32,
}

#[riposte::main]
fn main() {
    let channel = riposte::own_channel().unwrap();
    let mut server = Server::default();
    loop {
        let received = memory::receive(channel).unwrap();
        if received.is_any_notice() {
            if received.is_notice(notice::UNBLOCK) {
                server.resume();
            }
            continue;
        }
        match received.mark() {
            info::LENT | info::LENT_MUT | info::MOVED => server.memory(&received),
            _ => {
                let answer = server.words(received.words());
                let _ = received.token().reply_words(answer);
            }
        }
    }
}

impl Server {
    /// A message with memory.
    fn memory(&mut self, received: &Received) {
        let [address, length, order, argument, _] = received.words();
        let token = received.token();
        let memory = (address, length);
        self.last = address;
        match order {
            order::DO_COMPARE => {
                let same = u32::from(memory::is_filled(memory, argument));
                token.reply_words([same, received.mark(), address]).unwrap();
            }
            order::DO_FILL => {
                memory::fill(memory, argument);
                token.reply_words([1]).unwrap();
            }
            order::DO_READ_AT => {
                let word = memory::load(address.wrapping_add(argument));
                token.reply_words([word]).unwrap();
            }
            order::DO_WRITE_AT => {
                memory::store(address.wrapping_add(argument), order::OWN);
                token.reply_words([1]).unwrap();
            }
            order::DO_EXECUTE => {
                // SAFETY: none: what stops it is what is tested.
                unsafe { machine::jump(address) };
                token.reply_words([1]).unwrap();
            }
            order::DO_READ_LATER => {
                token.reply_words([1]).unwrap();
                let _ = memory::load(address + argument);
            }
            order::DO_WRITE_LATER => {
                token.reply_words([1]).unwrap();
                memory::store(address + argument, order::OWN);
            }
            order::DO_DIE => panic!("as ordered"),
            order::DO_KEEP => {
                self.kept = memory;
                token.reply_words([address]).unwrap();
            }
            _ => {
                let mutable = received.mark() == info::LENT_MUT;
                self.held = Some(Held {
                    token,
                    memory,
                    mutable,
                });
            }
        }
    }

    /// A message in words: what to answer.
    fn words(&mut self, words: [u32; 5]) -> [u32; 2] {
        let [order, argument, time, ..] = words;
        match order {
            order::LOAD => [memory::load(argument), 0],
            order::NAP_AND_LOAD => {
                riposte::sleep(Duration::from_micros(time.into())).unwrap();
                match argument {
                    0 => [0, 0],
                    address => [memory::load(address), 0],
                }
            }
            order::RESUME => self.resume(),
            order::HELD_IS_FILLED => {
                let held = self.held.as_ref();
                [
                    u32::from(held.is_some_and(|held| memory::is_filled(held.memory, argument))),
                    0,
                ]
            }
            order::KEPT_IS_FILLED => [
                u32::from(memory::is_filled(self.kept, argument)),
                self.kept.0,
            ],
            order::FILL_KEPT => {
                memory::fill(self.kept, argument);
                [1, 0]
            }
            order::RELEASE => [code(memory::release(self.kept.0)), self.kept.0],
            order::RELEASE_AND_LOAD => {
                let released = code(memory::release(self.kept.0));
                [memory::load(self.kept.0), released]
            }
            order::PASS_ON => {
                let keeper = riposte::connect("keeper").unwrap();
                let message = Message::new(Form::Move, self.kept, order::order(order::DO_KEEP, 0));
                [code(message.send(&keeper)), self.kept.0]
            }
            order::LEND_KEPT_ON => {
                let keeper = riposte::connect("keeper").unwrap();
                let message =
                    Message::new(Form::Lend, self.kept, order::order(order::DO_COMPARE, 0));
                [code(message.send(&keeper)), self.kept.0]
            }
            order::DIE => panic!("as ordered"),
            _ => [self.last, 0],
        }
    }

    /// Answers the client that was held: whether it was there, and the error.
    fn resume(&mut self) -> [u32; 2] {
        let Some(held) = self.held.take() else {
            return [0, 0];
        };
        if held.mutable {
            memory::fill(held.memory, order::OWN);
        }
        let answered: Result<(), Error> = held.token.reply_words([order::OWN]);
        [1, code(answered)]
    }
}
