//! Signals: those that end the wait of a thread for a server, and those of peers to processes of this node.

use node_circuits::Failure;
use riposte::Error;
use riposte::abi::process_badge;
use riposte::abi::process_info::kind;
use riposte::signal::{self, Signal, Target};
use riposte_node::protocol::signal_status;

use crate::state::Program;

/// From now on the calling thread's wait for a server can be ended; not if the manifest gives the process no signals.
pub fn allow() {
    fn nothing(_: Signal, _: u32) {}
    // SAFETY: it does nothing.
    let _ = unsafe { signal::handle(Signal::USER_1, nothing) };
}

/// The process that the manifest lets this one send signals to, by its name in a path.
pub fn target(path: &str) -> Option<Target> {
    let bytes = |name: &'static str| name.bytes().map(|it| if it == b'-' { b'/' } else { it });
    let mut all = riposte::manifest_entries(kind::SIGNALLED);
    let (_, name) = all.find(|(_, name)| bytes(name).eq(path.bytes()))?;
    signal::target(name).ok()
}

/// The same, of the process whose own badge this is.
pub fn target_at(badge: u32) -> Option<Target> {
    let process = badge.checked_sub(process_badge(0))?;
    signal::target(riposte::name_of_process(process)?).ok()
}

/// Sends a process what a peer's client asks for: a signal's number and a word. The status that the client is answered with.
pub fn send(target: Target, request: &[u8]) -> Result<u32, Failure> {
    let words = request.as_chunks::<4>().0;
    let signal = match words {
        [number, _] => Signal::from_number(u32::from_le_bytes(*number)),
        _ => None,
    };
    let (Some(signal), [_, word]) = (signal, words) else {
        return Ok(signal_status::NO_SIGNAL.0);
    };
    match target.send(signal, u32::from_le_bytes(*word)) {
        Ok(()) => Ok(0),
        Err(Error::Exhausted) => Ok(signal_status::FULL.0),
        // It does not run now.
        Err(_) => Err(Failure::ServerDied),
    }
}

/// Ends the wait of the thread that serves this request, if it waits for a server: that is told, if it asked for it.
pub fn interrupt(program: &Program, far: usize) {
    let worker = program.workers.get(far).and_then(Option::as_ref);
    if let Some(worker) = worker.filter(|_| program.sends.get(far) == Some(&true)) {
        // Without signals it ends with the server's answer, or at the deadline.
        let _ = signal::raise_in(worker.thread, Signal::USER_1, 0);
    }
}
