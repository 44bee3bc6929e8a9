//! Writes its part of a card as fast as it goes, so that the block server is ended in the middle of it.
#![no_std]

use riposte::Event;
use riposte_block::{BLOCK, Card};

/// Blocks of one request.
const BLOCKS: usize = 4;
/// Most requests of one round.
const MOST: u32 = 39;

#[riposte::main]
fn main() {
    let channel = riposte::own_channel().unwrap();
    let mut card = Card::connect("block").unwrap();
    let all = (card.blocks() / BLOCKS as u32).min(MOST);
    let (mut count, mut is_right) = (0_u32, all > 0);
    let mut bytes = [0; BLOCKS * BLOCK];
    loop {
        for n in 0..all {
            bytes.fill((n + count) as u8);
            is_right &= card.write(n * BLOCKS as u32, &bytes).is_ok();
            bytes.fill(0);
            is_right &= card.read(n * BLOCKS as u32, &mut bytes).is_ok();
            is_right &= bytes.iter().all(|byte| *byte == (n + count) as u8);
            // A block alone, which comes with its request.
            is_right &= card.write(n * BLOCKS as u32 + 1, &bytes[..BLOCK]).is_ok();
        }
        count += 1;
        if let Ok(Event::Message(message)) = channel.try_receive(&mut []) {
            let _ = message.reply_words([count, u32::from(is_right)]);
        }
    }
}
