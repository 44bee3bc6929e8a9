//! Pools: memory in equal blocks, of which processes make regions while the system runs.
//!
//! A block is free, or somebody has it: it counts the handles that lead to it and the windows that show it. When there
//! are none any more it is free again, at the front of its pool's list, behind one that is being cleared at most. It is
//! cleared by who makes a region of it next.

use core::{cell::Cell, convert::Infallible};

use crate::{Port, Writable, limits::POOLS};

/// What there is once where processes make regions, and not at all elsewhere.
pub(crate) type IfPools<T> = [T; POOLS as usize];

state! {
/// Memory of the manifest, in blocks of one size.
pub struct Pool {
    /// Where the kernel sees the first block.
    pub(crate) base: u32,
    /// Bytes of a block: a power of two, at a multiple of which each begins.
    pub(crate) size: u32,
    pub(crate) blocks: &'static [Block],
    /// Number of the first free block; as many as there are if none is free.
    pub(crate) free: Cell<u16>,
    /// Bytes of that one that have been cleared since it became free; 0 if none is free.
    pub(crate) cleared: Cell<u32>,
}
}

state! {
/// A block of a pool.
pub struct Block {
    /// Index of its pool.
    pub pool: u8,
    pub(crate) number: u8,
    /// Number of the free block after it.
    pub(crate) next: Cell<u16> where is_free,
    /// Handles that lead to it, and windows that show it.
    pub(crate) users: Cell<u32>,
    /// Of whose blocks it is one as long as somebody has it.
    pub(crate) maker: Cell<Option<&'static Quota>>,
}
}

state! {
/// How much of a pool a process may have made regions of at once.
pub struct Quota {
    /// Index of the process.
    pub process: u8,
    /// Position among those of the process.
    pub number: u8,
    pub(crate) pool: &'static Pool as link,
    /// Most blocks.
    pub(crate) most: u16,
    /// Blocks that it has made regions of, and that are not free again, whoever has them.
    pub(crate) made: Cell<u16>,
}
}

/// A block that somebody has. Where there are no pools there is no such value, and no place for one: the compiler knows
/// that, and leaves out what would be done with it.
#[derive(Clone, Copy)]
pub struct Held {
    block: IfPools<&'static Block>,
    never: [Infallible; !POOLS as usize],
}

impl Held {
    /// This block, of which somebody is about to have one more handle or window.
    #[allow(unreachable_code, reason = "where there are no pools there is none")]
    pub(crate) fn of(block: &'static Block) -> Self {
        Self {
            block: [block; _],
            never: core::array::from_fn(|_| unreachable!("there are no pools")),
        }
    }

    /// The block.
    pub(crate) fn block(self) -> &'static Block {
        match (self.block.first(), self.never.first()) {
            (Some(block), _) => block,
            (None, Some(never)) => match *never {},
            (None, None) => unreachable!("there are pools, or there are none"),
        }
    }

    /// Whether both are the same block.
    pub(crate) fn is(self, other: Held) -> bool {
        core::ptr::eq(self.block(), other.block())
    }
}

#[cfg(feature = "snapshot")]
impl crate::snapshot::Word for Held {
    fn pack(self, to: &mut crate::snapshot::Writer) {
        self.block().pack(to);
    }

    fn unpack(from: &mut crate::snapshot::Reader) -> Self {
        Self::of(crate::snapshot::Word::unpack(from))
    }
}

impl Pool {
    /// A pool of these blocks, all of them free, of `size` bytes each; the kernel sees the first one at `base`.
    #[must_use]
    pub const fn new(base: u32, size: u32, blocks: &'static [Block]) -> Self {
        Self {
            base,
            size,
            blocks,
            free: Cell::new(0),
            cleared: Cell::new(0),
        }
    }

    /// The block that is taken next.
    pub(crate) fn first_free(&self) -> Option<&'static Block> {
        self.blocks.get(usize::from(self.free.get()))
    }

    fn range(&self, block: &Block) -> Writable {
        Writable::new(self.base + u32::from(block.number) * self.size, self.size)
    }

    /// Clears the first free block, which is this one. Whether all of it is clear: if an interrupt waits, whoever asks
    /// next goes on from here.
    pub(crate) fn clear_first(&self, port: &impl Port, block: &Block) -> bool {
        let whole = self.range(block);
        let rest = whole.part(self.cleared.get(), self.size);
        if rest.length() > 0 {
            self.cleared.set(self.cleared.get() + port.clear(rest));
        }
        self.cleared.get() == self.size
    }

    /// The block is free: the first one, but for one that somebody has begun to clear.
    fn put_back(&self, block: &Block) {
        let begun = self.first_free().filter(|_| self.cleared.get() != 0);
        let place = begun.map_or(&self.free, |first| &first.next);
        block.next.set(place.replace(block.number.into()));
    }
}

impl Block {
    /// Block `number` of the pool with this index.
    #[must_use]
    pub const fn new(pool: u8, number: u8) -> Self {
        Self {
            pool,
            number,
            next: Cell::new(number as u16 + 1),
            users: Cell::new(0),
            maker: Cell::new(None),
        }
    }

    /// Whether nobody has it.
    #[cfg(any(debug_assertions, feature = "snapshot"))]
    pub(crate) fn is_free(&self) -> bool {
        self.maker.get().is_none()
    }

    /// Where the kernel sees it; no memory if nobody has it.
    pub(crate) fn range(&self) -> Writable {
        match self.maker.get() {
            Some(quota) => quota.pool.range(self),
            None => Writable::new(0, 0),
        }
    }

    /// Whether somebody has it, and it is one of this pool.
    pub(crate) fn is_of(&self, pool: &Pool) -> bool {
        let maker = self.maker.get();
        maker.is_some_and(|quota| core::ptr::eq(quota.pool, pool))
    }

    /// One more handle leads to it, or window shows it.
    pub(crate) fn hold(&self) {
        self.users.set(self.users.get() + 1);
    }

    /// One less does. After the last one it is free.
    pub(crate) fn release(&self) {
        let users = self.users.get().saturating_sub(1);
        self.users.set(users);
        if users == 0
            && let Some(quota) = self.maker.take()
        {
            quota.made.set(quota.made.get().saturating_sub(1));
            quota.pool.put_back(self);
        }
    }
}

impl Quota {
    /// Number `number` of the process with index `process`: at most so many blocks of the pool.
    #[must_use]
    pub const fn new(process: u8, number: u8, pool: &'static Pool, most: u16) -> Self {
        Self {
            process,
            number,
            pool,
            most,
            made: Cell::new(0),
        }
    }

    /// The block of which its process may make a region now.
    pub(crate) fn next(&self) -> Option<&'static Block> {
        let allowed = self.made.get() < self.most;
        allowed.then(|| self.pool.first_free()).flatten()
    }

    /// The first free block of the pool, which is this one, is one of its process's from now on.
    pub(crate) fn take(&'static self, block: &Block) {
        self.pool.free.set(block.next.get());
        self.pool.cleared.set(0);
        self.made.set(self.made.get() + 1);
        block.maker.set(Some(self));
    }
}
