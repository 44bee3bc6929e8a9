//! Draws calls that start, stop and look at other processes, and those by which a program ends.

use riposte_abi::call::{self, number, operation};
use riposte_abi::register;

use super::{Draw, Env, Kind};
use crate::plan::{CONTROLS, ENDS, INDICES, MANAGER, PROCESSES, PROGRAM, THREADS_EACH};
use crate::plan::{channel_handle, channels_of};

impl<E: Env> Draw<'_, E> {
    /// Does something with other processes, if it is time to. Whether it has drawn a call.
    pub(super) fn plays_programs(&mut self) -> bool {
        let process = self.player.process();
        if process == PROGRAM {
            let ends = self.one_in(24);
            if ends {
                self.end(true, number::EXIT, 3);
            }
            return ends;
        }
        let is_stopped = |process: &usize| self.world.stopped >> process & 1 != 0;
        let stopped = CONTROLS[process].iter().position(is_stopped);
        if let Some(position) = stopped
            && self.one_in(5)
        {
            self.set_going(number::PROCESS_RESTART, position as u32);
            return true;
        }
        // One that has lent memory, and perhaps waits for it.
        let lends = |process: &usize| self.world.away[*process] != 0;
        let lends = CONTROLS[process].iter().position(lends);
        if let Some(position) = lends
            && self.one_in(12)
        {
            self.set_going(number::PROCESS_STOP, position as u32);
            return true;
        }
        if process == MANAGER {
            return self.manages();
        }
        let stops = self.one_in(60);
        if stops {
            let position = self.of(&[0, 0, 0, 1, u32::MAX]);
            self.set_going(number::PROCESS_STOP, position);
        } else if self.one_in(30) {
            self.look();
            return true;
        }
        stops
    }

    fn set_going(&mut self, number: u32, position: u32) {
        self.number(number);
        self.set(register::WORD0, position);
    }

    fn manages(&mut self) -> bool {
        let position = self.of(&[0, 1, 1, 1, 1, 1, 2]);
        match self.below(40) {
            0 | 1 => self.set_going(number::PROCESS_STOP, position),
            2 => self.set_going(number::PROCESS_RESTART, position),
            3..7 => {
                let nth = channels_of(MANAGER).position(|channel| channel == ENDS);
                let channel = channel_handle(MANAGER, nth.unwrap_or(0));
                self.set(register::CALL, call::word(operation::RECEIVE, channel));
                self.deadline();
                self.step.kind = Kind::Server;
            }
            7..12 => self.look(),
            _ => return false,
        }
        true
    }

    /// Asks what a thread is doing, or one that there is not.
    fn look(&mut self) {
        self.number(number::THREAD_STATE);
        let any = self.below(PROCESSES as u32) as usize;
        let process = self.of(&[INDICES[any], INDICES[any], INDICES[PROGRAM], 7, u32::MAX]);
        let thread = self.below(THREADS_EACH as u32 + 1);
        self.set(register::WORD0, process);
        self.set(register::WORD1, thread);
        self.step.kind = Kind::State;
    }
}
