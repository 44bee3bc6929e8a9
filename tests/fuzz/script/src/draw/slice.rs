//! Draws how threads take turns with their equals, and when one computes for longer than calls take.

use riposte_abi::call::{number, operation};
use riposte_abi::{register, thread::policy};

use super::{CALLS, Draw, Env, Kind};
use crate::plan::{SLICE, SPARE, SPELLS, THREADS_EACH};

impl<E: Env> Draw<'_, E> {
    /// Takes turns, or computes, if it is time to. Whether it has drawn a call.
    pub(super) fn plays_slices(&mut self) -> bool {
        let begins = self.player.left + 4 > CALLS;
        if self.one_in(if begins { 2 } else { 12 }) {
            self.take_turns();
            return true;
        }
        // Who has just woken somebody, be it an equal, keeps the processor for a while.
        let woke = matches!(
            self.player.last,
            number::FUTEX_WAKE
                | number::FUTEX_GIVE
                | number::FUTEX_UNLOCK
                | number::TRIGGER
                | number::NOTIFY
                | number::REPLY
                | number::REPLY_BYTES
                | number::THREAD_CREATE
        ) || self.player.last >> 28 == operation::RELAY;
        let odds = if woke { 2 } else { 40 };
        let spells = self.world.spells as usize;
        if spells == SPELLS.len() || !self.one_in(odds) {
            return false;
        }
        self.world.spells += 1;
        let whole = if self.one_in(8) { 0 } else { SLICE };
        self.step.computes = Some(whole + SPELLS[spells] * SLICE / 8);
        self.number(number::CLOCK);
        self.step.kind = Kind::Nothing;
        true
    }

    /// A thread of the process, mostly the caller, has a policy from now on, and mostly a priority that others have.
    fn take_turns(&mut self) {
        self.number(number::THREAD_SCHEDULE);
        let first = self.player.process() * THREADS_EACH;
        let other = first + self.of(&[0, 1, 2, SPARE]);
        let id = if self.one_in(3) {
            self.world.ids[other]
        } else {
            0
        };
        self.set(register::WORD0, id);
        let priority = self.of(&[0, 4, 4, 4, 4, 4, 4, 5]);
        self.set(register::WORD1, priority);
        let policy = self.of(&[
            policy::ROUND_ROBIN,
            policy::ROUND_ROBIN,
            policy::ROUND_ROBIN,
            policy::ADAPTIVE,
            policy::FIFO,
        ]);
        self.set(register::WORD2, policy);
        self.step.kind = Kind::Words(2);
    }
}
