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

/// The device has failed, or the client has left before all its bytes were there.
pub struct Failed;

/// A card. The blocks of a request are all its own.
pub trait Device {
    /// How many blocks it has.
    fn blocks(&self) -> u32;
    /// Answers a client with blocks.
    fn read(&mut self, blocks: Blocks, client: Token);
    /// Writes blocks, whose bytes are the client's behind the head of its request: when it returns they are where the
    /// card keeps them. Wherever this process, or the client, is ended
    /// meanwhile, a single block is old or new, and of several each byte is.
    fn write(&mut self, blocks: Blocks, client: &Token) -> Result<(), Failed>;
}
