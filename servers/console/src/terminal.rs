//! From the receiver to those who read.

use console_input::{Input, LINE};
use riposte::console::protocol::{self, status};
use riposte::{Answer, Interrupt, Message};

use crate::readers::{Reader, Readers, Wanted};
use crate::uart::Uart;

const _: () = assert!(LINE == riposte::console::LONGEST_LINE);

/// What is typed, and who waits for it.
pub struct Terminal {
    /// Its interrupt. None if nobody can read.
    receiver: Option<Interrupt>,
    input: Input,
    readers: Readers,
    /// How many lost bytes the person at the terminal was told of.
    told: u32,
}

impl Terminal {
    pub const fn new() -> Terminal {
        Terminal {
            receiver: None,
            input: Input::new(),
            readers: Readers::new(),
            told: 0,
        }
    }

    /// From now on there is something to read.
    pub fn open(&mut self, uart: &mut Uart, receiver: Interrupt) {
        self.receiver = Some(receiver);
        self.readers.set_limit();
        self.receive(uart);
    }

    /// The receiver has asked for its interrupt, or somebody has read: takes what has come as far as there is room, serves who
    /// waits for it, and lets the interrupt come again. What there is no room for stays where it is: whoever sends has to
    /// wait, if it can, and keeps nobody else waiting, however much it sends.
    #[inline(never)]
    pub fn receive(&mut self, uart: &mut Uart) {
        // First: what comes after the last look asks anew.
        uart.clear_interrupt();
        loop {
            let is_full = self.input.is_full();
            if !is_full && let Some(byte) = uart.receive() {
                self.input.push(byte);
                continue;
            }
            if uart.has_overrun() {
                self.input.lose();
            }
            // Who waits for a line has it edited before there is no room, however fast it comes.
            self.serve(uart);
            if !is_full && let Some(receiver) = &self.receiver {
                // It cannot fail: the interrupt is attached.
                let _ = receiver.acknowledge();
            }
            if !is_full || self.input.is_full() {
                return;
            }
        }
    }

    /// A client asks for what is typed. It waits until there is something, unless it would not.
    pub fn request<'a>(&mut self, uart: &mut Uart, message: Message<'a>) -> Answer<'a> {
        if self.receiver.is_none() {
            return message.answer_error(status::NO_INPUT);
        }
        let [_, what, room, ..] = message.words();
        let wanted = Wanted {
            what: what & !protocol::TRY,
            room,
        };
        match wanted.what {
            protocol::LINE | protocol::KEY => {}
            protocol::LOST => return message.answer_words([self.input.lost()]),
            _ => return message.answer_error(status::BAD_REQUEST),
        }
        let badge = message.badge();
        let token = message.into_token();
        let client = token.client();
        let reader = Reader {
            token,
            badge,
            wanted,
        };
        let may_wait = what & protocol::TRY == 0;
        let was_full = self.input.is_full();
        self.readers.push(reader, may_wait);
        self.serve(uart);
        if was_full {
            self.receive(uart);
        }
        if !may_wait && let Some(reader) = self.readers.remove(client) {
            reader.refuse(status::NOTHING);
        }
        Answer::later()
    }

    /// Gives what was typed to those who wait for it, in their order. What somebody who has left does not take is
    /// the next one's.
    #[inline(never)]
    fn serve(&mut self, uart: &mut Uart) {
        while let Some(wanted) = self.readers.first() {
            let was_there = match wanted.what {
                protocol::KEY => self.give_key(),
                _ => self.give_line(uart, wanted.room as usize),
            };
            if was_there.is_none() {
                return;
            }
            self.tell_loss(uart);
        }
    }

    fn give_line(&mut self, uart: &mut Uart, room: usize) -> Option<()> {
        let line = self.input.line(room, |echo| uart.write(echo))?;
        // Who has no room only looks: the end of the input, of no bytes, stays as well.
        if self.readers.pop()?.answer(line) && room > 0 {
            let length = line.len();
            self.input.take_line(length);
        }
        Some(())
    }

    fn give_key(&mut self) -> Option<()> {
        let key = self.input.key()?;
        if self.readers.pop()?.answer(&[key]) {
            self.input.take_key();
        }
        Some(())
    }

    /// Says on the console how much was lost since it was said last.
    fn tell_loss(&mut self, uart: &mut Uart) {
        let lost = self.input.lost() - self.told;
        if lost > 0 {
            self.told += lost;
            uart.write(b"console: bytes that were typed and are lost: ");
            write_number(uart, lost);
            uart.write(b"\n");
        }
    }
}

/// In decimal. (The library's formatting takes more stack than the server has.)
fn write_number(uart: &mut Uart, number: u32) {
    let mut unit = 1_000_000_000;
    while unit > 0 {
        if number >= unit || unit == 1 {
            uart.write(&[b'0' + (number / unit % 10) as u8]);
        }
        unit /= 10;
    }
}
