//! A files server whose files are on a FAT volume of the block server's card. `README.md` beside it says how it is used.
#![no_std]

mod volume;

use fat_volume::{FatVolume, Held, Look, Looked, Mount};
use files_server::{Clients, Server, WHOLE};
use files_store::Refused;
use riposte::sync::Mutex;
use riposte::{Buffer, println};
use riposte_block::Card;
use volume::Served;

/// Blocks that are read at most to look whether the files fit together.
const LOOKED_AT: u32 = 16_384;

/// Requests, bytes on their way to a client, and what a mount looks with: too much for the stack.
static BUFFER: Mutex<Buffer<WHOLE>> = Mutex::new(Buffer::new());

#[riposte::main]
fn main() {
    let card = match Card::connect("block") {
        Ok(card) => card,
        Err(why) => panic!("{why}"),
    };
    let looked = riposte_block::while_mounting(|| look(card));
    let looked = match looked.unwrap_or_else(|why| panic!("{why}")) {
        Err(Refused::NoSpace) => {
            panic!("the card is too small for a FAT volume: 64 blocks will do")
        }
        looked => looked,
    };
    serve(looked)
}

/// Looks at the card. Its frame, in which two blocks are, is gone when that has come to its end.
#[inline(never)]
fn look(card: Card) -> Result<Looked<Card>, Refused> {
    let Ok(mut scratch) = BUFFER.lock() else {
        panic!("another thread has the buffer");
    };
    let look = Look {
        scratch: &mut scratch[..],
        most: LOOKED_AT,
    };
    Looked::at(card, look)
}

/// Serves what was found. The volume is in its frame.
#[inline(never)]
fn serve(looked: Result<Looked<Card>, Refused>) {
    let clients = Clients::of_manifest();
    let held = looked.as_ref().ok().map(Looked::held);
    let mut mount = Mount::new();
    // It stays where it is made: it is large, for a stack.
    let mut mounted = riposte_block::while_mounting(|| {
        looked.and_then(|looked| FatVolume::mount(looked, &mut mount, clients.files))
    });
    let volume = mounted.as_mut().unwrap_or_else(|why| panic!("{why}"));
    match held.filter(|_| volume.is_ok()) {
        Some(Held::Volume) => {}
        Some(Held::Nothing) => println!("fat: the card was empty, and has a volume now"),
        Some(Held::Damaged) => {
            println!(
                "fat: files on the card do not fit together: they are only read, until fsck.fat has mended that"
            );
        }
        Some(Held::Unseen) => {
            println!(
                "fat: whether the files on the card fit together is not known: there are too many to look at"
            );
        }
        // It is not for this server to write there: whoever opens a file is told.
        None => println!("fat: what is on the card is no FAT volume"),
    }
    let Ok(mut buffer) = BUFFER.lock() else {
        panic!("another thread has the buffer");
    };
    let served = volume.as_mut().ok().map(Served);
    files_server::serve(&mut Server::new(served, clients), &mut buffer[..])
}
