//! Invariants of pools.

use core::ptr;

use crate::{Block, Handle, Held, Kernel, Object, Pool, Quota, limits::POOLS};

impl Kernel {
    /// Whoever has a block is counted, and nobody has a free one.
    pub(crate) fn check_pools(&self) {
        if !POOLS {
            return;
        }
        let pools = self.tables.pools.iter().copied().flatten();
        pools.for_each(|pool| pool.check(self));
        let processes = self.tables.processes.iter();
        let quotas = processes.flat_map(|it| it.exchange.quotas.iter().copied().flatten());
        quotas.for_each(Quota::check);
    }

    /// How often a block is shown and named.
    fn users_of(&self, block: &'static Block) -> usize {
        let leads = |handle: &&Handle| matches!(handle.object(), Object::Region(it) if ptr::eq(it.block(), block));
        let handles = self.tables.handles.iter().flatten().filter(leads).count();
        let processes = self.tables.processes.iter();
        let windows = processes.flat_map(|process| process.exchange.windows);
        handles
            + windows
                .filter(|window| window.shows(Held::of(block)))
                .count()
    }
}

impl Pool {
    fn check(&self, kernel: &Kernel) {
        let next = |block: &&'static Block| self.blocks.get(usize::from(block.next.get()));
        let free = core::iter::successors(self.first_free(), next);
        let counted = free.take(self.blocks.len() + 1);
        let counted =
            counted.inspect(|block| assert!(block.is_free(), "a free block is somebody's"));
        let free = self.blocks.iter().filter(|block| block.is_free()).count();
        assert_eq!(counted.count(), free, "free blocks that nobody finds");
        for block in self.blocks {
            let users = kernel.users_of(block);
            assert_eq!(block.users.get() as usize, users, "users of a block");
            assert_eq!(
                block.is_free(),
                users == 0,
                "a block is lost, or free too early"
            );
        }
        let most = self.first_free().map_or(0, |_| self.size);
        assert!(self.cleared.get() <= most, "more is clear than there is");
    }
}

impl Quota {
    /// It counts the blocks that were taken by it.
    fn check(&'static self) {
        let is_its = |block: &&Block| block.maker.get().is_some_and(|it| ptr::eq(it, self));
        let made = self.pool.blocks.iter().filter(is_its).count();
        assert_eq!(usize::from(self.made.get()), made, "blocks of a quota");
        assert!(self.made.get() <= self.most, "beyond the manifest");
    }
}
