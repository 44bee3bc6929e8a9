//! Uses its part of a card, and another one in vain, over the lives of the block server.
#![no_std]

mod hostile;

use check::{equal, holds};
use riposte::sync::Mutex;
use riposte::{Connection, Duration, Error, Instant};
use riposte_block::protocol::LARGEST;
use riposte_block::{BLOCK, BlockError, Card};

/// How often the server is ended.
const LIVES: u64 = 12;
/// Blocks of this process.
const OWN: u32 = 100;

/// Room for the most blocks of one request, and one more.
static ROOM: Mutex<[u8; (LARGEST + 1) * BLOCK]> = Mutex::new([0; (LARGEST + 1) * BLOCK]);

#[riposte::main]
fn main() {
    let mut card = Card::connect("block").unwrap();
    operations(&mut card);
    refusals(&mut card);
    hostile::hostile();
    lives(&mut card);
    together();
    stopped(&mut card);
    check::done();
}

/// The byte at this position of what is written.
fn fill(seed: usize, bytes: &mut [u8]) {
    for (n, to) in bytes.iter_mut().enumerate() {
        *to = (seed * 31 + n * 7 + n / 251) as u8;
    }
}

fn is_filled(seed: usize, bytes: &[u8]) -> bool {
    let mut all = bytes.iter().enumerate();
    all.all(|(n, it)| *it == (seed * 31 + n * 7 + n / 251) as u8)
}

fn operations(card: &mut Card) {
    equal("it has what the manifest gives it", card.blocks(), OWN);
    holds("to be written", card.is_writable());
    let mut block = [1; BLOCK];
    equal("a block is read", card.read(99, &mut block), Ok(()));
    equal("and is zero", block, [0; BLOCK]);
    fill(1, &mut block);
    equal("it is written", card.write(99, &block), Ok(()));
    equal("and read", card.read(99, &mut block), Ok(()));
    holds("as it was written", is_filled(1, &block));
    let Ok(mut room) = ROOM.lock() else {
        return;
    };
    fill(2, &mut room[..]);
    equal("many are written", card.write(3, &room[..]), Ok(()));
    room.fill(0);
    equal("and read", card.read(3, &mut room[..]), Ok(()));
    holds("as they were written", is_filled(2, &room[..]));
    // In the middle of many, at another place of the memory.
    equal(
        "some of them",
        card.read(4, &mut room[1..1 + 3 * BLOCK]),
        Ok(()),
    );
    let mut expected = [0; 4 * BLOCK];
    fill(2, &mut expected);
    holds("are those", room[1..1 + 3 * BLOCK] == expected[BLOCK..]);
    equal("those before", card.read(2, &mut block), Ok(()));
    equal("are as they were", block, [0; BLOCK]);
    equal("and those behind", card.read(68, &mut block), Ok(()));
    equal("too", block, [0; BLOCK]);
}

fn refusals(card: &mut Card) {
    let mut blocks = [7; 2 * BLOCK];
    let beyond = Err(BlockError::NoSuchBlock);
    for first in [99, 100, 155, 255, 256, u32::MAX - 1, u32::MAX] {
        equal(
            "no other's block is read",
            card.read(first, &mut blocks),
            beyond,
        );
        equal("nor written", card.write(first, &blocks), beyond);
    }
    let invalid = Err(BlockError::Invalid);
    equal(
        "a piece of a block is none",
        card.read(0, &mut blocks[..100]),
        invalid,
    );
    equal(
        "nor is it to be written",
        card.write(0, &blocks[..600]),
        invalid,
    );
    let mut reader = Card::connect("block-reader").unwrap();
    equal("who may only read has the same part", reader.blocks(), OWN);
    holds("and knows it", !reader.is_writable());
    equal("it reads", reader.read(99, &mut blocks[..BLOCK]), Ok(()));
    holds("what is there", is_filled(1, &blocks[..BLOCK]));
    let refused = reader.write(99, &[0; BLOCK]);
    equal("and writes nothing", refused, Err(BlockError::ReadOnly));
    equal("so that", card.read(99, &mut blocks[..BLOCK]), Ok(()));
    holds("it is as it was", is_filled(1, &blocks[..BLOCK]));
}

/// The server ends, wherever it is, and starts again: nobody notices but by the time.
fn lives(card: &mut Card) {
    let server = riposte::process("block").unwrap();
    let other = riposte::connect("other").unwrap();
    let mut block = [0; BLOCK];
    let before = rounds(&other);
    let mut kept = true;
    for life in 0..LIVES {
        // The other one writes meanwhile.
        let _ = riposte::sleep(Duration::from_micros(400 + 37 * life));
        server.restart();
        kept &= card.read(99, &mut block) == Ok(()) && is_filled(1, &block);
    }
    holds("wherever a server is ended, what it kept is there", kept);
    // It answers after a round: the first one may have ended before the server did for the last time.
    rounds(&other);
    let after = rounds(&other);
    holds("and its clients never learn of it", after >= before + 2);
    // A client that ends in the middle of a request leaves the server for the others.
    let process = riposte::process("other").unwrap();
    let mut served = true;
    for life in 0..LIVES {
        let _ = riposte::sleep(Duration::from_micros(300 + 41 * life));
        process.restart();
        served &= card.read(99, &mut block) == Ok(()) && is_filled(1, &block);
    }
    holds("a client that dies takes nothing with it", served);
}

/// How often the other one has written and read all of its part, if each time that was what it had written.
fn rounds(other: &Connection) -> u32 {
    match other.send_words([0]).map(|reply| reply.words) {
        Ok([count, 1, ..]) => count,
        other => {
            let why = if other.is_ok() {
                "it does not"
            } else {
                "it has ended"
            };
            check::broken("a client reads what it has written", why);
            0
        }
    }
}

/// The server ends amid a block, and its client with it: nobody asks for the rest.
fn together() {
    let server = riposte::process("block").unwrap();
    let process = riposte::process("other").unwrap();
    let mut other = riposte::connect("other").unwrap();
    let mut is_whole = true;
    for life in 0..2 * LIVES {
        is_whole &= matches!(other.send_words([1]).map(|it| it.words), Ok([_, 1, ..]));
        let _ = riposte::sleep(Duration::from_micros(300 + 7 * life));
        server.restart();
        process.restart();
        let _ = other.reconnect();
    }
    is_whole &= matches!(other.send_words([0]).map(|it| it.words), Ok([_, 1, ..]));
    holds(
        "wherever both are ended, a block that is written alone is old or new",
        is_whole,
    );
}

/// The server is stopped, and nothing starts it for a while.
fn stopped(card: &mut Card) {
    let server = riposte::process("block").unwrap();
    server.stop();
    let mut block = [0; BLOCK];
    let died = Err(BlockError::Kernel(Error::ServerDied));
    equal(
        "who waits for a server that stays stopped is told",
        card.read(99, &mut block),
        died,
    );
    equal("at once the next time", card.write(99, &block), died);
    // It would wait each time, for longer; this machine is late now and then.
    let is_told_at_once = (0..50).any(|_| {
        let before = Instant::now();
        card.write(99, &block) == died && Instant::now() - before < Duration::from_millis(20)
    });
    holds("without a wait", is_told_at_once);
    server.restart();
    equal("it reads again", card.read(99, &mut block), Ok(()));
    holds("what was there", is_filled(1, &block));
}
