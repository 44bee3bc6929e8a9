//! Regions that processes make, hand on and map while the system runs.
//!
//! A region is a block of a pool. What a process has of it is a handle, and perhaps a window that shows it. So the
//! kernel finds buffers there as it does in what a process was lent: each time anew, when bytes are copied. Whoever waits
//! at a word there waits until its process unmaps the region at most. Memory that is lent is nobody else's, so that a
//! region is not lent.

use riposte_abi::{
    Error,
    call::HANDLE_MASK,
    region::{number, right},
    register,
};

use crate::{
    Kernel, Port, Process, Thread, Wake, Window,
    dispatch::Next,
    ipc::lend::fill,
    limits::{FUTEXES, HANDLES},
    memory::{
        pool::{Held, Pool},
        window::Contents,
    },
    object::handle::Object,
};

/// Threads that wait elsewhere, between two looks for interrupts while a region is unmapped; and processes and their handles
/// where a region is looked for.
const LOOK: usize = 16;

/// What is left of a thread that waits at a word that a process leaves.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Left {
    /// Everything is done.
    Nothing,
    /// One that waited before it was woken.
    Woken,
    /// A lock has gone on to one that waited before it, or to it.
    Lock,
}

/// Whether the thread waits at a word in this window.
fn waits_in(window: &Window, thread: &Thread) -> bool {
    thread.word().is_some_and(|word| window.holds(word))
}

impl Kernel {
    /// A call about regions.
    pub(crate) fn about_regions(
        &self,
        port: &impl Port,
        thread: &'static Thread,
    ) -> Result<Next, Error> {
        match thread.register(register::CALL) & HANDLE_MASK {
            number::CREATE => self.create_region(port, thread),
            number::MAP => self.map_region(port, thread),
            number::COPY => self.copy_region(port, thread),
            _ => Err(Error::BadCall),
        }
    }

    /// Makes a region of the next block of a pool, which is cleared first: by whoever asks, in pieces. The one who takes
    /// it need not be the one who began to clear it.
    fn create_region(&self, port: &impl Port, thread: &'static Thread) -> Result<Next, Error> {
        let [position, ..] = thread.words();
        let process = thread.process;
        let quota = process.exchange.quota(position);
        let quota = quota.ok_or(Error::NotPermitted)?;
        let Some(block) = quota.next() else {
            return self.refuse_block(port, thread, quota.pool);
        };
        if !quota.pool.clear_first(port, block) {
            return Ok(Next::Restart);
        }
        let made = self.fill_slot(port, process, |handle, slot| {
            handle.hold_region(slot, Held::of(block), right::ALL)
        })?;
        let Some(handle) = made else {
            return Ok(Next::Restart);
        };
        quota.take(block);
        thread.returns_words(0, 0, [handle, quota.pool.size, 0, 0, 0]);
        Ok(Next::Continue)
    }

    /// There is no block of this pool for the caller: unless somebody has one who has died, whatever step that one's end has
    /// come to. Then that one has it no more, and the call comes again.
    #[cold]
    #[inline(never)]
    fn refuse_block(
        &self,
        port: &impl Port,
        thread: &'static Thread,
        pool: &'static Pool,
    ) -> Result<Next, Error> {
        let is_its = |region: Held| region.block().is_of(pool);
        let mut place = thread.begun() as usize;
        for looked in 1.. {
            let holder = self.tables.processes.get(place / HANDLES);
            let Some(holder) = holder.filter(|_| self.is_unfinished()) else {
                break;
            };
            let slot = place % HANDLES;
            let found = holder.is_dying() && self.take_from_dead(port, holder, slot, is_its);
            if !found {
                place += if holder.is_dying() { 1 } else { HANDLES - slot };
            }
            if found || looked % LOOK == 0 && port.interrupted() {
                thread.keep_progress(place as u32);
                return Ok(Next::Restart);
            }
        }
        Err(Error::Exhausted)
    }

    /// Takes a region that `is_its` from `holder`, which has died: one that is mapped, with the first slot, or else what a handle
    /// in this slot leads to. Whether there was one.
    fn take_from_dead(
        &self,
        port: &impl Port,
        holder: &'static Process,
        slot: usize,
        is_its: impl Fn(Held) -> bool,
    ) -> bool {
        let windows = holder.exchange.windows.iter().filter(|_| slot == 0);
        for window in windows {
            if let Contents::Region(region) = window.contents.get()
                && is_its(region)
            {
                self.unmap(port, holder, window, region);
                return true;
            }
        }
        if let Some(handle) = self.handles_of(holder).get(slot)
            && let Object::Region(region) = handle.object()
            && is_its(region)
        {
            handle.close(self.tables.nowhere);
            return true;
        }
        false
    }

    /// Shows a region in a window of the caller's process.
    fn map_region(&self, port: &impl Port, thread: &'static Thread) -> Result<Next, Error> {
        let [word, wanted, ..] = thread.words();
        let process = thread.process;
        let (region, rights) = self.region(process, word)?;
        if wanted & !right::WRITE != 0 {
            return Err(Error::BadArgument);
        }
        if wanted & !rights != 0 {
            return Err(Error::NotPermitted);
        }
        let windows = process.exchange.windows;
        if windows.iter().any(|window| window.shows(region)) {
            return Err(Error::InUse);
        }
        let mut places = windows.iter().filter(|window| window.is_for_regions());
        let window = places.find(|window| window.is_empty());
        let window = window.ok_or(Error::Exhausted)?;
        let block = region.block();
        block.hold();
        let (number, range) = (window.number.into(), block.range());
        let threads = self.protected_now(process);
        let contents = Contents::Region(region);
        let writable = wanted & right::WRITE != 0;
        let address = fill(port, threads, number, window, range, contents, writable);
        window.named.set(None);
        thread.returns_words(0, 0, [address, range.length(), 0, 0, 0]);
        Ok(Next::Continue)
    }

    /// Makes another handle of a region, with as many rights or fewer.
    fn copy_region(&self, port: &impl Port, thread: &'static Thread) -> Result<Next, Error> {
        let [word, kept, ..] = thread.words();
        let process = thread.process;
        let (region, rights) = self.region(process, word)?;
        if kept & !right::ALL != 0 {
            return Err(Error::BadArgument);
        }
        let copied = self.fill_slot(port, process, |handle, slot| {
            handle.hold_region(slot, region, rights & kept)
        })?;
        let Some(handle) = copied else {
            return Ok(Next::Restart);
        };
        thread.returns(handle);
        Ok(Next::Continue)
    }

    /// The region that `word` names among the handles of `process`, and the rights to it.
    pub(crate) fn region(&self, process: &Process, word: u32) -> Result<(Held, u32), Error> {
        let handle = self.slot(process, word)?;
        match handle.object() {
            Object::Region(region) if handle.is_named_by(word) => Ok((region, handle.badge.get())),
            _ => Err(handle.misused()),
        }
    }

    /// The region that `word` names, which `process` may hand on, and the rights of whoever gets it.
    pub(crate) fn region_to_give(
        &self,
        process: &Process,
        word: u32,
    ) -> Result<(Held, u32), Error> {
        let (region, rights) = self.region(process, word)?;
        if rights & right::TRANSFER == 0 {
            return Err(Error::NotPermitted);
        }
        Ok((region, right::handed_on(rights)))
    }

    /// The caller's process, which has mapped the region in this window, sees it no more. Its threads that wait at words
    /// there wait no more, and own no locks there that others wait for.
    pub(crate) fn give_up_region(
        &self,
        port: &impl Port,
        thread: &'static Thread,
        window: &'static Window,
        region: Held,
    ) -> Next {
        if FUTEXES != 0 && !self.leave_words_in(port, thread, window) {
            return Next::Restart;
        }
        self.unmap(port, thread.process, window, region);
        thread.returns(0);
        Next::Continue
    }

    /// The caller's process leaves the words of the region in this window: waits there end, and locks go to who waits for
    /// them. Whether it has: if an interrupt waits, the call comes again, and goes on with the thread to which it has come.
    fn leave_words_in(&self, port: &impl Port, caller: &Thread, window: &Window) -> bool {
        let Some(looked_at) = window.named.get() else {
            return true;
        };
        let threads = self.tables.threads;
        let mut index = usize::from(looked_at);
        while let Some(thread) = threads.get(index) {
            let is_there = waits_in(window, thread);
            let left = if is_there {
                self.leave_word_of(port, caller.process, window, thread)
            } else {
                Left::Nothing
            };
            index += usize::from(left == Left::Nothing);
            // Who is more urgent runs now if it has got a lock. One that was woken alone would find the region still there, wait
            // again, and be woken again.
            let stops = match left {
                Left::Lock => self.gives_way(port, caller),
                _ => (is_there || index % LOOK == 0) && port.interrupted(),
            };
            if stops && index < threads.len() {
                window.named.set(Some(index as u8));
                return false;
            }
        }
        true
    }

    /// A step that has `process` leave the word in this window at which `thread` waits.
    fn leave_word_of(
        &self,
        port: &impl Port,
        process: &Process,
        window: &Window,
        thread: &'static Thread,
    ) -> Left {
        if thread.process.is(process) {
            self.wake(port, thread, Wake::Failed(Error::BadAddress));
            return Left::Nothing;
        }
        let Some([first, owner]) = self.first_locker_with(thread) else {
            return Left::Nothing;
        };
        if !owner.process.is(process) {
            return Left::Nothing;
        }
        // One whose lock comes sooner is as urgent, if it is known at once: else its urgency stays the owner's for now.
        let most_urgent = owner.first_locker().filter(|it| waits_in(window, it));
        let first = most_urgent.unwrap_or(first);
        // Who sees the word no more, either, gets no lock there.
        if first.process.is(process) {
            self.wake(port, first, Wake::Failed(Error::BadAddress));
            Left::Woken
        } else {
            self.abandon_to(port, first);
            Left::Lock
        }
    }

    /// `process` sees the region in this window no more.
    pub(crate) fn unmap(
        &self,
        port: &impl Port,
        process: &Process,
        window: &'static Window,
        region: Held,
    ) {
        self.empty(port, process, window);
        region.block().release();
    }
}
