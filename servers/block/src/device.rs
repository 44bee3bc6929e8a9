//! What a card must be able to do.

use riposte::Token;

/// Blocks that follow each other.
#[derive(Clone, Copy)]
pub struct Blocks {
    /// The first one, of the whole card.
    pub first: u32,
    /// How many: at least one.
    pub count: u32,
}

/// Bytes that are to be written.
pub enum Source<'a> {
    /// They came with the request.
    Here(&'a [u8]),
    /// They are still the client's, behind the head of its request.
    AtClient(&'a Token),
}

/// The device has failed, or the client has left before all its bytes were there.
pub struct Failed;

/// A card. The blocks of a request are all its own.
pub trait Device {
    /// How many blocks it has.
    fn blocks(&self) -> u32;
    /// Answers a client with blocks.
    fn read(&mut self, blocks: Blocks, client: Token);
    /// Writes blocks: when it returns they are where the card keeps them. Wherever this process, or the client, is ended
    /// meanwhile, a single block is old or new, and of several each byte is.
    fn write(&mut self, blocks: Blocks, from: Source<'_>) -> Result<(), Failed>;
}
