//! A card of two halves, one for each badge. While a client's first life mounts a volume all reads but one fail, and the first
//! read of its third one. Behind a read of a block that begins with `fail` the next write is made, and is told to have failed.
#![no_std]

use riposte::{Answer, Buffer, Event, Message, Region};
use riposte_block::protocol::{BLOCK, LARGEST, REQUEST, operation, status};

/// Blocks of a half.
const HALF: usize = 128;

/// What a client has asked for.
#[derive(Clone, Copy, Default)]
struct Asked {
    /// How often it has asked for the card's shape: once in each of its lives.
    lives: u32,
    /// How often it has read since.
    reads: u32,
    /// Whether its next write fails.
    fails_next: bool,
}

#[riposte::main]
fn main() {
    let card = riposte::region("card").unwrap();
    let mut asked = [Asked::default(); 2];
    let channel = riposte::own_channel().unwrap();
    // What is written stays where it is until it is copied to the card.
    let error = channel.serve(&mut Buffer::<REQUEST>::new(), |event| match event {
        Event::Message(message) => serve(&card, &mut asked, message),
        Event::Notice(_) => Answer::later(),
    });
    panic!("{error}");
}

fn serve<'a>(card: &Region, asked: &mut [Asked; 2], message: Message<'a>) -> Answer<'a> {
    let [first, block, ..] = message.words();
    let half = message.badge() as usize - 1;
    let start = (half * HALF + block as usize) * BLOCK;
    let bytes = start..start + (first >> operation::SHIFT) as usize * BLOCK;
    let client = &mut asked[half];
    match first & 0xFF {
        operation::SHAPE => {
            client.lives += 1;
            client.reads = 0;
            message.answer_words([HALF as u32, LARGEST as u32, 1])
        }
        operation::READ => {
            client.reads += 1;
            if matches!((client.lives, client.reads), (1, 2..) | (3, 1)) {
                return message.answer_error(status::IO);
            }
            let mut first = [0; 4];
            card.read(start, &mut first);
            client.fails_next |= first == *b"fail";
            let part = card.part(bytes).unwrap();
            message.into_token().reply_vector(&[part]).unwrap();
            Answer::later()
        }
        _ => {
            let token = message.into_token();
            let mut part = card.part_mut(bytes).unwrap();
            token.read_part(REQUEST as u32, &mut part).unwrap();
            if core::mem::take(&mut client.fails_next) {
                return Answer::error(token, status::IO);
            }
            Answer::words(token, [])
        }
    }
}
