//! The files server: a disk in memory that outlives it, with directories and a share for each client. `README.md` beside
//! it says how it is used.
//!
//! The disk lies in the region `files`, which only this process has. Bytes go by the kernel from there to whoever reads,
//! and there from whoever writes: the server itself copies only what is short.
#![no_std]

mod kept;
mod server;
mod shares;

use riposte::sync::Mutex;
use riposte::{Buffer, Event};
use riposte_files::protocol::{LARGEST, NAME, PATH, REQUEST};
use server::Server;

const _: () = assert!(
    PATH == files_store::PATH && NAME == files_store::NAME && LARGEST <= u16::MAX as usize,
    "what is said is what is kept"
);

/// The longest request that is received whole: a rename. Of a longer one, a write, the rest stays where it is.
const BUFFER: usize = REQUEST + 4 + 2 * PATH;

/// Who has what open, and how much: too much for the stack.
static SERVER: Mutex<Option<Server>> = Mutex::new(None);

#[riposte::main]
fn main() {
    let channel = riposte::own_channel().unwrap();
    let Ok(mut server) = SERVER.lock() else {
        panic!("another thread has the files");
    };
    let server = server.insert(Server::open());
    let error = channel.serve(&mut Buffer::<BUFFER>::new(), |event| match event {
        Event::Message(message) => server.serve(message),
        Event::Notice(notice) => server.hear(&notice),
    });
    panic!("the files' channel: {error}");
}
