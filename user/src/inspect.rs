//! What other threads are doing, for a process that may ask.

use riposte_abi::call::number;
use riposte_abi::thread::state;
use riposte_abi::{Error, register};

use crate::{failure, thread::Policy};

/// What a thread was doing at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadState {
    /// What, and what it waits for.
    pub doing: Doing,
    /// At which priority it runs, whoever waits for it. Out of date while it waits for a message.
    pub priority: u8,
    /// Its own priority, by the manifest or a call: that of the one below it while it has used up its slice.
    pub own_priority: u8,
    /// How it shares that.
    pub policy: Policy,
    /// Bytes of its stack, as [`crate::stack_unused`] counts what is left of it.
    pub stack: u32,
}

/// What a thread is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doing {
    /// It has not been started, has ended, or its process is stopped or held.
    Stopped,
    /// It runs, or is ready to.
    Ready,
    /// Its message waits to be received.
    Sending {
        /// The process that owns the channel, by its index in the manifest.
        process: u32,
        /// The channel, by its index in the manifest.
        channel: u32,
    },
    /// Its message has been received, and is not answered.
    WaitingForReply {
        /// The process that has received it, by its index in the manifest.
        process: u32,
        /// The thread that has, by its index within that process.
        thread: u32,
    },
    /// It waits for a message.
    Receiving {
        /// The channel, by its index in the manifest.
        channel: u32,
    },
    /// It waits at a word, or for a lock.
    WaitingAtWord,
    /// It waits for the end of a thread.
    Joining,
    /// It sleeps.
    Sleeping,
    /// It waits for a signal.
    WaitingForSignal,
}

/// What thread `thread` of the process with this index in the manifest is doing; its main thread is number 0. Never
/// blocks.
///
/// # Errors
/// [`Error::NotPermitted`] unless the manifest grants the process `inspect`; [`Error::BadArgument`] if there is no such
/// process, or it has no such thread. [`Error::BadCall`] where no process of the system has the grant.
///
/// ```no_run
/// use riposte::{Doing, thread_state};
///
/// let console = (0..).find(|process| riposte::name_of_process(*process) == Some("console"));
/// let state = thread_state(console.unwrap(), 0).unwrap();
/// assert!(matches!(state.doing, Doing::Receiving { .. }));
/// ```
pub fn thread_state(process: u32, thread: u32) -> Result<ThreadState, Error> {
    let said = failure::perform(number::THREAD_STATE, [process, thread])?;
    let [state, priorities, waits_for, stack] =
        core::array::from_fn(|word| said[register::WORDS[word]]);
    let [low, high] = [waits_for & 0xFF, waits_for >> 8 & 0xFF];
    let doing = match state {
        state::READY => Doing::Ready,
        state::SEND_BLOCKED => Doing::Sending {
            process: high,
            channel: low,
        },
        state::REPLY_BLOCKED => Doing::WaitingForReply {
            process: high,
            thread: low,
        },
        state::RECEIVE_BLOCKED => Doing::Receiving { channel: low },
        state::FUTEX_BLOCKED => Doing::WaitingAtWord,
        state::JOINING => Doing::Joining,
        state::SLEEPING => Doing::Sleeping,
        state::SIGNAL_WAITING => Doing::WaitingForSignal,
        _ => Doing::Stopped,
    };
    let [priority, own_priority, policy, _] = priorities.to_le_bytes();
    Ok(ThreadState {
        doing,
        priority,
        own_priority,
        policy: Policy::from_number(policy.into()),
        stack,
    })
}
