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
#[cfg(feature = "pipes")]
use riposte::sync::Mutex;
use riposte::{Buffer, Event};
use riposte_files::protocol::{LARGEST, NAME, PATH, REQUEST};

const _: () = assert!(
    PATH == files_store::PATH && NAME == files_store::NAME && LARGEST <= u16::MAX as usize,
    "what is said is what is kept"
);

/// The longest request that is received whole: a rename. Of a longer one, a write, the rest stays where it is.
const BUFFER: usize = REQUEST + 4 + 2 * PATH;

/// Serves at the process's own channel, for ever.
///
/// # Panics
/// If there is no channel.
pub fn serve<V: Volume>(server: &mut Server<V>) -> ! {
    serve_both(server, &mut NoPipes)
}

/// As [`serve`], with pipes, so that the volume can have FIFOs.
///
/// # Panics
/// If there is no channel, or as the pipes' settings say.
#[cfg(feature = "pipes")]
pub fn serve_with_pipes<V: Volume>(server: &mut Server<V>) -> ! {
    /// The pipes: too much for the stack.
    static PIPES: Mutex<pipe_server::Server> = Mutex::new(pipe_server::Server::new());
    let Ok(mut pipes) = PIPES.lock() else {
        panic!("another thread has the pipes");
    };
    pipes.configure();
    serve_both(server, &mut *pipes)
}

fn serve_both<V: Volume>(server: &mut Server<V>, pipes: &mut impl Pipes) -> ! {
    let channel = riposte::own_channel().unwrap();
    let error = channel.serve(&mut Buffer::<BUFFER>::new(), |event| match event {
        Event::Message(message) => server.serve(pipes, message),
        Event::Notice(notice) => server.hear(pipes, &notice),
    });
    panic!("the files' channel: {error}");
}
