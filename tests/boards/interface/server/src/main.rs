//! Serves two interfaces at one channel: which one, says the badge.
#![no_std]

use core::fmt::Write;

use interface_api::{Admin, AdminServer, Block, Depot, DepotServer, Fault, Point};
use riposte::{Answer, Buffer, Event, Text};

/// The badges of connections to the second interface begin here.
const ADMIN: u32 = 16;

#[derive(Default)]
struct Server {
    calls: u32,
    last: Option<Block>,
}

impl Depot for Server {
    fn nothing(&self) {}

    fn scale(&self, signed: i8, factor: u16, negative: bool) -> i32 {
        let product = i32::from(signed) * i32::from(factor);
        if negative { -product } else { product }
    }

    fn swap(&self, low: u64, high: i64) -> (i64, u64) {
        (high, low)
    }

    fn half(&self, value: f32) -> f32 {
        value / 2.0
    }

    fn turn(&mut self, block: &Block) -> Result<Block, Fault> {
        if block.number == 0 {
            return Err(Fault::Empty);
        }
        let mut turned = *block;
        turned.bytes.reverse();
        self.last = Some(turned);
        Ok(turned)
    }

    fn table(&self, key: [u16; 3], (number, block): (u8, Block)) -> ([u16; 3], u32, Block) {
        (key.map(|it| it * 2), u32::from(number) + 1, block)
    }

    fn store(&mut self, key: &str, samples: &[u64], raw: &[u8]) -> Result<usize, Fault> {
        match key {
            "" => Err(Fault::Empty),
            "full" => Err(Fault::Full),
            _ => Ok(samples.iter().sum::<u64>() as usize + raw.len()),
        }
    }

    fn load(&self, first: u32, room: &mut [u64]) -> Result<(usize, bool), Fault> {
        if first == 0 {
            return Err(Fault::Empty);
        }
        let numbers = u64::from(first)..u64::from(first) + 10;
        let filled = room.iter_mut().zip(numbers);
        let filled = filled.map(|(to, number)| *to = number).count();
        Ok((filled, filled == 10))
    }

    fn points(&self, key: &str, room: &mut [Point]) -> usize {
        let letters = room.iter_mut().zip(key.bytes());
        letters
            .map(|(to, letter)| {
                let x = i16::from(letter);
                *to = Point { x, y: -x };
            })
            .count()
    }

    fn label(&self, number: u8, text: &mut Text) -> bool {
        write!(text, "größe {number}").is_ok()
    }
}

impl Admin for Server {
    fn calls(&self) -> u32 {
        self.calls
    }

    fn last(&self) -> Result<Block, Fault> {
        self.last.ok_or(Fault::Empty)
    }

    fn fall(&mut self) {
        riposte::exit(3)
    }
}

#[riposte::main]
fn main() {
    let channel = riposte::channel("server").unwrap();
    let mut server = Server::default();
    let mut buffer = Buffer::<256>::new();
    let error = channel.serve(&mut buffer, |event| match event {
        Event::Message(message) if message.badge() >= ADMIN => {
            AdminServer::dispatch(&mut server, message)
        }
        Event::Message(message) => {
            server.calls += 1;
            DepotServer::dispatch(&mut server, message)
        }
        Event::Notice(_) => Answer::later(),
    });
    panic!("the channel: {error}");
}
