//! Frames of an Ethernet: the client's part.
//!
//! A driver has one device. One client sends and receives by it, which is mostly the network server; others may look.
//! [`protocol`] says what they say to each other.
#![no_std]
#![forbid(unsafe_code)]

pub mod protocol;

use core::fmt;

use protocol::{REQUEST, STATISTICS_WORDS, Statistics, operation, status};
use riposte::{ConnectError, Connection, Error, Status};

/// A driver.
#[derive(Debug)]
pub struct Ethernet {
    connection: Connection,
}

/// What a driver says of its device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    /// The address (MAC).
    pub address: [u8; 6],
    /// Whether there is a link.
    pub is_up: bool,
    /// How many frames there is room for: if for none, its client is notified when there is.
    pub room: u32,
}

/// Why a request was not fulfilled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EthernetError {
    /// No frame has come.
    NoFrame,
    /// As many frames wait to be sent as can.
    NoRoom,
    /// The driver has ended: [`Ethernet::reconnect`] reaches its next life.
    DriverDied,
    /// The answer is none.
    Garbled,
    /// The kernel's.
    Kernel(Error),
    /// Something else that the driver says.
    Other(Status),
}

impl fmt::Display for EthernetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            EthernetError::NoFrame => "no frame has come",
            EthernetError::NoRoom => "as many frames wait to be sent as can",
            EthernetError::DriverDied => "the driver has ended",
            EthernetError::Garbled => "the driver's answer is none",
            EthernetError::Kernel(error) => return fmt::Display::fmt(error, f),
            EthernetError::Other(status) => return fmt::Display::fmt(status, f),
        })
    }
}

impl core::error::Error for EthernetError {}

impl EthernetError {
    fn of(status: Status) -> EthernetError {
        match status {
            status::NO_FRAME => EthernetError::NoFrame,
            status::NO_ROOM => EthernetError::NoRoom,
            other => EthernetError::Other(other),
        }
    }
}

impl From<Error> for EthernetError {
    fn from(error: Error) -> EthernetError {
        match error {
            Error::ServerDied => EthernetError::DriverDied,
            error => EthernetError::Kernel(error),
        }
    }
}

impl Ethernet {
    /// The driver to which the manifest gives this process a connection of that name. Never blocks.
    ///
    /// # Errors
    /// As [`riposte::connect`].
    pub fn connect(name: &'static str) -> Result<Ethernet, ConnectError> {
        riposte::connect(name).map(|connection| Ethernet { connection })
    }

    /// Reaches the driver's next life. Never blocks.
    ///
    /// # Errors
    /// [`EthernetError::DriverDied`] if it has not begun.
    pub fn reconnect(&mut self) -> Result<(), EthernetError> {
        Ok(self.connection.reconnect()?)
    }

    /// Puts a frame behind those that are to be sent; how many more there is room for. Waits for the driver's answer, not
    /// for the wire. The frame is what `request` has behind [`REQUEST`] bytes, which are written: so it is one piece.
    ///
    /// # Errors
    /// [`EthernetError::NoRoom`], [`EthernetError::DriverDied`]: it may have been sent; [`EthernetError::Other`] if it is
    /// no frame.
    pub fn send(&self, request: &mut [u8]) -> Result<u32, EthernetError> {
        if let Some(head) = request.first_chunk_mut::<REQUEST>() {
            *head = operation::SEND.to_le_bytes();
        }
        let mut room = [0; 4];
        let reply = self.connection.send(request, &mut room)?;
        match (reply.status, reply.len) {
            (Status::OK, 4) => Ok(u32::from_le_bytes(room)),
            (Status::OK, _) => Err(EthernetError::Garbled),
            (status, _) => Err(EthernetError::of(status)),
        }
    }

    /// Takes the oldest frame that has come: as much of it as `frame` holds; how many bytes, and whether it may not have been the
    /// last one. Waits for the driver's answer alone.
    ///
    /// # Errors
    /// [`EthernetError::NoFrame`], [`EthernetError::DriverDied`].
    pub fn receive(&self, frame: &mut [u8]) -> Result<(usize, bool), EthernetError> {
        let request: [u8; REQUEST] = operation::RECEIVE.to_le_bytes();
        let reply = self.connection.send(&request, frame)?;
        match reply.status {
            Status::OK => Ok((reply.len, true)),
            status::LAST => Ok((reply.len, false)),
            status => Err(EthernetError::of(status)),
        }
    }

    /// The device's address, whether it has a link, and room.
    ///
    /// # Errors
    /// [`EthernetError::DriverDied`], [`EthernetError::Garbled`].
    pub fn state(&self) -> Result<State, EthernetError> {
        let mut words = [0; 16];
        let length = self.ask(operation::STATE, &mut words)?;
        match words {
            [a, b, c, d, e, f, 0, 0, is_up @ (0 | 1), 0, 0, 0, room @ ..] if length == 16 => {
                Ok(State {
                    address: [a, b, c, d, e, f],
                    is_up: is_up == 1,
                    room: u32::from_le_bytes(room),
                })
            }
            _ => Err(EthernetError::Garbled),
        }
    }

    /// What the driver has counted.
    ///
    /// # Errors
    /// As [`Ethernet::state`].
    pub fn statistics(&self) -> Result<Statistics, EthernetError> {
        let mut bytes = [0; STATISTICS_WORDS * 4];
        if self.ask(operation::STATISTICS, &mut bytes)? != bytes.len() {
            return Err(EthernetError::Garbled);
        }
        let mut words = [0; STATISTICS_WORDS];
        let (chunks, _) = bytes.as_chunks::<4>();
        for (word, bytes) in words.iter_mut().zip(chunks) {
            *word = u32::from_le_bytes(*bytes);
        }
        Ok(Statistics::from_words(words))
    }

    fn ask(&self, operation: u32, answer: &mut [u8]) -> Result<usize, EthernetError> {
        let request: [u8; REQUEST] = operation.to_le_bytes();
        let reply = self.connection.send(&request, answer)?;
        match reply.status {
            Status::OK => Ok(reply.len),
            status => Err(EthernetError::of(status)),
        }
    }
}
