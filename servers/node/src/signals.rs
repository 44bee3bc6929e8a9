//! Ending the wait of a thread for a server.

use riposte::signal::{self, Signal};

use crate::state::Program;

/// From now on the calling thread's wait for a server can be ended; not if the manifest gives the process no signals.
pub fn allow() {
    fn nothing(_: Signal, _: u32) {}
    // SAFETY: it does nothing.
    let _ = unsafe { signal::handle(Signal::USER_1, nothing) };
}

/// Ends the wait of the thread that serves this request, if it waits for a server: that is told, if it asked for it.
pub fn interrupt(program: &Program, far: usize) {
    let worker = program.workers.get(far).copied().flatten();
    if let Some(worker) = worker.filter(|_| program.sends.get(far) == Some(&true)) {
        // Without signals it ends with the server's answer, or at the deadline.
        let _ = signal::raise_in(worker, Signal::USER_1, 0);
    }
}
