//! Shared memory by name: the client's part.
//!
//! The shared memory server makes objects at run time, and hands them to whoever asks for their names. What they are is
//! regions: a process maps one, and has it as long as it likes, whatever becomes of the name, of who made it and of the
//! server.
//!
//! ```no_run
//! use riposte_shared_memory::{Access, SharedMemory, SharedMemoryError};
//!
//! fn publish() -> Result<(), SharedMemoryError> {
//!     let memory = SharedMemory::connect("shared-memory")?;
//!     let frame = memory.create("frame")?;
//!     memory.resize(&frame, 1024)?;
//!     let mapping = frame.region.map().map_err(SharedMemoryError::Kernel)?;
//!     mapping.store(0, 1).unwrap();
//!     let seen = memory.open("frame", Access::Read)?;     // in the other process
//!     assert_eq!(seen.size, 1024);
//!     Ok(())
//! }
//! ```
#![no_std]
#![forbid(unsafe_code)]

mod error;
pub mod protocol;

pub use error::SharedMemoryError;

use protocol::{NAME, NUMBER, REQUEST, head, operation, option};
use riposte::{Connection, Deadline, RegionHandle, Status};

/// A connection to a shared memory server.
#[derive(Debug)]
pub struct SharedMemory {
    connection: Connection,
}

/// What an object is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// To be read.
    Read,
    /// To be read and written.
    Write,
}

/// An object that was opened.
#[derive(Debug)]
pub struct Object {
    /// Its number, which no other object has or had: by it one knows what was opened twice.
    pub number: u64,
    /// Its bytes when it was opened, as who uses it had said; 0 until somebody has.
    pub size: u32,
    /// The bytes of its memory, all of which whoever maps it sees.
    pub room: u32,
    /// A handle of its memory, which takes a slot of this process until it is closed.
    pub region: RegionHandle,
}

impl SharedMemory {
    /// The server to which the manifest gives this process a connection of that name. Never blocks.
    ///
    /// # Errors
    /// [`SharedMemoryError::Connect`].
    pub fn connect(name: &'static str) -> Result<SharedMemory, SharedMemoryError> {
        let connection = riposte::connect(name).map_err(SharedMemoryError::Connect)?;
        Ok(SharedMemory { connection })
    }

    /// Connects again, to a server that has started anew: it knows no names. Whoever has an object keeps it.
    ///
    /// # Errors
    /// [`SharedMemoryError::Kernel`].
    pub fn reconnect(&mut self) -> Result<(), SharedMemoryError> {
        self.connection
            .reconnect()
            .map_err(SharedMemoryError::Kernel)
    }

    /// The object of that name. Waits only for the server.
    ///
    /// # Errors
    /// [`SharedMemoryError::NoSuchName`]; [`SharedMemoryError::NotAllowed`] if this process may only read and wants to
    /// write; [`SharedMemoryError::Invalid`] if it is no name; [`SharedMemoryError::NoHandles`];
    /// [`SharedMemoryError::Kernel`] if the server can't be asked.
    pub fn open(&self, name: &str, access: Access) -> Result<Object, SharedMemoryError> {
        let options = match access {
            Access::Read => 0,
            Access::Write => option::WRITE,
        };
        self.ask(name, options)
    }

    /// The object of that name, to be written, made of zeros and without a size if there is none. Waits only for the
    /// server, which clears the block.
    ///
    /// # Errors
    /// [`SharedMemoryError::NoRoom`]; [`SharedMemoryError::NotAllowed`] if this process may make none; else as
    /// [`SharedMemory::open`].
    pub fn create(&self, name: &str) -> Result<Object, SharedMemoryError> {
        self.ask(name, option::WRITE | option::CREATE)
    }

    /// As [`SharedMemory::create`], unless there is one.
    ///
    /// # Errors
    /// [`SharedMemoryError::Exists`]; else as [`SharedMemory::create`].
    pub fn create_new(&self, name: &str) -> Result<Object, SharedMemoryError> {
        self.ask(name, option::WRITE | option::CREATE | option::EXCLUSIVE)
    }

    /// Takes away a name that this process has given. Whoever has opened the object keeps it. Waits only for the server.
    ///
    /// # Errors
    /// [`SharedMemoryError::NoSuchName`]; [`SharedMemoryError::NotAllowed`] if another process has made it;
    /// [`SharedMemoryError::Kernel`] if the server can't be asked.
    pub fn unlink(&self, name: &str) -> Result<(), SharedMemoryError> {
        let mut request = [0; REQUEST + NAME];
        let request = lay_out(&mut request, head(operation::UNLINK, 0, 0), name.as_bytes())?;
        self.call(request, &mut []).map(drop)
    }

    /// The size of an object now. Waits only for the server.
    ///
    /// # Errors
    /// [`SharedMemoryError::NoSuchName`] if it has no name any more; [`SharedMemoryError::Kernel`] if the server can't be
    /// asked.
    pub fn size(&self, object: &Object) -> Result<u32, SharedMemoryError> {
        let (mut request, mut size) = ([0; REQUEST + NUMBER], [0; 4]);
        let number = object.number.to_le_bytes();
        let request = lay_out(&mut request, head(operation::SIZE, 0, 0), &number)?;
        match self.call(request, &mut size)? {
            4 => Ok(u32::from_le_bytes(size)),
            _ => Err(SharedMemoryError::Other(Status::OK)),
        }
    }

    /// Says how large an object is, for all who ask. It changes none of its bytes. Waits only for the server.
    ///
    /// # Errors
    /// [`SharedMemoryError::TooLarge`] for more than its `room`; [`SharedMemoryError::NotAllowed`] if this process may
    /// only read; else as [`SharedMemory::size`].
    pub fn resize(&self, object: &Object, size: u32) -> Result<(), SharedMemoryError> {
        let mut request = [0; REQUEST + NUMBER];
        let number = object.number.to_le_bytes();
        let request = lay_out(&mut request, head(operation::RESIZE, 0, size), &number)?;
        self.call(request, &mut []).map(drop)
    }

    fn ask(&self, name: &str, options: u32) -> Result<Object, SharedMemoryError> {
        let mut request = [0; REQUEST + NAME];
        let head = head(operation::OPEN, options, 0);
        let request = lay_out(&mut request, head, name.as_bytes())?;
        let answer = self
            .connection
            .send_bytes_for_region_until(request, Deadline::None);
        let (reply, region) = answer.map_err(SharedMemoryError::from_kernel)?;
        let [low, high, size, room, _] = reply.words;
        match (reply.status, region) {
            (Status::OK, Some(region)) => Ok(Object {
                number: u64::from(low) | u64::from(high) << 32,
                size,
                room,
                region,
            }),
            (Status::OK, None) => Err(SharedMemoryError::Other(Status::OK)),
            (status, _) => Err(SharedMemoryError::from_status(status)),
        }
    }

    fn call(&self, request: &[u8], answer: &mut [u8]) -> Result<usize, SharedMemoryError> {
        let reply = self.connection.send(request, answer);
        let reply = reply.map_err(SharedMemoryError::from_kernel)?;
        match reply.status {
            Status::OK => Ok(reply.len),
            status => Err(SharedMemoryError::from_status(status)),
        }
    }
}

/// The request and what follows it, in `room`.
fn lay_out<'a>(
    room: &'a mut [u8],
    head: [u8; REQUEST],
    rest: &[u8],
) -> Result<&'a [u8], SharedMemoryError> {
    let all = room.get_mut(..REQUEST + rest.len());
    let all = all.ok_or(SharedMemoryError::Invalid)?;
    let (first, behind) = all.split_at_mut(REQUEST);
    first.copy_from_slice(&head);
    behind.copy_from_slice(rest);
    Ok(all)
}
