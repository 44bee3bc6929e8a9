//! What every server of files does: requests and answers, who the clients are and what each may have. Where the files are
//! kept is a [`Volume`]'s.
#![no_std]
#![forbid(unsafe_code)]

mod clients;
mod fifos;
mod pipes;
mod server;
mod shares;
mod stored;
mod volume;

pub use clients::{Clients, FILES};
pub use server::{Server, status_of};
pub use shares::Shares;
pub use stored::{Bytes, Stored};
pub use volume::{Space, Volume};

use pipes::{NoPipes, Pipes};
use riposte::Event;
#[cfg(feature = "pipes")]
use riposte::sync::Mutex;
use riposte_files::protocol::{LARGEST, NAME, PATH, REQUEST};
use server::POSITION;

const _: () = assert!(
    PATH == files_store::PATH && NAME == files_store::NAME && LARGEST <= u16::MAX as usize,
    "what is said is what is kept"
);

/// Bytes of the longest request but a write: a rename.
pub const BRIEF: usize = REQUEST + 4 + 2 * PATH;
/// Bytes of the longest request: a write at a position.
pub const WHOLE: usize = REQUEST + POSITION + LARGEST;

/// Serves at the process's own channel, for ever. A request is received in `buffer`, of [`BRIEF`] bytes at least. Of a longer
/// one, a write, the rest stays where it is, and what is read does not come this way; if the buffer has [`WHOLE`] bytes,
/// both are there.
///
/// # Panics
/// If there is no channel.
pub fn serve<V: Volume>(server: &mut Server<V>, buffer: &mut [u8]) -> ! {
    serve_both(server, buffer, &mut NoPipes)
}

/// As [`serve`], with pipes, so that the volume can have FIFOs.
///
/// # Panics
/// If there is no channel, or as the pipes' settings say.
#[cfg(feature = "pipes")]
pub fn serve_with_pipes<V: Volume>(server: &mut Server<V>, buffer: &mut [u8]) -> ! {
    /// The pipes: too much for the stack.
    static PIPES: Mutex<pipe_server::Server> = Mutex::new(pipe_server::Server::new());
    let Ok(mut pipes) = PIPES.lock() else {
        panic!("another thread has the pipes");
    };
    pipes.configure();
    serve_both(server, buffer, &mut *pipes)
}

fn serve_both<V: Volume>(server: &mut Server<V>, buffer: &mut [u8], pipes: &mut impl Pipes) -> ! {
    let channel = riposte::own_channel().unwrap();
    let error = channel.serve(buffer, |event| match event {
        Event::Message(message) => server.serve(pipes, message),
        Event::Notice(notice) => server.hear(pipes, &notice),
    });
    panic!("the files' channel: {error}");
}
