//! Who runs, and what they wait for.

use core::fmt;

use riposte::{Doing, ThreadState, name_of_channel, name_of_process, stack_unused, thread_state};

/// A thread.
pub struct Thread {
    pub process: &'static str,
    pub number: u32,
    pub state: ThreadState,
    /// Bytes of its stack that have been used.
    pub used: u32,
}

/// All threads of the system.
pub fn all() -> impl Iterator<Item = Thread> {
    let processes = (0..).map_while(|process| Some((process, name_of_process(process)?)));
    processes.flat_map(|(process, name)| {
        (0..).map_while(move |number| {
            let state = thread_state(process, number).ok()?;
            let unused = stack_unused(process, number).unwrap_or(state.stack);
            Some(Thread {
                process: name,
                number,
                state,
                used: state.stack.saturating_sub(unused),
            })
        })
    })
}

/// What a thread does, in words.
pub struct Does(pub Doing);

impl fmt::Display for Does {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let process = |index| name_of_process(index).unwrap_or("?");
        let channel = |index| name_of_channel(index).unwrap_or("?");
        match self.0 {
            Doing::Stopped => f.write_str("stopped"),
            Doing::Ready => f.write_str("runs"),
            Doing::Sending { process: to, .. } => write!(f, "sends to {}", process(to)),
            Doing::WaitingForReply { process: of, .. } => {
                write!(f, "waits for a reply of {}", process(of))
            }
            Doing::Receiving { channel: at } => write!(f, "receives at {}", channel(at)),
            Doing::WaitingAtWord => f.write_str("waits at a word"),
            Doing::Joining => f.write_str("waits for a thread"),
            Doing::Sleeping => f.write_str("sleeps"),
            Doing::WaitingForSignal => f.write_str("waits for a signal"),
        }
    }
}
