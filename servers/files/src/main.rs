//! The files server: a disk in memory that outlives it, with directories and a share for each client. `README.md` beside
//! it says how it is used.
//!
//! The disk lies in the region `files`, which only this process has. Bytes go by the kernel from there to whoever reads,
//! and there from whoever writes: the server itself copies only what is short.
#![no_std]

mod kept;

#[cfg(not(feature = "pipes"))]
use files_server::serve;
#[cfg(feature = "pipes")]
use files_server::serve_with_pipes as serve;
use files_server::{BRIEF, Clients, Server, Shares, Stored};
use files_store::{Held, Memory, Store};
use kept::Kept;
use riposte::sync::Mutex;
use riposte::{Buffer, println};

/// Who has what open, and how much: too much for the stack.
static SERVER: Mutex<Option<Server<Stored<Kept>>>> = Mutex::new(None);

#[riposte::main]
fn main() {
    let Ok(mut server) = SERVER.lock() else {
        panic!("another thread has the files");
    };
    let kept = Kept::open();
    let clients = Clients::of_manifest();
    let shares = Shares::of_manifest(
        &clients,
        kept.words(),
        Kept::BLOCK,
        "the `size` of the region `files`",
    );
    let Ok((store, held)) = Store::open(kept, shares.entries, shares.shares) else {
        panic!("the region has become smaller");
    };
    if held == Held::Damaged {
        println!("files: the disk was damaged, and is empty now");
    }
    let server = server.insert(Server::new(Stored(store), clients));
    serve(server, &mut Buffer::<BRIEF>::new())
}
