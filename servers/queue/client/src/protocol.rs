//! What clients say to the server: a request of eight bytes, and a name or a message behind it. The
//! answer to `OPEN` and `CREATE` is the queue's number, capacity and size, two bytes each; that to
//! `RECEIVE` is the message; everything else is a status.

/// Bytes of a request.
pub const REQUEST: usize = 8;
/// Most bytes of a message of any queue.
pub const LARGEST: usize = 512;

/// What a request is.
pub mod operation {
    /// Finds the queue whose name follows.
    pub const OPEN: u8 = 0;
    /// As `OPEN`, and makes the queue if there is none.
    pub const CREATE: u8 = 1;
    /// Puts in the message that follows, as soon as there is room.
    pub const SEND: u8 = 2;
    /// The same, if there is room.
    pub const TRY_SEND: u8 = 3;
    /// Takes out a message as soon as there is one.
    pub const RECEIVE: u8 = 4;
    /// The same, if there is one.
    pub const TRY_RECEIVE: u8 = 5;
}

/// Why a request was not fulfilled.
pub mod status {
    use riposte::Status;

    /// There is no such queue.
    pub const NO_SUCH_QUEUE: Status = Status(1);
    /// There is one of another shape.
    pub const DIFFERS: Status = Status(2);
    /// The limits allow no such queue.
    pub const NO_ROOM: Status = Status(3);
    /// The message is too long.
    pub const TOO_LONG: Status = Status(4);
    /// The time was over before there was room, or a message.
    pub const TIMED_OUT: Status = Status(5);
    /// Too many clients wait.
    pub const TOO_MANY_WAIT: Status = Status(6);
    /// It makes no sense.
    pub const BAD_REQUEST: Status = Status(7);
    /// A signal waits for the client (`EINTR`).
    pub const INTERRUPTED: Status = Status(8);
}

/// A request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// One of [`operation`].
    pub operation: u8,
    /// How urgent it is.
    pub level: u8,
    /// The queue's number and nothing; for `CREATE` its capacity and size.
    pub numbers: [u16; 2],
}

impl Request {
    /// It, of these parts.
    #[must_use]
    pub const fn new(operation: u8, level: u8, numbers: [u16; 2]) -> Request {
        Request {
            operation,
            level,
            numbers,
        }
    }

    /// Its bytes.
    #[must_use]
    pub const fn encode(self) -> [u8; REQUEST] {
        let [a, b] = self.numbers[0].to_le_bytes();
        let [c, d] = self.numbers[1].to_le_bytes();
        [self.operation, self.level, 0, 0, a, b, c, d]
    }

    /// The request, and what follows it; none if it is too short.
    #[must_use]
    pub fn decode(bytes: &[u8]) -> Option<(Request, &[u8])> {
        let ([operation, level, _, _, a, b, c, d], rest) = bytes.split_first_chunk::<REQUEST>()?;
        let numbers = [[*a, *b], [*c, *d]].map(u16::from_le_bytes);
        Some((Request::new(*operation, *level, numbers), rest))
    }
}
