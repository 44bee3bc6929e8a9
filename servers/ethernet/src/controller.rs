//! What a device must be able to do.

use riposte::Token;

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
    /// Sends `length` bytes, which lie in the client's message from `offset` on; how many more frames there is room for.
    fn send(&mut self, client: &Token, offset: u32, length: usize) -> Result<u32, Refused>;
    /// Answers a client with the oldest frame, and says how long that is: 0 if the oldest ones were none, and there may be more.
    ///
    /// # Errors
    /// The client, if no frame has come.
    fn receive(&mut self, client: Token) -> Result<usize, Token>;
}
