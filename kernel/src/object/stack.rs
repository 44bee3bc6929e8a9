//! How much of its stack a thread has used at most.

use core::ops::Range;

use riposte_abi::Error;

use crate::{
    Kernel, Port, Thread, dispatch::Next, limits::GUARD, limits::INSPECTION, object::record::PIECE,
};

impl Thread {
    /// Its stack, which of all threads but a process's first lies above a guard.
    #[inline(always)]
    pub(crate) fn stack(&self) -> Range<u32> {
        let is_main = self.index == self.process.first_thread;
        let guard = if is_main { 0 } else { GUARD };
        self.stack_base + guard..self.stack_top
    }
}

impl Kernel {
    /// Counts the bytes at the end of a thread's stack that are as they were at the start of the system, a piece at a
    /// time. What the stack has held in earlier lives of its process counts as used.
    pub(crate) fn stack_unused(
        &self,
        port: &impl Port,
        caller: &'static Thread,
    ) -> Result<Next, Error> {
        let grants = &caller.process.grants;
        if !(grants.supervisor || INSPECTION && grants.inspect) {
            return Err(Error::NotPermitted);
        }
        let thread = self.named_thread(caller)?;
        let process = thread.process;
        let stack = thread.stack();
        let whose = thread.index.into();
        let mut unused = caller.begun_with(whose);
        loop {
            let at = stack.start + unused;
            let length = (stack.end - at).min(PIECE as u32);
            let mut piece = [0; PIECE];
            let piece = &mut piece[..length as usize];
            // What it has lent to somebody is in use.
            let Ok(range) = process.readable(at, length) else {
                break;
            };
            port.fetch(range, piece);
            let (words, _) = piece.as_chunks::<4>();
            let zeros = words.iter().take_while(|word| **word == [0; 4]).count();
            unused += zeros as u32 * 4;
            if zeros < PIECE / 4 {
                break;
            }
            if port.interrupted() {
                caller.keep_progress_with(whose, unused);
                return Ok(Next::Restart);
            }
        }
        caller.returns(unused);
        Ok(Next::Continue)
    }
}
