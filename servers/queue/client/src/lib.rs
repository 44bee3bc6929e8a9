//! Queues between processes that share no memory: the client's part.
//!
//! The queue server keeps messages, by copy; any process with a connection to it may put some in and
//! take some out. Who puts one into a full queue, or takes one out of an empty one, waits: as long as
//! its deadline allows, and served by urgency.
//!
//! ```no_run
//! use riposte_queue::{Queues, QueueError};
//!
//! fn relay() -> Result<(), QueueError> {
//!     let queues = Queues::connect("queues")?;
//!     let orders = queues.open("orders")?;
//!     orders.send(b"two coffees")?;
//!     let mut order = [0; 64];
//!     let length = orders.receive(&mut order)?;
//!     assert!(length <= orders.size());
//!     Ok(())
//! }
//! ```
#![no_std]
#![forbid(unsafe_code)]

mod error;
pub mod protocol;

pub use error::QueueError;

use protocol::{Request, operation};
use riposte::{Connection, Deadline, Status};

/// Urgency of a message, and of the client that waits with it or for one: 0, the usual one, to 3. The
/// most urgent comes first; in order of arrival among equals.
pub type Level = u8;

/// A connection to a queue server.
#[derive(Debug)]
pub struct Queues {
    connection: Connection,
}

/// A queue. It is the same for all clients that open it by its name, until the server starts again.
#[derive(Clone, Copy, Debug)]
pub struct Queue<'a> {
    queues: &'a Queues,
    number: u16,
    capacity: u16,
    size: u16,
}

impl Queues {
    /// The server to which the manifest gives this process a connection of that name. Never blocks.
    ///
    /// # Errors
    /// [`QueueError::Connect`].
    pub fn connect(name: &'static str) -> Result<Queues, QueueError> {
        let connection = riposte::connect(name).map_err(QueueError::Connect)?;
        Ok(Queues { connection })
    }

    /// Connects again, to a server that has started anew: its queues are empty, and those that clients
    /// made are gone.
    ///
    /// # Errors
    /// [`QueueError::Kernel`].
    pub fn reconnect(&mut self) -> Result<(), QueueError> {
        self.connection.reconnect().map_err(QueueError::Kernel)
    }

    /// The queue of that name. Waits only for the server.
    ///
    /// # Errors
    /// [`QueueError::NoSuchQueue`]; [`QueueError::Kernel`] if the server can't be asked.
    pub fn open(&self, name: &str) -> Result<Queue<'_>, QueueError> {
        self.ask(Request::new(operation::OPEN, 0, [0; 2]), name)
    }

    /// The queue of that name, made for `capacity` messages of at most `size` bytes each if there is
    /// none. Waits only for the server.
    ///
    /// # Errors
    /// [`QueueError::Differs`] if there is one of another shape; [`QueueError::NoRoom`] if the server's
    /// limits don't allow it; [`QueueError::BadRequest`] for a name that is empty or longer than 16
    /// bytes, or a queue of nothing; [`QueueError::Kernel`] if the server can't be asked.
    pub fn create(&self, name: &str, capacity: u16, size: u16) -> Result<Queue<'_>, QueueError> {
        self.ask(Request::new(operation::CREATE, 0, [capacity, size]), name)
    }

    fn ask(&self, request: Request, name: &str) -> Result<Queue<'_>, QueueError> {
        let mut shape = [0; 6];
        let length = self.call(request, name.as_bytes(), &mut shape, Deadline::None)?;
        if length != shape.len() {
            return Err(QueueError::Other(Status::OK));
        }
        let [number, capacity, size] =
            [0, 2, 4].map(|at| u16::from_le_bytes([shape[at], shape[at + 1]]));
        Ok(Queue {
            queues: self,
            number,
            capacity,
            size,
        })
    }

    /// Sends a request with `bytes` behind it; the length of the answer.
    fn call(
        &self,
        request: Request,
        bytes: &[u8],
        answer: &mut [u8],
        deadline: Deadline,
    ) -> Result<usize, QueueError> {
        let pieces = [&request.encode()[..], bytes];
        let reply = self.connection.send_pieces_until(pieces, answer, deadline);
        let reply = reply.map_err(QueueError::from_kernel)?;
        match reply.status {
            Status::OK => Ok(reply.len),
            status => Err(QueueError::from_status(status)),
        }
    }
}

impl Queue<'_> {
    /// Most messages that it holds.
    #[must_use]
    pub const fn capacity(&self) -> usize {
        self.capacity as usize
    }

    /// Most bytes of a message.
    #[must_use]
    pub const fn size(&self) -> usize {
        self.size as usize
    }

    /// Puts a message in, at level 0. Blocks until there is room.
    ///
    /// # Errors
    /// [`QueueError::TooLong`]; [`QueueError::TooManyWait`] if the server keeps no more clients waiting;
    /// [`QueueError::Kernel`] if it can't be asked. The message is not in the queue.
    pub fn send(&self, message: &[u8]) -> Result<(), QueueError> {
        self.send_at_until(0, message, Deadline::None)
    }

    /// As [`Queue::send`], if there is room. Blocks only for the server's answer.
    ///
    /// # Errors
    /// [`QueueError::TimedOut`] if there was no room; and as [`Queue::send`].
    pub fn try_send(&self, message: &[u8]) -> Result<(), QueueError> {
        self.send_at_until(0, message, Deadline::Immediate)
    }

    /// As [`Queue::send`], until a deadline.
    ///
    /// # Errors
    /// [`QueueError::TimedOut`] if there was no room until then; and as [`Queue::send`].
    pub fn send_until(
        &self,
        message: &[u8],
        deadline: impl Into<Deadline>,
    ) -> Result<(), QueueError> {
        self.send_at_until(0, message, deadline)
    }

    /// As [`Queue::send_until`], at a level.
    ///
    /// # Errors
    /// As [`Queue::send_until`]; [`QueueError::BadRequest`] for a level above 3.
    pub fn send_at_until(
        &self,
        level: Level,
        message: &[u8],
        deadline: impl Into<Deadline>,
    ) -> Result<(), QueueError> {
        let deadline = deadline.into();
        if message.len() > self.size() {
            return Err(QueueError::TooLong);
        }
        let (operation, deadline) = waiting(operation::SEND, operation::TRY_SEND, deadline);
        let request = Request::new(operation, level, [self.number, 0]);
        self.queues.call(request, message, &mut [], deadline)?;
        Ok(())
    }

    /// Takes out the message that comes first; returns its length. Blocks until there is one.
    ///
    /// # Errors
    /// [`QueueError::TooShort`] if `buffer` is shorter than [`Queue::size`]; else as [`Queue::send`]. No
    /// message is lost.
    pub fn receive(&self, buffer: &mut [u8]) -> Result<usize, QueueError> {
        self.receive_at_until(0, buffer, Deadline::None)
    }

    /// As [`Queue::receive`], if there is a message. Blocks only for the server's answer.
    ///
    /// # Errors
    /// [`QueueError::TimedOut`] if there was none; and as [`Queue::receive`].
    pub fn try_receive(&self, buffer: &mut [u8]) -> Result<usize, QueueError> {
        self.receive_at_until(0, buffer, Deadline::Immediate)
    }

    /// As [`Queue::receive`], until a deadline.
    ///
    /// # Errors
    /// [`QueueError::TimedOut`] if there was no message until then; and as [`Queue::receive`].
    pub fn receive_until(
        &self,
        buffer: &mut [u8],
        deadline: impl Into<Deadline>,
    ) -> Result<usize, QueueError> {
        self.receive_at_until(0, buffer, deadline)
    }

    /// As [`Queue::receive_until`]: who waits at a higher level is served first.
    ///
    /// # Errors
    /// As [`Queue::receive_until`]; [`QueueError::BadRequest`] for a level above 3.
    pub fn receive_at_until(
        &self,
        level: Level,
        buffer: &mut [u8],
        deadline: impl Into<Deadline>,
    ) -> Result<usize, QueueError> {
        let deadline = deadline.into();
        if buffer.len() < self.size() {
            return Err(QueueError::TooShort);
        }
        let (operation, deadline) = waiting(operation::RECEIVE, operation::TRY_RECEIVE, deadline);
        let request = Request::new(operation, level, [self.number, 0]);
        self.queues.call(request, &[], buffer, deadline)
    }
}

/// Who does not want to wait says so to the server, and waits for its answer: a deadline that has
/// passed would end the call before the server could look.
fn waiting(wait: u8, ask: u8, deadline: Deadline) -> (u8, Deadline) {
    match deadline {
        Deadline::Immediate => (ask, Deadline::None),
        deadline => (wait, deadline),
    }
}
