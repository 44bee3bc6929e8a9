//! Keeps a client until the other one asks too, and answers the later one first: each gets its bytes back, turned around,
//! behind how many there were.
#![no_std]

use riposte::{Answer, Event, Token};
use riposte_names::Names;

const LONGEST: usize = 64;

/// What a client is to be told.
struct Waiting {
    token: Token,
    answer: [u8; 1 + LONGEST],
    length: usize,
}

impl Waiting {
    fn answer(self) {
        // One that has left needs none.
        let _ = self.token.reply(&self.answer[..self.length]);
    }
}

#[riposte::main]
fn main() {
    let channel = riposte::own_channel().unwrap();
    Names::connect()
        .unwrap()
        .register("/mixed/server", channel)
        .unwrap();
    let mut waiting: Option<Waiting> = None;
    let error = channel.serve(&mut [0; LONGEST], |event| {
        let Event::Message(message) = event else {
            return Answer::later();
        };
        let length = 1 + message.accepted();
        let mut answer = [0; 1 + LONGEST];
        answer[0] = message.offered() as u8;
        let turned = message.bytes().iter().rev();
        answer[1..]
            .iter_mut()
            .zip(turned)
            .for_each(|(to, from)| *to = *from);
        let later = Waiting {
            token: message.into_token(),
            answer,
            length,
        };
        match waiting.take() {
            None => waiting = Some(later),
            Some(first) => {
                later.answer();
                first.answer();
            }
        }
        Answer::later()
    });
    panic!("the server's channel: {error}");
}
