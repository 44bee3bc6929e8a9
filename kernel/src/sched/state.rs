//! What threads are doing, for a process that may ask.

use riposte_abi::{Error, register, thread::state};

use crate::{Channel, Kernel, State, Thread};

impl State {
    /// As calls and traces number it.
    pub(crate) fn number(self) -> u32 {
        match self {
            State::Stopped => state::STOPPED,
            State::Ready => state::READY,
            State::SendBlocked => state::SEND_BLOCKED,
            State::ReplyBlocked => state::REPLY_BLOCKED,
            State::ReceiveBlocked => state::RECEIVE_BLOCKED,
            State::FutexBlocked => state::FUTEX_BLOCKED,
            State::Joining => state::JOINING,
            State::Sleeping => state::SLEEPING,
            State::Signalled => state::SIGNAL_WAITING,
        }
    }
}

impl Kernel {
    /// The thread that the call of `caller` names by its process and its place there.
    pub(crate) fn named_thread(&self, caller: &Thread) -> Result<&'static Thread, Error> {
        let [process, thread, ..] = caller.words();
        let process = self.tables.processes.get(process as usize);
        let threads = process.map(|process| self.threads_of(process));
        let thread = threads.and_then(|threads| threads.get(thread as usize));
        thread.ok_or(Error::BadArgument)
    }

    /// Tells `caller` what the thread that it names is doing, and what it waits for.
    pub(crate) fn say_state(&self, caller: &'static Thread) -> Result<(), Error> {
        if !caller.process.grants.inspect {
            return Err(Error::NotPermitted);
        }
        let thread = self.named_thread(caller)?;
        let state = match thread.lives() && !thread.process.is_halted() {
            true => thread.state(),
            false => State::Stopped,
        };
        let waits_for = match state {
            State::SendBlocked => thread.sending.get().map_or(0, place_of),
            State::ReplyBlocked => {
                let server = thread.server.get();
                server.map_or(0, |server| self.place_of_thread(server))
            }
            State::ReceiveBlocked => place_of(thread.bound.get()),
            _ => 0,
        };
        let [effective, own] = [&thread.priority, &thread.base].map(|it| u32::from(it.get()));
        let priorities = effective | own << 8 | thread.policy().number() << 16;
        let stack = thread.stack().len() as u32;
        caller.returns_words(0, 0, [state.number(), priorities, waits_for, stack, 0]);
        caller.registers[register::GENERATION].set(0);
        Ok(())
    }

    /// A thread, as one of its process's.
    fn place_of_thread(&self, thread: &Thread) -> u32 {
        let first = self.threads_of(thread.process).first();
        let place = first.map_or(0, |first| thread.index - first.index);
        u32::from(thread.process.index) << 8 | u32::from(place)
    }
}

/// A channel, and whose it is.
fn place_of(channel: &'static Channel) -> u32 {
    u32::from(channel.owner.index) << 8 | u32::from(channel.index)
}
