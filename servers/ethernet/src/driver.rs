//! What comes of a request.

use riposte::zerocopy::IntoBytes;
use riposte::{Answer, Message, Status};
use riposte_ethernet::protocol::{
    CHANGE, FRAME, HEAD, NOTICE, READER, REQUEST, STATISTICS_WORDS, Statistics, operation, status,
};

use crate::controller::{Controller, Frame, Refused};

/// A device, and what has been counted.
pub struct Driver<C> {
    controller: C,
    counted: Statistics,
    was_up: bool,
    /// What an answer is given from.
    words: [u32; STATISTICS_WORDS],
}

impl<C: Controller> Driver<C> {
    /// The driver of this device.
    pub fn new(mut controller: C) -> Driver<C> {
        Driver {
            was_up: controller.is_up(),
            controller,
            counted: Statistics::default(),
            words: [0; STATISTICS_WORDS],
        }
    }

    /// Takes note of what the device has done. The bits of which its client is to be told; 0 if of nothing.
    pub fn interrupted(&mut self) -> u32 {
        let happened = self.controller.interrupted();
        self.counted.lost = self.counted.lost.wrapping_add(happened.lost);
        let is_up = self.controller.is_up();
        let has_changed = is_up != self.was_up;
        if has_changed {
            self.was_up = is_up;
            self.counted.link_changes = self.counted.link_changes.wrapping_add(1);
        }
        let frames = if happened.frames { NOTICE } else { 0 };
        frames | if has_changed { CHANGE } else { 0 }
    }

    /// Does what a client asks.
    pub fn serve<'a>(&mut self, message: Message<'a>) -> Answer<'a> {
        let offered = message.offered();
        if offered < REQUEST {
            return message.answer_error(status::INVALID);
        }
        let [what, ..] = message.words();
        let may_only_look = message.badge() >= READER;
        match what {
            operation::SEND | operation::RECEIVE if may_only_look => {
                message.answer_error(status::NOT_PERMITTED)
            }
            operation::SEND => self.send(message),
            _ if offered > REQUEST => message.answer_error(status::INVALID),
            operation::RECEIVE => self.receive(message),
            operation::STATE => {
                let [a, b, c, d, e, f] = self.controller.address();
                let first = u32::from_le_bytes([a, b, c, d]);
                let other = u32::from_le_bytes([e, f, 0, 0]);
                let room = self.controller.room();
                message.answer_words([first, other, u32::from(self.was_up), room])
            }
            operation::STATISTICS => {
                self.words = self.counted.to_words();
                // A client that has left needs no answer.
                let _ = message.reply(self.words.as_bytes());
                Answer::later()
            }
            _ => message.answer_error(status::NOT_SUPPORTED),
        }
    }

    fn send<'a>(&mut self, message: Message<'a>) -> Answer<'a> {
        let length = message.offered() - REQUEST;
        if !(HEAD..=FRAME).contains(&length) {
            return message.answer_error(status::INVALID);
        }
        let has_come = message.accepted() == message.offered();
        if has_come {
            let frame = message.bytes().get(REQUEST..).unwrap_or_default();
            let sent = self.controller.send(Frame::Here(frame));
            return match self.count(sent, length) {
                Ok(room) => message.answer_words([room]),
                Err(why) => message.answer_error(why),
            };
        }
        let token = message.into_token();
        let frame = Frame::At(&token, REQUEST as u32, length);
        let sent = self.controller.send(frame);
        match self.count(sent, length) {
            Ok(room) => Answer::words(token, [room]),
            Err(why) => Answer::error(token, why),
        }
    }

    /// Counts a frame that was sent, or not, and says what its client is told.
    fn count(&mut self, sent: Result<u32, Refused>, length: usize) -> Result<u32, Status> {
        let counted = &mut self.counted;
        match sent {
            Ok(room) => {
                counted.sent = counted.sent.wrapping_add(1);
                counted.sent_bytes = counted.sent_bytes.wrapping_add(length as u32);
                Ok(room)
            }
            Err(Refused::NoRoom) => {
                counted.no_room = counted.no_room.wrapping_add(1);
                Err(status::NO_ROOM)
            }
            // Nobody hears it.
            Err(Refused::Left) => Err(status::INVALID),
        }
    }

    fn receive<'a>(&mut self, message: Message<'a>) -> Answer<'a> {
        match self.controller.receive(message.into_token()) {
            // Those that came were none.
            Ok(0) => Answer::later(),
            Ok(length) => {
                let counted = &mut self.counted;
                counted.received = counted.received.wrapping_add(1);
                counted.received_bytes = counted.received_bytes.wrapping_add(length as u32);
                Answer::later()
            }
            Err(token) => Answer::error(token, status::NO_FRAME),
        }
    }
}
