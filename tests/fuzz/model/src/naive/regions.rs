//! Regions that are made at run time, as the book's page of them and the binary interface say. Who has a block is
//! looked up each time: whoever has a handle of it, or has it mapped.

use riposte_abi::region::{number, right};
use riposte_abi::{Error, call};
use riposte_fuzz_script::plan::{self, BLOCK, BLOCKS, QUOTAS, THREADS};

use super::{Doing, Done, Given, Naive, Purpose, Slot, failed, returned};
use crate::memory::{Mapping, Memory, address_of_block};

/// A block: of which pool, and who has made a region of it last.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    pool: usize,
    maker: usize,
}

/// All blocks of all pools.
pub(super) fn blocks() -> Vec<Block> {
    let pools = BLOCKS.iter().enumerate();
    let blocks = pools.flat_map(|(pool, count)| std::iter::repeat_n(pool, *count));
    blocks.map(|pool| Block { pool, maker: 0 }).collect()
}

impl Naive {
    /// A call about regions.
    pub(super) fn about_regions(
        &mut self,
        memory: &mut Memory,
        process: usize,
        given: Given,
    ) -> Done {
        let [first, second, ..] = given.words();
        match given.call() & call::HANDLE_MASK {
            number::CREATE => self.create_region(memory, process, first),
            number::MAP => self.map_region(process, first, second),
            number::COPY => self.copy_region(process, first, second),
            _ => Err(Error::BadCall),
        }
    }

    fn create_region(&mut self, memory: &mut Memory, process: usize, position: u32) -> Done {
        let quota = QUOTAS[process].get(position as usize);
        let (pool, most) = *quota.ok_or(Error::NotPermitted)?;
        let all = 0..self.blocks.len();
        let of_pool = all.filter(|block| self.blocks[*block].pool == pool);
        let (used, free): (Vec<usize>, Vec<usize>) =
            of_pool.partition(|block| self.is_used(*block));
        let own = used
            .iter()
            .filter(|block| self.blocks[**block].maker == process);
        if own.count() >= most {
            return Err(Error::Exhausted);
        }
        let block = *free.first().ok_or(Error::Exhausted)?;
        let slot = self.free_slot(process)?;
        memory.put(address_of_block(block), &[0; BLOCK as usize]);
        self.blocks[block].maker = process;
        let handle = self.hold_region(process, slot, (block, right::ALL));
        Ok(Some(returned(&[handle, BLOCK])))
    }

    fn map_region(&mut self, process: usize, word: u32, wanted: u32) -> Done {
        let (block, rights) = self.region(process, word)?;
        if wanted & !right::WRITE != 0 {
            return Err(Error::BadArgument);
        }
        if wanted == right::WRITE && rights & right::WRITE == 0 {
            return Err(Error::NotPermitted);
        }
        let mut exchange = self.exchange.borrow_mut();
        let own = exchange.mapped.iter().filter(|it| it.process == process);
        if own.clone().any(|it| it.block == block) {
            return Err(Error::InUse);
        }
        if own.count() == plan::MAPPINGS[process] {
            return Err(Error::Exhausted);
        }
        exchange.mapped.push(Mapping {
            process,
            block,
            writable: wanted == right::WRITE,
        });
        Ok(Some(returned(&[address_of_block(block), BLOCK])))
    }

    fn copy_region(&mut self, process: usize, word: u32, kept: u32) -> Done {
        let (block, rights) = self.region(process, word)?;
        if kept & !right::ALL != 0 {
            return Err(Error::BadArgument);
        }
        let slot = self.free_slot(process)?;
        let handle = self.hold_region(process, slot, (block, rights & kept));
        Ok(Some(returned(&[handle])))
    }

    /// The block that `word` names, and the rights of that handle.
    pub(super) fn region(&self, process: usize, word: u32) -> Result<(usize, u32), Error> {
        let (_, slot) = self.slot(process, word)?;
        match slot.region {
            Some(region) if Self::names(&slot, word) => Ok(region),
            _ if slot.purpose == Purpose::Channel => Err(Error::NotPermitted),
            _ => Err(Error::BadHandle),
        }
    }

    /// The block that `word` names and the process may hand on, and the rights of whoever gets it: it may write if the
    /// giver may, and hand it on if the giver says so.
    pub(super) fn region_to_give(&self, process: usize, word: u32) -> Result<(usize, u32), Error> {
        let (block, rights) = self.region(process, word)?;
        if rights & right::TRANSFER == 0 {
            return Err(Error::NotPermitted);
        }
        let on = right::TRANSFER | right::ONWARD;
        let rights = if rights & on == on {
            rights
        } else {
            rights & right::WRITE
        };
        Ok((block, rights))
    }

    /// A handle of a region, in this slot, which is free.
    pub(super) fn hold_region(&mut self, process: usize, slot: usize, region: (usize, u32)) -> u32 {
        let handle = self.renew(process, slot);
        let place = &mut self.processes[process].slots[slot];
        *place = Slot {
            generation: place.generation,
            region: Some(region),
            ..Slot::SPARE
        };
        handle
    }

    /// Unmaps the region that the caller's process has mapped there. Whether there is one: the call may come again.
    /// Whoever of the process waits at a word in it waits no more, and gives up the locks in it that others wait for.
    pub(super) fn unmap(
        &mut self,
        memory: &mut Memory,
        caller: usize,
        address: u32,
        given: Given,
    ) -> bool {
        let process = super::process_of(caller);
        let is_it = |it: &Mapping| it.process == process && address_of_block(it.block) == address;
        if !self.exchange.borrow().mapped.iter().any(is_it) {
            return false;
        }
        let is_in_it = |word: u32| word.wrapping_sub(address) < BLOCK;
        for thread in 0..THREADS {
            match self.threads[thread].doing {
                Doing::AtWord { address: word } | Doing::Locking { address: word, .. }
                    if is_in_it(word) && super::process_of(thread) == process =>
                {
                    self.wake(thread, failed(Error::BadAddress));
                }
                _ => {}
            }
            while let Some((owner, word)) = self.lock_to_leave(thread, process, is_in_it) {
                let Some(next) = self.next_of_owner(owner, |it| it == word) else {
                    break;
                };
                if super::process_of(next) == process && self.is_alive(next) {
                    self.wake(next, failed(Error::BadAddress));
                    continue;
                }
                self.give_up_lock(memory, owner, |it| it == word);
                if self.gives_way(caller, given) {
                    return true;
                }
            }
        }
        self.exchange.borrow_mut().mapped.retain(|it| !is_it(it));
        true
    }

    /// If `thread` waits for a lock of the process's at a word that is meant: whose, and the word of the lock that this one
    /// gives up next, which is that for which the most urgent one of all waits, if it is meant.
    fn lock_to_leave(
        &self,
        thread: usize,
        process: usize,
        is_meant: impl Fn(u32) -> bool,
    ) -> Option<(usize, u32)> {
        let lock = |thread: usize| match self.threads[thread].doing {
            Doing::Locking { owner, address } if is_meant(address) => Some((owner, address)),
            _ => None,
        };
        let (owner, word) = lock(thread).filter(|it| super::process_of(it.0) == process)?;
        let first = self.next_of_owner(owner, |_| true)?;
        lock(first).or(Some((owner, word)))
    }

    /// Whether somebody has the block.
    fn is_used(&self, block: usize) -> bool {
        let mut slots = self.processes.iter().flat_map(|it| &it.slots);
        let mapped = &self.exchange.borrow().mapped;
        slots.any(|slot| slot.region.is_some_and(|(own, _)| own == block))
            || mapped.iter().any(|it| it.block == block)
    }
}
