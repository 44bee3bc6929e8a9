//! Answers what it is asked, by the first byte of a message.
#![no_std]
#![forbid(unsafe_code)]

use riposte::{Answer, Event};

#[riposte::main]
fn main() {
    let channel = riposte::own_channel().unwrap();
    let mut kept = None;
    let mut room = [0; 16];
    let error = channel.serve(&mut room, |event| {
        let Event::Message(message) = event else {
            return Answer::later();
        };
        let [first, second, ..] = message.words();
        match first & 0xFF {
            // With whom it has to do.
            0 => {
                let words = [message.badge(), second, message.offered() as u32];
                message.answer_words(words)
            }
            // What is behind the room for the message comes back in the middle of the reply.
            1 => {
                let mut rest = [0; 48];
                let length = message.read(16, &mut rest).unwrap();
                rest.reverse();
                message.write(8, &rest).unwrap();
                message.answer_words([length as u32])
            }
            // Whoever asks this waits.
            2 => {
                kept = Some(message.into_token());
                Answer::later()
            }
            // Whether that one has gone.
            3 => {
                let gone = kept.take().map(|token| token.reply_words([]).is_err());
                message.answer_words([u32::from(gone == Some(true))])
            }
            _ => panic!("as it was told"),
        }
    });
    panic!("{error}");
}
