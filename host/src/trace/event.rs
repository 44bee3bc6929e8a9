//! Events of a trace, as the kernel's words mean them.

use riposte_abi::thread::state;
use riposte_abi::trace::{due, kind};

use crate::machine::ring::Raw;

/// The index of a thread in the system.
pub type ThreadIndex = usize;

/// What a thread is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum State {
    /// It runs, or is ready to.
    Ready,
    /// Its message has not been received yet.
    SendBlocked,
    /// Its message has been received and not answered.
    ReplyBlocked,
    /// It waits for a message.
    ReceiveBlocked,
    /// It waits at a word of memory, or for a lock.
    FutexBlocked,
    /// It waits for a thread to end.
    Joining,
    /// It waits for a time.
    Sleeping,
    /// It waits for a signal.
    Signalled,
    /// It has not started, has ended, or has stopped after a fault.
    Stopped,
}

impl State {
    fn of(word: u32) -> Option<State> {
        Some(match word {
            state::READY => State::Ready,
            state::SEND_BLOCKED => State::SendBlocked,
            state::REPLY_BLOCKED => State::ReplyBlocked,
            state::RECEIVE_BLOCKED => State::ReceiveBlocked,
            state::FUTEX_BLOCKED => State::FutexBlocked,
            state::JOINING => State::Joining,
            state::SLEEPING => State::Sleeping,
            state::SIGNAL_WAITING => State::Signalled,
            state::STOPPED => State::Stopped,
            _ => return None,
        })
    }

    /// In words.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            State::Ready => "ready",
            State::SendBlocked => "SEND-blocked",
            State::ReplyBlocked => "REPLY-blocked",
            State::ReceiveBlocked => "RECEIVE-blocked",
            State::FutexBlocked => "FUTEX-blocked",
            State::Joining => "joining",
            State::Sleeping => "sleeping",
            State::Signalled => "waiting for a signal",
            State::Stopped => "stopped",
        }
    }
}

/// Of what a time has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Due {
    /// The call of a thread.
    Thread(ThreadIndex),
    /// A timer: its process, and its number there.
    Timer(usize, u32),
    /// An interrupt that was limited to a rate.
    Interrupt(u32),
}

/// What has happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// The thread runs from now on; `from`, which ran, is doing `state`.
    Switch {
        /// Who ran.
        from: ThreadIndex,
        /// What that one is doing.
        state: State,
    },
    /// The thread sends.
    Send {
        /// Where to.
        channel: usize,
        /// What the server knows it by.
        badge: u32,
    },
    /// The thread has the message of a client.
    Receive {
        /// Whose.
        client: ThreadIndex,
        /// What the server knows it by.
        badge: u32,
        /// A part of the token.
        generation: u32,
    },
    /// The thread has answered a client.
    Reply {
        /// Whom.
        client: ThreadIndex,
        /// The status.
        status: u32,
    },
    /// The wait of the thread is over, otherwise than by what other events say.
    End(State),
    /// A proxy is triggered while the thread runs.
    Trigger {
        /// Where it is told.
        channel: usize,
        /// The proxy's handle.
        proxy: u32,
        /// How many times.
        times: u32,
    },
    /// Bits of a channel are set while the thread runs.
    Notify {
        /// Whose.
        channel: usize,
        /// Which.
        bits: u32,
    },
    /// The thread has a notice.
    Notice {
        /// [`riposte_abi::notice`].
        notice: u32,
        /// A proxy's handle, or bits.
        word: u32,
    },
    /// The thread waits at a word.
    FutexWait(u32),
    /// The thread, which waited at a word, goes on.
    FutexWake {
        /// Who runs.
        by: ThreadIndex,
    },
    /// The thread waits for a lock.
    LockWait {
        /// Who has it.
        owner: ThreadIndex,
        /// Where it is.
        word: u32,
    },
    /// The thread has the lock that it waited for.
    LockGiven {
        /// Who runs.
        by: ThreadIndex,
    },
    /// The thread sends a signal.
    Signal {
        /// To which process.
        process: usize,
        /// Its number.
        signal: u32,
    },
    /// The thread goes on in the handler of this signal.
    Handler(u32),
    /// An interrupt of this line has come while the thread ran.
    Interrupt(u32),
    /// A time has come while the thread ran.
    Deadline(Due),
    /// The thread has faulted.
    Fault {
        /// [`riposte_abi::fault::reason`].
        reason: u32,
        /// What was touched, or 0.
        address: u32,
    },
    /// The thread's effective priority has changed.
    Priority {
        /// What it was.
        before: u32,
    },
    /// The thread has ended, alone or with its process, or its process is held.
    Stop {
        /// Who runs.
        by: ThreadIndex,
    },
}

/// An event of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// Nanoseconds since the start.
    pub time: u64,
    /// Whose it is.
    pub thread: ThreadIndex,
    /// The effective priority of that thread.
    pub priority: u32,
    /// What has happened.
    pub what: What,
}

impl Event {
    /// What the kernel has written; `None` if it is no event.
    #[must_use]
    pub fn of(raw: &Raw) -> Option<Event> {
        let [first, second] = raw.words;
        let other = (raw.head >> 16 & 0xFF) as usize;
        let what = match raw.head & 0xFF {
            kind::SWITCH => What::Switch {
                from: other,
                state: State::of(first)?,
            },
            kind::SEND => What::Send {
                channel: other,
                badge: first,
            },
            kind::RECEIVE => What::Receive {
                client: other,
                badge: first,
                generation: second,
            },
            kind::REPLY => What::Reply {
                client: other,
                status: first,
            },
            kind::END => What::End(State::of(other as u32)?),
            kind::TRIGGER => What::Trigger {
                channel: other,
                proxy: first,
                times: second,
            },
            kind::NOTIFY => What::Notify {
                channel: other,
                bits: first,
            },
            kind::NOTICE => What::Notice {
                notice: other as u32,
                word: first,
            },
            kind::FUTEX_WAIT => What::FutexWait(first),
            kind::FUTEX_WAKE => What::FutexWake { by: other },
            kind::LOCK_WAIT => What::LockWait {
                owner: other,
                word: first,
            },
            kind::LOCK_GIVEN => What::LockGiven { by: other },
            kind::SIGNAL => What::Signal {
                process: other,
                signal: first,
            },
            kind::HANDLER => What::Handler(first),
            kind::INTERRUPT => What::Interrupt(first),
            kind::DEADLINE => What::Deadline(match other as u32 {
                due::THREAD => Due::Thread(first as usize),
                due::TIMER => Due::Timer((first >> 8) as usize, first & 0xFF),
                due::INTERRUPT => Due::Interrupt(first),
                _ => return None,
            }),
            kind::FAULT => What::Fault {
                reason: first,
                address: second,
            },
            kind::PRIORITY => What::Priority {
                before: other as u32,
            },
            kind::STOP => What::Stop { by: other },
            _ => return None,
        };
        Some(Event {
            time: raw.time,
            thread: (raw.head >> 8 & 0xFF) as usize,
            priority: raw.head >> 24,
            what,
        })
    }
}
