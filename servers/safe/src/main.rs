//! A files server whose files are on the block server's card, and survive a power that goes at any moment. `README.md`
//! beside it says how it is used.
#![no_std]

mod bytes;

use bytes::OnCard;
#[cfg(not(feature = "pipes"))]
use files_server::serve;
#[cfg(feature = "pipes")]
use files_server::serve_with_pipes as serve;
use files_server::{Bytes, Clients, FILES, Server, Shares, Stored, WHOLE};
use files_store::{Held, Refused, Store};
use riposte::sync::Mutex;
use riposte::{Buffer, println};
use riposte_block::{BLOCK, Card};
use safe_volume::{HEAD, Words, words_of};

/// What lies where, beside the card: too much for the stack.
static WORDS: Mutex<[u32; HEAD]> = Mutex::new([0; HEAD]);
/// Requests, and bytes on their way to a client: too much for it as well.
static BUFFER: Mutex<Buffer<WHOLE>> = Mutex::new(Buffer::new());

#[riposte::main]
fn main() {
    let card = match Card::connect("block") {
        Ok(card) => card,
        Err(why) => panic!("{why}"),
    };
    let (Ok(mut words), Ok(mut buffer)) = (WORDS.lock(), BUFFER.lock()) else {
        panic!("another thread has the files");
    };
    let clients = Clients::of_manifest();
    let room = "its part of the card: `blocks` in the block server's `settings`";
    let shares = Shares::of_manifest(&clients, words_of(&card), BLOCK, room);
    let mounted = riposte_block::while_mounting(|| mount(card, &mut words, &shares));
    let volume = match mounted.unwrap_or_else(|why| panic!("{why}")) {
        Ok((store, Held::Disk)) => Some(Stored(store)),
        Ok((store, _)) => {
            println!("safe: the card was empty, and has a volume now");
            Some(Stored(store))
        }
        Err(Refused::NoSpace) => panic!("{room} is too small"),
        // It is not for this server to write there: whoever opens a file is told.
        Err(_) => {
            println!(
                "safe: what is on the card is no volume of this shape, or does not fit together"
            );
            None
        }
    };
    serve(&mut Server::new(volume, clients), &mut buffer[..])
}

/// The store that is on the card.
fn mount<'a>(
    card: Card,
    words: &'a mut [u32; HEAD],
    shares: &Shares,
) -> Result<(Store<OnCard<'a>, FILES>, Held), Refused> {
    let words = Words::open(card, words, shares.entries)?;
    let (mut store, held) = safe_volume::mount(words, OnCard, shares.entries, shares.shares)?;
    store.memory_mut().settle()?;
    Ok((store, held))
}
