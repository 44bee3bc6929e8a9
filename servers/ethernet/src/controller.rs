//! What a device must be able to do.

use riposte::{Status, Token};
use riposte_ethernet::protocol::status;

/// What came of a device's interrupt.
#[derive(Clone, Copy, Default)]
pub struct Happened {
    /// There are frames, or there is room for some.
    pub frames: bool,
    /// Frames that were lost, as far as the device says.
    pub lost: u32,
}

/// Why a frame was not taken.
pub enum Refused {
    /// As many wait as can.
    NoRoom,
    /// The client has left before all of it was there.
    Left,
}

/// Where a frame is that is to be sent.
#[derive(Clone, Copy)]
pub enum Frame<'a> {
    /// It has come.
    Here(&'a [u8]),
    /// So many bytes, from there on in its client's message.
    At(&'a Token, u32, usize),
}

impl Frame<'_> {
    /// Bytes of it.
    pub fn length(&self) -> usize {
        match self {
            Frame::Here(bytes) => bytes.len(),
            Frame::At(_, _, length) => *length,
        }
    }

    /// Copies it to `to`, which has its length.
    ///
    /// # Errors
    /// Its client has left.
    pub fn copy(&self, to: &mut [u8]) -> Result<(), Refused> {
        match self {
            Frame::Here(bytes) => {
                to.iter_mut().zip(*bytes).for_each(|(to, from)| *to = *from);
                Ok(())
            }
            Frame::At(client, offset, length) => match client.read(*offset, to) {
                Ok(copied) if copied == *length => Ok(()),
                _ => Err(Refused::Left),
            },
        }
    }
}

/// The status of a frame, if others have come or not. What comes then asks for an interrupt.
pub fn status_of(has_more: bool) -> Status {
    if has_more { Status::OK } else { status::LAST }
}

/// An Ethernet's device. Nothing of it waits.
pub trait Controller {
    /// Its address (MAC).
    fn address(&self) -> [u8; 6];
    /// Whether it has a link.
    fn is_up(&mut self) -> bool;
    /// How many frames there is room for. If for none, its interrupt says when there is.
    fn room(&mut self) -> u32;
    /// Has it stop asking for its interrupt, and takes note of why it did: before it looks, so that what happens meanwhile
    /// asks anew.
    fn interrupted(&mut self) -> Happened;
    /// Sends a frame; how many more there is room for.
    fn send(&mut self, frame: Frame<'_>) -> Result<u32, Refused>;
    /// Answers a client with the oldest frame, as [`status_of`] has it, and says how long that is: 0 if the oldest ones were none, and
    /// there may be more.
    ///
    /// # Errors
    /// The client, if no frame has come.
    fn receive(&mut self, client: Token) -> Result<usize, Token>;
}
