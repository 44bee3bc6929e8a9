//! How much of its stack a thread has used at most.

use riposte_abi::Error;

use crate::{Kernel, Port, Thread, dispatch::Next, limits::INSPECTION, object::record::PIECE};

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
        let whose = thread.index.into();
        let mut unused = caller.begun_with(whose);
        loop {
            let at = thread.stack_base + unused;
            let length = (thread.stack_top - at).min(PIECE as u32);
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
