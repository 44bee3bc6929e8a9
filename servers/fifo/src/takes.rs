//! The readers' node: takes what comes and writes it to the pipe.

use riposte::{Deadline, Duration, Error, Event, Instant, Message, Notice};
use riposte_names::ANEW;
use riposte_pipe::{PipeError, Pipes, Writer};

use crate::{HEAD, PIECE, SILENCE, operation, status};

/// How long a piece waits for room in the pipe, before its sender is told how much of it there was room for.
const ROOM: Duration = Duration::from_millis(500);

/// Takes one stream after the other, for ever.
pub fn run(pipes: &Pipes, name: &str) -> ! {
    let channel = riposte::own_channel().unwrap();
    register(name);
    let mut end = End {
        pipes,
        name,
        // Another life has others.
        stream: (Instant::now().as_nanos() / 1000) as u32,
        is_open: false,
        begun: 0,
        number: 0,
        answer: 0,
        writer: None,
        heard: Instant::now(),
    };
    let mut bytes = [0; HEAD + PIECE];
    loop {
        let wait = if end.is_open {
            Deadline::At(end.heard + SILENCE)
        } else {
            Deadline::None
        };
        match channel.receive_until(&mut bytes, wait) {
            Ok(Event::Message(message)) => end.take(message),
            Ok(Event::Notice(Notice::Bits { bits })) if bits & ANEW != 0 => register(name),
            Ok(Event::Notice(_)) => {}
            // Its sender is gone, or its node: readers find the end.
            Err(Error::TimedOut) => end.close(),
            Err(error) => panic!("the channel of the FIFO {name}: {error}"),
        }
    }
}

/// As `/fifo/PIPE`.
fn register(name: &str) {
    const PREFIX: &[u8] = b"/fifo/";
    let mut path = [0; 32];
    let all = PREFIX.iter().copied().chain(name.bytes());
    path.iter_mut().zip(all).for_each(|(to, byte)| *to = byte);
    let length = PREFIX.len() + name.len();
    let path = path
        .get(..length)
        .and_then(|it| core::str::from_utf8(it).ok());
    let registered =
        path.map(|path| riposte_names::register(path, riposte::own_channel().unwrap()));
    assert!(
        matches!(registered, Some(Ok(()))),
        "`registers` of a process of the program `fifo` in app.toml: /fifo/{name}"
    );
}

struct End<'a> {
    pipes: &'a Pipes,
    name: &'a str,
    /// The number of the last stream, and whether that goes on.
    stream: u32,
    is_open: bool,
    /// The number of what has begun it.
    begun: u32,
    /// The number of what came last, and its answer.
    number: u32,
    answer: u32,
    /// The end of the pipe, once there was a byte.
    writer: Option<Writer<'a>>,
    heard: Instant,
}

impl End<'_> {
    fn close(&mut self) {
        self.is_open = false;
        self.writer = None;
    }

    fn take(&mut self, message: Message<'_>) {
        let length = message.accepted();
        let is_whole = length == message.offered();
        let (token, bytes) = message.into_buffer();
        let Some((head, piece)) = bytes
            .get(..length)
            .and_then(|it| it.split_first_chunk::<HEAD>())
        else {
            let _ = token.reply_error(status::BAD_REQUEST);
            return;
        };
        let mut words = head
            .as_chunks::<4>()
            .0
            .iter()
            .map(|it| u32::from_le_bytes(*it));
        let [what, stream, number] = [0; 3].map(|_| words.next().unwrap_or_default());
        let answer = match what {
            _ if !is_whole => Err(status::BAD_REQUEST),
            // As that which has begun the stream: its answer had not come; or it is late, or of a new life whose clock says
            // the same, which begins again by another number.
            operation::BEGIN if self.is_open && number == self.begun => match self.number {
                0 => Ok(self.stream),
                _ => Err(status::BAD_REQUEST),
            },
            operation::BEGIN => Ok(self.begin(number)),
            _ if !self.is_open || stream != self.stream => Err(status::OVER),
            // Its answer had not come.
            operation::PIECE | operation::END if number == self.number => Ok(self.answer),
            // It is late: its sender has heard its answer, and has gone on.
            operation::PIECE | operation::END if number != self.number.wrapping_add(1) => {
                Err(status::BAD_REQUEST)
            }
            operation::PIECE => self.write(number, piece),
            operation::END => {
                // Who waits to read finds the end, even if there was nothing else.
                let _ = self.open();
                self.close();
                Ok(0)
            }
            _ => Err(status::BAD_REQUEST),
        };
        self.heard = Instant::now();
        // A sender that does not wait any more asks again.
        let _ = match answer {
            Ok(number) => token.reply_words([number]),
            Err(why) => token.reply_error(why),
        };
    }

    fn begin(&mut self, number: u32) -> u32 {
        self.close();
        self.begun = number;
        self.stream = self.stream.wrapping_add(1).max(1);
        self.is_open = true;
        (self.number, self.answer) = (0, 0);
        self.stream
    }

    fn open(&mut self) -> &Writer<'_> {
        let (pipes, name) = (self.pipes, self.name);
        self.writer.get_or_insert_with(|| match pipes.writer(name) {
            Ok(writer) => writer,
            Err(error) => panic!("the pipe {name}: {error}"),
        })
    }

    fn write(&mut self, number: u32, piece: &[u8]) -> Result<u32, riposte::Status> {
        let written = if piece.is_empty() {
            Ok(0)
        } else {
            self.open().write_until(piece, Instant::now() + ROOM)
        };
        let written = match written {
            Ok(count) => count,
            Err(PipeError::TimedOut) => 0,
            Err(PipeError::NoReader) => {
                self.close();
                return Err(status::OVER);
            }
            Err(error) => panic!("the pipe {}: {error}", self.name),
        };
        (self.number, self.answer) = (number, written as u32);
        Ok(self.answer)
    }
}
