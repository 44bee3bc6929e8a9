//! What clients and servers in both languages agree on: something of everything that an interface may have.
#![no_std]

use riposte::Text;
use riposte::interface::ApplicationError;
use riposte::zerocopy::{FromBytes, Immutable, IntoBytes};

/// Bytes of a block that are only bytes.
pub const WIDTH: usize = 20;

/// A place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoBytes, FromBytes, Immutable)]
#[zerocopy(crate = "riposte::zerocopy")]
#[repr(C)]
pub struct Point {
    /// To the right.
    pub x: i16,
    /// Upwards.
    pub y: i16,
}

/// Larger than registers hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoBytes, FromBytes, Immutable)]
#[zerocopy(crate = "riposte::zerocopy")]
#[repr(C)]
pub struct Block {
    /// Its number.
    pub number: u64,
    /// Where it is.
    pub corner: Point,
    /// What is in it.
    pub bytes: [u8; WIDTH],
}

/// Why something could not be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ApplicationError)]
pub enum Fault {
    /// There is nothing.
    Empty,
    /// There is no room.
    Full = 7,
}

/// A depot.
#[riposte::interface]
pub trait Depot {
    /// Does nothing.
    fn nothing(&self);

    /// `signed` times `factor`; the other way round if `negative`.
    fn scale(&self, signed: i8, factor: u16, negative: bool) -> i32;

    /// Both, in the other order.
    fn swap(&self, low: u64, high: i64) -> (i64, u64);

    /// Half of it.
    fn half(&self, value: f32) -> f32;

    /// The block with its bytes in the other order.
    fn turn(&mut self, block: &Block) -> Result<Block, Fault>;

    /// The key doubled, the number with one more, the block.
    fn table(&self, key: [u16; 3], pair: (u8, Block)) -> ([u16; 3], u32, Block);

    /// The sum of the samples and the length of what is raw. Nothing has no key, and there is no room at
    /// `full`.
    fn store(&mut self, key: &str, samples: &[u64], raw: &[u8]) -> Result<usize, Fault>;

    /// Numbers from `first` on, at most ten, and whether there were as many. From 0 on there are none.
    fn load(&self, first: u32, room: &mut [u64]) -> Result<(usize, bool), Fault>;

    /// A point for each letter of the key.
    fn points(&self, key: &str, room: &mut [Point]) -> usize;

    /// What stands at a number; whether it is all.
    fn label(&self, number: u8, text: &mut Text) -> bool;
}

/// Another interface of the same servers.
#[riposte::interface]
pub trait Admin {
    /// How many calls of the depot there were since the server began.
    fn calls(&self) -> u32;

    /// What the last block was.
    fn last(&self) -> Result<Block, Fault>;

    /// Ends the server's process.
    fn fall(&mut self);
}
