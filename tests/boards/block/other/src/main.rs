//! Writes its part of a card as fast as it goes, so that the block server is ended in the middle of it.
#![no_std]

use riposte::Event;
use riposte_block::{BLOCK, Card};

/// Blocks of one request.
const BLOCKS: usize = 4;
/// Most requests of one round.
const MOST: u32 = 36;
/// Blocks behind them that are written alone, and never with others.
const ALONE: u32 = 8;

#[riposte::main]
fn main() {
    let channel = riposte::own_channel().unwrap();
    let mut card = Card::connect("block").unwrap();
    // An earlier life may have ended amid a write, and the server with it.
    let is_whole = alone().all(|block| is_whole(&mut card, block));
    let (mut count, mut is_right) = (0_u32, is_whole);
    loop {
        is_right &= round(&mut card, count);
        count += 1;
        if let Ok(Event::Message(message)) = channel.try_receive(&mut []) {
            let [only_alone, ..] = message.words();
            let _ = message.reply_words([count, u32::from(is_right)]);
            if only_alone == 1 {
                write_alone(&mut card);
            }
        }
    }
}

/// Writes and reads several blocks at a time, and writes some alone; whether it finds what it has written.
fn round(card: &mut Card, count: u32) -> bool {
    let mut bytes = [0; BLOCKS * BLOCK];
    let mut is_right = true;
    for n in 0..MOST {
        bytes.fill((n + count) as u8);
        is_right &= card.write(n * BLOCKS as u32, &bytes).is_ok();
        bytes.fill(0);
        is_right &= card.read(n * BLOCKS as u32, &mut bytes).is_ok();
        is_right &= bytes.iter().all(|byte| *byte == (n + count) as u8);
        // A block alone.
        is_right &= card.write(n * BLOCKS as u32 + 1, &bytes[..BLOCK]).is_ok();
    }
    is_right
}

/// Writes nothing else any more, for ever.
fn write_alone(card: &mut Card) -> ! {
    for (byte, block) in (0_u8..=u8::MAX).cycle().zip(alone().cycle()) {
        let _ = card.write(block, &[byte; BLOCK]);
    }
    unreachable!("there is always a next one");
}

fn alone() -> impl Iterator<Item = u32> + Clone {
    MOST * BLOCKS as u32..MOST * BLOCKS as u32 + ALONE
}

fn is_whole(card: &mut Card, block: u32) -> bool {
    let mut bytes = [0; BLOCK];
    card.read(block, &mut bytes).is_ok() && bytes.iter().all(|byte| *byte == bytes[0])
}
