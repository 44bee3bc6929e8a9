//! Moved memory comes home: its holder gives it up, and its own process takes it back into use.

use riposte_abi::Error;

use crate::{
    Gap, Kernel, Port, Process, Thread, Window,
    dispatch::Next,
    limits::MEMORY_MESSAGES,
    memory::window::{Absence, Contents},
};

/// Processes that are passed over where somebody wants something back, between two looks for interrupts.
const HOLDERS: usize = 16;

impl Kernel {
    /// The running thread gives up what was moved into the window at `address`, or the region that is mapped there.
    pub(crate) fn give_up(
        &self,
        port: &impl Port,
        thread: &'static Thread,
        address: u32,
    ) -> Result<Next, Error> {
        if !MEMORY_MESSAGES {
            return Err(Error::BadAddress);
        }
        let process = thread.process;
        for window in process.exchange.windows {
            if window.address.get() == address
                && let Contents::Moved(gap) = window.contents.get()
            {
                self.send_home(port, process, window, gap);
                thread.returns(0);
                return Ok(Next::Continue);
            }
            if window.address.get() == address
                && let Contents::Region(region) = window.contents.get()
            {
                return Ok(self.give_up_region(port, thread, window, region));
            }
        }
        Err(Error::BadAddress)
    }

    /// What is in this window of `holder` goes home: as it is, and out of everybody's reach.
    pub(crate) fn send_home(
        &self,
        port: &impl Port,
        holder: &'static Process,
        window: &'static Window,
        gap: &'static Gap,
    ) {
        self.empty(port, holder, window);
        gap.absence.set(Absence::Back);
        gap.cleared.set(0);
    }

    /// The running thread takes back into use what has come home of a part of its pages. If an
    /// interrupt waits, what has been cleared by then is not cleared again.
    pub(crate) fn reclaim(&self, port: &impl Port, thread: &'static Thread) -> Result<Next, Error> {
        let [address, length, ..] = thread.words();
        let process = thread.process;
        let exchange = process.exchange;
        if !MEMORY_MESSAGES || length == 0 || !exchange.pages.holds(address, length) {
            return Err(Error::BadAddress);
        }
        let asked = |gap: &&Gap| gap.overlaps(address, length);
        let is_back = |gap: &Gap| matches!(gap.absence.get(), Absence::Back);
        if !exchange.gaps.iter().filter(asked).all(is_back) {
            return self.refuse_reclaim(port, thread);
        }
        for (before, gap) in exchange.gaps.iter().filter(asked).enumerate() {
            if before > 0 && port.interrupted() {
                return Ok(Next::Restart);
            }
            let whole = gap.range.get();
            let rest = whole.part(gap.cleared.get(), whole.length());
            let cleared = port.clear(rest);
            if cleared < rest.length() {
                gap.cleared.set(gap.cleared.get() + cleared);
                return Ok(Next::Restart);
            }
            self.show(port, process, gap);
        }
        thread.returns(0);
        Ok(Next::Continue)
    }

    /// Not all that the running thread wants to reclaim is back: unless it is somebody's who has died, or in a message to one who
    /// has, whatever step that one's end has come to. Then it goes home, or the sender is told, and the call comes again.
    #[cold]
    #[inline(never)]
    fn refuse_reclaim(&self, port: &impl Port, thread: &'static Thread) -> Result<Next, Error> {
        let [address, length, ..] = thread.words();
        let home = thread.process;
        for gap in home.exchange.gaps {
            if gap.overlaps(address, length)
                && let Absence::Sent(sender) = gap.absence.get()
                && sender.waits_for_the_dead()
            {
                self.lose_server(port, sender);
                return Ok(Next::Restart);
            }
        }
        if !self.is_unfinished() {
            return Err(Error::InUse);
        }
        let begun = thread.begun() as usize;
        let processes = self.tables.processes.iter().enumerate();
        for (index, holder) in processes.skip(begun) {
            let windows = holder.exchange.windows;
            for window in windows.iter().filter(|_| holder.is_dying()) {
                if let Contents::Moved(gap) = window.contents.get()
                    && gap.home == home.index
                    && gap.overlaps(address, length)
                {
                    self.send_home(port, holder, window, gap);
                    return Ok(Next::Restart);
                }
            }
            let is_piece = holder.is_dying() || index % HOLDERS == HOLDERS - 1;
            if is_piece && port.interrupted() {
                thread.keep_progress(index as u32 + 1);
                return Ok(Next::Restart);
            }
        }
        Err(Error::InUse)
    }
}
