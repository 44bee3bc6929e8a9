//! Processes that others start, stop and look at, as the book's pages of supervision and of programs and the binary interface
//! say; and programs, of whose ends their manager is told.

use riposte_abi::Error;
use riposte_abi::call::number;
use riposte_abi::thread::state;
use riposte_fuzz_script::plan::{self, CHANNELS, ENDS, INDICES, SPARE_STACK, THREADS_EACH};

use super::{Burial, Doing, Done, Naive, Notice, Stage, process_of, returned};
use crate::memory::Memory;

impl Naive {
    /// Whether a process has died, and not all that follows from that is done.
    pub(super) fn is_dying(&self, process: usize) -> bool {
        self.burial_of(process * THREADS_EACH).is_some()
    }

    /// The process of a thread ends itself. A program does not start again by that.
    pub(super) fn exit(&mut self, thread: usize) {
        let process = process_of(thread);
        self.end_process(process, self.priority(thread), process != plan::PROGRAM);
    }

    /// The caller restarts or stops another process, in whatever state that is.
    pub(super) fn control(
        &mut self,
        memory: &mut Memory,
        caller: usize,
        call: u32,
        position: u32,
    ) -> Done {
        let controls = plan::CONTROLS[process_of(caller)].get(position as usize);
        let process = *controls.ok_or(Error::NotPermitted)?;
        let again = call == number::PROCESS_RESTART;
        let priority = self.priority(caller);
        let worker = process * THREADS_EACH;
        if self.processes[process].alive {
            self.end_process(process, priority, again);
        } else if let Some(place) = self.burial_of(worker) {
            self.redirect(place, again, priority);
        } else if !again {
            if std::mem::take(&mut self.processes[process].waits) {
                self.report(memory, process);
            }
        } else if !self.processes[process].waits {
            self.threads[worker].priority = self.threads[worker].base.max(priority);
            self.ready.insert(0, worker);
            self.burials.push(Burial {
                worker,
                stage: Stage::Loans,
                again,
                // That it begins is no news.
                reported: false,
            });
        }
        Ok(Some(returned(&[])))
    }

    /// The end of a process has another outcome than it had, and goes at this priority at least.
    fn redirect(&mut self, place: usize, again: bool, priority: u8) {
        let burial = &mut self.burials[place];
        (burial.again, burial.reported) = (again, true);
        if !again && matches!(burial.stage, Stage::Loans) {
            burial.stage = Stage::Channels;
        }
        let worker = burial.worker;
        let begins = if again { self.threads[worker].base } else { 0 };
        let priority = priority.max(begins);
        if self.priority(worker) < priority {
            self.threads[worker].priority = priority;
            self.ready.retain(|other| *other != worker);
            self.ready.insert(0, worker);
        }
    }

    /// The manager is told that a program has ended.
    pub(super) fn report(&mut self, memory: &mut Memory, process: usize) {
        if process == plan::PROGRAM && self.owner_lives(ENDS) {
            self.tell(memory, ENDS, Notice::Ended { process });
        }
    }

    /// What a thread is doing, for who may ask.
    pub(super) fn say_state(&self, asks: usize, words: [u32; 5]) -> Done {
        if asks != plan::MANAGER {
            return Err(Error::NotPermitted);
        }
        let [process, place, ..] = words;
        let process = INDICES.iter().position(|index| *index == process);
        let process = process.ok_or(Error::BadArgument)?;
        if place as usize >= THREADS_EACH {
            return Err(Error::BadArgument);
        }
        let it = &self.threads[process * THREADS_EACH + place as usize];
        let of_channel =
            |channel: usize| INDICES[CHANNELS[channel].owner] << 8 | (channel as u32 + 1);
        let (state, waits_for) = match it.doing {
            _ if !self.processes[process].alive => (state::STOPPED, 0),
            Doing::Nothing => (state::STOPPED, 0),
            Doing::Ready => (state::READY, 0),
            Doing::Sending { channel } => (state::SEND_BLOCKED, of_channel(channel)),
            Doing::Waiting { server, .. } => {
                let place = (server % THREADS_EACH) as u32;
                (
                    state::REPLY_BLOCKED,
                    INDICES[process_of(server)] << 8 | place,
                )
            }
            Doing::Receiving { channel, .. } => (state::RECEIVE_BLOCKED, of_channel(channel)),
            Doing::AtWord { .. } | Doing::Locking { .. } => (state::FUTEX_BLOCKED, 0),
            Doing::Joining { .. } => (state::JOINING, 0),
            Doing::Sleeping => (state::SLEEPING, 0),
            Doing::Suspended { .. } | Doing::Expecting { .. } => (state::SIGNAL_WAITING, 0),
        };
        let priorities =
            u32::from(it.priority) | u32::from(it.own_priority()) << 8 | it.policy << 16;
        Ok(Some(returned(&[
            state,
            priorities,
            waits_for,
            SPARE_STACK,
            0,
        ])))
    }
}
