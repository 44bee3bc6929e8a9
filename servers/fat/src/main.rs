//! A files server whose files are on a FAT volume of the block server's card. `README.md` beside it says how it is used.
#![no_std]

mod volume;

use fat_volume::{FatVolume, Held, Mount};
use files_server::{Clients, Server};
use files_store::Refused;
use riposte::println;
use riposte::sync::Mutex;
use riposte_block::Card;
use riposte_files::protocol::LARGEST;
use volume::Served;

/// Bytes on their way between the card and a client: too many for the stack.
static BYTES: Mutex<[u8; LARGEST]> = Mutex::new([0; LARGEST]);

#[riposte::main]
fn main() {
    let card = match Card::connect("block") {
        Ok(card) => card,
        Err(why) => panic!("{why}"),
    };
    let clients = Clients::of_manifest();
    let mut mount = Mount::new();
    // It stays where it is made: it is large, for a stack.
    let mut mounted =
        riposte_block::while_mounting(|| FatVolume::mount(card, &mut mount, clients.files));
    let volume = match mounted.as_mut().unwrap_or_else(|why| panic!("{why}")) {
        Ok((volume, Held::Volume)) => Some(volume),
        Ok((volume, Held::Nothing)) => {
            println!("fat: the card was empty, and has a volume now");
            Some(volume)
        }
        Err(Refused::NoSpace) => {
            panic!("the card is too small for a FAT volume: 64 blocks will do")
        }
        // It is not for this server to write there: whoever opens a file is told.
        Err(_) => {
            println!("fat: what is on the card is no FAT volume, or does not fit together");
            None
        }
    };
    let Ok(mut bytes) = BYTES.lock() else {
        panic!("another thread has the bytes");
    };
    let served = volume.map(|volume| Served::new(volume, &mut bytes));
    files_server::serve(&mut Server::new(served, clients))
}
