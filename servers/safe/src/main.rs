//! A files server whose files are on the block server's card, and survive a power that goes at any moment. `README.md`
//! beside it says how it is used.
#![no_std]

mod bytes;

use bytes::OnCard;
#[cfg(not(feature = "pipes"))]
use files_server::serve;
#[cfg(feature = "pipes")]
use files_server::serve_with_pipes as serve;
use files_server::{Bytes, Clients, FILES, Server, Shares, Stored};
use files_store::{Held, Refused, Store};
use riposte::println;
use riposte::sync::Mutex;
use riposte_block::{BLOCK, Card};
use riposte_files::protocol::LARGEST;
use safe_volume::{HEAD, Words, words_of};

/// What lies where, beside the card: too much for the stack.
static WORDS: Mutex<[u32; HEAD]> = Mutex::new([0; HEAD]);
/// Bytes on their way between the card and a client.
static BYTES: Mutex<[u8; LARGEST]> = Mutex::new([0; LARGEST]);

#[riposte::main]
fn main() {
    let card = match Card::connect("block") {
        Ok(card) => card,
        Err(why) => panic!("{why}"),
    };
    let (Ok(mut words), Ok(mut bytes)) = (WORDS.lock(), BYTES.lock()) else {
        panic!("another thread has the files");
    };
    let clients = Clients::of_manifest();
    let room = "its part of the card: `blocks` in the block server's `settings`";
    let shares = Shares::of_manifest(&clients, words_of(&card), BLOCK, room);
    let mounted = riposte_block::while_mounting(|| mount(card, &mut words, &mut bytes, &shares));
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
    serve(&mut Server::new(volume, clients))
}

/// The store that is on the card.
fn mount<'a>(
    card: Card,
    words: &'a mut [u32; HEAD],
    bytes: &'a mut [u8; LARGEST],
    shares: &Shares,
) -> Result<(Store<OnCard<'a>, FILES>, Held), Refused> {
    let words = Words::open(card, words, shares.entries)?;
    let (mut store, held) = safe_volume::mount(
        words,
        |words| OnCard::new(words, bytes),
        shares.entries,
        shares.shares,
    )?;
    store.memory_mut().settle()?;
    Ok((store, held))
}
