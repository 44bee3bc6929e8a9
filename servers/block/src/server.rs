//! What comes of a request.

use riposte::{Answer, Message};
use riposte_block::protocol::{BLOCK, LARGEST, READER, REQUEST, operation, status};

use crate::device::{Blocks, Device, Failed, Source};
use crate::ranges::Ranges;

/// A card, and who has which part of it.
pub struct Server<D> {
    card: D,
    ranges: Ranges,
}

impl<D: Device> Server<D> {
    /// With the card that there is.
    pub fn new(card: D) -> Server<D> {
        let ranges = Ranges::of_manifest(card.blocks());
        Server { card, ranges }
    }

    /// Does what a client asks.
    pub fn serve<'a>(&mut self, message: Message<'a>) -> Answer<'a> {
        let [first, block, ..] = message.words();
        let badge = message.badge();
        let range = self.ranges.of(badge);
        let (Some((base, blocks)), true) = (range, message.offered() >= REQUEST) else {
            return message.answer_error(status::INVALID);
        };
        let count = first >> operation::SHIFT;
        let body = message.offered() - REQUEST;
        match first & 0xFF {
            operation::SHAPE if count == 0 && block == 0 && body == 0 => {
                message.answer_words([blocks, LARGEST as u32, u32::from(badge < READER)])
            }
            operation::SHAPE => message.answer_error(status::INVALID),
            what @ (operation::READ | operation::WRITE) => {
                let expected = match what {
                    operation::WRITE => count as usize * BLOCK,
                    _ => 0,
                };
                if !(1..=LARGEST as u32).contains(&count) || body != expected {
                    return message.answer_error(status::INVALID);
                }
                if what == operation::WRITE && badge >= READER {
                    return message.answer_error(status::READ_ONLY);
                }
                if block >= blocks || count > blocks - block {
                    return message.answer_error(status::NO_SUCH_BLOCK);
                }
                let place = Blocks {
                    first: base + block,
                    count,
                };
                match what {
                    operation::WRITE => self.write(message, place),
                    _ => {
                        self.card.read(place, message.into_token());
                        Answer::later()
                    }
                }
            }
            _ => message.answer_error(status::NOT_SUPPORTED),
        }
    }

    fn write<'a>(&mut self, message: Message<'a>, blocks: Blocks) -> Answer<'a> {
        if message.accepted() == message.offered() {
            let bytes = message.bytes().get(REQUEST..).unwrap_or_default();
            return match self.card.write(blocks, Source::Here(bytes)) {
                Ok(()) => message.answer_words([]),
                Err(Failed) => message.answer_error(status::IO),
            };
        }
        let token = message.into_token();
        match self.card.write(blocks, Source::AtClient(&token)) {
            Ok(()) => Answer::words(token, []),
            Err(Failed) => Answer::error(token, status::IO),
        }
    }
}
