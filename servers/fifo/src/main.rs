//! One end of a FIFO between two nodes. `README.md` beside it says how it is used.
//!
//! A process at the writers' node reads a pipe there and sends what it reads by a circuit; one at the readers' node writes it to a
//! pipe there. Each piece has a number, so that none is written twice, whatever comes of the message that brings it.
#![no_std]
#![forbid(unsafe_code)]

mod sends;
mod takes;

use riposte::Duration;
use riposte_pipe::Pipes;

/// Bytes of a piece: with what is before it, they go in one frame.
const PIECE: usize = 1024;
/// Bytes before a piece: what it is, of which stream, and its number.
const HEAD: usize = 12;
/// How long a stream goes on without a word of the other node: its ends are closed then.
const SILENCE: Duration = Duration::from_millis(3000);
/// How often something is said, if there are no bytes.
const WORD: Duration = Duration::from_millis(1000);

/// What a request is: its first word.
mod operation {
    /// Begins a stream, if none was begun with the same number; the answer is its own.
    pub const BEGIN: u32 = 0;
    /// A piece of it, or none: the answer is how many of its bytes are in the pipe.
    pub const PIECE: u32 = 1;
    /// Its end.
    pub const END: u32 = 2;
}

/// Why a piece was not taken.
mod status {
    use riposte::Status;

    /// It makes no sense, or is late.
    pub const BAD_REQUEST: Status = Status(1);
    /// Its stream is over.
    pub const OVER: Status = Status(2);
}

#[riposte::main]
fn main() {
    let pipes = Pipes::connect("pipes").unwrap();
    let (name, is_sender) = pipe();
    assert!(
        pipes.capacity(name).is_ok(),
        "there is no pipe {name}: `pipe-{name}` in the pipe server's `settings` in app.toml"
    );
    if is_sender {
        sends::run(&pipes, name)
    } else {
        takes::run(&pipes, name)
    }
}

/// The pipe that the manifest says, and whether what is read there is sent.
fn pipe() -> (&'static str, bool) {
    let ends = |prefix: &'static str| {
        let mut names = riposte::settings().filter_map(move |(name, _)| name.strip_prefix(prefix));
        names.next()
    };
    match (ends("sends-"), ends("takes-")) {
        (Some(name), None) => (name, true),
        (None, Some(name)) => (name, false),
        _ => panic!(
            "the `settings` of a process of the program `fifo` in app.toml: `sends-PIPE` or `takes-PIPE`, and not both"
        ),
    }
}
